"""Contenders for a slider of strengths: Student's t around the difference of two qualities.

How far annotators go on the scale, how much they scatter, and an advantage of the side; no effect
of item or taste. The data have no answer at an end, so that censoring there has no part in it.
"""

# PyMC, PyTensor and JAX describe their objects only in part.
# pyright: reportAttributeAccessIssue=false, reportMissingImports=false, reportArgumentType=false
# pyright: reportOperatorIssue=false, reportIndexIssue=false, reportOptionalSubscript=false

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks._peers import samplers
from tests.benchmarks._peers.coded import Coded, coded
from tests.benchmarks._peers.contract import Result, Settings, Stages

if TYPE_CHECKING:
    import pymc as pm

BOUND = 100
# Prior scales of bayeseval are in halves of the bound.
UNIT = BOUND / 2


def bayeseval(data: Path, settings: Settings, stages: Stages) -> Result:
    """Fit the model: from the file to the printed ranking."""
    from bayeseval import PreferenceStrength, StrengthJudgements

    def read() -> StrengthJudgements:
        return StrengthJudgements.read(
            data,
            annotator="annotator",
            system_a="system_a",
            system_b="system_b",
            item="item",
            strength="strength",
            bounds=BOUND,
            positive="a",
            graded=False,
        )

    family = PreferenceStrength(
        response="student_t",
        effects={
            "interaction": False,
            "taste": False,
            "log_scale": True,
            "log_spread": True,
            "side_bias": True,
        },
        # Student's t of other programs has no smallest spread.
        resolution=0.0,
    )
    return samplers.with_bayeseval(read, family, settings, stages)


def plain_model(rows: Coded) -> pm.Model:
    """Write the model as a user of PyMC would."""
    import numpy as np
    import pymc as pm
    import pytensor.tensor as pt

    coords = {"system": rows.systems, "annotator": rows.annotators}
    with pm.Model(coords=coords) as model:
        quality_sd = pm.HalfNormal("quality_sd", UNIT)
        quality = pm.ZeroSumNormal("quality", sigma=quality_sd, dims="system")
        own = {}
        for name in ("log_scale", "log_spread"):
            sd = pm.HalfNormal(f"{name}_sd", 0.5)
            own[name] = sd * pm.ZeroSumNormal(f"{name}_z", dims="annotator")
        bias = pm.Normal("side_bias", 0.0, 0.5 * UNIT)
        mean = pm.Normal("log_spread_mean", np.log(0.6 * UNIT), 1.0)
        nu = pm.Gamma("degrees_of_freedom", 2.0, 0.1)
        difference = quality[rows.a] - quality[rows.b] + bias
        pm.StudentT(
            "strength",
            nu=nu,
            mu=pt.exp(own["log_scale"])[rows.annotator] * difference,
            sigma=pt.exp(mean + own["log_spread"])[rows.annotator],
            observed=rows.y,
        )
    return model


def pymc_nutpie(data: Path, settings: Settings, stages: Stages) -> Result:
    """Sample the hand-written PyMC model with nutpie."""
    return samplers.hand_written(lambda: coded(data, "strength"), plain_model, settings, stages)


def numpyro(data: Path, settings: Settings, stages: Stages) -> Result:
    """Sample the same model in NumPyro."""
    samplers.start_numpyro(settings)
    import jax.numpy as jnp
    import numpy as np
    import numpyro as npr
    import numpyro.distributions as dist

    stages.end("import")
    rows = coded(data, "strength")
    stages.end("read")

    def model() -> None:
        quality_sd = npr.sample("quality_sd", dist.HalfNormal(UNIT))
        quality = npr.sample("quality", dist.ZeroSumNormal(quality_sd, (len(rows.systems),)))
        own = {}
        for name in ("log_scale", "log_spread"):
            sd = npr.sample(f"{name}_sd", dist.HalfNormal(0.5))
            z = npr.sample(f"{name}_z", dist.ZeroSumNormal(1.0, (len(rows.annotators),)))
            own[name] = sd * z
        bias = npr.sample("side_bias", dist.Normal(0.0, 0.5 * UNIT))
        mean = npr.sample("log_spread_mean", dist.Normal(np.log(0.6 * UNIT), 1.0))
        nu = npr.sample("degrees_of_freedom", dist.Gamma(2.0, 0.1))
        difference = quality[rows.a] - quality[rows.b] + bias
        location = jnp.exp(own["log_scale"])[rows.annotator] * difference
        spread = jnp.exp(mean + own["log_spread"])[rows.annotator]
        npr.sample("strength", dist.StudentT(nu, location, spread).to_event(), obs=rows.y)

    return samplers.with_numpyro(model, (), rows.systems, settings, stages)
