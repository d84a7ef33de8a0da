"""What a quantity says of its dimensions is what it has: nobody computes it to find out."""

from collections.abc import Mapping

import numpy as np
import pytest
import xarray as xr

from bayeseval.families._family import Estimand
from tests.families.examples import EXAMPLES, FIRST_WITH_DENSITY

SHAPES = [
    *FIRST_WITH_DENSITY,
    "Ordinal probit, criteria",
    "Ordered beta, moderator, criteria",
    "strength, three grades",
]


@pytest.mark.parametrize("case", SHAPES)
def test_quantities_have_the_dimensions_that_they_declare(case: str) -> None:
    family, judgements = EXAMPLES[case]
    table = judgements()
    declaration = family.declare(table)
    cells = family.cells(declaration, table)
    x = family.start(declaration, cells, np.random.default_rng(1))[None, None]
    draws: xr.Dataset = family.posterior_dataset(declaration, family.constrained(declaration, x))
    known: Mapping[str, Estimand] = family.estimands(declaration)
    for name, spec in known.items():
        array = family.estimate(name, declaration, draws)
        assert {"chain", "draw", *spec.dims} == {*map(str, array.dims)} - {"criterion"}, name
