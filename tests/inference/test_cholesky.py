"""Cholesky's factor: against LAPACK, on both sides of the size where BLAS takes over."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError, cholesky

from bayeseval.inference import _cholesky
from bayeseval.inference._cholesky import lower_factor, solved


@pytest.mark.parametrize("n", [1, 7, 60])
@pytest.mark.parametrize("most", [0, 512])
def test_factor_and_solution(n: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cholesky, "MOST_ROWS", most)
    rng = np.random.default_rng(n)
    root, right = rng.normal(size=(n, n + 3)), rng.normal(size=n)
    matrix = root @ root.T
    factor = lower_factor(matrix)
    np.testing.assert_allclose(factor, cholesky(matrix, lower=True), rtol=1e-9, atol=1e-12)
    kept = right.copy()
    np.testing.assert_allclose(matrix @ solved(factor, right), right, atol=1e-9)
    np.testing.assert_array_equal(right, kept)


@pytest.mark.parametrize("corner", [-1.0, 0.0, np.nan])
def test_matrix_that_is_not_positive_definite_is_refused(corner: float) -> None:
    matrix = np.eye(4)
    matrix[2, 2] = corner
    with pytest.raises(LinAlgError):
        lower_factor(matrix)
