"""The judgements that all contenders read, simulated anew by each run from one seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import bayeseval as be
from bayeseval.simulate import simulate_spa, simulate_strength
from tests.benchmarks._likert_gradient import CATEGORIES, SEED
from tests.benchmarks._peers.strength import BOUND

PAIRS_ASKED = 5


def likert(folder: Path, *, quick: bool) -> tuple[Path, str]:
    """Write ratings, those of the benchmark of the Likert model; return file and description."""
    n_annotators = 12 if quick else 90
    simulated = be.simulate_likert(
        n_annotators=n_annotators,
        n_systems=5,
        n_items=0,
        n_categories=CATEGORIES,
        thresholds="free",
        random_seed=SEED,
    )
    path = folder / "ratings.csv"
    frame = simulated.judgements.to_frame()
    frame.to_csv(path, index=False)
    about = f"{len(frame):,} ratings on {CATEGORIES} points"
    return path, f"{about}, {n_annotators} annotators, 5 systems"


def spa(folder: Path, *, quick: bool) -> tuple[Path, str]:
    """Write stated probabilities: every annotator was asked about five of the ten pairs."""
    n_annotators = 12 if quick else 90
    simulated = simulate_spa(
        n_annotators=n_annotators, n_systems=5, both_directions=False, random_seed=SEED
    )
    rng = np.random.default_rng(SEED)
    frame = simulated.judgements.to_frame()
    frame = frame.sample(frac=1.0, random_state=rng).groupby("annotator").head(PAIRS_ASKED)
    path = folder / "probabilities.csv"
    frame.to_csv(path, index=False)
    about = f"{len(frame):,} stated probabilities, {n_annotators} annotators × {PAIRS_ASKED} pairs"
    return path, f"{about} of 5 systems"


def strength(folder: Path, *, quick: bool) -> tuple[Path, str]:
    """Write strengths on a slider that is so long that no answer reaches an end."""
    n_annotators = 6 if quick else 28
    simulated = simulate_strength(
        n_annotators=n_annotators,
        n_systems=8,
        n_items=1,
        response="student_t",
        bound=BOUND,
        quality_sd=10.0,
        spread=6.0,
        side_bias=1.0,
        random_seed=SEED,
    )
    frame = simulated.judgements.to_frame()
    if (frame["strength"].abs() == BOUND).any():
        raise RuntimeError("an answer is at an end, where only bayeseval's model is censored")
    path = folder / "strengths.csv"
    frame.to_csv(path, index=False)
    return path, f"{len(frame):,} strengths, {n_annotators} annotators × 28 pairs of 8 systems"


def pairwise(folder: Path, *, quick: bool) -> tuple[Path, str]:
    """Write votes between random pairs by the Bradley-Terry model, no ties."""
    n_systems, n_votes = (20, 10_000) if quick else (200, 1_000_000)
    rng = np.random.default_rng(SEED)
    quality = rng.normal(size=n_systems)
    a = rng.integers(0, n_systems, n_votes)
    b = (a + rng.integers(1, n_systems, n_votes)) % n_systems
    first = rng.random(n_votes) < 1.0 / (1.0 + np.exp(quality[b] - quality[a]))
    names = np.array([f"system {k + 1}" for k in range(n_systems)])
    winner = np.where(first, "model_a", "model_b")
    frame = pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner})
    path = folder / "votes.parquet"
    frame.to_parquet(path, index=False)
    return path, f"{n_votes:,} votes over {n_systems} systems"
