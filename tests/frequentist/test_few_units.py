"""Tests and intervals of few independent units: whose number it is, and Student's t with it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.agreement import cohen_kappa, icc, krippendorff_alpha
from bayeseval.agreement._shared_items import BetweenUnits
from bayeseval.errors import JudgementError
from bayeseval.frequentist import anova, bootstrap_ranking, rating_means, rating_tests, tukey
from bayeseval.frequentist._bootstrap_ranks import expanded, one_sided
from bayeseval.judgements import LikertJudgements, MagnitudeJudgements, StrengthJudgements
from bayeseval.simulate import simulate_likert
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
    """By hand: alpha of nominal data without each item in turn, on the log of one minus it."""
    import krippendorff

    table = tables.likert("complete", 3, sd_annotator=0.0, sd_item=1.0, points=9)
    frame = table.to_frame()
    wide = frame.pivot_table(index="annotator", columns=["item", "system"], values="rating")

    def alpha(kept: Any) -> float:
        return krippendorff.alpha(reliability_data=kept.to_numpy(), level_of_measurement="nominal")

    items = wide.columns.get_level_values("item")
    whole = np.log1p(-alpha(wide))
    parts = np.array([np.log1p(-alpha(wide.loc[:, items != i])) for i in items.unique()])
    n = len(parts)
    pseudo = n * whole - (n - 1) * parts
    half = stats.t.isf(0.025, n - 1) * np.sqrt(pseudo.var(ddof=1) / n)
    row = krippendorff_alpha(table, level="nominal").table.iloc[0]
    assert row["lower"] == pytest.approx(1 - np.exp(pseudo.mean() + half), abs=1e-9)
    assert row["upper"] == pytest.approx(1 - np.exp(pseudo.mean() - half), abs=1e-9)
    assert "jackknife" in str(krippendorff_alpha(table, level="nominal"))


def test_the_alpha_of_few_units_has_the_interval_of_a_one_way_icc():
    for shape in ("complete", "nested"):
        table = tables.likert(shape, 3, sd_annotator=0.0, sd_item=1.0, points=9)
        alpha = krippendorff_alpha(table, level="interval").table.iloc[0]
        one_way = icc(table, raters="slot").table.iloc[0]
        assert (alpha["lower"], alpha["upper"]) == pytest.approx(
            (one_way["lower"], one_way["upper"]), rel=1e-9
        )


def test_intervals_of_units_that_share_items_say_so():
    table = tables.likert("complete", 3, points=5)
    for found in (icc(table), cohen_kappa(table)):
        assert "Units that share an item are alike" in str(found).replace("\n", " ")
    nested = tables.likert("nested", 3, points=5)
    for found in (icc(nested), cohen_kappa(nested)):
        assert "share" not in str(found)
    frame = table.to_frame()
    two = table.keep_rows(frame["item"].isin(["i0", "i1"]).to_numpy(), rule="two items")
    for found in (icc(two), cohen_kappa(two)):
        assert "6 units share 2 items" in str(found).replace("\n", " ")


def test_the_kappa_of_shared_items_is_students_t_over_their_sums():
    """The variance that statsmodels gives is the mean square of what each answer moves kappa by."""
    from statsmodels.stats.inter_rater import cohens_kappa

    from bayeseval.agreement.kappa import _half, _influence

    counts = np.array([[10, 3, 1], [2, 12, 4], [0, 5, 9]])
    for weights in (None, "linear", "quadratic"):
        moves = _influence(counts, weights)
        known: Any = cohens_kappa(counts, wt=weights)["var_kappa"]
        assert (counts * moves).sum() == pytest.approx(0, abs=1e-9)
        assert (counts * moves**2).sum() / counts.sum() ** 2 == pytest.approx(known)
    own, every = np.arange(6), np.repeat([0, 1, 2], 2)
    each = np.array([1.0, 1, -1, -1, 0, 0])
    assert _half(0.04, each, own, 0.95) == pytest.approx(stats.norm.isf(0.025) * 0.2)
    # Sums 2, -2 and 0: 3 / 2 × 8 / 6².
    assert _half(0.04, each, every, 0.95) == pytest.approx(stats.t.isf(0.025, 2) * (1 / 3) ** 0.5)


def test_the_icc_of_shared_items_has_generalised_intervals():
    """Drawn at random from mean squares of a nested analysis of variance by statsmodels."""
    import statsmodels.formula.api as smf
    from statsmodels.stats.anova import anova_lm

    table = tables.likert("complete", 3, sd_annotator=0.8, sd_item=1.0, points=100)
    frame = table.to_frame()
    crossed = "rating ~ C(item) + C(item):C(system) + C(annotator)"
    rng = np.random.default_rng(0)

    def expected(formula: str) -> list[np.ndarray]:
        found = anova_lm(smf.ols(formula, frame).fit())[["sum_sq", "df"]].to_numpy()
        return [square / rng.chisquare(df, 400_000) for square, df in found]

    items, rest, within = expected("rating ~ C(item) + C(item):C(system)")
    known = {"ICC(1,1)": ((items + 2 * rest) / 3, within, within)}
    items, person, rest, residual = expected(crossed)  # Interactions stand last but one.
    between = (items + 2 * rest) / 3
    known |= {"ICC(2,1)": (between, person, residual), "ICC(3,1)": (between, residual, residual)}
    rows = icc(table).table.set_index("form")
    for form, (one, rater, error) in known.items():
        single = one + 11 * error + 12 * (rater - error) / 12
        drawn = (one - error) / single
        ends = np.quantile(drawn, [0.025, 0.975])
        np.testing.assert_allclose(
            rows.loc[form, ["lower", "upper"]].astype(float), ends, atol=0.01
        )


@pytest.mark.parametrize(("items", "units"), [(13.0, 1.0), (1.0, 1.0)])
def test_ratios_of_mean_squares_of_shared_items_are_covered(items: float, units: float):
    """Four items of three units: with Satterthwaite's degrees of freedom .906 and .963."""
    rng = np.random.default_rng(3)
    truth, n = (items + 2 * units) / 3, 1000
    squares = np.array([items, units, 1.0]) * rng.chisquare((3, 8, 132), (n, 3)) / (3, 8, 132)
    covered = 0
    for of_item, within, error in squares:
        low, high = BetweenUnits.of(of_item, within, 3, 3, 8).ratio(error, 132, 0.95)
        covered += low <= truth <= high
    assert stats.binom.cdf(covered, n, 0.95) > 0.001


def test_the_interval_of_four_items_is_students():
    rng = np.random.default_rng(2)
    cells = rng.integers(1, 10, size=(4, 2))
    rows = [(f"u{k}", s, f"i{k}", int(cells[k, j])) for k in range(4) for j, s in enumerate("AB")]
    found = bootstrap_ranking(ratings(rows), n_resamples=20_000, random_seed=1)
    row = found.pairs.iloc[0]
    difference = np.subtract(*cells.T) * (1 if row["system_a"] == "A" else -1)
    known: Any = stats.ttest_1samp(difference, 0).confidence_interval(0.95)
    ends = np.clip([known.low, known.high], -8, 8)
    assert (row["lower"], row["upper"]) == pytest.approx(tuple(ends), rel=0.03, abs=0.05)


@pytest.mark.parametrize("power", [300, -300, 155])
def test_magnitudes_whose_squares_are_no_numbers_are_refused_in_words(power: int):
    rng = np.random.default_rng(0)
    rows = [(f"p{k}", f"i{j}", s) for k in range(3) for j in range(3) for s in "AB"]
    frame = pd.DataFrame(rows, columns=["who", "item", "system"])
    frame["m"] = np.exp(rng.normal(size=len(frame))) * float(f"1e{power}")
    table = MagnitudeJudgements.from_frame(
        frame, annotator="who", item="item", system="system", magnitude="m", reference=None
    )
    for function in (icc, rating_means, rating_tests, bootstrap_ranking, anova, tukey):
        with pytest.raises(JudgementError, match="by one power of ten"):
            function(table)
    with pytest.raises(JudgementError, match="by one power of ten"):
        krippendorff_alpha(table, level="interval")


@pytest.mark.parametrize("within", [None, "annotator"])
def test_mirrored_strengths_have_no_f(within: Any):
    frame = pd.DataFrame({"who": list("xxyy"), "item": list("1212"), "a": "A", "b": "B", "s": 10})
    table = StrengthJudgements.from_frame(
        frame, annotator="who", item="item", system_a="a", system_b="b", strength="s",
        bounds=(-50, 50), positive="a",
    )  # fmt: skip
    row = anova(table, within=within).table.iloc[0]
    assert np.isnan([row["F"], row["p"]]).all()
    assert "nothing to test against" in row["note"]


def test_three_annotators_make_no_rank_certain() -> None:
    """One chance in eight that three people prefer A where nobody has a preference."""
    rows = [(who, "A", 4) for who in "abc"] + [("a", "B", 3), ("b", "B", 3), ("c", "B", 2)]
    judged = LikertJudgements.from_frame(
        pd.DataFrame(rows, columns=["annotator", "system", "rating"]),
        annotator="annotator",
        system="system",
        rating="rating",
        scale=(1, 5),
    )
    table = bootstrap_ranking(judged, random_seed=1).to_frame()
    assert table["cluster"].tolist() == [1, 1]
    assert table[["rank_lower", "rank_upper"]].to_numpy().tolist() == [[1, 2], [1, 2]]


@pytest.mark.parametrize("n_annotators", [2, 3, 4, 5, 8, 20])
def test_ranks_apart_are_systems_apart(n_annotators: int) -> None:
    """Intervals of ranks that do not meet belong to a pair whose difference is decided."""
    for seed in range(10):
        study = simulate_likert(n_annotators=n_annotators, n_systems=4, n_items=1, random_seed=seed)
        ranking = bootstrap_ranking(study.judgements, random_seed=seed)
        ends = ranking.to_frame().set_index("system")
        lower, upper = ends["rank_lower"].to_dict(), ends["rank_upper"].to_dict()
        for pair in ranking.pairs.to_dict("records"):
            if upper[pair["system_a"]] < lower[pair["system_b"]]:
                assert pair["p"] <= 0.05


def test_annotators_are_paired_where_there_is_one_item():
    """By the one item there is no pair of units, and Welch's test would waste what they share."""
    rows = [
        (f"p{k}", s, "i0", r)
        for s, rs in (("A", (5, 7, 9)), ("B", (3, 6, 7)))
        for k, r in enumerate(rs)
    ]
    row = rating_tests(ratings(rows)).table.iloc[0]
    known: Any = stats.ttest_rel([5, 7, 9], [3, 6, 7])
    assert (row["test"], row["p"]) == ("paired t by annotator", pytest.approx(known.pvalue))
