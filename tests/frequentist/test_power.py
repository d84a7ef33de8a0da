"""Power far in the tail, the smallest sufficient number, and the tests of ratings beside SPA's."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist import rating_power, spa_power, spa_test, strength_test
from bayeseval.frequentist.power import two_sided_power
from bayeseval.judgements import LikertJudgements, StrengthJudgements
from tests.frequentist.tables import probabilities, ratings


@pytest.mark.parametrize("level", [0.05, 0.05 / 6, 1e-5])
def test_power_is_never_missing_and_never_falls(level: float) -> None:
    n = np.unique(np.concatenate([np.arange(2, 202), np.geomspace(202, 1e6, 40).astype(int)]))
    for effect in (1e-6, 1e-3, *np.geomspace(0.01, 1e7, 60)):
        power = two_sided_power(effect * np.sqrt(n), n - 1.0, level)
        assert np.isfinite(power).all()
        assert np.diff(power).min() >= -1e-11
        assert power.min() >= level
        assert power.max() <= 1
    for mean in np.arange(0.52, 0.96, 0.02):
        assert spa_power(mean=mean, sd=0.2).table["power"].is_monotonic_increasing


@pytest.mark.parametrize(("mean", "sd"), [(0.9, 0.05), (0.7, 0.1), (0.6, 0.15), (0.35, 0.2)])
def test_the_smallest_sufficient_number_is_that_of_a_simulation(mean: float, sd: float) -> None:
    needed = spa_power(mean=mean, sd=sd).needed(0.8)["n_annotators"][0]
    rng = np.random.default_rng(1)
    shares = {}
    for n in (needed - 1, needed):
        if n > 1:
            drawn = rng.normal(mean, sd, size=(20_000, n))
            shares[n] = float((np.asarray(stats.ttest_1samp(drawn, 0.5, axis=1)[1]) < 0.05).mean())
    # Four standard errors of a simulated share of .8.
    assert shares[needed] >= 0.8 - 0.012
    assert shares.get(needed - 1, 0.0) <= 0.8 + 0.012
    assert needed <= 100


def test_far_from_one_half_few_annotators_are_enough_and_none_is_missing() -> None:
    curve = spa_power(mean=0.9, sd=0.05)
    assert curve.table["power"].tolist() == [1.0] * 20
    assert curve.needed(0.8)["n_annotators"].tolist() == [3]
    assert spa_power(mean=0.5, sd=0.2).table["power"].tolist() == [0.05] * 20
    with pytest.raises(DesignError, match="between 0 and 1"):
        curve.needed(80)


def test_power_of_ratings_is_that_of_simulated_tests() -> None:
    rng = np.random.default_rng(2)
    paired = rating_power(difference=0.5, sd=1.2, n_annotators=[30]).table["power"][0]
    drawn = rng.normal(0.5, 1.2, size=(20_000, 30))
    assert paired == pytest.approx(
        (np.asarray(stats.ttest_1samp(drawn, 0, axis=1)[1]) < 0.05).mean(), abs=0.014
    )
    apart = rating_power(difference=0.5, sd=(1.2, 0.6), n_annotators=[30]).table["power"][0]
    a, b = rng.normal(0.5, 1.2, size=(20_000, 30)), rng.normal(0, 0.6, size=(20_000, 30))
    known = (np.asarray(stats.ttest_ind(a, b, axis=1, equal_var=False)[1]) < 0.05).mean()
    assert apart == pytest.approx(known, abs=0.014)


def test_a_pilot_of_ratings_is_paired_where_annotators_rated_both() -> None:
    cells = [[5, 3, np.nan], [4, 4, np.nan], [5, 2, np.nan], [np.nan, np.nan, 2],
             [np.nan, np.nan, 5]]  # fmt: skip
    curve = rating_power(ratings(cells), n_annotators=[20])
    to_b, to_c = (curve.table[curve.table["system_b"] == other] for other in "BC")
    difference = np.array([2, 0, 3])
    assert to_b["sd"].tolist() == [pytest.approx(difference.std(ddof=1))]
    assert to_b["sd_b"].isna().all()
    assert to_c["sd_b"].tolist() == [pytest.approx(np.std([2, 5], ddof=1))] * 2
    assert (curve.table["level"] == 0.05 / 3).all()
    assert len(curve.needed()) == 3
    nobody = LikertJudgements.from_frame(
        pd.DataFrame({"s": ["A", "B"], "r": [1, 2]}),
        annotator=None,
        system="s",
        rating="r",
        scale=(1, 5),
    )
    with pytest.raises(DesignError, match="identities"):
        rating_power(nobody)
    with pytest.raises(DesignError, match="two annotators"):
        rating_power(ratings([[1, np.nan], [np.nan, 2]]))
    with pytest.raises(DesignError, match="difference= and sd="):
        rating_power(difference=0.5)


def test_the_family_of_the_correction_can_be_named() -> None:
    rng = np.random.default_rng(3)
    asked = [("A", "B"), ("B", "A"), ("B", "C"), ("C", "A")]
    rows = [
        (f"w{i}", a, b, float(p)) for a, b in asked for i, p in enumerate(rng.uniform(0.3, 1, 12))
    ]
    table = probabilities(rows)
    assert "Holm over 4 tests" in " ".join(repr(spa_test(table)).split())
    pairs = [("B", "A"), ("A", "C")]
    found = spa_test(table, directions="pooled", pairs=pairs)
    assert list(zip(found.table["system_a"], found.table["system_b"], strict=True)) == pairs
    assert "Holm over 2 tests" in " ".join(repr(found).split())
    whole = spa_test(table, directions="pooled").table
    first = whole["system_a"].eq("A") & whole["system_b"].eq("B")
    turned = 1 - whole.loc[first, "mean"].to_numpy()
    assert found.table["mean"][0] == pytest.approx(turned[0])
    p = found.table["p"].to_numpy()
    assert found.table["p"][0] == pytest.approx(whole.loc[first, "p"].to_numpy()[0])
    known = np.array([min(1, 2 * p[0]), p[1]] if p[0] < p[1] else [p[0], min(1, 2 * p[1])])
    assert found.table["p_corrected"].to_numpy() == pytest.approx(np.maximum(known, p.min() * 2))
    with pytest.raises(DesignError, match="directions='pooled'"):
        spa_test(table, pairs=[("A", "C")])
    with pytest.raises(JudgementError, match="no system 'D'"):
        spa_test(table, pairs=[("A", "D")])


def test_the_family_of_strengths_can_be_named() -> None:
    frame = pd.DataFrame(
        {"w": list("pqrpqr"), "a": list("AAABBB"), "b": list("BBBCCC"), "x": [3, 2, 1, 1, -1, 2]}
    )
    table = StrengthJudgements.from_frame(
        frame, annotator="w", system_a="a", system_b="b", strength="x", bounds=3, positive="a"
    )
    row = strength_test(table, pairs=[("B", "A")]).table.iloc[0]
    assert (row["mean"], row["p_corrected"]) == (-2.0, row["p"])
