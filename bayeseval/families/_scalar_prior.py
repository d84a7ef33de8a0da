"""Priors of a response's parameters in unconstrained coordinates, with their slopes."""

import math

import numpy as np

from bayeseval.families._declaration import FloatArray, Prior


def middle(prior: Prior) -> float:
    match prior.kind:
        case "normal":
            return prior.a
        case "half_normal":
            return math.log(0.5 * prior.a)
        case "beta" | "gamma":
            return math.log(prior.a / prior.b)


def constrained_value(prior: Prior, x: FloatArray) -> FloatArray:
    match prior.kind:
        case "normal":
            return x
        case "half_normal" | "gamma":
            return np.exp(x)
        case "beta":
            return 1.0 / (1.0 + np.exp(-x))


def derivative(prior: Prior, x: FloatArray) -> FloatArray:
    """Differentiate the value by the coordinate."""
    match prior.kind:
        case "normal":
            return np.ones_like(x)
        case "half_normal" | "gamma":
            return np.exp(x)
        case "beta":
            value = constrained_value(prior, x)
            return value * (1.0 - value)


def log_prior(prior: Prior, x: FloatArray) -> FloatArray:
    """Return the log density of the coordinate up to a constant."""
    match prior.kind:
        case "normal":
            return -0.5 * ((x - prior.a) / prior.b) ** 2
        case "half_normal":
            return x - 0.5 * (np.exp(x) / prior.a) ** 2
        case "gamma":
            return prior.a * x - prior.b * np.exp(x)
        case "beta":
            return -prior.a * np.logaddexp(0.0, -x) - prior.b * np.logaddexp(0.0, x)


def prior_slope(prior: Prior, x: FloatArray) -> FloatArray:
    match prior.kind:
        case "normal":
            return -(x - prior.a) / prior.b**2
        case "half_normal":
            return 1.0 - (np.exp(x) / prior.a) ** 2
        case "gamma":
            return prior.a - prior.b * np.exp(x)
        case "beta":
            value = constrained_value(prior, x)
            return prior.a * (1.0 - value) - prior.b * value
