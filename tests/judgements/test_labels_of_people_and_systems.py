"""Codes in place of identities, and outputs that several systems share."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.errors import JudgementError
from bayeseval.judgements import LikertJudgements, PairwiseJudgements

WORKERS = pd.DataFrame(
    {
        "w": ["A3XY", "A3XY", "A1ZZ", "A2QQ"],
        "s": ["A", "B", "A", "B"],
        "r": [1, 2, 3, 3],
        "id": ["A3XY", "A3XY", "A1ZZ", "A2QQ"],
        "time": [1, 2, 3, 4],
    }
)
ROLES: dict[str, Any] = {"annotator": "w", "system": "s", "rating": "r", "scale": (1, 3)}


def workers(**options: Any) -> LikertJudgements:
    return LikertJudgements.from_frame(WORKERS, **ROLES, attributes=["id", "time"], **options)


def test_annotators_become_numbers_in_every_output():
    kept = be.filter_where(workers(), lambda rows: rows["annotator"] != "A2QQ", rule="slow")
    table = be.anonymise(kept)
    assert table.to_frame()["annotator"].tolist() == ["annotator 3", "annotator 3", "annotator 1"]
    assert table.audit[-1].annotators_removed == ("annotator 2",)
    assert list(table.attributes) == ["time"]
    assert table.values.tolist() == [1, 2, 3]
    for output in (repr(table.summary()), table._repr_html_(), str(table.audit)):
        assert not any(worker in output for worker in WORKERS["w"])


def test_codes_of_a_key_are_the_same_in_every_table():
    first = be.anonymise(workers(), key="secret")
    other = be.anonymise(
        be.filter_where(workers(), lambda rows: rows["annotator"] == "A3XY", rule="x"), key="secret"
    )
    codes = first.to_frame().groupby("time")["annotator"].first()
    assert other.annotators == (codes[1],)
    assert first.annotators != be.anonymise(workers(), key="other").annotators
    assert first.annotators == tuple(sorted(first.annotators or ()))
    with pytest.raises(JudgementError, match="key= must be a secret text"):
        be.anonymise(workers(), key="")
    nobody = LikertJudgements.from_frame(WORKERS, **{**ROLES, "annotator": None})
    assert be.anonymise(nobody) is nobody


def test_a_named_format_is_read_with_codes(tmp_path: Any):
    path = tmp_path / "report.csv"
    path.write_text("_worker_id,s,r\nA3XY,A,1\nA1ZZ,A,2\n")
    table = be.read(
        path, format="crowdflower", protocol="likert", columns={"system": "s", "rating": "r"},
        anonymise=True,
    )  # fmt: skip
    assert table.annotators == ("annotator 1", "annotator 2")


def shared(n_items: int = 60) -> LikertJudgements:
    frame = pd.DataFrame(
        [
            {"w": f"w{k % 5}", "i": f"i{k}", "s": system, "r": 1 + k % 3}
            for k in range(n_items)
            for system in (("A+B", "C") if k % 2 else ("A", "B", "C"))
        ]
    )
    return LikertJudgements.from_frame(frame, **ROLES, item="i")


def test_labels_made_of_other_labels_are_noted():
    assert "'A+B' is made of the names of other systems" in repr(shared().summary())
    numbers = LikertJudgements.from_frame(
        WORKERS.assign(s=["3", "10", "3 10", "16"]), **ROLES, repeats=True
    )
    assert "'3 10' is made of" in repr(numbers.summary())
    assert "made of the names" not in repr(workers().summary())


def test_judgements_of_a_shared_output_are_shared_not_multiplied():
    table = shared()
    split = be.split_systems(table)
    assert split.systems == ("A", "B", "C")
    assert split.n_judgements == table.n_judgements
    number = np.bincount(split.codes("system"), weights=split.counts)
    assert number.sum() == table.n_judgements
    # 30 own judgements each and 30 to share.
    assert abs(number[0] - number[1]) < 20
    assert "given to one of these systems" in split.audit[-1].rule
    frame = table.to_frame().sample(frac=1, random_state=2)
    again = LikertJudgements.from_frame(
        frame, annotator="annotator", system="system", item="item", rating="rating", scale=(1, 3)
    )
    assert be.split_systems(again) == split
    with pytest.raises(JudgementError, match="no system's label is made of"):
        be.split_systems(split)


def test_what_is_no_system_alone_is_left_as_it_is():
    table = LikertJudgements.from_frame(
        WORKERS.assign(s=["GPT-4+RAG", "GPT-4", "A+B", "A"]), **ROLES, repeats=True
    )
    with pytest.raises(JudgementError, match="no system's label is made of"):
        be.split_systems(table)


@pytest.mark.parametrize("annotator", ["w", None])
def test_shared_outputs_of_pairs(annotator: str | None):
    frame = pd.DataFrame(
        {
            "w": "w",
            "i": ["1", "1", "1", "2", "3"],
            "a": ["A+B", "A+B", "C", "A", "B"],
            "b": ["C", "D", "D", "A+B", "A"],
            "o": ["a", "a", "tie", "tie", "b"],
        }
    )
    table = PairwiseJudgements.from_frame(
        frame, annotator=annotator, system_a="a", system_b="b", outcome="o", item="i"
    )
    split = be.split_systems(table).to_frame()
    assert set(split["system_a"]) | set(split["system_b"]) == set("ABCD")
    # One person's answers about one item stay with one system.
    assert split["system_a"][0] == split["system_a"][1]
    assert list(split[["system_a", "system_b"]].to_numpy()[3]) == ["A", "B"]
    assert split["outcome"].tolist() == frame["o"].tolist()
