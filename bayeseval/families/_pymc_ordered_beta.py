"""Stated probabilities, with exact ends: the formula of their log density."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportReturnType=false
# pyright: reportArgumentType=false, reportCallIssue=false

from typing import Any

import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families.engine.formula import Formula
from bayeseval.families.engine.special import log_gamma, sigmoid, softplus


def _ends_threshold(v: Any) -> TensorVariable:
    """Return κ > 0, by which the chance of both ends between equal systems is 2 F(-κ)."""
    return pt.log(2.0 - v.end_probability) - pt.log(v.end_probability)


def at_end(v: Any, e: TensorVariable) -> TensorVariable:
    """Return the log probability of the end that ``which`` says: F(-e - κ) or F(e - κ)."""
    return -softplus(_ends_threshold(v) - v.which * e)


def between_ends(v: Any, e: TensorVariable) -> TensorVariable:
    """Return the log probability of no end: F(e + κ) - F(e - κ) = F(e + κ) F(κ - e) (1 - e^-2κ)."""
    kappa = _ends_threshold(v)
    log_open = pt.log(4.0 * (1.0 - v.end_probability)) - 2.0 * pt.log(2.0 - v.end_probability)
    return log_open - softplus(-e - kappa) - softplus(e - kappa)


def log_beta(v: Any, e: TensorVariable) -> TensorVariable:
    """Return the log density of a beta with mean F(e).

    1 / precision is the sum of the annotator's own and of 4 r², r the resolution: near one half no
    answer has a standard deviation below r, so that round numbers cannot push the density without
    limit.
    """
    own = pt.exp(-v.log_precision_mean - v.log_precision)
    precision = 1.0 / (own + 4.0 * v.resolution**2)
    a, b = sigmoid(e) * precision, sigmoid(-e) * precision
    density = (a - 1.0) * v.log_y + (b - 1.0) * v.log_rest
    return density + log_gamma(precision) - log_gamma(a) - log_gamma(b)


def _location(v: Any) -> TensorVariable:
    return pt.exp(v.log_extremity) * v.difference + v.direction_bias


STATED = Formula(
    name="stated_probability",
    about="Log density of stated probabilities: an exact end, or a beta between them",
    predictors=("difference", "log_extremity", "log_precision"),
    answer=("which", "log_y", "log_rest"),
    scalars=("end_probability", "log_precision_mean", "direction_bias"),
    optional=("direction_bias",),
    constants=("resolution",),
    cases={
        (0.0,): lambda v: between_ends(v, _location(v)) + log_beta(v, _location(v)),
        (-1.0, 1.0): lambda v: at_end(v, _location(v)),
    },
)

FORMULAS = (STATED,)
