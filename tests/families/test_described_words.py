"""What every description of a hierarchical model says."""

import pytest

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
