"""The compiled log density of a declaration: tables for ``_predictor_kernel``."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, gammaln

from bayeseval.families._callback import CallbackDensity, Tables
from bayeseval.families._declaration import (
    Declaration,
    FloatArray,
    PredictorCells,
    PredictorResponse,
    Prior,
    Scalar,
)
from bayeseval.families._effect_tables import effect_tables
from bayeseval.families._effects_kernel import LOG_SQRT_2PI
from bayeseval.families._layout import Geometry, layout, n_parameters
from bayeseval.families._predictor_kernel import IN_RUNS, NEIGHBOURS, OFFSET, ROWS

_KINDS = {"normal": 0, "half_normal": 1, "beta": 2, "gamma": 3}
_MOST_CHANGES = 0.2
"""Share of neighbouring cells with different levels up to which their slopes are summed by run:
shorter runs cost more to begin than they save (14,501 cells of HANNA, where runs are of two: a
gradient takes 415 microseconds with 0.5, and 380 with this)."""


type ScalarTables = tuple[npt.NDArray[np.int64], FloatArray, FloatArray, FloatArray]
"""Position and kind of every parameter, dims (scalar, 2); its prior's a, b and log constant."""


def scalar_tables(scalars: Sequence[Scalar], starts: Sequence[int]) -> ScalarTables:
    """Return the parameters as the kernels read them."""
    kinds = [_KINDS[scalar.prior.kind] for scalar in scalars]
    places = list(zip(starts, kinds, strict=True))
    priors = [scalar.prior for scalar in scalars]
    constants = [_log_constant(prior) for prior in priors]
    return (
        np.array(places, dtype=np.int64).reshape(-1, 2),
        np.array([prior.a for prior in priors], dtype=np.float64),
        np.array([prior.b for prior in priors], dtype=np.float64),
        np.array(constants, dtype=np.float64),
    )


def _log_constant(prior: Prior) -> float:
    match prior.kind:
        case "normal":
            return -math.log(prior.b) - LOG_SQRT_2PI
        case "half_normal":
            return 0.0
        case "beta":
            return -float(betaln(prior.a, prior.b))
        case "gamma":
            return prior.a * math.log(prior.b) - float(gammaln(prior.a))


def _readings(
    declaration: Declaration[PredictorResponse], cells: PredictorCells
) -> tuple[FloatArray, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return each term's weight where all cells have the same, how the kernels read it, and runs.

    What is not a number stands for a weight that differs. Of every term there is the way of
    reading, and between which places its runs stand, dims (term, 3).
    """
    constant = np.where(
        (cells.weight == cells.weight[:, :1]).all(axis=1), cells.weight[:, 0], np.nan
    )
    targets = [term.predictor for term in declaration.terms]
    is_alone = np.array([targets.count(target) == 1 for target in targets]) & (constant == 1.0)
    changes = np.diff(cells.index, axis=1, prepend=-1) != 0
    # No run reaches from one part of the cells to the next.
    changes[:, ::ROWS] = True
    reading = np.zeros((len(targets), 3), dtype=np.int64)
    runs, n_runs = [np.zeros(0, dtype=np.int64)], 0
    for t, own in enumerate(changes):
        pair = slice(t, t + 2)
        if t > 0 and reading[t - 1, 0] == NEIGHBOURS:
            continue
        if is_alone[pair].sum() == 2 and (np.diff(cells.index[pair], axis=0) == 1).all():
            reading[t, 0] = NEIGHBOURS
        elif own.mean() <= _MOST_CHANGES:
            runs.append(np.append(np.flatnonzero(own), own.size))
            reading[t] = IN_RUNS, n_runs, n_runs + runs[-1].size
            n_runs += runs[-1].size
    return constant, reading, np.concatenate(runs)


class PredictorDensity(CallbackDensity):
    """Log density of a declaration with linear predictors on given cells, callable at a point.

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
        declaration: Declaration[PredictorResponse],
        cells: PredictorCells,
        geometry: Geometry | None = None,
    ) -> None:
        self.declaration, self.cells, self.geometry = declaration, cells, geometry
        response = declaration.response
        placed = layout(declaration, response.parameter_shapes)
        starts = [placed[scalar.name].start for scalar in response.scalars]
        around = [placed.get(block.around) for block in declaration.blocks]
        sizes = [at.size for at in around if at is not None]
        stride = max(sizes, default=declaration.n_criteria) // declaration.n_criteria
        arrays = [
            *effect_tables(declaration, placed, geometry),
            *scalar_tables(response.scalars, starts),
            cells.index,
            cells.weight,
            np.array([term.predictor for term in declaration.terms], dtype=np.int64),
            cells.answer[: response.n_answers_read],
            cells.criterion,
            cells.count,
            response.options,
            np.array([declaration.n_criteria, response.n_predictors, stride], dtype=np.int64),
            np.array([-1 if at is None else at.start for at in around], dtype=np.int64),
            (geometry or Geometry.flat(declaration)).weight,
            *_readings(declaration, cells),
            np.empty(0),
            np.empty(0),
        ]
        # Those of the thresholds, where terms name such.
        if (derived_tables := getattr(response, "derived_tables", None)) is not None:
            arrays += derived_tables(declaration, placed)
        super().__init__(
            response.log_density,
            Tables(arrays),
            n_parameters(placed),
            offset=OFFSET,
        )
