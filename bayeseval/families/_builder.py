"""From a declaration to a PyMC model: the definition that everything else is checked against."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOptionalSubscript=false
# pyright: reportArgumentType=false, reportReturnType=false, reportOperatorIssue=false
# pyright: reportIndexIssue=false

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pymc.distributions.transforms import ordered
from pytensor.tensor.variable import TensorVariable
from scipy.special import ndtri

from bayeseval.families._declaration import (
    Cells,
    Declaration,
    Effect,
    PredictorCells,
    Response,
    ResponseWithFormula,
    Scalar,
)
from bayeseval.families._layout import value_name
from bayeseval.families._ordinal_op import ordinal_potential
from bayeseval.families._ordinal_response import OrdinalResponse


def build_model(declaration: Declaration[Any], cells: Cells | PredictorCells) -> pm.Model:
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
        match declaration.response:
            case OrdinalResponse():
                log_p = _ordinal(declaration, effects, parameters, data)
            case _:
                answer = [data["cell_answer"][column] for column in range(len(cells.answer))]
                log_p = data["cell_count"] * predicted(
                    declaration, effects, parameters, data, answer
                )
        pm.Potential("judgements", log_p)
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
    found = {effect.name: _effect(declaration, effect) for effect in declaration.effects}
    match declaration.response:
        case OrdinalResponse() as response:
            return found | _cuts(declaration, response)
        case response:
            dims = _dims(declaration)
            return found | {scalar.name: _scalar(scalar, dims) for scalar in response.scalars}


def flat_effects(
    declaration: Declaration[Any], parameters: Mapping[str, TensorVariable]
) -> TensorVariable:
    """Return all effects one after another, as cells index them."""
    return pt.concatenate([parameters[effect.name].ravel() for effect in declaration.effects])


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


def _cuts(
    declaration: Declaration[Response], response: OrdinalResponse
) -> dict[str, TensorVariable]:
    """Return thresholds, a row for each that cells name, and log discrimination."""
    n_criteria, n_thresholds = declaration.n_criteria, response.n_thresholds
    if response.category_prior is None:
        population, log_gaps = _long_scale(declaration, response)
    else:
        population = _short_scale(declaration, response).reshape((n_criteria, n_thresholds))
        log_gaps = pt.log(population[:, 1:] - population[:, :-1])

    thresholds = population
    if response.has_gaps:
        gap_sd = pm.HalfNormal("gap_sd", response.gap_sd_scale, dims=_dims(declaration))
        z = pm.Normal(
            "gap_z", shape=_shape(declaration, response.n_annotators, len(response.basis))
        )
        z = z.reshape((n_criteria, response.n_annotators, len(response.basis)))
        deviation = gap_sd.reshape((n_criteria, 1, 1)) * pt.dot(z, response.basis)
        steps = pt.concatenate(
            [
                pt.zeros((n_criteria, response.n_annotators, 1)),
                pt.cumsum(pt.exp(log_gaps[:, None, :] + deviation), axis=-1),
            ],
            axis=-1,
        )
        centre = population.mean(axis=-1)[:, None, None]
        thresholds = (steps - steps.mean(axis=-1, keepdims=True) + centre).reshape(
            (-1, n_thresholds)
        )
    log_discrimination = pt.zeros(1)
    if response.discrimination:
        sd = pm.HalfNormal(
            "discrimination_sd", response.discrimination_sd_scale, dims=_dims(declaration)
        )
        z = pm.Normal("discrimination_z", dims=_dims(declaration, "annotator"))
        log_discrimination = (_stretched(sd, ("annotator",)) * z).ravel()
    return {"thresholds": thresholds, "log_discrimination": log_discrimination}


def _ordinal(
    declaration: Declaration[Response],
    effects: TensorVariable,
    parameters: Mapping[str, TensorVariable],
    data: Mapping[str, TensorVariable],
) -> TensorVariable:
    """Return the log probability of all ratings."""
    signs = np.array([effect.sign for effect in declaration.effects], dtype=np.float64)
    return ordinal_potential(
        effects,
        parameters["thresholds"],
        parameters["log_discrimination"],
        data["cell_index"],
        signs,
        data["cell_answer"],
        data["cell_response_row"],
        data["cell_noise_row"],
        data["cell_count"],
    )


def _short_scale(declaration: Declaration[Response], response: OrdinalResponse) -> TensorVariable:
    """Thresholds of the population whose category probabilities are Dirichlet."""
    n_thresholds = response.n_thresholds
    prior = np.array(response.category_prior)

    def log_dirichlet(thresholds: TensorVariable) -> TensorVariable:
        """Return it of one criterion, as prior - 1 observations of every category."""
        none = np.zeros(prior.size, dtype=np.int32)
        categories = np.arange(prior.size, dtype=np.int32)
        return response.log_normaliser + ordinal_potential(
            np.zeros(1),
            thresholds[None],
            np.zeros(1),
            np.zeros((0, prior.size), dtype=np.int32),
            np.zeros(0),
            categories,
            none,
            none,
            prior - 1.0,
        )

    def log_density(thresholds: TensorVariable, *_: TensorVariable) -> TensorVariable:
        # The Jacobian of category probabilities by thresholds is the normal density of these.
        jacobian = (-0.5 * thresholds**2 - 0.5 * np.log(2.0 * np.pi)).sum(axis=-1)
        if not declaration.has_criterion:
            return jacobian + log_dirichlet(thresholds)
        by_criterion = [log_dirichlet(thresholds[k]) for k in range(declaration.n_criteria)]
        return jacobian + pt.stack(by_criterion)

    def random(*_: Any, rng: np.random.Generator, size: tuple[int, ...] | None) -> Any:
        share = rng.dirichlet(prior, size=size)
        return ndtri(np.cumsum(share, axis=-1)[..., :-1])

    return pm.CustomDist(
        "population_thresholds",
        # Says how many thresholds there are; the density is in the functions.
        np.zeros(n_thresholds),
        logp=log_density,
        random=random,
        signature="(threshold)->(threshold)",
        dims=_dims(declaration, "threshold"),
        transform=ordered,
        support_point=lambda *_: pt.constant(
            np.broadcast_to(np.linspace(-1.0, 1.0, n_thresholds), _shape(declaration, n_thresholds))
        ),
    )


def _long_scale(
    declaration: Declaration[Response], response: OrdinalResponse
) -> tuple[TensorVariable, TensorVariable]:
    """Thresholds and log gaps (criterion, …) of a scale with many points."""
    n_criteria, n_gaps = declaration.n_criteria, response.n_thresholds - 1
    dims = _dims(declaration)
    centre = pm.Normal("threshold_centre", 0.0, response.mean_threshold_scale, dims=dims)
    log_width = pm.Normal(
        "threshold_width", np.log(response.width_centre), response.log_width_scale, dims=dims
    )
    roughness = pm.HalfNormal("threshold_roughness", response.smoothness_sd_scale, dims=dims)
    steps = pm.Normal("threshold_steps", shape=_shape(declaration, n_gaps - 1))
    # So the sd of the walk at the last gap is the roughness, whatever the number of gaps.
    step_sd = roughness.reshape((n_criteria, 1)) / np.sqrt(n_gaps - 1)
    walk = pt.concatenate(
        [
            pt.zeros((n_criteria, 1)),
            pt.cumsum(step_sd * steps.reshape((n_criteria, n_gaps - 1)), axis=-1),
        ],
        axis=-1,
    )
    log_gaps = (
        log_width.reshape((n_criteria, 1)) + walk - pt.logsumexp(walk, axis=-1, keepdims=True)
    )
    cumulative = pt.concatenate(
        [pt.zeros((n_criteria, 1)), pt.cumsum(pt.exp(log_gaps), axis=-1)], axis=-1
    )
    population = (
        cumulative - cumulative.mean(axis=-1, keepdims=True) + centre.reshape((n_criteria, 1))
    )
    return population, log_gaps
