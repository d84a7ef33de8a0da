from collections.abc import Sequence

import pandas as pd
import pytest

from bayeseval.judgements import LikertJudgements, PairwiseJudgements, identify


def likert(rows: Sequence[tuple[object, ...]], **options: object) -> LikertJudgements:
    frame = pd.DataFrame(rows, columns=["who", "what", "which", "score"])
    settings: dict[str, object] = {
        "annotator": "who", "system": "what", "item": "which", "rating": "score",
        "scale": (1, 5), "repeats": True,
    }  # fmt: skip
    return LikertJudgements.from_frame(frame, **{**settings, **options})  # type: ignore[arg-type]


def test_each_output_judged_once_leaves_interaction_out():
    found = identify(likert([("a", "A", 1, 2), ("a", "B", 1, 3), ("b", "A", 2, 4)]))
    assert not found.outputs_judged_repeatedly
    assert found.annotators_judge_repeatedly
    assert found.annotators_judge_several_systems
    assert found.items_judged_repeatedly
    assert found.items_shared_by_systems
    assert "No output is judged twice" in str(found)


def test_two_judgements_of_an_output_identify_interaction():
    found = identify(likert([("a", "A", 1, 2), ("b", "A", 1, 3)]))
    assert found.outputs_judged_repeatedly
    assert not found.annotators_judge_repeatedly
    assert not found.items_shared_by_systems


def test_a_count_is_a_repeated_judgement():
    frame = pd.DataFrame({"s": ["A", "B"], "i": [1, 1], "y": [1, 2], "n": [5, 1]})
    found = identify(
        LikertJudgements.from_frame(
            frame, annotator=None, system="s", item="i", rating="y", count="n"
        )
    )
    assert found.outputs_judged_repeatedly


def test_criteria_are_no_repeats():
    rows = pd.DataFrame(
        {"who": "a", "what": ["A", "A"], "which": 1, "c": ["x", "y"], "score": [1, 2]}
    )
    table = LikertJudgements.from_frame(
        rows, annotator="who", system="what", item="which", criterion="c", rating="score"
    )
    found = identify(table)
    assert found.has_criteria
    assert not found.annotators_judge_repeatedly
    assert not found.outputs_judged_repeatedly
    assert not found.annotators_repeat_systems


def test_a_system_without_judgements_on_a_criterion_is_said():
    rows = [
        ("w1", "A", "fluency", 1),
        ("w1", "B", "fluency", 3),
        ("w1", "A", "adequacy", 2),
        ("w2", "A", "adequacy", 2),
    ]
    frame = pd.DataFrame(rows, columns=["who", "what", "asked", "score"])
    notes = identify(
        LikertJudgements.from_frame(
            frame, annotator="who", system="what", criterion="asked", rating="score", scale=(1, 5)
        )
    ).notes
    assert any("On criterion 'adequacy' nobody judged 'B'" in note for note in notes)
    assert any("All answers are the same on criterion 'adequacy'" in note for note in notes)
    assert not any("'fluency'" in note for note in notes)


def test_nested_annotators_are_said():
    found = identify(likert([("a", "A", 1, 2), ("b", "B", 1, 3)]))
    assert not found.annotators_judge_several_systems
    assert "one system only" in str(found)
    assert found.connected


def test_groups_that_share_nobody_and_nothing_are_named():
    rows = [("a", "A", 1, 2), ("a", "B", 1, 3), ("b", "C", 2, 3)]
    found = identify(likert(rows))
    assert found.components == (("A", "B"), ("C",))
    assert not found.connected
    assert "2 groups that share no annotator" in str(found)
    assert identify(likert(rows, annotator=None, item=None)).connected


def pairwise(rows: list[tuple[str, str, str]]) -> PairwiseJudgements:
    frame = pd.DataFrame(rows, columns=["x", "y", "o"])
    return PairwiseJudgements.from_frame(
        frame, annotator=None, system_a="x", system_b="y", outcome="o"
    )


def test_pairs_are_connected_by_comparisons():
    found = identify(pairwise([("A", "B", "a"), ("B", "A", "a"), ("C", "D", "tie")]))
    assert found.components == (("A", "B"), ("C", "D"))
    assert (found.pairs_met, found.pairs_possible) == (2, 6)
    assert ("A", "C") in found.pairs_never_met
    assert len(found.pairs_never_met) == 4
    assert "groups that never met" in str(found)
    assert not found.one_way


def test_swept_systems_are_named():
    found = identify(pairwise([("A", "B", "a"), ("B", "C", "a"), ("B", "C", "b"), ("C", "D", "a")]))
    assert found.unbeaten == ("A",)
    assert found.winless == ("D",)
    assert found.one_way
    assert "'A' never lost a point" in str(found)
    tied = identify(pairwise([("A", "B", "tie"), ("A", "B", "a")]))
    assert (tied.unbeaten, tied.winless, tied.one_way) == ((), (), False)


def test_a_group_that_never_lost_to_another_is_one_way():
    # Nobody is swept, and yet {A, B} never lost to {C, D}.
    rows = [("A", "B", "a"), ("A", "B", "b"), ("C", "D", "a"), ("C", "D", "b"), ("A", "C", "a")]
    found = identify(pairwise(rows))
    assert (found.unbeaten, found.winless) == ((), ())
    assert found.one_way
    assert "Some group of systems never lost" in str(found)


def test_balance_of_presentation_order_is_measured():
    assert identify(pairwise([("A", "B", "a"), ("A", "B", "b")])).order_balance == 0
    assert identify(pairwise([("A", "B", "a"), ("B", "A", "a")])).order_balance == 0.5
    found = identify(pairwise([("A", "B", "a"), ("B", "A", "a"), ("A", "C", "a")]))
    assert found.order_balance == pytest.approx(0.25)
    assert "one order only" in str(identify(pairwise([("A", "B", "a")])))


def test_overlap_is_the_mean_number_of_partners():
    rows = [("a", "A", 1, 2), ("b", "A", 1, 3), ("b", "B", 1, 3), ("b", "B", 2, 3)]
    found = identify(likert(rows))
    assert found.annotator_overlap == 1.5
    assert found.item_overlap == 1.5


def test_facts_print_as_a_table():
    frame = identify(likert([("a", "A", 1, 2), ("b", "A", 1, 3)])).to_frame()
    assert list(frame) == ["fact", "value"]
    assert ("outputs judged repeatedly", "True") in list(frame.itertuples(index=False, name=None))
