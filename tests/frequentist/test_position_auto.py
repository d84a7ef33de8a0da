"""Bradley–Terry by maximum likelihood decides on the order of presentation as the families do."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.errors import JudgementError
from bayeseval.judgements import PairwiseJudgements, identify

LETTERS = "ABCDEF"


def counts(rows: list[tuple[str, str, int, int]]) -> PairwiseJudgements:
    frame = pd.DataFrame(rows, columns=["a", "b", "wins", "losses"])
    return PairwiseJudgements.from_counts(
        frame, system_a="a", system_b="b", wins="wins", losses="losses"
    )


def position(table: PairwiseJudgements) -> float | None:
    found = be.bradley_terry_ml(table, position_effect="auto").parameters
    rows = found.loc[found["parameter"] == "position_effect", "estimate"].tolist()
    return rows[0] if rows else None


def test_equal_systems_shown_in_one_order_stay_equal():
    """Every pair once round, the first shown wins 26 of 40: log odds .619, worths 0."""
    table = counts([(a, b, 26, 14) for a, b in combinations(LETTERS, 2)])
    told = be.bradley_terry_ml(table, position_effect="auto")
    assert position(table) == pytest.approx(np.log(26 / 14), abs=1e-6)
    assert np.abs(told.table["log_worth"]).max() < 1e-6
    plain = be.bradley_terry_ml(table)
    assert plain.table["log_worth"].iloc[0] > 0.4
    assert "ORDER OF PRESENTATION IS NOT BALANCED" in str(plain)
    assert "ORDER OF PRESENTATION" not in str(told)


def test_the_rule_is_that_of_the_families():
    rng = np.random.default_rng(5)
    found = []
    for _ in range(200):
        n = int(rng.integers(2, 7))
        pairs = list(combinations(range(n), 2))
        order = rng.permutation(n)
        shown = [pairs[k] for k in range(len(pairs)) if rng.random() < 0.7]
        shown += [(int(order[k]), int(order[k + 1])) for k in range(n - 1)]
        shown = [pair[::-1] if rng.random() < 0.2 else pair for pair in dict.fromkeys(shown)]
        table = counts([(LETTERS[a], LETTERS[b], 3, 2) for a, b in shown])
        told = identify(table).order_identified
        assert (position(table) is not None) == told
        found.append(told)
    assert 20 < sum(found) < 180


def test_it_says_why_the_order_is_left_out():
    always_first = counts([("A", "B", 3, 2), ("A", "C", 4, 1)])
    assert "differences of worth would explain" in str(
        be.bradley_terry_ml(always_first, position_effect="auto")
    )
    frame = pd.DataFrame({"A": [1, 2, 3], "B": [2, 3, 1], "C": [3, 1, 2]})
    rankings = PairwiseJudgements.from_rankings(
        frame, annotator=None, ranks=dict(zip("ABC", "ABC", strict=True)), lower_is_better=True
    )
    assert "no order of presentation" in str(be.bradley_terry_ml(rankings, position_effect="auto"))


def test_an_order_that_explains_everything_is_left_out_where_worths_have_an_estimate():
    """Whatever was shown first won: the effect has no finite estimate, the worths have one."""
    table = counts([("A", "B", 4, 0), ("B", "A", 3, 0), ("B", "C", 2, 0), ("C", "B", 2, 0)])
    found = be.bradley_terry_ml(table, position_effect="auto")
    assert "no finite estimate exists with it" in str(found)
    assert np.isfinite(found.table["log_worth"]).all()


def test_another_word_is_refused():
    table = counts([("A", "B", 3, 2)])
    with pytest.raises(JudgementError, match="position_effect must be True, False or 'auto'"):
        be.bradley_terry_ml(table, position_effect="yes")  # pyright: ignore[reportArgumentType]


def test_pooled_levels_are_said():
    frame = pd.DataFrame(
        {"a": list("AABB"), "b": list("BBAA"), "who": list("uvuv"), "lang": ["ja", "zh"] * 2}
    ).assign(out="a")
    table = PairwiseJudgements.from_frame(
        frame, annotator="who", system_a="a", system_b="b", outcome="out", moderators=["lang"]
    )
    assert "all levels of lang count alike" in str(be.bradley_terry_ml(table))
