"""Likert judgements from every kind of data frame and of file."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import Dropped
from tests.judgements.small import TEN, likert, read


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
