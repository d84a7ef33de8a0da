"""Preference strength: limits and relations of the card, defaults, and what designs identify."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

import bayeseval as be
from bayeseval.errors import DesignError, ModelError
from bayeseval.families._declaration import FloatArray
from bayeseval.families._strength_response import BETWEEN, HIGH, LOW, MIDDLE, StrengthResponse
from bayeseval.judgements import StrengthJudgements


def table(answers: list[float], *, bound: float = 2, **changes: Any) -> StrengthJudgements:
    n = len(answers)
    frame = pd.DataFrame(
        {
            "who": [f"r{k % 3}" for k in range(n)],
            "a": [f"s{k % 3}" for k in range(n)],
            "b": [f"s{(k + 1 + k % 2) % 3}" for k in range(n)],
            "answer": answers,
        }
    )
    return StrengthJudgements.from_frame(
        frame,
        annotator="who",
        system_a="a",
        system_b="b",
        strength="answer",
        bounds=bound,
        positive="a",
        repeats=True,
        **changes,
    )


GRADES = table([-2, -1, 0, 1, 2, 0, 1, -1, 2, 2, 0, -2])
SLIDER = table([-50, -12.5, 0, 50, 3.25, 7, 0, -49, 12, 50, 1, -3], bound=50)


def response_of(family: be.PreferenceStrength, judgements: StrengthJudgements) -> StrengthResponse:
    return family.declare(judgements).response


def log_p(
    response: StrengthResponse,
    answer: list[FloatArray],
    predictors: FloatArray,
    scalars: dict[str, float],
) -> FloatArray:
    """Log probability of answers for given predictors, dims (cell,)."""
    n = answer[0].size
    found, bar = np.empty(n), np.empty_like(predictors)
    values = np.array([[scalars[scalar.name] for scalar in response.scalars]])
    response.kernel(
        predictors,
        np.stack(answer),
        np.zeros(n, dtype=np.int32),
        values,
        response.options,
        found,
        bar,
        np.zeros_like(values),
        np.ones(n),
    )
    return found


def predictors(n: int, *, difference: float, log_scale: float = 0.0, own: float = 0.0) -> Any:
    return np.repeat([[difference], [log_scale], [own]], n, axis=1)


GRADED = {"log_width_0": -0.4, "log_width_1": 0.2, "log_width_2": -0.1, "side_bias": 0.0}
ENDS = {"end_probability": 0.12, "middle_probability": 0.3, "log_precision_mean": 1.4}
POINTS = {"degrees_of_freedom": 3.5, "log_spread_mean": 2.2}


def test_grades_are_the_default_of_graded_scales_and_the_slider_of_others() -> None:
    assert response_of(be.PreferenceStrength(), GRADES).response == "graded"
    assert response_of(be.PreferenceStrength(), SLIDER).response == "ordered_beta"
    assert "read as the 5 grades" in str(
        be.PreferenceStrength().describe(be.PreferenceStrength().declare(GRADES))
    )


@pytest.mark.parametrize("thresholds", ["symmetric", "free"])
def test_probabilities_of_grades_sum_to_one(thresholds: Any) -> None:
    response = response_of(be.PreferenceStrength(thresholds=thresholds), GRADES)
    for difference in (-6.0, -0.3, 0.0, 2.0):
        found = log_p(
            response,
            response.answer_of(np.arange(5.0)),
            predictors(5, difference=difference, log_scale=0.3, own=-0.4),
            GRADED,
        )
        assert np.exp(found).sum() == pytest.approx(1.0, abs=1e-12)


def test_grades_are_the_cumulative_probit_by_hand() -> None:
    response = response_of(be.PreferenceStrength(), GRADES)
    found = log_p(
        response,
        response.answer_of(np.arange(5.0)),
        predictors(5, difference=0.7, log_scale=0.2, own=0.1),
        GRADED,
    )
    inner, outer = np.exp(-0.4) / 2, np.exp(-0.4) / 2 + np.exp(0.2)
    cuts = np.exp(0.1) * np.array([-np.inf, -outer, -inner, inner, outer, np.inf])
    expected = np.diff(norm.cdf(cuts - np.exp(0.2) * 0.7))
    assert np.exp(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", ["graded", "ordered_beta", "student_t"])
def test_swapping_the_systems_mirrors_the_answers(kind: Any) -> None:
    family = be.PreferenceStrength(response=kind)
    response = response_of(family, GRADES if kind == "graded" else SLIDER)
    scalars = GRADED | ENDS | POINTS
    if kind == "graded":
        grades = np.arange(5.0)
        answer, mirrored = response.answer_of(grades), response.answer_of(4.0 - grades)
    elif kind == "ordered_beta":
        y = np.array([0.5, 0.5, 0.5, 0.1, 0.7])
        what = np.array([LOW, HIGH, MIDDLE, BETWEEN, BETWEEN])
        turned = np.array([HIGH, LOW, MIDDLE, BETWEEN, BETWEEN])
        answer, mirrored = [what, np.log(y), np.log1p(-y)], [turned, np.log1p(-y), np.log(y)]
    else:
        y = np.array([-50.0, 50.0, 0.0, -20.0, 33.0])
        what = np.array([LOW, HIGH, BETWEEN, BETWEEN, BETWEEN])
        answer, mirrored = [what, y], [-what, -y]
    here = log_p(
        response, answer, predictors(5, difference=0.8, log_scale=0.2), scalars | {"side_bias": 0.4}
    )
    there = log_p(
        response,
        mirrored,
        predictors(5, difference=-0.8, log_scale=0.2),
        scalars | {"side_bias": -0.4},
    )
    assert here == pytest.approx(there, rel=1e-12)


@pytest.mark.parametrize("difference", [-3.0, 0.0, 1.2])
def test_masses_and_density_of_a_slider_sum_to_one(difference: float) -> None:
    response = response_of(be.PreferenceStrength(response="ordered_beta"), SLIDER)
    # A wide grid of logits: the beta's density falls off at both of its ends.
    x = np.linspace(-300.0, 300.0, 400_001)
    log_y, log_rest = -np.log1p(np.exp(-x)), -np.log1p(np.exp(x))
    inside = np.exp(
        log_p(
            response,
            [np.zeros(x.size), log_y, log_rest],
            predictors(x.size, difference=difference),
            ENDS | {"side_bias": 0.0},
        )
        + log_y
        + log_rest
    ).sum() * (x[1] - x[0])
    masses = np.exp(
        log_p(
            response,
            [np.array([LOW, HIGH, MIDDLE]), np.zeros(3), np.zeros(3)],
            predictors(3, difference=difference),
            ENDS | {"side_bias": 0.0},
        )
    )
    assert masses.sum() + inside == pytest.approx(1.0, abs=1e-6)
    if difference == 0.0:
        # The card: chances between equal systems.
        assert masses == pytest.approx([0.12 / 2, 0.12 / 2, 0.3 * 0.88], rel=1e-12)


def test_points_are_student_t_censored_at_the_ends() -> None:
    response = response_of(be.PreferenceStrength(response="student_t"), SLIDER)
    y = np.array([-50.0, 50.0, 10.0])
    found = log_p(
        response,
        [np.array([LOW, HIGH, BETWEEN]), y],
        predictors(3, difference=12.0, log_scale=0.5, own=0.3),
        POINTS | {"side_bias": 2.0},
    )
    spread = np.sqrt(np.exp(2 * (2.2 + 0.3)) + (0.02 * 50) ** 2)
    law: Any = t(3.5, loc=np.exp(0.5) * 14.0, scale=spread)
    assert found == pytest.approx([law.logcdf(-50), law.logsf(50), law.logpdf(10)], rel=1e-10)


def test_side_bias_needs_both_orders() -> None:
    def one_order() -> StrengthJudgements:
        frame = pd.DataFrame(
            {"a": ["x", "x", "x", "x"], "b": ["y", "z", "z", "y"], "v": [1, 2, 0, -1]}
        )
        return StrengthJudgements.from_frame(
            frame,
            annotator=None,
            system_a="a",
            system_b="b",
            strength="v",
            bounds=2,
            positive="a",
            repeats=True,
        )

    declaration = be.PreferenceStrength().declare(one_order())
    assert "one order" in declaration.left_out["side_bias"]
    assert not declaration.response.has_bias
    assert "annotator" in declaration.left_out["log_scale"]
    free = be.PreferenceStrength(thresholds="free").declare(one_order())
    # Free thresholds are centred, so the lean to one side is the bias.
    assert free.response.has_bias


def test_slider_without_an_exact_middle_has_no_mass_there() -> None:
    answers = [-50, -12.5, 1, 50, 3.25, 7, 2, -49]
    declaration = be.PreferenceStrength().declare(table(answers, bound=50))
    assert not declaration.response.middle
    assert "exactly the middle" in declaration.left_out["no preference"]
    assert "no_preference_probability" not in be.PreferenceStrength().estimands(declaration)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"response": "beta"}, "response= is one of 'auto'"),
        ({"thresholds": "equal"}, "thresholds= is 'symmetric' or 'free'"),
        ({"response": "student_t", "thresholds": "free"}, "no thresholds that could be free"),
        ({"resolution": -0.1}, "resolution= is a share"),
        ({"quality_sd_scale": 0.0}, "quality_sd_scale= is a positive number"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        be.PreferenceStrength(**settings)


def test_slider_cannot_be_read_as_grades() -> None:
    with pytest.raises(ModelError, match="needs whole grades"):
        be.PreferenceStrength(response="graded").declare(SLIDER)


def test_no_strengths_are_refused() -> None:
    likert = be.simulate_likert(n_annotators=2, n_systems=2, n_items=2, random_seed=1).judgements
    with pytest.raises(ModelError, match="models StrengthJudgements"):
        be.PreferenceStrength().declare(likert)
    assert issubclass(DesignError, be.BayesEvalError)
