"""Tests and intervals of few independent units: whose number it is, and Student's t with it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.agreement import cohen_kappa, icc, krippendorff_alpha
from bayeseval.frequentist import bootstrap_ranking, rating_tests
from bayeseval.frequentist._bootstrap_ranks import expanded, one_sided
from bayeseval.judgements import LikertJudgements
from tests import tables


def ratings(rows: list[tuple[str, str, str, int]]) -> LikertJudgements:
    frame = pd.DataFrame(rows, columns=["who", "system", "item", "rating"])
    return LikertJudgements.from_frame(
        frame, annotator="who", system="system", item="item", rating="rating", scale=(1, 9)
    )


def own(factor: str) -> tuple[LikertJudgements, list[list[float]]]:
    """Two systems with annotators (or items) of their own, each of which has three ratings."""
    rng = np.random.default_rng(4)
    rows, means = [], []
    for system in "AB":
        of_side = []
        for k in range(4):
            given = rng.integers(1, 9, size=3)
            of_side.append(float(given.mean()))
            for j, value in enumerate(given):
                mine, shared = f"{system}{k}", f"x{j}"
                who, item = (mine, shared) if factor == "annotator" else (shared, mine)
                rows.append((who, system, item, int(value)))
        means.append(of_side)
    return ratings(rows), means


@pytest.mark.parametrize("factor", ["annotator", "item"])
def test_units_that_one_system_has_are_what_is_tested(factor: str):
    table, (of_a, of_b) = own(factor)
    row = rating_tests(table).table.iloc[0]
    known: Any = stats.ttest_ind(of_a, of_b, equal_var=False)
    ends = known.confidence_interval(0.95)
    assert row["test"] == f"Welch t by {factor}"
    assert (row["n_a"], row["n_b"]) == (4, 4)
    assert row["p"] == pytest.approx(known.pvalue, rel=1e-9)
    assert (row["lower"], row["upper"]) == pytest.approx((ends.low, ends.high), rel=1e-9)


def test_ratings_of_one_annotator_a_system_are_tested_as_they_are():
    """One person is no sample of people; every item has one rating."""
    rows = [("u", "A", f"i{k}", k + 1) for k in range(4)]
    rows += [("v", "B", f"j{k}", k + 3) for k in range(4)]
    row = rating_tests(ratings(rows)).table.iloc[0]
    assert (row["test"], row["n_a"], row["n_b"]) == ("Welch t", 4, 4)


def test_annotators_of_one_system_are_resampled():
    table, _ = own("annotator")
    assert bootstrap_ranking(table, n_resamples=50, random_seed=1).resample == "annotator"
    table, _ = own("item")
    assert bootstrap_ranking(table, n_resamples=50, random_seed=1).resample == "item"


def test_expanded_tails_give_students_interval_of_a_normal_bootstrap():
    """Means of n units: a bootstrap's variance is (n - 1)/n of the sample's over n."""
    for n in (3, 8, 40):
        bootstrap_sd = np.sqrt((n - 1) / n) / np.sqrt(n)
        reach = stats.norm.isf(expanded(np.array([n]), 0.025)[0]) * bootstrap_sd
        assert reach == pytest.approx(stats.t.isf(0.025, n - 1) / np.sqrt(n), rel=1e-9)
        share = stats.norm.cdf(2.0 / bootstrap_sd / np.sqrt(n))
        wanted = max(stats.t.sf(2.0, n - 1), 0.5**n)
        assert one_sided(float(share), n) == pytest.approx(wanted, rel=1e-9)


def test_no_p_of_four_items_is_below_a_sixteenth():
    rows = [(f"u{k}", s, f"i{k}", 3 + 4 * (s == "A") + k % 2) for k in range(4) for s in "AB"]
    found = bootstrap_ranking(ratings(rows), n_resamples=200, random_seed=1)
    assert found.pairs["p"].tolist() == [1 / 16]
    assert found.table["cluster"].tolist() == [1, 1]
    assert "Of 4 items" in str(found)


def test_the_jackknife_of_alpha_leaves_items_out():
    """By hand: alpha of interval data without each item in turn, on the log of one minus it."""
    import krippendorff

    table = tables.likert("complete", 3, sd_annotator=0.0, sd_item=1.0, points=9)
    frame = table.to_frame()
    wide = frame.pivot_table(index="annotator", columns=["item", "system"], values="rating")

    def alpha(kept: Any) -> float:
        return krippendorff.alpha(reliability_data=kept.to_numpy(), level_of_measurement="interval")

    items = wide.columns.get_level_values("item")
    whole = np.log1p(-alpha(wide))
    parts = np.array([np.log1p(-alpha(wide.loc[:, items != i])) for i in items.unique()])
    n = len(parts)
    pseudo = n * whole - (n - 1) * parts
    half = stats.t.isf(0.025, n - 1) * np.sqrt(pseudo.var(ddof=1) / n)
    row = krippendorff_alpha(table, level="interval").table.iloc[0]
    assert row["lower"] == pytest.approx(1 - np.exp(pseudo.mean() + half), abs=1e-9)
    assert row["upper"] == pytest.approx(1 - np.exp(pseudo.mean() - half), abs=1e-9)
    assert "jackknife" in str(krippendorff_alpha(table))


def test_units_that_share_few_items_are_named():
    table = tables.likert("complete", 3, points=5)
    for found in (icc(table), cohen_kappa(table)):
        assert "12 units share 4 items" in str(found).replace("\n", " ")
    nested = tables.likert("nested", 3, points=5)
    for found in (icc(nested), cohen_kappa(nested)):
        assert "share" not in str(found)
