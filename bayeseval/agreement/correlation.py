"""Correlations between criteria: of unit means, and judgement by judgement."""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from bayeseval._checks import some
from bayeseval._records import Record, Shown
from bayeseval._slices import slices
from bayeseval._units import answers_by_unit, compact
from bayeseval.errors import DesignError
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci

type Method = Literal["spearman", "pearson", "kendall"]


@takes_judgements
def criteria_correlation(
    judgements: Judgements,
    *,
    method: Method = "spearman",
    unit: Sequence[str] | None = None,
    rows: Literal["auto", "annotator", "slot"] = "auto",
    ci_prob: float | None = None,
) -> Record:
    """Correlate the criteria with one another, pair by pair.

    Parameters
    ----------
    judgements : Judgements
        Judgements with at least two criteria.
    method : {"spearman", "pearson", "kendall"}
        The coefficient.
    unit : sequence of str, optional
        Factors that say what was judged, as in `krippendorff_alpha`.
    rows : {"auto", "annotator", "slot"}
        How judgements are matched for the correlation row by row: the same annotator's two answers
        about one unit; or, for exports without identities and criteria that different people
        judged, the r-th answer about a unit under one criterion with the r-th under the other.
        Slots of different people only measure what the units have in common.
    ci_prob : float, optional
        Probability of the interval; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    Record
        Two rows a pair of criteria, with the columns ``criterion_a``, ``criterion_b``, ``of``
        ("unit means" or "row by row"), ``n``, ``correlation``, ``lower``, ``upper`` (Fisher's z,
        with Bonett and Wright's variance for ranks; too narrow row by row, where judgements of one
        unit or annotator depend on each other), ``p`` (of no correlation) and ``note``. Where one
        criterion is the same everywhere, or fewer than three matches exist, it is NaN and the
        note says so.

    Raises
    ------
    DesignError
        If there are fewer than two criteria.

    References
    ----------
    Bonett, D. G., & Wright, T. A. (2000). Sample size requirements for estimating Pearson, Kendall
    and Spearman correlations. Psychometrika 65, 23–28. https://doi.org/10.1007/BF02294183
    """
    import pandas as pd

    if method not in ("spearman", "pearson", "kendall"):
        raise DesignError(f"method must be 'spearman', 'pearson' or 'kendall'; got {method!r}")
    if rows not in ("auto", "annotator", "slot"):
        raise DesignError(f"rows must be 'auto', 'annotator' or 'slot'; got {rows!r}")
    if rows == "annotator" and judgements.annotators is None:
        raise DesignError("rows='annotator' needs identities, which this export has not.")
    criteria = judgements.criteria or ()
    if len(criteria) < 2:
        raise DesignError(
            "a correlation between criteria needs at least two; these judgements have "
            f"{some(criteria) or 'none'}."
        )
    prob, _ = resolve_ci(ci_prob)
    by_person = judgements.annotators is not None and rows != "slot"
    values, codes, _, factors = answers_by_unit(judgements, unit)
    if by_person:
        row_codes, _ = compact([codes, judgements.codes("annotator")])
    else:
        row_codes = codes
    means, singles = {}, {}
    for piece in slices(judgements):
        given = values[piece.rows]
        means[piece.criterion] = _mean_by(codes[piece.rows], given)
        cells = row_codes[piece.rows]
        if not by_person:
            # One number for unit and slot, the same in every criterion.
            cells = cells * (judgements.n_judgements + 1) + _slot(cells)
        singles[piece.criterion] = _mean_by(cells, given)
    found = [
        {
            "criterion_a": a,
            "criterion_b": b,
            "of": of,
            **_correlation(table[a], table[b], method, prob),
        }
        for a, b in combinations(criteria, 2)
        for of, table in (("unit means", means), ("row by row", singles))
    ]
    matched = "of the same annotator" if by_person else "in the order of the table"
    table = pd.DataFrame(found)
    return Record(
        table=table,
        title=f"Correlation between criteria ({method.capitalize()})",
        notes=(
            (
                f"Unit: {' × '.join(factors)}. Row by row: judgements {matched} about one unit are "
                f"matched. Interval: {100 * prob:.10g} %, Fisher's z."
            ),
            *dict.fromkeys(note for note in table["note"] if note),
        ),
        shown=(
            Shown("criterion_a", "criterion", "label"),
            Shown("criterion_b", "and", "label"),
            Shown("of", "of", "text"),
            Shown("n", "n", "count"),
            Shown("correlation", "correlation"),
            Shown(("lower", "upper"), "interval"),
            Shown("p", "p", "p"),
        ),
    )


def _slot(codes: np.ndarray) -> np.ndarray:
    order = np.argsort(codes, kind="stable")
    size = np.unique(codes, return_counts=True)[1]
    slot = np.empty(len(codes), dtype=np.int64)
    slot[order] = np.arange(len(codes)) - np.repeat(np.cumsum(size) - size, size)
    return slot


def _mean_by(codes: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    keys, position = np.unique(codes, return_inverse=True)
    return keys, np.bincount(position, weights=values) / np.bincount(position)


def _correlation(
    first: tuple[np.ndarray, np.ndarray],
    second: tuple[np.ndarray, np.ndarray],
    method: Method,
    prob: float,
) -> dict[str, object]:
    from scipy import stats

    _, left, right = np.intersect1d(first[0], second[0], return_indices=True)
    x, y = first[1][left], second[1][right]
    n = len(x)
    undefined = {
        "n": n,
        "correlation": np.nan,
        "lower": np.nan,
        "upper": np.nan,
        "p": np.nan,
    }
    if n < 3:
        return {**undefined, "note": f"Only {n} matches of two criteria: no correlation."}
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return {
            **undefined,
            "note": "A criterion whose answers are all the same has no correlation.",
        }
    function = {
        "spearman": stats.spearmanr,
        "pearson": stats.pearsonr,
        "kendall": stats.kendalltau,
    }[method]
    result = function(x, y)
    r = float(result.statistic)
    variance = {"spearman": 1 + r**2 / 2, "pearson": 1.0, "kendall": 0.437}[method]
    room = n - (4 if method == "kendall" else 3)
    lower, upper = np.nan, np.nan
    if room > 0 and abs(r) < 1:
        half = stats.norm.ppf(0.5 + prob / 2) * np.sqrt(variance / room)
        lower, upper = np.tanh(np.arctanh(r) + np.array([-half, half]))
    return {
        "n": n,
        "correlation": r,
        "lower": float(lower),
        "upper": float(upper),
        "p": float(result.pvalue),
        "note": ""
        if np.isfinite(lower)
        else f"No interval from {n} matches with correlation {r:g}.",
    }
