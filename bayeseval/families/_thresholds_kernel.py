"""Thresholds of the ordinal response: population, annotators' gaps, and gradients back."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math

import numba
import numpy as np
import numpy.typing as npt

from bayeseval.families._declaration import FloatArray
from bayeseval.families._effects_kernel import (
    LOG_SQRT_2PI,
    signed_normal_log,
)
from bayeseval.families._ordinal_kernel import OPEN_END, interval_terms

type Starts = npt.NDArray[np.int64]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _centred_steps(log_gaps: FloatArray, mean: float, out: FloatArray) -> None:
    """Fill ``out`` with thresholds that have these log gaps and this mean."""
    n = out.size
    out[0] = 0.0
    total = 0.0
    for k in range(1, n):
        out[k] = out[k - 1] + math.exp(log_gaps[k - 1])
        total += out[k]
    shift = mean - total / n
    for k in range(n):
        out[k] += shift


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _centred_steps_reverse(
    thresholds_bar: FloatArray, log_gaps: FloatArray, log_gaps_bar: FloatArray
) -> float:
    """Add the gradient by the log gaps and return the gradient by the mean."""
    n = thresholds_bar.size
    mean_bar = thresholds_bar.sum()
    suffix = 0.0
    for k in range(n - 1, 0, -1):
        suffix += thresholds_bar[k] - mean_bar / n
        log_gaps_bar[k - 1] += suffix * math.exp(log_gaps[k - 1])
    return mean_bar


@numba.njit(cache=True, nogil=True, error_model="numpy")
def induced_dirichlet(
    thresholds: FloatArray, prior: FloatArray, normaliser: float, bar: FloatArray
) -> float:
    """Log density of thresholds whose category probabilities are Dirichlet(prior).

    The Jacobian of probabilities by thresholds is the product of normal densities at the
    thresholds, so the prior is a standard normal on each threshold times what ``prior - 1``
    observations of each category would add.
    """
    n = thresholds.size
    lower = np.empty(n + 1)
    upper = np.empty(n + 1)
    lower[0] = -OPEN_END
    upper[n] = OPEN_END
    lower[1:] = thresholds
    upper[:n] = thresholds
    log_p = np.empty(n + 1)
    by_lower = np.empty(n + 1)
    by_upper = np.empty(n + 1)
    interval_terms(lower, upper, log_p, by_lower, by_upper, np.empty((4, n + 1)), n + 1)
    total = normaliser
    for k in range(n + 1):
        weight = prior[k] - 1.0
        total += weight * log_p[k]
        if k > 0:
            bar[k - 1] += weight * by_lower[k]
        if k < n:
            bar[k] += weight * by_upper[k]
    for k in range(n):
        total -= 0.5 * thresholds[k] * thresholds[k] + LOG_SQRT_2PI
        bar[k] -= thresholds[k]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def population_forward(
    x: FloatArray,
    starts: Starts,
    n_criteria: int,
    prior: FloatArray,
    normaliser: float,
    smooth_prior: FloatArray,
    rotation: FloatArray,
    population: FloatArray,
    log_gaps: FloatArray,
    population_bar: FloatArray,
) -> float:
    """Fill thresholds (criterion, threshold) and log gaps; return the log prior density.

    A short scale is sampled as its first threshold and its log gaps; a long scale (``prior`` is
    empty) as centre, log width, roughness with a sign, and the rotated steps of a random walk of
    its log gaps. ``smooth_prior`` has the scale of the centre, the mean and scale of the log
    width, and the scale of the roughness.
    """
    n = population.shape[1]
    total = 0.0
    for c in range(n_criteria):
        if prior.size:
            own = x[starts[0] + c * n : starts[0] + (c + 1) * n]
            population[c, 0] = own[0]
            for k in range(1, n):
                log_gaps[c, k - 1] = own[k]
                population[c, k] = population[c, k - 1] + math.exp(own[k])
                total += own[k]
            total += induced_dirichlet(population[c], prior, normaliser, population_bar[c])
        else:
            centre, log_width, roughness = x[starts[0] + c], x[starts[1] + c], x[starts[2] + c]
            rotated = x[starts[3] + c * (n - 2) : starts[3] + (c + 1) * (n - 2)]
            total += signed_normal_log(centre, smooth_prior[0])
            total += signed_normal_log(log_width - smooth_prior[1], smooth_prior[2])
            total += signed_normal_log(roughness, smooth_prior[3])
            step_sd = roughness / math.sqrt(n - 2)
            log_gaps[c] = 0.0
            for j in range(n - 2):
                total -= 0.5 * rotated[j] * rotated[j] + LOG_SQRT_2PI
                for k in range(n - 2):
                    log_gaps[c, k + 1] += step_sd * rotated[j] * rotation[j, k]
            highest = 0.0
            for k in range(1, n - 1):
                log_gaps[c, k] += log_gaps[c, k - 1]
                highest = max(highest, log_gaps[c, k])
            relative = 0.0
            for k in range(n - 1):
                relative += math.exp(log_gaps[c, k] - highest)
            shift = log_width - highest - math.log(relative)
            for k in range(n - 1):
                log_gaps[c, k] += shift
            _centred_steps(log_gaps[c], centre, population[c])
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def population_reverse(
    x: FloatArray,
    starts: Starts,
    n_criteria: int,
    prior: FloatArray,
    smooth_prior: FloatArray,
    rotation: FloatArray,
    population_bar: FloatArray,
    log_gaps: FloatArray,
    log_gaps_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the population thresholds and log gaps pass back."""
    n = population_bar.shape[1]
    for c in range(n_criteria):
        if prior.size:
            own = x[starts[0] + c * n : starts[0] + (c + 1) * n]
            slope = gradient[starts[0] + c * n : starts[0] + (c + 1) * n]
            suffix = 0.0
            for k in range(n - 1, 0, -1):
                suffix += population_bar[c, k]
                slope[k] += suffix * math.exp(own[k]) + log_gaps_bar[c, k - 1] + 1.0
            slope[0] += suffix + population_bar[c, 0]
        else:
            centre, log_width, roughness = x[starts[0] + c], x[starts[1] + c], x[starts[2] + c]
            rotated = x[starts[3] + c * (n - 2) : starts[3] + (c + 1) * (n - 2)]
            slope = gradient[starts[3] + c * (n - 2) : starts[3] + (c + 1) * (n - 2)]
            bar = log_gaps_bar[c]
            mean_bar = _centred_steps_reverse(population_bar[c], log_gaps[c], bar)
            gradient[starts[0] + c] += mean_bar - centre / smooth_prior[0] ** 2
            total = bar.sum()
            gradient[starts[1] + c] += total - (log_width - smooth_prior[1]) / smooth_prior[2] ** 2
            # A gap's share of the width is what the normalisation of the walk passes back.
            by_rotated = np.zeros(n - 2)
            suffix = 0.0
            for k in range(n - 2, 0, -1):
                suffix += bar[k] - total * math.exp(log_gaps[c, k] - log_width)
                for j in range(n - 2):
                    by_rotated[j] += suffix * rotation[k - 1, j]
            by_roughness = 0.0
            for j in range(n - 2):
                slope[j] += roughness / math.sqrt(n - 2) * by_rotated[j] - rotated[j]
                by_roughness += rotated[j] * by_rotated[j] / math.sqrt(n - 2)
            gradient[starts[2] + c] += by_roughness - roughness / smooth_prior[3] ** 2


@numba.njit(cache=True, nogil=True, error_model="numpy")
def annotators_forward(
    x: FloatArray,
    sd_start: int,
    start: int,
    n_annotators: int,
    scale: float,
    basis: FloatArray,
    population: FloatArray,
    log_gaps: FloatArray,
    thresholds: FloatArray,
    own_log_gaps: FloatArray,
) -> float:
    """Fill thresholds (criterion-annotator, threshold); return the log prior density."""
    n_terms, n_gaps = basis.shape
    total = 0.0
    for c in range(population.shape[0]):
        gap_sd = x[sd_start + c]
        total += signed_normal_log(gap_sd, scale)
        mean = population[c].mean()
        for row in range(c * n_annotators, (c + 1) * n_annotators):
            own = x[start + row * n_terms : start + (row + 1) * n_terms]
            for k in range(n_gaps):
                own_log_gaps[row, k] = log_gaps[c, k]
            for j in range(n_terms):
                total -= 0.5 * own[j] * own[j] + LOG_SQRT_2PI
                for k in range(n_gaps):
                    own_log_gaps[row, k] += gap_sd * own[j] * basis[j, k]
            _centred_steps(own_log_gaps[row], mean, thresholds[row])
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def annotators_reverse(
    x: FloatArray,
    sd_start: int,
    start: int,
    n_annotators: int,
    scale: float,
    basis: FloatArray,
    thresholds_bar: FloatArray,
    own_log_gaps: FloatArray,
    population_bar: FloatArray,
    log_gaps_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add what the annotators' thresholds pass back to the population and to ``gradient``."""
    n_terms, n_gaps = basis.shape
    n = n_gaps + 1
    bar = np.empty(n_gaps)
    for c in range(population_bar.shape[0]):
        gap_sd = x[sd_start + c]
        by_sd = -gap_sd / (scale * scale)
        mean_bar = 0.0
        for row in range(c * n_annotators, (c + 1) * n_annotators):
            own = x[start + row * n_terms : start + (row + 1) * n_terms]
            slope = gradient[start + row * n_terms : start + (row + 1) * n_terms]
            bar[:] = 0.0
            mean_bar += _centred_steps_reverse(thresholds_bar[row], own_log_gaps[row], bar)
            for k in range(n_gaps):
                log_gaps_bar[c, k] += bar[k]
            for j in range(n_terms):
                inner = 0.0
                for k in range(n_gaps):
                    inner += bar[k] * basis[j, k]
                slope[j] += gap_sd * inner - own[j]
                by_sd += own[j] * inner
        gradient[sd_start + c] += by_sd
        for k in range(n):
            population_bar[c, k] += mean_bar / n
