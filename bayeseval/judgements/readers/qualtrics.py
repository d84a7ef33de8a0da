"""Qualtrics: three header rows, one column a question, answers with words at the ends."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval.errors import JudgementError
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.readers._platform import (
    Source,
    kept_attributes,
    make_table,
    one_path,
)

ATTRIBUTES = ("StartDate", "EndDate", "Duration (in seconds)", "Progress", "UserLanguage")
LABELLED_NUMBER = re.compile(r"\s*(-?[0-9]+(?:\.[0-9]+)?)\s*[=:–(-]\s*\S.*", re.DOTALL)

type Names = Sequence[str] | Callable[[list[str]], Sequence[str]]


def read_qualtrics(
    path: str | Path,
    *,
    protocol: str,
    pattern: str,
    names: Names | None = None,
    rename: Mapping[str, Mapping[str, str]] | None = None,
    annotator: str | None = "ResponseId",
    moderators: Sequence[str] | Mapping[str, str] = (),
    attributes: Sequence[str] | None = None,
    unfinished: bool = False,
    repeats: bool = False,
    missing: Sequence[str] = ("",),
    **declared: object,
) -> Judgements:
    """Read a CSV export of Qualtrics.

    Parameters
    ----------
    path : str or Path
        The file: rows of column names, question texts and import ids, then one row a person.
    protocol : {"likert", "magnitude", "spa", "pairwise", "strength"}
        How people were asked.
    pattern : str
        Regular expression for the names of the answers' columns, whose named groups are roles:
        ``r"C(?P<item>[0-9]+)_R(?P<system>[0-9]+)_(?P<criterion>[RC])"``.
    names : sequence of str or callable, optional
        Names to use for the columns that match, in the order of the file, where the survey's author
        misnamed some; a callable gets the names in the file.
    rename : mapping of role to mapping, optional
        Labels for what the groups match: ``{"criterion": {"R": "readability"}}``.
    annotator : str or None
        Column of the person.
    moderators : sequence of str or mapping of name to column
        Columns that quality may vary by.
    attributes : sequence of str, optional
        Columns to keep for filters; by default dates, duration, progress and language.
    unfinished : bool
        Keep people who did not finish; they are dropped and counted otherwise, as are previews.
    repeats, missing : as in `LikertJudgements.from_frame`
        See there.
    **declared
        What the protocol's class declares of its answers, as in `read_mturk`.

    Returns
    -------
    Judgements
        The protocol's table. Of an answer such as ``"6 = High Readability"`` the number is taken.

    Raises
    ------
    JudgementError
        The file is no such export; names match twice; or as in the protocol's ``from_frame``.
    """
    header, frame = _read(one_path(path))
    person = _unique(header, frame)
    chosen = [k for k, name in enumerate(header) if re.fullmatch(pattern, name)]
    if not chosen:
        raise JudgementError(
            f"no column's name matches pattern={pattern!r}; the file has {some(header, most=12)}."
        )
    given = [header[k] for k in chosen]
    used = list(names(given) if callable(names) else names or given)
    labels = _labels(pattern, given, used, rename or {})
    kept = kept_attributes(person, ATTRIBUTES) if attributes is None else list(attributes)
    source = Source("Qualtrics survey", person, np.arange(1, len(person) + 1))
    previews = person.get("DistributionChannel", pd.Series("", index=person.index)).eq("preview")
    out = {"survey preview": previews.to_numpy()}
    if not unfinished and "Finished" in person:
        finished = person["Finished"].str.lower().isin(("true", "1")).to_numpy()
        out["survey not finished"] = ~finished & ~previews.to_numpy()
    left = np.ones(len(person), dtype=bool)
    for reason, rows in out.items():
        source = source.without(rows[left], reason)
        left &= ~rows
    answers = frame.iloc[left.nonzero()[0], chosen]
    others = source.frame.drop(columns=[n for n in source.frame if n in labels])
    parts = [
        others.assign(**{role: label[j] for role, label in labels.items()}).assign(
            answer=[_number(cell) for cell in answers.iloc[:, j]]
        )
        for j in range(len(chosen))
    ]
    long = Source(
        source.name,
        pd.concat(parts, ignore_index=True),
        np.tile(source.rows, len(parts)),
        source.dropped,
    )
    answer = {"likert": "rating", "spa": "probability", "pairwise": "outcome"}.get(
        protocol, protocol
    )
    roles = {role: role for role in labels} | {answer: "answer"}
    return make_table(
        long,
        protocol,
        roles if annotator is None else {"annotator": annotator, **roles},
        moderators=moderators,
        attributes=kept,
        repeats=repeats,
        missing=missing,
        declared=declared,
    )


def _read(path: Path) -> tuple[list[str], pd.DataFrame]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except UnicodeError:
        raise JudgementError("the file is not encoded as UTF-8. Export it as CSV again.") from None
    imports = [k for k, row in enumerate(rows[:4]) if row and row[0].startswith('{"ImportId"')]
    if not imports:
        raise JudgementError(
            'expected the three header rows of a Qualtrics export, the third with {"ImportId": …}; '
            "found none. For a plain table use the protocol's read() or from_wide()."
        )
    header, body = rows[0], rows[imports[0] + 1 :]
    ragged = [k for k, row in enumerate(body, start=1) if len(row) != len(header)]
    if ragged:
        raise JudgementError(
            f"data row {ragged[0]} has {len(body[ragged[0] - 1])} cells where the header has "
            f"{len(header)}. Export the file again."
        )
    return header, pd.DataFrame(body, columns=range(len(header)), dtype=str)


def _unique(header: Sequence[str], frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns whose name occurs once, by name."""
    once = [k for k, name in enumerate(header) if list(header).count(name) == 1]
    return frame[once].set_axis([header[k] for k in once], axis=1)


def _labels(
    pattern: str,
    given: Sequence[str],
    used: Sequence[str],
    rename: Mapping[str, Mapping[str, str]],
) -> dict[str, list[str]]:
    if len(used) != len(given):
        raise JudgementError(
            f"names= must give a name to each of the {len(given)} columns that match; found "
            f"{len(used)}."
        )
    matches = [re.fullmatch(pattern, name) for name in used]
    wrong = [name for name, match in zip(used, matches, strict=True) if not match]
    if wrong:
        raise JudgementError(f"{some(wrong)} in names= do not match pattern={pattern!r}.")
    twice = [name for k, name in enumerate(used) if name in used[:k]]
    if twice:
        raise JudgementError(
            f"{some(twice)} name more than one column of answers. Where the survey's author "
            "misnamed columns, give the right names, in the order of the file, with names=."
        )
    groups = [match.groupdict() for match in matches if match]
    return {
        role: [rename.get(role, {}).get(group[role], group[role]) for group in groups]
        for role in groups[0]
    }


def _number(cell: str) -> str:
    match = LABELLED_NUMBER.fullmatch(cell)
    return match[1] if match else cell
