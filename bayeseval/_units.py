"""Judgements as the classical statistics read them: numbers, judged units, criteria in turn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._checks import names_of, squarable
from bayeseval.errors import DesignError, JudgementError
from bayeseval.judgements import Judgements
from bayeseval.judgements._guards import STRENGTHS_WITH_ORDER, order_notes


def numbers(judgements: Judgements, *, what: str) -> np.ndarray:
    """Return the answers of an absolute protocol as numbers, one a row.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes.
    what : str
        The function that asks, for the message.

    Returns
    -------
    numpy.ndarray of float64
        Values of the scale; magnitudes as they were given.
    """
    if not judgements.is_paired:
        return squarable(judgements.as_numbers(), what=what)
    raise JudgementError(
        f"{what} needs ratings or magnitudes, which are about one system; these are "
        f"{type(judgements).__name__}, which compare two. For pairs use win_rates, "
        "bradley_terry_ml or spa_test."
    )


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers as a comparison of levels reads them, one an element.

    Parameters
    ----------
    values : numpy.ndarray of float
        The answers.
    level : numpy.ndarray of int
        Code of the level of the factor that is compared.
    rows : numpy.ndarray of int
        The row of the table that each comes from.
    """

    values: np.ndarray
    level: np.ndarray
    rows: np.ndarray


def both_sides(judgements: Judgements, dependent: str = "") -> tuple[str, ...]:
    """Say how a judgement about two systems is counted for both, and what of its order is in it."""
    return (
        (
            "Each strength counts for one system and, with its sign turned, for the other, as Belz "
            f"and Kow (2010) count them.{dependent}"
        ),
        *order_notes(judgements, "means", STRENGTHS_WITH_ORDER),
    )


def answers_about(judgements: Judgements, rows: np.ndarray, factor: str, *, what: str) -> Answers:
    """Return answers by level of a factor; a strength is one answer about each of its systems.

    Parameters
    ----------
    judgements : Judgements
        Ratings, magnitudes or strengths.
    rows : numpy.ndarray of int
        Rows wanted.
    factor : str
        ``"system"``, or another factor; for that a strength counts once, as it was given.
    what : str
        The function that asks, for the message.
    """
    if not judgements.is_paired:
        values = numbers(judgements, what=what)[rows]
        return Answers(values, judgements.codes(factor)[rows], rows)
    if judgements.protocol != "strength":
        raise JudgementError(
            f"{what} needs ratings, magnitudes or strengths of preference; these are "
            f"{type(judgements).__name__}. For outcomes and probabilities use win_rates, "
            "bradley_terry_ml or spa_test."
        )
    values = judgements.as_numbers()[rows]
    if factor != "system":
        return Answers(values, judgements.codes(factor)[rows], rows)
    sides = [judgements.codes(name)[rows] for name in ("system_a", "system_b")]
    return Answers(
        np.stack([values, -values], axis=1).ravel(),
        np.stack(sides, axis=1).ravel(),
        np.repeat(rows, 2),
    )


def oriented(judgements: Judgements) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return answers about pairs as if the first label had always been shown first.

    Parameters
    ----------
    judgements : Judgements
        A table about pairs.

    Returns
    -------
    tuple of numpy.ndarray
        The answer (outcome −1, 0, 1, probability or strength; larger favours the first system) and
        the codes of the two systems, first below second.
    """
    a, b = judgements.codes("system_a"), judgements.codes("system_b")
    swap = a > b
    values = judgements.as_numbers()
    values = np.where(swap, 2.0 * judgements.meaning.centre - values, values) + 0.0
    return values, np.minimum(a, b), np.maximum(a, b)


def compact(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Give each combination of several columns of codes a number.

    Parameters
    ----------
    columns : sequence of numpy.ndarray
        Codes, all of one length.

    Returns
    -------
    tuple of numpy.ndarray
        The number of each row's combination, and the combinations, shape (n, n_columns).
    """
    stacked = np.stack([np.asarray(column, dtype=np.int64) for column in columns], axis=1)
    combinations, codes = np.unique(stacked, axis=0, return_inverse=True)
    return codes.ravel(), combinations


def unit_factors(judgements: Judgements) -> tuple[str, ...]:
    """Return the factors that say what was judged.

    A moderator belongs to the unit unless it says something about the annotator: unless every
    annotator has one level of it.
    """
    factors = list(judgements.system_factors)
    if judgements.has("item"):
        factors.append("item")
    for name in judgements.moderators:
        if judgements.has("annotator"):
            who, _ = compact([judgements.codes("annotator"), judgements.codes(name)])
            if who.max() + 1 == len(judgements.labels("annotator")):
                continue
        factors.append(name)
    return tuple(factors)


def named_unit(judgements: Judgements, unit: Sequence[str] | None) -> tuple[str, ...]:
    """Return the factors that say what was judged: as named, or those of the table."""
    if unit is None:
        return unit_factors(judgements)
    return names_of(unit, "unit", example="('system', 'item')")


def answers_by_unit(
    judgements: Judgements, unit: Sequence[str] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return every row's answer and the unit it is about.

    Parameters
    ----------
    judgements : Judgements
        Any table; pairs shown in either order are one unit, and answers to it are turned to the
        order in which it was shown most often.
    unit : sequence of str, optional
        Factors that say what was judged; `unit_factors` where left out.

    Returns
    -------
    tuple
        Answers as numbers; code of the unit; the combinations of codes; the factors.
    """
    factors = named_unit(judgements, unit)
    if not judgements.is_paired:
        codes, combinations = compact([judgements.codes(name) for name in factors])
        return numbers(judgements, what="this"), codes, combinations, factors
    values, first, second = oriented(judgements)
    sides = {"system_a": first, "system_b": second}
    codes, combinations = compact([sides.get(name, judgements.codes(name)) for name in factors])
    # Which side is called the first decides how often each answer occurs, and so what is expected
    # by chance: the side that people saw first, where the unit was shown in one order.
    shown = np.where(judgements.codes("system_a") == first, 1, -1) * judgements.counts
    turned = np.bincount(codes, weights=shown)[codes] < 0
    opposite = 2.0 * judgements.meaning.centre - values
    return np.where(turned, opposite, values) + 0.0, codes, combinations, factors


def once_each(judgements: Judgements, rows: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Keep the first of several judgements of one unit by one annotator.

    Parameters
    ----------
    judgements : Judgements
        Any table; without identities all rows are kept.
    rows : numpy.ndarray of int
        Rows of the table.
    unit : numpy.ndarray of int
        Code of the unit of every row of the table.

    Returns
    -------
    numpy.ndarray of int
        The rows kept, in their order.
    """
    if not judgements.has("annotator"):
        return rows
    cell, _ = compact([judgements.codes("annotator")[rows], unit[rows]])
    return rows[np.sort(np.unique(cell, return_index=True)[1])]


def cell_means(
    values: np.ndarray, row: np.ndarray, column: np.ndarray, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of the values in each cell of a table (NaN where empty), and the counts."""
    flat = row.astype(np.int64) * shape[1] + column
    counts = np.bincount(flat, minlength=shape[0] * shape[1])
    sums = np.bincount(flat, weights=values, minlength=shape[0] * shape[1])
    means = np.full(len(sums), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means.reshape(shape), counts.reshape(shape)


def block_means(
    values: np.ndarray, block: np.ndarray, level: np.ndarray, stratum: np.ndarray | None
) -> np.ndarray:
    """Return mean answers by block and level, from codes 0 …; NaN where a block lacks a level.

    With strata, the mean over those that the block has, equally weighted; a level that is missing
    from one of them is lacking.
    """
    shape = (int(block.max()) + 1, int(level.max()) + 1)
    if stratum is None:
        return cell_means(values, block, level, shape)[0]
    cell, cells = compact([block, stratum])
    means, _ = cell_means(values, cell, level, (len(cells), shape[1]))
    sums = np.zeros(shape)
    np.add.at(sums, cells[:, 0], means)
    return sums / np.bincount(cells[:, 0])[:, None]


def summaries(**printed: npt.ArrayLike) -> tuple[np.ndarray, ...]:
    """Return printed means, SDs and numbers as arrays of one length; names of SDs begin with sd."""
    try:
        arrays = [np.atleast_1d(np.asarray(values, dtype=float)) for values in printed.values()]
        broadcast = np.broadcast_arrays(*arrays)
    except (TypeError, ValueError):
        raise DesignError(
            f"{', '.join(printed)} must be numbers, or lists of numbers of one length; found "
            f"{', '.join(map(repr, printed.values()))}."
        ) from None
    for name, values in zip(printed, broadcast, strict=True):
        if name.startswith("sd") and (values < 0).any():
            raise DesignError(f"a standard deviation cannot be negative; found {name}={values}.")
    return tuple(broadcast)


def possible_means(judgements: Judgements) -> tuple[float, float]:
    """Return the smallest and the largest mean score that is possible.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes, or comparisons, whose scores are win rates.
    """
    if judgements.is_paired:
        return 0.0, 1.0
    scale = getattr(judgements, "scale", None)
    return (0.0, np.inf) if scale is None else (float(min(scale.values)), float(max(scale.values)))


def has_width(lower: float, upper: float, n: int, what: str) -> tuple[bool, str]:
    """Say whether an interval has any width, and why not: what does not vary has no error.

    Parameters
    ----------
    lower, upper : float
        Its ends; NaN where there is none.
    n : int
        How many values or units stand behind it.
    what : str
        What they are, in the singular.

    Returns
    -------
    tuple of bool and str
        Whether to show it; where not, a sentence, which is empty for an interval that is NaN.
    """
    if np.isnan(lower) or np.isnan(upper):
        return False, ""
    if n < 2:
        return False, f"No interval: one {what} alone does not say how much others would differ."
    if upper - lower <= 1e-12 * max(1.0, abs(lower), abs(upper)):
        return False, f"No interval: the {n:,} {what}s do not vary."
    return True, ""
