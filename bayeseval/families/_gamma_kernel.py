"""The log of the gamma function with its derivative, for compiled densities."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math

import numba

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def log_gamma(x: float) -> tuple[float, float]:
    """Return the log of the gamma function of a positive number, and its derivative.

    Stirling's series (DLMF 5.11.1 and 5.11.2), from 8 on; below, both follow from their values at
    x + 8 and the product x (x + 1) … (x + 7) with its derivative. The two share their logarithms.
    """
    product, slope = 1.0, 0.0
    if x < 8.0:
        for _ in range(8):
            slope = slope * x + product
            product *= x
            x += 1.0
    inverse = 1.0 / x
    square = inverse * inverse
    series = 1.0 / 156.0 - square * (3617.0 / 122400.0)
    series = 691.0 / 360360.0 - square * series
    series = 1.0 / 1188.0 - square * series
    series = 1.0 / 1680.0 - square * series
    series = 1.0 / 1260.0 - square * series
    series = 1.0 / 360.0 - square * series
    series = inverse * (1.0 / 12.0 - square * series)
    tail = 1.0 / 12.0 - square * (3617.0 / 8160.0)
    tail = 691.0 / 32760.0 - square * tail
    tail = 1.0 / 132.0 - square * tail
    tail = 1.0 / 240.0 - square * tail
    tail = 1.0 / 252.0 - square * tail
    tail = 1.0 / 120.0 - square * tail
    tail = square * (1.0 / 12.0 - square * tail)
    log_x = math.log(x)
    value = (x - 0.5) * log_x - x + _HALF_LOG_2PI + series - math.log(product)
    return value, log_x - 0.5 * inverse - tail - slope / product
