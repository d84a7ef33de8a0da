"""TrueSkill's update of two systems after a comparison, compiled, for any order of comparisons.

What the package trueskill iterates over its factor graph is, for two players, one closed form
(Herbrich, Minka & Graepel 2007, equations 1 to 4). Here it is written so that far tails keep their
digits: a difference of performances is normal with variance c² = σa² + σb² + 2β², and the outcome
cuts it, above the margin for a win, within the margins for a tie.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math

import numba

from bayeseval.families._declaration import FloatArray, IntArray

_SQRT_2 = math.sqrt(2.0)
_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_FAR = 10.0
_NARROW = 1e-5
TIE = 2


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _mills(z: float) -> float:
    """Return (1 - Φ(z))/φ(z)."""
    if z < _FAR:
        return 0.5 * math.erfc(z / _SQRT_2) * math.exp(0.5 * z * z + _LOG_SQRT_2PI)
    return 1.0 / (z + _beyond(z))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _beyond(z: float) -> float:
    """Return φ(z)/(1 - Φ(z)) - z for large z: Laplace's continued fraction without its lead."""
    tail = z
    for k in range(20, 1, -1):
        tail = z + k / tail
    return 1.0 / tail


@numba.njit(cache=True, nogil=True, error_model="numpy")
def win_moments(t: float, margin: float) -> tuple[float, float]:
    """Return how far a win moves the standardised difference, and which share of its variance goes.

    Parameters
    ----------
    t
        Mean of the difference, winner minus loser, in its standard deviations.
    margin
        Margin of a tie in the same unit.
    """
    x = t - margin
    if x > -_FAR:
        v = 1.0 / _mills(-x) if x < 0.0 else _normal(x) / (1.0 - 0.5 * math.erfc(x / _SQRT_2))
        return v, v * (v + x)
    beyond = _beyond(-x)
    return beyond - x, (beyond - x) * beyond


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _normal(x: float) -> float:
    return math.exp(-0.5 * x * x - _LOG_SQRT_2PI)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def tie_moments(t: float, margin: float) -> tuple[float, float]:
    """Return the same for a tie: the difference lies between the margins."""
    size = abs(t)
    sign = -1.0 if t > 0.0 else 1.0
    if margin * (1.0 + size) < _NARROW:
        # A narrow interval is nearly uniform.
        third = margin * margin / 3.0
        return sign * size * (1.0 - third), 1.0 - third
    near, far = size - margin, size + margin
    if near > 0.0:
        # Everything in units of the density at the nearer end, so that nothing underflows.
        ratio = math.exp(-2.0 * size * margin)
        mass = _mills(near) - _mills(far) * ratio
        v = (1.0 - ratio) / mass
        w = v * v + (far * ratio - near) / mass
    else:
        mass = 1.0 - 0.5 * math.erfc(-near / _SQRT_2) - 0.5 * math.erfc(far / _SQRT_2)
        low, high = _normal(far), _normal(near)
        v = (high - low) / mass
        w = v * v + (far * low - near * high) / mass
    return sign * v, min(max(w, 0.0), 1.0)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def rate(
    system_a: IntArray,
    system_b: IntArray,
    outcome: IntArray,
    order: IntArray,
    margin: float,
    beta: float,
    mu: FloatArray,
    sigma: FloatArray,
) -> None:
    """Update means and standard deviations in place, comparison by comparison.

    Parameters
    ----------
    system_a, system_b
        Codes of the systems, dims (comparison,).
    outcome
        0 where a wins, 1 where b wins, 2 for a tie.
    order
        Which comparison comes first, second, …
    margin
        Margin of a tie, in the unit of ``beta``.
    beta
        Standard deviation of a performance.
    mu, sigma
        Means and standard deviations of the systems.
    """
    for k in range(order.size):
        row = order[k]
        a, b = system_a[row], system_b[row]
        var_a, var_b = sigma[a] * sigma[a], sigma[b] * sigma[b]
        total = var_a + var_b + 2.0 * beta * beta
        c = math.sqrt(total)
        difference = (mu[a] - mu[b]) / c
        if outcome[row] == TIE:
            v, w = tie_moments(difference, margin / c)
        elif outcome[row] == 0:
            v, w = win_moments(difference, margin / c)
        else:
            v, w = win_moments(-difference, margin / c)
            v = -v
        mu[a] += var_a / c * v
        mu[b] -= var_b / c * v
        sigma[a] = math.sqrt(var_a * (1.0 - var_a / total * w))
        sigma[b] = math.sqrt(var_b * (1.0 - var_b / total * w))
