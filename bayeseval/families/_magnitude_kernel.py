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
import numpy as np

from bayeseval.families._block_math import BLOCK, add_by_criterion, exponentials, logarithms
from bayeseval.families._declaration import FloatArray, IntArray
from bayeseval.families._ordinal_kernel import OPEN_END, interval_terms
from bayeseval.families._predictor_kernel import predictor_forward, predictor_reverse
from bayeseval.families._student_kernel import (
    StudentTable,
    log_normal_band,
    log_normal_cdf,
    student_log_cdfs,
    student_log_densities,
    student_table,
)

CENSORED, BELOW, AT, ABOVE = -2, -1, 0, 1
"""What an answer is, in the first column."""

IMPRESSION, SEVERITY, MODULUS, LOG_SPREAD, TIE_BAND, LOG_SCALE = range(6)
"""The linear predictors."""

MEAN, SPREAD, DEGREES, LEVEL, STEP, BAND = range(6)
"""The parameters; the last three only where there are sides."""

_NARROW = 1e-5
# Further out a predictor counts as this far: beside an open end, it would leave no interval.
_FAR = 0.1 * OPEN_END


@numba.njit(nogil=True, error_model="numpy")
def _narrow_side(what: float, u: float, band: float) -> tuple[float, float, float]:
    """Return the log probability of one side, and its slopes by u and by the band.

    From u and the band apart: in their sum a narrow band would lose its digits.
    """
    if what == AT:
        return log_normal_band(u, band)
    value, slope = log_normal_cdf(u - band if what == ABOVE else -band - u)
    return value, slope if what == ABOVE else -slope, -slope


@numba.njit(nogil=True, error_model="numpy")
def _side_terms(
    what: FloatArray,
    u: FloatArray,
    band: FloatArray,
    log_p: FloatArray,
    by_u: FloatArray,
    by_band: FloatArray,
    work: FloatArray,
) -> None:
    """Fill the log probability of each answer's side, and its slopes by u and by the band.

    Parameters
    ----------
    what
        What the answers are, dims (cell,).
    u, band
        Predictor of the side, and half the width of the band, dims (at least cell,).
    log_p, by_u, by_band
        Results, likewise.
    work
        Working space, dims (6, at least cell).
    """
    size = what.size
    lower, upper = work[4], work[5]
    for j in range(size):
        # The ends of -u plus noise between which the answer is this one.
        centre, half = max(min(-u[j], _FAR), -_FAR), min(band[j], _FAR)
        inner, outer = centre + half, centre - half
        low = inner if what[j] > AT else -OPEN_END
        high = outer if what[j] < AT else OPEN_END
        lower[j] = outer if what[j] == AT else low
        upper[j] = inner if what[j] == AT else high
    interval_terms(lower, upper, log_p, by_u, by_band, work, size)
    for j in range(size):
        by_lower, by_upper = by_u[j], by_band[j]
        by_u[j] = -(by_lower + by_upper)
        # The slope by an open end is 0; a wider band takes from the others what it gives to ties.
        by_band[j] = by_upper - by_lower if what[j] == AT else by_lower - by_upper
    for j in range(size):
        if band[j] < _NARROW:
            log_p[j], by_u[j], by_band[j] = _narrow_side(what[j], u[j], band[j])


@numba.njit(nogil=True, error_model="numpy")
def _density_terms(
    ratio: FloatArray,
    location: FloatArray,
    variance: FloatArray,
    z: FloatArray,
    inverse: FloatArray,
    table: StudentTable,
    log_p: FloatArray,
    by_location: FloatArray,
    by_log_spread: FloatArray,
    by_df: FloatArray,
    work: FloatArray,
    size: int,
) -> None:
    """Fill the log density of log ratios, and its slopes.

    Parameters
    ----------
    ratio, location, variance
        Log ratios, and location and squared spread of Student's t, dims (at least size,).
    z, inverse
        Results: standardised log ratios, and one over the spread, likewise.
    table
        Student's t.
    log_p, by_location, by_log_spread, by_df
        Results, likewise.
    work
        Working space, dims (4, at least size).
    size
        How many.
    """
    by_z, log_variance, spare = work[0], work[1], work[2:]
    for j in range(size):
        inverse[j] = 1.0 / math.sqrt(variance[j])
        z[j] = (ratio[j] - location[j]) * inverse[j]
        log_variance[j] = variance[j]
    logarithms(log_variance, spare[0], size)
    student_log_densities(z, table, log_p, by_z, by_df, spare, size)
    for j in range(size):
        log_p[j] -= 0.5 * log_variance[j]
        by_location[j] = -by_z[j] * inverse[j]
        by_log_spread[j] = -1.0 - by_z[j] * z[j]


@numba.njit(nogil=True, error_model="numpy")
def _censored_terms(
    what: FloatArray,
    z: FloatArray,
    inverse: FloatArray,
    table: StudentTable,
    log_p: FloatArray,
    by_location: FloatArray,
    by_log_spread: FloatArray,
    by_df: FloatArray,
    work: FloatArray,
    size: int,
) -> None:
    """Put the log mass below a censored log ratio, and its slopes, where its density's were.

    Parameters
    ----------
    what
        What the answers are, dims (at least size,).
    z, inverse
        Standardised log ratios, and one over the spread, likewise.
    table
        Student's t.
    log_p, by_location, by_log_spread, by_df
        Replaced where an answer is censored, likewise.
    work
        Working space, dims (10, at least size).
    size
        How many.
    """
    own_z, values, by_z, of_df, spare = work[0], work[1], work[2], work[3], work[4:]
    censored = np.empty(size, dtype=np.int32)
    n_censored = 0
    for j in range(size):
        own_z[n_censored], censored[n_censored] = z[j], j
        n_censored += what[j] == CENSORED
    student_log_cdfs(own_z, table, values, by_z, of_df, spare, n_censored)
    for k in range(n_censored):
        j = censored[k]
        log_p[j], by_df[j] = values[k], of_df[k]
        by_location[j] = -by_z[k] * inverse[j]
        by_log_spread[j] = -by_z[k] * own_z[k]


@numba.njit(nogil=True, error_model="numpy")
def _take_mass_of_side(
    what: FloatArray,
    location: FloatArray,
    inverse: FloatArray,
    table: StudentTable,
    log_p: FloatArray,
    by_location: FloatArray,
    by_log_spread: FloatArray,
    by_df: FloatArray,
    work: FloatArray,
    size: int,
) -> None:
    """Subtract the log mass that Student's t has on the answer's side, and its slopes.

    Parameters
    ----------
    what
        What the answers are, dims (at least size,).
    location, inverse
        Location of Student's t, and one over its spread, likewise.
    table
        Student's t.
    log_p, by_location, by_log_spread, by_df
        Subtracted from, likewise.
    work
        Working space, dims (10, at least size).
    size
        How many.
    """
    end, values, by_end, of_df, spare = work[0], work[1], work[2], work[3], work[4:]
    for j in range(size):
        # The side above is the side below of the mirrored distribution.
        end[j] = (location[j] if what[j] == ABOVE else -location[j]) * inverse[j]
    student_log_cdfs(end, table, values, by_end, of_df, spare, size)
    for j in range(size):
        log_p[j] -= values[j]
        by_df[j] -= of_df[j]
        by_log_spread[j] += by_end[j] * end[j]
        by_location[j] -= by_end[j] * (inverse[j] if what[j] == ABOVE else -inverse[j])


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
    """Fill log probabilities of answers and derivatives; add those of the parameters.

    Parameters
    ----------
    predictors
        By the constants above, dims (6, cell).
    answer
        What the answer is, and its log ratio, dims (2, cell).
    criterion
        Position of each cell's criterion.
    scalars
        By the constants above, dims (criterion, scalar).
    options
        Whether there are sides, and the resolution.
    log_p, predictors_bar, scalars_bar, count
        As in every kernel.
    """
    has_sides = options[0] != 0.0
    least_variance = options[1] * options[1]
    # Rows by their positions: those of an unpacked table count as strided, and are not vectorised.
    space = np.empty((27, BLOCK))
    u, band, by_u, by_band = space[0], space[1], space[2], space[3]
    # Of the answers off the reference, close together.
    own_what, ratio, own_impression, factor = space[4], space[5], space[6], space[7]
    location, own, variance, z, inverse = space[8], space[9], space[10], space[11], space[12]
    values, by_location, by_log_spread, by_df = space[13], space[14], space[15], space[16]
    work = space[17:]
    off = np.empty(BLOCK, dtype=np.int32)
    start = 0
    while start < count.size:
        q = criterion[start]
        stop = start + 1
        while stop < count.size and criterion[stop] == q:
            stop += 1
        table = student_table(scalars[q, DEGREES])
        mean, spread = scalars[q, MEAN], scalars[q, SPREAD]
        level = scalars[q, LEVEL] if has_sides else 0.0
        step = scalars[q, STEP] if has_sides else 0.0
        log_band = scalars[q, BAND] if has_sides else 0.0
        for begin in range(start, stop, BLOCK):
            size = min(BLOCK, stop - begin)
            part = slice(begin, begin + size)
            # One row after the other: rows that stand apart in memory would not be vectorised.
            impression, severity = predictors[IMPRESSION, part], predictors[SEVERITY, part]
            modulus, log_spread = predictors[MODULUS, part], predictors[LOG_SPREAD, part]
            tie_band, log_scale = predictors[TIE_BAND, part], predictors[LOG_SCALE, part]
            what, ratios, counts, logs = answer[0, part], answer[1, part], count[part], log_p[part]
            if has_sides:
                for j in range(size):
                    u[j] = level + severity[j] + impression[j]
                    band[j] = log_band + tie_band[j]
                exponentials(band, work[0], size)
                _side_terms(what, u, band, logs, by_u, by_band, work)
            else:
                for j in range(size):
                    logs[j], band[j], by_u[j], by_band[j] = 0.0, 0.0, 0.0, 0.0

            n_off = 0
            for j in range(size):
                off[n_off] = j
                n_off += (what[j] != AT) | (not has_sides)
            for k in range(n_off):
                j = off[k]
                own_what[k], ratio[k], own_impression[k] = what[j], ratios[j], impression[j]
                location[k] = mean + modulus[j]
                factor[k] = step + log_scale[j]
                own[k] = 2.0 * (spread + log_spread[j])
            exponentials(factor, work[0], n_off)
            exponentials(own, work[0], n_off)
            for k in range(n_off):
                own_impression[k] *= factor[k]
                location[k] += own_impression[k]
                variance[k] = own[k] + least_variance
            terms = (table, values, by_location, by_log_spread, by_df, work, n_off)
            _density_terms(ratio, location, variance, z, inverse, *terms)
            _censored_terms(own_what, z, inverse, *terms)
            if has_sides:
                _take_mass_of_side(own_what, location, inverse, *terms)

            by_impression = predictors_bar[IMPRESSION, part]
            by_severity, by_modulus = predictors_bar[SEVERITY, part], predictors_bar[MODULUS, part]
            by_spread, by_tie_band = (
                predictors_bar[LOG_SPREAD, part],
                predictors_bar[TIE_BAND, part],
            )
            by_scale = predictors_bar[LOG_SCALE, part]
            for j in range(size):
                by_severity[j] = counts[j] * by_u[j]
                by_tie_band[j] = counts[j] * by_band[j] * band[j]
                by_impression[j] = by_severity[j]
                by_modulus[j], by_spread[j], by_scale[j] = 0.0, 0.0, 0.0
            for k in range(n_off):
                j = off[k]
                logs[j] += values[k]
                by_modulus[j] = counts[j] * by_location[k]
                # log of sqrt(own + least) moves with log(own) / 2 by the share of own in the sum.
                by_spread[j] = counts[j] * by_log_spread[k] * own[k] / variance[k]
                by_impression[j] += by_modulus[j] * factor[k]
                by_scale[j] = by_modulus[j] * own_impression[k]
                by_df[k] *= counts[j]
            # A parameter is added to every cell's predictor.
            bar, of_criterion = scalars_bar[q : q + 1], criterion[part]
            add_by_criterion(bar, MEAN, of_criterion, by_modulus)
            add_by_criterion(bar, SPREAD, of_criterion, by_spread)
            add_by_criterion(bar, DEGREES, of_criterion[:n_off], by_df)
            if has_sides:
                add_by_criterion(bar, LEVEL, of_criterion, by_severity)
                add_by_criterion(bar, STEP, of_criterion, by_scale)
                add_by_criterion(bar, BAND, of_criterion, by_tie_band)
        start = stop


def magnitude_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient with :func:`magnitude_kernel`; see ``_callback``."""
    forward = predictor_forward(n, x, data)
    magnitude_kernel(*forward[2])
    return predictor_reverse(n, x, gradient, value, data, forward)
