"""ICCs of tables so small that estimated variances are zero or negative, against psych."""

import numpy as np
import pytest

from bayeseval.agreement import icc
from tests.agreement.tables import ratings

# for (x in tables) ICC(x, lmer = FALSE)$results, psych 2.x: ICC, ends, F, p of the six forms. Of
# the first table psych prints ICC(2,k) = 3.5 [3.146, 0.529].
PSYCH = {
    ((1, 4, 3), (4, 1, 2), (2, 3, 2)): """
        -0.4516129032 -0.4931442885 0.3509439824 0.06666666667 0.9361901044
        -0.875 -0.9555821105 0.2724892087 0.04545454545 0.9560493827
        -0.4666666667 -0.496805526 0.2071921382 0.04545454545 0.9560493827
        -14 -107.8978352 0.6186258843 0.06666666667 0.9361901044
        nan nan nan 0.04545454545 0.9560493827
        -21 -233.2804341 0.4394678483 0.04545454545 0.9560493827""",
    ((5, 4, 3), (2, 1, 3), (4, 4, 5), (1, 2, 2)): """
        0.7096774194 0.1522218481 0.9756425736 8.333333333 0.007628878487
        0.7037037037 0.0617276945 0.9757507738 6.896551724 0.02265326669
        0.6627906977 0.01481790573 0.9710477103 6.896551724 0.02265326669
        0.88 0.3500845193 0.9917468407 8.333333333 0.007628878487
        0.8769230769 0.1648334997 0.9917841052 6.896551724 0.02265326669
        0.855 0.04317421432 0.9901592962 6.896551724 0.02265326669""",
    ((1, 3), (2, 5), (2, 4), (5, 6), (3, 3)): """
        0.3009708738 -0.5975539534 0.8914713916 1.861111111 0.2553583229
        0.4285714286 -0.1513718071 0.9025941401 5.153846154 0.07063671875
        0.675 -0.3015700182 0.9603962509 5.153846154 0.07063671875
        0.4626865672 -2.969610254 0.9426221253 1.861111111 0.2553583229
        0.6 -0.3567447049 0.9488036582 5.153846154 0.07063671875
        0.8059701493 -0.8635655 0.9797980897 5.153846154 0.07063671875""",
}


@pytest.mark.parametrize("table", PSYCH)
def test_values_intervals_and_tests_are_those_of_psych(table: tuple[tuple[int, ...], ...]) -> None:
    found = icc(ratings(np.array(table).T), ci_prob=0.95).table
    known = np.array(PSYCH[table].split(), dtype=float).reshape(6, 5)
    np.testing.assert_allclose(
        found[["icc", "lower", "upper", "F", "p"]], known, rtol=2e-5, equal_nan=True
    )


def test_a_ratio_without_a_positive_denominator_says_why() -> None:
    result = icc(ratings([[1, 4, 2], [4, 1, 3], [3, 2, 2]]))
    row = result.table.set_index("form").loc["ICC(2,k)"]
    assert np.isnan(row[["icc", "lower", "upper"]].astype(float)).all()
    assert "ICC(2,k) is not defined: targets and raters differ less" in " ".join(
        repr(result).split()
    )
    crossed = icc(ratings([[1, 2], [2, 1]])).table.set_index("form")
    assert crossed["icc"].isna().tolist() == [False, True, False, True, True, True]
    assert "same mean" in crossed["note"].to_list()[3]
    assert "variance of one answer" in crossed["note"].to_list()[1]


def test_judgements_that_agree_have_no_interval_and_no_test() -> None:
    agreed = icc(ratings([[1, 2, 5], [1, 2, 5]])).table
    assert agreed["icc"].tolist() == [1.0] * 6
    assert agreed[["lower", "upper", "F", "p"]].isna().all(axis=None)
    assert agreed["note"].str.contains("do not disagree").all()
    # One rater a point above the other: consistency has no error, agreement has.
    shifted = icc(ratings([[1, 2, 5], [2, 3, 6]])).table
    assert shifted["icc"].round(3).tolist() == [0.891, 0.897, 1.0, 0.942, 0.945, 1.0]
    assert shifted["lower"].notna().tolist() == [True, False, False] * 2
    same = icc(ratings([[3, 3, 3], [3, 3, 3]])).table
    assert same[["icc", "lower", "upper", "F", "p"]].isna().all(axis=None)
    assert same["note"].str.contains("all judgements", case=False).all()


def test_every_small_table_has_an_ordered_interval_below_one_or_a_note() -> None:
    rng = np.random.default_rng(1)
    for shape in [(3, 3)] * 200 + [(2, 2)] * 40 + [(2, 5)] * 20:
        table = icc(ratings(rng.integers(1, 5, size=shape))).table
        numbers = table[["icc", "lower", "upper"]]
        whole = numbers.notna().all(axis=1)
        assert (table.loc[~whole, "note"] != "").all()
        assert (numbers.to_numpy()[~np.isinf(numbers.to_numpy())].size) == numbers.size
        told = table[whole]
        assert (told["lower"] <= told["icc"]).all()
        assert (told["icc"] <= told["upper"]).all()
        assert (told["upper"] <= 1).all()
        assert not (table["icc"] > 1).any()
        assert not np.isinf(table["F"]).any()
