"""Pairwise judgements: outcomes, winners, counts and rankings."""

import numpy as np
import pandas as pd
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    Dropped,
    PairwiseJudgements,
)
from tests.judgements.small import VOTES, changed, pairwise, spa, strength


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
