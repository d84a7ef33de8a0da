"""Readable numbers against a plain simulation of models/preference_strength/card.md."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayeseval as be
from bayeseval.families._declaration import FloatArray
from bayeseval.families._layout import value_name
from bayeseval.families._marginal import Cell
from bayeseval.judgements import StrengthJudgements

SYSTEMS, ANNOTATORS, ITEMS = 3, 4, 5
JUDGEMENTS = 400_000
BOUND = 2.0
RESPONSES = ("graded", "ordered_beta", "student_t")
OWN = {"graded": "log_gap", "ordered_beta": "log_precision", "student_t": "log_spread"}
QUALITY = np.array([-0.7, 0.1, 0.6])
SD = {"interaction": 0.4, "taste": 0.5, "log_scale": 0.4, "own": 0.5}
SIDE_BIAS = 0.3
RESOLUTION = 0.4
SCALARS = {
    "side_bias": SIDE_BIAS,
    "log_width_0": -0.4,
    "log_width_1": 0.2,
    "end_probability": 0.15,
    "middle_probability": 0.3,
    "log_precision_mean": 1.2,
    "degrees_of_freedom": 4.0,
    "log_spread_mean": -0.2,
}

type Study = dict[str, FloatArray]


@pytest.fixture(scope="module")
def study() -> Study:
    """Return the effects of one study, not those of its population."""
    rng = np.random.default_rng(8)
    shapes = {
        "interaction": (SYSTEMS, ITEMS),
        "taste": (SYSTEMS, ANNOTATORS),
        "log_scale": (ANNOTATORS,),
        "own": (ANNOTATORS,),
    }
    effects = {name: SD[name] * rng.normal(size=shape) for name, shape in shapes.items()}
    for name in ("log_scale", "own"):
        effects[name] -= effects[name].mean()
    return effects


def estimated(
    study: Study, response: Any, population: str
) -> tuple[dict[str, xr.DataArray], dict[str, float]]:
    """Return all quantities of a posterior whose one draw is the study's parameters.

    With them what that draw takes the mean of new annotators to lie off that of those at hand.
    """
    grid = np.indices((ANNOTATORS, SYSTEMS, SYSTEMS, ITEMS)).reshape(4, -1)
    frame = pd.DataFrame(grid.T, columns=["annotator", "a", "b", "item"])
    frame = frame[frame["a"] != frame["b"]]
    judgements = StrengthJudgements.from_frame(
        frame.assign(strength=np.arange(len(frame)) % 5 - BOUND),
        annotator="annotator",
        system_a="a",
        system_b="b",
        item="item",
        strength="strength",
        bounds=BOUND,
        positive="a",
    )
    family = be.PreferenceStrength(response=response, resolution=RESOLUTION)
    declared = family.declare(judgements)
    plain = tuple(replace(effect, centring=0.0) for effect in declared.effects)
    declaration = replace(declared, effects=plain)
    named: dict[str, Any] = {n: SCALARS[n] for n in declaration.response.parameter_shapes}
    values = {"quality": QUALITY, **study, OWN[response]: study["own"]}
    sds = {"quality": 0.5, **SD, OWN[response]: SD["own"]}
    for effect in declaration.effects:
        named[f"{effect.name}_sd"] = sds[effect.name]
        named[value_name(effect)] = values[effect.name] / sds[effect.name]
    draws = {name: np.asarray(value)[None, None, None] for name, value in named.items()}
    posterior = family.posterior_dataset(declaration, draws)
    cell = Cell(declaration, posterior, {}, observed=False)
    named_own = {"log_scale": "log_scale", OWN[response]: "own"}
    means = {
        named_own[e.name]: float(cell.population_mean(e)[0])
        for e in declaration.effects
        if e.name in named_own
    }
    found = {
        name: family.estimate(name, declaration, posterior, population=population)
        .isel(chain=0, draw=0)
        .transpose("system", "system_b")
        for name in ("win_probability", *family.estimands(declaration))
    }
    return found, means


def predictors(
    study: Study, population: str, means: dict[str, float]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return z (judgement, system), scale (judgement, 1) and the annotator's own, likewise."""
    rng = np.random.default_rng(9)
    if population == "new":
        shape = (JUDGEMENTS, SYSTEMS)
        z = QUALITY + SD["interaction"] * rng.normal(size=shape)
        z = z + SD["taste"] * rng.normal(size=shape)
        scale, own = (means[n] + SD[n] * rng.normal(size=(JUDGEMENTS, 1)) for n in means)
        return z, np.exp(scale), own
    r, i = rng.integers(ANNOTATORS, size=JUDGEMENTS), rng.integers(ITEMS, size=JUDGEMENTS)
    z = QUALITY + study["interaction"][:, i].T + study["taste"][:, r].T
    return z, np.exp(study["log_scale"][r, None]), study["own"][r, None]


def answers(response: str, eta: FloatArray, own: FloatArray) -> FloatArray:
    """Draw answers, dims as ``eta``."""
    rng = np.random.default_rng(10)
    if response == "graded":
        inner = np.exp(SCALARS["log_width_0"]) / 2
        outer = inner + np.exp(SCALARS["log_width_1"])
        thresholds = np.exp(own) * np.array([-outer, -inner, inner, outer])
        latent = eta + rng.normal(size=eta.shape)
        grade = (latent[..., None] > thresholds[:, None, :]).sum(axis=-1)
        return grade.astype(np.float64) - BOUND
    if response == "student_t":
        own_spread = np.exp(SCALARS["log_spread_mean"] + own)
        spread = np.sqrt(own_spread**2 + (RESOLUTION * BOUND) ** 2)
        noise = rng.standard_t(SCALARS["degrees_of_freedom"], size=eta.shape)
        return np.clip(eta + spread * noise, -BOUND, BOUND)
    kappa = np.log(2 / SCALARS["end_probability"] - 1)
    mean = 1 / (1 + np.exp(-eta))
    precision = 1 / (np.exp(-SCALARS["log_precision_mean"] - own) + RESOLUTION**2)
    inside = BOUND * (2 * rng.beta(mean * precision, (1 - mean) * precision) - 1)
    middle = 4 * SCALARS["middle_probability"] * mean * (1 - mean)
    found = np.where(rng.random(eta.shape) < middle, 0.0, inside)
    # one logistic variable on both sides of the thresholds of the ends
    noise = rng.logistic(size=eta.shape)
    found = np.where(eta + noise > kappa, BOUND, found)
    return np.where(eta + noise < -kappa, -BOUND, found)


@pytest.mark.parametrize("population", ["new", "observed"])
@pytest.mark.parametrize("response", RESPONSES)
def test_quantities_of_pairs_are_the_simulated_shares_and_means(
    study: Study, response: Any, population: str
):
    found, means = estimated(study, response, population)
    z, scale, own = predictors(study, population, means)
    for a, b in ((0, 1), (2, 0), (1, 2)):
        difference = z[:, [a]] - z[:, [b]]
        # shown as a, and shown as b with the answer turned round
        eta = scale * np.concatenate([difference + SIDE_BIAS, SIDE_BIAS - difference], axis=1)
        y = answers(response, eta, own) * np.array([1.0, -1.0])
        for_a, neither = (y > 0).mean(), (y == 0).mean()
        expected = {
            "expected_strength": y.mean(),
            "preference_probability": for_a,
            "no_preference_probability": neither,
            "win_probability": for_a + neither / 2,
        }
        for name, values in found.items():
            # four standard errors of a share, and of a mean of answers up to 2
            atol = 0.01 if name == "expected_strength" else 0.0035
            assert values[a, b].item() == pytest.approx(expected[name], abs=atol), (name, a, b)
    assert ("no_preference_probability" in found) == (response != "student_t")
