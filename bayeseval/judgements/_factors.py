"""What tables are made of: labelled columns, what was dropped, what was filtered."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bayeseval._checks import some
from bayeseval._tables import Column, Table


@dataclass(frozen=True, eq=False)
class Factor:
    """One labelled column of a table of judgements.

    Parameters
    ----------
    name : str
        Canonical name: ``"annotator"``, ``"system"``, ``"system_a"``, ``"system_b"``, ``"item"``,
        ``"criterion"``, ``"ranking"``, ``"page"`` or the name of a moderator.
    labels : tuple of str
        The user's labels in natural order, so that the order of rows never matters.
    codes : numpy.ndarray of int32, one a row
        Position of the row's label in ``labels``; read-only.
    """

    name: str
    labels: tuple[str, ...]
    codes: np.ndarray


@dataclass(frozen=True)
class Dropped:
    """Rows of the input that are no judgement, and why.

    Parameters
    ----------
    reason : str
        Why these rows carry no judgement.
    n_rows : int
        How many rows of the input it concerns.
    by_system : tuple of (str, int, int)
        For answers that are missing: of every system in the input, how many of its rows these are,
        and how many rows it had. Empty where rows were dropped for another reason.
    """

    reason: str
    n_rows: int
    by_system: tuple[tuple[str, int, int], ...] = field(default=(), compare=False, repr=False)


class DroppedRows(tuple[Dropped, ...]):
    """What was dropped, one entry a reason; a tuple that notebooks show as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        columns = (
            Column("reason", tuple(entry.reason for entry in self), "text"),
            Column("rows", tuple(f"{entry.n_rows:,}" for entry in self)),
        )
        if not self:
            return "<p>No row of the input was dropped.</p>"
        return Table("Rows of the input that are no judgement", columns).html()


@dataclass(frozen=True)
class AuditEntry:
    """One filter that was applied to a table.

    Parameters
    ----------
    rule : str
        The rule in words, with its settings.
    rows_before, rows_after : int
        Rows of the table before and after it.
    annotators_removed : tuple of str
        Annotators of whom nothing is left; empty where the table has no identities.
    """

    rule: str
    rows_before: int
    rows_after: int
    annotators_removed: tuple[str, ...] = ()


def natural_order(labels: Sequence[str]) -> list[str]:
    """Sort labels as people count: ``"day 2"`` before ``"day 10"``, and numbers by value."""
    try:
        values = {label: float(label) for label in labels}
    except ValueError:
        return sorted(labels, key=_natural_key)
    if not all(np.isfinite(value) for value in values.values()):
        return sorted(labels, key=_natural_key)
    return sorted(labels, key=lambda label: (values[label], label))


def _natural_key(label: str) -> tuple[list[tuple[int, int, str]], str]:
    # Digits are compared by length, then by text, so that no run of digits is too long for int().
    parts: list[tuple[int, int, str]] = []
    for part in re.split(r"([0-9]+)", label):
        if part[:1].isdigit() and part.isascii():
            digits = part.lstrip("0")
            parts.append((0, len(digits), digits))
        elif part:
            parts.append((1, 0, part))
    return parts, label


def frozen_array(values: np.ndarray) -> np.ndarray:
    """Return the array, made read-only."""
    values.setflags(write=False)
    return values


def recoded(factors: Sequence[Factor]) -> tuple[Factor, ...]:
    """Drop labels that no row uses; factors that share one tuple of labels keep sharing it."""
    shared: dict[int, list[Factor]] = {}
    for factor in factors:
        shared.setdefault(id(factor.labels), []).append(factor)
    recoded: dict[str, Factor] = {}
    for group in shared.values():
        used = np.zeros(len(group[0].labels), dtype=bool)
        for factor in group:
            used[factor.codes] = True
        labels = tuple(
            label for label, is_used in zip(group[0].labels, used, strict=True) if is_used
        )
        position = (np.cumsum(used) - 1).astype(np.int32)
        for factor in group:
            recoded[factor.name] = Factor(factor.name, labels, frozen_array(position[factor.codes]))
    return tuple(recoded[factor.name] for factor in factors)


def look_alikes(factors: Sequence[Factor]) -> list[str]:
    """Name labels that differ by case or by blanks alone; they are kept apart, as written."""
    notes = []
    for factor in factors:
        if factor.name == "system_b":
            continue
        folded: dict[str, list[str]] = {}
        for label in factor.labels:
            folded.setdefault(" ".join(label.split()).casefold(), []).append(label)
        alike = [group for group in folded.values() if len(group) > 1]
        if alike:
            shown = natural_order(alike[0])
            more = f", and {len(alike) - 1} more such groups" if len(alike) > 1 else ""
            notes.append(
                f"Some labels of {factor.name.removesuffix('_a')} differ in case or blanks only: "
                f"{some(shown)}{more}. They are kept apart."
            )
    return notes
