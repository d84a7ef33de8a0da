import gzip
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayeseval.errors import JudgementError
from bayeseval.judgements import Dropped, LikertJudgements
from tests.strategies import NASTY, Table, likert_tables

TEN = pd.DataFrame(
    {
        "worker": ["w1", "w1", "w1", "w2", "w2", "w2", "w3", "w3", "w3", "w3"],
        "model": ["A", "B", "C", "A", "B", "C", "A", "B", "C", "A"],
        "prompt": [1, 1, 1, 1, 1, 1, 2, 2, 2, 1],
        "score": [4, 2, 5, 5, 1, 4, 4, 2, 2, 5],
    }
)


def likert(frame: object, **options: object) -> LikertJudgements:
    settings = {"annotator": "worker", "system": "model", "item": "prompt", "rating": "score"}
    return LikertJudgements.from_frame(frame, **{**settings, **options})


def test_the_table_holds_labels_codes_and_answers():
    table = likert(TEN, scale=(1, 5))
    assert table.systems == ("A", "B", "C")
    assert table.annotators == ("w1", "w2", "w3")
    assert table.items == ("1", "2")
    assert table.criteria is None
    assert table.moderators == {}
    assert table.n_rows == table.n_judgements == 10
    assert table.answers.tolist() == [3, 1, 4, 4, 0, 3, 3, 1, 1, 4]
    assert table.answers.dtype == np.int32
    assert table.codes("system").tolist() == [0, 1, 2] * 3 + [0]
    assert table.codes("system").dtype == np.int32
    assert table.counts.tolist() == [1] * 10
    assert table.scale.labels == ("1", "2", "3", "4", "5")
    assert table.scale.values == (1, 2, 3, 4, 5)
    assert table.scale.declared


def test_a_scale_point_nobody_used_stays_in_the_scale():
    # brms issue 1780: without 3, category 4 must not take its place.
    frame = pd.DataFrame({"worker": "abc", "model": "X", "score": [1, 2, 4]})
    frame["worker"] = ["a", "b", "c"]
    for scale in ((1, 4), [1, 2, 3, 4], range(1, 5), None):
        table = likert(frame, item=None, scale=scale)
        assert table.answers.tolist() == [0, 1, 3]
        assert table.scale.n_categories == 4


def test_an_inferred_scale_is_said_to_be():
    table = likert(TEN)
    assert not table.scale.declared
    assert "scale 1–5 (inferred from the ratings)" in repr(table)
    assert "scale 1–7 (declared)" in repr(likert(TEN, scale=(1, 7)))


def test_a_missing_rating_is_an_absent_row_and_counted():
    frame = TEN.assign(score=TEN["score"].where(TEN["score"] != 5))
    table = likert(frame)
    assert table.n_rows == 7
    assert table.dropped == (Dropped("no rating", 3),)
    assert table.scale.values == (1, 2, 3, 4)
    assert "no rating: 3 rows" in repr(table.summary())


def test_a_row_without_a_rating_may_lack_its_labels():
    frame = pd.concat([TEN, pd.DataFrame({"worker": [None], "model": [None]})])
    assert likert(frame, scale=(1, 5)) == likert(TEN, scale=(1, 5))


@pytest.mark.parametrize("factor", ["worker", "model", "prompt"])
def test_a_missing_label_is_an_error_that_names_the_row(factor: str):
    frame = TEN.astype({"prompt": object})
    frame.loc[3, factor] = None
    with pytest.raises(JudgementError, match=rf"{factor}.*empty in data row 4 \(counted from 1\)"):
        likert(frame)


def test_the_row_number_counts_rows_that_were_dropped_before():
    frame = TEN.assign(score=TEN["score"].astype(object))
    frame.loc[0, "score"] = None
    frame.loc[6, "score"] = 9
    with pytest.raises(JudgementError, match=r"found 9 in data row 7 "):
        likert(frame, scale=(1, 5))


def test_ratings_out_of_scale_are_named_with_their_rows():
    with pytest.raises(JudgementError) as error:
        likert(TEN, scale=(1, 3))
    message = str(error.value)
    assert "must be on the scale 1–3 (declared)" in message
    assert re.search(r"found (4, 5|5, 4) in data rows 1, 3, 4, 6, 7 and 1 more", message)


def test_a_missing_column_is_named_with_the_nearest():
    with pytest.raises(JudgementError, match=r"no column 'scores'.*nearest is 'score'"):
        likert(TEN, rating="scores")


def test_a_column_serves_one_role():
    with pytest.raises(JudgementError, match="both as annotator and as system"):
        likert(TEN, system="worker")


def test_a_column_is_named_by_text():
    numbered = TEN.set_axis(range(4), axis=1)
    with pytest.raises(JudgementError, match=r"annotator= names a column by its text; found 0"):
        likert(numbered, annotator=0)


def test_a_table_without_columns_is_said_to_have_none():
    with pytest.raises(JudgementError, match="the table has no column names"):
        likert(pd.DataFrame())


def test_annotator_must_be_named_or_declined():
    with pytest.raises(TypeError, match="annotator"):
        LikertJudgements.from_frame(TEN, system="model", rating="score")  # type: ignore[call-arg]
    table = likert(TEN, annotator=None)
    assert table.annotators is None
    assert not table.has("annotator")
    assert "no annotator identities" in repr(table)
    assert "no annotator identities" in " ".join(table.summary().notes)


def test_an_unknown_factor_is_an_error_that_lists_the_known():
    with pytest.raises(JudgementError, match=r"no factor 'sytem'.*Did you mean 'system'"):
        likert(TEN).codes("sytem")


@pytest.mark.parametrize("again", [[4, 2], [2, 4]])
def test_a_duplicate_judgement_is_refused_and_named(again: list[int]):
    frame = pd.concat([TEN, TEN.iloc[again]])
    with pytest.raises(JudgementError) as error:
        likert(frame)
    message = str(error.value)
    assert "annotator × system × item; 2 of these have more than one rating" in message
    assert f"data rows {again[0] + 1}, 11 " in message
    assert "repeats=True" in message


def test_repeats_are_kept_when_declared():
    table = likert(pd.concat([TEN, TEN.iloc[[4]]]), repeats=True)
    assert table.n_rows == 11
    assert table.repeats
    assert "repeats kept" in repr(table)


def test_without_identities_an_output_may_be_rated_again():
    assert likert(pd.concat([TEN, TEN]), annotator=None).n_rows == 20


def test_a_duplicate_may_differ_in_criterion_or_moderator():
    frame = pd.concat([TEN.assign(day="day 10", about="x"), TEN.assign(day="day 2", about="x")])
    table = likert(frame, moderators=["day"], criterion="about")
    assert table.moderators == {"day": ("day 2", "day 10")}
    assert table.criteria == ("x",)
    assert table.labels("day") == ("day 2", "day 10")


def test_moderators_can_be_renamed_but_not_to_our_names():
    table = likert(TEN.assign(system=["u", "v"] * 5), moderators={"group": "system"})
    assert table.moderators == {"group": ("u", "v")}
    with pytest.raises(JudgementError, match="cannot be called 'system'"):
        likert(TEN.assign(system="u"), moderators=["system"])
    for taken in ("quality", "severity", "quality_sd"):
        with pytest.raises(JudgementError, match=f"cannot be called '{taken}'.*my_{taken}"):
            likert(TEN.assign(**{taken: ["u", "v"] * 5}), moderators=[taken])
    with pytest.raises(JudgementError, match=r"moderators=\['day'\]"):
        likert(TEN.assign(day="u"), moderators="day")


def test_names_of_moderators_and_attributes_must_be_free():
    frame = TEN.assign(rating=1, day="u")
    with pytest.raises(JudgementError, match=r"cannot be called 'rating'.*my_rating"):
        likert(frame, moderators=["rating"])
    with pytest.raises(JudgementError, match=r"cannot be called 'rating'.*my_rating"):
        likert(frame, attributes=["rating"])
    with pytest.raises(JudgementError, match="cannot be called 'day'"):
        likert(frame, attributes={"day": "rating"}, moderators=["day"])
    assert likert(frame, attributes={"other": "rating"}).attributes["other"].tolist() == [1] * 10


def test_counts_weigh_rows_and_zero_counts_are_dropped():
    frame = TEN.assign(n=[2, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    table = likert(frame, count="n")
    assert table.n_rows == 9
    assert table.n_judgements == 10
    assert table.counts.tolist() == [2, 1, 1, 1, 1, 1, 1, 1, 1]
    assert table.dropped == (Dropped("count is 0", 1),)


def test_counted_ratings_of_one_unit_may_differ_but_not_repeat():
    frame = TEN[:2].assign(model="A", n=[2, 3])
    assert likert(frame, count="n", scale=(1, 5)).n_judgements == 5
    with pytest.raises(JudgementError, match="annotator × system × item × rating"):
        likert(frame.assign(score=4), count="n", scale=(1, 5))


@pytest.mark.parametrize("bad", [-1, 1.5, None, "many", np.inf])
def test_a_count_that_is_no_count_is_an_error(bad: object):
    frame = TEN.assign(n=pd.Series([1] * 9 + [bad], dtype=object))
    with pytest.raises(JudgementError, match=r"count='n' must hold whole numbers.*data row 10 "):
        likert(frame, count="n")


def test_equal_content_has_equal_fingerprints_whatever_the_form():
    table = likert(TEN, scale=(1, 5))
    shuffled = TEN.sample(frac=1, random_state=3)
    renamed = shuffled.set_axis(["p", "q", "r", "s"], axis=1)
    other = LikertJudgements.from_frame(
        renamed, annotator="p", system="q", item="r", rating="s", scale=(1, 5)
    )
    assert table == other
    assert hash(table) == hash(other)
    assert re.fullmatch("[0-9a-f]{16}", table.fingerprint)
    counted = TEN.assign(n=1)
    assert likert(counted, count="n", scale=(1, 5)) == table


@pytest.mark.parametrize(
    "change",
    [
        {"score": [4, 2, 5, 5, 1, 4, 4, 2, 2, 4]},
        {"model": ["A", "B", "D", "A", "B", "D", "A", "B", "D", "A"]},
        {"prompt": [1, 1, 1, 1, 1, 1, 2, 2, 2, 3]},
    ],
)
def test_other_content_has_another_fingerprint(change: dict[str, list[object]]):
    assert likert(TEN.assign(**change), scale=(1, 5)) != likert(TEN, scale=(1, 5))  # type: ignore[arg-type]


def test_another_scale_or_count_has_another_fingerprint():
    table = likert(TEN, scale=(1, 5))
    assert likert(TEN, scale=(1, 6)) != table
    assert likert(TEN.assign(n=[2] + [1] * 9), count="n", scale=(1, 5)) != table
    assert likert(TEN, annotator=None, scale=(1, 5)) != table
    assert table != "table"


def test_arrays_and_fields_cannot_be_changed():
    table = likert(TEN, attributes=["prompt"], item=None, repeats=True)
    for array in (table.answers, table.counts, table.codes("system"), table.attributes["prompt"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        table.repeats = False  # type: ignore[misc]


def test_the_input_frame_is_left_alone():
    frame = TEN.copy()
    likert(frame)
    pd.testing.assert_frame_equal(frame, TEN)


def test_a_table_survives_pickling():
    table = likert(TEN)
    assert pickle.loads(pickle.dumps(table)) == table


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


def test_one_annotator_one_system_one_rating_are_tables():
    one = likert(TEN[:1], scale=(1, 5))
    assert (one.n_rows, one.systems, one.annotators) == (1, ("A",), ("w1",))
    notes = " ".join(one.summary().notes)
    assert "one system" in notes
    assert "one annotator" in notes


def test_an_empty_table_is_an_error():
    with pytest.raises(JudgementError, match="no rows"):
        likert(TEN[:0])
    with pytest.raises(JudgementError, match=r"none is left|empty in all"):
        likert(TEN.assign(score=None))
    with pytest.raises(JudgementError, match=r"none is left.*10 rows: no rating"):
        likert(TEN.assign(score=None), scale=(1, 5))


def test_numeric_labels_are_text_and_sort_by_value():
    frame = TEN.assign(model=[10, 9, 2, 10, 9, 2, 10, 9, 2, 10])
    assert likert(frame).systems == ("2", "9", "10")
    assert likert(frame.astype({"model": float})).systems == ("2", "9", "10")
    assert likert(frame.astype({"model": str})) == likert(frame)


def test_a_number_and_the_same_text_are_not_one_label():
    frame = TEN.assign(model=pd.Series([1, "1", 2, 1, "1", 2, 1, "1", 2, 1], dtype=object))
    with pytest.raises(JudgementError, match=r"both 1 \(int\) and '1' \(str\).*rows 1, 4"):
        likert(frame)


def test_long_whole_numbers_keep_their_digits():
    ids = [12345678901234567890 % 2**62, 12345678901234567891 % 2**62]
    frame = pl.DataFrame({"worker": [*ids, None], "model": ["A"] * 3, "score": [1, 2, None]})
    assert likert(frame, item=None).annotators == tuple(str(label) for label in sorted(ids))


@pytest.mark.parametrize("label", NASTY)
def test_labels_are_kept_as_they_are(label: str, tmp_path: Path):
    frame = TEN.assign(model=[label, "B", "C", label, "B", "C", label, "B", "C", label])
    table = likert(frame)
    assert label in table.systems
    repr(table.summary())
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert read(tmp_path / "t.csv") == table


def test_html_is_escaped():
    frame = TEN.assign(model=["<script>alert(1)</script>", "B"] * 5)
    table = likert(frame, repeats=True)
    for html in (table._repr_html_(), table.summary()._repr_html_()):
        assert "&lt;script&gt;" in html
        assert "<script>" not in html


def test_labels_that_look_alike_are_kept_apart_and_said():
    frame = TEN.assign(model=["GPT", "gpt ", "C", "GPT", "gpt ", "C", "GPT", "gpt ", "C", "GPT"])
    table = likert(frame)
    assert len(table.systems) == 3
    assert any("differ in case or blanks only" in note for note in table.summary().notes)


def test_attributes_are_kept_and_are_no_part_of_the_content():
    frame = TEN.assign(seconds=np.arange(10) + 0.5, note=["x", None] * 5)
    table = likert(frame, attributes={"time": "seconds", "note": "note"})
    assert table.attributes["time"].tolist() == (np.arange(10) + 0.5).tolist()
    assert table.attributes["note"].tolist() == ["x", None] * 5
    assert table == likert(TEN)
    assert list(table.to_frame()) == ["annotator", "system", "item", "rating", "time", "note"]


def test_to_frame_goes_round():
    table = likert(TEN, scale=(1, 5))
    again = LikertJudgements.from_frame(
        table.to_frame(),
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        scale=(1, 5),
    )
    assert again == table


def test_the_summary_says_what_is_there():
    summary = likert(TEN).summary()
    text = repr(summary)
    for part in (
        "systems: 3 (A, B, C)",
        "annotators: 3",
        "judgements an annotator: 3 to 4, median 3",
        "4: 3 (30.0%)",
        "annotators who used one category only: 0",
        "3: 0 (0.0%)",
    ):
        assert part in text
    frame = summary.to_frame()
    assert list(frame) == ["section", "name", "value"]
    assert ("ratings by category", "5", "3 (30.0%)") in list(frame.itertuples(index=False))


# Input kinds.


def read(path: Path, **options: object) -> LikertJudgements:
    settings = {"annotator": "worker", "system": "model", "item": "prompt", "rating": "score"}
    return LikertJudgements.read(path, **{**settings, **options})


@pytest.mark.parametrize(
    "convert",
    [
        pl.from_pandas,
        pa.Table.from_pandas,
        lambda frame: pl.from_pandas(frame).lazy(),
        lambda frame: frame.convert_dtypes(),
        lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
        lambda frame: frame.astype({"worker": "category", "model": "category"}),
        lambda frame: frame.set_index(frame.index[::-1] * 7),
        lambda frame: pl.from_pandas(frame).with_columns(
            pl.col("worker").cast(pl.Categorical), pl.col("score").cast(pl.Int8)
        ),
    ],
)
def test_any_data_frame_gives_the_same_table(convert: Callable[[pd.DataFrame], object]):
    assert likert(convert(TEN), scale=(1, 5)) == likert(TEN, scale=(1, 5))


def test_a_duckdb_relation_gives_the_same_table():
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.from_arrow(pa.Table.from_pandas(TEN))
    assert likert(relation) == likert(TEN)


def test_duplicates_are_found_in_a_lazy_frame():
    lazy = pl.from_pandas(pd.concat([TEN, TEN.iloc[[4]]])).lazy()
    with pytest.raises(JudgementError, match="more than one rating, the first in 2 rows"):
        likert(lazy)


def test_what_is_no_data_frame_is_refused():
    with pytest.raises(JudgementError, match=r"expected a data frame.*found builtins\.dict"):
        likert({"worker": []})


def test_repeated_column_names_are_refused():
    frame = pd.concat([TEN, TEN[["score"]]], axis=1)
    with pytest.raises(JudgementError, match="'score' occur more than once"):
        likert(frame)


def test_lists_in_cells_are_refused_with_a_hint():
    with pytest.raises(JudgementError, match="holds lists"):
        likert(TEN.assign(score=pd.Series([[1]] * 10)))


def write_json(path: Path) -> None:
    path.write_text(json.dumps(TEN.to_dict("records")), encoding="utf-8")


def write_json_of_columns(path: Path) -> None:
    path.write_text(json.dumps(TEN.to_dict("list")), encoding="utf-8")


def write_json_lines(path: Path) -> None:
    lines = [json.dumps(record) for record in TEN.to_dict("records")]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("t.csv", lambda path: TEN.to_csv(path, index=False)),
        ("t.CSV", lambda path: TEN.to_csv(path, index=False, lineterminator="\r\n")),
        ("t.csv", lambda path: TEN.to_csv(path, index=False, encoding="utf-8-sig")),
        ("t.tsv", lambda path: TEN.to_csv(path, index=False, sep="\t")),
        ("t.json", write_json),
        ("t.json", write_json_of_columns),
        ("t.jsonl", write_json_lines),
        ("t.parquet", TEN.to_parquet),
    ],
)
def test_every_kind_of_file_gives_the_same_table(
    name: str, write: Callable[[Path], object], tmp_path: Path
):
    write(tmp_path / name)
    assert read(tmp_path / name, scale=(1, 5)) == likert(TEN, scale=(1, 5))
    assert read(tmp_path / name, scale=(1, 5)).n_rows == 10


def test_cells_of_a_csv_file_stay_as_they_were_written(tmp_path: Path):
    text = 'who,what,score\n007,NA,1\n7,None,2\n" 7",null,3\n07,"two\nlines",\n'
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    table = read(tmp_path / "t.csv", annotator="who", system="what", item=None)
    assert set(table.annotators or ()) == {"007", "7", " 7"}
    assert set(table.systems) == {"NA", "None", "null"}
    assert table.dropped == (Dropped("no rating", 1),)


def test_attributes_of_a_csv_file_are_typed(tmp_path: Path):
    TEN.assign(seconds=1.5, day="Monday").to_csv(tmp_path / "t.csv", index=False)
    table = read(tmp_path / "t.csv", attributes=["seconds", "day"])
    assert table.attributes["seconds"].dtype == np.float64
    assert table.attributes["day"][0] == "Monday"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.csv", b"PK\x03\x04" + bytes(40), r"an Excel workbook.*suffix \.xlsx"),
        ("t.xlsx", b"PK\x03\x04" + bytes(40), "this is no Excel workbook"),
        ("t.xls", b"\xd0\xcf\x11\xe0" + bytes(40), "an old Excel workbook"),
        ("t.csv.gz", gzip.compress(b"worker,model", mtime=0), "this is gzip.*Unpack it"),
        ("t.csv", b"\n\n", "the table has no column names"),
        ("t.txt", b"worker,model,prompt,score\n", "a single column: pass separator="),
        ("t.csv", b"worker;model;prompt;score\n", "a single column: pass separator="),
    ],
)
def test_a_file_of_another_kind_is_recognised(name: str, content: bytes, says: str, tmp_path: Path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(JudgementError, match=says):
        read(tmp_path / name)


def test_a_folder_is_no_file(tmp_path: Path):
    with pytest.raises(JudgementError, match="is a folder"):
        read(tmp_path)


@pytest.mark.parametrize("separator", [";;", "§"])
def test_a_separator_is_one_character(separator: str, tmp_path: Path):
    TEN.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(JudgementError, match="separator= must be one character"):
        read(tmp_path / "t.csv", separator=separator)


def test_a_tab_may_be_written_as_shells_do(tmp_path: Path):
    TEN.to_csv(tmp_path / "t.csv", index=False, sep="\t")
    assert read(tmp_path / "t.csv", separator="\\t") == likert(TEN)


@pytest.mark.parametrize("name", ["t.csv", "t.json"])
def test_an_unknown_encoding_is_refused(name: str, tmp_path: Path):
    (tmp_path / name).write_text("[]", encoding="utf-8")
    with pytest.raises(JudgementError, match="encoding= must be one that Python knows"):
        read(tmp_path / name, encoding="latin-99")


def test_an_error_about_a_file_names_it(tmp_path: Path):
    TEN.to_csv(tmp_path / "ratings.csv", index=False)
    with pytest.raises(JudgementError, match=r"^ratings\.csv: .*no column 'scor'"):
        read(tmp_path / "ratings.csv", rating="scor")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.csv", b"", "empty"),
        ("t.csv", b"worker,model,prompt,score\n", "no rows"),
        ("t.csv", b"worker,model,prompt,score\na,b,c\n", "Expected 4 columns, got 3"),
        ("t.csv", b"worker;model;prompt;score\na;b;c;1\n", "separator="),
        ("t.csv", "worker,model,prompt,score\né,b,c,1\n".encode("cp1252"), "encoding="),
        ("t.csv", "wörker,model,prompt,score\né,b,c,1\n".encode("cp1252"), "encoding="),
        ("t.json", b"{", "not valid JSON"),
        ("t.json", b"3", "expected a list"),
        ("t.json", b"[3]", "record 1: expected a list of objects.*this is int"),
        ("t.json", b'{"a": {"b": 1}}', "expected a list of objects"),
        ("t.jsonl", b'{"worker": 1}\n{"worker\n', "line 2 is not valid JSON"),
        ("t.parquet", b"PAR1 no", "no readable Parquet"),
        ("t.doc", b"x", "cannot tell the kind of file"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained(
    name: str, content: bytes, says: str, tmp_path: Path
):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(JudgementError, match=says):
        read(tmp_path / name)


def test_a_file_that_is_not_there_is_an_error():
    with pytest.raises(JudgementError, match=r"there is no file 'nowhere\.csv'"):
        read(Path("nowhere.csv"))


def test_other_separators_and_encodings_can_be_told(tmp_path: Path):
    TEN.to_csv(tmp_path / "t.csv", index=False, sep=";", encoding="utf-16")
    assert read(tmp_path / "t.csv", separator=";", encoding="utf-16") == likert(TEN)


def test_json_keeps_types_and_reads_null_and_absent_keys_as_missing(tmp_path: Path):
    records = [
        {"worker": "a", "model": 1, "prompt": 1, "score": 1},
        {"worker": "b", "model": 1, "prompt": 1, "score": None},
        {"worker": "c", "model": 1, "prompt": 1},
        {"worker": "d", "model": 2, "prompt": 1, "score": 3},
    ]
    (tmp_path / "t.json").write_text(json.dumps(records), encoding="utf-8")
    table = read(tmp_path / "t.json")
    assert table.dropped == (Dropped("no rating", 2),)
    assert table.answers.tolist() == [0, 2]


# Wide tables.


def test_columns_that_are_criteria_become_rows():
    frame = TEN.assign(fluency=TEN["score"], coherence=3)
    table = LikertJudgements.from_wide(
        frame,
        annotator="worker",
        system="model",
        item="prompt",
        ratings={"fluency": "Fluency", "coherence": "Coherence"},
        columns_are="criterion",
        scale=(1, 5),
    )
    assert table.criteria == ("Coherence", "Fluency")
    assert table.n_rows == 20
    fluent = table.codes("criterion") == 1
    assert table.answers[fluent].tolist() == likert(TEN, scale=(1, 5)).answers.tolist()


def test_columns_that_are_systems_become_rows():
    frame = pd.DataFrame({"who": ["a", "b"], "A": [1, 2], "B": [3, None]})
    table = LikertJudgements.from_wide(
        frame, annotator="who", ratings=["A", "B"], columns_are="system", scale=(1, 3)
    )
    assert table.systems == ("A", "B")
    assert table.answers.tolist() == [0, 1, 2]
    assert table.dropped == (Dropped("no rating", 1),)


def test_columns_that_are_annotators_become_rows():
    frame = pd.DataFrame({"model": ["A", "B"], "rater 1": [1, 2], "rater 2": [3, 3]})
    table = LikertJudgements.from_wide(
        frame,
        annotator=None,
        system="model",
        ratings=["rater 1", "rater 2"],
        columns_are="annotator",
    )
    assert table.annotators == ("rater 1", "rater 2")


def test_systems_named_in_the_row_go_with_their_ratings():
    frame = pd.DataFrame(
        {"who": ["a", "b"], "team1": ["X", "Y"], "team2": ["Y", "X"], "q1": [1, 2], "q2": [3, 4]}
    )
    table = LikertJudgements.from_wide(
        frame, annotator="who", systems=["team1", "team2"], ratings={"quality": ["q1", "q2"]}
    )
    shown = table.to_frame()
    assert shown[shown["system"] == "X"]["rating"].tolist() == [1, 4]
    assert table.criteria == ("quality",)


def test_errors_of_a_wide_table_name_its_rows():
    frame = pd.DataFrame({"who": ["a", "b"], "A": [1, 2], "B": [3, 9]})
    with pytest.raises(JudgementError, match="found 9 in data row 2 "):
        LikertJudgements.from_wide(
            frame, annotator="who", ratings=["A", "B"], columns_are="system", scale=(1, 3)
        )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ratings": "A", "columns_are": "system"}, "list of columns"),
        ({"ratings": [], "columns_are": "system"}, "names no column"),
        ({"ratings": ["A", "B"], "columns_are": "model"}, "must say what a column"),
        ({"ratings": ["A", "B"]}, "must say what a column"),
        ({"ratings": ["A", "C"], "columns_are": "system"}, "no column 'C'"),
        ({"ratings": ["A"], "columns_are": "criterion"}, "system= must name"),
        ({"ratings": ["A"], "columns_are": "annotator"}, "leave annotator='who' away"),
        ({"ratings": ["A"], "systems": ["B", "who"]}, "as many"),
        ({"ratings": ["A"], "systems": ["B"], "columns_are": "system"}, "leave columns_are= and"),
        ({"ratings": {"A": ["B"]}, "columns_are": "system"}, "lists of columns go with systems="),
    ],
)
def test_a_wide_table_that_is_not_explained_is_refused(options: dict[str, object], says: str):
    frame = pd.DataFrame({"who": ["a", "b"], "A": [1, 2], "B": [3, 9]})
    with pytest.raises(JudgementError, match=says):
        LikertJudgements.from_wide(frame, annotator="who", **options)  # type: ignore[arg-type]


# Properties.


def from_table(table: Table, frame: object = None) -> LikertJudgements:
    return LikertJudgements.from_frame(
        table.frame if frame is None else frame,
        annotator="who",
        system="what",
        item="which",
        rating="score",
        scale=(table.low, table.high),
    )


@given(likert_tables())
def test_every_row_is_a_judgement_or_counted_as_dropped(table: Table):
    judgements = from_table(table)
    dropped = sum(entry.n_rows for entry in judgements.dropped)
    assert judgements.n_rows + dropped == len(table.frame)
    assert judgements.values.sum() == table.frame["score"].sum()
    assert judgements.scale.n_categories == table.high - table.low + 1


@given(likert_tables(), st.randoms())
def test_the_order_of_rows_never_matters(table: Table, random: Random):
    order = list(range(len(table.frame)))
    random.shuffle(order)
    shuffled = from_table(table, table.frame.iloc[order])
    original = from_table(table)
    assert shuffled == original
    assert shuffled.systems == original.systems
    assert shuffled.annotators == original.annotators


@given(likert_tables())
def test_codes_give_back_the_labels(table: Table):
    judgements = from_table(table)
    given = table.frame[table.frame["score"].notna()]
    shown = judgements.to_frame()
    assert shown["annotator"].tolist() == given["who"].tolist()
    assert shown["system"].tolist() == given["what"].tolist()
    assert shown["item"].tolist() == given["which"].tolist()
    assert shown["rating"].tolist() == given["score"].tolist()


@given(likert_tables(), st.data())
def test_a_broken_rating_is_refused_with_its_row(table: Table, data: st.DataObject):
    given = [k for k, answer in enumerate(table.frame["score"]) if not pd.isna(answer)]
    row = data.draw(st.sampled_from(given))
    bad = data.draw(st.sampled_from([table.low - 1, table.high + 1, table.low + 0.5]))
    frame = table.frame.astype({"score": object})
    frame.loc[row, "score"] = bad
    with pytest.raises(JudgementError, match=rf"data row {row + 1} "):
        from_table(table, frame)


@given(likert_tables(), st.data())
def test_a_doubled_row_is_refused(table: Table, data: st.DataObject):
    given = [k for k, answer in enumerate(table.frame["score"]) if not pd.isna(answer)]
    row = data.draw(st.sampled_from(given))
    frame = pd.concat([table.frame, table.frame.iloc[[row]]])
    with pytest.raises(JudgementError, match=rf"data rows {row + 1}, {len(frame)} "):
        from_table(table, frame)


@given(likert_tables())
def test_polars_and_pandas_give_the_same_table(table: Table):
    assert from_table(table, pl.from_pandas(table.frame)) == from_table(table)
