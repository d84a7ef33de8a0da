"""The ordinal response as a declaration: scale, structure of the thresholds, priors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bayeseval.families._declaration import Declaration, Effect, FloatArray, Scalar, Term
from bayeseval.families._family import PriorText
from bayeseval.families._layout import Parameter, effect_starts
from bayeseval.families.engine.loading import FormulaResponse

LONGEST_SHORT_SCALE = 12
"""Scales of up to so many categories have a Dirichlet prior; longer ones a smooth prior."""

_SMOOTH_TERMS = 6

LATENT, LOWER, UPPER, LOG_DISCRIMINATION = range(4)
"""The predictors: the latent answer, both ends of the answer's category, and the last."""

_GAPS = {
    "free": "each annotator has gaps of their own, pulled towards those of the population",
    "scaled": "those of the population, wider or narrower by one factor an annotator",
    "common": "all annotators share those of the population",
}


@dataclass(frozen=True)
class OrdinalResponse(FormulaResponse):
    """Ordered categories cut from a latent normal answer.

    Parameters
    ----------
    category_values
        The number that each category counts as in a mean, from low to high; K of them.
    gaps
        How annotators' gaps between thresholds differ: not at all, all by one factor, or freely.
    n_annotators
        Number of annotators; 0 where they are not known.
    category_prior
        Dirichlet parameters of the population's category probabilities, or None for the smooth
        prior of a long scale.
    mean_threshold_scale
        Long scales: normal scale of the mean of the population's thresholds.
    width_centre
        Long scales: prior median of the distance from the first threshold to the last.
    log_width_scale
        Long scales: normal scale of the log of this distance.
    smoothness_sd_scale
        Long scales: half-normal scale of the sd of the log ratio of the last gap to the first.
    gap_sd_scale
        Half-normal scale of the sd of log gaps between annotators.
    discrimination
        Whether annotators differ in discrimination.
    discrimination_sd_scale
        Half-normal scale of the sd of log discrimination.
    """

    category_values: tuple[float, ...]
    gaps: str
    n_annotators: int
    category_prior: tuple[float, ...] | None
    mean_threshold_scale: float
    width_centre: float
    log_width_scale: float
    smoothness_sd_scale: float
    gap_sd_scale: float
    discrimination: bool
    discrimination_sd_scale: float

    kind = "ordinal"
    formula_module = "_pymc_ordinal"
    location_sign = -1
    """A system's ratings stay as they are where effects and all thresholds grow alike."""

    @property
    def formula_name(self) -> str:
        """Name of the formula."""
        return "ordinal_discrimination" if self.discrimination else "ordinal"

    @property
    def n_predictors(self) -> int:
        """Number of linear predictors."""
        return 4 if self.discrimination else 3

    @property
    def location(self) -> str:
        """The parameter whose level is that of all thresholds."""
        return "threshold_centre" if self.category_prior is None else "population_thresholds"

    @property
    def n_categories(self) -> int:
        """Number of categories, K."""
        return len(self.category_values)

    @property
    def n_thresholds(self) -> int:
        """Number of thresholds, K - 1."""
        return self.n_categories - 1

    @property
    def has_gaps(self) -> bool:
        """Whether annotators have gaps of their own."""
        return self.gaps != "common"

    @property
    def target_accept(self) -> float:
        """Acceptance rate that the sampler should aim at.

        The gap between categories that an annotator never used is bounded by nothing but its prior:
        it stretches to ten and more, where the shape of the posterior bends.
        """
        return 0.97 if self.has_gaps else 0.9

    @cached_property
    def basis(self) -> FloatArray:
        """Functions of the gap that an annotator's log gaps are made of, dims (term, gap).

        One constant where gaps are scaled; one function a gap where they are free; on a long
        scale a constant and five cosines whose weight falls with their frequency, scaled so that
        the variance of an annotator's log gap is on average ``gap_sd``².
        """
        n_gaps = max(self.n_categories - 2, 0)
        if self.gaps == "scaled":
            return np.ones((1, n_gaps))
        if self.gaps == "free" and self.n_categories <= LONGEST_SHORT_SCALE:
            return np.eye(n_gaps)
        if self.gaps == "free":
            term = np.arange(1, _SMOOTH_TERMS)[:, None]
            gap = np.arange(1, n_gaps + 1)[None, :]
            waves = math.sqrt(2.0) * np.cos(math.pi * term * (gap - 0.5) / n_gaps)
            weights = np.concatenate([[1.0], 1.0 / term[:, 0]])
            functions = np.concatenate([np.ones((1, n_gaps)), waves])
            return weights[:, None] * functions / math.sqrt((weights**2).sum())
        return np.zeros((0, n_gaps))

    @cached_property
    def projection(self) -> FloatArray:
        """What a function of the gap has of each term of ``basis``, dims (term, gap)."""
        return self.basis / (self.basis**2).sum(axis=1, keepdims=True)

    @property
    def own_effects(self) -> tuple[Effect, ...]:
        """Annotators' log gaps and log discrimination, which are Gaussian blocks too."""
        effects = []
        if self.has_gaps:
            effects.append(
                Effect(
                    name="gap",
                    dims=("annotator", "gap_term"),
                    shape=(self.n_annotators, self.basis.shape[0]),
                    sign=1,
                    sd_scale=self.gap_sd_scale,
                    enters="gaps",
                )
            )
        if self.discrimination:
            effects.append(
                Effect(
                    name="discrimination",
                    dims=("annotator",),
                    shape=(self.n_annotators,),
                    sign=1,
                    sd_scale=self.discrimination_sd_scale,
                    enters="discrimination",
                )
            )
        return tuple(effects)

    @property
    def root(self) -> Effect | None:
        """The population's log gaps, which annotators' vary around, in the terms of ``basis``."""
        if not self.has_gaps:
            return None
        return Effect(
            name="population_gap_terms",
            dims=("gap_term",),
            shape=(self.basis.shape[0],),
            sign=1,
            sd_scale=math.inf,
            enters="gaps",
        )

    @property
    def derived(self) -> Effect:
        """Thresholds without severity, an open end before and after them."""
        rows = (("annotator", self.n_annotators),) if self.has_gaps else ()
        dims, shape = zip(*rows, ("end", self.n_categories + 1), strict=True)
        return Effect(
            name="thresholds",
            dims=dims,
            shape=shape,
            sign=1,
            sd_scale=math.inf,
            enters="thresholds",
        )

    @property
    def own_terms(self) -> tuple[Term, ...]:
        """How thresholds and discrimination enter the predictors."""
        by = ("annotator",) if self.has_gaps else ()
        ends = (
            Term("thresholds", (*by, "below"), LOWER),
            Term("thresholds", (*by, "above"), UPPER),
        )
        noise = Term("discrimination", ("annotator",), LOG_DISCRIMINATION)
        return (*ends, noise) if self.discrimination else ends

    def derived_tables(
        self, declaration: Declaration["OrdinalResponse"], placed: dict[str, Parameter]
    ) -> list[np.ndarray]:
        """Return what ``_cutpoint_kernel`` reads, in the order of its slots."""
        names = (self.location, "threshold_width", "threshold_roughness", "threshold_steps")
        starts = [placed[name].start if name in placed else -1 for name in names]
        # Annotators' gaps are the first of the response's own blocks.
        gaps_at = effect_starts(declaration)[len(declaration.effects)] if self.has_gaps else -1
        return [
            np.array([*starts, gaps_at], dtype=np.int64),
            np.array(self.category_prior or (), dtype=np.float64),
            np.array([self.log_normaliser]),
            np.array(
                [
                    self.mean_threshold_scale,
                    math.log(self.width_centre),
                    self.log_width_scale,
                    self.smoothness_sd_scale,
                ]
            ),
            np.zeros((0, 0)) if self.category_prior else self.step_rotation,
            self.basis,
            self.projection,
            np.array(
                [self.n_thresholds, self.n_annotators if self.has_gaps else 1], dtype=np.int64
            ),
        ]

    @cached_property
    def step_rotation(self) -> FloatArray:
        """Orthonormal and symmetric matrix from the sampler's steps of a long scale to the steps.

        The sampler sees the steps of the random walk of log gaps in the basis in which the walk
        is a sum of cosines. The data say much about the slow ones and nothing about the fast
        ones; in this basis each has a step size of its own.
        """
        n_gaps = self.n_categories - 2
        step = np.arange(1, n_gaps)
        return math.sqrt(2.0 / n_gaps) * np.sin(math.pi * np.outer(step, step) / n_gaps)

    @property
    def log_normaliser(self) -> float:
        """Log normalising constant of the Dirichlet prior."""
        prior = self.category_prior
        if prior is None:
            return 0.0
        return math.lgamma(sum(prior)) - sum(map(math.lgamma, prior))

    @property
    def varies_by(self) -> tuple[str, ...]:
        """Dimensions that answers depend on besides those of effects."""
        return ("annotator",) if self.has_gaps or self.discrimination else ()

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """Unconstrained parameters of one criterion, in the sampler's order."""
        shapes: dict[str, tuple[int, ...]] = {}
        if self.category_prior is None:
            shapes |= {
                "threshold_centre": (),
                "threshold_width": (),
                "threshold_roughness": (),
                "threshold_steps": (self.n_categories - 3,),
            }
        else:
            shapes["population_thresholds"] = (self.n_thresholds,)
        if self.has_gaps:
            shapes["gap_sd"] = ()
            shapes["gap_z"] = (self.n_annotators, self.basis.shape[0])
        if self.discrimination:
            shapes["discrimination_sd"] = ()
            shapes["discrimination_z"] = (self.n_annotators,)
        return shapes

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Nothing: thresholds are vectors."""
        return ()

    @property
    def quality_unit(self) -> str:
        """What quality is measured in, in words."""
        return "in standard deviations of the noise of a single judgement"

    def built_levels(self, declaration: Declaration["OrdinalResponse"]) -> list[Any]:
        """Return what terms may name besides effects, as PyMC computes it."""
        from bayeseval.families._pymc_ordinal import built_levels

        return built_levels(declaration)

    def words(self) -> list[str]:
        """Return sentences on how ratings come about."""
        words = [
            (
                "A rating is a latent answer, cut into categories by thresholds. The latent answer "
                "is the system's quality plus the noise of a single judgement, and what is named "
                "below."
            ),
            f"Gaps between thresholds: {_GAPS[self.gaps]}.",
        ]
        if self.discrimination:
            words.append("Annotators also differ in how noisy their judgements are.")
        return words

    def formulas(self, location: str, names: Sequence[str]) -> list[str]:
        """Return the chances of categories, given the formula of the latent answer."""
        del names
        cut = "thresholds[a, k]" if self.has_gaps else "population_thresholds[k]"
        latent = f"discrimination[a]·({cut} − z)" if self.discrimination else f"{cut} − z"
        first = [f"P(rating ≤ k) = Φ({latent})", f"z = {location}"]
        if not self.has_gaps:
            return first
        own = "δ[a, k]" if self.gaps == "free" else "δ[a]"
        return [
            *first,
            f"thresholds[a, ·]: population gaps × exp(gap_sd·{own}), same mean as the population's",
        ]

    def priors(self, *, typical: bool) -> list[PriorText]:
        """Return the priors of thresholds, gaps and discrimination.

        Parameters
        ----------
        typical
            Whether the number of categories is not known yet.
        """
        values = [f"{value:g}" for value in self.category_prior or ()]
        alike = typical and len(set(values)) == 1
        shown = f"{values[0]}, …" if alike else ", ".join(values)
        short = PriorText(
            "population_thresholds",
            f"category probabilities ~ Dirichlet({shown})",
            "shares of the categories for an average system",
            ("category_prior",),
        )
        smooth = [
            PriorText(
                "population_thresholds",
                f"mean ~ normal(0, {self.mean_threshold_scale:g}), log(last − first) ~ normal"
                f"(log {self.width_centre:g}, {self.log_width_scale:g})",
                "where the scale lies and how wide it is",
                ("mean_threshold_scale", "width_centre", "log_width_scale"),
            ),
            PriorText(
                "threshold_roughness",
                f"half-normal({self.smoothness_sd_scale:g})",
                "how unequal gaps are: sd of log(last gap / first gap), log gaps a random walk",
            ),
        ]
        found = smooth if self.category_prior is None else [short]
        if typical and self.category_prior is not None and len(set(self.category_prior)) == 1:
            note = f"scales of more than {LONGEST_SHORT_SCALE} points: "
            found += [replace(t, meaning=note + t.meaning) for t in smooth]
        if self.has_gaps:
            found.append(
                PriorText(
                    "gap_sd",
                    f"half-normal({self.gap_sd_scale:g})",
                    "how much annotators' gaps between thresholds differ, on the log scale",
                )
            )
        if self.discrimination:
            found.append(
                PriorText(
                    "discrimination_sd",
                    f"half-normal({self.discrimination_sd_scale:g})",
                    "how much annotators differ in discrimination, on the log scale",
                )
            )
        return found
