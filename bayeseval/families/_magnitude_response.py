"""The response of magnitudes as a declaration: sides of the reference, spread, priors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayeseval.families._declaration import FloatArray, Prior, Scalar
from bayeseval.families._magnitude_kernel import magnitude_kernel, magnitude_log_density


@dataclass(frozen=True, kw_only=True)
class MagnitudeResponse:
    """Below, as good as or above the reference, then a log ratio with heavy tails.

    Parameters
    ----------
    sides
        Whether answers at the reference have a probability of their own.
    resolution
        Standard deviation of a log ratio that is there however exactly an annotator answers.
    unit
        Log of the unit that ratios are divided by: 0 where there is a reference.
    lowest, highest
        Smallest and largest log ratio in the data.
    modulus_scale
        Normal scale of the mean modulus.
    level_scale
        Normal scale of the level.
    spread_centre, log_spread_scale
        Median of the spread, and normal scale of its log.
    degrees_shape, degrees_centre
        Shape and mean of the gamma prior of the degrees of freedom.
    step_centre, log_step_scale
        Median of the step, and normal scale of its log.
    band_centre, log_band_scale
        Median of the tie band, and normal scale of its log.
    """

    sides: bool
    resolution: float
    unit: float
    lowest: float
    highest: float
    modulus_scale: float
    level_scale: float
    spread_centre: float
    log_spread_scale: float
    degrees_shape: float
    degrees_centre: float
    step_centre: float
    log_step_scale: float
    band_centre: float
    log_band_scale: float

    kind = "log_magnitude"
    n_predictors = 6

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Parameters, in the kernel's order."""

        def positive(name: str, centre: float, scale: float) -> Scalar:
            return Scalar(name=name, prior=Prior(kind="normal", a=float(np.log(centre)), b=scale))

        degrees = Prior(
            kind="gamma", a=self.degrees_shape, b=self.degrees_shape / self.degrees_centre
        )
        found = [
            Scalar(name="modulus_mean", prior=Prior(kind="normal", a=0.0, b=self.modulus_scale)),
            positive("log_spread_mean", self.spread_centre, self.log_spread_scale),
            Scalar(name="degrees_of_freedom", prior=degrees),
        ]
        if self.sides:
            found += [
                Scalar(name="level", prior=Prior(kind="normal", a=0.0, b=self.level_scale)),
                positive("log_step", self.step_centre, self.log_step_scale),
                positive("log_tie_band_mean", self.band_centre, self.log_band_scale),
            ]
        return tuple(found)

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """Unconstrained parameters of one criterion, in the sampler's order."""
        return {scalar.name: () for scalar in self.scalars}

    @property
    def options(self) -> FloatArray:
        """Fixed numbers of the kernel."""
        return np.array([float(self.sides), self.resolution])

    @property
    def kernel(self) -> Any:
        """The compiled log density of the answers."""
        return magnitude_kernel

    @property
    def log_density(self) -> Callable[..., int]:
        """The log density of the model with that kernel."""
        return magnitude_log_density
