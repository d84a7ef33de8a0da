"""Means and t-tests against SciPy and the printed tables of Perils; their edges."""

import ast
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.errors import BayesEvalError, DesignError, JudgementError
from bayeseval.frequentist import rating_means, rating_tests, welch_from_summary
from bayeseval.frequentist._corrections import corrected
from bayeseval.judgements import LikertJudgements
from tests.frequentist.tables import counts, ratings
from tests.papers import script


def test_hanna_means_equal_the_authors_in_all_66_cells(shared_data: Path) -> None:
    frame = pd.read_csv(shared_data / "hanna" / "hanna_scores_cut.csv")
    criteria = ("RE", "CH", "EM", "SU", "EG", "CX")
    rows = [
        (row["Model"], item, criterion, rating)
        for _, row in frame.iterrows()
        for slot in (1, 2, 3)
        for criterion in criteria
        for item, rating in enumerate(ast.literal_eval(str(row[f"Human {slot} {criterion}"])))
    ]
    long = pd.DataFrame(rows, columns=["system", "item", "criterion", "rating"])
    table = LikertJudgements.from_frame(
        long, annotator=None, system="system", item="item", criterion="criterion",
        rating="rating", scale=(1, 5),
    )  # fmt: skip
    found = rating_means(table).table.set_index(["system", "criterion"])
    source = (shared_data / "hanna" / "SOURCE.md").read_text(encoding="utf-8")
    listed = source.split("in all 66 cells, e.g. ")[1].split(". The authors' 95 %")[0]
    cells = 0
    labels = {label.casefold().replace(" ", ""): label for label in set(long["system"])}
    for part in listed.split("; "):
        words = [word for word in part.split() if word not in criteria]
        system = labels["".join(words[:-6]).casefold()]
        for criterion, figure in zip(criteria, words[-6:], strict=True):
            mean = float(found["mean"][system, criterion])
            assert mean == pytest.approx(float(figure), abs=0.00501)
            cells += 1
    assert cells == 66


def test_means_by_annotator_by_hand() -> None:
    table = rating_means(ratings([[1, 5], [3, 5]]), by="annotator").table
    assert table["mean"].tolist() == [1, 3, 5, 5]
    assert table["sd"].isna().all()
    whole = rating_means(ratings([[1, 5], [3, 5]])).table
    assert whole["sd"].tolist() == pytest.approx([math.sqrt(2), 0.0])
    assert whole["se"].tolist() == pytest.approx([1.0, 0.0])
    # Student's t with one degree of freedom says −10.7, where no rating is.
    assert whole["lower"].tolist() == pytest.approx([1.0, math.nan], nan_ok=True)


@pytest.mark.parametrize("by", ["annotator", "item"])
def test_shared_blocks_are_tested_by_the_paired_t(by: str) -> None:
    cells = np.array([[10, 30], [25, 31], [40, 60], [55, 52], [70, 81]])
    row = rating_tests(ratings(cells, by=by)).table.iloc[0]
    known = stats.ttest_rel(cells[:, 0], cells[:, 1])
    ends = known.confidence_interval(0.95)
    assert row["test"] == f"paired t by {by}"
    assert (row["t"], row["p"], row["df"]) == pytest.approx((known.statistic, known.pvalue, 4))
    assert (row["lower"], row["upper"]) == pytest.approx((ends.low, ends.high))
    assert row["estimate"] == pytest.approx(-10.8)


def test_unshared_judgements_are_tested_by_welch() -> None:
    cells = np.array([[10, np.nan], [25, np.nan], [40, np.nan], [np.nan, 52], [np.nan, 81]])
    row = rating_tests(ratings(cells)).table.iloc[0]
    known: Any = stats.ttest_ind([10, 25, 40], [52, 81], equal_var=False)
    ends = known.confidence_interval(0.95)
    assert row["test"] == "Welch t"
    assert (row["t"], row["p"], row["df"]) == pytest.approx(
        (known.statistic, known.pvalue, known.df)
    )
    assert (row["lower"], row["upper"]) == pytest.approx((ends.low, ends.high))


def test_items_come_before_annotators_and_either_can_be_asked_for() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        [(w, i, s, int(rng.integers(1, 6))) for w in "pq" for i in "xyz" for s in "AB"],
        columns=["w", "i", "s", "r"],
    )
    table = LikertJudgements.from_frame(
        frame, annotator="w", item="i", system="s", rating="r", scale=(1, 5)
    )
    wide = frame.pivot_table(index="i", columns="s", values="r")
    row = rating_tests(table).table.iloc[0]
    assert (row["test"], row["n_a"]) == ("paired t by item", 3)
    assert row["t"] == pytest.approx(stats.ttest_rel(wide["A"], wide["B"]).statistic)
    both = rating_tests(table, pair_by="annotator and item").table.iloc[0]
    assert (both["test"], both["n_a"]) == ("paired t by annotator and item", 6)
    assert rating_tests(table, pair_by="none").table["test"][0] == "Welch t"


def test_holm_and_bonferroni_are_worked_by_hand() -> None:
    p = np.array([0.01, 0.04, 0.03, np.nan])
    np.testing.assert_allclose(corrected(p, "holm"), [0.03, 0.06, 0.06, np.nan])
    np.testing.assert_allclose(corrected(p, "bonferroni"), [0.03, 0.12, 0.09, np.nan])
    np.testing.assert_allclose(corrected(p, "none"), p)


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_corrections_equal_those_of_statsmodels(correction: Any) -> None:
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(1).uniform(0, 0.2, size=30).round(2)
    known = multipletests(p, method=correction)[1]
    np.testing.assert_allclose(corrected(p, correction), known)


def test_correction_and_verdict_run_over_the_pairs() -> None:
    rng = np.random.default_rng(3)
    cells = np.clip(np.round(np.array([20, 40, 42]) + rng.normal(0, 8, size=(20, 3))), 1, 100)
    table = rating_tests(ratings(cells), correction="bonferroni").table
    np.testing.assert_allclose(table["p_corrected"], np.minimum(3 * table["p"], 1))
    assert table["verdict"].tolist() == ["B better", "B better", "not rejected"]


def test_equal_differences_have_no_t_and_say_so() -> None:
    row = rating_tests(ratings([[1, 2], [3, 4], [8, 9]])).table.iloc[0]
    assert math.isnan(row["t"])
    assert (row["estimate"], row["verdict"]) == (-1.0, "not defined")
    assert "no variation" in row["note"]


def test_perils_welch_tests_agree_in_26_of_28_rows(shared_data: Path) -> None:
    found = script("papers_perils").welch(shared_data)
    assert len(found) == 28
    cannot = found[~found["agree"]]
    assert list(zip(cannot["table"], cannot["attribute"], strict=True)) == [
        ("A4", "relevance"),
        ("A4", "likability"),
    ]
    assert cannot["our t"].tolist() == pytest.approx([17.07, 5.10], abs=0.005)


def test_perils_pairs_of_days_agree_where_its_tables_are_not_exchanged(shared_data: Path) -> None:
    found = script("papers_perils").posthoc(shared_data)
    found["printed"] = found["p"].replace("<0.001", "0").astype(float)
    for attribute in ("grammar", "likability"):
        here = found[found["attribute"] == attribute]
        np.testing.assert_allclose(here["our p"], here["printed"], atol=0.17)
    wide = found.pivot_table(index=["group_1", "group_2"], columns="attribute", values="our p")
    printed = found.pivot_table(index=["group_1", "group_2"], columns="attribute", values="printed")
    np.testing.assert_allclose(wide["coherence"], printed["relevance"], atol=0.03)
    np.testing.assert_allclose(wide["relevance"], printed["coherence"], atol=0.03)


def test_summaries_give_the_test_of_the_raw_data() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(0, 1, 12), rng.normal(1, 3, 20)
    row = welch_from_summary(
        mean_a=a.mean(), sd_a=a.std(ddof=1), n_a=12, mean_b=b.mean(), sd_b=b.std(ddof=1), n_b=20
    ).table.iloc[0]
    known: Any = stats.ttest_ind(a, b, equal_var=False)
    assert (row["t"], row["df"], row["p"]) == pytest.approx(
        (known.statistic, known.df, known.pvalue)
    )


def test_summaries_without_variation_are_not_defined() -> None:
    with pytest.raises(DesignError, match="lists of numbers of one length"):
        welch_from_summary(mean_a=[1, 2, 3], sd_a=1, n_a=5, mean_b=[2, 3], sd_b=1, n_b=5)
    row = welch_from_summary(mean_a=1, sd_a=0, n_a=5, mean_b=2, sd_b=0, n_b=5).table.iloc[0]
    assert math.isnan(row["p"])
    assert row["verdict"] == "not defined"


def test_what_cannot_be_tested_is_refused_in_words() -> None:
    with pytest.raises(DesignError, match="there is 'A' alone"):
        rating_tests(ratings([[1], [2]]))
    with pytest.raises(DesignError, match="needs the item"):
        rating_tests(ratings([[1, 2], [2, 3]]), pair_by="item")
    with pytest.raises(JudgementError, match="these are PairwiseJudgements"):
        rating_tests(counts([("A", "B", 1, 2, 0)]))
    with pytest.raises(BayesEvalError, match="Did you mean 'holm'"):
        rating_tests(ratings([[1, 2], [2, 3]]), correction="holms")  # type: ignore[arg-type]


def test_a_record_prints_labels_escaped_in_every_format() -> None:
    frame = pd.DataFrame(
        {"w": list("pqrpqr"), "s": ["<b>A</b>"] * 3 + ["B|_"] * 3, "r": range(1, 7)}
    )
    table = LikertJudgements.from_frame(frame, annotator="w", system="s", rating="r", scale=(1, 9))
    result = rating_tests(table, pair_by="none")
    assert "<b>A</b>" in repr(result)
    assert "&lt;b&gt;" in result.to_html()
    assert "B\\|" in result.to_markdown()
    assert r"B\textbar{}\_" in result.to_latex()
    assert result.to_frame() is not result.table
