"""Qualtrics surveys: many columns, names that a pattern misses, ranks, holes."""

import csv
import io
import time
from pathlib import Path
from typing import Any

import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import Dropped, PairwiseJudgements, read

PATTERN = r"S(?P<system>[0-9])_Q(?P<item>[0-9]+)"


def survey(path: Path, columns: list[str], answers: list[list[str]]) -> Path:
    content = io.StringIO()
    writer = csv.writer(content)
    header = ["ResponseId", "Finished", *columns]
    writer.writerow(header)
    writer.writerow(header)
    writer.writerow([f'{{"ImportId":"{name}"}}' for name in header])
    for number, row in enumerate(answers, start=1):
        writer.writerow([f"R_{number}", "True", *row])
    path.write_text(content.getvalue(), encoding="utf-8")
    return path


def options(**others: Any) -> dict[str, Any]:
    return {
        "format": "qualtrics", "protocol": "likert", "pattern": PATTERN, "scale": (1, 5), **others,
    }  # fmt: skip


def test_a_large_survey_is_read_at_once(tmp_path: Path):
    columns = [f"S{k % 3}_Q{k}" for k in range(300)]
    answers = [[str(1 + (k + j) % 5) for k in range(300)] for j in range(40)]
    path = survey(tmp_path / "s.csv", columns, answers)
    start = time.process_time()
    table = read(path, **options())
    # Six seconds when every column made a copy of the survey.
    assert time.process_time() - start < 3
    assert table.n_rows == 12_000
    first = table.to_frame().iloc[0]
    assert first[["annotator", "system", "item", "rating"]].tolist() == ["R_1", "0", "0", 1]


def test_columns_of_the_same_shape_that_a_pattern_misses_are_counted(tmp_path: Path):
    columns = ["S1_Q1", "S2_Q1", "s1_Q2", "S12_Q2", "Age"]
    path = survey(
        tmp_path / "s.csv", columns, [["1", "2", "3", "4", "30"], ["1", "2", "3", "", ""]]
    )
    table = read(path, **options())
    assert table.n_rows == 4
    reason = (
        "answer in 's1_Q2', 'S12_Q2', which pattern= misses though shaped like those that match"
    )
    assert table.dropped == (Dropped(reason, 3),)


def test_the_hole_beside_a_duplicate_is_named(tmp_path: Path):
    columns = ["S1_Q1", "S1_Q2", "S2_Q1", "S2_Q1"]
    path = survey(tmp_path / "s.csv", columns, [["1", "2", "3", "4"]])
    with pytest.raises(JudgementError, match=r"'S2_Q1' name more.*no column .*system 2, item 2"):
        read(path, **options())


def test_ranks_become_pairs(tmp_path: Path):
    columns = ["S1_Q1", "S2_Q1", "S3_Q1", "S1_Q2", "S2_Q2"]
    path = survey(tmp_path / "s.csv", columns, [["1", "3", "2", "2", "1"], ["1", "", "1", "", "1"]])
    table = read(path, format="qualtrics", protocol="pairwise", pattern=PATTERN, ranks=True)
    assert isinstance(table, PairwiseJudgements)
    names = ["annotator", "system_a", "system_b", "item", "outcome"]
    assert table.to_frame()[names].values.tolist() == [
        ["R_1", "1", "2", "1", "a"],
        ["R_1", "1", "3", "1", "a"],
        ["R_1", "2", "3", "1", "b"],
        ["R_2", "1", "3", "1", "tie"],
        ["R_1", "1", "2", "2", "b"],
    ]
    assert len(table.labels("ranking")) == 3
    with pytest.raises(JudgementError, match="ranks=True makes pairs"):
        read(path, **options(ranks=True))
    with pytest.raises(JudgementError, match=r"needs the group \(\?P<system>"):
        read(
            path, format="qualtrics", protocol="pairwise", ranks=True,
            pattern=r"S(?P<thing>[0-9])_Q(?P<item>[0-9]+)",
        )  # fmt: skip
