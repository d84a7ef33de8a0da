"""Exponentials, logarithms and sums of blocks against NumPy's and mpmath's."""

import mpmath
import numpy as np
import pytest

from bayeseval.families._block_math import exponentials, logarithms


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


def test_only_the_first_are_replaced() -> None:
    x = np.full(8, 2.0)
    logarithms(x, np.empty(8), 3)
    assert (x[3:] == 2.0).all()
    exponentials(x, np.empty(8), 3)
    np.testing.assert_allclose(x, 2.0, rtol=1e-15)
