"""Cells: judgements that a model cannot tell apart, counted once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration, FloatArray, IntArray, PredictorCells
from bayeseval.families._layout import level_starts
from bayeseval.judgements import Judgements


@dataclass(frozen=True, kw_only=True)
class RowData:
    """What a family reads of the judgements' rows besides their factors.

    Parameters
    ----------
    answers
        Columns of the answer in the response's own coding, each dims (row,).
    codes
        Further codes that terms name among their columns, such as an unordered pair.
    weights
        Weights by row that terms name.
    """

    answers: Sequence[npt.NDArray[Any]]
    codes: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    weights: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)


def collapse_rows(
    judgements: Judgements, declaration: Declaration[Any], data: RowData
) -> PredictorCells:
    """Count judgements that agree in every index, weight and answer.

    Parameters
    ----------
    judgements
        The table; its labels are those of the declaration.
    declaration
        The model.
    data
        Answers, and further codes and weights by row.

    Returns
    -------
    PredictorCells
        Sorted by criterion, then by the columns of the terms in their order; the order of the rows
        does not matter.
    """
    factors = list(
        dict.fromkeys(
            name for term in declaration.terms for name in term.columns if name not in data.codes
        )
    )
    if declaration.has_criterion:
        factors.insert(0, "criterion")
    columns = [judgements.codes(name) for name in factors]
    columns += [data.codes[name] for name in data.codes]
    columns += list(data.weights.values())
    columns += list(data.answers)
    first, row_cell = distinct_rows(columns, judgements.n_rows)
    count = np.bincount(row_cell, weights=judgements.counts, minlength=first.size)
    codes = {name: judgements.codes(name)[first] for name in factors}
    codes |= {name: values[first] for name, values in data.codes.items()}
    criterion = codes.get("criterion", np.zeros(first.size, dtype=np.int32))
    index, weight = term_indices(
        declaration, criterion, codes, {n: values[first] for n, values in data.weights.items()}
    )
    answer = np.empty((len(data.answers), first.size))
    for row, values in enumerate(data.answers):
        answer[row] = values[first]
    return PredictorCells(
        index=index,
        weight=weight,
        answer=answer,
        criterion=criterion.astype(np.int32),
        count=count.astype(np.float64),
        row_cell=row_cell.astype(np.int32),
    )


def term_indices(
    declaration: Declaration[Any],
    criterion: npt.NDArray[Any],
    codes: Mapping[str, npt.NDArray[Any]],
    weights: Mapping[str, npt.NDArray[Any]],
) -> tuple[IntArray, FloatArray]:
    """Return position among the levels and weight, dims (term, row)."""
    starts = level_starts(declaration)
    shape = (len(declaration.terms), criterion.size)
    index, weight = np.empty(shape, dtype=np.int32), np.empty(shape)
    for row, term in enumerate(declaration.terms):
        effect = declaration.level(term.effect)
        position = criterion.astype(np.int64)
        for column, size in zip(term.columns, effect.shape, strict=True):
            position = position * size + codes[column]
        index[row] = starts[term.effect] + position
        weight[row] = weights[term.weight] if isinstance(term.weight, str) else term.weight
    return index, weight


def distinct_rows(
    columns: Sequence[npt.NDArray[Any]], n_rows: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the first row of every distinct combination, and the combination of every row."""
    key, size = np.zeros(n_rows, dtype=np.int64), 1
    for column in columns:
        if column.dtype.kind in "iu" and column.size and column.min() >= 0:
            codes, levels = column.astype(np.int64), int(column.max()) + 1
        else:
            values, codes = np.unique(column, return_inverse=True)
            levels = values.size
        if size * levels >= 2**62:
            values, key = np.unique(key, return_inverse=True)
            size = values.size
        key = key * levels + codes
        size *= levels
    _, first, row_cell = np.unique(key, return_index=True, return_inverse=True)
    return first, row_cell


def row_codes(
    declaration: Declaration[Any], judgements: Judgements, data: RowData
) -> dict[str, npt.NDArray[np.int64]]:
    """Return positions of each row's labels among the labels of the fit, by column."""
    dims = {}
    for term in declaration.terms:
        dims |= dict(zip(term.columns, declaration.level(term.effect).dims, strict=True))
    if declaration.has_criterion:
        dims["criterion"] = "criterion"
    codes = {name: np.asarray(values, dtype=np.int64) for name, values in data.codes.items()}
    for column, dim in dims.items():
        if column in codes:
            continue
        known = {label: at for at, label in enumerate(declaration.coords[dim])}
        labels = judgements.labels(column)
        unknown = [label for label in labels if label not in known]
        if unknown:
            raise ModelError(
                f"these judgements have a {dim} that the model was not fitted to: {some(unknown)}"
            )
        positions = np.array([known[label] for label in labels], dtype=np.int64)
        codes[column] = positions[judgements.codes(column)]
    return codes
