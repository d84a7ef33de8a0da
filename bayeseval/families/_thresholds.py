"""Thresholds from named values: those of the population, and annotators' own."""

from collections.abc import Mapping

import numpy as np
from scipy.special import logsumexp

from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._ordinal_response import OrdinalResponse


def population_thresholds(
    values: Mapping[str, FloatArray],
) -> FloatArray:
    """Return the population's thresholds, dims (…, criterion, threshold)."""
    if "population_thresholds" in values:
        return values["population_thresholds"]
    return centred_steps(long_scale_log_gaps(values), values["threshold_centre"])


def long_scale_log_gaps(values: Mapping[str, FloatArray]) -> FloatArray:
    """Return the population's log gaps on a long scale, dims (…, criterion, gap)."""
    steps = values["threshold_roughness"][..., None] * values["threshold_steps"]
    steps = steps / np.sqrt(steps.shape[-1])
    walk = np.concatenate([np.zeros_like(steps[..., :1]), np.cumsum(steps, axis=-1)], axis=-1)
    log_gaps = values["threshold_width"][..., None] + walk
    return log_gaps - np.asarray(logsumexp(walk, axis=-1, keepdims=True))


def centred_steps(log_gaps: FloatArray, mean: FloatArray) -> FloatArray:
    """Return thresholds with these log gaps (…, gap) and this mean (…)."""
    steps = np.zeros((*log_gaps.shape[:-1], log_gaps.shape[-1] + 1))
    np.cumsum(np.exp(log_gaps), axis=-1, out=steps[..., 1:])
    return steps - steps.mean(axis=-1, keepdims=True) + mean[..., None]


def annotator_thresholds(
    declaration: Declaration[OrdinalResponse],
    population: FloatArray,
    values: Mapping[str, FloatArray],
) -> FloatArray:
    """Return thresholds with each annotator's gaps, without severity.

    Dims (…, criterion, annotator, threshold); one annotator where gaps are common.
    """
    if not declaration.response.has_gaps:
        return population[..., None, :]
    deviation = values["gap_sd"][..., None, None] * (values["gap_z"] @ declaration.response.basis)
    log_gaps = np.log(np.diff(population, axis=-1))[..., None, :] + deviation
    mean = np.broadcast_to(population.mean(axis=-1)[..., None], log_gaps.shape[:-1])
    return centred_steps(log_gaps, mean)
