"""Chi-square of a question with several boxes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist import box_tests
from tests.papers import script


def answers(a: tuple[int, int], b: tuple[int, int]) -> pd.DataFrame:
    """Return two systems, with how many of their answers ticked the box and did not."""
    return pd.DataFrame(
        {
            "system": np.repeat(["A", "A", "B", "B"], [*a, *b]),
            "missing": np.repeat([True, False, True, False], [*a, *b]),
            "added": False,
        }
    )


def test_chi_square_is_pearsons_without_yates() -> None:
    found = box_tests(answers((30, 70), (10, 90)), system="system", boxes=["missing", "added"])
    one, other = found.table.to_dict("records")
    # n (ad − bc)² over the product of the margins.
    assert one["chi2"] == pytest.approx(200 * (30 * 90 - 70 * 10) ** 2 / (100**2 * 40 * 160))
    # R: prop.test(c(30, 10), c(100, 100), correct = FALSE)$p.value
    assert one["p"] == pytest.approx(0.0004069520, rel=1e-6)
    assert one["p_corrected"] == one["p"]
    assert (one["A"], one["B"], one["ticked"], one["verdict"]) == (0.3, 0.1, 40, "differ")
    assert np.isnan(other["p"])
    assert other["verdict"] == "not defined"
    assert "nobody ticked" in str(found)


def test_five_percent_of_equal_systems_differ() -> None:
    rng = np.random.default_rng(0)
    times = [rng.binomial(100, 0.3, 2) for _ in range(60)]
    tables = [answers((a, 100 - a), (b, 100 - b)) for a, b in times]
    p = [box_tests(t, system="system", boxes=["missing"]).table["p"].iloc[0] for t in tables]
    # Four standard errors.
    assert np.mean(np.array(p) < 0.05) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 60)


def test_what_is_no_box_is_refused_in_words() -> None:
    table = answers((3, 7), (1, 9))
    with pytest.raises(JudgementError, match="Did you mean 'missing'"):
        box_tests(table, system="system", boxes=["mising"])
    with pytest.raises(JudgementError, match="must be True and False"):
        box_tests(table.assign(missing="ok"), system="system", boxes=["missing"])
    with pytest.raises(DesignError, match="two systems"):
        box_tests(table.assign(system="A"), system="system", boxes=["missing"])
    assert "rough" in str(box_tests(table, system="system", boxes="missing"))


def test_rankme_information_is_ranked_as_printed(shared_data: Path) -> None:
    ticks = script("papers_rankme").ticks(shared_data)
    by_system = ticks.groupby("system")[["missing", "added"]].sum()
    assert by_system.loc[["TGen", "Sheffield", "Slug2Slug"], "missing"].tolist() == [7, 180, 24]
    assert by_system.loc[["TGen", "Sheffield", "Slug2Slug"], "added"].tolist() == [26, 41, 0]
    found = box_tests(ticks, system="system", boxes=["missing", "added"], pairs=True).table
    apart = found.set_index(["box", "system_a", "system_b"])["p"]
    assert (apart.drop(("added", "Sheffield", "TGen")) < 0.01).all()
    # R: prop.test(c(41, 26), c(300, 300), correct = FALSE)$p.value
    assert apart["added", "Sheffield", "TGen"] == pytest.approx(0.0518578806, rel=1e-6)


def test_rankme_by_trueskill_is_ranked_as_printed(shared_data: Path) -> None:
    found = script("papers_rankme").trueskill(shared_data, resamples=100).set_index("criterion")
    assert found.loc["quality", "ours"] == "Slug2Slug | TGen | Sheffield"
    assert found.loc["informativeness", "ours"] == "Slug2Slug + TGen | Sheffield"
    assert found.loc["naturalness", "ours"] == "Sheffield + Slug2Slug + TGen"
