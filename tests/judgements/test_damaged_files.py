"""Whatever is in a file, a reader ends in a table or in the package's own error."""

import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bayeseval.errors import BayesEvalError, JudgementError
from bayeseval.judgements import (
    Judgements,
    LikertJudgements,
    PairwiseJudgements,
    StrengthJudgements,
    read,
)
from tests.judgements.exports import (
    ARGILLA_1,
    ARGILLA_2,
    ARGILLA_HUB,
    BATTLES,
    BLOCKS,
    GOOD,
    LABEL_STUDIO,
    MQM,
    MTURK,
    QUALTRICS,
    SURVEY,
    log,
)

TABLE = pd.DataFrame(
    {
        "w": ["a", "a", "b"],
        "s": ["A", "B", "A"],
        "t": ["B", "C", "C"],
        "r": [1, 2, 5],
        "o": ["a", "b", "tie"],
        "z": [1.5, None, 3.0],
    }
)
RANKINGS = (
    "segmentId,judgeId,system1Id,system2Id,system1rank,system2rank\n7,j1,A,B,1,3\n8,j1,A,B,2,2\n"
)
ESA = {"langs": "en-de", "line_id": 3, "doc_id": "n.1", "esa_spans": [{"severity": "minor"}],
       "esa_score": 80, "system": "A", "annotator": "u1"}  # fmt: skip
ALPACA = {"instruction": "x", "generator_1": "base", "generator_2": "A", "annotator": "gpt4",
          "preference": 1.25}  # fmt: skip
LIKERT = {"annotator": "w", "system": "s", "rating": "r", "scale": (1, 5), "attributes": ["z"]}
PAIRS: dict[str, Any] = {"annotator": "w", "system_a": "s", "system_b": "t", "outcome": "o"}
STRENGTHS = {"annotator": "w", "system_a": "s", "system_b": "t", "strength": "r", "bounds": 5,
             "positive": "a"}  # fmt: skip
TOOLS: dict[str, Any] = {
    "format": "label_studio",
    "protocol": "likert",
    "columns": {"system": "data.model.name", "item": "task", "rating": "fluency"},
    "scale": (1, 5),
}
PEOPLE: dict[str, Any] = {
    "format": "argilla",
    "protocol": "likert",
    "columns": {"system": "metadata.model", "item": "id", "rating": "quality"},
    "scale": (1, 5),
}


def eval_log(**parts: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name.replace("__", "/") + ".json", part)
    return content.getvalue()


def lines(records: list[Any]) -> bytes:
    return "\n".join(map(json.dumps, records)).encode()


def parquet() -> bytes:
    content = io.BytesIO()
    pd.DataFrame(BATTLES).to_parquet(content)
    return content.getvalue()


HEADER = b'{"eval": {"task": "t", "model": "m"}}'
SAMPLE = b'{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}'
FILES: dict[str, tuple[str, bytes, Callable[[Path], Judgements]]] = {
    "likert csv": ("t.csv", TABLE.to_csv(index=False).encode(),
                   lambda path: LikertJudgements.read(path, **LIKERT)),
    "likert json": ("t.json", TABLE.to_json(orient="records").encode(),
                    lambda path: LikertJudgements.read(path, **LIKERT)),
    "pairwise tsv": ("t.tsv", TABLE.to_csv(index=False, sep="\t").encode(),
                     lambda path: PairwiseJudgements.read(path, **PAIRS)),
    "strength jsonl": ("t.jsonl", TABLE.to_json(orient="records", lines=True).encode(),
                       lambda path: StrengthJudgements.read(path, **STRENGTHS)),
    "parquet": ("t.parquet", parquet(), lambda path: read(path, format="chatbot_arena")),
    "alpaca_eval": ("t.json", json.dumps([ALPACA]).encode(),
                    lambda path: read(path, format="alpaca_eval")),
    "argilla 1": ("t.json", json.dumps(ARGILLA_1).encode(), lambda path: read(path, **PEOPLE)),
    "argilla 2": ("t.json", json.dumps(ARGILLA_2).encode(), lambda path: read(path, **PEOPLE)),
    "argilla hub": ("t.jsonl", lines(ARGILLA_HUB), lambda path: read(path, **PEOPLE)),
    "arena": ("t.jsonl", lines(BATTLES), lambda path: read(path, format="chatbot_arena")),
    "mt_bench": ("t.json", json.dumps([{**BATTLES[0], "question_id": 1}]).encode(),
                 lambda path: read(path, format="mt_bench")),
    "inspect": ("t.json", json.dumps(log("m", ["C", "I"])).encode(),
                lambda path: read(path, format="inspect")),
    "inspect eval": ("t.eval", eval_log(header=HEADER, samples__1=SAMPLE),
                     lambda path: read(path, format="inspect")),
    "label_studio": ("t.json", json.dumps(LABEL_STUDIO).encode(), lambda path: read(path, **TOOLS)),
    "mturk": ("t.csv", MTURK.encode(),
              lambda path: read(path, format="mturk", protocol="likert", columns=BLOCKS,
                                labels=GOOD)),
    "qualtrics": ("t.csv", QUALTRICS.replace("S1_Q2,S1_Q2", "S1_Q2,S1_Q3").encode(),
                  lambda path: read(path, **SURVEY)),
    "wmt_rankings": ("t.csv", RANKINGS.encode(), lambda path: read(path, format="wmt_rankings")),
    "wmt_mqm": ("t.tsv", MQM.encode(), lambda path: read(path, format="wmt_mqm")),
    "wmt_esa": ("t.jsonl", lines([ESA]), lambda path: read(path, format="wmt_esa")),
    "wmt_esa csv": ("t.csv", b"u1,A,3,TGT,eng,deu,80,news.1,False,[],1.0,2.0\n",
                    lambda path: read(path, format="wmt_esa")),
}  # fmt: skip
TOKENS = (b"null", b"[", b"{}", b'"', b"\xff", b"\0", b"1e999", b"true", b",", b"\n", b"-1",
          b'"\\ud800"', b"1" + b"0" * 30, b"[[1]]", b'{"a": 1}', b"\xef\xbb\xbf")  # fmt: skip
VALUES = (None, True, 0, -1, 1.5, 10**30, "", "x", "\ud800", "a\0b", [], [1], {}, {"a": 1}, "\x1b]")


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Change one to three places of a file: a bit, a piece cut, doubled, moved, or put in."""
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(content) + 1)
        stop = min(len(content), start + chance.choice((1, 1, 2, 5, 20, 200)))
        before, piece, after = content[:start], content[start:stop], content[stop:]
        piece = chance.choice(
            (
                b"",
                piece + piece,
                piece[::-1],
                bytes(byte ^ 1 << chance.randrange(8) for byte in piece),
                chance.choice(TOKENS),
            )
        )
        content = before + piece + after
    return content


def restructured(content: bytes, chance: random.Random) -> bytes:
    """Replace one value somewhere in a JSON file by another of any kind."""
    text = content.decode()
    whole = not text.startswith("{") or text.count("\n") == 0
    record = json.loads(text) if whole else json.loads(text.split("\n")[0])
    places = list(_places(record))
    holder, key = chance.choice(places)
    holder[key] = chance.choice(VALUES)
    rest = [] if whole else text.split("\n")[1:]
    return "\n".join([json.dumps(record), *rest]).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def try_damaged(folder: Path, *, number: int, seed: int) -> None:
    chance = random.Random(seed)
    for kind, (name, content, take) in FILES.items():
        path = folder / name
        for _ in range(number):
            is_json = name.endswith((".json", ".jsonl"))
            change = restructured if is_json and chance.random() < 0.6 else mutated
            damaged = change(content, chance)
            path.write_bytes(damaged)
            try:
                table = take(path)
            except BayesEvalError as error:
                said = str(error)
            except Exception as error:
                raise AssertionError(f"{kind}: {type(error).__name__} of {damaged!r}") from error
            else:
                said = f"{name}: {table.summary()}"
            assert said.startswith(name), (kind, damaged, said)
            assert len(said) < 5_000, (kind, damaged)


@pytest.mark.parametrize("kind", FILES)
def test_the_undamaged_file_is_read(kind: str, tmp_path: Path):
    name, content, take = FILES[kind]
    (tmp_path / name).write_bytes(content)
    assert take(tmp_path / name).n_judgements > 0


@pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning")
def test_a_damaged_file_ends_in_a_table_or_in_words(tmp_path: Path):
    try_damaged(tmp_path, number=12, seed=1)


@pytest.mark.calibration
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_damaged_files_end_in_a_table_or_in_words(seed: int, tmp_path: Path):
    try_damaged(tmp_path, number=200, seed=seed)


def says(path: Path, content: str | bytes, words: str, **options: Any) -> None:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    take: Callable[..., Judgements] = read if "format" in options else LikertJudgements.read
    with pytest.raises(JudgementError, match=f"^{re.escape(path.name)}: .*{words}"):
        take(path, **options)


def task(annotations: object) -> str:
    return json.dumps(
        [*LABEL_STUDIO, {"id": 3, "data": {"model": {"name": "A"}}, "annotations": annotations}]
    )


FLUENCY = {"from_name": "fluency", "type": "rating", "value": {"rating": 4}}


def test_a_record_that_is_built_otherwise_is_named_by_its_number(tmp_path: Path):
    path = tmp_path / "t.json"
    says(path, task(1), r"task 3 is not built as expected \(a", **TOOLS)
    says(
        path, task([{"result": [{**FLUENCY, "value": True}]}]), "task 3: the value of 'fl", **TOOLS
    )
    for given in (["x"], 3):
        records = [*ARGILLA_2, {"id": "r3", "responses": {"quality": given}}]
        says(path, json.dumps(records), "record 3 is not built as expected", **PEOPLE)
    bad = [*ARGILLA_HUB, {**ARGILLA_HUB[0], "quality.responses.users": ["u"]}]
    says(path, json.dumps(bad), "record 3 is not built", **PEOPLE)
    content = log("m", ["C"])
    content["samples"] = [{"id": 1, "scores": {"x": "C"}}, {"id": 2, "scores": "x"}]
    says(path, json.dumps(content), "sample 2 is not built", format="inspect")


def test_two_results_under_one_name_are_refused_and_no_result_is_counted(tmp_path: Path):
    path = tmp_path / "t.json"
    twice = task([{"completed_by": 1, "result": [FLUENCY, FLUENCY]}])
    says(path, twice, r"two results or more of 'fluency' \(from_name\), first in task 3", **TOOLS)
    span = {"from_name": "spans", "type": "labels", "value": {"labels": ["x"]}}
    path.write_text(task([{"completed_by": 1, "result": [span, span, FLUENCY]}]))
    assert read(path, **TOOLS).n_rows == 3
    path.write_text(task([{"completed_by": 1, "result": None}]))
    table = read(path, **TOOLS)
    assert table.n_rows == 2
    assert [(d.reason, d.n_rows) for d in table.dropped] == [
        ("annotation cancelled", 1),
        ("no rating", 1),
    ]


def test_a_column_of_the_format_that_is_not_there_is_named(tmp_path: Path):
    lacking = json.dumps([{k: v for k, v in ALPACA.items() if k != "generator_2"}])
    says(tmp_path / "a.json", lacking, "'generator_2' is not there", format="alpaca_eval")


@pytest.mark.parametrize("format", ["alpaca_eval", "chatbot_arena", "mt_bench", "inspect"])
def test_json_nested_without_end_is_refused(format: str, tmp_path: Path):
    says(tmp_path / "t.json", "[" * 100_000, "nested too deeply", format=format)
    says(tmp_path / "t.jsonl", "[" * 100_000, "line 1 is nested too deeply", **LIKERT)


def test_cells_headers_and_paths_without_end(tmp_path: Path):
    long = "x" * 140_000
    path = tmp_path / "t.csv"
    path.write_text(f"w,s,r,z\na,{long},3,1\n")
    table = LikertJudgements.read(path, **LIKERT)
    assert len(repr(table.summary())) < 1_000
    says(path, f'w,s,r,"{long}\na,A,3,1\n', "quotation mark that is never closed", **LIKERT)
    says(path, f'w,"{long}\n', "Error", **{**SURVEY, "format": "qualtrics"})
    with pytest.raises(JudgementError, match=r"cannot be used: .*too long"):
        LikertJudgements.read("x" * 5_000, **LIKERT)
    with pytest.raises(JudgementError, match=r"path= must name a file.*None"):
        read(None, format="mt_bench")  # type: ignore[arg-type]


def test_an_archive_made_to_fill_the_memory_is_not_unpacked(tmp_path: Path):
    path = tmp_path / "t.eval"
    path.write_bytes(eval_log(header=HEADER, samples__1=b" " * 120_000_000))
    with pytest.raises(JudgementError, match=r"unpacks to 120,000,\d+, more than 100 times"):
        read(path, format="inspect")


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (b"no json", "'samples/1.json' in the log is not valid JSON"),
        (b"\xff\xfe", "UnicodeDecodeError"),
        (b"[]", "'samples/1.json' in the log is list"),
    ],
)
def test_a_damaged_sample_of_a_log_is_named(sample: bytes, words: str, tmp_path: Path):
    path = tmp_path / "t.eval"
    says(path, eval_log(header=HEADER, samples__1=sample), words, format="inspect")


def test_text_that_no_result_could_hold_is_refused(tmp_path: Path):
    path = tmp_path / "t.json"
    for bad in ("\\ud800", "a\\u0000b"):
        says(path, f'[{{"w": "a", "s": "{bad}", "r": 3, "z": 1}}]', "cannot be stored", **LIKERT)
    with pytest.raises(JudgementError, match=r"column 's' holds .*cannot be stored"):
        LikertJudgements.from_frame(TABLE.assign(s=["A", "a\0b", "C"]), **LIKERT)


def test_a_whole_number_of_any_size_can_be_an_attribute(tmp_path: Path):
    path = tmp_path / "t.json"
    path.write_text(f'[{{"w": "a", "s": "A", "r": 3, "z": {10**30}}}]')
    assert LikertJudgements.read(path, **LIKERT).attributes["z"].tolist() == [10**30]


def test_control_characters_of_a_label_do_not_reach_the_terminal():
    rude = "A\x1b]0;title\x07"
    table = LikertJudgements.from_frame(TABLE.assign(s=[rude, "B", "C"]), **LIKERT)
    assert rude in table.systems
    shown = repr(table.summary())
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "A\\x1b]0;title\\x07" in shown


def test_a_message_recommends_what_the_format_takes(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines([ESA, ESA]))
    with pytest.raises(JudgementError, match=r"format='wmt_esa' takes no criterion="):
        read(path, format="wmt_esa")
    path.write_bytes(lines([{**ESA, "esa_score": "good"}]))
    with pytest.raises(JudgementError, match=r"takes no scale= or labels=: .*from_frame"):
        read(path, format="wmt_esa")
    path.write_text("_worker_id,s,r\nw,A,1\nw,A,2\n")
    with pytest.raises(JudgementError, match=r"it is a role of columns=, in place of item="):
        read(path, format="crowdflower", protocol="likert", columns={"system": "s", "rating": "r"})


def test_esa_takes_documents_domains_and_moderators(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines([ESA | {"domain": "news"}, ESA | {"line_id": 4, "domain": "speech"}]))
    table = read(path, format="wmt_esa", moderators=["domain"])
    assert table.moderators == {"domain": ("news", "speech")}
    assert table.items == ("n.1 3", "n.1 4")
    assert table.attributes["doc_id"].tolist() == ["n.1", "n.1"]
    documents = read(path, format="wmt_esa", item="doc_id", repeats=True)
    assert documents.items == ("n.1",)


@pytest.mark.parametrize("content", ["[]", '[{"id": 1, "data": {}, "annotations": null}]'])
def test_an_export_without_any_answer_says_so(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(content)
    with pytest.raises(JudgementError, match=r"tasks\.json: no record holds an answer"):
        read(
            path, format="label_studio", protocol="likert",
            columns={"system": "data.sys", "rating": "r"}, scale=(1, 5),
        )  # fmt: skip
