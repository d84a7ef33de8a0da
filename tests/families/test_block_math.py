"""Exponentials, logarithms and sums of blocks against NumPy's and mpmath's."""

import mpmath
import numpy as np
import pytest

from bayeseval.families._block_math import (
    add_by_criterion,
    exponentials,
    logarithms,
    logarithms_beside_one,
    spread_over_cells,
)


def relative_errors(found: np.ndarray, exact: list[mpmath.mpf]) -> np.ndarray:
    return np.array(
        [abs(float(mpmath.mpf(float(a)) / b - 1)) for a, b in zip(found, exact, strict=True)]
    )


def test_exponentials_have_all_digits() -> None:
    x = np.concatenate([np.linspace(-705, 705, 401), np.geomspace(1e-12, 1, 50), [0.0, -1e-300]])
    found = x.copy()
    exponentials(found, np.empty(x.size), x.size)
    with mpmath.workdps(30):
        exact = [mpmath.exp(mpmath.mpf(float(v))) for v in x]
        assert relative_errors(found, exact).max() < 5e-16


@pytest.mark.parametrize(("x", "expected"), [(-1e10, 0.0), (-800.0, 0.0), (800.0, np.exp(709.0))])
def test_exponentials_far_out_are_zero_or_stay_at_the_end(x: float, expected: float) -> None:
    found = np.array([x])
    exponentials(found, np.empty(1), 1)
    assert found[0] == pytest.approx(expected, rel=1e-13)


def test_logarithms_have_all_digits_beside_one_too() -> None:
    near_one = 1.0 + np.concatenate([-np.geomspace(1e-14, 0.4, 60), np.geomspace(1e-14, 1, 60)])
    x = np.concatenate([np.geomspace(1e-300, 1e300, 401), near_one, [np.sqrt(0.5), np.sqrt(2.0)]])
    x = x[x != 1.0]
    found = x.copy()
    logarithms(found, np.empty(x.size), x.size)
    with mpmath.workdps(40):
        exact = [mpmath.log(mpmath.mpf(float(v))) for v in x]
        assert relative_errors(found, exact).max() < 8e-16
    one = np.ones(1)
    logarithms(one, np.empty(1), 1)
    assert one[0] == 0.0


def test_logarithms_beside_one_have_all_digits() -> None:
    near_0 = np.geomspace(1e-300, 0.9, 200)
    x = np.concatenate([near_0, -near_0, np.geomspace(1.0, 1e300, 101)])
    found = x.copy()
    logarithms_beside_one(found, np.empty((2, x.size)), x.size)
    with mpmath.workdps(340):
        exact = [mpmath.log(1 + mpmath.mpf(float(v))) for v in x]
        assert relative_errors(found, exact).max() < 8e-16
    zero = np.zeros(1)
    logarithms_beside_one(zero, np.empty((2, 1)), 1)
    assert zero[0] == 0.0


def test_only_the_first_are_replaced() -> None:
    x = np.full(8, 2.0)
    logarithms(x, np.empty(8), 3)
    assert (x[3:] == 2.0).all()
    exponentials(x, np.empty(8), 3)
    np.testing.assert_allclose(x, 2.0, rtol=1e-15)


@pytest.mark.parametrize("n_criteria", [1, 3])
def test_criteria_give_to_their_cells_and_take_from_them(n_criteria: int) -> None:
    rng = np.random.default_rng(1)
    criterion = rng.integers(0, n_criteria, 20).astype(np.int32)
    table = rng.normal(size=(2, n_criteria))
    out = np.zeros((2, 25))
    spread_over_cells(table, criterion, out)
    np.testing.assert_array_equal(out[:, :20], table[:, criterion])
    assert (out[:, 20:] == 0.0).all()
    values = rng.normal(size=25)
    total = np.ones((n_criteria, 2))
    add_by_criterion(total, 1, criterion, values)
    expected = 1.0 + np.bincount(criterion, values[:20], minlength=n_criteria)
    np.testing.assert_allclose(total[:, 1], expected)
    assert (total[:, 0] == 1.0).all()
