import json
from collections.abc import Iterable
from itertools import product

import pandas as pd
import pytest

from bayeseval.comparison import compare, rank
from bayeseval.families import BradleyTerry, OrdinalProbit, TrueSkill
from bayeseval.inference._storage import declaration_from, declaration_record
from bayeseval.judgements import LikertJudgements, PairwiseJudgements, identify
from tests.fakes import make_posterior

type Row = tuple[str, str, str, int | None]


def ratings(rows: Iterable[Row], **options: object) -> LikertJudgements:
    frame = pd.DataFrame(list(rows), columns=["annotator", "system", "item", "rating"])
    settings: dict[str, object] = {
        "annotator": "annotator", "system": "system", "item": "item", "rating": "rating",
        "scale": (1, 5), "repeats": True,
    }  # fmt: skip
    return LikertJudgements.from_frame(frame, **{**settings, **options})  # type: ignore[arg-type]


def crossed() -> list[Row]:
    names = product(["a1", "a2", "a3"], ["A", "B", "C"], [f"i{k}" for k in range(10)])
    return [(who, what, which, 1 + k % 5) for k, (who, what, which) in enumerate(names)]


def bridged() -> list[Row]:
    """90 ratings by annotators of one system each, and three of one who judged all."""
    rows: list[Row] = [
        (f"{system}-{k % 5}", system, f"i{k % 10}", 1 + k % 5)
        for system in "ABC"
        for k in range(30)
    ]
    return [*rows, *(("bridge", system, "i0", 3) for system in "ABC")]


def test_a_complete_crossed_design_has_no_notes():
    found = identify(ratings(crossed()))
    assert (found.linked_judgements, found.nested_items) == (1, 0)
    assert found.design_notes == ()


def test_one_bridging_annotator_does_not_silence_the_note():
    table = ratings(bridged())
    found = identify(table)
    assert found.linked_judgements == pytest.approx(3 / 93)
    (note,) = found.design_notes
    assert note.startswith("3 % of the judgements are by annotators who judged more than one sys")
    assert "mostly" in note
    assert note in table.summary().notes


def test_counts_are_judgements():
    frame = pd.DataFrame(
        [("a", "A", 1, 97), ("b", "A", 2, 1), ("b", "B", 2, 2)], columns=["w", "s", "y", "n"]
    )
    table = LikertJudgements.from_frame(
        frame, annotator="w", system="s", rating="y", count="n", scale=(1, 5), repeats=True
    )
    assert identify(table).linked_judgements == pytest.approx(0.03)


def test_items_nested_in_systems_are_named():
    rows: list[Row] = [(who, what, f"{what}-{which}", y) for who, what, which, y in crossed()]
    found = identify(ratings(rows))
    assert found.nested_items == 1
    (note,) = found.design_notes
    assert note.startswith("Each item belongs to one system: ")


def test_some_items_of_one_system_are_counted():
    kept = [row for row in crossed() if row[1] == "A" or row[2] not in ("i0", "i1", "i2")]
    found = identify(ratings(kept))
    assert found.nested_items == pytest.approx(0.3)
    assert found.design_notes[0].startswith("30 % of the items belong to one system only: ")


def test_shares_are_within_criteria():
    frame = pd.DataFrame(
        [(w, s, c, 3) for w in "ab" for s, c in [("A", "x"), ("B", "y")]],
        columns=["w", "s", "c", "y"],
    )
    table = LikertJudgements.from_frame(
        frame, annotator="w", system="s", criterion="c", rating="y", scale=(1, 5), repeats=True
    )
    found = identify(table)
    assert found.annotators_judge_several_systems
    assert found.linked_judgements == 0
    assert "one system only on the same criterion" in found.design_notes[0]


def test_missing_answers_by_system():
    gone = {("A", k) for k in range(9)} | {("B", 0)}
    seen: dict[str, int] = {}
    rows: list[Row] = []
    for who, what, which, y in crossed():
        k = seen[what] = seen.get(what, -1) + 1
        rows.append((who, what, which, None if (what, k) in gone else y))
    table = ratings(rows)
    assert table.dropped[0].by_system == (("A", 9, 30), ("B", 1, 30), ("C", 0, 30))
    (note,) = identify(table).design_notes
    assert note.startswith(
        "Answers are missing for 30 % of the rows of 'A' (9 of 30) and 0 % of the rows of 'C' "
        "(0 of 30), the most and the fewest: "
    )
    # Filters change no share of the input.
    kept = table.keep_rows(table.codes("item") == table.labels("item").index("i9"), rule="one item")
    assert note in identify(kept).design_notes


def test_answers_missing_alike_are_not_named():
    rows: list[Row] = [(w, s, i, None if i == "i0" else y) for w, s, i, y in crossed()]
    assert identify(ratings(rows)).design_notes == ()


def test_a_system_without_any_answer_is_named():
    rows: list[Row] = [(w, s, i, None if s == "C" else y) for w, s, i, y in crossed()]
    (note,) = identify(ratings(rows)).design_notes
    assert "100 % of the rows of 'C' (30 of 30)" in note


def pairs_of_which_one_is_missing() -> PairwiseJudgements:
    rows = [("w", "A", "B", "AB", "A")] * 10 + [("w", "C", "B", "CB", "C")] * 9
    frame = pd.DataFrame([*rows, ("w", "C", "B", "CB", None)], columns=["w", "a", "b", "i", "y"])
    return PairwiseJudgements.from_frame(
        frame, annotator="w", system_a="a", system_b="b", item="i", winner="y", repeats=True
    )


def test_pairs_have_missing_answers_and_no_nested_items():
    found = identify(pairs_of_which_one_is_missing())
    assert (found.linked_judgements, found.nested_items) == (None, None)
    (note,) = found.design_notes
    assert "10 % of the rows of 'C' (1 of 10) and 0 % of the rows of 'A' (0 of 10)" in note


@pytest.mark.parametrize("family", [OrdinalProbit(), OrdinalProbit(effects="none")])
def test_saved_declarations_keep_the_notes_and_earlier_ones_have_none(family: OrdinalProbit):
    table = ratings(bridged())
    record = json.loads(json.dumps(declaration_record(family.declare(table))))
    notes = identify(table).design_notes
    assert declaration_from(record, family).design_notes == notes
    del record["design_notes"]
    assert declaration_from(record, family).design_notes == ()


@pytest.mark.parametrize("family", [BradleyTerry(), TrueSkill()])
def test_families_of_pairs_declare_them_too(family: BradleyTerry | TrueSkill):
    table = pairs_of_which_one_is_missing()
    missing, order = family.declare(table).design_notes
    assert (missing,) == identify(table).design_notes
    # Every pair was shown in one order, and these have nothing that would allow for it.
    assert order.startswith("ORDER OF PRESENTATION IS NOT BALANCED")


def test_rankings_and_comparisons_print_the_notes():
    notes = identify(ratings(bridged())).design_notes
    posterior = make_posterior([0.5, 0.0], [0.1, 0.1], systems=("A", "B"), draws=50)
    posterior = posterior.but(design_notes=notes)
    for answer in (rank(posterior), compare(posterior)):
        assert answer.design_notes == notes
        assert notes[0] in answer.tables()[0].notes
