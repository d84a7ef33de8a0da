"""SPA's test against SciPy, AlpacaEval and the paper; its power; its edges."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist import filter_effect, spa_power, spa_test, strength_test
from bayeseval.judgements import SPAJudgements, StrengthJudgements, filter_incoherent
from bayeseval.simulate import simulate_spa
from tests.frequentist.tables import probabilities, ratings
from tests.papers import script


def _one_pair(values: list[float], a: str = "A", b: str = "B") -> list[tuple[str, str, str, float]]:
    return [(f"w{i}", a, b, p) for i, p in enumerate(values)]


def test_alpacaeval_has_the_published_rates_and_known_t(shared_data: Path) -> None:
    example = script("papers_spa")
    found = example.leaderboard(shared_data).set_index("model")
    assert len(found) == 11
    np.testing.assert_allclose(found["our win rate"], found["printed"], rtol=1e-10)
    np.testing.assert_allclose(found["our SE"], found["printed SE"], rtol=1e-10)
    known = {
        "NullModel": 29.614,
        "FuseChat-Gemma-2-9B-Instruct": 15.266,
        "FuseChat-Llama-3.1-8B-Instruct": 9.372,
        "FuseChat-Llama-3.2-3B-Instruct": 0.875,
        "FuseChat-Llama-3.2-1B-Instruct": -14.409,
        "claude-2": -27.929,
        "claude-2.1": -30.586,
        "gpt-3.5-turbo-1106": -45.846,
        "vicuna-13b-v1.5": -56.394,
        "alpaca-7b": -97.331,
        "phi-2": -105.969,
    }
    for model, t in known.items():
        assert found.loc[model, "t"] == pytest.approx(t, abs=6e-4)
    assert found.loc["FuseChat-Llama-3.2-3B-Instruct", "p (Holm)"] == pytest.approx(0.38, abs=0.005)


def test_a_system_against_itself_as_a_constant_has_no_t() -> None:
    row = spa_test(probabilities(_one_pair([0.5] * 8))).table.iloc[0]
    assert (row["mean"], row["sd"], row["verdict"]) == (0.5, 0.0, "not defined")
    assert math.isnan(row["t"])
    assert "SD 0" in row["note"]


def test_spa_table_1_needs_sds_that_are_possible(shared_data: Path) -> None:
    found = script("papers_spa").table1(shared_data)
    # The largest SD that 90 probabilities can have is .5.
    smaller = found[found["holds for"] == "smaller SDs"]
    assert (smaller["SD"] > 0.25).all()
    assert found.loc[found["stars"].isna(), "P[X better]"].tolist() == [0.544]


def test_each_pair_is_tested_as_scipy_does_with_holm() -> None:
    rng = np.random.default_rng(1)
    answers = {pair: rng.uniform(low, 1, 30) for pair, low in (("AB", 0.3), ("AC", 0.1))}
    rows = [r for pair, p in answers.items() for r in _one_pair(p.tolist(), *pair)]
    result = spa_test(probabilities(rows))
    known = [stats.ttest_1samp(p, 0.5) for p in answers.values()]
    assert result.table["t"].tolist() == pytest.approx([k[0] for k in known])
    p = np.array([k[1] for k in known])
    first, second = np.sort(p)
    holm = np.array([min(1, 2 * first), max(2 * first, second)])
    np.testing.assert_allclose(np.sort(result.table["p_corrected"]), holm)
    assert result.unit == "annotator"
    assert len(result.symmetry) == 0


def test_directions_are_kept_apart_and_their_symmetry_tested() -> None:
    rng = np.random.default_rng(2)
    forward = rng.uniform(0.4, 1, 25)
    backward = np.clip(1 - forward + rng.normal(0.1, 0.05, 25), 0, 1)
    table = probabilities(_one_pair(forward.tolist()) + _one_pair(backward.tolist(), "B", "A"))
    result = spa_test(table)
    assert list(zip(result.table["system_a"], result.table["system_b"], strict=True)) == [
        ("A", "B"), ("B", "A"),
    ]  # fmt: skip
    row = result.symmetry.iloc[0]
    known = stats.ttest_1samp(forward + backward - 1, 0.0)
    assert (row["test"], row["n"]) == ("paired t", 25)
    assert row["estimate"] == pytest.approx((forward + backward - 1).mean())
    assert row["t"] == pytest.approx(known[0])
    assert "mirror" in repr(result)


def test_incoherence_by_annotator_is_that_of_a_merge_of_both_directions() -> None:
    study = simulate_spa(
        n_annotators=12, n_systems=4, design="ragged", direction_bias=0.3, random_seed=3
    ).judgements
    frame = study.to_frame()
    frame = frame.drop(frame.index[[0, 7]])
    table = probabilities(list(frame.itertuples(index=False, name=None)))
    turned = frame.rename(columns={"system_a": "system_b", "system_b": "system_a"})
    both = frame.merge(turned, on=["annotator", "system_a", "system_b"], suffixes=("", "_turned"))
    both["sum"] = both["probability"] + both["probability_turned"] - 1
    # Each pair is there from either side, with the same sum.
    sums = both.groupby("annotator")["sum"]
    found = spa_test(table).by_annotator.set_index("annotator").loc[sums.mean().index]
    assert found["n_both"].tolist() == (sums.size() / 2).tolist()
    np.testing.assert_allclose(found["mean"], sums.mean())
    np.testing.assert_allclose(found["mean_absolute"], sums.agg(lambda s: s.abs().mean()))
    np.testing.assert_allclose(found["largest"], sums.max())
    assert found["n_one"].sum() == len(frame) - len(both)
    assert found["n_one"].sum() == 2
    largest = spa_test(table).by_annotator["largest"]
    assert largest.is_monotonic_decreasing
    for tau in (1.05, 1.2, 1.5):
        dropped = filter_incoherent(table, tau=tau).audit[0].annotators_removed
        assert set(dropped) == set(found.index[found["largest"] > tau - 1])


def test_annotators_of_one_direction_are_named_and_not_dropped_silently() -> None:
    rows = [("p", "A", "B", 0.9), ("p", "B", "A", 0.3), ("p", "A", "C", 0.8),
            ("q", "A", "B", 0.6), ("r", "B", "A", 0.5)]  # fmt: skip
    result = spa_test(probabilities(rows))
    assert result.by_annotator["annotator"].tolist() == ["p", "q", "r"]
    assert result.by_annotator["n_both"].tolist() == [1, 0, 0]
    assert result.by_annotator["n_one"].tolist() == [1, 1, 1]
    assert result.by_annotator["largest"].tolist() == pytest.approx(
        [0.2, np.nan, np.nan], nan_ok=True
    )
    text = repr(result)
    assert "Of 2 annotators who answered in one direction only nothing is known: 'q', 'r'" in text
    assert "1 annotator answered some pairs in one direction only" in text
    nobody = repr(spa_test(probabilities(rows[3:])))
    assert "No annotator is known to have answered a pair in both directions" in nobody
    assert "Are the annotators coherent?" not in nobody
    assert "one direction only: coherence" in repr(spa_test(probabilities(rows[2:4])))


def test_filter_effect_is_the_t_interval_of_those_who_are_kept() -> None:
    study = simulate_spa(n_annotators=25, n_systems=3, random_seed=4).judgements
    found = filter_effect(study, (1.2, 1.6), ci_prob=0.9)
    wide = study.to_frame().pivot(
        index="annotator", columns=["system_a", "system_b"], values="probability"
    )
    pairs = [("system 1", "system 2"), ("system 1", "system 3"), ("system 2", "system 3")]
    sums = pd.DataFrame({(a, b): wide[a, b] + wide[b, a] for a, b in pairs})
    expected = []
    for a, b in pairs:
        for tau in (np.inf, 1.6, 1.2):
            kept = wide[sums.max(axis=1) <= tau]
            value = (kept[a, b] + 1 - kept[b, a]) / 2
            half = stats.t.ppf(0.95, len(kept) - 1) * value.std() / np.sqrt(len(kept))
            low, high = np.clip([value.mean() - half, value.mean() + half], 0, 1)
            expected.append((a, len(kept), value.mean(), low, high))
    table = found.table
    assert table["tau"].tolist() == pytest.approx([np.nan, 1.6, 1.2] * 3, nan_ok=True)
    assert table["system_a"].tolist() == [row[0] for row in expected]
    assert table["n_annotators"].tolist() == table["n"].tolist() == [row[1] for row in expected]
    assert 2 < table["n"].min() < table["n"].max() == 25
    np.testing.assert_allclose(table[["mean", "lower", "upper"]], [row[2:] for row in expected])
    change = table["mean"] - table["mean"].to_numpy()[[0, 0, 0, 3, 3, 3, 6, 6, 6]]
    np.testing.assert_allclose(table["change"], change, atol=1e-12)
    assert "90 % t interval" in repr(found)


def test_filter_that_leaves_a_pair_or_everybody_out_says_so() -> None:
    rows = [("p", "A", "B", 0.9), ("p", "B", "A", 0.6), ("q", "B", "A", 0.3), ("r", "B", "A", 0.1),
            ("p", "A", "C", 0.9)]  # fmt: skip
    table = filter_effect(probabilities(rows), [1.1, 2]).table
    assert table["n"].tolist() == [3, 3, 2, 1, 1, 0]
    # Of the pair A, B only answers about B against A are left: they still are told of A.
    assert table["mean"].tolist() == pytest.approx([0.75, 0.75, 0.8, 0.9, 0.9, np.nan], nan_ok=True)
    assert table["lower"][2] < 0.8 < table["upper"][2]
    apart = filter_effect(probabilities(rows), [1.1], directions="apart").table
    assert apart["n"].tolist() == [1, 0, 1, 0, 3, 2]
    alone = filter_effect(probabilities(rows[:2]), [1.1])
    assert len(alone.table) == 1
    assert "At τ = 1.1 nobody is left" in repr(alone)


def test_filter_effect_refuses_what_it_cannot_filter() -> None:
    with pytest.raises(JudgementError, match="both directions"):
        filter_effect(probabilities(_one_pair([0.2, 0.4])))
    both = probabilities([("p", "A", "B", 0.9), ("p", "B", "A", 0.3)])
    with pytest.raises(JudgementError, match="list of numbers"):
        filter_effect(both, 1.1)  # type: ignore[arg-type]
    with pytest.raises(JudgementError, match="between 1 and 2"):
        filter_effect(both, [0.5])
    with pytest.raises(JudgementError, match="needs SPAJudgements"):
        filter_effect(ratings([[1, 2], [2, 3]]))  # type: ignore[arg-type]


def test_incoherence_by_annotator_is_taken_criterion_by_criterion() -> None:
    rows = [("p", "A", "B", 0.9, "x"), ("p", "B", "A", 0.3, "x"), ("p", "A", "B", 0.9, "y")]
    rows += [("p", "B", "A", 0.6, "y"), ("q", "A", "B", 0.4, "x"), ("q", "B", "A", 0.4, "x")]
    table = SPAJudgements.from_frame(
        pd.DataFrame(rows, columns=["w", "a", "b", "p", "c"]),
        annotator="w", system_a="a", system_b="b", probability="p", criterion="c", bounds=(0, 1),
    )  # fmt: skip
    found = spa_test(table).by_annotator
    assert found[["criterion", "annotator"]].to_numpy().tolist() == [
        ["x", "p"],
        ["x", "q"],
        ["y", "p"],
    ]
    assert found["mean"].tolist() == pytest.approx([0.2, -0.2, 0.5])
    assert spa_test(table, criterion="y").by_annotator["mean"].tolist() == pytest.approx([0.5])


def test_pooling_averages_an_annotators_two_directions() -> None:
    rows = [("p", "A", "B", 0.9), ("p", "B", "A", 0.3), ("q", "A", "B", 0.6), ("r", "B", "A", 0.5)]
    row = spa_test(probabilities(rows), directions="pooled").table.iloc[0]
    values = [(0.9 + 0.7) / 2, 0.6, 0.5]
    assert (row["system_a"], row["n"]) == ("A", 3)
    assert row["t"] == pytest.approx(stats.ttest_1samp(values, 0.5)[0])


def test_directions_of_different_annotators_are_compared_by_welch() -> None:
    rows = [("p", "A", "B", 0.9), ("q", "A", "B", 0.6), ("r", "B", "A", 0.5), ("s", "B", "A", 0.2)]
    row = spa_test(probabilities(rows)).symmetry.iloc[0]
    known: Any = stats.ttest_ind([0.9, 0.6], [0.5, 0.8], equal_var=False)
    assert row["test"] == "Welch t"
    assert (row["t"], row["p"]) == pytest.approx((known.statistic, known.pvalue))


def test_an_annotators_items_are_averaged_before_the_test() -> None:
    frame = pd.DataFrame(
        {"w": list("ppqq"), "i": list("xyxy"), "a": "A", "b": "B", "p": [0.2, 0.4, 0.7, 0.9]}
    )
    table = SPAJudgements.from_frame(
        frame, annotator="w", system_a="a", system_b="b", item="i", probability="p", bounds=(0, 1)
    )
    assert spa_test(table).table["n"][0] == 2
    assert spa_test(table).table["t"][0] == pytest.approx(stats.ttest_1samp([0.3, 0.8], 0.5)[0])
    assert spa_test(table, unit="item").table["t"][0] == pytest.approx(
        stats.ttest_1samp([0.45, 0.65], 0.5)[0]
    )
    assert spa_test(table, unit="judgement").table["n"][0] == 4


def test_stated_probabilities_of_people_have_the_known_t(shared_data: Path) -> None:
    frame = pd.read_csv(shared_data / "probability_judgements" / "WeatherTask.csv")
    known = {
        ("two-fold", "precise"): -13.235,
        ("two-fold", "imprecise"): -10.435,
        ("seven-fold", "precise"): -26.068,
        ("seven-fold", "imprecise"): -17.253,
    }
    for (priming, eliciting), t in known.items():
        here = frame[(frame["priming"] == priming) & (frame["eliciting"] == eliciting)]
        assert len(here)
        row = spa_test(probabilities(_one_pair(here["agreement"].tolist()))).table.iloc[0]
        assert row["t"] == pytest.approx(t, abs=6e-4)


def test_one_annotator_has_no_test_and_ratings_are_refused() -> None:
    row = spa_test(probabilities(_one_pair([0.9]))).table.iloc[0]
    assert "One value alone" in row["note"]
    with pytest.raises(JudgementError, match="got LikertJudgements"):
        spa_test(ratings([[1, 2], [2, 3]]))  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="unit='item'"):
        spa_test(probabilities(_one_pair([0.9, 0.8])), unit="item")


def test_power_equals_the_noncentral_t_and_a_simulation() -> None:
    curve = spa_power(mean=0.6, sd=0.25, n_annotators=[20, 40], alpha=0.05)
    for n, power in zip((20, 40), curve.table["power"], strict=True):
        critical, shift = stats.t.ppf(0.975, n - 1), 0.4 * math.sqrt(n)
        exact = stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift)
        assert power == pytest.approx(exact, abs=1e-6)
    rng = np.random.default_rng(1)
    p = np.asarray(stats.ttest_1samp(rng.normal(0.6, 0.25, size=(4000, 20)), 0.5, axis=1)[1])
    assert curve.table["power"][0] == pytest.approx((p < 0.05).mean(), abs=0.025)


def test_the_smallest_sufficient_number_is_read_off() -> None:
    curve = spa_power(mean=0.6, sd=0.25, n_annotators=range(10, 200))
    needed = curve.needed(0.8)["n_annotators"][0]
    powers = curve.table.set_index("n_annotators")["power"]
    assert powers[needed - 1] < 0.8 <= powers[needed]
    assert spa_power(mean=0.51, sd=0.3, n_annotators=[10]).needed()["n_annotators"].isna().all()


def test_a_pilot_gives_a_curve_for_every_pair_at_the_corrected_level() -> None:
    rng = np.random.default_rng(4)
    rows = [
        r
        for a, b, m in (("A", "B", 0.7), ("A", "C", 0.55))
        for r in _one_pair(np.clip(rng.normal(m, 0.2, 30), 0, 1).tolist(), a, b)
    ]
    curve = spa_power(probabilities(rows), n_annotators=[30, 60])
    assert (curve.table["level"] == 0.025).all()
    assert curve.table.groupby("system_b")["power"].apply(lambda p: p.is_monotonic_increasing).all()


def test_power_without_numbers_is_refused_in_words() -> None:
    with pytest.raises(DesignError, match="mean= and sd="):
        spa_power()
    with pytest.raises(DesignError, match=r"60 % is 0\.6"):
        spa_power(mean=60, sd=0.2)


def test_strengths_are_tested_against_zero_whichever_side_was_first() -> None:
    frame = pd.DataFrame(
        {"w": list("pqrs"), "a": list("ABAB"), "b": list("BABA"), "x": [3, -2, 1, 1]}
    )
    table = StrengthJudgements.from_frame(
        frame, annotator="w", system_a="a", system_b="b", strength="x", bounds=3, positive="a"
    )
    row = strength_test(table).table.iloc[0]
    known = stats.ttest_1samp([3, 2, 1, -1], 0)
    assert (row["system_a"], row["mean"]) == ("A", 1.25)
    assert (row["t"], row["p"]) == pytest.approx((known[0], known[1]))


def test_interval_is_of_the_mean_and_not_of_its_distance_from_one_half() -> None:
    values = [0.6, 0.7, 0.8, 0.9, 0.55]
    row = spa_test(probabilities(_one_pair(values)), ci_prob=0.9).table.iloc[0]
    known = stats.t.interval(0.9, 4, np.mean(values), stats.sem(values))
    assert (row["lower"], row["upper"]) == pytest.approx(known)
