"""What is said of a posterior over studies whose posterior is known: calibrated, in range."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bayeseval.comparison import compare, compare_posteriors, rank
from tests.benchmarks import posteriors
from tests.fakes import FakePosterior, make_posterior

N_STUDIES = 30

PROBABILITIES = (
    "p_best", "p_top_3", "p_better_than_next", "p_a_better", "p_better", "p_in_rope",
    "p_above_rope", "p_below_rope",
)  # fmt: skip


def _check(n_studies: int, first_seed: int) -> None:
    probabilities, intervals = posteriors.measure(n_studies, first_seed)
    assert len(probabilities) == 9
    assert len(intervals) == 11
    wrong = {one.name: one.verdict for one in (*probabilities, *intervals) if one.verdict}
    assert not wrong


def test_probabilities_come_true_and_intervals_hold_as_often_as_they_say() -> None:
    _check(N_STUDIES, first_seed=10_000)


@pytest.mark.calibration
def test_probabilities_come_true_over_many_studies() -> None:
    _check(posteriors.N_STUDIES, first_seed=20_000)


def _of(draws: Any) -> FakePosterior:
    """Return a posterior with these draws of two systems, dims (draw, system)."""
    values = np.asarray(draws, dtype=float)[None]
    posterior = make_posterior([0.0] * values.shape[2], draws=2)
    quality = posterior.quality.isel(chain=[0], draw=[0] * values.shape[1]).copy(data=values)
    return posterior.but(variables={"quality": quality})


DEGENERATE: dict[str, Callable[[], FakePosterior]] = {
    "one draw": lambda: _of([[0.3, -0.3]]),
    "two draws": lambda: _of([[0.3, -0.3], [-0.1, 0.1]]),
    "equal draws": lambda: _of([[0.3, -0.3]] * 50),
    "ties in every draw": lambda: _of([[0.2, 0.2]] * 50),
    "far apart": lambda: _of(np.random.default_rng(0).normal([1e6, -1e6], 1.0, (50, 2))),
    "tiny": lambda: _of(np.random.default_rng(0).normal(0, 1e-12, (50, 2))),
    "heavy tails": lambda: _of(np.random.default_rng(0).standard_cauchy((200, 3))),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("ci_kind", ["eti", "hdi"])
def test_numbers_are_ordered_and_in_range(name: str, ci_kind: Any) -> None:
    posterior = DEGENERATE[name]()
    ranked = rank(posterior, ci_kind=ci_kind).parts[0]
    compared = compare(posterior, rope=(0.45, 0.55), ci_kind=ci_kind).table
    by_quality = compare(posterior, quantity="quality", ci_kind=ci_kind).table
    several = compare_posteriors({"one": posterior, "two": posterior}, ci_kind=ci_kind).table
    for table in (ranked.table, compared, by_quality, several):
        _in_order(table)
    n = len(posterior.systems)
    assert ranked.table["p_best"].sum() == pytest.approx(1)
    assert ranked.table["expected_rank"].sum() == pytest.approx(n * (n + 1) / 2)
    assert (ranked.table["rank_lower"] >= 1).all()
    assert (ranked.table["rank_upper"] <= n).all()
    assert compared["lower"].ge(0).all()
    assert compared["upper"].le(1).all()
    parts = compared["p_in_rope"] + compared["p_above_rope"] + compared["p_below_rope"]
    np.testing.assert_allclose(parts, 1)


def _in_order(table: pd.DataFrame) -> None:
    for column in PROBABILITIES:
        if column in table:
            assert table[column].dropna().between(0, 1).all(), column
    for prefix in ("", "rank_", "quality_", "posterior_"):
        if f"{prefix}lower" in table:
            assert (table[f"{prefix}lower"] <= table[f"{prefix}upper"]).all(), prefix
