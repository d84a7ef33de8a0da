"""Log density of models with linear predictors around any kernel of their answers."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from bayeseval.families._block_math import inner_product
from bayeseval.families._callback import (
    finish,
    float_rows,
    floats,
    integer_rows,
    integers,
    long_rows,
    longs,
    table_of,
)
from bayeseval.families._declaration import FloatArray, IntArray
from bayeseval.families._effects_kernel import (
    WORKING_ROWS,
    EffectTables,
    effect_tables_of,
    effects_forward,
    effects_reverse,
    half_normal_log,
    half_normal_slope,
)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _scalars_forward(
    x: FloatArray,
    places: npt.NDArray[np.int64],
    a: FloatArray,
    b: FloatArray,
    constant: FloatArray,
    values: FloatArray,
) -> float:
    """Fill the parameters (criterion, scalar) and return their log prior, Jacobians included."""
    total = 0.0
    for j in range(places.shape[0]):
        start, kind = places[j]
        for c in range(values.shape[0]):
            own = x[start + c]
            if kind == 0:
                values[c, j] = own
                total += constant[j] - 0.5 * ((own - a[j]) / b[j]) ** 2
            elif kind == 1:
                values[c, j] = math.exp(own)
                total += half_normal_log(own, a[j])
            elif kind == 2:
                values[c, j] = 1.0 / (1.0 + math.exp(-own))
                # log of the value and of one minus it, exact in both tails.
                log_one_plus = math.log1p(math.exp(-abs(own)))
                log_value = min(own, 0.0) - log_one_plus
                log_rest = -max(own, 0.0) - log_one_plus
                total += constant[j] + a[j] * log_value + b[j] * log_rest
            else:
                values[c, j] = math.exp(own)
                total += constant[j] + a[j] * own - b[j] * values[c, j]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _scalars_reverse(
    x: FloatArray,
    places: npt.NDArray[np.int64],
    a: FloatArray,
    b: FloatArray,
    values: FloatArray,
    values_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the parameters' gradient and their prior contribute."""
    for j in range(places.shape[0]):
        start, kind = places[j]
        for c in range(values.shape[0]):
            own, value, bar = x[start + c], values[c, j], values_bar[c, j]
            if kind == 0:
                slope = bar - (value - a[j]) / (b[j] * b[j])
            elif kind == 1:
                slope = bar * value + half_normal_slope(own, a[j])
            elif kind == 2:
                slope = bar * value * (1.0 - value) + a[j] * (1.0 - value) - b[j] * value
            else:
                slope = bar * value + a[j] - b[j] * value
            gradient[start + c] += slope


@numba.njit(cache=True, nogil=True, error_model="numpy")
def located(
    x: FloatArray,
    tables: EffectTables,
    around: npt.NDArray[np.int64],
    weight: FloatArray,
    stride: int,
    effects: FloatArray,
) -> FloatArray:
    """Return the point with the parameters that effects vary around as the response has them.

    The sampler sees such a parameter plus a weighted sum of the effects: where the data know some
    levels much better than others, they know that sum, and neither the parameter nor the effects.
    ``stride`` is the distance of such parameters of two criteria.
    """
    x = x.copy()
    for e in range(around.size):
        if around[e] < 0:
            continue
        n_criteria, size = tables.blocks[e, 2], tables.blocks[e, 3] * tables.blocks[e, 4]
        for c in range(n_criteria):
            first = tables.blocks[e, 6] + c * size
            own = slice(first, first + size)
            x[around[e] + c * stride] -= inner_product(weight[own], effects[own])
    return x


@numba.njit(cache=True, nogil=True, error_model="numpy")
def located_reverse(
    tables: EffectTables,
    around: npt.NDArray[np.int64],
    weight: FloatArray,
    stride: int,
    gradient: FloatArray,
    effects_bar: FloatArray,
) -> None:
    """Add to the effects' gradient what the parameters that they vary around pass back."""
    for e in range(around.size):
        if around[e] < 0:
            continue
        n_criteria, size = tables.blocks[e, 2], tables.blocks[e, 3] * tables.blocks[e, 4]
        for c in range(n_criteria):
            first = tables.blocks[e, 6] + c * size
            bar = gradient[around[e] + c * stride]
            for j in range(first, first + size):
                effects_bar[j] -= weight[j] * bar


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _set_levels(
    out: FloatArray, position: IntArray, weight: FloatArray, constant: float, values: FloatArray
) -> None:
    """Fill ``weight * values`` at positions of the values; the constant where it is a number."""
    if math.isnan(constant):
        for j in range(out.size):
            out[j] = weight[j] * values[position[j]]
    else:
        for j in range(out.size):
            out[j] = constant * values[position[j]]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add_levels(
    out: FloatArray, position: IntArray, weight: FloatArray, constant: float, values: FloatArray
) -> None:
    """Add what :func:`_set_levels` fills."""
    if math.isnan(constant):
        for j in range(out.size):
            out[j] += weight[j] * values[position[j]]
    else:
        for j in range(out.size):
            out[j] += constant * values[position[j]]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _add_run_sums(
    out: FloatArray,
    runs: npt.NDArray[np.int64],
    position: IntArray,
    weight: FloatArray,
    constant: float,
    values: FloatArray,
) -> None:
    """Add ``weight * values`` at positions of ``out``, a run of cells with one position at once.

    Adding each to memory would wait for the one before. ``runs`` has where each run begins, and at
    last where the cells end, counted from elsewhere.
    """
    for r in range(runs.size - 1):
        first, last = runs[r] - runs[0], runs[r + 1] - runs[0]
        total = 0.0
        if math.isnan(constant):
            for j in range(first, last):
                total += weight[j] * values[j]
        else:
            for j in range(first, last):
                total += values[j]
            total *= constant
        out[position[first]] += total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _runs_between(runs: npt.NDArray[np.int64], begin: int, stop: int) -> npt.NDArray[np.int64]:
    """Return the bounds of the runs of some cells; no run reaches over ``begin`` or ``stop``."""
    return runs[np.searchsorted(runs, begin) : np.searchsorted(runs, stop) + 1]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add_scattered(
    out: FloatArray, position: IntArray, weight: FloatArray, constant: float, values: FloatArray
) -> None:
    """Add ``weight * values`` at positions of ``out`` where neighbours rarely share one."""
    if math.isnan(constant):
        for j in range(position.size):
            out[position[j]] += weight[j] * values[j]
    else:
        for j in range(position.size):
            out[position[j]] += constant * values[j]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _set_neighbours(
    out: FloatArray, next_out: FloatArray, position: IntArray, values: FloatArray
) -> None:
    """Fill values at positions, and those that follow them."""
    for j in range(out.size):
        out[j] = values[position[j]]
        next_out[j] = values[position[j] + 1]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add_neighbours(
    out: FloatArray, position: IntArray, values: FloatArray, next_values: FloatArray
) -> None:
    """Add values at positions of ``out``, and others at the positions that follow."""
    for j in range(position.size):
        out[position[j]] += values[j]
        out[position[j] + 1] += next_values[j]


_FIRST = len(EffectTables._fields)
SCATTERED, IN_RUNS, NEIGHBOURS = range(3)
"""How a term's slopes are added up: cell by cell; by runs of cells that share a level; or together
with those of the next term, whose levels are the ones that follow, both with weight 1 and alone in
their predictors."""
ROWS = 2048
"""Cells at a time: their predictors and slopes stay in fast memory from one step to the next."""

OFFSET = _FIRST + 17
"""Slot of what is added to the effects; that of their slopes is the next."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def n_cells(data: Any) -> int:
    """Return the number of cells."""
    return floats(table_of(data), _FIRST + 9).size


@numba.njit(cache=True, nogil=True, error_model="numpy")
def predicted(data: Any, begin: int, shared: Any) -> Any:
    """Return what a kernel takes of a few cells: their linear predictors, and room for slopes.

    Parameters
    ----------
    data
        The tables.
    begin
        First of the cells, of which there are at most ``ROWS``.
    shared
        Levels of all that terms may name, room for their slopes, the response's parameters, room
        for theirs, and the log density so far, dims (1,).
    """
    table = table_of(data)
    index, weight = integer_rows(table, _FIRST + 4), float_rows(table, _FIRST + 5)
    target, constant = longs(table, _FIRST + 6), floats(table, _FIRST + 14)
    reading = long_rows(table, _FIRST + 15)
    answer, criterion = float_rows(table, _FIRST + 7), integers(table, _FIRST + 8)
    count, options = floats(table, _FIRST + 9), floats(table, _FIRST + 10)
    levels, _, scalars, scalars_bar, _ = shared
    stop = min(begin + ROWS, count.size)
    predictors = np.empty((longs(table, _FIRST + 11)[1], stop - begin))
    is_filled = np.zeros(predictors.shape[0], dtype=np.bool_)
    for t in range(index.shape[0]):
        if t > 0 and reading[t - 1, 0] == NEIGHBOURS:
            continue
        own, own_weight, out = index[t, begin:stop], weight[t, begin:stop], predictors[target[t]]
        if reading[t, 0] == NEIGHBOURS:
            _set_neighbours(out, predictors[target[t + 1]], own, levels)
            is_filled[target[t + 1]] = True
        elif is_filled[target[t]]:
            _add_levels(out, own, own_weight, constant[t], levels)
        else:
            _set_levels(out, own, own_weight, constant[t], levels)
        is_filled[target[t]] = True
    for k in range(predictors.shape[0]):
        if not is_filled[k]:
            predictors[k] = 0.0
    own_answer = np.empty((answer.shape[0], stop - begin))
    for k in range(answer.shape[0]):
        column = answer[k, begin:stop]
        for j in range(column.size):
            own_answer[k, j] = column[j]
    return (
        predictors,
        own_answer,
        criterion[begin:stop],
        scalars,
        options,
        np.empty(stop - begin),
        np.empty_like(predictors),
        scalars_bar,
        count[begin:stop],
    )


@numba.njit(cache=True, nogil=True, error_model="numpy")
def predicted_reverse(data: Any, begin: int, shared: Any, given: Any) -> None:
    """Add the cells' log probabilities, and to the levels' slopes what their predictors pass on."""
    table = table_of(data)
    index, weight = integer_rows(table, _FIRST + 4), float_rows(table, _FIRST + 5)
    target, constant = longs(table, _FIRST + 6), floats(table, _FIRST + 14)
    reading, runs = long_rows(table, _FIRST + 15), longs(table, _FIRST + 16)
    _, levels_bar, _, _, total = shared
    _, _, _, _, _, log_p, predictors_bar, _, count = given
    total[0] += inner_product(count, log_p)
    stop = begin + count.size
    for t in range(index.shape[0]):
        if t > 0 and reading[t - 1, 0] == NEIGHBOURS:
            continue
        own, own_weight = index[t, begin:stop], weight[t, begin:stop]
        values = predictors_bar[target[t]]
        if reading[t, 0] == NEIGHBOURS:
            _add_neighbours(levels_bar, own, values, predictors_bar[target[t + 1]])
        elif reading[t, 0] == IN_RUNS:
            bounds = _runs_between(runs[reading[t, 1] : reading[t, 2]], begin, stop)
            _add_run_sums(levels_bar, bounds, own, own_weight, constant[t], values)
        else:
            _add_scattered(levels_bar, own, own_weight, constant[t], values)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def predictor_forward(n: int, x_: Any, data: Any) -> Any:
    """Return what cells share (see :func:`predicted`), and what the way back needs."""
    table = table_of(data)
    places, a = long_rows(table, _FIRST), floats(table, _FIRST + 1)
    b, constant = floats(table, _FIRST + 2), floats(table, _FIRST + 3)
    around, around_weight = longs(table, _FIRST + 12), floats(table, _FIRST + 13)
    offset = floats(table, OFFSET)
    tables = effect_tables_of(table)
    x = numba.carray(x_, (n,))
    n_criteria, _, stride = longs(table, _FIRST + 11)

    effects = np.empty(tables.score.size)
    scalars = np.empty((n_criteria, places.shape[0]))
    means = np.empty((tables.blocks.shape[0], n_criteria))
    work = np.empty((WORKING_ROWS, effects.size))
    total = np.empty(1)
    total[0] = effects_forward(x, tables, effects, means, work)
    at = located(x, tables, around, around_weight, stride, effects)
    total[0] += _scalars_forward(at, places, a, b, constant, scalars)
    # Differencing moves the effects; the parents of finer ones stay where they are.
    moved = effects + offset if offset.size else effects
    return (moved, np.zeros(effects.size), scalars, np.zeros_like(scalars), total), work


@numba.njit(cache=True, nogil=True, error_model="numpy")
def predictor_reverse(n: int, x_: Any, gradient_: Any, value_: Any, data: Any, forward: Any) -> int:
    """Fill log density and gradient from what the cells have added to."""
    table = table_of(data)
    places, a, b = long_rows(table, _FIRST), floats(table, _FIRST + 1), floats(table, _FIRST + 2)
    around, around_weight = longs(table, _FIRST + 12), floats(table, _FIRST + 13)
    slopes, stride = floats(table, OFFSET + 1), longs(table, _FIRST + 11)[2]
    tables = effect_tables_of(table)
    x, gradient = numba.carray(x_, (n,)), numba.carray(gradient_, (n,))
    (_, effects_bar, scalars, scalars_bar, total), work = forward

    if slopes.size:
        slopes[:] = effects_bar
    gradient[:] = 0.0
    _scalars_reverse(x, places, a, b, scalars, scalars_bar, gradient)
    located_reverse(tables, around, around_weight, stride, gradient, effects_bar)
    means_bar = np.zeros((tables.blocks.shape[0], scalars.shape[0]))
    effects_reverse(x, tables, work, means_bar, effects_bar, gradient)
    return finish(total[0], gradient, value_)
