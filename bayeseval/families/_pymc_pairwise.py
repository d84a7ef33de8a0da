"""The outcomes of comparisons: the formulas of their log probability.

A cell holds all judgements that share their predictors; what it needs of them are the shares of
wins of a, wins of b, and ties, so that three judgements cost as much as three million. With
e = exp(log consistency) · (location + position effect), F the logistic or normal distribution
function:

    decided      P(a) = F(e),        P(b) = F(-e)
    Davidson     P(a) : P(b) : P(tie) = exp(e/2) : exp(-e/2) : ν
    Rao-Kupper   P(a) = F(e - τ),    P(b) = F(-e - τ),    the rest ties
"""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportReturnType=false
# pyright: reportArgumentType=false, reportCallIssue=false

from typing import Any

import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families.engine.formula import Formula
from bayeseval.families.engine.special import log_normal_band, log_normal_cdf, softplus


def _decided(v: Any, e: TensorVariable) -> TensorVariable:
    return -v.win * softplus(-e) - v.loss * softplus(e)


def _davidson(v: Any, e: TensorVariable) -> TensorVariable:
    # Over the more likely outcome's weight exp(|e|/2) the three are 1, q² and ν q.
    q = pt.exp(-0.5 * pt.abs(e))
    total = 0.5 * pt.abs(e) + pt.log(1.0 + q * (q + pt.exp(v.log_tie_propensity)))
    return 0.5 * (v.win - v.loss) * e + v.tie * v.log_tie_propensity - total


def _rao_kupper(v: Any, e: TensorVariable) -> TensorVariable:
    # A tie, F(e + τ) - F(e - τ), is F(e - τ) F(-e - τ) (exp(2τ) - 1).
    threshold = v.tie_propensity
    log_odd = 2.0 * threshold + pt.log1mexp(-2.0 * threshold)
    decided = (v.win + v.tie) * softplus(threshold - e) + (v.loss + v.tie) * softplus(threshold + e)
    return v.tie * log_odd - decided


def _normal(v: Any, e: TensorVariable) -> TensorVariable:
    return v.win * log_normal_cdf(e) + v.loss * log_normal_cdf(-e)


def _normal_with_ties(v: Any, e: TensorVariable) -> TensorVariable:
    threshold = v.tie_propensity
    ahead, behind = log_normal_cdf(e - threshold), log_normal_cdf(-e - threshold)
    return v.win * ahead + v.loss * behind + v.tie * log_normal_band(e, threshold)


_MODELS = {
    ("logit", "decided"): (_decided, ()),
    ("logit", "davidson"): (_davidson, ("log_tie_propensity",)),
    ("logit", "rao_kupper"): (_rao_kupper, ("tie_propensity",)),
    ("probit", "decided"): (_normal, ()),
    ("probit", "rao_kupper"): (_normal_with_ties, ("tie_propensity",)),
}


def _formula(link: str, ties: str, *, consistency: bool) -> Formula:
    model, scalars = _MODELS[link, ties]

    def log_p(v: Any) -> TensorVariable:
        location = v.location + v.position_effect
        return model(v, location * pt.exp(v.log_consistency) if consistency else location)

    return Formula(
        name=f"pairwise_{link}_{ties}" + ("_consistency" if consistency else ""),
        about="Mean log probability of the outcomes of comparisons",
        predictors=("location", "log_consistency") if consistency else ("location",),
        answer=("win", "loss", "tie"),
        scalars=("position_effect", *scalars),
        optional=("position_effect",),
        cases={(): log_p},
    )


FORMULAS = tuple(
    _formula(link, ties, consistency=consistency)
    for link, ties in _MODELS
    for consistency in (False, True)
)
