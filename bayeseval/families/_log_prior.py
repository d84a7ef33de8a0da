"""Log densities of the priors at the draws, for what has no further parameter above it."""

from typing import Any

import numpy as np
import xarray as xr
from scipy import stats
from scipy.special import ndtr

from bayeseval.families._declaration import Declaration, Prior
from bayeseval.families._ordinal_response import OrdinalResponse


def log_priors(family: Any, declaration: Declaration[Any], posterior: xr.Dataset) -> xr.Dataset:
    """Return the log density of every prior that the user sets.

    Effects given their standard deviation are part of the model and have none here; their standard
    deviations do, and the response's parameters (Kallioinen et al. 2024, Statistics and Computing
    34, 57, section 3.4).

    Parameters
    ----------
    family
        The family.
    declaration
        The model.
    posterior
        Draws as in the posterior contract.

    Returns
    -------
    xarray.Dataset
        By the names of the posterior; correlations and the width of a long scale of thresholds up
        to a constant.
    """
    own = family.in_own_units(declaration, posterior)
    found: dict[str, xr.DataArray] = {}

    def put(name: str, distribution: Any) -> None:
        found[name] = own[name].copy(data=distribution.logpdf(own[name].values))

    for effect in declaration.effects:
        put(f"{effect.name}_sd", stats.halfnorm(scale=effect.sd_scale))
        correlation = own.get(f"{effect.name}_correlation")
        if correlation is not None:
            last = ("criterion", "criterion_b")
            volume = np.linalg.slogdet(correlation.transpose(..., *last).values)[1]
            at = correlation.isel(dict.fromkeys(last, 0), drop=True)
            shape = declaration.correlation_shape
            found[correlation.name] = at.copy(data=(shape - 1.0) * volume)
    response = declaration.response
    if not isinstance(response, OrdinalResponse):
        for scalar in response.scalars:
            put(scalar.name, _distribution(scalar.prior))
        return xr.Dataset(found)
    if response.has_gaps:
        put("gap_sd", stats.halfnorm(scale=response.gap_sd_scale))
    if response.discrimination:
        put("discrimination_sd", stats.halfnorm(scale=response.discrimination_sd_scale))
    cuts = own["population_thresholds"].transpose(..., "threshold")
    found["population_thresholds"] = cuts.isel(threshold=0, drop=True).copy(
        data=_log_prior_of_thresholds(response, cuts.values)
    )
    if response.category_prior is None:
        put("threshold_roughness", stats.halfnorm(scale=response.smoothness_sd_scale))
    return xr.Dataset(found)


def _distribution(prior: Prior) -> Any:
    match prior.kind:
        case "normal":
            return stats.norm(prior.a, prior.b)
        case "half_normal":
            return stats.halfnorm(scale=prior.a)
        case "beta":
            return stats.beta(prior.a, prior.b)
        case "gamma":
            return stats.gamma(prior.a, scale=1.0 / prior.b)


def _log_prior_of_thresholds(response: OrdinalResponse, cuts: Any) -> Any:
    """Return the log density of thresholds (…, threshold); of a long scale, of centre and width."""
    if response.category_prior is None:
        log_width = np.log(cuts[..., -1] - cuts[..., 0])
        centre = stats.norm.logpdf(cuts.mean(axis=-1), 0.0, response.mean_threshold_scale)
        return centre + stats.norm.logpdf(
            log_width, np.log(response.width_centre), response.log_width_scale
        )
    prior = np.array(response.category_prior)
    ends = np.pad(cuts, [(0, 0)] * (cuts.ndim - 1) + [(1, 1)], constant_values=np.inf)
    ends[..., 0] = -np.inf
    # Above zero an interval is taken from its mirror image, where its digits are.
    above = ends[..., :-1] > 0.0
    lower = np.where(above, -ends[..., 1:], ends[..., :-1])
    upper = np.where(above, -ends[..., :-1], ends[..., 1:])
    log_p = np.log(ndtr(upper) - ndtr(lower))
    return (
        response.log_normaliser
        + stats.norm.logpdf(cuts).sum(axis=-1)
        + ((prior - 1.0) * log_p).sum(axis=-1)
    )
