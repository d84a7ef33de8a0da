"""Tukey's pairs: every two levels of a factor, with the error held over all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from bayeseval._records import Record, Shown, split
from bayeseval._slices import slices, strata
from bayeseval._units import answers_about, both_sides
from bayeseval.errors import DesignError
from bayeseval.frequentist._corrections import checked_alpha, verdicts
from bayeseval.frequentist._mixed import additive
from bayeseval.frequentist.means import notes_on_means
from bayeseval.frequentist.variance import DEPENDENT
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci

# Pairs whose p is computed one by one; more are read from a curve through as many points.
MOST_EXACT = 100


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TukeyPairs(Record):
    """Tukey's pairs, and how many of them differ.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`.
    n_significant, n_pairs : int
        Pairs that differ at the level, and all pairs.
    """

    n_significant: int
    n_pairs: int

    @property
    def count(self) -> str:
        """The number of significant pairs out of all, as papers print it: "19/45"."""
        return f"{self.n_significant}/{self.n_pairs}"


@takes_judgements
def tukey(
    judgements: Judgements,
    factor: str = "system",
    *,
    by: str | None = None,
    alpha: float = 0.05,
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> TukeyPairs:
    """Compare every two levels of a factor by Tukey's honestly significant difference.

    Unequal numbers are allowed for (Tukey–Kramer). All judgements are taken as independent. Where
    there are moderators, means are adjusted for their levels.

    Parameters
    ----------
    judgements : Judgements
        Ratings, magnitudes, or strengths of preference, which count for both of their systems as in
        `anova`.
    factor : str
        Factor whose levels are compared.
    by : str, optional
        A factor to give one result a level of, such as a moderator.
    alpha : float
        Level of significance, for all pairs of one criterion together.
    criterion : str, optional
        Criterion; each in turn where left out.
    ci_prob : float, optional
        Simultaneous probability of the intervals; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    TukeyPairs
        One row two levels, with the columns ``criterion`` (only where there are criteria),
        ``system_a``, ``system_b`` (or ``<factor>_a``, ``<factor>_b``), ``n_a``, ``n_b``,
        ``mean_a``, ``mean_b``, ``estimate`` = A − B, ``lower``, ``upper`` (simultaneous),
        ``p_corrected`` (adjusted for all pairs) and ``verdict``. ``n_significant``, ``n_pairs``
        and ``count`` say how many pairs differ. Where nothing varies within levels p is NaN.

    Raises
    ------
    DesignError
        If the factor has one level, or a level has one judgement only.
    """
    alpha = checked_alpha(alpha)
    prob, _ = resolve_ci(ci_prob)
    within, names = strata(judgements, factor, by, "system")
    labels = judgements.systems if factor == "system" else judgements.labels(factor)
    frames = []
    for piece in slices(judgements, criterion, by):
        answers = answers_about(judgements, piece.rows, factor, what="tukey")
        given, codes = answers.values, answers.level
        if within is not None:
            given = _adjusted(given, codes, within[answers.rows], factor)
        levels = np.unique(codes)
        groups = [given[codes == level] for level in levels]
        if len(levels) < 2 or min(map(len, groups)) < 2:
            raise DesignError(
                f"Tukey's test needs at least two levels of {factor!r} with two judgements or "
                f"more each{piece.where}."
            )
        pairs = list(combinations(range(len(levels)), 2))
        frame = pd.DataFrame(
            [
                {
                    **piece.key,
                    f"{factor}_a": labels[levels[a]],
                    f"{factor}_b": labels[levels[b]],
                    "n_a": len(groups[a]),
                    "n_b": len(groups[b]),
                    "mean_a": float(groups[a].mean()),
                    "mean_b": float(groups[b].mean()),
                    "estimate": float(groups[a].mean() - groups[b].mean()),
                }
                for a, b in pairs
            ]
        )
        lower, upper, p = _tukey_kramer(groups, np.array(pairs), prob)
        frames.append(frame.assign(lower=lower, upper=upper, p_corrected=p))
    table = pd.concat(frames, ignore_index=True)
    table["verdict"] = verdicts(
        table["estimate"].to_numpy(), table["p_corrected"].to_numpy(), alpha, neutral=0.0
    )
    n_significant = int((table["p_corrected"] < alpha).sum())
    return TukeyPairs(
        table=table,
        title=f"Tukey's pairs: {n_significant}/{len(table)} differ",
        notes=(
            (
                f"Interval and p hold for all pairs of one criterion together ({100 * prob:.10g} "
                f"%); verdict at {alpha:g}."
            ),
            *([f"Means are adjusted for the levels of {names}."] if within is not None else []),
            *(
                both_sides(judgements, DEPENDENT)
                if judgements.is_paired and factor == "system"
                else ()
            ),
            *notes_on_means(judgements),
            *(
                ["Answers do not vary within the levels compared: no interval and no test."]
                if table["p_corrected"].isna().any()
                else []
            ),
        ),
        shown=(
            *split(by),
            Shown(f"{factor}_a", "A", "label"),
            Shown(f"{factor}_b", "B", "label"),
            Shown("estimate", "A − B"),
            Shown(("lower", "upper"), "interval"),
            Shown("p_corrected", "p", "p"),
            Shown("verdict", "verdict", "text"),
        ),
        n_significant=n_significant,
        n_pairs=len(table),
    )


def _adjusted(
    values: np.ndarray, codes: np.ndarray, stratum: np.ndarray, factor: str
) -> np.ndarray:
    """Take the strata's effects, of the model factor + stratum, from the answers."""
    design = additive(np.unique(codes, return_inverse=True)[1], stratum, factor=factor)
    n_levels = len(np.unique(codes))
    effects = np.linalg.lstsq(design, values, rcond=None)[0][n_levels:]
    shift = design[:, n_levels:] @ effects
    return values - shift + shift.mean()


def square_within(groups: Sequence[np.ndarray]) -> tuple[float, int]:
    """Return the mean square within groups and its degrees of freedom; NaN where there are none."""
    df = sum(map(len, groups)) - len(groups)
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    return (squares / df if df > 0 else np.nan), df


def tukey_differences(
    groups: Sequence[np.ndarray], pairs: np.ndarray, square: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the differences of means of pairs (pair, 2), and what the studentised range scales.

    ``square`` is that of :func:`square_within`.
    """
    mean = np.array([group.mean() for group in groups])
    per = np.array([1 / len(group) for group in groups])
    first, second = pairs.T
    return mean[first] - mean[second], np.sqrt(square / 2 * (per[first] + per[second]))


def _tukey_kramer(
    groups: list[np.ndarray], pairs: np.ndarray, prob: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ends of the simultaneous intervals and the adjusted p values of the pairs."""
    from scipy.interpolate import PchipInterpolator
    from scipy.stats import studentized_range

    square, df = square_within(groups)
    if square <= 0:
        nothing = np.full(len(pairs), np.nan)
        return nothing, nothing, nothing
    k = len(groups)
    difference, error = tukey_differences(groups, pairs, square)
    q = np.abs(difference) / error
    if len(q) <= MOST_EXACT:
        p = studentized_range.sf(q, k, df)
    else:
        # Each value is a double integral: of many pairs, read from a curve through 100 points.
        grid = np.linspace(0, max(float(q.max()), 1.0), MOST_EXACT)
        curve = np.log(np.maximum(studentized_range.sf(grid, k, df), 1e-14))
        p = np.exp(PchipInterpolator(grid, curve)(q))
    half = float(studentized_range.ppf(prob, k, df)) * error
    return difference - half, difference + half, np.clip(p, 0, 1)
