"""TrueSkill for pairwise judgements, over many orders of the comparisons."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval.errors import DesignError, ModelError
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._direct import DrawsByItself, by_criterion, labelled
from bayeseval.families._family import (
    OUTCOME_PROBABILITY,
    DirectDraws,
    Estimand,
    ModelText,
    PriorText,
)
from bayeseval.families._settings import advised, check_number, check_word, is_number, marked
from bayeseval.families._trueskill_engines import DIGITS, TIE, Engine, chosen_engine, games_of
from bayeseval.families._trueskill_response import (
    TrueSkillResponse,
    log_probability,
    outcome_probabilities,
    outcomes_of,
    row_differences,
)
from bayeseval.judgements import Judgements, PairwiseJudgements

_LOG = logging.getLogger("bayeseval")
_OUTCOMES = ("win", "tie", "loss")
_ENGINES: tuple[Engine, ...] = ("auto", "package", "compiled")
# Every comparison is held in memory, about 60 bytes each.
_MOST_COMPARISONS = 100_000_000


@advised
@dataclass(frozen=True, kw_only=True)
class TrueSkill(DrawsByItself[TrueSkillResponse, PairwiseJudgements]):
    r"""Rate systems by TrueSkill, one comparison after another, over many random orders.

    A system's performance in a comparison is normal around its skill with standard deviation
    :math:`\beta`; the better performance wins, and a difference within a margin is a tie. After
    each comparison the two skills are again taken to be independent normals. The result therefore
    depends on the order of the comparisons and is an approximation, marked as one. Systems do not
    change (:math:`\tau = 0`). The full specification is the card in ``models/true_skill``.

    Parameters
    ----------
    shuffles : int
        Number of random orders of all comparisons. Draws come from the mixture over them.
    resamples : int
        Number of runs on comparisons drawn with replacement, for the rank ranges and clusters that
        machine-translation campaigns report (:func:`~bayeseval.trueskill_ranking`); whole rankings
        are drawn where the comparisons come from rankings. With 0 the ranges are those over
        shuffles, which say only how much the order of the comparisons matters.
    prior_sd : float
        Prior standard deviation of a skill in units of beta; 2 is TrueSkill's usual ratio.
    draw_probability : float, optional
        Chance of a tie between equal systems, above 0 and below 1. By default the share of ties in
        the judgements (of each criterion), with half a tie and half a decision added.
    engine : {"auto", "package", "compiled"}
        "package" updates through the package trueskill (``pip install 'bayeseval[trueskill]'``),
        about 0.5 ms a comparison, and through its mpmath back end where a tail is too far for
        floating point. "compiled" is the same update, compiled: more than a thousand times faster.
        "auto" takes the package, where it is installed, up to 10,000 updates (comparisons times the
        sum of ``shuffles`` and ``resamples``; some seconds), and the compiled update above; the
        posterior says which (``settings.sampler``), and so does
        :func:`~bayeseval.trueskill_ranking`.

    References
    ----------
    Herbrich, Minka & Graepel (2007), TrueSkill: a Bayesian skill rating system, NIPS 19.
    Sakaguchi, Post & Van Durme (2014), Efficient elicitation of annotations for human evaluation
    of machine translation, WMT, doi:10.3115/v1/W14-3301.
    """

    name: ClassVar[str] = "TrueSkill"
    protocol: ClassVar[str] = "pairwise"
    judged: ClassVar[type[Judgements]] = PairwiseJudgements
    response_type: ClassVar[type[Any]] = TrueSkillResponse
    instead: ClassVar[str] = "Ratings, magnitudes and strengths become comparisons with to_pairwise"
    title: ClassVar[str] = "TrueSkill"
    win_title: ClassVar[str] = "probability that A wins one comparison with B, ties counting half"
    quality_scale: ClassVar[str] = (
        "skill, centred over the systems; in one comparison the performance of a system varies "
        "around its skill with standard deviation 1 (beta)"
    )

    shuffles: int = 100
    resamples: int = 100
    prior_sd: float = 2.0
    draw_probability: float | None = None
    engine: Engine = "auto"

    def __post_init__(self) -> None:
        for name, least in (("shuffles", 1), ("resamples", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ModelError(f"{name}= is a whole number from {least}; found {value!r}")
            object.__setattr__(self, name, int(value))
        check_number("prior_sd", self.prior_sd, np.inf, "a positive number, in units of beta")
        if not self.prior_sd > 0:
            raise ModelError(
                f"prior_sd= is a positive number, in units of beta; found {self.prior_sd!r}"
            )
        chance = self.draw_probability
        if chance is not None and not (is_number(chance) and 0.0 < chance < 1.0):
            raise ModelError(
                "draw_probability= lies between 0 and 1 without the ends, where a tie would be "
                f"impossible or certain; found {chance!r}. Leave it out to take the share of ties"
            )
        check_word("engine", self.engine, _ENGINES)

    def checked(self, judgements: Judgements) -> PairwiseJudgements:
        """Return the judgements, or refuse more than can be rated one by one."""
        table = super().checked(judgements)
        if table.n_judgements > _MOST_COMPARISONS:
            raise DesignError(
                f"TrueSkill rates one comparison after another, at most {_MOST_COMPARISONS:,}; "
                f"these judgements count {table.n_judgements:,} votes. Take BradleyTerry or "
                "Thurstone, which take counts of any size, or rate a random part of the votes"
            )
        return table

    def declare(self, judgements: Judgements) -> Declaration[TrueSkillResponse]:
        """Turn the family into a model of these judgements' design."""
        table = self.checked(judgements)
        left_out = {
            f"{name}s": f"TrueSkill pools all {name}s"
            for name in ("annotator", "item")
            if table.has(name)
        }
        chances = tuple(self._draw_probability(table))
        return self.declaration_of(table, TrueSkillResponse(draw_probability=chances), left_out)

    def _draw_probability(self, judgements: PairwiseJudgements) -> Iterator[float]:
        tied = judgements.answers == TIE
        for rows in by_criterion(judgements):
            if self.draw_probability is not None:
                yield self.draw_probability
            else:
                counts = judgements.counts[rows]
                yield float((counts[tied[rows]].sum() + 0.5) / (counts.sum() + 1.0))

    def draw(
        self,
        declaration: Declaration[TrueSkillResponse],
        judgements: Judgements,
        *,
        draws: int,
        chains: int,
        rng: np.random.Generator,
    ) -> DirectDraws:
        """Rate the systems in every order and draw from the normals that result.

        Besides ``quality`` there are the groups ``shuffles`` (``mu`` and ``sigma`` of every order)
        and ``resamples`` (``mu`` of every resample).
        """
        games = [
            games_of(judgements, rows, margin)
            for rows, margin in zip(
                by_criterion(judgements), declaration.response.margins, strict=True
            )
        ]
        engine = chosen_engine(
            self.engine,
            games,
            len(declaration.coords["system"]),
            prior_sd=self.prior_sd,
            shuffles=self.shuffles,
            resamples=self.resamples,
        )
        shuffled = [
            [engine.run(game, game.shuffled(rng)) for game in games] for _ in range(self.shuffles)
        ]
        resampled = [
            [engine.run(game, game.resampled(rng)) for game in games] for _ in range(self.resamples)
        ]
        mu, sigma = (np.array([[one[k] for one in run] for run in shuffled]) for k in (0, 1))
        # All skills may drift together, which no comparison sees.
        mu -= mu.mean(axis=-1, keepdims=True)
        n_draws = chains * draws
        which = rng.permutation(np.resize(np.arange(self.shuffles), n_draws))
        quality = rng.normal(mu[which], sigma[which])
        quality -= quality.mean(axis=-1, keepdims=True)
        quality = quality.reshape(chains, draws, *quality.shape[1:])
        groups = {
            "shuffles": labelled(
                declaration, ("shuffle",), {"mu": ("system", mu), "sigma": ("system", sigma)}
            ),
        }
        groups["shuffles"].attrs["engine"] = engine.name
        if resampled:
            again = np.array([[one[0] for one in run] for run in resampled])
            again -= again.mean(axis=-1, keepdims=True)
            groups["resamples"] = labelled(declaration, ("resample",), {"mu": ("system", again)})
            groups["resamples"].attrs["unit"] = (
                "rankings" if judgements.has("ranking") else "comparisons"
            )
        if engine.rescued:
            _LOG.info(
                "%d updates lay too far in a tail for floating point and were computed with %d "
                "digits",
                engine.rescued,
                DIGITS,
            )
        return DirectDraws(
            posterior=labelled(declaration, ("chain", "draw"), {"quality": ("system", quality)}),
            approximate=(
                "TrueSkill updates independent normals one comparison after another; the draws "
                f"are normal around its results for {self.shuffles} random orders"
            ),
            groups=groups,
            method=f"independent draws from the normals of TrueSkill, updated by {engine.words}",
            packages=engine.packages,
        )

    def describe(
        self, declaration: Declaration[TrueSkillResponse] | Judgements | None = None
    ) -> ModelText:
        """Describe the model in words, formulas and priors."""
        declaration = self._declared(declaration)
        words = [
            (
                "In a comparison each system performs normally around its skill, with standard "
                "deviation 1. The better performance wins; a difference within a margin is a tie."
            ),
            (
                "Skills start from their prior and are updated one comparison after another, each "
                "time as independent normals (TrueSkill, without change over time). The result "
                f"depends on the order of the comparisons: {self.shuffles} random orders are rated."
            ),
            (
                "Each draw takes one of the orders and draws every skill from its normal, "
                "independently of the others. This approximates the posterior of Thurstone's model "
                "with ties."
            ),
        ]
        if declaration is not None:
            chances = declaration.response.draw_probability
            names = declaration.coords.get("criterion", ("",))
            words.append(
                "Chance of a tie between equal systems: "
                + ", ".join(
                    f"{p:.3g}" + (f" ({name})" if name else "")
                    for p, name in zip(chances, names, strict=True)
                )
                + (
                    " (given)."
                    if self.draw_probability is not None
                    else " (share of ties in the judgements)."
                )
            )
        text = ModelText(
            words=tuple(words),
            formulas=(
                "P(a wins) = Φ((q_a − q_b − ε) / √2),  P(b wins) = Φ((q_b − q_a − ε) / √2)",
                "P(tie) = 1 − P(a wins) − P(b wins),  ε = √2 Φ⁻¹((1 + P(tie | equal)) / 2)",
            ),
            priors=(
                PriorText(
                    "quality",
                    f"normal(0, {self.prior_sd:g})",
                    "skill of a system; 1 is how much one performance varies",
                    ("prior_sd",),
                ),
            ),
            left_out={} if declaration is None else dict(declaration.left_out),
        )
        return marked(self, text)

    def estimands(self, declaration: Declaration[TrueSkillResponse]) -> Mapping[str, Estimand]:
        """List the family's readable quantities."""
        del declaration
        return {OUTCOME_PROBABILITY.name: OUTCOME_PROBABILITY}

    def quantity(
        self, name: str, declaration: Declaration[TrueSkillResponse], posterior: xr.Dataset
    ) -> xr.DataArray:
        """Compute the chances of one comparison."""
        middle = ("criterion",) if declaration.has_criterion else ()
        quality = posterior["quality"].transpose("chain", "draw", *middle, "system")
        difference = quality - quality.rename(system="system_b")
        margins = declaration.response.margins
        win, loss, tie = outcome_probabilities(
            difference.values,
            margins[:, None, None] if declaration.has_criterion else margins[0],
        )
        if name == "win_probability":
            return difference.copy(data=win + 0.5 * tie)
        return xr.DataArray(
            np.stack([win, tie, loss], axis=-1),
            dims=(*difference.dims, "outcome"),
            coords={**difference.coords, "outcome": list(_OUTCOMES)},
        )

    def predict(
        self,
        declaration: Declaration[TrueSkillResponse],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int8]:
        """Draw an outcome for every row, coded as in ``judgements.answers``."""
        return outcomes_of(*row_differences(declaration, judgements, draws), rng)

    def row_chances(
        self, declaration: Declaration[Any], judgements: Judgements, draws: xr.Dataset
    ) -> tuple[FloatArray, FloatArray]:
        """Return the chances that a wins and of a tie for every row.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : PairwiseJudgements
            Rows; their labels are those of the fit.
        draws : xarray.Dataset
            Draws along a dim ``sample``.

        Returns
        -------
        tuple of numpy.ndarray
            Of a win and of a tie, each dims (sample, row) or what broadcasts to it.
        """
        win, _, tie = outcome_probabilities(*row_differences(declaration, judgements, draws))
        return win, tie

    def log_likelihood(
        self,
        declaration: Declaration[TrueSkillResponse],
        judgements: Judgements,
        draws: xr.Dataset,
    ) -> FloatArray:
        """Return the log probability of every row's outcome."""
        difference, margin = row_differences(declaration, judgements, draws)
        return log_probability(difference, margin, judgements.answers)
