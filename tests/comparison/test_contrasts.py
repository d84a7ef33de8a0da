from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import norm

from bayeseval.comparison import compare, rank
from bayeseval.errors import BayesEvalError
from tests.fakes import FakeConvergence, FakePosterior, make_posterior


@pytest.fixture
def posterior() -> FakePosterior:
    return make_posterior(
        [0.5, 0.45, -0.4], [0.02, 0.02, 0.3], systems=("alpha", "beta", "gamma"), draws=5000
    )


def test_all_pairs_come_best_first_with_the_higher_ranked_as_a(posterior: FakePosterior) -> None:
    frame = compare(posterior).to_frame()
    pairs = list(zip(frame["system_a"], frame["system_b"], strict=True))
    assert pairs == [("alpha", "beta"), ("alpha", "gamma"), ("beta", "gamma")]
    assert (frame["p_a_better"] > 0.5).all()
    assert rank(posterior).parts[0].systems == ("alpha", "beta", "gamma")


def test_quality_contrast_of_independent_normals_has_the_closed_form(
    posterior: FakePosterior,
) -> None:
    row = compare(posterior, [("beta", "gamma")], quantity="quality").to_frame().iloc[0]
    sd = np.hypot(0.02, 0.3)
    assert row["estimate"] == pytest.approx(0.85, abs=0.02)
    assert row["sd"] == pytest.approx(sd, rel=0.05)
    assert row["lower"] == pytest.approx(0.85 - 1.96 * sd, abs=0.04)
    assert row["p_a_better"] == pytest.approx(norm.cdf(0.85 / sd), abs=0.01)


@pytest.mark.parametrize("quantity", ["win_probability", "quality", "expected_rating"])
def test_swapping_a_and_b_mirrors_the_row(posterior: FakePosterior, quantity: str) -> None:
    frame = compare(
        posterior,
        [("alpha", "gamma"), ("gamma", "alpha")],
        quantity=quantity,
        rope=(0.4, 0.6) if quantity == "win_probability" else (-0.3, 0.3),
    ).to_frame()
    there, back = frame.iloc[0], frame.iloc[1]
    twice = 1.0 if quantity == "win_probability" else 0.0
    assert there["estimate"] + back["estimate"] == pytest.approx(twice)
    assert there["lower"] + back["upper"] == pytest.approx(twice)
    assert there["p_a_better"] + back["p_a_better"] == pytest.approx(1)
    assert there["p_in_rope"] == pytest.approx(back["p_in_rope"])
    assert (there["verdict"], back["verdict"]) == ("A better", "B better")


def test_probabilities_around_the_rope_sum_to_one_and_decide_the_verdict(
    posterior: FakePosterior,
) -> None:
    frame = compare(posterior, rope=(0.45, 0.55)).to_frame()
    total = frame["p_in_rope"] + frame["p_above_rope"] + frame["p_below_rope"]
    assert total.tolist() == pytest.approx([1.0] * 3)
    assert frame["verdict"].tolist() == ["equivalent", "A better", "A better"]
    wide = compare(posterior, [("alpha", "gamma")], rope=(0.25, 0.75)).to_frame()
    assert wide["verdict"].tolist() == ["undecided"]


def test_verdict_is_absent_without_a_rope(posterior: FakePosterior) -> None:
    comparison = compare(posterior)
    assert "verdict" not in comparison.to_frame()
    assert comparison.verdict_rule is None
    assert "erdict" not in repr(comparison)


def test_ties_between_systems_count_half() -> None:
    frame = compare(make_posterior([0.0, 0.0], 0.0), quantity="quality").to_frame()
    assert frame["p_a_better"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("rope", "quantity", "message"),
    [
        ((0.45, 0.55), "quality", r"around 0, where A and B are alike.*got \(0.45, 0.55\)"),
        ((-0.1, 0.1), "win_probability", r"around 0.5.*such as \(0.45, 0.55\)"),
        ((0.55, 0.45), "win_probability", r"got \(0.55, 0.45\)"),
        ((0.0, 1.0), "win_probability", r"strictly within \(0, 1\)"),
        ((-5, 5), "expected_rating", r"strictly within \(-4, 4\)"),
        ((float("nan"), 0.6), "win_probability", "finite"),
        (0.1, "quality", "two numbers"),
        ((0.1, 0.2, 0.3), "quality", "two numbers"),
    ],
)
def test_rope_that_does_not_fit_the_quantity_is_refused(
    posterior: FakePosterior, rope: tuple[float, float], quantity: str, message: str
) -> None:
    with pytest.raises(BayesEvalError, match=message):
        compare(posterior, rope=rope, quantity=quantity)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("alpha", "gama")], "no system 'gama'.*Did you mean 'gamma'"),
        (("alpha", "beta"), "Put the pair in a list"),
        ("alpha", "Put the pair in a list"),
        ([("alpha", "beta", "gamma")], "two systems"),
        (["ab", "cd", "ef"], "two systems"),
        ([("alpha", "alpha")], "two different systems"),
        ([], "pairs is empty"),
        ([("alpha", "beta"), ("alpha", "beta")], r"\('alpha', 'beta'\) more than once"),
    ],
)
def test_wrong_pairs_are_refused(posterior: FakePosterior, pairs: object, message: str) -> None:
    with pytest.raises(BayesEvalError, match=message):
        compare(posterior, pairs)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"quantity": "win_probabilty"}, "Did you mean 'win_probability'"),
        ({"quantity": "category_probability"}, "say which with category="),
        ({"quantity": "category_probability", "category": "9"}, "no category '9'"),
        ({"quantity": "quality", "category": "1"}, "has no categories"),
        ({"quantity": "expected_rating", "category": "1"}, "has no categories"),
        ({"population": "old"}, "population must be"),
        ({"verdict_prob": 0.4}, "verdict_prob must be"),
        ({"by": "day"}, "no moderator at all"),
        ({"criterion": "fluency"}, "no criterion at all"),
    ],
)
def test_wrong_arguments_are_refused(
    posterior: FakePosterior, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(BayesEvalError, match=message):
        compare(posterior, **arguments)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("function", [rank, compare])
@pytest.mark.parametrize("found", ["posterior.nc", None])
def test_what_is_no_posterior_is_refused(function: Callable[..., object], found: object) -> None:
    with pytest.raises(BayesEvalError, match=f"needs a posterior.*{type(found).__name__}"):
        function(found)


def test_one_system_cannot_be_compared() -> None:
    with pytest.raises(BayesEvalError, match=r"at least two systems.*'system 1' alone"):
        compare(make_posterior([0.0]))


def test_probability_of_a_category_is_said_to_be_larger_not_better(
    posterior: FakePosterior,
) -> None:
    comparison = compare(
        posterior,
        [("gamma", "alpha")],
        quantity="category_probability",
        category=1,
        rope=(-0.01, 0.01),
    )
    assert comparison.to_frame()["verdict"].tolist() == ["A larger"]
    assert "better" not in repr(comparison)
    assert "category 1" in repr(comparison)


def test_criteria_and_levels_are_compared_on_their_own() -> None:
    two = make_posterior([1.0, -1.0], 0.1, criteria=("fluency", "coherence"))
    frame = compare(two).to_frame()
    assert frame["criterion"].tolist() == ["fluency", "coherence"]
    assert frame["system_a"].tolist() == ["system 1", "system 2"]
    assert len(compare(two, criterion="coherence")) == 1
    days = make_posterior([1.0, -1.0], 0.1, by=("day", ("1", "2")))
    fixed = compare(days, [("system 1", "system 2")], by="day").to_frame()
    assert fixed["level"].tolist() == ["1", "2"]
    assert fixed["p_a_better"].tolist() == [1.0, 0.0]
    rating = compare(days, by="day", level="2", quantity="expected_rating").to_frame()
    assert rating["system_a"].tolist() == ["system 2"]
    assert rating["estimate"].item() > 0


def test_intervals_say_their_kind_and_probability(posterior: FakePosterior) -> None:
    text = repr(compare(posterior, ci_prob=0.9, ci_kind="hdi"))
    assert "90 % highest-density" in text.replace("\n", " ")


def test_expected_wrong_choices_sum_over_the_pairs(posterior: FakePosterior) -> None:
    comparison = compare(posterior)
    p = comparison.to_frame()["p_a_better"]
    assert comparison.expected_wrong == pytest.approx((1 - p).sum())


def test_failed_convergence_is_said_above_the_table(posterior: FakePosterior) -> None:
    bad = posterior.but(convergence=FakeConvergence(ok=False))
    for text in (repr(compare(bad)), compare(bad).to_html(), compare(bad).to_latex()):
        assert "NOT CONVERGED" in text
