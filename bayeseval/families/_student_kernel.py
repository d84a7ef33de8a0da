"""Student's t for compiled densities: logs that keep their digits, with slopes.

The distribution function comes from a power series, whose coefficients :func:`student_table` has
once for all numbers that share their degrees of freedom. The derivation is in
``models/log_magnitude/card.md``.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from typing import NamedTuple

import numba
import numpy as np

from bayeseval.families._declaration import FloatArray
from bayeseval.families._gamma_kernel import log_gamma
from bayeseval.families.engine.numeric import exp, log, log1p

_LOG_PI = math.log(math.pi)
_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
# From here on the constant's series has all digits, which a difference of two log gammas loses.
_FAR = 100.0
# The series has some 9 √ν terms. Further up T is held, where it is the normal to eight digits.
_MOST_DEGREES = 1e8
_AT_ONCE = 4
_NEGLIGIBLE = 1e-17


@numba.njit(cache=True, nogil=True, error_model="numpy")
def student_constant(df: float) -> tuple[float, float]:
    """Return the log normalising constant of Student's t, and its derivative by df.

    Far out log Γ(x + 1/2) - log Γ(x) is a series (the difference of two of Stirling's, DLMF 5.11.8,
    at x = ν/2).
    """
    if df > _FAR:
        inverse = 1.0 / df
        square = inverse * inverse
        series = 1.0 / 20.0 - square * (17.0 / 112.0)
        series = 1.0 / 24.0 - square * series
        series = 0.25 - square * series
        slope = 0.25 - square * (17.0 / 16.0)
        slope = 0.125 - square * slope
        slope = 0.25 - square * slope
        return -_LOG_SQRT_2PI - inverse * series, square * slope
    upper, upper_slope = log_gamma(0.5 * df + 0.5)
    lower, lower_slope = log_gamma(0.5 * df)
    value = upper - lower - 0.5 * (math.log(df) + _LOG_PI)
    return value, 0.5 * (upper_slope - lower_slope - 1.0 / df)


class StudentTable(NamedTuple):
    """What Student's t of given degrees of freedom shares between all arguments.

    Parameters
    ----------
    df
        Degrees of freedom ν.
    constant, by_df
        Log of the density's constant, and its derivative by ν.
    coefficients
        Those of N and of its derivative by ν, lowest power first, dims (coefficient, 2).
    """

    df: float
    constant: float
    by_df: float
    coefficients: FloatArray


@numba.njit(nogil=True, error_model="numpy")
def student_table(df: float) -> StudentTable:
    """Return what Student's t of ``df`` degrees of freedom shares between all arguments.

    N(g) sums the powers of g with coefficients 1, and further on the one before times
    (k - 1 + ν)/(2k + ν). All are positive, and g is at most 1.
    """
    df = min(df, _MOST_DEGREES)
    constant, by_df = student_constant(df)
    coefficients = np.zeros((128 + int(10.0 * math.sqrt(df)), 2))
    coefficients[0, 0] = 1.0
    value, log_slope = 1.0, 0.0
    k = 1
    while k < coefficients.shape[0]:
        top, bottom = k - 1.0 + df, 2.0 * k + df
        value *= top / bottom
        log_slope += (k + 1.0) / (top * bottom)
        coefficients[k, 0], coefficients[k, 1] = value, value * log_slope
        k += 1
        # The rest is below a geometric series.
        if value * (1.0 + log_slope) * bottom < _NEGLIGIBLE * k:
            break
    return StudentTable(df, constant, by_df, coefficients[: -(-k // _AT_ONCE) * _AT_ONCE])


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})
def _polynomials(
    coefficients: FloatArray, at: FloatArray, value: FloatArray, slope: FloatArray, size: int
) -> None:
    """Fill N and its derivative by the degrees of freedom.

    A few coefficients at a time for all numbers: a loop over all coefficients inside one over the
    numbers would not be vectorised.
    """
    for j in range(size):
        value[j], slope[j] = 0.0, 0.0
    for first in range(coefficients.shape[0] - _AT_ONCE, -1, -_AT_ONCE):
        a0, b0 = coefficients[first]
        a1, b1 = coefficients[first + 1]
        a2, b2 = coefficients[first + 2]
        a3, b3 = coefficients[first + 3]
        for j in range(size):
            g = at[j]
            value[j] = (((value[j] * g + a3) * g + a2) * g + a1) * g + a0
            slope[j] = (((slope[j] * g + b3) * g + b2) * g + b1) * g + b0


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})
def student_log_cdfs(
    z: FloatArray,
    table: StudentTable,
    value: FloatArray,
    by_z: FloatArray,
    by_df: FloatArray,
    work: FloatArray,
    size: int,
) -> None:
    """Fill logs of Student's distribution function, and their slopes by z and by df.

    Parameters
    ----------
    z
        Arguments, dims (at least size,).
    table
        From :func:`student_table`.
    value, by_z, by_df
        Results, likewise.
    work
        Working space, dims (4, at least size).
    size
        How many.
    """
    df = table.df
    log_term, distance, series, slope = work[0], work[1], work[2], work[3]
    for j in range(size):
        square = z[j] * z[j]
        inverse = 1.0 / math.sqrt(df + square)
        log_term[j] = log1p(square / df)
        distance[j] = 1.0 - abs(z[j]) * inverse
        by_z[j] = df * inverse
    _polynomials(table.coefficients, distance, series, slope, size)
    log_front = table.constant - 0.5 * math.log(df)
    front_by_df = table.by_df - 0.5 / df
    for j in range(size):
        inverse = 1.0 / series[j]
        by_z[j] *= inverse
        by_df[j] = front_by_df + (slope[j] + 0.5 * (1.0 - distance[j])) * inverse
        by_df[j] -= 0.5 * log_term[j]
        value[j] = log_front + log(series[j]) - 0.5 * df * log_term[j]
    for j in range(size):
        # Above zero it is one minus the tail.
        tail = exp(value[j])
        odds = tail / (1.0 - tail)
        is_above = z[j] > 0.0
        value[j] = log1p(-tail) if is_above else value[j]
        by_z[j] *= odds if is_above else 1.0
        by_df[j] *= -odds if is_above else 1.0
