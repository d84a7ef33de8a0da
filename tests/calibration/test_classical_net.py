"""Classical statistics over simulated tables of every shape: in range, ordered, calibrated.

The long form, ``pytest tests/calibration -m calibration -k classical``, takes other tables with
``BAYESEVAL_SEED=5000``, and more of them with ``BAYESEVAL_TABLES=400``.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bayeseval.agreement import cohen_kappa, icc, krippendorff_alpha
from bayeseval.errors import BayesEvalError
from bayeseval.frequentist import (
    bootstrap_ranking,
    bradley_terry_ml,
    rating_means,
    rating_tests,
    spa_test,
    strength_test,
    win_rates,
)
from tests import tables
from tests.benchmarks import classical

N_TABLES = int(os.environ.get("BAYESEVAL_TABLES", str(classical.N_TABLES)))
FIRST_SEED = int(os.environ.get("BAYESEVAL_SEED", "0"))

FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], str]] = {
    "alpha": (
        tables.likert,
        lambda t: krippendorff_alpha(t, n_resamples=50, random_seed=1),
        "alpha",
    ),
    "icc": (tables.likert, icc, "icc"),
    # Five points: a matrix of a hundred categories for every two annotators is slow.
    "kappa": (
        lambda shape, seed: tables.likert(shape, seed, points=5),
        lambda t: cohen_kappa(t, min_units=1),
        "kappa",
    ),
    "means": (tables.likert, rating_means, "mean"),
    "tests": (tables.likert, rating_tests, "estimate"),
    "bootstrap": (
        tables.likert,
        lambda t: bootstrap_ranking(t, n_resamples=50, random_seed=1),
        "score",
    ),
    "wins": (tables.pairwise, win_rates, "win_rate"),
    "bradley_terry": (tables.pairwise, bradley_terry_ml, "log_worth"),
    "spa": (tables.spa, spa_test, "mean"),
    "strength": (tables.strength, strength_test, "mean"),
}
# Where a refusal in words is the right answer: everybody ties, so that no tie parameter is finite.
REFUSED = {("bradley_terry", "constant")}
# Where there is nothing that an interval could be computed from: one item, or no variation.
WITHOUT_INTERVAL = {("kappa", "tiny"), ("icc", "tiny"), *((n, "constant") for n in FUNCTIONS)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_number_is_finite_and_ordered_or_missing(name: str) -> None:
    make, function, value = FUNCTIONS[name]
    for shape, seed in ((shape, seed) for shape in tables.SHAPES for seed in range(2)):
        if (name, shape) in REFUSED:
            with pytest.raises(BayesEvalError):
                function(make(shape, seed))
            continue
        table = function(make(shape, seed)).table
        numeric = table.select_dtypes("number").astype(float)
        assert not np.isinf(numeric.to_numpy()).any(), shape
        shown = table[table["lower"].notna()]
        assert len(shown) or (name, shape) in WITHOUT_INTERVAL, shape
        assert shape != "constant" or not len(shown)
        assert (shown["lower"] < shown["upper"]).all(), shape
        assert (shown["lower"] <= shown[value] + 1e-9).all(), shape
        assert (shown[value] <= shown["upper"] + 1e-9).all(), shape
        if "p" in table:
            assert table["p"].dropna().between(0, 1).all(), shape
        if "note" in table:
            assert (table.loc[table[value].isna(), "note"] != "").all(), shape


@pytest.mark.calibration
@pytest.mark.parametrize(("name", "shape"), classical.every())
def test_p_and_intervals_err_no_more_often_than_they_say(name: str, shape: tables.Shape) -> None:
    found = classical.measure(name, shape, N_TABLES, FIRST_SEED)
    assert not {"rejects too often", "too narrow"} & set(found.verdicts)
