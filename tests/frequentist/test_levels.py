"""Comparisons within the levels of moderators, and one result a level."""

from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.agreement import (
    cohen_kappa,
    exact_agreement,
    fleiss_kappa,
    icc,
    kendalls_w,
    krippendorff_alpha,
    vote_agreement,
)
from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist import (
    anova,
    bootstrap_ranking,
    friedman,
    mixed_model,
    rating_means,
    rating_tests,
    tukey,
    win_rates,
)
from bayeseval.judgements import LikertJudgements, PairwiseJudgements
from tests import tables


def _languages(third: str = "C") -> LikertJudgements:
    """A 90, B 88 in Japanese; A 70, C 72 in Chinese: A > B by 2, C > A by 2."""
    rng = np.random.default_rng(1)
    means = {("ja", "A"): 90, ("ja", "B"): 88, ("zh", "A"): 70, ("zh", third): 72}
    rows = [
        (f"i{item}", language, system, mean + int(rng.integers(-2, 3)))
        for item in range(30)
        for (language, system), mean in means.items()
    ]
    return LikertJudgements.from_frame(
        pd.DataFrame(rows, columns=["item", "language", "system", "rating"]),
        annotator=None, item="item", system="system", rating="rating", scale=(1, 100),
        moderators=["language"],
    )  # fmt: skip


@pytest.mark.parametrize("pair_by", ["auto", "none"])
def test_an_easy_language_helps_nobody(pair_by: Literal["auto", "none"]) -> None:
    table = rating_tests(_languages(), pair_by=pair_by).table.set_index(["system_a", "system_b"])
    assert table["estimate"]["A", "B"] == pytest.approx(2, abs=1)
    assert table["estimate"]["A", "C"] == pytest.approx(-2, abs=1)
    assert table["verdict"]["A", "B"] == "A better"
    assert table["verdict"]["A", "C"] == "B better"
    assert table["verdict"]["B", "C"] == "not defined"
    assert "same level" in table["note"]["B", "C"]


def test_models_and_f_compare_within_levels_too() -> None:
    judgements = _languages()
    model = mixed_model(judgements, block="item").table
    pairs = tukey(judgements).table
    for table in (model, pairs):
        found = table.set_index(["system_a", "system_b"])["estimate"]
        # What connects B and C is A.
        np.testing.assert_allclose([found["A", "B"], found["A", "C"]], [2, -2], atol=1)
        assert found["B", "C"] == pytest.approx(-4, abs=1.5)
    assert anova(judgements).table["ms_between"][0] < 300
    with pytest.raises(DesignError, match="by= for one ranking a level"):
        bootstrap_ranking(judgements, n_resamples=10)


def test_f_within_levels_equals_statsmodels() -> None:
    judgements = tables.likert("ragged", 3, effect=0.5, level="item")
    import statsmodels.formula.api as smf
    from statsmodels.stats.anova import anova_lm

    frame = pd.DataFrame(
        {name: judgements.codes(name) for name in ("system", "day")}
        | {"y": judgements.as_numbers()}
    )
    theirs = anova_lm(smf.ols("y ~ C(system) + C(day)", frame).fit(), typ=2)
    row = anova(judgements).table.iloc[0]
    assert row["F"] == pytest.approx(theirs.loc["C(system)", "F"])
    assert (row["df1"], row["df2"]) == (2, len(frame) - 4)
    fit = smf.ols("y ~ C(system) + C(day)", frame).fit()
    pairs = tukey(judgements).table
    np.testing.assert_allclose(pairs["estimate"][:2], -fit.params.iloc[1:3])


def test_systems_at_every_level_are_scored_by_the_mean_over_levels() -> None:
    ranking = bootstrap_ranking(_languages("B"), n_resamples=200, random_seed=1)
    scores = ranking.table.set_index("system")["score"]
    assert scores["A"] == pytest.approx(80, abs=1)
    assert any("equally weighted" in note for note in ranking.notes)
    by = bootstrap_ranking(_languages(), by="language", n_resamples=200, random_seed=1).table
    assert by.groupby("language", sort=False)["system"].agg(list).to_dict() == {
        "ja": ["A", "B"], "zh": ["C", "A"]
    }  # fmt: skip


def test_by_gives_the_result_of_each_level_alone() -> None:
    judgements = tables.likert("complete", 1, level="item", points=5)
    one = judgements.keep_rows(judgements.codes("day") == 0, rule="day d0")
    for ask in (rating_tests, anova, tukey, friedman, mixed_model, krippendorff_alpha, icc,
                exact_agreement, cohen_kappa, kendalls_w, fleiss_kappa):  # fmt: skip
        table = ask(judgements, by="day").table
        assert table["day"].unique().tolist() == ["d0", "d1"], ask.__name__
        assert ask(judgements, by="day").tables()[0].columns[0].heading == "day"
        alone = ask(one).table
        numbers = alone.select_dtypes("number").columns.drop(["lower", "upper"], errors="ignore")
        pd.testing.assert_frame_equal(table.loc[table["day"] == "d0", numbers], alone[numbers])


def test_days_are_compared_by_welch_with_bonferroni() -> None:
    judgements = tables.likert("complete", 2, level="annotator")
    frame = pd.DataFrame(
        {name: judgements.codes(name) for name in ("system", "day")}
        | {"y": judgements.as_numbers()}
    )
    row = rating_tests(
        judgements, "day", by="system", pair_by="none", correction="bonferroni"
    ).table.iloc[0]
    assert (row["day_a"], row["day_b"], row["system"]) == ("d0", "d1", "A")
    first = frame[frame["system"] == 0]
    known: Any = stats.ttest_ind(
        first["y"][first["day"] == 0], first["y"][first["day"] == 1], equal_var=False
    )
    assert (row["t"], row["df"], row["p"]) == pytest.approx(
        (known.statistic, known.df, known.pvalue)
    )
    alpha = krippendorff_alpha(judgements, by="day", n_resamples=0).table
    assert len(alpha) == 2


def test_welch_says_that_it_takes_ratings_as_independent() -> None:
    words = "takes ratings as independent"
    assert any(
        words in note for note in rating_tests(tables.likert("nested", 1), pair_by="none").notes
    )
    assert not any(words in note for note in rating_tests(tables.likert("complete", 1)).notes)


def test_win_rates_state_the_weights_of_levels_and_split() -> None:
    rows = [("A", "B", "a", "x")] * 3 + [("A", "B", "b", "y")]
    judgements = PairwiseJudgements.from_frame(
        pd.DataFrame(rows, columns=["a", "b", "w", "day"]), annotator=None, system_a="a",
        system_b="b", outcome="w", moderators=["day"], repeats=True,
    )  # fmt: skip
    assert any("'x' 75%" in note or "x 75%" in note for note in win_rates(judgements).notes)
    table = win_rates(judgements, by="day").table
    assert table.set_index(["day", "system"])["win_rate"].to_dict() == {
        ("x", "A"): 1.0, ("x", "B"): 0.0, ("y", "B"): 1.0, ("y", "A"): 0.0
    }  # fmt: skip


def test_a_factor_that_is_not_there_is_refused() -> None:
    with pytest.raises(JudgementError, match="by= must name a moderator"):
        rating_tests(tables.likert("complete", 1), by="day")
    with pytest.raises(JudgementError, match="by= must name a moderator"):
        vote_agreement(tables.pairwise("complete", 1), by="day")
    assert "day" in rating_means(tables.likert("complete", 1, level="item"), by="day").table
