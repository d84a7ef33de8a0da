"""Likert judgements: what becomes of a table, what is refused, and what the judgements say."""

import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import Dropped, LikertJudgements
from tests.judgements.small import TEN, likert, read
from tests.strategies import NASTY


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
