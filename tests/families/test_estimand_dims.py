"""What a quantity says of its dimensions is what it has: nobody computes it to find out."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import xarray as xr

from bayeseval.families._family import Estimand
from bayeseval.families.log_magnitude import LogMagnitude
from bayeseval.families.ordered_beta import OrderedBeta
from bayeseval.families.ordinal_probit import OrdinalProbit
from bayeseval.families.preference_strength import PreferenceStrength
from tests.families.test_contract import likert
from tests.families.test_predictor_contract import CASES

SHAPES: dict[str, tuple[Any, Any]] = {
    "Likert": (OrdinalProbit(), lambda: likert(criteria=True)),
    "Ordered beta": (OrderedBeta(), CASES["Ordered beta, moderator, criteria"][1]),
    "Bradley-Terry": CASES["Bradley-Terry"],
    "magnitudes": (LogMagnitude(), CASES["magnitudes, items"][1]),
    "strength": (PreferenceStrength(), CASES["strength, three grades"][1]),
}


@pytest.mark.parametrize("case", SHAPES)
def test_quantities_have_the_dimensions_that_they_declare(case: str) -> None:
    family, judgements = SHAPES[case]
    table = judgements()
    declaration = family.declare(table)
    cells = family.cells(declaration, table)
    x = family.start(declaration, cells, np.random.default_rng(1))[None, None]
    draws: xr.Dataset = family.posterior_dataset(declaration, family.constrained(declaration, x))
    known: Mapping[str, Estimand] = family.estimands(declaration)
    for name, spec in known.items():
        array = family.estimate(name, declaration, draws)
        assert {"chain", "draw", *spec.dims} == {*map(str, array.dims)} - {"criterion"}, name
