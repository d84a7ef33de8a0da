"""Wide tables: several answers a row become one answer a row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
import pandas as pd

from bayeseval._checks import shown, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._columns import Intake, Missing
from bayeseval.judgements._intake import as_pandas, check_sources, take

LABEL, ANSWER, SYSTEM = "__label__", "__answer__", "__system__"
FIRST, SECOND = "__first__", "__second__"

type WideAnswers = Sequence[str] | Mapping[str, str] | Mapping[str, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Melted:
    """A long table, the data row each of its rows came from, and which column plays which role.

    ``names`` is how the user knows the columns that were made.
    """

    frame: pd.DataFrame
    rows: np.ndarray
    roles: Mapping[str, str | None]
    names: Mapping[str, str] = field(default_factory=dict)

    def taken(self, roles: Mapping[str, str | None], *, missing: Missing) -> Intake:
        """Take the columns of the roles; messages name the user's columns, not ours."""
        said = {
            role: self.names[name]
            for role, name in roles.items()
            if isinstance(name, str) and name in self.names
        }
        return take(self.frame, roles, missing=missing, rows=self.rows, said=said)

    def required(self, role: str) -> str:
        """Return the column of a role that the protocol cannot do without."""
        column = self.roles[role]
        if column is None:
            raise JudgementError(
                f"{role}= must name the column of the {role}, because the columns of answers do "
                f"not say which {role} they belong to."
            )
        return column


def melt(
    frame: object,
    *,
    answers: WideAnswers,
    argument: str,
    columns_are: str | None,
    given: Mapping[str, str | None],
    systems: Sequence[str] | None = None,
) -> Melted:
    """Return one answer a row.

    Either each column of answers stands for one label of ``columns_are``, or for one pair of
    systems, or the k-th column of answers belongs to the system that the k-th column of ``systems``
    names in the same row.
    """
    if isinstance(answers, str):
        raise JudgementError(
            f"{argument} must be a list of columns; write {argument}=[{answers!r}]."
        )
    if not isinstance(answers, Mapping | Sequence):
        raise JudgementError(
            f"{argument}= must be a list of columns, or a mapping of column to label; found "
            f"{shown(answers)}."
        )
    if not answers:
        raise JudgementError(f"{argument} names no column.")
    for role, name in {"columns_are": columns_are, **given}.items():
        if not isinstance(name, str | None):
            raise JudgementError(f"{role}= must be a text; found {shown(name)}.")
    melted = _melted(as_pandas(frame), answers, argument, columns_are, given, systems)
    columns = answers.values() if isinstance(answers, Mapping) and systems else answers
    of_systems = ", ".join(systems or ())
    said = {
        **dict.fromkeys((FIRST, SECOND, LABEL), argument),
        ANSWER: shown(", ".join(map(str, columns)), quoted=False),
        SYSTEM: shown(of_systems, quoted=False),
    }
    return replace(melted, names=said)


def _melted(
    wide: pd.DataFrame,
    answers: WideAnswers,
    argument: str,
    columns_are: str | None,
    given: Mapping[str, str | None],
    systems: Sequence[str] | None,
) -> Melted:
    if systems is not None:
        return _by_position(wide, answers, argument, columns_are, given, systems)
    if columns_are == "pair" and "system_a" in given:
        return _by_pair(wide, answers, argument, given)
    if columns_are is None or columns_are not in given or columns_are.startswith("system_"):
        raise JudgementError(
            f"columns_are= must say what a column of {argument} stands for, one of "
            f"{some(_choices(given), most=6)}; found {columns_are!r}."
        )
    if given[columns_are] is not None:
        raise JudgementError(
            f"columns_are={columns_are!r} says that each column of {argument} is one "
            f"{columns_are}; leave {columns_are}={given[columns_are]!r} away."
        )
    named = dict(answers) if isinstance(answers, Mapping) else {name: name for name in answers}
    if not all(isinstance(label, str) for label in named.values()):
        raise JudgementError(
            f"{argument} must map each column to its label; lists of columns go with systems=."
        )
    check_sources({f"{argument} {name}": name for name in named}, list(wide.columns))
    others = wide.drop(columns=list(named))
    parts = [
        others.assign(**{LABEL: label, ANSWER: wide[name].astype(object)})
        for name, label in named.items()
    ]
    return _stacked(parts, len(wide), {**given, columns_are: LABEL})


def _choices(given: Mapping[str, str | None]) -> list[str]:
    own = [role for role in given if not role.startswith("system_")]
    return [*own, "pair"] if "system_a" in given else own


def _by_pair(
    wide: pd.DataFrame,
    answers: WideAnswers,
    argument: str,
    given: Mapping[str, str | None],
) -> Melted:
    pairs = dict(answers) if isinstance(answers, Mapping) else {}
    named = {
        str(name): tuple(pair)
        for name, pair in pairs.items()
        if isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
    }
    if not named or len(named) < len(pairs):
        raise JudgementError(
            f'columns_are="pair" needs {argument} as a mapping of each column to its two systems '
            f"in the order asked, {{'column': ('A', 'B')}}; found {answers!r}."
        )
    if given["system_a"] is not None or given["system_b"] is not None:
        raise JudgementError(
            'columns_are="pair" says which systems each column is about; leave system_a= and '
            "system_b= away."
        )
    check_sources({f"{argument} {name}": name for name in named}, list(wide.columns))
    others = wide.drop(columns=list(named))
    parts = [
        others.assign(**{FIRST: a, SECOND: b, ANSWER: wide[name].astype(object)})
        for name, (a, b) in named.items()
    ]
    return _stacked(parts, len(wide), {**given, "system_a": FIRST, "system_b": SECOND})


def _by_position(
    wide: pd.DataFrame,
    answers: WideAnswers,
    argument: str,
    columns_are: str | None,
    given: Mapping[str, str | None],
    systems: Sequence[str],
) -> Melted:
    if columns_are is not None or given.get("system") is not None:
        raise JudgementError(
            "systems= names the columns that hold the systems of a row; leave columns_are= and "
            "system= away."
        )
    by_criterion: dict[str | None, object] = {}
    if isinstance(answers, Mapping):
        by_criterion.update(answers)
    else:
        by_criterion[None] = answers
    roles: dict[str, str | None] = {**given, "system": SYSTEM}
    if isinstance(answers, Mapping):
        if given["criterion"] is not None:
            raise JudgementError(
                f"{argument} maps criteria to lists of columns; leave criterion= away."
            )
        roles["criterion"] = LABEL
    parts = []
    for criterion, columns in by_criterion.items():
        columns = [columns] if isinstance(columns, str) else list(cast("Sequence[str]", columns))
        if len(columns) != len(systems):
            raise JudgementError(
                f"systems= names {len(systems)} columns and {argument} {len(columns)}"
                f"{'' if criterion is None else f' for criterion {criterion!r}'}; the k-th answer "
                "belongs to the k-th system, so that there must be as many."
            )
        named = {f"systems {name}": name for name in systems}
        named |= {f"{argument} {name}": name for name in columns}
        check_sources(named, list(wide.columns))
        others = wide.drop(columns=[*systems, *columns])
        for system, answer in zip(systems, columns, strict=True):
            part = others.assign(
                **{SYSTEM: wide[system].astype(object), ANSWER: wide[answer].astype(object)}
            )
            parts.append(part if criterion is None else part.assign(**{LABEL: criterion}))
    return _stacked(parts, len(wide), roles)


def _stacked(parts: list[pd.DataFrame], n_rows: int, roles: Mapping[str, str | None]) -> Melted:
    rows = np.tile(np.arange(1, n_rows + 1), len(parts))
    return Melted(pd.concat(parts, ignore_index=True), rows, roles)
