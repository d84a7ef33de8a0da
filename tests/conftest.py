"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

SHARED_DATA = Path(
    os.environ.get("BAYESEVAL_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data")
)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder with the real data sets; tests that read it are skipped where it is missing."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the real data sets are not at {SHARED_DATA} (set BAYESEVAL_SHARED_DATA)")
    return SHARED_DATA
