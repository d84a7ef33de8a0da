"""Win rates by hand and against published leaderboards."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.errors import JudgementError
from bayeseval.frequentist import win_rates
from bayeseval.judgements import PairwiseJudgements, StrengthJudgements
from tests.frequentist.tables import counts, ratings
from tests.papers import script


def test_ties_count_half_and_opponents_alike() -> None:
    table = win_rates(counts([("A", "B", 3, 0, 1), ("C", "A", 1, 1, 2)])).table.set_index("system")
    a = table.loc["A"].to_dict()
    assert (a["n"], a["wins"], a["ties"], a["losses"]) == (8, 4, 3, 1)
    assert a["win_rate"] == pytest.approx(5.5 / 8)
    assert a["mean_over_opponents"] == pytest.approx((3.5 / 4 + 2 / 4) / 2)
    scores = [1, 1, 1, 0.5, 0, 1, 0.5, 0.5]
    assert a["se"] == pytest.approx(np.std(scores, ddof=1) / np.sqrt(8))


def test_wins_and_losses_balance_over_all_systems(shared_data: Path) -> None:
    frame = pd.read_csv(shared_data / "llmfao" / "llmfao.csv")
    table = PairwiseJudgements.from_frame(
        frame, annotator="worker", system_a="left", system_b="right", outcome="winner",
        outcomes={"left": "a", "right": "b", "tie": "tie"}, item="id", repeats=True,
    )  # fmt: skip
    found = win_rates(table).table.set_index("system")
    assert found["wins"].sum() == found["losses"].sum() == 2911 + 2549
    assert found["ties"].sum() == 2 * 3471
    golden = pd.read_csv(shared_data / "llmfao" / "llmfao-golden.csv")
    golden = golden[golden["algorithm"] == "average_win_rate"].set_index("item")["score"]
    np.testing.assert_allclose(found["mean_over_opponents"][golden.index], golden, rtol=1e-12)


def test_mtbench_win_rates_are_the_known_ones(shared_data: Path) -> None:
    example = script("papers_mtbench")
    human = win_rates(example.votes(example.read(shared_data, "human"))).table
    assert human.set_index("system")["win_rate"].round(4).to_dict() == {
        "gpt-4": 0.7328, "gpt-3.5-turbo": 0.6519, "claude-v1": 0.6501,
        "vicuna-13b-v1.2": 0.4801, "alpaca-13b": 0.2868, "llama-13b": 0.1542,
    }  # fmt: skip


def test_a_system_that_always_wins_has_no_interval() -> None:
    row = win_rates(counts([("A", "B", 4, 0, 0)])).table.iloc[0]
    assert row["win_rate"] == 1.0
    assert row[["lower", "upper", "t", "p"]].isna().all()


def test_strengths_count_by_their_sign() -> None:
    frame = pd.DataFrame({"w": list("pqr"), "a": "A", "b": "B", "x": [3, 0, -1]})
    table = StrengthJudgements.from_frame(
        frame, annotator="w", system_a="a", system_b="b", strength="x", bounds=3, positive="a"
    )
    assert win_rates(table).table["win_rate"].tolist() == [0.5, 0.5]


def test_ratings_are_refused_in_words() -> None:
    with pytest.raises(JudgementError, match="comparisons of two systems"):
        win_rates(ratings([[1, 2]]))


def _votes(rows: list[tuple[str, str, str, str]]) -> PairwiseJudgements:
    frame = pd.DataFrame(rows, columns=["who", "a", "b", "outcome"])
    return PairwiseJudgements.from_frame(
        frame, annotator="who", system_a="a", system_b="b", outcome="outcome", repeats=True
    )


def test_errors_allow_for_annotators_with_several_comparisons() -> None:
    """R: sandwich::vcovCL(lm(y ~ 1), ~who, type = "HC0", cadjust = TRUE)."""
    won = {"p": "aaaa", "q": "bbbb", "r": "aaab", "s": "aabb", "t": "abab", "u": "aaaa"}
    found = win_rates(_votes([(w, "A", "B", o) for w, all_of in won.items() for o in all_of]))
    row: Any = found.table.set_index("system").loc["A"]
    mean = 15 / 24
    sums = np.array([all_of.count("a") - 4 * mean for all_of in won.values()])
    se = np.sqrt(6 / 5 * (sums**2).sum()) / 24
    assert se == pytest.approx(0.154784796842, rel=1e-10)
    assert row["win_rate"] == pytest.approx(mean)
    assert row["se"] == pytest.approx(se)
    assert row["p"] == pytest.approx(2 * stats.t.sf((mean - 0.5) / se, 5))
    assert "clustered by annotator" in " ".join(repr(found).split())


def test_errors_of_four_annotators_take_comparisons_as_independent_and_say_so() -> None:
    found = win_rates(_votes([(w, "A", "B", o) for w in "pqrs" for o in "aab"]))
    assert found.table["se"][0] == pytest.approx(np.std([1, 1, 0] * 4, ddof=1) / np.sqrt(12))
    assert "4 annotators are too few" in " ".join(repr(found).split())
