"""Prior of one block of effects with its standard deviation integrated out.

Given the effects of a block, all that matters is their sum of squares r, and

    log g(r) = log ∫ σ^(-n) exp(-r / 2σ²) half-normal(σ) dσ,    g'/g = -E(1/σ²) / 2

is a sum over a grid of log σ; σ itself is drawn given r (``_log_concave``).
"""

from dataclasses import dataclass

import numpy as np

from bayeseval.families._declaration import FloatArray
from bayeseval.families._log_concave import log_concave_draws

_GRID = 401
_LEAST_SQUARES = 1e-30


@dataclass(frozen=True)
class MarginalPrior:
    """Prior of a block of effects with its standard deviation integrated out.

    Parameters
    ----------
    log
        Log density of the effects up to a constant, dims (…).
    precision
        Mean of 1/σ² given the effects, likewise.
    precision_variance
        Variance of 1/σ² given the effects, likewise.
    """

    log: FloatArray
    precision: FloatArray
    precision_variance: FloatArray


@dataclass(frozen=True, kw_only=True)
class Block:
    """One criterion of an effect."""

    name: str
    sd_scale: float
    n_rows: int
    length: int
    zero_sum: bool
    start: int
    free: slice

    @property
    def stop(self) -> int:
        """End among the effects."""
        return self.start + self.n_rows * self.length

    @property
    def width(self) -> int:
        """Number of free values."""
        return self.free.stop - self.free.start

    def prior(self, squares: FloatArray) -> MarginalPrior:
        """Integrate the standard deviation out, given the sum of squares of the effects."""
        n, scale = self.width, self.sd_scale
        r = np.maximum(squares, _LEAST_SQUARES)[..., None]
        v = self._likeliest_variance(r) if n > 0 else 0.25 * scale**2 * np.ones_like(r)
        sd = 1.0 / np.sqrt(2.0 * r / v + 2.0 * v / scale**2)
        peak = 0.5 * np.log(v)
        low = peak - 8.0 * sd
        high = np.maximum(np.minimum(peak + 40.0 * sd, np.log(8.0 * scale)), peak + 8.0 * sd)
        log_sd = low + (high - low) * np.linspace(0.0, 1.0, _GRID)
        precision = np.exp(-2.0 * log_sd)
        log = (1.0 - n) * log_sd - 0.5 * r * precision - 0.5 * np.exp(2.0 * log_sd) / scale**2
        top = log.max(axis=-1, keepdims=True)
        share = np.exp(log - top)
        total = share.sum(axis=-1, keepdims=True)
        share /= total
        mean = (share * precision).sum(axis=-1)
        step = (high - low)[..., 0] / (_GRID - 1)
        return MarginalPrior(
            log=(top + np.log(total))[..., 0] + np.log(step),
            precision=mean,
            precision_variance=(share * (precision - mean[..., None]) ** 2).sum(axis=-1),
        )

    def draw_sd(self, squares: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw a standard deviation given the sums of squares of the effects, dims (draw,)."""
        r = np.maximum(squares, _LEAST_SQUARES)
        variance = self._likeliest_variance(r)
        a, b = 0.5 * r / variance, 0.5 * variance / self.sd_scale**2
        return np.sqrt(variance) * np.exp(0.5 * log_concave_draws(a, b, rng))

    def _likeliest_variance(self, squares: FloatArray) -> FloatArray:
        """Return σ² where the density of log σ is highest: r/σ² - σ²/scale² = n - 1."""
        if self.width == 0:
            return np.full_like(squares, self.sd_scale**2)
        less = self.width - 1.0
        return 2.0 * squares / (less + np.sqrt(less**2 + 4.0 * squares / self.sd_scale**2))
