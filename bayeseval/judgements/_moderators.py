"""Moderators: names that variables and dimensions can have, and columns that hold levels."""

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from bayeseval._checks import shown
from bayeseval.errors import JudgementError
from bayeseval.judgements._columns import Column, as_number
from bayeseval.judgements._intake import CANONICAL, QUANTITIES, named_columns

# Dimensions of posteriors besides those that are columns of a table.
_DIMENSIONS = ("system_pair", "direction", "circle", "criterion_b")

# A column of numbers with more levels is a measurement unless it looks like a code: whole numbers,
# few enough for days, batches or groups of a study, each with some judgements. These bounds are
# conventions; whoever means levels says so by writing them as words.
_FEW_LEVELS = 5
_MOST_CODES = 20
_JUDGEMENTS_A_LEVEL = 5


def moderator_columns(moderators: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Return name → column of the moderators, whose names must not be ours.

    A name becomes a dimension of the posterior and a part of its variables' names; in a file they
    are paths.
    """
    named = named_columns(moderators, argument="moderators")
    for name, column in named.items():
        if not isinstance(name, str):
            raise JudgementError(
                f"a moderator is named by a text; found {shown(name)} ({type(name).__name__}). "
                "Rename the column to text first."
            )
        why = ""
        reserved = (*CANONICAL, *_DIMENSIONS)
        if name in reserved or name.removesuffix("_sd") in QUANTITIES:
            why = "which has a meaning of its own"
        elif not name.strip():
            why = "which is empty"
        elif "/" in name or not name.strip("."):
            why = "which would be a path in a saved posterior"
        elif name != name.strip() or not name.isprintable():
            why = "which begins or ends with a blank, or holds characters that do not print"
        if why:
            safe = "".join(char if char.isalnum() else "_" for char in name.strip()).strip("_")
            safe = safe if safe and safe != name else f"my_{safe or 'moderator'}"
            raise JudgementError(
                f"a moderator cannot be called {shown(name)}, {why}. Give it another name: "
                f"moderators={{{safe!r}: {shown(column)}}}."
            )
        for other in named:
            # The sd of a moderator's effect is called as the effect of one called <name>_sd.
            if other == f"{name}_sd":
                raise JudgementError(
                    f"moderators {name!r} and {other!r} cannot go together: a posterior has a "
                    f"standard deviation called effect_{other}. Give one another name: "
                    f"moderators={{'my_{other}': {named[other]!r}, …}}."
                )
    return named


def refuse_measurement(name: str, column: Column, n_judgements: int) -> None:
    """Refuse numbers or times as unordered levels where they are measured, not labels."""
    levels = [column.values[code] for code in np.unique(column.codes[column.codes >= 0])]
    if len(levels) <= _FEW_LEVELS:
        return
    thin = n_judgements < _JUDGEMENTS_A_LEVEL * len(levels)
    if all(isinstance(level, date) for level in levels):
        measured, what = thin, "times"
        advice = f"frame[{column.source!r}].dt.date, or months"
    else:
        numbers = [None if isinstance(level, bool) else as_number(level) for level in levels]
        if any(number is None for number in numbers):
            return
        whole = all(float(number).is_integer() for number in numbers if number is not None)
        measured, what = not whole or thin or len(levels) > _MOST_CODES, "numbers"
        advice = f"pandas.qcut(frame[{column.source!r}], 3).astype(str)"
    if measured:
        raise JudgementError(
            f"moderators: {shown(name)} holds {len(levels)} different {what} in {n_judgements:,} "
            "judgements. A moderator's levels have no order and a quality each, so that a "
            f"measurement has to be made into a few groups first: {advice}. Numbers that are "
            f"names, such as batches, are written as words: {shown(name + ' ')} + "
            f"frame[{column.source!r}].astype(str). For filters alone take attributes=."
        )


def refuse_numbers_for_names(role: str, column: Column, n_judgements: int) -> None:
    """Refuse a measurement as names of systems or people: fractions, nearly all different."""
    levels = [column.values[code] for code in np.unique(column.codes[column.codes >= 0])]
    if len(levels) <= _FEW_LEVELS or n_judgements >= _JUDGEMENTS_A_LEVEL * len(levels):
        return
    numbers = [None if isinstance(level, bool) else as_number(level) for level in levels]
    known = [float(number) for number in numbers if number is not None]
    if len(known) < len(levels) or all(number.is_integer() for number in known):
        return
    raise JudgementError(
        f"{role}={column.source!r} holds {len(levels)} different numbers, not whole ones, in "
        f"{n_judgements:,} judgements, as a measurement does. Name the column of the {role}; if "
        f"these are their names, write them as words: {shown(role + ' ')} + "
        f"frame[{column.source!r}].astype(str)."
    )
