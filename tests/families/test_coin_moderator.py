"""A moderator that is tossed for every judgement is pure noise, and must change no answer.

The systems lie far apart. A model that let the coin's levels widen every quality, as if two levels
were a sample of many, would lose the best system and merge the tiers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be

pytestmark = pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")
QUALITY = np.array([1.2, 0.0, -1.2])
SIZE: dict[str, Any] = {"n_annotators": 10, "n_systems": 3, "n_items": 5, "quality": QUALITY}
SAMPLER: dict[str, Any] = {"draws": 300, "tune": 400, "chains": 2, "progressbar": False}
PAIR = {"system_a": "system_a", "system_b": "system_b"}


@dataclass(frozen=True)
class Case:
    """A family, and judgements of its kind with known truth."""

    family: Any
    simulate: Callable[..., Any]
    judged: Any
    columns: dict[str, Any]

    def judgements(self, *, coin: bool) -> Any:
        frame: pd.DataFrame = self.simulate(**SIZE, random_seed=11).judgements.to_frame()
        frame["coin"] = np.random.default_rng(5).choice(["heads", "tails"], len(frame))
        return self.judged.from_frame(
            frame,
            annotator="annotator",
            item="item",
            moderators=["coin"] if coin else [],
            **self.columns,
        )


CASES = {
    "BradleyTerry": Case(
        be.BradleyTerry(),
        be.simulate_pairwise,
        be.PairwiseJudgements,
        {**PAIR, "outcome": "outcome"},
    ),
    "OrdinalProbit": Case(
        be.OrdinalProbit(),
        be.simulate_likert,
        be.LikertJudgements,
        {"system": "system", "rating": "rating", "scale": (1, 5)},
    ),
    "OrderedBeta": Case(
        be.OrderedBeta(),
        be.simulate_spa,
        be.SPAJudgements,
        {**PAIR, "probability": "probability", "bounds": (0, 1)},
    ),
    "PreferenceStrength": Case(
        be.PreferenceStrength(),
        be.simulate_strength,
        be.StrengthJudgements,
        {**PAIR, "strength": "strength", "bounds": (-3, 3), "positive": "a"},
    ),
    "LogMagnitude": Case(
        be.LogMagnitude(),
        be.simulate_magnitude,
        be.MagnitudeJudgements,
        {"system": "system", "magnitude": "magnitude", "reference": "reference"},
    ),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "BradleyTerry" else pytest.mark.calibration)
        for name in CASES
    ],
)
def test_a_coin_changes_no_ranking_no_chance_to_be_best_and_no_tier(name: str) -> None:
    case = CASES[name]
    plain, tossed = (
        be.rank(be.fit(case.judgements(coin=coin), case.family, random_seed=3, **SAMPLER))
        for coin in (False, True)
    )
    best_first = ["system 1", "system 2", "system 3"]
    for ranking in (plain.to_frame(), tossed.to_frame()):
        assert list(ranking["system"]) == best_first
        assert ranking["p_best"][0] > 0.9
        assert ranking["tier"].max() >= 2
