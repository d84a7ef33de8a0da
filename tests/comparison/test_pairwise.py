"""Elo-like ratings, circular triads, models by cross-validation, groups that never met."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.errors import BayesEvalError, ModelError
from bayeseval.judgements import PairwiseJudgements

SEEDED: dict[str, Any] = {"random_seed": 1, "progressbar": False}


def table(rows: list[tuple[str, str, int, int, int]]) -> PairwiseJudgements:
    frame = pd.DataFrame(rows, columns=["a", "b", "wins", "losses", "ties"])
    return PairwiseJudgements.from_counts(
        frame, system_a="a", system_b="b", wins="wins", losses="losses", ties="ties"
    )


@pytest.fixture(scope="module")
def board() -> PairwiseJudgements:
    return table([("A", "B", 60, 25, 15), ("B", "C", 55, 30, 15), ("A", "C", 75, 10, 15)])


@pytest.fixture(scope="module")
def fitted(board: PairwiseJudgements) -> Any:
    return be.fit(board, be.BradleyTerry(position=False), **SEEDED)


@pytest.mark.sampling
def test_elo_differences_are_log_odds(fitted: Any) -> None:
    ratings = be.elo(fitted, anchor=1500.0).to_frame().set_index("system")["rating"]
    assert ratings.mean() == pytest.approx(1500.0)
    quality = fitted.quality.mean(("chain", "draw")).to_series()
    lead = ratings["A"] - ratings["C"]
    assert lead == pytest.approx(400.0 / math.log(10.0) * (quality["A"] - quality["C"]))
    anchored = be.elo(fitted, base=math.e, scale=1.0, anchor=0.0, anchor_system="B").to_frame()
    row = anchored.set_index("system").loc["B"]
    assert (row["rating"], row["lower"], row["upper"]) == (0.0, 0.0, 0.0)
    assert anchored["system"].tolist() == ["A", "B", "C"]


@pytest.mark.sampling
def test_elo_refuses_what_it_cannot_put_on_its_scale(
    fitted: Any, board: PairwiseJudgements
) -> None:
    with pytest.raises(BayesEvalError, match="no system 'D'"):
        be.elo(fitted, anchor_system="D")
    with pytest.raises(BayesEvalError, match="base= is above 1"):
        be.elo(fitted, base=1.0)
    thurstone = be.fit(board, be.Thurstone(position=False), **SEEDED)
    with pytest.raises(ModelError, match="link='logit'; found Thurstone"):
        be.elo(thurstone)


@pytest.mark.sampling
def test_a_circle_is_counted_and_surprises_the_model(fitted: Any, board: Any) -> None:
    plain = be.intransitivity(fitted, board).to_frame().iloc[0]
    assert (plain["triads"], plain["circular"]) == (1, 0)
    assert plain["p"] == 1.0
    assert plain["misfit"] < 3.0
    assert plain["p_misfit"] > 0.05
    circle = table([("A", "B", 70, 30, 0), ("B", "C", 70, 30, 0), ("C", "A", 70, 30, 0)])
    posterior = be.fit(circle, be.BradleyTerry(position=False), **SEEDED)
    found = be.intransitivity(posterior, circle, draws=400).to_frame().iloc[0]
    assert (found["triads"], found["circular"]) == (1, 1)
    # Tables of a hundred votes a pair, drawn here from the qualities.
    quality = posterior.quality.stack(sample=("chain", "draw")).transpose("sample", "system").values
    rng = np.random.default_rng(2)
    ahead = [
        np.sign(rng.binomial(100, 1 / (1 + np.exp(quality[:, j] - quality[:, i]))) - 50)
        for i, j in ((0, 1), (1, 2), (2, 0))
    ]
    round_ = np.abs(np.sum(ahead, axis=0)) == 3
    assert found["expected"] == pytest.approx(round_.mean(), abs=0.06)
    # Twenty points off in a hundred judgements with a standard deviation of five.
    assert found["misfit"] == pytest.approx(16.0, abs=3.0)
    assert found["p_misfit"] == 0.0
    with pytest.raises(BayesEvalError, match="other judgements"):
        be.intransitivity(posterior, board)


@pytest.mark.sampling
def test_models_of_ties_are_compared_by_cross_validation(
    fitted: Any, board: PairwiseJudgements
) -> None:
    other = be.fit(board, be.BradleyTerry(ties="rao_kupper", position=False), **SEEDED)
    found = be.compare_models({"davidson": fitted, "rao_kupper": other}, board)
    frame = found.to_frame()
    assert frame["elpd_difference"].iloc[0] == 0.0
    assert frame["elpd"].is_monotonic_decreasing
    # Two qualities and one parameter of ties, known well from 300 votes.
    assert frame["effective_parameters"].tolist() == pytest.approx([3.0, 3.0], abs=0.7)
    # Each judgement alone: the elpd is about the log likelihood at the mean less the parameters.
    whole = float(fitted.log_likelihood(board).mean(("chain", "draw")).values @ board.counts)
    elpd = frame.set_index("model")["elpd"]["davidson"]
    assert elpd == pytest.approx(whole - 1.5, abs=0.7)
    half = be.fit(board, be.BradleyTerry(ties="half", position=False), **SEEDED)
    with pytest.raises(ModelError, match="half a win"):
        be.compare_models({"davidson": fitted, "half": half}, board)
    with pytest.raises(BayesEvalError, match="two of them or more"):
        be.compare_models({"davidson": fitted}, board)


@pytest.mark.sampling
def test_differences_between_groups_that_never_met_are_marked_as_the_priors() -> None:
    apart = table([("A", "B", 8, 2, 0), ("C", "D", 6, 4, 0)])
    posterior = be.fit(apart, be.BradleyTerry(position=False), **SEEDED)
    frame = be.compare(posterior, rope=(0.49, 0.51)).to_frame()
    pairs = [frozenset(pair) for pair in zip(frame["system_a"], frame["system_b"], strict=True)]
    linked = [pair in (frozenset("AB"), frozenset("CD")) for pair in pairs]
    assert frame["linked"].tolist() == linked
    assert set(frame.loc[~frame["linked"], "verdict"]) == {"not known"}
    # What the prior says of systems of different groups: nothing.
    across = frame.iloc[pairs.index(frozenset("AC"))]
    assert across["upper"] - across["lower"] > 0.5
    for text in (repr(be.compare(posterior)), repr(be.rank(posterior))):
        assert "2 groups that never met" in text
        assert "no finding" in text
    assert "from" in be.compare(posterior).to_markdown()
    restored = posterior.components
    assert np.array_equal([sorted(group) for group in restored], [["A", "B"], ["C", "D"]])


@pytest.mark.sampling
def test_groups_that_never_met_have_no_tiers_between_them() -> None:
    apart = table([("A", "B", 300, 2, 0), ("C", "D", 300, 2, 0)])
    posterior = be.fit(apart, be.BradleyTerry(position=False), **SEEDED)
    ranking = be.rank(posterior)
    assert len(ranking.parts[0].tiers) == 1
    assert "There are no tiers: no judgement compares systems of different groups" in str(ranking)
    assert "tiers are in the right order" not in str(ranking)


@pytest.mark.sampling
def test_probabilities_stay_within_0_and_1_so_that_gains_are_finite() -> None:
    rows = [(a, b, 3) for a, b in ("AB", "BC", "AC")] + [(a, b, -3) for a, b in ("BA", "CB", "CA")]
    frame = pd.DataFrame(rows * 8, columns=["a", "b", "strength"])
    judgements = be.StrengthJudgements.from_frame(
        frame,
        annotator=None,
        system_a="a",
        system_b="b",
        strength="strength",
        bounds=3,
        positive="a",
        repeats=True,
    )
    posterior = be.fit(judgements, **SEEDED)
    win = posterior.win_probability()
    assert float(win.min()) >= 0.0
    assert float(win.max()) <= 1.0
    assert np.isfinite(be.next_pairs(posterior, 3).to_frame()["gain"]).all()
