"""Settings of fits that tests can afford, and ratings as a frame and back."""

from typing import Any

import pandas as pd
import pytest

import bayeseval as be
from bayeseval.simulate import SimulatedLikert

QUICK: dict[str, Any] = {"draws": 100, "tune": 100, "chains": 2, "progressbar": False}
# Small steps: a single divergence, which chance may bring on another machine, would be told.
QUIET: dict[str, Any] = {"progressbar": False}
SHORT = pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")


def frame(study: SimulatedLikert) -> pd.DataFrame:
    return study.judgements.to_frame()


def likert(table: pd.DataFrame, **options: Any) -> be.LikertJudgements:
    columns = {"annotator": "annotator", "system": "system", "item": "item", "rating": "rating"}
    return be.LikertJudgements.from_frame(table, **{**columns, "scale": (1, 5), **options})
