"""The one place where draws become an interval."""

import numpy as np

from bayeseval.settings import IntervalKind

# Sums of a few thousand shares of draws: below this, two probabilities are the same.
TOLERANCE = 1e-9


def interval(
    draws: np.ndarray, *, ci_prob: float, ci_kind: IntervalKind
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the interval over the first axis.

    Parameters
    ----------
    draws : numpy.ndarray
        Draws, shape (sample, …).
    ci_prob, ci_kind : float, str
        As `bayeseval.settings.resolve_ci` returned them.

    Returns
    -------
    tuple of numpy.ndarray
        Lower and upper end, of the remaining shape.
    """
    if ci_kind == "eti":
        tail = (1 - ci_prob) / 2
        lower, upper = np.quantile(draws, [tail, 1 - tail], axis=0)
        return lower, upper
    # Here, since ArviZ takes seconds to import and the default interval does not need it.
    from arviz_stats.base.array import BaseArray

    ends: np.ndarray = np.array(BaseArray().hdi(np.moveaxis(draws, 0, -1), prob=ci_prob, axis=-1))
    return ends[..., 0], ends[..., 1]


def rank_interval(
    distribution: np.ndarray, *, ci_prob: float, ci_kind: IntervalKind
) -> tuple[np.ndarray, np.ndarray]:
    """Compute an interval of whole ranks that holds at least the probability asked for.

    Equal-tailed: at most (1 − ci_prob)/2 lies on either side. Highest density: the fewest
    neighbouring ranks that hold ci_prob; among several, those that hold most.

    Parameters
    ----------
    distribution : numpy.ndarray
        Probability of the ranks 1 … n, shape (system, rank).
    ci_prob, ci_kind : float, str
        As `bayeseval.settings.resolve_ci` returned them.

    Returns
    -------
    tuple of numpy.ndarray
        Lower and upper rank by system, counted from 1.
    """
    below = np.concatenate([np.zeros((len(distribution), 1)), distribution.cumsum(axis=1)], axis=1)
    n_ranks = distribution.shape[1]
    if ci_kind == "eti":
        tail = (1 - ci_prob) / 2
        lower = (below <= tail + TOLERANCE).sum(axis=1)
        upper = (below < 1 - tail - TOLERANCE).sum(axis=1)
        return np.minimum(lower, upper), upper
    lower = np.empty(len(distribution), dtype=int)
    upper = np.empty(len(distribution), dtype=int)
    for system, cumulative in enumerate(below):
        for size in range(1, n_ranks + 1):
            held = cumulative[size:] - cumulative[:-size]
            start = int(held.argmax())
            if held[start] >= ci_prob - TOLERANCE:
                lower[system], upper[system] = start + 1, start + size
                break
    return lower, upper
