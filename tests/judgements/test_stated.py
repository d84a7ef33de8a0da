"""Judgements of probabilities and of strengths, and comparisons in wide tables."""

import numpy as np
import pandas as pd
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    Dropped,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)
from tests.judgements.small import STATED, STRONG, changed, spa, strength


def test_stated_probabilities_are_brought_to_the_unit_interval():
    table = spa()
    assert table.answers.tolist() == [1, 0.5, 0, 0.3, 0.7]
    assert table.dropped == (Dropped("no probability", 1),)
    assert "asked as 0–100 (inferred from the answers)" in repr(table)
    assert spa(bounds=(0, 100)) == table
    assert "asked as 0–100 (declared)" in repr(spa(bounds=(0, 100)))
    assert spa(changed(STATED, p=STATED["p"] / 100)) == table
    assert spa(changed(STATED, p=STATED["p"] / 100 + 1), bounds=(1, 2)).answers[0] == 1


def test_exact_ends_and_middle_are_counted():
    text = repr(spa().summary())
    for part in ("exactly 0: 1 (20.0%)", "exactly ½: 1", "exactly 1: 1", "one direction a pair"):
        assert part in text


def test_probabilities_out_of_bounds_are_named():
    with pytest.raises(JudgementError, match=r"between 0 and 1, as declared.*data rows 1, 2, 4, 5"):
        spa(bounds=(0, 1))
    with pytest.raises(JudgementError, match="between 0 and 100, as inferred; found -1"):
        spa(changed(STATED, p=[-1, 50, 50, 50, 50, 50]))
    with pytest.raises(JudgementError, match="low before high"):
        spa(bounds=(1, 0))
    with pytest.raises(JudgementError, match=r"found 'sure' in data row 2 .*missing="):
        spa(changed(STATED, p=["1", "sure", "1", "1", "1", "1"]))


def test_both_directions_are_kept_and_brought_to_one():
    frame = pd.DataFrame({"judge": "j", "left": ["B", "A"], "right": ["A", "B"], "p": [0.9, 0.3]})
    table = spa(frame)
    assert table.both_directions
    pairs = table.canonical()
    assert pairs.first.tolist() == [0, 0]
    assert pairs.second.tolist() == [1, 1]
    assert pairs.probability.tolist() == pytest.approx([0.1, 0.3])
    assert pairs.forward.tolist() == [False, True]
    assert not spa().both_directions


def test_wide_probabilities_become_rows():
    frame = pd.DataFrame({"x": ["A", "B"], "y": ["B", "C"], "r1": [1.0, 0.5], "r2": [0, 0.25]})
    table = SPAJudgements.from_wide(
        frame,
        annotator=None,
        system_a="x",
        system_b="y",
        probabilities=["r1", "r2"],
        columns_are="annotator",
        bounds=(0, 1),
    )
    assert table.answers.tolist() == [1, 0.5, 0, 0.25]


def test_strengths_keep_their_sign_bound_and_kind():
    table = strength()
    assert table.answers.tolist() == [3, 0, -3, 1, -2]
    assert table.no_preference.tolist() == [False, True, False, False, False]
    assert (table.bound, table.graded) == (3, True)
    assert "grades −3..3, positive = a" in repr(table)
    assert table.to_frame()["strength"].tolist() == [3, 0, -3, 1, -2]


def test_the_declared_sign_turns_strengths():
    assert strength(positive="b").answers.tolist() == [-3, 0, 3, -1, 2]
    assert np.signbit(strength(positive="b").answers[1]) == np.False_
    assert strength(changed(STRONG, s=-STRONG["s"]), positive="b") == strength()


def test_a_scale_with_a_middle_is_centred():
    slider = changed(STRONG, s=[100, 50, 0, 62.5, 10, None])
    table = strength(slider, bounds=(0, 100))
    assert table.answers.tolist() == [50, 0, -50, 12.5, -40]
    assert (table.bound, table.graded) == (50, False)
    seven = strength(changed(STRONG, s=STRONG["s"] + 4), bounds=(1, 7))
    assert seven == strength()


def test_an_even_number_of_grades_has_no_middle():
    table = strength(changed(STRONG, s=[1, 2, 3, 4, 1, 4]), bounds=(1, 4))
    assert table.graded
    assert table.answers.tolist() == [-1.5, -0.5, 0.5, 1.5, -1.5, 1.5]


def test_grades_can_be_words():
    words = ["a much", "same", "b much", "a", "b", "unsure"]
    meaning = {"a much": 2, "a": 1, "same": 0, "b": -1, "b much": -2, "unsure": None}
    table = strength(changed(STRONG, s=words), bounds=2, labels=meaning)
    assert table.answers.tolist() == [2, 0, -2, 1, -1]
    assert table.dropped[0].n_rows == 1
    with pytest.raises(JudgementError, match=r"'a much'.*, which labels= does not"):
        strength(changed(STRONG, s=words), bounds=2, labels={"same": 0})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"bounds": 2}, r"between -2 and 2, as declared; found .*3.* data rows 1, 3"),
        ({"bounds": -1}, "positive number"),
        ({"bounds": (3, 1)}, "low before high"),
        ({"positive": "left"}, "'a' or 'b'"),
        ({"bounds": 3.5, "graded": True}, "not whole"),
    ],
)
def test_a_strength_that_is_not_as_declared_is_refused(options: dict[str, object], says: str):
    with pytest.raises(JudgementError, match=says):
        strength(**options)


def test_a_slider_of_which_hardly_any_is_used_is_noted():
    frame = changed(STRONG, s=[1, 0.5, -1, 0, -0.25, 1])
    table = strength(frame, bounds=100)
    assert not table.graded
    note = table.summary().notes[0]
    assert "further than 1 from no preference, on a slider that goes to 100: 1.0% of" in note
    assert "Check that bounds=" in note
    for within, bounds in ((frame, 10), (frame, 1), (STRONG, 3)):
        notes = strength(within, bounds=bounds).summary().notes
        assert not any("slider" in note for note in notes)
    # What counts is the way from the middle, at whichever end the numbers begin.
    middling = changed(STRONG, s=[52, 48, 50, 54, 50, 51])
    note = strength(middling, bounds=(0, 100)).summary().notes[0]
    assert "further than 4 from no preference, on a slider that goes to 50: 8.0% of" in note


def test_columns_that_are_pairs_become_rows():
    survey = pd.DataFrame({"who": ["w1", "w2"], "q1": [70, 20], "q2": [25, None]})
    pairs = {"q1": ("A", "B"), "q2": ("B", "A")}
    table = SPAJudgements.from_wide(
        survey, annotator="who", probabilities=pairs, columns_are="pair", bounds=(0, 100)
    )
    assert table.to_frame()[["annotator", "system_a", "probability"]].to_numpy().tolist() == [
        ["w1", "A", 0.7],
        ["w2", "A", 0.2],
        ["w1", "B", 0.25],
    ]
    assert table.both_directions
    graded = StrengthJudgements.from_wide(
        survey, annotator="who", strengths=pairs, columns_are="pair", bounds=(0, 100), positive="a"
    )
    assert graded.answers.tolist() == [20, -30, -25]
    words = pd.DataFrame({"who": ["w1"], "q1": ["a"], "q2": ["tie"]})
    votes = PairwiseJudgements.from_wide(words, annotator="who", answers=pairs, columns_are="pair")
    assert votes.answers.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"probabilities": ["q1"]}, "mapping of each column to its two systems"),
        ({"probabilities": {"q1": "AB"}}, "mapping of each column to its two systems"),
        ({"probabilities": {"q1": ("A", "B")}, "system_a": "who"}, "leave system_a= and"),
        ({"probabilities": ["q1"], "columns_are": "item"}, "system_a= must name the column"),
        ({"probabilities": ["q1"], "columns_are": "system_a"}, "'criterion', 'pair'"),
    ],
)
def test_pairs_of_columns_must_be_explained(options: dict[str, object], says: str):
    survey = pd.DataFrame({"who": ["w1", "w2"], "q1": [70, 20]})
    with pytest.raises(JudgementError, match=says):
        SPAJudgements.from_wide(
            survey,
            **{"annotator": "who", "columns_are": "pair", **options},
        )


def test_wide_strengths_become_rows():
    frame = pd.DataFrame({"x": ["A", "B"], "y": ["B", "C"], "skill": [-2, 1], "fun": [0, 2]})
    table = StrengthJudgements.from_wide(
        frame,
        annotator=None,
        system_a="x",
        system_b="y",
        strengths=["skill", "fun"],
        columns_are="criterion",
        bounds=2,
        positive="b",
    )
    assert table.criteria == ("fun", "skill")
    assert table.answers.tolist() == [2, -1, 0, -2]
