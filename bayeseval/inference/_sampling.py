"""Drawing from a declared model: the compiled density through nutpie, or PyMC's samplers."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval._checks import counted
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration, FloatArray, PredictorCells
from bayeseval.families._family import Family
from bayeseval.families._layout import Geometry, bent, layout
from bayeseval.inference._course import Course, SamplerSettings, closer, course_for
from bayeseval.inference._geometry import measured_geometry
from bayeseval.inference._nutpie import (
    compiled_model,
    has_trajectories,
    sampler_name,
    with_arrays,
)
from bayeseval.inference._progress import expected_seconds, progress_lines, tell_of_time

if TYPE_CHECKING:
    import pymc as pm

_LOG = logging.getLogger("bayeseval")

type NutsSampler = Literal["nutpie", "pymc", "numpyro", "blackjax"]

_PILOT_TUNE = 250
_PILOT_DRAWS = 150
_PILOT_POINTS = 25
_PILOT_ACCEPT = 0.8
_START_POINTS = 4
_STATISTICS = {
    "diverging": "diverging",
    "energy": "energy",
    "logp": "lp",
    "lp": "lp",
    "depth": "tree_depth",
    "tree_depth": "tree_depth",
    "n_steps": "n_steps",
    "step_size": "step_size",
    "maxdepth_reached": "reached_max_treedepth",
    "reached_max_treedepth": "reached_max_treedepth",
}


@dataclass(frozen=True)
class Draws:
    """What a sampler returns.

    Parameters
    ----------
    values
        Named values as the PyMC model names them, dims (chain, draw, criterion, …).
    statistics
        One value a draw: diverging, energy, tree depth, steps.
    seconds
        Time by stage.
    course
        How the chains were run.
    sampler
        The program that drew.
    discarded
        Divergent transitions of each run before, whose draws are not used.
    """

    values: dict[str, FloatArray]
    statistics: xr.Dataset
    seconds: dict[str, float]
    course: Course
    sampler: str
    discarded: tuple[int, ...] = ()


def tuned_geometry(
    family: Family, declaration: Declaration[Any], cells: PredictorCells, settings: SamplerSettings
) -> tuple[Geometry, float, float]:
    """Return what a short pilot chain finds: geometry, nearness to a normal, seconds of a draw.

    Nearness is its step times the fourth root of the number of dimensions. The pilot itself has the
    geometry at some starting points. Any choice gives the same posterior.
    """
    density = family.density(declaration, cells)
    starts = [
        family.start(declaration, cells, np.random.default_rng([settings.random_seed, k]))
        for k in range(_START_POINTS)
    ]
    first = measured_geometry(family, declaration, density, starts)
    density = family.density(declaration, cells, first)
    began = perf_counter()
    tree, _ = _sample_with_nutpie(
        _model(family, declaration, cells, density),
        replace(
            settings,
            draws=_PILOT_DRAWS,
            chains=1,
            cores=1,
            max_treedepth=min(7, settings.max_treedepth),
            progressbar=False,
        ),
        Course(_PILOT_ACCEPT, _PILOT_TUNE, "leapfrog"),
    )
    seconds = (perf_counter() - began) / (_PILOT_TUNE + _PILOT_DRAWS)
    x = tree["posterior"]["x"].transpose("chain", "draw", ...).values
    if not np.isfinite(x).all():
        raise KeyboardInterrupt("interrupted before any chain had made a draw")
    points = list(x[0, :: max(1, _PILOT_DRAWS // _PILOT_POINTS)])
    step = float(tree["sample_stats"].to_dataset()["step_size_bar"].values[0, -1])
    geometry = measured_geometry(family, declaration, density, points, first)
    return geometry, step * x.shape[-1] ** 0.25, seconds


def _model(
    family: Family, declaration: Declaration[Any], cells: PredictorCells, density: Any
) -> Any:
    """Hand a density and its starting points to nutpie."""

    def start(seed: int) -> FloatArray:
        rng = np.random.default_rng(seed)
        return _start(family, declaration, cells, density.geometry, rng)

    return compiled_model(density, start)


def _start(
    family: Family,
    declaration: Declaration[Any],
    cells: PredictorCells,
    geometry: Geometry | None,
    rng: np.random.Generator,
) -> FloatArray:
    x = family.start(declaration, cells, rng)
    if geometry is None:
        return x
    return bent(
        declaration, layout(declaration, declaration.response.parameter_shapes), x, geometry
    )


def sample_density(
    family: Family,
    declaration: Declaration[Any],
    cells: PredictorCells,
    settings: SamplerSettings,
) -> Draws:
    """Sample the family's compiled density with nutpie.

    The density releases the interpreter's lock while it runs, so that chains run side by side.
    """
    started = perf_counter()
    import nutpie  # noqa: F401  # its time counts apart from that of sampling

    imported = perf_counter()
    # The first call compiles, or loads what an earlier process compiled.
    start = family.start(declaration, cells, np.random.default_rng(0))
    family.density(declaration, cells)(start)
    compiled = perf_counter()
    geometry, scaled_step, pilot_seconds = tuned_geometry(family, declaration, cells, settings)
    course = course_for(settings, declaration, scaled_step, len(start))
    tell_of_time(expected_seconds(pilot_seconds, settings, course), settings, course)
    tuned = perf_counter()
    model = _model(family, declaration, cells, family.density(declaration, cells, geometry))
    tree, course, discarded = _sample_until_none_diverges(model, settings, course)
    sampled = perf_counter()
    x = tree["posterior"]["x"].transpose("chain", "draw", ...).values
    chains, n_whole = whole_draws(x)
    statistics = _statistics(tree["sample_stats"].to_dataset())
    return Draws(
        values=family.constrained(declaration, x[chains, :n_whole], geometry),
        statistics=statistics.isel(chain=chains, draw=slice(n_whole)),
        seconds={
            "import sampler": imported - started,
            "compile": compiled - imported,
            "pilot": tuned - compiled,
            "sample": sampled - tuned,
        },
        course=course,
        sampler=sampler_name(),
        discarded=discarded,
    )


def whole_draws(x: FloatArray) -> tuple[npt.NDArray[np.intp], int]:
    """Return the chains that made draws, and how many all of these made.

    After an interrupt shorter chains end in NaN; one that had not begun, because there are fewer
    processors than chains, is nothing else.
    """
    made = np.isfinite(x).all(axis=2).cumprod(axis=1).sum(axis=1)
    chains = np.flatnonzero(made)
    if not chains.size:
        raise KeyboardInterrupt("interrupted before any chain had made a draw")
    return chains, int(made[chains].min())


def _statistics(found: xr.Dataset) -> xr.Dataset:
    kept = {}
    for theirs, ours in _STATISTICS.items():
        if theirs in found and ours not in kept and found[theirs].dims == ("chain", "draw"):
            kept[ours] = found[theirs].drop_vars(
                [name for name in found[theirs].coords if name not in ("chain", "draw")]
            )
    return xr.Dataset(kept)


_COMPILED: dict[object, Any] = {}
_COMPILED_LOCK = threading.Lock()
_MOST_COMPILED = 8


def compiled_once(key: object, compile_model: Callable[[], Any]) -> Any:
    """Return the compiled model of a declaration, compiling it the first time only."""
    with _COMPILED_LOCK:
        if key not in _COMPILED:
            while len(_COMPILED) >= _MOST_COMPILED:
                del _COMPILED[next(iter(_COMPILED))]
            _COMPILED[key] = compile_model()
        return _COMPILED[key]


def sample_pymc(
    declaration: Declaration[Any],
    cells: PredictorCells,
    sampler: NutsSampler,
    settings: SamplerSettings,
) -> Draws:
    """Sample the PyMC model of the declaration.

    With nutpie, a model of the same declaration is compiled once in a process and then given the
    new judgements; the other samplers compile on every call, as PyMC does.
    """
    started = perf_counter()
    course = course_for(settings, declaration)
    from bayeseval.families._builder import build_model

    model = build_model(declaration, cells)
    built = perf_counter()
    names = [variable.name for variable in model.free_RVs + model.deterministics]
    if sampler == "nutpie":
        import nutpie

        compiled = compiled_once(_shape_key(declaration), lambda: nutpie.compile_pymc_model(model))
        compiled = with_arrays(compiled, cells.arrays)
        ready = perf_counter()
        tree, course = _sample_with_nutpie(compiled, settings, course)
    else:
        ready = built
        tree = _sample_with_pymc(model, sampler, settings, course)
    sampled = perf_counter()
    posterior = tree["posterior"].to_dataset()
    values = {}
    for name in names:
        if name not in posterior:
            raise ModelError(f"the sampler {sampler!r} returned no draws of {name!r}")
        array = posterior[name].transpose("chain", "draw", ...).values
        values[name] = array if declaration.has_criterion else array[:, :, None]
    return Draws(
        values=values,
        statistics=_statistics(tree["sample_stats"].to_dataset()),
        seconds={
            "build": built - started,
            "compile": ready - built,
            "sample": sampled - ready,
        },
        course=course,
        sampler=sampler,
    )


def _sample_until_none_diverges(
    model: Any, settings: SamplerSettings, course: Course
) -> tuple[xr.DataTree, Course, tuple[int, ...]]:
    """Return draws; where trajectories diverged, all draws of another run with shorter steps.

    Only where the acceptance rate was left to the sampler, and nobody has interrupted it. Last come
    the divergent transitions of the runs that were not used.
    """
    discarded: list[int] = []
    while True:
        tree, course = _sample_with_nutpie(model, settings, course)
        divergences = int(tree["sample_stats"].to_dataset()["diverging"].values.sum())
        shorter = closer(course) if settings.target_accept is None and divergences else None
        if shorter is None or not np.isfinite(tree["posterior"].to_dataset()["x"].values).all():
            return tree, course, tuple(discarded)
        discarded.append(divergences)
        _LOG.info(
            "%s: sampling again with shorter steps (target_accept=%g)",
            counted(divergences, "divergent transition"),
            shorter.target_accept,
        )
        course = shorter


def _sample_with_nutpie(
    model: Any, settings: SamplerSettings, course: Course
) -> tuple[xr.DataTree, Course]:
    """Return nutpie's draws, and the course that they took."""
    import nutpie

    undocumented: dict[str, Any] = {}
    if not has_trajectories():
        course = replace(course, integrator="leapfrog", extra_doublings=0)
    if course.integrator == "exact for a normal":
        undocumented["exact_normal_trajectory"] = True
    if course.extra_doublings:
        undocumented["extra_doublings"] = course.extra_doublings
    tree = nutpie.sample(
        model,
        draws=settings.draws,
        tune=course.tune,
        chains=settings.chains,
        cores=settings.cores,
        seed=settings.random_seed,
        target_accept=course.target_accept,
        maxdepth=settings.max_treedepth,
        progress_bar=settings.progressbar,
        save_warmup=False,
        **progress_lines(settings),
        **undocumented,
    )
    return tree, course


def _sample_with_pymc(
    model: "pm.Model", sampler: NutsSampler, settings: SamplerSettings, course: Course
) -> xr.DataTree:
    import pymc as pm

    nuts: dict[str, float] = {"target_accept": course.target_accept}
    if sampler == "pymc":
        nuts["max_treedepth"] = settings.max_treedepth
    return pm.sample(
        draws=settings.draws,
        tune=course.tune,
        chains=settings.chains,
        cores=settings.cores,
        random_seed=settings.random_seed,
        nuts_sampler=sampler,
        progressbar=settings.progressbar,
        nuts=nuts,
        compute_convergence_checks=False,
        model=model,
    )


def _shape_key(declaration: Declaration[Any]) -> object:
    """Return what two declarations share when they can share a compiled model: all but labels."""
    return (
        declaration.family,
        declaration.n_criteria,
        declaration.has_criterion,
        declaration.effects,
        declaration.response,
        declaration.correlation_shape,
        declaration.terms,
    )
