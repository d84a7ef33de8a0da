"""What a model of stated probabilities says: mean answers over annotators, ends included."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product

import numba
import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._beta_response import BetaResponse
from bayeseval.families._declaration import Declaration, FloatArray

_MOST_VALUES = 100_000_000
"""Largest number of values of a quantity by pair; with more, draws are thinned evenly."""

_MOST_OBSERVED = 4096
_ADDED_NODES = 15
_STRETCH_NODES = 11
_BY_ANNOTATOR = ("taste", "log_extremity")


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _average(
    difference: FloatArray,
    added_sd: FloatArray,
    stretch: FloatArray,
    stretch_sd: FloatArray,
    bias: FloatArray,
    kappa: FloatArray,
    added: FloatArray,
    added_weight: FloatArray,
    stretched: FloatArray,
    stretched_weight: FloatArray,
    result: FloatArray,
) -> None:
    """Add mean answers in both directions, dims (2, draw, pair), averaged over the nodes."""
    for d in range(difference.shape[0]):
        for p in range(difference.shape[1]):
            total = 0.0
            turned = 0.0
            for j in range(stretched.size):
                factor = math.exp(stretch[d] + stretch_sd[d] * stretched[j])
                for k in range(added.size):
                    weight = added_weight[k] * stretched_weight[j]
                    e = factor * (difference[d, p] + added_sd[d, p] * added[k])
                    total += weight * mean_answer(e + bias[d], kappa[d])
                    turned += weight * mean_answer(bias[d] - e, kappa[d])
            result[0, d, p] += total
            result[1, d, p] += turned


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)) with all digits in both tails."""
    small = math.exp(-abs(x))
    return (1.0 if x > 0.0 else small) / (1.0 + small)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def mean_answer(e: float, kappa: float) -> float:
    """Return the mean answer at predictor ``e``, exact ends included.

    The precision of the beta part is not in it.
    """
    at_1 = _logistic(e - kappa)
    at_0 = _logistic(-e - kappa)
    return at_1 + (1.0 - at_1 - at_0) * _logistic(e)


def kappa_of(end_probability: FloatArray) -> FloatArray:
    """Return the threshold of the ends, from their chance between equal systems."""
    return np.log1p(2.0 * (1.0 - end_probability) / end_probability)


def nodes(n: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights that average over a standard normal (Gauss-Hermite)."""
    at, weights = np.polynomial.hermite_e.hermegauss(n)
    return at, weights / weights.sum()


_SINGLE = (np.zeros(1), np.ones(1))


@dataclass(frozen=True)
class BetaQuantities:
    """Readable quantities of a fitted model of stated probabilities.

    Parameters
    ----------
    declaration
        The model.
    posterior
        Draws by the names of the posterior contract.
    """

    declaration: Declaration[BetaResponse]
    posterior: xr.Dataset

    def stated(self, population: str, by: str | None) -> xr.DataArray:
        """Return mean answers, dims (chain, draw[, criterion], system, system_b[, level]).

        ``system`` is the one named first. Not a number where the model has no answer: pairs that
        were never asked, with pairs of their own.
        """
        declaration = self.declaration
        moderators = [
            effect.name.removeprefix("deviation_")
            for effect in declaration.effects
            if effect.name.startswith("deviation_")
        ]
        if by is not None and by not in moderators:
            has = f"has {some(moderators)}" if moderators else "has none"
            raise ModelError(f"by= names a moderator of the model, which {has}; found {by!r}")
        posterior = self._thinned()
        levels = declaration.coords[by] if by is not None else (None,)
        others = [name for name in moderators if name != by]
        grid = list(product(*(declaration.coords[name] for name in others)))
        parts = []
        for criterion in declaration.coords["criterion"] if declaration.has_criterion else (None,):
            draws = posterior if criterion is None else posterior.sel(criterion=criterion)
            by_level = []
            for level in levels:
                fixed = {} if by is None or level is None else {by: level}
                found = [
                    self._at(draws, fixed | dict(zip(others, where, strict=True)), population)
                    for where in grid
                ]
                by_level.append(np.mean(found, axis=0))
            parts.append(np.stack(by_level, axis=-1))
        array = np.stack(parts, axis=1)
        array = array.reshape(posterior.sizes["chain"], posterior.sizes["draw"], *array.shape[1:])
        dims = ["chain", "draw", "criterion", "system", "system_b", by or "level"]
        if by is None:
            array, dims = array[..., 0], dims[:-1]
        if not declaration.has_criterion:
            array, dims = array[:, :, 0], [dim for dim in dims if dim != "criterion"]
        known = dict(declaration.coords) | {"system_b": declaration.coords["system"]}
        coords = {dim: list(known[dim]) for dim in dims if dim in known}
        coords |= {name: posterior[name].values for name in ("chain", "draw")}
        return xr.DataArray(array, dims=dims, coords=coords)

    def _thinned(self) -> xr.Dataset:
        """Take fewer draws, evenly, where all pairs of all draws would not fit in memory."""
        n_systems = len(self.declaration.coords["system"])
        per_draw = self.posterior.sizes["chain"] * n_systems**2 * self.declaration.n_criteria
        most, n_draws = max(1, _MOST_VALUES // per_draw), self.posterior.sizes["draw"]
        if n_draws <= most:
            return self.posterior
        return self.posterior.isel(draw=np.linspace(0, n_draws - 1, most).round().astype(int))

    def _at(self, draws: xr.Dataset, where: Mapping[str, str], population: str) -> FloatArray:
        """Dims (draw, system, system_b), for one criterion at some levels."""
        n_systems = len(self.declaration.coords["system"])
        pairs = np.array(list(combinations(range(n_systems), 2)), dtype=np.intp).reshape(-1, 2)
        difference, unknown = self._differences(draws, where, pairs)
        n_draws = difference.shape[0]
        zero = np.zeros(n_draws)
        kappa = kappa_of(_flat(draws, "end_probability"))
        bias = _flat(draws, "direction_bias") if "direction_bias" in draws else zero
        answers = np.zeros((2, *difference.shape))
        if population == "new":
            for name in ("taste", "interaction"):
                if f"{name}_sd" in draws:
                    unknown = unknown + 2.0 * np.square(_flat(draws, f"{name}_sd"))[:, None]
            stretch = _flat(draws, "log_extremity_sd") if "log_extremity_sd" in draws else zero
            _average(
                difference,
                np.sqrt(unknown),
                zero,
                stretch,
                bias,
                kappa,
                *(nodes(_ADDED_NODES) if unknown.any() else _SINGLE),
                *(nodes(_STRETCH_NODES) if stretch.any() else _SINGLE),
                answers,
            )
        else:
            self._observed(draws, pairs, difference, unknown, bias, kappa, answers)
        result = np.empty((n_draws, n_systems, n_systems))
        same = np.zeros((2, n_draws, 1))
        none = np.zeros((n_draws, 1))
        _average(none, none, zero, zero, bias, kappa, *_SINGLE, *_SINGLE, same)
        result[:, np.arange(n_systems), np.arange(n_systems)] = same[0]
        result[:, pairs[:, 0], pairs[:, 1]] = answers[0]
        result[:, pairs[:, 1], pairs[:, 0]] = answers[1]
        return result

    def _differences(
        self, draws: xr.Dataset, where: Mapping[str, str], pairs: npt.NDArray[np.intp]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the difference of every pair, and the variance of what is not known of it."""
        response = self.declaration.response
        position = {pair: at for at, pair in enumerate(response.pairs)}
        asked = np.array([position.get((int(a), int(b)), -1) for a, b in pairs], dtype=np.intp)
        if response.structure == "pairs":
            own = _flat(draws, "pair")
            return np.where(asked >= 0, own[:, asked], np.nan), np.zeros((own.shape[0], len(pairs)))
        quality = _flat(draws, "quality")
        for moderator, level in where.items():
            quality = quality + _flat(draws.sel({moderator: level}), f"deviation_{moderator}")
        difference = quality[:, pairs[:, 0]] - quality[:, pairs[:, 1]]
        unknown = np.zeros_like(difference)
        if "pair_sd" in draws:
            difference += np.where(asked >= 0, _flat(draws, "departure")[:, asked], 0.0)
            unknown += np.where(asked >= 0, 0.0, np.square(_flat(draws, "pair_sd"))[:, None])
        return difference, unknown

    def _observed(
        self,
        draws: xr.Dataset,
        pairs: npt.NDArray[np.intp],
        difference: FloatArray,
        unknown: FloatArray,
        bias: FloatArray,
        kappa: FloatArray,
        answers: FloatArray,
    ) -> None:
        """Average over the annotators and items of the data; over a fixed sample of very many."""
        used = {dim for effect in self.declaration.effects for dim in effect.dims}
        sizes = [
            len(self.declaration.coords[dim]) if dim in used else 1 for dim in ("annotator", "item")
        ]
        chosen = np.arange(sizes[0] * sizes[1])
        if chosen.size > _MOST_OBSERVED:
            chosen = np.random.default_rng(0).choice(chosen, _MOST_OBSERVED, replace=False)
        own = {
            name: _stored(draws, name)
            for name in (*_BY_ANNOTATOR, "interaction")
            if self.declaration.effect(name) is not None
        }
        zero = np.zeros(difference.shape[0])
        for one in chosen:
            annotator, item = divmod(int(one), sizes[1])
            here, stretch = difference, zero
            for name, values in own.items():
                at = values[..., item if name == "interaction" else annotator]
                if name == "log_extremity":
                    stretch = at
                else:
                    here = here + at[:, pairs[:, 0]] - at[:, pairs[:, 1]]
            _average(
                here,
                np.sqrt(unknown),
                stretch,
                zero,
                bias,
                kappa,
                *(nodes(_ADDED_NODES) if unknown.any() else _SINGLE),
                *_SINGLE,
                answers,
            )
        answers /= chosen.size


def _stored(draws: xr.Dataset, name: str) -> FloatArray:
    if name not in draws:
        raise ModelError(
            f"the draws of {name!r} were not stored, and population='observed' needs them; fit "
            "again with store='all'"
        )
    return _flat(draws, name)


def _flat(draws: xr.Dataset, name: str) -> FloatArray:
    values = draws[name].transpose("chain", "draw", ...).values
    return np.ascontiguousarray(values.reshape(-1, *values.shape[2:]))
