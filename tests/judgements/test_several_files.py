"""Several files in one call, folders, and Excel workbooks."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import Dropped, LikertJudgements, PairwiseJudgements, read
from tests.judgements.exports import BATTLES, BLOCKS, GOOD, MTURK, QUALTRICS, SURVEY
from tests.judgements.test_damaged_files import FILES

TABLE = pd.DataFrame({"w": ["a", "a", "b"], "s": ["A", "B", "A"], "r": [1, 2, 5]})
ROLES: dict[str, Any] = {"annotator": "w", "system": "s", "rating": "r", "scale": (1, 5)}


def batches(folder: Path, suffix: str) -> list[Path]:
    """Two batches of other annotators; the second one lacks a rating."""
    second = TABLE.assign(w=["c", "c", "d"], r=pd.Series([3.0, None, 4.0]))
    paths = [folder / f"one{suffix}", folder / f"two{suffix}"]
    for frame, path in zip((TABLE, second), paths, strict=True):
        if suffix == ".csv":
            frame.to_csv(path, index=False)
        elif suffix == ".json":
            frame.to_json(path, orient="records")
        elif suffix == ".parquet":
            frame.to_parquet(path)
        else:
            frame.to_excel(path, index=False)
    return paths


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet", ".xlsx"])
def test_batches_are_read_as_one_table(suffix: str, tmp_path: Path):
    if suffix == ".xlsx":
        pytest.importorskip("openpyxl")
    paths = batches(tmp_path, suffix)
    table = LikertJudgements.read(paths, **ROLES)
    assert table.annotators == ("a", "b", "c", "d")
    assert table.values.tolist() == [1, 2, 5, 3, 4]
    assert table.dropped == (Dropped("no rating", 1),)
    with pytest.raises(JudgementError, match=r"found '?5'? in data row 3 of one\."):
        LikertJudgements.read(paths, **{**ROLES, "scale": (1, 4)})


def test_an_error_in_one_of_several_files_names_it(tmp_path: Path):
    paths = batches(tmp_path, ".csv")
    paths[1].write_text("w,s\na,b\n")
    with pytest.raises(JudgementError, match=r"^two\.csv: rating='r': there is no column"):
        LikertJudgements.read(paths, **ROLES)
    with pytest.raises(JudgementError, match="there is no file"):
        LikertJudgements.read([*paths, tmp_path / "three.csv"], **ROLES)
    with pytest.raises(JudgementError, match=r"path= must name a file, or be a list"):
        LikertJudgements.read([], **ROLES)


# Errors of MQM add up, and surveys have rows of headers.
@pytest.mark.parametrize("kind", sorted(set(FILES) - {"wmt_mqm", "qualtrics"}))
def test_every_format_takes_several_files(kind: str, tmp_path: Path):
    name, content, take = FILES[kind]
    (tmp_path / name).write_bytes(content)
    one = take(tmp_path / name)
    (tmp_path / f"again.{name}").write_bytes(content)
    paths: Any = [tmp_path / name, tmp_path / f"again.{name}"]
    try:
        both = take(paths)
    except JudgementError as error:
        said = str(error)
    else:
        said = ""
        assert both.n_judgements == 2 * one.n_judgements
    # Formats that take no second answer of one person say where the two are.
    assert not said or f"of again.{name}" in said


def test_batches_and_folders_of_mturk(tmp_path: Path):
    for number in (1, 2):
        text = MTURK.replace('"W1"', f'"W1{number}"').replace('"W2"', f'"W2{number}"')
        (tmp_path / f"batch{number}.csv").write_text(text, encoding="utf-8")
    options: dict[str, Any] = {
        "format": "mturk", "protocol": "likert", "columns": BLOCKS, "labels": GOOD,
    }  # fmt: skip
    table = read(tmp_path, **options)
    assert table.annotators == ("W11", "W12", "W21", "W22")
    assert table == read(sorted(tmp_path.iterdir()), **options)
    with pytest.raises(JudgementError, match=r"data rows 1 of batch1\.csv, 1 of batch2\.csv"):
        read(tmp_path, **{**options, "labels": {"4 - good": 4}})


def test_surveys_of_one_layout(tmp_path: Path):
    survey = QUALTRICS.replace("S1_Q2,S1_Q2", "S1_Q2,S1_Q3")
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    paths[0].write_text(survey, encoding="utf-8", newline="")
    paths[1].write_text(survey.replace("R_", "P_"), encoding="utf-8", newline="")
    table = read(paths, **SURVEY)
    assert table.annotators == ("P_1", "P_2", "R_1", "R_2")
    paths[1].write_text(survey.replace("Age", "Years"), encoding="utf-8", newline="")
    with pytest.raises(JudgementError, match=r"^b\.csv: .*same columns; 'Age', 'Years' differ"):
        read(paths, **SURVEY)


def test_a_workbook_is_read_by_its_one_sheet(tmp_path: Path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "t.xlsx"
    frame = TABLE.assign(w=["007", "NA", "b"])
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"about": ["x"]}).to_excel(writer, sheet_name="readme", index=False)
        frame.to_excel(writer, sheet_name="data", index=False)
    table = LikertJudgements.read(path, **ROLES)
    assert table == LikertJudgements.from_frame(frame, **ROLES)
    assert table.annotators == ("007", "NA", "b")
    with pd.ExcelWriter(path) as writer:
        for name in ("one", "two"):
            frame.to_excel(writer, sheet_name=name, index=False)
    with pytest.raises(JudgementError, match="the sheets 'one', 'two' could all be meant"):
        LikertJudgements.read(path, **ROLES)
    pd.DataFrame(BATTLES).to_excel(tmp_path / "battles.xlsx", index=False)
    (tmp_path / "battles.json").write_text(json.dumps(BATTLES))
    battles = read(tmp_path / "battles.xlsx", format="chatbot_arena")
    assert isinstance(battles, PairwiseJudgements)
    assert battles == read(tmp_path / "battles.json", format="chatbot_arena")


def test_a_damaged_workbook_is_said_to_be_one(tmp_path: Path):
    path = tmp_path / "t.xlsx"
    path.write_bytes(b"PK\x03\x04" + bytes(40))
    with pytest.raises(JudgementError, match=r"^t\.xlsx: this is no Excel workbook, or"):
        LikertJudgements.read(path, **ROLES)
