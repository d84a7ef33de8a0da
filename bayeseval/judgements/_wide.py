"""Wide tables: several answers a row become one answer a row."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bayeseval.errors import JudgementError
from bayeseval.judgements._intake import as_pandas, check_sources

LABEL, ANSWER = "__label__", "__answer__"


def melt(
    frame: object,
    *,
    answers: Sequence[str] | Mapping[str, str],
    argument: str,
    columns_are: str,
    given: Mapping[str, str | None],
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the long table with columns LABEL and ANSWER, and the data row each came from."""
    if isinstance(answers, str):
        raise JudgementError(
            f"{argument} must be a list of columns; write {argument}=[{answers!r}]."
        )
    named = dict(answers) if isinstance(answers, Mapping) else {name: name for name in answers}
    if not named:
        raise JudgementError(f"{argument} names no column.")
    if columns_are not in given:
        raise JudgementError(
            f"columns_are= must be one of {', '.join(repr(name) for name in given)}; found "
            f"{columns_are!r}."
        )
    if given[columns_are] is not None:
        raise JudgementError(
            f"columns_are={columns_are!r} says that each column of {argument} is one {columns_are}; "
            f"leave {columns_are}={given[columns_are]!r} away."
        )
    wide = as_pandas(frame)
    check_sources({f"{argument} {name}": name for name in named}, list(wide.columns))
    others = wide.drop(columns=list(named))
    parts = [
        others.assign(**{LABEL: label, ANSWER: wide[name].astype(object)})
        for name, label in named.items()
    ]
    rows = np.tile(np.arange(1, len(wide) + 1), len(named))
    return pd.concat(parts, ignore_index=True), rows
