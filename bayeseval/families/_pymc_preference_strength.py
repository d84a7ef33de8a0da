"""Strengths of preference: the formulas of their log density."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportReturnType=false
# pyright: reportArgumentType=false, reportCallIssue=false

from typing import Any

import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._pymc_ordered_beta import at_end, between_ends, log_beta
from bayeseval.families.engine.formula import Formula
from bayeseval.families.engine.special import (
    log_normal_cdf,
    log_normal_interval,
    sigmoid,
    sign,
    softplus,
    student_log_cdf,
    student_log_density,
)
from bayeseval.judgements._strengths import MOST_GRADES


def _location(v: Any) -> TensorVariable:
    return pt.exp(v.log_scale) * (v.difference + v.side_bias)


def _variance(v: Any) -> TensorVariable:
    return pt.exp(2.0 * (v.log_spread_mean + v.log_spread)) + v.resolution**2


def _point(v: Any) -> TensorVariable:
    """Student's t around the location."""
    return student_log_density(v.points - _location(v), _variance(v), v.degrees_of_freedom)


def _end(v: Any) -> TensorVariable:
    """All beyond an end, which above is below its mirror image."""
    z = sign(v.which) * (_location(v) - v.points) / pt.sqrt(_variance(v))
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


def _grades(n_widths: int) -> Formula:
    """Return the formula of grades whose thresholds are sums of so many widths.

    The answer says of the thresholds below and above a grade how much of each width lies between
    them and the middle; of an end, which has one, the first is that.
    """

    def threshold(v: Any, which: str) -> Any:
        parts = [
            getattr(v, f"{which}_{k}") * pt.exp(getattr(v, f"log_width_{k}"))
            for k in range(n_widths)
        ]
        return pt.exp(v.log_gap) * sum(parts) - _location(v)

    ends = {(-1.0, 1.0): lambda v: log_normal_cdf(-v.which * threshold(v, "lower"))}
    between = {(0.0,): lambda v: log_normal_interval(threshold(v, "lower"), threshold(v, "upper"))}
    shares = [f"{which}_{k}" for which in ("lower", "upper") for k in range(n_widths)]
    return Formula(
        name=f"strength_grades_{n_widths}",
        about="Log probability of grades: intervals of the difference plus normal noise",
        predictors=("difference", "log_scale", "log_gap"),
        answer=("which", *shares),
        scalars=(*(f"log_width_{k}" for k in range(n_widths)), "side_bias"),
        optional=("side_bias",),
        cases={**between, **ends} if n_widths else ends,
    )


GRADES = tuple(_grades(n_widths) for n_widths in range(MOST_GRADES - 1))

FORMULAS = (POINTS, SLIDER, SLIDER_WITH_MIDDLE, *GRADES)
