"""Log probability of grades of preference, and derivatives, by cell.

The grade is the one whose interval between thresholds, each times exp(log gap), holds
e = exp(log scale) · (difference + side bias) plus standard normal noise.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from typing import Any

import numba
import numpy as np

from bayeseval.families._block_math import BLOCK
from bayeseval.families._declaration import FloatArray, IntArray
from bayeseval.families._ordinal_kernel import OPEN_END, interval_terms
from bayeseval.families._predictor_kernel import predictor_forward, predictor_reverse

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


def graded_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient of the model with :func:`graded_kernel`; see ``_callback``."""
    forward = predictor_forward(n, x, data)
    graded_kernel(*forward[2])
    return predictor_reverse(n, x, gradient, value, data, forward)
