"""Factors by which annotators see differences: what a design says of them, and their one prior."""

from typing import Any

import pandas as pd
import pytest

import bayeseval as be
from tests.benchmarks.shapes import SHAPES

REASON = "no annotator compared two different pairs"


def stated(rows: list[tuple[str, ...]], *further: str, **named: Any) -> be.SPAJudgements:
    frame = pd.DataFrame(rows, columns=["u", "a", "b", *further]).assign(p=0.6)
    return be.SPAJudgements.from_frame(
        frame,
        annotator="u",
        system_a="a",
        system_b="b",
        probability="p",
        bounds=(0, 1),
        repeats=True,
        **named,
    )


def strengths(rows: list[tuple[str, str, str]]) -> be.StrengthJudgements:
    frame = pd.DataFrame(rows, columns=["u", "a", "b"]).assign(grade=1)
    return be.StrengthJudgements.from_frame(
        frame,
        annotator="u",
        system_a="a",
        system_b="b",
        strength="grade",
        bounds=3,
        positive="a",
        repeats=True,
    )


def ratings(*values: tuple[str, str, int]) -> be.LikertJudgements:
    frame = pd.DataFrame(values, columns=["u", "s", "y"])
    return be.LikertJudgements.from_frame(
        frame, annotator="u", system="s", rating="y", scale=(1, 5), repeats=True
    )


def has(family: Any, judgements: Any, name: str) -> bool | str:
    """Return whether an effect is in the model, or why it is not."""
    declaration = family.declare(judgements)
    return declaration.left_out.get(name, name in [e.name for e in declaration.blocks])


ONE_PAIR = [(u, *pair) for u in "xyz" for pair in ("AB", "BA", "AB")]
TWO_PAIRS = [(u, *pair) for u in "xyz" for pair in ("AB", "BC")]
# Two pairs in the study, one an annotator.
ONE_EACH = [(u, *pair) for u, pair in (("x", "AB"), ("x", "BA"), ("y", "BC"), ("y", "CB"))]


@pytest.mark.parametrize(
    ("rows", "found"), [(ONE_PAIR, REASON), (ONE_EACH, REASON), (TWO_PAIRS, True)]
)
def test_a_factor_of_one_difference_is_left_to_taste(
    rows: list[tuple[str, str, str]], found: bool | str
) -> None:
    assert has(be.OrderedBeta(), stated(rows), "log_extremity") == found
    assert has(be.PreferenceStrength(), strengths(rows), "log_scale") == found
    assert has(be.OrderedBeta(), stated(rows), "log_precision") is True
    asked = {"log_extremity": True}
    assert has(be.OrderedBeta(effects=asked), stated(rows), "log_extremity") is True


@pytest.mark.parametrize("named", [{"item": "further"}, {"moderators": ["further"]}])
def test_a_pair_on_two_items_or_levels_has_two_differences(named: dict[str, Any]) -> None:
    rows = [(u, "A", "B", d) for u in "xyz" for d in ("d1", "d2")]
    assert has(be.OrderedBeta(), stated(rows, "further", **named), "log_extremity") is True


def test_pairs_of_other_criteria_are_not_counted() -> None:
    rows = [(u, *pair) for u in "xyz" for pair in ("ABm", "BAm", "BCn", "CBn")]
    table = stated(rows, "criterion", criterion="criterion")
    assert has(be.OrderedBeta(), table, "log_extremity") == REASON


def test_gaps_between_thresholds_take_three_ratings_of_an_annotator() -> None:
    few = [("u", "A", 2), ("u", "B", 4), ("v", "A", 1), ("v", "B", 5)]
    name = "gaps between thresholds by annotator"
    left_out = be.OrdinalProbit().declare(ratings(*few)).left_out
    assert left_out[name] == "no annotator gave three ratings, as gaps need"
    more = be.OrdinalProbit().declare(ratings(*few, ("u", "B", 3)))
    assert name not in more.left_out
    assert more.response.has_gaps
    assert (
        not be.OrdinalProbit()
        .declare(SHAPES["two systems, three ratings"].make(0))
        .response.has_gaps
    )


def test_one_prior_for_every_factor_by_which_annotators_see_differences() -> None:
    scales = {
        be.OrdinalProbit().discrimination_sd_scale,
        be.PreferenceStrength().log_scale_sd_scale,
        be.OrderedBeta().log_extremity_sd_scale,
        be.BradleyTerry().log_consistency_sd_scale,
        be.Thurstone().log_consistency_sd_scale,
    }
    assert scales == {0.3}
