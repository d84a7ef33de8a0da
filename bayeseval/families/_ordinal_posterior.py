"""What the ordinal model says: parameters by name, readable estimands, predictions.

Arrays are NumPy with draws first; ``inference`` puts labels on them. Everything integrates over
new annotators and items, or averages over those observed; nothing is evaluated "at the average
annotator".
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.special import logsumexp, ndtr, ndtri

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration, Effect, FloatArray
from bayeseval.families._layout import (
    Geometry,
    axes_of,
    cut,
    effect_values,
    layout,
    moves_with_location,
    taken_apart,
)
from bayeseval.families._marginal import (
    POINT,
    Cell,
    averaged,
    averaged_over_levels,
    nodes,
    people_and_items,
    stored,
    thinned,
)
from bayeseval.families._ordinal_kernel import ordinal_log_probability
from bayeseval.families._ordinal_response import OrdinalResponse
from bayeseval.judgements import Judgements

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
    response = declaration.response
    sampled = cut(placed, draws)
    if response.category_prior is None:
        location, name = "threshold_centre", "threshold_steps"
        turned = {name: sampled[name] @ response.step_rotation}
        log_gaps = long_scale_log_gaps(sampled | turned)
    else:
        location = "population_thresholds"
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
    for effect in declaration.effects:
        if not moves_with_location(declaration, effect):
            continue
        # The sampler's location has the means of the effects taken out; put them back.
        mean = effect.sign * effect_values(effect, values).mean(axis=axes_of(effect))
        values[location] = values[location] + (
            mean[..., None] if location == "population_thresholds" else mean
        )
    return values


def population_thresholds(
    values: Mapping[str, FloatArray],
) -> FloatArray:
    """Return the population's thresholds, dims (…, criterion, threshold)."""
    if "population_thresholds" in values:
        return values["population_thresholds"]
    return centred_steps(long_scale_log_gaps(values), values["threshold_centre"])


def long_scale_log_gaps(values: Mapping[str, FloatArray]) -> FloatArray:
    """Return the population's log gaps on a long scale, dims (…, criterion, gap)."""
    steps = values["threshold_roughness"][..., None] * values["threshold_steps"]
    steps = steps / np.sqrt(steps.shape[-1])
    walk = np.concatenate([np.zeros_like(steps[..., :1]), np.cumsum(steps, axis=-1)], axis=-1)
    log_gaps = values["threshold_width"][..., None] + walk
    return log_gaps - np.asarray(logsumexp(walk, axis=-1, keepdims=True))


def centred_steps(log_gaps: FloatArray, mean: FloatArray) -> FloatArray:
    """Return thresholds with these log gaps (…, gap) and this mean (…)."""
    steps = np.zeros((*log_gaps.shape[:-1], log_gaps.shape[-1] + 1))
    np.cumsum(np.exp(log_gaps), axis=-1, out=steps[..., 1:])
    return steps - steps.mean(axis=-1, keepdims=True) + mean[..., None]


def annotator_thresholds(
    declaration: Declaration[OrdinalResponse],
    population: FloatArray,
    values: Mapping[str, FloatArray],
) -> FloatArray:
    """Return thresholds with each annotator's gaps, without severity.

    Dims (…, criterion, annotator, threshold); one annotator where gaps are common.
    """
    if not declaration.response.has_gaps:
        return population[..., None, :]
    deviation = values["gap_sd"][..., None, None] * (values["gap_z"] @ declaration.response.basis)
    log_gaps = np.log(np.diff(population, axis=-1))[..., None, :] + deviation
    mean = np.broadcast_to(population.mean(axis=-1)[..., None], log_gaps.shape[:-1])
    return centred_steps(log_gaps, mean)


def posterior_dataset(
    declaration: Declaration[OrdinalResponse], values: dict[str, FloatArray]
) -> xr.Dataset:
    """Return every parameter under its name in the posterior contract.

    Parameters
    ----------
    declaration
        The model.
    values
        Named values with dims (chain, draw, criterion, …).
    """
    data: dict[str, tuple[tuple[str, ...], FloatArray]] = {}

    def put(name: str, dims: tuple[str, ...], array: FloatArray) -> None:
        if declaration.has_criterion:
            data[name] = (("chain", "draw", "criterion", *dims), array)
        else:
            data[name] = (("chain", "draw", *dims), array[:, :, 0])

    effects = {}
    for effect in declaration.effects:
        effects[effect.name] = effect_values(effect, values)
        put(effect.name, effect.dims, effects[effect.name])
        put(f"{effect.name}_sd", (), values[f"{effect.name}_sd"])
        correlation = f"{effect.name}_correlation"
        if correlation in values:
            data[correlation] = (
                ("chain", "draw", "criterion", "criterion_b"),
                values[correlation],
            )
    for name, (dims, array) in averaged_over_levels(effects).items():
        put(name, dims, array)
    population = population_thresholds(values)
    put("population_thresholds", ("threshold",), population)
    if "severity" in effects:
        own = annotator_thresholds(declaration, population, values)
        put("thresholds", ("annotator", "threshold"), own + effects["severity"][..., None])
    if declaration.response.has_gaps:
        put("gap_sd", (), values["gap_sd"])
    if declaration.response.discrimination:
        put("discrimination_sd", (), values["discrimination_sd"])
        log_d = values["discrimination_sd"][..., None] * values["discrimination_z"]
        put("discrimination", ("annotator",), np.exp(log_d))
    if "threshold_roughness" in values:
        put("threshold_roughness", (), values["threshold_roughness"])
    return xr.Dataset(
        {name: xr.Variable(dims, array) for name, (dims, array) in data.items()},
        coords={name: list(labels) for name, labels in declaration.coords.items()}
        | (
            {"criterion_b": list(declaration.coords["criterion"])}
            if declaration.is_correlated
            else {}
        ),
    )


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

    def linear_predictor(self, judgements: Judgements, draws: xr.Dataset) -> FloatArray:
        """Return quality with all its effects for every row, dims (sample, row)."""
        codes = self._codes(judgements)
        eta = np.zeros((draws.sizes["sample"], judgements.n_rows))
        for effect in self.declaration.effects:
            if effect.name == "severity":
                continue
            dims = (["criterion"] if self.declaration.has_criterion else []) + list(effect.dims)
            values = self._stored(draws, effect.name).transpose("sample", *dims).values
            eta += effect.sign * values[(slice(None), *(codes[dim] for dim in dims))]
        return eta

    def row_thresholds(self, judgements: Judgements, draws: xr.Dataset) -> FloatArray:
        """Return the thresholds that each row was judged with, dims (sample, row, threshold)."""
        codes = self._codes(judgements)
        dims = ["criterion"] if self.declaration.has_criterion else []
        if self.declaration.effect("severity") is None:
            name = "population_thresholds"
        else:
            name, dims = "thresholds", [*dims, "annotator"]
        values = self._stored(draws, name).transpose("sample", *dims, "threshold").values
        if not dims:
            return np.broadcast_to(
                values[:, None, :], (values.shape[0], judgements.n_rows, values.shape[-1])
            )
        return values[(slice(None), *(codes[dim] for dim in dims))]

    def row_discrimination(self, judgements: Judgements, draws: xr.Dataset) -> FloatArray:
        """Return the discrimination that each row was judged with, dims (sample, row) or (1, 1)."""
        if not self.declaration.response.discrimination:
            return np.ones((1, 1))
        codes = self._codes(judgements)
        dims = (["criterion"] if self.declaration.has_criterion else []) + ["annotator"]
        values = self._stored(draws, "discrimination").transpose("sample", *dims).values
        return values[(slice(None), *(codes[dim] for dim in dims))]

    def predict(
        self, judgements: Judgements, draws: xr.Dataset, rng: np.random.Generator
    ) -> npt.NDArray[np.int16]:
        """Draw an answer for every row, dims (sample, row): categories counted from 0."""
        answers = np.empty((draws.sizes["sample"], judgements.n_rows), dtype=np.int16)
        per_draw = judgements.n_rows * self.declaration.response.n_categories
        for part in chunks(draws.sizes["sample"], per_draw):
            chunk = draws.isel(sample=part)
            latent = self.linear_predictor(judgements, chunk)
            noise = rng.standard_normal(latent.shape)
            latent += noise / self.row_discrimination(judgements, chunk)
            thresholds = self.row_thresholds(judgements, chunk)
            answers[part] = (latent[..., None] > thresholds).sum(axis=-1)
        return answers

    def log_likelihood(self, judgements: Judgements, draws: xr.Dataset) -> FloatArray:
        """Return the log probability of every row's answer, dims (sample, row)."""
        result = np.empty((draws.sizes["sample"], judgements.n_rows))
        answer = judgements.answers.astype(np.int64)
        rows = np.arange(judgements.n_rows)
        n_thresholds = self.declaration.response.n_thresholds
        per_draw = judgements.n_rows * self.declaration.response.n_categories
        for part in chunks(draws.sizes["sample"], per_draw):
            chunk = draws.isel(sample=part)
            eta = self.linear_predictor(judgements, chunk)
            noise = self.row_discrimination(judgements, chunk)
            thresholds = self.row_thresholds(judgements, chunk)
            above = thresholds[:, rows, np.minimum(answer, n_thresholds - 1)]
            below = thresholds[:, rows, np.maximum(answer - 1, 0)]
            upper = np.where(answer < n_thresholds, noise * (above - eta), np.inf)
            lower = np.where(answer > 0, noise * (below - eta), -np.inf)
            out = np.empty(eta.size)
            ordinal_log_probability(lower.ravel(), upper.ravel(), out)
            result[part] = out.reshape(eta.shape)
        return result

    def _stored(self, draws: xr.Dataset, name: str) -> xr.DataArray:
        if name not in draws:
            raise ModelError(
                f"the draws of {name!r} were not stored, and this needs them; fit again with "
                "store='all'"
            )
        return draws[name]

    def _codes(self, judgements: Judgements) -> dict[str, npt.NDArray[np.int64]]:
        """Positions of each row's labels among the labels of the fit."""
        codes: dict[str, npt.NDArray[np.int64]] = {}
        needed = {dim for effect in self.declaration.effects for dim in effect.dims}
        if self.declaration.response.n_annotators:
            needed.add("annotator")
        if self.declaration.has_criterion:
            needed.add("criterion")
        for name in needed:
            known = {label: position for position, label in enumerate(self._labels(name))}
            unknown = [label for label in judgements.labels(name) if label not in known]
            if unknown:
                raise ModelError(
                    f"these judgements have a {name} that the model was not fitted to: "
                    f"{some(unknown)}"
                )
            positions = np.array([known[label] for label in judgements.labels(name)])
            codes[name] = positions[judgements.codes(name)]
        return codes

    def _labels(self, name: str) -> tuple[str, ...]:
        return self.declaration.coords[name]


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


def _wins_in(cell: Cell) -> FloatArray:
    return _Part(cell).win_probability()


def _probabilities(below: FloatArray) -> FloatArray:
    """Category probabilities from P(y <= k), k = 1..K-1, along the last axis."""
    return np.diff(below, axis=-1, prepend=0.0, append=1.0)


def _wins(probability: FloatArray) -> FloatArray:
    """P(a above b) plus half of P(a equals b) from (…, system, category)."""
    lower_or_half = np.cumsum(probability, axis=-1) - 0.5 * probability
    return probability @ lower_or_half.swapaxes(-1, -2)
