"""The limiting cases of models/ordinal_probit/card.md, and relations a shared mistake would break.

Everything is evaluated on the package's PyMC model. Values go by the names of its free variables;
effects are standardised (``_z``).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import dirichlet, norm

from bayeseval.families._declaration import FloatArray
from bayeseval.families._ordinal_posterior import population_thresholds
from bayeseval.families.ordinal_probit import OrdinalProbit
from bayeseval.judgements import LikertJudgements
from tests.oracle.evaluate import Evaluator

SYSTEMS, ANNOTATORS, ITEMS = 3, 4, 2
WITH_ALL = {"difficulty": True, "interaction": True, "taste": True}
ONLY_QUALITY = {"difficulty": False, "interaction": False, "taste": False}

type Named = dict[str, FloatArray]


@pytest.fixture
def frame() -> pd.DataFrame:
    """Two ratings a cell of a small crossed design, category 4 of 5 unused."""
    rng = np.random.default_rng(3)
    grid = np.indices((ANNOTATORS, SYSTEMS, ITEMS)).reshape(3, -1).repeat(2, axis=1)
    rating = rng.choice([1, 2, 3, 5], size=grid.shape[1])
    return pd.DataFrame(
        {"annotator": grid[0], "system": grid[1], "item": grid[2], "rating": rating, "count": 1}
    )


def ratings(frame: pd.DataFrame, n_categories: int = 5) -> LikertJudgements:
    return LikertJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        criterion="criterion" if "criterion" in frame else None,
        count="count",
        scale=(1, n_categories),
        repeats=True,
    )


def evaluator(
    frame: pd.DataFrame,
    n_categories: int = 5,
    effects: dict[str, bool] = WITH_ALL,
    **settings: Any,
) -> Evaluator:
    """Build the model with standardised effects only."""
    family = OrdinalProbit(effects=effects, **settings)
    judgements = ratings(frame, n_categories)
    declared = family.declare(judgements)
    plain = tuple(replace(effect, centring=0.0) for effect in declared.effects)
    declaration = replace(declared, effects=plain)
    return Evaluator(declaration, family.cells(declaration, judgements))


def values(model: Evaluator, seed: int = 5) -> Named:
    """Draw values of all free variables of a model, not from its prior: bolder."""
    rng = np.random.default_rng(seed)
    named: Named = {}
    for name, shape in model.shapes.items():
        value = rng.normal(size=shape)
        if name.endswith("_sd"):
            value = np.exp(0.5 * value - 0.3)
        elif name in ("quality_z", "deviation_z"):
            value = value - value.mean(axis=-1, keepdims=True)
        elif name == "population_thresholds":
            value = np.sort(1.5 * value, axis=-1)
        named[name] = value
    return named


def z_of(named: Named, frame: pd.DataFrame) -> FloatArray:
    """Return the latent location of every row from the standardised effects."""
    s, a, i = (frame[n].to_numpy() for n in ("system", "annotator", "item"))
    z = named["quality_sd"] * named["quality_z"][s]
    z = z - named["difficulty_sd"] * named["difficulty_z"][i]
    z = z + named["interaction_sd"] * named["interaction_z"][s, i]
    return z + named["taste_sd"] * named["taste_z"][s, a]


def test_two_categories_are_the_binary_probit(frame: pd.DataFrame):
    frame = frame.assign(rating=frame["rating"].clip(upper=2))
    model = evaluator(frame, 2, thresholds="free", discrimination=True)
    assert "gap_sd" not in model.names
    named = values(model)
    a = frame["annotator"].to_numpy()
    d = np.exp(named["discrimination_sd"] * named["discrimination_z"])[a]
    severity = (named["severity_sd"] * named["severity_z"])[a]
    location = z_of(named, frame) - named["population_thresholds"][0] - severity
    sign = np.where(frame["rating"] == 2, 1.0, -1.0)
    np.testing.assert_allclose(model.log_lik(named), norm.logcdf(sign * d * location), rtol=1e-10)


def test_probabilities_of_the_categories_sum_to_one(frame: pd.DataFrame):
    total = 0.0
    for category in range(1, 6):
        model = evaluator(frame.assign(rating=category), discrimination=True)
        total = total + np.exp(model.log_lik(values(model)))
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)


def without(name: str) -> Callable[[Named], Named]:
    return lambda named: {n: np.zeros_like(v) if n == name else v for n, v in named.items()}


@pytest.mark.parametrize(
    ("large", "small", "limit"),
    [
        ({"thresholds": "free"}, {"thresholds": "shifted"}, without("gap_z")),
        ({"thresholds": "scaled"}, {"thresholds": "shifted"}, without("gap_z")),
        ({"thresholds": "shifted"}, {"thresholds": "common"}, without("severity_z")),
        (
            {"thresholds": "free", "discrimination": True},
            {"thresholds": "free"},
            without("discrimination_z"),
        ),
        *(
            ({"effects": WITH_ALL}, {"effects": WITH_ALL | {name: False}}, without(f"{name}_z"))
            for name in WITH_ALL
        ),
    ],
    ids=["free", "scaled", "shifted", "discrimination", *WITH_ALL],
)
def test_a_structure_without_its_own_part_is_the_simpler_one(
    frame: pd.DataFrame, large: Any, small: Any, limit: Callable[[Named], Named]
):
    larger, smaller = evaluator(frame, **large), evaluator(frame, **small)
    named = values(larger)
    shared = {name: named[name] for name in smaller.names}
    np.testing.assert_allclose(larger.log_lik(limit(named)), smaller.log_lik(shared), rtol=1e-10)
    assert not np.allclose(larger.log_lik(named), smaller.log_lik(shared), rtol=1e-3)


def test_free_thresholds_with_one_factor_are_scaled(frame: pd.DataFrame):
    free, scaled = evaluator(frame, thresholds="free"), evaluator(frame, thresholds="scaled")
    named = values(scaled)
    spread = {**named, "gap_z": np.repeat(named["gap_z"], 3, axis=1)}
    np.testing.assert_allclose(free.log_lik(spread), scaled.log_lik(named), rtol=1e-10)


@pytest.mark.parametrize("thresholds", ["common", "shifted", "scaled", "free"])
def test_the_scale_turned_over_gives_the_mirrored_density(frame: pd.DataFrame, thresholds: str):
    settings = {"thresholds": thresholds, "discrimination": thresholds == "free"}
    prior = (1.0, 2.0, 3.0, 1.5, 4.0)
    model = evaluator(frame, category_prior=prior, **settings)
    turned = frame.assign(rating=6 - frame["rating"])
    mirror = evaluator(turned, category_prior=prior[::-1], **settings)
    named = values(model)
    opposite = {
        name: -value if name.endswith("_z") and name not in ("gap_z", "discrimination_z") else value
        for name, value in named.items()
    }
    opposite["population_thresholds"] = -named["population_thresholds"][::-1]
    if thresholds == "free":
        opposite["gap_z"] = named["gap_z"][:, ::-1]
    assert mirror.log_density(opposite) == pytest.approx(model.log_density(named), rel=1e-10)


def test_renaming_systems_permutes_the_density(frame: pd.DataFrame):
    order = np.array([2, 0, 1])
    model = evaluator(frame)
    renamed = evaluator(frame.assign(system=order[frame["system"]]))
    named = values(model)
    permuted = dict(named)
    for name in ("quality_z", "interaction_z", "taste_z"):
        permuted[name] = np.empty_like(named[name])
        permuted[name][order] = named[name]
    assert renamed.log_density(permuted) == pytest.approx(model.log_density(named), rel=1e-12)


def test_a_count_is_so_many_rows(frame: pd.DataFrame):
    counted = frame.assign(count=np.arange(len(frame)) % 3 + 1)
    rows = counted.loc[counted.index.repeat(counted["count"])].assign(count=1)
    one, other = evaluator(counted), evaluator(rows)
    named = values(one)
    assert one.log_density(named) == pytest.approx(other.log_density(named), rel=1e-12)


def test_a_constant_in_thresholds_and_severity_cancels_in_the_likelihood(frame: pd.DataFrame):
    model = evaluator(frame, thresholds="free", discrimination=True)
    named = values(model)
    moved = {
        **named,
        "population_thresholds": named["population_thresholds"] + 1.3,
        "severity_z": named["severity_z"] - 1.3 / named["severity_sd"],
    }
    np.testing.assert_allclose(model.log_lik(moved), model.log_lik(named), rtol=1e-10)


def test_thresholds_prior_is_the_dirichlet_of_the_category_probabilities(frame: pd.DataFrame):
    prior = np.array([1.0, 2.0, 3.0, 1.5, 4.0])
    model = evaluator(frame, effects=ONLY_QUALITY, thresholds="common", category_prior=tuple(prior))
    first, second = values(model, seed=1), values(model, seed=2)
    second = {**first, "population_thresholds": second["population_thresholds"]}

    def expected(named: Named) -> float:
        c = named["population_thresholds"]
        p = np.diff(norm.cdf(np.concatenate([[-np.inf], c, [np.inf]])))
        return dirichlet.logpdf(p / p.sum(), prior) + norm.logpdf(c).sum()

    def found(named: Named) -> float:
        return model.log_density(named) - model.log_likelihood(named)

    assert found(second) - found(first) == pytest.approx(expected(second) - expected(first))


def test_a_uniform_prior_of_two_categories_is_a_normal_threshold(frame: pd.DataFrame):
    frame = frame.assign(rating=frame["rating"].clip(upper=2))
    model = evaluator(frame, 2, effects=ONLY_QUALITY, thresholds="common", category_prior=1.0)
    named = values(model)
    zero = {**named, "population_thresholds": np.zeros(1)}
    prior = [model.log_density(v) - model.log_likelihood(v) for v in (named, zero)]
    c = named["population_thresholds"][0]
    assert prior[0] - prior[1] == pytest.approx(-(c**2) / 2)


def test_uncorrelated_criteria_are_separate_and_those_are_single_models(frame: pd.DataFrame):
    frame = frame.assign(criterion=np.arange(len(frame)) % 2)
    effects = ONLY_QUALITY | {"difficulty": True}
    settings: dict[str, Any] = {"thresholds": "shifted", "effects": effects}
    separate = evaluator(frame, criteria="separate", **settings)
    named = values(separate)
    total = 0.0
    for q in range(2):
        rows = frame[frame["criterion"] == q].drop(columns="criterion")
        single = evaluator(rows, **settings)
        total += single.log_density({name: value[q] for name, value in named.items()})
    assert separate.log_density(named) == pytest.approx(total, rel=1e-12)

    correlated = evaluator(frame, criteria="correlated", **settings)
    factors = {
        f"{name}_factor": np.array([named[f"{name}_sd"][0], 0.0, named[f"{name}_sd"][1]])
        for name in ("quality", "severity", "difficulty")
    }
    np.testing.assert_allclose(
        correlated.log_lik({**named, **factors}), separate.log_lik(named), rtol=1e-10
    )


def test_long_scale_agrees_with_a_short_one_that_has_the_same_thresholds(frame: pd.DataFrame):
    settings: dict[str, Any] = {"thresholds": "common", "effects": ONLY_QUALITY}
    smooth = evaluator(frame, 14, **settings)
    short = evaluator(frame, 14, category_prior=2.0, **settings)
    named = values(smooth)
    named["threshold_roughness"] = np.array(0.4)
    increments = 0.4 / np.sqrt(14 - 3) * named["threshold_steps"]
    walk = np.concatenate([[0], np.cumsum(increments)])
    gaps = np.exp(named["threshold_width"] + walk) / np.exp(walk).sum()
    position = np.concatenate([[0], np.cumsum(gaps)])
    thresholds = position - position.mean() + named["threshold_centre"]
    np.testing.assert_allclose(population_thresholds(named), thresholds, rtol=1e-12)
    assert np.log(thresholds[-1] - thresholds[0]) == pytest.approx(named["threshold_width"])
    same = {"quality_sd": named["quality_sd"], "quality_z": named["quality_z"]}
    np.testing.assert_allclose(
        short.log_lik({**same, "population_thresholds": thresholds}),
        smooth.log_lik(named),
        rtol=1e-9,
    )
