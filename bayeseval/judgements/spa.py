"""SPA judgements: an annotator states the probability that one system's output is better."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, Self

import numpy as np
import pandas as pd

from bayeseval._forms import SPA, Form
from bayeseval.judgements._build import (
    Answers,
    Columns,
    Plan,
    build,
    plan,
    take_file,
)
from bayeseval.judgements._columns import Intake, Missing
from bayeseval.judgements._intake import take
from bayeseval.judgements._meaning import Meaning
from bayeseval.judgements._probabilities import Bounds, read_probabilities
from bayeseval.judgements._reading import Paths
from bayeseval.judgements._summarise import summarise
from bayeseval.judgements._table import Judgements
from bayeseval.judgements._wide import ANSWER, WideAnswers, melt
from bayeseval.judgements.summary import Summary


@dataclass(frozen=True, eq=False)
class CanonicalPairs:
    """SPA answers with both directions of a pair brought to one.

    Parameters
    ----------
    first, second : numpy.ndarray of int32
        Codes of the two systems, ``first < second``.
    probability : numpy.ndarray of float64
        Stated probability that ``first`` is better.
    forward : numpy.ndarray of bool
        Whether ``first`` was asked about first; False where 1 − answer is given.
    """

    first: np.ndarray
    second: np.ndarray
    probability: np.ndarray
    forward: np.ndarray


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SPAJudgements(Judgements):
    """Stated probabilities that system a is better than system b.

    The unit of one judgement is annotator × system_a × system_b in the order asked, with item,
    criterion and moderators where they are named: both directions of a pair are two judgements.

    Parameters
    ----------
    factors, answers, counts, moderator_names : as in `Judgements`
        ``answers`` are probabilities in [0, 1], float64.
    dropped, audit, repeats, attributes, origin : as in `Judgements`
        See there.
    bounds : tuple of float
        The answers that mean 0 and 1 in the input.
    bounds_declared : bool
        False where the bounds were inferred.
    """

    form: ClassVar[Form] = SPA
    protocol: ClassVar[str] = form.protocol
    answer_name: ClassVar[str] = form.answers[0]
    meaning: ClassVar[Meaning] = Meaning(
        asked=(
            "Annotators stated, for pairs of systems, the probability that the first would produce "
            "the better output."
        ),
        answers="the stated probabilities",
        new_judgement="the mean of what annotators state, over both directions of asking",
        level="interval",
        quantity="win_probability",
        centre=0.5,
    )
    system_factors: ClassVar[tuple[str, ...]] = form.systems

    bounds: Bounds
    bounds_declared: bool

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        annotator: str | None,
        system_a: str,
        system_b: str,
        probability: str,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        bounds: Bounds | None = None,
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make judgements from a data frame, one row a stated probability.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts, eager or lazy.
        annotator : str or None
            Column of the annotator's identity; None, said explicitly, for an export without.
        system_a, system_b : str
            Columns of the two systems, in the order asked.
        probability : str
            Column of P[a better than b].
        item, criterion, moderators, count, attributes : as in `LikertJudgements.from_frame`
            Further columns, as in `LikertJudgements.from_frame`.
        bounds : tuple (low, high), optional
            The answers that mean "certainly not" and "certainly", (0, 100) or (0, 1) or others.
            Without it they are inferred from the answers, and said to be.
        repeats, missing : as in `LikertJudgements.from_frame`
            See there.

        Returns
        -------
        SPAJudgements
            The validated table.

        Raises
        ------
        JudgementError
            A column is not there; a probability is out of bounds; a system is compared with itself;
            a label is missing; a unit is judged twice; nothing is left.
        """
        planned = plan(
            {"probability": probability},
            {"system_a": system_a, "system_b": system_b},
            annotator=annotator,
            item=item,
            criterion=criterion,
            moderators=moderators,
            count=count,
            attributes=attributes,
        )
        intake = take(frame, planned.roles, missing=missing)
        return cls._from_intake(intake, planned, bounds=bounds, repeats=repeats)

    @classmethod
    def read(
        cls,
        path: Paths,
        *,
        annotator: str | None,
        system_a: str,
        system_b: str,
        probability: str,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        bounds: Bounds | None = None,
        repeats: bool = False,
        missing: Missing = ("",),
        separator: str | None = None,
        encoding: str = "utf-8",
    ) -> Self:
        """Read judgements from a CSV, TSV, JSON, JSON lines or Parquet file.

        Parameters
        ----------
        path : str, Path or sequence of them
            The file, or several of one layout; the suffix says the kind.
        annotator, system_a, system_b, probability : as in `from_frame`
            See there.
        item, criterion, moderators, count, attributes : as in `from_frame`
            Columns, as in `from_frame`.
        bounds, repeats, missing : as in `from_frame`
            See there.
        separator, encoding : as in `LikertJudgements.read`
            See there.

        Returns
        -------
        SPAJudgements
            The validated table.

        Raises
        ------
        JudgementError
            The file cannot be read, or as in `from_frame`.
        """
        planned = plan(
            {"probability": probability},
            {"system_a": system_a, "system_b": system_b},
            annotator=annotator,
            item=item,
            criterion=criterion,
            moderators=moderators,
            count=count,
            attributes=attributes,
        )
        make = partial(cls._from_intake, planned=planned, bounds=bounds, repeats=repeats)
        return take_file(
            path, planned, make, missing=missing, separator=separator, encoding=encoding
        )

    @classmethod
    def from_wide(
        cls,
        frame: object,
        *,
        annotator: str | None,
        probabilities: WideAnswers,
        columns_are: Literal["pair", "criterion", "item", "annotator"],
        system_a: str | None = None,
        system_b: str | None = None,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        attributes: Columns = (),
        bounds: Bounds | None = None,
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make judgements from a wide table, several probabilities a row.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts.
        annotator : str or None
            Column of the annotator's identity, or None.
        probabilities : sequence of str, or mapping
            The columns of answers; a mapping of column to label, or with ``columns_are="pair"`` of
            column to its two systems in the order asked.
        columns_are : {"pair", "criterion", "item", "annotator"}
            What one column of answers stands for.
        system_a, system_b : str, optional
            Columns of the two systems, where the columns of answers do not stand for pairs.
        item, criterion, moderators, attributes, bounds, repeats, missing : as in `from_frame`
            See there.

        Returns
        -------
        SPAJudgements
            The validated table.

        Raises
        ------
        JudgementError
            As in `from_frame`.
        """
        melted = melt(
            frame,
            answers=probabilities,
            argument="probabilities",
            columns_are=columns_are,
            given={
                "annotator": annotator,
                "system_a": system_a,
                "system_b": system_b,
                "item": item,
                "criterion": criterion,
            },
        )
        planned = plan(
            {"probability": ANSWER},
            {"system_a": melted.required("system_a"), "system_b": melted.required("system_b")},
            annotator=melted.roles["annotator"],
            item=melted.roles["item"],
            criterion=melted.roles["criterion"],
            moderators=moderators,
            attributes=attributes,
        )
        intake = melted.taken(planned.roles, missing=missing)
        return cls._from_intake(intake, planned, bounds=bounds, repeats=repeats)

    @classmethod
    def _from_intake(
        cls, intake: Intake, planned: Plan, *, bounds: Bounds | None, repeats: bool
    ) -> Self:
        def parse(rows: Intake) -> Answers:
            return read_probabilities(rows, bounds)

        return cls(**build(intake, planned, parse, repeats=repeats))  # type: ignore[arg-type]

    def canonical(self) -> CanonicalPairs:
        """Bring both directions of a pair to one, keeping which was asked.

        Returns
        -------
        CanonicalPairs
            One entry a row, in the order of rows.
        """
        a, b = self.codes("system_a"), self.codes("system_b")
        forward = a < b
        return CanonicalPairs(
            first=np.minimum(a, b),
            second=np.maximum(a, b),
            probability=np.where(forward, self.answers, 1 - self.answers),
            forward=forward,
        )

    def incoherence(self) -> pd.DataFrame:
        """Set both directions of every pair beside each other, annotator by annotator.

        Returns
        -------
        pandas.DataFrame
            One row for each pair that an annotator was asked about (with item, criterion and
            moderators where they are, each apart), with the columns

            - ``annotator``, ``item``, ``criterion`` and moderators: those that the table has.
            - ``system_a``, ``system_b``: the pair, in natural order of the labels.
            - ``forward``, ``backward``: mean P[a better than b], and P[b better than a]; missing
              where that direction was not asked.
            - ``incoherence``: forward + backward − 1, which is 0 for a coherent annotator; missing
              where one direction was asked alone.
        """
        pairs = self.canonical()
        own = [factor for factor in self.factors if factor.name not in self.system_factors]
        names = [*(factor.name for factor in own), "system_a", "system_b"]
        labels = [*(factor.labels for factor in own), self.systems, self.systems]
        codes = np.stack([*(factor.codes for factor in own), pairs.first, pairs.second])
        units, unit = np.unique(codes, axis=1, return_inverse=True)
        found = {
            name: np.array(known, dtype=object)[row]
            for name, known, row in zip(names, labels, units, strict=True)
        }
        for direction, asked in (("forward", pairs.forward), ("backward", ~pairs.forward)):
            weight = np.where(asked, self.counts, 0)
            number = np.bincount(unit.ravel(), weights=weight)
            total = np.bincount(unit.ravel(), weights=weight * self.answers)
            found[direction] = total / np.where(number > 0, number, np.nan)
        found["incoherence"] = found["forward"] + found["backward"] - 1
        return pd.DataFrame(found)

    @property
    def both_directions(self) -> bool:
        """Whether some annotator was asked about a pair in both directions."""
        pairs = self.canonical()
        who = self.codes("annotator") if self.has("annotator") else np.zeros(self.n_rows, np.int32)
        asked = np.unique(np.stack([who, pairs.first, pairs.second, pairs.forward]), axis=1)
        return asked.shape[1] > np.unique(asked[:3], axis=1).shape[1]

    @property
    def answer_ends(self) -> tuple[float, float]:
        """The ends between which ``answers`` are numbers: 0 and 1."""
        return 0.0, 1.0

    def points(self) -> np.ndarray:
        """Return the probabilities: what each judgement gives to the first system."""
        return self.as_numbers()

    def _fingerprint_header(self) -> object:
        # 60 of 100 and 0.6 of 1 are the same judgement.
        return {}

    def _answer_column(self) -> np.ndarray:
        return self.answers

    def _repr_facts(self) -> list[str]:
        first, *rest = super()._repr_facts()
        stated = first.replace("judgements", "probabilities").replace("judgement", "probability")
        return [stated, *rest, f"asked as {self._bounds_text()}"]

    def _bounds_text(self) -> str:
        origin = "declared" if self.bounds_declared else "inferred from the answers"
        return f"{self.bounds[0]:g}–{self.bounds[1]:g} ({origin})"

    def summary(self) -> Summary:
        """Say what is in the table, what was dropped, and what the design can identify."""
        total = self.n_judgements
        facts = [("asked as", "", self._bounds_text())]
        for name, value in (("exactly 0", 0.0), ("exactly ½", 0.5), ("exactly 1", 1.0)):
            number = int(self.counts[self.answers == value].sum())
            facts.append(("answers", name, f"{number:,} ({number / total:.1%})"))
        asked = "both directions of a pair" if self.both_directions else "one direction a pair"
        facts.append(("an annotator was asked", "", asked))
        return summarise(self, answer_facts=facts)
