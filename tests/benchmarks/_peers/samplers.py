"""How a model of PyMC or NumPyro is sampled, the same way for every protocol."""

# PyMC, nutpie and JAX describe their objects only in part.
# pyright: reportAttributeAccessIssue=false, reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.benchmarks._peers.contract import Result, Settings, Stages

if TYPE_CHECKING:
    import numpy as np
    import pymc as pm

    from bayeseval import Posterior
    from bayeseval.families._family import DirectFamily, Family
    from bayeseval.judgements import Judgements


def with_bayeseval(
    read: Callable[[], Judgements],
    family: Family | DirectFamily | None,
    settings: Settings,
    stages: Stages,
    *,
    prepare: Callable[[Any], Judgements] | None = None,
    again: bool = False,
    **further: Any,
) -> Result:
    """Read, fit, and print the ranking; ``further`` settings are those of `fit`.

    It tunes as long as it does by default; the others as ``settings`` say.

    With ``again`` the result says how to prepare and fit once more.
    """
    # What reading, fitting and checking import when they come to it, counted as import like the
    # libraries of the other programs.
    import arviz_stats  # noqa: F401
    import numba  # noqa: F401
    import pandas as pd  # noqa: F401
    import scipy.linalg  # noqa: F401
    import xarray as xr  # noqa: F401

    from bayeseval import fit, rank

    stages.end("import")
    rows = read()
    stages.end("read")

    def prepared() -> Judgements:
        return rows if prepare is None else prepare(rows)

    def fitted(judgements: Judgements) -> Posterior:
        return fit(
            judgements,
            family,
            draws=settings.draws,
            chains=settings.chains,
            cores=settings.cores,
            random_seed=settings.seed,
            progressbar=False,
            **further,
        )

    judgements = prepared()
    if prepare is not None:
        stages.end("prepare")
    posterior = fitted(judgements)
    stages.end("fit")
    print(rank(posterior))
    stages.end("rank and print")
    result = from_posterior(posterior, stages)
    return replace(result, again=lambda: fitted(prepared())) if again else result


def hand_written[Rows](
    read: Callable[[], Rows],
    build: Callable[[Rows], pm.Model],
    settings: Settings,
    stages: Stages,
) -> Result:
    """Read, write the model in PyMC, and sample it with nutpie."""
    import nutpie  # noqa: F401  # counted as import
    import pymc as pm  # noqa: F401

    stages.end("import")
    rows = read()
    stages.end("read")
    model = build(rows)
    stages.end("build")
    return with_nutpie(model, settings, stages)


def with_nutpie(model: pm.Model, settings: Settings, stages: Stages) -> Result:
    """Sample a PyMC model with nutpie, as compiled by Numba."""
    import nutpie

    compiled = nutpie.compile_pymc_model(model)
    stages.end("compile")
    tree = nutpie.sample(
        compiled,
        draws=settings.draws,
        tune=settings.tune,
        chains=settings.chains,
        cores=settings.cores,
        seed=settings.seed,
        progress_bar=False,
        save_warmup=False,
    )
    stages.end("sample")
    return from_tree(tree, "quality")


def with_pymc(model: pm.Model, settings: Settings, stages: Stages) -> Result:
    """Sample a PyMC model with PyMC's own NUTS, whose clock tells sampling from compiling."""
    import pymc as pm

    tree = pm.sample(
        draws=settings.draws,
        tune=settings.tune,
        chains=settings.chains,
        cores=settings.cores,
        random_seed=settings.seed,
        nuts_sampler="pymc",
        progressbar=False,
        compute_convergence_checks=False,
        model=model,
    )
    return from_pymc(tree, "quality", stages)


def from_pymc(tree: Any, name: str, stages: Stages) -> Result:
    """Take the scores out of what PyMC's `sample` returned just now, and the time it tells."""
    stages.end("compile")
    sampling = float(tree["posterior"].attrs["sampling_time"])
    stages.move(sampling, source="compile", to="sample")
    return from_tree(tree, name)


def from_tree(tree: Any, name: str) -> Result:
    """Take the systems' scores out of a DataTree."""
    quality = tree["posterior"][name]
    (system,) = (dim for dim in quality.dims if dim not in ("chain", "draw"))
    quality = quality.transpose("chain", "draw", system)
    return Result(
        systems=[str(label) for label in quality[system].values],
        scores=quality.values,
        divergences=int(tree["sample_stats"]["diverging"].sum()),
    )


def from_posterior(posterior: Posterior, stages: Stages) -> Result:
    """Take the systems' scores out of a posterior of bayeseval, and the stages that it timed."""
    seconds = posterior.settings.seconds
    for stage, name in (
        ("import sampler", "import"),
        ("compile", "compile"),
        ("pilot", "sample"),
        ("sample", "sample"),
    ):
        stages.move(seconds.get(stage, 0.0), source="fit", to=name)
    quality = posterior.quality.transpose("chain", "draw", "system")
    return Result(
        systems=[str(label) for label in quality["system"].values],
        scores=quality.values,
        divergences=posterior.convergence.divergences,
    )


def start_numpyro(settings: Settings) -> None:
    """Import NumPyro in double precision, with a device for each chain so that they run at once."""
    import numpyro

    numpyro.set_host_device_count(settings.chains)
    numpyro.enable_x64()


def with_numpyro(
    model: Callable[..., None],
    arguments: tuple[Any, ...],
    systems: np.ndarray,
    settings: Settings,
    stages: Stages,
) -> Result:
    """Sample with NumPyro's NUTS; its compiling cannot be told from the first steps of warm-up."""
    import jax
    import numpy as np
    from numpyro.infer import MCMC, NUTS

    sampler = MCMC(
        NUTS(model),
        num_warmup=settings.tune,
        num_samples=settings.draws,
        num_chains=settings.chains,
        chain_method="parallel",
        progress_bar=False,
    )
    sampler.run(jax.random.key(settings.seed), *arguments, extra_fields=("diverging",))
    scores = np.asarray(sampler.get_samples(group_by_chain=True)["quality"])
    stages.end("sample")
    return Result(
        systems=[str(label) for label in systems],
        scores=scores,
        divergences=int(np.sum(sampler.get_extra_fields()["diverging"])),
    )
