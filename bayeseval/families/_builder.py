"""From a declaration to a PyMC model: the definition that everything else is checked against."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOptionalSubscript=false
# pyright: reportArgumentType=false, reportReturnType=false, reportOperatorIssue=false
# pyright: reportIndexIssue=false

from collections.abc import Mapping, Sequence
from typing import Any

import pymc as pm
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._declaration import (
    Declaration,
    Effect,
    PredictorCells,
    Response,
    ResponseWithFormula,
    Scalar,
)
from bayeseval.families._layout import value_name


def build_model(declaration: Declaration[Any], cells: PredictorCells) -> pm.Model:
    """Build the PyMC model of a declaration on collapsed judgements.

    Parameters
    ----------
    declaration
        Effects, response and labels.
    cells
        The collapsed judgements; they enter as ``pm.Data``, so that the model can be given other
        judgements of the same design without compiling again.

    Returns
    -------
    pm.Model
        Free variables as named in the model card; effects that are sampled divided by their
        standard deviation are called ``<name>_z``.
    """
    with pm.Model(coords=coords_of(declaration)) as model:
        parameters = parameters_of(declaration)
        data = {name: pm.Data(name, array) for name, array in cells.arrays.items()}
        effects = flat_effects(declaration, parameters)
        answer = [data["cell_answer"][column] for column in range(len(cells.answer))]
        log_p = predicted(declaration, effects, parameters, data, answer)
        pm.Potential("judgements", data["cell_count"] * log_p)
    return model


def coords_of(declaration: Declaration[Any]) -> dict[str, Any]:
    """Return the labels of every dimension of a model."""
    coords = {name: list(labels) for name, labels in declaration.coords.items()}
    if declaration.is_correlated:
        coords["criterion_b"] = coords["criterion"]
    return coords


def parameters_of(declaration: Declaration[Any]) -> dict[str, TensorVariable]:
    """Put effects and the response's parameters into the model that is being built.

    Parameters
    ----------
    declaration
        The model.

    Returns
    -------
    dict of str to TensorVariable
        Effects by their names, then what answers depend on besides.
    """
    response, dims = declaration.response, _dims(declaration)
    found = {effect.name: _effect(declaration, effect) for effect in declaration.effects}
    found |= {scalar.name: _scalar(scalar, dims) for scalar in response.scalars}
    if declaration.derived is not None:
        names = [level.name for level in declaration.levels[len(declaration.effects) :]]
        found |= dict(zip(names, response.built_levels(declaration), strict=True))
    return found


def flat_effects(
    declaration: Declaration[Any], parameters: Mapping[str, TensorVariable]
) -> TensorVariable:
    """Return all that terms may name one after another, as cells index it."""
    return pt.concatenate([parameters[level.name].ravel() for level in declaration.levels])


def predicted(
    declaration: Declaration[ResponseWithFormula],
    effects: TensorVariable,
    parameters: Mapping[str, TensorVariable],
    data: Mapping[str, TensorVariable],
    answer: Sequence[TensorVariable],
) -> TensorVariable:
    """Return the log probability of one judgement of every cell, from linear predictors.

    Parameters
    ----------
    declaration
        The model.
    effects
        As :func:`flat_effects` returns them.
    parameters
        The response's parameters by name.
    data
        Index, weight and criterion, by the names of ``PredictorCells.arrays``.
    answer
        Columns of the answer in the response's own coding.
    """
    response, at = declaration.response, data["cell_criterion"]
    predictors: list[TensorVariable] = [pt.zeros(at.shape)] * response.n_predictors
    for row, term in enumerate(declaration.terms):
        added = data["cell_weight"][row] * effects[data["cell_index"][row]]
        predictors[term.predictor] = predictors[term.predictor] + added
    scalars = {}
    for scalar in response.scalars:
        value = parameters[scalar.name]
        scalars[scalar.name] = value[at] if declaration.has_criterion else pt.full(at.shape, value)
    return response.log_probability(predictors, scalars, answer)


def _scalar(scalar: Scalar, dims: tuple[str, ...]) -> TensorVariable:
    prior = scalar.prior
    match prior.kind:
        case "normal":
            return pm.Normal(scalar.name, prior.a, prior.b, dims=dims)
        case "half_normal":
            return pm.HalfNormal(scalar.name, prior.a, dims=dims)
        case "beta":
            return pm.Beta(scalar.name, prior.a, prior.b, dims=dims)
        case "gamma":
            return pm.Gamma(scalar.name, alpha=prior.a, beta=prior.b, dims=dims)


def _dims(declaration: Declaration[Response], *dims: str) -> tuple[str, ...]:
    return ("criterion", *dims) if declaration.has_criterion else dims


def _shape(declaration: Declaration[Response], *shape: int) -> tuple[int, ...]:
    return (declaration.n_criteria, *shape) if declaration.has_criterion else shape


def _stretched(sd: TensorVariable, dims: Sequence[str]) -> TensorVariable:
    """Give a standard deviation by criterion trailing axes for the effect's dims."""
    return sd[(..., *([None] * len(dims)))]


def _effect(declaration: Declaration[Response], effect: Effect) -> TensorVariable:
    dims = _dims(declaration, *effect.dims)
    sd_name = f"{effect.name}_sd"
    if effect.correlated:
        return _correlated_effect(declaration, effect)
    sd = pm.HalfNormal(sd_name, sigma=effect.sd_scale, dims=_dims(declaration))
    stretched = _stretched(sd, effect.dims)
    centring = pm.Data(f"{effect.name}_centring", effect.centring)
    scale = stretched**centring
    if effect.zero_sum:
        values = pm.ZeroSumNormal(value_name(effect), sigma=scale, dims=dims, n_zerosum_axes=1)
    else:
        values = pm.Normal(value_name(effect), 0.0, scale, dims=dims)
    return stretched ** (1.0 - centring) * values


def _correlated_effect(declaration: Declaration[Response], effect: Effect) -> TensorVariable:
    """Effects by criterion that share an LKJ correlation: sd times Cholesky factor times z."""
    dims = _dims(declaration, *effect.dims)
    n_criteria = declaration.n_criteria
    # A zero-sum axis passes through: the factor mixes criteria, not systems.
    if effect.zero_sum:
        z = pm.ZeroSumNormal(value_name(effect), sigma=1.0, dims=dims, n_zerosum_axes=1)
    else:
        z = pm.Normal(value_name(effect), dims=dims)
    factor, correlation, sds = pm.LKJCholeskyCov(
        f"{effect.name}_factor",
        n=n_criteria,
        eta=declaration.correlation_shape,
        sd_dist=pm.HalfNormal.dist(effect.sd_scale, shape=n_criteria),
        compute_corr=True,
        store_in_trace=False,
    )
    mixed = factor @ z.reshape((n_criteria, -1))
    pm.Deterministic(f"{effect.name}_sd", sds, dims="criterion")
    pm.Deterministic(f"{effect.name}_correlation", correlation, dims=("criterion", "criterion_b"))
    return pm.Deterministic(effect.name, mixed.reshape((n_criteria, *effect.shape)), dims=dims)
