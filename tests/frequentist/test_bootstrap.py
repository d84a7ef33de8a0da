"""The bootstrapped ranking: RankME's Table 4, closed forms, clusters, edges."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from bayeseval.errors import DesignError
from bayeseval.frequentist import bootstrap_ranking
from bayeseval.judgements import LikertJudgements
from tests.frequentist.tables import counts, ratings
from tests.papers import script


def test_rankme_table_4_is_reproduced(shared_data: Path) -> None:
    found = script("papers_rankme").table4(shared_data, n_resamples=4000)
    means = found.set_index(["method", "criterion"])[["TGen", "Sheffield", "Slug2Slug"]]
    known = {
        ("Likert", "informativeness"): (5.73, 3.94, 5.78),
        ("Likert", "naturalness"): (5.72, 5.84, 5.79),
        ("Likert", "quality"): (5.64, 5.02, 5.71),
        ("Plain ME", "informativeness"): (97.05, 73.41, 98.24),
        ("Plain ME", "naturalness"): (88.27, 88.90, 87.82),
        ("Plain ME", "quality"): (99.31, 87.53, 100.06),
        ("RankME", "informativeness"): (97.08, 68.65, 97.30),
        ("RankME", "naturalness"): (81.78, 81.87, 81.68),
        ("RankME", "quality"): (96.52, 86.02, 99.03),
    }
    for key, values in known.items():
        np.testing.assert_allclose(means.loc[key], values, atol=0.00501)

    def clusters(line: str) -> list[frozenset[str]]:
        if "all tied" in line:
            return [frozenset(("Slug2Slug", "TGen", "Sheffield"))]
        return [frozenset(part.split(". ")[1].split(" + ")) for part in line.split(" | ")]

    ours = [clusters(line) for line in found["ours"]]
    printed = [clusters(line) for line in found["printed"]]
    differ = [
        (row.method, row.criterion)
        for row, one, two in zip(found.itertuples(), ours, printed, strict=True)
        if one != two
    ]
    assert differ == [("Plain ME", "informativeness")]
    assert found["ours"][0] == "1.–2. Slug2Slug + TGen | 3. Sheffield"


def test_the_pair_that_rankme_separates_reaches_p_067_only(shared_data: Path) -> None:
    table = script("papers_rankme").judgements(shared_data, "Plain ME", 2)
    result = bootstrap_ranking(
        table, resample="item", criterion="informativeness", n_resamples=10_000, random_seed=2
    )
    pair = result.pairs.iloc[0]
    assert (pair["system_a"], pair["system_b"]) == ("Slug2Slug", "TGen")
    assert pair["p"] == pytest.approx(0.067, abs=0.01)


def test_the_spread_of_a_paired_difference_is_its_standard_error() -> None:
    rng = np.random.default_rng(1)
    items = rng.normal(0, 10, 80)
    cells = np.clip(np.round(np.stack([50 + items, 52 + items + rng.normal(0, 3, 80)], 1)), 1, 100)
    result = bootstrap_ranking(ratings(cells, by="item"), n_resamples=4000, random_seed=3)
    pair = result.pairs.iloc[0]
    difference = cells[:, 1] - cells[:, 0]
    se = difference.std() / np.sqrt(80)
    assert pair["system_a"] == "B"
    assert pair["estimate"] == pytest.approx(difference.mean())
    assert pair["upper"] - pair["lower"] == pytest.approx(2 * 1.96 * se, rel=0.06)
    assert pair["p"] == pytest.approx(norm.sf(difference.mean() / se), abs=0.01)
    assert len(result.clusters) == 2


def test_resampling_annotators_is_wider_where_annotators_disagree() -> None:
    rng = np.random.default_rng(4)
    taste = rng.normal(0, 15, size=(8, 2))
    frame = pd.DataFrame(
        [
            (w, i, "AB"[s], int(np.clip(50 + taste[w, s] + rng.normal(0, 3), 1, 100)))
            for w in range(8)
            for i in range(20)
            for s in range(2)
        ],
        columns=["w", "i", "s", "r"],
    )
    table = LikertJudgements.from_frame(
        frame, annotator="w", item="i", system="s", rating="r", scale=(1, 100)
    )
    width = {}
    for what in ("item", "annotator", "both", "judgement"):
        pair = bootstrap_ranking(table, resample=what, n_resamples=800, random_seed=5).pairs.iloc[0]
        width[what] = pair["upper"] - pair["lower"]
    assert width["annotator"] > 4 * width["item"]
    assert width["both"] >= 0.9 * width["annotator"]


def test_equal_systems_are_one_cluster_in_natural_order() -> None:
    result = bootstrap_ranking(ratings([[4, 4, 4], [6, 6, 6]]), n_resamples=50, random_seed=1)
    assert result.clusters == (("A", "B", "C"),)
    assert (result.pairs["p_a_better"] == 0.5).all()
    assert result.ranking() == "1.–3. A + B + C"


def test_a_seed_repeats_the_result_and_another_does_not() -> None:
    table = ratings(np.random.default_rng(1).integers(1, 9, size=(12, 3)))
    one, two, three = (
        bootstrap_ranking(table, n_resamples=100, random_seed=seed).pairs for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(three)


def test_pairs_are_ranked_by_win_rate() -> None:
    result = bootstrap_ranking(
        counts([("A", "B", 30, 5, 5), ("B", "C", 30, 5, 5), ("A", "C", 35, 2, 3)]),
        n_resamples=300, random_seed=1,
    )  # fmt: skip
    assert result.clusters == (("A",), ("B",), ("C",))
    assert result.table["score"][0] == pytest.approx((30 + 2.5 + 35 + 1.5) / 80)


def test_resamples_without_a_system_are_left_out_and_said() -> None:
    cells = np.array([[3, 4, 5.0]] * 6)
    cells[1:, 2] = np.nan
    result = bootstrap_ranking(ratings(cells), n_resamples=200, random_seed=1)
    assert any("lack a system" in note for note in result.notes)


@pytest.mark.parametrize(
    ("resample", "words"),
    [("item", "needs items"), ("annotator", "there is one"), ("items", "must be 'item'")],
)
def test_what_cannot_be_resampled_is_refused_in_words(resample: str, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        bootstrap_ranking(ratings([[3, 4]]), resample=resample)  # type: ignore[arg-type]
