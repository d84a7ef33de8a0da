"""Exponentials, logarithms and sums of blocks of numbers, as arithmetic that is vectorised.

The library's functions are a call for every element. These work on the bits of the numbers: a
double is (-1)^sign 2^(exponent - 1023) 1.mantissa.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false, reportOperatorIssue=false

import math

import numba
import numpy as np

from bayeseval.families._declaration import FloatArray

BLOCK = 256
"""Cells at a time: what a kernel needs of them stays in the fastest memory."""

# exp(x) = 2^n exp(r): n rounds x / ln 2, and ln 2 is split so that r is exact.
_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 1.5 * 2.0**52
_EXPONENT_BIAS = 1023
_TAYLOR = tuple(1.0 / math.factorial(i) for i in range(13))
_LEAST_EXPONENT, _MOST_EXPONENT = -709.0, 709.0
# log(x) = k ln 2 + log(m) with m from √½ to √2, and log(m) = 2 artanh((m - 1)/(m + 1)).
_ROOT_HALF = np.float64(math.sqrt(0.5)).view(np.uint64)
_ONE = np.float64(1.0).view(np.uint64)
_MANTISSA = np.uint64(2**52 - 1)
_MANTISSA_BITS = np.uint64(52)
# The bits of 2^52 with a whole number below 2^52 in the mantissa are 2^52 plus that number.
_TWO_52 = 2.0**52
_WHOLE = np.float64(_TWO_52).view(np.uint64)
_ARTANH = tuple(2.0 / (2 * i + 1) for i in range(10))


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})
def exponentials(values: FloatArray, power: FloatArray, size: int) -> None:
    """Replace values by their exponentials; relative error 4e-16.

    Adding 1.5·2^52 rounds to a whole number and leaves it in the low bits, from where it is shifted
    into the exponent of 2^n; at n = -1023, from about e^-709 on, that leaves 0. Above e^709 values
    stay there.

    Parameters
    ----------
    values
        Exponents, replaced, dims (at least size,).
    power
        Working space, likewise.
    size
        How many.
    """
    bits = power.view(np.int64)
    for j in range(size):
        values[j] = min(max(values[j], _LEAST_EXPONENT), _MOST_EXPONENT)
        power[j] = values[j] * _LOG2_E + _ROUND
    for j in range(size):
        n = power[j] - _ROUND
        r = (values[j] - n * _LN2_HIGH) - n * _LN2_LOW
        value = _TAYLOR[12]
        for i in range(11, -1, -1):
            value = value * r + _TAYLOR[i]
        values[j] = value
    for j in range(size):
        bits[j] = (bits[j] + _EXPONENT_BIAS) << 52
    for j in range(size):
        values[j] *= power[j]


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})
def logarithms(values: FloatArray, power: FloatArray, size: int) -> None:
    """Replace values from 1e-300 to 1e300 by their logarithms; relative error 4e-16.

    Parameters
    ----------
    values
        Positive numbers, replaced, dims (at least size,).
    power
        Working space, likewise.
    size
        How many.
    """
    bits, whole = values.view(np.uint64), power.view(np.uint64)
    for j in range(size):
        # Counted from √½ the exponent is that of m's power of two, and the mantissa that of m.
        shifted = bits[j] + (_ONE - _ROOT_HALF)
        whole[j] = (shifted >> _MANTISSA_BITS) | _WHOLE
        bits[j] = (shifted & _MANTISSA) + _ROOT_HALF
    for j in range(size):
        k = power[j] - (_TWO_52 + _EXPONENT_BIAS)
        s = (values[j] - 1.0) / (values[j] + 1.0)
        square = s * s
        series = _ARTANH[9]
        for i in range(8, -1, -1):
            series = series * square + _ARTANH[i]
        values[j] = k * _LN2_HIGH + (s * series + k * _LN2_LOW)


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def inner_product(a: FloatArray, b: FloatArray) -> float:
    """Return the inner product; sums in any order are what the compiler vectorises.

    From Python too: BLAS would share twenty thousand numbers between threads and wait for them.
    """
    total = 0.0
    for j in range(a.size):
        total += a[j] * b[j]
    return total
