"""Log probability of strengths of preference, and derivatives, by cell: three responses.

All read e = exp(log scale) · (difference + side bias).

- Graded: the grade whose interval between thresholds, each times exp(log gap), holds e plus
  standard normal noise.
- Ordered beta, of y01 = (y / bound + 1) / 2 with the logistic function F: an end with probability
  F(-e - κ) or F(e - κ); otherwise exactly the middle with probability 4 m F(e) F(-e); otherwise
  beta with mean F(e). 1 / precision is the sum of the annotator's own and of 4 r², r the
  resolution.
- Student's t in points around e, an answer at an end standing for all beyond it. The squared
  spread is the sum of the annotator's own and of the squared resolution.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from typing import Any

import numba
import numpy as np

from bayeseval.families._beta_kernel import (
    beta_terms,
    between_terms,
    end_terms,
    log_logistic,
    logistic,
)
from bayeseval.families._declaration import FloatArray, IntArray
from bayeseval.families._ordinal_kernel import OPEN_END, interval_terms
from bayeseval.families._predictor_kernel import predictor_forward, predictor_reverse
from bayeseval.families._student_kernel import (
    student_constant,
    student_log_cdf,
    student_log_density,
)

DIFFERENCE, LOG_SCALE, BY_ANNOTATOR = 0, 1, 2
"""The third predictor is the annotator's log gap, log precision or log spread."""

LOW, BETWEEN, HIGH, MIDDLE = -1.0, 0.0, 1.0, 2.0
_BLOCK = 256


@numba.njit(cache=True, nogil=True, error_model="numpy")
def graded_kernel(
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
    """Fill log probabilities of grades and derivatives; add those of the parameters.

    Parameters
    ----------
    predictors
        Difference of the systems, log scale, log gap, dims (3, cell).
    answer
        Position of the grade from below, dims (1, cell).
    criterion
        Position of each cell's criterion.
    scalars
        Log widths of grades and, where it is in the model, side bias, dims (criterion, scalar).
    options
        Whether there is a side bias, number of widths, and by threshold from below how much of each
        width lies between it and the middle.
    log_p, predictors_bar, scalars_bar, count
        As in every kernel.
    """
    has_bias, n_widths = options[0] > 0.0, int(options[1])
    share = options[2:].reshape((-1, max(n_widths, 1)))
    top = share.shape[0]
    thresholds = np.zeros((scalars.shape[0], top))
    for c in range(scalars.shape[0]):
        for t in range(top):
            for j in range(n_widths):
                thresholds[c, t] += share[t, j] * math.exp(scalars[c, j])
    work = np.empty((4, _BLOCK))
    lower, upper = np.empty(_BLOCK), np.empty(_BLOCK)
    by_lower, by_upper, logs = np.empty(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    for begin in range(0, count.size, _BLOCK):
        size = min(_BLOCK, count.size - begin)
        for j in range(size):
            i = begin + j
            c, grade = criterion[i], int(answer[0, i])
            location = predictors[DIFFERENCE, i] + (scalars[c, n_widths] if has_bias else 0.0)
            e = math.exp(predictors[LOG_SCALE, i]) * location
            gap = math.exp(predictors[BY_ANNOTATOR, i])
            lower[j] = gap * thresholds[c, grade - 1] - e if grade > 0 else -OPEN_END
            upper[j] = gap * thresholds[c, grade] - e if grade < top else OPEN_END
        interval_terms(lower, upper, logs, by_lower, by_upper, work, size)
        for j in range(size):
            i = begin + j
            c, grade, n = criterion[i], int(answer[0, i]), count[i]
            log_p[i] = logs[j]
            scale = math.exp(predictors[LOG_SCALE, i])
            location = predictors[DIFFERENCE, i] + (scalars[c, n_widths] if has_bias else 0.0)
            by_e = -n * (by_lower[j] + by_upper[j])
            predictors_bar[DIFFERENCE, i] = by_e * scale
            predictors_bar[LOG_SCALE, i] = by_e * scale * location
            if has_bias:
                scalars_bar[c, n_widths] += by_e * scale
            gap = n * math.exp(predictors[BY_ANNOTATOR, i])
            total = 0.0
            if grade > 0:
                total += by_lower[j] * thresholds[c, grade - 1]
                for w in range(n_widths):
                    part = gap * by_lower[j] * share[grade - 1, w]
                    scalars_bar[c, w] += part * math.exp(scalars[c, w])
            if grade < top:
                total += by_upper[j] * thresholds[c, grade]
                for w in range(n_widths):
                    part = gap * by_upper[j] * share[grade, w]
                    scalars_bar[c, w] += part * math.exp(scalars[c, w])
            predictors_bar[BY_ANNOTATOR, i] = gap * total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def slider_kernel(
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
    """Fill log densities of positions of a slider and derivatives; add those of the parameters.

    Parameters
    ----------
    predictors
        Difference of the systems, log scale, deviation of log precision, dims (3, cell).
    answer
        End, middle or between; log of y01; log of 1 - y01, dims (3, cell).
    criterion
        Position of each cell's criterion.
    scalars
        Chance of an end between equal systems, mean log precision and, where they are in the model,
        chance of the middle between equal systems, side bias, dims (criterion, scalar).
    options
        Whether there is a side bias, whether there is a middle, the resolution.
    log_p, predictors_bar, scalars_bar, count
        As in every kernel.
    """
    has_bias, has_middle = options[0] > 0.0, options[1] > 0.0
    bias_at = 3 if has_middle else 2
    blur = 4.0 * options[2] * options[2]
    kappas, kappa_slopes, log_open, open_slopes = end_terms(scalars[:, 0])
    for i in range(count.size):
        c, n, what = criterion[i], count[i], answer[0, i]
        kappa, by_kappa = kappas[c], kappa_slopes[c]
        scale = math.exp(predictors[LOG_SCALE, i])
        e = scale * (predictors[DIFFERENCE, i] + (scalars[c, bias_at] if has_bias else 0.0))
        low, high = -e - kappa, e - kappa
        by_log_precision, by_middle = 0.0, 0.0
        if what == LOW:
            log_p[i] = log_logistic(low)
            by_e = -logistic(-low)
            by_end = by_e * by_kappa
        elif what == HIGH:
            log_p[i] = log_logistic(high)
            by_e = logistic(-high)
            by_end = -by_e * by_kappa
        else:
            log_between, of_low, of_high = between_terms(low, high)
            log_p[i] = log_between + log_open[c]
            by_e = of_low - of_high
            by_end = (of_low + of_high) * by_kappa + open_slopes[c]
            if has_middle:
                middle = scalars[c, 2]
                shape = 4.0 * logistic(e) * logistic(-e)
                slope = logistic(-e) - logistic(e)
                if what == MIDDLE:
                    log_p[i] += math.log(4.0 * middle) + log_logistic(e) + log_logistic(-e)
                    by_e += slope
                    by_middle = 1.0 / middle
                else:
                    rest = 1.0 - middle * shape
                    log_p[i] += math.log1p(-middle * shape)
                    by_e -= middle * shape * slope / rest
                    by_middle = -shape / rest
            if what == BETWEEN:
                own = math.exp(-scalars[c, 1] - predictors[BY_ANNOTATOR, i])
                inside, inside_by_e, by_log_precision = beta_terms(
                    e, 1.0 / (own + blur), answer[1, i], answer[2, i]
                )
                by_log_precision *= own / (own + blur)
                log_p[i] += inside
                by_e += inside_by_e
        predictors_bar[DIFFERENCE, i] = n * by_e * scale
        predictors_bar[LOG_SCALE, i] = n * by_e * e
        predictors_bar[BY_ANNOTATOR, i] = n * by_log_precision
        scalars_bar[c, 0] += n * by_end
        scalars_bar[c, 1] += n * by_log_precision
        if has_middle:
            scalars_bar[c, 2] += n * by_middle
        if has_bias:
            scalars_bar[c, bias_at] += n * by_e * scale


@numba.njit(cache=True, nogil=True, error_model="numpy")
def points_kernel(
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
    """Fill log densities of strengths in points and derivatives; add those of the parameters.

    Parameters
    ----------
    predictors
        Difference of the systems, log scale, deviation of log spread, dims (3, cell).
    answer
        Which end or neither, and the strength in points, dims (2, cell).
    criterion
        Position of each cell's criterion.
    scalars
        Degrees of freedom, mean log spread and, where it is in the model, side bias, dims
        (criterion, scalar).
    options
        Whether there is a side bias, the resolution in points.
    log_p, predictors_bar, scalars_bar, count
        As in every kernel.
    """
    has_bias, blur = options[0] > 0.0, options[1] * options[1]
    constants = np.empty((scalars.shape[0], 2))
    for c in range(scalars.shape[0]):
        constants[c, 0], constants[c, 1] = student_constant(scalars[c, 0])
    for i in range(count.size):
        c, n, what = criterion[i], count[i], answer[0, i]
        df = scalars[c, 0]
        scale = math.exp(predictors[LOG_SCALE, i])
        e = scale * (predictors[DIFFERENCE, i] + (scalars[c, 2] if has_bias else 0.0))
        own = math.exp(2.0 * (scalars[c, 1] + predictors[BY_ANNOTATOR, i]))
        spread = math.sqrt(own + blur)
        z = (answer[1, i] - e) / spread
        if what == BETWEEN:
            log_p[i], by_z, by_df = student_log_density(z, df, constants[c, 0], constants[c, 1])
            log_p[i] -= math.log(spread)
            by_log_spread = -1.0 - by_z * z
        else:
            # Beyond the upper end is below its mirror image.
            sign = -what
            log_p[i], by_z, by_df = student_log_cdf(sign * z, df, constants[c, 0], constants[c, 1])
            by_z *= sign
            by_log_spread = -by_z * z
        by_log_spread *= own / (own + blur)
        by_e = -by_z / spread
        predictors_bar[DIFFERENCE, i] = n * by_e * scale
        predictors_bar[LOG_SCALE, i] = n * by_e * e
        predictors_bar[BY_ANNOTATOR, i] = n * by_log_spread
        scalars_bar[c, 0] += n * by_df
        scalars_bar[c, 1] += n * by_log_spread
        if has_bias:
            scalars_bar[c, 2] += n * by_e * scale


def graded_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient of the model with :func:`graded_kernel`; see ``_callback``."""
    forward = predictor_forward(n, x, data)
    graded_kernel(*forward[2])
    return predictor_reverse(n, x, gradient, value, data, forward)


def slider_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient of the model with :func:`slider_kernel`; see ``_callback``."""
    forward = predictor_forward(n, x, data)
    slider_kernel(*forward[2])
    return predictor_reverse(n, x, gradient, value, data, forward)


def points_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient of the model with :func:`points_kernel`; see ``_callback``."""
    forward = predictor_forward(n, x, data)
    points_kernel(*forward[2])
    return predictor_reverse(n, x, gradient, value, data, forward)
