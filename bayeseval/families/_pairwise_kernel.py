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

from bayeseval.families._declaration import FloatArray, IntArray
from bayeseval.families._ordinal_kernel import OPEN_END, interval_terms
from bayeseval.families._predictor_kernel import predictor_forward, predictor_reverse

LOGIT, PROBIT = 0, 1
DECIDED, DAVIDSON, RAO_KUPPER = 0, 1, 2
_BLOCK = 256


@numba.njit(nogil=True, error_model="numpy")
def _logit_block(
    e: FloatArray,
    shares: FloatArray,
    tie: FloatArray,
    log_odd: FloatArray,
    criterion: IntArray,
    ties: int,
    log_p: FloatArray,
    by_e: FloatArray,
    by_tie: FloatArray,
) -> None:
    """Fill the log probability and its slopes for the logistic distribution."""
    for j in range(e.size):
        win, loss, tied = shares[0, j], shares[1, j], shares[2, j]
        size = abs(e[j])
        if ties == DAVIDSON:
            t = tie[criterion[j]]
            small = math.exp(-size)
            middle = math.exp(t - 0.5 * size)
            total = 1.0 + small + middle
            log_p[j] = 0.5 * (win - loss) * e[j] + tied * t - 0.5 * size - math.log(total)
            lead = (1.0 - small) / total
            by_e[j] = 0.5 * (win - loss - math.copysign(lead, e[j]))
            by_tie[j] = tied - middle / total
        elif ties == RAO_KUPPER:
            # A tie is F(e + τ) F(τ - e) (1 - exp(-2τ)) = F(e - τ) F(-e - τ) (exp(2τ) - 1): the
            # terms of a win and a loss, and a factor without e.
            threshold = tie[criterion[j]]
            ahead, behind = e[j] - threshold, -e[j] - threshold
            small_a, small_b = math.exp(-abs(ahead)), math.exp(-abs(behind))
            log_a = min(ahead, 0.0) - math.log1p(small_a)
            log_b = min(behind, 0.0) - math.log1p(small_b)
            not_a = (small_a if ahead > 0.0 else 1.0) / (1.0 + small_a)
            not_b = (small_b if behind > 0.0 else 1.0) / (1.0 + small_b)
            of_a, of_b = win + tied, loss + tied
            log_p[j] = of_a * log_a + of_b * log_b + tied * log_odd[criterion[j]]
            by_e[j] = of_a * not_a - of_b * not_b
            by_tie[j] = -of_a * not_a - of_b * not_b
            if tied > 0.0:
                by_tie[j] += tied * 2.0 / -math.expm1(-2.0 * threshold)
        else:
            small = math.exp(-size)
            against = loss if e[j] > 0.0 else win
            log_p[j] = -against * size - (win + loss) * math.log1p(small)
            of_a = (1.0 if e[j] > 0.0 else small) / (1.0 + small)
            by_e[j] = win - (win + loss) * of_a
            by_tie[j] = 0.0


@numba.njit(nogil=True, error_model="numpy")
def _probit_block(
    e: FloatArray,
    shares: FloatArray,
    tie: FloatArray,
    criterion: IntArray,
    ties: int,
    log_p: FloatArray,
    by_e: FloatArray,
    by_tie: FloatArray,
    work: FloatArray,
) -> None:
    """Fill the log probability and its slopes for the normal distribution.

    An outcome is an interval of the noise: above τ - e for a win, below -τ - e for a loss.
    """
    size = e.size
    lower, upper, log_one = work[4, :size], work[5, :size], work[6, :size]
    by_lower, by_upper = work[7, :size], work[8, :size]
    for j in range(size):
        log_p[j] = 0.0
        by_e[j] = 0.0
        by_tie[j] = 0.0
    for outcome in range(3):
        some = False
        for j in range(size):
            threshold = tie[criterion[j]] if ties == RAO_KUPPER else 0.0
            lower[j] = -OPEN_END
            upper[j] = OPEN_END
            if shares[outcome, j] > 0.0:
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
            share = shares[outcome, j]
            if share > 0.0:
                log_p[j] += share * log_one[j]
                if outcome == 0:
                    by_e[j] -= share * by_lower[j]
                    by_tie[j] += share * by_lower[j]
                elif outcome == 1:
                    by_e[j] -= share * by_upper[j]
                    by_tie[j] -= share * by_upper[j]
                else:
                    by_e[j] -= share * (by_lower[j] + by_upper[j])
                    by_tie[j] += share * (by_upper[j] - by_lower[j])


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
    position = np.zeros(n_criteria)
    tie = np.zeros(n_criteria)
    log_odd = np.zeros(n_criteria)
    for c in range(n_criteria):
        if has_position:
            position[c] = scalars[c, 0]
        if ties != DECIDED:
            tie[c] = scalars[c, has_position]
        if ties == RAO_KUPPER:
            log_odd[c] = 2.0 * tie[c] + math.log(-math.expm1(-2.0 * tie[c]))
    e = np.empty(_BLOCK)
    by_e = np.empty(_BLOCK)
    by_tie = np.empty(_BLOCK)
    work = np.empty((9, _BLOCK))
    for start in range(0, n_cells, _BLOCK):
        size = min(_BLOCK, n_cells - start)
        part = slice(start, start + size)
        location, of_criterion = predictors[0, part], criterion[part]
        for j in range(size):
            e[j] = location[j] + position[of_criterion[j]]
        if has_consistency:
            for j in range(size):
                e[j] *= math.exp(predictors[1, start + j])
        shares = answer[:, part]
        if link == LOGIT:
            _logit_block(
                e[:size],
                shares,
                tie,
                log_odd,
                of_criterion,
                ties,
                log_p[part],
                by_e,
                by_tie,
            )
        else:
            _probit_block(
                e[:size], shares, tie, of_criterion, ties, log_p[part], by_e, by_tie, work
            )
        for j in range(size):
            c, n = of_criterion[j], count[start + j]
            by_location = n * by_e[j]
            if has_consistency:
                predictors_bar[1, start + j] = by_location * e[j]
                by_location *= math.exp(predictors[1, start + j])
            predictors_bar[0, start + j] = by_location
            if has_position:
                scalars_bar[c, 0] += by_location
            if ties != DECIDED:
                scalars_bar[c, has_position] += n * by_tie[j]


def pairwise_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient with :func:`pairwise_kernel`; see ``_callback``."""
    forward = predictor_forward(n, x, data)
    pairwise_kernel(*forward[2])
    return predictor_reverse(n, x, gradient, value, data, forward)
