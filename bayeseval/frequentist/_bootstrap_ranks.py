"""What resampled scores say: intervals, ranks, differences, clusters."""

import numpy as np
import pandas as pd


def ranked(
    estimate: np.ndarray,
    draws: np.ndarray,
    systems: list[str],
    prob: float,
    alpha: float,
    alone: np.ndarray,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    from scipy.stats import rankdata

    # Stable, so that exact ties keep the natural order of labels.
    order = np.argsort(-estimate, kind="stable")
    tail = (1 - prob) / 2
    ends = np.quantile(draws, [tail, 1 - tail], axis=0)
    ends[:, np.ptp(ends, axis=0) <= 1e-12 * np.abs(ends).max(axis=0)] = np.nan
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
    better = np.full((n, n), 0.5)
    rows = []
    for i in range(n):
        for j in range(i + 1, n):
            a, b = order[i], order[j]
            difference = draws[:, a] - draws[:, b]
            # Means of the same answers in another order differ in the last bits.
            tie = np.abs(difference) <= 1e-12
            share = float(((difference > 0) & ~tie).mean() + tie.mean() / 2)
            low, high = np.quantile(difference, [tail, 1 - tail])
            if high - low <= 1e-12:
                low = high = np.nan
            if alone[a] or alone[b]:
                low = high = share = float("nan")
            better[i, j] = share
            rows.append(
                {
                    "system_a": systems[a],
                    "system_b": systems[b],
                    "estimate": float(estimate[a] - estimate[b]),
                    "lower": float(low),
                    "upper": float(high),
                    "p_a_better": share,
                    "p": 1 - share,
                }
            )
    cluster, clusters = 1, [1]
    for cut in range(1, n):
        cluster += int((better[:cut, cut:] >= 1 - alpha).all())
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
