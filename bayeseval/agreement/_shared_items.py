"""What is independent among units of agreement: units that share an item are not."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from bayeseval.judgements import Judgements

# Student's t of two items has one degree of freedom, and an interval that says nothing.
FEWEST_ITEMS = 3
# Ends of intervals are within 1 % of those of 2^18 draws.
LOG2_DRAWS = 12


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


@dataclass(frozen=True, slots=True)
class BetweenUnits:
    """The mean square between units, had each an item of its own.

    Parameters
    ----------
    parts : tuple of float
        Its independent parts, which add up: that of items and that of units within items, or one
        alone where no item has several units.
    df : tuple of int
        Their degrees of freedom.
    """

    parts: tuple[float, ...]
    df: tuple[int, ...]

    @classmethod
    def of(
        cls, of_item: float, within: float, each: float, df_item: int, df_within: int
    ) -> "BetweenUnits":
        """Put it together from mean squares between items and within them, `each` units an item."""
        parts = (of_item / each, within * (each - 1) / each)
        return cls(parts, (df_item, df_within))

    @property
    def shared(self) -> bool:
        """Whether units share items."""
        return len(self.df) > 1

    def ratio(self, error: float, df_error: int, prob: float) -> tuple[float, float]:
        """Return the interval of its expectation over that of an independent mean square."""
        from scipy.stats import f

        tail = (1 - prob) / 2
        if self.shared:
            between, error_drawn = self.expected((error,), (df_error,))
            low, high = np.quantile(between / error_drawn, [tail, 1 - tail])
            return float(low), float(high)
        ((df,), found) = self.df, np.float64(self.parts[0]) / error
        return float(found / f.isf(tail, df, df_error)), float(found * f.isf(tail, df_error, df))

    def expected(self, others: Sequence[float], df: Sequence[int]) -> np.ndarray:
        """Return what is expected of it and of other mean squares, dims (mean square, draw).

        Their generalised pivotal quantities (Weerahandi 1993, doi:10.1080/01621459.1993.10476355):
        quantiles of what is computed from them are ends of intervals. Satterthwaite's estimated
        degrees of freedom make the upper end too low where items differ, since the fewer they are
        taken to differ the more degrees of freedom there seem to be.
        """
        drawn = np.array((*self.parts, *others))[:, None] * _multipliers((*self.df, *df))
        n = len(self.parts)
        return np.vstack([drawn[:n].sum(axis=0), drawn[n:]])


@cache
def _multipliers(df: tuple[int, ...]) -> np.ndarray:
    """Return df over chi-square of independent mean squares: a grid of draws that fills space."""
    from scipy.special import gammaincinv
    from scipy.stats.qmc import Sobol

    half = np.array(df)[:, None] / 2
    points = Sobol(len(df), scramble=False).random_base2(LOG2_DRAWS).T + 0.5 ** (LOG2_DRAWS + 1)
    return half / gammaincinv(half, points)


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
