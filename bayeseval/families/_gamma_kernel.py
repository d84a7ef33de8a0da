"""The log of the gamma function with its derivative, for compiled densities."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math

import numba
import numpy as np

from bayeseval.families._declaration import FloatArray
from bayeseval.families.engine.numeric import log

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_FAR = 8.0
_LEAST = 1e-300


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})
def log_gammas(
    x: FloatArray, value: FloatArray, slope: FloatArray, work: FloatArray, size: int
) -> None:
    """Fill the log of the gamma function of positive numbers, and its derivative.

    Stirling's series (DLMF 5.11.1 and 5.11.2), from 8 on; below, both follow from their values at
    x + 8 and the product x (x + 1) … (x + 7) with its derivative. The two share their logarithms.

    Parameters
    ----------
    x
        Up to 1e300; below 1e-300 as there, dims (at least size,).
    value, slope
        Results, likewise.
    work
        Working space, dims (2, at least size).
    size
        How many.
    """
    far, product = work[0], work[1]
    for j in range(size):
        at = max(x[j], _LEAST)
        rising, by_x = 1.0, 0.0
        for _ in range(8):
            by_x = by_x * at + rising
            rising *= at
            at += 1.0
        near = x[j] < _FAR
        far[j] = at if near else x[j]
        product[j] = rising if near else 1.0
        slope[j] = by_x if near else 0.0
    for j in range(size):
        inverse = 1.0 / far[j]
        square = inverse * inverse
        series = 1.0 / 156.0 - square * (3617.0 / 122400.0)
        series = 691.0 / 360360.0 - square * series
        series = 1.0 / 1188.0 - square * series
        series = 1.0 / 1680.0 - square * series
        series = 1.0 / 1260.0 - square * series
        series = 1.0 / 360.0 - square * series
        value[j] = inverse * (1.0 / 12.0 - square * series) - far[j] + _HALF_LOG_2PI
        tail = 1.0 / 12.0 - square * (3617.0 / 8160.0)
        tail = 691.0 / 32760.0 - square * tail
        tail = 1.0 / 132.0 - square * tail
        tail = 1.0 / 240.0 - square * tail
        tail = 1.0 / 252.0 - square * tail
        tail = 1.0 / 120.0 - square * tail
        slope[j] = -slope[j] / product[j] - 0.5 * inverse - square * (1.0 / 12.0 - square * tail)
    for j in range(size):
        log_far = log(far[j])
        value[j] += (far[j] - 0.5) * log_far - log(product[j])
        slope[j] += log_far


@numba.njit(cache=True, nogil=True, error_model="numpy")
def log_gamma(x: float) -> tuple[float, float]:
    """Return the log of the gamma function of a positive number, and its derivative."""
    work = np.empty((5, 1))
    work[0, 0] = x
    log_gammas(work[0], work[1], work[2], work[3:], 1)
    return work[1, 0], work[2, 0]
