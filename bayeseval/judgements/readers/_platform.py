"""What the readers of platforms share: files as text, repeated blocks of columns, the table."""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from bayeseval._checks import nearest, shown, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._build import Plan, plan
from bayeseval.judgements._columns import Missing
from bayeseval.judgements._factors import Dropped
from bayeseval.judgements._files import (
    EXCEL,
    JSON_LINES,
    PARQUET,
    SEPARATORS,
    json_lines,
    read_excel,
    refuse_packed,
)
from bayeseval.judgements._intake import take
from bayeseval.judgements._protocols import PROTOCOLS
from bayeseval.judgements._reading import (
    Paths,
    naming_the_file,
    numbered,
    parse_json,
    paths_of,
)
from bayeseval.judgements._table import Judgements

JSON = (".json", *JSON_LINES)
RECORDS = (*JSON, *SEPARATORS, *PARQUET, *EXCEL)

type Roles = Mapping[str, str | Sequence[str] | Mapping[str, str]]

LABELLED = ("annotator", "item", "criterion", "ranking", "page")
PLACE = "{k}"


@dataclass(frozen=True, eq=False)
class Source:
    """What a reader took out of files: rows, the number by which the user knows each, drops.

    ``files`` as in `Intake`.
    """

    name: str
    frame: pd.DataFrame
    rows: np.ndarray
    dropped: tuple[Dropped, ...] = ()
    files: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        if self.frame.columns.empty:
            raise JudgementError("no record holds an answer. Export again when there are some.")

    def without(self, rows: np.ndarray, reason: str) -> "Source":
        """Return the source without some rows, counted under a reason."""
        if not rows.any():
            return self
        return replace(
            self,
            frame=self.frame[~rows].reset_index(drop=True),
            rows=self.rows[~rows],
            dropped=(*self.dropped, Dropped(reason, int(rows.sum()))),
        )


def read_files(
    path: Paths, read: Callable[[Path], pd.DataFrame], suffixes: Sequence[str], *, name: str
) -> Source:
    """Read one file, several, or those of a folder, as one table whose rows know their file."""
    files = paths_of(path, *suffixes)
    frames = []
    for file in files:
        with naming_the_file(file):
            refuse_packed(file)
            frames.append(read(file))
    frame = frames[0] if len(files) == 1 else pd.concat(frames, ignore_index=True)
    before = accumulate((len(part) for part in frames[:-1]), initial=0)
    known = zip(before, (file.name for file in files), strict=True)
    return Source(name, frame, np.arange(1, len(frame) + 1), (), tuple(known) if files[1:] else ())


def read_text_table(path: Path, *, separator: str = ",", header: bool = True) -> pd.DataFrame:
    """Read delimited text with every cell as it was written."""
    try:
        return pd.read_csv(
            path,
            sep=separator,
            dtype=str,
            header=0 if header else None,
            keep_default_na=False,
            encoding="utf-8-sig",
            quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL,
        )
    except pd.errors.EmptyDataError:
        raise JudgementError("the file is empty. Export it again, with its header row.") from None
    except (UnicodeError, pd.errors.ParserError) as error:
        raise JudgementError(f"the file cannot be read as delimited UTF-8 text: {error}") from None


def read_json(path: Path) -> object:
    """Read JSON, or JSON lines as a list."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeError:
        raise JudgementError("the file is not encoded as UTF-8.") from None
    if path.suffix.lower() in JSON_LINES:
        return json_lines(text)
    return parse_json(text, what="the file")


def read_records(path: Path) -> pd.DataFrame:
    """Read a table of any kind that holds one record a row."""
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        return pd.read_parquet(path)
    if suffix in EXCEL:
        return read_excel(path)
    if suffix in SEPARATORS:
        return read_text_table(path, separator=SEPARATORS[suffix])
    content = read_json(path)
    if not isinstance(content, list):
        raise JudgementError("expected a list of objects, one a judgement.")
    names: dict[str, None] = {}
    for _, row in numbered(content, noun="record"):
        if not isinstance(row, dict):
            raise JudgementError(
                f"expected a list of objects, one a judgement; this is {type(row).__name__}."
            )
        names |= dict.fromkeys(row)
    return pd.DataFrame(
        {name: pd.Series([row.get(name) for row in content], dtype=object) for name in names}
    )


def first_of(frame: pd.DataFrame, names: Sequence[str], *, role: str) -> str:
    """Return the first of the names that is a column."""
    for name in names:
        if name in frame:
            return name
    raise JudgementError(
        f"expected a column for {role}, one of {some(names)}; the file has "
        f"{some(frame.columns, most=12)}."
    )


def kept_attributes(frame: pd.DataFrame, usual: Sequence[str]) -> list[str]:
    """Return those of the platform's usual columns that the file has."""
    return [name for name in usual if name in frame]


def flat(prefix: str, content: object) -> dict[str, object]:
    """Flatten nested objects to dotted names."""
    if not isinstance(content, dict):
        return {prefix: content}
    found: dict[str, object] = {}
    for name, value in content.items():
        found |= flat(f"{prefix}.{name}" if prefix else str(name), value)
    return found


def make_table(
    source: Source,
    protocol: str,
    roles: Roles,
    *,
    moderators: Sequence[str] | Mapping[str, str] = (),
    attributes: Sequence[str] = (),
    repeats: bool = False,
    missing: Missing = ("",),
    declared: Mapping[str, object],
) -> Judgements:
    """Make the protocol's table of the roles' columns.

    A column may hold ``{k}``, which stands for every number for which the answer's column is there:
    the block of columns with one number is one judgement. The answer may be a mapping of criterion
    to column; a list of columns, joined by blanks, is one label.
    """
    cls = protocol_named(protocol)
    check_roles(roles)
    named = {name: column for name, column in roles.items() if column is not None}
    answer = _answer_role(cls, named)
    long, rows = _spread(source, named, answer)
    planned = _planned(cls, named, answer, moderators, attributes)
    # Errors are to name the columns of the file.
    said = {role: _said(named[role]) for role in planned.roles if role in named}
    intake = take(
        long, planned.roles, missing=missing, rows=rows, dropped=source.dropped, said=said
    )
    intake = replace(intake, files=source.files)
    settings = _settings(cls, declared)
    # The five classes differ in what they declare, so that the base has no such method.
    maker: Any = cls
    table: Judgements = maker._from_intake(intake, planned, repeats=repeats, **settings)
    return replace(table, origin=_origin(source.name, named, attributes))


def check_roles(roles: object) -> None:
    """Refuse what is no mapping of role to column, list of columns, or columns by criterion."""
    if not isinstance(roles, Mapping):
        raise JudgementError(
            "columns= must be a mapping of role to column, such as {'system': 'model'}; found "
            f"{shown(roles)} ({type(roles).__name__})."
        )
    for role, column in roles.items():
        within = column.values() if isinstance(column, Mapping) else column
        if column is not None and not (
            isinstance(within, Iterable) and all(isinstance(name, str) for name in within)
        ):
            raise JudgementError(
                f"{role}: a column is named by its text, and several by a list of texts; found "
                f"{shown(column)} ({type(column).__name__})."
            )


def with_annotator(columns: Roles, annotator: str | None) -> Roles:
    """Return the roles with the platform's column of the person, where there is one."""
    check_roles(columns)
    roles = columns if annotator is None else {"annotator": annotator, **columns}
    check_roles(roles)
    return roles


def protocol_named(protocol: str) -> type[Judgements]:
    if not isinstance(protocol, str) or protocol not in PROTOCOLS:
        raise JudgementError(
            f"protocol= must be one of {some(PROTOCOLS, most=5)}; found {shown(protocol)}."
        )
    return PROTOCOLS[protocol]


def _answer_role(cls: type[Judgements], roles: Roles) -> str:
    answers = cls.form.answers
    expected = [*cls.system_factors, *LABELLED, *answers]
    for role in roles:
        if role not in expected:
            close = nearest(role, expected)
            hint = f" Did you mean {close!r}?" if close else ""
            raise JudgementError(
                f"columns= has the role {role!r}; {cls.protocol} judgements have "
                f"{some(expected, most=9)}.{hint}"
            )
    found = [role for role in answers if role in roles]
    lacking = [role for role in cls.system_factors if role not in roles]
    if not found or lacking:
        raise JudgementError(
            "columns= must name the columns of "
            f"{some([*cls.system_factors, ' or '.join(answers)])}; found {some(roles, most=9)}."
        )
    return found[0]


def _spread(source: Source, roles: Roles, answer: str) -> tuple[pd.DataFrame, np.ndarray]:
    given = roles[answer]
    by_criterion = dict(given) if isinstance(given, Mapping) else {None: _said(given)}
    if isinstance(given, Mapping) and "criterion" in roles:
        raise JudgementError(
            f"columns= maps criteria to columns of {answer}; leave criterion away."
        )
    parts, rows = [], []
    for criterion, template in by_criterion.items():
        for number in _numbers(source.frame, template):
            columns = {
                role: _values(source.frame, role, template if role == answer else column, number)
                for role, column in roles.items()
            }
            part = source.frame.assign(**{f"{role} ": values for role, values in columns.items()})
            parts.append(part if criterion is None else part.assign(**{"criterion ": criterion}))
            rows.append(source.rows)
    return pd.concat(parts, ignore_index=True), np.concatenate(rows)


def _values(frame: pd.DataFrame, role: str, column: object, number: str) -> pd.Series:
    names = [column] if isinstance(column, str) else list(cast("Sequence[str]", column))
    names = [name.replace(PLACE, number) for name in names]
    for name in names:
        if name not in frame:
            close = nearest(name, [str(known) for known in frame.columns])
            hint = f" The nearest is {close!r}." if close else ""
            raise JudgementError(
                f"{role}: there is no column {name!r}; the file has "
                f"{some(frame.columns, most=12)}.{hint}"
            )
    values = frame[names[0]]
    for name in names[1:]:
        values = values.astype(str) + " " + frame[name].astype(str)
    return values


def _said(column: str | Sequence[str] | Mapping[str, str]) -> str:
    if isinstance(column, str):
        return column
    return ", ".join(column.values()) if isinstance(column, Mapping) else " ".join(column)


def _numbers(frame: pd.DataFrame, template: str) -> list[str]:
    if PLACE not in template:
        return [""]
    before, after = (re.escape(part) for part in template.split(PLACE, 1))
    found = [re.fullmatch(f"{before}([0-9]+){after}", str(name)) for name in frame.columns]
    numbers = sorted((match[1] for match in found if match), key=int)
    if not numbers:
        raise JudgementError(
            f"no column is called {template!r} with a number for {PLACE}; the file has "
            f"{some(frame.columns, most=12)}."
        )
    return numbers


def _planned(
    cls: type[Judgements],
    roles: Roles,
    answer: str,
    moderators: Sequence[str] | Mapping[str, str],
    attributes: Sequence[str],
) -> Plan:
    # A blank after the role's name keeps these columns apart from those of the file.
    labelled: dict[str, str | None] = {
        role: f"{role} " if role in roles else None for role in LABELLED
    }
    if isinstance(roles[answer], Mapping):
        labelled["criterion"] = "criterion "
    answers: dict[str, str | None] = {answer: f"{answer} "}
    return plan(
        answers,
        {role: f"{role} " for role in cls.system_factors},
        annotator=labelled["annotator"],
        item=labelled["item"],
        criterion=labelled["criterion"],
        ranking=labelled["ranking"],
        page=labelled["page"],
        moderators=moderators,
        attributes=attributes,
    )


def _settings(cls: type[Judgements], declared: Mapping[str, object]) -> dict[str, object]:
    known = {argument.name: argument for argument in cls.form.declared}
    unknown = [name for name in declared if name not in known]
    if unknown:
        raise JudgementError(
            f"{some(unknown)} cannot be declared of {cls.protocol} judgements; what can is "
            f"{some(known)}."
        )
    lacking = [name for name in known if known[name].needed and name not in declared]
    if lacking:
        raise JudgementError(
            f"{cls.protocol} judgements need {' and '.join(f'{name}=' for name in lacking)}."
        )
    return {name: argument.default for name, argument in known.items()} | dict(declared)


def _origin(name: str, roles: Roles, attributes: Sequence[str]) -> str:
    said = [f"{role} = {_said(column)}" for role, column in roles.items()]
    if "annotator" not in roles:
        said.insert(0, "no annotator identities")
    if attributes:
        said.append(f"attributes {', '.join(attributes)}")
    return f"{name}: {'; '.join(said)}"
