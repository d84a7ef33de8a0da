"""Answers about pairs as codes, for models that are written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Coded:
    """Labels, and by row the codes of two systems and an annotator, and the answer."""

    systems: np.ndarray
    annotators: np.ndarray
    a: np.ndarray
    b: np.ndarray
    annotator: np.ndarray
    y: np.ndarray


def coded(data: Path, answer: str) -> Coded:
    """Read and code the judgements, whose answers stand in the column ``answer``."""
    import pandas as pd

    frame = pd.read_csv(data)
    both, systems = pd.factorize(pd.concat([frame["system_a"], frame["system_b"]]), sort=True)
    annotator, annotators = pd.factorize(frame["annotator"], sort=True)
    return Coded(
        systems=np.asarray(systems),
        annotators=np.asarray(annotators),
        a=both[: len(frame)],
        b=both[len(frame) :],
        annotator=annotator,
        y=frame[answer].to_numpy(),
    )
