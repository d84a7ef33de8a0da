"""What resampled scores say: intervals, ranks, differences, clusters."""

import numpy as np
import pandas as pd


def expanded(n_units: np.ndarray, tail: float) -> np.ndarray:
    """Return the tails whose quantiles of resampled means of so many units are Student's t."""
    from scipy.stats import norm, t

    n = np.maximum(n_units, 2.0)
    return norm.sf(np.sqrt(n / (n - 1)) * t.isf(tail, n - 1))


def _tail_of_resamples(n: float, tail: float) -> float | None:
    """Return the widened tail of n units; None where no resample is as far out.

    The farthest resample has a chance of n^-n. One unit has no resamples that differ.
    """
    wide = float(expanded(np.array([n]), tail)[0])
    return wide if n < 2 or wide >= n**-n else None


def interval(
    draws: np.ndarray, centre: float, n: float, tail: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the ends of an interval of resampled scores, or of their differences.

    No resample of n units goes beyond the n, and the farthest one has a chance of n^-n. Where the
    widened tail is smaller, Student's t takes the bootstrap's standard error instead (Hesterberg
    2015), within the bounds of what is possible.
    """
    from scipy.stats import t

    if np.ptp(draws) <= 1e-12 * np.abs(draws).max():
        return float("nan"), float("nan")
    wide = _tail_of_resamples(n, tail)
    if wide is not None:
        low, high = np.quantile(draws, [wide, 1 - wide])
        return float(low), float(high)
    half = float(t.isf(tail, n - 1)) * float(draws.std()) * np.sqrt(n / (n - 1))
    return max(centre - half, bounds[0]), min(centre + half, bounds[1])


def one_sided(share: float, n: float) -> float:
    """Return p of the share of resamples in which a difference of so many units is above 0."""
    from scipy.stats import norm, t

    if n < 2:
        return float("nan")
    p = float(t.sf(norm.ppf(share) * np.sqrt((n - 1) / n), n - 1))
    return min(max(p, 0.5**n), 1 - 0.5**n)


def ranked(
    estimate: np.ndarray,
    draws: np.ndarray,
    systems: list[str],
    prob: float,
    alpha: float,
    alone: np.ndarray,
    n_units: np.ndarray,
    bounds: tuple[float, float],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the table of systems and that of pairs.

    A percentile interval of n units is too narrow by the root of (n - 1) / n and by what a normal
    is narrower than Student's t; its ends are taken farther out in the tails (Hesterberg 2015,
    doi:10.1080/00031305.2015.1089789), and p likewise. No p of n units is below 2^-n, what any
    change of their signs leaves.
    """
    # Stable, so that exact ties keep the natural order of labels.
    order = np.argsort(-estimate, kind="stable")
    tail = (1 - prob) / 2
    ends = np.array(
        [
            interval(draws[:, k], float(estimate[k]), float(n_units[k]), tail, bounds)
            for k in range(draws.shape[1])
        ]
    ).T
    n = len(systems)
    p_better = np.full((n, n), np.nan)
    rows = []
    for i in range(n):
        for j in range(i + 1, n):
            a, b = order[i], order[j]
            difference = draws[:, a] - draws[:, b]
            # Means of the same answers in another order differ in the last bits.
            tie = np.abs(difference) <= 1e-12
            share = float(((difference > 0) & ~tie).mean() + tie.mean() / 2)
            units = float(min(n_units[a], n_units[b]))
            far = bounds[1] - bounds[0]
            low, high = interval(
                difference, float(estimate[a] - estimate[b]), units, tail, (-far, far)
            )
            p = one_sided(share, units)
            if high - low <= 1e-12:
                low = high = np.nan
            if alone[a] or alone[b]:
                low = high = share = p = float("nan")
            # One minus the share of resamples in which the first is above, of few units more.
            p_better[a, b], p_better[b, a] = p, 1.0 - p
            rows.append(
                {
                    "system_a": systems[a],
                    "system_b": systems[b],
                    "estimate": float(estimate[a] - estimate[b]),
                    "lower": float(low),
                    "upper": float(high),
                    "p_a_better": share,
                    "p": p,
                }
            )
    cluster, clusters = 1, [1]
    for cut in range(1, n):
        cluster += int((p_better[np.ix_(order[:cut], order[cut:])] <= alpha).all())
        clusters.append(cluster)
    ranks = _rank_ends(draws, p_better, tail, alone, n_units)
    # Equal scores have one rank, the smaller, as they have in every resample.
    scores = estimate[order]
    new = np.concatenate([[True], scores[:-1] - scores[1:] > 1e-12 * np.abs(scores[:-1])])
    table = pd.DataFrame(
        {
            "cluster": clusters,
            "position": np.maximum.accumulate(np.where(new, np.arange(1, n + 1), 1)),
            "system": [systems[code] for code in order],
            "score": estimate[order],
            "lower": ends[0][order],
            "upper": ends[1][order],
            "rank_lower": pd.array(ranks[0][order]).astype("Int64"),
            "rank_upper": pd.array(ranks[1][order]).astype("Int64"),
        }
    )
    return table, pd.DataFrame(rows)


def _rank_ends(
    draws: np.ndarray,
    p_better: np.ndarray,
    tail: float,
    alone: np.ndarray,
    n_units: np.ndarray,
) -> np.ndarray:
    """Return the ends of the intervals of ranks, one row an end.

    They are quantiles of ranks in resamples, as far out as those of scores. Where no resample is as
    far out, a rank is what the others leave of which it is not certain on which side they stand:
    three annotators who all prefer A do not make its rank certain.
    """
    from scipy.stats import rankdata

    ranks = np.full((2, draws.shape[1]), np.nan)
    if alone.all():
        return ranks
    in_resamples = rankdata(-draws[:, ~alone], axis=1, method="min")
    for at, k in enumerate(np.flatnonzero(~alone)):
        wide = _tail_of_resamples(float(n_units[k]), tail)
        if wide is not None:
            ranks[:, k] = np.quantile(in_resamples[:, at], [wide, 1 - wide], method="nearest")
        else:
            ranks[0, k] = 1 + (p_better[~alone, k] <= tail).sum()
            ranks[1, k] = (~alone).sum() - (p_better[k, ~alone] <= tail).sum()
    # A system that cannot be resampled may stand above or below any other.
    ranks[1] += alone.sum()
    return ranks
