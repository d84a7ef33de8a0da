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
def _parameters(
    x: FloatArray,
    tables: EffectTables,
    around: npt.NDArray[np.int64],
    weight: FloatArray,
    effects: FloatArray,
) -> FloatArray:
    """Return the point with the parameters that effects vary around as the response has them.

    The sampler sees such a parameter plus a weighted sum of the effects: where the data know some
    levels much better than others, they know that sum, and neither the parameter nor the effects.
    """
    x = x.copy()
    for e in range(around.size):
        if around[e] < 0:
            continue
        n_criteria, size = tables.blocks[e, 2], tables.blocks[e, 3] * tables.blocks[e, 4]
        for c in range(n_criteria):
            first = tables.blocks[e, 6] + c * size
            for j in range(first, first + size):
                x[around[e] + c] -= weight[j] * effects[j]
    return x


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _parameters_reverse(
    tables: EffectTables,
    around: npt.NDArray[np.int64],
    weight: FloatArray,
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
            for j in range(first, first + size):
                effects_bar[j] -= weight[j] * gradient[around[e] + c]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add_weighted(
    out: FloatArray, position: IntArray, weight: FloatArray, values: FloatArray
) -> None:
    """Add ``weight * values`` at positions of ``out``, neighbours of one position at once.

    The order of the cells makes such neighbours frequent, and adding each to memory would wait for
    the one before.
    """
    at = position[0]
    run = 0.0
    for j in range(position.size):
        if position[j] != at:
            out[at] += run
            at = position[j]
            run = 0.0
        run += weight[j] * values[j]
    out[at] += run


_FIRST = len(EffectTables._fields)
OFFSET = _FIRST + 14
"""Slot of what is added to the effects; that of their slopes is the next."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def predictor_forward(n: int, x_: Any, data: Any) -> Any:
    """Return the log prior density, what the way back needs, and what the kernel takes."""
    table = table_of(data)
    places, a = long_rows(table, _FIRST), floats(table, _FIRST + 1)
    b, constant = floats(table, _FIRST + 2), floats(table, _FIRST + 3)
    index, weight = integer_rows(table, _FIRST + 4), float_rows(table, _FIRST + 5)
    target, answer = longs(table, _FIRST + 6), float_rows(table, _FIRST + 7)
    criterion, count = integers(table, _FIRST + 8), floats(table, _FIRST + 9)
    options, sizes = floats(table, _FIRST + 10), longs(table, _FIRST + 11)
    around, around_weight = longs(table, _FIRST + 12), floats(table, _FIRST + 13)
    offset = floats(table, OFFSET)
    tables = effect_tables_of(table)
    x = numba.carray(x_, (n,))
    n_criteria, n_predictors = sizes

    effects = np.empty(tables.score.size)
    scalars = np.empty((n_criteria, places.shape[0]))
    means = np.empty((tables.blocks.shape[0], n_criteria))
    work = np.empty((WORKING_ROWS, effects.size))
    total = effects_forward(x, tables, effects, means, work)
    total += _scalars_forward(
        _parameters(x, tables, around, around_weight, effects), places, a, b, constant, scalars
    )
    # Differencing moves the effects; the parents of finer ones stay where they are.
    moved = effects + offset if offset.size else effects
    predictors = np.zeros((n_predictors, count.size))
    for t in range(index.shape[0]):
        predictor, own_index, own_weight = predictors[target[t]], index[t], weight[t]
        for cell in range(predictor.size):
            predictor[cell] += own_weight[cell] * moved[own_index[cell]]
    log_p = np.empty(count.size)
    predictors_bar = np.empty((n_predictors, count.size))
    scalars_bar = np.zeros_like(scalars)
    return (
        total,
        work,
        (
            predictors,
            answer,
            criterion,
            scalars,
            options,
            log_p,
            predictors_bar,
            scalars_bar,
            count,
        ),
    )


@numba.njit(cache=True, nogil=True, error_model="numpy")
def predictor_reverse(n: int, x_: Any, gradient_: Any, value_: Any, data: Any, forward: Any) -> int:
    """Fill log density and gradient from what the kernel has filled."""
    table = table_of(data)
    places, a, b = long_rows(table, _FIRST), floats(table, _FIRST + 1), floats(table, _FIRST + 2)
    index, weight = integer_rows(table, _FIRST + 4), float_rows(table, _FIRST + 5)
    target, slopes = longs(table, _FIRST + 6), floats(table, OFFSET + 1)
    around, around_weight = longs(table, _FIRST + 12), floats(table, _FIRST + 13)
    tables = effect_tables_of(table)
    x, gradient = numba.carray(x_, (n,)), numba.carray(gradient_, (n,))
    total, work, (_, _, _, scalars, _, log_p, predictors_bar, scalars_bar, count) = forward

    total += inner_product(count, log_p)
    effects_bar = np.zeros(work.shape[1])
    for t in range(index.shape[0]):
        _add_weighted(effects_bar, index[t], weight[t], predictors_bar[target[t]])
    if slopes.size:
        slopes[:] = effects_bar
    gradient[:] = 0.0
    _scalars_reverse(x, places, a, b, scalars, scalars_bar, gradient)
    _parameters_reverse(tables, around, around_weight, gradient, effects_bar)
    means_bar = np.zeros((tables.blocks.shape[0], scalars.shape[0]))
    effects_reverse(x, tables, work, means_bar, effects_bar, gradient)
    return finish(total, gradient, value_)
