"""Tests of means, win rates, boxes and power against R's own, on two tables each.

R 4.2. The tables of ratings are `TABLES`, as data frames d (y, system, item, annotator)::

    t.test(d$y[d$system == "A"])
    m <- tapply(d$y, list(d$item, d$system), mean)  # or d$annotator
    ok <- complete.cases(m[, c("A", "B")]); t.test(m[ok, "A"], m[ok, "B"], paired = TRUE)
    t.test(d$y[d$system == "A"], d$y[d$system == "B"])
    summary(aov(y ~ system, d)); TukeyHSD(aov(y ~ system, d))
    m <- m[complete.cases(m), ]; friedman.test(m)
    anova(lm(m ~ 1), X = ~ 1, test = "Spherical")
"""

import numpy as np
import pandas as pd
import pytest

from bayeseval.agreement import kendalls_w
from bayeseval.frequentist import (
    anova,
    box_tests,
    friedman,
    rating_means,
    rating_power,
    rating_tests,
    spa_power,
    tukey,
    win_rates,
)
from bayeseval.judgements import LikertJudgements
from tests import tables
from tests.frequentist.tables import counts

TABLES = {
    "complete": lambda: tables.likert("complete", 11, effect=0.6),
    "ragged": lambda: tables.likert("ragged", 12, effect=0.6),
}
PAIRS = [("A", "B"), ("A", "C"), ("B", "C")]

# System: mean and its interval.
MEANS = {
    "complete": """
        55.70833333 52.08658698 59.33007968
        53.77083333 50.53672519 57.00494148
        53.25 49.81769461 56.68230539""",
    "ragged": """
        56.45454545 52.25147383 60.65761708
        45.86666667 41.98025608 49.75307725
        50.54545455 45.77493201 55.31597708""",
}
# Pair: t, df, p, interval; paired by item, paired by annotator, Welch.
T_TESTS = {
    ("complete", "item"): """
        1.343319237 3 0.2717468854 -2.652614954 6.527614954
        1.416453338 3 0.2516235174 -3.064978749 7.981645416
        0.6063985163 3 0.5870601203 -2.212557453 3.25422412""",
    ("complete", "annotator"): """
        1.270164718 11 0.2302353585 -1.419866716 5.294866716
        1.303872831 11 0.2189028711 -1.691423498 6.608090164
        0.3877314258 11 0.7056125595 -2.435714322 3.477380988""",
    ("complete", "none"): """
        0.802738305 92.82059778 0.4241766732 -2.855580132 6.730580132
        0.9911343629 93.72998816 0.3241717642 -2.46659104 7.383257707
        0.2221782928 93.66940138 0.8246587983 -4.13387152 5.175538186""",
    ("ragged", "item"): """
        14.86131445 3 0.0006610967225 8.243000751 12.73537226
        4.343677809 3 0.02252532923 1.649567574 10.69110703
        -5.168733931 3 0.01405031704 -6.978012143 -1.659686269""",
    ("ragged", "annotator"): """
        4.145523561 10 0.001994196046 3.885863015 12.91716729
        2.904845651 11 0.01432045116 1.320902285 9.581875492
        -1.885068675 10 0.08878001097 -7.141069517 0.5956149718""",
    ("ragged", "none"): """
        3.774499931 60.93336982 0.0003657028804 4.97859524 16.19716234
        1.893125815 63.00032194 0.06293622231 -0.3284104005 12.14659222
        -1.551352438 59.53163449 0.1261176631 -10.71254505 1.354969288""",
}
# F, p, sums of squares, partial eta squared.
ANOVA = {
    "complete": (0.57624, 0.56333, 161.0972, 19709.3958, 0.008107359076),
    "ragged": (6.15591, 0.0030851, 1777.9093, 13429.8303, 0.1169081881),
}
# B − A, C − A, C − B: difference, interval, adjusted p.
TUKEY = {
    "complete": """
        -1.9375 -7.654074017 3.779074017 0.7018951125
        -2.4583333333 -8.174907351 3.258240684 0.5663594580
        -0.5208333333 -6.237407351 5.195740684 0.9746556890""",
    "ragged": """
        -10.587878788 -17.808160691 -3.367596885 0.002101071531
        -5.909090909 -12.955364545 1.137182727 0.118508092638
        4.678787879 -2.541494025 11.899069782 0.275556736067""",
}
# Blocks of annotators: chi-square, p, their number; of items: chi-square, p.
FRIEDMAN = {
    "complete": ((4.666666667, 0.09697196786, 12), (2.0, 0.3678794412)),
    "ragged": ((7.090909091, 0.02885550339, 11), (8.0, 0.01831563889)),
}


def _ratings(name: str) -> LikertJudgements:
    return TABLES[name]()


def _numbers(text: str) -> np.ndarray:
    return np.array([line.split() for line in text.strip().splitlines()], dtype=float)


@pytest.mark.parametrize("name", TABLES)
def test_means_have_the_intervals_of_t_test(name: str) -> None:
    found = rating_means(_ratings(name)).table.sort_values("system")
    np.testing.assert_allclose(found[["mean", "lower", "upper"]], _numbers(MEANS[name]), rtol=1e-8)


@pytest.mark.parametrize(("name", "pair_by"), T_TESTS)
def test_pairs_have_the_t_p_and_interval_of_t_test(name: str, pair_by: str) -> None:
    found = rating_tests(_ratings(name), pair_by=pair_by).table  # type: ignore[arg-type]
    assert list(zip(found["system_a"], found["system_b"], strict=True)) == PAIRS
    columns = ["t", "df", "p", "lower", "upper"]
    np.testing.assert_allclose(found[columns], _numbers(T_TESTS[name, pair_by]), rtol=1e-7)


@pytest.mark.parametrize("name", TABLES)
def test_f_is_that_of_aov(name: str) -> None:
    row = anova(_ratings(name)).table.iloc[0]
    columns = ["F", "p", "ss_between", "ss_within", "eta2_partial"]
    np.testing.assert_allclose(row[columns].astype(float), ANOVA[name], rtol=1e-5)


def test_repeated_measures_have_rs_greenhouse_geisser() -> None:
    row = anova(_ratings("complete"), within="annotator").table.iloc[0]
    found = row[["F", "df1", "df2", "p", "epsilon", "p_gg"]].astype(float)
    known = [1.30999, 2, 22, 0.29005825, 0.8591, 0.28896817]
    np.testing.assert_allclose(found, known, rtol=5e-5)


@pytest.mark.parametrize("name", TABLES)
def test_honest_differences_are_those_of_tukeyhsd(name: str) -> None:
    found = tukey(_ratings(name)).table
    assert list(zip(found["system_a"], found["system_b"], strict=True)) == PAIRS
    known = _numbers(TUKEY[name])
    np.testing.assert_allclose(found["estimate"], -known[:, 0], rtol=1e-8)
    np.testing.assert_allclose(found["lower"], -known[:, 2], rtol=1e-4)
    np.testing.assert_allclose(found["upper"], -known[:, 1], rtol=1e-4)
    np.testing.assert_allclose(found["p_corrected"], known[:, 3], rtol=1e-3)


@pytest.mark.parametrize("name", TABLES)
def test_blocks_have_friedmans_chi_square(name: str) -> None:
    (chi2, p, n_blocks), of_items = FRIEDMAN[name]
    row = friedman(_ratings(name), incomplete="drop").table.iloc[0]
    found = row[["chi2", "p", "n_blocks", "kendalls_w"]].astype(float)
    np.testing.assert_allclose(found, [chi2, p, n_blocks, chi2 / (2 * n_blocks)], rtol=1e-8)
    concordance = kendalls_w(_ratings(name)).table.iloc[0]
    found = concordance[["chi2", "p", "n_rankings", "W"]].astype(float)
    np.testing.assert_allclose(found, [chi2, p, n_blocks, chi2 / (2 * n_blocks)], rtol=1e-8)
    row = friedman(_ratings(name), block="item").table.iloc[0]
    np.testing.assert_allclose(row[["chi2", "p"]].astype(float), of_items, rtol=1e-8)


@pytest.mark.parametrize(
    ("outcomes", "known"),
    [
        # t.test(c(rep(1, 12), rep(0, 5), rep(.5, 4)), mu = .5): mean, t, p, interval
        ((12, 5, 4), (0.6666666667, 1.78376517, 0.08964406205, 0.4717640077, 0.8615693256)),
        ((5, 9, 6), (0.4, -1.07308674, 0.2966728754, 0.2049529478, 0.5950470522)),
    ],
)
def test_win_rates_have_the_t_of_t_test(
    outcomes: tuple[int, int, int], known: tuple[float, ...]
) -> None:
    table = win_rates(counts([("A", "B", *outcomes)])).table
    columns = ["win_rate", "t", "p", "lower", "upper"]
    row = table.set_index("system").loc["A", columns].astype(float)
    np.testing.assert_allclose(row, known, rtol=1e-8)
    other = table.set_index("system").loc["B", columns].astype(float)
    mirrored = (1 - known[0], -known[1], known[2], 1 - known[4], 1 - known[3])
    np.testing.assert_allclose(other, mirrored, rtol=1e-8)
    assert table["system"].iloc[0] == ("A" if known[0] > 0.5 else "B")


@pytest.mark.parametrize(
    ("ticked", "not_ticked", "known"),
    [
        # chisq.test(rbind(ticked, not_ticked), correct = FALSE): chi-square, df, p, Cramér's V,
        # the smallest expected
        ((12, 7, 15), (18, 23, 15), (4.632352941, 2, 0.09865005682, 0.2268713032, 11.33333333)),
        ((3, 9, 4, 11), (22, 16, 21, 14), (9.081684424, 3, 0.02822433227, 0.301358332, 6.75)),
    ],
)
def test_boxes_have_the_chi_square_of_chisq_test(
    ticked: tuple[int, ...], not_ticked: tuple[int, ...], known: tuple[float, ...]
) -> None:
    systems, cells = "ABCD"[: len(ticked)], np.array([ticked, not_ticked]).T
    frame = pd.DataFrame(
        {
            "system": np.repeat(list(systems), cells.sum(axis=1)),
            "box": np.concatenate([np.repeat([True, False], row) for row in cells]),
        }
    )
    row = box_tests(frame, system="system", boxes=["box"]).table.iloc[0]
    columns = ["chi2", "df", "p", "cramers_v", "smallest_expected"]
    np.testing.assert_allclose(row[columns].astype(float), known, rtol=1e-8)


@pytest.mark.parametrize(
    ("n", "difference", "sd", "paired", "apart"),
    [
        # power.t.test(n, delta, sd, type = "paired", strict = TRUE)$power; "two.sample"
        (20, 0.3, 1.1, 0.2123742893, 0.1340830967),
        (50, 0.4, 1.3, 0.5686898677, 0.3314590024),
    ],
)
def test_power_of_ratings_is_that_of_power_t_test(
    n: int, difference: float, sd: float, paired: float, apart: float
) -> None:
    for spread, known in ((sd, paired), ((sd, sd), apart)):
        curve = rating_power(difference=difference, sd=spread, n_annotators=[n])
        assert curve.table["power"][0] == pytest.approx(known, rel=1e-6)


@pytest.mark.parametrize(
    ("n", "mean", "sd", "known"), [(30, 0.57, 0.2, 0.4576555979), (100, 0.54, 0.25, 0.3538486065)]
)
def test_power_of_spa_is_that_of_power_t_test(n: int, mean: float, sd: float, known: float) -> None:
    # power.t.test(n, delta = mean - 0.5, sd, type = "one.sample", strict = TRUE)$power
    assert spa_power(mean=mean, sd=sd, n_annotators=[n]).table["power"][0] == pytest.approx(
        known, rel=1e-6
    )
