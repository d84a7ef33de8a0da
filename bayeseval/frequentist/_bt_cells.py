"""Comparisons counted by pair, side and outcome."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Comparisons counted by pair, side and outcome.

    Parameters
    ----------
    n_systems : int
        Number of systems.
    a, b : numpy.ndarray of int
        System shown first and second, one a cell.
    outcome : numpy.ndarray of int
        0 = a, 1 = b, 2 = tie.
    count : numpy.ndarray of float
        Comparisons.
    """

    n_systems: int
    a: np.ndarray
    b: np.ndarray
    outcome: np.ndarray
    count: np.ndarray

    def by_system(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Sum what each cell gives its two systems, over the cells of each system."""
        n = self.n_systems
        return np.bincount(self.a, first, n) + np.bincount(self.b, second, n)


def distinct(codes: np.ndarray, size: int) -> np.ndarray:
    """Return the codes below `size` that occur, without sorting or hashing a million of them."""
    there = np.zeros(size, dtype=bool)
    there[codes] = True
    return np.flatnonzero(there)


def count_cells(
    a: np.ndarray, b: np.ndarray, outcome: np.ndarray, weight: np.ndarray, n_systems: int
) -> tuple[Cells, np.ndarray]:
    """Count comparisons; the second result is the cell of each row."""
    key = (a.astype(np.int64) * n_systems + b) * 3 + outcome
    size = 3 * n_systems**2
    if size <= 4 * len(key):
        # A place for every cell that there can be: no sorting.
        used = distinct(key, size)
        place = np.zeros(size, dtype=np.int64)
        place[used] = np.arange(len(used))
        cell = place[key]
    else:
        used, cell = np.unique(key, return_inverse=True)
    count = np.bincount(cell, weights=weight)
    pair, kind = np.divmod(used, 3)
    return Cells(n_systems, *np.divmod(pair, n_systems), kind, count), cell
