"""Columns of magnitudes: which are read, and what their cells mean."""

from typing import Literal

import numpy as np

from bayeseval._checks import is_number, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._build import (
    Answers,
    Columns,
    Plan,
    number_column,
    plan,
)
from bayeseval.judgements._columns import Intake, as_number


def plan_magnitudes(
    system: str,
    magnitude: str,
    reference: float | str | None,
    annotator: str | None,
    item: str | None,
    criterion: str | None,
    page: str | None,
    moderators: Columns,
    count: str | None,
    attributes: Columns,
) -> Plan:
    """Say which columns are read; the reference may be one of them."""
    answers: dict[str, str | None] = {"magnitude": magnitude}
    if isinstance(reference, str) and magnitude is not None:
        answers["reference"] = reference
    return plan(
        answers,
        {"system": system},
        annotator=annotator,
        item=item,
        criterion=criterion,
        page=page,
        moderators=moderators,
        count=count,
        attributes=attributes,
    )


def read_magnitudes(
    rows: Intake, reference: float | str | None, zeros: Literal["refuse", "censor"]
) -> Answers:
    """Read the cells as ratios to the reference."""
    column = rows.columns["magnitude"]
    values, absent = number_column(rows, "magnitude", as_number)
    if isinstance(reference, str):
        references, unknown = number_column(rows, "reference", as_number)
        references = np.where(absent, 1.0, references)
        wrong = ~absent & (unknown | ~np.isfinite(references) | (references <= 0))
        if wrong.any():
            raise JudgementError(
                f"reference={reference!r} must hold a positive number for every magnitude; found "
                f"{some(np.unique(references[wrong]).tolist())} in {rows.where(wrong)}."
            )
    else:
        if reference is not None and not (is_number(reference) and 0 < reference < np.inf):
            raise JudgementError(
                f"reference= must be a positive number or a column; found {reference!r}."
            )
        references = np.full(rows.n_rows, 1.0 if reference is None else float(reference))
    infinite = np.isinf(values)
    below = ~absent & (values <= 0) & ~infinite
    wrong = infinite | (below if zeros == "refuse" else np.zeros_like(below))
    if wrong.any():
        found = [column.values[code] for code in np.unique(column.codes[wrong])]
        remedy = (
            "An answer of zero or below has no ratio to the reference: remove these rows, or pass "
            'zeros="censor" to read them as below the smallest positive answer.'
            if below.any()
            else "Correct these cells."
        )
        raise JudgementError(
            f"magnitude={column.source!r} must hold positive numbers; found {some(found)} in "
            f"{rows.where(wrong)}. {remedy}"
        )
    values = np.where(absent, 1.0, values)
    ratios = np.where(below, 0.0, values / references)
    return Answers(
        ratios,
        {"no magnitude": absent},
        further={"magnitudes": values, "references": references},
        settings={"has_reference": reference is not None},
    )
