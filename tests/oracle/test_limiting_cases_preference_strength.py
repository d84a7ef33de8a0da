"""The limiting cases of models/preference_strength/card.md, and relations of its programs.

Everything is evaluated on the package's PyMC model. Values go by the names of its free variables;
effects are standardised (``_z``). That systems mirror each other and masses sum to one, on the
compiled density, is in tests/families/test_preference_strength.py.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import bayeseval as be
from bayeseval.families._declaration import FloatArray
from bayeseval.families._predictors import PredictorFamily
from bayeseval.judgements import (
    Judgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)
from tests.oracle.evaluate import Evaluator

ROWS, SYSTEMS, ANNOTATORS, ITEMS = 15, 3, 4, 2
RESPONSES = ("graded", "ordered_beta", "student_t")
OWN = {"graded": "log_gap", "ordered_beta": "log_precision", "student_t": "log_spread"}
EVERY = ("interaction", "taste", "log_scale", "side_bias", *OWN.values())

type Named = dict[str, FloatArray]


@pytest.fixture
def frame() -> pd.DataFrame:
    """Grades -2..2 of pairs in both orders, each grade at least once."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"annotator": rng.integers(0, ANNOTATORS, ROWS)})
    frame["item"] = rng.integers(0, ITEMS, ROWS)
    frame["a"] = np.arange(ROWS) % SYSTEMS
    frame["b"] = (frame["a"] + rng.integers(1, SYSTEMS, ROWS)) % SYSTEMS
    frame["strength"] = rng.permutation(np.arange(ROWS) % 5) - 2.0
    return frame.assign(count=1)


def strengths(frame: pd.DataFrame, bound: float = 2) -> StrengthJudgements:
    """Count answers from the lower end: grades are whole numbers there, even in number or odd."""
    return StrengthJudgements.from_frame(
        frame.assign(strength=frame["strength"] + bound),
        annotator="annotator",
        system_a="a",
        system_b="b",
        item="item",
        strength="strength",
        bounds=(0, 2 * bound),
        positive="a",
        count="count",
        repeats=True,
    )


def built(family: Any, judgements: Judgements) -> Evaluator:
    """Build the model of every row, with standardised effects only."""
    declared = family.declare(judgements)
    plain = tuple(replace(effect, centring=0.0) for effect in declared.effects)
    declaration = replace(declared, effects=plain)
    # A family may count different answers to one question in one cell; rows need them apart.
    return Evaluator(declaration, PredictorFamily.cells(family, declaration, judgements))


def evaluator(frame: pd.DataFrame, *effects: str, bound: float = 2, **settings: Any) -> Evaluator:
    chosen = {name: name in effects for name in EVERY}
    family = be.PreferenceStrength(effects=chosen, **settings)
    return built(family, strengths(frame, bound))


def values(model: Evaluator, seed: int = 5) -> Named:
    """Draw values of all free variables of a model, not from its prior: bolder."""
    rng = np.random.default_rng(seed)
    named: Named = {}
    zero_sum = {f"{e.name}_z" for e in model.declaration.effects if e.zero_sum}
    for name, shape in model.shapes.items():
        value = rng.normal(size=shape)
        if name.endswith("_sd"):
            value = np.exp(0.5 * value - 0.3)
        elif name.endswith("_probability"):
            value = 0.3 / (1.0 + np.exp(-value))
        elif name == "degrees_of_freedom":
            value = np.exp(value + 1.5)
        if name in zero_sum:
            value = value - value.mean(axis=-1, keepdims=True)
        named[name] = value
    return named


def difference(named: Named, frame: pd.DataFrame) -> FloatArray:
    quality = named["quality_sd"] * named["quality_z"]
    return quality[frame["a"].to_numpy()] - quality[frame["b"].to_numpy()]


def test_three_grades_without_annotators_are_thurstones_model_with_ties(frame: pd.DataFrame):
    frame = frame.assign(strength=np.sign(frame["strength"]))
    graded = evaluator(frame, "side_bias", bound=1)
    outcome = frame["strength"].map({-1: "b", 0: "tie", 1: "a"})
    compared = PairwiseJudgements.from_frame(
        frame.assign(outcome=outcome),
        annotator="annotator",
        system_a="a",
        system_b="b",
        outcome="outcome",
        item="item",
        count="count",
        repeats=True,
    )
    family = be.Thurstone(annotators="none", position=True, items=False)
    thurstone = built(family, compared)
    named = values(graded)
    same = {name: named[name] for name in ("quality_sd", "quality_z")}
    same["position_effect"] = named["side_bias"]
    same["tie_propensity"] = np.exp(named["log_width_0"]) / 2
    np.testing.assert_allclose(graded.log_lik(named), thurstone.log_lik(same), rtol=1e-9)


def test_two_grades_are_the_probit_of_the_predictor(frame: pd.DataFrame):
    sign = np.where(frame["strength"] > 0, 1.0, -1.0)
    model = evaluator(frame.assign(strength=0.5 * sign), "log_scale", "side_bias", bound=0.5)
    assert not [name for name in model.names if name.startswith(("log_width", "log_gap"))]
    named = values(model)
    scale = np.exp(named["log_scale_sd"] * named["log_scale_z"])[frame["annotator"].to_numpy()]
    eta = scale * (difference(named, frame) + named["side_bias"])
    np.testing.assert_allclose(model.log_lik(named), norm.logcdf(sign * eta), rtol=1e-9)


@pytest.mark.parametrize("response", RESPONSES)
def test_a_model_whose_effects_are_zero_is_the_one_without_them(frame: pd.DataFrame, response: Any):
    effects = ("interaction", "taste", "log_scale", "side_bias", OWN[response])
    larger, smaller = (evaluator(frame, *e, response=response) for e in (effects, ()))
    named = values(larger)
    free = {effect: effect if effect == "side_bias" else f"{effect}_z" for effect in effects}
    zero = named | {name: np.zeros_like(named[name]) for name in free.values()}
    expected = smaller.log_lik({name: named[name] for name in smaller.names})
    np.testing.assert_allclose(larger.log_lik(zero), expected, rtol=1e-10)
    for effect, name in free.items():
        one = larger.log_lik(zero | {name: named[name]})
        assert not np.allclose(one, expected, rtol=1e-3), effect


def swapped(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(a=frame["b"], b=frame["a"], strength=-frame["strength"])


@pytest.mark.parametrize("response", RESPONSES)
def test_systems_exchanged_give_the_same_density_with_the_opposite_bias(
    frame: pd.DataFrame, response: Any
):
    effects = ("interaction", "taste", "log_scale", "side_bias", OWN[response])
    model = evaluator(frame, *effects, response=response)
    mirror = evaluator(swapped(frame), *effects, response=response)
    named = values(model)
    opposite = named | {"side_bias": -named["side_bias"]}
    assert mirror.log_density(opposite) == pytest.approx(model.log_density(named), rel=1e-10)
    assert mirror.log_density(named) != pytest.approx(model.log_density(named), rel=1e-3)


def test_systems_exchanged_turn_free_widths_round(frame: pd.DataFrame):
    settings: dict[str, Any] = {"thresholds": "free"}
    model = evaluator(frame, "log_gap", "side_bias", **settings)
    mirror = evaluator(swapped(frame), "log_gap", "side_bias", **settings)
    named = values(model)
    opposite = named | {"side_bias": -named["side_bias"]}
    assert mirror.log_density(opposite) != pytest.approx(model.log_density(named), rel=1e-3)
    turned = opposite | {f"log_width_{j}": named[f"log_width_{2 - j}"] for j in range(3)}
    assert mirror.log_density(turned) == pytest.approx(model.log_density(named), rel=1e-10)


@pytest.mark.parametrize(
    ("bound", "shared"),
    [(2.0, (1, 0, 1)), (2.5, (1, 0, 0, 1))],
    ids=["a grade in the middle", "a threshold in the middle"],
)
def test_free_thresholds_with_mirrored_widths_are_the_symmetric_ones(
    frame: pd.DataFrame, bound: float, shared: tuple[int, ...]
):
    frame = frame.assign(strength=frame["strength"] - (bound - 2.0))
    symmetric = evaluator(frame, "log_gap", "side_bias", bound=bound)
    free = evaluator(frame, "log_gap", "side_bias", bound=bound, thresholds="free")
    named = values(symmetric)
    widths = {f"log_width_{j}": named[f"log_width_{own}"] for j, own in enumerate(shared)}
    np.testing.assert_allclose(free.log_lik(named | widths), symmetric.log_lik(named), rtol=1e-9)


def test_without_a_middle_a_slider_is_the_ordered_beta_of_stated_probabilities(
    frame: pd.DataFrame,
):
    frame = frame.assign(strength=frame["strength"].replace({0.0: 0.4, 1.0: 1.3}))
    stated = SPAJudgements.from_frame(
        frame.assign(probability=(frame["strength"] / 2 + 1) / 2),
        annotator="annotator",
        system_a="a",
        system_b="b",
        item="item",
        probability="probability",
        bounds=(0, 1),
        count="count",
        repeats=True,
    )
    effects = {"interaction": True, "taste": True, "log_precision": True}
    # With a bias the two differ: a side's is stretched by the annotator, a direction's is not.
    none = {"pair": False, "log_extremity": True, "direction_bias": False}
    # A standard deviation of y / X is twice that of a probability.
    probability = built(be.OrderedBeta(resolution=0.03, effects=effects | none), stated)
    chosen = (*effects, "log_scale")
    slider = evaluator(frame, *chosen, response="ordered_beta", resolution=0.06)
    assert "middle_probability" not in slider.names
    named = values(slider)
    same = {name.replace("log_scale", "log_extremity"): value for name, value in named.items()}
    expected = probability.log_lik(same)
    np.testing.assert_allclose(slider.log_lik(named), expected, rtol=1e-10)

    # ... and so is one with a middle that is never taken, off the middle
    at_middle = frame.index == 4
    middle = evaluator(
        frame.assign(strength=frame["strength"].mask(at_middle, 0.0)),
        *chosen,
        response="ordered_beta",
        resolution=0.06,
    )
    found = middle.log_lik(named | {"middle_probability": np.array(1e-14)})
    np.testing.assert_allclose(found[~at_middle], expected[~at_middle], rtol=1e-10)


def test_points_of_many_degrees_of_freedom_are_normal_and_censored(frame: pd.DataFrame):
    model = evaluator(frame, "log_spread", response="student_t", resolution=0.05)
    named = values(model) | {"degrees_of_freedom": np.array(1e6)}
    own = named["log_spread_sd"] * named["log_spread_z"][frame["annotator"].to_numpy()]
    spread = np.hypot(np.exp(named["log_spread_mean"] + own), 0.05 * 2)
    y = frame["strength"].to_numpy()
    z = (y - difference(named, frame)) / spread
    beyond = norm.logcdf(np.where(y > 0, -z, z))
    expected = np.where(np.abs(y) == 2, beyond, norm.logpdf(z) - np.log(spread))
    np.testing.assert_allclose(model.log_lik(named), expected, rtol=1e-3)
    heavy = model.log_lik(named | {"degrees_of_freedom": np.array(2.0)})
    assert not np.allclose(heavy, expected, rtol=1e-2)


@pytest.mark.parametrize("response", ["ordered_beta", "student_t"])
def test_other_units_of_the_scale_give_the_same_model(frame: pd.DataFrame, response: Any):
    """A slider of -200..200 is one of -2..2; what is in points goes with the bound."""
    effects = ("taste", "log_scale", "side_bias", OWN[response])
    model = evaluator(frame, *effects, response=response)
    stretched = frame.assign(strength=100 * frame["strength"])
    other = evaluator(stretched, *effects, bound=200, response=response)
    named = values(model)
    scaled: Named = {}
    change = 0.0
    if response == "student_t":
        in_points = ("quality_sd", "taste_sd", "side_bias")
        scaled = {name: 100 * named[name] for name in in_points}
        scaled["log_spread_mean"] = named["log_spread_mean"] + np.log(100)
        n_inside = int((np.abs(frame["strength"]) < 2).sum())
        change = (len(in_points) + n_inside) * np.log(100)  # densities by a point
    found = other.log_density(named | scaled) + change
    assert found == pytest.approx(model.log_density(named), rel=1e-8)


def test_renaming_systems_permutes_the_density(frame: pd.DataFrame):
    effects = ("interaction", "taste", "side_bias")
    order = np.array([2, 0, 1])
    renamed = frame.assign(a=order[frame["a"]], b=order[frame["b"]])
    model = evaluator(frame, *effects)
    other = evaluator(renamed, *effects)
    named = values(model)
    permuted = dict(named)
    for name in ("quality_z", "interaction_z", "taste_z"):
        permuted[name] = np.empty_like(named[name])
        permuted[name][order] = named[name]
    assert other.log_density(permuted) == pytest.approx(model.log_density(named), rel=1e-12)


def test_a_count_is_so_many_rows(frame: pd.DataFrame):
    counted = frame.assign(count=np.arange(ROWS) % 3 + 1)
    repeated = counted.loc[counted.index.repeat(counted["count"])].assign(count=1)
    one, other = (evaluator(f, "log_gap") for f in (counted, repeated))
    named = values(one)
    assert one.log_density(named) == pytest.approx(other.log_density(named), rel=1e-12)
