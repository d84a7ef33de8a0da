"""Smoothed importance weights: against ArviZ, known shapes, and weights that say nothing."""

import numpy as np
import pytest
from arviz_stats.base import array_stats

from bayeseval.inference._pareto import pareto_fit, pareto_quantile, smoothed


@pytest.mark.parametrize("n", [30, 225, 400, 4000])
@pytest.mark.parametrize("shape", [-0.5, 0.0, 0.3, 0.9, 1.5])
def test_shape_and_weights_are_those_of_arviz(n: int, shape: float) -> None:
    rng = np.random.default_rng(n)
    uniform = rng.random(n)
    log_ratio = rng.normal() + (-shape * np.log(uniform) if shape else np.log(uniform + 1.0))
    k, weight = smoothed(log_ratio)
    # ArviZ takes the log likelihood that leave-one-out divides by: minus the log weight.
    log_weight, expected = array_stats.psislw(log_ratio.max() - log_ratio)
    assert k == pytest.approx(float(expected), rel=1e-9)
    np.testing.assert_allclose(weight, np.exp(log_weight), rtol=1e-9)


def test_shape_is_that_of_known_weights() -> None:
    # Weights u^(-k) of uniform u have a tail of shape k.
    uniform = np.random.default_rng(4).random(20_000)
    for k in (0.2, 0.5, 0.9):
        found, weight = smoothed(-k * np.log(uniform))
        assert found == pytest.approx(k, abs=0.1)
        assert weight.sum() == pytest.approx(1.0)
        assert (np.diff(weight[np.argsort(uniform)]) <= 1e-12).all()


def test_shape_and_scale_are_those_of_a_known_distribution() -> None:
    probability = (np.arange(50_000) + 0.5) / 50_000
    for k in (-0.3, 0.0, 0.7):
        found, scale = pareto_fit(pareto_quantile(probability, k, 2.0))
        assert found == pytest.approx(k, abs=0.01)
        assert scale == pytest.approx(2.0, rel=0.02)


@pytest.mark.parametrize("log_ratio", [np.zeros(400), np.linspace(0.0, 1.0, 24)])
def test_weights_that_say_nothing_of_a_tail_have_no_shape(log_ratio: np.ndarray) -> None:
    k, weight = smoothed(log_ratio)
    assert np.isnan(k)
    np.testing.assert_allclose(weight, np.exp(log_ratio) / np.exp(log_ratio).sum())


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
def test_a_weight_that_is_no_number_is_never_trusted(broken: float) -> None:
    log_ratio = np.zeros(400)
    log_ratio[3] = broken
    k, weight = smoothed(log_ratio)
    assert k == np.inf
    np.testing.assert_allclose(weight, 1.0 / 400)
