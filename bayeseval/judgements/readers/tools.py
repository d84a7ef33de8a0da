"""Annotation tools that export nested JSON: Label Studio and Argilla."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayeseval._checks import shown
from bayeseval.errors import JudgementError
from bayeseval.judgements._columns import Missing
from bayeseval.judgements._factors import Dropped
from bayeseval.judgements._intake import named_columns
from bayeseval.judgements._reading import Paths, naming_the_file, numbered, paths_of
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.readers._platform import (
    JSON,
    RECORDS,
    Roles,
    Source,
    flat,
    kept_attributes,
    make_table,
    read_files,
    read_json,
    read_records,
    with_annotator,
)


def read_label_studio(
    path: Paths,
    *,
    protocol: str,
    columns: Roles,
    annotator: str | None = "annotator",
    moderators: Sequence[str] | Mapping[str, str] = (),
    attributes: Sequence[str] | None = None,
    repeats: bool = False,
    missing: Missing = ("",),
    **declared: object,
) -> Judgements:
    """Read a JSON export of Label Studio.

    Every annotation of a task becomes one row: the task's data under ``data.…``, its id under
    ``task``, the person under ``annotator``, and the answer to each control tag under the tag's
    name (``from_name``). Cancelled annotations are dropped and counted.

    Parameters
    ----------
    path : str, Path or sequence of them
        The JSON file (not JSON-MIN).
    protocol, moderators, repeats, missing : as in `read_mturk`
        See there.
    columns : mapping of role to column
        For example ``{"system": "data.model", "item": "task", "rating": "fluency"}``; for a
        ``Pairwise`` tag the outcomes are ``"left"`` and ``"right"``.
    annotator : str or None
        Column of the person.
    attributes : sequence of str, optional
        Columns to keep for filters; by default ``annotation``, ``lead_time`` and ``created_at``.
    **declared
        As in `read_mturk`. For pairs ``outcomes`` is ``{"left": "a", "right": "b"}`` by default.

    Returns
    -------
    Judgements
        The protocol's table.

    Raises
    ------
    JudgementError
        The file is no such export, or as in the protocol's ``from_frame``.
    """
    roles = with_annotator(columns, annotator)
    several: dict[object, str] = {}
    rows, numbers, cancelled, files = [], [], 0, []
    paths = paths_of(path, *JSON)
    for file in paths:
        files.append((numbers[-1] if numbers else 0, file.name))
        with naming_the_file(file):
            for number, task in numbered(_tasks(file), noun="task"):
                for annotation in task["annotations"] or ():
                    if annotation.get("was_cancelled"):
                        cancelled += 1
                        continue
                    row = {"task": task.get("id", number), **flat("data", task.get("data", {}))}
                    row |= {
                        "annotation": annotation.get("id"),
                        "annotator": _person(annotation.get("completed_by")),
                        "lead_time": annotation.get("lead_time"),
                        "created_at": annotation.get("created_at"),
                    }
                    answered: dict[object, object] = {}
                    # An annotation that was never answered has null; it counts as no answer.
                    for answer in annotation.get("result") or ():
                        tag = answer.get("from_name")
                        if tag in answered:
                            several.setdefault(tag, f"task {number:,} of {file.name}")
                        answered[tag] = _answer(answer)
                    rows.append({**row, **answered})
                    numbers.append(files[-1][0] + number)
    _refuse_several(several, roles, [*named_columns(moderators, argument="moderators").values()])
    dropped = (Dropped("annotation cancelled", cancelled),) if cancelled else ()
    source = Source(
        "Label Studio",
        pd.DataFrame(rows),
        np.array(numbers, dtype=int),
        dropped,
        tuple(files) if len(files) > 1 else (),
    )
    if "outcome" in columns:
        declared = {"outcomes": {"left": "a", "right": "b"}, **declared}
    usual = kept_attributes(source.frame, ("annotation", "lead_time", "created_at"))
    return make_table(
        source,
        protocol,
        roles,
        moderators=moderators,
        attributes=usual if attributes is None else attributes,
        repeats=repeats,
        missing=missing,
        declared=declared,
    )


def _tasks(file: Path) -> list[dict[str, Any]]:
    tasks = read_json(file)
    if not isinstance(tasks, list) or not all(
        isinstance(task, dict) and "annotations" in task for task in tasks
    ):
        raise JudgementError(
            'expected a list of tasks, each with "annotations": the JSON export of Label Studio. '
            "Other exports (JSON-MIN, CSV) are plain tables for the protocol's read()."
        )
    return tasks


def _refuse_several(
    several: Mapping[object, str], columns: Roles, moderators: Sequence[str]
) -> None:
    """Refuse a used column of which one annotation has two results; spans of text have many."""
    named = [
        name
        for column in columns.values()
        for name in ([column] if isinstance(column, str) else _all_of(column))
    ]
    for tag, first in several.items():
        if tag in (*named, *moderators):
            raise JudgementError(
                f"one annotation has two results or more of {shown(tag)} (from_name), first in "
                f"{first}: which one counts is unknown. Give every question a control tag of its "
                "own, or remove the result that was corrected."
            )


def _all_of(column: Sequence[str] | Mapping[str, str]) -> list[str]:
    return list(column.values()) if isinstance(column, Mapping) else list(column)


def _person(completed_by: object) -> object:
    if isinstance(completed_by, dict):
        return completed_by.get("email") or completed_by.get("id")
    return completed_by


def _answer(answer: Mapping[str, object]) -> object:
    value = answer.get("value")
    if not isinstance(value, dict):
        raise JudgementError(
            f"the value of {shown(answer.get('from_name'))} must be an object; found "
            f"{shown(value)}."
        )
    # A Pairwise tag is the one that keeps its answer under another name than its type.
    kind = "selected" if answer.get("type") == "pairwise" else str(answer.get("type"))
    found = value.get(kind)
    if isinstance(found, list):
        return found[0] if len(found) == 1 else " | ".join(str(part) for part in found)
    return found


def read_argilla(
    path: Paths,
    *,
    protocol: str,
    columns: Roles,
    annotator: str | None = "user",
    moderators: Sequence[str] | Mapping[str, str] = (),
    attributes: Sequence[str] = (),
    repeats: bool = False,
    missing: Missing = ("",),
    **declared: object,
) -> Judgements:
    """Read an export of Argilla: its records as JSON, or the table of its Hugging Face data set.

    Every user's answers to a record become one row: the record's ``fields.…`` and ``metadata.…``,
    its ``id``, the ``user``, and the answer to each question under the question's name. Answers
    that are drafts or were discarded are dropped and counted.

    Parameters
    ----------
    path : str, Path or sequence of them
        JSON, JSON lines or Parquet: ``records.to_json()`` of Argilla 2 (answers under
        ``responses``), a data set of Argilla 2 (``<question>.responses`` beside
        ``<question>.responses.users``), or one of Argilla 1 (lists of ``{user_id, value, status}``
        under the question's name).
    protocol, moderators, repeats, missing : as in `read_mturk`
        See there.
    columns : mapping of role to column
        For example ``{"system": "metadata.model", "item": "metadata.prompt", "rating":
        "quality"}``.
    annotator : str or None
        Column of the person.
    attributes : sequence of str
        Columns to keep for filters.
    **declared
        As in `read_mturk`.

    Returns
    -------
    Judgements
        The protocol's table.

    Raises
    ------
    JudgementError
        The file is no such export, or as in the protocol's ``from_frame``.
    """
    read = read_files(path, read_records, RECORDS, name="Argilla")
    frame = read.frame
    rows, numbers, left_out = [], [], 0
    for number, values in numbered(frame.itertuples(index=False, name=None), noun="record"):
        record = dict(zip(map(str, frame.columns), values, strict=True))
        plain, answers, unsubmitted = _argilla_answers(record)
        left_out += unsubmitted
        for user, given in answers.items():
            rows.append({**plain, "user": user, **given})
            numbers.append(number)
    if not rows:
        raise JudgementError(
            "no submitted answer of an Argilla user is in this file; expected answers under "
            '"responses", or "<question>.responses" beside "<question>.responses.users".'
        )
    dropped = (Dropped("answer not submitted", left_out),) if left_out else ()
    rows_of = np.array(numbers, dtype=int)
    source = Source(read.name, pd.DataFrame(rows), rows_of, dropped, read.files)
    return make_table(
        source,
        protocol,
        with_annotator(columns, annotator),
        moderators=moderators,
        attributes=list(attributes),
        repeats=repeats,
        missing=missing,
        declared=declared,
    )


def _argilla_answers(
    record: Mapping[str, object],
) -> tuple[dict[str, object], dict[object, dict[str, object]], int]:
    """Return a record's own values, each user's answers by question, and how many do not count."""
    plain: dict[str, object] = {}
    questions: dict[str, list[tuple[object, object, object]]] = {}
    for name, content in record.items():
        if name == "responses" and isinstance(content, dict):
            for question, given in content.items():
                questions[question] = [_triple(one) for one in given or ()]
        elif name.endswith(".responses"):
            question = name.removesuffix(".responses")
            questions[question] = _parallel(record, name)
        elif ".responses." in name or name in ("suggestions", "vectors"):
            continue
        elif _holds_answers(content):
            questions[name] = [_triple(one) for one in _as_list(content)]
        else:
            plain |= flat(name, content)
    answers: dict[object, dict[str, object]] = {}
    unsubmitted = 0
    for question, given in questions.items():
        for user, value, status in given:
            if str(status) in ("draft", "discarded"):
                unsubmitted += 1
            else:
                answers.setdefault(user, {})[question] = value
    return plain, answers, unsubmitted


def _as_list(content: object) -> list[Mapping[str, object]]:
    """Return answers as a list of records; Argilla 1 may store a record of lists instead."""
    if isinstance(content, dict):
        keys = list(content)
        return [dict(zip(keys, row, strict=True)) for row in zip(*content.values(), strict=True)]
    return list(content) if isinstance(content, list | np.ndarray) else []


def _holds_answers(content: object) -> bool:
    if isinstance(content, dict):
        return {"user_id", "value"} <= set(content)
    if not isinstance(content, list | np.ndarray) or not len(content):
        return False
    return isinstance(content[0], dict) and {"user_id", "value"} <= set(content[0])


def _triple(answer: Mapping[str, object]) -> tuple[object, object, object]:
    return answer.get("user_id"), answer.get("value"), answer.get("status", "submitted")


def _parallel(record: Mapping[str, object], name: str) -> list[tuple[object, object, object]]:
    def part(suffix: str) -> list[object]:
        found = record.get(name + suffix)
        return list(found) if isinstance(found, list | np.ndarray) else []

    values = part("")
    users = part(".users") or [None] * len(values)
    states = part(".status") or ["submitted"] * len(values)
    return list(zip(users, values, states, strict=True))
