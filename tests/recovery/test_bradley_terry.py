"""Known truth on simulated boards: intervals of qualities and ranks cover it as they say."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import bayeseval as be

pytestmark = [
    pytest.mark.sampling,
    pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning"),
]

N_SYSTEMS = 8
FAMILIES: dict[str, Any] = {
    "davidson": be.BradleyTerry(annotators="none", items=False),
    "rao_kupper, probit": be.Thurstone(annotators="none", items=False),
}
SAMPLER: dict[str, dict[str, Any]] = {
    "nuts": {"draws": 300, "tune": 300, "chains": 2},
    # Laplace, but where few votes leave the sd of the qualities near zero.
    "auto": {"method": "auto", "draws": 500, "tune": 300, "chains": 2},
}


def board(name: str, seed: int) -> Any:
    """Return a board as arenas have them: few votes, unequal pairs, ties, the first preferred."""
    probit = "probit" in name
    return be.simulate_pairwise(
        n_annotators=12,
        n_systems=N_SYSTEMS,
        n_items=4,
        design="ragged",
        share_judged=0.25,
        link="probit" if probit else "logit",
        ties="rao_kupper" if probit else "davidson",
        tie_propensity=0.3 if probit else 0.8,
        position_effect=0.2,
        quality_sd=0.6,
        random_seed=seed,
    )


@cache
def inside(name: str, sampler: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return whether the 90 % intervals hold each system's quality, and its rank."""
    study = board(name, seed)
    posterior = be.fit(
        study.judgements,
        FAMILIES[name],
        random_seed=seed,
        progressbar=False,
        **SAMPLER[sampler],
    )
    quality = study.truth["quality"].to_series()
    true_rank = quality.rank(ascending=False)
    table = be.rank(posterior, ci_prob=0.9).to_frame().set_index("system")
    quality, true_rank = quality[table.index], true_rank[table.index]
    return (
        ((table["quality_lower"] <= quality) & (quality <= table["quality_upper"])).to_numpy(),
        ((table["rank_lower"] <= true_rank) & (true_rank <= table["rank_upper"])).to_numpy(),
    )


def coverage(name: str, sampler: str, seeds: range) -> tuple[float, float]:
    qualities, ranks = zip(*(inside(name, sampler, seed) for seed in seeds), strict=True)
    return float(np.mean(qualities)), float(np.mean(ranks))


@pytest.mark.parametrize("sampler", SAMPLER)
@pytest.mark.parametrize("name", FAMILIES)
def test_intervals_of_a_dozen_boards_cover_the_truth(name: str, sampler: str) -> None:
    qualities, ranks = coverage(name, sampler, range(12))
    # 96 intervals of 90 %, correlated within a board: below .8 has a chance of about one in 200.
    assert qualities >= 0.8
    # A rank is a whole number, and its interval holds at least what it says.
    assert ranks >= 0.8


@pytest.mark.calibration
@pytest.mark.parametrize("sampler", SAMPLER)
@pytest.mark.parametrize("name", FAMILIES)
def test_intervals_of_two_hundred_boards_cover_the_truth(name: str, sampler: str) -> None:
    qualities, ranks = coverage(name, sampler, range(1000, 1200))
    assert 0.86 <= qualities <= 0.94, qualities
    assert ranks >= 0.88, ranks
