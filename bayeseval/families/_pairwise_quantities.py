"""What a model of comparisons says: chances of win, tie and loss over annotators and items."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numba
import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._pairwise_kernel import DAVIDSON, LOGIT, RAO_KUPPER
from bayeseval.families._pairwise_response import PairwiseResponse

OUTCOMES = ("win", "tie", "loss")

_MOST_VALUES = 100_000_000
"""Largest number of values of a quantity by pair; with more, draws are thinned evenly."""

_MOST_OBSERVED = 64
_ADDED_NODES = 15
_STRETCH_NODES = 7


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _outcome(e: float, tie: float, link: int, ties: int) -> tuple[float, float]:
    """Return the chances of a win and of a tie; ``tie`` is log ν or the threshold."""
    if ties == DAVIDSON:
        small = math.exp(-abs(e))
        middle = math.exp(tie - 0.5 * abs(e))
        total = 1.0 + small + middle
        return (1.0 if e > 0.0 else small) / total, middle / total
    threshold = tie if ties == RAO_KUPPER else 0.0
    if link == LOGIT:
        win = 1.0 / (1.0 + math.exp(threshold - e))
        loss = 1.0 / (1.0 + math.exp(threshold + e))
    else:
        win = 0.5 * math.erfc((threshold - e) / math.sqrt(2.0))
        loss = 0.5 * math.erfc((threshold + e) / math.sqrt(2.0))
    return win, max(0.0, 1.0 - win - loss)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _average(
    quality: FloatArray,
    added_sd: FloatArray,
    stretch_sd: FloatArray,
    stretch: FloatArray,
    position: FloatArray,
    tie: FloatArray,
    link: int,
    ties: int,
    added: FloatArray,
    added_weight: FloatArray,
    stretched: FloatArray,
    stretched_weight: FloatArray,
    win: FloatArray,
    tied: FloatArray,
) -> None:
    """Add chances of win and tie (draw, system, system_b), averaged over nodes and both orders."""
    n_draws, n_systems = quality.shape
    for d in range(n_draws):
        for a in range(n_systems):
            for b in range(a + 1, n_systems):
                difference = quality[d, a] - quality[d, b]
                p_win = p_loss = p_tie = 0.0
                for j in range(stretched.size):
                    factor = math.exp(stretch[d] + stretch_sd[d] * stretched[j])
                    for k in range(added.size):
                        weight = 0.5 * added_weight[k] * stretched_weight[j]
                        for order in range(2):
                            first = position[d] if order == 0 else -position[d]
                            e = factor * (difference + added_sd[d] * added[k] + first)
                            one, same = _outcome(e, tie[d], link, ties)
                            p_win += weight * one
                            p_tie += weight * same
                            p_loss += weight * (1.0 - one - same)
                win[d, a, b] += p_win
                win[d, b, a] += p_loss
                tied[d, a, b] += p_tie
                tied[d, b, a] += p_tie
            # Two outputs of one system, one judgement: neither is ahead.
            _, same = _outcome(0.0, tie[d], link, ties)
            win[d, a, a] += 0.5 * (1.0 - same)
            tied[d, a, a] += same


def outcome_chances(
    e: FloatArray, tie: FloatArray | float, link: str, ties: str
) -> tuple[FloatArray, FloatArray]:
    """Return the chances that a wins and of a tie, given the predictor of every judgement."""
    if ties == "davidson":
        size = np.abs(e)
        small, middle = np.exp(-size), np.exp(tie - 0.5 * size)
        total = 1.0 + small + middle
        return np.where(e > 0, 1.0, small) / total, middle / total
    from scipy.special import expit, ndtr

    distribution = expit if link == "logit" else ndtr
    threshold = tie if ties == "rao_kupper" else 0.0
    win, loss = distribution(e - threshold), distribution(-e - threshold)
    return win, np.maximum(0.0, 1.0 - win - loss)


def tie_parameter(draws: xr.Dataset) -> xr.DataArray:
    """Return what the tie model calls its parameter: log ν, the threshold, or zero."""
    for name in ("log_tie_propensity", "tie_propensity"):
        if name in draws:
            return draws[name]
    return xr.zeros_like(draws["quality_sd"])


@dataclass(frozen=True)
class PairwiseQuantities:
    """Readable quantities of a fitted model of comparisons.

    Parameters
    ----------
    declaration
        The model.
    posterior
        Draws by the names of the posterior contract.
    """

    declaration: Declaration[PairwiseResponse]
    posterior: xr.Dataset

    def outcomes(self, population: str, by: str | None) -> tuple[xr.DataArray, xr.DataArray]:
        """Return the chances of win and tie, dims (chain, draw[, criterion], system, system_b)."""
        moderators = self._moderators()
        if by is not None and by not in moderators:
            raise ModelError(
                f"by= names a moderator of the model ({some(moderators) or 'it has none'}); "
                f"found {by!r}"
            )
        posterior = self._thinned()
        criteria = (
            self.declaration.coords["criterion"] if self.declaration.has_criterion else (None,)
        )
        levels = self.declaration.coords[by] if by is not None else (None,)
        others = [name for name in moderators if name != by]
        shape = (posterior.sizes["chain"], posterior.sizes["draw"])
        parts = []
        for criterion in criteria:
            chosen = posterior if criterion is None else posterior.sel(criterion=criterion)
            by_level = []
            for level in levels:
                fixed = {} if by is None or level is None else {by: level}
                found = [
                    self._at(chosen, fixed | where, population)
                    for where in self._combinations(others)
                ]
                by_level.append(np.mean(found, axis=0))
            parts.append(np.stack(by_level, axis=-1))
        # Dims (outcome, draw, criterion, system, system_b, level).
        array = np.stack(parts, axis=2)
        array = array.reshape(array.shape[0], *shape, *array.shape[2:])
        dims = ["chain", "draw", "criterion", "system", "system_b", by or "level"]
        if by is None:
            array, dims = array[..., 0], dims[:-1]
        if not self.declaration.has_criterion:
            array, dims = array[:, :, :, 0], [dim for dim in dims if dim != "criterion"]
        coords = {dim: list(self.declaration.coords[dim]) for dim in dims if dim in self._named}
        coords |= {name: posterior[name].values for name in ("chain", "draw")}
        coords["system_b"] = list(self.declaration.coords["system"])
        win, tied = (xr.DataArray(array[k], dims=dims, coords=coords) for k in range(2))
        return win, tied

    @property
    def _named(self) -> set[str]:
        return set(self.declaration.coords)

    def _thinned(self) -> xr.Dataset:
        """Take fewer draws, evenly, where all pairs of all draws would not fit in memory."""
        n_systems = len(self.declaration.coords["system"])
        per_draw = self.posterior.sizes["chain"] * n_systems**2 * self.declaration.n_criteria
        most = max(1, _MOST_VALUES // per_draw)
        n_draws = self.posterior.sizes["draw"]
        if n_draws <= most:
            return self.posterior
        return self.posterior.isel(draw=np.linspace(0, n_draws - 1, most).round().astype(int))

    def _moderators(self) -> list[str]:
        named = (effect.name for effect in self.declaration.effects)
        return [n.removeprefix("deviation_") for n in named if n.startswith("deviation_")]

    def _combinations(self, moderators: list[str]) -> Iterator[dict[str, str]]:
        for levels in product(*(self.declaration.coords[name] for name in moderators)):
            yield dict(zip(moderators, levels, strict=True))

    def _at(self, draws: xr.Dataset, where: Mapping[str, str], population: str) -> FloatArray:
        """Dims (win or tie, draw, system, system_b), for one criterion at some levels."""

        def flat(name: str) -> FloatArray:
            values = draws[name].transpose("chain", "draw", ...).values
            return values.reshape(-1, *values.shape[2:])

        quality = flat("quality")
        for moderator, level in where.items():
            chosen = draws[f"deviation_{moderator}"].sel({moderator: level})
            chosen = chosen.transpose("chain", "draw", "system").values
            quality = quality + chosen.reshape(quality.shape)
        n_draws, n_systems = quality.shape
        zero = np.zeros(n_draws)
        tie = tie_parameter(draws).transpose("chain", "draw").values.ravel()
        position = flat("position_effect") if "position_effect" in draws else zero
        result = np.zeros((2, n_draws, n_systems, n_systems))
        response = self.declaration.response
        link, ties = int(response.options[0]), int(response.options[1])
        single = (np.zeros(1), np.ones(1))
        if population == "new":
            variance = zero
            for name, times in (("taste", 2.0), ("interaction", 2.0), ("position", 1.0)):
                if f"{name}_sd" in draws:
                    variance = variance + times * flat(f"{name}_sd") ** 2
            stretch = flat("log_consistency_sd") if "log_consistency_sd" in draws else zero
            _average(
                quality,
                np.sqrt(variance),
                stretch,
                zero,
                position,
                tie,
                link,
                ties,
                *(_nodes(_ADDED_NODES) if variance.any() else single),
                *(_nodes(_STRETCH_NODES) if stretch.any() else single),
                result[0],
                result[1],
            )
            return result
        pairs = self._observed_pairs()
        for annotator, item in pairs:
            own, stretch, first = quality, zero, position
            for name in ("taste", "interaction", "position", "log_consistency"):
                if self.declaration.effect(name) is None:
                    continue
                if name not in draws:
                    raise ModelError(
                        f"the draws of {name!r} were not stored, and population='observed' needs "
                        "them; fit again with store='all'"
                    )
                at = {"item": item} if name == "interaction" else {"annotator": annotator}
                values = draws[name].isel(at).transpose("chain", "draw", ...).values
                values = values.reshape(n_draws, -1)
                if name == "position":
                    first = first + values[:, 0]
                elif name == "log_consistency":
                    stretch = values[:, 0]
                else:
                    own = own + values
            _average(
                own,
                zero,
                zero,
                stretch,
                first,
                tie,
                link,
                ties,
                *single,
                *single,
                result[0],
                result[1],
            )
        return result / len(pairs)

    def _observed_pairs(self) -> list[tuple[int, int]]:
        """Return pairs of annotator and item in the data's range; a fixed sample of many."""
        dims = {dim for effect in self.declaration.effects for dim in effect.dims}
        sizes = [
            len(self.declaration.coords[dim]) if dim in dims else 1 for dim in ("annotator", "item")
        ]
        chosen = np.arange(sizes[0] * sizes[1])
        if chosen.size > _MOST_OBSERVED:
            chosen = np.random.default_rng(0).choice(chosen, _MOST_OBSERVED, replace=False)
        return [divmod(int(pair), sizes[1]) for pair in chosen]


def _nodes(n: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights that average over a standard normal (Gauss-Hermite)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n)
    return nodes, weights / weights.sum()


def drawn_outcomes(
    win: FloatArray, tied: FloatArray, rng: np.random.Generator
) -> npt.NDArray[np.int8]:
    """Draw outcomes coded as in ``judgements.answers``: 0 a wins, 1 b wins, 2 a tie."""
    u = rng.random(win.shape)
    return np.where(u < win, 0, np.where(u < win + tied, 2, 1)).astype(np.int8)
