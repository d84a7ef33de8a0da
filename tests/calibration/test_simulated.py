"""Simulation-based calibration: ranks of the truth among posterior draws are uniform.

Of all families, on studies that ``models/<family>/examples.py`` draws from their priors. Minutes of
refits, so not in the default run: ``uv run pytest tests/calibration -m calibration``, with
``BAYESEVAL_STUDIES=120`` for a hard look.

Talts, Betancourt, Simpson, Vehtari & Gelman (2018), arXiv:1804.06788.
"""

import os

import numpy as np
import pytest
from scipy.stats import chisquare

import bayeseval as be
from tests.families.examples import SIMULATED

pytestmark = [
    pytest.mark.calibration,
    pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning"),
]

N_STUDIES = int(os.environ.get("BAYESEVAL_STUDIES", "20"))
N_RANKED = 99
# A bin expects ten studies or more, up to ten bins; each has as many of the hundred ranks.
N_BINS = max(bins for bins in (2, 4, 5, 10) if bins == 2 or 10 * bins <= N_STUDIES)


def ranks(example: str, seed: int) -> dict[str, int]:
    """Draw a study from the prior, fit it, and rank the truth among 99 draws."""
    family, study = SIMULATED[example]
    judgements, truth = study(family, seed)
    posterior = be.fit(
        judgements, family, draws=500, tune=700, chains=2, random_seed=seed, progressbar=False
    )
    draws = posterior.posterior.stack(sample=("chain", "draw"))
    draws = draws.isel(sample=np.linspace(0, draws.sizes["sample"] - 1, N_RANKED).astype(int))
    found = {}
    for name, value in truth.items():
        # Levels are exchangeable: the first will do.
        at = {dim: value[dim].values[0] for dim in getattr(value, "dims", ())}
        of_level = float(value.sel(at)) if at else float(value)
        found[name] = int((draws[name].sel(at) < of_level).sum())
    return found


@pytest.mark.parametrize("example", SIMULATED)
def test_ranks_of_the_truth_are_uniform(example: str) -> None:
    by_name: dict[str, list[int]] = {}
    for seed in range(N_STUDIES):
        for name, rank in ranks(example, seed).items():
            by_name.setdefault(name, []).append(rank)
    assert {"quality", "quality_sd"} <= set(by_name)
    for name, found in by_name.items():
        counts, _ = np.histogram(found, bins=N_BINS, range=(0, N_RANKED + 1))
        # One in a thousand for each of ten quantities: a false alarm in a hundred runs.
        assert chisquare(counts).pvalue > 0.001, (name, counts.tolist())
