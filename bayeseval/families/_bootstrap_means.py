"""Weighted means of the answers to every question, and what is made of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._direct import by_criterion
from bayeseval.families._pair_graph import Pairs, pair_labels, pair_scores
from bayeseval.judgements import SPAJudgements

type Unit = Literal["annotator", "item", "judgement"]

FEWEST = 3
"""Units of a pair from which on it has draws: of two, every draw lies between the two answers."""


@dataclass(frozen=True, kw_only=True)
class BootstrapResponse:
    """What was asked, and what carries a weight.

    Parameters
    ----------
    pairs
        Positions of the two systems of every pair that was asked, the lower one first.
    directions
        Positions of the two systems of every question, the one named first in front.
    unit
        What carries a weight.
    n_units
        How many there are.
    """

    pairs: Pairs
    directions: Pairs
    unit: Unit
    n_units: int

    @property
    def kind(self) -> str:
        """Which density evaluates the answers; there is none."""
        return "bayesian_bootstrap"

    @property
    def varies_by(self) -> tuple[str, ...]:
        """Whose answers are averaged over."""
        return () if self.unit == "judgement" else (self.unit,)

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """No parameters."""
        return {}


def units_of(table: SPAJudgements, unit: Unit) -> tuple[npt.NDArray[np.intp], int]:
    """Return the unit of every row, and how many units there are."""
    if unit != "judgement":
        return table.codes(unit).astype(np.intp), len(table.labels(unit))
    return np.arange(table.n_rows), table.n_rows


def by_pair(table: SPAJudgements, pairs: Pairs) -> Iterator[tuple[str, npt.NDArray[np.intp]]]:
    """Return each pair's label, with the criterion where there are several, and its rows."""
    canonical = table.canonical()
    labels = pair_labels(pairs, table.systems)
    for code, every in enumerate(by_criterion(table)):
        where = "" if table.criteria is None else f" ({table.criteria[code]})"
        for label, (a, b) in zip(labels, pairs, strict=True):
            here = (canonical.first[every] == a) & (canonical.second[every] == b)
            if here.any():
                yield label + where, every[here]


type Means = dict[tuple[int, int], tuple[npt.NDArray[np.intp], FloatArray]]


def means(
    table: SPAJudgements,
    rows: npt.NDArray[np.intp],
    units: npt.NDArray[np.intp],
    n_units: int,
) -> Means:
    """Return for each question the units that answered it, and the mean answer of each."""
    a, b = table.codes("system_a")[rows], table.codes("system_b")[rows]
    found: Means = {}
    for one in sorted({(int(x), int(y)) for x, y in zip(a, b, strict=True)}):
        here = rows[(a == one[0]) & (b == one[1])]
        counts = np.bincount(units[here], weights=table.counts[here], minlength=n_units)
        sums = np.bincount(
            units[here], weights=table.counts[here] * table.answers[here], minlength=n_units
        )
        who = np.flatnonzero(counts)
        found[one] = (who, sums[who] / counts[who])
    return found


def pooled(means: Means, pair: tuple[int, int]) -> tuple[npt.NDArray[np.intp], FloatArray] | None:
    """Bring both directions of a pair to one, as the test does: a unit's mean of the two."""
    a, b = pair
    forward, backward = means.get((a, b)), means.get((b, a))
    if backward is None:
        return forward
    turned = (backward[0], 1.0 - backward[1])
    if forward is None:
        return turned
    who = np.concatenate([forward[0], turned[0]])
    values = np.concatenate([forward[1], turned[1]])
    keys, position = np.unique(who, return_inverse=True)
    return keys, np.bincount(position, weights=values) / np.bincount(position)


def weighted(
    weights: FloatArray, answers: list[tuple[npt.NDArray[np.intp], FloatArray] | None]
) -> FloatArray:
    """Return weighted means, dims (draw, question); no number from fewer than `FEWEST` units."""
    result = np.full((weights.shape[0], len(answers)), np.nan)
    for column, answer in enumerate(answers):
        if answer is not None and answer[0].size >= FEWEST:
            who, values = answer
            own = weights[:, who]
            result[:, column] = (own @ values) / own.sum(axis=1)
    return result


def scores(declaration: Declaration[BootstrapResponse], margin: FloatArray) -> FloatArray:
    """Return the scores of the systems, from the pairs that have a number."""
    n_systems = len(declaration.coords["system"])
    known = ~np.isnan(margin).all(axis=0)
    pairs = tuple(pair for pair, has in zip(declaration.response.pairs, known, strict=True) if has)
    return pair_scores(pairs, n_systems, margin[:, known])


def square(
    declaration: Declaration[BootstrapResponse],
    array: xr.DataArray,
    pairs: Pairs,
    *,
    mirror: bool = True,
) -> FloatArray:
    """Put values by pair into a matrix of systems; mirrored where the other direction has none."""
    n_systems = len(declaration.coords["system"])
    result = np.full((*array.shape[:-1], n_systems, n_systems), np.nan)
    asked = set(pairs)
    for column, (a, b) in enumerate(pairs):
        result[..., a, b] = array.values[..., column]
        if mirror and (b, a) not in asked:
            result[..., b, a] = 1.0 - array.values[..., column]
    diagonal = np.arange(n_systems)
    result[..., diagonal, diagonal] = 0.5
    return result


def answers_again(
    table: SPAJudgements, unit: Unit, n_samples: int, rng: np.random.Generator
) -> FloatArray:
    """Draw for every row an answer that was given to its question, dims (sample, row)."""
    units, n_units = units_of(table, unit)
    weights = rng.exponential(size=(n_samples, n_units))
    result = np.empty((n_samples, table.n_rows))
    a, b = table.codes("system_a"), table.codes("system_b")
    for every in by_criterion(table):
        question = a[every].astype(np.int64) * len(table.systems) + b[every]
        for one in np.unique(question):
            rows = every[question == one]
            shares = weights[:, units[rows]] * table.counts[rows]
            steps = np.cumsum(shares, axis=1)
            at = rng.random((n_samples, rows.size)) * steps[:, -1:]
            for sample in range(n_samples):
                chosen = np.searchsorted(steps[sample], at[sample], side="right")
                result[sample, rows] = table.answers[rows[np.minimum(chosen, rows.size - 1)]]
    return result
