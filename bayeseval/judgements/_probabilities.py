"""Columns of stated probabilities: what their cells mean."""

from collections.abc import Sequence

import numpy as np

from bayeseval._checks import is_number, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._build import (
    Answers,
    number_column,
)
from bayeseval.judgements._columns import Intake, as_number

type Bounds = tuple[float, float]


def read_probabilities(rows: Intake, bounds: Bounds | None) -> Answers:
    """Read the cells as probabilities from 0 to 1."""
    column = rows.columns["probability"]
    values, absent = number_column(rows, "probability", as_number)
    given = values[~absent]
    if bounds is None:
        low, high = 0.0, 1.0 if (given <= 1).all() else 100.0
        said = f"between 0 and {high:g}, as inferred"
    else:
        two = isinstance(bounds, Sequence) and len(bounds) == 2 and all(map(is_number, bounds))
        if not two or not -np.inf < bounds[0] < bounds[1] < np.inf:
            raise JudgementError(f"bounds= must be (low, high), low before high; found {bounds!r}.")
        low, high = float(bounds[0]), float(bounds[1])
        said = f"between {low:g} and {high:g}, as declared"
    outside = ~absent & ~((values >= low) & (values <= high))
    if outside.any():
        found = [column.values[code] for code in np.unique(column.codes[outside])]
        raise JudgementError(
            f"probability={column.source!r} must hold answers {said}; found {some(found)} in "
            f"{rows.where(outside)}. Correct these cells, or declare bounds=(low, high)."
        )
    stated = np.where(absent, 0.0, (values - low) / (high - low))
    return Answers(
        stated,
        {"no probability": absent},
        settings={"bounds": (low, high), "bounds_declared": bounds is not None},
    )
