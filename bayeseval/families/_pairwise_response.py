"""How a difference of two systems becomes a win, a loss or a tie."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from bayeseval.families._declaration import FloatArray, Prior, Scalar
from bayeseval.families._pairwise_values import decided_log_likelihoods
from bayeseval.families.engine.loading import FormulaResponse

type Link = Literal["logit", "probit"]
type Ties = Literal["davidson", "rao_kupper", "half", "none"]

_TIES = {
    "davidson": (
        "A tie has a probability of its own, largest between equal systems (Davidson).",
        "P(a wins) : P(b wins) : P(tie) = exp(η/2) : exp(−η/2) : ν",
    ),
    "rao_kupper": (
        "A tie is a difference too small to be noticed: within a threshold (Rao and Kupper).",
        "P(a wins) = F(η − τ),  P(b wins) = F(−η − τ),  P(tie) = the rest",
    ),
    "half": (
        "A tie counts as half a win for each: a convention, not a model of ties.",
        "P(a wins) = F(η)",
    ),
    "none": ("There are no ties.", "P(a wins) = F(η)"),
}


@dataclass(frozen=True, kw_only=True)
class PairwiseResponse(FormulaResponse):
    """Outcome of a comparison given the linear predictors of its location and log consistency.

    The answer's columns are the shares of wins of a, wins of b, and ties among the judgements of
    a cell; a single judgement has a one and two zeros.

    Parameters
    ----------
    link
        Distribution of the noise in the comparison: logistic or normal.
    ties
        How ties come about.
    position_scale
        Prior scale of the effect of being shown first; None where there is none.
    consistency
        Whether the second predictor is the annotator's log consistency.
    log_tie_centre, log_tie_scale
        Normal prior of Davidson's log ν.
    tie_threshold_scale
        Half-normal prior of Rao and Kupper's threshold.
    """

    link: Link
    ties: Ties
    position_scale: float | None
    consistency: bool
    log_tie_centre: float = 0.0
    log_tie_scale: float = 1.0
    tie_threshold_scale: float = 1.0

    kind = "pairwise"
    formula_module = "_pymc_pairwise"

    @property
    def formula_name(self) -> str:
        """Name of the formula."""
        ties = self.ties if self.has_ties else "decided"
        return f"pairwise_{self.link}_{ties}" + ("_consistency" if self.consistency else "")

    @property
    def quality_scale(self) -> str:
        """What a quality of 1 means, by the link."""
        if self.link == "logit":
            return "log odds of winning one comparison with an average system"
        return (
            "standard deviations of the noise of one comparison; the difference from an average "
            "system"
        )

    @property
    def n_predictors(self) -> int:
        """Number of linear predictors."""
        return 2 if self.consistency else 1

    @property
    def has_ties(self) -> bool:
        """Whether a tie is an outcome of its own."""
        return self.ties in ("davidson", "rao_kupper")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Position effect and tie parameter, as far as they are in the model."""
        found = []
        if self.position_scale is not None:
            found.append(
                Scalar(
                    name="position_effect",
                    prior=Prior(kind="normal", a=0.0, b=self.position_scale),
                    meaning="advantage of the output shown first",
                )
            )
        if self.ties == "davidson":
            found.append(
                Scalar(
                    name="log_tie_propensity",
                    prior=Prior(kind="normal", a=self.log_tie_centre, b=self.log_tie_scale),
                    meaning="log ν: at 0, equal systems tie a third of the time",
                )
            )
        elif self.ties == "rao_kupper":
            found.append(
                Scalar(
                    name="tie_propensity",
                    prior=Prior(kind="half_normal", a=self.tie_threshold_scale),
                    meaning="smallest difference that is noticed",
                )
            )
        return tuple(found)

    quality_unit = "in the units of the noise of one comparison"

    def words(self) -> list[str]:
        """Return sentences on how outcomes come about."""
        link = "logistic" if self.link == "logit" else "normal"
        title = "Bradley-Terry" if self.link == "logit" else "Thurstone-Mosteller"
        words = [
            (
                "Each system has a quality; the chance that it wins a comparison grows with the "
                f"difference of the two qualities, by the {link} distribution ({title})."
            ),
            _TIES[self.ties][0],
        ]
        if self.position_scale is not None:
            words.append("The output shown first may have an advantage, the same for all systems.")
        return words

    def formulas(self, location: str, names: Sequence[str]) -> list[str]:
        """Return the predictor and the chances of the outcomes."""
        if self.position_scale is not None:
            location += " + position_effect"
        if "log_consistency" in names:
            location = f"exp(log_consistency[r]) · ({location})"
        return [f"η = {location}", _TIES[self.ties][1]]

    @property
    def log_likelihoods(self) -> Callable[..., FloatArray] | None:
        """The log likelihood of many points at once, for the commonest model of many votes."""
        if self.link == "logit" and not self.has_ties and not self.consistency:
            return decided_log_likelihoods
        return None
