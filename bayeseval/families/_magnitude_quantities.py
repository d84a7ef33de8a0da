"""What the model of magnitudes says: readable estimands, predictions, outlying answers.

Everything integrates over new annotators and items, or averages over those observed; nothing is
evaluated "at the average annotator".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from bayeseval.families._declaration import Declaration, Effect, FloatArray
from bayeseval.families._magnitude_response import (
    ABOVE,
    AT,
    CENSORED,
    IMPRESSION,
    LOG_SCALE,
    LOG_SPREAD,
    MODULUS,
    SEVERITY,
    TIE_BAND,
    MagnitudeResponse,
)
from bayeseval.families._marginal import Cell, averaged, people_and_items, stored

_NEW_PAIRS = 128
_MOST_OBSERVED = 1024
# Every pair gives one answer to integrate over: fewer observed pairs are gone through repeatedly.
_FEWEST_ANSWERS = 128
_CHUNK_VALUES = 400_000
_LEAST = 1e-15
_SHARES = {
    "below_probability": "below",
    "as_good_probability": "at",
    "above_probability": "above",
}
_ONE_EACH = ("difficulty", "severity", "modulus", "log_spread", "tie_band", "log_scale")
_BY_SYSTEM = ("interaction", "taste")


@dataclass(frozen=True)
class Answering:
    """How one annotator answers about outputs; arrays broadcast against each other.

    Parameters
    ----------
    below, above
        Probabilities of either side of the reference; None where there are no sides.
    location, spread, degrees
        The log ratio before it is cut to its side.
    """

    below: FloatArray | None
    above: FloatArray | None
    location: FloatArray
    spread: FloatArray
    degrees: FloatArray

    @property
    def at(self) -> FloatArray | float:
        """Probability of exactly the reference."""
        if self.below is None or self.above is None:
            return 0.0
        return 1.0 - self.below - self.above

    def quantile(self, probability: FloatArray, side: int) -> FloatArray:
        """Return quantiles of the log ratio: of one side, or of both for side 0."""
        if side == 0:
            uniform = np.clip(probability, _LEAST, 1.0 - _LEAST)
            return self.location + self.spread * stdtrit(self.degrees, uniform)
        # Above the reference is below it seen in the mirror.
        mass = stdtr(self.degrees, side * self.location / self.spread)
        probability = probability if side < 0 else 1.0 - probability
        deviate = stdtrit(self.degrees, np.maximum(probability * mass, 1e-300))
        ratio = -side * self.location + self.spread * deviate
        return -side * np.minimum(ratio, 0.0)

    def below_ratio(self, ratio: FloatArray, side: int) -> FloatArray:
        """Return the probability of a log ratio at most this, within a side (0: both)."""
        if side == 0:
            return stdtr(self.degrees, (ratio - self.location) / self.spread)
        mass = stdtr(self.degrees, side * self.location / self.spread)
        inside = stdtr(self.degrees, -side * (ratio - self.location) / self.spread)
        share = np.minimum(inside / np.maximum(mass, 1e-300), 1.0)
        return share if side < 0 else 1.0 - share


@dataclass(frozen=True)
class MagnitudeQuantities:
    """Readable quantities of a fitted model of magnitudes.

    Parameters
    ----------
    declaration
        The model.
    posterior
        Parameters under their names in the posterior contract.
    """

    declaration: Declaration[MagnitudeResponse]
    posterior: xr.Dataset

    def estimate(self, name: str, population: str | None, by: str | None) -> xr.DataArray:
        """Return an estimand's draws, dims (chain, draw[, criterion], system[, system_b][, by])."""
        dims = ("system", "system_b") if name == "win_probability" else ("system",)
        return averaged(
            self.declaration,
            self.posterior,
            lambda cell: _Part(cell).value(name),
            dims,
            population=population,
            by=by,
        )

    def answers(
        self, predictors: FloatArray, scalars: Mapping[str, FloatArray], rng: np.random.Generator
    ) -> FloatArray:
        """Draw answers as ratios, dims (sample, row)."""
        response = self.declaration.response
        answering = self._answering(predictors, scalars)
        uniform = rng.random(predictors.shape[1:])
        if answering.below is None or answering.above is None:
            return _ratio(response.unit + answering.quantile(uniform, 0))
        side = rng.random(predictors.shape[1:])
        below = _ratio(answering.quantile(uniform, -1))
        above = _ratio(answering.quantile(uniform, 1))
        return np.where(
            side < answering.below, below, np.where(side > 1.0 - answering.above, above, 1.0)
        )

    def tail_area(
        self,
        predictors: FloatArray,
        scalars: Mapping[str, FloatArray],
        what: npt.NDArray[np.float64],
        ratio: FloatArray,
    ) -> FloatArray:
        """Return twice the smaller tail of each row's answer; see ``LogMagnitude.tail_area``."""
        answering = self._answering(predictors, scalars)
        if answering.below is None or answering.above is None:
            at_most = answering.below_ratio(ratio, 0).mean(axis=0)
            at_least = 1.0 - at_most
        else:
            below, above = answering.below, answering.above
            inside_below = answering.below_ratio(np.minimum(ratio, 0.0), -1)
            inside_above = answering.below_ratio(np.maximum(ratio, 0.0), 1)
            upper = what == ABOVE
            lower = np.where(upper, 1.0 - above + above * inside_above, below * inside_below)
            lower = np.where(what == AT, 1.0 - above, lower)
            at_most = lower.mean(axis=0)
            # Complements are computed apart, so that a small upper tail keeps its digits.
            higher = np.where(upper, above * (1.0 - inside_above), 1.0 - below * inside_below)
            higher = np.where(what == AT, 1.0 - below, higher)
            at_least = higher.mean(axis=0)
        at_least = np.where(what == CENSORED, 1.0, at_least)
        return np.minimum(2.0 * np.minimum(at_most, at_least), 1.0)

    def _answering(self, predictors: FloatArray, scalars: Mapping[str, FloatArray]) -> Answering:
        return answering(self.declaration.response, list(predictors), scalars)


def answering(
    response: MagnitudeResponse,
    predictors: list[FloatArray],
    scalars: Mapping[str, FloatArray],
) -> Answering:
    """Return how answers come about, from the kernel's linear predictors and parameters."""
    impression, log_factor = predictors[IMPRESSION], predictors[LOG_SCALE]
    if response.sides:
        log_factor = log_factor + scalars["log_step"]
    location = scalars["modulus_mean"] + predictors[MODULUS] + np.exp(log_factor) * impression
    own = scalars["log_spread_mean"] + predictors[LOG_SPREAD]
    below = above = None
    if response.sides:
        u = scalars["level"] + predictors[SEVERITY] + impression
        band = np.exp(scalars["log_tie_band_mean"] + predictors[TIE_BAND])
        below, above = ndtr(-band - u), ndtr(u - band)
    return Answering(
        below,
        above,
        location,
        np.hypot(np.exp(own), response.resolution),
        scalars["degrees_of_freedom"],
    )


@dataclass(frozen=True)
class _Part:
    """What the model says in one cell; arrays with draws flattened first."""

    cell: Cell

    @property
    def declaration(self) -> Declaration[MagnitudeResponse]:
        return self.cell.declaration

    @cached_property
    def draws(self) -> Mapping[str, FloatArray]:
        """Variables by name, dims (draw, …)."""
        return {str(name): self.cell.flat(str(name)) for name in self.cell.draws.data_vars}

    def value(self, name: str) -> FloatArray:
        """Return an estimand, dims (draw, system) or (draw, system, system_b)."""
        pairs, others = self._observed() if self.cell.observed else self._new()
        n_draws = self.draws["quality"].shape[0]
        n_systems = self.draws["quality"].shape[1]
        per_draw = pairs.size * n_systems * (n_systems if name == "win_probability" else 3)
        step = max(1, _CHUNK_VALUES // per_draw)
        found = []
        for start in range(0, n_draws, step):
            part = slice(start, start + step)
            answers = self._answers(pairs, part)
            match name:
                case "win_probability":
                    found.append(_wins(answers, self._answers(others, part), pairs.uniform))
                case "median_ratio":
                    found.append(_ratio(_median(answers, pairs.uniform)))
                case "expected_ratio":
                    found.append(self._expected(answers, pairs.uniform))
                case _:
                    share = getattr(answers, _SHARES[name])
                    found.append(np.mean(share, axis=1))
        return np.concatenate(found)

    def _expected(self, answers: Answering, uniform: FloatArray) -> FloatArray:
        response = self.declaration.response
        ends = response.lowest - response.unit, response.highest - response.unit
        total = np.broadcast_to(np.asarray(answers.at), answers.location.shape).copy()
        for share, ratio in _sampled(answers, uniform):
            total += share * np.exp(np.clip(ratio, *ends))
        return total.mean(axis=1)

    def _new(self) -> tuple["_Pairs", "_Pairs"]:
        """Quasi-random new annotators and items, the same for all draws and systems.

        Twice, with what they think of one output and of another: of two systems either has either,
        so that none is favoured by its points.
        """
        # Here, since it brings all of scipy.stats, and no fit of any family needs that.
        from scipy.stats import qmc

        shared = (*_ONE_EACH, *self.cell.new_levels("effect"))
        of_output = (*_BY_SYSTEM, *self.cell.new_levels("deviation"))
        columns = len(shared) + 2 * len(of_output) + 1
        engine = qmc.Sobol(columns, scramble=True, rng=np.random.default_rng(0))
        points = np.clip(engine.random(_NEW_PAIRS), 1e-12, 1.0 - 1e-12)
        names = [*shared, *of_output, *of_output]
        noise = list(zip(names, ndtri(points[:, :-1]).T[..., None], strict=True))
        ends = len(shared), len(shared) + len(of_output)
        one, other = noise[: ends[1]], noise[: ends[0]] + noise[ends[1] :]
        uniform = points[:, -1:]
        return (
            _Pairs(_NEW_PAIRS, uniform, noise=dict(one)),
            _Pairs(_NEW_PAIRS, uniform, noise=dict(other)),
        )

    def _observed(self) -> tuple["_Pairs", "_Pairs"]:
        from scipy.stats import qmc

        both = people_and_items(self.declaration, _MOST_OBSERVED)
        chosen = np.tile(np.array(both, dtype=np.intp), (-(-_FEWEST_ANSWERS // len(both)), 1))
        engine = qmc.Sobol(1, rng=np.random.default_rng(0))
        uniform = engine.random_base2(int(np.ceil(np.log2(len(chosen)))))
        annotator, item = chosen.T
        pairs = _Pairs(
            len(chosen),
            np.clip(uniform[: len(chosen)], 1e-12, 1.0 - 1e-12),
            codes={"annotator": annotator, "item": item},
        )
        return pairs, pairs

    def _answers(self, pairs: "_Pairs", part: slice) -> Answering:
        """Return how each pair of annotator and item answers, dims (draw, pair, system)."""
        response = self.declaration.response
        scalars = {s.name: self.draws[s.name][part, None, None] for s in response.scalars}
        predictors: list[FloatArray] = [np.zeros((1, 1, 1)) for _ in range(response.n_predictors)]
        for term in self.declaration.terms:
            effect = self.declaration.effect(term.effect)
            if effect is not None:
                value = effect.sign * self._effect(effect, pairs, part)
                predictors[term.predictor] = predictors[term.predictor] + value
        if response.sides:
            predictors[IMPRESSION] = predictors[IMPRESSION] / np.exp(scalars["log_step"])
        answers = answering(response, predictors, scalars)
        # Without effects of annotators and items all pairs are alike, but each answers for itself.
        shape = (*answers.location.shape[:1], pairs.size, self.draws["quality"].shape[1])
        return replace(answers, location=np.broadcast_to(answers.location, shape))

    def _effect(self, effect: Effect, pairs: "_Pairs", part: slice) -> FloatArray:
        """Return an effect for every pair and system, dims (draw, pair, system) or ones there."""
        name = effect.name
        if effect.dims == ("system",):
            return self.draws[name][part, None, :]
        kind, _, moderator = name.partition("_")
        if kind in ("effect", "deviation") and moderator in self.cell.levels:
            level = self.declaration.coords[moderator].index(self.cell.levels[moderator])
            value = self.draws[name][part, level]
            return value[:, None, None] if kind == "effect" else value[:, None, :]
        if pairs.codes is None:
            value = self.draws[f"{name}_sd"][part, None, None] * pairs.noise[name][None]
            if kind == "deviation":
                value = value - self.draws[f"{name}_mean"][part, None, :]
            return value + self.cell.population_mean(effect)[part, None, None]
        code = pairs.codes["item" if "item" in effect.dims else "annotator"]
        value = stored(self.cell.draws, name)[part][..., code]
        return value[..., None] if effect.dims[0] != "system" else value.swapaxes(1, 2)


@dataclass(frozen=True)
class _Pairs:
    """Pairs of an annotator and an item: new ones, or codes of those in the data.

    ``noise`` is what is standard normal of an effect, dims (pair, 1).
    """

    size: int
    uniform: FloatArray
    noise: Mapping[str, FloatArray] = field(default_factory=dict)
    codes: Mapping[str, npt.NDArray[np.intp]] | None = None


def _ratio(logarithm: FloatArray) -> FloatArray:
    """Return the exponential, finite where a heavy tail reaches beyond what a number can hold."""
    return np.exp(np.clip(logarithm, -700.0, 700.0))


def _sampled(answers: Answering, uniform: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Return probability and one log ratio of either side, or of all without sides."""
    if answers.below is None or answers.above is None:
        ratio = answers.quantile(uniform, 0)
        return [(np.ones_like(ratio), ratio)]
    return [
        (answers.below, answers.quantile(uniform, -1)),
        (answers.above, answers.quantile(uniform, 1)),
    ]


def _median(answers: Answering, uniform: FloatArray) -> FloatArray:
    """Return the median log ratio over the pairs, dims (draw, system)."""
    parts = _sampled(answers, uniform)
    shape = answers.location.shape
    shares = [np.broadcast_to(share, shape) for share, _ in parts]
    ratios = [ratio for _, ratio in parts]
    if len(parts) == 2:
        shares.append(np.broadcast_to(np.asarray(answers.at), shape))
        ratios.append(np.zeros(shape))
    share, ratio = np.concatenate(shares, axis=1), np.concatenate(ratios, axis=1)
    order = np.argsort(ratio, axis=1)
    ratio = np.take_along_axis(ratio, order, axis=1)
    below = np.cumsum(np.take_along_axis(share, order, axis=1), axis=1)
    middle = (below >= 0.5 * below[:, -1:]).argmax(axis=1)
    return np.take_along_axis(ratio, middle[:, None], axis=1)[:, 0]


def _wins(answers: Answering, others: Answering, uniform: FloatArray) -> FloatArray:
    """Return P(a above b) plus half of P(a equals b), dims (draw, system, system_b).

    One annotator judges both systems' outputs for one item; the answers are independent given
    these. Within a side the answer for b is integrated out, that for a is one quantile a pair.
    """
    ahead = 0.0
    sides = (0,) if answers.below is None else (-1, 1)
    shape = answers.location.shape
    whole = Answering(
        None,
        None,
        others.location[..., None, :],
        others.spread[..., None, :],
        others.degrees[..., None, :],
    )
    of_b = [share for share, _ in _sampled(others, uniform)]
    for side, (share, ratio), share_b in zip(sides, _sampled(answers, uniform), of_b, strict=True):
        share, share_b = np.broadcast_to(share, shape), np.broadcast_to(share_b, shape)
        chance = whole.below_ratio(ratio[..., :, None], side)
        ahead = ahead + share[..., :, None] * share_b[..., None, :] * chance
    if answers.below is not None and others.below is not None and others.above is not None:
        below, above = (np.broadcast_to(x, shape) for x in (others.below, others.above))
        at_b = 1.0 - below - above
        at = np.broadcast_to(np.asarray(answers.at), shape)
        ahead = ahead + (1.0 - at - answers.below)[..., :, None] * (1.0 - above[..., None, :])
        ahead = ahead + at[..., :, None] * (below[..., None, :] + 0.5 * at_b[..., None, :])
    mean = np.mean(ahead, axis=1)
    # Each of the two with the other's part: equal systems win equally often.
    return 0.5 * (mean + 1.0 - mean.swapaxes(-1, -2))
