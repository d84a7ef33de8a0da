"""Arguments and records that do not fit are named in the user's words, short, and not Python's."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bayeseval as be

FITTING: dict[str, Any] = {
    "format": "label_studio",
    "protocol": "likert",
    "columns": {"system": "data.model", "item": "task", "rating": "fluency"},
    "scale": (1, 5),
}


def written(folder: Path, **changed: object) -> Path:
    """Write an export of one task, whose only annotation has some fields changed."""
    result = {"from_name": "fluency", "type": "rating", "value": {"rating": 3}}
    annotation = {"id": 1, "completed_by": 3, "result": [result], **changed}
    path = folder / "export.json"
    path.write_text(json.dumps([{"id": 1, "data": {"model": "A"}, "annotations": [annotation]}]))
    return path


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"columns": 3}, "columns= must be a mapping of role to column"),
        ({"columns": "rating"}, "columns= must be a mapping of role to column"),
        ({"columns": {**FITTING["columns"], "system": 3}}, "system: a column is named by its text"),
        ({"annotator": 3}, "annotator: a column is named by its text"),
        ({"moderators": 3}, "moderators= must be a list"),
        ({"attributes": 3}, "attributes= must be a list"),
        ({"attributes": [["a"]]}, "a list stands where something else"),
        ({"protocol": ["likert"]}, "protocol= must be one of"),
        ({"missing": 3}, "missing= must be a list"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_named(
    tmp_path: Path, options: dict[str, Any], expected: str
) -> None:
    with pytest.raises(be.JudgementError, match=expected) as refused:
        be.read(written(tmp_path), **{**FITTING, **options})
    assert "Error" not in str(refused.value)


@pytest.mark.parametrize(
    ("result", "met"),
    [(3, "a number"), ("x", "a text"), ([["y"]], "a list"), ([{"from_name": []}], "a list")],
)
def test_a_damaged_record_is_described_without_words_of_python(
    tmp_path: Path, result: object, met: str
) -> None:
    with pytest.raises(be.JudgementError, match=f"task 1 is not built.*{met} stands") as refused:
        be.read(written(tmp_path, result=result), **FITTING)
    assert "Error" not in str(refused.value)


def test_a_long_missing_is_cut_in_the_message() -> None:
    frame = pd.DataFrame({"system": ["A"], "rating": [1]})
    with pytest.raises(be.JudgementError, match="missing= must be a list") as refused:
        be.LikertJudgements.from_frame(
            frame, annotator=None, system="system", rating="rating", scale=(1, 5),
            missing="N/A" * 500,
        )  # fmt: skip
    assert len(str(refused.value)) < 300
