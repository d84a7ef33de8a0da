"""Relations that every ranking obeys, on generated comparisons and ratings."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayeseval.frequentist import bradley_terry_ml, rating_tests, spa_test, win_rates
from bayeseval.judgements import LikertJudgements, PairwiseJudgements, SPAJudgements

SYSTEMS = ("A", "B", "C", "D")


@st.composite
def comparisons(draw: st.DrawFn) -> pd.DataFrame:
    """Draw outcomes in which every system beat, lost to and tied with its neighbours."""
    numbers = st.integers(1, 12)
    rows = [
        (a, b, outcome, draw(numbers))
        for a, b in zip(SYSTEMS, (*SYSTEMS[1:], SYSTEMS[0]), strict=True)
        for outcome in ("a", "b", "tie")
    ]
    return pd.DataFrame(rows, columns=["x", "y", "o", "n"])


def _table(frame: pd.DataFrame) -> PairwiseJudgements:
    return PairwiseJudgements.from_frame(
        frame, annotator=None, system_a="x", system_b="y", outcome="o", count="n"
    )


@settings(max_examples=15, deadline=None)
@given(frame=comparisons(), ties=st.sampled_from(["davidson", "rao_kupper", "half", "drop"]))
def test_bradley_terry_follows_names_rows_sides_and_copies(frame: pd.DataFrame, ties: str) -> None:
    fitted = bradley_terry_ml(_table(frame), ties=ties)  # type: ignore[arg-type]
    worth = fitted.log_worth
    assert worth.sum() == pytest.approx(0, abs=1e-9)
    name = {"A": "z", "B": "y", "C": "x", "D": "w"}
    renamed = frame.assign(x=frame["x"].map(name), y=frame["y"].map(name)).iloc[::-1]
    other = bradley_terry_ml(_table(renamed), ties=ties).log_worth  # type: ignore[arg-type]
    swapped = frame.rename(columns={"x": "y", "y": "x"})
    swapped["o"] = swapped["o"].map({"a": "b", "b": "a", "tie": "tie"})
    mirrored = bradley_terry_ml(_table(swapped), ties=ties).log_worth  # type: ignore[arg-type]
    doubled = bradley_terry_ml(_table(frame.assign(n=2 * frame["n"])), ties=ties)  # type: ignore[arg-type]
    for system in SYSTEMS:
        assert other[name[system]] == pytest.approx(worth[system], abs=1e-8)
        assert mirrored[system] == pytest.approx(worth[system], abs=1e-8)
        assert doubled.log_worth[system] == pytest.approx(worth[system], abs=1e-8)
    one, two = (f.table.set_index("system")["se"] for f in (fitted, doubled))
    np.testing.assert_allclose(two[list(SYSTEMS)], one[list(SYSTEMS)] / np.sqrt(2), rtol=1e-6)


@settings(max_examples=15, deadline=None)
@given(frame=comparisons())
def test_expected_wins_of_the_fitted_model_are_the_observed(frame: pd.DataFrame) -> None:
    # The likelihood's equations: with ties as half, each system's expected score is its score.
    worth = bradley_terry_ml(_table(frame), ties="half").log_worth
    rates = win_rates(_table(frame)).table.set_index("system")
    expected = dict.fromkeys(SYSTEMS, 0.0)
    for x, y, n in zip(frame["x"], frame["y"], frame["n"], strict=True):
        p = 1 / (1 + np.exp(-(worth[x] - worth[y])))
        expected[x] += n * p
        expected[y] += n * (1 - p)
    for system in SYSTEMS:
        score = rates["win_rate"][system] * rates["n"][system]
        assert expected[system] == pytest.approx(score, abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(
    answers=st.lists(
        st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=12
    )
)
def test_swapping_systems_mirrors_the_t_test(answers: list[tuple[int, int, int]]) -> None:
    def tests(names: tuple[str, str, str]) -> pd.DataFrame:
        frame = pd.DataFrame(
            [
                (f"w{i}", s, r)
                for i, row in enumerate(answers)
                for s, r in zip(names, row, strict=True)
            ],
            columns=["w", "s", "r"],
        )
        table = LikertJudgements.from_frame(
            frame, annotator="w", system="s", rating="r", scale=(1, 5)
        )
        return rating_tests(table).table.set_index(["system_a", "system_b"])

    pair = ("A", "C")
    one, two = tests(("A", "B", "C")), tests(("C", "B", "A"))
    assert one["estimate"][pair] == pytest.approx(-two["estimate"][pair])
    for column in ("p", "p_corrected"):
        assert one[column][pair] == pytest.approx(two[column][pair], nan_ok=True)


@settings(max_examples=20, deadline=None)
@given(p=st.lists(st.sampled_from([0.0, 0.1, 0.35, 0.5, 0.8, 1.0]), min_size=2, max_size=15))
def test_the_other_direction_of_spa_is_the_complement(p: list[float]) -> None:
    def test(a: str, b: str, values: list[float]) -> pd.Series:
        frame = pd.DataFrame({"w": range(len(values)), "a": a, "b": b, "p": values})
        table = SPAJudgements.from_frame(
            frame, annotator="w", system_a="a", system_b="b", probability="p", bounds=(0, 1)
        )
        return spa_test(table).table.iloc[0]

    one, two = test("A", "B", p), test("B", "A", [1 - x for x in p])
    assert one["mean"] == pytest.approx(1 - two["mean"])
    assert one["t"] == pytest.approx(-two["t"], nan_ok=True, abs=1e-6)
    assert (one["verdict"] == "A better") == (two["verdict"] == "B better")
