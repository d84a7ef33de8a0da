"""Print how often what is said of a posterior is so, over studies whose posterior is known.

Run ``python -m tests.benchmarks.posteriors [--write]``. Every probability that `rank`, `compare`
and their like give is held against how often it came true, every 95 % interval against how often it
holds the truth; posteriors are normal in closed form (`tests.benchmarks._posterior_cases`), so
that the functions are judged and no sampler. ``--write`` replaces the last part of the page that
`tests.benchmarks.classical` writes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.benchmarks._page import Table
from tests.benchmarks._posterior_cases import study
from tests.benchmarks.classical import OUTSIDE, PAGE, POSTERIORS, commit

N_STUDIES = 500
# Ranks are whole, and an interval of whole ranks holds at least what it promises.
WIDER = ("rank, rank",)


@dataclass(frozen=True)
class Probability:
    """Probabilities that were given of one kind of event, and whether it was so."""

    name: str
    given: np.ndarray
    so: np.ndarray

    @property
    def verdict(self) -> str:
        """Whether they are not calibrated: Spiegelhalter (1986), doi:10.1002/sim.4780050506."""
        from scipy.stats import norm

        p, y = self.given, self.so.astype(float)
        spread = float((((1 - 2 * p) ** 2) * p * (1 - p)).sum())
        score = float(((y - p) * (1 - 2 * p)).sum())
        # It is blind to a shift that is the same on both sides of one half.
        shift, width = float((y - p).sum()), float((p * (1 - p)).sum())
        limit = norm.isf(OUTSIDE)
        wrong = score**2 > limit**2 * spread or shift**2 > limit**2 * width
        return "not calibrated" if wrong else ""

    @property
    def row(self) -> tuple[str, ...]:
        """Return what the table shows."""
        sure = np.maximum(self.given, 1 - self.given) >= 0.95
        right = (self.given > 0.5) == self.so
        return (
            self.name,
            str(len(self.given)),
            f"{self.given.mean():.3f}",
            f"{self.so.mean():.3f}",
            str(int(sure.sum())),
            f"{right[sure].mean():.3f}" if sure.any() else "–",
            self.verdict,
        )


@dataclass(frozen=True)
class Interval:
    """How many 95 % intervals of one kind held the truth."""

    name: str
    held: int
    n: int

    @property
    def verdict(self) -> str:
        """Whether they hold it too seldom, or too often."""
        from scipy.stats import binom

        if binom.cdf(self.held, self.n, 0.95) < OUTSIDE:
            return "too narrow"
        if self.name not in WIDER and binom.sf(self.held - 1, self.n, 0.95) < OUTSIDE:
            return "too wide"
        return ""


def measure(n_studies: int, first_seed: int = 0) -> tuple[list[Probability], list[Interval]]:
    """Ask every function about one system and one pair of every study."""
    said: dict[str, list[tuple[float, bool]]] = {}
    held: dict[str, list[bool]] = {}
    for seed in range(first_seed, first_seed + n_studies):
        probabilities, intervals = study(seed)
        for name, one in probabilities.items():
            said.setdefault(name, []).append(one)
        for name, (low, high, truth) in intervals.items():
            held.setdefault(name, []).append(low <= truth <= high)
    return (
        [
            Probability(name, np.array([p for p, _ in each]), np.array([so for _, so in each]))
            for name, each in sorted(said.items())
        ],
        [Interval(name, sum(each), len(each)) for name, each in sorted(held.items())],
    )


ABOUT = """# How often what is said of a posterior is so

Measured on {date} by `python -m tests.benchmarks.posteriors --write` at commit {commit}, in one
run of {seconds:.0f} s of processor time, over {n} simulated studies: four systems with standard
normal qualities, of which measurements with noise are known, so that the posterior is normal in
closed form and {n_draws} draws of it need no sampler. Each study asks about one system and one
pair. The functions are judged here, not the families: those are in
`tests/calibration/test_simulated.py`.

*Mean*: of the probabilities given. *so*: how often it was so. *sure*: how many were .95 or more
for either side, and *right*: the share of these that came true. The last column names what a right
function has once in a thousand times (Spiegelhalter's test, and the sum). Intervals of ranks hold
at least .95, since ranks are whole. `intransitivity` (posterior predictive), `compare_models` and
`trueskill_ranking` (resampled) say nothing of that kind; `side_by_side` and `report` print what
`compare` and the classical tests give.

{probabilities}

{intervals}
"""


def text_of(
    probabilities: Sequence[Probability], intervals: Sequence[Interval], n: int, seconds: float
) -> str:
    """Write the part of the page."""
    from tests.benchmarks._posterior_cases import N_DRAWS

    header = ("probability", "of", "mean", "so", "sure", "right", "")
    rows = tuple(one.row for one in probabilities)
    held = tuple(
        (one.name, f"{one.held / one.n:.3f}", str(one.n), one.verdict) for one in intervals
    )
    return ABOUT.format(
        date=time.strftime("%-d %B %Y, %H:%M UTC", time.gmtime()),
        commit=commit(),
        seconds=seconds,
        n=f"{n:,}",
        n_draws=f"{N_DRAWS:,}",
        probabilities=Table("Probabilities", header, rows),
        intervals=Table("Intervals of a posterior", ("interval", "holds", "of", ""), held),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="write the part of the page too")
    parser.add_argument("--studies", type=int, default=N_STUDIES, help="number of studies")
    chosen = parser.parse_args(arguments)
    started = time.process_time()
    found = measure(chosen.studies)
    text = text_of(*found, chosen.studies, time.process_time() - started)
    print(text)
    if chosen.write:
        above = PAGE.read_text(encoding="utf-8").split(POSTERIORS)[0]
        PAGE.write_text(f"{above}{POSTERIORS}\n\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
