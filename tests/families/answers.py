"""Small tables that examples of families share: one function a protocol.

A family whose examples need other answers makes them in its own ``models/<family>/examples.py``.
"""

import numpy as np
import pandas as pd

from bayeseval.judgements import (
    LikertJudgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)
from bayeseval.simulate import simulate_likert


def likert(
    n_categories: int = 5, *, criteria: bool = False, moderator: bool = False
) -> LikertJudgements:
    frame = simulate_likert(
        n_annotators=6, n_systems=4, n_items=5, n_categories=n_categories, random_seed=3
    ).judgements.to_frame()
    rows = np.arange(len(frame))
    frame["criterion"] = np.where(rows % 2, "fluency", "coherence")
    frame["day"] = np.where(rows % 3, "day 1", "day 2")
    return LikertJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        criterion="criterion" if criteria else None,
        moderators=("day",) if moderator else (),
        scale=(1, n_categories),
        repeats=True,
    )


def pairwise(
    *, ties: bool = True, moderator: bool = False, criteria: bool = False, ranking: bool = False
) -> PairwiseJudgements:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(0, 3, (70, 3)), columns=["annotator", "item", "ranking"])
    frame["a"] = rng.integers(0, 4, 70)
    frame["b"] = (frame["a"] + rng.integers(1, 4, 70)) % 4
    frame["outcome"] = rng.choice(["a", "b", "tie"] if ties else ["a", "b"], 70)
    frame["count"] = rng.integers(1, 4, 70)
    frame["day"] = rng.choice(["day 1", "day 2"], 70)
    frame["criterion"] = rng.choice(["fluent", "true"], 70)
    return PairwiseJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="a",
        system_b="b",
        outcome="outcome",
        outcomes={"a": "a", "b": "b", "tie": "tie"} if ties else {"a": "a", "b": "b"},
        item="item",
        moderators=("day",) if moderator else (),
        criterion="criterion" if criteria else None,
        ranking="ranking" if ranking else None,
        count="count",
        repeats=True,
    )


def strength(
    answers: str = "grades", *, moderator: bool = False, criteria: bool = False
) -> StrengthJudgements:
    """Grades -2..2, two grades, or a slider with both ends and its exact middle."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.integers(0, 3, (60, 2)), columns=["annotator", "item"])
    frame["a"] = rng.integers(0, 4, 60)
    frame["b"] = (frame["a"] + rng.integers(1, 4, 60)) % 4
    bound = {"grades": 2, "three": 1, "slider": 100}[answers]
    frame["strength"] = rng.integers(-bound, bound + 1, 60)
    if answers == "slider":
        frame.loc[:9, "strength"] = [-100, -100, 100, 100, 0, 0, 0, 99, -99, 1]
    frame["day"] = rng.choice(["day 1", "day 2"], 60)
    frame["criterion"] = rng.choice(["fluent", "true"], 60)
    return StrengthJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="a",
        system_b="b",
        strength="strength",
        bounds=bound,
        positive="a",
        item="item",
        moderators=("day",) if moderator else (),
        criterion="criterion" if criteria else None,
        repeats=True,
    )


def stated(*, moderator: bool = False, criteria: bool = False) -> SPAJudgements:
    """Probabilities with both ends, one half and both directions of most pairs."""
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.integers(0, 3, (60, 2)), columns=["annotator", "item"])
    frame["a"] = rng.integers(0, 4, 60)
    frame["b"] = (frame["a"] + rng.integers(1, 4, 60)) % 4
    frame["p"] = rng.beta(0.8, 0.6, 60).round(2)
    frame.loc[:5, "p"] = [0.0, 1.0, 0.5, 0.0, 1.0, 0.001]
    frame["day"] = rng.choice(["day 1", "day 2"], 60)
    frame["criterion"] = rng.choice(["fluent", "true"], 60)
    return SPAJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="a",
        system_b="b",
        probability="p",
        bounds=(0, 1),
        item="item",
        moderators=("day",) if moderator else (),
        criterion="criterion" if criteria else None,
        repeats=True,
    )


def magnitude(
    *, reference: float | None = 100.0, moderator: bool = False, criteria: bool = False
) -> MagnitudeJudgements:
    """Answers at, below and above the reference, a slip of the keyboard, zeros."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(rng.integers(0, 3, (60, 3)), columns=["annotator", "system", "item"])
    frame["magnitude"] = rng.choice([100.0, 100.0, 50.0, 90.0, 99.9, 130.0, 200.0], 60)
    frame.loc[:4, "magnitude"] = [0.0, 0.0, 111111.0, 1.0, 100.0]
    frame["count"] = rng.integers(1, 4, 60)
    frame["day"] = rng.choice(["day 1", "day 2"], 60)
    frame["criterion"] = rng.choice(["fluent", "true"], 60)
    return MagnitudeJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        item="item",
        magnitude="magnitude",
        reference=reference,
        moderators=("day",) if moderator else (),
        criterion="criterion" if criteria else None,
        count="count",
        zeros="censor",
        repeats=True,
    )
