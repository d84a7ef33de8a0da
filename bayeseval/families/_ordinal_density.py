"""The ordinal model as one compiled function: log density and gradient at a point."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from bayeseval.families._callback import (
    CallbackDensity,
    Tables,
    finish,
    float_rows,
    floats,
    integer_rows,
    integers,
    longs,
    table_of,
)
from bayeseval.families._declaration import Cells, Declaration, FloatArray, IntArray
from bayeseval.families._effects_kernel import (
    LOG_SQRT_2PI,
    EffectTables,
    effect_means,
    effect_means_reverse,
    effect_tables_of,
    effects_forward,
    effects_reverse,
    signed_normal_log,
)
from bayeseval.families._layout import Geometry, effect_tables, layout, n_parameters
from bayeseval.families._ordinal_kernel import ordinal_log_density as ordinal_terms
from bayeseval.families._ordinal_response import OrdinalResponse
from bayeseval.families._thresholds_kernel import (
    annotators_forward,
    annotators_reverse,
    population_forward,
    population_reverse,
)

_ABSENT = -1
_FIRST = len(EffectTables._fields)
_OFFSET = _FIRST + 14
"""Slot of what is added to the effects; that of their slopes is the next."""


def ordinal_log_density(n: int, x_: Any, gradient_: Any, value_: Any, data: Any) -> int:
    """Fill log density and gradient of an ordinal model; see ``_callback``."""
    table = table_of(data)
    x, gradient = numba.carray(x_, (n,)), numba.carray(gradient_, (n,))
    total = _density(
        x,
        gradient,
        effect_tables_of(table),
        longs(table, _FIRST),
        floats(table, _FIRST + 1),
        floats(table, _FIRST + 2),
        floats(table, _FIRST + 3)[0],
        floats(table, _FIRST + 4),
        float_rows(table, _FIRST + 5),
        float_rows(table, _FIRST + 6),
        longs(table, _FIRST + 7),
        integer_rows(table, _FIRST + 8),
        floats(table, _FIRST + 9),
        integers(table, _FIRST + 10),
        integers(table, _FIRST + 11),
        integers(table, _FIRST + 12),
        floats(table, _FIRST + 13),
        floats(table, _OFFSET),
        floats(table, _OFFSET + 1),
    )
    return finish(total, gradient, value_)


@numba.njit(nogil=True, error_model="numpy")
def _density(
    y: FloatArray,
    gradient: FloatArray,
    tables: EffectTables,
    starts: npt.NDArray[np.int64],
    response_scales: FloatArray,
    category_prior: FloatArray,
    normaliser: float,
    smooth_prior: FloatArray,
    rotation: FloatArray,
    basis: FloatArray,
    sizes: npt.NDArray[np.int64],
    index: IntArray,
    sign: FloatArray,
    answer: IntArray,
    response_row: IntArray,
    noise_row: IntArray,
    count: FloatArray,
    offset: FloatArray,
    slopes: FloatArray,
) -> float:
    gap_sd_start, gap_start, noise_sd_start, noise_start = starts[4:]
    n_criteria, n_thresholds, n_annotators, n_rows, n_noise_rows = sizes
    gradient[:] = 0.0
    effects = np.empty(tables.score.size)
    effects_bar = np.zeros_like(effects)
    population = np.empty((n_criteria, n_thresholds))
    thresholds = np.empty((n_rows, n_thresholds))
    log_discrimination = np.empty(n_noise_rows)
    population_bar = np.zeros_like(population)
    log_gaps = np.zeros((n_criteria, max(n_thresholds - 1, 1)))
    log_gaps_bar = np.zeros_like(log_gaps)

    total = effects_forward(y, tables, effects)
    # The sampler's location of the thresholds has the means of the effects taken out.
    stride = n_thresholds if category_prior.size else 1
    means = np.empty(n_criteria)
    effect_means(tables.blocks, sign, effects, means)
    x = y.copy()
    for c in range(n_criteria):
        x[starts[0] + c * stride] += means[c]
    # Differencing moves the effects; the parents of finer ones stay where they are.
    moved = effects + offset if offset.size else effects
    total += population_forward(
        x,
        starts,
        n_criteria,
        category_prior,
        normaliser,
        smooth_prior,
        rotation,
        population,
        log_gaps,
        population_bar,
    )
    has_gaps = gap_start >= 0
    if has_gaps:
        own_log_gaps = np.empty((thresholds.shape[0], n_thresholds - 1))
        total += annotators_forward(
            x,
            gap_sd_start,
            gap_start,
            n_annotators,
            response_scales[0],
            basis,
            population,
            log_gaps,
            thresholds,
            own_log_gaps,
        )
    else:
        own_log_gaps = np.empty((0, 0))
        thresholds[:] = population
    if noise_start >= 0:
        for c in range(n_criteria):
            sd = x[noise_sd_start + c]
            total += signed_normal_log(sd, response_scales[1])
            for row in range(c * n_annotators, (c + 1) * n_annotators):
                z = x[noise_start + row]
                total -= 0.5 * z * z + LOG_SQRT_2PI
                log_discrimination[row] = sd * z
    else:
        log_discrimination[:] = 0.0

    thresholds_bar = np.zeros_like(thresholds)
    log_discrimination_bar = np.zeros_like(log_discrimination)
    total += ordinal_terms(
        moved,
        thresholds,
        log_discrimination,
        index,
        sign,
        answer,
        response_row,
        noise_row,
        count,
        effects_bar,
        thresholds_bar,
        log_discrimination_bar,
    )

    if noise_start >= 0:
        for c in range(n_criteria):
            sd = x[noise_sd_start + c]
            by_sd = -sd / response_scales[1] ** 2
            for row in range(c * n_annotators, (c + 1) * n_annotators):
                bar = log_discrimination_bar[row]
                by_sd += bar * x[noise_start + row]
                gradient[noise_start + row] += sd * bar - x[noise_start + row]
            gradient[noise_sd_start + c] += by_sd
    if has_gaps:
        annotators_reverse(
            x,
            gap_sd_start,
            gap_start,
            n_annotators,
            response_scales[0],
            basis,
            thresholds_bar,
            own_log_gaps,
            population_bar,
            log_gaps_bar,
            gradient,
        )
    else:
        population_bar += thresholds_bar
    population_reverse(
        x,
        starts,
        n_criteria,
        category_prior,
        smooth_prior,
        rotation,
        population_bar,
        log_gaps,
        log_gaps_bar,
        gradient,
    )
    if slopes.size:
        slopes[:] = effects_bar
    for c in range(n_criteria):
        means[c] = gradient[starts[0] + c * stride]
    effect_means_reverse(tables.blocks, sign, means, effects_bar)
    effects_reverse(y, tables, effects, effects_bar, gradient)
    return total


class OrdinalDensity(CallbackDensity):
    """Log density of an ordinal declaration on given cells, callable at a point.

    It is that of the PyMC model but for a rotation of each row of effects and of the steps of a
    long scale, and a shear of the thresholds' location, none of which has a Jacobian; see
    ``_effects_kernel``.

    Parameters
    ----------
    declaration
        The model.
    cells
        The collapsed judgements.
    geometry
        What the data say of each effect, for the sampler's coordinates.
    """

    def __init__(
        self,
        declaration: Declaration[OrdinalResponse],
        cells: Cells,
        geometry: Geometry | None = None,
    ) -> None:
        self.declaration, self.cells, self.geometry = declaration, cells, geometry
        response = declaration.response
        placed = layout(declaration, response.parameter_shapes)
        tables = effect_tables(declaration, placed, geometry)
        starts = np.array(
            [
                placed[name].start if name in placed else _ABSENT
                for name in (
                    "population_thresholds" if response.category_prior else "threshold_centre",
                    "threshold_width",
                    "threshold_roughness",
                    "threshold_steps",
                    "gap_sd",
                    "gap_z",
                    "discrimination_sd",
                    "discrimination_z",
                )
            ],
            dtype=np.int64,
        )
        n_criteria, n_thresholds = declaration.n_criteria, response.n_categories - 1
        rows = n_criteria * (response.n_annotators if response.has_gaps else 1)
        noise_rows = n_criteria * response.n_annotators if response.discrimination else 1
        rotation = np.zeros((0, 0)) if response.category_prior else response.step_rotation
        arrays = [
            *tables,
            starts,
            np.array([response.gap_sd_scale, response.discrimination_sd_scale]),
            np.array(response.category_prior or (), dtype=np.float64),
            np.array([response.log_normaliser]),
            np.array(
                [
                    response.mean_threshold_scale,
                    math.log(response.width_centre),
                    response.log_width_scale,
                    response.smoothness_sd_scale,
                ]
            ),
            rotation,
            response.basis,
            np.array(
                [n_criteria, n_thresholds, max(response.n_annotators, 1), rows, noise_rows],
                dtype=np.int64,
            ),
            cells.index,
            np.array([effect.sign for effect in declaration.effects], dtype=np.float64),
            cells.answer,
            cells.response_row,
            cells.noise_row,
            cells.count,
            np.empty(0),
            np.empty(0),
        ]
        super().__init__(ordinal_log_density, Tables(arrays), n_parameters(placed), offset=_OFFSET)
