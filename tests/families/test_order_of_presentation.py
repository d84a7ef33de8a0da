"""An advantage of what is shown first is in the model where the design tells it from quality."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.judgements import PairwiseJudgements, SPAJudgements, StrengthJudgements, identify

type Shown = list[tuple[str, str]]

LETTERS = "ABCDEF"
ROUND: Shown = list(combinations(LETTERS, 2))
ALIKE: dict[str, Shown] = {
    "two systems": [("A", "B")],
    "one system before all others": [("A", "B"), ("A", "C"), ("A", "D")],
    "a chain": [("A", "B"), ("B", "C"), ("D", "C")],
    "two stages": [("A", "C"), ("A", "D"), ("B", "C"), ("B", "D")],
    "ways of equal length": [("A", "B"), ("B", "D"), ("A", "C"), ("C", "D")],
}
TOLD: dict[str, Shown] = {
    "both orders": [("A", "B"), ("B", "A")],
    "a triangle": [("A", "B"), ("B", "C"), ("A", "C")],
    "a circle": [("A", "B"), ("B", "C"), ("C", "A")],
    "all round": ROUND,
    "one of two groups": [("A", "B"), ("C", "D"), ("D", "E"), ("C", "E")],
}


def votes(shown: Shown, **columns: list[str]) -> PairwiseJudgements:
    frame = pd.DataFrame(shown, columns=["a", "b"]).assign(outcome="a", **columns)
    return PairwiseJudgements.from_frame(
        frame, annotator=None, system_a="a", system_b="b", outcome="outcome",
        criterion="asked" if "asked" in columns else None,
    )  # fmt: skip


def strengths(shown: Shown) -> StrengthJudgements:
    frame = pd.DataFrame(shown, columns=["a", "b"]).assign(v=1)
    return StrengthJudgements.from_frame(
        frame, annotator=None, system_a="a", system_b="b", strength="v", bounds=2, positive="a"
    )


def probabilities(shown: Shown) -> SPAJudgements:
    frame = pd.DataFrame(shown, columns=["a", "b"]).assign(p=0.6, who="w")
    return SPAJudgements.from_frame(
        frame, annotator="who", system_a="a", system_b="b", probability="p"
    )


@pytest.mark.parametrize("shown", ALIKE.values(), ids=ALIKE)
def test_left_out_where_qualities_would_explain_it(shown: Shown):
    left_out = [
        be.BradleyTerry().declare(votes(shown)).left_out["position_effect"],
        be.PreferenceStrength().declare(strengths(shown)).left_out["side_bias"],
        be.OrderedBeta().declare(probabilities(shown)).left_out["direction_bias"],
    ]
    assert all("differences of quality would explain" in reason for reason in left_out)
    assert any("cannot be told apart" in note for note in identify(votes(shown)).notes)


@pytest.mark.parametrize("shown", TOLD.values(), ids=TOLD)
def test_in_the_model_where_the_design_tells_it_from_quality(shown: Shown):
    assert be.BradleyTerry().declare(votes(shown)).response.position_scale is not None
    assert be.PreferenceStrength().declare(strengths(shown)).response.has_bias
    assert be.OrderedBeta().declare(probabilities(shown)).response.direction_bias_scale is not None


def test_pairs_of_their_own_need_both_directions():
    family = be.OrderedBeta(structure="pairs")
    reason = family.declare(probabilities(ROUND)).left_out["direction_bias"]
    assert "has a difference of its own" in reason
    both = family.declare(probabilities([("A", "B"), ("B", "A"), ("A", "C")]))
    assert both.response.direction_bias_scale is not None


def test_rankings_have_no_order_however_they_are_stored():
    frame = pd.DataFrame({"A": [1, 2], "B": [2, 1], "C": [3, 3]})
    rankings = PairwiseJudgements.from_rankings(
        frame, annotator=None, ranks=dict(zip("ABC", "ABC", strict=True)), lower_is_better=True
    )
    for table in (rankings, be.to_counts(rankings)):
        left_out = be.BradleyTerry().declare(table).left_out
        assert "no order of presentation" in left_out["position_effect"]
        assert not any("order" in note for note in identify(table).notes)


def test_one_criterion_that_tells_is_enough():
    shown = [("A", "B"), ("B", "C"), ("A", "C")]
    together = votes(shown * 2, asked=["x"] * 3 + ["y"] * 3)
    apart = votes(shown, asked=["x", "x", "y"])
    assert identify(together).order_identified
    assert not identify(apart).order_identified


def test_the_rule_is_the_rank_of_the_design():
    rng = np.random.default_rng(3)
    found = []
    for _ in range(300):
        n = int(rng.integers(2, 7))
        pairs = np.array(list(combinations(range(n), 2)))
        kept = pairs[rng.random(len(pairs)) < 0.5]
        if not len(kept):
            continue
        turned = rng.random(len(kept)) < rng.choice([0.0, 0.2])
        kept[turned] = kept[turned][:, ::-1]
        design = np.eye(n)[kept[:, 0]] - np.eye(n)[kept[:, 1]]
        with_ones = np.column_stack([design, np.ones(len(kept))])
        told = np.linalg.matrix_rank(with_ones) > np.linalg.matrix_rank(design)
        shown = [(LETTERS[a], LETTERS[b]) for a, b in kept]
        assert identify(votes(shown)).order_identified == told
        found.append(told)
    assert 50 < sum(found) < len(found) - 50


@pytest.mark.sampling
def test_equal_systems_shown_in_one_order_stay_equal():
    """Of 40 votes a pair the system shown first wins 26: log odds .62, qualities all 0."""
    frame = pd.DataFrame(ROUND, columns=["a", "b"]).assign(wins=26, losses=14)
    table = PairwiseJudgements.from_counts(
        frame, system_a="a", system_b="b", wins="wins", losses="losses"
    )
    exact = be.bradley_terry_ml(table, position_effect=True)
    posterior = be.fit(table, draws=1500, chains=2, random_seed=1, progressbar=False)
    position = float(posterior.posterior["position_effect"].mean())
    (likeliest,) = exact.parameters["estimate"].tolist()
    assert likeliest == pytest.approx(np.log(26 / 14), abs=1e-6)
    assert position == pytest.approx(np.log(26 / 14), abs=0.25)
    ranking = be.rank(posterior).to_frame()
    assert ranking["p_best"].max() < 0.6
    assert ranking["tier"].max() == 1


def _says_order(family: object, table: object) -> bool:
    notes = " ".join(family.declare(table).design_notes)  # type: ignore[attr-defined]
    return "ORDER OF PRESENTATION IS NOT BALANCED" in notes


@pytest.mark.parametrize("shown", ALIKE.values(), ids=ALIKE)
def test_a_model_that_cannot_tell_it_says_that_it_is_in_quality(shown: Shown):
    assert _says_order(be.BradleyTerry(), votes(shown))
    assert _says_order(be.PreferenceStrength(), strengths(shown))
    assert _says_order(be.OrderedBeta(), probabilities(shown))


def test_a_model_without_such_an_effect_says_so_where_one_order_prevails():
    told = votes(ROUND)
    assert not _says_order(be.BradleyTerry(), told)
    assert _says_order(be.BradleyTerry(position=False), told)
    assert _says_order(be.TrueSkill(), told)
    both = votes([*ROUND, *((b, a) for a, b in ROUND)])
    assert not _says_order(be.BradleyTerry(position=False), both)
    assert not _says_order(be.TrueSkill(), both)
