from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayeseval.errors import DesignError, JudgementError
from bayeseval.judgements import (
    LikertJudgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
    convert,
    to_counts,
    to_pairwise,
)
from tests.strategies import PairTable, Table, likert_tables, pair_tables

RATINGS = pd.DataFrame(
    {
        "who": ["a", "a", "a", "b", "b", "b"],
        "what": ["A", "B", "C", "A", "B", "A"],
        "which": [1, 1, 1, 1, 1, 2],
        "score": [3, 1, 3, 2, 4, 5],
        "day": ["x", "x", "x", "y", "y", "y"],
    }
)


def likert(frame: pd.DataFrame = RATINGS, **options: object) -> LikertJudgements:
    settings: dict[str, object] = {
        "annotator": "who",
        "system": "what",
        "item": "which",
        "rating": "score",
        "scale": (1, 5),
    }
    return LikertJudgements.from_frame(frame, **{**settings, **options})  # type: ignore[arg-type]


def test_ratings_are_compared_within_annotator_and_item():
    table = to_pairwise(likert(moderators=["day"]))
    shown = table.to_frame()
    assert shown[["annotator", "system_a", "system_b", "outcome"]].to_numpy().tolist() == [
        ["a", "A", "B", "a"],
        ["a", "A", "C", "tie"],
        ["a", "B", "C", "b"],
        ["b", "A", "B", "b"],
    ]
    assert table.items == ("1",)
    assert shown["ranking"].tolist() == ["1", "1", "1", "2"]
    assert table.moderators == {"day": ("x", "y")}
    assert table.audit[0].rule == "ratings to all pairs within annotator and item, ties kept"


def test_without_items_pairs_are_within_annotator():
    table = to_pairwise(likert(RATINGS[:5], item=None))
    assert table.n_rows == 4
    assert "within annotator," in table.audit[0].rule


def test_repeated_ratings_of_one_system_are_not_compared_with_one_another():
    frame = pd.concat([RATINGS[:2], RATINGS[:1].assign(score=1)])
    table = to_pairwise(likert(frame, repeats=True))
    assert table.to_frame()["outcome"].tolist() == ["a", "tie"]


def test_pairs_of_counted_ratings_count_every_combination():
    frame = RATINGS[:2].assign(n=[2, 3])
    assert to_pairwise(likert(frame, count="n")).counts.tolist() == [6]


def test_ratings_without_identities_cannot_be_compared():
    with pytest.raises(DesignError, match="no annotator identities"):
        to_pairwise(likert(annotator=None))


def test_nobody_who_judged_two_systems_is_an_error():
    with pytest.raises(DesignError, match="nobody judged two"):
        to_pairwise(likert(RATINGS.iloc[[0, 3, 5]]))


def test_magnitudes_compare_like_ratings():
    table = MagnitudeJudgements.from_frame(
        RATINGS, annotator="who", system="what", item="which", magnitude="score", reference=3
    )
    assert to_pairwise(table) == to_pairwise(likert())


def test_strengths_and_probabilities_keep_their_sides():
    frame = pd.DataFrame({"w": ["j"] * 3, "x": ["A", "B", "C"], "y": ["B", "A", "A"]})
    strength = StrengthJudgements.from_frame(
        frame.assign(s=[2, 0, -1]),
        annotator="w", system_a="x", system_b="y", strength="s", bounds=2, positive="a",
    )  # fmt: skip
    assert to_pairwise(strength).to_frame()["outcome"].tolist() == ["a", "tie", "b"]
    stated = SPAJudgements.from_frame(
        frame.assign(p=[0.9, 0.5, 0.2]),
        annotator="w", system_a="x", system_b="y", probability="p",
    )  # fmt: skip
    assert to_pairwise(stated) == to_pairwise(strength)


def test_outcomes_are_returned_as_they_are():
    table = to_pairwise(likert())
    assert to_pairwise(table) is table


@given(likert_tables(least_systems=2))
def test_pairs_agree_with_a_plain_loop(table: Table):
    judgements = LikertJudgements.from_frame(
        table.frame, annotator="who", system="what", item="which", rating="score",
        scale=(table.low, table.high),
    )  # fmt: skip
    rated = table.frame.dropna()
    expected = set()
    for (who, which), group in rated.groupby(["who", "which"]):
        scores = dict(zip(group["what"], group["score"], strict=True))
        for a, b in combinations([s for s in judgements.systems if s in scores], 2):
            outcome = "tie" if scores[a] == scores[b] else "a" if scores[a] > scores[b] else "b"
            expected.add((who, a, b, which, outcome))
    if not expected:
        with pytest.raises(DesignError):
            to_pairwise(judgements)
        return
    shown = to_pairwise(judgements).to_frame()
    columns = ["annotator", "system_a", "system_b", "item", "outcome"]
    found = list(shown[columns].itertuples(index=False, name=None))
    assert len(found) == len(expected)
    assert set(found) == expected


def pairwise(frame: pd.DataFrame) -> PairwiseJudgements:
    return PairwiseJudgements.from_frame(
        frame, annotator="who", system_a="left", system_b="right", item="which", outcome="answer"
    )


@given(pair_tables(st.sampled_from(["a", "b", "tie"])))
def test_counts_agree_with_a_plain_group_by(table: PairTable):
    counted = to_counts(pairwise(table.frame))
    expected = table.frame.dropna().groupby(["left", "right", "answer"]).size().to_dict()
    rows = counted.to_frame()
    number = rows["count"] if "count" in rows else [1] * len(rows)
    keys = rows[["system_a", "system_b", "outcome"]].itertuples(index=False, name=None)
    assert dict(zip(keys, number, strict=True)) == expected
    assert counted.annotators is None
    assert to_counts(counted) == counted


@given(pair_tables(st.sampled_from(["a", "b", "tie"])))
def test_counting_by_everything_loses_nothing(table: PairTable):
    judgements = pairwise(table.frame)
    assert to_counts(judgements, keep=["annotator", "item"]) == judgements


@given(pair_tables(st.sampled_from(["a", "b", "tie"])))
def test_many_combinations_are_counted_as_few(table: PairTable):
    judgements = pairwise(table.frame)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convert, "_CELLS_A_ROW", 1_000)
        by_table = to_counts(judgements, keep=["item"])
        patch.setattr(convert, "_CELLS_A_ROW", 0)
        by_sorting = to_counts(judgements, keep=["item"])
    for name in ("system_a", "system_b", "item"):
        np.testing.assert_array_equal(by_table.codes(name), by_sorting.codes(name))
        assert by_table.codes(name).dtype == by_sorting.codes(name).dtype
    np.testing.assert_array_equal(by_table.answers, by_sorting.answers)
    np.testing.assert_array_equal(by_table.counts, by_sorting.counts)


def test_counting_by_an_unknown_factor_is_an_error():
    with pytest.raises(JudgementError, match="among 'annotator', 'item', 'ranking'"):
        to_counts(to_pairwise(likert()), keep=["judge"])
