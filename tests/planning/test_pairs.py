"""Which pairs to compare next: against counting by hand, and what a batch must look like."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.families import TrueSkill
from bayeseval.inference import Posterior
from bayeseval.judgements import PairwiseJudgements
from bayeseval.planning import pairs as module

QUICK: dict[str, Any] = {"engine": "compiled", "shuffles": 10, "resamples": 0}


def comparisons(rows: list[tuple[str, str, str]], **columns: Any) -> PairwiseJudgements:
    frame = pd.DataFrame(rows, columns=["a", "b", "outcome"]).assign(**columns)
    return PairwiseJudgements.from_frame(
        frame,
        annotator=None,
        system_a="a",
        system_b="b",
        outcome="outcome",
        criterion="criterion" if "criterion" in columns else None,
        repeats=True,
    )


@pytest.fixture(scope="module")
def posterior() -> Posterior:
    """Good and fine are equal and well known; bad loses; rare was compared twice."""
    rows = [
        ("good", "fine", "a"),
        ("good", "fine", "b"),
        ("good", "bad", "a"),
        ("fine", "bad", "a"),
    ]
    return be.fit(
        comparisons([*rows * 100, ("rare", "good", "a"), ("fine", "rare", "a")]),
        TrueSkill(**QUICK),
        draws=500,
        random_seed=1,
    )


def by_hand(posterior: Posterior, draws: int) -> dict[frozenset[str], float]:
    """Mutual information in bits, pair by pair and draw by draw."""
    p = posterior.estimand("outcome_probability").stack(sample=("chain", "draw"))
    kept = np.linspace(0, p.sizes["sample"] - 1, draws).round().astype(int)
    p = p.isel(sample=kept)
    found = {}
    for a in posterior.systems:
        for b in posterior.systems:
            if a < b:
                one = p.sel(system=a, system_b=b).transpose("sample", "outcome").values
                mean = one.mean(axis=0)
                conditional = np.mean([-(q * np.log2(q)).sum() for q in one])
                found[frozenset((a, b))] = -(mean * np.log2(mean)).sum() - conditional
    return found


def test_information_is_what_counting_by_hand_gives(posterior: Posterior) -> None:
    frame = be.next_pairs(posterior, 1, draws=400).to_frame()
    expected = by_hand(posterior, 400)
    best = max(expected, key=lambda pair: expected[pair])
    assert frozenset((frame["system_a"][0], frame["system_b"][0])) == best
    assert frame["gain"][0] == pytest.approx(expected[best], rel=1e-9)
    assert frame["alone"][0] == frame["gain"][0]
    np.testing.assert_allclose(frame[["p_win", "p_tie", "p_loss"]].sum(axis=1), 1.0)


@pytest.mark.parametrize("criterion", ["entropy", "rank"])
def test_what_is_known_least_comes_first(posterior: Posterior, criterion: Any) -> None:
    frame = be.next_pairs(posterior, 1, criterion).to_frame()
    assert "rare" in {frame["system_a"][0], frame["system_b"][0]}


def test_rank_asks_for_neighbours_that_cannot_be_told_apart() -> None:
    # Top and second are close; bottom is far below both: its order is known, its place is not.
    rows = [("top", "second", "a"), ("top", "second", "b"), ("second", "bottom", "a")] * 15
    posterior = be.fit(comparisons(rows), TrueSkill(**QUICK), draws=500, random_seed=1)
    frame = be.next_pairs(posterior, 1, "rank").to_frame()
    assert {frame["system_a"][0], frame["system_b"][0]} == {"top", "second"}


def test_expected_order_entropy_is_what_reweighting_gives(posterior: Posterior) -> None:
    frame = be.next_pairs(posterior, 1, "rank", draws=300).to_frame()
    p = posterior.estimand("outcome_probability").stack(sample=("chain", "draw"))
    kept = np.linspace(0, p.sizes["sample"] - 1, 300).round().astype(int)
    a, b = frame["system_a"][0], frame["system_b"][0]
    p = p.isel(sample=kept).sel(system=a, system_b=b).transpose("sample", "outcome").values
    quality = posterior.quality.stack(sample=("chain", "draw")).isel(sample=kept)

    def entropy(weight: np.ndarray) -> float:
        total = 0.0
        for i, first in enumerate(posterior.systems):
            for second in posterior.systems[i + 1 :]:
                better = (quality.sel(system=first) > quality.sel(system=second)).values
                share = np.clip(np.average(better, weights=weight), 1e-15, 1 - 1e-15)
                total -= share * np.log2(share) + (1 - share) * np.log2(1 - share)
        return total

    after = sum(p[:, k].mean() * entropy(p[:, k]) for k in range(3))
    assert frame["gain"][0] == pytest.approx(entropy(np.ones(300)) - after, rel=1e-6)


def test_a_batch_spreads_and_its_gains_fall(posterior: Posterior) -> None:
    frame = be.next_pairs(posterior, 12).to_frame()
    pairs = [frozenset(row) for row in zip(frame["system_a"], frame["system_b"], strict=True)]
    assert max(pairs.count(pair) for pair in pairs) <= 6
    assert len(set(pairs)) >= 2
    assert frame["gain"].iloc[-1] < frame["gain"].iloc[0]
    assert (frame["gain"] <= frame["alone"] + 1e-12).all()
    balance = frame["system_a"].value_counts().sub(frame["system_b"].value_counts(), fill_value=0)
    assert (balance.abs() <= 2).all()


def test_pairs_that_are_about_as_useful_share_the_batch() -> None:
    systems = [f"s{k}" for k in range(5)]
    rows = [(a, b, "ab"[k % 2]) for a in systems for b in systems if a != b for k in range(10)]
    posterior = be.fit(comparisons(rows), TrueSkill(**QUICK), draws=500, random_seed=1)
    frame = be.next_pairs(posterior, 10).to_frame()
    pairs = {frozenset(row) for row in zip(frame["system_a"], frame["system_b"], strict=True)}
    assert len(pairs) == 10


def test_two_systems_have_one_pair() -> None:
    posterior = be.fit(comparisons([("x", "y", "a")] * 3), TrueSkill(**QUICK), random_seed=1)
    frame = be.next_pairs(posterior, 4).to_frame()
    assert len(frame) == 4
    assert frame["gain"].is_monotonic_decreasing
    assert set(frame["system_a"]) == {"x", "y"}


def test_criteria_are_added_or_named() -> None:
    rows = [("x", "y", "a"), ("y", "z", "a"), ("x", "z", "a")] * 4
    table = comparisons(rows * 2, criterion=["fluency"] * 12 + ["adequacy"] * 12)
    posterior = be.fit(table, TrueSkill(**QUICK), draws=200, random_seed=1)
    both = be.next_pairs(posterior, 1, draws=800).to_frame()
    alone = [
        be.next_pairs(posterior, 9, judged=name, draws=800).to_frame()
        for name in ("fluency", "adequacy")
    ]
    pair = {both["system_a"][0], both["system_b"][0]}
    parts = []
    for frame in alone:
        pairs = zip(frame["system_a"], frame["system_b"], strict=True)
        of_pair = {frozenset(two): value for two, value in zip(pairs, frame["alone"], strict=True)}
        parts.append(of_pair[frozenset(pair)])
    assert both["alone"][0] == pytest.approx(sum(parts), rel=1e-9)
    with pytest.raises(be.BayesEvalError, match="Did you mean 'fluency'"):
        be.next_pairs(posterior, 1, judged="fluencie")
    with pytest.raises(be.BayesEvalError, match="named by judged='fluency'"):
        be.next_pairs(posterior, 1, "fluency")  # type: ignore[arg-type]


def test_draws_in_pieces_and_few_candidates_give_the_same(
    posterior: Posterior, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = be.next_pairs(posterior, 4).to_frame()
    monkeypatch.setattr(module, "_BYTES_AT_A_TIME", 1e4)
    monkeypatch.setattr(module, "_MOST_CANDIDATES", 5)
    pieces = be.next_pairs(posterior, 4)
    pd.testing.assert_frame_equal(whole, pieces.to_frame())
    assert "Of 6 pairs the 5 with the most information" in repr(pieces).replace("\n", " ")


def test_every_family_for_pairs_is_taken() -> None:
    rows = [("x", "y", "a"), ("y", "x", "b"), ("y", "z", "tie"), ("z", "y", "b"), ("x", "z", "a")]
    family = be.BradleyTerry(annotators="none", items=False)
    posterior = be.fit(
        comparisons([*rows * 8, ("z", "x", "a")]), family, method="laplace", random_seed=1
    )
    found = be.next_pairs(posterior, 3)
    frame = found.to_frame()
    assert (frame["gain"] > 0).all()
    np.testing.assert_allclose(frame[["p_win", "p_tie", "p_loss"]].sum(axis=1), 1.0)
    assert "Laplace" in repr(found)


def test_marks_and_refusals(posterior: Posterior, small_posterior: Posterior) -> None:
    assert "approximate" in repr(be.next_pairs(posterior, 2))
    with pytest.raises(be.ModelError, match="nobody compares"):
        be.next_pairs(small_posterior, 1)
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(be.BayesEvalError, match="n= is a whole number from 1"):
            be.next_pairs(posterior, wrong)  # type: ignore[arg-type]
    with pytest.raises(be.BayesEvalError, match="'entropy' or 'rank'"):
        be.next_pairs(posterior, 1, "variance")  # type: ignore[arg-type]
