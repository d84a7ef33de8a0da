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
    WORKING_ROWS,
    EffectTables,
    effect_tables_of,
    effects_forward,
    effects_reverse,
)
from bayeseval.families._layout import (
    Geometry,
    effect_starts,
    effect_tables,
    layout,
    n_parameters,
)
from bayeseval.families._ordinal_kernel import ordinal_log_density as ordinal_terms
from bayeseval.families._ordinal_response import OrdinalResponse
from bayeseval.families._thresholds_kernel import (
    annotators_forward,
    annotators_reverse,
    population_forward,
    population_gaps_forward,
    population_gaps_reverse,
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
        floats(table, _FIRST + 2)[0],
        floats(table, _FIRST + 3),
        float_rows(table, _FIRST + 4),
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
    category_prior: FloatArray,
    normaliser: float,
    smooth_prior: FloatArray,
    rotation: FloatArray,
    basis: FloatArray,
    projection: FloatArray,
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
    gap_at, noise_at = starts[4:]
    n_criteria, n_thresholds, n_annotators, n_rows, n_noise_rows = sizes
    n_terms, n_gaps = projection.shape
    is_short = category_prior.size > 0
    gradient[:] = 0.0
    # Behind the effects stand the population's log gaps in the terms of annotators' gaps.
    root_at = tables.score.size
    effects = np.empty(root_at + n_criteria * n_terms)
    effects_bar = np.zeros_like(effects)
    log_gaps = np.zeros((n_criteria, n_gaps))
    log_gaps_bar = np.zeros_like(log_gaps)
    gaps = np.empty_like(log_gaps)
    population = np.empty((n_criteria, n_thresholds))
    population_bar = np.zeros_like(population)
    log_discrimination = np.zeros(n_noise_rows)
    log_discrimination_bar = np.zeros(n_noise_rows)

    total = population_gaps_forward(y, starts, is_short, smooth_prior, rotation, log_gaps)
    for c in range(n_criteria):
        for j in range(n_terms):
            term = 0.0
            for k in range(n_gaps):
                term += projection[j, k] * log_gaps[c, k]
            effects[root_at + c * n_terms + j] = term
    of_blocks = np.empty((tables.blocks.shape[0], n_criteria))
    work = np.empty((WORKING_ROWS, root_at))
    total += effects_forward(y, tables, effects, of_blocks, work)
    # The sampler's location of the thresholds has the means of the effects taken out.
    stride = n_thresholds if is_short else 1
    location = np.empty(n_criteria)
    for c in range(n_criteria):
        location[c] = y[starts[0] + c * stride]
        for e in range(sign.size):
            location[c] += sign[e] * of_blocks[e, c]
    total += population_forward(
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
    moved = effects.copy() if offset.size else effects
    for j in range(offset.size):
        moved[j] += offset[j]
    if gap_at >= 0:
        own_gaps = np.empty((n_rows, n_gaps))
        thresholds = np.empty((n_rows, n_thresholds))
        terms = moved[gap_at : gap_at + n_rows * n_terms]
        annotators_forward(terms, n_annotators, basis, population, log_gaps, own_gaps, thresholds)
    else:
        own_gaps = gaps
        thresholds = population
    if noise_at >= 0:
        log_discrimination[:] = moved[noise_at : noise_at + n_noise_rows]

    thresholds_bar = np.zeros_like(thresholds)
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

    if noise_at >= 0:
        effects_bar[noise_at : noise_at + n_noise_rows] += log_discrimination_bar
    if gap_at >= 0:
        annotators_reverse(
            n_annotators,
            basis,
            thresholds_bar,
            own_gaps,
            population_bar,
            log_gaps_bar,
            effects_bar[gap_at : gap_at + n_rows * n_terms],
        )
    else:
        population_bar += thresholds_bar
    if slopes.size:
        slopes[:] = effects_bar[:root_at]
    location_bar = np.empty(n_criteria)
    population_reverse(
        location, is_short, smooth_prior[0], population_bar, gaps, log_gaps_bar, location_bar
    )
    of_blocks[:] = 0.0
    for c in range(n_criteria):
        gradient[starts[0] + c * stride] += location_bar[c]
        for e in range(sign.size):
            of_blocks[e, c] = sign[e] * location_bar[c]
    effects_reverse(y, tables, work, of_blocks, effects_bar, gradient)
    for c in range(n_criteria):
        for j in range(n_terms):
            bar = effects_bar[root_at + c * n_terms + j]
            for k in range(n_gaps):
                log_gaps_bar[c, k] += projection[j, k] * bar
    population_gaps_reverse(
        y, starts, is_short, smooth_prior, rotation, log_gaps, log_gaps_bar, gradient
    )
    return total


def _first_of(declaration: Declaration[OrdinalResponse], name: str) -> int:
    """Return where the response's own block begins among the effects."""
    for block, start in zip(declaration.blocks, effect_starts(declaration), strict=False):
        if block.name == name and block.enters != "answer":
            return int(start)
    return _ABSENT


class OrdinalDensity(CallbackDensity):
    """Log density of an ordinal declaration on given cells, callable at a point.

    It is that of the PyMC model in coordinates of the sampler: those of the effects, to which
    annotators' log gaps and log discrimination belong (``_effects_kernel``); the mean of the
    thresholds, sheared by the effects' means; a rotation of the steps of a long scale.

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
                )
            ]
            + [_first_of(declaration, name) for name in ("gap", "discrimination")],
            dtype=np.int64,
        )
        n_criteria, n_thresholds = declaration.n_criteria, response.n_categories - 1
        rows = n_criteria * (response.n_annotators if response.has_gaps else 1)
        noise_rows = n_criteria * response.n_annotators if response.discrimination else 1
        rotation = np.zeros((0, 0)) if response.category_prior else response.step_rotation
        arrays = [
            *tables,
            starts,
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
            response.projection,
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
