"""Plans: against the formula of a test's power, and told apart from what ended half way."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayeseval as be
from bayeseval.errors import DesignError
from bayeseval.planning import Decided, Equivalent, OrderOfTop, Plan, Width, plan
from bayeseval.planning._simulations import _tested
from bayeseval.planning._truth import SIMULATORS, assumed
from tests.fakes import make_posterior

# The Bayesian bootstrap draws by itself, in milliseconds.
STATED: dict[str, Any] = {
    "protocol": "spa",
    "quality": {"A": 0.2, "B": 0.0, "C": -0.2},
    "taste_sd": 0.4,
}
QUICK: dict[str, Any] = {
    "family": be.BayesianBootstrap(),
    "n_jobs": 1,
    "progressbar": False,
    "draws": 200,
    "random_seed": 3,
}


def small(**changes: Any) -> Plan:
    settings = {"n_sims": 6, **QUICK, **changes}
    return plan(STATED, {"annotators": [4, 30], "items": [3]}, Decided("A", "C"), **settings)


def test_larger_studies_reach_the_goal_more_often_and_cost_more() -> None:
    found = small(n_sims=20, cost={"annotator": 5, "item": 1, "rating": 0.5})
    table = found.to_frame()
    assert table["annotators"].tolist() == [4, 30]
    assert table["judgements"].tolist() == [72, 540]
    assert table["cost"].tolist() == [4 * 5 + 3 + 36, 30 * 5 + 3 + 270]
    assert table["probability"].iloc[1] > table["probability"].iloc[0]
    assert table["width"].iloc[1] < table["width"].iloc[0]
    reached = table["probability"].tolist()
    assert found.cheapest(reached[0])["annotators"].tolist() == [4]
    assert found.cheapest(reached[0] + 1e-9)["annotators"].tolist() == [30]
    assert found.cheapest(reached[1] + 1e-9).empty
    assert "A against C decided" in str(found)
    assert "quality A 0.2" in str(found)


def test_power_of_the_test_equals_the_formula() -> None:
    """Strengths with normal noise, one an annotator: a one-sample t-test, whose power is known."""
    n, d, n_sims = 10, 0.8, 150
    rejected = 0
    for seed in range(n_sims):
        judgements = be.simulate_strength(
            n_annotators=n, n_systems=2, n_items=1, response="student_t", degrees_of_freedom=1e6,
            bound=1000, scale_sd=0.0, quality=np.array([d / 2, -d / 2]), random_seed=seed,
        ).judgements  # fmt: skip
        p, favours_a = _tested(judgements, "system 1", "system 2")
        rejected += p is not None and p < 0.05 and bool(favours_a)
    shift = d * np.sqrt(n)
    power = float(stats.nct.sf(stats.t.isf(0.025, n - 1), n - 1, shift))
    assert stats.binomtest(rejected, n_sims, power).pvalue > 1e-4


@pytest.mark.parametrize("protocol", sorted(SIMULATORS))
def test_every_protocol_has_a_test_that_takes_the_better_side(protocol: str) -> None:
    better = np.array([2.0, -2.0])
    for sign in (1, -1):
        study = SIMULATORS[protocol](
            n_annotators=12, n_systems=2, n_items=6, quality=sign * better, random_seed=1
        )
        p, favours_a = _tested(study.judgements, "system 1", "system 2")
        assert p is not None
        assert p < 0.05
        assert favours_a == (sign > 0)


def test_ended_plan_goes_on_to_the_same_table(tmp_path: Path) -> None:
    whole = small().to_frame()
    kept = small(store=tmp_path).to_frame()
    files = sorted(tmp_path.rglob("*.json"))
    assert len(files) == 2 * 6 * 2
    files[0].unlink()
    files[1].write_text('{"reached": tr')
    again = small(store=tmp_path).to_frame()
    pd.testing.assert_frame_equal(whole, kept)
    pd.testing.assert_frame_equal(whole, again)
    # Another seed is another plan, and reads none of these.
    small(store=tmp_path, random_seed=4)
    assert len(list(tmp_path.rglob("*.json"))) == 2 * len(files)


def test_studies_at_a_time_change_nothing() -> None:
    pd.testing.assert_frame_equal(
        small(n_equal=0).to_frame(), small(n_equal=0, n_jobs=2).to_frame()
    )


def test_ratings_per_item_thin_the_design() -> None:
    found = plan(
        STATED,
        {"annotators": [4, 8], "items": [10], "ratings_per_item": [2, 8]},
        Width(0.5, "A", "C"),
        n_sims=4,
        **QUICK,
    ).to_frame()
    # Eight of four annotators are no design.
    assert found[["annotators", "ratings_per_item"]].to_numpy().tolist() == [[4, 2], [8, 2], [8, 8]]
    assert found["judgements"].between([90, 90, 480], [150, 150, 480]).all()
    assert "false_decisions" not in found


def decided_posterior(gap: float, spread: float = 0.1) -> Any:
    return make_posterior([gap, 0.0, -gap], spread, systems=("A", "B", "C"))


TRUTH = {"A": 1.0, "B": 0.0, "C": -1.0}
TURNED = {"A": -1.0, "B": 0.0, "C": 1.0}


def test_goals_are_what_compare_says() -> None:
    clear, vague = decided_posterior(1.0), decided_posterior(0.0)
    assert Decided("A", "B").look(clear, TRUTH).reached
    wrong = Decided("A", "B").look(clear, TURNED)
    assert wrong.wrong
    assert not wrong.reached
    assert not Decided("A", "B").look(vague, TRUTH).reached
    row = be.compare(clear, [("A", "B")]).to_frame().iloc[0]
    assert Decided("A", "B").look(clear, TRUTH).width == row["upper"] - row["lower"]
    assert OrderOfTop(2).look(clear, TRUTH).reached
    assert OrderOfTop(2).look(clear, TURNED).wrong
    assert not OrderOfTop(2).look(vague, TRUTH).reached
    assert Equivalent("A", "B", margin=0.1).look(decided_posterior(0.0, 0.02), TRUTH).reached
    assert not Equivalent("A", "B", margin=0.1).look(clear, TRUTH).reached
    assert Width(0.3).look(clear, TRUTH).reached
    assert not Width(0.05).look(clear, TRUTH).reached


def test_systems_alike_have_no_right_order() -> None:
    assert OrderOfTop(1).look(decided_posterior(1.0), {"A": 1.0, "B": 1.0, "C": 0.0}).wrong


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"base": 3}, "assumed truth such as"),
        ({"base": {"protocol": "liker"}}, "Did you mean 'likert'"),
        ({"base": {"protocol": "likert"}}, "true quality"),
        ({"base": {**STATED, "tast_sd": 1.0}}, "Did you mean 'taste_sd'"),
        ({"base": {**STATED, "n_items": 3}}, "the grid says it"),
        ({"grid": {}}, "which numbers to try"),
        ({"grid": {"annotator": [3]}}, "Did you mean 'annotators'"),
        ({"grid": {"items": [3]}}, "how many annotators"),
        ({"grid": {"annotators": [0]}}, "whole number from 1"),
        ({"grid": {"annotators": 5}}, "must be a list"),
        ({"grid": {"annotators": [2], "ratings_per_item": [3]}}, "no design of the grid"),
        ({"goal": 0.8}, "Decided('A', 'B')"),
        ({"goal": Decided("A", "D")}, "names a system 'D'"),
        ({"goal": OrderOfTop(4)}, "no 4 best"),
        ({"cost": {"annotators": 3}}, "Did you mean 'annotator'"),
        ({"cost": {"rating": -1}}, "from 0 upwards"),
        ({"n_sims": 1}, "n_sims="),
        ({"alpha": 5}, "alpha="),
    ],
)
def test_what_is_impossible_is_refused_in_words(changes: dict[str, Any], words: str) -> None:
    asked: dict[str, Any] = {"base": STATED, "grid": {"annotators": [2]}, "goal": Decided("A", "C")}
    asked |= QUICK | {"n_sims": 2} | changes
    with pytest.raises(DesignError, match=words.replace("(", r"\(").replace(")", r"\)")):
        plan(asked.pop("base"), asked.pop("grid"), asked.pop("goal"), **asked)


def test_goals_that_are_none_are_refused() -> None:
    with pytest.raises(DesignError, match="found 'A' twice"):
        Decided("A", "A")
    with pytest.raises(DesignError, match=r"between 0\.5 and 1"):
        Decided("A", "B", prob=0.3)
    with pytest.raises(DesignError, match="between 0 and 1"):
        Width(2.0)
    with pytest.raises(DesignError, match="both systems"):
        Width(0.2, "A")
    with pytest.raises(DesignError, match="margin="):
        Equivalent("A", "B", margin=0.9)


def test_a_pilot_gives_every_setting_of_a_simulation() -> None:
    """Its draws are the truth of simulated studies; an effect it leaves out is none."""
    judgements = be.simulate_pairwise(
        n_annotators=6, n_systems=3, n_items=4, ties="davidson", random_seed=2
    ).judgements
    pilot = be.fit(
        judgements,
        be.BradleyTerry(annotators="none", items=False),
        method="laplace",
        random_seed=1,
        progressbar=False,
    )
    truth = assumed(pilot)
    draws = pilot.posterior.stack(sample=("chain", "draw")).transpose("sample", ...)
    assert truth.systems == pilot.systems
    assert truth.settings["ties"] == "davidson"
    given = np.sort([settings["tie_propensity"] for settings in truth.drawn])
    assert np.allclose(given, np.sort(draws["tie_propensity"].values))
    quality = {tuple(np.round(settings["quality"], 9)) for settings in truth.drawn}
    assert quality == {tuple(row) for row in np.round(draws["quality"].values, 9)}
    assert all(settings["consistency_sd"] == 0.0 for settings in truth.drawn)
    quick: dict[str, Any] = {**QUICK, "family": be.TrueSkill(shuffles=2, resamples=2), "n_sims": 2}
    found = plan(pilot, {"annotators": [4]}, Decided(pilot.systems[0], pilot.systems[1]), **quick)
    assert "draw of the pilot" in str(found)


@pytest.mark.sampling
def test_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path(__file__).parents[2] / "docs" / "howto" / "plan_a_study.md"
    code = page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    for large, little in (
        ("n_sims=200", "n_sims=2, n_equal=0, n_jobs=1, draws=100"),
        ("[5, 10, 20]", "[5]"),
        ("[3, 5]", "[3]"),
    ):
        assert large in code
        code = code.replace(large, little)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["plan"].to_frame()["judgements"].between(80, 160).all()
    assert len(list(tmp_path.rglob("*.json"))) == 2
