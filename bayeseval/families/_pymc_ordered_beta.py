"""Stated probabilities in PyTensor: the definition that the compiled kernel is held to."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportReturnType=false
# pyright: reportArgumentType=false, reportCallIssue=false

from collections.abc import Mapping, Sequence

import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._beta_response import BetaResponse


def log_probability(
    predictors: Sequence[TensorVariable],
    scalars: Mapping[str, TensorVariable],
    answer: Sequence[TensorVariable],
    response: BetaResponse,
) -> TensorVariable:
    """Return the log density of one answer of every cell.

    Parameters
    ----------
    predictors
        Difference of the systems, log extremity, deviation of log precision.
    scalars
        The response's parameters by cell.
    answer
        Which end or neither, log of the answer, log of one minus the answer.
    response
        Resolution and direction bias.
    """
    difference, log_extremity, log_precision = predictors
    what, log_y, log_rest = answer
    e = pt.exp(log_extremity) * difference
    if response.direction_bias_scale is not None:
        e = e + scalars["direction_bias"]
    kappa = pt.log(2.0 - scalars["end_probability"]) - pt.log(scalars["end_probability"])
    at_0, at_1 = -pt.softplus(e + kappa), -pt.softplus(kappa - e)
    # What is left of one: F(e + κ) − F(e − κ) = F(e + κ) F(κ − e) (1 − exp(−2κ)).
    between = -pt.softplus(-e - kappa) - pt.softplus(e - kappa) + pt.log1mexp(-2.0 * kappa)
    own = pt.exp(-scalars["log_precision_mean"] - log_precision)
    precision = 1.0 / (own + 4.0 * response.resolution**2)
    a, b = pt.sigmoid(e) * precision, pt.sigmoid(-e) * precision
    density = pt.gammaln(precision) - pt.gammaln(a) - pt.gammaln(b)
    density += (a - 1.0) * log_y + (b - 1.0) * log_rest
    return pt.switch(pt.eq(what, 0.0), between + density, pt.switch(pt.lt(what, 0.0), at_0, at_1))
