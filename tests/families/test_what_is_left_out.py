"""What a default model leaves out of large or dependent designs, and what it says of that."""

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.families import Family


def ratings(n_items: int, per_output: float) -> be.LikertJudgements:
    """Return five systems on many items, each output rated once or a little more often."""
    rng = np.random.default_rng(0)
    outputs = pd.MultiIndex.from_product([range(5), range(n_items)], names=["s", "i"])
    frame = outputs.to_frame(index=False)
    again = frame.sample(round((per_output - 1) * len(frame)), replace=True, random_state=1)
    frame = pd.concat([frame, again], ignore_index=True)
    frame["r"] = rng.integers(0, 40, len(frame))
    frame["y"] = rng.integers(1, 6, len(frame))
    return be.LikertJudgements.from_frame(
        frame, annotator="r", system="s", item="i", rating="y", scale=(1, 5), repeats=True
    )


@pytest.mark.parametrize(
    ("n_items", "per_output", "included"),
    [(600, 1.13, False), (600, 3.0, True), (100, 1.13, True)],
)
def test_effects_of_very_many_outputs_need_repeated_judgements(
    n_items: int, per_output: float, *, included: bool
) -> None:
    judgements = ratings(n_items, per_output)
    declaration = be.OrdinalProbit().declare(judgements)
    assert (declaration.effect("interaction") is not None) == included
    if not included:
        reason = declaration.left_out["interaction"]
        assert "3,000 outputs share 3,390 judgements" in reason
        assert "effects={'interaction': True}" in reason
        forced = be.OrdinalProbit(effects={"interaction": True}).declare(judgements)
        assert forced.effect("interaction") is not None


@pytest.mark.parametrize("family", [be.BradleyTerry(), be.Thurstone()])
def test_the_weight_of_comparisons_of_one_ranking_is_said(family: Family) -> None:
    # Each of 6 comparisons of a ranking of 4 counts 3 / 5.
    frame = pd.DataFrame({"a": [1] * 10, "b": [2] * 10, "c": [3] * 10, "d": [4] * 10})
    judgements = be.PairwiseJudgements.from_rankings(
        frame, annotator=None, ranks={name: name for name in "abcd"}, lower_is_better=True
    )
    text = str(family.describe(family.declare(judgements)))
    assert "the 60 of 10 rankings count as 36.0 independent ones" in text
