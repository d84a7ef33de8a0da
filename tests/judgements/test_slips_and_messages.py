"""Slips of the keyboard in magnitudes, winners in wide tables, and messages that can be used."""

import ast
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bayeseval.comparison import compare_posteriors
from bayeseval.errors import BayesEvalError, DesignError, JudgementError
from bayeseval.frequentist import rating_means
from bayeseval.judgements import MagnitudeJudgements, PairwiseJudgements

FRAME = pd.DataFrame(
    {
        "w": [f"w{k}" for k in range(20)] * 2,
        "s": ["A"] * 20 + ["B"] * 20,
        "m": [100] * 19 + [111_111] + [120] * 20,
    }
)
ROLES: dict[str, Any] = {
    "annotator": "w", "system": "s", "magnitude": "m", "reference": 100,
}  # fmt: skip


def test_means_of_magnitudes_are_geometric():
    table = MagnitudeJudgements.from_frame(FRAME, **ROLES)
    found = rating_means(table).table.set_index("system")
    a = FRAME["m"][:20]
    assert found.loc["A", "mean"] == pytest.approx(np.exp(np.log(a).mean()))
    assert found.loc["B", "mean"] == pytest.approx(120)
    assert found.loc["A", "se"] == pytest.approx(np.log(a).std(ddof=1) / np.sqrt(20))
    raw = rating_means(table, mean="arithmetic")
    assert raw.table.set_index("system").loc["A", "mean"] == pytest.approx(5650.55)
    assert "Geometric means" in repr(rating_means(table))
    with pytest.raises(DesignError, match="mean= must be"):
        rating_means(table, mean="median")  # type: ignore[arg-type]
    zeros = MagnitudeJudgements.from_frame(
        FRAME.assign(m=[0, *FRAME["m"][1:]]), zeros="censor", **ROLES
    )
    assert rating_means(zeros).table["mean"].iloc[0] == pytest.approx(5645.55)
    with pytest.raises(DesignError, match="needs answers above 0; 1 are 0 or below"):
        rating_means(zeros, mean="geometric")


def test_a_magnitude_far_above_the_others_is_noted():
    table = MagnitudeJudgements.from_frame(FRAME, **ROLES)
    said = "1 magnitude is more than 20 times the median ratio: 111111.0."
    assert said in repr(table.summary())
    assert said in " ".join(rating_means(table).notes)
    usual = MagnitudeJudgements.from_frame(FRAME.assign(m=FRAME["m"].clip(upper=500)), **ROLES)
    assert "times the median" not in repr(usual.summary())


WIDE = pd.DataFrame({"w": ["a", "b"], "q1": ["X", "same"], "q2": ["same", "Z"]})
PAIRS: dict[str, Any] = {"q1": ("X", "Y"), "q2": ("Y", "Z")}


def wide(frame: pd.DataFrame = WIDE, **options: Any) -> PairwiseJudgements:
    return PairwiseJudgements.from_wide(
        frame, annotator="w", answers=PAIRS, columns_are="pair", **options
    )


def test_a_cell_of_a_wide_table_can_name_the_winner():
    table = wide(cells_are="winner", outcomes={"same": "tie"})
    assert table.to_frame()[["annotator", "system_a", "system_b", "outcome"]].values.tolist() == [
        ["a", "X", "Y", "a"],
        ["b", "X", "Y", "tie"],
        ["a", "Y", "Z", "tie"],
        ["b", "Y", "Z", "b"],
    ]
    with pytest.raises(JudgementError, match=r"^winner='q1, q2' must be the label of one of"):
        wide(cells_are="winner")
    with pytest.raises(JudgementError, match="cells_are= must be"):
        wide(cells_are="votes")


def test_winners_taken_for_outcomes_are_recognised():
    with pytest.raises(JudgementError, match=r"^outcome='q1, q2' .*cells_are=") as caught:
        wide()
    assert "__" not in str(caught.value)


def test_the_recommended_outcomes_are_python():
    frame = pd.DataFrame({"a": ["A"], "b": ["B"], "o": ["model_b"]})
    with pytest.raises(JudgementError) as caught:
        PairwiseJudgements.from_frame(
            frame, annotator=None, system_a="a", system_b="b", outcome="o"
        )
    advised = re.search(r"outcomes=(\{.*?\})", str(caught.value))
    assert advised
    assert ast.literal_eval(advised[1].replace("…", "")) == {"model_b": "a"}


def test_cells_in_messages_are_cut():
    frame = pd.DataFrame({"a": "A", "b": "B", "o": [f"{k} {'x' * 5_000}" for k in range(9)]})
    with pytest.raises(JudgementError) as caught:
        PairwiseJudgements.from_frame(
            frame, annotator=None, system_a="a", system_b="b", outcome="o"
        )
    assert len(str(caught.value)) < 800


def test_posteriors_without_names_are_refused_in_words():
    with pytest.raises(BayesEvalError, match=r"in one mapping such as .*; found 2 without names"):
        compare_posteriors(object(), object())  # type: ignore[arg-type]
