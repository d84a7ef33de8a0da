"""Print how often the classical statistics are wrong, over simulated tables of every shape.

Run ``python -m tests.benchmarks.classical [--write]``. Of each statistic and shape of
`tests.tables`: the share of p < .05 where there is nothing to find, and how often a 95 % interval
holds the truth where there is. What looks too small or too narrow is asked again over four hundred
tables with seeds of their own. ``--only win_rates --tables 400 --first-seed 5000``
asks one statistic alone.
"""

from __future__ import annotations

import argparse
import subprocess
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bayeseval.errors import BayesEvalError
from tests import tables
from tests.benchmarks._classical_cases import CASES, EFFECT, WITHOUT_P
from tests.benchmarks._page import Table, machine, versions

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "classical.md"
# What comes after it is of `tests.benchmarks.posteriors`.
POSTERIORS = "<!-- posteriors -->"
COMMAND = "python -m tests.benchmarks.classical --write"
N_TABLES = 100
# A right statistic falls outside once in a thousand times, on either side.
OUTSIDE = 0.001
# One cell in twenty of a right statistic is outside this, and is asked again with other seeds.
DOUBTFUL = 0.05
N_AGAIN, SEED_AGAIN = 400, 1000


@dataclass(frozen=True)
class Found:
    """What came of the tables of one case and shape; shares are of those with an answer."""

    name: str
    shape: tables.Shape
    null: tuple[int, int]
    covered: tuple[int, int]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What is not as promised."""
        return self._outside(OUTSIDE)

    @property
    def doubtful(self) -> bool:
        """Whether p is too small or an interval too narrow, as once in twenty by chance."""
        return bool({"rejects too often", "too narrow"} & set(self._outside(DOUBTFUL)))

    def _outside(self, tail: float) -> tuple[str, ...]:
        from scipy.stats import binom

        found = []
        for (times, n), share, high, low in (
            (self.null, 0.05, "rejects too often", "rejects too seldom"),
            (self.covered, 0.95, "too wide", "too narrow"),
        ):
            if n and binom.sf(times - 1, n, share) < tail:
                found.append(high)
            if n and binom.cdf(times, n, share) < tail:
                found.append(low)
        return tuple(found)


def measure(name: str, shape: tables.Shape, n_tables: int = N_TABLES, first_seed: int = 0) -> Found:
    """Ask one case over tables without the effect, and over as many with it."""
    case = CASES[name]
    null, covered = np.zeros(2, int), np.zeros(2, int)
    truth = case.truth()
    effects = (EFFECT,) if name in WITHOUT_P else (0.0, EFFECT)
    seeds = range(first_seed, first_seed + n_tables)
    for seed, effect in ((s, e) for s in seeds for e in effects):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                p, low, high = case.ask(case.make(shape, seed, effect))
        except (BayesEvalError, IndexError):
            continue
        if effect == 0 and np.isfinite(p):
            null += p < 0.05, 1
        if effect > 0 and np.isfinite(low):
            covered += low <= truth <= high, 1
    return Found(name, shape, tuple(null.tolist()), tuple(covered.tolist()))


def _share(found: tuple[int, int]) -> str:
    return f"{found[0] / found[1]:.3f}" if found[1] else "–"


def _table(title: str, found: Sequence[Found]) -> Table:
    rows = tuple(
        (
            one.name,
            one.shape,
            _share(one.null),
            str(one.null[1]) if one.null[1] else "–",
            _share(one.covered),
            str(one.covered[1]),
            "; ".join(one.verdicts),
        )
        for one in found
    )
    return Table(title, ("statistic", "tables", "p < .05", "of", "interval holds", "of", ""), rows)


def text_of(found: Sequence[Found], again: Sequence[Found]) -> str:
    """Write the page."""
    return ABOUT.format(
        date=time.strftime("%-d %B %Y, %H:%M UTC", time.gmtime()),
        command=COMMAND,
        machine=machine(versions(("bayeseval", "numpy", "scipy", "pandas"))),
        n=N_TABLES,
        n_again=N_AGAIN,
        seed_again=f"{SEED_AGAIN:,}",
        commit=commit(),
        table=_table("Every statistic and shape", found),
        again=_table("Asked again", again),
    )


ABOUT = """# How often the classical statistics are wrong

Measured on {date} by `{command}` at commit {commit}, {n} tables of each kind.
{machine}

Tables are those of `tests/tables.py`: 12 annotators, 3 systems (or pairs of them) and 4 items;
complete; ragged (three in ten judgements missing); nested (each item belongs to one system);
between (each annotator judges one system); tiny (two systems, three annotators, one item). *p <
.05*: share of tables without any difference in which p is below .05; wanted .05. *Interval
holds*: share of tables with a difference of half a standard deviation (for agreement: units that
differ as much as answers to one unit) in which the 95 % interval holds the truth; wanted .95.
*of*: tables with an answer. The last column names shares that a right statistic has once in a
thousand times. bootstrap_ranking's p is doubled, being one-sided; tukey's is the smallest of all
pairs, and its interval holds where those of all pairs do.

No p is too small and no interval too narrow by that bound. Shares that a right statistic has once
in twenty times were asked again, over {n_again} tables with seeds from {seed_again} on: the second
table. What this rests on, and what it leaves:

- `krippendorff_alpha`, `cohen_kappa`, `icc`: where one item is judged of every system (complete,
  ragged, between) four items are independent, not twelve units, and intervals are over items.
- `icc`, forms 2 and 3: no answer counts where slots stand for annotators (ragged, between), as
  they then depend on which judgement is called the first.
- `bootstrap_ranking`: of four items or three annotators it takes Student's t with the bootstrap's
  standard error; its p is not below 2^−n of n units, so that of four it never rejects. Where
  items or annotators are one system's own its intervals hold the truth in .98 and more.
- `rating_means`, `tukey`, `criteria_correlation` row by row, and `win_rates` and `bradley_terry_ml`
  of fewer than five annotators take judgements as independent, as they say. Their tables here have
  annotators who do not differ; of such as do, their intervals are too narrow.
- `friedman` has no annotator who judged every system where tables are between or tiny.
- An interval that takes items as drawn speaks of items like these; with fewer than three it is of
  these alone, and a note says so.

{table}

{again}
"""


def commit() -> str:
    """Return the commit that is measured."""
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.strip()


def every() -> list[tuple[str, tables.Shape]]:
    """List the cases and their shapes."""
    return [(name, shape) for name, case in CASES.items() for shape in case.shapes]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)} too")
    parser.add_argument("--tables", type=int, default=N_TABLES, help="tables of each kind")
    parser.add_argument("--first-seed", type=int, default=0, help="seed of the first table")
    parser.add_argument("--only", nargs="+", help="statistics whose name begins like this")
    chosen = parser.parse_args(arguments)
    found, again = [], []
    for name, shape in every():
        if chosen.only and not name.startswith(tuple(chosen.only)):
            continue
        found.append(measure(name, shape, chosen.tables, chosen.first_seed))
        print(found[-1], found[-1].verdicts, flush=True)
        if found[-1].doubtful:
            again.append(measure(name, shape, N_AGAIN, SEED_AGAIN))
            print("again", again[-1], again[-1].verdicts, flush=True)
    text = text_of(found, again)
    print(text)
    if chosen.write:
        _, mark, below = PAGE.read_text(encoding="utf-8").partition(POSTERIORS)
        PAGE.write_text(f"{text}\n{mark}{below}" if mark else text, encoding="utf-8")


if __name__ == "__main__":
    main()
