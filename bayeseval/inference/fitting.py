"""fit(): from judgements and a family to a posterior."""

import logging
import os
import warnings
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from time import perf_counter
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayeseval._checks import counted, is_number, some
from bayeseval.errors import ConvergenceError, ConvergenceWarning, ModelError
from bayeseval.families import default_family
from bayeseval.families._declaration import Cells, Declaration
from bayeseval.families._family import DirectFamily, Family
from bayeseval.inference._convergence import (
    Convergence,
    check_convergence,
    of_independent_draws,
)
from bayeseval.inference._course import SamplerSettings
from bayeseval.inference._judged import judged
from bayeseval.inference._laplace import (
    LARGEST_K_AUTO,
    LaplaceDraws,
    NoMode,
    laplace,
    laplace_problems,
    refusal,
)
from bayeseval.inference._posterior import Posterior, Settings
from bayeseval.inference._sampling import (
    Draws,
    NutsSampler,
    sample_density,
    sample_pymc,
)
from bayeseval.judgements import Judgements

type Backend = Literal["auto", "compiled", "pymc", "numpyro"]
type Method = Literal["nuts", "laplace", "auto"]

_LOG = logging.getLogger("bayeseval")
_SAMPLERS = ("nutpie", "pymc", "numpyro", "blackjax")
_METHODS = ("nuts", "laplace", "auto")
_BACKENDS = ("auto", "compiled", "pymc", "numpyro")
_LARGEST_STORED = 512 * 2**20
_DRAWS_WORTH_A_WORD = 2_000_000_000
_SHOWN = ("quality", "severity", "population_thresholds")
_BY_PAIR = ("interaction", "taste", "thresholds")
"""Effects by pair of labels, and what is the sum of others: kept, not diagnosed one by one."""
_NAMES = (
    # Dimensions.
    *("annotator", "item", "criterion", "criterion_b", "system_b", "system_pair", "circle"),
    *("level", "direction", "category", "threshold"),
    # Variables that are neither an effect nor a parameter.
    *("quality", "thresholds", "population_thresholds", "discrimination", "discrimination_sd"),
    *("tie_propensity", "kappa", "departure", "stated", "preferred"),
)
"""What a posterior may hold besides effects and parameters, so that no moderator may be called so;
``tests/inference/test_fitting.py`` finds the names that are lacking here."""
_PACKAGES = ("bayeseval", "pymc", "pytensor", "nutpie", "arviz", "numba", "numpy", "xarray")
_DIRECT_PACKAGES = ("bayeseval", "numpy", "xarray")


def fit(
    judgements: Judgements,
    family: Family | DirectFamily | None = None,
    *,
    method: Method = "nuts",
    draws: int = 1000,
    tune: int | None = None,
    chains: int = 4,
    cores: int | None = None,
    random_seed: int | None = None,
    target_accept: float | None = None,
    max_treedepth: int = 10,
    progressbar: bool = True,
    nuts_sampler: NutsSampler = "nutpie",
    backend: Backend = "auto",
    store: Literal["all"] | Sequence[str] | None = None,
    strict: bool = False,
) -> Posterior:
    """Fit a family to judgements and return its posterior.

    Parameters
    ----------
    judgements : Judgements
        The table.
    family : Family, optional
        The family; by default that of the protocol with its default settings. One that draws by
        itself, such as ``TrueSkill``, ignores what concerns a sampler (``tune``, ``cores``,
        ``target_accept``, ``max_treedepth``, ``nuts_sampler``, ``backend``).
    method : {"nuts", "laplace", "auto"}
        "nuts" samples. "laplace" puts a normal at the highest point of the density and corrects
        its draws by importance weights: seconds for a million comparisons of hundreds of systems,
        and marked as approximate everywhere. Pareto's k of the weights says whether it can be
        trusted; above 0.7 the posterior is marked like one that did not converge. "auto" takes it
        where k is below 0.5, and otherwise samples; a line says which.
    draws : int
        Draws kept of each chain.
    tune : int, optional
        Tuning steps of each chain. By default 1000, or 500 where a short pilot chain finds the
        posterior nearly normal.
    chains : int
        Number of chains.
    cores : int, optional
        Chains that run at a time; by default as many as the machine has cores.
    random_seed : int, optional
        The same seed gives the same draws. Without it a fresh one is drawn and kept in
        ``posterior.settings``.
    target_accept : float, optional
        Wanted acceptance rate; nearer to 1 is slower and follows difficult shapes better. By
        default 0.9; where annotators have gaps between thresholds of their own, 0.95, 0.97 or 0.985
        as these bend the posterior; and 0.95 where it is nearly normal, but not quite. Left open,
        chains of which any diverged are run again with shorter steps, 0.985 and at last 0.995.
    max_treedepth : int
        Largest depth of a trajectory: at most 2 to this power gradients a draw.
    progressbar : bool
        Whether to show progress: a bar in a terminal or a notebook, elsewhere a line every half
        minute on the log ``bayeseval``.
    nuts_sampler : {"nutpie", "pymc", "numpyro", "blackjax"}
        Program that samples; the last two need JAX.
    backend : {"auto", "compiled", "pymc", "numpyro"}
        "compiled" evaluates the family's ready-made density, which starts at once; "pymc" builds
        the PyMC model, which defines it; "numpyro" hands the PyMC model to NumPyro on JAX, which
        has to be installed, and can run on a GPU. "auto" takes the first where it can.
    store : "all" or sequence of str, optional
        Which variables to keep besides those that are reported. By default everything up to
        512 MB; beyond that the largest effects are left out, and it is said.
    strict : bool
        Raise an error instead of returning a marked posterior where sampling did not converge.

    Returns
    -------
    Posterior
        With a convergence report; marked in every output where that failed.

    Raises
    ------
    DesignError
        Where the judgements cannot identify what is asked.
    ModelError
        Where family, judgements and settings do not fit together.
    ConvergenceError
        Where sampling did not converge and ``strict`` is set.

    Warns
    -----
    ConvergenceWarning
        Where sampling did not converge.
    """
    if not isinstance(judgements, Judgements):
        raise ModelError(
            f"fit() takes judgements, such as LikertJudgements; found {type(judgements).__name__}. "
            "Make them with LikertJudgements.from_frame or .read"
        )
    settings = _checked(
        draws=draws,
        tune=tune,
        chains=chains,
        cores=cores,
        random_seed=random_seed,
        target_accept=target_accept,
        max_treedepth=max_treedepth,
        progressbar=progressbar,
    )
    if nuts_sampler not in _SAMPLERS:
        raise ModelError(f"nuts_sampler= is one of {some(_SAMPLERS)}; found {nuts_sampler!r}")
    if backend not in _BACKENDS:
        raise ModelError(f"backend= is one of {some(_BACKENDS)}; found {backend!r}")
    if method not in _METHODS:
        raise ModelError(f"method= is one of {some(_METHODS)}; found {method!r}")
    if backend == "numpyro":
        if nuts_sampler not in ("nutpie", "numpyro"):
            raise ModelError(f"backend='numpyro' and nuts_sampler={nuts_sampler!r} cannot both be")
        nuts_sampler = "numpyro"
    if nuts_sampler in ("numpyro", "blackjax"):
        _refuse_without_jax(nuts_sampler)
    started = perf_counter()
    family = default_family(judgements.protocol) if family is None else family
    _refuse_no_family(family)
    if isinstance(family, DirectFamily):
        if method == "laplace":
            raise ModelError(
                f"{family.name} makes its draws by itself: method='laplace' has nothing to "
                "approximate. Leave method= out"
            )
        return _drawn_directly(family, judgements, settings, store=store)
    declaration = family.declare(judgements)
    _refuse_taken_names(declaration, judgements)
    cells = family.cells(declaration, judgements)
    if method != "nuts":
        approximated = _approximated(family, declaration, cells, settings, method)
        if approximated is not None:
            result = _approximate_posterior(
                family,
                declaration,
                judgements,
                approximated,
                settings,
                store=store,
                declare_seconds=perf_counter() - started - sum(approximated.seconds.values()),
            )
            _tell(result.convergence, strict=strict)
            return result
    density = None
    if backend != "pymc" and nuts_sampler == "nutpie":
        density = family.density(declaration, cells)
    if backend == "compiled" and density is None:
        raise ModelError(
            "backend='compiled' has no density for this model"
            + (
                " with correlated criteria"
                if declaration.is_correlated
                else f" under nuts_sampler={nuts_sampler!r}"
            )
            + "; take backend='auto' or 'pymc'"
        )
    _LOG.info(_plan(family, declaration, cells, judgements, compiled=density is not None))
    _tell_of_memory(declaration, settings)
    declared = perf_counter()
    if density is not None:
        drawn = sample_density(family, declaration, cells, settings)
    else:
        drawn = sample_pymc(declaration, cells, nuts_sampler, settings)
    return _finish(
        family,
        declaration,
        judgements,
        drawn,
        settings,
        store=store,
        strict=strict,
        declare_seconds=declared - started,
    )


def _refuse_without_jax(sampler: str) -> None:
    missing = [name for name in ("jax", sampler) if find_spec(name) is None]
    if missing:
        raise ModelError(
            f"{sampler} needs {' and '.join(missing)}, not installed here: install "
            "the extra, pip install 'bayeseval[jax]', or leave backend and nuts_sampler as they are"
        )


def _refuse_no_family(family: object) -> None:
    if isinstance(family, type) and hasattr(family, "declare"):
        raise ModelError(
            f"fit() takes a family's instance, and {family.__name__} is its class: pass "
            f"{family.__name__}(), an instance"
        )
    if not hasattr(family, "declare"):
        raise ModelError(
            "fit() takes a family, such as BradleyTerry(), after the judgements; found "
            f"{family!r} ({type(family).__name__})"
        )


def _refuse_taken_names(declaration: Declaration[Any], judgements: Judgements) -> None:
    """Refuse a moderator, which is a dimension of the posterior, with the name of a variable."""
    effects = [effect.name for effect in declaration.effects]
    # A family that draws by itself has no parameters of a sampler to list.
    parameters = getattr(declaration.response, "parameter_shapes", {})
    taken = {*_NAMES, *effects, *parameters}
    taken |= {f"{name}_{of}" for name in effects for of in ("sd", "mean", "correlation")}
    taken |= {f"quality_by_{name}" for name in judgements.moderators}
    for name in judgements.moderators:
        if name in taken:
            raise ModelError(
                f"a moderator is called {name!r}, which is the name of a quantity of "
                f"{declaration.family}'s posterior. Give it another name when reading: "
                f"moderators={{'my_{name}': {name!r}}}"
            )


def _checked(
    *,
    draws: int,
    tune: int | None,
    chains: int,
    cores: int | None,
    random_seed: int | None,
    target_accept: float | None,
    max_treedepth: int,
    progressbar: bool,
) -> SamplerSettings:
    numbers = {"draws": draws, "chains": chains, "max_treedepth": max_treedepth}
    numbers |= {} if tune is None else {"tune": tune}
    numbers |= {} if cores is None else {"cores": cores}
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise ModelError(f"{name}= is a whole number from 1; found {value!r}")
    if target_accept is not None and not (is_number(target_accept) and 0.5 <= target_accept < 1):
        raise ModelError(f"target_accept= is from 0.5 to below 1; found {target_accept!r}")
    if random_seed is None:
        random_seed = int(np.random.SeedSequence().generate_state(1)[0])
    elif isinstance(random_seed, bool) or not isinstance(random_seed, int | np.integer):
        raise ModelError(
            f"random_seed= is a whole number, so that a fit can be repeated; found {random_seed!r}"
        )
    elif not 0 <= random_seed < 2**32:
        raise ModelError(f"random_seed= is from 0 to 2**32 - 1; found {random_seed}")
    # Python 3.12 does not have the count that respects affinity.
    available = getattr(os, "process_cpu_count", os.cpu_count)()
    return SamplerSettings(
        draws=int(draws),
        tune=None if tune is None else int(tune),
        chains=int(chains),
        cores=int(min(chains, cores or available or 1)),
        random_seed=int(random_seed),
        target_accept=None if target_accept is None else float(target_accept),
        max_treedepth=int(max_treedepth),
        progressbar=progressbar,
    )


def _plan(
    family: Family,
    declaration: Declaration[Any],
    cells: Cells,
    judgements: Judgements,
    *,
    compiled: bool,
) -> str:
    """Say in one line what will be fitted."""
    n_parameters = _n_parameters(declaration)
    line = (
        f"Fitting {family.name} to {counted(judgements.n_judgements, 'judgement')} "
        f"({cells.n_cells:,} distinct), {counted(n_parameters, 'parameter')}: "
        f"{', '.join(effect.name for effect in declaration.effects)}"
    )
    if declaration.left_out:
        line += "; without " + ", ".join(
            f"{name} ({reason})" for name, reason in declaration.left_out.items()
        )
    return line + ("" if compiled else "; through PyMC, which compiles first")


def _n_parameters(declaration: Declaration[Any]) -> int:
    shapes = declaration.response.parameter_shapes.values()
    by_criterion = sum(effect.free_size + 1 for effect in declaration.effects)
    by_criterion += sum(int(np.prod(shape)) for shape in shapes)
    return declaration.n_criteria * by_criterion


def _tell_of_memory(declaration: Declaration[Any], settings: SamplerSettings) -> None:
    """Warn of draws that may not fit into memory, before hours of sampling."""
    n_parameters = _n_parameters(declaration)
    needed = 8 * n_parameters * settings.draws * settings.chains
    if needed > _DRAWS_WORTH_A_WORD:
        _LOG.warning(
            "The draws of %s parameters take %.1f GB, and naming them several times that. With "
            "draws=%d of each chain they would take %.1f GB; a smaller model, such as one with "
            "fewer effects, has fewer parameters",
            f"{n_parameters:,}",
            needed / 1e9,
            max(1, settings.draws * _DRAWS_WORTH_A_WORD // needed),
            _DRAWS_WORTH_A_WORD / 1e9,
        )


def _finish(
    family: Family,
    declaration: Declaration[Any],
    judgements: Judgements,
    drawn: Draws,
    settings: SamplerSettings,
    *,
    store: Literal["all"] | Sequence[str] | None,
    strict: bool,
    declare_seconds: float,
) -> Posterior:
    started = perf_counter()
    complete = family.posterior_dataset(declaration, drawn.values)
    n_chains, n_draws = complete.sizes["chain"], complete.sizes["draw"]
    complete = complete.assign_coords(chain=np.arange(n_chains), draw=np.arange(n_draws))
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
    statistics = drawn.statistics.assign_coords(chain=np.arange(n_chains), draw=np.arange(n_draws))
    result = Posterior(
        data=_tree(judgements, posterior, {"/sample_stats": statistics}),
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
    _tell(convergence, strict=strict)
    return result


def _tell(convergence: Convergence, *, strict: bool) -> None:
    """Warn of draws that must not be reported, or refuse them."""
    if not convergence.ok:
        if strict:
            raise ConvergenceError(str(convergence))
        warnings.warn(str(convergence), ConvergenceWarning, stacklevel=4)


def _approximated(
    family: Family,
    declaration: Declaration[Any],
    cells: Any,
    settings: SamplerSettings,
    method: Method,
) -> LaplaceDraws | None:
    """Try Laplace's approximation; None where it is not good enough and may be replaced."""
    reason = refusal(family, declaration)
    drawn = None
    if reason is None:
        try:
            drawn = laplace(
                declaration,
                cells,
                draws=settings.draws,
                chains=settings.chains,
                cores=settings.cores,
                rng=np.random.default_rng(settings.random_seed),
            )
        except NoMode as error:
            reason = str(error)
    if method == "laplace":
        if drawn is None:
            raise ModelError(
                f"method='laplace' cannot approximate this model: {reason}. Take method='nuts', or "
                "'auto', which samples where an approximation would not do"
            )
        return drawn
    if drawn is not None and drawn.is_close:
        _LOG.info(
            "Laplace's approximation is good here (Pareto k %.2f, wanted below %.1f): no sampling; "
            "the result is marked approximate",
            drawn.k,
            LARGEST_K_AUTO,
        )
        return drawn
    if drawn is not None:
        reason = f"Pareto k is {drawn.k:.2f}, wanted below {LARGEST_K_AUTO:.1f}"
    _LOG.info("Laplace's approximation will not do (%s): sampling", reason)
    return None


def _approximate_posterior(
    family: Family,
    declaration: Declaration[Any],
    judgements: Judgements,
    drawn: LaplaceDraws,
    settings: SamplerSettings,
    *,
    store: Literal["all"] | Sequence[str] | None,
    declare_seconds: float,
) -> Posterior:
    complete = family.posterior_dataset(declaration, drawn.values)
    complete = complete.assign_coords(
        chain=np.arange(settings.chains), draw=np.arange(settings.draws)
    )
    shown = tuple(name for name in map(str, complete.data_vars) if _is_shown(name))
    k = f"Pareto k {drawn.k:.2f}, reliable below {drawn.largest_k:.2g}"
    how = (
        f"Laplace's approximation, resampled by importance weights ({k})"
        if drawn.resampled
        else f"Laplace's approximation, checked by {drawn.n_weighted:,} importance weights ({k})"
    )
    return Posterior(
        data=_tree(judgements, _stored(complete, shown, store), {}),
        family=family,
        declaration=declaration,
        fingerprint=judgements.fingerprint,
        settings=Settings(
            draws=settings.draws,
            tune=0,
            chains=settings.chains,
            random_seed=settings.random_seed,
            sampler="none: method='laplace'; settings of a sampler, such as tune=, are not used",
            target_accept=None,
            max_treedepth=None,
            seconds={"declare": declare_seconds, **drawn.seconds},
            versions=_versions(_PACKAGES),
        ),
        convergence=of_independent_draws(
            complete,
            reported=shown,
            how=how,
            share_effective=drawn.effective / drawn.n_weighted,
            problems=laplace_problems(drawn, settings.draws * settings.chains),
        ),
        approximate=how,
    )


def _drawn_directly(
    family: DirectFamily,
    judgements: Judgements,
    settings: SamplerSettings,
    *,
    store: Literal["all"] | Sequence[str] | None,
) -> Posterior:
    """Let a family that needs no sampler make its draws."""
    started = perf_counter()
    declaration = family.declare(judgements)
    _refuse_taken_names(declaration, judgements)
    declared = perf_counter()
    drawn = family.draw(
        declaration,
        judgements,
        draws=settings.draws,
        chains=settings.chains,
        rng=np.random.default_rng(settings.random_seed),
    )
    sizes = drawn.posterior.sizes
    complete = drawn.posterior.assign_coords(
        chain=np.arange(sizes["chain"]), draw=np.arange(sizes["draw"])
    )
    shown = tuple(name for name in map(str, complete.data_vars) if _is_shown(name))
    groups = {f"/{name}": dataset for name, dataset in drawn.groups.items()}
    return Posterior(
        data=_tree(judgements, _stored(complete, shown, store), groups),
        family=family,
        declaration=declaration,
        fingerprint=judgements.fingerprint,
        settings=Settings(
            draws=sizes["draw"],
            tune=0,
            chains=sizes["chain"],
            random_seed=settings.random_seed,
            sampler=f"none: {drawn.method}; settings of a sampler, such as tune=, are not used",
            target_accept=None,
            max_treedepth=None,
            seconds={"declare": declared - started, "draw": perf_counter() - declared},
            versions=_versions((*_DIRECT_PACKAGES, *drawn.packages)),
        ),
        convergence=of_independent_draws(complete, reported=shown, how=drawn.method),
        approximate=drawn.approximate,
    )


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
    judgements: Judgements, posterior: xr.Dataset, groups: dict[str, xr.Dataset]
) -> xr.DataTree:
    """Join the draws with how much was judged in every cell, and what else there is."""
    return xr.DataTree.from_dict({"/posterior": posterior, "/judged": judged(judgements), **groups})


def _stored(
    complete: xr.Dataset, reported: tuple[str, ...], store: Literal["all"] | Sequence[str] | None
) -> xr.Dataset:
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
