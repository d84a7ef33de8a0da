"""Magnitudes: ratios to a reference, zeros, and numbers that are none."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    Dropped,
    Judgements,
    MagnitudeJudgements,
)
from tests.judgements.small import (
    SIZES,
    STATED,
    STRONG,
    changed,
    magnitude,
    pairwise,
    spa,
    strength,
)


def refusal(make: Callable[..., Judgements], frame: pd.DataFrame, **options: object) -> str:
    with pytest.raises(JudgementError) as caught:
        make(frame, **options)
    return str(caught.value)


def test_words_among_strengths_are_given_numbers_before_they_are_called_missing():
    words = changed(STRONG, s=["3", "much", "-3", "1", "-2", "0"])
    says = refusal(strength, words)
    assert "found 'much' in data row 2 " in says
    assert says.index("labels={'much': …}") < says.index("Only if") < says.index("missing=")
    # What the message says of each way holds: labels= reads them, missing= leaves them out.
    meaning = {"3": 3, "much": 2, "-3": -3, "1": 1, "-2": -2, "0": 0}
    assert strength(words, labels=meaning).answers.tolist() == [3, 2, -3, 1, -2, 0]
    assert strength(words, missing=("", "much")).n_rows == 5


def test_magnitudes_and_probabilities_have_no_labels_to_give_words_numbers():
    for make, frame in (
        (magnitude, changed(SIZES, size=["100", "much", "1", "2"])),
        (spa, changed(STATED, p=["1", "much", "1", "1", "1", "1"])),
    ):
        says = refusal(make, frame)
        assert "labels=" not in says
        assert "If such a cell means no answer, pass missing=(\"\", 'much')." in says


@pytest.mark.parametrize(
    ("cell", "ways"),
    [
        ("1,000", ('thousands=","', 'decimal=","')),
        ("1,5", ('thousands=","', 'decimal=","')),
        ("-0,5", ('thousands=","', 'decimal=","')),
        ("100%", ("rstrip('%')",)),
        ("12,5 %", ('thousands=","', 'decimal=","', "rstrip('%')")),
        ("1 000", ()),
    ],
)
@pytest.mark.parametrize("kind", ["strength", "magnitude", "reference"])
def test_numbers_with_marks_have_to_be_written_plainly(kind: str, cell: str, ways: tuple[str, ...]):
    cells = [cell, "2", "3", "1"]
    if kind == "strength":
        says = refusal(strength, changed(STRONG.iloc[:4], s=cells))
    elif kind == "magnitude":
        says = refusal(magnitude, changed(SIZES, size=cells))
    else:
        says = refusal(magnitude, changed(SIZES, ref=cells), reference="ref")
    assert f"Numbers such as {cell!r} have to be written plainly" in says
    for way in ('thousands=","', 'decimal=","', "rstrip('%')"):
        assert (way in says) == (way in ways)
    # Each is an answer: to call it missing would throw it away.
    assert "missing=" not in says
    assert "labels=" not in says


@pytest.mark.parametrize(
    "frame",
    [
        changed(STRONG, s=[True, False, True, False, True, True]),
        changed(STRONG, s=pd.array([True, False, True, False, True, None], dtype="boolean")),
        pl.DataFrame(changed(STRONG, s=[True, False, True, False, True, True])),
    ],
    ids=["pandas", "pandas with gaps", "polars"],
)
def test_yes_and_no_are_no_strengths_until_they_are_given_numbers(frame: Any):
    says = refusal(strength, frame)
    assert "found True, False, which are yes and no, in data rows 1, 2, 3, 4, 5" in says
    assert "make PairwiseJudgements" in says
    numbers = strength(frame, labels={True: 1, False: -1}).answers
    assert numbers[:5].tolist() == [1, -1, 1, -1, 1]
    sides = pairwise(frame, outcome="s", outcomes={True: "a", False: "b"})
    assert sides.answers[:5].tolist() == [0, 1, 0, 1, 0]


def test_yes_and_no_are_no_magnitudes():
    frame = changed(SIZES, size=[True, True, False, True])
    assert "Check which column magnitude= names." in refusal(magnitude, frame)


def test_magnitudes_are_ratios_to_the_reference():
    table = magnitude()
    assert table.answers.tolist() == [1, 0.5, 2, 1]
    assert table.at_reference.tolist() == [True, False, False, True]
    assert table.magnitudes.tolist() == [100, 50, 200, 100]
    assert "reference 100" in repr(table)
    assert "exactly the reference: 2 (50.0%)" in repr(table.summary())


def test_the_reference_may_differ_by_row_or_be_absent():
    table = magnitude(changed(SIZES, ref=[100, 25, 100, 100]), reference="ref")
    assert table.answers.tolist() == [1, 2, 2, 1]
    assert "references 25 to 100" in repr(table)
    free = magnitude(reference=None)
    assert free.answers.tolist() == [100, 50, 200, 100]
    assert not free.at_reference.any()
    assert "no reference" in repr(free)
    with pytest.raises(JudgementError, match=r"'ref' must hold a positive number.*data row 2 "):
        magnitude(changed(SIZES, ref=[100, 0, 100, 100]), reference="ref")
    with pytest.raises(JudgementError, match="must be a positive number or a column"):
        magnitude(reference=0)


def test_zero_has_no_ratio_unless_censored():
    frame = changed(SIZES, size=[100, 0, -5, 100])
    with pytest.raises(JudgementError, match=r"found 0, -5 in data rows 2, 3.*zeros=\"censor\""):
        magnitude(frame)
    table = magnitude(frame, zeros="censor")
    assert table.censored.tolist() == [False, True, True, False]
    assert table.answers.tolist() == [1, 0, 0, 1]
    assert "zero or below, censored: 2 (50.0%)" in repr(table.summary())
    with pytest.raises(JudgementError, match="'refuse' or 'censor'"):
        magnitude(zeros="drop")
    with pytest.raises(JudgementError, match="found inf"):
        magnitude(changed(SIZES, size=[100, np.inf, 1, 1]), zeros="censor")


def test_magnitudes_of_several_systems_in_a_row():
    frame = pd.DataFrame(
        {"who": ["a"], "t1": ["X"], "t2": ["Y"], "q1": [100], "q2": [50], "n1": [10], "n2": [None]}
    )
    table = MagnitudeJudgements.from_wide(
        frame,
        annotator="who",
        systems=["t1", "t2"],
        magnitudes={"quality": ["q1", "q2"], "naturalness": ["n1", "n2"]},
        reference=100,
    )
    assert table.to_frame()[["system", "criterion", "magnitude"]].to_numpy().tolist() == [
        ["X", "quality", 100],
        ["Y", "quality", 50],
        ["X", "naturalness", 10],
    ]
    assert table.dropped == (Dropped("no magnitude", 1),)


def test_magnitudes_may_all_be_censored_and_keep_their_numbers():
    table = magnitude(changed(SIZES, size=[0, -1, 0, 0]), zeros="censor")
    assert "magnitude / reference: none positive" in repr(table.summary())
    assert table.to_frame()["magnitude"].tolist() == [0, -1, 0, 0]
    assert magnitude(SIZES[:1]) != magnitude(SIZES[1:2])


def test_number_columns_refuse_mixed_types():
    mixed = changed(STATED, p=pd.Series([0.5, "0.5", 0.5, 0.5, 0.5, 0.5], dtype=object))
    with pytest.raises(JudgementError, match=r"mixes text and numbers: text '0\.5' in data row 2 "):
        spa(mixed)
    with pytest.raises(JudgementError, match="must hold a positive number"):
        magnitude(changed(SIZES, ref=[100, np.inf, 100, 100]), reference="ref")


def test_filters_keep_what_belongs_to_a_row():
    table = magnitude(
        changed(SIZES, size=[100, 50, 200, 100], ref=[100, 25, 100, 100]), reference="ref"
    )
    kept = table.keep_rows(table.answers > 1, rule="above the reference")
    assert kept.magnitudes.tolist() == [50, 200]
    assert kept.references.tolist() == [25, 100]
