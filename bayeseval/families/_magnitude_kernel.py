"""Log probability of magnitudes with its gradient: the side of the reference, then the ratio.

An answer is coded in two columns: what it is, and a log ratio. Below or above the reference, the
log ratio is Student's t, cut to that side and divided by its mass there; at the reference there is
nothing more to say; a censored answer is known to be below its log ratio. Without sides the log
ratio is Student's t as it stands. Derivations are in ``models/log_magnitude/card.md``.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from typing import Any

import numba

from bayeseval.families._declaration import FloatArray, IntArray
from bayeseval.families._predictor_kernel import predictor_forward, predictor_reverse
from bayeseval.families._student_kernel import (
    log_normal_band,
    log_normal_cdf,
    student_constant,
    student_log_cdf,
    student_log_density,
)

CENSORED, BELOW, AT, ABOVE = -2, -1, 0, 1
"""What an answer is, in the first column."""

IMPRESSION, SEVERITY, MODULUS, LOG_SPREAD, TIE_BAND, LOG_SCALE = range(6)
"""The linear predictors."""

MEAN, SPREAD, DEGREES, LEVEL, STEP, BAND = range(6)
"""The parameters; the last three only where there are sides."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def magnitude_kernel(
    predictors: FloatArray,
    answer: FloatArray,
    criterion: IntArray,
    scalars: FloatArray,
    options: FloatArray,
    log_p: FloatArray,
    predictors_bar: FloatArray,
    scalars_bar: FloatArray,
    count: FloatArray,
) -> None:
    """Fill log probabilities and slopes; see ``_predictors``. Options: sides or not, resolution."""
    has_sides = options[0] != 0.0
    least_variance = options[1] * options[1]
    known = -1
    df = constant = constant_by_df = 0.0
    for i in range(count.size):
        q = criterion[i]
        if q != known:
            known = q
            df = scalars[q, DEGREES]
            constant, constant_by_df = student_constant(df)
        impression = predictors[IMPRESSION, i]
        log_factor = predictors[LOG_SCALE, i]
        if has_sides:
            log_factor += scalars[q, STEP]
        factor = math.exp(log_factor)
        location = scalars[q, MEAN] + predictors[MODULUS, i] + factor * impression
        own = math.exp(2.0 * (scalars[q, SPREAD] + predictors[LOG_SPREAD, i]))
        what, ratio = int(answer[0, i]), answer[1, i]
        spread = math.sqrt(own + least_variance)

        total = by_u = by_band = by_location = by_log_spread = by_df = 0.0
        if has_sides:
            u = scalars[q, LEVEL] + predictors[SEVERITY, i] + impression
            band = math.exp(scalars[q, BAND] + predictors[TIE_BAND, i])
            if what == AT:
                total, by_u, by_band = log_normal_band(u, band)
            elif what == ABOVE:
                total, by_u = log_normal_cdf(u - band)
                by_band = -by_u
            else:
                total, by_band = log_normal_cdf(-band - u)
                by_band = by_u = -by_band
            by_band *= band

        if what != AT or not has_sides:
            z = (ratio - location) / spread
            if what == CENSORED:
                value, by_z, slope = student_log_cdf(z, df, constant, constant_by_df)
            else:
                value, by_z, slope = student_log_density(z, df, constant, constant_by_df)
                value -= math.log(spread)
                by_log_spread -= 1.0
            total += value
            by_df += slope
            by_location -= by_z / spread
            by_log_spread -= by_z * z
            if has_sides:
                # The mass of the side, seen from below or, mirrored, from above.
                side = -1.0 if what == ABOVE else 1.0
                end = -side * location / spread
                value, by_z, slope = student_log_cdf(end, df, constant, constant_by_df)
                total -= value
                by_df -= slope
                by_location += side * by_z / spread
                by_log_spread += by_z * end

        log_p[i] = total
        n = count[i]
        # log of sqrt(own + least) moves with log(own) / 2 by the share of own in the sum.
        by_log_own = by_log_spread * own / (spread * spread)
        by_factor = by_location * factor
        predictors_bar[IMPRESSION, i] = n * (by_u + by_factor)
        predictors_bar[SEVERITY, i] = n * by_u
        predictors_bar[MODULUS, i] = n * by_location
        predictors_bar[LOG_SPREAD, i] = n * by_log_own
        predictors_bar[TIE_BAND, i] = n * by_band
        predictors_bar[LOG_SCALE, i] = n * by_factor * impression
        scalars_bar[q, MEAN] += n * by_location
        scalars_bar[q, SPREAD] += n * by_log_own
        scalars_bar[q, DEGREES] += n * by_df
        if has_sides:
            scalars_bar[q, LEVEL] += n * by_u
            scalars_bar[q, STEP] += n * by_factor * impression
            scalars_bar[q, BAND] += n * by_band


def magnitude_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient with :func:`magnitude_kernel`; see ``_callback``."""
    forward = predictor_forward(n, x, data)
    magnitude_kernel(*forward[2])
    return predictor_reverse(n, x, gradient, value, data, forward)
