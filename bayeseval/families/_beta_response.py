"""How a difference of two systems becomes a stated probability."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bayeseval.families._beta_kernel import beta_kernel, beta_log_density
from bayeseval.families._declaration import FloatArray, Prior, Scalar

type Structure = Literal["qualities", "pairs"]


@dataclass(frozen=True, kw_only=True)
class BetaResponse:
    """A stated probability with exact ends, given difference, log extremity and log precision.

    Parameters
    ----------
    structure
        Whether a pair's difference is one of qualities or the pair's own.
    pairs
        Positions of the two systems of every pair that was asked, the lower one first.
    resolution
        Standard deviation that an answer near one half has at least.
    direction_bias_scale
        Normal prior scale of the advantage of the system named first; None where there is none.
    end_a, end_b
        Beta prior of the chance of an exact end between equal systems.
    precision_centre, log_precision_scale
        Prior median of the precision, and normal prior scale of its log.
    """

    structure: Structure
    pairs: tuple[tuple[int, int], ...]
    resolution: float
    direction_bias_scale: float | None
    end_a: float
    end_b: float
    precision_centre: float
    log_precision_scale: float

    @property
    def kind(self) -> str:
        """Name of the PyMC formula's module."""
        return "ordered_beta"

    @property
    def n_predictors(self) -> int:
        """Number of linear predictors."""
        return 3

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Chance of an end, mean log precision and, where it is in the model, direction bias."""
        centre, scale = float(np.log(self.precision_centre)), self.log_precision_scale
        found = [
            Scalar(name="end_probability", prior=Prior(kind="beta", a=self.end_a, b=self.end_b)),
            Scalar(name="log_precision_mean", prior=Prior(kind="normal", a=centre, b=scale)),
        ]
        if self.direction_bias_scale is not None:
            prior = Prior(kind="normal", a=0.0, b=self.direction_bias_scale)
            found.append(Scalar(name="direction_bias", prior=prior))
        return tuple(found)

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """Unconstrained parameters of one criterion, in the sampler's order."""
        return {scalar.name: () for scalar in self.scalars}

    @property
    def options(self) -> FloatArray:
        """Resolution, and whether there is a direction bias, as the kernel reads them."""
        return np.array([self.resolution, self.direction_bias_scale is not None], dtype=np.float64)

    @property
    def kernel(self) -> Any:
        """The compiled log density of the answers."""
        return beta_kernel

    @property
    def log_density(self) -> Callable[..., int]:
        """The log density of the model with that kernel."""
        return beta_log_density
