"""Known truth of magnitudes, simulated apart from the family, is inside honest intervals."""

import numpy as np
import pytest

import bayeseval as be
from bayeseval.simulate import simulate_magnitude

pytestmark = [
    pytest.mark.sampling,
    pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning"),
]

N_STUDIES = 12


def study(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for every difference of two qualities: covered, error of the mean, truth."""
    rng = np.random.default_rng(2000 + seed)

    def half_normal(scale: float) -> float:
        return scale * abs(float(rng.normal()))

    # Parameters come from the family's own priors, so that coverage is what the interval promises.
    step = 0.3 * np.exp(0.5 * rng.normal())
    simulated = simulate_magnitude(
        n_annotators=15,
        n_systems=4,
        n_items=10,
        level=float(rng.normal()),
        sharpness=1 / step,
        quality_sd=step * half_normal(1.0),
        difficulty_sd=step * half_normal(1.0),
        interaction_sd=step * half_normal(0.5),
        taste_sd=step * half_normal(0.5),
        severity_sd=half_normal(1.0),
        modulus_sd=half_normal(0.3),
        tie_band=float(np.exp(0.7 * rng.normal())),
        tie_band_sd=half_normal(0.5),
        spread=0.3 * float(np.exp(0.5 * rng.normal())),
        spread_sd=half_normal(0.3),
        degrees_of_freedom=float(rng.gamma(6.0, 2.0)),
        random_seed=seed,
    )
    posterior = be.fit(
        simulated.judgements,
        # The simulated numbers are exact: no rounding is to be allowed for.
        be.LogMagnitude(resolution=0.0, effects={"severity": True}),
        draws=400,
        tune=500,
        chains=2,
        random_seed=seed,
        progressbar=False,
    )
    a, b = np.triu_indices(4, 1)
    draws = posterior.quality.values.reshape(-1, 4)
    truth = simulated.truth["quality"].sel(system=list(posterior.systems)).values
    differences = draws[:, a] - draws[:, b]
    low, high = np.quantile(differences, [0.05, 0.95], axis=0)
    actual = truth[a] - truth[b]
    return (low <= actual) & (actual <= high), differences.mean(axis=0) - actual, actual


@pytest.mark.calibration
def test_intervals_of_log_ratios_cover_the_truth_as_often_as_they_say() -> None:
    inside, error, actual = (
        np.concatenate(x) for x in zip(*map(study, range(N_STUDIES)), strict=True)
    )
    assert 0.78 <= inside.mean() <= 0.99, inside.mean()
    # And they are about the truth, not only wide: most of its variation is recovered.
    assert (error**2).mean() < 0.25 * (actual**2).mean()
