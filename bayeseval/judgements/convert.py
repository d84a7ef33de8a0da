"""Conversions between protocols; each loses something, and is named as what it makes."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from bayeseval._checks import shown, some
from bayeseval.errors import DesignError, JudgementError
from bayeseval.judgements._argument import takes_judgements
from bayeseval.judgements._factors import AuditEntry, Factor, frozen_array, recoded
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.pairwise import PairwiseJudgements

_CELLS_A_ROW = 4
_BLOCK = 65_536


@takes_judgements
def to_pairwise(judgements: Judgements) -> PairwiseJudgements:
    """Make outcomes of comparisons out of any other answers; ties are kept.

    Ratings and magnitudes are compared within annotator, item, criterion, page and moderators: the
    higher answer wins, equal answers tie. The pairs of one such group depend on one another and
    share a label of the factor ``"ranking"``. Which system was seen first is unknown; a is the one
    whose label comes first. Strengths and stated probabilities keep their sides: a wins above no
    preference (above ½), b below. How much better is lost in every case.

    Parameters
    ----------
    judgements : Judgements
        Judgements of any protocol; pairwise ones are returned as they are.

    Returns
    -------
    PairwiseJudgements
        The outcomes, with a line in ``audit``.

    Raises
    ------
    DesignError
        Ratings or magnitudes have no annotator identities, or nobody judged two systems.
    """
    if isinstance(judgements, PairwiseJudgements):
        return judgements
    if judgements.is_paired:
        favour, centre = judgements.in_favour(), judgements.meaning.centre
        outcome = np.where(favour == 0, 2, np.where(favour > 0, 0, 1))
        return _made(
            judgements,
            judgements.factors,
            outcome,
            judgements.counts,
            judgements.attributes,
            rule=f"{judgements.answer_name} to outcome: a above {centre:g}, b below, tie at it",
        )
    return _within(judgements)


def _within(judgements: Judgements) -> PairwiseJudgements:
    if not judgements.has("annotator"):
        raise DesignError(
            f"to_pairwise compares {judgements.answer_name}s of one annotator with one another; "
            "this table has no annotator identities."
        )
    around = [f for f in judgements.factors if f.name != "system"]
    system, answers = judgements.codes("system"), judgements.answers
    order = np.lexsort([system, *(f.codes for f in around)])
    new = np.ones(judgements.n_rows, dtype=bool)
    new[1:] = np.logical_or.reduce([np.diff(f.codes[order]) != 0 for f in around])
    group = np.cumsum(new) - 1
    largest = int(np.bincount(group).max())
    first, second, number = [], [], []
    for lag in range(1, largest):
        same = np.flatnonzero(group[lag:] == group[:-lag])
        a, b = order[same], order[same + lag]
        differ = system[a] != system[b]
        first.append(a[differ])
        second.append(b[differ])
        number.append(group[same][differ])
    a = np.concatenate([*first, np.zeros(0, dtype=int)])
    b = np.concatenate([*second, np.zeros(0, dtype=int)])
    if not len(a):
        raise DesignError(
            "to_pairwise compares what one annotator said of several systems"
            f"{' for one item' if judgements.has('item') else ''}; nobody judged two."
        )
    groups = np.concatenate(number)
    row = np.lexsort([b, a, system[b], system[a], groups])
    a, b, groups = a[row], b[row], groups[row]
    labels = judgements.labels("system")
    factors = [
        Factor("annotator", judgements.labels("annotator"), judgements.codes("annotator")[a]),
        Factor("system_a", labels, system[a]),
        Factor("system_b", labels, system[b]),
        *(
            Factor(f.name, f.labels, f.codes[a])
            for f in judgements.factors
            if f.name not in ("annotator", "system", "page")
        ),
    ]
    used, ranking = np.unique(groups, return_inverse=True)
    names = tuple(str(k) for k in range(1, len(used) + 1))
    factors.append(Factor("ranking", names, ranking.astype(np.int32)))
    outcome = np.where(answers[a] == answers[b], 2, np.where(answers[a] > answers[b], 0, 1))
    within = " and ".join(name for name in ("annotator", "item", "page") if judgements.has(name))
    return _made(
        judgements,
        factors,
        outcome,
        judgements.counts[a] * judgements.counts[b],
        {},
        rule=f"{judgements.answer_name}s to all pairs within {within}, ties kept",
        sides=False,
    )


def _made(
    judgements: Judgements,
    factors: Sequence[Factor],
    outcome: np.ndarray,
    counts: np.ndarray,
    attributes: dict[str, np.ndarray],
    *,
    rule: str,
    sides: bool = True,
) -> PairwiseJudgements:
    entry = AuditEntry(rule=rule, rows_before=judgements.n_rows, rows_after=len(outcome))
    return PairwiseJudgements(
        factors=recoded(factors),
        answers=frozen_array(outcome.astype(np.int8)),
        counts=frozen_array(counts.copy()),
        moderator_names=judgements.moderator_names,
        dropped=judgements.dropped,
        audit=(*judgements.audit, entry),
        repeats=judgements.repeats,
        attributes=attributes,
        sides=sides,
    )


@takes_judgements
def to_counts(
    judgements: PairwiseJudgements, *, keep: Sequence[str] | None = None
) -> PairwiseJudgements:
    """Count equal outcomes by pair and presentation order.

    Parameters
    ----------
    judgements : PairwiseJudgements
        The outcomes.
    keep : sequence of str, optional
        Factors to count by, besides the two systems; criterion and moderators by default.

    Returns
    -------
    PairwiseJudgements
        One row a combination and outcome, sorted, with its count. Annotators, items and rankings
        that are not kept are lost, and with them what they could say of dependence.

    Raises
    ------
    JudgementError
        These are no outcomes, or there is no such factor.
    """
    if not isinstance(judgements, PairwiseJudgements):
        raise JudgementError(
            f"to_counts counts outcomes of comparisons; got {type(judgements).__name__}. Make "
            "outcomes of them first: to_counts(to_pairwise(judgements))."
        )
    others = [f.name for f in judgements.factors if f.name not in judgements.system_factors]
    if keep is not None and not isinstance(keep, Iterable):
        raise JudgementError(f"keep= must be a list of factors; found {shown(keep)}.")
    if keep is None:
        keep = [name for name in others if name in ("criterion", *judgements.moderator_names)]
    unknown = [name for name in keep if name not in others]
    if isinstance(keep, str) or unknown:
        raise JudgementError(
            f"keep= must be a list of factors among {some(others, most=12) or 'none'}; found "
            f"{keep!r}."
        )
    kept = [f for f in judgements.factors if f.name in (*judgements.system_factors, *keep)]
    columns = [*(f.codes for f in kept), judgements.answers]
    (*codes, answers), counts = _distinct(columns, judgements.counts)
    entry = AuditEntry(
        rule=f"equal outcomes counted by {', '.join(f.name for f in kept)}",
        rows_before=judgements.n_rows,
        rows_after=len(counts),
    )
    counted = [Factor(f.name, f.labels, code) for f, code in zip(kept, codes, strict=True)]
    return replace(
        judgements,
        factors=recoded(counted),
        answers=frozen_array(answers),
        counts=frozen_array(counts),
        moderator_names=tuple(name for name in judgements.moderator_names if name in keep),
        audit=(*judgements.audit, entry),
        repeats=judgements.repeats or "annotator" in keep,
        attributes={},
    )


def _distinct(
    columns: Sequence[np.ndarray], counts: np.ndarray
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the columns of every distinct combination of codes, sorted, and its count."""
    n_rows = len(counts)
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    if math.prod(sizes) <= _CELLS_A_ROW * n_rows:
        # A table with a place for every combination: no sorting, which takes most of the time. Rows
        # by blocks, for which memory is there already.
        total = np.zeros(math.prod(sizes))
        step = max(_BLOCK, total.size)
        for start in range(0, n_rows, step):
            rows = slice(start, start + step)
            key = columns[0][rows].astype(np.int64)
            for column, size in zip(columns[1:], sizes[1:], strict=True):
                key *= size
                key += column[rows]
            total += np.bincount(key, weights=counts[rows], minlength=total.size)
        used = np.flatnonzero(total)
        found = np.unravel_index(used, sizes)
        kinds = [column.dtype for column in columns]
        return (
            [codes.astype(kind) for codes, kind in zip(found, kinds, strict=True)],
            total[used].astype(np.int64),
        )
    order = np.lexsort(columns[::-1])
    new = np.ones(n_rows, dtype=bool)
    new[1:] = np.logical_or.reduce([np.diff(column[order]) != 0 for column in columns])
    start = np.flatnonzero(new)
    rows = order[start]
    return [column[rows] for column in columns], np.add.reduceat(counts[order], start)
