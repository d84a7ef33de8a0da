"""Simulations of the four other protocols: shares and means follow the stated parameters."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import expit, ndtr
from scipy.stats import t as student_t

from bayeseval.errors import DesignError
from bayeseval.judgements import identify
from bayeseval.simulate import (
    simulate_magnitude,
    simulate_pairwise,
    simulate_spa,
    simulate_strength,
)
from bayeseval.simulate._design import Simulated

SIMULATIONS = [simulate_magnitude, simulate_pairwise, simulate_spa, simulate_strength]
TWO = np.array([0.4, -0.4])
MANY = {"n_annotators": 100, "n_systems": 2, "n_items": 200, "quality": TWO}
STILL = {"scale_sd": 0, "gap_sd": 0}


def close(share: float, expected: float, n: int) -> bool:
    """Say whether a share is within 4.5 standard errors of its expectation."""
    return abs(share - expected) < 4.5 * np.sqrt(expected * (1 - expected) / n) + 1e-12


@pytest.mark.parametrize("simulate", SIMULATIONS)
def test_the_same_seed_gives_the_same_study(simulate: Callable[..., Simulated]):
    first, second = simulate(random_seed=3), simulate(random_seed=3)
    assert first.judgements == second.judgements
    assert first.truth.identical(second.truth)
    assert first.judgements != simulate(random_seed=4).judgements


@pytest.mark.parametrize("simulate", SIMULATIONS)
def test_designs_differ_in_who_judges_what(simulate: Callable[..., Simulated]):
    sizes = {"n_annotators": 12, "n_systems": 4, "n_items": 3, "random_seed": 1}
    crossed = simulate(**sizes).judgements
    ragged = simulate(design="ragged", share_judged=0.3, **sizes).judgements
    nested = identify(simulate(design="nested", **sizes).judgements)
    assert 0.15 < ragged.n_rows / crossed.n_rows < 0.45
    if crossed.protocol == "magnitude":
        assert not nested.annotators_judge_several_systems
    else:
        assert crossed.n_rows == 12 * 6 * 3 * (2 if crossed.protocol == "spa" else 1)
    assert identify(crossed).connected


@pytest.mark.parametrize("simulate", SIMULATIONS)
def test_identities_items_and_repeats_are_options(simulate: Callable[..., Simulated]):
    study = simulate(n_items=0, identities=False, n_repeats=2, random_seed=1)
    assert study.judgements.annotators is None
    assert study.judgements.items is None
    assert study.judgements.repeats
    assert "interaction" not in study.truth
    assert study.truth["quality"].sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("simulate", SIMULATIONS)
def test_impossible_studies_are_refused(simulate: Callable[..., Simulated]):
    with pytest.raises(DesignError, match="n_systems"):
        simulate(n_systems=0, random_seed=1)
    with pytest.raises(DesignError, match="quality must have one value"):
        simulate(n_systems=4, quality=np.zeros(3), random_seed=1)
    with pytest.raises(TypeError, match="random_seed"):
        simulate()


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("ties", ["none", "davidson", "rao_kupper"])
def test_outcomes_follow_link_ties_and_position(link: str, ties: str):
    options = {"link": link, "ties": ties, "position_effect": 0.3, "tie_propensity": 0.6}
    if (link, ties) == ("probit", "davidson"):
        with pytest.raises(DesignError, match="davidson"):
            simulate_pairwise(**options, random_seed=1)
        return
    table = simulate_pairwise(**MANY, **options, random_seed=7).judgements
    cdf = expit if link == "logit" else ndtr
    for a in (0, 1):
        answers = table.answers[table.codes("system_a") == a]
        eta = TWO[a] - TWO[1 - a] + 0.3
        if ties == "davidson":
            weights = np.array([np.exp(eta / 2), np.exp(-eta / 2), 0.6])
            expected = weights / weights.sum()
        else:
            threshold = 0.6 if ties == "rao_kupper" else 0.0
            wins = cdf(np.array([eta - threshold, -eta - threshold]))
            expected = np.append(wins, 1 - wins.sum())
        shares = np.bincount(answers, minlength=3) / len(answers)
        for share, chance in zip(shares, expected, strict=True):
            assert close(share, chance, len(answers))


def test_consistency_sharpens_an_annotator():
    study = simulate_pairwise(
        n_annotators=30, n_systems=2, n_items=400, quality=TWO, consistency_sd=1.5, random_seed=2
    )
    table = study.judgements
    correct = (table.codes("system_a") == 0) == (table.answers == 0)
    share = np.bincount(table.codes("annotator"), weights=correct) / 400
    expected = expit(0.8 * np.exp(study.truth["log_consistency"].to_numpy()))
    assert np.abs(share - expected).max() < 4.5 * 0.5 / 20


def test_stated_probabilities_follow_the_ordered_beta():
    study = simulate_spa(
        **MANY,
        extremity_sd=0,
        precision_sd=0,
        end_probability=0.2,
        random_seed=5,
    )
    table = study.judgements
    kappa = float(study.truth["kappa"])
    assert expit(-kappa) == pytest.approx(0.2)
    for a, eta in ((0, 0.8), (1, -0.8)):
        answers = table.answers[table.codes("system_a") == a]
        assert close(float((answers == 0).mean()), expit(-eta - kappa), len(answers))
        assert close(float((answers == 1).mean()), expit(eta - kappa), len(answers))
        inside = answers[(answers > 0) & (answers < 1)]
        assert inside.mean() == pytest.approx(expit(eta), abs=4.5 * 0.5 / np.sqrt(len(inside)))


def test_both_directions_have_mirrored_laws():
    table = simulate_spa(**MANY, random_seed=6).judgements
    assert table.both_directions
    pairs = table.canonical()
    forward, backward = (pairs.probability[pairs.forward == way].mean() for way in (True, False))
    assert forward == pytest.approx(backward, abs=0.02)
    one = simulate_spa(both_directions=False, random_seed=6).judgements
    assert not one.both_directions


def test_pair_effects_are_antisymmetric():
    pair = simulate_spa(pair_sd=1, random_seed=1).truth["pair"].to_numpy()
    np.testing.assert_array_equal(pair, -pair.T)
    assert np.abs(pair).max() > 0


def test_grades_follow_symmetric_thresholds():
    study = simulate_strength(**MANY, **STILL, bound=2, random_seed=8)  # type: ignore[arg-type]
    table = study.judgements
    assert table.graded
    thresholds = study.truth["population_thresholds"].to_numpy()
    np.testing.assert_allclose(thresholds, -thresholds[::-1], atol=1e-12)
    answers = table.answers[table.codes("system_a") == 0]
    expected = np.diff(ndtr(np.concatenate([[-np.inf], thresholds - 0.8, [np.inf]])))
    shares = np.bincount((answers + 2).astype(int), minlength=5) / len(answers)
    for share, chance in zip(shares, expected, strict=True):
        assert close(share, chance, len(answers))


def test_annotators_thresholds_stay_symmetric_and_rising():
    own = simulate_strength(gap_sd=1, random_seed=1).truth["thresholds"].to_numpy()
    np.testing.assert_allclose(own, -own[:, ::-1], atol=1e-12)
    assert (np.diff(own, axis=1) > 0).all()


def test_sliders_have_ends_and_a_middle():
    table = simulate_strength(
        **MANY,
        scale_sd=0,
        response="ordered_beta",
        middle_probability=0.3,
        random_seed=9,
    ).judgements
    assert not table.graded
    assert close(float(table.no_preference.mean()), 0.3, table.n_rows)
    assert (np.abs(table.answers) == 3).any()


def test_student_noise_is_cut_at_the_bounds():
    table = simulate_strength(
        **MANY,
        scale_sd=0,
        response="student_t",
        spread=1.0,
        random_seed=9,
    ).judgements
    answers = table.answers[table.codes("system_a") == 0]
    expected = float(1 - student_t.cdf(3 - 0.8, 5))
    assert close(float((answers == 3).mean()), expected, len(answers))


def test_swapping_sides_mirrors_strengths():
    table = simulate_strength(**MANY, **STILL, random_seed=10).judgements  # type: ignore[arg-type]
    as_a = table.answers[table.codes("system_a") == 0].mean()
    as_b = table.answers[table.codes("system_a") == 1].mean()
    assert as_a == pytest.approx(-as_b, abs=0.05)


def test_magnitudes_are_below_as_good_as_or_above():
    study = simulate_magnitude(
        **MANY,
        modulus_sd=0,
        difficulty_sd=0,
        tie_band_sd=0,
        spread_sd=0,
        random_seed=11,
    )
    table = study.judgements
    for system, mu in enumerate(TWO):
        ratios = table.answers[table.codes("system") == system]
        z = mu / 0.5
        assert close(float((ratios < 1).mean()), ndtr(-0.5 - z), len(ratios))
        assert close(float((ratios > 1).mean()), ndtr(z - 0.5), len(ratios))
        above = np.log(ratios[ratios > 1])
        at_zero = student_t.cdf(-z, 5)
        median = mu + 0.5 * student_t.ppf(at_zero + 0.5 * (1 - at_zero), 5)
        assert close(float((above > median).mean()), 0.5, len(above))


def test_without_a_band_nothing_ties():
    assert not simulate_magnitude(tie_band=0, random_seed=1).judgements.at_reference.any()
    with pytest.raises(DesignError, match="tie_band= is a number from 0"):
        simulate_magnitude(tie_band=-1, random_seed=1)


@pytest.mark.parametrize(
    ("simulate", "wrong", "says"),
    [
        (simulate_pairwise, {"ties": "some"}, "found 'some'"),
        (simulate_pairwise, {"tie_propensity": -1}, "tie_propensity"),
        (simulate_spa, {"end_probability": 0.5}, "end_probability"),
        (simulate_spa, {"precision": 0}, "precision"),
        (simulate_strength, {"response": "stars"}, "response"),
        (simulate_strength, {"bound": 1.5}, "bound"),
        (simulate_strength, {"response": "ordered_beta", "middle_probability": 1}, "middle"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(
    simulate: Callable[..., Simulated], wrong: dict[str, object], says: str
):
    with pytest.raises(DesignError, match=says):
        simulate(random_seed=1, **wrong)
