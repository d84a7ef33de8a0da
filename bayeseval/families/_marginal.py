"""What readable quantities are averaged over: people, items and the levels of moderators.

Decided here for every family, so that ranks, contrasts and estimands speak of the same:

============  =====================  ===========================================
population    annotators, items      levels of moderators
============  =====================  ===========================================
None          new ones               those in the data, each counting the same
"observed"    those in the data      those in the data, each counting the same
"new"         new ones               new ones, of the population of levels
============  =====================  ===========================================

"New" ones are drawn from the populations that the model learns. Effects that sum to zero over the
annotators at hand leave their mean in another parameter; the population's mean lies off it by
normal(0, sd / √A), of which the data say nothing. Every draw takes one such value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import lcm
from typing import Any, Literal
from zlib import crc32

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration, Effect, FloatArray

type Population = Literal["new", "observed"] | None
type Nodes = tuple[FloatArray, FloatArray]
type Own = Mapping[str, tuple[FloatArray, FloatArray]]
"""Effects of one annotator by name: mean and standard deviation, each dims (draw,)."""

_FEWEST_DRAWS = 400
"""Draws of all chains that thinning leaves: standard errors of a probability of at most .025."""

POINT: Nodes = (np.zeros(1), np.ones(1))
"""In place of nodes where nothing varies."""


def checked_population(population: object) -> Population:
    """Return a population, or say what there is."""
    for known in (None, "new", "observed"):
        if population == known:
            return known
    raise ModelError(
        "population= is 'new' or 'observed', or is left out for new annotators and items at the "
        f"levels in the data; found {population!r}"
    )


def moderators_of(declaration: Declaration[Any]) -> tuple[str, ...]:
    """Return the moderators that a model has effects of."""
    parts = (effect.name.partition("_") for effect in declaration.effects)
    return tuple(dict.fromkeys(name for kind, _, name in parts if kind in ("effect", "deviation")))


def nodes(n: int) -> Nodes:
    """Return nodes and weights that average over a standard normal (Gauss-Hermite)."""
    at, weights = np.polynomial.hermite_e.hermegauss(n)
    return at, weights / weights.sum()


def flat(draws: xr.Dataset, name: str) -> FloatArray:
    """Return a variable with chains and draws as one first dimension."""
    values = draws[name].transpose("chain", "draw", ...).values
    return np.ascontiguousarray(values.reshape(-1, *values.shape[2:]))


def stored(draws: xr.Dataset, name: str) -> FloatArray:
    """Return the draws of an effect, or say that they were not stored."""
    if name not in draws:
        raise ModelError(
            f"the draws of {name!r} were not stored, and population='observed' needs them; fit "
            "again with store='all'"
        )
    return flat(draws, name)


def averaged_over_levels(
    effects: Mapping[str, FloatArray],
) -> dict[str, tuple[tuple[str, ...], FloatArray]]:
    """Return the quality as it is reported, with what belongs to it, by name with dims.

    In the model, quality is the mean over a population of levels, of which the data have a few.
    What is reported is the mean over those few: their mean deviation is in ``quality``, and kept
    beside it as ``deviation_<m>_mean``. Their sum, which the answers depend on, stays.

    Parameters
    ----------
    effects
        Effects of the model by name, dims (…, level, system) for deviations.
    """
    found: dict[str, tuple[tuple[str, ...], FloatArray]] = {}
    deviations = {name: v for name, v in effects.items() if name.startswith("deviation_")}
    if not deviations:
        return found
    quality = effects["quality"]
    for name, deviation in deviations.items():
        mean = deviation.mean(axis=-2)
        quality = quality + mean
        found[f"{name}_mean"] = (("system",), mean)
        moderator = name.removeprefix("deviation_")
        found[name] = ((moderator, "system"), deviation - mean[..., None, :])
    found["quality"] = (("system",), quality)
    for name in deviations:
        moderator = name.removeprefix("deviation_")
        by_level = quality[..., None, :] + found[name][1]
        found[f"quality_by_{moderator}"] = (("system", moderator), by_level.swapaxes(-1, -2))
    return found


@dataclass(frozen=True)
class Cell:
    """One criterion at given levels of the moderators; the others' levels are new.

    Parameters
    ----------
    declaration
        The model.
    draws
        Draws of the criterion.
    levels
        Level by moderator.
    observed
        Whether annotators and items are those in the data.
    """

    declaration: Declaration[Any]
    draws: xr.Dataset
    levels: Mapping[str, str]
    observed: bool

    @property
    def n_draws(self) -> int:
        """Number of draws of all chains."""
        return self.draws.sizes["chain"] * self.draws.sizes["draw"]

    def flat(self, name: str) -> FloatArray:
        """Return a variable, dims (draw, …)."""
        return flat(self.draws, name)

    def optional(self, name: str) -> FloatArray:
        """Return a variable, dims (draw, …), or zeros where the model has none."""
        return self.flat(name) if name in self.draws else np.zeros(self.n_draws)

    def variance(self, *names: str) -> FloatArray:
        """Return the variance of what some effects add together, dims (draw,)."""
        return sum((self.optional(f"{n}_sd") ** 2 for n in names), np.zeros(self.n_draws))

    def new_levels(self, kind: str) -> tuple[str, ...]:
        """Return the names of the effects ("effect" or "deviation") of levels that are new."""
        names = (f"{kind}_{m}" for m in moderators_of(self.declaration) if m not in self.levels)
        return tuple(name for name in names if self.declaration.effect(name) is not None)

    @property
    def location(self) -> FloatArray:
        """Quality with what the levels add, dims (draw, system)."""
        value = self.flat("quality")
        for moderator, level in self.levels.items():
            for name in (f"effect_{moderator}", f"deviation_{moderator}"):
                if name in self.draws:
                    at_level = flat(self.draws.sel({moderator: level}), name)
                    value = value + at_level.reshape(self.n_draws, -1)
        for name in self.new_levels("deviation"):
            value = value - self.flat(f"{name}_mean")
        return value

    def population_mean(self, effect: Effect) -> FloatArray:
        """Return what the mean of new annotators lies off that of those at hand, dims (draw,)."""
        if not effect.zero_sum or effect.dims != ("annotator",):
            return np.zeros(self.n_draws)
        criterion = self.draws.coords.get("criterion")
        name = effect.name if criterion is None else f"{effect.name}, {criterion.item()}"
        noise = np.random.default_rng(crc32(name.encode())).standard_normal(self.n_draws)
        return self.flat(f"{effect.name}_sd") * noise / np.sqrt(effect.size)


def averaged(
    declaration: Declaration[Any],
    posterior: xr.Dataset,
    compute: Callable[[Cell], FloatArray],
    dims: tuple[str, ...],
    *,
    population: str | None,
    by: str | None,
) -> xr.DataArray:
    """Average a quantity over the levels that are not asked for, by criterion.

    Parameters
    ----------
    declaration
        The model.
    posterior
        Draws by the names of the posterior contract.
    compute
        From a cell to the quantity, dims (draw, ...).
    dims
        Names of the dimensions that it returns besides draws.
    population
        See the module.
    by
        A moderator that the quantity is wanted by; its levels are the last dimension.
    """
    kind = checked_population(population)
    grid = levels_to_average(declaration, kind, by)
    wanted = [{}] if by is None else [{by: level} for level in declaration.coords[by]]
    criteria = declaration.coords["criterion"] if declaration.has_criterion else (None,)
    by_criterion = []
    for criterion in criteria:
        draws = posterior if criterion is None else posterior.sel(criterion=criterion)
        by_level = []
        for level in wanted:
            cells = (Cell(declaration, draws, level | rest, kind == "observed") for rest in grid)
            by_level.append(sum(compute(cell) for cell in cells) / len(grid))
        by_criterion.append(np.stack(by_level, axis=-1))
    array = np.stack(by_criterion, axis=1)
    array = array.reshape(posterior.sizes["chain"], posterior.sizes["draw"], *array.shape[1:])
    names = ["chain", "draw", "criterion", *dims, by or "level"]
    if by is None:
        array, names = array[..., 0], names[:-1]
    if not declaration.has_criterion:
        array = array[:, :, 0]
        names.remove("criterion")
    known = dict(declaration.coords) | {"system_b": declaration.coords["system"]}
    coords = {name: list(known[name]) for name in names if name in known}
    coords |= {name: posterior[name].values for name in ("chain", "draw")}
    return xr.DataArray(array, dims=names, coords=coords)


def levels_to_average(
    declaration: Declaration[Any], population: Population, by: str | None
) -> list[dict[str, str]]:
    """Return the combinations of levels that an answer is the plain mean of."""
    moderators = moderators_of(declaration)
    if by is not None and by not in moderators:
        has = f"has {some(moderators)}" if moderators else "has none"
        raise ModelError(f"by= names a moderator of the model, which {has}; found {by!r}")
    others = [name for name in moderators if name != by and population != "new"]
    return [
        dict(zip(others, levels, strict=True))
        for levels in product(*(declaration.coords[name] for name in others))
    ]


def thinned(
    declaration: Declaration[Any],
    posterior: xr.Dataset,
    *,
    population: str | None,
    by: str | None,
    work: int,
    most: int,
) -> xr.Dataset:
    """Take fewer draws, evenly, where all would take too long or too much memory.

    Parameters
    ----------
    declaration, posterior, population, by
        As for :func:`averaged`.
    work
        Evaluations, or values, of one draw in one cell.
    most
        Wanted of all draws and cells; at least 400 draws are kept all the same.
    """
    grid = levels_to_average(declaration, checked_population(population), by)
    wanted = 1 if by is None else len(declaration.coords[by])
    n_chains, n_draws = posterior.sizes["chain"], posterior.sizes["draw"]
    per_draw = n_chains * declaration.n_criteria * wanted * len(grid) * work
    kept = max(most // per_draw, -(-_FEWEST_DRAWS // n_chains))
    if n_draws <= kept:
        return posterior
    return posterior.isel(draw=np.linspace(0, n_draws - 1, kept).round().astype(int))


def people_and_items(declaration: Declaration[Any], most: int) -> list[tuple[int, int]]:
    """Return all pairs of an annotator and an item of the data that answers depend on.

    Parameters
    ----------
    declaration
        The model.
    most
        With more pairs than these, a part in which annotators and items come equally often: what
        each of them adds by itself is averaged over all of them.
    """
    used = {dim for effect in declaration.effects for dim in effect.dims}
    used |= set(getattr(declaration.response, "varies_by", ()))
    n_annotators, n_items = (
        len(declaration.coords[dim]) if dim in used else 1 for dim in ("annotator", "item")
    )
    if n_annotators * n_items <= most:
        return list(product(range(n_annotators), range(n_items)))
    whole = lcm(n_annotators, n_items)
    unit = whole if whole <= most else max(n_annotators, n_items)
    n = max(1, most // unit) * unit
    # After all remainders came once, items move on by one, so that no pair comes twice.
    return [(k % n_annotators, (k + k // whole) % n_items) for k in range(n)]


@dataclass(frozen=True)
class SystemPairs:
    """Every pair of two systems once, and last one of a system with itself.

    Parameters
    ----------
    n_systems
        Number of systems.
    """

    n_systems: int

    @property
    def codes(self) -> npt.NDArray[np.intp]:
        """Positions of both systems, dims (2, pair)."""
        found = [*combinations(range(self.n_systems), 2), (0, 0)]
        return np.array(found, dtype=np.intp).T

    def difference(self, values: FloatArray) -> FloatArray:
        """Return differences of values by system, dims (draw, pair)."""
        first, second = self.codes
        return values[:, first] - values[:, second]

    def square(self, found: FloatArray, mirrored: FloatArray) -> FloatArray:
        """Spread values by pair, and by pair turned round, to dims (draw, system, system, …)."""
        first, second = self.codes
        result = np.empty((found.shape[0], self.n_systems, self.n_systems, *found.shape[2:]))
        result[:, first, second] = found
        result[:, second, first] = mirrored
        same = np.arange(self.n_systems)
        result[:, same, same] = found[:, -1:]
        return result


def over_people_and_items(
    cell: Cell,
    answer: Callable[[FloatArray, FloatArray, Own], FloatArray],
    *,
    own: Sequence[str] = (),
    most: int,
    further: tuple[FloatArray, FloatArray] | None = None,
) -> FloatArray:
    """Average what is said of pairs of systems over annotators and items.

    Parameters
    ----------
    cell
        The cell.
    answer
        From the difference of both systems and the standard deviation of what adds to it, each dims
        (draw, pair), and annotators' own effects to the mean of what one annotator says, dims
        (draw, pair, …); pairs as in :class:`SystemPairs`.
    own
        Names of effects of annotators that are no part of the difference.
    most
        See :func:`people_and_items`.
    further
        What pairs add to the difference, and the variance of what is not known of it.
    """
    zero = np.zeros(cell.n_draws)
    location = cell.location
    pairs = SystemPairs(location.shape[1])
    difference = pairs.difference(location)
    unknown = np.zeros_like(difference)
    if further is not None:
        difference, unknown = difference + further[0], unknown + further[1]
    effects = [e for e in map(cell.declaration.effect, own) if e is not None]
    nothing = dict.fromkeys(own, (zero, zero))
    if not cell.observed:
        by_system = ("taste", "interaction", *cell.new_levels("deviation"))
        unknown += 2.0 * cell.variance(*by_system)[:, None]
        # A system with itself: both are one output, and nothing adds to their difference.
        unknown[:, -1] = 0.0
        new = {e.name: (cell.population_mean(e), cell.flat(f"{e.name}_sd")) for e in effects}
        return answer(difference, np.sqrt(unknown), nothing | new)
    spread = np.sqrt(unknown)
    by_name = {effect.name: stored(cell.draws, effect.name) for effect in effects}
    by_person, by_item = (
        stored(cell.draws, name) if cell.declaration.effect(name) is not None else None
        for name in ("taste", "interaction")
    )
    both = people_and_items(cell.declaration, most)
    total = np.zeros(0)
    for annotator, item in both:
        here = difference
        for values, at in ((by_person, annotator), (by_item, item)):
            if values is not None:
                here = here + pairs.difference(values[..., at])
        theirs = {name: (values[:, annotator], zero) for name, values in by_name.items()}
        found = answer(here, spread, nothing | theirs)
        total = np.add(total, found, out=total) if total.size else found
    return total / len(both)
