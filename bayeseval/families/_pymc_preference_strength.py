"""Strengths of preference in PyTensor: the definition that the compiled kernels are held to."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportReturnType=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportOptionalOperand=false

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._pymc_ordered_beta import at_end, between_ends, log_beta
from bayeseval.families._strength_response import StrengthResponse
from bayeseval.families.engine.formula import Formula
from bayeseval.families.engine.special import (
    sigmoid,
    softplus,
    student_constant,
    student_log_cdf,
)


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
    if response.response != "graded":
        formula = next(formula for formula in FORMULAS if formula.name == response.formula_name)
        return formula.log_probability(predictors, scalars, answer, response.constants)
    difference, log_scale, own = predictors
    bias = scalars["side_bias"] if response.side_bias_scale is not None else 0.0
    e = pt.exp(log_scale) * (difference + bias)
    return _graded(e, own, scalars, answer, response)


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


def _location(v: Any) -> TensorVariable:
    return pt.exp(v.log_scale) * (v.difference + v.side_bias)


def _variance(v: Any) -> TensorVariable:
    return pt.exp(2.0 * (v.log_spread_mean + v.log_spread)) + v.resolution**2


def _point(v: Any) -> TensorVariable:
    """Student's t around the location."""
    variance, df = _variance(v), v.degrees_of_freedom
    squared = (v.points - _location(v)) ** 2 / variance
    log_term = pt.log1p(squared / df)
    return student_constant(df) - 0.5 * ((df + 1.0) * log_term + pt.log(variance))


def _end(v: Any) -> TensorVariable:
    """All beyond an end, which above is below its mirror image."""
    z = v.which * (_location(v) - v.points) / pt.sqrt(_variance(v))
    return student_log_cdf(z, v.degrees_of_freedom)


POINTS = Formula(
    name="strength_points",
    about="Log density of strengths in points: Student's t, an end standing for all beyond it",
    predictors=("difference", "log_scale", "log_spread"),
    answer=("which", "points"),
    scalars=("degrees_of_freedom", "log_spread_mean", "side_bias"),
    optional=("side_bias",),
    constants=("resolution",),
    cases={(0.0,): _point, (-1.0, 1.0): _end},
)


def _without_middle(v: Any) -> TensorVariable:
    """Return the log of what is left of one: the middle has probability 4 m F(e) F(-e)."""
    e = _location(v)
    return pt.log1p(-4.0 * v.middle_probability * sigmoid(e) * sigmoid(-e))


def _middle(v: Any) -> TensorVariable:
    """Neither end, and then exactly the middle."""
    e = _location(v)
    log_middle = pt.log(4.0 * v.middle_probability) - softplus(e) - softplus(-e)
    return between_ends(v, e) + log_middle


def _position(v: Any) -> TensorVariable:
    return between_ends(v, _location(v)) + log_beta(v, _location(v))


_SLIDER: Any = {
    "about": "Log density of a slider's positions: an exact end, or a beta between them",
    "predictors": ("difference", "log_scale", "log_precision"),
    "answer": ("which", "log_y", "log_rest"),
    "optional": ("side_bias",),
    "constants": ("resolution",),
}
SLIDER = Formula(
    name="strength_slider",
    scalars=("end_probability", "log_precision_mean", "side_bias"),
    cases={(0.0,): _position, (-1.0, 1.0): lambda v: at_end(v, _location(v))},
    **_SLIDER,
)
SLIDER_WITH_MIDDLE = Formula(
    name="strength_slider_with_middle",
    scalars=("end_probability", "log_precision_mean", "middle_probability", "side_bias"),
    cases={
        (0.0,): lambda v: _position(v) + _without_middle(v),
        (2.0,): _middle,
        (-1.0, 1.0): lambda v: at_end(v, _location(v)),
    },
    **_SLIDER,
)

FORMULAS = (POINTS, SLIDER, SLIDER_WITH_MIDDLE)
