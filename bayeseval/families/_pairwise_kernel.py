"""Log probability of the outcomes of comparisons, with derivatives, one pass over the cells.

A cell holds all judgements that share their predictors; what it needs of them are the shares of
wins, losses and ties, whose mean log probability times the count is the cell's log likelihood. So
a cell costs the same for three judgements and for three million.

With e = exp(log consistency) · (location + position effect), t Davidson's log ν, τ Rao and
Kupper's threshold, F the logistic or normal distribution function:

    decided      P(a) = F(e),        P(b) = F(-e)
    Davidson     P(a) : P(b) : P(tie) = exp(e/2) : exp(-e/2) : exp(t)
    Rao-Kupper   P(a) = F(e - τ),    P(b) = F(-e - τ),    the rest ties
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
from bayeseval.families._declaration import FloatArray, IntArray
from bayeseval.families._ordinal_kernel import OPEN_END, interval_terms
from bayeseval.families._predictor_kernel import predictor_forward, predictor_reverse

LOGIT, PROBIT = 0, 1
DECIDED, DAVIDSON, RAO_KUPPER = 0, 1, 2


@numba.njit(nogil=True, error_model="numpy")
def _decided_block(
    e: FloatArray,
    win: FloatArray,
    loss: FloatArray,
    log_p: FloatArray,
    by_e: FloatArray,
    by_tie: FloatArray,
    work: FloatArray,
) -> None:
    """Fill the log probability and its slopes for the logistic distribution without ties."""
    n = e.size
    small, total, power = work[0, :n], work[1, :n], work[2, :n]
    for j in range(n):
        small[j] = -abs(e[j])
    exponentials(small, power, n)
    for j in range(n):
        total[j] = 1.0 + small[j]
        by_e[j] = win[j] - (win[j] + loss[j]) * ((1.0 if e[j] > 0.0 else small[j]) / total[j])
        by_tie[j] = 0.0
    logarithms(total, power, n)
    for j in range(n):
        against = loss[j] if e[j] > 0.0 else win[j]
        log_p[j] = -against * abs(e[j]) - (win[j] + loss[j]) * total[j]


@numba.njit(nogil=True, error_model="numpy")
def _davidson_block(
    e: FloatArray,
    win: FloatArray,
    loss: FloatArray,
    tied: FloatArray,
    tie: FloatArray,
    propensity: FloatArray,
    log_p: FloatArray,
    by_e: FloatArray,
    by_tie: FloatArray,
    work: FloatArray,
) -> None:
    """Fill the log probability and its slopes for the logistic distribution with Davidson's ties.

    Over the more likely outcome's weight exp(|e|/2) the three are 1, q² and ν q, q = exp(-|e|/2).
    """
    n = e.size
    root, total, power = work[0, :n], work[1, :n], work[2, :n]
    for j in range(n):
        root[j] = -0.5 * abs(e[j])
    exponentials(root, power, n)
    for j in range(n):
        small, middle = root[j] * root[j], propensity[j] * root[j]
        total[j] = 1.0 + small + middle
        inverse = 1.0 / total[j]
        lead = (1.0 - small) * inverse
        by_e[j] = 0.5 * (win[j] - loss[j] - (lead if e[j] > 0.0 else -lead))
        by_tie[j] = tied[j] - middle * inverse
    logarithms(total, power, n)
    for j in range(n):
        log_p[j] = 0.5 * (win[j] - loss[j]) * e[j] + tied[j] * tie[j]
        log_p[j] -= 0.5 * abs(e[j]) + total[j]


@numba.njit(nogil=True, error_model="numpy")
def _rao_kupper_block(
    e: FloatArray,
    win: FloatArray,
    loss: FloatArray,
    tied: FloatArray,
    tie: FloatArray,
    log_odd: FloatArray,
    odd_slope: FloatArray,
    log_p: FloatArray,
    by_e: FloatArray,
    by_tie: FloatArray,
    work: FloatArray,
) -> None:
    """Fill the log probability and its slopes for the logistic distribution, Rao and Kupper's ties.

    A tie is F(e + τ) F(τ - e) (1 - exp(-2τ)) = F(e - τ) F(-e - τ) (exp(2τ) - 1): the terms of a win
    and a loss, and a factor without e.
    """
    n = e.size
    of_a, of_b, power = work[0, :n], work[1, :n], work[2, :n]
    for j in range(n):
        of_a[j] = -abs(e[j] - tie[j])
        of_b[j] = -abs(e[j] + tie[j])
    exponentials(of_a, power, n)
    exponentials(of_b, power, n)
    for j in range(n):
        ahead, behind = e[j] - tie[j], -e[j] - tie[j]
        wins, losses = win[j] + tied[j], loss[j] + tied[j]
        not_a = wins * (of_a[j] if ahead > 0.0 else 1.0) / (1.0 + of_a[j])
        not_b = losses * (of_b[j] if behind > 0.0 else 1.0) / (1.0 + of_b[j])
        log_p[j] = tied[j] * log_odd[j] + wins * min(ahead, 0.0) + losses * min(behind, 0.0)
        by_e[j] = not_a - not_b
        by_tie[j] = tied[j] * odd_slope[j] - not_a - not_b
        of_a[j] += 1.0
        of_b[j] += 1.0
    logarithms(of_a, power, n)
    logarithms(of_b, power, n)
    for j in range(n):
        log_p[j] -= (win[j] + tied[j]) * of_a[j] + (loss[j] + tied[j]) * of_b[j]


@numba.njit(nogil=True, error_model="numpy")
def _probit_block(
    e: FloatArray,
    win: FloatArray,
    loss: FloatArray,
    tied: FloatArray,
    tie: FloatArray,
    log_p: FloatArray,
    by_e: FloatArray,
    by_tie: FloatArray,
    work: FloatArray,
) -> None:
    """Fill the log probability and its slopes for the normal distribution.

    An outcome is an interval of the noise: above τ - e for a win, below -τ - e for a loss. Without
    ties τ is 0.
    """
    size = e.size
    lower, upper, log_one = work[4, :size], work[5, :size], work[6, :size]
    by_lower, by_upper = work[7, :size], work[8, :size]
    for j in range(size):
        log_p[j] = 0.0
        by_e[j] = 0.0
        by_tie[j] = 0.0
    for outcome, share in enumerate((win, loss, tied)):
        some = False
        for j in range(size):
            threshold = tie[j]
            lower[j] = -OPEN_END
            upper[j] = OPEN_END
            if share[j] > 0.0:
                some = True
                if outcome == 0:
                    lower[j] = threshold - e[j]
                elif outcome == 1:
                    upper[j] = -threshold - e[j]
                else:
                    lower[j] = -threshold - e[j]
                    upper[j] = threshold - e[j]
        if not some:
            continue
        interval_terms(lower, upper, log_one, by_lower, by_upper, work[:4], size)
        for j in range(size):
            # Without the outcome the ends are open, and all of this is zero.
            ahead, behind = share[j] * by_lower[j], share[j] * by_upper[j]
            log_p[j] += share[j] * log_one[j]
            by_e[j] -= ahead + behind
            if outcome == 0:
                by_tie[j] += ahead
            elif outcome == 1:
                by_tie[j] -= behind
            else:
                by_tie[j] += behind - ahead


@numba.njit(cache=True, nogil=True, error_model="numpy")
def pairwise_kernel(
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
        Location, and log consistency where it is in the model, dims (predictor, cell).
    answer
        Shares of wins of a, wins of b, and ties, dims (3, cell).
    criterion
        Position of each cell's criterion.
    scalars
        Position effect and tie parameter, as far as they are there, dims (criterion, scalar).
    options
        Link, tie model, and whether there is a position effect.
    log_p
        Mean log probability of one judgement of each cell.
    predictors_bar
        Derivatives by the predictors, times the count.
    scalars_bar
        Derivatives by the parameters are added here.
    count
        Judgements in each cell.
    """
    link, ties, has_position = int(options[0]), int(options[1]), int(options[2])
    has_consistency = predictors.shape[0] > 1
    n_criteria, n_cells = scalars.shape[0], count.size
    # What cells take by criterion: position effect, tie parameter, ν or log(exp(2τ) - 1) and its
    # slope.
    terms = np.zeros((4, n_criteria))
    for c in range(n_criteria):
        if has_position:
            terms[0, c] = scalars[c, 0]
        if ties == DECIDED:
            continue
        tie = scalars[c, has_position]
        terms[1, c] = tie
        if ties == DAVIDSON:
            terms[2, c] = math.exp(tie)
        else:
            terms[2, c] = 2.0 * tie + math.log(-math.expm1(-2.0 * tie))
            terms[3, c] = 2.0 / -math.expm1(-2.0 * tie)
    e = np.empty(BLOCK)
    consistency = np.empty(BLOCK)
    by_e = np.empty(BLOCK)
    by_tie = np.empty(BLOCK)
    own = np.empty((4, BLOCK))
    work = np.empty((9, BLOCK))
    for start in range(0, n_cells, BLOCK):
        size = min(BLOCK, n_cells - start)
        part = slice(start, start + size)
        location, of_criterion = predictors[0, part], criterion[part]
        spread_over_cells(terms, of_criterion, own)
        for j in range(size):
            e[j] = location[j] + own[0, j]
        if has_consistency:
            consistency[:size] = predictors[1, part]
            exponentials(consistency, work[0], size)
            for j in range(size):
                e[j] *= consistency[j]
        # One row after the other: rows that stand apart in memory would not be vectorised.
        win, loss, tied = answer[0, part], answer[1, part], answer[2, part]
        tie, first, second = own[1, :size], own[2, :size], own[3, :size]
        slopes = (log_p[part], by_e[:size], by_tie[:size], work)
        if link == PROBIT:
            _probit_block(e[:size], win, loss, tied, tie, *slopes)
        elif ties == DAVIDSON:
            _davidson_block(e[:size], win, loss, tied, tie, first, *slopes)
        elif ties == RAO_KUPPER:
            _rao_kupper_block(e[:size], win, loss, tied, tie, first, second, *slopes)
        else:
            _decided_block(e[:size], win, loss, *slopes)
        counts = count[part]
        for j in range(size):
            by_e[j] *= counts[j]
            by_tie[j] *= counts[j]
        if has_consistency:
            for j in range(size):
                predictors_bar[1, start + j] = by_e[j] * e[j]
                by_e[j] *= consistency[j]
        predictors_bar[0, part] = by_e[:size]
        if has_position:
            add_by_criterion(scalars_bar, 0, of_criterion, by_e)
        if ties != DECIDED:
            add_by_criterion(scalars_bar, has_position, of_criterion, by_tie)


def pairwise_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient with :func:`pairwise_kernel`; see ``_callback``."""
    forward = predictor_forward(n, x, data)
    pairwise_kernel(*forward[2])
    return predictor_reverse(n, x, gradient, value, data, forward)
