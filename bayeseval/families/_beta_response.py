"""How a difference of two systems becomes a stated probability."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bayeseval.families._declaration import Prior, Scalar
from bayeseval.families.engine.loading import FormulaResponse

AT_0, BETWEEN, AT_1 = -1.0, 0.0, 1.0
"""What an answer is, in its first column."""

DIFFERENCE, LOG_EXTREMITY, LOG_PRECISION = 0, 1, 2
"""The linear predictors."""

type Structure = Literal["qualities", "pairs"]


@dataclass(frozen=True, kw_only=True)
class BetaResponse(FormulaResponse):
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

    kind = "ordered_beta"
    formula_module = "_pymc_ordered_beta"

    @property
    def formula_name(self) -> str:
        """Name of the formula."""
        return "stated_probability"

    @property
    def constants(self) -> dict[str, float]:
        """Fixed numbers of the formula."""
        return {"resolution": self.resolution}

    @property
    def n_predictors(self) -> int:
        """Number of linear predictors."""
        return 3

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Chance of an end, mean log precision and, where it is in the model, direction bias."""
        centre, scale = float(np.log(self.precision_centre)), self.log_precision_scale
        found = [
            Scalar(
                name="end_probability",
                prior=Prior(kind="beta", a=self.end_a, b=self.end_b),
                meaning="how often an exact 0 or 1 is stated of two equal systems",
            ),
            Scalar(
                name="log_precision_mean",
                prior=Prior(kind="normal", a=centre, b=scale),
                meaning="log of the precision of a typical annotator's answers",
            ),
        ]
        if self.direction_bias_scale is not None:
            found.append(
                Scalar(
                    name="direction_bias",
                    prior=Prior(kind="normal", a=0.0, b=self.direction_bias_scale),
                    meaning="advantage of the system named first, as log odds",
                )
            )
        return tuple(found)

    quality_unit = "on the scale of log odds"

    def words(self) -> list[str]:
        """Return sentences on how stated probabilities come about."""
        words = [
            (
                "Every pair that was asked has a difference of its own; the pairs are alike a "
                "priori and share no scale of quality. A pair that was never asked has no answer."
                if self.structure == "pairs"
                else "Each system has a quality; what is stated of a pair grows with the "
                "difference of the two qualities."
            ),
            (
                "An answer is exactly 0, exactly 1, or in between, where it follows a beta "
                "distribution. One threshold holds for both ends, so that P[A ≻ B] and 1 − P[B ≻ "
                "A] have the same law."
            ),
            (
                f"Near one half no answer is taken as more exact than ± {self.resolution:g}, "
                "because people answer in round numbers."
                if self.resolution
                else "Answers are taken as exactly as they are given."
            ),
            (
                "What is reported is the mean of what new annotators would state, ends included, "
                "and not the mean of the beta part."
            ),
        ]
        if self.direction_bias_scale is not None:
            words.append("The system named first may have an advantage.")
        return words

    def formulas(self, location: str, names: Sequence[str]) -> list[str]:
        """Return the predictor and the distribution of a stated probability."""
        if "log_extremity" in names:
            location = f"exp(log_extremity[r]) · ({location})"
        if self.direction_bias_scale is not None:
            location += " + direction_bias"
        own = " + log_precision[r]" if "log_precision" in names else ""
        return [
            f"η = {location}",
            "P(y = 0) = 1 − logistic(η + κ),  P(y = 1) = logistic(η − κ)",
            "otherwise y ~ beta(mean logistic(η), precision φ)",
            "κ = log(2 / end_probability − 1)",
            f"1/φ = exp(−(log_precision_mean{own})) + 4 · {self.resolution:g}²",
        ]
