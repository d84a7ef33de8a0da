"""The classical side of `variation`: F ratios, Tukey's count, repeats, of any protocol."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from bayeseval._slices import Slice
from bayeseval._units import answers_by_unit, compact
from bayeseval.frequentist.tukey import square_within, tukey_differences
from bayeseval.judgements import Judgements

RATIO = ("F", "df1", "df2", "p")
_SIDES = ("system_a", "system_b")
# Fewer pairs of answers lie on a line, or nearly so, whatever they are.
_FEWEST = 3


def by_level(judgements: Judgements, piece: Slice, factor: str) -> list[np.ndarray]:
    """Return the answers of each level of a factor.

    Parameters
    ----------
    judgements : Judgements
        Any table.
    piece : Slice
        Rows of one criterion.
    factor : str
        ``"system"``, ``"item"`` or ``"annotator"``. An answer about two systems is one of each, for
        the one and against the other.

    Returns
    -------
    list of numpy.ndarray
        One array a level that occurs.
    """
    answers = judgements.in_favour()[piece.rows]
    if factor == "system" and judgements.is_paired:
        codes = np.concatenate([judgements.codes(side)[piece.rows] for side in _SIDES])
        answers = np.concatenate([answers, -answers])
    else:
        codes = judgements.codes(factor)[piece.rows]
    known = np.isfinite(answers)
    return [answers[known & (codes == code)] for code in np.unique(codes[known])]


def _within(groups: Sequence[np.ndarray]) -> tuple[float, int]:
    """Return the mean square within levels (NaN where there is none) and its degrees of freedom."""
    square, df = square_within(groups)
    # Rounding leaves a trace where all answers of a level are the same.
    scale = max((float(np.abs(group).max()) for group in groups), default=0.0)
    return (square if df > 0 and df * square > 1e-20 * scale**2 else np.nan), df


def f_ratio(groups: Sequence[np.ndarray]) -> dict[str, float]:
    """Compute the one-way analysis of variance.

    Parameters
    ----------
    groups : sequence of numpy.ndarray
        Answers by level.

    Returns
    -------
    dict of str to float
        ``F``, ``df1``, ``df2``, ``p``; NaN for one level, or where answers do not vary within
        levels.
    """
    from scipy.stats import f_oneway

    square, df = _within(groups)
    if len(groups) < 2 or np.isnan(square):
        return dict.fromkeys(RATIO, np.nan)
    tested = f_oneway(*groups)
    return dict(
        zip(
            RATIO, (float(tested.statistic), len(groups) - 1, df, float(tested.pvalue)), strict=True
        )
    )


def tukey_count(groups: Sequence[np.ndarray], prob: float) -> float:
    """Count the pairs of levels that Tukey's (Kramer's) test of level 1 − prob tells apart.

    Parameters
    ----------
    groups : sequence of numpy.ndarray
        Answers by level.
    prob : float
        Simultaneous probability of the intervals.

    Returns
    -------
    float
        Number of pairs; NaN where answers do not vary within levels.
    """
    from scipy.stats import studentized_range

    square, df = _within(groups)
    if len(groups) < 2 or np.isnan(square):
        return np.nan
    pairs = np.column_stack(np.triu_indices(len(groups), 1))
    difference, error = tukey_differences(groups, pairs, square)
    # One quantile, where a p value of every pair would be a double integral each.
    limit = studentized_range.ppf(prob, len(groups), df)
    return int((np.abs(difference) > limit * error).sum())


def repeats(judgements: Judgements, piece: Slice) -> pd.DataFrame:
    """Find every two answers of one annotator to one question.

    Parameters
    ----------
    judgements : Judgements
        Any table.
    piece : Slice
        Rows of one criterion.

    Returns
    -------
    pandas.DataFrame
        ``annotator``, ``question`` (a number for annotator and question), ``one`` and
        ``other`` answer. A pair in either order is one question.
    """
    columns = ["annotator", "question", "one", "other"]
    if not judgements.has("annotator"):
        return pd.DataFrame(columns=columns, dtype=float)
    answers, unit = judgements.in_favour(), answers_by_unit(judgements)[1]
    if judgements.is_paired:
        # In either order it is one question.
        a, b = (judgements.codes(side) for side in _SIDES)
        answers = np.where(a < b, answers, -answers)
    rows = piece.rows[np.isfinite(answers[piece.rows])]
    question, _ = compact([judgements.codes("annotator")[rows], unit[rows]])
    rows, question = rows[np.argsort(question, kind="stable")], np.sort(question)
    starts = np.flatnonzero(np.diff(question, prepend=-1))
    found = [np.empty((0, 3), dtype=int)]
    for start, size in zip(starts, np.diff(starts, append=len(rows)), strict=True):
        if size > 1:
            one, other = np.triu_indices(size, 1)
            found.append(np.stack([np.full(len(one), start), start + one, start + other], axis=1))
    start, one, other = np.concatenate(found).T
    return pd.DataFrame(
        {
            "annotator": np.array(judgements.labels("annotator"), dtype=object)[
                judgements.codes("annotator")[rows[start]]
            ],
            "question": start,
            "one": answers[rows[one]],
            "other": answers[rows[other]],
        }
    )


def consistency(pairs: pd.DataFrame, centre: float | None = None) -> dict[str, float]:
    """Say how alike answers to one question are.

    Parameters
    ----------
    pairs : pandas.DataFrame
        As `repeats` returned it.
    centre : float, optional
        The mean of answers where it is known beforehand; computed where left out.

    Returns
    -------
    dict of str to float
        ``n_repeats``, ``mean_difference`` (absolute) and ``correlation`` (intraclass).
    """
    if not len(pairs):
        return {"n_repeats": 0, "mean_difference": np.nan, "correlation": np.nan}
    one, other = pairs["one"].to_numpy(), pairs["other"].to_numpy()
    # m answers to a question are m(m − 1)/2 pairs.
    size = pairs.groupby("question").size().to_numpy()
    n_repeats = ((1 + np.sqrt(1 + 8 * size)) / 2 - 1).round().astype(int).sum()
    # Neither answer is the first: each pair is taken both ways round. Of comparisons neither system
    # is the first either, so that the mean over both ways is no preference.
    middle = np.concatenate([one, other]).mean() if centre is None else centre
    one, other = one - middle, other - middle
    square = (one**2 + other**2).mean() / 2
    return {
        "n_repeats": int(n_repeats),
        "mean_difference": float(np.abs(one - other).mean()),
        "correlation": float((one * other).mean() / square)
        if len(pairs) >= _FEWEST and square > 0
        else np.nan,
    }
