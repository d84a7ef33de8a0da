"""Print what a million votes cost: reading, Laplace's approximation by stage, optionally NUTS.

Run ``python -m tests.benchmarks.pairwise [--nuts] [--quick]``. Everything stands in one process,
after a first small fit that compiles or loads the kernels. Nothing here is a test: on a busy
machine the seconds are wrong.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import pandas as pd

import bayeseval as be

SIZES = ((20, 10_000), (200, 1_000_000), (1000, 1_000_000))
QUICK = ((20, 10_000), (100, 100_000))


def votes(n_systems: int, n_votes: int, seed: int = 20260101) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw votes between random pairs by Davidson's model; return them and the true qualities."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n_systems)
    a = rng.integers(0, n_systems, n_votes)
    b = (a + rng.integers(1, n_systems, n_votes)) % n_systems
    difference = quality[a] - quality[b] + 0.1
    weights = np.stack([np.exp(difference / 2), np.exp(-difference / 2), np.full(n_votes, 0.6)])
    share = np.cumsum(weights / weights.sum(axis=0), axis=0)
    outcome = (rng.random(n_votes) > share[:2]).sum(axis=0)
    names = np.array([f"system {k + 1}" for k in range(n_systems)])
    frame = pd.DataFrame(
        {"a": names[a], "b": names[b], "outcome": np.array(["a", "b", "tie"])[outcome]}
    )
    return frame, quality - quality.mean()


def read(frame: pd.DataFrame) -> be.PairwiseJudgements:
    """Read the votes and count equal ones."""
    table = be.PairwiseJudgements.from_frame(
        frame, annotator=None, system_a="a", system_b="b", outcome="outcome", repeats=True
    )
    return be.to_counts(table)


def measure(n_systems: int, n_votes: int, *, nuts: bool) -> str:
    """Time one size; return a line of text."""
    frame, truth = votes(n_systems, n_votes)
    started = time.perf_counter()
    table = read(frame)
    is_read = time.perf_counter()
    posterior = be.fit(table, be.BradleyTerry(), method="laplace", random_seed=1)
    fitted = time.perf_counter()
    order = [int(label.split()[1]) - 1 for label in posterior.systems]
    means = posterior.quality.mean(("chain", "draw")).values
    seconds = posterior.settings.seconds
    stages = ", ".join(f"{name} {t:.2f}" for name, t in seconds.items())
    line = (
        f"{n_systems:5} systems, {n_votes:9,} votes, {table.n_rows:8,} counts: "
        f"read {is_read - started:.2f} s, fit {fitted - is_read:.2f} s ({stages}); "
        f"{posterior.approximate}; correlation with the truth "
        f"{np.corrcoef(means, truth[order])[0, 1]:.4f}"
    )
    if nuts:
        started = time.perf_counter()
        sampled = be.fit(table, be.BradleyTerry(), random_seed=1, progressbar=False)
        took = time.perf_counter() - started
        sd = sampled.quality.std(("chain", "draw")).values
        away = np.abs(sampled.quality.mean(("chain", "draw")).values - means) / sd
        ratio = posterior.quality.std(("chain", "draw")).values / sd
        line += (
            f"\n      NUTS {took:.1f} s, converged: {sampled.convergence.ok}; means differ by "
            f"at most {away.max():.2f} sd, sds by {ratio.min():.2f} to {ratio.max():.2f} times"
        )
    return line


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nuts", action="store_true", help="sample too, and compare")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    asked = parser.parse_args()
    be.fit(read(votes(4, 400)[0]), be.BradleyTerry(), method="laplace", random_seed=1)
    for n_systems, n_votes in QUICK if asked.quick else SIZES:
        sys.stdout.write(measure(n_systems, n_votes, nuts=asked.nuts) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
