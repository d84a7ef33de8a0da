"""Files of annotation tools and evaluation harnesses: Label Studio, Argilla, Inspect."""

import json
import zipfile
from pathlib import Path

import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    Dropped,
    LikertJudgements,
    read,
)
from tests.judgements.exports import (
    ARGILLA_1,
    ARGILLA_2,
    ARGILLA_HUB,
    LABEL_STUDIO,
    log,
    rows,
    write,
)


def test_label_studio_tasks_become_rows(tmp_path: Path):
    path = write(tmp_path / "export.json", json.dumps(LABEL_STUDIO))
    table = read(
        path, format="label_studio", protocol="likert", scale=(1, 5),
        columns={"system": "data.model.name", "item": "task", "rating": "fluency"},
    )  # fmt: skip
    assert rows(table, "annotator", "system", "item", "rating") == [
        ["x@example.org", "A", "11", 4],
        ["7", "B", "12", 2],
    ]
    assert table.dropped == (Dropped("annotation cancelled", 1),)
    pairs = read(
        path, format="label_studio", protocol="pairwise",
        columns={"system_a": "data.left", "system_b": "data.right", "outcome": "pw"},
    )  # fmt: skip
    assert rows(pairs, "system_a", "system_b", "outcome") == [["A", "B", "a"], ["B", "C", "b"]]
    with pytest.raises(JudgementError, match="expected a list of tasks"):
        read(
            write(tmp_path / "min.json", '[{"text": "x", "fluency": 4}]'),
            format="label_studio", protocol="likert", columns={"system": "a", "rating": "b"},
        )  # fmt: skip


@pytest.mark.parametrize("records", [ARGILLA_2, ARGILLA_HUB, ARGILLA_1])
def test_argilla_records_become_rows(records: list[dict[str, object]], tmp_path: Path):
    table = read(
        write(tmp_path / "records.json", json.dumps(records)),
        format="argilla", protocol="likert", scale=(1, 5),
        columns={"system": "metadata.model", "item": "id", "rating": "quality"},
    )  # fmt: skip
    assert rows(table, "annotator", "system", "item", "rating") == [
        ["u1", "A", "r1", 3],
        ["u1", "B", "r2", 5],
    ]
    assert table.dropped == (Dropped("answer not submitted", 1),)


def test_argilla_without_answers_is_an_error(tmp_path: Path):
    path = write(tmp_path / "records.json", json.dumps([{"id": 1, "responses": {}}]))
    with pytest.raises(JudgementError, match="no submitted answer"):
        read(
            path, format="argilla", protocol="likert", columns={"system": "id", "rating": "quality"}
        )


def test_inspect_logs_become_ratings(tmp_path: Path):
    folder = tmp_path / "logs"
    folder.mkdir()
    write(folder / "one.json", json.dumps(log("openai/a", ["C", "I"])))
    content = log("openai/b", ["P", "N"])
    with zipfile.ZipFile(folder / "two.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        samples = content.pop("samples")
        archive.writestr("header.json", json.dumps(content))
        assert isinstance(samples, list)
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    table = read(folder, format="inspect")
    assert isinstance(table, LikertJudgements)
    assert table.systems == ("openai/a", "openai/b")
    assert table.items == ("gsm 1", "gsm 2")
    assert table.values.tolist() == [1, 0, 0.5, 0]
    assert table.annotators is None
    graded = read(folder / "one.json", format="inspect", annotator="scorer")
    assert graded.annotators == ("match",)
    numbers = write(tmp_path / "n.json", json.dumps(log("m", [3, 7])))
    assert read(numbers, format="inspect", scale=(0, 10)).n_rows == 2
    with pytest.raises(JudgementError, match="no sample was scored by 'exact'"):
        read(numbers, format="inspect", scorer="exact")
    with pytest.raises(JudgementError, match=r"no eval\.model"):
        read(write(tmp_path / "x.json", "{}"), format="inspect")
    with pytest.raises(JudgementError, match="damaged"):
        read(write(tmp_path / "x.eval", "no archive"), format="inspect")


def test_several_scorers_are_criteria(tmp_path: Path):
    content = log("m", ["C"])
    content["samples"] = [
        {"id": "q", "epoch": e, "scores": {"style": {"value": {"tone": 2, "wit": 1}}, "x": 3}}
        for e in (1, 2)
    ]
    table = read(write(tmp_path / "l.json", json.dumps(content)), format="inspect", scale=(1, 5))
    assert table.criteria == ("style tone", "style wit", "x")
    assert table.attributes["epoch"].tolist() == [1, 1, 1, 2, 2, 2]


def test_an_unfinished_inspect_log_has_a_journal(tmp_path: Path):
    content = log("openai/b", [])
    sample = {"id": "q", "epoch": 1, "scores": {"match": {"value": "C"}}}
    with zipfile.ZipFile(tmp_path / "cut.eval", "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": content["eval"]}))
        archive.writestr("samples/q_epoch_1.json", json.dumps(sample))
    assert read(tmp_path / "cut.eval", format="inspect").n_rows == 1
    with zipfile.ZipFile(tmp_path / "other.eval", "w") as archive:
        archive.writestr("x", "y")
    with pytest.raises(JudgementError, match=r"no header\.json"):
        read(tmp_path / "other.eval", format="inspect")
