"""Kendall's W against Friedman's test and hand figures; within annotators; its edges."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare

from bayeseval.agreement import kendalls_w
from bayeseval.agreement.concordance import concordance
from bayeseval.errors import DesignError
from bayeseval.judgements import LikertJudgements
from tests.agreement.tables import ratings, without_identities


def test_w_is_friedmans_statistic_rescaled_ties_included() -> None:
    rng = np.random.default_rng(1)
    matrix = rng.integers(1, 6, size=(7, 5))
    ours = concordance(matrix)
    theirs = friedmanchisquare(*matrix.T)
    assert ours["chi2"] == pytest.approx(theirs.statistic)
    assert ours["W"] == pytest.approx(theirs.statistic / (7 * 4))
    assert ours["p"] == pytest.approx(theirs.pvalue)


def test_identical_rankings_have_w_one_and_opposite_ones_zero() -> None:
    same = kendalls_w(ratings([[1, 2, 3], [4, 6, 9]]), objects="output").table.iloc[0]
    assert same["W"] == pytest.approx(1.0)
    opposite = kendalls_w(ratings([[1, 2, 3], [3, 2, 1]]), objects="output").table.iloc[0]
    assert opposite["W"] == pytest.approx(0.0)


def test_shrout_fleiss_table_by_hand() -> None:
    matrix = np.array([[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4],
                       [8, 2, 8, 6, 9, 7]])  # fmt: skip
    row = kendalls_w(ratings(matrix), objects="output").table.iloc[0]
    ranks = np.array([[5, 1.5, 4, 3, 6, 1.5], [3.5, 1.5, 5, 1.5, 6, 3.5], [4, 2, 5.5, 1, 5.5, 3],
                      [4.5, 1, 4.5, 2, 6, 3]])  # fmt: skip
    spread = ((ranks.sum(axis=0) - 14) ** 2).sum()
    ties = 6 + 12 + 6 + 6  # 2³ − 2 for each pair that shares a rank
    assert row["W"] == pytest.approx(12 * spread / (16 * 210 - 4 * ties))


def _repeated(rows: list[tuple[str, str, int]]) -> LikertJudgements:
    frame = pd.DataFrame(rows, columns=["w", "s", "r"])
    return LikertJudgements.from_frame(
        frame, annotator="w", system="s", rating="r", scale=(1, 9), repeats=True
    )


def test_within_annotators_the_mean_over_repeats_is_taken() -> None:
    rows = [("p", s, r) for s, r in zip("ABCABC", (1, 2, 3, 1, 2, 3), strict=True)]
    rows += [("q", s, r) for s, r in zip("ABCABC", (1, 2, 3, 3, 2, 1), strict=True)]
    rows += [("once", s, 5) for s in "ABC"]
    table = kendalls_w(_repeated(rows), within=True).table.set_index("annotator")
    assert table.loc["p", "W"] == pytest.approx(1.0)
    assert table.loc["q", "W"] == pytest.approx(0.0)
    assert table.loc["mean", "W"] == pytest.approx(0.5)
    assert table.loc["mean", "n_left_out"] == 1


def test_an_annotator_who_ties_everything_is_nan_and_out_of_the_mean() -> None:
    rows = [("p", s, r) for s, r in zip("ABCABC", (1, 2, 3, 1, 2, 3), strict=True)]
    rows += [("flat", s, 4) for s in "ABCABC"]
    table = kendalls_w(_repeated(rows), within=True).table.set_index("annotator")
    assert math.isnan(float(str(table.loc["flat", "W"])))
    assert table.loc["mean", "W"] == pytest.approx(1.0)


def test_incomplete_annotators_are_left_out_and_counted() -> None:
    matrix = np.array([[1, 2, 3], [1, 3, 2], [3, np.nan, 1]])
    row = kendalls_w(ratings(matrix), objects="output").table.iloc[0]
    assert (row["n_rankings"], row["n_left_out"]) == (2, 1)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[1, 2, 3]], "at least two annotators"),
        ([[1], [2]], "at least two outputs"),
        ([[1, np.nan], [np.nan, 2]], "0 of 2 did"),
    ],
)
def test_too_little_to_rank_is_refused_in_words(matrix: list[list[float]], words: str) -> None:
    with pytest.raises(DesignError, match=words):
        kendalls_w(ratings(matrix), objects="output")


def test_no_identities_and_no_repeats_are_refused_in_words() -> None:
    table = ratings([[1, 2, 3], [1, 2, 3]])
    with pytest.raises(DesignError, match="no identities"):
        kendalls_w(without_identities(table))
    with pytest.raises(DesignError, match="none did"):
        kendalls_w(table, within=True, objects="output")


def test_one_annotator_who_judged_everything_is_one_too_few() -> None:
    with pytest.raises(DesignError, match=r"1 of 1 did\. krippendorff_alpha"):
        kendalls_w(ratings([[1, 2, 3]]), objects="output")
