"""How a difference of two systems becomes a strength of preference."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bayeseval.families._declaration import FloatArray, Prior, Scalar
from bayeseval.families._strength_kernel import (
    graded_kernel,
    graded_log_density,
    points_kernel,
    points_log_density,
    slider_kernel,
    slider_log_density,
)

type Strength = Literal["graded", "ordered_beta", "student_t"]
type Thresholds = Literal["symmetric", "free"]

_KERNELS = {"graded": graded_kernel, "ordered_beta": slider_kernel, "student_t": points_kernel}
_LOG_DENSITIES = {
    "graded": graded_log_density,
    "ordered_beta": slider_log_density,
    "student_t": points_log_density,
}


@dataclass(frozen=True, kw_only=True)
class StrengthResponse:
    """A strength of preference, given difference, log scale and one more of the annotator.

    Parameters
    ----------
    response
        Grades between thresholds, a slider with ends and middle, or points with heavy tails.
    bound
        The largest strength.
    thresholds
        Whether both halves of the grades have the same widths.
    middle
        Whether "no preference" has a probability of its own on a slider.
    resolution
        Standard deviation of an answer that even the most regular annotator has: of y01 near one
        half, or in points.
    side_bias_scale
        Normal prior scale of the advantage of the system shown as a; None where there is none.
    width_centre, log_width_scale
        Prior median of a grade's width, and normal prior scale of its log.
    end_a, end_b, middle_a, middle_b
        Beta priors of the chances of an end, and of the middle, between equal systems.
    precision_centre, log_precision_scale
        Prior median of the precision, and normal prior scale of its log.
    spread_centre, log_spread_scale
        Likewise of the spread in points.
    degrees_shape, degrees_rate
        Gamma prior of the degrees of freedom.
    """

    response: Strength
    bound: float
    thresholds: Thresholds
    middle: bool
    resolution: float
    side_bias_scale: float | None
    width_centre: float
    log_width_scale: float
    end_a: float
    end_b: float
    middle_a: float
    middle_b: float
    precision_centre: float
    log_precision_scale: float
    spread_centre: float
    log_spread_scale: float
    degrees_shape: float
    degrees_rate: float

    @property
    def kind(self) -> str:
        """Name of the PyMC formula's module."""
        return "preference_strength"

    @property
    def n_predictors(self) -> int:
        """Number of linear predictors."""
        return 3

    @property
    def has_bias(self) -> bool:
        """Whether the side shown as a may have an advantage."""
        return self.side_bias_scale is not None

    @property
    def n_grades(self) -> int:
        """Number of grades."""
        return round(2.0 * self.bound) + 1

    @property
    def width_of(self) -> tuple[int, ...]:
        """Which width each grade between the ends has, from below."""
        inner = range(1, self.n_grades - 1)
        if self.thresholds == "free":
            return tuple(grade - 1 for grade in inner)
        return tuple(abs(2 * grade - self.n_grades + 1) // 2 for grade in inner)

    @property
    def n_widths(self) -> int:
        """Number of different widths of grades."""
        return max(self.width_of, default=-1) + 1

    @property
    def threshold_shares(self) -> FloatArray:
        """How much of each width lies between the middle and a threshold, (threshold, width)."""
        n = self.n_grades
        # Distance of threshold t from the lowest one, in widths; then the middle is taken off.
        distance = np.zeros((n - 1, max(self.n_widths, 1)))
        for grade, width in enumerate(self.width_of, start=1):
            distance[grade:, width] += 1.0
        centre = 0.5 * (distance[(n - 2) // 2] + distance[(n - 1) // 2])
        return distance - centre

    def thresholds_at(self, log_widths: FloatArray) -> FloatArray:
        """Return thresholds from below; dims (…, width) to (…, threshold)."""
        if self.n_widths == 0:
            return np.zeros((*log_widths.shape[:-1], self.n_grades - 1))
        return np.exp(log_widths) @ self.threshold_shares.T

    @property
    def width_names(self) -> tuple[str, ...]:
        """Names of the log widths: from the middle outwards, or from the lowest grade."""
        return tuple(f"log_width_{j}" for j in range(self.n_widths))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Parameters in the order in which the kernel reads them."""

        def log_normal(name: str, centre: float, scale: float) -> Scalar:
            return Scalar(name=name, prior=Prior(kind="normal", a=float(np.log(centre)), b=scale))

        found: list[Scalar] = []
        if self.response == "graded":
            found += [
                log_normal(name, self.width_centre, self.log_width_scale)
                for name in self.width_names
            ]
        elif self.response == "ordered_beta":
            ends = Prior(kind="beta", a=self.end_a, b=self.end_b)
            found.append(Scalar(name="end_probability", prior=ends))
            found.append(
                log_normal("log_precision_mean", self.precision_centre, self.log_precision_scale)
            )
            if self.middle:
                middle = Prior(kind="beta", a=self.middle_a, b=self.middle_b)
                found.append(Scalar(name="middle_probability", prior=middle))
        else:
            degrees = Prior(kind="gamma", a=self.degrees_shape, b=self.degrees_rate)
            found.append(Scalar(name="degrees_of_freedom", prior=degrees))
            found.append(log_normal("log_spread_mean", self.spread_centre, self.log_spread_scale))
        if self.side_bias_scale is not None:
            prior = Prior(kind="normal", a=0.0, b=self.side_bias_scale)
            found.append(Scalar(name="side_bias", prior=prior))
        return tuple(found)

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """Unconstrained parameters of one criterion, in the sampler's order."""
        return {scalar.name: () for scalar in self.scalars}

    @property
    def options(self) -> FloatArray:
        """Fixed numbers as the kernel of the response reads them."""
        bias = float(self.has_bias)
        if self.response == "graded":
            return np.concatenate([[bias, self.n_widths], self.threshold_shares.ravel()])
        if self.response == "ordered_beta":
            return np.array([bias, float(self.middle), self.resolution])
        return np.array([bias, self.resolution])

    @property
    def kernel(self) -> Any:
        """The compiled log density of the answers."""
        return _KERNELS[self.response]

    @property
    def log_density(self) -> Callable[..., int]:
        """The log density of the model with that kernel."""
        return _LOG_DENSITIES[self.response]
