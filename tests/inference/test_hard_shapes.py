"""Small and one-sided studies converge by default; ``tests/benchmarks/mixing.py`` measures how."""

import pytest

import bayeseval as be
from tests.benchmarks.shapes import SHAPES
from tests.benchmarks.smallest import SMALLEST

STUDIES = SHAPES | SMALLEST
QUICK = (
    "strengths at one end",
    "everybody gives the same rating",
    "two systems, three ratings",
    "SPA, one pair both ways",
    "OrdinalProbit: 101 points",
)
SEEDS = 20
# Log discriminations of two annotators with four ratings each, on request: still run again, and one
# in three has a divergent transition left.
DIVERGES = "OrdinalProbit: discrimination"
# Before factors of annotators had their prior of today, half of the studies of some shapes.
MOST_RUN_AGAIN = SEEDS // 4


def fitted(name: str, seed: int) -> be.Posterior:
    study = STUDIES[name]
    return be.fit(study.make(seed), study.family, random_seed=seed, progressbar=False)


@pytest.mark.sampling
@pytest.mark.parametrize("name", QUICK)
def test_a_hard_study_converges_by_default(name: str) -> None:
    posterior = fitted(name, 0)
    assert posterior.convergence.ok, str(posterior.convergence)


@pytest.mark.calibration
@pytest.mark.parametrize("name", [name for name in STUDIES if name != DIVERGES])
def test_every_hard_study_converges_and_few_are_run_again(name: str) -> None:
    run_again = 0
    for seed in range(SEEDS):
        posterior = fitted(name, seed)
        assert posterior.convergence.ok, f"{name}, seed {seed}: {posterior.convergence}"
        run_again += bool(posterior.settings.discarded)
    assert run_again <= MOST_RUN_AGAIN
