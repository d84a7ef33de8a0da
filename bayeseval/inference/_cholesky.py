"""Cholesky's factor of small matrices, in the calling thread.

BLAS shares even a matrix of 200 rows between threads that wait for each other without sleeping;
beside any other work on the machine that takes a hundred times as long as the sums do.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math

import numba
import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky

from bayeseval.families._declaration import FloatArray

MOST_ROWS = 512
"""Beyond it the sums take so long that sharing them pays."""


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _product(a: FloatArray, b: FloatArray, n: int) -> float:
    """Return the inner product of the first numbers; in any order, so that it is vectorised."""
    total = 0.0
    for j in range(n):
        total += a[j] * b[j]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _factorise(matrix: FloatArray, factor: FloatArray) -> bool:
    """Fill the lower factor row by row; False where the matrix is not positive definite."""
    for i in range(matrix.shape[0]):
        row = factor[i]
        for j in range(i):
            row[j] = (matrix[i, j] - _product(row, factor[j], j)) / factor[j, j]
        rest = matrix[i, i] - _product(row, row, i)
        if not rest > 0.0:
            return False
        row[i] = math.sqrt(rest)
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _solve(factor: FloatArray, x: FloatArray) -> None:
    """Replace the right-hand side by the solution."""
    n = x.size
    for i in range(n):
        x[i] = (x[i] - _product(factor[i], x, i)) / factor[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= factor[i, i]
        for j in range(i):
            x[j] -= factor[i, j] * x[i]


def lower_factor(matrix: FloatArray) -> FloatArray:
    """Return the lower Cholesky factor of a symmetric matrix.

    Raises
    ------
    LinAlgError
        Where the matrix is not positive definite.
    """
    if len(matrix) > MOST_ROWS:
        return cholesky(matrix, lower=True, check_finite=False)
    factor = np.zeros(matrix.shape)
    if not _factorise(np.ascontiguousarray(matrix), factor):
        raise LinAlgError("the matrix is not positive definite")
    return factor


def solved(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Solve for one right-hand side, given the matrix's lower factor."""
    if len(factor) > MOST_ROWS:
        return cho_solve((factor, True), right, check_finite=False)
    x = right.astype(np.float64)
    _solve(np.ascontiguousarray(factor), x)
    return x
