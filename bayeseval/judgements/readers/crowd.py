"""Crowd platforms that export one row a submission: Mechanical Turk and CrowdFlower."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from bayeseval.judgements._table import Judgements
from bayeseval.judgements.readers._platform import (
    Roles,
    Source,
    kept_attributes,
    make_table,
    one_path,
    read_text_table,
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
    path: str | Path,
    *,
    protocol: str,
    columns: Roles,
    annotator: str | None = "WorkerId",
    moderators: Sequence[str] | Mapping[str, str] = (),
    attributes: Sequence[str] | None = None,
    repeats: bool = False,
    missing: Sequence[str] = ("",),
    **declared: object,
) -> Judgements:
    """Read a batch result of Amazon Mechanical Turk (``Batch_…_batch_results.csv``).

    Parameters
    ----------
    path : str or Path
        The CSV file: one row an assignment, what was shown under ``Input.…``, what was answered
        under ``Answer.…``.
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
    frame = read_text_table(one_path(path))
    kept = kept_attributes(frame, MTURK_ATTRIBUTES) if attributes is None else list(attributes)
    source = Source("MTurk batch", _numeric(frame, kept), np.arange(1, len(frame) + 1))
    return make_table(
        source,
        protocol,
        _with_annotator(columns, annotator),
        moderators=moderators,
        attributes=kept,
        repeats=repeats,
        missing=missing,
        declared=declared,
    )


def read_crowdflower(
    path: str | Path,
    *,
    protocol: str,
    columns: Roles,
    annotator: str | None = "_worker_id",
    moderators: Sequence[str] | Mapping[str, str] = (),
    attributes: Sequence[str] | None = None,
    repeats: bool = False,
    missing: Sequence[str] = ("",),
    **declared: object,
) -> Judgements:
    """Read a full report of CrowdFlower, later Figure Eight and Appen.

    Parameters
    ----------
    path : str or Path
        The CSV file: one row a judgement of a unit; the platform's own columns begin with ``_``.
        Test questions (``_golden`` true) are dropped and counted.
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
    frame = read_text_table(one_path(path))
    kept = (
        kept_attributes(frame, CROWDFLOWER_ATTRIBUTES) if attributes is None else list(attributes)
    )
    source = Source("CrowdFlower report", _numeric(frame, kept), np.arange(1, len(frame) + 1))
    if "_golden" in frame:
        source = source.without(
            frame["_golden"].str.lower().eq("true").to_numpy(), "test question (_golden)"
        )
    return make_table(
        source,
        protocol,
        _with_annotator(columns, annotator),
        moderators=moderators,
        attributes=kept,
        repeats=repeats,
        missing=missing,
        declared=declared,
    )


def _with_annotator(columns: Roles, annotator: str | None) -> Roles:
    return columns if annotator is None else {"annotator": annotator, **columns}


def _numeric(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Turn attributes that read as numbers throughout into numbers."""
    changed = {}
    for name in names:
        if name in frame:
            numbers = pd.to_numeric(frame[name].where(frame[name] != ""), errors="coerce")
            if numbers.notna().sum() == (frame[name] != "").sum() and numbers.notna().any():
                changed[name] = numbers
    return frame.assign(**changed)
