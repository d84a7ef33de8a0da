"""What is independent among units of agreement: units that share an item are not."""

from collections.abc import Sequence

import numpy as np

from bayeseval.judgements import Judgements

# Student's t of two items has one degree of freedom, and an interval that says nothing.
FEWEST_ITEMS = 3


def clusters(
    judgements: Judgements, rows: np.ndarray, unit: np.ndarray, factors: Sequence[str]
) -> tuple[np.ndarray, str]:
    """Return what is independent, by unit: its item where units share items, else the unit.

    Parameters
    ----------
    judgements : Judgements
        Any table.
    rows : numpy.ndarray of int
        Rows of the judgements of these units.
    unit : numpy.ndarray of int
        The unit of each of these rows, from 0.
    factors : sequence of str
        What makes a unit.

    Returns
    -------
    tuple
        Codes from 0, dims (unit,), and what they are of: "item" or "unit".
    """
    n_units = int(unit.max()) + 1
    if "item" in factors:
        of_unit = _items(judgements, rows, unit)
        if FEWEST_ITEMS <= of_unit.max() + 1 < n_units:
            return of_unit, "item"
    return np.arange(n_units), "unit"


def between_units(
    of_item: float, within: float, each: float, df_item: int, df_within: int
) -> tuple[float, float]:
    """Return the mean square between units of one item each, and its degrees of freedom.

    The variance of items and that of units within items add up (Satterthwaite 1946,
    doi:10.2307/3002019).

    Parameters
    ----------
    of_item, within : float
        Mean squares between items, and between units within items.
    each : float
        Units an item.
    df_item, df_within : int
        Degrees of freedom of the two.
    """
    parts = np.array([of_item / each, within * (each - 1) / each])
    total = float(parts.sum())
    if total == 0:
        return 0.0, float(df_item + df_within)
    # In shares, whose squares do not overflow.
    return total, float(1 / ((parts / total) ** 2 / (df_item, df_within)).sum())


def note_on_shared_items(
    judgements: Judgements, factors: Sequence[str], used: Sequence[str], intervals: str
) -> list[str]:
    """Say what intervals take as independent, where units share items.

    Parameters
    ----------
    judgements : Judgements
        Any table.
    factors : sequence of str
        What makes a unit.
    used : sequence of str
        What was independent in each result, from `clusters`.
    intervals : str
        How they allow for it, as the end of a sentence.
    """
    if "item" in used:
        return [f"Units that share an item are alike: {intervals}."]
    if "item" not in factors:
        return []
    units = np.stack([judgements.codes(name) for name in factors], axis=1)
    n_items, n_units = len(np.unique(judgements.codes("item"))), len(np.unique(units, axis=0))
    if n_items == n_units or n_items >= FEWEST_ITEMS:
        return []
    shared = f"{n_items} item" + ("s" if n_items > 1 else "")
    said = (
        f"Intervals take the units as independent, though {n_units:,} units share {shared}: they "
    )
    return [said + "speak of no other items."]


def _items(judgements: Judgements, rows: np.ndarray, unit: np.ndarray) -> np.ndarray:
    item = np.empty(int(unit.max()) + 1, dtype=np.int64)
    item[unit] = judgements.codes("item")[rows]
    return np.unique(item, return_inverse=True)[1]
