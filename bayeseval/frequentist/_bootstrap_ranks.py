"""What resampled scores say: intervals, ranks, differences, clusters."""

import numpy as np
import pandas as pd


def expanded(n_units: np.ndarray, tail: float) -> np.ndarray:
    """Return the tails whose quantiles of resampled means of so many units are Student's t."""
    from scipy.stats import norm, t

    n = np.maximum(n_units, 2.0)
    return norm.sf(np.sqrt(n / (n - 1)) * t.isf(tail, n - 1))


def interval(
    draws: np.ndarray, centre: float, n: float, tail: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the ends of an interval of resampled scores, or of their differences.

    No resample of n units goes beyond the n, and the farthest one has a chance of n^-n. Where the
    widened tail is smaller, Student's t takes the bootstrap's standard error instead (Hesterberg
    2015), within the bounds of what is possible.
    """
    from scipy.stats import t

    wide = float(expanded(np.array([n]), tail)[0])
    if np.ptp(draws) <= 1e-12 * np.abs(draws).max():
        return float("nan"), float("nan")
    if n < 2 or wide >= n**-n:
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
    from scipy.stats import rankdata

    # Stable, so that exact ties keep the natural order of labels.
    order = np.argsort(-estimate, kind="stable")
    tail = (1 - prob) / 2
    ends = np.array(
        [
            interval(draws[:, k], float(estimate[k]), float(n_units[k]), tail, bounds)
            for k in range(draws.shape[1])
        ]
    ).T
    # A system that cannot be resampled may stand above or below any other.
    ranks = np.full(ends.shape, np.nan)
    if not alone.all():
        ranks[:, ~alone] = np.quantile(
            rankdata(-draws[:, ~alone], axis=1, method="min"),
            [tail, 1 - tail],
            axis=0,
            method="nearest",
        )
        ranks[1] += alone.sum()
    n = len(systems)
    surely = np.zeros((n, n), dtype=bool)
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
            surely[i, j] = p <= alpha
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
        cluster += int(surely[:cut, cut:].all())
        clusters.append(cluster)
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
