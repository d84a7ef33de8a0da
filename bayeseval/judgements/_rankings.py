"""Rankings as pairs: every two systems of one row of ranks."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from bayeseval._checks import shown, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._columns import Missing, as_number
from bayeseval.judgements._intake import (
    as_pandas,
    check_sources,
    take,
)
from bayeseval.judgements._wide import ANSWER


def pairs_of_rankings(
    frame: object,
    *,
    ranks: Sequence[str] | Mapping[str, str],
    lower_is_better: bool,
    systems: Sequence[str] | None,
    kept: Mapping[str, str | None],
    unranked: Sequence[float],
    missing: Missing,
) -> pd.DataFrame:
    """Return one row a pair, with ``__a__``, ``__b__``, the answer, ``__row__`` and kept columns.

    Arguments as those of `PairwiseJudgements.from_rankings`; ``kept`` says which further columns of
    the frame stay, by what they are.
    """
    wide = as_pandas(frame)
    columns = list(ranks) if isinstance(ranks, Mapping | Sequence) else []
    named = dict(ranks) if isinstance(ranks, Mapping) else {}
    if bool(named) == (systems is not None) or isinstance(ranks, str) or len(columns) < 2:
        raise JudgementError(
            "ranks= must name two columns or more: as a mapping of column to system, or as a "
            "list that goes with systems=."
        )
    if systems is not None and len(systems) != len(columns):
        raise JudgementError(
            f"systems= names {len(systems)} columns and ranks= {len(columns)}; the k-th rank "
            "belongs to the k-th system, so that there must be as many."
        )
    if isinstance(unranked, str) or not isinstance(unranked, Collection):
        raise JudgementError(
            f"unranked= must list the numbers that are no rank; found {shown(unranked)}."
        )
    if not isinstance(lower_is_better, bool):
        raise JudgementError(f"lower_is_better= must be True or False; found {lower_is_better!r}.")
    sources = {f"ranks {name}": name for name in columns}
    sources |= {f"systems {name}": name for name in systems or ()}
    check_sources(sources, list(wide.columns))
    values = np.stack([_ranks(wide, name, unranked, missing) for name in columns])
    if systems is not None:
        _refuse_ranks_without_system(wide, systems, values, missing)
    labels = (
        [wide[name].astype(object).to_numpy() for name in systems]
        if systems is not None
        else [np.full(len(wide), label, dtype=object) for label in named.values()]
    )
    others = wide[list(check_sources(kept, list(wide.columns)).values())]
    number = np.arange(1, len(wide) + 1)
    parts = []
    for first, second in combinations(range(len(columns)), 2):
        both = np.isfinite(values[first]) & np.isfinite(values[second])
        better = np.sign(values[second] - values[first]) * (1 if lower_is_better else -1)
        words = np.array(["b", "tie", "a"], dtype=object)
        part = others.assign(
            __a__=labels[first],
            __b__=labels[second],
            __row__=number,
            **{ANSWER: words[np.where(both, better, 0).astype(int) + 1]},
        )
        parts.append(part[both])
    return pd.concat(parts).sort_values("__row__", kind="stable", ignore_index=True)


def _refuse_ranks_without_system(
    wide: pd.DataFrame, systems: Sequence[str], values: np.ndarray, missing: Missing
) -> None:
    """Raise where a rank that goes into a pair belongs to no system."""
    named = take(wide, {name: name for name in systems}, missing=missing)
    compared = np.isfinite(values).sum(axis=0) > 1
    for name, ranks in zip(systems, values, strict=True):
        absent = (named.columns[name].codes < 0) & np.isfinite(ranks) & compared
        if absent.any():
            raise JudgementError(
                f"every rank needs a system; column {name!r} of systems= is empty in "
                f"{named.where(absent)} where there is a rank. Fill in the label, or remove the "
                "rank."
            )


def _ranks(
    wide: pd.DataFrame, name: str, unranked: Sequence[float], missing: Missing
) -> np.ndarray:
    """Return one column of ranks, NaN where not ranked."""
    column = take(wide[[name]], {"rank": name}, missing=missing)
    cells = column.columns["rank"]
    numbers = [as_number(value) for value in cells.values]
    unread = np.array([*(number is None for number in numbers), False])
    if unread.any():
        found = [value for value, bad in zip(cells.values, unread[:-1], strict=True) if bad]
        raise JudgementError(
            f"ranks={name!r} must hold numbers; found {some(found)} in "
            f"{column.where(unread[cells.codes])}."
        )
    table = [np.nan if number in unranked else number for number in numbers]
    return np.array([*table, np.nan], dtype=np.float64)[cells.codes]
