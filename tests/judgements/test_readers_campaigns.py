"""Files that campaigns and arenas publish: battles, MT-Bench, AlpacaEval, WMT, MQM, ESA."""

import json
from pathlib import Path

import pandas as pd
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    Dropped,
    LikertJudgements,
    PairwiseJudgements,
    SPAJudgements,
    mqm_scores,
    read,
)
from tests.judgements.exports import BATTLES, MQM, rows, write


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
