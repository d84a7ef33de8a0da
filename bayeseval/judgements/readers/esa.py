"""Error-span annotations (ESA) of WMT campaigns: a score from 0 to 100 after marking errors."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pandas as pd

from bayeseval.errors import JudgementError
from bayeseval.judgements._columns import Missing
from bayeseval.judgements._intake import named_columns
from bayeseval.judgements._reading import Paths, needed, paths_of
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.likert import LikertJudgements
from bayeseval.judgements.readers._platform import (
    JSON,
    kept_attributes,
    make_table,
    read_files,
    read_records,
    read_text_table,
)

ESA_COLUMNS = (
    "annotator",
    "system",
    "line_id",
    "type",
    "source_language",
    "target_language",
    "esa_score",
    "doc_id",
    "unknown",
    "esa_spans",
    "start",
    "end",
)


ATTRIBUTES = ("doc_id", "domain", "n_spans")


def read_wmt_esa(
    path: Paths,
    *,
    annotator: str | None = "annotator",
    item: str | None = None,
    moderators: Sequence[str] | Mapping[str, str] | None = None,
    attributes: Sequence[str] | None = None,
    repeats: bool = False,
    missing: Missing = ("",),
) -> LikertJudgements:
    """Read error-span annotations (ESA): the score 0–100 that an annotator gives after the spans.

    Parameters
    ----------
    path : str, Path or sequence of them
        JSON lines as released by WMT 2024 (``system``, ``annotator``, ``langs``, ``doc_id``,
        ``line_id``, ``esa_score``, ``esa_spans``), or the CSV without a header that Appraise
        exports. Of the latter, control items (type other than TGT; documents #bad, #dup,
        #incomplete, tutorials) are dropped and counted.
    annotator : str or None
        Column of the annotator.
    item : str, optional
        Column of the item, such as ``"doc_id"`` for the document (then with ``repeats=True``, as
        its segments are scored one by one); document and line by default.
    moderators : sequence of str or mapping of name to column, optional
        Columns that quality may vary by, such as ``["domain"]``; by default ``"languages"`` where
        there is more than one pair of them (column ``langs``).
    attributes : sequence of str, optional
        Columns to keep for filters; by default ``doc_id``, ``domain`` and ``n_spans`` (the number
        of spans), as far as they are there.
    repeats : bool
        Keep several scores of one annotator for the same output.
    missing : as in `LikertJudgements.from_frame`
        See there.

    Returns
    -------
    LikertJudgements
        Scores on the scale 0–100.

    Raises
    ------
    JudgementError
        A column is not there; a score is off the scale or no whole number.
    """
    lines = paths_of(path, *JSON, ".csv")[0].suffix.lower() in JSON
    read = read_records if lines else _appraise
    source = read_files(path, read, JSON if lines else (".csv",), name="WMT ESA")
    frame = source.frame
    needed(frame, ["system", "line_id", "doc_id", "esa_score"], of="ESA")
    document = frame["doc_id"].astype(str)
    marked = frame.get("esa_spans", pd.Series("[]", index=frame.index))
    frame = frame.assign(
        item=document + " " + frame["line_id"].astype(str), n_spans=[_n_spans(m) for m in marked]
    )
    source = replace(source, frame=frame)
    if not lines:
        control = (frame["type"] != "TGT") | document.str.contains("-tutorial", regex=False)
        control |= document.str.contains(r"#(?:bad|dup|incomplete)$")
        source = source.without(control.to_numpy(), "control item")
    if moderators is None:
        varied = "langs" in source.frame and source.frame["langs"].nunique() > 1
        moderators = {"languages": "langs"} if varied else ()
    roles = {"system": "system", "item": item or "item", "rating": "esa_score"}
    if attributes is None:
        named = named_columns(moderators, argument="moderators")
        usual = [name for name in ATTRIBUTES if name not in (*named, *named.values(), item)]
        attributes = kept_attributes(source.frame, usual)
    table: Judgements = make_table(
        source,
        "likert",
        roles if annotator is None else {"annotator": annotator, **roles},
        moderators=moderators,
        attributes=list(attributes),
        repeats=repeats,
        missing=missing,
        declared={"scale": (0, 100)},
    )
    return cast("LikertJudgements", table)


def _appraise(file: Path) -> pd.DataFrame:
    frame = read_text_table(file, header=False)
    if frame.shape[1] != len(ESA_COLUMNS):
        raise JudgementError(
            f"expected the {len(ESA_COLUMNS)} columns of an Appraise export of ESA; found "
            f"{frame.shape[1]}."
        )
    frame = frame.set_axis(list(ESA_COLUMNS), axis=1)
    return frame.assign(langs=frame["source_language"] + "-" + frame["target_language"])


def _n_spans(marked: object) -> int:
    return len(marked) if isinstance(marked, list) else str(marked).count('"severity"')
