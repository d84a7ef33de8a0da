"""Columns of strengths: which are read, and what their cells mean."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from bayeseval._checks import is_number, listed, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._build import (
    Answers,
    Columns,
    Plan,
    number_column,
    plan,
)
from bayeseval.judgements._columns import Intake, as_number
from bayeseval.judgements._labels import labelled

type StrengthBounds = float | tuple[float, float]

MOST_GRADES = 11


def plan_strengths(
    system_a: str,
    system_b: str,
    strength: str,
    annotator: str | None,
    item: str | None,
    criterion: str | None,
    moderators: Columns,
    count: str | None,
    attributes: Columns,
) -> Plan:
    """Say which columns are read."""
    return plan(
        {"strength": strength},
        {"system_a": system_a, "system_b": system_b},
        annotator=annotator,
        item=item,
        criterion=criterion,
        moderators=moderators,
        count=count,
        attributes=attributes,
    )


def checked_bounds(bounds: StrengthBounds) -> tuple[float, float]:
    """Return the ends of the scale, low before high."""
    ends: tuple[float, ...] = (-bounds, bounds) if is_number(bounds) else ()
    if not ends:
        ends = listed(bounds, "bounds", example="(-3, 3)", error=JudgementError)
    if len(ends) != 2 or not all(map(is_number, ends)) or not -np.inf < ends[0] < ends[1] < np.inf:
        raise JudgementError(
            "bounds= must be a positive number, or (low, high) with low before high; found "
            f"{bounds!r}."
        )
    return float(ends[0]), float(ends[1])


def read_strengths(
    rows: Intake,
    low: float,
    high: float,
    *,
    positive: Literal["a", "b"],
    graded: bool | None,
    labels: Mapping[str, float | None] | None,
) -> Answers:
    """Read the cells as strengths in favour of the first system."""
    column = rows.columns["strength"]
    absent: dict[str, np.ndarray] = {"no strength": column.codes < 0}
    if labels is None:
        values, _ = number_column(rows, "strength", as_number, by_label=True)
    else:
        numbers, declined, _ = labelled(column, rows, labels, role="strength")
        absent |= {
            f"answered {text!r}, declared as no strength": where for text, where in declined.items()
        }
        table = [np.nan if number is None else number for number in numbers]
        values = np.array([*table, np.nan], dtype=np.float64)[column.codes]
    none = np.logical_or.reduce(list(absent.values()))
    outside = ~none & ~((values >= low) & (values <= high))
    if outside.any():
        found = [column.values[code] for code in np.unique(column.codes[outside])]
        raise JudgementError(
            f"strength={column.source!r} must be between {low:g} and {high:g}, as declared; found "
            f"{some(found)} in {rows.where(outside)}. Correct these cells or the bounds=."
        )
    middle, bound = (low + high) / 2, (high - low) / 2
    signed = np.where(none, 0.0, values - middle) * (1 if positive == "a" else -1)
    # Whole steps apart: the middle of an even number of grades is no grade itself.
    whole = (np.where(none, 0.0, values) % 1 == 0) & (low % 1 == 0) & (high % 1 == 0)
    if graded is None:
        graded = bool(whole.all()) and high - low + 1 <= MOST_GRADES
    elif graded and not whole.all():
        found = [column.values[code] for code in np.unique(column.codes[~whole & ~none])]
        raise JudgementError(
            f"graded=True, but strength={column.source!r} or its bounds are not whole numbers: "
            f"{some(found or [low, high])}. Pass graded=False for a slider."
        )
    return Answers(signed + 0.0, absent, settings={"bound": bound, "graded": graded})
