"""The scale of ratings: declared, inferred, in words, and what cannot be one."""

import pandas as pd
import polars as pl
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import Dropped
from tests.judgements.small import TEN, likert


def test_text_ratings_ask_for_their_meaning():
    frame = TEN.assign(score=["Poor", "Fair", "Good", "Good", "Poor"] * 2)
    with pytest.raises(JudgementError) as error:
        likert(frame)
    message = str(error.value)
    for word in ("'Poor'", "'Fair'", "'Good'", "labels=", "scale=["):
        assert word in message


def test_labels_say_what_text_means():
    frame = TEN.assign(score=["Poor", "Fair", "Good", "Good", "Poor"] * 2)
    table = likert(frame, labels={"Good": 4, "Poor": 1, "Fair": 2, "Great": 5})
    assert table.scale.labels == ("Poor", "Fair", "Good", "Great")
    assert table.scale.values == (1, 2, 4, 5)
    assert table.answers.tolist() == [0, 1, 2, 2, 0] * 2
    wider = likert(frame, labels={"Good": 4, "Poor": 1, "Fair": 2}, scale=(1, 5))
    assert wider.scale.labels == ("Poor", "Fair", "3", "Good", "5")
    assert wider.answers.tolist() == [0, 1, 3, 3, 0] * 2
    assert table.to_frame()["rating"].tolist() == ["Poor", "Fair", "Good", "Good", "Poor"] * 2


def test_labels_in_order_are_a_scale_not_labels():
    with pytest.raises(JudgementError, match=r"labels= must map.*are a scale: scale="):
        likert(TEN, labels=["bad", "good"])


def test_labels_can_turn_a_scale_round():
    table = likert(TEN, labels={1: 5, 2: 4, 3: 3, 4: 2, 5: 1})
    assert table.answers.tolist() == [1, 3, 0, 0, 4, 1, 1, 3, 3, 0]


def test_an_answer_declared_as_no_rating_is_counted_apart():
    frame = TEN.assign(score=["1", "2", "Don't know", "2", "1"] * 2)
    table = likert(frame, labels={"1": 1, "2": 2, "Don't know": None})
    assert table.n_rows == 8
    assert table.dropped == (Dropped('answered "Don\'t know", declared as no rating', 2),)
    assert table.scale.n_categories == 2


def test_a_text_that_labels_do_not_explain_is_an_error_with_rows():
    frame = TEN.assign(score=["Poor", "Fair", "Godo", "Fair", "Poor"] * 2)
    with pytest.raises(JudgementError, match=r"holds 'Godo'.*data rows 3, 8"):
        likert(frame, labels={"Poor": 1, "Fair": 2, "Good": 3})


def test_a_scale_of_text_orders_the_categories():
    frame = TEN.assign(score=["low", "high", "high", "mid", "low"] * 2)
    table = likert(frame, scale=["low", "mid", "high"])
    assert table.answers.tolist() == [0, 2, 2, 1, 0] * 2
    assert table.scale.values == (1, 2, 3)
    assert "'low' < 'mid' < 'high' (declared)" in repr(table)
    with pytest.raises(JudgementError, match="'high'"):
        likert(frame, scale=["low", "mid"])


def test_an_ordered_categorical_declares_its_scale():
    kind = pd.CategoricalDtype(["low", "mid", "high", "top"], ordered=True)
    frame = TEN.assign(score=pd.Series(["low", "high", "high", None, "low"] * 2).astype(kind))
    table = likert(frame)
    assert table.scale.labels == ("low", "mid", "high", "top")
    assert table.scale.declared
    assert table.answers.tolist() == [0, 2, 2, 0] * 2
    polars = pl.from_pandas(frame.astype({"score": "str"})).with_columns(
        pl.col("score").cast(pl.Enum(["low", "mid", "high", "top"]))
    )
    assert likert(polars) == table


def test_numeric_text_is_numbers_when_all_of_it_reads_as_numbers():
    assert likert(TEN.astype({"score": str})) == likert(TEN)
    assert likert(TEN.assign(score=[f" {s}.0 " for s in TEN["score"]])) == likert(TEN)
    with pytest.raises(JudgementError, match="mixes numbers and '1_0'"):
        likert(TEN.assign(score=["1_0", *TEN["score"].astype(str)[1:]]))
    with pytest.raises(JudgementError, match=r"mixes numbers and 'four'.*data row 1 .*missing="):
        likert(TEN.assign(score=["four", *TEN["score"].astype(str)[1:]]))


def test_mixed_types_in_the_rating_column_name_the_rows():
    frame = TEN.assign(score=pd.Series([*TEN["score"][:8], "2", "5"], dtype=object))
    with pytest.raises(JudgementError, match=r"mixes text and numbers.*data rows 9, 10"):
        likert(frame)


def test_an_unreadable_cell_can_be_declared_missing():
    frame = TEN.assign(score=[*TEN["score"].astype(str)[:9], "NA"])
    table = likert(frame, missing=("", "NA"))
    assert table.dropped == (Dropped("no rating", 1),)
    assert table == likert(TEN[:9])
    with pytest.raises(JudgementError, match="must be a list of texts or numbers"):
        likert(frame, missing="NA")


def test_half_points_need_a_declared_list():
    frame = TEN.assign(score=TEN["score"] / 2)
    with pytest.raises(JudgementError, match=r"not whole numbers.*scale=\["):
        likert(frame)
    table = likert(frame, scale=[0.5, 1, 1.5, 2, 2.5])
    assert table.scale.labels == ("0.5", "1", "1.5", "2", "2.5")
    assert table.answers.tolist() == likert(TEN).answers.tolist()


def test_true_and_false_are_a_scale_of_two():
    table = likert(TEN.assign(score=[True, False] * 5))
    assert table.scale.values == (0, 1)
    assert table.answers.tolist() == [1, 0] * 5


@pytest.mark.parametrize(
    ("scale", "says"),
    [
        ((5, 1), "low before high"),
        ((1, 2.5), "two whole numbers"),
        ([3, 2, 1], "rise from low to high"),
        ([1], "at least two categories"),
        (["a", "a"], "twice"),
        (["a", 1], "from low to high"),
        ("1-5", "must be"),
        ([1, float("nan")], "must be"),
        ([1, 5], r"write scale=\(1, 5\)"),
        (5, "at least two categories"),
    ],
)
def test_an_impossible_scale_is_explained(scale: object, says: str):
    with pytest.raises(JudgementError, match=says):
        likert(TEN, scale=scale)


def test_one_value_everywhere_asks_for_the_scale():
    frame = TEN.assign(score=3)
    with pytest.raises(JudgementError, match=r"is 3 everywhere.*Declare it"):
        likert(frame)
    assert likert(frame, scale=(1, 5)).answers.tolist() == [2] * 10


def test_a_long_scale_is_not_inferred():
    with pytest.raises(JudgementError, match="more than 101 categories"):
        likert(TEN.assign(score=TEN["score"] * 100))
