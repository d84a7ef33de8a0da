"""Exact agreement by hand; agreement of votes against MT-Bench and WMT."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayeseval.agreement import exact_agreement, vote_agreement
from bayeseval.errors import DesignError, JudgementError
from bayeseval.judgements import PairwiseJudgements
from tests.agreement.tables import ratings, votes
from tests.papers import script


def test_units_on_which_all_agree_are_counted_by_hand() -> None:
    table = ratings([[1, 2, 3, 4], [1, 2, 4, np.nan], [1, 3, 5, np.nan]])
    row = exact_agreement(table).table.iloc[0]
    assert (row["n_units"], row["n_single"], row["n_agree"]) == (3, 1, 1)
    assert row["agreement"] == pytest.approx(1 / 3)
    # Pairs that agree: 3 of 3, 1 of 3, 0 of 3.
    assert row["pair_agreement"] == pytest.approx(4 / 9)


def test_everybody_the_same_agrees_fully() -> None:
    row = exact_agreement(ratings([[2, 2], [2, 2]])).table.iloc[0]
    assert (row["agreement"], row["pair_agreement"]) == (1.0, 1.0)


def test_one_annotator_is_refused_in_words() -> None:
    with pytest.raises(DesignError, match="judged once"):
        exact_agreement(ratings([[2, 3]]))


def test_a_repeat_of_one_annotator_is_no_second_opinion() -> None:
    frame = pd.DataFrame(
        {"w": ["p", "p", "q"], "x": ["A"] * 3, "y": ["B"] * 3, "o": ["a", "b", "a"]}
    )
    table = PairwiseJudgements.from_frame(
        frame, annotator="w", system_a="x", system_b="y", outcome="o", repeats=True
    )
    assert exact_agreement(table).table["agreement"][0] == 1.0


def test_mtbench_agreement_is_reproduced_in_all_eight_cells(shared_data: Path) -> None:
    found = script("papers_mtbench").agreement(shared_data)
    assert len(found) == 8
    assert (found["our n"] == found["printed n"]).all()
    assert found["agree"].astype(int).tolist() == [886, 727, 871, 731, 454, 388, 471, 388]
    # 731/864 = .8461 is printed as 85 %.
    np.testing.assert_allclose(found["ours"], found["printed"], atol=0.0051)


def test_votes_are_matched_whichever_side_was_shown_first() -> None:
    table = votes(
        [("p", "i", "A", "B", "a"), ("q", "i", "B", "A", "b"), ("r", "i", "A", "B", "tie")]
    )
    row = vote_agreement(table).table.iloc[0]
    assert (row["n_pairs"], row["n_agree"]) == (3, 1)
    row = vote_agreement(table, ties="drop").table.iloc[0]
    assert (row["n_pairs"], row["n_agree"], row["chance"], row["kappa"]) == (1, 1, 0.5, 1.0)


def test_agreement_with_another_table_counts_every_couple() -> None:
    ours = votes([("p", "i", "A", "B", "a"), ("q", "i", "A", "B", "b"), ("q", "j", "A", "B", "a")])
    judge = votes([("llm", "i", "B", "A", "b"), ("llm", "k", "A", "B", "a")])
    row = vote_agreement(ours, judge).table.iloc[0]
    assert (row["n_pairs"], row["n_agree"]) == (2, 1)


def test_turkish_english_agreement_of_wmt16_is_near_the_published(shared_data: Path) -> None:
    frame = pd.read_csv(shared_data / "wmt16_tr_en" / "wmt16.collapsed.tur-eng.csv")
    difference = frame["system2rank"] - frame["system1rank"]
    frame["outcome"] = np.select([difference > 0, difference < 0], ["a", "b"], "tie")
    table = PairwiseJudgements.from_frame(
        frame, annotator="judgeID", system_a="system1Id", system_b="system2Id", outcome="outcome",
        item="segmentId", repeats=True,
    )  # fmt: skip
    row = vote_agreement(table).table.iloc[0]
    assert (row["n_pairs"], row["n_agree"]) == (1097, 618)
    assert row["chance"] == pytest.approx(0.345, abs=0.0006)
    assert row["kappa"] == pytest.approx(0.333, abs=0.0006)


def test_tables_without_a_common_pair_are_refused_in_words() -> None:
    ours = votes([("p", "i", "A", "B", "a")])
    with pytest.raises(DesignError, match="no two votes are about the same pair"):
        vote_agreement(ours, votes([("llm", "i", "C", "D", "a")]))


def test_ratings_are_refused_in_words() -> None:
    with pytest.raises(JudgementError, match="got LikertJudgements"):
        vote_agreement(ratings([[1, 2], [1, 2]]))  # type: ignore[arg-type]
