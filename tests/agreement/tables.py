"""Small tables of judgements with known answers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayeseval.judgements import LikertJudgements, PairwiseJudgements


def ratings(matrix: Any, *, scale: tuple[int, int] = (1, 10)) -> LikertJudgements:
    """Make ratings of one system from a table annotators × items; NaN = missing."""
    values = np.asarray(matrix, dtype=float)
    frame = pd.DataFrame(
        [
            {"annotator": f"w{a}", "system": "S", "item": f"i{i}", "rating": values[a, i]}
            for a in range(values.shape[0])
            for i in range(values.shape[1])
            if np.isfinite(values[a, i])
        ]
    )
    return LikertJudgements.from_frame(
        frame, annotator="annotator", system="system", item="item", rating="rating", scale=scale
    )


def votes(rows: Sequence[tuple[str, str, str, str, str]]) -> PairwiseJudgements:
    """Make votes from rows of annotator, item, system a, system b, outcome."""
    frame = pd.DataFrame(rows, columns=["who", "item", "a", "b", "outcome"])
    return PairwiseJudgements.from_frame(
        frame, annotator="who", system_a="a", system_b="b", outcome="outcome", item="item"
    )


def without_identities(judgements: LikertJudgements) -> LikertJudgements:
    """Drop the annotators' identities."""
    return LikertJudgements.from_frame(
        judgements.to_frame(),
        annotator=None,
        system="system",
        item="item",
        rating="rating",
        scale=(int(judgements.scale.values[0]), int(judgements.scale.values[-1])),
    )
