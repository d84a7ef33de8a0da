"""What every description of a hierarchical model says."""

from typing import Any

import pytest

import bayeseval as be
from bayeseval import (
    BradleyTerry,
    LogMagnitude,
    OrderedBeta,
    OrdinalProbit,
    PreferenceStrength,
)


@pytest.mark.parametrize(
    "family", [BradleyTerry, LogMagnitude, OrderedBeta, OrdinalProbit, PreferenceStrength]
)
def test_a_description_says_that_systems_share_a_learnt_spread(family: type) -> None:
    said = " ".join(str(family().describe()).split())
    assert said.count("adding systems moves the quality of the others a little") == 1


@pytest.mark.parametrize(
    ("family", "simulate"),
    [
        (be.OrdinalProbit(), be.simulate_likert),
        (be.BradleyTerry(), be.simulate_pairwise),
        (be.TrueSkill(), be.simulate_pairwise),
        (be.BayesianBootstrap(), be.simulate_spa),
    ],
)
def test_a_model_of_judgements_is_described_without_declaring_it(
    family: Any, simulate: Any
) -> None:
    judgements = simulate(n_annotators=4, n_systems=2, n_items=2, random_seed=1).judgements
    assert str(family.describe(judgements)) == str(family.describe(family.declare(judgements)))
    with pytest.raises(be.ModelError, match="found str"):
        family.describe("ratings")
