"""Evaluation logs of inspect_ai."""

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, cast

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval.errors import JudgementError
from bayeseval.judgements.likert import LabelMap, LikertJudgements, ScaleLike
from bayeseval.judgements.readers._platform import Source, make_table, paths_of, read_json

# The values inspect_ai itself gives to its letters.
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def read_inspect(
    path: str | Path | Sequence[str | Path],
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
    rows = [row for file in files for row in _rows(file)]
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
    frame["item"] = frame["task"] + " " + frame["sample"].astype(str)
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
    log, samples = _eval_log(file) if file.suffix == ".eval" else _json_log(file)
    about = log.get("eval")
    if not isinstance(about, Mapping) or "model" not in about:
        raise JudgementError(f"{file.name}: this is no log of inspect_ai: it has no eval.model.")
    found: list[tuple[object, ...]] = []
    for sample in samples:
        scores = sample.get("scores")
        for name, score in scores.items() if isinstance(scores, Mapping) else ():
            given = score.get("value") if isinstance(score, Mapping) else score
            parts = given if isinstance(given, Mapping) else {None: given}
            for part, value in parts.items():
                label = name if part is None else f"{name} {part}"
                key = (about["model"], about.get("task", ""), sample.get("id"))
                found.append((*key, sample.get("epoch", 1), label, value))
    return found


def _json_log(file: Path) -> tuple[Mapping[str, object], Iterator[Mapping[str, object]]]:
    log = read_json(file)
    if not isinstance(log, dict):
        raise JudgementError(f"{file.name}: this is no log of inspect_ai.")
    return log, iter(log.get("samples") or ())


def _eval_log(file: Path) -> tuple[Mapping[str, object], Iterator[Mapping[str, object]]]:
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            # A run that was cut short has no header yet, but its journal has what it began with.
            head = next((n for n in ("header.json", "_journal/start.json") if n in names), None)
            if head is None:
                raise JudgementError(f"{file.name}: this is no log of inspect_ai: no header.json.")
            log = json.loads(archive.read(head))
            samples = [
                json.loads(archive.read(name))
                for name in sorted(names)
                if name.startswith("samples/") and name.endswith(".json")
            ]
    except zipfile.BadZipFile:
        raise JudgementError(f"{file.name}: the log is damaged (no valid archive).") from None
    except NotImplementedError:
        raise JudgementError(
            f"{file.name}: the log is compressed in a way this Python cannot read. Convert it with "
            "“inspect log convert --to json”."
        ) from None
    return log, iter(samples)
