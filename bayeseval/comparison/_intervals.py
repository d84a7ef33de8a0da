"""The one place where draws become an interval."""

import numpy as np

from bayeseval.settings import IntervalKind

# Sums of a few thousand shares of draws: below this, two probabilities are the same.
TOLERANCE = 1e-9
# Draws that are copied and sorted at a time: 32 MB, which a processor's caches and memory bear.
MOST_VALUES = 4_000_000


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
    n_draws, shape = len(draws), draws.shape[1:]
    columns = draws.reshape(n_draws, -1)
    lower, upper = np.empty(columns.shape[1]), np.empty(columns.shape[1])
    ends = _equal_tailed if ci_kind == "eti" else _highest_density
    block = max(1, MOST_VALUES // n_draws)
    for start in range(0, columns.shape[1], block):
        here = slice(start, start + block)
        # NumPy sorts draws that lie side by side many times faster than it finds quantiles.
        ordered = np.array(columns[:, here].T, order="C")
        ordered.sort(axis=1)
        lower[here], upper[here] = ends(ordered, ci_prob)
        # A missing number is sorted to the end.
        unknown = np.isnan(ordered[:, -1])
        lower[here][unknown] = upper[here][unknown] = np.nan
    return lower.reshape(shape), upper.reshape(shape)


def _equal_tailed(ordered: np.ndarray, ci_prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Interpolate between neighbouring draws, as `numpy.quantile` does by default."""
    last = ordered.shape[1] - 1
    ends = []
    for level in ((1 - ci_prob) / 2, (1 + ci_prob) / 2):
        below = min(int(level * last), last)
        above = min(below + 1, last)
        step = ordered[:, above] - ordered[:, below]
        ends.append(ordered[:, below] + (level * last - below) * step)
    return ends[0], ends[1]


def _highest_density(ordered: np.ndarray, ci_prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Take the shortest stretch that holds the share, as ArviZ's ``hdi`` does, all rows at once."""
    n_draws = ordered.shape[1]
    held = min(int(np.floor(ci_prob * n_draws)), n_draws - 1)
    start = np.argmin(ordered[:, held:] - ordered[:, : n_draws - held], axis=1)
    row = np.arange(len(ordered))
    return ordered[row, start], ordered[row, start + held]


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
