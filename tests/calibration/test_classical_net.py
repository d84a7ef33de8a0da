"""Classical statistics over simulated tables of every shape: in range, ordered, calibrated."""

import contextlib
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
    spa_test,
    strength_test,
    win_rates,
)
from tests import tables

FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], str]] = {
    "alpha": (
        tables.likert,
        lambda t: krippendorff_alpha(t, n_resamples=50, random_seed=1),
        "alpha",
    ),
    "icc": (tables.likert, icc, "icc"),
    "kappa": (tables.likert, lambda t: cohen_kappa(t, min_units=1), "kappa"),
    "means": (tables.likert, rating_means, "mean"),
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


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", tables.SHAPES)
def test_every_number_is_finite_and_ordered_or_missing(name: str, shape: tables.Shape) -> None:
    make, function, value = FUNCTIONS[name]
    for seed in range(1 if name == "kappa" else 2):
        # A refusal in words is an answer; any other error fails.
        with contextlib.suppress(BayesEvalError):
            table = function(make(shape, seed)).table
            numeric = table.select_dtypes("number").astype(float)
            assert not np.isinf(numeric.to_numpy()).any()
            shown = table[table["lower"].notna()]
            assert (shown["lower"] < shown["upper"]).all()
            assert (shown["lower"] <= shown[value] + 1e-9).all()
            assert (shown[value] <= shown["upper"] + 1e-9).all()
            if "p" in table:
                assert table["p"].dropna().between(0, 1).all()
            if "note" in table:
                assert (table.loc[table[value].isna(), "note"] != "").all()


@pytest.mark.calibration
@pytest.mark.parametrize("shape", ["complete", "ragged"])
@pytest.mark.parametrize("name", ["spa", "strength", "bradley_terry"])
def test_the_share_of_small_p_under_the_null_is_about_five_percent(
    name: str, shape: tables.Shape
) -> None:
    make, function, _ = FUNCTIONS[name]
    p = []
    for seed in range(200):
        result = function(make(shape, seed))
        table = result.contrasts().table if name == "bradley_terry" else result.table
        p.append(table["p"].iloc[0])
    # Four standard errors of a share of .05 over 200 tables.
    assert abs(np.mean(np.array(p) < 0.05) - 0.05) < 0.062
