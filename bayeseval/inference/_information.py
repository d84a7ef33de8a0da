"""Information of many points taken together, and along directions: linear algebra of geometries."""

import numpy as np

from bayeseval.families._declaration import FloatArray


def typical(known: FloatArray, squared: FloatArray) -> FloatArray:
    """Return the information that leaves levels with their mean variance over the points.

    Where all points agree it is theirs. Where a likelihood is a wall on one side and flat on the
    other, the mean of the information would be that of the wall, and the posterior on the flat side
    far out in coordinates made of it.

    Parameters
    ----------
    known
        Information at every point, dims (point, criterion, …).
    squared
        Prior variances, dims (criterion, …).
    """
    shrinkage = (1.0 / (1.0 + squared * known)).mean(axis=0)
    return (1.0 / shrinkage - 1.0) / squared


def typical_matrix(matrices: FloatArray, squared: FloatArray) -> FloatArray:
    """Return likewise the information between the levels of rows."""
    found, vectors = np.linalg.eigh(matrices)
    shrinkage = 1.0 / (1.0 + squared * np.maximum(found, 0.0))
    mean = np.einsum("p...jk,p...k,p...lk->...jl", vectors, shrinkage, vectors) / len(matrices)
    found, vectors = np.linalg.eigh(mean)
    typical = (1.0 / found - 1.0) / squared
    return np.einsum("...jk,...k,...lk->...jl", vectors, typical, vectors)


def scaled(matrix: FloatArray, information: FloatArray) -> FloatArray:
    """Return the matrix scaled to have this diagonal, but for what a row's mean takes."""
    diagonal = np.diagonal(matrix, axis1=-2, axis2=-1)
    length = matrix.shape[-1]
    wanted = information * (length - 1) / length
    root = np.sqrt(wanted / np.maximum(diagonal, 1e-12))
    return root[..., :, None] * matrix * root[..., None, :]


def directions(
    matrix: FloatArray, slope: FloatArray, level: FloatArray, *, zero_sum: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the directions in which a row's information is diagonal, their scores and information.

    Parameters
    ----------
    matrix
        Information of every row, dims (criterion, …, level, level).
    slope
        Slope of the log likelihood at ``level``, dims (criterion, …, level).
    level
        Effects with their parents.
    zero_sum
        Whether rows sum to zero, which leaves one direction fewer.
    """
    length, width = matrix.shape[-1], matrix.shape[-1] - zero_sum
    if zero_sum:
        deviations = np.eye(length) - 1.0 / length
        # Of the vectors the first, the constant, is put off by a negative value.
        held = deviations @ matrix @ deviations
        matrix = held - (1.0 + np.abs(held).sum(axis=(-2, -1), keepdims=True)) / length
    found, vectors = np.linalg.eigh(matrix)
    basis, eigenvalue = (
        vectors[..., length - width :],
        np.maximum(found[..., length - width :], 0.0),
    )
    along_slope = np.einsum("...jk,...j->...k", basis, slope)
    score = along_slope + eigenvalue * np.einsum("...jk,...j->...k", basis, level)
    padding = [(0, 0)] * (score.ndim - 1) + [(0, length - width)]
    rows = basis.reshape(basis.shape[0], -1, length, width)
    return rows, np.pad(score, padding), np.pad(eigenvalue, padding)
