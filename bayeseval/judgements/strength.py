"""Strength judgements: an annotator says which of two outputs is better, and by how much."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, Self

import numpy as np

from bayeseval._forms import STRENGTH, Form
from bayeseval.errors import JudgementError
from bayeseval.judgements._build import (
    Answers,
    Columns,
    Plan,
    build,
    take_file,
)
from bayeseval.judgements._columns import Intake, Missing
from bayeseval.judgements._intake import take
from bayeseval.judgements._meaning import Meaning
from bayeseval.judgements._reading import Paths
from bayeseval.judgements._strengths import (
    StrengthBounds,
    checked_bounds,
    plan_strengths,
    read_strengths,
)
from bayeseval.judgements._summarise import summarise
from bayeseval.judgements._table import Judgements
from bayeseval.judgements._wide import ANSWER, WideAnswers, melt
from bayeseval.judgements.summary import Summary

# Below this share of a slider's bound not one answer: bounds= may be those of another scale.
_LEAST_USED = 0.1


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StrengthJudgements(Judgements):
    """Signed strengths of preference; positive prefers system a.

    The unit of one judgement is annotator × system_a × system_b in presentation order, with item,
    criterion and moderators where they are named.

    Parameters
    ----------
    factors, answers, counts, moderator_names : as in `Judgements`
        ``answers`` are strengths in [−bound, bound], float64, positive = a;
        exactly 0 is "no preference".
    dropped, audit, repeats, attributes, origin : as in `Judgements`
        See there.
    bound : float
        The largest strength that could be chosen.
    graded : bool
        Whether strengths are whole grades −bound..bound, or any number in between.
    """

    form: ClassVar[Form] = STRENGTH
    protocol: ClassVar[str] = form.protocol
    answer_name: ClassVar[str] = form.answers[0]
    meaning: ClassVar[Meaning] = Meaning(
        asked="Annotators saw two outputs and said which is better, and by how much.",
        answers="the strengths",
        new_judgement="one annotator sets the slider between the two; half of the ties count",
        level="interval",
        quantity="win_probability",
    )
    system_factors: ClassVar[tuple[str, ...]] = form.systems

    bound: float
    graded: bool

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        annotator: str | None,
        system_a: str,
        system_b: str,
        strength: str,
        bounds: StrengthBounds,
        positive: Literal["a", "b"],
        graded: bool | None = None,
        labels: Mapping[str, float | None] | None = None,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make judgements from a data frame, one row a strength.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts, eager or lazy.
        annotator : str or None
            Column of the annotator's identity; None, said explicitly, for an export without.
        system_a, system_b : str
            Columns of the two systems, in presentation order.
        strength : str
            Column of the answer.
        bounds : float or tuple (low, high)
            The ends of the slider or of the grades: 3 for −3..3, (0, 100) for a slider whose
            middle, 50, is no preference.
        positive : {"a", "b"}
            Which system the high end favours.
        graded : bool, optional
            Whether only whole grades could be chosen; by default, where the bounds allow at most 11
            of them and all answers are whole.
        labels : mapping of text to number, optional
            What a text means, before bounds and sign apply; None means no answer. What is not named
            is the number as which it reads.
        item, criterion, moderators : as in `LikertJudgements.from_frame`
            See there.
        count, attributes, repeats, missing : as in `LikertJudgements.from_frame`
            See there.

        Returns
        -------
        StrengthJudgements
            The validated table.

        Raises
        ------
        JudgementError
            A column is not there; a strength is out of bounds; a system is compared with itself; a
            label is missing; a unit is judged twice; nothing is left.
        """
        planned = plan_strengths(
            system_a, system_b, strength, annotator, item, criterion, moderators, count, attributes
        )
        intake = take(frame, planned.roles, missing=missing)
        return cls._from_intake(
            intake,
            planned,
            bounds=bounds,
            positive=positive,
            graded=graded,
            labels=labels,
            repeats=repeats,
        )

    @classmethod
    def read(
        cls,
        path: Paths,
        *,
        annotator: str | None,
        system_a: str,
        system_b: str,
        strength: str,
        bounds: StrengthBounds,
        positive: Literal["a", "b"],
        graded: bool | None = None,
        labels: Mapping[str, float | None] | None = None,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        repeats: bool = False,
        missing: Missing = ("",),
        separator: str | None = None,
        encoding: str = "utf-8",
    ) -> Self:
        """Read judgements from a file, one row a strength: CSV, TSV, JSON (lines), Parquet, Excel.

        Parameters
        ----------
        path : str, Path or sequence of them
            The file, or several of one layout; the suffix says the kind.
        annotator, system_a, system_b, strength : as in `from_frame`
            See there.
        item, criterion, moderators, count, attributes : as in `from_frame`
            Columns, as in `from_frame`.
        bounds, positive, graded, labels, repeats, missing : as in `from_frame`
            See there.
        separator, encoding : as in `LikertJudgements.read`
            See there.

        Returns
        -------
        StrengthJudgements
            The validated table.

        Raises
        ------
        JudgementError
            The file cannot be read, or as in `from_frame`.
        """
        planned = plan_strengths(
            system_a, system_b, strength, annotator, item, criterion, moderators, count, attributes
        )
        make = partial(
            cls._from_intake,
            planned=planned,
            bounds=bounds,
            positive=positive,
            graded=graded,
            labels=labels,
            repeats=repeats,
        )
        return take_file(
            path, planned, make, missing=missing, separator=separator, encoding=encoding
        )

    @classmethod
    def from_wide(
        cls,
        frame: object,
        *,
        annotator: str | None,
        strengths: WideAnswers,
        columns_are: Literal["pair", "criterion", "item", "annotator"],
        system_a: str | None = None,
        system_b: str | None = None,
        bounds: StrengthBounds,
        positive: Literal["a", "b"],
        graded: bool | None = None,
        labels: Mapping[str, float | None] | None = None,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        attributes: Columns = (),
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make judgements from a wide table, several strengths a row.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts.
        annotator : str or None
            Column of the annotator's identity, or None.
        strengths : sequence of str, or mapping
            The columns of answers; a mapping of column to label, or with ``columns_are="pair"`` of
            column to its two systems in the order asked.
        columns_are : {"pair", "criterion", "item", "annotator"}
            What one column of answers stands for.
        system_a, system_b : str, optional
            Columns of the two systems, where the columns of answers do not stand for pairs.
        bounds, positive, graded, labels : as in `from_frame`
            See there.
        item, criterion, moderators, attributes, repeats, missing : as in `from_frame`
            See there.

        Returns
        -------
        StrengthJudgements
            The validated table.

        Raises
        ------
        JudgementError
            As in `from_frame`.
        """
        melted = melt(
            frame,
            answers=strengths,
            argument="strengths",
            columns_are=columns_are,
            given={
                "annotator": annotator,
                "system_a": system_a,
                "system_b": system_b,
                "item": item,
                "criterion": criterion,
            },
        )
        planned = plan_strengths(
            melted.required("system_a"),
            melted.required("system_b"),
            ANSWER,
            melted.roles["annotator"],
            melted.roles["item"],
            melted.roles["criterion"],
            moderators,
            None,
            attributes,
        )
        intake = melted.taken(planned.roles, missing=missing)
        return cls._from_intake(
            intake,
            planned,
            bounds=bounds,
            positive=positive,
            graded=graded,
            labels=labels,
            repeats=repeats,
        )

    @classmethod
    def _from_intake(
        cls,
        intake: Intake,
        planned: Plan,
        *,
        bounds: StrengthBounds,
        positive: Literal["a", "b"],
        graded: bool | None,
        labels: Mapping[str, float | None] | None,
        repeats: bool,
    ) -> Self:
        low, high = checked_bounds(bounds)
        if positive not in ("a", "b"):
            raise JudgementError(
                f"positive= must say which system the high end favours, 'a' or 'b'; found "
                f"{positive!r}."
            )

        def parse(rows: Intake) -> Answers:
            return read_strengths(rows, low, high, positive=positive, graded=graded, labels=labels)

        return cls(**build(intake, planned, parse, repeats=repeats))  # type: ignore[arg-type]

    @property
    def answer_ends(self) -> tuple[float, float]:
        """The ends between which ``answers`` are numbers: strongest for b, strongest for a."""
        return -self.bound, self.bound

    @property
    def no_preference(self) -> np.ndarray:
        """Rows whose strength is exactly zero."""
        return self.answers == 0

    def _fingerprint_header(self) -> object:
        return {"bound": self.bound, "graded": self.graded}

    def _answer_column(self) -> np.ndarray:
        whole = self.graded and float(self.bound).is_integer()
        return self.answers.astype(np.int64) if whole else self.answers

    def _repr_facts(self) -> list[str]:
        first, *rest = super()._repr_facts()
        return [first.replace("judgement", "strength"), *rest, self._bounds_text()]

    def _bounds_text(self) -> str:
        kind = "grades" if self.graded else "slider"
        return f"{kind} −{self.bound:g}..{self.bound:g}, positive = a"

    def summary(self) -> Summary:
        """Say what is in the table, what was dropped, and what the design can identify."""
        total = self.n_judgements
        facts = [("scale", "", self._bounds_text())]
        for name, rows in (
            ("prefer a", self.answers > 0),
            ("no preference", self.answers == 0),
            ("prefer b", self.answers < 0),
            ("at either end", np.abs(self.answers) == self.bound),
        ):
            number = int(self.counts[rows].sum())
            facts.append(("answers", name, f"{number:,} ({number / total:.1%})"))
        return summarise(self, answer_facts=facts, notes=self._range_notes())

    def _range_notes(self) -> tuple[str, ...]:
        furthest = float(np.abs(self.answers).max())
        if self.graded or furthest >= _LEAST_USED * self.bound:
            return ()
        return (
            (
                f"No strength is further than {furthest:g} from no preference, on a slider that "
                f"goes to {self.bound:g}: {furthest / self.bound:.1%} of its range is used. Check "
                "that bounds= are the ends that annotators saw, in the unit of the column."
            ),
        )
