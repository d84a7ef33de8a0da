"""Analysis of variance, Tukey, Friedman, mixed model against other packages; their edges."""

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.errors import DesignError
from bayeseval.frequentist import (
    anova,
    anova_from_summary,
    design_counts,
    friedman,
    mixed_model,
    tukey,
)
from bayeseval.judgements import LikertJudgements
from tests.frequentist.tables import ratings
from tests.papers import script


@pytest.fixture(scope="module")
def cells() -> np.ndarray:
    rng = np.random.default_rng(11)
    blocks = rng.normal(0, 10, size=(15, 1))
    return np.clip(
        np.round(np.array([50, 54, 59, 60]) + blocks + rng.normal(0, 5, (15, 4))), 1, 100
    )


def test_one_way_f_equals_scipy_and_eta_pingouin(cells: np.ndarray) -> None:
    row = anova(ratings(cells)).table.iloc[0]
    known = stats.f_oneway(*cells.T)
    assert (row["F"], row["p"]) == pytest.approx((known.statistic, known.pvalue))
    assert (row["df1"], row["df2"]) == (3, 56)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pingouin

        long = pd.DataFrame(cells).melt(var_name="s", value_name="y")
        theirs = pingouin.anova(long, dv="y", between="s", detailed=True)
    assert row["ss_between"] == pytest.approx(float(theirs.loc[0, "SS"]), rel=1e-4)  # type: ignore[arg-type]
    assert row["eta2_partial"] == pytest.approx(float(theirs.loc[0, "np2"]), abs=1e-4)  # type: ignore[arg-type]


def test_several_factors_are_tested_one_by_one(cells: np.ndarray) -> None:
    table = anova(ratings(cells), ["system", "annotator"]).table
    assert table["factor"].tolist() == ["system", "annotator"]
    assert table["F"][1] == pytest.approx(stats.f_oneway(*cells).statistic)


def test_repeated_measures_equal_pingouin_with_its_correction(cells: np.ndarray) -> None:
    row = anova(ratings(cells), within="annotator").table.iloc[0]
    long = pd.DataFrame(cells).reset_index().melt("index", var_name="s", value_name="y")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pingouin

        theirs = pingouin.rm_anova(
            long,
            dv="y",
            within="s",
            subject="index",
            correction=True,  # type: ignore[arg-type]
            detailed=True,
            effsize="np2",
        ).iloc[0]
    assert row["method"] == "repeated measures"
    assert row["F"] == pytest.approx(theirs["F"], rel=1e-6)
    assert (row["df1"], row["df2"]) == (3, 42)
    assert row["epsilon"] == pytest.approx(theirs["eps"], rel=1e-6)
    assert row["p_gg"] == pytest.approx(theirs.filter(like="GG").iloc[0], rel=1e-6)
    assert row["eta2_partial"] == pytest.approx(theirs["np2"], rel=1e-6)


def test_an_empty_cell_turns_to_the_mixed_model_and_says_why(cells: np.ndarray) -> None:
    holed = cells.copy()
    holed[3, 1] = np.nan
    result = anova(ratings(holed), within="annotator")
    row = result.table.iloc[0]
    assert row["method"] == "mixed model"
    assert "1 of 60 cells annotator × system are empty" in result.notes[0]
    import statsmodels.formula.api as smf

    long = pd.DataFrame(holed).reset_index().melt("index", var_name="s", value_name="y").dropna()
    full, null = (
        smf.mixedlm(formula, long, groups=long["index"]).fit(reml=False)
        for formula in ("y ~ C(s)", "y ~ 1")
    )
    assert row["chi2"] == pytest.approx(2 * (full.llf - null.llf), rel=1e-3)
    assert row["df1"] == 3
    assert row["p_chi2"] == pytest.approx(stats.chi2.sf(row["chi2"], 3))
    assert row["p"] == pytest.approx(stats.f.sf(row["F"], 3, row["df2"]))


def test_mixed_model_without_block_variance_has_the_least_squares_errors() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        [
            {"who": f"w{a}", "what": what, "item": f"i{i}", "score": int(rng.integers(1, 6))}
            for a in range(4)
            for what in "ABC"
            for i in range(6)
        ]
    )
    table = mixed_model(
        LikertJudgements.from_frame(
            frame, annotator="who", system="what", item="item", rating="score", scale=(1, 5)
        )
    ).table
    assert table["sd_block"].tolist() == pytest.approx([0.0] * 3, abs=1e-3)
    plain = table["sd_residual"] * np.sqrt(72 / 69) * np.sqrt(2 / 24)
    np.testing.assert_allclose(table["se"], plain, rtol=1e-4)
    assert table["p"].notna().all()


def test_mixed_model_of_balanced_data_has_the_plain_contrasts(cells: np.ndarray) -> None:
    table = mixed_model(ratings(cells)).table
    assert table["estimate"][0] == pytest.approx(cells[:, 0].mean() - cells[:, 1].mean(), abs=1e-4)
    # Maximum likelihood: the residual variance of the two-way layout, divided by n(k − 1).
    rest = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + cells.mean()
    sigma2 = (rest**2).sum() / (15 * 3)
    assert table["sd_residual"][0] == pytest.approx(math.sqrt(sigma2), rel=1e-3)
    # Restricted: divided by (n − 1)(k − 1), as in the repeated-measures analysis of variance.
    assert table["se"][0] == pytest.approx(math.sqrt(2 * (sigma2 * 15 / 14) / 15), rel=1e-6)
    whole = anova(ratings(cells), within="annotator").table.iloc[0]
    assert (table["F"][0], table["df2"][0]) == pytest.approx((whole["F"], whole["df2"]))


def test_annotators_who_do_not_differ_are_no_failure() -> None:
    rng = np.random.default_rng(5)
    cells = np.round(50 + rng.normal(0, 5, size=(10, 3)))
    cells -= cells.mean(axis=1, keepdims=True).round() - 50
    table = mixed_model(ratings(cells)).table
    assert table["sd_block"][0] == 0
    assert np.isfinite(table[["F", "chi2", "se"]]).all(axis=None)


def test_perils_anova_agrees_with_the_printed_f(shared_data: Path) -> None:
    found = script("papers_perils").anovas(shared_data)
    assert found["our F"].round(2).tolist() == [5.09, 51.32, 19.64, 15.52]
    np.testing.assert_allclose(found["our F"], found["F printed"], rtol=0.04)
    assert (found["df"] == "3, 2396").all()
    np.testing.assert_allclose(found["our η²"], found["η² printed"], atol=0.0051)


def test_summaries_give_the_anova_of_the_raw_data(cells: np.ndarray) -> None:
    row = anova_from_summary(mean=cells.mean(axis=0), sd=cells.std(axis=0, ddof=1), n=15).table
    assert row["F"][0] == pytest.approx(stats.f_oneway(*cells.T).statistic)


def test_belz_and_kow_pairs_and_degrees_of_freedom_follow_from_the_design(
    shared_data: Path,
) -> None:
    example = script("papers_belz_kow")
    counted = example.pairs(shared_data)
    assert counted["our pairs"].tolist() == [45, 45, 55, 55, 28, 28]
    assert (counted["our pairs"] == counted["pairs printed"]).all()
    found = example.degrees(shared_data)
    assert len(found) == 18
    cannot = found[~found["agree"]]
    assert list(zip(cannot["data"], cannot["experiment"], cannot["factor"], strict=True)) == [
        ("GREC-NEG", "PJE", "system"),
        ("METEO", "PJE", "system"),
        ("METEO", "PJE", "text"),
        ("METEO", "PJE", "evaluator"),
    ]


def test_a_design_of_one_system_is_refused() -> None:
    with pytest.raises(DesignError, match="at least two levels"):
        design_counts(n_systems=1, n_trials=10)
    with pytest.raises(DesignError, match=r"whole numbers; found system with 2\.5 levels"):
        design_counts(n_systems=2.5, n_trials=10)  # pyright: ignore[reportArgumentType]
    with pytest.raises(DesignError, match="found system with None levels, a trials"):
        design_counts(n_systems=None, n_trials="a")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": [1, 1]}, "more answers than levels"),
        ({"mean": [1.0, float("nan")]}, "a finite mean"),
        ({"sd": [-1, 1]}, "cannot be negative"),
        ({"mean": [1, 2, 3], "sd": [1, 2]}, "of one length"),
        ({"mean": "high"}, "must be numbers"),
    ],
)
def test_what_is_no_summary_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(DesignError, match=words):
        anova_from_summary(**{"mean": [1, 2], "sd": [1, 1], "n": [5, 5], **change})


def test_tukey_equals_scipy_and_counts_the_pairs(cells: np.ndarray) -> None:
    result = tukey(ratings(cells))
    known = stats.tukey_hsd(*cells.T)
    assert result.table["p_corrected"].tolist() == pytest.approx(
        [known.pvalue[a, b] for a in range(4) for b in range(a + 1, 4)]
    )
    assert result.count == f"{(result.table['p_corrected'] < 0.05).sum()}/6"
    assert "differ" in repr(result)


def test_tukey_of_three_groups_equals_statsmodels_with_unequal_numbers() -> None:
    from statsmodels.stats.multicomp import pairwise_tukeyhsd

    frame = pd.DataFrame(
        {"s": list("AAAABBBBBBCCCCC"), "r": [3, 5, 4, 6, 8, 7, 9, 6, 8, 7, 5, 6, 4, 5, 7]}
    )
    table = LikertJudgements.from_frame(frame, annotator=None, system="s", rating="r", scale=(1, 9))
    ours = tukey(table).table
    theirs = pairwise_tukeyhsd(frame["r"], frame["s"])
    np.testing.assert_allclose(ours["estimate"], -np.asarray(theirs.meandiffs))
    np.testing.assert_allclose(ours["p_corrected"], np.asarray(theirs.pvalues), atol=1e-4)


def test_tukey_of_many_pairs_is_read_from_a_close_curve() -> None:
    rng = np.random.default_rng(6)
    labels = [f"s{i}" for i in range(16)]
    frame = pd.DataFrame(
        {"s": np.repeat(labels, 12), "r": rng.integers(1, 60, 192) + np.repeat(np.arange(16), 12)}
    )
    table = LikertJudgements.from_frame(
        frame, annotator=None, system="s", rating="r", scale=(1, 99)
    )
    ours = tukey(table)
    assert ours.n_pairs == 120
    for row in (0, 14, 37, 100):
        line = ours.table.iloc[row]
        groups = [frame.loc[frame["s"] == name, "r"].to_numpy() for name in labels]
        scale = np.mean([g.var(ddof=1) for g in groups])
        q = abs(line["estimate"]) / math.sqrt(scale / 12)
        exact = stats.studentized_range.sf(q, 16, 176)
        assert line["p_corrected"] == pytest.approx(float(exact), abs=1e-5)


@pytest.mark.parametrize("by", ["annotator", "item"])
def test_friedman_equals_scipy_and_w_pingouin(cells: np.ndarray, by: str) -> None:
    row = friedman(ratings(cells, by=by), block=by).table.iloc[0]  # type: ignore[arg-type]
    known = stats.friedmanchisquare(*cells.T)
    assert (row["chi2"], row["p"]) == pytest.approx((known.statistic, known.pvalue))
    long = pd.DataFrame(cells).reset_index().melt("index", var_name="s", value_name="y")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pingouin

        theirs = pingouin.friedman(long, dv="y", within="s", subject="index").iloc[0]
    assert row["kendalls_w"] == pytest.approx(theirs["W"], rel=1e-6)


def test_incomplete_blocks_are_refused_or_dropped_and_counted(cells: np.ndarray) -> None:
    holed = cells.copy()
    holed[0, 0] = np.nan
    with pytest.raises(DesignError, match=r"1 of 15 have not: 'b0'.*anova\(within='annotator'\)"):
        friedman(ratings(holed))
    row = friedman(ratings(holed), incomplete="drop").table.iloc[0]
    assert (row["n_blocks"], row["n_left_out"]) == (14, 1)
    assert row["chi2"] == pytest.approx(stats.friedmanchisquare(*cells[1:].T).statistic)


def test_everybody_the_same_has_a_defined_outcome() -> None:
    flat = ratings(np.full((4, 3), 5))
    assert friedman(flat).table["chi2"].isna().all()
    row = anova(flat).table.iloc[0]
    assert math.isnan(row["F"])
    assert "nothing to test" in row["note"]
    assert tukey(flat).table["verdict"].eq("not defined").all()
    with pytest.raises(DesignError, match="all answers are the same"):
        mixed_model(flat)


def test_no_variation_within_levels_has_no_f_and_says_so() -> None:
    row = anova(ratings([[1, 2, 3], [1, 2, 3]])).table.iloc[0]
    assert math.isnan(row["F"])
    assert math.isnan(row["p"])
    assert "do not vary within levels" in row["note"]


def test_what_cannot_be_tested_is_refused_in_words() -> None:
    with pytest.raises(DesignError, match="has one level"):
        anova(ratings([[1], [2]]))
    with pytest.raises(DesignError, match="every level of 'system' has one judgement"):
        anova(ratings([[1, 2]]))
    with pytest.raises(DesignError, match="at least three systems"):
        friedman(ratings([[1, 2], [2, 3]]))
    with pytest.raises(DesignError, match="no items"):
        friedman(ratings([[1, 2, 3], [2, 3, 4]]), block="item")
