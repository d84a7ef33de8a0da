import numpy as np
import pytest
from arviz_stats.base.array import BaseArray

from bayeseval.comparison import _intervals
from bayeseval.comparison._intervals import interval


@pytest.mark.parametrize("n_draws", [1, 2, 7, 400])
@pytest.mark.parametrize("ci_prob", [0.5, 0.89, 0.95])
def test_intervals_are_those_of_numpy_and_arviz(
    n_draws: int, ci_prob: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = np.random.default_rng(n_draws).gamma(1.0, size=(n_draws, 5, 3)).round(2)
    # Several blocks, the last of them short.
    monkeypatch.setattr(_intervals, "MOST_VALUES", 4 * n_draws)
    tail = (1 - ci_prob) / 2
    expected = np.quantile(draws, [tail, 1 - tail], axis=0)
    np.testing.assert_allclose(interval(draws, ci_prob=ci_prob, ci_kind="eti"), expected)
    if n_draws > 2:
        ends = BaseArray().hdi(np.moveaxis(draws, 0, -1), prob=ci_prob, axis=-1)
        found = np.stack(interval(draws, ci_prob=ci_prob, ci_kind="hdi"), axis=-1)
        np.testing.assert_array_equal(found, ends)


def test_an_interval_leaves_the_draws_as_they_were() -> None:
    draws = np.asfortranarray(np.random.default_rng(1).normal(size=(50, 4)))
    before = draws.copy()
    interval(draws, ci_prob=0.9, ci_kind="eti")
    np.testing.assert_array_equal(draws, before)


@pytest.mark.parametrize("ci_kind", ["eti", "hdi"])
def test_the_interval_of_nothing_known_is_missing(ci_kind: _intervals.IntervalKind) -> None:
    draws = np.random.default_rng(1).normal(size=(50, 3))
    draws[:, 1] = np.nan
    for ends in interval(draws, ci_prob=0.9, ci_kind=ci_kind):
        assert np.isnan(ends).tolist() == [False, True, False]
