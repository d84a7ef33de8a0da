"""Densities take cells in parts: what stands at a bound between two counts once, and all of it."""

from dataclasses import replace

import numpy as np
import pytest

import bayeseval as be
from bayeseval.families._predictor_kernel import ROWS


@pytest.mark.parametrize("n_items", [130, 137, 280])
def test_cells_of_several_parts_are_all_counted_once(n_items: int) -> None:
    """Systems' cells are neighbours, so a run of one level reaches over the bound of a part."""
    ratings = be.simulate_likert(
        n_annotators=3, n_systems=5, n_items=n_items, n_categories=5, random_seed=n_items
    ).judgements
    family = be.OrdinalProbit(effects={"interaction": False, "taste": False})
    declaration = family.declare(ratings)
    cells = family.cells(declaration, ratings)
    assert (cells.n_cells > ROWS) == (n_items > 136)
    x = family.start(declaration, cells, np.random.default_rng(1))
    density = family.density(declaration, cells)
    twice = family.density(declaration, replace(cells, count=2.0 * cells.count))
    assert density is not None
    assert twice is not None
    draw = family.posterior_dataset(
        declaration, family.constrained(declaration, x[None, None])
    ).stack(sample=("chain", "draw"))
    expected = family.log_likelihood(declaration, ratings, draw).sum()
    assert twice(x)[0] - density(x)[0] == pytest.approx(expected, rel=1e-10)
    step = 1e-5 * np.random.default_rng(2).normal(size=x.size)
    slope = (density(x + step)[0] - density(x - step)[0]) / 2.0
    assert density(x)[1] @ step == pytest.approx(slope, rel=1e-5)
