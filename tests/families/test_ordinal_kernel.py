"""The interval kernel against SciPy, in the middle and far in the tails."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr

from bayeseval.families._ordinal_kernel import (
    OPEN_END,
    interval_terms,
    ordinal_log_probability,
)


def evaluate(lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    size = lower.size
    log_p, by_lower, by_upper = np.empty(size), np.empty(size), np.empty(size)
    interval_terms(lower, upper, log_p, by_lower, by_upper, np.empty((4, size)), size)
    return log_p, by_lower, by_upper


def log_difference(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """log(Φ(upper) - Φ(lower)) from SciPy, on the side where both tails are small."""
    mirrored = lower + upper > 0
    low, high = np.where(mirrored, -upper, lower), np.where(mirrored, -lower, upper)
    return log_ndtr(high) + np.log1p(-np.exp(log_ndtr(low) - log_ndtr(high)))


# The first example pays for the compilation.
@settings(deadline=None)
@given(
    lower=st.floats(-150, 150),
    width=st.floats(1e-3, 50),
)
def test_log_probability_agrees_with_scipy_into_the_tails(lower: float, width: float) -> None:
    low, high = np.array([lower]), np.array([lower + width])
    expected = log_difference(low, high)
    found, _, _ = evaluate(low, high)
    # Cancellation between ends that are a width apart costs both sides the same digits.
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14 / min(width, 1.0))


@pytest.mark.parametrize("middle", [-30.0, -1.0, 0.0, 0.5, 30.0])
@pytest.mark.parametrize("width", [1e-3, 1e-6, 1e-10])
def test_narrow_interval_is_density_times_width(middle: float, width: float) -> None:
    low, high = np.array([middle - width / 2]), np.array([middle + width / 2])
    found, by_lower, by_upper = evaluate(low, high)
    wide = high - low
    density = -0.5 * middle**2 - 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(found, density + np.log(wide), rtol=1e-4 * width * middle**2 + 1e-6)
    np.testing.assert_allclose(by_upper * wide, 1.0, rtol=width * (1 + abs(middle)))
    np.testing.assert_allclose(by_lower * wide, -1.0, rtol=width * (1 + abs(middle)))


def test_series_and_difference_of_tails_meet() -> None:
    middle = np.linspace(-40, 40, 401)
    width = 1e-3 / (1 + abs(middle))
    for lower, upper in ((middle - 0.499 * width, middle + 0.499 * width),):
        series = evaluate(lower, upper)
        nearby = evaluate(middle - 0.501 * width, middle + 0.501 * width)
        np.testing.assert_allclose(series[0] - np.log(0.998), nearby[0] - np.log(1.002), atol=1e-8)


@pytest.mark.parametrize("end", [-140.0, -8.0, -1.0, 0.0, 1.0, 8.0, 140.0])
def test_open_ends_are_single_tails(end: float) -> None:
    ends = np.array([end])
    below, _, by_upper = evaluate(np.array([-OPEN_END]), ends)
    above, by_lower, _ = evaluate(ends, np.array([OPEN_END]))
    np.testing.assert_allclose(below, log_ndtr(ends), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(above, log_ndtr(-ends), rtol=1e-13, atol=1e-15)
    slope = np.exp(-0.5 * ends**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(ends))
    np.testing.assert_allclose(by_upper, slope, rtol=1e-10)
    np.testing.assert_allclose(
        by_lower, -np.exp(-0.5 * ends**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(-ends)), rtol=1e-10
    )


@settings(deadline=None)
@given(lower=st.floats(-30, 30), width=st.floats(0.05, 5))
def test_derivatives_are_those_of_the_value(lower: float, width: float) -> None:
    step = 1e-5
    low, high = np.full(3, lower), np.full(3, lower + width)
    _, by_lower, by_upper = evaluate(low[:1], high[:1])
    shifts = step * np.array([0.0, 1.0, -1.0])
    moved_low, _, _ = evaluate(low + shifts, high)
    moved_high, _, _ = evaluate(low, high + shifts)
    scale = 1.0 + abs(lower) + 1.0 / width
    np.testing.assert_allclose(
        (moved_low[1] - moved_low[2]) / (2 * step), by_lower[0], rtol=1e-5, atol=1e-5 * scale
    )
    np.testing.assert_allclose(
        (moved_high[1] - moved_high[2]) / (2 * step), by_upper[0], rtol=1e-5, atol=1e-5 * scale
    )


def test_mirrored_interval_has_the_same_probability() -> None:
    rng = np.random.default_rng(1)
    lower = rng.normal(scale=5, size=500)
    upper = lower + rng.exponential(size=500)
    plain, by_lower, by_upper = evaluate(lower, upper)
    mirrored, by_lower_mirrored, by_upper_mirrored = evaluate(-upper, -lower)
    np.testing.assert_allclose(plain, mirrored, rtol=1e-14)
    np.testing.assert_allclose(by_lower, -by_upper_mirrored, rtol=1e-14)
    np.testing.assert_allclose(by_upper, -by_lower_mirrored, rtol=1e-14)


def test_probabilities_of_all_categories_sum_to_one() -> None:
    thresholds = np.sort(np.random.default_rng(2).normal(size=(200, 6)), axis=1)
    lower = np.concatenate([np.full((200, 1), -np.inf), thresholds], axis=1)
    upper = np.concatenate([thresholds, np.full((200, 1), np.inf)], axis=1)
    out = np.empty(lower.size)
    ordinal_log_probability(lower.ravel(), upper.ravel(), out)
    np.testing.assert_allclose(np.exp(out.reshape(lower.shape)).sum(axis=1), 1.0, rtol=1e-13)
