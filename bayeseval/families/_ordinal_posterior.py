"""What the ordinal model says: parameters by name, readable estimands, predictions.

Arrays are NumPy with draws first; ``inference`` puts labels on them. Everything integrates over
new annotators and items, or averages over those observed; nothing is evaluated "at the average
annotator".
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from bayeseval.families._declaration import Declaration, Effect, FloatArray
from bayeseval.families._layout import Geometry, cut, layout, put_back, taken_apart
from bayeseval.families._marginal import (
    POINT,
    Cell,
    averaged,
    nodes,
    people_and_items,
    stored,
    thinned,
)
from bayeseval.families._ordinal_kernel import OPEN_END
from bayeseval.families._ordinal_response import OrdinalResponse
from bayeseval.families._predictors import stored_draws
from bayeseval.families._thresholds import (
    annotator_thresholds,
    centred_steps,
    long_scale_log_gaps,
    population_thresholds,
)

_NODES = 21
_NEW_ANNOTATORS = 16
_MOST_OBSERVED = 16_384
_MOST_VALUES = 100_000_000
_MOST_EVALUATIONS = 500_000_000
"""Normal distribution functions of some ten seconds; with more, draws are thinned evenly."""

_CHUNK_VALUES = 4_000_000


def constrained(
    declaration: Declaration[OrdinalResponse],
    draws: FloatArray,
    geometry: Geometry | None = None,
) -> dict[str, FloatArray]:
    """Take the sampler's vectors apart into named values on their natural scales.

    Parameters
    ----------
    declaration
        The model.
    draws
        Dims (…, parameter), in the order of the layout and the coordinates of the sampler.
    geometry
        The geometry that was sampled with.

    Returns
    -------
    dict
        By the names of the PyMC model, each with dims (…, criterion, …).
    """
    placed = layout(declaration, declaration.response.parameter_shapes)
    response, location = declaration.response, declaration.response.location
    sampled = cut(placed, draws)
    if response.category_prior is None:
        name = "threshold_steps"
        turned = {name: sampled[name] @ response.step_rotation}
        log_gaps = long_scale_log_gaps(sampled | turned)
    else:
        log_gaps = sampled[location][..., 1:]
        turned = {location: centred_steps(log_gaps, sampled[location][..., 0])}
    root = declaration.root
    of_root = None if root is None else log_gaps @ response.projection.T
    values = taken_apart(declaration, placed, draws, geometry, of_root) | turned
    if "threshold_roughness" in values:
        sign = np.sign(values["threshold_roughness"])
        values["threshold_roughness"] = np.abs(values["threshold_roughness"])
        values["threshold_steps"] = values["threshold_steps"] * sign[..., None]
    if root is not None and of_root is not None:
        values[root.name] = of_root
    return put_back(declaration, values, geometry)


def thresholds_of(
    declaration: Declaration[OrdinalResponse],
    values: Mapping[str, FloatArray],
    posterior: xr.Dataset,
) -> dict[str, tuple[tuple[str, ...], FloatArray]]:
    """Return thresholds and what they depend on, each with its dims.

    Parameters
    ----------
    declaration
        The model.
    values
        Named values with dims (chain, draw, criterion, …).
    posterior
        The effects by their names.
    """
    response, lead = declaration.response, tuple(map(str, posterior["quality_sd"].dims))
    population = population_thresholds(values)
    found: dict[str, tuple[tuple[str, ...], FloatArray]] = {
        "population_thresholds": (("threshold",), population)
    }
    if "severity" in posterior:
        severity = posterior["severity"].values.reshape(*population.shape[:-1], -1, 1)
        own = annotator_thresholds(declaration, population, values)
        found["thresholds"] = (("annotator", "threshold"), own + severity)
    if response.discrimination:
        log_d = values["discrimination_sd"][..., None] * values["discrimination_z"]
        found["discrimination"] = (("annotator",), np.exp(log_d))
    for name in ("gap_sd", "discrimination_sd", "threshold_roughness"):
        if name in values:
            found[name] = ((), values[name])
    return {
        name: ((*lead, *dims), array if declaration.has_criterion else array[:, :, 0])
        for name, (dims, array) in found.items()
    }


def levels_of(
    declaration: Declaration[OrdinalResponse], name: str, draws: xr.Dataset
) -> FloatArray:
    """Return the draws of what a term names, dims (sample, [criterion,] …).

    Parameters
    ----------
    declaration
        The model.
    name
        An effect, the log discrimination, or the thresholds without severity, open ends included.
    draws
        Draws along a dim ``sample``, by the names of the posterior contract.
    """
    dims = declaration.level(name).dims
    if name == "discrimination":
        return np.log(stored_draws(declaration, draws, name, dims))
    if name != "thresholds":
        return stored_draws(declaration, draws, name, dims)
    if declaration.response.has_gaps:
        found = stored_draws(declaration, draws, "thresholds", ("annotator", "threshold"))
        found = found - stored_draws(declaration, draws, "severity", ("annotator",))[..., None]
    else:
        found = stored_draws(declaration, draws, "population_thresholds", ("threshold",))
    open_end = np.full_like(found[..., :1], OPEN_END)
    return np.concatenate([-open_end, found, open_end], axis=-1)


@dataclass(frozen=True)
class OrdinalQuantities:
    """Readable quantities of a fitted ordinal model.

    Parameters
    ----------
    declaration
        The model.
    posterior
        Parameters as :func:`posterior_dataset` names them.
    """

    declaration: Declaration[OrdinalResponse]
    posterior: xr.Dataset

    def estimate(self, name: str, population: str | None, by: str | None) -> xr.DataArray:
        """Return one readable quantity by its name."""
        if name == "win_probability":
            return self.win_probability(population, by)
        probability = self.category_probability(population, by)
        if name == "at_least_probability":
            axis = probability.get_axis_num("category")
            return probability.copy(
                data=np.flip(np.cumsum(np.flip(probability.values, axis), axis), axis)
            )
        if name == "expected_rating":
            values = xr.DataArray(list(self.declaration.response.category_values), dims="category")
            return probability.drop_vars("category").dot(values, dim="category")
        return probability

    def category_probability(self, population: str | None, by: str | None) -> xr.DataArray:
        """Return the probability of each category in one new judgement of each system.

        Dims (chain, draw[, criterion], system, category[, moderator]).
        """
        return self._averaged(_categories_in, "category", population, by)

    def win_probability(self, population: str | None, by: str | None) -> xr.DataArray:
        """Return the probability that system is rated above system_b, half of the ties included.

        One new annotator rates both systems' outputs for one item. Dims (chain, draw
        [, criterion], system, system_b[, moderator]).
        """
        return self._averaged(
            lambda cell: _Part(cell).win_probability(), "system_b", population, by
        )

    def _averaged(
        self,
        compute: Callable[[Cell], FloatArray],
        dim: str,
        population: str | None,
        by: str | None,
    ) -> xr.DataArray:
        work = len(self.declaration.coords["system"]) * self.declaration.response.n_categories
        if population == "observed":
            work *= len(_combinations(self.declaration))
        posterior = thinned(
            self.declaration,
            self.posterior,
            population=population,
            by=by,
            work=work,
            most=_MOST_EVALUATIONS if population == "observed" else _MOST_VALUES,
        )
        dims = ("system", dim)
        return averaged(self.declaration, posterior, compute, dims, population=population, by=by)


def chunks(n_draws: int, per_draw: int) -> Iterator[slice]:
    """Cut draws into slices whose arrays hold a few million values."""
    step = max(1, _CHUNK_VALUES // max(per_draw, 1))
    for start in range(0, n_draws, step):
        yield slice(start, min(start + step, n_draws))


def _combinations(declaration: Declaration[OrdinalResponse]) -> list[tuple[int, int]]:
    """Return the pairs of annotator and item that an average over those in the data is of."""
    return people_and_items(declaration, _MOST_OBSERVED)


@dataclass(frozen=True)
class _Part:
    """What the model says in one cell; arrays with draws flattened first."""

    cell: Cell

    @property
    def declaration(self) -> Declaration[OrdinalResponse]:
        return self.cell.declaration

    @cached_property
    def location(self) -> FloatArray:
        """Quality with the moderators' effects, dims (draw, system)."""
        return self.cell.location

    def _flat(self, name: str) -> FloatArray:
        return self.cell.flat(name)

    def _new_annotators(self, part: slice) -> tuple[FloatArray, FloatArray]:
        """Thresholds (draw, annotator, threshold) and noise variance (draw, annotator)."""
        response = self.declaration.response
        population = self._flat("population_thresholds")[part]
        n_gaps = response.basis.shape[0] if response.has_gaps else 0
        n_dims = n_gaps + int(response.discrimination)
        if n_dims == 0:
            return population[:, None, :], np.ones((population.shape[0], 1))
        n_draws = population.shape[0]
        # Here, since it brings all of scipy.stats.
        from scipy.stats import qmc

        # A scrambled net that is shifted at random for every draw: even within a draw, and
        # independent between draws, so that what it misses averages out.
        net = qmc.Sobol(n_dims, rng=np.random.default_rng(0)).random(_NEW_ANNOTATORS)
        shift = np.random.default_rng(part.start + 1).random((n_draws, 1, n_dims))
        z = ndtri(np.clip((net + shift) % 1.0, 1e-12, 1.0 - 1e-12))
        thresholds = population[:, None, :]
        if n_gaps:
            gap_sd = self._flat("gap_sd")[part]
            log_gaps = np.log(np.diff(population, axis=-1))[:, None, :]
            log_gaps = log_gaps + gap_sd[:, None, None] * (z[..., :n_gaps] @ response.basis)
            mean = np.broadcast_to(population.mean(axis=-1)[:, None], log_gaps.shape[:-1])
            thresholds = centred_steps(log_gaps, mean)
        variance = np.ones((n_draws, z.shape[1]))
        if response.discrimination:
            variance = np.exp(-2.0 * self._flat("discrimination_sd")[part, None] * z[..., -1])
        return np.broadcast_to(thresholds, (n_draws, z.shape[1], thresholds.shape[-1])), variance

    def _variance_of_system(self) -> FloatArray:
        levels = self.cell.new_levels("deviation")
        return self.cell.variance("interaction", "taste", *levels)

    def _variance_of_all(self) -> FloatArray:
        """Return the variance of what one judgement adds to both of two systems."""
        levels = self.cell.new_levels("effect")
        return self.cell.variance("severity", "difficulty", *levels)

    def category_probability(self) -> FloatArray:
        """Dims (draw, system, category)."""
        if self.cell.observed:
            return self._observed(lambda probability: probability)
        shared = self._variance_of_system() + self._variance_of_all()
        n_draws, n_systems = self.location.shape
        n_categories = self.declaration.response.n_categories
        result = np.empty((n_draws, n_systems, n_categories))
        for part in chunks(n_draws, n_systems * n_categories * _NEW_ANNOTATORS):
            thresholds, noise = self._new_annotators(part)
            sd = np.sqrt(shared[part, None] + noise)[:, :, None, None]
            location = self.location[part, None, :, None]
            below = ndtr((thresholds[:, :, None, :] - location) / sd)
            result[part] = _probabilities(below).mean(axis=1)
        return result

    def win_probability(self) -> FloatArray:
        """Dims (draw, system, system_b)."""
        if self.cell.observed:
            return self._observed(_wins)
        common = np.sqrt(self._variance_of_all())
        own = self._variance_of_system()
        places, weights = nodes(_NODES) if common.any() else POINT
        n_draws, n_systems = self.location.shape
        result = np.zeros((n_draws, n_systems, n_systems))
        per_draw = n_systems * self.declaration.response.n_categories * _NEW_ANNOTATORS
        for part in chunks(n_draws, per_draw):
            thresholds, noise = self._new_annotators(part)
            sd = np.sqrt(own[part, None] + noise)[:, :, None, None]
            location = self.location[part, None, :, None]
            for node, weight in zip(places, weights, strict=True):
                shift = (node * common[part])[:, None, None, None]
                below = ndtr((thresholds[:, :, None, :] - location - shift) / sd)
                result[part] += weight * _wins(_probabilities(below)).mean(axis=1)
        return result

    def _observed(self, quantity: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Average a quantity of category probabilities over annotators and items in the data."""
        both = _combinations(self.declaration)
        total = np.zeros(0)
        for annotator, item in both:
            found = quantity(self._observed_probability(annotator, item))
            total = np.add(total, found, out=total) if total.size else found
        return total / len(both)

    @cached_property
    def _effects(self) -> list[tuple[Effect, FloatArray]]:
        """Effects of annotators and items besides severity, which is in the thresholds."""
        found = map(self.declaration.effect, ("difficulty", "interaction", "taste"))
        return [(effect, stored(self.cell.draws, effect.name)) for effect in found if effect]

    @cached_property
    def _thresholds(self) -> FloatArray:
        """Dims (draw, annotator or 1, threshold)."""
        if self.declaration.effect("severity") is not None:
            return stored(self.cell.draws, "thresholds")
        return self._flat("population_thresholds")[:, None]

    def _observed_probability(self, annotator: int, item: int) -> FloatArray:
        location = self.location
        for effect, values in self._effects:
            at = values[..., item if "item" in effect.dims else annotator]
            location = location + effect.sign * at.reshape(location.shape[0], -1)
        thresholds = self._thresholds[:, annotator if self._thresholds.shape[1] > 1 else 0]
        sd = 1.0
        if self.declaration.response.discrimination:
            sd = 1.0 / self._discrimination[:, annotator, None, None]
        return _probabilities(ndtr((thresholds[:, None, :] - location[..., None]) / sd))

    @cached_property
    def _discrimination(self) -> FloatArray:
        return stored(self.cell.draws, "discrimination")


def _categories_in(cell: Cell) -> FloatArray:
    return _Part(cell).category_probability()


def _probabilities(below: FloatArray) -> FloatArray:
    """Category probabilities from P(y <= k), k = 1..K-1, along the last axis."""
    return np.diff(below, axis=-1, prepend=0.0, append=1.0)


def _wins(probability: FloatArray) -> FloatArray:
    """P(a above b) plus half of P(a equals b) from (…, system, category)."""
    lower_or_half = np.cumsum(probability, axis=-1) - 0.5 * probability
    return probability @ lower_or_half.swapaxes(-1, -2)
