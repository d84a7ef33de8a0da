"""Strengths of preference in PyTensor: the definition that the compiled kernels are held to."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportReturnType=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportOptionalOperand=false

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._strength_response import StrengthResponse

LEAST = 1e-300


def log_probability(
    predictors: Sequence[TensorVariable],
    scalars: Mapping[str, TensorVariable],
    answer: Sequence[TensorVariable],
    response: StrengthResponse,
) -> TensorVariable:
    """Return the log probability of one judgement of every cell.

    Parameters
    ----------
    predictors
        Difference of the systems, log scale, and the annotator's own: log gap, log precision or
        log spread.
    scalars
        The response's parameters by cell.
    answer
        As the kernel of the response reads it.
    response
        Which of the three it is, and its fixed numbers.
    """
    difference, log_scale, own = predictors
    bias = scalars["side_bias"] if response.side_bias_scale is not None else 0.0
    e = pt.exp(log_scale) * (difference + bias)
    formulas = {"graded": _graded, "ordered_beta": _slider, "student_t": _points}
    return formulas[response.response](e, own, scalars, answer, response)


def _graded(
    e: TensorVariable,
    log_gap: TensorVariable,
    scalars: Mapping[str, TensorVariable],
    answer: Sequence[TensorVariable],
    response: StrengthResponse,
) -> TensorVariable:
    n = response.n_grades
    widths = [pt.exp(scalars[name]) for name in response.width_names]
    inner = [widths[at] for at in response.width_of]
    # Thresholds upwards from the lowest; the middle of the scale is where 0 has to be.
    edges = [pt.zeros_like(e)]
    for width in inner:
        edges.append(edges[-1] + width)
    middle = (edges[(n - 2) // 2] + edges[(n - 1) // 2]) / 2
    cuts = [pt.exp(log_gap) * (edge - middle) - e for edge in edges]
    by_grade = [_log_normal_cdf(cuts[0])]
    by_grade += [_log_between(low, high) for low, high in pairwise(cuts)]
    by_grade.append(_log_normal_cdf(-cuts[-1]))
    return sum(pt.switch(pt.eq(answer[0], k), log, 0.0) for k, log in enumerate(by_grade))


def _log_between(low: TensorVariable, high: TensorVariable) -> TensorVariable:
    """Return the log of the normal probability between two limits, from the lower tail.

    Near one the distribution function has lost the digits that tell the limits apart, so an
    interval above 0 is taken from its mirror image.
    """
    above = low + high > 0.0
    upper = _log_normal_cdf(pt.switch(above, -low, high))
    return upper + pt.log1mexp(_log_normal_cdf(pt.switch(above, -high, low)) - upper)


def _log_normal_cdf(x: TensorVariable) -> TensorVariable:
    """Return log Φ. PyMC's own has constants in single precision, an error of about 1e-8."""
    root = np.sqrt(2.0)  # as a NumPy double: PyTensor would round the root of a Python number
    below, above = pt.minimum(x, -1.0), pt.maximum(x, -1.0)
    tail = pt.log(0.5 * pt.erfcx(-below / root)) - 0.5 * below**2
    return pt.switch(pt.lt(x, -1.0), tail, pt.log1p(-0.5 * pt.erfc(above / root)))


def _slider(
    e: TensorVariable,
    log_precision: TensorVariable,
    scalars: Mapping[str, TensorVariable],
    answer: Sequence[TensorVariable],
    response: StrengthResponse,
) -> TensorVariable:
    what, log_y, log_rest = answer
    kappa = pt.log(2.0 - scalars["end_probability"]) - pt.log(scalars["end_probability"])
    at_low, at_high = -pt.softplus(e + kappa), -pt.softplus(kappa - e)
    between = -pt.softplus(-e - kappa) - pt.softplus(e - kappa) + pt.log1mexp(-2.0 * kappa)
    own = pt.exp(-scalars["log_precision_mean"] - log_precision)
    precision = 1.0 / (own + 4.0 * response.resolution**2)
    # Beyond 690 of η a parameter is no number any more; there the density stays as it is.
    a = pt.maximum(pt.sigmoid(e) * precision, LEAST)
    b = pt.maximum(pt.sigmoid(-e) * precision, LEAST)
    inside = pt.gammaln(precision) - pt.gammaln(a) - pt.gammaln(b)
    inside += (a - 1.0) * log_y + (b - 1.0) * log_rest
    middle = between
    if response.middle:
        log_middle = pt.log(4.0 * scalars["middle_probability"]) - pt.softplus(e) - pt.softplus(-e)
        middle = between + log_middle
        inside += pt.log1mexp(log_middle)
    found = pt.switch(pt.eq(what, -1.0), at_low, at_high)
    found = pt.switch(pt.eq(what, 0.0), between + inside, found)
    return pt.switch(pt.eq(what, 2.0), middle, found)


def _points(
    e: TensorVariable,
    log_spread: TensorVariable,
    scalars: Mapping[str, TensorVariable],
    answer: Sequence[TensorVariable],
    response: StrengthResponse,
) -> TensorVariable:
    what, y = answer
    df = scalars["degrees_of_freedom"]
    own = pt.exp(2.0 * (scalars["log_spread_mean"] + log_spread))
    spread = pt.sqrt(own + response.resolution**2)
    z = (y - e) / spread
    constant = pt.gammaln((df + 1.0) / 2.0) - pt.gammaln(df / 2.0) - 0.5 * pt.log(np.pi * df)
    density = constant - (df + 1.0) / 2.0 * pt.log1p(z**2 / df) - pt.log(spread)
    beyond = pt.switch(pt.gt(what, 0.0), -z, z)
    tail = 0.5 * pt.betainc(df / 2.0, 0.5, df / (df + z**2))
    log_cdf = pt.switch(beyond <= 0.0, pt.log(tail), pt.log1p(-tail))
    return pt.switch(pt.eq(what, 0.0), density, log_cdf)
