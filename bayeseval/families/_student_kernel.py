"""Student's t and normal tails for compiled densities: logs that keep their digits, with slopes.

Blocks of numbers that share their degrees of freedom take the distribution function from a power
series, whose coefficients :func:`student_table` has once. The derivation is in
``models/log_magnitude/card.md``.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from typing import NamedTuple

import numba
import numpy as np

from bayeseval.families._block_math import exponentials, logarithms, logarithms_beside_one
from bayeseval.families._declaration import FloatArray
from bayeseval.families._gamma_kernel import log_gamma

LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_LOG_PI = math.log(math.pi)
_LOG_HALF = math.log(0.5)
_FAR = 10.0
_NARROW = 1e-5
_MOST_TERMS = 2000
_CLOSE = 4e-16
# A series of so many degrees of freedom has some 450 terms; the continued fraction takes over.
_MOST_DEGREES = 2000.0
_MOST_COEFFICIENTS = 512
_AT_ONCE = 4
_NEGLIGIBLE = 1e-17


class StudentTable(NamedTuple):
    """What Student's t of given degrees of freedom shares between all arguments.

    Parameters
    ----------
    df
        Degrees of freedom ν.
    constant, by_df
        Log of the density's constant, and its derivative by ν.
    coefficients
        Those of N and of its derivative by ν, lowest power first, dims (coefficient, 2); none
        where the series is too long.
    """

    df: float
    constant: float
    by_df: float
    coefficients: FloatArray


@numba.njit(cache=True, nogil=True, error_model="numpy")
def mills_ratio(z: float) -> float:
    """Return (1 - Φ(z))/φ(z) for z >= 0."""
    if z < _FAR:
        return 0.5 * math.erfc(z / math.sqrt(2.0)) * math.exp(0.5 * z * z + LOG_SQRT_2PI)
    # Laplace's continued fraction from its tail: this far out 20 terms are exact.
    tail = z
    for k in range(20, 0, -1):
        tail = z + k / tail
    return 1.0 / tail


@numba.njit(cache=True, nogil=True, error_model="numpy")
def log_normal_cdf(x: float) -> tuple[float, float]:
    """Return log Φ(x) and its slope φ(x)/Φ(x)."""
    if x <= 0.0:
        mills = mills_ratio(-x)
        return math.log(mills) - 0.5 * x * x - LOG_SQRT_2PI, 1.0 / mills
    density = math.exp(-0.5 * x * x - LOG_SQRT_2PI)
    upper = 0.5 * math.erfc(x / math.sqrt(2.0))
    return math.log1p(-upper), density / (1.0 - upper)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def log_normal_band(u: float, band: float) -> tuple[float, float, float]:
    """Return log(Φ(band - u) - Φ(-band - u)), band > 0, and its slopes by u and by band."""
    at = abs(u)
    near, far = at - band, at + band
    if band < _NARROW:
        # φ(u + t) = φ(u) exp(-u t - t²/2), integrated over so narrow a band.
        product = band * at
        ratio = math.sinh(product) / product if product > 1e-4 else 1.0 + product * product / 6.0
        log_p = math.log(2.0 * band * ratio) - band * band / 6.0 - 0.5 * at * at - LOG_SQRT_2PI
    elif near >= 0.0:
        inner = mills_ratio(near) - mills_ratio(far) * math.exp(-2.0 * band * at)
        log_p = math.log(inner) - 0.5 * near * near - LOG_SQRT_2PI
    else:
        outside = math.erfc(-near / math.sqrt(2.0)) + math.erfc(far / math.sqrt(2.0))
        log_p = math.log1p(-0.5 * outside)
    by_near = math.exp(-0.5 * near * near - LOG_SQRT_2PI - log_p)
    by_far = math.exp(-0.5 * far * far - LOG_SQRT_2PI - log_p)
    by_u = by_far - by_near
    return log_p, by_u if u >= 0.0 else -by_u, by_near + by_far


@numba.njit(cache=True, nogil=True, error_model="numpy")
def student_constant(df: float) -> tuple[float, float]:
    """Return the log normalising constant of Student's t, and its derivative by df."""
    upper, upper_slope = log_gamma(0.5 * df + 0.5)
    lower, lower_slope = log_gamma(0.5 * df)
    value = upper - lower - 0.5 * (math.log(df) + _LOG_PI)
    return value, 0.5 * (upper_slope - lower_slope - 1.0 / df)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def student_log_density(
    z: float, df: float, constant: float, by_df: float
) -> tuple[float, float, float]:
    """Return the log density of Student's t at z, and its slopes by z and by df.

    ``constant`` and ``by_df`` are those of :func:`student_constant`.
    """
    share = z * z / (df + z * z)
    log_term = math.log1p(z * z / df)
    return (
        constant - 0.5 * (df + 1.0) * log_term,
        -(df + 1.0) * z / (df + z * z),
        by_df - 0.5 * log_term + 0.5 * (df + 1.0) * share / df,
    )


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _beta_fraction(
    a: float, a_slope: float, b: float, b_slope: float, x: float, x_slope: float
) -> tuple[float, float]:
    """Return the continued fraction of the incomplete beta function, and its slope.

    Lentz's method, carrying the derivative by whatever a, b and x depend on.
    """
    term = -(a + b) * x / (a + 1.0)
    term_slope = -((a_slope + b_slope) * x + (a + b) * x_slope) / (a + 1.0) - (
        term * a_slope / (a + 1.0)
    )
    d = 1.0 / (1.0 + term)
    d_slope = -d * d * term_slope
    c, c_slope = 1.0, 0.0
    log_slope = d_slope / d
    value = d
    for m in range(1, _MOST_TERMS):
        change, change_slope = 1.0, 0.0
        for odd in range(2):
            if odd == 0:
                top = m * (b - m)
                top_slope = m * b_slope
                low, high = a - 1.0 + 2 * m, a + 2 * m
            else:
                top = -(a + m) * (a + b + m)
                top_slope = -a_slope * (a + b + m) - (a + m) * (a_slope + b_slope)
                low, high = a + 2 * m, a + 1.0 + 2 * m
            term = top * x / (low * high)
            term_slope = (top_slope * x + top * x_slope) / (low * high) - term * a_slope * (
                1.0 / low + 1.0 / high
            )
            new = 1.0 / (1.0 + term * d)
            d_slope = -new * new * (term_slope * d + term * d_slope)
            d = new
            c_slope = term_slope / c - term * c_slope / (c * c)
            c = 1.0 + term / c
            value *= c * d
            change *= c * d
            own = c_slope / c + d_slope / d
            log_slope += own
            change_slope += own
        if abs(change - 1.0) < _CLOSE and abs(change_slope) < _CLOSE * (1.0 + abs(log_slope)):
            break
    return value, value * log_slope


@numba.njit(cache=True, nogil=True, error_model="numpy")
def student_log_cdf(
    z: float, df: float, constant: float, by_df: float
) -> tuple[float, float, float]:
    """Return the log of Student's distribution function at z, and its slopes by z and by df.

    Below zero it is half of I(df / 2, 1/2), the regularised incomplete beta function, at
    df / (df + z²), taken from the side on which its continued fraction converges.
    """
    squared = z * z
    low = df / (df + squared)
    high = squared / (df + squared)
    low_slope = high / (df + squared)
    a = 0.5 * df
    # log of x^a (1 - x)^(1/2) / B(a, 1/2); the constant of the density is -log B - log(df)/2.
    if squared == 0.0:
        log_lower, lower_by_df = _LOG_HALF, 0.0
    else:
        log_low = -math.log1p(squared / df)
        log_front = a * log_low + 0.5 * math.log(high) + constant + 0.5 * math.log(df)
        front_by_df = 0.5 * log_low + a * low_slope / low - 0.5 / (df + squared) + by_df + 0.5 / df
        if low < (a + 1.0) / (a + 2.5):
            fraction, slope = _beta_fraction(a, 0.5, 0.5, 0.0, low, low_slope)
            log_lower = _LOG_HALF + log_front + math.log(fraction / a)
            lower_by_df = front_by_df + slope / fraction - 1.0 / df
        else:
            fraction, slope = _beta_fraction(0.5, 0.0, a, 0.5, high, -low_slope)
            within = math.exp(log_front) * fraction / 0.5
            log_lower = _LOG_HALF + math.log1p(-within)
            lower_by_df = -within * (front_by_df + slope / fraction) / (1.0 - within)
    log_density, _, _ = student_log_density(z, df, constant, by_df)
    if z <= 0.0:
        return log_lower, math.exp(log_density - log_lower), lower_by_df
    lower = math.exp(log_lower)
    log_cdf = math.log1p(-lower)
    return log_cdf, math.exp(log_density - log_cdf), -lower * lower_by_df / (1.0 - lower)


@numba.njit(nogil=True, error_model="numpy")
def student_table(df: float) -> StudentTable:
    """Return what Student's t of ``df`` degrees of freedom shares between all arguments.

    N(g) sums the powers of g with coefficients 1, and further on the one before times
    (k - 1 + ν)/(2k + ν). All are positive, and g is at most 1.
    """
    constant, by_df = student_constant(df)
    coefficients = np.zeros((_MOST_COEFFICIENTS, 2))
    if not df <= _MOST_DEGREES:
        return StudentTable(df, constant, by_df, coefficients[:0])
    coefficients[0, 0] = 1.0
    value, log_slope = 1.0, 0.0
    k = 1
    while k < _MOST_COEFFICIENTS:
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
        Working space, dims (6, at least size).
    size
        How many.
    """
    df = table.df
    if table.coefficients.shape[0] == 0:
        for j in range(size):
            value[j], by_z[j], by_df[j] = student_log_cdf(z[j], df, table.constant, table.by_df)
        return
    log_term, distance, series, slope, spare = work[0], work[1], work[2], work[3], work[4:]
    for j in range(size):
        square = z[j] * z[j]
        inverse = 1.0 / math.sqrt(df + square)
        log_term[j] = square / df
        distance[j] = 1.0 - abs(z[j]) * inverse
        by_z[j] = df * inverse
    logarithms_beside_one(log_term, spare, size)
    _polynomials(table.coefficients, distance, series, slope, size)
    log_front = table.constant - 0.5 * math.log(df)
    front_by_df = table.by_df - 0.5 / df
    for j in range(size):
        inverse = 1.0 / series[j]
        by_z[j] *= inverse
        by_df[j] = front_by_df + (slope[j] + 0.5 * (1.0 - distance[j])) * inverse
        by_df[j] -= 0.5 * log_term[j]
    logarithms(series, slope, size)
    # Above zero it is one minus the tail.
    tail, log_rest = distance, log_term
    for j in range(size):
        value[j] = log_front + series[j] - 0.5 * df * log_term[j]
        tail[j] = value[j]
    exponentials(tail, slope, size)
    for j in range(size):
        log_rest[j] = -tail[j]
    logarithms_beside_one(log_rest, spare, size)
    for j in range(size):
        odds = tail[j] / (1.0 - tail[j])
        is_above = z[j] > 0.0
        value[j] = log_rest[j] if is_above else value[j]
        by_z[j] *= odds if is_above else 1.0
        by_df[j] *= -odds if is_above else 1.0


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})
def student_log_densities(
    z: FloatArray,
    table: StudentTable,
    value: FloatArray,
    by_z: FloatArray,
    by_df: FloatArray,
    work: FloatArray,
    size: int,
) -> None:
    """Fill logs of Student's density, and their slopes by z and by df.

    Parameters
    ----------
    z
        Arguments, dims (at least size,).
    table
        From :func:`student_table`.
    value, by_z, by_df
        Results, likewise.
    work
        Working space, dims (2, at least size).
    size
        How many.
    """
    df, constant, constant_by_df = table.df, table.constant, table.by_df
    for j in range(size):
        square = z[j] * z[j]
        value[j] = square / df
        by_z[j] = -(df + 1.0) * z[j] / (df + square)
    logarithms_beside_one(value, work, size)
    for j in range(size):
        by_df[j] = constant_by_df - 0.5 * (value[j] + z[j] * by_z[j] / df)
        value[j] = constant - 0.5 * (df + 1.0) * value[j]
