"""SPA, pairwise, strength and magnitude tables: what each says of its answers."""

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
    Dropped,
    Judgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)
from tests.strategies import PairTable, magnitude_tables, pair_tables


def changed(frame: pd.DataFrame, **columns: object) -> pd.DataFrame:
    return frame.assign(**columns)  # type: ignore[arg-type]


VOTES = pd.DataFrame(
    {
        "judge": ["j1", "j1", "j1", "j2", "j2", "j2"],
        "left": ["A", "B", "C", "A", "C", "C"],
        "right": ["B", "C", "A", "B", "B", "A"],
        "vote": ["left", "tie", "right", "right", "left", "both bad"],
    }
)
WORDS = {"left": "a", "right": "b", "tie": "tie", "both bad": None}


def pairwise(frame: object = VOTES, **options: object) -> PairwiseJudgements:
    settings = {
        "annotator": "judge",
        "system_a": "left",
        "system_b": "right",
        "outcome": "vote",
        "outcomes": WORDS,
    }
    return PairwiseJudgements.from_frame(frame, **{**settings, **options})


def test_pairs_keep_presentation_order_and_share_labels():
    table = pairwise()
    assert table.systems == ("A", "B", "C")
    assert table.labels("system_b") is table.labels("system_a")
    assert table.codes("system_a").tolist() == [0, 1, 2, 0, 2]
    assert table.codes("system_b").tolist() == [1, 2, 0, 1, 1]
    assert table.answers.tolist() == [0, 2, 1, 1, 0]
    assert table.answers.dtype == np.int8
    assert table.outcome_labels == ("a", "b", "tie")
    assert not table.has("system")


def test_a_word_declared_as_no_outcome_is_counted_apart():
    assert pairwise().dropped == (Dropped("outcome 'both bad', declared as no outcome", 1),)


def test_an_unknown_word_is_an_error_with_its_count_never_half_a_win():
    frame = changed(VOTES, vote=["left", "draw", "right", "draw", "left", "both bad"])
    with pytest.raises(JudgementError, match=r"found 'draw' \(2\), in data rows 2, 4"):
        pairwise(frame)


def test_without_a_declaration_only_our_own_words_are_known():
    plain = changed(VOTES, vote=["a", "tie", "b", "b", "a", None])
    table = pairwise(plain, outcomes=None)
    assert table == pairwise()
    with pytest.raises(JudgementError, match=r"one of 'a', 'b', 'tie'; found .*'left' \(2\)"):
        pairwise(outcomes=None)


def test_outcomes_may_be_numbers():
    frame = changed(VOTES, vote=[1, 0, 2, 2, 1, np.nan])
    assert pairwise(frame, outcomes={1: "a", 2: "b", 0: "tie"}) == pairwise()


def test_a_meaning_that_is_no_outcome_is_refused():
    with pytest.raises(JudgementError, match="'left' is mapped to 'A'"):
        pairwise(outcomes={"left": "A"})


def test_the_winner_may_be_named_by_its_label():
    frame = changed(VOTES, vote=["A", "tie", "A", "B", "C", None])
    table = pairwise(frame, outcome=None, winner="vote", outcomes={"tie": "tie"})
    assert table == pairwise()
    wrong = changed(frame, vote=["A", "tie", "B", "B", "C", None])
    with pytest.raises(JudgementError, match=r"one of the row's two systems.*'B' .*data row 3 "):
        pairwise(wrong, outcome=None, winner="vote", outcomes={"tie": "tie"})


def test_either_outcome_or_winner_must_be_named():
    with pytest.raises(JudgementError, match="name one column"):
        pairwise(outcome=None)
    with pytest.raises(JudgementError, match="name one column"):
        pairwise(winner="vote")


@pytest.mark.parametrize("make", ["pairwise", "spa", "strength"])
def test_a_system_against_itself_is_an_error(make: str):
    frame = changed(VOTES, right=["B", "C", "A", "A", "B", "A"], number=0.5)
    makers = {
        "pairwise": lambda: pairwise(frame),
        "spa": lambda: spa(changed(frame, p=50)),
        "strength": lambda: strength(changed(frame, s=1)),
    }
    with pytest.raises(JudgementError, match=r"'A' is compared with itself in data row 4 "):
        makers[make]()


def test_a_vote_twice_is_refused_but_both_orders_are_two_questions():
    again = pd.concat([VOTES, VOTES[:1]])
    with pytest.raises(JudgementError, match=r"annotator × system_a × system_b.*data rows 1, 7"):
        pairwise(again)
    swapped = VOTES[:1].rename(columns={"left": "right", "right": "left"})
    assert pairwise(pd.concat([VOTES, swapped])).n_rows == 6


def test_counts_of_wins_losses_and_ties_become_rows():
    frame = pd.DataFrame({"x": ["A", "A"], "y": ["B", "C"], "w": [3, 0], "l": [1, 2], "t": [0, 4]})
    table = PairwiseJudgements.from_counts(
        frame, system_a="x", system_b="y", wins="w", losses="l", ties="t"
    )
    assert table.n_judgements == 10
    shown = table.to_frame()
    assert shown[["system_b", "outcome", "count"]].to_numpy().tolist() == [
        ["B", "a", 3],
        ["B", "b", 1],
        ["C", "b", 2],
        ["C", "tie", 4],
    ]
    assert table.dropped == ()


COUNTS = pd.DataFrame({"x": ["A", "A", "B"], "y": ["B", "C", "C"], "w": 1, "l": 2, "t": 0})


def from_counts(**columns: list[object]) -> PairwiseJudgements:
    frame = COUNTS.assign(**{name: pd.Series(values) for name, values in columns.items()})
    return PairwiseJudgements.from_counts(
        frame, system_a="x", system_b="y", wins="w", losses="l", ties="t"
    )


def test_a_pair_that_was_never_compared_is_one_dropped_row():
    assert from_counts(w=[1, 0, 0], l=[0, 0, 3]).dropped == (Dropped("count is 0", 1),)
    with pytest.raises(JudgementError, match=r"none is left \(3 rows: count is 0\)"):
        from_counts(w=[0, 0, 0], l=[0, 0, 0])


@pytest.mark.parametrize(("column", "role"), [("w", "wins"), ("l", "losses"), ("t", "ties")])
@pytest.mark.parametrize("bad", [-1, 1.5, np.nan, np.inf, "x"])
def test_a_wrong_count_is_named_by_its_column_and_its_row(column: str, role: str, bad: object):
    with pytest.raises(
        JudgementError, match=rf"^{role}='{column}' must hold whole numbers from 0.* in data row 2 "
    ):
        from_counts(**{column: [1, bad, 3]})


def test_counts_that_are_too_large_are_refused_as_such():
    for large in (10**19, 1e19, 10**30):
        with pytest.raises(JudgementError, match=r"losses='l' holds counts that are too large.* 3"):
            from_counts(l=[1, 2, large])
    with pytest.raises(JudgementError, match=r"add up to 1.8e\+18, which is too large"):
        from_counts(w=[9 * 10**17, 9 * 10**17, 0])
    assert from_counts(w=[2**53 + 1, 0, 0], l=[0, 0, 0]).n_judgements == 2**53 + 1


def test_a_row_of_counts_with_one_system_is_named_once():
    with pytest.raises(JudgementError, match=r"'A' is compared with itself in data row 2 "):
        from_counts(y=["B", "A", "C"])


def test_columns_of_annotators_become_votes():
    frame = pd.DataFrame({"x": ["A", "B"], "y": ["B", "C"], "r1": [1, 0], "r2": [2, 0]})
    table = PairwiseJudgements.from_wide(
        frame,
        annotator=None,
        system_a="x",
        system_b="y",
        answers=["r1", "r2"],
        columns_are="annotator",
        outcomes={1: "a", 2: "b", 0: "tie"},
    )
    assert table.annotators == ("r1", "r2")
    assert table.answers.tolist() == [0, 2, 1, 2]


RANKS = pd.DataFrame(
    {
        "judge": ["j1", "j2"],
        "s1": ["A", "B"],
        "s2": ["B", "C"],
        "s3": ["C", "D"],
        "r1": [1, 2],
        "r2": [2, -1],
        "r3": [2, 1],
    }
)


def rankings(frame: object = RANKS, **options: object) -> PairwiseJudgements:
    settings: dict[str, object] = {
        "annotator": "judge",
        "systems": ["s1", "s2", "s3"],
        "ranks": ["r1", "r2", "r3"],
        "lower_is_better": True,
        "unranked": (-1,),
    }
    return PairwiseJudgements.from_rankings(frame, **{**settings, **options})  # type: ignore[arg-type]


def test_rankings_give_all_pairs_with_ties_and_their_ranking():
    shown = rankings().to_frame()
    assert shown[["system_a", "system_b", "outcome", "ranking"]].to_numpy().tolist() == [
        ["A", "B", "a", "1"],
        ["A", "C", "a", "1"],
        ["B", "C", "tie", "1"],
        ["B", "D", "b", "2"],
    ]


def test_a_rank_without_a_system_is_named_by_its_column():
    with pytest.raises(JudgementError, match=r"column 's1' of systems= is empty in data row 2 "):
        rankings(RANKS.assign(s1=["A", ""]))
    # The system of "not ranked" may be left out.
    assert rankings(RANKS.assign(s2=["B", ""])).n_rows == 4


def test_the_direction_of_ranks_must_be_told_and_turns_outcomes():
    other = rankings(lower_is_better=False).to_frame()
    assert other["outcome"].tolist() == ["b", "b", "tie", "a"]
    with pytest.raises(TypeError, match="lower_is_better"):
        PairwiseJudgements.from_rankings(  # type: ignore[call-arg]
            RANKS, annotator=None, systems=["s1", "s2"], ranks=["r1", "r2"]
        )


def test_columns_of_ranks_may_be_systems_themselves():
    frame = pd.DataFrame({"A": [1, 3], "B": [2, None], "C": [3, 1], "id": ["u", "v"]})
    table = rankings(
        frame,
        annotator=None,
        systems=None,
        ranks={"A": "A", "B": "system B", "C": "C"},
        ranking="id",
    )
    assert table.systems == ("A", "C", "system B")
    assert table.n_rows == 4
    assert table.labels("ranking") == ("u", "v")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"systems": ["s1", "s2"]}, "as many"),
        ({"systems": None}, "two columns or more"),
        ({"ranks": ["r1"], "systems": ["s1"]}, "two columns or more"),
        (
            {"ranks": ["r1", "r2", "judge"], "annotator": None},
            r"must hold numbers; found 'j1', 'j2' in data rows 1, 2",
        ),
        ({"ranks": ["r1", "r2", "r9"]}, "no column 'r9'"),
    ],
)
def test_rankings_that_are_not_explained_are_refused(options: dict[str, object], says: str):
    with pytest.raises(JudgementError, match=says):
        rankings(**options)


def test_a_ranking_that_holds_a_system_twice_is_an_error():
    frame = changed(RANKS, s3=["A", "D"])
    with pytest.raises(JudgementError, match="'A' is compared with itself in data row 1 "):
        rankings(frame)


STATED = changed(VOTES, p=[100, 50, 0, 30, 70, None])


def spa(frame: object = STATED, **options: object) -> SPAJudgements:
    settings = {"annotator": "judge", "system_a": "left", "system_b": "right", "probability": "p"}
    return SPAJudgements.from_frame(frame, **{**settings, **options})


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


STRONG = changed(VOTES, s=[3, 0, -3, 1, -2, None])


def strength(frame: object = STRONG, **options: object) -> StrengthJudgements:
    settings = {
        "annotator": "judge",
        "system_a": "left",
        "system_b": "right",
        "strength": "s",
        "bounds": 3,
        "positive": "a",
    }
    return StrengthJudgements.from_frame(frame, **{**settings, **options})


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


SIZES = pd.DataFrame(
    {"who": ["a", "a", "b", "b"], "what": ["A", "B", "A", "B"], "size": [100, 50, 200, 100]}
)


def magnitude(frame: object = SIZES, **options: object) -> MagnitudeJudgements:
    settings = {"annotator": "who", "system": "what", "magnitude": "size", "reference": 100}
    return MagnitudeJudgements.from_frame(frame, **{**settings, **options})


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


# Properties over all four.


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
