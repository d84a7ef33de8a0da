"""Comparisons that do not stand one a row: wide tables, counts, and rankings."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
import pandas as pd

from bayeseval.errors import JudgementError
from bayeseval.judgements._build import Columns, Plan
from bayeseval.judgements._columns import Intake, Missing
from bayeseval.judgements._intake import COUNTED, as_pandas, count_values, named_columns, take
from bayeseval.judgements._moderators import moderator_columns
from bayeseval.judgements._outcomes import OUTCOMES, OutcomeMap, plan_outcomes
from bayeseval.judgements._rankings import pairs_of_rankings
from bayeseval.judgements._table import Judgements
from bayeseval.judgements._wide import ANSWER, WideAnswers, melt


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PairwiseLayouts(Judgements):
    """What makes judgements of comparisons from tables of other layouts.

    Parameters
    ----------
    sides : bool
        Whether the order of the two systems may be the one in which they were shown.
    """

    sides: bool = True

    @classmethod
    def from_wide(
        cls,
        frame: object,
        *,
        annotator: str | None,
        answers: WideAnswers,
        columns_are: Literal["pair", "criterion", "item", "annotator"],
        cells_are: Literal["outcome", "winner"] = "outcome",
        system_a: str | None = None,
        system_b: str | None = None,
        outcomes: OutcomeMap | None = None,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        attributes: Columns = (),
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make judgements from a wide table, several outcomes a row.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts.
        annotator : str or None
            Column of the annotator's identity, or None; also None where the columns are annotators.
        answers : sequence of str, or mapping
            The columns of answers; a mapping of column to label, or with ``columns_are="pair"`` of
            column to its two systems in the order asked.
        columns_are : {"pair", "criterion", "item", "annotator"}
            What one column of answers stands for.
        cells_are : {"outcome", "winner"}
            Whether a cell says which side won, in the words of ``outcomes``, or holds the label of
            the winning system; ``outcomes`` then explains other words, ``{"same": "tie"}``.
        system_a, system_b : str, optional
            Columns of the two systems, where the columns of answers do not stand for pairs.
        outcomes, item, criterion, moderators, attributes, repeats, missing : as in `from_frame`
            See there.

        Returns
        -------
        PairwiseJudgements
            The validated table.

        Raises
        ------
        JudgementError
            As in `from_frame`.
        """
        given = {"annotator": annotator, "system_a": system_a, "system_b": system_b}
        given |= {"item": item, "criterion": criterion}
        melted = melt(
            frame,
            answers=answers,
            argument="answers",
            columns_are=columns_are,
            given=given,
        )
        if cells_are not in ("outcome", "winner"):
            raise JudgementError(f"cells_are= must be 'outcome' or 'winner'; found {cells_are!r}.")
        outcome, winner = (ANSWER, None) if cells_are == "outcome" else (None, ANSWER)
        planned = plan_outcomes(
            melted.required("system_a"), melted.required("system_b"), outcome, winner,
            melted.roles["annotator"], melted.roles["item"], melted.roles["criterion"],
            None, moderators, None, attributes,
        )  # fmt: skip
        intake = melted.taken(planned.roles, missing=missing)
        return cls._from_intake(intake, planned, outcomes=outcomes, repeats=repeats)

    @classmethod
    def from_counts(
        cls,
        frame: object,
        *,
        system_a: str,
        system_b: str,
        wins: str,
        losses: str,
        ties: str | None = None,
        annotator: str | None = None,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
    ) -> Self:
        """Make judgements from counts, one row a pair in one presentation order.

        Where the order of the two columns means nothing, as in a table of meetings, fit with
        ``position=False``: else an advantage of the system that comes first is looked for.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts.
        system_a, system_b : str
            Columns of the two systems.
        wins, losses, ties : str
            Columns that count how often a was better, b was better, neither was.
        annotator, item, criterion, moderators : as in `from_frame`
            Further columns, as in `from_frame`; counts seldom keep annotators.

        Returns
        -------
        PairwiseJudgements
            The validated table, with at most three rows a pair. A row of the frame whose counts
            are all 0 is dropped.

        Raises
        ------
        JudgementError
            As in `from_frame`; a count is no whole number from 0, or too large.
        """
        wide = as_pandas(frame)
        counted = take(wide, {"wins": wins, "losses": losses, "ties": ties})
        counts = {
            role: count_values(column, counted, role=role)
            for role, column in counted.columns.items()
        }
        none = ~np.any(list(counts.values()), axis=0)
        parts, rows = [], []
        for outcome, role in zip(OUTCOMES, ("wins", "losses", "ties"), strict=True):
            if role in counts:
                # A count of 0 beside others leaves nothing out; a pair without any vote stays once,
                # so that it is dropped as the one row that it is.
                kept = (counts[role] > 0) | (none & (role == "wins"))
                parts.append(wide[kept].assign(**{ANSWER: outcome, COUNTED: counts[role][kept]}))
                rows.append(counted.rows[kept])
        planned = plan_outcomes(
            system_a, system_b, ANSWER, None, annotator, item, criterion, None, moderators,
            COUNTED, (),
        )  # fmt: skip
        intake = take(pd.concat(parts, ignore_index=True), planned.roles, rows=np.concatenate(rows))
        return cls._from_intake(intake, planned, outcomes=None, repeats=False)

    @classmethod
    def from_rankings(
        cls,
        frame: object,
        *,
        annotator: str | None,
        ranks: Sequence[str] | Mapping[str, str],
        lower_is_better: bool,
        systems: Sequence[str] | None = None,
        ranking: str | None = None,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        attributes: Columns = (),
        unranked: Sequence[float] = (),
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make all pairs of rankings, one row a ranking; equal ranks are ties.

        The pairs of one ranking depend on one another. They share a label of the factor
        ``"ranking"``, so that a model or a bootstrap can take the ranking as the unit.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts.
        annotator : str or None
            Column of the annotator's identity, or None.
        ranks : sequence of str or mapping of column to system
            Columns of ranks. A mapping says which system each column ranks; a sequence goes with
            ``systems``.
        lower_is_better : bool
            Whether 1 is the best rank.
        systems : sequence of str, optional
            Columns that name the system that the k-th column of ranks is about.
        ranking : str, optional
            Column that identifies the ranking; the number of the data row by default.
        item, criterion, moderators, attributes : as in `from_frame`
            Further columns, as in `from_frame`.
        unranked : sequence of float
            Values that mean "not ranked", such as -1; missing ranks always do.
        repeats, missing : as in `from_frame`
            See there.

        Returns
        -------
        PairwiseJudgements
            The validated table, one row a pair, in the order of the columns.

        Raises
        ------
        JudgementError
            As in `from_frame`; a rank is no number.
        """
        long = pairs_of_rankings(
            frame,
            ranks=ranks,
            lower_is_better=lower_is_better,
            systems=systems,
            kept={
                "annotator": annotator,
                "item": item,
                "criterion": criterion,
                "ranking": ranking,
                **{f"m {name}": column for name, column in moderator_columns(moderators).items()},
                **{
                    f"a {name}": column
                    for name, column in named_columns(attributes, argument="attributes").items()
                },
            },
            unranked=unranked,
            missing=missing,
        )
        if ranking is None:
            long = long.assign(__ranking__=long["__row__"].astype(str))
        planned = plan_outcomes(
            "__a__", "__b__", ANSWER, None, annotator, item, criterion, ranking or "__ranking__",
            moderators, None, attributes,
        )  # fmt: skip
        intake = take(long, planned.roles, missing=missing, rows=long["__row__"].to_numpy())
        made = cls._from_intake(intake, planned, outcomes=None, repeats=repeats)
        return replace(made, sides=False)

    @classmethod
    @abstractmethod
    def _from_intake(
        cls, intake: Intake, planned: Plan, *, outcomes: OutcomeMap | None, repeats: bool
    ) -> Self:
        """Make the table from its columns."""
