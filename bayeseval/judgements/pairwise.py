"""Pairwise judgements: an annotator says which of two outputs is better, or that they tie."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Self

import numpy as np

from bayeseval._forms import PAIRWISE, Form
from bayeseval.judgements._build import Answers, Columns, Plan, build, take_file
from bayeseval.judgements._columns import Intake, Missing
from bayeseval.judgements._intake import take
from bayeseval.judgements._layouts import PairwiseLayouts
from bayeseval.judgements._meaning import Meaning
from bayeseval.judgements._outcomes import (
    OUTCOMES,
    Outcome,
    OutcomeMap,
    plan_outcomes,
    read_outcomes,
)
from bayeseval.judgements._reading import Paths
from bayeseval.judgements._summarise import summarise
from bayeseval.judgements.summary import Summary


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PairwiseJudgements(PairwiseLayouts):
    """Outcomes of comparisons of two systems, in presentation order.

    The unit of one judgement is annotator × system_a × system_b in presentation order, with item,
    criterion and moderators where they are named.

    Parameters
    ----------
    factors, answers, counts, moderator_names : as in `Judgements`
        ``answers`` are int8: 0 where a wins, 1 where b wins, 2 for a tie. Pairs
        that come from one ranking share a label of the factor ``"ranking"``.
    dropped, audit, repeats, attributes, origin : as in `Judgements`
        See there.
    sides : bool
        Whether the order of the two systems may be the one in which they were shown; not where
        the pairs were made of rankings or ratings.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"left": ["A", "B"], "right": ["B", "C"], "vote": ["left", "tie"]})
    >>> PairwiseJudgements.from_frame(
    ...     frame, annotator=None, system_a="left", system_b="right", outcome="vote",
    ...     outcomes={"left": "a", "right": "b", "tie": "tie"})
    PairwiseJudgements: 2 outcomes, 3 systems, no annotator identities, ties 50.0%
    """

    form: ClassVar[Form] = PAIRWISE
    protocol: ClassVar[str] = form.protocol
    answer_name: ClassVar[str] = form.answers[0]
    meaning: ClassVar[Meaning] = Meaning(
        asked="Annotators saw two outputs and said which is better, or that neither is.",
        answers="outcomes (1 for a, −1 for b, 0 for a tie)",
        new_judgement="one annotator chooses between the two; half of the ties count",
        level="nominal",
        quantity="quality",
    )
    system_factors: ClassVar[tuple[str, ...]] = form.systems

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        annotator: str | None,
        system_a: str,
        system_b: str,
        outcome: str | None = None,
        winner: str | None = None,
        outcomes: OutcomeMap | None = None,
        item: str | None = None,
        criterion: str | None = None,
        ranking: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make judgements from a data frame, one row a comparison.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts; of a lazy one equal rows are counted where the data live.
        annotator : str or None
            Column of the annotator's identity; None, said explicitly, for an export without.
        system_a, system_b : str
            Columns of the two systems, in presentation order.
        outcome : str, optional
            Column of the outcome, in the words that ``outcomes`` explains.
        winner : str, optional
            Instead of ``outcome``: column with the label of the winning system; other words, such
            as the one for a tie, are explained by ``outcomes``.
        outcomes : mapping, optional
            What each word means: ``{"left": "a", "right": "b", "tie": "tie", "both bad": None}``;
            None means that the row is no outcome. By default the words are "a", "b" and "tie".
        item, criterion : str, optional
            Columns of the item and of the criterion.
        ranking : str, optional
            Column of the ranking that the pairs of several rows come from, so that they are known
            to depend on one another.
        moderators, count, attributes, repeats, missing : as in `LikertJudgements.from_frame`
            See there.

        Returns
        -------
        PairwiseJudgements
            The validated table.

        Raises
        ------
        JudgementError
            A column is not there; a word is not explained; a system is compared with itself; a
            label is missing; a unit is judged twice; nothing is left.
        """
        planned = plan_outcomes(
            system_a, system_b, outcome, winner, annotator, item, criterion, ranking, moderators,
            count, attributes,
        )  # fmt: skip
        intake = take(frame, planned.roles, missing=missing)
        return cls._from_intake(intake, planned, outcomes=outcomes, repeats=repeats)

    @classmethod
    def read(
        cls,
        path: Paths,
        *,
        annotator: str | None,
        system_a: str,
        system_b: str,
        outcome: str | None = None,
        winner: str | None = None,
        outcomes: OutcomeMap | None = None,
        item: str | None = None,
        criterion: str | None = None,
        ranking: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        repeats: bool = False,
        missing: Missing = ("",),
        separator: str | None = None,
        encoding: str = "utf-8",
    ) -> Self:
        """Read judgements from a file, one row a comparison: CSV, JSON (lines), Parquet, Excel.

        Parameters
        ----------
        path : str, Path or sequence of them
            The file, or several of one layout; the suffix says the kind. In a large CSV or Parquet
            file equal rows are counted by DuckDB, in bounded memory.
        annotator, system_a, system_b, outcome, winner, outcomes : as in `from_frame`
            See there.
        item, criterion, ranking, moderators : as in `from_frame`
            See there.
        count, attributes, repeats, missing : as in `from_frame`
            See there.
        separator, encoding : as in `LikertJudgements.read`
            See there.

        Returns
        -------
        PairwiseJudgements
            The validated table.

        Raises
        ------
        JudgementError
            The file cannot be read, or as in `from_frame`.
        """
        planned = plan_outcomes(
            system_a, system_b, outcome, winner, annotator, item, criterion, ranking, moderators,
            count, attributes,
        )  # fmt: skip
        make = partial(cls._from_intake, planned=planned, outcomes=outcomes, repeats=repeats)
        return take_file(
            path, planned, make, missing=missing, separator=separator, encoding=encoding
        )

    @classmethod
    def _from_intake(
        cls, intake: Intake, planned: Plan, *, outcomes: OutcomeMap | None, repeats: bool
    ) -> Self:
        def parse(rows: Intake) -> Answers:
            return read_outcomes(rows, outcomes)

        return cls(**build(intake, planned, parse, repeats=repeats))  # type: ignore[arg-type]

    @property
    def order_known(self) -> bool:
        """Whether the order of a row's two systems is the one in which they were shown."""
        return self.sides and not self.has("ranking")

    @property
    def outcome_labels(self) -> tuple[Outcome, ...]:
        """What the codes of ``answers`` mean: 0, 1, 2 are "a", "b", "tie"."""
        return OUTCOMES

    def as_numbers(self) -> np.ndarray:
        """Return the outcomes as numbers: 1 where a wins, −1 where b wins, 0 for a tie."""
        return np.array([1.0, -1.0, 0.0])[self.answers]

    def _fingerprint_header(self) -> object:
        return {}

    def _answer_column(self) -> np.ndarray:
        return np.array(OUTCOMES, dtype=object)[self.answers]

    def as_given(self, answers: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the codes as they are, and the words "a", "b" and "tie" as ``outcome``."""
        return answers, {"outcome": np.array(OUTCOMES, dtype=object)[answers]}

    def _number_of(self, code: int) -> int:
        return int(self.counts[self.answers == code].sum())

    def _repr_facts(self) -> list[str]:
        first, *rest = super()._repr_facts()
        share = self._number_of(2) / self.n_judgements
        return [first.replace("judgement", "outcome"), *rest, f"ties {share:.1%}"]

    def summary(self) -> Summary:
        """Say what is in the table, what was dropped, and what the design can identify."""
        total = self.n_judgements
        facts = [
            ("outcomes", name, f"{self._number_of(code):,} ({self._number_of(code) / total:.1%})")
            for code, name in enumerate(("a wins", "b wins", "tie"))
        ]
        if self.has("ranking"):
            facts.append(("rankings", "", f"{len(self.labels('ranking')):,}"))
        return summarise(self, answer_facts=facts)
