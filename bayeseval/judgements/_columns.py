"""Columns of the input as distinct values and codes, and which cells say nothing."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np

from bayeseval._checks import listed, shown
from bayeseval.errors import JudgementError
from bayeseval.judgements._factors import Dropped

type Cell = str | float | re.Pattern[str]
type Missing = Sequence[Cell] | re.Pattern[str] | Callable[[object], bool] | None


def label_text(value: object) -> str:
    """Return a label as text: text untouched, whole numbers without a decimal point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def as_number(value: object) -> float | None:
    """Return a number, or a text that reads as a finite number, as float; else None."""
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return None
        return number if np.isfinite(number) and "_" not in value else None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number


@dataclass(frozen=True, eq=False)
class Column:
    """One column of the input: each distinct value once, and which row holds which.

    ``codes`` is -1 where the value is missing. ``ordered`` tells a categorical whose order the user
    has declared; ``values`` are then all its categories, in order.
    """

    source: str
    values: list[object]
    codes: np.ndarray
    ordered: bool = False

    def taken(self, rows: np.ndarray) -> "Column":
        """Return the column at some rows."""
        return replace(self, codes=self.codes[rows])

    def where_value(self, wanted: Callable[[object], bool]) -> np.ndarray:
        """Return the rows whose value is wanted; never those where it is missing."""
        return np.array([*(wanted(value) for value in self.values), False])[self.codes]

    def keeping(self, keep: np.ndarray) -> "Column":
        """Return the column with some of its values; the others are missing then."""
        if keep.all():
            return self
        position = np.full(len(self.values) + 1, -1)
        position[np.flatnonzero(keep)] = np.arange(keep.sum())
        # The last entry of position answers for -1, the code of a missing value.
        values = [value for value, kept in zip(self.values, keep, strict=True) if kept]
        return replace(self, values=values, codes=position[self.codes])


@dataclass(frozen=True, eq=False)
class Intake:
    """The needed columns of the input by role, with the data row each came from (from 1).

    ``reduced`` tells that equal rows were counted where the data live: ``weights`` are their
    counts, and there are no row numbers. Rows of several files are numbered on and on; ``files``
    has how many rows came before each, and its name.
    """

    columns: dict[str, Column]
    rows: np.ndarray
    weights: np.ndarray
    dropped: tuple[Dropped, ...] = ()
    reduced: bool = False
    files: tuple[tuple[int, str], ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows that are left."""
        return len(self.rows)

    def where(self, mask: np.ndarray) -> str:
        """Name the rows of a mask, at most five, counted from 1 as in the user's table."""
        if self.reduced:
            number = int(self.weights[mask].sum())
            return f"{number:,} {'row' if number == 1 else 'rows'} (counted where the data live)"
        # A row of a wide table or of counts has become several.
        found = np.unique(self.rows[mask])
        shown = ", ".join(self._row(row) for row in found[:5])
        more = f" and {len(found) - 5:,} more" if len(found) > 5 else ""
        noun = "data row" if len(found) == 1 else "data rows"
        return f"{noun} {shown}{more} (counted from 1)"

    def _row(self, number: int) -> str:
        for before, name in reversed(self.files):
            if number > before:
                return f"{number - before:,} of {name}"
        return f"{number:,}"

    def without(
        self, mask: np.ndarray, reason: str, by_system: tuple[tuple[str, int, int], ...] = ()
    ) -> "Intake":
        """Return the intake without some rows, counted under a reason."""
        if not mask.any():
            return self
        keep = ~mask
        return replace(
            self,
            columns={role: column.taken(keep) for role, column in self.columns.items()},
            rows=self.rows[keep],
            weights=self.weights[keep],
            dropped=(*self.dropped, Dropped(reason, int(self.weights[mask].sum()), by_system)),
        )


def says_nothing(missing: Missing) -> Callable[[object], bool]:
    """Return what tells whether a cell means that nothing is there."""
    if isinstance(missing, str):
        raise JudgementError(
            "missing= must be a list of texts or numbers; write "
            f'missing=("", {shown(missing)}), or leave it away.'
        )
    if callable(missing):
        asked = missing
        return lambda value: _is_blank(value) or bool(asked(value))
    cells = ["", missing] if isinstance(missing, re.Pattern) else _cells(missing)
    texts = {cell for cell in cells if isinstance(cell, str)}
    patterns = [cell for cell in cells if isinstance(cell, re.Pattern)]
    as_given = [cell for cell in cells if not isinstance(cell, str | re.Pattern)]
    numbers = {as_number(cell) for cell in as_given}
    if None in numbers:
        raise JudgementError(
            "missing= must hold texts, numbers or patterns of re.compile; found "
            f"{shown(as_given[0])} ({type(as_given[0]).__name__})."
        )
    # A text that reads as a number means that number in a column of numbers.
    of_numbers = numbers | {as_number(text) for text in texts} - {None}

    def test(value: object) -> bool:
        if isinstance(value, str):
            known = value in texts or ("" in texts and _is_blank(value))
            if not known and numbers:
                known = as_number(value) in numbers
        else:
            known = not isinstance(value, bool) and bool(of_numbers) and value in of_numbers
        return known or any(pattern.fullmatch(label_text(value)) for pattern in patterns)

    return test


def _cells(missing: object) -> list[Any]:
    return list(listed(missing or (), "missing", example='("", "NA")', error=JudgementError))


def _is_blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def joined(parts: Sequence[Intake], names: Sequence[str]) -> Intake:
    """Return the rows of several files as one intake."""
    before = [0, *accumulate(part.n_rows for part in parts)]
    return Intake(
        columns={
            role: _joined([part.columns[role] for part in parts]) for role in parts[0].columns
        },
        rows=np.arange(1, before[-1] + 1),
        weights=np.concatenate([part.weights for part in parts]),
        dropped=tuple(dropped for part in parts for dropped in part.dropped),
        reduced=any(part.reduced for part in parts),
        files=tuple(zip(before[:-1], names, strict=True)),
    )


def _joined(parts: Sequence[Column]) -> Column:
    # 1 and 1.0 are one value, True is another.
    position: dict[tuple[bool, object], int] = {}
    codes = []
    for part in parts:
        own = [
            position.setdefault((isinstance(value, bool), value), len(position))
            for value in part.values
        ]
        codes.append(np.array([*own, -1])[part.codes])
    ordered = all(part.ordered and part.values == parts[0].values for part in parts)
    return Column(parts[0].source, [value for _, value in position], np.concatenate(codes), ordered)
