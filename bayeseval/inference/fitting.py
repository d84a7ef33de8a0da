"""fit(): from judgements and a family to a posterior."""

import logging
from time import perf_counter
from typing import Any

import numpy as np

from bayeseval._checks import counted
from bayeseval.errors import ModelError
from bayeseval.families import default_family
from bayeseval.families._damaged_cache import naming_the_cache
from bayeseval.families._declaration import Declaration, PredictorCells
from bayeseval.families._family import DirectFamily, Family
from bayeseval.inference._course import SamplerSettings
from bayeseval.inference._finishing import (
    Store,
    approximate_posterior,
    drawn_directly,
    sampled_posterior,
    tell,
)
from bayeseval.inference._laplace import (
    LARGEST_K_AUTO,
    LaplaceDraws,
    NoMode,
    laplace,
    refusal,
)
from bayeseval.inference._posterior import Posterior
from bayeseval.inference._requests import (
    Backend,
    Method,
    checked_program,
    checked_settings,
    refuse_no_family,
    refuse_taken_names,
)
from bayeseval.inference._sampling import (
    NutsSampler,
    sample_density,
    sample_pymc,
)
from bayeseval.judgements import Judgements

_LOG = logging.getLogger("bayeseval")
_DRAWS_WORTH_A_WORD = 2_000_000_000


@naming_the_cache()
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
    store: Store = None,
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
    settings = checked_settings(
        draws=draws,
        tune=tune,
        chains=chains,
        cores=cores,
        random_seed=random_seed,
        target_accept=target_accept,
        max_treedepth=max_treedepth,
        progressbar=progressbar,
    )
    nuts_sampler = checked_program(method, backend, nuts_sampler)
    started = perf_counter()
    family = default_family(judgements.protocol) if family is None else family
    refuse_no_family(family)
    if isinstance(family, DirectFamily):
        if method == "laplace":
            raise ModelError(
                f"{family.name} makes its draws by itself: method='laplace' has nothing to "
                "approximate. Leave method= out"
            )
        return drawn_directly(family, judgements, settings, store=store)
    declaration = family.declare(judgements)
    refuse_taken_names(declaration, judgements)
    cells = family.cells(declaration, judgements)
    if method != "nuts":
        approximated = _approximated(family, declaration, cells, settings, method)
        if approximated is not None:
            result = approximate_posterior(
                family,
                declaration,
                judgements,
                approximated,
                settings,
                store=store,
                declare_seconds=perf_counter() - started - sum(approximated.seconds.values()),
            )
            tell(result.convergence, strict=strict)
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
    result = sampled_posterior(
        family,
        declaration,
        judgements,
        drawn,
        settings,
        store=store,
        declare_seconds=declared - started,
    )
    tell(result.convergence, strict=strict)
    return result


def _plan(
    family: Family,
    declaration: Declaration[Any],
    cells: PredictorCells,
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
