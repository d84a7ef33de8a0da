"""Small tables of every protocol as exports have them, and judgements made of them."""

from pathlib import Path

import pandas as pd

from bayeseval.judgements import (
    LikertJudgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)

TEN = pd.DataFrame(
    {
        "worker": ["w1", "w1", "w1", "w2", "w2", "w2", "w3", "w3", "w3", "w3"],
        "model": ["A", "B", "C", "A", "B", "C", "A", "B", "C", "A"],
        "prompt": [1, 1, 1, 1, 1, 1, 2, 2, 2, 1],
        "score": [4, 2, 5, 5, 1, 4, 4, 2, 2, 5],
    }
)


def likert(frame: object, **options: object) -> LikertJudgements:
    settings = {"annotator": "worker", "system": "model", "item": "prompt", "rating": "score"}
    return LikertJudgements.from_frame(frame, **{**settings, **options})


def read(path: Path, **options: object) -> LikertJudgements:
    settings = {"annotator": "worker", "system": "model", "item": "prompt", "rating": "score"}
    return LikertJudgements.read(path, **{**settings, **options})


def changed(frame: pd.DataFrame, **columns: object) -> pd.DataFrame:
    return frame.assign(**columns)  # type: ignore[arg-type]


VOTES = pd.DataFrame(
    {
        "judge": ["j1", "j1", "j1", "j2", "j2", "j2"],
        "left": ["A", "B", "C", "A", "C", "C"],
        "right": ["B", "C", "A", "B", "B", "A"],
        "vote": ["left", "tie", "right", "right", "left", "both bad"],
    }
)
WORDS = {"left": "a", "right": "b", "tie": "tie", "both bad": None}


def pairwise(frame: object = VOTES, **options: object) -> PairwiseJudgements:
    settings = {
        "annotator": "judge",
        "system_a": "left",
        "system_b": "right",
        "outcome": "vote",
        "outcomes": WORDS,
    }
    return PairwiseJudgements.from_frame(frame, **{**settings, **options})


STATED = changed(VOTES, p=[100, 50, 0, 30, 70, None])


def spa(frame: object = STATED, **options: object) -> SPAJudgements:
    settings = {"annotator": "judge", "system_a": "left", "system_b": "right", "probability": "p"}
    return SPAJudgements.from_frame(frame, **{**settings, **options})


STRONG = changed(VOTES, s=[3, 0, -3, 1, -2, None])


def strength(frame: object = STRONG, **options: object) -> StrengthJudgements:
    settings = {
        "annotator": "judge",
        "system_a": "left",
        "system_b": "right",
        "strength": "s",
        "bounds": 3,
        "positive": "a",
    }
    return StrengthJudgements.from_frame(frame, **{**settings, **options})


SIZES = pd.DataFrame(
    {"who": ["a", "a", "b", "b"], "what": ["A", "B", "A", "B"], "size": [100, 50, 200, 100]}
)


def magnitude(frame: object = SIZES, **options: object) -> MagnitudeJudgements:
    settings = {"annotator": "who", "system": "what", "magnitude": "size", "reference": 100}
    return MagnitudeJudgements.from_frame(frame, **{**settings, **options})
