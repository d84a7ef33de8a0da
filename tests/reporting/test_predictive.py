from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from bayeseval.judgements import LikertJudgements
from bayeseval.reporting._predictive import (
    annotator_shares,
    overall_shares,
    simulate_answers,
)
from tests.fakes import FakePosterior, make_posterior


class Fixed(FakePosterior):
    """A posterior that predicts ratings of 1 and 2 with equal chance, whatever was asked."""

    def predictive(
        self, judgements: Any, *, draws: int = 200, random_seed: int = 0, coded: bool = False
    ) -> xr.DataArray:
        rng = np.random.default_rng(random_seed)
        codes = rng.integers(0, 2, size=(draws, judgements.n_rows))
        return xr.DataArray(codes, dims=("sample", "row"))


def judgements_of(
    answers: dict[str, list[int]], counts: list[int] | None = None
) -> LikertJudgements:
    rows = [
        {"annotator": name, "system": "s", "item": str(i), "rating": rating}
        for name, ratings in answers.items()
        for i, rating in enumerate(ratings)
    ]
    frame = pd.DataFrame(rows)
    if counts is not None:
        frame["n"] = counts
    return LikertJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        count=None if counts is None else "n",
        scale=(1, 3),
    )


@pytest.fixture
def fixed() -> Fixed:
    return Fixed(make_posterior([0.0]).variables)


def test_annotators_who_answer_otherwise_come_first_with_a_small_p(fixed: Fixed) -> None:
    judgements = judgements_of({"ordinary": [1, 2] * 15, "odd": [1] * 28 + [2] * 2})
    answers = simulate_answers(fixed, judgements, draws=400, random_seed=1)
    rows = np.ones(judgements.n_rows, dtype=bool)
    odd, ordinary = annotator_shares(answers, judgements, rows)
    assert (odd.name, ordinary.name) == ("odd", "ordinary")
    assert odd.p_value < 0.01
    assert ordinary.p_value == 1.0


def test_a_category_that_the_model_never_predicts_is_a_bad_fit(fixed: Fixed) -> None:
    judgements = judgements_of({"a": [1, 2, 1, 2, 3]})
    answers = simulate_answers(fixed, judgements, draws=400, random_seed=1)
    shares = overall_shares(answers, judgements, np.ones(5, dtype=bool))
    assert shares.p_value < 0.01
    assert shares.observed.tolist() == pytest.approx([0.4, 0.4, 0.2])


def test_p_values_are_uniform_where_the_model_is_right(fixed: Fixed) -> None:
    rng = np.random.default_rng(5)
    names = {f"a{i}": (1 + rng.integers(0, 2, size=60)).tolist() for i in range(200)}
    judgements = judgements_of(names)
    answers = simulate_answers(fixed, judgements, draws=300, random_seed=2)
    p = np.array(
        [s.p_value for s in annotator_shares(answers, judgements, np.ones(12_000, dtype=bool))]
    )
    # Discrete, hence not below uniform: a p of 0.1 or less in no more than about a tenth.
    assert 0.03 < (p <= 0.1).mean() < 0.17
    assert 0.4 < p.mean() < 0.65


def test_counts_weigh_the_observed_shares(fixed: Fixed) -> None:
    judgements = judgements_of({"a": [1, 2]}, counts=[3, 1])
    answers = simulate_answers(fixed, judgements, draws=10, random_seed=1)
    shares = overall_shares(answers, judgements, np.ones(2, dtype=bool))
    assert sorted(shares.observed.tolist()) == pytest.approx([0, 0.25, 0.75])
    assert shares.n_judgements == 4
