"""Thresholds of the ordinal response: population, annotators' gaps, and gradients back."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math

import numba
import numpy as np
import numpy.typing as npt

from bayeseval.families._block_math import BLOCK, exponentials
from bayeseval.families._declaration import FloatArray
from bayeseval.families._effects_kernel import (
    LOG_SQRT_2PI,
    signed_normal_log,
)
from bayeseval.families._ordinal_kernel import OPEN_END, interval_terms

type Starts = npt.NDArray[np.int64]


@numba.njit(nogil=True, error_model="numpy", inline="always")
def _centred_steps(
    gaps: FloatArray, first: int, last: int, n_gaps: int, mean: float, out: FloatArray
) -> None:
    """Fill rows of thresholds that have these gaps and this mean.

    Rows are often of three or four: indices cost less there than views of each row.
    """
    for row in range(first, last):
        step, total = 0.0, 0.0
        for k in range(n_gaps):
            step += gaps[row, k]
            total += step
            out[row, k + 1] = step
        shift = mean - total / (n_gaps + 1)
        out[row, 0] = shift
        for k in range(n_gaps):
            out[row, k + 1] += shift


@numba.njit(nogil=True, error_model="numpy", inline="always")
def _centred_steps_reverse(
    thresholds_bar: FloatArray,
    gaps: FloatArray,
    first: int,
    last: int,
    n_gaps: int,
    own_bar: FloatArray,
    log_gaps_bar: FloatArray,
) -> float:
    """Fill the gradient by each row's log gaps, add it up, and return that by the mean of all."""
    mean_bar = 0.0
    for row in range(first, last):
        row_bar = 0.0
        for k in range(n_gaps + 1):
            row_bar += thresholds_bar[row, k]
        mean_bar += row_bar
        row_bar /= n_gaps + 1
        suffix = 0.0
        for k in range(n_gaps - 1, -1, -1):
            suffix += thresholds_bar[row, k + 1] - row_bar
            bar = suffix * gaps[row, k]
            own_bar[row, k] = bar
            log_gaps_bar[k] += bar
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
def population_gaps_forward(
    x: FloatArray,
    starts: Starts,
    is_short: bool,  # noqa: FBT001
    smooth_prior: FloatArray,
    rotation: FloatArray,
    log_gaps: FloatArray,
) -> float:
    """Fill the population's log gaps (criterion, gap); return their log prior density.

    A short scale is sampled as the mean of its thresholds and its log gaps; a long scale as mean,
    log width, roughness with a sign, and the rotated steps of a random walk of its log gaps.
    ``smooth_prior`` has the scale of the mean, the centre and scale of the log width, and the scale
    of the roughness. The prior of the thresholds of a short scale is that of all of them
    (:func:`population_forward`); here its volume only.
    """
    n_criteria, n_gaps = log_gaps.shape
    total = 0.0
    for c in range(n_criteria):
        if is_short:
            own = x[starts[0] + c * (n_gaps + 1) : starts[0] + (c + 1) * (n_gaps + 1)]
            for k in range(n_gaps):
                log_gaps[c, k] = own[k + 1]
                total += own[k + 1]
        else:
            log_width, roughness = x[starts[1] + c], x[starts[2] + c]
            n_steps = n_gaps - 1
            rotated = x[starts[3] + c * n_steps : starts[3] + (c + 1) * n_steps]
            total += signed_normal_log(log_width - smooth_prior[1], smooth_prior[2])
            total += signed_normal_log(roughness, smooth_prior[3])
            step_sd = roughness / math.sqrt(n_steps)
            log_gaps[c] = 0.0
            for j in range(n_steps):
                total -= 0.5 * rotated[j] * rotated[j] + LOG_SQRT_2PI
                for k in range(n_steps):
                    log_gaps[c, k + 1] += step_sd * rotated[j] * rotation[j, k]
            highest = 0.0
            for k in range(1, n_gaps):
                log_gaps[c, k] += log_gaps[c, k - 1]
                highest = max(highest, log_gaps[c, k])
            relative = 0.0
            for k in range(n_gaps):
                relative += math.exp(log_gaps[c, k] - highest)
            shift = log_width - highest - math.log(relative)
            for k in range(n_gaps):
                log_gaps[c, k] += shift
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def population_forward(
    location: FloatArray,
    log_gaps: FloatArray,
    prior: FloatArray,
    normaliser: float,
    mean_scale: float,
    gaps: FloatArray,
    population: FloatArray,
    population_bar: FloatArray,
) -> float:
    """Fill gaps and thresholds of the population; return the log prior density.

    Parameters
    ----------
    location
        Means of the thresholds, dims (criterion,).
    log_gaps
        Dims (criterion, gap).
    prior, normaliser
        Dirichlet prior of a short scale; empty for a long one.
    mean_scale
        Scale of the mean of a long scale.
    gaps, population
        Results, dims (criterion, gap) and (criterion, threshold).
    population_bar
        Takes the gradient of the prior of a short scale.
    """
    total = 0.0
    for c in range(location.size):
        for k in range(gaps.shape[1]):
            gaps[c, k] = math.exp(log_gaps[c, k])
        _centred_steps(gaps, c, c + 1, gaps.shape[1], location[c], population)
        if prior.size:
            total += induced_dirichlet(population[c], prior, normaliser, population_bar[c])
        else:
            total += signed_normal_log(location[c], mean_scale)
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def population_reverse(
    location: FloatArray,
    is_short: bool,  # noqa: FBT001
    mean_scale: float,
    population_bar: FloatArray,
    gaps: FloatArray,
    log_gaps_bar: FloatArray,
    location_bar: FloatArray,
) -> None:
    """Fill the gradient by the location, and add to that by the log gaps."""
    own_bar = np.empty_like(gaps)
    for c in range(location.size):
        location_bar[c] = _centred_steps_reverse(
            population_bar, gaps, c, c + 1, gaps.shape[1], own_bar, log_gaps_bar[c]
        )
        if not is_short:
            location_bar[c] -= location[c] / mean_scale**2


@numba.njit(cache=True, nogil=True, error_model="numpy")
def population_gaps_reverse(
    x: FloatArray,
    starts: Starts,
    is_short: bool,  # noqa: FBT001
    smooth_prior: FloatArray,
    rotation: FloatArray,
    log_gaps: FloatArray,
    log_gaps_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the log gaps pass back, and what their prior contributes."""
    n_criteria, n_gaps = log_gaps.shape
    for c in range(n_criteria):
        bar = log_gaps_bar[c]
        if is_short:
            for k in range(n_gaps):
                gradient[starts[0] + c * (n_gaps + 1) + k + 1] += bar[k] + 1.0
        else:
            n_steps = n_gaps - 1
            log_width, roughness = x[starts[1] + c], x[starts[2] + c]
            rotated = x[starts[3] + c * n_steps : starts[3] + (c + 1) * n_steps]
            slope = gradient[starts[3] + c * n_steps : starts[3] + (c + 1) * n_steps]
            total = bar.sum()
            gradient[starts[1] + c] += total - (log_width - smooth_prior[1]) / smooth_prior[2] ** 2
            # A gap's share of the width is what the normalisation of the walk passes back.
            by_rotated = np.zeros(n_steps)
            suffix = 0.0
            for k in range(n_steps, 0, -1):
                suffix += bar[k] - total * math.exp(log_gaps[c, k] - log_width)
                for j in range(n_steps):
                    by_rotated[j] += suffix * rotation[k - 1, j]
            by_roughness = 0.0
            for j in range(n_steps):
                slope[j] += roughness / math.sqrt(n_steps) * by_rotated[j] - rotated[j]
                by_roughness += rotated[j] * by_rotated[j] / math.sqrt(n_steps)
            gradient[starts[2] + c] += by_roughness - roughness / smooth_prior[3] ** 2


@numba.njit(cache=True, nogil=True, error_model="numpy")
def annotators_forward(
    terms: FloatArray,
    n_annotators: int,
    basis: FloatArray,
    population: FloatArray,
    log_gaps: FloatArray,
    own_gaps: FloatArray,
    thresholds: FloatArray,
) -> None:
    """Fill annotators' gaps and thresholds.

    Parameters
    ----------
    terms
        What annotators' log gaps have beyond the population's of each function of ``basis``, dims
        (criterion-annotator-term,).
    n_annotators
        Number of annotators.
    basis
        Dims (term, gap).
    population, log_gaps
        Thresholds and log gaps of the population, dims (criterion, …).
    own_gaps, thresholds
        Results, dims (criterion-annotator, …).
    """
    n_terms, n_gaps = basis.shape
    if n_terms == 3 and n_gaps == 3:
        # A scale of five points: of known lengths the loops are unrolled.
        _own_log_gaps(terms, n_annotators, basis, 3, 3, log_gaps, own_gaps)
    else:
        _own_log_gaps(terms, n_annotators, basis, n_terms, n_gaps, log_gaps, own_gaps)
    flat, power = own_gaps.ravel(), np.empty(BLOCK)
    for start in range(0, flat.size, BLOCK):
        exponentials(flat[start:], power, min(BLOCK, flat.size - start))
    for c in range(log_gaps.shape[0]):
        first, last = c * n_annotators, (c + 1) * n_annotators
        mean = population[c].mean()
        if n_gaps == 3:
            _centred_steps(own_gaps, first, last, 3, mean, thresholds)
        else:
            _centred_steps(own_gaps, first, last, n_gaps, mean, thresholds)


@numba.njit(nogil=True, error_model="numpy", inline="always")
def _own_log_gaps(
    terms: FloatArray,
    n_annotators: int,
    basis: FloatArray,
    n_terms: int,
    n_gaps: int,
    log_gaps: FloatArray,
    own_gaps: FloatArray,
) -> None:
    for c in range(log_gaps.shape[0]):
        for row in range(c * n_annotators, (c + 1) * n_annotators):
            for k in range(n_gaps):
                log_gap = log_gaps[c, k]
                for j in range(n_terms):
                    log_gap += terms[row * n_terms + j] * basis[j, k]
                own_gaps[row, k] = log_gap


@numba.njit(cache=True, nogil=True, error_model="numpy")
def annotators_reverse(
    n_annotators: int,
    basis: FloatArray,
    thresholds_bar: FloatArray,
    own_gaps: FloatArray,
    population_bar: FloatArray,
    log_gaps_bar: FloatArray,
    terms_bar: FloatArray,
) -> None:
    """Add what the annotators' thresholds pass back to the population and to their own terms."""
    n_terms, n_gaps = basis.shape
    own_bar = np.empty_like(own_gaps)
    for c in range(population_bar.shape[0]):
        first, last = c * n_annotators, (c + 1) * n_annotators
        bar = log_gaps_bar[c]
        if n_terms == 3 and n_gaps == 3:
            mean_bar = _centred_steps_reverse(
                thresholds_bar, own_gaps, first, last, 3, own_bar, bar
            )
            _own_log_gaps_reverse(own_bar, first, last, basis, 3, 3, terms_bar)
        else:
            mean_bar = _centred_steps_reverse(
                thresholds_bar, own_gaps, first, last, n_gaps, own_bar, bar
            )
            _own_log_gaps_reverse(own_bar, first, last, basis, n_terms, n_gaps, terms_bar)
        for k in range(n_gaps + 1):
            population_bar[c, k] += mean_bar / (n_gaps + 1)


@numba.njit(nogil=True, error_model="numpy", inline="always")
def _own_log_gaps_reverse(
    own_bar: FloatArray,
    first: int,
    last: int,
    basis: FloatArray,
    n_terms: int,
    n_gaps: int,
    terms_bar: FloatArray,
) -> None:
    for row in range(first, last):
        for j in range(n_terms):
            inner = 0.0
            for k in range(n_gaps):
                inner += own_bar[row, k] * basis[j, k]
            terms_bar[row * n_terms + j] += inner
