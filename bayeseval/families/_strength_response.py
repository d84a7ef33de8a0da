"""How a difference of two systems becomes a strength of preference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bayeseval.families._declaration import FloatArray, Prior, Scalar
from bayeseval.families.engine.loading import FormulaResponse

type Strength = Literal["graded", "ordered_beta", "student_t"]
type Thresholds = Literal["symmetric", "free"]

LOW, BETWEEN, HIGH, MIDDLE = -1.0, 0.0, 1.0, 2.0
"""What an answer is, in its first column."""

DIFFERENCE, LOG_SCALE, BY_ANNOTATOR = range(3)
"""The linear predictors, the third the annotator's log gap, log precision or log spread."""

OWN: dict[Strength, str] = {
    "graded": "log_gap",
    "ordered_beta": "log_precision",
    "student_t": "log_spread",
}
"""The effect of the annotator besides the use of the scale, by response."""

_UNITS = {
    "graded": "in standard deviations of the noise of one comparison",
    "ordered_beta": "on the scale of log odds",
    "student_t": "in points of the scale",
}
_SCALARS = {
    "end_probability": "how often an end of the slider is taken between two equal systems",
    "middle_probability": "how often exactly the middle is taken between two equal systems, where "
    "it is no end",
    "log_precision_mean": "log of the precision of a typical annotator's answers",
    "degrees_of_freedom": "how seldom answers are far out: small means heavy tails",
    "log_spread_mean": "log of the spread of a typical annotator's answers, in points",
    "side_bias": "advantage of the system shown as a",
}


@dataclass(frozen=True, kw_only=True)
class StrengthResponse(FormulaResponse):
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

    kind = "preference_strength"
    n_predictors = 3
    formula_module = "_pymc_preference_strength"

    @property
    def formula_name(self) -> str:
        """Name of the formula."""
        if self.response == "graded":
            return f"strength_grades_{self.n_widths}"
        if self.response == "student_t":
            return "strength_points"
        return "strength_slider_with_middle" if self.middle else "strength_slider"

    @property
    def constants(self) -> dict[str, float]:
        """Fixed numbers of the formula."""
        return {"resolution": self.resolution}

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

    def answer_of(self, grade: FloatArray) -> list[FloatArray]:
        """Return positions of grades from below as the formula reads them, each dims (row,)."""
        at, shares = grade.astype(np.intp), self.threshold_shares[:, : self.n_widths]
        top = len(shares)
        which = np.select([at == 0, at == top], [LOW, HIGH], BETWEEN)
        lower = shares[np.clip(at - 1, 0, top - 1)]
        # An end has no second threshold; any above the first keeps the formula's other case finite.
        upper = np.where(which[:, None] == BETWEEN, shares[np.clip(at, 0, top - 1)], lower + 1.0)
        return [which, *lower.T, *upper.T]

    def thresholds_of(self, values: Any, shape: tuple[int, ...]) -> FloatArray:
        """Return thresholds from below, dims (*shape, threshold), given log widths by name."""
        logs = [np.broadcast_to(np.asarray(values[name]), shape) for name in self.width_names]
        if not logs:
            return np.zeros((*shape, self.n_grades - 1))
        return np.exp(np.stack(logs, axis=-1)) @ self.threshold_shares.T

    @property
    def width_names(self) -> tuple[str, ...]:
        """Names of the log widths: from the middle outwards, or from the lowest grade."""
        return tuple(f"log_width_{j}" for j in range(self.n_widths))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Parameters in the order in which the kernel reads them."""

        def log_normal(name: str, centre: float, scale: float) -> Scalar:
            prior = Prior(kind="normal", a=float(np.log(centre)), b=scale)
            return Scalar(name=name, prior=prior, meaning=self._meaning(name))

        found: list[Scalar] = []
        if self.response == "graded":
            found += [
                log_normal(name, self.width_centre, self.log_width_scale)
                for name in self.width_names
            ]
        elif self.response == "ordered_beta":
            ends = Prior(kind="beta", a=self.end_a, b=self.end_b)
            found.append(self._scalar("end_probability", ends))
            found.append(
                log_normal("log_precision_mean", self.precision_centre, self.log_precision_scale)
            )
            if self.middle:
                middle = Prior(kind="beta", a=self.middle_a, b=self.middle_b)
                found.append(self._scalar("middle_probability", middle))
        else:
            degrees = Prior(kind="gamma", a=self.degrees_shape, b=self.degrees_rate)
            found.append(self._scalar("degrees_of_freedom", degrees))
            found.append(log_normal("log_spread_mean", self.spread_centre, self.log_spread_scale))
        if self.side_bias_scale is not None:
            prior = Prior(kind="normal", a=0.0, b=self.side_bias_scale)
            found.append(self._scalar("side_bias", prior))
        return tuple(found)

    def _scalar(self, name: str, prior: Prior) -> Scalar:
        return Scalar(name=name, prior=prior, meaning=self._meaning(name))

    def _meaning(self, name: str) -> str:
        if not name.startswith("log_width_"):
            return _SCALARS[name]
        width = int(name.removeprefix("log_width_"))
        grades = [
            f"{grade - self.bound:g}"
            for grade, own in enumerate(self.width_of, start=1)
            if own == width
        ]
        return f"log of the width of grade {' and of '.join(grades)}"

    @property
    def quality_unit(self) -> str:
        """What quality is measured in, in words."""
        return _UNITS[self.response]

    @property
    def quality_scale(self) -> str:
        """What a quality is, in the unit of the chosen reading of strengths."""
        return f"preference over an average system, {self.quality_unit}"

    def words(self) -> list[str]:
        """Return sentences on how strengths come about."""
        return [
            (
                "Each system has a quality; the strength by which one is preferred grows with the "
                "difference of the two qualities."
            ),
            *self._reading(),
            *(
                ["The system shown as a may have an advantage, the same for all systems."]
                if self.has_bias
                else []
            ),
        ]

    def _reading(self) -> list[str]:
        bound = f"−{self.bound:g}..{self.bound:g}"
        exact = "No answer is taken as more exact than people's round numbers are."
        match self.response:
            case "graded":
                return [
                    (
                        f"Strengths are read as the {self.n_grades} grades {bound}: a grade is an "
                        "interval of a latent preference with normal noise (cumulative probit)."
                    ),
                    (
                        "The grades of both sides are equally wide, so that swapping the two "
                        "systems mirrors everything."
                        if self.thresholds == "symmetric"
                        else "Every grade has a width of its own."
                    ),
                ]
            case "ordered_beta":
                words = [
                    (
                        f"Strengths are read as positions of a slider {bound}: an answer is an "
                        "end, or in between, where it follows a beta distribution. One threshold "
                        "holds for both ends."
                    )
                ]
                if self.middle:
                    words.append(
                        "Exactly the middle is an answer of its own, no preference, and most "
                        "likely between equal systems."
                    )
            case "student_t":
                words = [
                    (
                        f"Strengths are read as points of {bound}: Student's t around the "
                        "difference, so that single answers far out do not move it; an answer at "
                        "an end stands for all that lies beyond."
                    )
                ]
        return [*words, exact] if self.resolution else words

    def formulas(self, location: str, names: Sequence[str]) -> list[str]:
        """Return the predictor and the distribution of a strength."""
        if self.has_bias:
            location += " + side_bias"
        if "log_scale" in names:
            location = f"exp(log_scale[r]) · ({location})"
        return [f"η = {location}", *self._distribution(names)]

    def _distribution(self, names: Sequence[str]) -> list[str]:
        own = next((name for name in OWN.values() if name in names), None)
        deviation = "" if own is None else f" + {own}[r]"
        match self.response:
            case "graded":
                factor = "" if own is None else "exp(log_gap[r]) · "
                return [
                    f"P(y ≤ k) = Φ({factor}c_k − η)",
                    "c_k: sums of the widths exp(log_width) from the middle of the scale outwards",
                ]
            case "ordered_beta":
                middle = (
                    "P(y = 0, at no end) = 4 · middle_probability · logistic(η) · logistic(−η) "
                    "· P(at no end)"
                )
                return [
                    "P(y = −X) = logistic(−η − κ),  P(y = X) = logistic(η − κ)",
                    *([middle] if self.middle else []),
                    "otherwise (y/X + 1)/2 ~ beta(mean logistic(η), precision φ)",
                    "κ = log(2 / end_probability − 1)",
                    f"1/φ = exp(−(log_precision_mean{deviation})) + 4 · {self.resolution:g}²",
                ]
            case "student_t":
                return [
                    "y ~ Student-t(degrees_of_freedom, η, σ), censored at ±X",
                    f"σ² = exp(2 · (log_spread_mean{deviation})) + {self.resolution:g}²",
                ]
