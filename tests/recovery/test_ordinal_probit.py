"""Known truth, simulated apart from the families, is recovered with honest intervals."""

import numpy as np
import pytest

import bayeseval as be
from bayeseval.simulate import simulate_likert

pytestmark = [
    pytest.mark.sampling,
    pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning"),
]

N_STUDIES = 20


def study(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for every difference of two qualities: covered, error of the mean, truth."""
    rng = np.random.default_rng(1000 + seed)
    # Parameters come from the family's own priors, so that coverage is what the interval promises.
    simulated = simulate_likert(
        n_annotators=30,
        n_systems=5,
        n_items=4,
        n_categories=5,
        quality_sd=abs(rng.normal()),
        severity_sd=abs(rng.normal()),
        difficulty_sd=abs(rng.normal()),
        gap_sd=0.5 * abs(rng.normal()),
        interaction_sd=0.5 * abs(rng.normal()),
        taste_sd=0.5 * abs(rng.normal()),
        random_seed=seed,
    )
    posterior = be.fit(
        simulated.judgements,
        be.OrdinalProbit(effects={"difficulty": True, "interaction": True, "taste": True}),
        draws=500,
        tune=500,
        chains=2,
        random_seed=seed,
        progressbar=False,
    )
    a, b = np.triu_indices(5, 1)
    draws = posterior.quality.values.reshape(-1, 5)
    truth = simulated.truth["quality"].sel(system=list(posterior.systems)).values
    differences = draws[:, a] - draws[:, b]
    low, high = np.quantile(differences, [0.05, 0.95], axis=0)
    actual = truth[a] - truth[b]
    return (low <= actual) & (actual <= high), differences.mean(axis=0) - actual, actual


def test_intervals_of_differences_cover_the_truth_as_often_as_they_say() -> None:
    inside, error, actual = (
        np.concatenate(x) for x in zip(*map(study, range(N_STUDIES)), strict=True)
    )
    assert 0.80 <= inside.mean() <= 0.98, inside.mean()
    # And they are about the truth, not only wide: most of its variation is recovered.
    assert (error**2).mean() < 0.25 * (actual**2).mean()
