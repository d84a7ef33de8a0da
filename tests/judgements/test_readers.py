"""Named formats, on small files that we wrote from the documented shapes."""

import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    FORMATS,
    Dropped,
    Judgements,
    LikertJudgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
    filter_where,
    filter_work_time,
    join_annotators,
    mqm_scores,
    read,
)

MTURK = """\
"HITId","AssignmentId","WorkerId","AssignmentStatus","AcceptTime","SubmitTime","WorkTimeInSeconds",\
"Input.sys0","Input.id0","Input.sys1","Input.id1","Answer.0","Answer.1"
"H1","X1","W1","Approved","Thu Nov 08 14:00:00 PST 2018","Thu Nov 08 14:02:00 PST 2018","120",\
"A","007","B","007","4 - good","2 - poor"
"H1","X2","W2","Rejected","Thu Nov 08 14:00:00 PST 2018","Thu Nov 08 14:00:10 PST 2018","10",\
"A","007","B","007","4 - good",""
"""
GOOD = {"4 - good": 4, "2 - poor": 2}
BLOCKS = {"system": "Input.sys{k}", "item": "Input.id{k}", "rating": "Answer.{k}"}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def rows(table: Judgements, *columns: str) -> list[list[object]]:
    return table.to_frame()[list(columns)].to_numpy().tolist()


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


QUALTRICS = """\
StartDate,Finished,DistributionChannel,ResponseId,S1_Q1,S1_Q2,S1_Q2,Age\r
Start Date,Finished,Distribution Channel,Response ID,"Rate
this","Rate, that","Rate the other",How old?\r
"{""ImportId"":""startDate""}","{""ImportId"":""finished""}","{""ImportId"":""dc""}",\
"{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}",\
"{""ImportId"":""QID3""}","{""ImportId"":""QID4""}"\r
2024-01-01,True,anonymous,R_1,5 = High,1 = Low,3,30\r
2024-01-01,True,anonymous,R_2,4,,2,41\r
2024-01-01,False,anonymous,R_3,4,4,4,\r
2024-01-01,True,preview,R_4,4,4,4,\r
"""
SURVEY = {
    "format": "qualtrics",
    "protocol": "likert",
    "pattern": r"S(?P<system>\d)_Q(?P<item>\d)",
    "scale": (1, 5),
}


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


LABEL_STUDIO = [
    {
        "id": 11,
        "data": {"text": "…", "model": {"name": "A"}, "left": "A", "right": "B"},
        "annotations": [
            {
                "id": 1,
                "completed_by": {"id": 5, "email": "x@example.org"},
                "was_cancelled": False,
                "lead_time": 4.2,
                "created_at": "2021-03-09T22:16:08.728353Z",
                "result": [
                    {"from_name": "fluency", "type": "rating", "value": {"rating": 4}},
                    {"from_name": "ok", "type": "choices", "value": {"choices": ["yes"]}},
                    {"from_name": "pw", "type": "pairwise", "value": {"selected": "left"}},
                ],
            },
            {"id": 2, "completed_by": 7, "was_cancelled": True, "result": []},
        ],
    },
    {
        "id": 12,
        "data": {"text": "…", "model": {"name": "B"}, "left": "B", "right": "C"},
        "annotations": [
            {
                "id": 3,
                "completed_by": 7,
                "was_cancelled": False,
                "result": [
                    {"from_name": "fluency", "type": "rating", "value": {"rating": 2}},
                    {"from_name": "pw", "type": "pairwise", "value": {"selected": "right"}},
                ],
            }
        ],
    },
]


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


ARGILLA_2 = [
    {
        "id": "r1",
        "fields": {"text": "…"},
        "metadata": {"model": "A"},
        "suggestions": {},
        "responses": {
            "quality": [
                {"value": 3, "user_id": "u1"},
                {"value": 1, "user_id": "u2", "status": "discarded"},
            ]
        },
    },
    {
        "id": "r2",
        "fields": {"text": "…"},
        "metadata": {"model": "B"},
        "responses": {"quality": [{"value": 5, "user_id": "u1"}]},
    },
]
ARGILLA_HUB = [
    {
        "id": "r1",
        "metadata": {"model": "A"},
        "quality.responses": [3, 1],
        "quality.responses.users": ["u1", "u2"],
        "quality.responses.status": ["submitted", "discarded"],
        "quality.suggestion": None,
    },
    {
        "id": "r2",
        "metadata": {"model": "B"},
        "quality.responses": [5],
        "quality.responses.users": ["u1"],
        "quality.responses.status": ["submitted"],
        "quality.suggestion": None,
    },
]
ARGILLA_1 = [
    {
        "id": "r1",
        "metadata": {"model": "A"},
        "quality": [
            {"user_id": "u1", "value": 3, "status": "submitted"},
            {"user_id": "u2", "value": 1, "status": "discarded"},
        ],
    },
    {
        "id": "r2",
        "metadata": {"model": "B"},
        "quality": {"user_id": ["u1"], "value": [5], "status": ["submitted"]},
    },
]


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


BATTLES = [
    {"model_a": "A", "model_b": "B", "winner": "model_a", "judge": "v1", "turn": 1, "anony": True},
    {"model_a": "A", "model_b": "C", "winner": "tie (bothbad)", "judge": "v1", "turn": 2},
    {"model_a": "C", "model_b": "B", "winner": "tie", "judge": "v2", "turn": 1, "anony": False},
]


def test_arena_battles_keep_ties_and_say_what_both_bad_means(tmp_path: Path):
    path = write(tmp_path / "battles.jsonl", "\n".join(map(json.dumps, BATTLES)))
    table = read(path, format="chatbot_arena")
    assert isinstance(table, PairwiseJudgements)
    assert rows(table, "system_a", "system_b", "outcome") == [
        ["A", "B", "a"],
        ["A", "C", "tie"],
        ["C", "B", "tie"],
    ]
    assert table.attributes["turn"].tolist() == [1, 2, 1]
    decided = read(path, format="chatbot_arena", both_bad=None, annotator=None)
    assert decided.n_rows == 2
    assert decided.dropped[0].reason == "outcome 'tie (bothbad)', declared as no outcome"
    assert decided.annotators is None
    frame = pd.DataFrame(BATTLES).rename(columns={"judge": "judge_hash"})
    frame.to_parquet(tmp_path / "battles.parquet")
    assert read(tmp_path / "battles.parquet", format="chatbot_arena") == table


def test_mt_bench_takes_turns_as_asked(tmp_path: Path):
    votes = [
        {"judge": ["gpt-4", "pair-v2"], "model_a": "A", "model_b": "B", "question_id": 81,
         "turn": 1, "winner": "tie (inconsistent)"},
        {"judge": ["gpt-4", "pair-v2"], "model_a": "A", "model_b": "B", "question_id": 81,
         "turn": 2, "winner": "model_b"},
    ]  # fmt: skip
    path = write(tmp_path / "gpt4.jsonl", "\n".join(map(json.dumps, votes)))
    table = read(path, format="mt_bench")
    assert table.annotators == ("gpt-4-pair-v2",)
    assert table.moderators == {"turn": ("1", "2")}
    assert rows(table, "item", "outcome") == [["81", "tie"], ["81", "b"]]
    assert read(path, format="mt_bench", turn_is="criterion").criteria == ("1", "2")
    assert read(path, format="mt_bench", turn_is="attribute").attributes["turn"].tolist() == [1, 2]


def test_alpaca_eval_preferences_are_probabilities(tmp_path: Path):
    def annotation(model: str, preference: float | None, text: str) -> dict[str, object]:
        return {"instruction": text, "generator_1": "base", "generator_2": model,
                "annotator": "gpt4", "preference": preference}  # fmt: skip

    folder = tmp_path / "results"
    folder.mkdir()
    first = [annotation("A", 1.25, "x"), annotation("A", None, "y"), annotation("A", 0, "z")]
    write(folder / "a.json", json.dumps(first))
    write(folder / "b.json", json.dumps([annotation("base", 1.5, "x"), annotation("B", 2, "x")]))
    table = read(folder, format="alpaca_eval")
    assert isinstance(table, SPAJudgements)
    assert rows(table, "system_a", "system_b", "item", "probability") == [
        ["A", "base", "x", 0.25],
        ["A", "base", "z", 0.5],
        ["B", "base", "x", 1.0],
    ]
    assert table.dropped == (
        Dropped("the baseline against itself", 1),
        Dropped("no probability", 1),
    )
    with pytest.raises(JudgementError, match=r"holds no \.json"):
        read(tmp_path, format="alpaca_eval")


def test_wmt_rankings_of_five_and_of_pairs_agree(tmp_path: Path):
    wide = (
        "srclang,trglang,segmentId,judgeId,system1Id,system2Id,system3Id,"
        "system1rank,system2rank,system3rank\nFrench,English,7,j1,A,B,C,1,3,3\n"
    )
    pairs = (
        "srclang,trglang,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
        "French,English,7,j1,A,1,B,3,1\nFrench,English,7,j1,A,1,C,3,1\n"
        "French,English,7,j1,B,3,C,3,1\n"
    )
    table = read(write(tmp_path / "wide.csv", wide), format="wmt_rankings")
    assert rows(table, "system_a", "system_b", "outcome", "ranking") == [
        ["A", "B", "a", "1"],
        ["A", "C", "a", "1"],
        ["B", "C", "tie", "1"],
    ]
    assert read(write(tmp_path / "pairs.csv", pairs), format="wmt_rankings") == table
    two = wide + "German,English,7,j1,A,B,C,1,-1,2\n"
    both = read(write(tmp_path / "two.csv", two), format="wmt_rankings")
    assert both.moderators == {"languages": ("French-English", "German-English")}
    assert both.n_rows == 4
    with pytest.raises(JudgementError, match="expected the columns system1Id"):
        read(write(tmp_path / "x.csv", "a,b\n1,2\n"), format="wmt_rankings")


MQM = """\
system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity
A\td\t1\t1\tr1\ts\t"t\tAccuracy/Mistranslation\tMajor
A\td\t1\t1\tr1\ts\tt\tFluency/Punctuation\tMinor
B\td\t1\t1\tr1\ts\tt\tNo-error\tno-error
C\td\t1\t1\tr1\ts\tt\tNon-translation!\tMajor
C\td\t1\t1\tr1\ts\tt\tAccuracy/Omission\tmajor
D\td\t1\t1\tr1\ts\tt\tno-error\tno-error
"""


def test_mqm_errors_add_up_to_penalties_and_pairs(tmp_path: Path):
    path = write(tmp_path / "mqm.tsv", MQM)
    scores = mqm_scores(pd.read_csv(path, sep="\t", quoting=3))
    assert scores["penalty"].tolist() == [5.1, 0, 25, 0]
    table = read(path, format="wmt_mqm")
    assert isinstance(table, PairwiseJudgements)
    assert rows(table, "system_a", "system_b", "outcome") == [
        ["A", "B", "b"],
        ["A", "C", "a"],
        ["A", "D", "b"],
        ["B", "C", "a"],
        ["B", "D", "tie"],
        ["C", "D", "b"],
    ]
    rated = read(path, format="wmt_mqm", protocol="likert")
    assert isinstance(rated, LikertJudgements)
    assert rated.values.tolist() == [-6, 0, -25, 0]
    assert rated.scale.n_categories == 26


def test_an_mqm_severity_without_weight_is_an_error(tmp_path: Path):
    path = write(tmp_path / "mqm.tsv", MQM.replace("\tmajor", "\tterrible"))
    with pytest.raises(JudgementError, match="'terrible' have no weight"):
        read(path, format="wmt_mqm")
    assert read(path, format="wmt_mqm", weights={"terrible": 9}).n_rows == 6


def test_esa_scores_are_read_from_both_shapes(tmp_path: Path):
    span = [{"start_i": 1, "end_i": 4, "severity": "minor"}]
    record = {"langs": "en-de", "line_id": 3, "doc_id": "news.1", "src": "…", "tgt": "…",
              "esa_spans": span, "esa_score": 80, "system": "A", "annotator": "u1"}  # fmt: skip
    other = {**record, "system": "B", "esa_score": 100, "esa_spans": []}
    path = write(tmp_path / "esa.jsonl", json.dumps(record) + "\n" + json.dumps(other))
    table = read(path, format="wmt_esa")
    assert isinstance(table, LikertJudgements)
    assert rows(table, "annotator", "system", "item", "rating", "n_spans") == [
        ["u1", "A", "news.1 3", 80, 1],
        ["u1", "B", "news.1 3", 100, 0],
    ]
    assert table.scale.n_categories == 101
    marked = json.dumps(span).replace('"', '""')
    text = (
        f'u1,A,3,TGT,eng,deu,80,news.1,False,"{marked}",1.0,2.0\n'
        "u1,B,3,TGT,eng,deu,100,news.1,False,[],1.0,2.0\n"
        "u1,B,3,BAD,eng,deu,5,news.1#bad,False,[],1.0,2.0\n"
        "u1,B,3,TGT,eng,deu,5,news.1#dup,False,[],1.0,2.0\n"
    )
    exported = read(write(tmp_path / "esa.csv", text), format="wmt_esa")
    assert exported == table
    assert exported.attributes["n_spans"].tolist() == [1, 0]
    assert exported.dropped == (Dropped("control item", 2),)


def log(model: str, scores: list[object]) -> dict[str, object]:
    samples = [
        {"id": k, "epoch": 1, "scores": {"match": {"value": value, "answer": "…"}}}
        for k, value in enumerate(scores, start=1)
    ]
    return {"version": 2, "status": "success", "eval": {"task": "gsm", "model": model},
            "samples": samples}  # fmt: skip


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


PEOPLE = pd.DataFrame(
    {"Participant id": ["w1", "w2"], "Age": ["30", "CONSENT_REVOKED"], "Language": ["en", "de"]}
)


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
        ("t.json", b"[]", {"format": "alpaca_eval"}, "'preference'"),
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


def test_a_moderator_that_is_empty_for_somebody_is_an_error():
    people = PEOPLE.assign(Language=pd.Series(["en", None]))
    with pytest.raises(JudgementError, match="'Language' is empty for 'w2'"):
        join_annotators(ratings(), people, moderators=["Language"])
