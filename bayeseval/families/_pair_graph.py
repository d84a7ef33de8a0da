"""The pairs of a study that were asked, and the scores that fit them best."""

from collections.abc import Sequence

import numpy as np

from bayeseval.families._declaration import FloatArray
from bayeseval.judgements import Judgements

type Pairs = tuple[tuple[int, int], ...]


def asked_pairs(judgements: Judgements) -> Pairs:
    """Return positions of the two systems of every pair that was asked, the lower one first."""
    both = np.stack([judgements.codes("system_a"), judgements.codes("system_b")])
    found = np.unique(np.sort(both, axis=0), axis=1)
    return tuple((int(a), int(b)) for a, b in found.T)


def pair_labels(pairs: Pairs, systems: Sequence[str]) -> tuple[str, ...]:
    """Return a label for every pair, in the direction of the first system."""
    return tuple(f"{systems[a]} ≻ {systems[b]}" for a, b in pairs)


def pair_scores(pairs: Pairs, n_systems: int, difference: FloatArray) -> FloatArray:
    """Return scores whose differences are nearest to those of the pairs, by least squares.

    Parameters
    ----------
    pairs
        The pairs.
    n_systems
        Number of systems.
    difference
        What each pair's first system is ahead by, dims (..., pair).

    Returns
    -------
    numpy.ndarray
        Dims (..., system); they sum to zero within every group of systems that pairs link. This is
        the gradient part of the flow over the pairs (Jiang, Lim, Yao & Ye 2011, Statistical ranking
        and combinatorial Hodge theory, doi:10.1007/s10107-010-0419-x).
    """
    return difference @ np.linalg.pinv(_incidence(pairs, n_systems)).T


def circles(pairs: Pairs, n_systems: int) -> FloatArray:
    """Return an orthonormal basis of what differences of scores cannot give, dims (pair, circle).

    Independent normal departures of the pairs, without the part that scores can take up, are
    independent normals along it. Computed step by step, so that it is the same everywhere.
    """
    incidence = _incidence(pairs, n_systems)
    rest = np.eye(len(pairs)) - incidence @ np.linalg.pinv(incidence)
    basis: list[FloatArray] = []
    for column in rest.T:
        found = column.copy()
        for _ in range(2):
            for known in basis:
                found -= (known @ found) * known
        length = float(np.sqrt(found @ found))
        if length > 1e-6:
            basis.append(found / length)
    return np.array(basis).reshape(-1, len(pairs)).T


def _incidence(pairs: Pairs, n_systems: int) -> FloatArray:
    incidence = np.zeros((len(pairs), n_systems))
    for row, (a, b) in enumerate(pairs):
        incidence[row, a], incidence[row, b] = 1.0, -1.0
    return incidence
