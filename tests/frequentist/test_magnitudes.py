"""Magnitudes: one slip of the keyboard neither decides a ranking nor goes unsaid."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.judgements import MagnitudeJudgements

TABLE = MagnitudeJudgements.from_frame(
    pd.DataFrame(
        {
            "w": [f"w{k}" for k in range(20)] * 2,
            "s": ["A"] * 20 + ["B"] * 20,
            "m": [100] * 19 + [111_111] + [120] * 20,
        }
    ),
    annotator="w",
    system="s",
    magnitude="m",
    reference=100,
)
SLIP = "1 magnitude is more than 20 times the median ratio: 111111.0."


def test_bootstrap_scores_are_geometric_means_in_the_users_unit() -> None:
    found = be.bootstrap_ranking(TABLE, n_resamples=200, random_seed=1)
    score = found.table.set_index("system")["score"]
    means = be.rating_means(TABLE).table.set_index("system")["mean"]
    assert score["A"] == pytest.approx(means["A"])
    assert score["B"] == pytest.approx(120)
    raw = be.bootstrap_ranking(TABLE, n_resamples=200, random_seed=1, mean="arithmetic")
    assert raw.table.set_index("system")["score"]["A"] == pytest.approx(5650.55)
    assert SLIP in " ".join(found.notes)


def test_logarithms_are_tested_on_request() -> None:
    row = be.rating_tests(TABLE, mean="auto").table.iloc[0]
    assert row["estimate"] == pytest.approx(np.log(1111.11) / 20 - np.log(1.2))


@pytest.mark.parametrize("function", [be.rating_tests, be.tukey, be.mixed_model, be.anova])
def test_every_test_of_means_names_the_slip(function: Any) -> None:
    said = " ".join(function(TABLE).notes)
    assert SLIP in said
    assert "Arithmetic means of magnitudes follow the largest answers." in said
