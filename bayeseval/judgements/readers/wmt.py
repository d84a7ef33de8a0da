"""Machine translation campaigns (WMT): rankings, error spans and MQM."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval.errors import JudgementError
from bayeseval.judgements._reading import Paths
from bayeseval.judgements.convert import to_pairwise
from bayeseval.judgements.likert import LikertJudgements
from bayeseval.judgements.pairwise import PairwiseJudgements
from bayeseval.judgements.readers._platform import first_of, read_files, read_text_table

MOST_PENALTY = 25


def read_wmt_rankings(
    path: Paths,
    *,
    annotator: str | None = "judge",
    item: str | None = None,
    unranked: Sequence[float] = (-1,),
    repeats: bool = True,
) -> PairwiseJudgements:
    """Read rankings of WMT 2009 to 2016, five systems a row or as pairs; rank 1 is the best.

    Parameters
    ----------
    path : str, Path or sequence of them
        CSV with the columns ``system1Id``, ``system1rank``, ``system2Id``, …, ``judgeId`` (or
        ``judgeID``) and ``segmentId``. Pairs of one ranking share ``rankingID``; without that
        column every row is a ranking.
    annotator : "judge", str or None
        Column of the judge; "judge" takes ``judgeId`` or ``judgeID``.
    item : str, optional
        Column of the segment; ``segmentId`` or else ``srcIndex``.
    unranked : sequence of float
        Ranks that mean "not ranked".
    repeats : bool
        Keep rankings of the same systems by one judge again; campaigns ask again on purpose.

    Returns
    -------
    PairwiseJudgements
        All pairs, ties kept, with their ranking. More than one pair of languages makes a moderator
        ``"languages"``. A collapsed file names an output that several systems share by their names
        joined with ``+``; this is a label like any other.

    Raises
    ------
    JudgementError
        A column is not there, or a rank is no number.
    """
    frame = read_files(path, read_text_table, (".csv",), name="WMT rankings").frame
    found = [re.fullmatch(r"system([0-9]+)Id", str(name)) for name in frame]
    numbers = sorted((match[1] for match in found if match), key=int)
    if len(numbers) < 2:
        raise JudgementError(
            "expected the columns system1Id, system1rank, system2Id, …; the file has "
            f"{some(frame.columns, most=12)}."
        )
    judge = (
        first_of(frame, ["judgeId", "judgeID"], role="judge") if annotator == "judge" else annotator
    )
    about = item or first_of(frame, ["segmentId", "srcIndex"], role="item")
    moderators = []
    if {"srclang", "trglang"} <= set(frame):
        frame["languages"] = frame["srclang"] + "-" + frame["trglang"]
        moderators = ["languages"] if frame["languages"].nunique() > 1 else []
    ranking = "rankingID" if "rankingID" in frame else None
    table = PairwiseJudgements.from_rankings(
        frame,
        annotator=judge,
        systems=[f"system{number}Id" for number in numbers],
        ranks=[f"system{number}rank" for number in numbers],
        lower_is_better=True,
        ranking=ranking,
        item=about,
        moderators=moderators,
        unranked=unranked,
        repeats=repeats,
    )
    origin = (
        f"WMT rankings: annotator = {judge}; {len(numbers)} systems a row, system1Id, system1rank, "
        f"…; item = {about}; ranking = {ranking or 'the row'}"
    )
    return replace(table, origin=origin)


def mqm_scores(
    frame: pd.DataFrame,
    *,
    weights: Mapping[str, float] | None = None,
    minor_punctuation: float = 0.1,
    non_translation: float = 25.0,
) -> pd.DataFrame:
    """Add up the penalties of MQM errors by annotator, system and segment.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row an error, or one row "No-error" for a segment without: ``system``, ``seg_id``,
        ``rater``, ``category``, ``severity``.
    weights : mapping of severity to penalty, optional
        Major 5, minor 1, neutral and no error 0 by default; case does not matter.
    minor_punctuation : float
        Penalty of a minor error of punctuation.
    non_translation : float
        Penalty of a non-translation.

    Returns
    -------
    pandas.DataFrame
        Columns ``annotator``, ``system``, ``item`` and ``penalty``, at most 25 a segment.

    Raises
    ------
    JudgementError
        A column is not there, or a severity has no weight.

    References
    ----------
    Freitag et al. (2021), Experts, errors, and context, TACL 9, doi:10.1162/tacl_a_00437.
    """
    if not hasattr(frame, "columns"):
        raise JudgementError(
            f"mqm_scores needs a data frame, one row an error; found {type(frame).__name__}."
        )
    known = {"critical": 5.0, "major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0}
    known |= {"no error": 0.0, "hotw-test": 0.0}
    known |= {name.lower(): value for name, value in (weights or {}).items()}
    needed = ["system", "rater", "category", "severity"]
    lacking = [name for name in needed if name not in frame]
    if lacking:
        raise JudgementError(
            f"expected the columns {some(needed)} of MQM; {some(lacking)} is not there, the table "
            f"has {some(frame.columns, most=12)}."
        )
    segment = first_of(frame, ["globalSegId", "seg_id", "segment"], role="segment")
    severity = frame["severity"].astype(str).str.strip().str.lower()
    unknown = sorted(set(severity) - set(known))
    if unknown:
        raise JudgementError(
            f"the severities {some(unknown)} have no weight; pass weights={{{unknown[0]!r}: …}}."
        )
    category = frame["category"].astype(str).str.lower()
    penalty = severity.map(known)
    punctuation = (severity == "minor") & category.str.contains("punctuation")
    penalty = penalty.mask(punctuation, minor_punctuation)
    penalty = penalty.mask(category.str.startswith("non-translation"), non_translation)
    scored = pd.DataFrame(
        {
            "annotator": frame["rater"],
            "system": frame["system"],
            "item": frame[segment],
            "penalty": penalty,
        }
    )
    total = scored.groupby(["annotator", "system", "item"], sort=False)["penalty"].sum()
    # Tenths do not add up exactly; the sums are multiples of a tenth.
    return total.round(6).clip(upper=MOST_PENALTY).reset_index()


def read_wmt_mqm(
    path: Paths,
    *,
    protocol: Literal["pairwise", "likert"] = "pairwise",
    weights: Mapping[str, float] | None = None,
) -> PairwiseJudgements | LikertJudgements:
    """Read MQM errors as published by Google (TSV), scored by annotator, system and segment.

    A penalty is computed from errors and is no answer on a scale. What annotators said of two
    systems' translations of a segment is that one has the smaller penalty, or none: the pairs.

    Parameters
    ----------
    path : str, Path or sequence of them
        TSV with ``system``, ``seg_id``, ``rater``, ``category``, ``severity``.
    protocol : {"pairwise", "likert"}
        Pairs within annotator and segment; or categories −25..0, the penalty rounded up to a whole
        number and turned round, so that more is better.
    weights : mapping of severity to penalty, optional
        As in `mqm_scores`.

    Returns
    -------
    PairwiseJudgements or LikertJudgements
        The table.

    Raises
    ------
    JudgementError
        As in `mqm_scores`.
    """
    if protocol not in ("pairwise", "likert"):
        raise JudgementError(f"protocol= must be 'pairwise' or 'likert'; found {protocol!r}.")
    read = read_files(path, partial(read_text_table, separator="\t"), (".tsv",), name="WMT MQM")
    scores = mqm_scores(read.frame, weights=weights)
    whole = protocol == "likert"
    rated = -np.ceil(scores["penalty"]) if whole else -scores["penalty"]
    points = sorted(set(rated) | {0.0, -float(MOST_PENALTY)})
    table = LikertJudgements.from_frame(
        scores.assign(rating=rated + 0.0),
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        scale=(-MOST_PENALTY, 0) if whole else points,
    )
    origin = "WMT MQM: annotator = rater; penalties of category and severity added up by segment"
    if protocol == "likert":
        return replace(table, origin=origin)
    return replace(to_pairwise(table), origin=origin)
