"""The density of the ordered beta: what it sums to, mirrors, stays finite at, and stops at."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import digamma as scipy_digamma
from scipy.special import expit, gammaln, logit
from scipy.stats import beta as beta_distribution

from bayeseval.families._gamma_kernel import log_gamma
from bayeseval.families.engine.loading import kernel_module


def log_density(
    y: np.ndarray,
    *,
    difference: float = 0.0,
    end: float = 0.1,
    bias: float = 0.0,
    log_extremity: float = 0.0,
    log_precision: float = 1.5,
    resolution: float = 0.0,
) -> np.ndarray:
    inside = (y > 0) & (y < 1)
    held = np.where(inside, y, 0.5)
    answer = np.stack(
        [
            np.where(inside, 0.0, np.where(y > 0, 1.0, -1.0)),
            np.where(inside, np.log(held), 0.0),
            np.where(inside, np.log1p(-held), 0.0),
        ]
    )
    predictors = np.repeat([[difference], [log_extremity], [0.0]], y.size, axis=1)
    log_p, bar, scalars_bar = np.empty(y.size), np.empty_like(predictors), np.zeros((1, 3))
    kernel_module("_pymc_ordered_beta", "stated_probability").kernel(
        predictors,
        answer,
        np.zeros(y.size, dtype=np.int32),
        np.array([[end, log_precision, bias]]),
        np.array([0.0, 1.0, 2.0, resolution]),
        log_p,
        bar,
        scalars_bar,
        np.ones(y.size),
    )
    assert np.isfinite(bar).all()
    assert np.isfinite(scalars_bar).all()
    return log_p


@pytest.mark.parametrize("difference", [-6.0, -0.4, 0.0, 2.5])
def test_probabilities_of_the_ends_and_the_density_between_sum_to_one(difference: float) -> None:
    def density(y: float) -> float:
        return float(np.exp(log_density(np.array([y]), difference=difference)[0]))

    between = quad(density, 0, 1, limit=200)[0]
    at_0, at_1 = np.exp(log_density(np.array([0.0, 1.0]), difference=difference))
    assert between + at_0 + at_1 == pytest.approx(1.0, abs=1e-6)


def test_density_between_the_ends_is_a_beta_and_the_ends_are_as_stated() -> None:
    y = np.array([0.02, 0.4, 0.97])
    end, e, phi, stretch = 0.07, 0.8, np.exp(1.5), np.exp(0.3)
    kappa = -logit(end / 2)
    eta = stretch * e + 0.2
    share = expit(eta + kappa) - expit(eta - kappa)
    expected = np.log(share) + beta_distribution.logpdf(y, expit(eta) * phi, expit(-eta) * phi)
    given: Any = {"difference": e, "end": end, "bias": 0.2, "log_extremity": 0.3}
    np.testing.assert_allclose(log_density(y, **given), expected, rtol=1e-12)
    ends = log_density(np.array([0.0, 1.0]), **given)
    np.testing.assert_allclose(np.exp(ends), [1 - expit(eta + kappa), expit(eta - kappa)])
    # Between equal systems both ends together have the chance that the parameter names.
    assert np.exp(log_density(np.array([0.0, 1.0]), end=end)).sum() == pytest.approx(end)


def test_swapping_the_systems_mirrors_the_answer() -> None:
    y = np.array([0.0, 1.0, 0.25, 0.5, 0.875])
    there = log_density(y, difference=1.3, log_extremity=-0.4)
    back = log_density(1 - y, difference=-1.3, log_extremity=-0.4)
    np.testing.assert_allclose(there, back, rtol=1e-13)


@pytest.mark.parametrize("difference", [-900.0, -40.0, 40.0, 900.0])
def test_density_is_finite_far_out(difference: float) -> None:
    y = np.array([0.0, 1e-12, 0.5, 1 - 1e-12, 1.0])
    found = log_density(y, difference=difference)
    assert np.isfinite(found).all()
    assert found[0 if difference < 0 else -1] == pytest.approx(0.0, abs=1e-10)


def test_repeated_numbers_do_not_push_the_density_without_limit() -> None:
    y = np.array([0.5])
    free = [log_density(y, log_precision=level)[0] for level in (8.0, 30.0)]
    held = [log_density(y, log_precision=level, resolution=0.01)[0] for level in (20.0, 30.0)]
    assert free[1] > free[0] + 10
    assert held[1] == pytest.approx(held[0], abs=1e-3)
    # The density of a normal with a standard deviation of one hundredth.
    share = 0.9
    assert held[1] == pytest.approx(np.log(share / (0.01 * np.sqrt(2 * np.pi))), abs=0.01)


def test_log_gamma_and_its_slope_are_those_of_scipy() -> None:
    x = np.concatenate([np.geomspace(1e-8, 1e8, 400), [1e-300, 1.0, 2.0, 8.0]])
    value, slope = np.array([log_gamma(v) for v in x]).T
    np.testing.assert_allclose(value, gammaln(x), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(slope, scipy_digamma(x), rtol=1e-12, atol=1e-13)
