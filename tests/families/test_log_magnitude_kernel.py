"""The kernel of log magnitudes: formula, slopes, sums of probabilities, limits."""

from typing import Any

import numpy as np
import pytensor.tensor as pt
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

from tests.families.magnitudes import response_of


def kernel(
    response: Any, predictors: np.ndarray, answer: np.ndarray, scalars: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log probabilities, and slopes by predictors and by parameters, one criterion."""
    n = answer.shape[1]
    log_p, bar = np.empty(n), np.empty_like(predictors)
    scalars_bar = np.zeros((1, scalars.size))
    response.kernel(
        predictors,
        answer,
        np.zeros(n, dtype=np.int32),
        scalars[None],
        response.options,
        log_p,
        bar,
        scalars_bar,
        np.ones(n),
    )
    return log_p, bar, scalars_bar[0]


def random_cells(
    rng: np.random.Generator, n: int, spread: float, *, sides: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    what = rng.choice([-2.0, -1.0, 0.0, 1.0], n)
    ratio = np.where(what == 0, 0.0, np.sign(what) * rng.gamma(0.7, 1.0, n))
    if not sides:
        what = np.where(what == -2, what, 1.0)
    # Bands and spreads are logs: as far out as they are here, they cover six orders.
    scale = np.array([spread, spread, spread, 1.0, 1.0, 0.7])[:, None]
    return rng.normal(size=(6, n)) * scale, np.stack([what, ratio])


@pytest.mark.parametrize("sides", [True, False])
@pytest.mark.parametrize("spread", [0.5, 3.0])
def test_kernel_is_the_formula_in_pytensor(sides: bool, spread: float) -> None:
    rng = np.random.default_rng(3)
    response = response_of(sides=sides)
    for df in (0.7, 3.0, 40.0):
        predictors, answer = random_cells(rng, 60, spread, sides=sides)
        scalars = np.array([0.2, -1.3, df, -0.4, -0.9, 0.3])[: len(response.scalars)]
        found, _, _ = kernel(response, predictors, answer, scalars)
        by_name = {
            scalar.name: pt.as_tensor(np.full(60, value))
            for scalar, value in zip(response.scalars, scalars, strict=True)
        }
        formula = response.log_probability(
            [pt.as_tensor(row) for row in predictors],
            by_name,
            [pt.as_tensor(row) for row in answer],
        )
        np.testing.assert_allclose(found, formula.eval(), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("sides", [True, False])
def test_slopes_are_those_of_the_value(sides: bool) -> None:
    rng = np.random.default_rng(4)
    response = response_of(sides=sides)
    predictors, answer = random_cells(rng, 40, 1.0, sides=sides)
    scalars = np.array([0.2, -1.3, 4.0, -0.4, -0.9, 0.3])[: len(response.scalars)]
    _, bar, scalars_bar = kernel(response, predictors, answer, scalars)
    step = 1e-6
    for row in range(6):
        moved = np.zeros_like(predictors)
        moved[row] = step
        ahead, _, _ = kernel(response, predictors + moved, answer, scalars)
        behind, _, _ = kernel(response, predictors - moved, answer, scalars)
        np.testing.assert_allclose(bar[row], (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-6)
    for position in range(scalars.size):
        moved = np.zeros_like(scalars)
        moved[position] = step
        ahead, _, _ = kernel(response, predictors, answer, scalars + moved)
        behind, _, _ = kernel(response, predictors, answer, scalars - moved)
        numeric = (ahead - behind).sum() / (2 * step)
        assert scalars_bar[position] == pytest.approx(numeric, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("sides", [True, False])
@pytest.mark.parametrize("order", ["sorted", "mixed"])
def test_cells_by_the_block_are_cells_one_by_one(order: str, sides: bool) -> None:
    rng = np.random.default_rng(6)
    response = response_of(sides=sides)
    n, n_scalars = 700, len(response.scalars)
    predictors, answer = random_cells(rng, n, 1.0, sides=sides)
    predictors[4, ::7] -= 13.0  # Bands of a hundred thousandth and below.
    criterion = rng.integers(0, 2, n).astype(np.int32)
    if order == "sorted":
        criterion.sort()
    scalars = np.array([[0.2, -1.3, 4.0, -0.4, -0.9, 0.3], [0.0, -1.0, 9.0, 0.1, -0.5, 0.0]])
    scalars, count = scalars[:, :n_scalars], rng.integers(1, 4, n).astype(float)
    log_p, bar = np.empty(n), np.empty_like(predictors)
    scalars_bar = np.ones_like(scalars)
    response.kernel(
        predictors, answer, criterion, scalars, response.options, log_p, bar, scalars_bar, count
    )
    expected = np.ones_like(scalars)
    for i in range(n):
        cell = slice(i, i + 1)
        value, slopes, of_scalars = kernel(
            response, predictors[:, cell].copy(), answer[:, cell].copy(), scalars[criterion[i]]
        )
        assert log_p[i] == pytest.approx(value[0], rel=1e-12, abs=1e-13)
        np.testing.assert_allclose(bar[:, i], count[i] * slopes[:, 0], rtol=1e-12, atol=1e-12)
        expected[criterion[i]] += count[i] * of_scalars
    np.testing.assert_allclose(scalars_bar, expected, rtol=1e-10)


@pytest.mark.parametrize("impression", [-2.0, 0.1, 3.0])
@pytest.mark.parametrize("modulus", [-0.5, 0.4])
def test_probabilities_of_all_answers_sum_to_one(impression: float, modulus: float) -> None:
    response = response_of(sides=True)
    scalars = np.array([0.0, -0.7, 2.5, 0.3, -0.5, -0.2])
    predictors = np.array([[impression, 0.2, modulus, 0.1, -0.3, 0.2]]).T

    def density(ratio: float) -> float:
        what = float(np.sign(ratio))
        log_p, _, _ = kernel(response, predictors, np.array([[what], [ratio]]), scalars)
        return float(np.exp(log_p[0]))

    below = quad(density, -np.inf, -1e-12, limit=200)[0]
    above = quad(density, 1e-12, np.inf, limit=200)[0]
    assert below + density(0.0) + above == pytest.approx(1.0, abs=1e-6)
    # A censored answer has the mass below its limit.
    limit = -0.8
    cell = np.array([[-2.0], [limit]])
    log_p, _, _ = kernel(response, predictors, cell, scalars)
    assert float(np.exp(log_p[0])) == pytest.approx(quad(density, -np.inf, limit)[0], abs=1e-6)


def test_turning_the_scale_over_mirrors_the_answers() -> None:
    rng = np.random.default_rng(5)
    response = response_of(sides=True)
    predictors, answer = random_cells(rng, 50, 1.0)
    answer[0] = np.where(answer[0] == -2, -1.0, answer[0])
    scalars = np.array([0.2, -1.3, 4.0, -0.4, -0.9, 0.3])
    found, _, _ = kernel(response, predictors, answer, scalars)
    turned = predictors * np.array([-1, -1, -1, 1, 1, 1])[:, None]
    mirrored, _, _ = kernel(response, turned, -answer, scalars * np.array([-1, 1, 1, -1, 1, 1]))
    np.testing.assert_allclose(found, mirrored, rtol=1e-12)


def test_impossible_answers_have_finite_slopes() -> None:
    response = response_of(sides=True)
    for size in (1e3, 1e12, 1e100):
        predictors = np.zeros((6, 6))
        predictors[0] = [-size, -size, -size, size, size, size]
        answer = np.array([[-1.0, 0.0, 1.0] * 2, [-0.1, 0.0, 0.1] * 2])
        log_p, bar, scalars_bar = kernel(
            response, predictors, answer, np.array([0.0, -1.0, 5.0, 0.1, -1.0, 0.2])
        )
        assert np.isfinite(log_p).all()
        assert np.isfinite(bar).all()
        assert np.isfinite(scalars_bar).all()
        assert (log_p[[1, 2, 3, 4]] < -0.4 * min(size, 1e9) ** 2).all()


def test_limits_are_the_normal_and_the_ordered_probit() -> None:
    plain = response_of(sides=False, resolution=0.0)
    predictors = np.zeros((6, 3))
    predictors[0] = [0.3, -1.0, 0.0]
    answer = np.array([[1.0, 1.0, 1.0], [0.9, -0.4, 0.0]])
    found, _, _ = kernel(plain, predictors, answer, np.array([0.1, np.log(0.6), 1e7]))
    expected = norm.logpdf(answer[1], 0.1 + predictors[0], 0.6)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    # Only the sides are left where the limit of a censored answer is the reference itself.
    sides = response_of(sides=True)
    scalars = np.array([0.2, -1.0, 5.0, 0.4, -1.0, np.log(0.7)])
    cells = np.array([[-2.0, 0.0], [0.0, 0.0]])
    found, _, _ = kernel(sides, predictors[:, :2], cells, scalars)
    u = 0.4 + predictors[0, :2]
    expected = np.log([ndtr(-0.7 - u[0]), ndtr(0.7 - u[1]) - ndtr(-0.7 - u[1])])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
