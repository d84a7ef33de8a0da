"""TrueSkill for pairwise judgements, over many orders of the comparisons."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.special import log_ndtr, ndtr, ndtri

from bayeseval._checks import some
from bayeseval.errors import DesignError, ModelError
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._direct import DrawsByItself
from bayeseval.families._family import DirectDraws, Estimand, ModelText, PriorText
from bayeseval.families._marginal import checked_population
from bayeseval.families._settings import advised, check_number, check_word, is_number, marked
from bayeseval.families._trueskill_engines import (
    A_WINS,
    B_WINS,
    BETA,
    DIGITS,
    TIE,
    CompiledEngine,
    Games,
    PackageEngine,
    games_of,
)
from bayeseval.judgements import Judgements, PairwiseJudgements
from bayeseval.judgements.identify import identify

type Engine = Literal["auto", "package", "compiled"]

_LOG = logging.getLogger("bayeseval")
_OUTCOMES = ("win", "tie", "loss")
_ENGINES: tuple[Engine, ...] = ("auto", "package", "compiled")
# About five seconds of the package, some milliseconds compiled.
_FEW_UPDATES = 10_000
# Every comparison is held in memory, about 60 bytes each.
_MOST_COMPARISONS = 100_000_000
_LONG_SECONDS = 60.0


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


@advised
@dataclass(frozen=True, kw_only=True)
class TrueSkill(DrawsByItself):
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
        "package" updates through the package trueskill, about 0.5 ms a comparison, and through its
        mpmath back end where a tail is too far for floating point. "compiled" is the same update,
        compiled: more than a thousand times faster. "auto" takes the package up to 10,000 updates
        (comparisons times the sum of ``shuffles`` and ``resamples``; some seconds), and the
        compiled update above; the posterior says which (``settings.sampler``), and so does
        :func:`~bayeseval.trueskill_ranking`.

    References
    ----------
    Herbrich, Minka & Graepel (2007), TrueSkill: a Bayesian skill rating system, NIPS 19.
    Sakaguchi, Post & Van Durme (2014), Efficient elicitation of annotations for human evaluation
    of machine translation, WMT, doi:10.3115/v1/W14-3301.
    """

    name: ClassVar[str] = "TrueSkill"
    protocol: ClassVar[str] = "pairwise"
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

    def declare(self, judgements: Judgements) -> Declaration[TrueSkillResponse]:
        """Turn the family into a model of these judgements' design.

        Parameters
        ----------
        judgements : PairwiseJudgements
            The outcomes.

        Returns
        -------
        Declaration
            Labels, chance of a tie, and what was left out with the reason.

        Raises
        ------
        ModelError
            Where the judgements are not outcomes of comparisons.
        DesignError
            Where there are none, or more than can be rated one by one.
        """
        if not isinstance(judgements, PairwiseJudgements):
            raise ModelError(
                f"TrueSkill models PairwiseJudgements; found {type(judgements).__name__}. Ratings, "
                "magnitudes and strengths become comparisons with to_pairwise"
            )
        if judgements.n_rows == 0:
            raise DesignError("there are no comparisons to fit: the table has 0 rows")
        if judgements.n_judgements > _MOST_COMPARISONS:
            raise DesignError(
                f"TrueSkill rates one comparison after another, at most {_MOST_COMPARISONS:,}; "
                f"these judgements count {judgements.n_judgements:,} votes. Take BradleyTerry or "
                "Thurstone, which take counts of any size, or rate a random part of the votes"
            )
        left_out = {}
        if judgements.annotators is not None:
            left_out["annotators"] = "TrueSkill pools all annotators"
        if judgements.items is not None:
            left_out["items"] = "TrueSkill pools all items"
        for moderator in judgements.moderators:
            left_out[moderator] = "TrueSkill has no moderators; filter, and fit each level"
        design = identify(judgements)
        components = design.components
        if len(components) > 1:
            left_out["differences between groups"] = (
                f"the systems fall into {len(components)} groups that never met "
                f"({'; '.join(some(group) for group in components[:3])}): the difference of two "
                "systems of different groups comes from the prior"
            )
        coords = {"system": judgements.systems}
        if judgements.criteria is not None:
            coords["criterion"] = judgements.criteria
        return Declaration(
            family=self.name,
            coords=coords,
            has_criterion=judgements.criteria is not None,
            effects=(),
            response=TrueSkillResponse(draw_probability=tuple(self._draw_probability(judgements))),
            left_out=left_out,
            components=components,
            design_notes=design.design_notes,
        )

    def _draw_probability(self, judgements: Judgements) -> Iterator[float]:
        tied = judgements.answers == TIE
        for rows in _by_criterion(judgements):
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

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : PairwiseJudgements
            The outcomes.
        draws, chains : int
            How many draws.
        rng : numpy.random.Generator
            Source of the orders and of the draws.

        Returns
        -------
        DirectDraws
            ``quality``; groups ``shuffles`` (``mu`` and ``sigma`` of every order) and ``resamples``
            (``mu`` of every resample).

        Raises
        ------
        ModelError
            Where a rating is no finite number even with many digits.
        """
        games = [
            games_of(judgements, rows, margin)
            for rows, margin in zip(
                _by_criterion(judgements), declaration.response.margins, strict=True
            )
        ]
        engine = self._engine(games, len(declaration.coords["system"]))
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
            "shuffles": _dataset(declaration, ("shuffle",), {"mu": mu, "sigma": sigma}),
        }
        groups["shuffles"].attrs["engine"] = engine.name
        if resampled:
            again = np.array([[one[0] for one in run] for run in resampled])
            again -= again.mean(axis=-1, keepdims=True)
            groups["resamples"] = _dataset(declaration, ("resample",), {"mu": again})
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
            posterior=_dataset(declaration, ("chain", "draw"), {"quality": quality}),
            approximate=(
                "TrueSkill updates independent normals one comparison after another; the draws "
                f"are normal around its results for {self.shuffles} random orders"
            ),
            groups=groups,
            method=f"independent draws from the normals of TrueSkill, updated by {engine.words}",
            packages=engine.packages,
        )

    def _engine(self, games: "list[Games]", n_systems: int) -> "PackageEngine | CompiledEngine":
        n_games = sum(game.n for game in games)
        updates = n_games * (self.shuffles + self.resamples)
        few = updates <= _FEW_UPDATES
        through_package = few if self.engine == "auto" else self.engine == "package"
        engine = (PackageEngine if through_package else CompiledEngine)(self.prior_sd, n_systems)
        first = max(games, key=lambda game: game.n)
        # The first run of the compiled engine compiles.
        engine.run(first, np.arange(1))
        # Spread over all comparisons, whose memory has to be fetched in the runs too; with a
        # generator of its own, so that results do not depend on the pilot.
        started = perf_counter()
        size = min(engine.pilot, first.n)
        engine.run(first, np.random.default_rng(0).integers(0, first.n, size))
        seconds = (perf_counter() - started) / size * updates
        engine.rescued = 0
        remedy = "; lower shuffles= and resamples="
        if through_package:
            remedy += ", or take engine='compiled', the same update compiled"
        _LOG.log(
            logging.WARNING if seconds > _LONG_SECONDS else logging.INFO,
            "TrueSkill: %s comparisons in %d shuffles and %d resamples by %s will take %s%s",
            f"{n_games:,}",
            self.shuffles,
            self.resamples,
            engine.words,
            _duration(seconds),
            remedy if seconds > _LONG_SECONDS else "",
        )
        return engine

    def describe(self, declaration: Declaration[TrueSkillResponse] | None = None) -> ModelText:
        """Describe the model in words, formulas and priors.

        Parameters
        ----------
        declaration : Declaration, optional
            A model declared for judgements.

        Returns
        -------
        ModelText
            Prints as text.
        """
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

    def __str__(self) -> str:
        return f"{self.title} for pairwise judgements\n\n{self.describe()}"

    def estimands(self, declaration: Declaration[TrueSkillResponse]) -> Mapping[str, Estimand]:
        """List the family's readable quantities.

        Parameters
        ----------
        declaration : Declaration
            The model.

        Returns
        -------
        dict of str to Estimand
            ``outcome_probability``.
        """
        del declaration
        return {
            "outcome_probability": Estimand(
                "outcome_probability",
                "Probability of win, tie and loss",
                "the chance that one new comparison with system_b is won, tied or lost",
                "probability",
                (0.0, 1.0),
                dims=("system", "system_b", "outcome"),
            )
        }

    def estimate(
        self,
        name: str,
        declaration: Declaration[TrueSkillResponse],
        posterior: xr.Dataset,
        *,
        population: str | None = None,
        by: str | None = None,
    ) -> xr.DataArray:
        """Compute one readable quantity from the draws.

        Parameters
        ----------
        name : str
            ``win_probability`` or ``outcome_probability``.
        declaration : Declaration
            The model.
        posterior : xarray.Dataset
            The draws.
        population : {"new", "observed"}, optional
            All are the same: TrueSkill knows neither annotators nor items.
        by : str, optional
            Must be left out: TrueSkill has no moderators.

        Returns
        -------
        xarray.DataArray
            Dims chain, draw, (criterion,) system, system_b and, for ``outcome_probability``,
            outcome.
        """
        checked_population(population)
        if by is not None:
            raise ModelError(f"TrueSkill has no moderators; found by={by!r}. Fit each level")
        if name not in ("win_probability", "outcome_probability"):
            raise ModelError(
                f"TrueSkill has no estimand {name!r}; it has 'win_probability' and "
                "'outcome_probability'"
            )
        middle = ("criterion",) if declaration.has_criterion else ()
        quality = posterior["quality"].transpose("chain", "draw", *middle, "system")
        difference = quality - quality.rename(system="system_b")
        win, loss, tie = outcome_probabilities(
            difference.values,
            declaration.response.margins[:, None, None]
            if declaration.has_criterion
            else declaration.response.margins[0],
        )
        if name == "win_probability":
            return difference.copy(data=win + 0.5 * tie).rename(name)
        return xr.DataArray(
            np.stack([win, tie, loss], axis=-1),
            dims=(*difference.dims, "outcome"),
            coords={**difference.coords, "outcome": list(_OUTCOMES)},
            name=name,
        )

    def predict(
        self,
        declaration: Declaration[TrueSkillResponse],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int8]:
        """Draw an outcome for every row, coded as in ``judgements.answers``.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : PairwiseJudgements
            Rows to predict; their labels are those of the fit.
        draws : xarray.Dataset
            Draws along a dim ``sample``.
        rng : numpy.random.Generator
            Source of the noise.

        Returns
        -------
        numpy.ndarray
            Dims (sample, row).
        """
        difference, margin = _row_differences(declaration, judgements, draws)
        performed = difference + np.sqrt(2.0) * BETA * rng.normal(size=difference.shape)
        beyond = np.where(performed > 0, A_WINS, B_WINS)
        return np.where(np.abs(performed) <= margin, TIE, beyond).astype(np.int8)

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
        difference, margin = _row_differences(declaration, judgements, draws)
        noise = np.sqrt(2.0) * BETA
        win, loss = ndtr((difference - margin) / noise), ndtr((-difference - margin) / noise)
        return win, np.maximum(0.0, 1.0 - win - loss)

    def log_likelihood(
        self,
        declaration: Declaration[TrueSkillResponse],
        judgements: Judgements,
        draws: xr.Dataset,
    ) -> FloatArray:
        """Return the log probability of every row's outcome.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : PairwiseJudgements
            Rows to evaluate; their labels are those of the fit.
        draws : xarray.Dataset
            Draws along a dim ``sample``.

        Returns
        -------
        numpy.ndarray
            Dims (sample, row).
        """
        difference, margin = _row_differences(declaration, judgements, draws)
        scale = np.sqrt(2.0) * BETA
        answers = judgements.answers
        signed = np.where(answers == B_WINS, -difference, difference)
        result = log_ndtr((signed - margin) / scale)
        tied = answers == TIE
        if tied.any():
            size, at = np.abs(difference[:, tied]), np.broadcast_to(margin, answers.shape)[tied]
            near, far = log_ndtr((at - size) / scale), log_ndtr((-at - size) / scale)
            result[:, tied] = near + np.log(-np.expm1(far - near))
        return result

    @staticmethod
    def response_from(record: Mapping[str, Any]) -> TrueSkillResponse:
        """Make the response from its saved fields.

        Parameters
        ----------
        record : mapping
            Fields of a ``TrueSkillResponse`` as JSON holds them.

        Returns
        -------
        TrueSkillResponse
            The response.
        """
        return TrueSkillResponse(draw_probability=tuple(record["draw_probability"]))


def outcome_probabilities(
    difference: FloatArray, margin: FloatArray | float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the chances that a wins, that b wins, and of a tie, given the difference of skills."""
    scale = np.sqrt(2.0) * BETA
    win, loss = ndtr((difference - margin) / scale), ndtr((-difference - margin) / scale)
    # The difference of two tails, taken on the side where both are small.
    size = np.abs(difference)
    tie = ndtr((margin - size) / scale) - ndtr((-margin - size) / scale)
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
    return float(np.sqrt(2.0) * BETA * (least if draw_probability < 1e-9 else quantile))


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "less than 1 s"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"


def _by_criterion(judgements: Judgements) -> list[npt.NDArray[np.intp]]:
    """Return the rows of every criterion; all rows where there is none."""
    if judgements.criteria is None:
        return [np.arange(judgements.n_rows)]
    codes = judgements.codes("criterion")
    return [np.flatnonzero(codes == k) for k in range(len(judgements.criteria))]


def _dataset(
    declaration: Declaration[Any], lead: tuple[str, ...], values: Mapping[str, FloatArray]
) -> xr.Dataset:
    """Put arrays with dims (*lead, criterion, system) under their labels."""
    dims = (*lead, *(("criterion",) if declaration.has_criterion else ()), "system")
    shaped = {
        name: array if declaration.has_criterion else array[(..., 0, slice(None))]
        for name, array in values.items()
    }
    coords = {name: list(labels) for name, labels in declaration.coords.items()}
    return xr.Dataset({name: (dims, array) for name, array in shaped.items()}, coords)


def _row_differences(
    declaration: Declaration[TrueSkillResponse], judgements: Judgements, draws: xr.Dataset
) -> tuple[FloatArray, FloatArray]:
    """Return skill of a minus skill of b, dims (sample, row), and each row's margin."""
    dims = ("sample", "criterion", "system") if declaration.has_criterion else ("sample", "system")
    quality = draws["quality"].transpose(*dims).values
    margins = declaration.response.margins
    a, b = (
        _positions(declaration, judgements, "system", factor) for factor in ("system_a", "system_b")
    )
    if not declaration.has_criterion:
        return quality[:, a] - quality[:, b], margins[[0]]
    criterion = _positions(declaration, judgements, "criterion", "criterion")
    return quality[:, criterion, a] - quality[:, criterion, b], margins[criterion]


def _positions(
    declaration: Declaration[Any], judgements: Judgements, dim: str, factor: str
) -> npt.NDArray[np.intp]:
    """Return each row's position among the labels of the fit."""
    known = {label: at for at, label in enumerate(declaration.coords[dim])}
    labels = judgements.labels(factor)
    unknown = [label for label in labels if label not in known]
    if unknown:
        raise ModelError(f"these judgements have a {dim} that was not in the fit: {some(unknown)}")
    return np.array([known[label] for label in labels])[judgements.codes(factor)]
