"""Logs of normal probabilities with their slopes, that keep their digits in both tails."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math

import numba

from bayeseval.families._declaration import FloatArray
from bayeseval.families._ordinal_kernel import OPEN_END, interval_terms, mills_ratios
from bayeseval.families.engine.numeric import exp, log_of_sum

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)
# Further out a location counts as this far: beside an open end, it would leave no interval.
_FAR = 0.1 * OPEN_END
_NARROW = 1e-5


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract", "nsz"})
def log_normal_cdfs(
    x: FloatArray, value: FloatArray, slope: FloatArray, work: FloatArray, size: int
) -> None:
    """Fill log Φ and its slope φ/Φ.

    Below zero Φ is the density times Mills's ratio, above one minus the tail.

    Parameters
    ----------
    x
        Dims (at least size,).
    value, slope
        Results, likewise.
    work
        Working space, dims (2, at least size).
    size
        How many.
    """
    distance, mills = work[0], work[1]
    for j in range(size):
        distance[j] = min(abs(x[j]), OPEN_END)
    mills_ratios(distance, mills, size)
    for j in range(size):
        below = x[j] <= 0.0
        half_square = 0.5 * distance[j] * distance[j]
        density = _DENSITY * exp(-half_square)
        tail = density * mills[j]
        total = mills[j] if below else 1.0 - tail
        rest = 0.0 if below else (1.0 - total) - tail
        value[j] = log_of_sum(total, rest) - (half_square + _LOG_SQRT_2PI if below else 0.0)
        slope[j] = (1.0 if below else density) / total


@numba.njit(nogil=True, error_model="numpy")
def log_normal_bands(
    u: FloatArray,
    band: FloatArray,
    value: FloatArray,
    by_u: FloatArray,
    by_band: FloatArray,
    work: FloatArray,
    size: int,
) -> None:
    """Fill log(Φ(band - u) - Φ(-band - u)), and its slopes by u and by band.

    Parameters
    ----------
    u, band
        Centre, and half the width, above zero, dims (at least size,).
    value, by_u, by_band
        Results, likewise.
    work
        Working space, dims (6, at least size).
    size
        How many.
    """
    lower, upper = work[4], work[5]
    for j in range(size):
        centre, half = max(min(-u[j], _FAR), -_FAR), min(band[j], _FAR)
        lower[j], upper[j] = centre - half, centre + half
    interval_terms(lower, upper, value, by_u, by_band, work, size)
    for j in range(size):
        by_lower, by_upper = by_u[j], by_band[j]
        by_u[j], by_band[j] = -(by_lower + by_upper), by_upper - by_lower
    for j in range(size):
        if band[j] < _NARROW:
            # In the sum of u and so narrow a band its digits would be lost:
            # φ(u + t) = φ(u) exp(-u t - t²/2), integrated over the band.
            at = max(min(u[j], _FAR), -_FAR)
            product = band[j] * at
            ratio = 1.0 + product * product / 6.0
            coth = product / 3.0
            if abs(product) > 1e-4:
                ratio = math.sinh(min(abs(product), 700.0)) / min(abs(product), 700.0)
                coth = 1.0 / math.tanh(product) - 1.0 / product
            value[j] = math.log(2.0 * band[j]) + math.log(ratio)
            value[j] -= band[j] * band[j] / 6.0 + 0.5 * at * at + _LOG_SQRT_2PI
            by_u[j] = band[j] * coth - at
            by_band[j] = at * coth + 1.0 / band[j] - band[j] / 3.0
