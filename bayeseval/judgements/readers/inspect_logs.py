"""Evaluation logs of inspect_ai."""

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import pandas as pd

from bayeseval._checks import shown, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._reading import (
    Paths,
    naming_the_file,
    numbered,
    open_archive,
    parse_json,
    paths_of,
)
from bayeseval.judgements.likert import LabelMap, LikertJudgements, ScaleLike
from bayeseval.judgements.readers._platform import Source, make_table, read_json

USED = ("id", "epoch", "scores")
# The values inspect_ai itself gives to its letters.
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def read_inspect(
    path: Paths,
    *,
    scorer: str | None = None,
    annotator: Literal["scorer"] | None = None,
    scale: ScaleLike | None = None,
    labels: LabelMap | None = None,
) -> LikertJudgements:
    """Read logs of inspect_ai, one log a model, as ratings of its samples.

    Parameters
    ----------
    path : str, Path or sequence of them
        Logs (``.eval`` or ``.json``), or a folder of them.
    scorer : str, optional
        The scorer to take; by default all, each as a criterion of its own where there are several.
    annotator : "scorer" or None
        "scorer" takes the scorer as the annotator (a model that grades); by default there is none.
    scale : as in `LikertJudgements.from_frame`, optional
        Scale of the scores. Letters need none: correct 1, partial ½, incorrect and no answer 0.
    labels : mapping, optional
        What text scores mean, instead of these letters.

    Returns
    -------
    LikertJudgements
        System = model, item = task and sample; the epoch is kept as an attribute. Epochs are true
        repeats.

    Raises
    ------
    JudgementError
        A file is no such log; there is no such scorer; scores are off the scale.
    """
    files = paths_of(path, ".eval", ".json")
    rows = []
    for file in files:
        with naming_the_file(file):
            rows += _rows(file)
    frame = pd.DataFrame(rows, columns=["model", "task", "sample", "epoch", "scorer", "score"])
    if not len(frame):
        raise JudgementError("the logs hold no scored sample. Were the runs finished?")
    if scorer is not None:
        if scorer not in set(frame["scorer"]):
            raise JudgementError(
                f"no sample was scored by {scorer!r}; the scorers are "
                f"{some(sorted(set(frame['scorer'])))}."
            )
        frame = frame[frame["scorer"] == scorer].reset_index(drop=True)
    texts = {score for score in frame["score"] if isinstance(score, str)}
    if labels is None and texts and texts <= set(LETTERS):
        partial = ["P"] if "P" in texts else []
        labels = {letter: LETTERS[letter] for letter in ["I", "C", *partial, *(texts & {"N"})]}
    frame["item"] = frame["task"].astype(str) + " " + frame["sample"]
    roles = {"system": "model", "item": "item", "rating": "score"}
    if annotator == "scorer":
        roles["annotator"] = "scorer"
    elif frame["scorer"].nunique() > 1:
        roles["criterion"] = "scorer"
    table = make_table(
        Source("inspect_ai log", frame, np.arange(1, len(frame) + 1)),
        "likert",
        roles,
        attributes=["epoch"],
        repeats=True,
        declared={"scale": scale, "labels": labels},
    )
    return cast("LikertJudgements", table)


def _rows(file: Path) -> list[tuple[object, ...]]:
    samples: Iterator[dict[str, Any]]
    log, samples = _eval_log(file) if file.suffix.lower() == ".eval" else _json_log(file)
    about = log.get("eval")
    if not isinstance(about, Mapping) or not isinstance(about.get("model"), str):
        raise JudgementError("this is no log of inspect_ai: it has no eval.model.")
    found: list[tuple[object, ...]] = []
    for _, sample in numbered(samples, noun="sample"):
        # A sample that failed has no scores.
        for name, score in (sample.get("scores") or {}).items():
            given = score.get("value") if isinstance(score, Mapping) else score
            parts = given if isinstance(given, Mapping) else {None: given}
            for part, value in parts.items():
                label = name if part is None else f"{name} {part}"
                key = (about["model"], about.get("task", ""), str(sample.get("id")))
                found.append((*key, sample.get("epoch", 1), label, value))
    return found


def _json_log(file: Path) -> tuple[Mapping[str, object], Iterator[dict[str, Any]]]:
    log = read_json(file)
    if not isinstance(log, dict):
        raise JudgementError("this is no log of inspect_ai.")
    return log, iter(log.get("samples") or ())


def _eval_log(file: Path) -> tuple[Mapping[str, object], Iterator[dict[str, Any]]]:
    try:
        with open_archive(file) as archive:
            names = archive.namelist()
            # A run that was cut short has no header yet, but its journal has what it began with.
            head = next((n for n in ("header.json", "_journal/start.json") if n in names), None)
            if head is None:
                raise JudgementError("this is no log of inspect_ai: no header.json.")
            log = _part(archive, head)
            # Of a sample, which has all its messages, what is used.
            samples = [
                {key: value for key, value in _part(archive, name).items() if key in USED}
                for name in sorted(names)
                if name.startswith("samples/") and name.endswith(".json")
            ]
    except zipfile.BadZipFile:
        raise JudgementError("the log is damaged (no valid archive).") from None
    except NotImplementedError:
        raise JudgementError(
            "the log is compressed in a way this Python cannot read. Convert it with “inspect log "
            "convert --to json”."
        ) from None
    return log, iter(samples)


def _part(archive: zipfile.ZipFile, name: str) -> dict[str, object]:
    what = f"{shown(name)} in the log"
    content = parse_json(archive.read(name).decode("utf-8"), what=what)
    if not isinstance(content, dict):
        raise JudgementError(f"{what} is {type(content).__name__}, not an object.")
    return content
