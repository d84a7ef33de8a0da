"""What holds for every protocol about two systems and for magnitudes."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    Judgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)
from tests.judgements.small import (
    SIZES,
    STATED,
    STRONG,
    VOTES,
    WORDS,
    changed,
    magnitude,
    pairwise,
    spa,
    strength,
)
from tests.strategies import PairTable, magnitude_tables, pair_tables


def make_pairwise(frame: object) -> PairwiseJudgements:
    return PairwiseJudgements.from_frame(
        frame, annotator="who", system_a="left", system_b="right", item="which", outcome="answer"
    )


def make_spa(frame: object) -> SPAJudgements:
    return SPAJudgements.from_frame(
        frame,
        annotator="who",
        system_a="left",
        system_b="right",
        item="which",
        probability="answer",
        bounds=(0, 1),
    )


def make_strength(frame: object) -> StrengthJudgements:
    return StrengthJudgements.from_frame(
        frame,
        annotator="who",
        system_a="left",
        system_b="right",
        item="which",
        strength="answer",
        bounds=3,
        positive="a",
        graded=False,
    )


def make_magnitude(frame: object) -> MagnitudeJudgements:
    return MagnitudeJudgements.from_frame(
        frame, annotator="who", system="what", item="which", magnitude="answer", reference=100
    )


type Case = tuple[Callable[[object], Judgements], PairTable]
CASES = st.one_of(
    st.tuples(st.just(make_pairwise), pair_tables(st.sampled_from(["a", "b", "tie"]))),
    st.tuples(st.just(make_spa), pair_tables(st.floats(0, 1))),
    st.tuples(st.just(make_strength), pair_tables(st.floats(-3, 3))),
    st.tuples(st.just(make_magnitude), magnitude_tables()),
)


@given(CASES)
def test_every_row_is_a_judgement_or_counted_as_dropped(case: Case):
    make, table = case
    judgements = make(table.frame)
    assert judgements.n_rows + sum(d.n_rows for d in judgements.dropped) == len(table.frame)
    shown = judgements.to_frame()
    answered = table.frame[table.frame["answer"].notna()]
    assert shown["annotator"].tolist() == answered["who"].tolist()
    if "left" in answered:
        assert shown["system_a"].tolist() == answered["left"].tolist()
        assert shown["system_b"].tolist() == answered["right"].tolist()
    assert shown[judgements.answer_name].tolist() == answered["answer"].tolist()
    repr(judgements.summary())
    assert "<table>" in judgements._repr_html_()


@given(CASES, st.randoms())
def test_neither_order_nor_library_matters(case: Case, random: Random):
    make, table = case
    order = list(range(len(table.frame)))
    random.shuffle(order)
    judgements = make(table.frame)
    assert make(table.frame.iloc[order]) == judgements
    typed = changed(table.frame, answer=table.frame["answer"].convert_dtypes())
    assert make(pl.from_pandas(typed)) == judgements
    assert make(pl.from_pandas(typed).lazy()) == judgements


@given(CASES, st.data())
def test_a_doubled_row_is_refused(case: Case, data: st.DataObject):
    make, table = case
    answered = np.flatnonzero(table.frame["answer"].notna())
    row = data.draw(st.sampled_from(answered.tolist()))
    doubled = pd.concat([table.frame, table.frame.iloc[[row]]])
    with pytest.raises(JudgementError, match=rf"data rows {row + 1}, {len(doubled)} "):
        make(doubled)


@given(CASES, st.data())
def test_a_broken_answer_is_refused_with_its_row(case: Case, data: st.DataObject):
    make, table = case
    row = data.draw(st.integers(0, len(table.frame) - 1))
    frame = table.frame.astype({"answer": object})
    frame.loc[row, "answer"] = "c" if make is make_pairwise else -3.5
    with pytest.raises(JudgementError, match=rf"data row {row + 1} "):
        make(frame)


@given(pair_tables(st.sampled_from(["a", "b", "tie"])))
def test_swapping_sides_and_outcomes_swaps_the_codes(table: PairTable):
    swapped = table.frame.rename(columns={"left": "right", "right": "left"})
    swapped["answer"] = swapped["answer"].replace({"a": "b", "b": "a"})
    first, second = make_pairwise(table.frame), make_pairwise(swapped)
    assert first.codes("system_a").tolist() == second.codes("system_b").tolist()
    mirrored = np.array([1, 0, 2])[second.answers]
    assert mirrored.tolist() == first.answers.tolist()


def test_every_protocol_reads_files(tmp_path: Path):
    STATED.to_csv(tmp_path / "p.csv", index=False)
    columns: dict[str, Any] = {"annotator": "judge", "system_a": "left", "system_b": "right"}
    assert SPAJudgements.read(tmp_path / "p.csv", **columns, probability="p") == spa()
    STRONG.to_csv(tmp_path / "s.tsv", index=False, sep="\t")
    found = StrengthJudgements.read(
        tmp_path / "s.tsv", **columns, strength="s", bounds=3, positive="a"
    )
    assert found == strength()
    SIZES.to_json(tmp_path / "m.json", orient="records")
    read = MagnitudeJudgements.read(
        tmp_path / "m.json", annotator="who", system="what", magnitude="size", reference=100
    )
    assert read == magnitude()
    VOTES.to_json(tmp_path / "v.jsonl", orient="records", lines=True)
    votes = PairwiseJudgements.read(tmp_path / "v.jsonl", **columns, outcome="vote", outcomes=WORDS)
    assert votes == pairwise()
