import numpy as np
import pytest
import xarray as xr

from bayeseval.comparison import rank
from bayeseval.reporting._words import answer, leaders, listed
from tests.fakes import make_posterior


def words(means: list[float], sd: float) -> list[str]:
    systems = tuple("XYZUVW"[: len(means)])
    ranking = rank(make_posterior(means, sd, systems=systems, draws=4000))
    return answer(ranking, ranking.parts[0])


def test_certain_winner_is_named() -> None:
    first = words([2.0, 0.0, -0.01], 0.1)
    assert first[0] == "X is the best of the 3 systems, with probability >0.99."
    assert any(s.startswith("Y and Z cannot be told apart (probability 0.5") for s in first)
    assert "Tiers: X above Y and Z." in first


def test_likely_winner_comes_with_the_rivals() -> None:
    first = words([0.2, 0.0, -2.0], 0.15)[0]
    assert first.startswith("X is ranked first with probability 0.8")
    assert "Others that may be first: Y (0.1" in first
    assert "Z" not in first


def test_no_clear_winner_is_said() -> None:
    sentences = words([0.02, 0.01, 0.0, -0.01], 0.5)
    assert sentences[0].startswith("No system is clearly the best")
    assert sentences[-1] == ("None of the 6 pairs can be told apart (probability at least 0.95).")
    assert len(sentences) == 2


def test_one_system_is_not_ranked() -> None:
    assert words([0.0], 1.0) == ["There is one system, X: there is nothing to rank."]


def test_two_systems_are_told_apart_or_not() -> None:
    assert words([1.0, -1.0], 0.1)[-1].startswith("The two systems can be told apart")
    assert words([0.0, 0.0], 0.1)[-1].startswith("The two systems cannot be told apart")


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (["A"], "A"),
        (["A", "B"], "A and B"),
        (list("ABCDE"), "A, B, C, D and E"),
        (list("ABCDEF"), "A, B, C, D and 2 more"),
    ],
)
def test_labels_are_joined(labels: list[str], text: str) -> None:
    assert listed(labels) == text


def test_leaders_of_several_criteria_are_one_sentence() -> None:
    means = np.array([[2.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    draws = np.broadcast_to(means.T, (2, 50, 2, 3)) + np.zeros((2, 50, 1, 1))
    quality = xr.DataArray(
        draws,
        dims=("chain", "draw", "system", "criterion"),
        coords={"system": ["X", "Y"], "criterion": ["clear", "true", "short"]},
    )
    ranking = rank(make_posterior([0.0, 1.0]).but(variables={"quality": quality}))
    assert leaders(ranking) == "Ranked first: X on clear and true; Y on short."


def test_labels_are_cut_and_a_right_to_left_one_does_not_turn_the_sentence() -> None:
    systems = ("שלום", "long " * 100)
    ranking = rank(make_posterior([0.1, 0.0], 0.5, systems=systems))
    first = answer(ranking, ranking.parts[0])[0]
    assert "שלום\u200e" in first
    assert "…" in first
    assert len(first) < 250


def test_words_agree_with_the_table() -> None:
    ranking = rank(make_posterior(np.linspace(1, -1, 8), 0.2))
    sentence = answer(ranking, ranking.parts[0])[0]
    best = ranking.to_frame()["p_best"].max()
    assert f"{best:.2f}" in sentence or ">0.99" in sentence
