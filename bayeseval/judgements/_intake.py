"""From any data frame to checked columns: the one place that knows what a column was called."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from bayeseval._checks import listed, nearest, shown, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._cells import cells
from bayeseval.judgements._columns import (
    Column,
    Intake,
    Missing,
    as_number,
    label_text,
    says_nothing,
)
from bayeseval.judgements._factors import Dropped, natural_order

CANONICAL = (
    "annotator",
    "system",
    "system_a",
    "system_b",
    "item",
    "criterion",
    "ranking",
    "page",
    "rating",
    "magnitude",
    "reference",
    "probability",
    "outcome",
    "winner",
    "strength",
    "count",
    "category",
    "threshold",
    "chain",
    "draw",
    "sample",
    "row",
)

# A moderator is a dimension of the posterior, which has variables of these names.
QUANTITIES = (
    "quality",
    "severity",
    "difficulty",
    "interaction",
    "taste",
    "discrimination",
    "thresholds",
    "population_thresholds",
)

COUNTED = "__count__"

# Counts are added up as int64.
_TOO_LARGE = 10**18


def named_columns(
    names: Sequence[str] | Mapping[str, str] | None, *, argument: str
) -> dict[str, str]:
    """Return name → column for a list of columns or a mapping."""
    if names is None:
        return {}
    if isinstance(names, str):
        raise JudgementError(
            f"{argument} must be a list of columns or a mapping of name to column; found the text "
            f"{shown(names)}. Write {argument}=[{shown(names)}]."
        )
    if isinstance(names, Mapping):
        return dict(names)
    names = listed(names, argument, example="['age']", error=JudgementError)
    return {name: name for name in names}


def attribute_columns(
    attributes: Sequence[str] | Mapping[str, str], *, moderators: Mapping[str, str]
) -> dict[str, str]:
    """Return name → column of the attributes, whose names must be free."""
    named = named_columns(attributes, argument="attributes")
    for name in named:
        if name in CANONICAL or name in moderators:
            raise JudgementError(
                f"an attribute cannot be called {name!r}, which is a column of the table itself. "
                f"Give it another name: attributes={{'my_{name}': {named[name]!r}}}."
            )
    return named


def check_sources(roles: Mapping[str, str | None], columns: Sequence[str]) -> dict[str, str]:
    """Check that every named column is there, once, and serves one role; return role → column."""
    sources: dict[str, str] = {}
    for role, source in roles.items():
        if source is None:
            continue
        if not isinstance(source, str):
            raise JudgementError(
                f"{role}= names a column by its text; found {source!r} "
                f"({type(source).__name__}). Rename the columns to text first."
            )
        if source not in columns:
            close = nearest(source, [str(column) for column in columns])
            hint = f" The nearest is {close!r}." if close else ""
            one = ""
            if len(columns) == 1 and any(mark in str(columns[0]) for mark in ",;\t|"):
                one = " The header is a single column: pass separator= to read()."
            there = some(columns, most=12) if any(columns) else "no column names"
            raise JudgementError(
                f"{role}={source!r}: there is no column {source!r}; the table has {there}."
                f"{hint}{one}"
            )
        if list(columns).count(source) > 1:
            raise JudgementError(
                f"{role}={source!r}: {list(columns).count(source)} columns are called {source!r}. "
                "Rename them so that the name is unique."
            )
        used_by = [other for other, taken in sources.items() if taken == source]
        if used_by:
            raise JudgementError(
                f"column {source!r} is named both as {used_by[0]} and as {role}; every role needs "
                "its own column."
            )
        sources[role] = source
    return sources


def take(
    frame: object,
    roles: Mapping[str, str | None],
    *,
    missing: Missing = ("",),
    rows: np.ndarray | None = None,
    dropped: tuple[Dropped, ...] = (),
    said: Mapping[str, str] | None = None,
) -> Intake:
    """Take the needed columns out of any data frame.

    Of a lazy frame equal rows are counted where the data live, so that only distinct ones are
    collected. ``rows`` are the numbers by which the user knows the rows, where not 1, 2, …, and
    ``dropped`` what was left out before. ``said`` is how the user knows the column of a role, where
    it is not one of the frame's.
    """
    absent = says_nothing(missing)
    native = _as_narwhals(frame)
    lazy = isinstance(native, nw.LazyFrame)
    names = native.collect_schema().names() if isinstance(native, nw.LazyFrame) else native.columns
    sources = check_sources(roles, names)
    if isinstance(native, nw.LazyFrame):
        needed = list(sources.values())
        eager = native.select(*needed).group_by(*needed).agg(nw.len().alias(COUNTED)).collect()
        weights = eager[COUNTED].to_numpy().astype(np.int64)
    else:
        eager = native.select(*sources.values())
        weights = np.ones(len(eager), dtype=np.int64)
    named = {**sources, **(said or {})}
    return Intake(
        columns={
            role: _column(eager[source], named[role], absent) for role, source in sources.items()
        },
        rows=np.arange(1, len(eager) + 1) if rows is None else rows,
        weights=weights,
        dropped=dropped,
        reduced=lazy,
    )


def as_pandas(frame: object) -> pd.DataFrame:
    """Return any data frame as a pandas one."""
    if isinstance(frame, pd.DataFrame):
        return frame
    native = _as_narwhals(frame)
    eager = native.collect() if isinstance(native, nw.LazyFrame) else native
    return eager.to_pandas()


def _as_narwhals(frame: object) -> "nw.DataFrame[Any] | nw.LazyFrame[Any]":
    if isinstance(frame, pd.DataFrame) and not frame.columns.is_unique:
        # Narwhals refuses any frame with a repeated name, even one that is not asked for.
        repeated = frame.columns[frame.columns.duplicated()].unique()
        raise JudgementError(
            f"column names must be unique; {some(repeated)} occur more than once. Rename or drop "
            "the repeated columns."
        )
    try:
        return nw.from_native(frame)
    except TypeError:
        kind = f"{type(frame).__module__}.{type(frame).__qualname__}"
        raise JudgementError(
            "expected a data frame that narwhals knows (pandas, Polars, PyArrow, DuckDB, PySpark, "
            f"Dask, Ibis); found {kind}. Make one first, for example with pandas.DataFrame(...), "
            "or use read() for a file."
        ) from None


def _column(series: "nw.Series[Any]", source: str, absent: Callable[[object], bool]) -> Column:
    dtype = series.dtype
    ordered = isinstance(dtype, nw.Enum)
    if dtype.is_integer() and series.null_count() and not _is_pandas(series):
        # Through pandas these would become floats and lose digits beyond 2**53.
        series = series.cast(nw.String)
        integers = True
    else:
        integers = False
    values = series.to_pandas()
    if isinstance(values.dtype, pd.CategoricalDtype):
        codes = values.cat.codes.to_numpy().astype(np.int64)
        uniques = list(values.cat.categories)
        ordered = ordered or bool(values.cat.ordered)
        if not ordered:
            used = np.unique(codes[codes >= 0])
            position = np.full(len(uniques) + 1, -1)
            position[used] = np.arange(len(used))
            codes = position[codes]
            uniques = [uniques[code] for code in used]
    else:
        try:
            codes, found = pd.factorize(values)
        except TypeError:
            raise JudgementError(
                f"column {source!r} holds lists or other compound values; a cell must hold one "
                "value. Give every judgement its own row first (pandas: explode; see the how-to on "
                "importing)."
            ) from None
        uniques = list(found)
    plain: list[object] = [_plain(value) for value in uniques]
    if integers:
        plain = [int(str(value)) for value in plain]
    _refuse_unwritable(plain, source)
    column = Column(source, plain, np.asarray(codes), ordered)
    return column.keeping(np.array([not absent(value) for value in plain], dtype=bool))


def _refuse_unwritable(values: Sequence[object], source: str) -> None:
    """Refuse text that no file of results could hold."""
    for value in values:
        if isinstance(value, str) and ("\0" in value or not _is_unicode(value)):
            raise JudgementError(
                f"column {source!r} holds {shown(value)}, with a null character or half of a "
                "surrogate pair, which cannot be stored. The export is damaged there; correct the "
                "cell."
            )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_pandas(series: "nw.Series[Any]") -> bool:
    return series.implementation.is_pandas_like()


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def coded(
    column: Column, intake: Intake, *, role: str, answer: str
) -> tuple[list[str], np.ndarray]:
    """Return labels in natural order and the rows' codes; a missing label is an error."""
    absent = column.codes < 0
    if absent.any():
        raise JudgementError(
            f"every judgement needs a label for {role}; column {column.source!r} is empty in "
            f"{intake.where(absent)} where there is {answer}. Fill in the label, or remove these "
            "rows."
        )
    used = np.unique(column.codes)
    texts: dict[str, int] = {}
    for code in used:
        text = label_text(column.values[code])
        if text in texts:
            first, second = column.values[texts[text]], column.values[code]
            raise JudgementError(
                f"column {column.source!r} holds both {first!r} ({type(first).__name__}) and "
                f"{second!r} ({type(second).__name__}), which read the same; first at "
                f"{intake.where(column.codes == texts[text])} and "
                f"{intake.where(column.codes == code)}. Store the column as one type."
            )
        texts[text] = int(code)
    labels = natural_order(list(texts))
    position = np.zeros(len(column.values), dtype=np.int32)
    for code, label in enumerate(labels):
        position[texts[label]] = code
    return labels, position[column.codes]


def read_counts(intake: Intake) -> tuple[Intake, np.ndarray]:
    """Return the counts, without the rows whose count is zero."""
    if "count" not in intake.columns:
        return intake, intake.weights
    counts = count_values(intake.columns["count"], intake, role="count")
    total = float(counts.astype(float) @ intake.weights)
    if total >= _TOO_LARGE:
        raise JudgementError(
            f"the counts add up to {total:.3g}, which is too large: {_TOO_LARGE:,} or more. Check "
            "the columns of counts."
        )
    zero = counts == 0
    return intake.without(zero, "count is 0"), (counts * intake.weights)[~zero]


def count_values(column: Column, intake: Intake, *, role: str) -> np.ndarray:
    """Return a column of counts as int64; anything but whole numbers from 0 is an error."""
    numbers = [_as_count(value) for value in column.values]
    large = np.array([*(number >= _TOO_LARGE for number in numbers), False])
    values = np.array([*(min(number, _TOO_LARGE) for number in numbers), -1], dtype=np.int64)
    counts = values[column.codes]
    for wrong, why in (
        (counts < 0, "must hold whole numbers from 0"),
        (large[column.codes], f"holds counts that are too large, {_TOO_LARGE:,} or more"),
    ):
        if wrong.any():
            found = [column.values[code] for code in np.unique(column.codes[wrong]) if code >= 0]
            what = f"found {some(found)}" if found else "found empty cells"
            raise JudgementError(
                f"{role}={column.source!r} {why}; {what} in {intake.where(wrong)}. Correct these "
                "counts or remove the rows."
            )
    return counts


def _as_count(value: object) -> int:
    if isinstance(value, int):
        return max(int(value), -1)
    number = as_number(value)
    if number is None or not number.is_integer() or number < 0:
        return -1
    return int(number)


def attribute_arrays(intake: Intake, attributes: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the attribute columns, one value a row, None or NaN where missing."""
    arrays: dict[str, np.ndarray] = {}
    for name in attributes:
        column = intake.columns[f"attribute {name}"]
        numeric = all(
            isinstance(value, int | float) and not isinstance(value, bool)
            for value in column.values
        )
        if numeric and column.values:
            whole = all(isinstance(value, int) for value in column.values)
            exact = whole and (column.codes >= 0).all()
            kind = np.int64 if exact else np.float64
            if whole and any(abs(int(str(value))) >= _TOO_LARGE for value in column.values):
                kind = object
            table = np.array([*column.values, 0 if exact else np.nan], dtype=kind)
        else:
            table = np.empty(len(column.values) + 1, dtype=object)
            table[:-1] = column.values
        arrays[name] = table[column.codes]
    return arrays


def refuse_duplicates(
    intake: Intake,
    unit: Mapping[str, np.ndarray],
    *,
    weights: np.ndarray,
    answer: str,
    remedy: str,
) -> None:
    """Refuse a second judgement of the same unit, naming the unit whose second row comes first."""
    columns = list(unit.values())
    first, _ = cells(columns)
    if len(first) == intake.n_rows and (weights <= 1).all():
        return
    order = np.lexsort(columns)
    same = np.zeros(intake.n_rows, dtype=bool)
    same[1:] = np.logical_and.reduce([codes[order][1:] == codes[order][:-1] for codes in columns])
    group = np.cumsum(~same) - 1
    again = same | (weights[order] > 1)
    n_units = len(np.unique(group[again]))
    example = group[again][np.argmin(order[again])]
    members = np.zeros(intake.n_rows, dtype=bool)
    members[order[group == example]] = True
    raise JudgementError(
        f"one judgement is one {' × '.join(unit)}; {n_units:,} of these "
        f"{'has' if n_units == 1 else 'have'} more than one {answer}, the first in "
        f"{intake.where(members)}. {remedy}"
    )
