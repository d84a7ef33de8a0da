"""Bradley–Terry on many votes: quick paths give the numbers of the general ones."""

from typing import Any

import numpy as np
import pytest

from bayeseval.frequentist import _bt_fit
from bayeseval.frequentist._bt_cells import count_cells
from bayeseval.frequentist._tie_models import terms


def test_decided_comparisons_have_the_terms_that_half_ties_give_them() -> None:
    difference = np.array([-800.0, -40.0, -1.3, 0.0, 0.7, 40.0, 800.0]).repeat(2)
    outcome = np.tile([0, 1], 7)
    for found, expected in zip(
        terms("logistic", difference, 0.0, outcome),
        terms("half", difference, 0.0, outcome),
        strict=True,
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("model", ["logistic", "davidson"])
@pytest.mark.parametrize("position", [False, True])
def test_dense_and_sparse_scores_of_clusters_give_one_sandwich(
    model: Any, position: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    n, systems = 400, 5
    a = rng.integers(0, systems, n)
    b = (a + rng.integers(1, systems, n)) % systems
    outcome = rng.integers(0, 2 if model == "logistic" else 3, n)
    weight, cluster = rng.integers(1, 4, n), rng.integers(0, 12, n)
    cells, cell = count_cells(a, b, outcome, weight, systems)
    fit = _bt_fit.fit_cells(model, cells, position_effect=position)
    dense = _bt_fit.sandwich(fit, cluster, cell, weight)
    monkeypatch.setattr(_bt_fit, "_DENSE_PER_ROW", 0)
    np.testing.assert_allclose(_bt_fit.sandwich(fit, cluster, cell, weight), dense, rtol=1e-10)
