"""Correlations between criteria against RankME's Table 2 and SciPy; their edges."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from bayeseval.agreement import criteria_correlation
from bayeseval.errors import DesignError
from bayeseval.judgements import LikertJudgements
from tests.agreement.tables import ratings
from tests.papers import script


def _two_criteria(rows: list[tuple[str, str, str, int]]) -> LikertJudgements:
    frame = pd.DataFrame(rows, columns=["w", "i", "c", "r"]).assign(s="S")
    return LikertJudgements.from_frame(
        frame, annotator="w", system="s", item="i", criterion="c", rating="r", scale=(1, 9)
    )


def test_rankme_table_2_is_reproduced(shared_data: Path) -> None:
    found = script("papers_rankme").table2(shared_data)
    known = {
        ("naturalness~quality", "Likert"): (0.545, -0.014),
        ("naturalness~quality", "Plain ME"): (0.437, -0.028),
        ("naturalness~quality", "RankME"): (0.278, -0.040),
        ("informativeness~quality", "Likert"): (-0.003, 0.544),
        ("informativeness~quality", "Plain ME"): (0.476, 0.704),
        ("informativeness~quality", "RankME"): (0.550, 0.741),
        ("naturalness~informativeness", "Likert"): (0.155, -0.184),
        ("naturalness~informativeness", "Plain ME"): (0.024, -0.080),
        ("naturalness~informativeness", "RankME"): (0.083, -0.086),
    }
    assert len(found) == 18
    for row in found.itertuples():
        assert row.ours == pytest.approx(known[row.pair, row.method][row.setup - 1], abs=6e-4)
    np.testing.assert_allclose(found["ours"], found["printed"], atol=0.0105)
    assert ((found["p"] < 0.05) == found["printed p < .05"]).all()


def test_means_of_units_and_single_rows_are_told_apart() -> None:
    rows = [
        (w, f"i{i}", c, r)
        for w, values in {"p": [(1, 2), (4, 3), (5, 9)], "q": [(3, 1), (2, 6), (8, 7)]}.items()
        for i, pair in enumerate(values)
        for c, r in zip(("fluency", "adequacy"), pair, strict=True)
    ]
    table = criteria_correlation(_two_criteria(rows)).table.set_index("of")
    means = spearmanr([1.5, 4.5, 8.0], [2.0, 3.0, 6.5])[0]
    single = spearmanr([2, 3, 9, 1, 6, 7], [1, 4, 5, 3, 2, 8])[0]
    assert table.loc["unit means", "correlation"] == pytest.approx(means)
    assert table.loc["row by row", "correlation"] == pytest.approx(single)
    assert table["n"].to_dict() == {"unit means": 3, "row by row": 6}


@pytest.mark.parametrize(
    ("method", "function"),
    [("spearman", spearmanr), ("pearson", pearsonr), ("kendall", kendalltau)],
)
def test_coefficients_and_p_are_scipys(method: str, function: object) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(1, 10, size=20)
    y = np.clip(x + rng.integers(-2, 3, size=20), 1, 9)
    rows = [("w", str(i), "x", int(v)) for i, v in enumerate(x)]
    rows += [("w", str(i), "y", int(v)) for i, v in enumerate(y)]
    row = criteria_correlation(_two_criteria(rows), method=method).table.iloc[0]  # type: ignore[arg-type]
    known = function(x, y)  # type: ignore[operator]
    assert row["correlation"] == pytest.approx(known.statistic)
    assert row["p"] == pytest.approx(known.pvalue)
    assert row["lower"] < row["correlation"] < row["upper"]
    if method == "pearson":
        ends = known.confidence_interval(0.95)
        assert (row["lower"], row["upper"]) == pytest.approx((ends.low, ends.high))


def test_only_what_both_criteria_have_is_matched() -> None:
    rows = [("w", str(i), "x", i) for i in range(1, 7)] + [("w", str(i), "y", i) for i in (2, 4, 6)]
    assert criteria_correlation(_two_criteria(rows)).table["n"].tolist() == [3, 3]


def test_a_constant_criterion_is_nan_and_said() -> None:
    rows = [("w", str(i), "x", i) for i in range(1, 6)] + [
        ("w", str(i), "y", 4) for i in range(1, 6)
    ]
    table = criteria_correlation(_two_criteria(rows)).table
    assert table["correlation"].isna().all()
    assert table["note"].str.contains("all the same").all()


def test_one_criterion_is_refused_in_words() -> None:
    with pytest.raises(DesignError, match="needs at least two"):
        criteria_correlation(ratings([[1, 2], [2, 3]]))
