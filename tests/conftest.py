"""Fixtures shared by all tests."""

import os
import warnings
from pathlib import Path

import pytest

from bayeseval.errors import ConvergenceWarning
from bayeseval.inference import Posterior, fit
from bayeseval.simulate import SimulatedLikert, simulate_likert

SHARED_DATA = Path(
    os.environ.get("BAYESEVAL_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data")
)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder with the real data sets; tests that read it are skipped where it is missing."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the real data sets are not at {SHARED_DATA} (set BAYESEVAL_SHARED_DATA)")
    return SHARED_DATA


@pytest.fixture(scope="session")
def small_study() -> SimulatedLikert:
    """Twelve annotators rate three systems on four items, with known truth."""
    return simulate_likert(
        n_annotators=12, n_systems=3, n_items=4, n_categories=5, quality_sd=0.8, random_seed=20
    )


@pytest.fixture(scope="session")
def small_posterior(small_study: SimulatedLikert) -> Posterior:
    """The default family fitted to the small study; shared, since sampling is what costs."""
    # Small steps: a single divergence, which chance may bring on another machine, would be told.
    # Whether it converged is asked by one test, not by all that need draws.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(small_study.judgements, random_seed=20, progressbar=False)
