"""What the model of magnitudes says: readable estimands, predictions, outlying answers.

Everything integrates over new annotators and items, or averages over those observed; nothing is
evaluated "at the average annotator".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration, Effect, FloatArray
from bayeseval.families._magnitude_kernel import (
    ABOVE,
    AT,
    CENSORED,
    IMPRESSION,
    LOG_SCALE,
    LOG_SPREAD,
    MODULUS,
    SEVERITY,
    TIE_BAND,
)
from bayeseval.families._magnitude_response import MagnitudeResponse

_NEW_PAIRS = 128
_MOST_OBSERVED = 256
# Every pair gives one answer to integrate over: fewer observed pairs are gone through repeatedly.
_FEWEST_ANSWERS = 128
_CHUNK_VALUES = 400_000
_LEAST = 1e-15


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

    def estimate(self, name: str, population: str, by: str | None) -> xr.DataArray:
        """Return an estimand's draws, dims (chain, draw[, criterion], system[, system_b][, by])."""
        moderators = self._moderators()
        if by is not None and by not in moderators:
            raise ModelError(
                f"by= names a moderator of the model ({some(moderators) or 'it has none'}); "
                f"found {by!r}"
            )
        stacked = self.posterior.transpose("chain", "draw", ...)
        criteria = self.posterior["criterion"].values if self.declaration.has_criterion else [None]
        levels = [{}] if by is None else [{by: level} for level in self.posterior[by].values]
        others = [moderator for moderator in moderators if moderator != by]
        by_criterion = []
        for criterion in criteria:
            part = stacked if criterion is None else stacked.sel(criterion=criterion)
            draws = {str(k): v.values.reshape(-1, *v.shape[2:]) for k, v in part.items()}
            by_level = []
            for level in levels:
                values = [
                    _Part(self.declaration, draws, level | rest).value(name, population)
                    for rest in self._combinations(others)
                ]
                by_level.append(np.mean(values, axis=0))
            by_criterion.append(np.stack(by_level, axis=-1))
        array = np.stack(by_criterion, axis=1)
        array = array.reshape(stacked.sizes["chain"], stacked.sizes["draw"], *array.shape[1:])
        dims = ["chain", "draw", "criterion", "system"]
        dims += ["system_b"] if name == "win_probability" else []
        if not self.declaration.has_criterion:
            array = array[:, :, 0]
            dims.remove("criterion")
        if by is None:
            array = array[..., 0]
        else:
            dims.append(by)
        coords = {dim: self.posterior[dim].values for dim in dims if dim != "system_b"}
        if "system_b" in dims:
            coords["system_b"] = self.posterior["system"].values
        return xr.DataArray(array, dims=dims, coords=coords)

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

    def _moderators(self) -> list[str]:
        named = (effect.name.partition("_") for effect in self.declaration.effects)
        return list(
            dict.fromkeys(rest for kind, _, rest in named if kind in ("effect", "deviation"))
        )

    def _combinations(self, moderators: list[str]) -> Iterator[dict[str, str]]:
        for levels in product(*(self.posterior[name].values for name in moderators)):
            yield dict(zip(moderators, levels, strict=True))


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
    """The draws of one criterion, flat, at given levels of the moderators."""

    declaration: Declaration[MagnitudeResponse]
    draws: Mapping[str, FloatArray]
    levels: Mapping[str, str]

    def value(self, name: str, population: str) -> FloatArray:
        """Return an estimand, dims (draw, system) or (draw, system, system_b)."""
        pairs = self._new() if population == "new" else self._observed()
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
                    found.append(_wins(answers, pairs.uniform))
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

    def _new(self) -> "_Pairs":
        """Quasi-random new annotators and items; the same for all draws and systems."""
        # Here, since it brings all of scipy.stats, and no fit of any family needs that.
        from scipy.stats import qmc

        n_systems = self.draws["quality"].shape[1]
        columns = len(_ONE_EACH) + 3 * n_systems
        engine = qmc.Sobol(columns, scramble=True, rng=np.random.default_rng(0))
        points = np.clip(engine.random(_NEW_PAIRS), 1e-12, 1.0 - 1e-12)
        uniform = points[:, -n_systems:]
        return _Pairs(_NEW_PAIRS, uniform, normal=ndtri(points))

    def _observed(self) -> "_Pairs":
        from scipy.stats import qmc

        used = {dim for effect in self.declaration.effects for dim in effect.dims}
        sizes = [
            len(self.declaration.coords[dim]) if dim in used else 1 for dim in ("annotator", "item")
        ]
        chosen = np.arange(sizes[0] * sizes[1])
        rng = np.random.default_rng(0)
        if chosen.size > _MOST_OBSERVED:
            chosen = np.sort(rng.choice(chosen, _MOST_OBSERVED, replace=False))
        chosen = np.tile(chosen, -(-_FEWEST_ANSWERS // chosen.size))
        uniform = qmc.Sobol(self.draws["quality"].shape[1], rng=rng).random(_MOST_OBSERVED)
        annotator, item = np.divmod(chosen, sizes[1])
        return _Pairs(
            chosen.size,
            np.clip(uniform[: chosen.size], 1e-12, 1.0 - 1e-12),
            codes={"annotator": annotator, "item": item},
        )

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

    def _mean(self, name: str) -> FloatArray:
        """Return what the population's mean lies off that of the annotators in the data, in sds.

        Effects that sum to zero over the annotators at hand leave it out; it is known no better
        than a mean of so many.
        """
        n_draws = self.draws["quality"].shape[0]
        if name not in _OWN_MEAN:
            return np.zeros(n_draws)
        rng = np.random.default_rng(_OWN_MEAN.index(name))
        return rng.standard_normal(n_draws) / np.sqrt(len(self.declaration.coords["annotator"]))

    def _effect(self, effect: Effect, pairs: "_Pairs", part: slice) -> FloatArray:
        """Return an effect for every pair and system, dims (draw, pair, system) or ones there."""
        name = effect.name
        if effect.dims == ("system",):
            return self.draws[name][part, None, :]
        kind, _, moderator = name.partition("_")
        if kind in ("effect", "deviation"):
            level = self.declaration.coords[moderator].index(str(self.levels[moderator]))
            value = self.draws[name][part, level]
            return value[:, None, None] if kind == "effect" else value[:, None, :]
        if pairs.codes is None:
            sd = self.draws[f"{name}_sd"][part, None, None]
            return sd * (pairs.noise(name)[None] + self._mean(name)[part, None, None])
        if name not in self.draws:
            raise ModelError(
                f"the draws of {name!r} were not stored, and population='observed' needs them; "
                "fit again with store='all'"
            )
        code = pairs.codes["item" if "item" in effect.dims else "annotator"]
        value = self.draws[name][part][..., code]
        return value[..., None] if effect.dims[0] != "system" else value.swapaxes(1, 2)


_OWN_MEAN = ("severity", "modulus")
_SHARES = {
    "below_probability": "below",
    "as_good_probability": "at",
    "above_probability": "above",
}
_ONE_EACH = ("difficulty", "severity", "modulus", "log_spread", "tie_band", "log_scale")
_BY_SYSTEM = ("interaction", "taste")


@dataclass(frozen=True)
class _Pairs:
    """Pairs of an annotator and an item: new ones, or codes of those in the data."""

    size: int
    uniform: FloatArray
    normal: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    codes: Mapping[str, npt.NDArray[np.intp]] | None = None

    def noise(self, name: str) -> FloatArray:
        """Return standard normal noise of an effect, dims (pair, system or 1)."""
        if name in _ONE_EACH:
            column = _ONE_EACH.index(name)
            return self.normal[:, column : column + 1]
        n_systems = self.uniform.shape[1]
        start = len(_ONE_EACH) + _BY_SYSTEM.index(name) * n_systems
        return self.normal[:, start : start + n_systems]


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


def _wins(answers: Answering, uniform: FloatArray) -> FloatArray:
    """Return P(a above b) plus half of P(a equals b), dims (draw, system, system_b).

    One annotator judges both systems' outputs for one item; the answers are independent given
    these. Within a side the answer for b is integrated out, that for a is one quantile a pair.
    """
    ahead = 0.0
    sides = (0,) if answers.below is None else (-1, 1)
    shares = [share for share, _ in _sampled(answers, uniform)]
    for side, share in zip(sides, shares, strict=True):
        ratio = answers.quantile(uniform, side)[..., :, None]
        other = Answering(
            None,
            None,
            answers.location[..., None, :],
            answers.spread[..., None, :],
            answers.degrees[..., None, :],
        )
        share = np.broadcast_to(share, answers.location.shape)
        ahead = ahead + share[..., :, None] * share[..., None, :] * other.below_ratio(ratio, side)
    if answers.below is not None and answers.above is not None:
        shape = answers.location.shape
        below, above = np.broadcast_to(answers.below, shape), np.broadcast_to(answers.above, shape)
        at = 1.0 - below - above
        ahead = ahead + above[..., :, None] * (1.0 - above[..., None, :])
        ahead = ahead + at[..., :, None] * (below[..., None, :] + 0.5 * at[..., None, :])
    mean = np.mean(ahead, axis=1)
    # Quantiles leave a little noise; the chances of a and of b still sum to one.
    return 0.5 * (mean + 1.0 - mean.swapaxes(-1, -2))
