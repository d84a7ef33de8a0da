"""TrueSkill's model of an outcome: performances around two skills, and a margin of ties."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.special import log_ndtr, ndtr, ndtri

from bayeseval.families._base import positions
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._trueskill_engines import A_WINS, B_WINS, BETA, TIE
from bayeseval.judgements import Judgements

_NOISE = float(np.sqrt(2.0) * BETA)
"""Standard deviation of the difference of two performances."""


@dataclass(frozen=True, kw_only=True)
class TrueSkillResponse:
    """The fixed numbers of TrueSkill's model of an outcome.

    Parameters
    ----------
    draw_probability
        Chance of a tie between equal systems, by criterion.
    """

    draw_probability: tuple[float, ...]

    @property
    def kind(self) -> str:
        """Which density evaluates the answers."""
        return "trueskill"

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """No parameters besides the qualities."""
        return {}

    @property
    def margins(self) -> FloatArray:
        """Margin of a tie in the difference of two performances, by criterion."""
        return np.array([_margin(p) for p in self.draw_probability])


def row_differences(
    declaration: Declaration[TrueSkillResponse], judgements: Judgements, draws: xr.Dataset
) -> tuple[FloatArray, FloatArray]:
    """Return skill of a minus skill of b, dims (sample, row), and each row's margin."""
    dims = ("sample", "criterion", "system") if declaration.has_criterion else ("sample", "system")
    quality = draws["quality"].transpose(*dims).values
    margins = declaration.response.margins
    a, b = (
        positions(declaration, judgements, "system", factor) for factor in ("system_a", "system_b")
    )
    if not declaration.has_criterion:
        return quality[:, a] - quality[:, b], margins[[0]]
    criterion = positions(declaration, judgements, "criterion", "criterion")
    return quality[:, criterion, a] - quality[:, criterion, b], margins[criterion]


def outcomes_of(
    difference: FloatArray, margin: FloatArray, rng: np.random.Generator
) -> npt.NDArray[np.int8]:
    """Draw outcomes, coded as judgements of comparisons are, given the differences of skills."""
    performed = difference + _NOISE * rng.normal(size=difference.shape)
    beyond = np.where(performed > 0, A_WINS, B_WINS)
    return np.where(np.abs(performed) <= margin, TIE, beyond).astype(np.int8)


def log_probability(
    difference: FloatArray, margin: FloatArray, answers: npt.NDArray[Any]
) -> FloatArray:
    """Return the log probability of every row's outcome, dims (sample, row)."""
    signed = np.where(answers == B_WINS, -difference, difference)
    result = log_ndtr((signed - margin) / _NOISE)
    tied = answers == TIE
    if tied.any():
        size, at = np.abs(difference[:, tied]), np.broadcast_to(margin, answers.shape)[tied]
        near, far = log_ndtr((at - size) / _NOISE), log_ndtr((-at - size) / _NOISE)
        result[:, tied] = near + np.log(-np.expm1(far - near))
    return result


def outcome_probabilities(
    difference: FloatArray, margin: FloatArray | float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the chances that a wins, that b wins, and of a tie, given the difference of skills."""
    win, loss = ndtr((difference - margin) / _NOISE), ndtr((-difference - margin) / _NOISE)
    # The difference of two tails, taken on the side where both are small.
    size = np.abs(difference)
    tie = ndtr((margin - size) / _NOISE) - ndtr((-margin - size) / _NOISE)
    return win, loss, tie


def _margin(draw_probability: float) -> float:
    """Return the margin within which the difference of two performances is a tie."""
    # From the upper tail, which is exact also where the chance is near one.
    quantile = (
        -ndtri(0.5 * (1.0 - draw_probability))
        if draw_probability > 0.5
        else ndtri(0.5 * (1.0 + draw_probability))
    )
    # Below 1e-16 the sum above is one half: the density at zero gives the quantile.
    least = draw_probability * np.sqrt(np.pi / 2.0)
    return float(_NOISE * (least if draw_probability < 1e-9 else quantile))
