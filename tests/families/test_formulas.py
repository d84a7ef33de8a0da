"""Slopes of every response: those of its formula in plain PyTensor, which PyMC's samplers use."""

from typing import Any

import numpy as np
import pytensor.tensor as pt
import pytest
from pytensor.compile.maker import function
from pytensor.gradient import grad

from bayeseval.families._ordinal_response import LOWER, UPPER, OrdinalResponse
from bayeseval.families.engine.loading import FormulaResponse
from tests.families.densities import INTERPRETED
from tests.families.examples import EXAMPLES


def with_formulas() -> dict[str, str]:
    """Return an example for every formula that the examples use, by the formula's name."""
    found: dict[str, str] = {}
    for name, (family, judgements) in EXAMPLES.items():
        response = family.declare(judgements()).response
        if isinstance(response, FormulaResponse):
            found.setdefault(response.formula_name, name)
    return found


@pytest.mark.parametrize("example", with_formulas().values())
def test_slopes_of_the_kernel_are_those_of_the_formula(example: str) -> None:
    family, judgements = EXAMPLES[example]
    table = judgements()
    declaration = family.declare(table)
    response, cells = declaration.response, family.cells(declaration, table)
    rng = np.random.default_rng(3)
    n, size = cells.count.size, len(response.scalars)
    predictors = rng.normal(scale=0.6, size=(response.n_predictors, n))
    if isinstance(response, OrdinalResponse):
        # A category's lower end is below its upper one.
        predictors[LOWER : UPPER + 1].sort(axis=0)
    scalars = rng.uniform(0.1, 0.9, size=(1, size))
    log_p, bar, scalars_bar = np.empty(n), np.empty_like(predictors), np.zeros((1, size))
    one = np.zeros(n, dtype=np.int32)
    options = (response.options, log_p, bar, scalars_bar, cells.count)
    response.kernel(predictors, cells.answer, one, scalars, *options)

    # What a case would say of the rows of another must not spoil their slopes.
    rows = [pt.dvector() for _ in predictors]
    numbers: list[Any] = [pt.dvector() for _ in response.scalars]
    by_name = {scalar.name: v for scalar, v in zip(response.scalars, numbers, strict=True)}
    formula = response.log_probability(rows, by_name, list(map(pt.as_tensor, cells.answer)))
    slopes: Any = grad(
        (cells.count * formula).sum(), [*rows, *numbers], disconnected_inputs="ignore"
    )
    evaluate: Any = function(
        [*rows, *numbers], [formula, *slopes], mode=INTERPRETED, on_unused_input="ignore"
    )
    found = evaluate(*predictors, *(np.full(n, value) for value in scalars[0]))
    np.testing.assert_allclose(log_p, found[0], rtol=1e-9, atol=1e-11)
    # PyTensor's own slope of the incomplete beta function has seven digits.
    np.testing.assert_allclose(bar, found[1 : 1 + len(rows)], rtol=1e-6, atol=1e-9)
    expected = np.array([slope.sum() for slope in found[1 + len(rows) :]])
    np.testing.assert_allclose(scalars_bar[0], expected, rtol=1e-6, atol=1e-8)
