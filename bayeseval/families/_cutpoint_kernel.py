"""Log density of models with thresholds, around any kernel of their answers.

Thresholds are made of the effects and of the response's own parameters, and stand behind the
effects: terms name them as they name effects. Everything else is as in ``_predictor_kernel``.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

from typing import Any

import numba
import numpy as np

from bayeseval.families._callback import finish, float_rows, floats, longs, table_of
from bayeseval.families._declaration import FloatArray
from bayeseval.families._effects_kernel import (
    WORKING_ROWS,
    EffectTables,
    effect_tables_of,
    effects_forward,
    effects_reverse,
)
from bayeseval.families._ordinal_kernel import OPEN_END
from bayeseval.families._predictor_kernel import OFFSET, located, located_reverse
from bayeseval.families._thresholds_kernel import (
    annotators_forward,
    annotators_reverse,
    population_forward,
    population_gaps_forward,
    population_gaps_reverse,
    population_reverse,
)

_FIRST = len(EffectTables._fields)
_OWN = OFFSET + 2


@numba.njit(cache=True, nogil=True, error_model="numpy")
def cutpoint_forward(n: int, x_: Any, data: Any) -> Any:
    """Return what cells share (see ``_predictor_kernel``), and what the way back needs."""
    table = table_of(data)
    n_criteria, _, stride = longs(table, _FIRST + 11)
    around, weight, offset = (
        longs(table, _FIRST + 12),
        floats(table, _FIRST + 13),
        floats(table, OFFSET),
    )
    starts, category_prior = longs(table, _OWN), floats(table, _OWN + 1)
    normaliser, smooth_prior = floats(table, _OWN + 2)[0], floats(table, _OWN + 3)
    rotation, basis = float_rows(table, _OWN + 4), float_rows(table, _OWN + 5)
    projection = float_rows(table, _OWN + 6)
    n_thresholds, n_annotators = longs(table, _OWN + 7)
    tables = effect_tables_of(table)
    x = numba.carray(x_, (n,))
    n_terms, n_gaps = projection.shape
    is_short = category_prior.size > 0
    # Behind the effects stand the population's log gaps in the terms of annotators' gaps, and
    # behind these the thresholds.
    root_at = tables.score.size
    ends_at = root_at + n_criteria * n_terms
    n_rows = n_criteria * n_annotators
    levels = np.empty(ends_at + n_rows * (n_thresholds + 2))
    log_gaps = np.zeros((n_criteria, n_gaps))
    gaps = np.empty_like(log_gaps)
    population = np.empty((n_criteria, n_thresholds))
    population_bar = np.zeros_like(population)

    total = np.empty(1)
    total[0] = population_gaps_forward(x, starts, is_short, smooth_prior, rotation, log_gaps)
    for c in range(n_criteria):
        for j in range(n_terms):
            term = 0.0
            for k in range(n_gaps):
                term += projection[j, k] * log_gaps[c, k]
            levels[root_at + c * n_terms + j] = term
    means = np.empty((tables.blocks.shape[0], n_criteria))
    work = np.empty((WORKING_ROWS, root_at))
    total[0] += effects_forward(x, tables, levels, means, work)
    at = located(x, tables, around, weight, stride, levels)
    location = np.empty(n_criteria)
    for c in range(n_criteria):
        location[c] = at[starts[0] + c * stride]
    total[0] += population_forward(
        location,
        log_gaps,
        category_prior,
        normaliser,
        smooth_prior[0],
        gaps,
        population,
        population_bar,
    )
    # Differencing moves the effects; the parents of finer ones stay where they are.
    moved = levels.copy() if offset.size else levels
    for j in range(offset.size):
        moved[j] += offset[j]
    own_gaps, thresholds = gaps, population
    if starts[4] >= 0:
        own_gaps = np.empty((n_rows, n_gaps))
        thresholds = np.empty((n_rows, n_thresholds))
        terms = moved[starts[4] : starts[4] + n_rows * n_terms]
        annotators_forward(terms, n_annotators, basis, population, log_gaps, own_gaps, thresholds)
    _fill_ends(thresholds, moved[ends_at:])
    scalars = np.empty((n_criteria, 0))
    shared = (moved, np.zeros(levels.size), scalars, scalars, total)
    return shared, work, (location, log_gaps, gaps, population_bar, own_gaps)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _fill_ends(thresholds: FloatArray, ends: FloatArray) -> None:
    """Fill the ends of categories: the thresholds of each row, and an open end on both sides."""
    n_rows, n = thresholds.shape
    for row in range(n_rows):
        first = row * (n + 2)
        ends[first] = -OPEN_END
        for k in range(n):
            ends[first + k + 1] = thresholds[row, k]
        ends[first + n + 1] = OPEN_END


@numba.njit(cache=True, nogil=True, error_model="numpy")
def cutpoint_reverse(n: int, x_: Any, gradient_: Any, value_: Any, data: Any, forward: Any) -> int:
    """Fill log density and gradient from what the cells have added to."""
    table = table_of(data)
    n_criteria, _, stride = longs(table, _FIRST + 11)
    around, weight = longs(table, _FIRST + 12), floats(table, _FIRST + 13)
    slopes, starts = floats(table, OFFSET + 1), longs(table, _OWN)
    smooth_prior, rotation = floats(table, _OWN + 3), float_rows(table, _OWN + 4)
    basis, projection = float_rows(table, _OWN + 5), float_rows(table, _OWN + 6)
    n_thresholds, n_annotators = longs(table, _OWN + 7)
    is_short = floats(table, _OWN + 1).size > 0
    tables = effect_tables_of(table)
    x, gradient = numba.carray(x_, (n,)), numba.carray(gradient_, (n,))
    (_, levels_bar, _, _, total), work, made = forward
    location, log_gaps, gaps, population_bar, own_gaps = made
    n_terms, n_gaps = projection.shape
    root_at = work.shape[1]
    n_rows = n_criteria * n_annotators

    thresholds_bar = np.empty((n_rows, n_thresholds))
    ends = levels_bar[root_at + n_criteria * n_terms :]
    for row in range(n_rows):
        for k in range(n_thresholds):
            thresholds_bar[row, k] = ends[row * (n_thresholds + 2) + k + 1]
    log_gaps_bar = np.zeros_like(log_gaps)
    if starts[4] >= 0:
        annotators_reverse(
            n_annotators,
            basis,
            thresholds_bar,
            own_gaps,
            population_bar,
            log_gaps_bar,
            levels_bar[starts[4] : starts[4] + n_rows * n_terms],
        )
    else:
        population_bar += thresholds_bar
    if slopes.size:
        slopes[:] = levels_bar[:root_at]
    location_bar = np.empty(n_criteria)
    population_reverse(
        location, is_short, smooth_prior[0], population_bar, gaps, log_gaps_bar, location_bar
    )
    gradient[:] = 0.0
    for c in range(n_criteria):
        gradient[starts[0] + c * stride] = location_bar[c]
    located_reverse(tables, around, weight, stride, gradient, levels_bar)
    means_bar = np.zeros((tables.blocks.shape[0], n_criteria))
    effects_reverse(x, tables, work, means_bar, levels_bar, gradient)
    for c in range(n_criteria):
        for j in range(n_terms):
            bar = levels_bar[root_at + c * n_terms + j]
            for k in range(n_gaps):
                log_gaps_bar[c, k] += projection[j, k] * bar
    population_gaps_reverse(
        x, starts, is_short, smooth_prior, rotation, log_gaps, log_gaps_bar, gradient
    )
    return finish(total[0], gradient, value_)
