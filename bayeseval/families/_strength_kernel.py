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

from bayeseval.families._beta_kernel import add_beta_part, end_terms, ends_and_rest
from bayeseval.families._block_math import (
    BLOCK,
    add_by_criterion,
    exponentials,
    logarithms,
    spread_over_cells,
)
from bayeseval.families._declaration import FloatArray, IntArray
from bayeseval.families._ordinal_kernel import OPEN_END, interval_terms
from bayeseval.families._predictor_kernel import predictor_forward, predictor_reverse
from bayeseval.families._student_kernel import student_constant, student_log_cdf

DIFFERENCE, LOG_SCALE, BY_ANNOTATOR = 0, 1, 2
"""The third predictor is the annotator's log gap, log precision or log spread."""

LOW, BETWEEN, HIGH, MIDDLE = -1.0, 0.0, 1.0, 2.0


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
    work = np.empty((4, BLOCK))
    lower, upper = np.empty(BLOCK), np.empty(BLOCK)
    by_lower, by_upper, logs = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for begin in range(0, count.size, BLOCK):
        size = min(BLOCK, count.size - begin)
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
    # What cells take by criterion: κ and what goes with it, mean log precision, side bias, and the
    # chance of the middle.
    terms = np.zeros((7, scalars.shape[0]))
    terms[:4] = end_terms(scalars[:, 0])
    terms[4] = scalars[:, 1]
    if has_bias:
        terms[5] = scalars[:, bias_at]
    if has_middle:
        terms[6] = scalars[:, 2]
    by_cell = np.empty((7, BLOCK))
    level, bias, chance = by_cell[4], by_cell[5], by_cell[6]
    space = np.empty((26, BLOCK))
    scale, own, e, by_e = space[0], space[1], space[2], space[3]
    # Of own_e the answers of one kind stand close together.
    by_log_precision, by_end, by_middle, own_e = space[4], space[5], space[6], space[7]
    work = space[8:]
    middle, in_middle, by_own_e, by_chance, power = work[0], work[1], work[2], work[3], work[4]
    is_inside = np.empty(BLOCK, dtype=np.bool_)
    inside = np.empty(BLOCK, dtype=np.int32)
    for begin in range(0, count.size, BLOCK):
        size = min(BLOCK, count.size - begin)
        part = slice(begin, begin + size)
        difference, what = predictors[DIFFERENCE, part], answer[0, part]
        of_criterion, counts, logs = criterion[part], count[part], log_p[part]
        log_scale, by_annotator = predictors[LOG_SCALE, part], predictors[BY_ANNOTATOR, part]
        spread_over_cells(terms, of_criterion, by_cell)
        for j in range(size):
            scale[j] = log_scale[j]
            own[j] = -level[j] - by_annotator[j]
        exponentials(scale, power, size)
        exponentials(own, power, size)
        for j in range(size):
            e[j] = scale[j] * (difference[j] + bias[j])
            by_log_precision[j], by_middle[j] = 0.0, 0.0
            is_inside[j] = what[j] == BETWEEN or what[j] == MIDDLE
        n_inside = ends_and_rest(
            what, e, by_cell, is_inside[:size], logs, by_e, by_end, own_e, inside, work
        )
        if has_middle:
            for k in range(n_inside):
                j = inside[k]
                in_middle[k] = 1.0 if what[j] == MIDDLE else 0.0
                middle[k] = chance[j]
            _middle_terms(own_e, middle, in_middle, by_own_e, by_chance, work[5], power, n_inside)
            for k in range(n_inside):
                j = inside[k]
                logs[j] += in_middle[k]
                by_e[j] += by_own_e[k]
                by_middle[j] = counts[j] * by_chance[k]

        n_between = 0
        for k in range(n_inside):
            j = inside[k]
            own_e[n_between], inside[n_between] = own_e[k], j
            n_between += what[j] == BETWEEN
        log_y, log_rest = answer[1, part], answer[2, part]
        add_beta_part(
            n_between,
            inside,
            own_e,
            own,
            blur,
            log_y,
            log_rest,
            logs,
            by_e,
            by_log_precision,
            work,
        )

        by_difference = predictors_bar[DIFFERENCE, part]
        by_scale, by_own = predictors_bar[LOG_SCALE, part], predictors_bar[BY_ANNOTATOR, part]
        for j in range(size):
            by_e[j] *= counts[j]
            by_end[j] *= counts[j]
            by_scale[j] = by_e[j] * e[j]
            by_difference[j] = by_e[j] * scale[j]
            by_own[j] = counts[j] * by_log_precision[j]
        add_by_criterion(scalars_bar, 0, of_criterion, by_end)
        add_by_criterion(scalars_bar, 1, of_criterion, by_own)
        if has_middle:
            add_by_criterion(scalars_bar, 2, of_criterion, by_middle)
        if has_bias:
            add_by_criterion(scalars_bar, bias_at, of_criterion, by_difference)


@numba.njit(nogil=True, error_model="numpy")
def _middle_terms(
    e: FloatArray,
    middle: FloatArray,
    in_middle: FloatArray,
    by_e: FloatArray,
    by_middle: FloatArray,
    work: FloatArray,
    power: FloatArray,
    size: int,
) -> None:
    """Replace 1 for an answer in the middle, 0 for another, by the log probability of that.

    The middle has probability 4 m F(e) F(-e) = 4 m q / (1 + q)², q = exp(-|e|).

    Parameters
    ----------
    e, middle
        Logit of the mean; chance m of the middle between equal systems, dims (at least size,).
    in_middle
        Replaced, likewise.
    by_e, by_middle
        Slopes, likewise.
    work, power
        Working space, likewise.
    size
        How many.
    """
    for j in range(size):
        work[j] = -abs(e[j])
    exponentials(work, power, size)
    for j in range(size):
        one_plus = 1.0 + work[j]
        shape = 4.0 * work[j] / (one_plus * one_plus)
        slope = (work[j] - 1.0) / one_plus
        slope = slope if e[j] > 0.0 else -slope
        rest = 1.0 - middle[j] * shape
        if in_middle[j] > 0.0:
            # Without the factor q, so that nothing underflows.
            work[j] = 4.0 * middle[j] / (one_plus * one_plus)
            by_e[j], by_middle[j] = slope, 1.0 / middle[j]
        else:
            work[j] = rest
            by_e[j], by_middle[j] = -middle[j] * shape * slope / rest, -shape / rest
    logarithms(work, power, size)
    for j in range(size):
        in_middle[j] = work[j] - in_middle[j] * abs(e[j])


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
    # What cells take by criterion: degrees of freedom, constant of the density and its slope, mean
    # log spread, side bias.
    terms = np.zeros((5, scalars.shape[0]))
    for c in range(scalars.shape[0]):
        terms[0, c] = scalars[c, 0]
        terms[1, c], terms[2, c] = student_constant(scalars[c, 0])
        terms[3, c] = scalars[c, 1]
        if has_bias:
            terms[4, c] = scalars[c, 2]
    by_cell = np.empty((5, BLOCK))
    df, constant, by_constant = by_cell[0], by_cell[1], by_cell[2]
    level, bias = by_cell[3], by_cell[4]
    space = np.empty((10, BLOCK))
    scale, own, e, z, by_z = space[0], space[1], space[2], space[3], space[4]
    by_df, by_log_spread, log_term = space[5], space[6], space[7]
    spread, power = space[8], space[9]
    for begin in range(0, count.size, BLOCK):
        size = min(BLOCK, count.size - begin)
        part = slice(begin, begin + size)
        difference, what, points = predictors[DIFFERENCE, part], answer[0, part], answer[1, part]
        log_scale, by_annotator = predictors[LOG_SCALE, part], predictors[BY_ANNOTATOR, part]
        of_criterion, counts, logs = criterion[part], count[part], log_p[part]
        spread_over_cells(terms, of_criterion, by_cell)
        for j in range(size):
            scale[j] = log_scale[j]
            own[j] = 2.0 * (level[j] + by_annotator[j])
        exponentials(scale, power, size)
        exponentials(own, power, size)
        for j in range(size):
            e[j] = scale[j] * (difference[j] + bias[j])
            variance = own[j] + blur
            spread[j] = 1.0 / math.sqrt(variance)
            own[j] /= variance
            z[j] = (points[j] - e[j]) * spread[j]
            square = z[j] * z[j]
            by_z[j] = -(df[j] + 1.0) * z[j] / (df[j] + square)
            log_term[j] = 1.0 + square / df[j]
            by_log_spread[j] = -1.0 - by_z[j] * z[j]
            logs[j] = variance
        logarithms(log_term, power, size)
        logarithms(logs, power, size)
        for j in range(size):
            logs[j] = constant[j] - 0.5 * ((df[j] + 1.0) * log_term[j] + logs[j])
            by_df[j] = by_constant[j] - 0.5 * (z[j] * by_z[j] / df[j] + log_term[j])
        for j in range(size):
            if what[j] != BETWEEN:
                # Beyond the upper end is below its mirror image.
                sign = -what[j]
                logs[j], by_z[j], by_df[j] = student_log_cdf(
                    sign * z[j], df[j], constant[j], by_constant[j]
                )
                by_z[j] *= sign
                by_log_spread[j] = -by_z[j] * z[j]
        by_difference = predictors_bar[DIFFERENCE, part]
        by_scale, by_own = predictors_bar[LOG_SCALE, part], predictors_bar[BY_ANNOTATOR, part]
        for j in range(size):
            by_e = -counts[j] * by_z[j] * spread[j]
            by_scale[j] = by_e * e[j]
            by_difference[j] = by_e * scale[j]
            by_own[j] = counts[j] * by_log_spread[j] * own[j]
            by_df[j] *= counts[j]
        add_by_criterion(scalars_bar, 0, of_criterion, by_df)
        add_by_criterion(scalars_bar, 1, of_criterion, by_own)
        if has_bias:
            add_by_criterion(scalars_bar, 2, of_criterion, by_difference)


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
