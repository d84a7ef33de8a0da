"""Simulation-based calibration: ranks of the truth among posterior draws are uniform.

Minutes of refits, so not in the default run: ``uv run pytest tests/calibration -m calibration``.

Talts, Betancourt, Simpson, Vehtari & Gelman (2018), arXiv:1804.06788.
"""

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import chisquare

import bayeseval as be
from bayeseval.simulate import simulate_likert

pytestmark = [
    pytest.mark.calibration,
    pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning"),
]

N_STUDIES = 120
N_RANKED = 99
N_BINS = 10
CASES = {
    "free": be.OrdinalProbit(effects={"difficulty": True, "interaction": True, "taste": True}),
    "scaled": be.OrdinalProbit(
        thresholds="scaled",
        discrimination=True,
        effects={"difficulty": True, "interaction": False, "taste": False},
    ),
}


def ranks(family: be.OrdinalProbit, seed: int) -> dict[str, int]:
    """Draw a study from the prior, fit it, and rank the truth among 99 draws."""
    rng = np.random.default_rng([seed, 77])
    sds: dict[str, Any] = {
        f"{name}_sd": float(abs(rng.normal(scale=getattr(family, f"{name}_sd_scale"))))
        for name in ("quality", "severity", "difficulty", "interaction", "taste", "gap")
    }
    assert isinstance(family.effects, dict)
    sds |= {f"{name}_sd": 0.0 for name, included in family.effects.items() if not included}
    if family.discrimination:
        scale = family.discrimination_sd_scale
        sds["discrimination_sd"] = float(abs(rng.normal(scale=scale)))
    population = ndtri(np.cumsum(rng.dirichlet(np.full(4, 2.0)))[:-1])
    study = simulate_likert(
        n_annotators=8,
        n_systems=3,
        n_items=4,
        n_categories=4,
        n_repeats=2,
        thresholds=family.thresholds,
        population_thresholds=population,
        random_seed=seed,
        **sds,
    )
    posterior = be.fit(
        study.judgements, family, draws=500, tune=700, chains=2, random_seed=seed, progressbar=False
    )
    draws = posterior.posterior.stack(sample=("chain", "draw"))
    draws = draws.isel(sample=np.linspace(0, draws.sizes["sample"] - 1, N_RANKED).astype(int))
    truth = study.truth
    first = {"system": posterior.systems[0], "annotator": "annotator 1", "item": "item 1"}
    found = {}
    for name in ("quality", "severity", "difficulty", "population_thresholds", *sds):
        if name not in draws or name not in truth:
            continue
        at = {dim: first.get(str(dim), truth[dim].values[0]) for dim in truth[name].dims}
        found[name] = int((draws[name].sel(at) < float(truth[name].sel(at))).sum())
    return found


@pytest.mark.parametrize("case", CASES)
def test_ranks_of_the_truth_are_uniform(case: str) -> None:
    by_name: dict[str, list[int]] = {}
    for seed in range(N_STUDIES):
        for name, rank in ranks(CASES[case], seed).items():
            by_name.setdefault(name, []).append(rank)
    assert {"quality", "quality_sd", "severity_sd", "gap_sd", "population_thresholds"} <= set(
        by_name
    )
    for name, found in by_name.items():
        counts, _ = np.histogram(found, bins=N_BINS, range=(0, N_RANKED + 1))
        # One in a thousand for each of ten quantities: a false alarm in a hundred runs.
        assert chisquare(counts).pvalue > 0.001, (name, counts.tolist())
