"""Ordered categories: the formula of a rating's log probability, and thresholds in PyMC."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOptionalSubscript=false
# pyright: reportArgumentType=false, reportReturnType=false, reportOperatorIssue=false
# pyright: reportIndexIssue=false, reportCallIssue=false

from typing import Any

import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._declaration import Declaration
from bayeseval.families._ordinal_kernel import OPEN_END
from bayeseval.families.engine.formula import Formula
from bayeseval.families.engine.special import log_normal_interval


def _rating(v: Any) -> TensorVariable:
    """Return the chance that the latent answer, noise included, is between the category's ends."""
    return log_normal_interval(v.lower - v.latent, v.upper - v.latent)


def _rating_of_annotator(v: Any) -> TensorVariable:
    """Likewise with the annotator's own noise."""
    scale = pt.exp(v.log_discrimination)
    return log_normal_interval(scale * (v.lower - v.latent), scale * (v.upper - v.latent))


_COMMON: Any = {"answer": ("category",), "scalars": (), "frame": "cutpoint"}
FORMULAS = (
    Formula(
        name="ordinal",
        about="Log density of ratings: a normal answer between two thresholds",
        predictors=("latent", "lower", "upper"),
        cases={(): _rating},
        **_COMMON,
    ),
    Formula(
        name="ordinal_discrimination",
        about="Log density of ratings: a normal answer between two thresholds, noise by annotator",
        predictors=("latent", "lower", "upper", "log_discrimination"),
        cases={(): _rating_of_annotator},
        **_COMMON,
    ),
)


def built_levels(declaration: Declaration[Any]) -> list[TensorVariable]:
    """Return what terms may name besides effects, in the order of the declaration's levels.

    Those are annotators' log gaps and log discrimination, the population's log gaps in the terms of
    the annotators', and the thresholds with an open end on both sides.
    """
    # Here, since kernels are made without PyMC, whose import takes seconds.
    import pymc as pm

    response = declaration.response
    n_criteria = declaration.n_criteria
    lead = ("criterion",) if declaration.has_criterion else ()
    shape = (n_criteria,) if declaration.has_criterion else ()
    levels = []
    if response.category_prior is None:
        population, log_gaps = _long_scale(declaration)
    else:
        population, log_gaps = _short_scale(declaration)
    thresholds = population[:, None, :]
    if response.has_gaps:
        gap_sd = pm.HalfNormal("gap_sd", response.gap_sd_scale, dims=lead)
        terms = (response.n_annotators, len(response.basis))
        z = pm.Normal("gap_z", shape=(*shape, *terms)).reshape((n_criteria, *terms))
        gap = gap_sd.reshape((n_criteria, 1, 1)) * z
        levels += [gap]
        own = log_gaps[:, None, :] + pt.dot(gap, response.basis)
        thresholds = _centred_steps(own, population.mean(axis=-1)[:, None])
    if response.discrimination:
        sd = pm.HalfNormal("discrimination_sd", response.discrimination_sd_scale, dims=lead)
        levels += [sd[..., None] * pm.Normal("discrimination_z", dims=(*lead, "annotator"))]
    if response.has_gaps:
        levels += [pt.dot(log_gaps, response.projection.T)]
    open_end = pt.full_like(thresholds[..., :1], OPEN_END)
    return [*levels, pt.concatenate([-open_end, thresholds, open_end], axis=-1)]


def _centred_steps(log_gaps: TensorVariable, mean: TensorVariable) -> TensorVariable:
    """Return thresholds with these log gaps (..., gap) and this mean (...)."""
    gaps = pt.exp(log_gaps)
    steps = pt.concatenate([pt.zeros_like(gaps[..., :1]), pt.cumsum(gaps, axis=-1)], axis=-1)
    return steps - steps.mean(axis=-1, keepdims=True) + mean[..., None]


def _short_scale(
    declaration: Declaration[Any],
) -> tuple[TensorVariable, TensorVariable]:
    """Thresholds and log gaps (criterion, ...) of a scale with few points."""
    import numpy as np
    import pymc as pm
    from pymc.distributions.transforms import ordered
    from scipy.special import ndtri

    response, n_criteria = declaration.response, declaration.n_criteria
    shape = (n_criteria,) if declaration.has_criterion else ()
    lead = ("criterion",) if declaration.has_criterion else ()
    n, prior = response.n_thresholds, np.array(response.category_prior)

    def log_density(thresholds: TensorVariable, *_: TensorVariable) -> TensorVariable:
        open_end = pt.full_like(thresholds[..., :1], OPEN_END)
        ends = pt.concatenate([-open_end, thresholds, open_end], axis=-1)
        # The Jacobian of category probabilities by thresholds is the normal density of these;
        # their Dirichlet density is as prior - 1 observations of every category.
        jacobian = (-0.5 * thresholds**2 - 0.5 * np.log(2.0 * np.pi)).sum(axis=-1)
        log_p = log_normal_interval(ends[..., :-1], ends[..., 1:])
        return response.log_normaliser + jacobian + ((prior - 1.0) * log_p).sum(axis=-1)

    def random(*_: Any, rng: Any, size: tuple[int, ...] | None) -> Any:
        return ndtri(np.cumsum(rng.dirichlet(prior, size=size), axis=-1)[..., :-1])

    population = pm.CustomDist(
        "population_thresholds",
        # Says how many thresholds there are; the density is in the functions.
        np.zeros(n),
        logp=log_density,
        random=random,
        signature="(threshold)->(threshold)",
        dims=(*lead, "threshold"),
        transform=ordered,
        support_point=lambda *_: pt.constant(
            np.broadcast_to(np.linspace(-1.0, 1.0, n), (*shape, n))
        ),
    ).reshape((n_criteria, n))
    return population, pt.log(population[:, 1:] - population[:, :-1])


def _long_scale(
    declaration: Declaration[Any],
) -> tuple[TensorVariable, TensorVariable]:
    """Thresholds and log gaps (criterion, ...) of a scale with many points."""
    import numpy as np
    import pymc as pm

    response = declaration.response
    n_criteria, n_gaps = declaration.n_criteria, response.n_thresholds - 1
    dims = ("criterion",) if declaration.has_criterion else ()
    shape = (n_criteria,) if declaration.has_criterion else ()
    centre = pm.Normal("threshold_centre", 0.0, response.mean_threshold_scale, dims=dims)
    log_width = pm.Normal(
        "threshold_width", np.log(response.width_centre), response.log_width_scale, dims=dims
    )
    roughness = pm.HalfNormal("threshold_roughness", response.smoothness_sd_scale, dims=dims)
    steps = pm.Normal("threshold_steps", shape=(*shape, n_gaps - 1))
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
    return _centred_steps(log_gaps, centre.reshape((n_criteria,))), log_gaps
