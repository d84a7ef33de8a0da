"""Predictive checks by system, item and annotator, which can fail where the margin cannot."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from bayeseval.comparison import compare
from bayeseval.frequentist import filter_effect
from bayeseval.judgements import (
    LikertJudgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)
from bayeseval.reporting._predictive import grouped_checks, overall_shares, simulate_answers
from bayeseval.reporting.plots import plot_comparison, plot_filter_effect
from tests.fakes import FakePosterior, make_posterior


class Shuffled(FakePosterior):
    """Predict each row by an answer of another row: the margin fits, and nothing else does."""

    def predictive(
        self, judgements: Any, *, draws: int = 200, random_seed: int = 0, coded: bool = False
    ) -> xr.DataArray:
        rng = np.random.default_rng(random_seed)
        return xr.DataArray(
            rng.permuted(np.tile(judgements.answers, (draws, 1)), axis=1), dims=("sample", "row")
        )


@pytest.fixture
def shuffled() -> Shuffled:
    return Shuffled(make_posterior([0.0]).variables)


def ratings(shift_of_system: int, shift_of_item: int) -> LikertJudgements:
    rng = np.random.default_rng(4)
    rows = [
        {
            "annotator": f"a{a}",
            "system": f"s{s}",
            "item": f"i{i}",
            "rating": int(
                np.clip(rng.integers(2, 5) + s * shift_of_system + (i % 2) * shift_of_item, 1, 5)
            ),
        }
        for a in range(8)
        for s in range(2)
        for i in range(10)
    ]
    return LikertJudgements.from_frame(
        pd.DataFrame(rows),
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        scale=(1, 5),
    )


@pytest.mark.parametrize(
    ("shifts", "failing"),
    [((0, 0), set()), ((1, 0), {"system", "system and item"}), ((0, -1), {"item"})],
)
def test_a_missing_effect_fails_where_it_acts_although_the_margin_fits(
    shuffled: Shuffled, shifts: tuple[int, int], failing: set[str]
) -> None:
    judgements = ratings(*shifts)
    answers = simulate_answers(shuffled, judgements, draws=300, random_seed=1)
    rows = np.ones(judgements.n_rows, dtype=bool)
    assert overall_shares(answers, judgements, rows).p_value > 0.9
    found = {one.name: one for one in grouped_checks(answers, judgements, rows)}
    assert set(found) == {"system", "item", "annotator", "system and item"}
    assert found["item"].n_groups == 10
    failed = {name for name, one in found.items() if one.p_value < 0.01}
    assert failing <= failed
    assert failed <= failing | ({"system and item"} if failing else set())
    if shifts == (0, -1):
        assert {label for label, _, _ in found["item"].worst} < {f"i{i}" for i in range(10)}


def pairs(**answer: Any) -> pd.DataFrame:
    frame = pd.DataFrame(answer)
    frame["a"], frame["b"] = "X", "Y"
    frame["who"] = [f"w{i}" for i in range(len(frame))]
    return frame


PAIR: dict[str, Any] = {"annotator": "who", "system_a": "a", "system_b": "b"}


def test_outcomes_are_named_and_grades_keep_their_scale(shuffled: Shuffled) -> None:
    votes = PairwiseJudgements.from_frame(pairs(o=["a", "b", "tie", "a"]), outcome="o", **PAIR)
    found = simulate_answers(shuffled, votes, draws=5, random_seed=1)
    assert found.labels == ("first better", "tie", "second better")
    assert found.observed.tolist() == [0, 2, 1, 0]
    votes = PairwiseJudgements.from_frame(pairs(o=["a", "b", "a"]), outcome="o", **PAIR)
    found = simulate_answers(shuffled, votes, draws=5, random_seed=1)
    assert found.labels == ("first better", "second better")
    grades = StrengthJudgements.from_frame(
        pairs(s=[-3, 0, 2, 3, -1]), strength="s", bounds=3, positive="a", **PAIR
    )
    found = simulate_answers(shuffled, grades, draws=5, random_seed=1)
    assert found.labels == ("−3", "−2", "−1", "0", "1", "2", "3")


def test_numbers_are_sorted_into_bins_of_their_own_scale(shuffled: Shuffled) -> None:
    rng = np.random.default_rng(1)
    stated = SPAJudgements.from_frame(
        pairs(p=rng.uniform(0.4, 0.6, 60)), probability="p", bounds=(0, 1), **PAIR
    )
    found = simulate_answers(shuffled, stated, draws=5, random_seed=1)
    assert (found.labels[0], found.labels[-1]) == ("0.025", "0.975")
    assert set(found.observed) <= {7, 8, 9, 10, 11, 12}
    frame = pd.DataFrame(
        {
            "who": [f"w{i}" for i in range(62)],
            "s": ["X", "Y"] * 31,
            "m": [0.0, 0.0, *np.geomspace(1, 10_000, 60)],
        }
    )
    magnitudes = MagnitudeJudgements.from_frame(
        frame, annotator="who", system="s", magnitude="m", reference=100, zeros="censor"
    )
    found = simulate_answers(shuffled, magnitudes, draws=5, random_seed=1)
    assert found.labels[0] == "0"
    assert np.bincount(found.observed).tolist() == [2, *[3] * 20]
    middles = np.array([float(label) for label in found.labels[1:]])
    np.testing.assert_allclose(middles[1:] / middles[:-1], 10_000 ** (1 / 20), rtol=0.02)


def test_axes_of_probabilities_stay_within_0_and_1() -> None:
    frame = pd.concat([pairs(p=[0.9, 0.1]), pairs(p=[0.2, 0.9]).assign(a="Y", b="X")])
    stated = SPAJudgements.from_frame(frame, probability="p", bounds=(0, 1), **PAIR)
    for figure in (
        plot_filter_effect(filter_effect(stated)),
        plot_comparison(compare(make_posterior([3.0, 0.0, -3.0]))),
    ):
        low, high = figure.axes[0].get_xlim()
        assert 0 <= low < high <= 1
