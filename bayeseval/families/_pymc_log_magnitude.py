"""The response of magnitudes in PyTensor: the definition that the kernel is checked against."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportReturnType=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false

import numpy as np
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._magnitude_response import MagnitudeResponse


def log_probability(
    predictors: list[TensorVariable],
    scalars: dict[str, TensorVariable],
    answer: list[TensorVariable],
    response: MagnitudeResponse,
) -> TensorVariable:
    """Return the log probability of one judgement of every cell."""
    impression, severity, modulus, log_spread, tie_band, log_scale = predictors
    what, ratio = answer
    df = scalars["degrees_of_freedom"]
    log_step = scalars["log_step"] if response.sides else 0.0
    location = scalars["modulus_mean"] + modulus + pt.exp(log_step + log_scale) * impression
    own = pt.exp(2.0 * (scalars["log_spread_mean"] + log_spread))
    spread = pt.sqrt(own + response.resolution**2)
    z = (ratio - location) / spread
    size = pt.switch(
        pt.eq(what, -2.0), _log_student_cdf(z, df), _log_student(z, df) - pt.log(spread)
    )
    if not response.sides:
        return size
    u = scalars["level"] + severity + impression
    band = pt.exp(scalars["log_tie_band_mean"] + tie_band)
    below = _log_normal_cdf(-band - u)
    above = _log_normal_cdf(u - band)
    # The nearer tail is the larger one; the difference of both tails keeps its digits.
    near, far = band - abs(u), -band - abs(u)
    at = _log_difference(_log_normal_cdf(near), _log_normal_cdf(far))
    below += size - _log_student_cdf(-location / spread, df)
    above += size - _log_student_cdf(location / spread, df)
    return pt.switch(pt.eq(what, 0.0), at, pt.switch(pt.gt(what, 0.0), above, below))


def _log_normal_cdf(x: TensorVariable) -> TensorVariable:
    far = (
        pt.log(0.5 * pt.erfcx(-pt.minimum(x, -1.0) / np.sqrt(2.0))) - 0.5 * pt.minimum(x, -1.0) ** 2
    )
    near = pt.log1p(-0.5 * pt.erfc(pt.maximum(x, -1.0) / np.sqrt(2.0)))
    return pt.switch(x < -1.0, far, near)


def _log_difference(larger: TensorVariable, smaller: TensorVariable) -> TensorVariable:
    return larger + pt.log(-pt.expm1(smaller - larger))


def _log_student(z: TensorVariable, df: TensorVariable) -> TensorVariable:
    constant = pt.gammaln((df + 1.0) / 2.0) - pt.gammaln(df / 2.0) - 0.5 * pt.log(np.pi * df)
    return constant - (df + 1.0) / 2.0 * pt.log1p(z**2 / df)


def _log_student_cdf(z: TensorVariable, df: TensorVariable) -> TensorVariable:
    lower = 0.5 * pt.betainc(df / 2.0, 0.5, df / (df + z**2))
    return pt.switch(z <= 0.0, pt.log(lower), pt.log1p(-lower))
