"""What a model of strengths says of pairs: mean strength, preference and no preference."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, product

import numba
import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.special import betainc, expit, gammaln, stdtr

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._beta_quantities import kappa_of, nodes
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._strength_response import StrengthResponse

_MOST_VALUES = 50_000_000
_MOST_GRADED = 100_000_000
_MOST_SLIDER = 10_000_000
"""Most evaluations of one quantity; beyond them draws are thinned evenly."""

_MOST_OBSERVED = 256
_STRETCH_NODES = 7
_OWN_NODES = {"graded": 7, "ordered_beta": 3, "student_t": 3}
_ADDED_NODES = {"graded": 1, "ordered_beta": 7, "student_t": 7}
_OWN = {"graded": "log_gap", "ordered_beta": "log_precision", "student_t": "log_spread"}
_QUANTITIES = ("expected_strength", "preference", "none")


@dataclass(frozen=True)
class StrengthQuantities:
    """Readable quantities of a fitted model of strengths.

    Parameters
    ----------
    declaration
        The model.
    posterior
        Draws by the names of the posterior contract.
    """

    declaration: Declaration[StrengthResponse]
    posterior: xr.Dataset

    def pairs(self, population: str, by: str | None) -> dict[str, xr.DataArray]:
        """Return mean strength, chance of a preference and of none, by pair.

        Dims (chain, draw[, criterion], system, system_b[, level]); each the mean of both ways of
        showing the pair.
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
        posterior = self._thinned(population)
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
        # Dims (quantity, draw, criterion, system, system_b, level).
        array = np.stack(parts, axis=2)
        shape = (posterior.sizes["chain"], posterior.sizes["draw"])
        array = array.reshape(array.shape[0], *shape, *array.shape[2:])
        dims = ["chain", "draw", "criterion", "system", "system_b", by or "level"]
        if by is None:
            array, dims = array[..., 0], dims[:-1]
        if not declaration.has_criterion:
            array, dims = array[:, :, :, 0], [dim for dim in dims if dim != "criterion"]
        known = dict(declaration.coords) | {"system_b": declaration.coords["system"]}
        coords = {dim: list(known[dim]) for dim in dims if dim in known}
        coords |= {name: posterior[name].values for name in ("chain", "draw")}
        return {
            name: xr.DataArray(array[k], dims=dims, coords=coords)
            for k, name in enumerate(_QUANTITIES)
        }

    def _thinned(self, population: str) -> xr.Dataset:
        """Take fewer draws, evenly, where all pairs of all draws would take too long."""
        response = self.declaration.response
        n_systems = len(self.declaration.coords["system"])
        kind = response.response
        times = _STRETCH_NODES * _OWN_NODES[kind] * _ADDED_NODES[kind]
        if population == "observed":
            times = len(self._combinations())
        work, most = n_systems**2 * times, _MOST_SLIDER
        if kind == "graded":
            work, most = work * (response.n_grades - 1), _MOST_GRADED
        n_chains, n_draws = self.posterior.sizes["chain"], self.posterior.sizes["draw"]
        per_draw = n_chains * self.declaration.n_criteria
        most = max(100, min(most // (work * per_draw), _MOST_VALUES // (n_systems**2 * per_draw)))
        if n_draws <= most:
            return self.posterior
        return self.posterior.isel(draw=np.linspace(0, n_draws - 1, most).round().astype(int))

    def _at(self, draws: xr.Dataset, where: Mapping[str, str], population: str) -> FloatArray:
        """Dims (quantity, draw, system, system_b), for one criterion at some levels."""
        quality = _flat(draws, "quality")
        for moderator, level in where.items():
            quality = quality + _flat(draws.sel({moderator: level}), f"deviation_{moderator}")
        n_draws, n_systems = quality.shape
        # A system with itself comes last: what two equal systems would get.
        first, second = (
            (
                np.array([*part, 0], dtype=np.intp)
                for part in zip(*combinations(range(n_systems), 2), strict=True)
            )
            if n_systems > 1
            else (np.zeros(1, dtype=np.intp),) * 2
        )
        difference = quality[:, first] - quality[:, second]
        summary = _summary(self.declaration.response, draws)
        zero = np.zeros(n_draws)

        def sd(name: str) -> FloatArray:
            return _flat(draws, f"{name}_sd") if f"{name}_sd" in draws else zero

        kind = self.declaration.response.response
        if population == "new":
            added = np.sqrt(2.0 * (sd("taste") ** 2 + sd("interaction") ** 2))
            found = summary.average(difference, added, zero, sd("log_scale"), zero, sd(_OWN[kind]))
        else:
            combinations_ = self._combinations()
            effects = {
                name: _stored(draws, name)
                for name in ("taste", "interaction", "log_scale", _OWN[kind])
                if self.declaration.effect(name) is not None
            }
            found = np.zeros((3, *difference.shape))
            for annotator, item in combinations_:
                own = {"log_scale": zero, _OWN[kind]: zero}
                here = difference
                for name, values in effects.items():
                    at = values[..., item if name == "interaction" else annotator]
                    if name in own:
                        own[name] = at
                    else:
                        here = here + at[:, first] - at[:, second]
                found += summary.average(here, zero, own["log_scale"], zero, own[_OWN[kind]], zero)
            found /= len(combinations_)
        result = np.empty((3, n_draws, n_systems, n_systems))
        mirrored = np.stack([-found[0], 1.0 - found[1] - found[2], found[2]])
        result[:, :, first, second] = found
        result[:, :, second, first] = mirrored
        same = np.arange(n_systems)
        result[:, :, same, same] = found[:, :, -1:]
        return result

    def _combinations(self) -> list[tuple[int, int]]:
        """Return pairs of annotator and item of the data; a fixed sample of many."""
        used = {dim for effect in self.declaration.effects for dim in effect.dims}
        sizes = [
            len(self.declaration.coords[dim]) if dim in used else 1 for dim in ("annotator", "item")
        ]
        chosen = np.arange(sizes[0] * sizes[1])
        if chosen.size > _MOST_OBSERVED:
            chosen = np.random.default_rng(0).choice(chosen, _MOST_OBSERVED, replace=False)
        return [divmod(int(pair), sizes[1]) for pair in chosen]


@dataclass(frozen=True)
class _Summary:
    """Means over answers of one response, for given draws of its parameters."""

    response: StrengthResponse
    bias: FloatArray
    at: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    """From location, log scale and the annotator's own to quantities, (quantity, draw, pair)."""

    added_inside: bool
    """Whether ``at`` wants the sd of what is added to the location, and integrates over it."""

    def average(
        self,
        difference: FloatArray,
        added_sd: FloatArray,
        scale: FloatArray,
        scale_sd: FloatArray,
        own: FloatArray,
        own_sd: FloatArray,
    ) -> FloatArray:
        """Average over normal effects and both ways of showing a pair, (quantity, draw, pair)."""
        kind = self.response.response
        total = np.zeros((3, *difference.shape))
        by_added = _nodes(_ADDED_NODES[kind], wanted=not self.added_inside and bool(added_sd.any()))
        by_scale = _nodes(_STRETCH_NODES, wanted=bool(scale_sd.any()))
        by_own = _nodes(_OWN_NODES[kind], wanted=bool(own_sd.any()))
        for added, scaled, owned in product(by_added, by_scale, by_own):
            weight = added[1] * scaled[1] * owned[1]
            moved = difference + (added_sd * added[0])[:, None]
            factor = np.exp(scale + scale_sd * scaled[0])
            third = own + own_sd * owned[0]
            inner = factor * added_sd if self.added_inside else np.zeros_like(factor)
            one = self.at(factor[:, None] * (moved + self.bias[:, None]), third, inner)
            other = self.at(factor[:, None] * (self.bias[:, None] - moved), third, inner)
            total[0] += weight * 0.5 * (one[0] - other[0])
            total[1] += weight * 0.5 * (one[1] + 1.0 - other[1] - other[2])
            total[2] += weight * 0.5 * (one[2] + other[2])
        return total


def _nodes(n: int, *, wanted: bool) -> list[tuple[float, float]]:
    """Return nodes and weights of a standard normal; the middle alone where nothing varies."""
    at, weights = nodes(n if wanted else 1)
    return [(float(x), float(w)) for x, w in zip(at, weights, strict=True)]


def _summary(response: StrengthResponse, draws: xr.Dataset) -> _Summary:
    n_draws = _flat(draws, "quality").shape[0]
    bias = _flat(draws, "side_bias") if response.has_bias else np.zeros(n_draws)
    if response.response == "graded":
        logs = [_flat(draws, name) for name in response.width_names]
        stacked = np.stack(logs, axis=-1) if logs else np.zeros((n_draws, 0))
        thresholds = response.thresholds_at(stacked)

        def graded(e: FloatArray, log_gap: FloatArray, added: FloatArray) -> FloatArray:
            found = np.zeros((3, *e.shape))
            noise = np.sqrt(1.0 + added**2)
            gaps = np.exp(log_gap)[:, None] * thresholds
            _grade_means(e, gaps, noise, response.bound, found)
            return found

        return _Summary(response, bias, graded, added_inside=True)
    if response.response == "student_t":
        df = _flat(draws, "degrees_of_freedom")
        mean_spread = _flat(draws, "log_spread_mean")

        def points(e: FloatArray, log_spread: FloatArray, added: FloatArray) -> FloatArray:
            del added
            own = np.exp(2.0 * (mean_spread + log_spread)) + response.resolution**2
            return _point_means(e, np.sqrt(own)[:, None], df[:, None], response.bound)

        return _Summary(response, bias, points, added_inside=False)
    kappa = kappa_of(_flat(draws, "end_probability"))[:, None]
    middle = _flat(draws, "middle_probability")[:, None] if response.middle else None
    mean_precision = _flat(draws, "log_precision_mean")

    def slider(e: FloatArray, log_precision: FloatArray, added: FloatArray) -> FloatArray:
        del added
        inverse = np.exp(-mean_precision - log_precision) + 4.0 * response.resolution**2
        return _slider_means(e, kappa, middle, 1.0 / inverse[:, None], response.bound)

    return _Summary(response, bias, slider, added_inside=False)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _grade_means(
    e: FloatArray, thresholds: FloatArray, noise: FloatArray, bound: float, found: FloatArray
) -> None:
    """Fill mean grade, chance of one above 0 and of exactly 0, dims (quantity, draw, pair)."""
    top = thresholds.shape[1]
    above, at_least = top // 2, (top - 1) // 2
    for d in range(e.shape[0]):
        factor = 1.0 / (noise[d] * math.sqrt(2.0))
        for p in range(e.shape[1]):
            mean, positive, not_negative = -bound, 0.0, 0.0
            for t in range(top):
                chance = 0.5 * math.erfc((thresholds[d, t] - e[d, p]) * factor)
                mean += chance
                if t == above:
                    positive = chance
                if t == at_least:
                    not_negative = chance
            found[0, d, p], found[1, d, p] = mean, positive
            found[2, d, p] = not_negative - positive


def _slider_means(
    e: FloatArray,
    kappa: FloatArray,
    middle: FloatArray | None,
    precision: FloatArray,
    bound: float,
) -> FloatArray:
    low, high, share = expit(-e - kappa), expit(e - kappa), expit(e)
    between = 1.0 - low - high
    none = np.zeros_like(e)
    if middle is not None:
        none = between * 4.0 * middle * share * expit(-e)
    inside = between - none
    a = np.maximum(share * precision, 1e-300)
    b = np.maximum(expit(-e) * precision, 1e-300)
    mean = bound * (high - low + inside * (2.0 * share - 1.0))
    return np.stack([mean, high + inside * betainc(b, a, 0.5), none])


def _point_means(e: FloatArray, spread: FloatArray, df: FloatArray, bound: float) -> FloatArray:
    # The integral of the distribution function, G' = T, has no closed form at one degree only.
    df = np.where(np.abs(df - 1.0) < 1e-3, 1.0 + 1e-3, df)
    constant = gammaln(0.5 * df + 0.5) - gammaln(0.5 * df) - 0.5 * np.log(np.pi * df)

    def integral(z: FloatArray) -> FloatArray:
        density = np.exp(constant - 0.5 * (df + 1.0) * np.log1p(z * z / df))
        return z * stdtr(df, z) + (df + z * z) / (df - 1.0) * density

    mean = bound - spread * (integral((bound - e) / spread) - integral((-bound - e) / spread))
    return np.stack([mean, stdtr(df, e / spread), np.zeros_like(e)])


def _stored(draws: xr.Dataset, name: str) -> FloatArray:
    if name not in draws:
        raise ModelError(
            f"the draws of {name!r} were not stored, and population='observed' needs them; fit "
            "again with store='all'"
        )
    return _flat(draws, name)


def _flat(draws: xr.Dataset, name: str) -> npt.NDArray[np.float64]:
    values = draws[name].transpose("chain", "draw", ...).values
    return np.ascontiguousarray(values.reshape(-1, *values.shape[2:]))
