"""The response of magnitudes as a declaration: sides of the reference, spread, priors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayeseval.families._declaration import Prior, Scalar
from bayeseval.families.engine.loading import FormulaResponse

CENSORED, BELOW, AT, ABOVE = -2, -1, 0, 1
"""What an answer is, in its first column; without sides it is above, or censored."""

IMPRESSION, SEVERITY, MODULUS, LOG_SPREAD, TIE_BAND, LOG_SCALE = range(6)
"""The linear predictors."""

_SCALARS = {
    "modulus_mean": "log ratio of an average system, before it is cut to a side",
    "log_spread_mean": "log of the spread of a typical annotator's log ratios",
    "degrees_of_freedom": "how heavy the tails are: small numbers expect slips",
    "level": "how far an average system is above the reference, noise of a decision = 1",
    "log_step": "log of the log ratio that one unit of the decision corresponds to",
    "log_tie_band_mean": "log of half the width of a typical annotator's band of ties",
}


@dataclass(frozen=True, kw_only=True)
class MagnitudeResponse(FormulaResponse):
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
    formula_module = "_pymc_log_magnitude"

    @property
    def formula_name(self) -> str:
        """Name of the formula."""
        return "magnitude_sides" if self.sides else "magnitude"

    @property
    def constants(self) -> dict[str, float]:
        """Fixed numbers of the formula."""
        return {"resolution": self.resolution}

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Parameters, in the kernel's order."""

        def scalar(name: str, prior: Prior) -> Scalar:
            return Scalar(name=name, prior=prior, meaning=_SCALARS[name])

        def positive(name: str, centre: float, scale: float) -> Scalar:
            return scalar(name, Prior(kind="normal", a=float(np.log(centre)), b=scale))

        degrees = Prior(
            kind="gamma", a=self.degrees_shape, b=self.degrees_shape / self.degrees_centre
        )
        found = [
            scalar("modulus_mean", Prior(kind="normal", a=0.0, b=self.modulus_scale)),
            positive("log_spread_mean", self.spread_centre, self.log_spread_scale),
            scalar("degrees_of_freedom", degrees),
        ]
        if self.sides:
            found += [
                scalar("level", Prior(kind="normal", a=0.0, b=self.level_scale)),
                positive("log_step", self.step_centre, self.log_step_scale),
                positive("log_tie_band_mean", self.band_centre, self.log_band_scale),
            ]
        return tuple(found)

    @property
    def quality_unit(self) -> str:
        """What quality is measured in, in words."""
        return "in units of exp(log_step)" if self.sides else "as a log ratio"

    @property
    def quality_note(self) -> str:
        """What the footer of a table has to add to the unit of quality; empty where nothing."""
        if not self.sides:
            return ""
        return (
            "; an answer exactly at the reference counts as close to it and not as a ratio of 1, "
            "so medians may be equal where qualities differ"
        )

    def words(self) -> list[str]:
        """Return sentences on how magnitudes come about."""
        words = (
            [
                (
                    "An answer is first below the reference, as good as the reference, or above "
                    "it. The decision is the system's impression plus normal noise; within a band "
                    "around the reference the answer is exactly the reference."
                ),
                (
                    "Below or above, the log of magnitude / reference follows Student's t "
                    "distribution around the same impression, cut at the reference: its heavy "
                    "tails take in slips."
                ),
            ]
            if self.sides
            else [
                (
                    "The log of a magnitude follows Student's t distribution around the system's "
                    "quality: its heavy tails take in slips."
                )
            ]
        )
        if self.unit != 0.0:
            words.append("There is no reference: ratios are to the median answer.")
        words.append(
            f"No answer is taken as more exact than a factor of {1.0 + self.resolution:.3g}, "
            "because people answer in round numbers."
            if self.resolution
            else "Answers are taken as exactly as they are given."
        )
        return words

    def formulas(self, location: str, names: Sequence[str]) -> list[str]:
        """Return the distribution of a magnitude, given the formula of the impression."""

        def own(name: str) -> str:
            return f" + {name}[a]" if name in names else ""

        stretch = "exp(log_scale[a])·w" if "log_scale" in names else "w"
        around = f"modulus_mean{own('modulus')} + {stretch}"
        further = [
            f"w = {location}",
            f"spread = √(exp(2(log_spread_mean{own('log_spread')})) + {self.resolution:g}²)",
        ]
        if not self.sides:
            return [
                f"log magnitude ~ Student-t(degrees_of_freedom, {around}, spread)",
                *further,
            ]
        severity = " − severity[a]" if "severity" in names else ""
        ratio = f"~ Student-t(degrees_of_freedom, {around}, spread) cut at 0"
        return [
            "P(below) = Φ(−band − u), P(above) = Φ(u − band)",
            f"u = level{severity} + w / exp(log_step)",
            f"band = exp(log_tie_band_mean{own('tie_band')})",
            f"log(magnitude / reference), below or above, {ratio}",
            *further,
        ]
