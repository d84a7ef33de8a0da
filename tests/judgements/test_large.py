"""Lazy frames and large files: counted where they live, and the same table in the end."""

import os
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    Dropped,
    LikertJudgements,
    PairwiseJudgements,
    _files,
    to_counts,
)

COLUMNS = {"annotator": None, "system_a": "left", "system_b": "right", "outcome": "winner"}
OUTCOMES = {"model_a": "a", "model_b": "b", "tie": "tie", "bothbad": None}


@pytest.fixture(scope="module")
def votes() -> pd.DataFrame:
    rng = np.random.default_rng(20)
    n = 4000
    left = rng.integers(0, 6, n)
    right = (left + rng.integers(1, 6, n)) % 6
    names = np.array(["gpt 4", "model [b]", "模型", "m10", "m9", "x,y"], dtype=object)
    words = np.array(["model_a", "model_b", "tie", "bothbad", None], dtype=object)
    return pd.DataFrame(
        {
            "id": np.arange(n),
            "left": names[left],
            "right": names[right],
            "winner": words[rng.integers(0, 5, n)],
            "turn": rng.integers(1, 3, n),
        }
    )


def pairwise(frame: object) -> PairwiseJudgements:
    return PairwiseJudgements.from_frame(
        frame,
        annotator=None,
        system_a="left",
        system_b="right",
        outcome="winner",
        outcomes=OUTCOMES,
        moderators=["turn"],
    )


def read(path: Path, **options: object) -> PairwiseJudgements:
    settings = {**COLUMNS, "outcomes": OUTCOMES, "moderators": ["turn"]}
    return PairwiseJudgements.read(path, **{**settings, **options})


def assert_identical(lazy: PairwiseJudgements, eager: PairwiseJudgements) -> None:
    assert lazy == eager
    assert lazy.n_judgements == eager.n_judgements
    assert sorted(lazy.dropped, key=str) == sorted(eager.dropped, key=str)
    pd.testing.assert_frame_equal(to_counts(lazy).to_frame(), to_counts(eager).to_frame())


@pytest.mark.parametrize(
    "convert",
    [
        pl.from_pandas,
        lambda frame: pl.from_pandas(frame).lazy(),
        pa.Table.from_pandas,
        lambda frame: duckdb.from_arrow(pa.Table.from_pandas(frame)),
    ],
    ids=["polars", "polars lazy", "pyarrow", "duckdb"],
)
def test_every_library_gives_the_identical_table(votes: pd.DataFrame, convert) -> None:  # pyright: ignore[reportMissingParameterType]
    assert_identical(pairwise(convert(votes)), pairwise(votes))


def test_a_lazy_frame_is_reduced_to_its_distinct_rows(votes: pd.DataFrame):
    table = pairwise(pl.from_pandas(votes).lazy())
    assert table.n_rows <= 6 * 5 * 3 * 2
    again = pairwise(pl.from_pandas(votes.sample(frac=1, random_state=1)).lazy())
    pd.testing.assert_frame_equal(again.to_frame(), table.to_frame())


@pytest.fixture(scope="module")
def spark() -> Iterator[object]:
    sql = pytest.importorskip("pyspark.sql")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = sql.SparkSession.builder.master("local[1]")
    for name, value in (
        ("spark.ui.enabled", "false"),
        ("spark.sql.shuffle.partitions", "2"),
        ("spark.driver.memory", "600m"),
    ):
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except Exception as error:  # noqa: BLE001 - any failure to start Java
        pytest.skip(f"Spark does not start here: {error}")
    yield session
    session.stop()


@pytest.mark.filterwarnings("ignore")
def test_a_pyspark_frame_gives_the_identical_table(
    votes: pd.DataFrame, spark: object, tmp_path: Path
):
    votes.to_parquet(tmp_path / "votes.parquet")
    frame = spark.read.parquet(str(tmp_path / "votes.parquet"))  # type: ignore[attr-defined]
    assert_identical(pairwise(frame), pairwise(votes))


def test_errors_of_a_lazy_frame_tell_how_many_rows(votes: pd.DataFrame):
    wrong = votes.assign(winner=votes["winner"].where(votes.index > 6, "draw"))
    with pytest.raises(JudgementError, match=r"'draw' \(7\), in 7 rows \(counted where"):
        pairwise(pl.from_pandas(wrong).lazy())


def test_a_count_column_is_multiplied_by_equal_rows():
    frame = pl.DataFrame({"s": ["A", "A", "B"], "y": [1, 1, 2], "n": [3, 3, 1]})
    for table in (frame, frame.lazy()):
        found = LikertJudgements.from_frame(
            table, annotator=None, system="s", rating="y", count="n"
        )
        assert found.n_judgements == 7
        with pytest.raises(JudgementError, match="more than one rating"):
            LikertJudgements.from_frame(
                table.with_columns(w=pl.lit("j")), annotator="w", system="s", rating="y", count="n"
            )


@pytest.mark.parametrize("kind", ["parquet", "csv", "tsv"])
def test_large_files_go_through_duckdb_and_give_the_identical_table(
    kind: str, votes: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / f"votes.{kind}"
    if kind == "parquet":
        votes.to_parquet(path)
    else:
        votes.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    small = read(path)
    assert small.n_rows == small.n_judgements
    monkeypatch.setattr(_files, "MOST_PARQUET_ROWS", 10)
    monkeypatch.setattr(_files, "MOST_TEXT_BYTES", 10)
    large = read(path)
    assert large.n_rows < small.n_rows
    assert_identical(large, small)
    with pytest.raises(JudgementError, match=rf"^votes\.{kind}: .*nearest is 'winner'"):
        read(path, outcome="winners")


def test_cells_of_a_large_csv_file_stay_as_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(_files, "MOST_TEXT_BYTES", 1)
    text = 'left,right,winner,turn\n007,NA,model_a,1\n7,"null\nx",model_b,1\n7,NA,,1\n'
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    table = read(tmp_path / "t.csv")
    assert set(table.systems) == {"007", "NA", "7", "null\nx"}
    assert table.dropped == (Dropped("no outcome", 1),)
