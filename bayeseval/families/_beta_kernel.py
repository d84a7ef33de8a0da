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

from bayeseval.families._declaration import FloatArray, IntArray
from bayeseval.families._gamma_kernel import log_gamma
from bayeseval.families._predictor_kernel import predictor_forward, predictor_reverse

AT_0, BETWEEN, AT_1 = -1.0, 0.0, 1.0
DIFFERENCE, LOG_EXTREMITY, LOG_PRECISION = 0, 1, 2
_LEAST = 1e-300


@numba.njit(cache=True, nogil=True, error_model="numpy")
def logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)) with all digits in both tails."""
    small = math.exp(-abs(x))
    return (1.0 if x > 0.0 else small) / (1.0 + small)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def log_logistic(x: float) -> float:
    """Return the log of the logistic function with all digits in both tails."""
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def beta_terms(
    e: float, precision: float, log_y: float, log_rest: float
) -> tuple[float, float, float]:
    """Return the log density of a beta, and its slopes by the logit of the mean and by log φ.

    Parameters
    ----------
    e
        Logit of the mean.
    precision
        Sum of the beta's two parameters.
    log_y, log_rest
        Logs of the answer and of one minus the answer.
    """
    small = math.exp(-abs(e))
    larger = 1.0 / (1.0 + small)
    mean, rest = (larger, small * larger) if e > 0.0 else (small * larger, larger)
    a, b = max(mean * precision, _LEAST), max(rest * precision, _LEAST)
    log_gamma_a, psi_a = log_gamma(a)
    log_gamma_b, psi_b = log_gamma(b)
    log_gamma_sum, psi_sum = log_gamma(precision)
    log_p = log_gamma_sum - log_gamma_a - log_gamma_b
    log_p += (a - 1.0) * log_y + (b - 1.0) * log_rest
    by_e = mean * rest * precision * (log_y - log_rest - psi_a + psi_b)
    by_log_precision = precision * (psi_sum + mean * (log_y - psi_a) + rest * (log_rest - psi_b))
    return log_p, by_e, by_log_precision


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


@numba.njit(cache=True, nogil=True, error_model="numpy")
def between_terms(low: float, high: float) -> tuple[float, float, float]:
    """Return the log of F(-low) F(-high), F(low) and F(high).

    F(e + κ) - F(e - κ), the chance of an answer between the ends, is the product times
    1 - exp(-2κ), for low = -e - κ and high = e - κ.
    """
    small_low, small_high = math.exp(-abs(low)), math.exp(-abs(high))
    log_p = -max(low, 0.0) - max(high, 0.0) - math.log((1.0 + small_low) * (1.0 + small_high))
    of_low = (1.0 if low > 0.0 else small_low) / (1.0 + small_low)
    of_high = (1.0 if high > 0.0 else small_high) / (1.0 + small_high)
    return log_p, of_low, of_high


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
    kappas, kappa_slopes, log_open, open_slopes = end_terms(scalars[:, 0])
    for i in range(count.size):
        c, n = criterion[i], count[i]
        kappa, by_kappa = kappas[c], kappa_slopes[c]
        extremity = math.exp(predictors[LOG_EXTREMITY, i])
        stretched = extremity * predictors[DIFFERENCE, i]
        e = stretched + scalars[c, 2] if has_bias else stretched
        low, high = -e - kappa, e - kappa
        by_log_precision = 0.0
        if answer[0, i] == AT_0:
            log_p[i] = log_logistic(low)
            by_e = -logistic(-low)
            by_end = by_e * by_kappa
        elif answer[0, i] == AT_1:
            log_p[i] = log_logistic(high)
            by_e = logistic(-high)
            by_end = -by_e * by_kappa
        else:
            own = math.exp(-scalars[c, 1] - predictors[LOG_PRECISION, i])
            inside, by_e, by_log_precision = beta_terms(
                e, 1.0 / (own + blur), answer[1, i], answer[2, i]
            )
            by_log_precision *= own / (own + blur)
            log_between, of_low, of_high = between_terms(low, high)
            log_p[i] = inside + log_between + log_open[c]
            by_e += of_low - of_high
            by_end = (of_low + of_high) * by_kappa + open_slopes[c]
        predictors_bar[DIFFERENCE, i] = n * by_e * extremity
        predictors_bar[LOG_EXTREMITY, i] = n * by_e * stretched
        predictors_bar[LOG_PRECISION, i] = n * by_log_precision
        scalars_bar[c, 0] += n * by_end
        scalars_bar[c, 1] += n * by_log_precision
        if has_bias:
            scalars_bar[c, 2] += n * by_e


def beta_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient of the model with :func:`beta_kernel`; see ``_callback``."""
    forward = predictor_forward(n, x, data)
    beta_kernel(*forward[2])
    return predictor_reverse(n, x, gradient, value, data, forward)
