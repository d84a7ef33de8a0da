"""Plain agreement: shares of units, and of pairs of votes, that are the same."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval._records import Record, Shown, split
from bayeseval._slices import Slice, slices
from bayeseval._units import answers_by_unit, compact, once_each, unit_factors
from bayeseval.errors import DesignError, JudgementError
from bayeseval.judgements import Judgements, PairwiseJudgements
from bayeseval.judgements._argument import takes_judgements


@takes_judgements
def exact_agreement(
    judgements: Judgements,
    *,
    by: str | None = None,
    criterion: str | None = None,
    unit: Sequence[str] | None = None,
) -> Record:
    """Count the units on which all annotators gave the same answer.

    Parameters
    ----------
    judgements : Judgements
        Any protocol; pairs shown in either order are one unit.
    by : str, optional
        A factor to give one result a level of, such as a moderator.
    criterion : str, optional
        Criterion; each in turn where left out.
    unit : sequence of str, optional
        Factors that say what was judged, as in `krippendorff_alpha`.

    Returns
    -------
    Record
        One row a criterion, with the columns ``criterion`` and the factor ``by`` (where there are),
        ``n_units`` (judged at least twice), ``n_single`` (judged once, left out), ``n_agree``
        (all the same), ``agreement`` (their share) and ``pair_agreement`` (share of pairs of
        answers to one unit that are the same, units weighted by their pairs). Where everybody gave
        one answer to everything both are 1. Of several judgements of a unit by one annotator the
        first counts.

    Raises
    ------
    DesignError
        If no unit was judged twice.
    """
    values, codes, _, factors = answers_by_unit(judgements, unit)
    found = []
    for piece in slices(judgements, criterion, by):
        rows = once_each(judgements, piece.rows, codes)
        _, own = np.unique(codes[rows], return_inverse=True)
        answer, _ = compact([own, np.unique(values[rows], return_inverse=True)[1]])
        size = np.bincount(own)
        if not (size > 1).any():
            raise DesignError(
                f"agreement needs units judged at least twice; every one of the {len(size):,} "
                f"units ({' × '.join(factors)}){piece.where} was judged once."
            )
        same = np.bincount(answer)
        unit_of_answer = np.zeros(len(same), dtype=np.int64)
        unit_of_answer[answer] = own
        kinds = np.bincount(unit_of_answer)
        many = size > 1
        found.append(
            {
                **piece.key,
                "n_units": int(many.sum()),
                "n_single": int((~many).sum()),
                "n_agree": int((kinds[many] == 1).sum()),
                "agreement": float((kinds[many] == 1).mean()),
                "pair_agreement": float((same * (same - 1)).sum() / (size * (size - 1)).sum()),
            }
        )
    return Record(
        table=pd.DataFrame(found),
        title="Exact agreement",
        notes=(
            (
                f"Unit: {' × '.join(factors)}. Agreement: share of units on which all annotators "
                "gave the same answer; it falls with the number of annotators a unit has."
            ),
        ),
        shown=(
            *split(by),
            Shown("n_units", "units", "count"),
            Shown("n_single", "judged once", "count"),
            Shown("n_agree", "all agree", "count"),
            Shown("agreement", "share"),
            Shown("pair_agreement", "share of pairs"),
        ),
    )


@takes_judgements
def vote_agreement(
    judgements: PairwiseJudgements,
    other: PairwiseJudgements | None = None,
    *,
    ties: Literal["keep", "drop"] = "keep",
    by: str | None = None,
    criterion: str | None = None,
) -> Record:
    """Compare votes on the same pair and item: of different annotators, or of two tables.

    Every vote is held against every other annotator's vote on the same pair, or against every vote
    of ``other`` on it: human against human, or human against an LLM judge.

    Parameters
    ----------
    judgements : PairwiseJudgements
        Votes of annotators with identities (identities are not needed where ``other`` is given).
    other : PairwiseJudgements, optional
        Votes to compare with; the table itself where left out.
    ties : {"keep", "drop"}
        Count ties as an answer of their own, or leave out every vote that is a tie.
    by : str, optional
        A factor to give one result a level of, such as a moderator.
    criterion : str, optional
        Criterion; each in turn where left out.

    Returns
    -------
    Record
        One row a criterion, with the columns ``criterion`` and the factor ``by`` (where there are),
        ``n_pairs`` (pairs of votes), ``n_agree``, ``agreement`` (their share), ``chance``
        (agreement expected of votes that tie as often as these and otherwise prefer either side
        alike; 0.5 without ties) and ``kappa`` = (agreement − chance) / (1 − chance).

    Raises
    ------
    DesignError
        If no two votes are about the same pair.
    """
    if ties not in ("keep", "drop"):
        raise JudgementError(f"ties must be 'keep' or 'drop'; got {ties!r}")
    for table in (judgements, other):
        if table is not None and not isinstance(table, PairwiseJudgements):
            raise JudgementError(
                f"vote_agreement needs PairwiseJudgements; got {type(table).__name__}"
            )
    if other is None and judgements.annotators is None:
        raise DesignError(
            "agreement between annotators needs their identities, which this export has not. Pass "
            "other= to compare with the votes of another table."
        )
    found = []
    for piece in slices(judgements, criterion, by):
        first = _votes(judgements, piece, ties)
        if other is None:
            pairs, tie_shares = _within(first), (first["vote"].eq(0).mean(),) * 2
        else:
            same = [p for p in slices(other, piece.criterion, by) if p.level == piece.level]
            if not same:
                raise DesignError(f"the other table has no votes{piece.where}.")
            second = _votes(other, same[0], ties)
            pairs = _between(first, second)
            tie_shares = (first["vote"].eq(0).mean(), second["vote"].eq(0).mean())
        n_pairs, n_agree = pairs
        if n_pairs == 0:
            raise DesignError(
                f"no two votes are about the same pair of systems{piece.where}: there is nothing "
                f"to compare. A unit is {' × '.join(unit_factors(judgements))}; the systems here "
                f"are {some(judgements.systems)}"
                + ("." if other is None else f", in the other table {some(other.systems)}.")
            )
        one, two = (float(share) for share in tie_shares)
        chance = one * two + (1 - one) * (1 - two) / 2
        share = n_agree / n_pairs
        found.append(
            {
                **piece.key,
                "n_pairs": n_pairs,
                "n_agree": n_agree,
                "agreement": share,
                "chance": chance,
                "kappa": (share - chance) / (1 - chance) if chance < 1 else float("nan"),
            }
        )
    return Record(
        table=pd.DataFrame(found),
        title="Agreement of votes" + ("" if other is None else " with another table"),
        notes=(
            ("Ties count as an answer." if ties == "keep" else "Votes that are ties are left out.")
            + " Pairs of votes on one unit depend on one another: no interval is given.",
        ),
        shown=(
            *split(by),
            Shown("n_pairs", "pairs of votes", "count"),
            Shown("n_agree", "agree", "count"),
            Shown("agreement", "share"),
            Shown("chance", "by chance"),
            Shown("kappa", "kappa"),
        ),
    )


def _votes(judgements: PairwiseJudgements, piece: Slice, ties: str) -> pd.DataFrame:
    """Return the votes by labels, as if the first label in the alphabet had been shown first."""
    columns = {
        name: np.array(judgements.labels(name), dtype=object)[judgements.codes(name)[piece.rows]]
        for name in unit_factors(judgements)
    }
    a, b = columns.pop("system_a"), columns.pop("system_b")
    vote = np.array([1, -1, 0])[judgements.answers[piece.rows]]
    swap = a > b
    frame = pd.DataFrame({"first": np.where(swap, b, a), "second": np.where(swap, a, b), **columns})
    frame["vote"] = np.where(swap, -vote, vote)
    if judgements.annotators is not None:
        frame["annotator"] = judgements.codes("annotator")[piece.rows]
    return frame[frame["vote"] != 0] if ties == "drop" else frame


def _unit_columns(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame.columns if name not in ("vote", "annotator")]


def _couples(frame: pd.DataFrame, by: list[str]) -> int:
    size = frame.groupby(by, sort=False).size().to_numpy()
    return int((size * (size - 1) // 2).sum())


def _within(votes: pd.DataFrame) -> tuple[int, int]:
    """Count pairs of votes of different annotators on one unit, and those that are the same."""
    unit = _unit_columns(votes)
    pairs = _couples(votes, unit) - _couples(votes, [*unit, "annotator"])
    same = [*unit, "vote"]
    return pairs, _couples(votes, same) - _couples(votes, [*same, "annotator"])


def _between(first: pd.DataFrame, second: pd.DataFrame) -> tuple[int, int]:
    """Count pairs of votes of two tables on one unit, and those that are the same."""
    unit = _unit_columns(first)
    if set(unit) != set(_unit_columns(second)):
        raise DesignError(
            f"the two tables must say in the same terms what was judged; one has {unit}, the other "
            f"{_unit_columns(second)}."
        )

    def matched(by: list[str]) -> int:
        sizes = [frame.groupby(by, sort=False).size() for frame in (first, second)]
        joined = sizes[0].to_frame("n").join(sizes[1].to_frame("m"), how="inner")
        return int((joined["n"] * joined["m"]).sum())

    return matched(unit), matched([*unit, "vote"])
