import numpy as np
import pytest
from scipy.stats import norm

from bayeseval.errors import DesignError
from bayeseval.judgements import identify
from bayeseval.simulate import simulate_likert


def test_the_same_seed_gives_the_same_study():
    first, second = simulate_likert(random_seed=3), simulate_likert(random_seed=3)
    assert first.judgements == second.judgements
    assert first.truth.identical(second.truth)
    assert first.judgements != simulate_likert(random_seed=4).judgements


def test_crossed_means_everybody_judges_everything():
    study = simulate_likert(n_annotators=3, n_systems=4, n_items=5, n_repeats=2, random_seed=1)
    assert study.judgements.n_rows == 3 * 4 * 5 * 2
    assert study.judgements.repeats


def test_nested_annotators_judge_one_system():
    study = simulate_likert(n_annotators=6, n_systems=3, design="nested", random_seed=1)
    assert not identify(study.judgements).annotators_judge_several_systems
    assert len(study.judgements.systems) == 3


def test_ragged_keeps_a_share_and_every_label():
    study = simulate_likert(
        n_annotators=9, n_systems=5, n_items=11, design="ragged", share_judged=0.01, random_seed=1
    )
    table = study.judgements
    assert table.n_rows < 60
    assert table.systems == tuple(study.truth["system"].values)
    assert table.annotators == tuple(study.truth["annotator"].values)
    assert table.items == tuple(study.truth["item"].values)


def test_thresholds_average_to_the_population_plus_severity():
    truth = simulate_likert(n_categories=6, random_seed=2).truth
    own = truth["thresholds"].mean("threshold")
    expected = truth["population_thresholds"].mean("threshold") + truth["severity"]
    np.testing.assert_allclose(own, expected)
    assert (truth["thresholds"].diff("threshold") > 0).all()


@pytest.mark.parametrize("thresholds", ["common", "shifted", "scaled"])
def test_threshold_structures_are_nested_in_one_another(thresholds: str):
    truth = simulate_likert(thresholds=thresholds, random_seed=2).truth  # type: ignore[arg-type]
    gaps = truth["thresholds"].diff("threshold")
    ratio = gaps / truth["population_thresholds"].diff("threshold")
    assert ratio.std("threshold").max() < 1e-12
    if thresholds != "scaled":
        np.testing.assert_allclose(ratio, 1)
    if thresholds == "common":
        assert (truth["severity"] == 0).all()


def test_category_shares_follow_the_stated_probabilities():
    study = simulate_likert(
        n_annotators=100,
        n_systems=2,
        n_items=100,
        n_categories=4,
        thresholds="common",
        difficulty_sd=0,
        quality=np.array([0.7, -0.7]),
        population_thresholds=np.array([-1.0, 0.2, 0.5]),
        random_seed=5,
    )
    table = study.judgements
    for system, quality in enumerate((0.7, -0.7)):
        shares = np.bincount(table.answers[table.codes("system") == system], minlength=4) / 10_000
        expected = np.diff(norm.cdf(np.array([-np.inf, -1.0, 0.2, 0.5, np.inf]) - quality))
        assert np.abs(shares - expected).max() < 4 * np.sqrt(0.25 / 10_000)


def test_a_severe_annotator_rates_lower():
    study = simulate_likert(n_annotators=8, n_items=200, severity_sd=2, gap_sd=0, random_seed=6)
    frame = study.judgements.to_frame()
    means = frame.groupby("annotator", sort=False)["rating"].mean()
    severity = study.truth["severity"].to_series()
    assert means.corr(severity[means.index]) < -0.9


def test_an_export_without_identities_or_items_can_be_drawn():
    study = simulate_likert(n_items=0, identities=False, random_seed=1)
    assert study.judgements.annotators is None
    assert study.judgements.items is None
    assert "difficulty" not in study.truth


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_categories": 1},
        {"n_systems": 0},
        {"design": "square"},
        {"share_judged": 0.0},
        {"quality": np.zeros(3)},
        {"population_thresholds": np.array([0.0, -1.0, 1.0, 2.0])},
    ],
)
def test_an_impossible_study_is_refused(wrong: dict[str, object]):
    with pytest.raises(DesignError, match=next(iter(wrong))):
        simulate_likert(random_seed=1, **wrong)  # type: ignore[arg-type]
