"""The outcomes of comparisons in PyTensor: the definition that the compiled kernel is held to."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportReturnType=false
# pyright: reportArgumentType=false, reportCallIssue=false

from collections.abc import Mapping, Sequence

import numpy as np
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._pairwise_response import PairwiseResponse


def log_probability(
    predictors: Sequence[TensorVariable],
    scalars: Mapping[str, TensorVariable],
    answer: Sequence[TensorVariable],
    response: PairwiseResponse,
) -> TensorVariable:
    """Return the mean log probability of one judgement of every cell.

    Parameters
    ----------
    predictors
        Location, and log consistency where it is in the model.
    scalars
        The response's parameters by cell.
    answer
        Shares of wins of a, wins of b, and ties.
    response
        Link and tie model.
    """
    e = predictors[0]
    if response.position_scale is not None:
        e = e + scalars["position_effect"]
    if response.consistency:
        e = e * pt.exp(predictors[1])
    if response.ties == "davidson":
        weights = pt.stack([e / 2, -e / 2, scalars["log_tie_propensity"]])
        relative = weights - pt.logsumexp(weights, axis=0, keepdims=True)
        by_outcome = [relative[outcome] for outcome in range(3)]
    else:
        threshold = scalars["tie_propensity"] if response.ties == "rao_kupper" else pt.zeros_like(e)
        by_outcome = _cut(e, threshold, response)
    # An outcome that a cell does not have may be impossible: its log probability is not asked for.
    return sum(
        pt.switch(pt.gt(share, 0), share * by_outcome[outcome], 0.0)
        for outcome, share in enumerate(answer[: len(by_outcome)])
    )


def _cut(
    e: TensorVariable, threshold: TensorVariable, response: PairwiseResponse
) -> list[TensorVariable]:
    """Log probabilities where the latent difference lies above, below or between thresholds."""
    if response.link == "probit":
        decided = [_log_normal_cdf(e - threshold), _log_normal_cdf(-e - threshold)]
        if not response.has_ties:
            return decided
        # Mirrored, so that both ends of the interval are in the lower tail.
        inner, outer = (
            _log_normal_cdf(threshold - pt.abs(e)),
            _log_normal_cdf(-threshold - pt.abs(e)),
        )
        return [*decided, inner + pt.log1mexp(outer - inner)]
    ahead, behind = e - threshold, -e - threshold
    decided = [-pt.softplus(-ahead), -pt.softplus(-behind)]
    if not response.has_ties:
        return decided
    # F(e + τ) − F(e − τ) = F(e + τ) F(τ − e) (1 − exp(−2τ)) for the logistic distribution.
    return [*decided, pt.log1mexp(-2 * threshold) - pt.softplus(behind) - pt.softplus(ahead)]


def _log_normal_cdf(x: TensorVariable) -> TensorVariable:
    """Return log Φ. PyMC's own has constants in single precision, an error of about 1e-8."""
    root = np.sqrt(2.0)  # as a NumPy double: PyTensor would round the root of a Python number
    below, above = pt.minimum(x, -1.0), pt.maximum(x, -1.0)
    tail = pt.log(0.5 * pt.erfcx(-below / root)) - 0.5 * below**2
    return pt.switch(pt.lt(x, -1.0), tail, pt.log1p(-0.5 * pt.erfc(above / root)))
