"""Magnitude judgements: an annotator says how many times as good as a reference an output is."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, Self

import numpy as np

from bayeseval._checks import counted, some
from bayeseval._forms import MAGNITUDE, Form
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
from bayeseval.judgements._magnitudes import plan_magnitudes, read_magnitudes
from bayeseval.judgements._meaning import Meaning
from bayeseval.judgements._reading import Paths
from bayeseval.judgements._summarise import summarise
from bayeseval.judgements._table import Judgements
from bayeseval.judgements._wide import ANSWER, WideAnswers, melt
from bayeseval.judgements.summary import Summary

# A digit too many is ten times the answer that was meant, and that can be twice the median; no
# magnitude of RankME's published data is beyond twice.
FAR_OFF = 20


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MagnitudeJudgements(Judgements):
    """Magnitude estimates, as ratios to a reference.

    The unit of one judgement is annotator × system, with item, criterion and moderators where they
    are named.

    Parameters
    ----------
    factors, answers, counts, moderator_names : as in `Judgements`
        ``answers`` are the ratios magnitude / reference, float64, exactly 1
        where the answer is the reference itself and 0 where it is censored.
    dropped, audit, repeats, attributes, origin : as in `Judgements`
        See there.
    magnitudes : numpy.ndarray of float64
        The answers as given.
    references : numpy.ndarray of float64
        What each answer was given relative to; ones where no reference was shown.
    has_reference : bool
        Whether a reference was named.
    """

    form: ClassVar[Form] = MAGNITUDE
    protocol: ClassVar[str] = form.protocol
    answer_name: ClassVar[str] = form.answers[0]
    meaning: ClassVar[Meaning] = Meaning(
        asked="Annotators gave each output a positive number, relative to a reference.",
        answers="logs of the magnitudes' ratios to the reference",
        new_judgement="one annotator gives a number to one output of each; half of the ties count",
        level="ratio",
        quantity="quality",
    )

    magnitudes: np.ndarray
    references: np.ndarray
    has_reference: bool

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        annotator: str | None,
        system: str,
        magnitude: str,
        reference: float | str | None,
        item: str | None = None,
        criterion: str | None = None,
        page: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        zeros: Literal["refuse", "censor"] = "refuse",
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make judgements from a data frame, one row a magnitude.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts, eager or lazy.
        annotator : str or None
            Column of the annotator's identity; None, said explicitly, for an export without.
        system, magnitude : str
            Columns of the system and of the answer.
        reference : float, str or None
            The magnitude given to the standard: one number for all rows, or a column. None, said
            explicitly, where annotators chose their own modulus.
        item, criterion, page, moderators : as in `LikertJudgements.from_frame`
            See there.
        count, attributes : as in `LikertJudgements.from_frame`
            Further columns, as in `LikertJudgements.from_frame`.
        zeros : {"refuse", "censor"}
            A magnitude of zero or below has no place on a ratio scale: an error, or an answer below
            the smallest positive one (``censored``).
        repeats, missing : as in `LikertJudgements.from_frame`
            See there.

        Returns
        -------
        MagnitudeJudgements
            The validated table.

        Raises
        ------
        JudgementError
            A column is not there; a magnitude is no positive number; a label is missing; a unit is
            judged twice; nothing is left.
        """
        planned = plan_magnitudes(
            system,
            magnitude,
            reference,
            annotator,
            item,
            criterion,
            page,
            moderators,
            count,
            attributes,
        )
        intake = take(frame, planned.roles, missing=missing)
        return cls._from_intake(intake, planned, reference=reference, zeros=zeros, repeats=repeats)

    @classmethod
    def read(
        cls,
        path: Paths,
        *,
        annotator: str | None,
        system: str,
        magnitude: str,
        reference: float | str | None,
        item: str | None = None,
        criterion: str | None = None,
        page: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        zeros: Literal["refuse", "censor"] = "refuse",
        repeats: bool = False,
        missing: Missing = ("",),
        separator: str | None = None,
        encoding: str = "utf-8",
    ) -> Self:
        """Read judgements from a file, one row a magnitude: CSV, TSV, JSON (lines), Parquet, Excel.

        Parameters
        ----------
        path : str, Path or sequence of them
            The file, or several of one layout; the suffix says the kind.
        annotator, system, magnitude, reference : as in `from_frame`
            See there.
        item, criterion, page, moderators, count, attributes : as in `from_frame`
            Columns, as in `from_frame`.
        zeros, repeats, missing : as in `from_frame`
            See there.
        separator, encoding : as in `LikertJudgements.read`
            See there.

        Returns
        -------
        MagnitudeJudgements
            The validated table.

        Raises
        ------
        JudgementError
            The file cannot be read, or as in `from_frame`.
        """
        planned = plan_magnitudes(
            system,
            magnitude,
            reference,
            annotator,
            item,
            criterion,
            page,
            moderators,
            count,
            attributes,
        )
        make = partial(
            cls._from_intake, planned=planned, reference=reference, zeros=zeros, repeats=repeats
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
        magnitudes: WideAnswers,
        reference: float | str | None,
        columns_are: Literal["system", "criterion", "item", "annotator"] | None = None,
        systems: Sequence[str] | None = None,
        system: str | None = None,
        item: str | None = None,
        criterion: str | None = None,
        page: str | None = None,
        moderators: Columns = (),
        attributes: Columns = (),
        zeros: Literal["refuse", "censor"] = "refuse",
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make judgements from a wide table, several magnitudes a row.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts.
        annotator : str or None
            Column of the annotator's identity, or None.
        magnitudes, columns_are, systems : as in `LikertJudgements.from_wide`
            The columns of answers and what they stand for, as in `LikertJudgements.from_wide`.
        reference : float, str or None
            As in `from_frame`.
        system, item, criterion, page, moderators : as in `from_frame`
            See there.
        attributes, zeros, repeats, missing : as in `from_frame`
            See there.

        Returns
        -------
        MagnitudeJudgements
            The validated table.

        Raises
        ------
        JudgementError
            As in `from_frame`.
        """
        melted = melt(
            frame,
            answers=magnitudes,
            argument="magnitudes",
            columns_are=columns_are,
            systems=systems,
            given={"annotator": annotator, "system": system, "item": item, "criterion": criterion},
        )
        planned = plan_magnitudes(
            melted.required("system"),
            ANSWER,
            reference,
            melted.roles["annotator"],
            melted.roles["item"],
            melted.roles["criterion"],
            page,
            moderators,
            None,
            attributes,
        )
        intake = melted.taken(planned.roles, missing=missing)
        return cls._from_intake(intake, planned, reference=reference, zeros=zeros, repeats=repeats)

    @classmethod
    def _from_intake(
        cls,
        intake: Intake,
        planned: Plan,
        *,
        reference: float | str | None,
        zeros: Literal["refuse", "censor"],
        repeats: bool,
    ) -> Self:
        if zeros not in ("refuse", "censor"):
            raise JudgementError(f"zeros= must be 'refuse' or 'censor'; found {zeros!r}.")

        def parse(rows: Intake) -> Answers:
            return read_magnitudes(rows, reference, zeros)

        return cls(**build(intake, planned, parse, repeats=repeats))  # type: ignore[arg-type]

    @property
    def censored(self) -> np.ndarray:
        """Rows whose magnitude is zero or below: less than any positive answer."""
        return self.answers == 0

    @property
    def at_reference(self) -> np.ndarray:
        """Rows whose magnitude is exactly the reference: "as good as"."""
        return self.answers == 1 if self.has_reference else np.zeros(self.n_rows, dtype=bool)

    @property
    def far_off(self) -> np.ndarray:
        """Rows whose ratio to the reference is more than 20 times the median."""
        positive = self.answers[~self.censored]
        return self.answers > FAR_OFF * (np.median(positive) if len(positive) else np.inf)

    def notes_on_slips(self) -> tuple[str, ...]:
        """Return what to say of magnitudes that look like slips of the keyboard."""
        far = self.far_off
        if not far.any():
            return ()
        found = some(sorted(set(self.magnitudes[far].tolist()), reverse=True))
        number = counted(int(self.counts[far].sum()), "magnitude is", "magnitudes are")
        said = f"{number} more than {FAR_OFF} times the median ratio: {found}."
        return (f"{said} An arithmetic mean follows them; look whether they are slips.",)

    def as_numbers(self) -> np.ndarray:
        """Return the magnitudes as they were given."""
        return self.magnitudes.astype(np.float64)

    def in_favour(self) -> np.ndarray:
        """Return logs of the ratios to the reference, NaN where censored: zero has no logarithm."""
        return np.log(np.where(self.censored, np.nan, self.answers))

    def _fingerprint_header(self) -> object:
        return {"has_reference": self.has_reference}

    def _answer_column(self) -> np.ndarray:
        return self.magnitudes

    def _further_columns(self) -> dict[str, np.ndarray]:
        return {"reference": self.references} if self.has_reference else {}

    def _further_fields(self) -> dict[str, np.ndarray]:
        return {"magnitudes": self.magnitudes, "references": self.references}

    def _repr_facts(self) -> list[str]:
        first, *rest = super()._repr_facts()
        used = np.unique(self.references)
        if not self.has_reference:
            said = "no reference"
        elif len(used) == 1:
            said = f"reference {used[0]:g}"
        else:
            said = f"references {used[0]:g} to {used[-1]:g}"
        return [first.replace("judgement", "magnitude"), *rest, said]

    def summary(self) -> Summary:
        """Say what is in the table, what was dropped, and what the design can identify."""
        total = self.n_judgements
        positive = ~self.censored
        facts = [("magnitude / reference", "", _range(self.answers[positive]))]
        if self.has_reference:
            at = int(self.counts[self.at_reference].sum())
            facts.append(("exactly the reference", "", f"{at:,} ({at / total:.1%})"))
        below = int(self.counts[self.censored].sum())
        if below:
            facts.append(("zero or below, censored", "", f"{below:,} ({below / total:.1%})"))
        return summarise(self, answer_facts=facts, notes=self.notes_on_slips())


def _range(values: np.ndarray) -> str:
    if not len(values):
        return "none positive"
    return f"{values.min():g} to {values.max():g}, median {np.median(values):g}"
