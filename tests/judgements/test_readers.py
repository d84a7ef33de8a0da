"""Exports of platforms: columns by name, attributes, people, and files of another kind."""

from pathlib import Path

import pandas as pd
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    FORMATS,
    Dropped,
    MagnitudeJudgements,
    filter_where,
    filter_work_time,
    join_annotators,
    read,
)
from tests.judgements.exports import BLOCKS, GOOD, MTURK, PEOPLE, QUALTRICS, SURVEY, rows, write


def test_mturk_blocks_become_judgements(tmp_path: Path):
    table = read(
        write(tmp_path / "batch.csv", MTURK),
        format="mturk", protocol="likert", columns=BLOCKS, labels=GOOD, scale=(1, 5),
    )  # fmt: skip
    assert rows(table, "annotator", "system", "item", "rating") == [
        ["W1", "A", "007", "4 - good"],
        ["W2", "A", "007", "4 - good"],
        ["W1", "B", "007", "2 - poor"],
    ]
    assert table.dropped == (Dropped("no rating", 1),)
    assert table.attributes["WorkTimeInSeconds"].tolist() == [120, 10, 120]
    assert table.origin == (
        "MTurk batch: annotator = WorkerId; system = Input.sys{k}; item = Input.id{k}; "
        "rating = Answer.{k}; attributes HITId, AssignmentId, AssignmentStatus, AcceptTime, "
        "SubmitTime, WorkTimeInSeconds"
    )
    assert "read as: MTurk batch" in repr(table.summary())


def test_mturk_attributes_feed_the_filters(tmp_path: Path):
    table = read(
        write(tmp_path / "batch.csv", MTURK),
        format="mturk", protocol="likert", columns=BLOCKS, labels=GOOD,
    )  # fmt: skip
    kept = filter_work_time(
        table, min_median="40s", submission="AssignmentId", start="AcceptTime", end="SubmitTime"
    )
    assert kept.annotators == ("W1",)
    approved = filter_where(
        table, lambda frame: frame["AssignmentStatus"] != "Rejected", rule="rejected assignments"
    )
    assert approved == kept


def test_columns_that_are_not_there_are_named(tmp_path: Path):
    path = write(tmp_path / "batch.csv", MTURK)
    with pytest.raises(JudgementError, match=r"^batch\.csv: item: there is no column 'Input.ids0'"):
        read(path, format="mturk", protocol="likert", columns={**BLOCKS, "item": "Input.ids{k}"})
    with pytest.raises(JudgementError, match=r"no column is called 'Answers\.\{k\}' with a number"):
        read(path, format="mturk", protocol="likert", columns={**BLOCKS, "rating": "Answers.{k}"})
    with pytest.raises(JudgementError, match=r"role 'sytem'.*Did you mean 'system'"):
        read(path, format="mturk", protocol="likert", columns={"sytem": "x", "rating": "y"})
    with pytest.raises(JudgementError, match="must name the columns of 'system', 'rating'"):
        read(path, format="mturk", protocol="likert", columns={"system": "Input.sys{k}"})
    with pytest.raises(JudgementError, match="protocol= must be one of"):
        read(path, format="mturk", protocol="stars", columns=BLOCKS)
    with pytest.raises(JudgementError, match="'bounds' cannot be declared of likert"):
        read(path, format="mturk", protocol="likert", columns=BLOCKS, bounds=(0, 1))
    columns = {"system": "Input.sys{k}", "magnitude": "Answer.{k}"}
    with pytest.raises(JudgementError, match="magnitude judgements need reference="):
        read(path, format="mturk", protocol="magnitude", columns=columns)


def test_errors_name_the_files_own_columns_and_rows(tmp_path: Path):
    path = write(tmp_path / "batch.csv", MTURK)
    with pytest.raises(JudgementError, match=r"rating='Answer\.\{k\}' holds '2 - poor'.*row 1 "):
        read(path, format="mturk", protocol="likert", columns=BLOCKS, labels={"4 - good": 4})


def test_an_unknown_format_or_option_is_named(tmp_path: Path):
    with pytest.raises(JudgementError, match=r"found 'mturc'\. Did you mean 'mturk'"):
        read("x.csv", format="mturc")
    with pytest.raises(JudgementError, match="'colour'; its options are 'annotator', 'turn_is'"):
        read("x.csv", format="mt_bench", colour=1)
    with pytest.raises(JudgementError, match="missing a required"):
        read("x.csv", format="mturk")
    with pytest.raises(JudgementError, match="there is no file"):
        read("nowhere.json", format="mt_bench")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_says_what_it_reads(name: str):
    assert "Parameters" in (FORMATS[name].__doc__ or "")
    assert f'"{name}"' in (read.__doc__ or "").replace("``", "")


def test_qualtrics_headers_duplicates_words_and_unfinished_people(tmp_path: Path):
    path = tmp_path / "survey.csv"
    path.write_bytes(b"\xef\xbb\xbf" + QUALTRICS.encode())
    table = read(
        path, names=["S1_Q1", "S1_Q2", "S1_Q3"], attributes=["Age"],
        rename={"system": {"1": "GPT"}}, **SURVEY,
    )  # fmt: skip
    assert rows(table, "annotator", "system", "item", "rating", "Age") == [
        ["R_1", "GPT", "1", 5, "30"],
        ["R_2", "GPT", "1", 4, "41"],
        ["R_1", "GPT", "2", 1, "30"],
        ["R_1", "GPT", "3", 3, "30"],
        ["R_2", "GPT", "3", 2, "41"],
    ]
    assert table.dropped == (
        Dropped("survey preview", 1),
        Dropped("survey not finished", 1),
        Dropped("no rating", 1),
    )
    everybody = read(path, names=["S1_Q1", "S1_Q2", "S1_Q3"], unfinished=True, **SURVEY)
    assert everybody.annotators == ("R_1", "R_2", "R_3")


def test_qualtrics_duplicates_must_be_named(tmp_path: Path):
    path = write(tmp_path / "survey.csv", QUALTRICS)
    with pytest.raises(JudgementError, match=r"'S1_Q2' name more than one column.*names="):
        read(path, **SURVEY)
    with pytest.raises(JudgementError, match="each of the 3 columns that match; found 1"):
        read(path, names=["S1_Q1"], **SURVEY)
    with pytest.raises(JudgementError, match="'x' in names= do not match"):
        read(path, names=["S1_Q1", "S1_Q2", "x"], **SURVEY)
    with pytest.raises(JudgementError, match="no column's name matches"):
        read(path, **{**SURVEY, "pattern": "Z(?P<system>.)"})
    plain = write(tmp_path / "plain.csv", "a,b\n1,2\n")
    with pytest.raises(JudgementError, match="three header rows"):
        read(plain, **SURVEY)


def test_crowdflower_drops_test_questions(tmp_path: Path):
    text = (
        '"_unit_id","_golden","_worker_id","_trust","which","text","score"\n'
        '1,"false","w1",0.9,"a\nb","A",3\n2,"true","w1",0.9,"a","A",1\n3,"false","w2",1,"a","B",5\n'
    )
    table = read(
        write(tmp_path / "report.csv", text),
        format="crowdflower", protocol="likert", columns={"system": "text", "rating": "score"},
        scale=(1, 5),
    )  # fmt: skip
    assert table.dropped == (Dropped("test question (_golden)", 1),)
    assert rows(table, "annotator", "system", "rating") == [["w1", "A", 3], ["w2", "B", 5]]
    assert table.attributes["_trust"].tolist() == [0.9, 1.0]


def ratings() -> MagnitudeJudgements:
    frame = pd.DataFrame({"w": ["w1", "w2", "w1"], "s": ["A", "A", "B"], "m": [1, 2, 3]})
    return MagnitudeJudgements.from_frame(
        frame, annotator="w", system="s", magnitude="m", reference=1
    )


def test_demographics_are_joined_by_id(tmp_path: Path):
    table = join_annotators(
        ratings(), PEOPLE, moderators={"language": "Language"}, attributes=["Age"]
    )
    assert table.moderators == {"language": ("de", "en")}
    assert rows(table, "annotator", "language", "Age") == [
        ["w1", "en", "30"],
        ["w2", "de", "CONSENT_REVOKED"],
        ["w1", "en", "30"],
    ]
    PEOPLE.to_csv(tmp_path / "prolific.csv", index=False)
    again = join_annotators(
        ratings(), tmp_path / "prolific.csv", moderators={"language": "Language"}
    )
    assert again == table


def test_people_who_are_not_found_are_an_error():
    with pytest.raises(JudgementError, match="no annotator of the table is in 'Language'"):
        join_annotators(ratings(), PEOPLE, id="Language", attributes=["Age"])
    one = PEOPLE[:1]
    with pytest.raises(JudgementError, match="1 of 2 annotators are not in 'Participant id': 'w2'"):
        join_annotators(ratings(), one, moderators=["Language"])
    table = join_annotators(ratings(), one, moderators=["Language"], unknown="unknown")
    assert table.moderators == {"Language": ("en", "unknown")}
    kept = join_annotators(ratings(), one, attributes=["Age"])
    assert kept.attributes["Age"].tolist() == ["30", None, "30"]
    with pytest.raises(JudgementError, match="must name every person once; 'w1'"):
        join_annotators(ratings(), pd.concat([one, one]), attributes=["Age"])
    with pytest.raises(JudgementError, match="has 'Age' already"):
        join_annotators(kept, PEOPLE, attributes=["Age"])


@pytest.mark.parametrize(
    ("name", "content", "options", "says"),
    [
        ("b.csv", b"", {"format": "mturk", "columns": {}}, "the file is empty"),
        (
            "b.csv",
            b'a,b\n1,"2\n',
            {"format": "mturk", "columns": {}},
            "cannot be read as delimited",
        ),
        ("b.csv", "a\né\n".encode("cp1252"), {"format": "mturk", "columns": {}}, "cannot be read"),
        ("t.json", b"{", {"format": "label_studio", "columns": {}}, "not valid JSON"),
        ("t.json", b"\xff", {"format": "label_studio", "columns": {}}, "not encoded as UTF-8"),
        ("t.json", b"[1]", {"format": "argilla", "columns": {}}, "expected a list of objects"),
        ("t.csv", b"a\n1\n", {"format": "chatbot_arena"}, "expected a column for voter"),
        ("t.json", b"[]", {"format": "alpaca_eval"}, "no record holds an answer"),
        ("t.json", b'[{"x": 1}]', {"format": "alpaca_eval"}, "'preference'"),
        ("t.tsv", b"system\nA\n", {"format": "wmt_mqm"}, "expected the columns .*'rater'"),
        ("t.tsv", b"system\nA\n", {"format": "wmt_mqm", "protocol": "x"}, "'pairwise' or 'likert'"),
        ("t.csv", b"a,b\n", {"format": "wmt_esa"}, "12 columns"),
        ("t.jsonl", b'{"system": "A"}\n', {"format": "wmt_esa"}, "expected the columns .* of ESA"),
        ("t.json", b"[]", {"format": "inspect"}, "no log of inspect_ai"),
        ("t.json", b'{"eval": {"model": "m"}}', {"format": "inspect"}, "no scored sample"),
    ],
)
def test_files_that_are_no_such_export_are_explained(
    name: str, content: bytes, options: dict[str, object], says: str, tmp_path: Path
):
    (tmp_path / name).write_bytes(content)
    if options["format"] in ("mturk", "label_studio", "argilla"):
        options = {"protocol": "likert", **options}
    with pytest.raises(JudgementError, match=says):
        read(tmp_path / name, **options)  # type: ignore[arg-type]


def test_a_moderator_that_is_empty_for_somebody_is_an_error():
    people = PEOPLE.assign(Language=pd.Series(["en", None]))
    with pytest.raises(JudgementError, match="'Language' is empty for 'w2'"):
        join_annotators(ratings(), people, moderators=["Language"])
