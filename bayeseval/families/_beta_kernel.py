"""Log probability of stated probabilities with exact ends, and derivatives, by cell.

With e = exp(log extremity) · difference + direction bias, F the logistic distribution function and
κ the ends' threshold, an answer is

    0           with probability F(-e - κ),
    1           with probability F(e - κ),
    in between  otherwise, beta with mean F(e) and precision φ.

The beta density is normalised over (0, 1). 1 / φ is the sum of an annotator's own exp(-log
precision) and of 4 r², with r the resolution: near one half no answer has a standard deviation
below r, so that data of round numbers cannot push the density without limit.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from typing import Any

import numba
import numpy as np

from bayeseval.families._block_math import (
    BLOCK,
    add_by_criterion,
    exponentials,
    logarithms,
    spread_over_cells,
)
from bayeseval.families._declaration import BoolArray, FloatArray, IntArray
from bayeseval.families._gamma_kernel import log_gammas
from bayeseval.families._predictor_kernel import predictor_forward, predictor_reverse

AT_0, BETWEEN, AT_1 = -1.0, 0.0, 1.0
DIFFERENCE, LOG_EXTREMITY, LOG_PRECISION = 0, 1, 2
_LEAST = 1e-300


@numba.njit(nogil=True, error_model="numpy")
def beta_terms(
    e: FloatArray,
    precision: FloatArray,
    log_y: FloatArray,
    log_rest: FloatArray,
    log_p: FloatArray,
    by_e: FloatArray,
    by_log_precision: FloatArray,
    work: FloatArray,
    size: int,
) -> None:
    """Fill the log density of a beta, and its slopes by the logit of the mean and by log φ.

    Parameters
    ----------
    e
        Logit of the mean, dims (at least size,).
    precision
        Sum of the beta's two parameters, likewise.
    log_y, log_rest
        Logs of the answer and of one minus the answer, likewise.
    log_p, by_e, by_log_precision
        Results, likewise.
    work
        Working space, dims (12, at least size).
    size
        How many.
    """
    mean, rest, a, b = work[0], work[1], work[2], work[3]
    log_gamma, psi, log_gamma_b, psi_b = work[4], work[5], work[6], work[7]
    for j in range(size):
        mean[j] = -abs(e[j])
    exponentials(mean, a, size)
    for j in range(size):
        small = mean[j]
        larger = 1.0 / (1.0 + small)
        mean[j] = larger if e[j] > 0.0 else small * larger
        rest[j] = small * larger if e[j] > 0.0 else larger
        a[j] = max(mean[j] * precision[j], _LEAST)
        b[j] = max(rest[j] * precision[j], _LEAST)
    log_gammas(precision, log_p, by_log_precision, work[8:], size)
    log_gammas(a, log_gamma, psi, work[8:], size)
    log_gammas(b, log_gamma_b, psi_b, work[8:], size)
    for j in range(size):
        of_y, of_rest = log_y[j] - psi[j], log_rest[j] - psi_b[j]
        log_p[j] += (a[j] - 1.0) * log_y[j] + (b[j] - 1.0) * log_rest[j]
        log_p[j] -= log_gamma[j] + log_gamma_b[j]
        by_e[j] = mean[j] * rest[j] * precision[j] * (of_y - of_rest)
        by_log_precision[j] += mean[j] * of_y + rest[j] * of_rest
        by_log_precision[j] *= precision[j]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def end_terms(end: FloatArray) -> FloatArray:
    """Return what follows from the chance of an end between equal systems, dims (4, criterion).

    κ and its slope by the chance, and the log of 1 - exp(-2κ) and its slope.
    """
    terms = np.empty((4, end.size))
    for c in range(end.size):
        terms[0, c] = math.log1p(2.0 * (1.0 - end[c]) / end[c])
        terms[1, c] = -2.0 / (end[c] * (2.0 - end[c]))
        terms[2, c] = math.log(4.0 * (1.0 - end[c])) - 2.0 * math.log(2.0 - end[c])
        terms[3, c] = -end[c] / ((1.0 - end[c]) * (2.0 - end[c]))
    return terms


@numba.njit(nogil=True, error_model="numpy")
def _between_terms(
    e: FloatArray,
    kappa: FloatArray,
    log_p: FloatArray,
    of_low: FloatArray,
    of_high: FloatArray,
    work: FloatArray,
    size: int,
) -> None:
    """Fill the log of F(-low) F(-high), F(low) and F(high), for low = -e - κ and high = e - κ.

    F(e + κ) - F(e - κ), the chance of an answer between the ends, is the product times
    1 - exp(-2κ).

    Parameters
    ----------
    e, kappa
        Dims (at least size,).
    log_p, of_low, of_high
        Results, likewise.
    work
        Working space, likewise.
    size
        How many.
    """
    for j in range(size):
        of_low[j] = -abs(e[j] + kappa[j])
        of_high[j] = -abs(e[j] - kappa[j])
    exponentials(of_low, work, size)
    exponentials(of_high, work, size)
    for j in range(size):
        low, high = -e[j] - kappa[j], e[j] - kappa[j]
        one_plus_low, one_plus_high = 1.0 + of_low[j], 1.0 + of_high[j]
        log_p[j] = one_plus_low * one_plus_high
        of_low[j] = (1.0 if low > 0.0 else of_low[j]) / one_plus_low
        of_high[j] = (1.0 if high > 0.0 else of_high[j]) / one_plus_high
    logarithms(log_p, work, size)
    for j in range(size):
        log_p[j] = -max(-e[j] - kappa[j], 0.0) - max(e[j] - kappa[j], 0.0) - log_p[j]


@numba.njit(nogil=True, error_model="numpy")
def _log_logistics(
    x: FloatArray, log_p: FloatArray, slope: FloatArray, work: FloatArray, size: int
) -> None:
    """Fill the log of the logistic function with all digits in both tails, and its slope F(-x).

    Parameters
    ----------
    x
        Dims (at least size,).
    log_p, slope
        Results, likewise.
    work
        Working space, likewise.
    size
        How many.
    """
    for j in range(size):
        slope[j] = -abs(x[j])
    exponentials(slope, work, size)
    for j in range(size):
        log_p[j] = 1.0 + slope[j]
        slope[j] = (slope[j] if x[j] > 0.0 else 1.0) / log_p[j]
    logarithms(log_p, work, size)
    for j in range(size):
        log_p[j] = min(x[j], 0.0) - log_p[j]


@numba.njit(nogil=True, error_model="numpy")
def _parted(is_first: BoolArray, first: IntArray, second: IntArray) -> tuple[int, int]:
    """Fill the positions where something is true, and where it is not; return their numbers.

    Without a branch: which answers are at an end is as good as random to the processor.
    """
    n_first = n_second = 0
    for j in range(is_first.size):
        first[n_first] = j
        second[n_second] = j
        n_first += is_first[j]
        n_second += not is_first[j]
    return n_first, n_second


@numba.njit(nogil=True, error_model="numpy")
def ends_and_rest(
    what: FloatArray,
    e: FloatArray,
    terms: FloatArray,
    is_inside: BoolArray,
    log_p: FloatArray,
    by_e: FloatArray,
    by_end: FloatArray,
    own_e: FloatArray,
    inside: IntArray,
    work: FloatArray,
) -> int:
    """Fill log probabilities of being at an end, or at none, with slopes; return how many are not.

    Parameters
    ----------
    what
        -1 and 1 for the ends, dims (cell,).
    e
        Logit of the mean, dims (at least cell,).
    terms
        What :func:`end_terms` says of each cell, dims (at least 4, at least cell).
    is_inside
        Whether an answer is at no end, dims (cell,).
    log_p, by_e, by_end
        Results; slopes by e and by the chance of an end between equal systems.
    own_e, inside
        Of the answers at no end e and position, close together; results.
    work
        Working space, dims (5, at least cell).
    """
    kappas, kappa_slopes, log_open, open_slopes = terms[0], terms[1], terms[2], terms[3]
    kappa, values, of_low, of_high, power = work[0], work[1], work[2], work[3], work[4]
    ends = np.empty(inside.size, dtype=np.int32)
    n_inside, n_ends = _parted(is_inside, inside, ends)
    for k in range(n_ends):
        j = ends[k]
        own_e[k] = what[j] * e[j] - kappas[j]
    _log_logistics(own_e, values, of_low, power, n_ends)
    for k in range(n_ends):
        j = ends[k]
        log_p[j] = values[k]
        by_e[j] = what[j] * of_low[k]
        by_end[j] = -of_low[k] * kappa_slopes[j]

    for k in range(n_inside):
        j = inside[k]
        own_e[k], kappa[k] = e[j], kappas[j]
    _between_terms(own_e, kappa, values, of_low, of_high, power, n_inside)
    for k in range(n_inside):
        j = inside[k]
        log_p[j] = values[k] + log_open[j]
        by_e[j] = of_low[k] - of_high[k]
        by_end[j] = (of_low[k] + of_high[k]) * kappa_slopes[j] + open_slopes[j]
    return n_inside


@numba.njit(nogil=True, error_model="numpy")
def add_beta_part(
    n_inside: int,
    inside: IntArray,
    own_e: FloatArray,
    own: FloatArray,
    blur: float,
    log_y: FloatArray,
    log_rest: FloatArray,
    log_p: FloatArray,
    by_e: FloatArray,
    by_log_precision: FloatArray,
    work: FloatArray,
) -> None:
    """Add the beta density of the answers between the ends, and its slopes.

    Parameters
    ----------
    n_inside, inside, own_e
        How many, their positions, and their logits of the mean, close together.
    own
        Each answer's own part of 1 / φ, dims (at least cell,).
    blur
        The part of 1 / φ that all share.
    log_y, log_rest
        Logs of the answer and of one minus the answer, dims (cell,).
    log_p, by_e
        Added to, dims (at least cell,).
    by_log_precision
        Slope by an annotator's own log precision, filled at the positions.
    work
        Working space, dims (18, at least cell).
    """
    precision, own_log_y, own_log_rest = work[0], work[1], work[2]
    values, of_e, of_precision = work[3], work[4], work[5]
    for k in range(n_inside):
        j = inside[k]
        precision[k] = 1.0 / (own[j] + blur)
        own_log_y[k], own_log_rest[k] = log_y[j], log_rest[j]
    beta_terms(
        own_e, precision, own_log_y, own_log_rest, values, of_e, of_precision, work[6:], n_inside
    )
    for k in range(n_inside):
        j = inside[k]
        log_p[j] += values[k]
        by_e[j] += of_e[k]
        by_log_precision[j] = of_precision[k] * own[j] * precision[k]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def beta_kernel(
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
    """Fill log probabilities and derivatives of the predictors; add those of the parameters.

    Parameters
    ----------
    predictors
        Difference of the systems, log extremity, deviation of log precision, dims (3, cell).
    answer
        Which end or neither, log of the answer, log of one minus the answer, dims (3, cell).
    criterion
        Position of each cell's criterion.
    scalars
        Chance of an end between equal systems, mean log precision and, where it is in the model,
        direction bias, dims (criterion, scalar).
    options
        The resolution, and whether there is a direction bias.
    log_p
        Log density of one answer of each cell.
    predictors_bar
        Derivatives by the predictors, times the count.
    scalars_bar
        Derivatives by the parameters are added here.
    count
        Judgements in each cell.
    """
    blur = 4.0 * options[0] * options[0]
    has_bias = options[1] > 0.0
    # What cells take by criterion: κ and what goes with it, mean log precision, direction bias.
    terms = np.zeros((6, scalars.shape[0]))
    terms[:4] = end_terms(scalars[:, 0])
    terms[4] = scalars[:, 1]
    if has_bias:
        terms[5] = scalars[:, 2]
    by_cell = np.empty((6, BLOCK))
    level, bias = by_cell[4], by_cell[5]
    space = np.empty((25, BLOCK))
    extremity, own, e, by_e = space[0], space[1], space[2], space[3]
    # Of own_e the answers of one kind stand close together.
    by_log_precision, by_end, own_e, work = space[4], space[5], space[6], space[7:]
    is_inside = np.empty(BLOCK, dtype=np.bool_)
    inside = np.empty(BLOCK, dtype=np.int32)
    for begin in range(0, count.size, BLOCK):
        size = min(BLOCK, count.size - begin)
        part = slice(begin, begin + size)
        difference, what = predictors[DIFFERENCE, part], answer[0, part]
        of_criterion, counts, logs = criterion[part], count[part], log_p[part]
        log_extremity, log_precision = (
            predictors[LOG_EXTREMITY, part],
            predictors[LOG_PRECISION, part],
        )
        spread_over_cells(terms, of_criterion, by_cell)
        for j in range(size):
            extremity[j] = log_extremity[j]
            own[j] = -level[j] - log_precision[j]
        exponentials(extremity, work[0], size)
        exponentials(own, work[0], size)
        for j in range(size):
            e[j] = extremity[j] * difference[j] + bias[j]
            by_log_precision[j] = 0.0
            is_inside[j] = what[j] == BETWEEN
        n_inside = ends_and_rest(
            what, e, by_cell, is_inside[:size], logs, by_e, by_end, own_e, inside, work
        )
        log_y, log_rest = answer[1, part], answer[2, part]
        add_beta_part(
            n_inside,
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
        by_extremity, by_own = (
            predictors_bar[LOG_EXTREMITY, part],
            predictors_bar[LOG_PRECISION, part],
        )
        for j in range(size):
            by_e[j] *= counts[j]
            by_end[j] *= counts[j]
            by_difference[j] = by_e[j] * extremity[j]
            by_extremity[j] = by_difference[j] * difference[j]
            by_own[j] = counts[j] * by_log_precision[j]
        add_by_criterion(scalars_bar, 0, of_criterion, by_end)
        add_by_criterion(scalars_bar, 1, of_criterion, by_own)
        if has_bias:
            add_by_criterion(scalars_bar, 2, of_criterion, by_e)


def beta_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient of the model with :func:`beta_kernel`; see ``_callback``."""
    forward = predictor_forward(n, x, data)
    beta_kernel(*forward[2])
    return predictor_reverse(n, x, gradient, value, data, forward)
