"""Contenders for stated probabilities: the ordered beta of models/ordered_beta, without options.

Qualities, and how boldly and how exactly annotators answer; no effect of pair, taste or direction.
"""

# PyMC, PyTensor and JAX describe their objects only in part.
# pyright: reportAttributeAccessIssue=false, reportMissingImports=false, reportArgumentType=false
# pyright: reportOperatorIssue=false, reportIndexIssue=false

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks._peers import samplers
from tests.benchmarks._peers.coded import Coded, coded
from tests.benchmarks._peers.contract import Result, Settings, Stages

if TYPE_CHECKING:
    import numpy as np
    import pymc as pm

RESOLUTION = 0.01


def bayeseval(data: Path, settings: Settings, stages: Stages) -> Result:
    """Fit the model: from the file to the printed ranking."""
    from bayeseval import OrderedBeta, SPAJudgements

    def read() -> SPAJudgements:
        return SPAJudgements.read(
            data,
            annotator="annotator",
            system_a="system_a",
            system_b="system_b",
            probability="probability",
            bounds=(0, 1),
        )

    family = OrderedBeta(
        effects={
            "pair": False,
            "taste": False,
            "direction_bias": False,
            "log_extremity": True,
            "log_precision": True,
        },
        resolution=RESOLUTION,
    )
    return samplers.with_bayeseval(read, family, settings, stages)


def outcomes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which answers are exactly 0, exactly 1, and between."""
    import numpy as np

    return np.flatnonzero(y == 0), np.flatnonzero(y == 1), np.flatnonzero((y > 0) & (y < 1))


def plain_model(rows: Coded) -> pm.Model:
    """Write the model as a user of PyMC would."""
    import numpy as np
    import pymc as pm
    import pytensor.tensor as pt

    coords = {"system": rows.systems, "annotator": rows.annotators}
    at_0, at_1, between = outcomes(rows.y)
    with pm.Model(coords=coords) as model:
        quality_sd = pm.HalfNormal("quality_sd", 1.0)
        quality = pm.ZeroSumNormal("quality", sigma=quality_sd, dims="system")
        own = {}
        for name in ("log_extremity", "log_precision"):
            sd = pm.HalfNormal(f"{name}_sd", 0.5)
            own[name] = sd * pm.ZeroSumNormal(f"{name}_z", dims="annotator")
        end = pm.Beta("end_probability", 1.0, 9.0)
        mean = pm.Normal("log_precision_mean", np.log(5.0), 1.0)
        kappa = pt.log(2.0 / end - 1.0)
        eta = pt.exp(own["log_extremity"][rows.annotator]) * (quality[rows.a] - quality[rows.b])
        inverse = pt.exp(-mean - own["log_precision"]) + 4.0 * RESOLUTION**2
        phi = (1.0 / inverse)[rows.annotator[between]]
        inside = eta[between]
        # F(η + κ) − F(η − κ) = F(η + κ) F(κ − η) (1 − exp(−2κ)).
        pm.Potential("at 0", -pt.softplus(eta[at_0] + kappa).sum())
        pm.Potential("at 1", -pt.softplus(kappa - eta[at_1]).sum())
        pm.Potential(
            "not at an end",
            (pt.log1mexp(-2.0 * kappa) - pt.softplus(-inside - kappa)).sum()
            - pt.softplus(inside - kappa).sum(),
        )
        pm.Beta(
            "between",
            alpha=pt.sigmoid(inside) * phi,
            beta=pt.sigmoid(-inside) * phi,
            observed=rows.y[between],
        )
    return model


def pymc_nutpie(data: Path, settings: Settings, stages: Stages) -> Result:
    """Sample the hand-written PyMC model with nutpie."""
    return samplers.hand_written(lambda: coded(data, "probability"), plain_model, settings, stages)


def numpyro(data: Path, settings: Settings, stages: Stages) -> Result:
    """Sample the same model in NumPyro."""
    samplers.start_numpyro(settings)
    import jax.numpy as jnp
    import numpy as np
    import numpyro as npr
    import numpyro.distributions as dist
    from jax.nn import sigmoid, softplus

    stages.end("import")
    rows = coded(data, "probability")
    stages.end("read")
    at_0, at_1, between = outcomes(rows.y)

    def model() -> None:
        quality_sd = npr.sample("quality_sd", dist.HalfNormal(1.0))
        quality = npr.sample("quality", dist.ZeroSumNormal(quality_sd, (len(rows.systems),)))
        own = {}
        for name in ("log_extremity", "log_precision"):
            sd = npr.sample(f"{name}_sd", dist.HalfNormal(0.5))
            z = npr.sample(f"{name}_z", dist.ZeroSumNormal(1.0, (len(rows.annotators),)))
            own[name] = sd * z
        end = npr.sample("end_probability", dist.Beta(1.0, 9.0))
        mean = npr.sample("log_precision_mean", dist.Normal(np.log(5.0), 1.0))
        kappa = jnp.log(2.0 / end - 1.0)
        eta = jnp.exp(own["log_extremity"][rows.annotator]) * (quality[rows.a] - quality[rows.b])
        inverse = jnp.exp(-mean - own["log_precision"]) + 4.0 * RESOLUTION**2
        phi = (1.0 / inverse)[rows.annotator[between]]
        inside = eta[between]
        npr.factor("at 0", -softplus(eta[at_0] + kappa).sum())
        npr.factor("at 1", -softplus(kappa - eta[at_1]).sum())
        npr.factor(
            "not at an end",
            (jnp.log1p(-jnp.exp(-2.0 * kappa)) - softplus(-inside - kappa)).sum()
            - softplus(inside - kappa).sum(),
        )
        npr.sample(
            "between",
            dist.Beta(sigmoid(inside) * phi, sigmoid(-inside) * phi).to_event(),
            obs=rows.y[between],
        )

    return samplers.with_numpyro(model, (), rows.systems, settings, stages)
