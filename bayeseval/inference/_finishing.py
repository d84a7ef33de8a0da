"""From draws to a posterior: named, diagnosed, and no larger than can be kept."""

import logging
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from time import perf_counter
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import ConvergenceError, ConvergenceWarning, ModelError
from bayeseval.families._declaration import Declaration
from bayeseval.families._family import DirectFamily, Family
from bayeseval.inference._convergence import (
    Convergence,
    check_convergence,
    of_independent_draws,
)
from bayeseval.inference._course import SamplerSettings
from bayeseval.inference._judged import judged
from bayeseval.inference._laplace import LaplaceDraws, laplace_problems
from bayeseval.inference._posterior import Posterior
from bayeseval.inference._requests import refuse_taken_names
from bayeseval.inference._sampling import Draws
from bayeseval.inference._settings import Settings
from bayeseval.judgements import Judgements

type Store = Literal["all"] | Sequence[str] | None

_LOG = logging.getLogger("bayeseval")
_LARGEST_STORED = 512 * 2**20
_SHOWN = ("quality", "severity", "population_thresholds")
_BY_PAIR = ("interaction", "taste", "thresholds")
"""Effects by pair of labels, and what is the sum of others: kept, not diagnosed one by one."""
_PACKAGES = ("bayeseval", "pymc", "pytensor", "nutpie", "arviz", "numba", "numpy", "xarray")
_DIRECT_PACKAGES = ("bayeseval", "numpy", "xarray")


def sampled_posterior(
    family: Family,
    declaration: Declaration[Any],
    judgements: Judgements,
    drawn: Draws,
    settings: SamplerSettings,
    *,
    store: Store,
    declare_seconds: float,
) -> Posterior:
    """Name the draws of a sampler, diagnose them, and keep what fits."""
    started = perf_counter()
    complete = _numbered(family.posterior_dataset(declaration, drawn.values))
    n_chains, n_draws = complete.sizes["chain"], complete.sizes["draw"]
    names = [str(name) for name in complete.data_vars]
    shown = tuple(name for name in names if _is_shown(name))
    behind = tuple(name for name in names if name not in shown and name not in _BY_PAIR)
    convergence = check_convergence(
        complete,
        drawn.statistics,
        reported=shown,
        behind=behind,
        tune=drawn.course.tune,
        discarded=drawn.discarded,
    )
    reported = (*shown, *behind)
    posterior = _stored(complete, reported, store)
    return Posterior(
        data=_tree(judgements, posterior, {"/sample_stats": _numbered(drawn.statistics)}),
        family=family,
        declaration=declaration,
        fingerprint=judgements.fingerprint,
        settings=Settings(
            draws=n_draws,
            tune=drawn.course.tune,
            chains=n_chains,
            random_seed=settings.random_seed,
            sampler=drawn.sampler,
            target_accept=drawn.course.target_accept,
            max_treedepth=settings.max_treedepth,
            seconds={
                "declare": declare_seconds,
                **drawn.seconds,
                "diagnose": perf_counter() - started,
            },
            versions=_versions(_PACKAGES),
            interrupted=n_draws < settings.draws or n_chains < settings.chains,
            integrator=drawn.course.integrator,
            discarded=drawn.discarded,
        ),
        convergence=convergence,
    )


def tell(convergence: Convergence, *, strict: bool) -> None:
    """Warn of draws that must not be reported, or refuse them."""
    if not convergence.ok:
        if strict:
            raise ConvergenceError(str(convergence))
        warnings.warn(str(convergence), ConvergenceWarning, stacklevel=3)


def approximate_posterior(
    family: Family,
    declaration: Declaration[Any],
    judgements: Judgements,
    drawn: LaplaceDraws,
    settings: SamplerSettings,
    *,
    store: Store,
    declare_seconds: float,
) -> Posterior:
    """Make the posterior of draws from Laplace's approximation."""
    k = f"Pareto k {drawn.k:.2f}, reliable below {drawn.largest_k:.2g}"
    how = (
        f"Laplace's approximation, resampled by importance weights ({k})"
        if drawn.resampled
        else f"Laplace's approximation, checked by {drawn.n_weighted:,} importance weights ({k})"
    )
    return _of_independent(
        family,
        declaration,
        judgements,
        family.posterior_dataset(declaration, drawn.values),
        settings,
        store=store,
        program="method='laplace'",
        how=how,
        approximate=how,
        seconds={"declare": declare_seconds, **drawn.seconds},
        packages=_PACKAGES,
        share_effective=drawn.effective / drawn.n_weighted,
        problems=laplace_problems(drawn, settings.draws * settings.chains),
    )


def drawn_directly(
    family: DirectFamily, judgements: Judgements, settings: SamplerSettings, *, store: Store
) -> Posterior:
    """Let a family that needs no sampler make its draws."""
    started = perf_counter()
    declaration = family.declare(judgements)
    refuse_taken_names(declaration, judgements)
    declared = perf_counter()
    drawn = family.draw(
        declaration,
        judgements,
        draws=settings.draws,
        chains=settings.chains,
        rng=np.random.default_rng(settings.random_seed),
    )
    return _of_independent(
        family,
        declaration,
        judgements,
        drawn.posterior,
        settings,
        store=store,
        program=drawn.method,
        how=drawn.method,
        approximate=drawn.approximate,
        seconds={"declare": declared - started, "draw": perf_counter() - declared},
        packages=(*_DIRECT_PACKAGES, *drawn.packages),
        groups={f"/{name}": dataset for name, dataset in drawn.groups.items()},
    )


def _of_independent(
    family: Family | DirectFamily,
    declaration: Declaration[Any],
    judgements: Judgements,
    draws: xr.Dataset,
    settings: SamplerSettings,
    *,
    store: Store,
    program: str,
    how: str,
    approximate: str | None,
    seconds: Mapping[str, float],
    packages: Sequence[str],
    groups: Mapping[str, xr.Dataset] | None = None,
    **diagnosed: Any,
) -> Posterior:
    complete = _numbered(draws)
    shown = tuple(name for name in map(str, complete.data_vars) if _is_shown(name))
    return Posterior(
        data=_tree(judgements, _stored(complete, shown, store), groups or {}),
        family=family,
        declaration=declaration,
        fingerprint=judgements.fingerprint,
        settings=Settings(
            draws=complete.sizes["draw"],
            tune=0,
            chains=complete.sizes["chain"],
            random_seed=settings.random_seed,
            sampler=f"none: {program}; settings of a sampler, such as tune=, are not used",
            target_accept=None,
            max_treedepth=None,
            seconds=seconds,
            versions=_versions(packages),
        ),
        convergence=of_independent_draws(complete, reported=shown, how=how, **diagnosed),
        approximate=approximate,
    )


def _numbered(draws: xr.Dataset) -> xr.Dataset:
    """Return the draws with numbers of chains and draws as coordinates."""
    return draws.assign_coords({dim: np.arange(draws.sizes[dim]) for dim in ("chain", "draw")})


@cache
def _version(name: str) -> str:
    """Return the version of a package, which takes a millisecond to look up."""
    return version(name)


def _versions(names: Sequence[str]) -> dict[str, str]:
    return {name: _version(name) for name in names}


def _is_shown(name: str) -> bool:
    """Tell whether tables or figures show a variable."""
    return name in _SHOWN or name.startswith("quality_by_")


def _tree(
    judgements: Judgements, posterior: xr.Dataset, groups: Mapping[str, xr.Dataset]
) -> xr.DataTree:
    """Join the draws with how much was judged in every cell, and what else there is."""
    return xr.DataTree.from_dict({"/posterior": posterior, "/judged": judged(judgements), **groups})


def _stored(complete: xr.Dataset, reported: tuple[str, ...], store: Store) -> xr.Dataset:
    """Keep what is reported, what was asked for, and by default what fits."""
    if store == "all":
        return complete
    if store is not None:
        names = store if isinstance(store, Sequence) and not isinstance(store, str) else [store]
        if any(not isinstance(name, str) or name not in complete for name in names) or isinstance(
            store, str
        ):
            raise ModelError(
                f"store= is 'all' or names of variables ({some(complete.data_vars, most=12)}); "
                f"found {store!r}"
            )
        return complete[list(dict.fromkeys([*reported, *store]))]
    kept = complete
    for name in sorted(complete.data_vars, key=lambda name: -complete[name].nbytes):
        if kept.nbytes <= _LARGEST_STORED:
            break
        if name not in reported:
            kept = kept.drop_vars([name])
            _LOG.warning(
                "The draws of %s (%.1f GB) are not kept; predictions and population='observed' "
                "need them: fit with store='all'",
                name,
                complete[name].nbytes / 1e9,
            )
    return kept
