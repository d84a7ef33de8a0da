"""Small and one-sided studies converge by default; ``tests/benchmarks/mixing.py`` has them all."""

import pytest

import bayeseval as be
from tests.benchmarks.shapes import SHAPES

QUICK = ("strengths at one end", "everybody gives the same rating")


@pytest.mark.sampling
@pytest.mark.parametrize("name", QUICK)
def test_a_hard_study_converges_by_default(name: str) -> None:
    shape = SHAPES[name]
    posterior = be.fit(shape.make(0), shape.family, random_seed=0, progressbar=False)
    assert posterior.convergence.ok, str(posterior.convergence)


@pytest.mark.calibration
@pytest.mark.parametrize("name", SHAPES)
def test_every_hard_study_converges_by_default(name: str) -> None:
    shape = SHAPES[name]
    for seed in range(20):
        posterior = be.fit(shape.make(seed), shape.family, random_seed=seed, progressbar=False)
        assert posterior.convergence.ok, f"{name}, seed {seed}: {posterior.convergence}"
