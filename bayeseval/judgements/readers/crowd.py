"""Crowd platforms that export one row a submission: Mechanical Turk and CrowdFlower."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from bayeseval.judgements._columns import Missing
from bayeseval.judgements._reading import Paths
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.readers._platform import (
    Roles,
    Source,
    kept_attributes,
    make_table,
    read_files,
    read_text_table,
    with_annotator,
)

MTURK_ATTRIBUTES = (
    "HITId",
    "AssignmentId",
    "AssignmentStatus",
    "AcceptTime",
    "SubmitTime",
    "WorkTimeInSeconds",
)
CROWDFLOWER_ATTRIBUTES = (
    "_unit_id",
    "_id",
    "_created_at",
    "_started_at",
    "_trust",
    "_channel",
    "_country",
)


def read_mturk(
    path: Paths,
    *,
    protocol: str,
    columns: Roles,
    annotator: str | None = "WorkerId",
    moderators: Sequence[str] | Mapping[str, str] = (),
    attributes: Sequence[str] | None = None,
    repeats: bool = False,
    missing: Missing = ("",),
    **declared: object,
) -> Judgements:
    """Read a batch result of Amazon Mechanical Turk (``Batch_…_batch_results.csv``).

    Parameters
    ----------
    path : str, Path or sequence of them
        The CSV file, or several batches: one row an assignment, what was shown under ``Input.…``,
        what was answered under ``Answer.…``.
    protocol : {"likert", "magnitude", "spa", "pairwise", "strength"}
        How people were asked.
    columns : mapping of role to column
        For example ``{"system": "Input.system", "item": "Input.id", "rating": "Answer.score"}``.
        Where one assignment holds many judgements, ``{k}`` stands for their number:
        ``{"system": "Input.TYPE{k}", "rating": "Answer.{k}"}``. The answer may be a mapping of
        criterion to column; a list of columns, joined by blanks, makes one label.
    annotator : str or None
        Column of the worker.
    moderators : sequence of str or mapping of name to column
        Columns that quality may vary by.
    attributes : sequence of str, optional
        Columns to keep for filters; by default ids, status and times.
    repeats, missing : as in `LikertJudgements.from_frame`
        See there.
    **declared
        What the protocol's class declares of its answers: ``scale``, ``labels``; ``reference``,
        ``zeros``; ``bounds``; ``outcomes``; ``positive``, ``graded``.

    Returns
    -------
    Judgements
        The protocol's table. Rejected assignments are kept: drop them with `filter_where` on
        ``AssignmentStatus``.

    Raises
    ------
    JudgementError
        A column is not there, or as in the protocol's ``from_frame``.
    """
    source, kept = _read(path, "MTurk batch", MTURK_ATTRIBUTES, attributes)
    return make_table(
        source,
        protocol,
        with_annotator(columns, annotator),
        moderators=moderators,
        attributes=kept,
        repeats=repeats,
        missing=missing,
        declared=declared,
    )


def read_crowdflower(
    path: Paths,
    *,
    protocol: str,
    columns: Roles,
    annotator: str | None = "_worker_id",
    moderators: Sequence[str] | Mapping[str, str] = (),
    attributes: Sequence[str] | None = None,
    repeats: bool = False,
    missing: Missing = ("",),
    **declared: object,
) -> Judgements:
    """Read a full report of CrowdFlower, later Figure Eight and Appen.

    Parameters
    ----------
    path : str, Path or sequence of them
        The CSV file, or several batches: one row a judgement of a unit; the platform's own columns
        begin with ``_``. Test questions (``_golden`` true) are dropped and counted.
    protocol, columns, moderators, repeats, missing : as in `read_mturk`
        See there.
    annotator : str or None
        Column of the contributor.
    attributes : sequence of str, optional
        Columns to keep for filters; by default ids, times, trust, channel and country.
    **declared
        As in `read_mturk`.

    Returns
    -------
    Judgements
        The protocol's table.

    Raises
    ------
    JudgementError
        A column is not there, or as in the protocol's ``from_frame``.
    """
    source, kept = _read(path, "CrowdFlower report", CROWDFLOWER_ATTRIBUTES, attributes)
    if "_golden" in source.frame:
        source = source.without(
            source.frame["_golden"].str.lower().eq("true").to_numpy(), "test question (_golden)"
        )
    return make_table(
        source,
        protocol,
        with_annotator(columns, annotator),
        moderators=moderators,
        attributes=kept,
        repeats=repeats,
        missing=missing,
        declared=declared,
    )


def _read(
    path: Paths, name: str, usual: Sequence[str], attributes: Sequence[str] | None
) -> tuple[Source, list[str]]:
    """Return the rows of all batches, and which columns are kept as attributes."""
    source = read_files(path, read_text_table, (".csv",), name=name)
    # A column that one batch lacks is empty there.
    frame = source.frame.fillna("")
    kept = kept_attributes(frame, usual) if attributes is None else list(attributes)
    return replace(source, frame=_numeric(frame, kept)), kept


def _numeric(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Turn attributes that read as numbers throughout into numbers."""
    changed = {}
    for name in names:
        if name in frame:
            numbers = pd.to_numeric(frame[name].where(frame[name] != ""), errors="coerce")
            if numbers.notna().sum() == (frame[name] != "").sum() and numbers.notna().any():
                changed[name] = numbers
    return frame.assign(**changed)
