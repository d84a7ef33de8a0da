"""Magnitudes: the formulas of their log density, the side of the reference first, then the ratio.

Below or above the reference, the log ratio is Student's t, cut to that side and divided by its mass
there; at the reference there is nothing more to say; a censored answer is known to be below its log
ratio. Without sides the log ratio is Student's t as it stands. Derivations are in
``models/log_magnitude/card.md``.
"""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportReturnType=false

from typing import Any

import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._magnitude_response import ABOVE, AT, BELOW, CENSORED
from bayeseval.families.engine.formula import Formula
from bayeseval.families.engine.special import (
    log_normal_band,
    log_normal_cdf,
    sign,
    student_log_cdf,
    student_log_density,
)


def _location(v: Any) -> TensorVariable:
    return v.modulus_mean + v.modulus + pt.exp(v.log_step + v.log_scale) * v.impression


def _variance(v: Any) -> TensorVariable:
    return pt.exp(2.0 * (v.log_spread_mean + v.log_spread)) + v.resolution**2


def _ratio(v: Any) -> TensorVariable:
    """Student's t around the location."""
    return student_log_density(v.ratio - _location(v), _variance(v), v.degrees_of_freedom)


def _censored(v: Any) -> TensorVariable:
    """All below the log ratio."""
    z = (v.ratio - _location(v)) / pt.sqrt(_variance(v))
    return student_log_cdf(z, v.degrees_of_freedom)


def _side(v: Any, side: Any) -> TensorVariable:
    """Return what a side has beyond its ratios: its probability, over the mass of Student's t."""
    end = side * _location(v) / pt.sqrt(_variance(v))
    return log_normal_cdf(side * _lead(v) - _band(v)) - student_log_cdf(end, v.degrees_of_freedom)


def _lead(v: Any) -> TensorVariable:
    """Return how far the impression is above the reference."""
    return v.level + v.severity + v.impression


def _band(v: Any) -> TensorVariable:
    """Return half the width of the band of ties."""
    return pt.exp(v.log_tie_band_mean + v.tie_band)


_COMMON: Any = {
    "predictors": ("impression", "severity", "modulus", "log_spread", "tie_band", "log_scale"),
    "answer": ("what", "ratio"),
    "constants": ("resolution",),
}
_SCALARS = ("modulus_mean", "log_spread_mean", "degrees_of_freedom", "log_step")
RATIOS = Formula(
    name="magnitude",
    about="Log density of magnitudes: Student's t of the log ratio",
    scalars=_SCALARS,
    optional=("log_step",),
    cases={(CENSORED,): _censored, (BELOW, ABOVE): _ratio},
    **_COMMON,
)
SIDES = Formula(
    name="magnitude_sides",
    about="Log density of magnitudes: a side of the reference, then the log ratio",
    scalars=(*_SCALARS, "level", "log_tie_band_mean"),
    cases={
        (AT,): lambda v: log_normal_band(_lead(v), _band(v)),
        (CENSORED,): lambda v: _side(v, BELOW) + _censored(v),
        (BELOW, ABOVE): lambda v: _side(v, sign(v.what)) + _ratio(v),
    },
    **_COMMON,
)

FORMULAS = (RATIOS, SIDES)
