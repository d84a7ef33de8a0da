"""Importance weights, their largest smoothed by a generalised Pareto distribution.

Vehtari, Simpson, Gelman, Yao & Gabry (2024), JMLR 25(72). ArviZ computes the same, and tests hold
the two against each other; importing it would take longer than a million comparisons.
"""

import math

import numpy as np

from bayeseval.families._declaration import FloatArray

_PRIOR_K, _PRIOR_WEIGHT = 0.5, 10.0
_QUARTILES = 3.0
_LEAST_TAIL = 5


def smoothed(log_ratio: FloatArray) -> tuple[float, FloatArray]:
    """Return the Pareto shape of the largest weights, and smoothed weights that sum to one.

    Parameters
    ----------
    log_ratio
        Logarithms of the weights up to a constant, dims (draw,).

    Returns
    -------
    k
        The shape; infinite where a weight is no number, not a number where there are too few
        weights or their tail is nothing like a Pareto distribution's.
    weight
        Dims (draw,).
    """
    n = log_ratio.size
    if not np.isfinite(log_ratio).all():
        return math.inf, np.full(n, 1.0 / n)
    weight = np.exp(log_ratio - log_ratio.max())
    n_tail = math.floor(min(0.2 * n, 3.0 * math.sqrt(n)))
    if n_tail < _LEAST_TAIL:
        return math.nan, weight / weight.sum()
    order = np.argsort(weight, kind="stable")
    tail = order[-n_tail:]
    cutoff = weight[order[-n_tail - 1]]
    k, scale = pareto_fit(weight[tail] - cutoff)
    if math.isfinite(k):
        middle = (np.arange(n_tail) + 0.5) / n_tail
        weight[tail] = np.minimum(cutoff + pareto_quantile(middle, k, scale), 1.0)
    return k, weight / weight.sum()


def pareto_fit(excess: FloatArray) -> tuple[float, float]:
    """Estimate shape and scale of a generalised Pareto distribution.

    The mean of -θ = k / scale over its profile likelihood, on a grid that covers it (Zhang &
    Stephens 2009, doi:10.1198/tech.2009.08017); k is drawn towards ½ as if by ten further values.

    Parameters
    ----------
    excess
        What values exceed the cut-off by, in ascending order.
    """
    n = excess.size
    quartile = excess[max(0, math.floor(n / 4 + 0.5) - 1)]
    if not quartile > excess[0]:
        return math.nan, math.nan
    n_points = 30 + math.isqrt(n)
    step = np.sqrt(n_points / (np.arange(n_points) + 0.5))
    theta = 1.0 / excess[-1] + (1.0 - step) / (_QUARTILES * quartile)
    k = np.log1p(-np.multiply.outer(theta, excess)).mean(axis=1)
    log_profile = n * (np.log(-theta / k) - k - 1.0)
    share = np.exp(log_profile - log_profile.max())
    mean = float((share * theta).sum() / share.sum())
    found = float(np.log1p(-mean * excess).mean())
    drawn = (n * found + _PRIOR_WEIGHT * _PRIOR_K) / (n + _PRIOR_WEIGHT)
    return drawn, -found / mean


def pareto_quantile(probability: FloatArray, k: float, scale: float) -> FloatArray:
    """Return quantiles of a generalised Pareto distribution above zero."""
    upper = -np.log1p(-probability)
    return scale * (upper if k == 0.0 else np.expm1(k * upper) / k)
