"""Qualtrics: three header rows, one column a question, answers with words at the ends."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval.errors import JudgementError
from bayeseval.judgements._columns import Missing
from bayeseval.judgements._factors import Dropped
from bayeseval.judgements._reading import Paths
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.pairwise import PairwiseJudgements
from bayeseval.judgements.readers._platform import (
    Source,
    kept_attributes,
    make_table,
    protocol_named,
    read_files,
)

ATTRIBUTES = ("StartDate", "EndDate", "Duration (in seconds)", "Progress", "UserLanguage")
LABELLED_NUMBER = re.compile(r"\s*(-?[0-9]+(?:\.[0-9]+)?)\s*[=:–(-]\s*\S.*", re.DOTALL)

type Names = Sequence[str] | Callable[[list[str]], Sequence[str]]


def read_qualtrics(
    path: Paths,
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
    missing: Missing = ("",),
    ranks: bool = False,
    **declared: object,
) -> Judgements:
    """Read a CSV export of Qualtrics.

    Parameters
    ----------
    path : str, Path or sequence of them
        The file, or several of one survey: rows of column names, question texts and import ids,
        then one row a person.
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
    ranks : bool
        The answers are ranks, 1 the best, of the systems that one group of the pattern names: all
        pairs of what one person ranked together. Needs ``protocol="pairwise"``.
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
    if ranks and protocol != "pairwise":
        raise JudgementError(
            f'ranks=True makes pairs: pass protocol="pairwise"; found {protocol!r}.'
        )
    header, survey = _read_surveys(path)
    chosen = [k for k, name in enumerate(header) if re.fullmatch(pattern, name)]
    if not chosen:
        raise JudgementError(
            f"no column's name matches pattern={pattern!r}; the file has {some(header, most=12)}."
        )
    given = [header[k] for k in chosen]
    used = list(names(given) if callable(names) else names or given)
    labels = _labels(pattern, given, used, rename or {})
    person = _unique(header, survey.frame)
    kept = kept_attributes(person, ATTRIBUTES) if attributes is None else list(attributes)
    finished = _finished(survey, person, unfinished=unfinished)
    left = finished.rows - 1
    others = person.iloc[left].drop(columns=[n for n in person if n in labels or n in given])
    others = others.reset_index(drop=True)
    answers = finished.frame.iloc[:, chosen].to_numpy(dtype=object)
    finished = _with_missed(finished, header, chosen)
    for column in answers.T:
        column[:] = [_number(cell) for cell in column]
    if ranks:
        table = _rankings(
            others, answers, labels, annotator=annotator, moderators=moderators, attributes=kept,
            repeats=repeats, missing=missing,
        )  # fmt: skip
        origin = f"{finished.name}: annotator = {annotator}; ranks of {', '.join(labels)}"
        return replace(table, origin=origin, dropped=(*finished.dropped, *table.dropped))
    number, columns = answers.shape
    long = others.iloc[np.tile(np.arange(number), columns)].reset_index(drop=True)
    long = long.assign(
        **{
            role: np.repeat(np.array(label, dtype=object), number) for role, label in labels.items()
        },
        answer=answers.T.ravel(),
    )
    source = replace(finished, frame=long, rows=np.tile(finished.rows, columns))
    roles = {role: role for role in labels} | {protocol_named(protocol).answer_name: "answer"}
    return make_table(
        source,
        protocol,
        roles if annotator is None else {"annotator": annotator, **roles},
        moderators=moderators,
        attributes=kept,
        repeats=repeats,
        missing=missing,
        declared=declared,
    )


def _read_surveys(path: Paths) -> tuple[list[str], Source]:
    headers: list[list[str]] = []

    def load(file: Path) -> pd.DataFrame:
        header, frame = _read(file)
        headers.append(header)
        if header != headers[0]:
            differ = sorted(set(header) ^ set(headers[0])) or ["their order"]
            raise JudgementError(
                f"files of one survey must have the same columns; {some(differ)} differ from the "
                "first file. Read them one by one."
            )
        return frame

    source = read_files(path, load, (".csv",), name="Qualtrics survey")
    return headers[0], source


def _finished(survey: Source, person: pd.DataFrame, *, unfinished: bool) -> Source:
    """Return the survey without previews and without people who did not finish."""
    previews = person.get("DistributionChannel", pd.Series("", index=person.index)).eq("preview")
    preview = previews.to_numpy()
    left = survey.without(preview, "survey preview")
    if unfinished or "Finished" not in person:
        return left
    finished = person["Finished"].str.lower().isin(("true", "1")).to_numpy()
    return left.without(~finished[~preview], "survey not finished")


def _with_missed(source: Source, header: Sequence[str], chosen: Sequence[int]) -> Source:
    """Count the answers in columns that look like those of the pattern and do not match it."""

    def shape(name: str) -> str:
        return re.sub("[0-9]+", "0", name).casefold()

    shapes = {shape(header[k]) for k in chosen}
    missed = [k for k in set(range(len(header))) - set(chosen) if shape(header[k]) in shapes]
    if not missed:
        return source
    number = int((source.frame.iloc[:, missed] != "").to_numpy().sum())
    named = some([header[k] for k in sorted(missed)])
    reason = f"answer in {named}, which pattern= misses though shaped like those that match"
    return replace(source, dropped=(*source.dropped, Dropped(reason, number)))


def _rankings(
    others: pd.DataFrame,
    answers: np.ndarray,
    labels: Mapping[str, Sequence[str]],
    *,
    annotator: str | None,
    moderators: Sequence[str] | Mapping[str, str],
    attributes: Sequence[str],
    repeats: bool,
    missing: Missing,
) -> PairwiseJudgements:
    """Make all pairs of the systems that one person ranked for one item and criterion."""
    extra = set(labels) - {"system", "item", "criterion"}
    if "system" not in labels or extra:
        raise JudgementError(
            "ranks=True needs the group (?P<system>…) in pattern=, and item or criterion where "
            f"there are several; found {some(labels)}."
        )
    systems = list(dict.fromkeys(labels["system"]))
    about = [role for role in ("item", "criterion") if role in labels]
    column_of: dict[tuple[str, ...], dict[str, int]] = {}
    for k, system in enumerate(labels["system"]):
        question = tuple(labels[role][k] for role in about)
        column_of.setdefault(question, {})[system] = k
    parts = [
        others.assign(
            **{
                f"rank of {system}": answers[:, columns[system]] if system in columns else ""
                for system in systems
            },
            **dict(zip(about, question, strict=True)),
        )
        for question, columns in column_of.items()
    ]
    return PairwiseJudgements.from_rankings(
        pd.concat(parts, ignore_index=True),
        annotator=annotator,
        ranks={f"rank of {system}": system for system in systems},
        lower_is_better=True,
        item="item" if "item" in about else None,
        criterion="criterion" if "criterion" in about else None,
        moderators=moderators,
        attributes=attributes,
        repeats=repeats,
        missing=missing,
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
    times = Counter(header)
    once = [k for k, name in enumerate(header) if times[name] == 1]
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
    groups = [match.groupdict() for match in matches if match]
    twice = [name for name, times in Counter(used).items() if times > 1]
    if twice:
        raise JudgementError(
            f"{some(twice)} name more than one column of answers{_holes(groups)}. Where the "
            "survey's author misnamed columns, give the right names, in the order of the file, "
            "with names=."
        )
    return {
        role: [rename.get(role, {}).get(group[role], group[role]) for group in groups]
        for role in groups[0]
    }


def _holes(groups: Sequence[Mapping[str, str]]) -> str:
    """Name the combinations of the groups' labels that no column has, where they are few."""
    there = {tuple(group.values()) for group in groups}
    every = product(*(dict.fromkeys(labels) for labels in zip(*there, strict=True)))
    holes = [combination for combination in every if combination not in there]
    if not holes or len(holes) > len(groups) - len(there):
        return ""
    said = [", ".join(f"{r} {v}" for r, v in zip(groups[0], hole, strict=True)) for hole in holes]
    return f", and no column is there for {some(said)}"


def _number(cell: str) -> str:
    match = LABELLED_NUMBER.fullmatch(cell)
    return match[1] if match else cell
