"""Small tables of judgements for the classical tests."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayeseval.judgements import LikertJudgements, PairwiseJudgements, SPAJudgements


def ratings(
    cells: Any, *, by: str | None = "annotator", scale: tuple[int, int] = (1, 100)
) -> LikertJudgements:
    """Make ratings from a table blocks × systems (A, B, …); NaN = missing."""
    values = np.asarray(cells, dtype=float)
    rows = [
        {"block": f"b{i}", "system": "ABCDEFGH"[s], "rating": int(values[i, s])}
        for i in range(values.shape[0])
        for s in range(values.shape[1])
        if np.isfinite(values[i, s])
    ]
    return LikertJudgements.from_frame(
        pd.DataFrame(rows),
        annotator="block" if by == "annotator" else None,
        item="block" if by == "item" else None,
        system="system",
        rating="rating",
        scale=scale,
    )


def probabilities(rows: Sequence[tuple[str, str, str, float]]) -> SPAJudgements:
    """Make stated probabilities from rows of annotator, a, b, probability."""
    frame = pd.DataFrame(rows, columns=["who", "a", "b", "p"])
    return SPAJudgements.from_frame(
        frame, annotator="who", system_a="a", system_b="b", probability="p", bounds=(0, 1)
    )


def counts(rows: Sequence[tuple[str, str, int, int, int]]) -> PairwiseJudgements:
    """Make outcomes from rows of a, b, wins of a, wins of b, ties."""
    frame = pd.DataFrame(rows, columns=["a", "b", "wins", "losses", "ties"])
    return PairwiseJudgements.from_counts(
        frame, system_a="a", system_b="b", wins="wins", losses="losses", ties="ties"
    )
