"""Contenders for Likert ratings: thresholds by annotator, or the nearest that a program has."""

# PyMC, PyTensor and JAX describe their objects only in part.
# pyright: reportAttributeAccessIssue=false, reportMissingImports=false, reportArgumentType=false

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks._likert_gradient import CATEGORIES, plain_model
from tests.benchmarks._peers import samplers
from tests.benchmarks._peers.contract import Result, Settings, Stages

if TYPE_CHECKING:
    from bayeseval import LikertJudgements


def bayeseval(data: Path, settings: Settings, stages: Stages) -> Result:
    """Fit with the defaults: from the file to the printed ranking, as a user would."""
    return samplers.with_bayeseval(lambda: _ratings(data), None, settings, stages)


def bayeseval_scaled(data: Path, settings: Settings, stages: Stages) -> Result:
    """Fit the model of ``likert_scaled.R``."""
    from bayeseval import OrdinalProbit

    family = OrdinalProbit(thresholds="shifted", discrimination=True, discrimination_sd_scale=0.5)
    return samplers.with_bayeseval(lambda: _ratings(data), family, settings, stages)


def _ratings(data: Path) -> LikertJudgements:
    from bayeseval import LikertJudgements

    return LikertJudgements.read(
        data, annotator="annotator", system="system", rating="rating", scale=(1, CATEGORIES)
    )


def pymc_nutpie(data: Path, settings: Settings, stages: Stages) -> Result:
    """Sample the hand-written PyMC model with nutpie."""
    import pandas as pd

    return samplers.hand_written(
        lambda: pd.read_csv(data),
        lambda ratings: plain_model(ratings, compute_p=False),
        settings,
        stages,
    )


def pymc_nuts(data: Path, settings: Settings, stages: Stages) -> Result:
    """Sample the hand-written PyMC model with PyMC's NUTS."""
    import pandas as pd
    import pymc as pm  # noqa: F401  # counted as import

    stages.end("import")
    ratings = pd.read_csv(data)
    stages.end("read")
    model = plain_model(ratings, compute_p=False)
    stages.end("build")
    return samplers.with_pymc(model, settings, stages)


def numpyro(data: Path, settings: Settings, stages: Stages) -> Result:
    """Sample the same model in NumPyro, which has an ordered logistic but no ordered probit."""
    samplers.start_numpyro(settings)
    import jax.numpy as jnp
    import numpy as np
    import numpyro as npr
    import numpyro.distributions as dist
    import pandas as pd
    from jax.scipy.special import erfc, ndtri

    stages.end("import")
    ratings = pd.read_csv(data)
    system, systems = pd.factorize(ratings["system"], sort=True)
    annotator, annotators = pd.factorize(ratings["annotator"], sort=True)
    rating = ratings["rating"].to_numpy() - 1
    stages.end("read")

    def model() -> None:
        quality_sd = npr.sample("quality_sd", dist.HalfNormal(1.0))
        quality = npr.sample("quality", dist.ZeroSumNormal(quality_sd, (len(systems),)))
        severity_sd = npr.sample("severity_sd", dist.HalfNormal(1.0))
        severity_z = npr.sample("severity_z", dist.Normal().expand([len(annotators)]).to_event())
        shares = npr.sample("shares", dist.Dirichlet(jnp.full(CATEGORIES, 2.0)))
        population = ndtri(jnp.cumsum(shares)[:-1])
        gap_sd = npr.sample("gap_sd", dist.HalfNormal(0.5))
        shape = [len(annotators), CATEGORIES - 2]
        gap_z = npr.sample("gap_z", dist.Normal().expand(shape).to_event())
        steps = jnp.cumsum(jnp.diff(population)[None, :] * jnp.exp(gap_sd * gap_z), axis=1)
        steps = jnp.concatenate([jnp.zeros((len(annotators), 1)), steps], axis=1)
        centred = steps - steps.mean(axis=1, keepdims=True)
        thresholds = centred + population.mean() + (severity_sd * severity_z)[:, None]
        # An end is 40 sds away: infinity has no gradient.
        ends = jnp.full((len(annotators), 1), 40.0)
        cuts = jnp.concatenate([-ends, thresholds, ends], axis=1)
        low = cuts[annotator, rating] - quality[system]
        high = cuts[annotator, rating + 1] - quality[system]
        # From the lower tail: near one the distribution function has lost its digits.
        flip = low + high > 0
        low, high = jnp.where(flip, -high, low), jnp.where(flip, -low, high)
        root = np.sqrt(2.0)
        npr.factor("rating", jnp.log(0.5 * (erfc(-high / root) - erfc(-low / root))).sum())

    return samplers.with_numpyro(model, (), systems, settings, stages)


def bambi(data: Path, settings: Settings, stages: Stages) -> Result:
    """Sample Bambi's nearest model with nutpie: annotators shift the thresholds they share."""
    import bambi as bmb
    import pandas as pd

    stages.end("import")
    ratings = pd.read_csv(data)
    ratings["rating"] = pd.Categorical(ratings["rating"], range(1, CATEGORIES + 1), ordered=True)
    stages.end("read")

    def prior(scale: float) -> bmb.Prior:
        return bmb.Prior("Normal", mu=0, sigma=bmb.Prior("HalfNormal", sigma=scale))

    model = bmb.Model(
        "rating ~ 0 + (1|system) + (1|annotator)",
        ratings,
        family="cumulative",
        link="probit",
        priors={"1|system": prior(1.0), "1|annotator": prior(1.0)},
    )
    model.build()
    stages.end("build")
    tree = model.fit(
        draws=settings.draws,
        tune=settings.tune,
        chains=settings.chains,
        cores=settings.cores,
        random_seed=settings.seed,
        inference_method="nutpie",
        progressbar=False,
    )
    return samplers.from_pymc(tree, "1|system", stages)
