"""The compiled log density of models with linear predictors: tables for ``_predictor_kernel``.

A family brings one kernel,

    kernel(predictors, answer, criterion, scalars, options, log_p, predictors_bar, scalars_bar,
           count)

which fills the log probability of one judgement of every cell and its derivatives by the
predictors, times the count, and adds those by the parameters. Dims: predictors (predictor, cell),
answer (column, cell), criterion (cell,), scalars (criterion, scalar) on their natural scales,
options any fixed numbers, log_p (cell,), count (cell,). The response names the log
density that a kernel module makes of it (see ``_callback``) as its ``log_density``.
"""

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
from bayeseval.families._effects_kernel import LOG_SQRT_2PI
from bayeseval.families._layout import Geometry, effect_tables, layout, n_parameters
from bayeseval.families._predictor_kernel import OFFSET

_KINDS = {"normal": 0, "half_normal": 1, "beta": 2, "gamma": 3}


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
        arrays = [
            *effect_tables(declaration, placed, geometry),
            *scalar_tables(response.scalars, starts),
            cells.index,
            cells.weight,
            np.array([term.predictor for term in declaration.terms], dtype=np.int64),
            cells.answer,
            cells.criterion,
            cells.count,
            response.options,
            np.array([declaration.n_criteria, response.n_predictors], dtype=np.int64),
            np.array(
                [
                    placed[effect.around].start if effect.around else -1
                    for effect in declaration.effects
                ],
                dtype=np.int64,
            ),
            (geometry or Geometry.flat(declaration)).weight,
            np.empty(0),
            np.empty(0),
        ]
        super().__init__(
            response.log_density,
            Tables(arrays),
            n_parameters(placed),
            offset=OFFSET,
        )
