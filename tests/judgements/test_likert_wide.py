"""Likert judgements of wide tables, and of tables that are made up."""

from random import Random

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayeseval.errors import JudgementError
from bayeseval.judgements import Dropped, LikertJudgements
from tests.judgements.small import TEN, likert
from tests.strategies import Table, likert_tables


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
