"""Exact draws of a variance given the effects that it scales.

With v = v₀ e^u, v₀ the highest point of the density of log v, what is drawn is u with log density

    ψ(u) = -a g(-u) - b g(u),    g(u) = e^u - 1 - u,

which is concave and highest at 0. A flat piece around 0 and the tangents at two points where ψ is
near -1 lie above it, so that most of what is drawn from under them can be kept (Devroye 2014,
Statistics and Computing 24, doi:10.1007/s11222-012-9367-z, for the generalised inverse Gaussian
distribution, which this is).
"""

import numpy as np

from bayeseval.families._declaration import FloatArray

_NEWTON_STEPS = 5


def _curved(u: FloatArray) -> FloatArray:
    return np.expm1(u) - u


def _tangent(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a point t > 0 where a g(-t) + b g(t) is about 1, the value and the slope there.

    The tangent of a concave function is above it wherever it touches, so nothing hangs on t but
    how many draws are kept.
    """
    with np.errstate(divide="ignore"):
        # Right of the second the sum is above 1 in any case.
        t = np.minimum(np.sqrt(2.0 / (a + b)), 1.0 + np.log1p(2.0 / b))
    for _ in range(_NEWTON_STEPS):
        value = a * _curved(-t) + b * _curved(t)
        slope = b * np.expm1(t) - a * np.expm1(-t)
        t = t - (value - 1.0) / slope
    return t, a * _curved(-t) + b * _curved(t), b * np.expm1(t) - a * np.expm1(-t)


def log_concave_draws(a: FloatArray, b: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw u for every pair of coefficients.

    Parameters
    ----------
    a, b
        Not negative, at least one above zero, dims (draw,).
    rng
        Source of the draws.
    """
    right, value, slope = _tangent(a, b)
    left, value_left, slope_left = _tangent(b, a)
    # Where the tangents reach the height of ψ at 0.
    end, end_left = right - value / slope, left - value_left / slope_left
    flat, tail, tail_left = end + end_left, 1.0 / slope, 1.0 / slope_left
    whole = flat + tail + tail_left
    found = np.empty(a.size)
    missing = np.arange(a.size)
    while missing.size:
        at = missing
        place = rng.random(at.size) * whole[at]
        beyond = rng.standard_exponential(at.size)
        height = -rng.standard_exponential(at.size)
        in_tail = place < tail[at]
        in_left = place >= tail[at] + flat[at]
        u = place - tail[at] - end_left[at]
        u = np.where(in_tail, end[at] + beyond * tail[at], u)
        u = np.where(in_left, -end_left[at] - beyond * tail_left[at], u)
        height -= np.where(in_tail | in_left, beyond, 0.0)
        found[at] = u
        missing = at[height > -a[at] * _curved(-u) - b[at] * _curved(u)]
    return found
