"""Tests of stated probabilities and of strengths against SciPy, over whole tables of two shapes."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.frequentist import spa_test, strength_test
from tests import tables


def _own(frame: pd.DataFrame, answer: str, a: str, b: str, *, neutral: float) -> pd.Series:
    """Return each annotator's mean answer to a pair: both directions count the same."""
    forward = (frame["system_a"] == a) & (frame["system_b"] == b)
    backward = (frame["system_a"] == b) & (frame["system_b"] == a)
    turned = frame[answer].where(forward, 2 * neutral - frame[answer])
    asked = turned[forward | backward]
    directions = asked.groupby([frame["annotator"], forward.rename("forward")]).mean()
    return directions.groupby("annotator").mean()


@pytest.mark.parametrize("shape", ["complete", "ragged"])
@pytest.mark.parametrize("what", ["probability", "strength"])
def test_every_pair_has_the_one_sample_t_of_annotators(what: str, shape: tables.Shape) -> None:
    if what == "probability":
        judgements = tables.spa(shape, 4, effect=0.4)
        table, neutral = spa_test(judgements, directions="pooled").table, 0.5
    else:
        judgements = tables.strength(shape, 4, effect=0.4)
        table, neutral = strength_test(judgements).table, 0.0
    frame = judgements.to_frame()
    assert len(table) == 3
    for row in table.to_dict("records"):
        own = _own(frame, what, row["system_a"], row["system_b"], neutral=neutral)
        known: Any = stats.ttest_1samp(own, neutral)
        ends = known.confidence_interval(0.95)
        found = [row[name] for name in ("n", "mean", "t", "p", "lower", "upper")]
        expected = [len(own), own.mean(), known.statistic, known.pvalue, ends.low, ends.high]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
