"""Stated probabilities of a study in the paper's shape are recovered, with honest intervals.

90 annotators, five systems, a circle of five pairs, and the probabilities that Table 1 of
Ethayarajh & Jurafsky (2022) prints, which fit no scale of quality. The answers are made here, apart
from the package.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import root_scalar
from scipy.special import expit, logit

import bayeseval as be

pytestmark = [
    pytest.mark.sampling,
    pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning"),
]

FAMILIES: dict[str, Any] = {
    "qualities": be.OrderedBeta(),
    "pairs": be.OrderedBeta(structure="pairs"),
    "bootstrap": be.BayesianBootstrap(),
}
N_ANNOTATORS = 90
END, PRECISION = 0.06, 6.0
EXTREMITY_SD, PRECISION_SD, OWN_SD = 0.3, 0.4, 0.4
KAPPA = -logit(END / 2)


def mean_answer(e: np.ndarray) -> np.ndarray:
    return expit(e - KAPPA) + (expit(e + KAPPA) - expit(e - KAPPA)) * expit(e)


def predictor_of(probability: float) -> float:
    """Return the pair's predictor at which annotators state this probability on average."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    weights = weights / weights.sum()

    def excess(d: float) -> float:
        e = np.exp(EXTREMITY_SD * nodes[:, None]) * (d + OWN_SD * nodes[None])
        return float(weights @ mean_answer(e) @ weights) - probability

    return float(root_scalar(excess, bracket=(-6, 6)).root)


def study(truth: pd.DataFrame, seed: int) -> be.SPAJudgements:
    rng = np.random.default_rng(seed)
    predictors = np.array([predictor_of(p) for p in truth["p_x_better_spa"]])
    shape = (N_ANNOTATORS, len(truth))
    stretch = np.exp(rng.normal(0, EXTREMITY_SD, (N_ANNOTATORS, 1)))
    precision = PRECISION * np.exp(rng.normal(0, PRECISION_SD, (N_ANNOTATORS, 1)))
    e = stretch * (predictors + rng.normal(0, OWN_SD, shape))
    uniform = rng.random(shape)
    inside = rng.beta(expit(e) * precision, expit(-e) * precision)
    answers = np.where(
        uniform < expit(-e - KAPPA), 0.0, np.where(uniform > expit(KAPPA - e), 1.0, inside)
    )
    frame = pd.DataFrame(
        {
            "who": np.repeat([f"annotator {k:02d}" for k in range(N_ANNOTATORS)], len(truth)),
            "a": np.tile(truth["system_x"], N_ANNOTATORS),
            "b": np.tile(truth["system_y"], N_ANNOTATORS),
            "p": answers.ravel(),
        }
    )
    return be.SPAJudgements.from_frame(
        frame, annotator="who", system_a="a", system_b="b", probability="p", bounds=(0, 1)
    )


@cache
def intervals(path: Path, name: str, seed: int) -> np.ndarray:
    """Return lower end, mean and upper end of every pair, dims (pair, 3)."""
    truth = pd.read_csv(path)
    posterior = be.fit(
        study(truth, seed),
        FAMILIES[name],
        draws=300,
        tune=400,
        chains=2,
        random_seed=seed,
        progressbar=False,
    )
    stated = posterior.estimand("stated_probability")
    found = []
    for _, line in truth.iterrows():
        draws = stated.sel(system=line["system_x"], system_b=line["system_y"]).values
        found.append([*np.quantile(draws, [0.05]), draws.mean(), *np.quantile(draws, [0.95])])
    return np.array(found)


@pytest.fixture(scope="module")
def table1(shared_data: Path) -> Path:
    return shared_data / "printed_tables" / "spa_table1.csv"


@pytest.mark.parametrize("name", FAMILIES)
def test_every_probability_of_the_table_is_recovered(name: str, table1: Path) -> None:
    truth = pd.read_csv(table1)["p_x_better_spa"].to_numpy()
    found = intervals(table1, name, 11)
    # The standard error of a mean of 90 answers is about .025.
    np.testing.assert_allclose(found[:, 1], truth, atol=0.08)
    assert ((found[:, 2] - found[:, 0]) < 0.12).all()


def coverage(table1: Path, name: str, seeds: range) -> tuple[float, float]:
    truth = pd.read_csv(table1)["p_x_better_spa"].to_numpy()
    found = np.stack([intervals(table1, name, seed) for seed in seeds])
    inside = (found[..., 0] <= truth) & (truth <= found[..., 2])
    return float(inside.mean()), float((found[..., 1] - truth).mean())


@pytest.mark.calibration
@pytest.mark.parametrize("name", FAMILIES)
def test_intervals_cover_the_truth_as_often_as_they_say(name: str, table1: Path) -> None:
    inside, error = coverage(table1, name, range(20, 26))
    # 30 intervals of 90 %: fewer than 22 have a chance below one in a hundred.
    assert inside >= 22 / 30, inside
    assert abs(error) < 0.025


@pytest.mark.calibration
@pytest.mark.parametrize("name", FAMILIES)
def test_intervals_of_two_hundred_studies_cover_the_truth(name: str, table1: Path) -> None:
    inside, error = coverage(table1, name, range(1000, 1200))
    assert 0.84 <= inside <= 0.96, inside
    assert abs(error) < 0.01
