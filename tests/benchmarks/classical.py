"""Print how often the classical statistics are wrong, over simulated tables of every shape.

Run ``python -m tests.benchmarks.classical [--write]``. Of each statistic and shape of
`tests.tables`: the share of p < .05 where there is nothing to find, and how often a 95 % interval
holds the truth where there is. The truth is computed here, apart from the package.
"""

from __future__ import annotations

import argparse
import subprocess
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bayeseval import agreement, frequentist
from bayeseval.errors import BayesEvalError
from bayeseval.judgements import PairwiseJudgements
from tests import tables
from tests.benchmarks._page import Table, machine, versions

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "classical.md"
COMMAND = "python -m tests.benchmarks.classical --write"
SHAPES: tuple[tables.Shape, ...] = ("complete", "ragged", "nested", "between", "tiny")
N_TABLES = 100
EFFECT = 0.5
STEPS = 10  # Half a unit is 5 of the 100 points of `tables.likert`.
# A right statistic falls outside once in a thousand times, on either side.
OUTSIDE = 0.001

type Answer = tuple[float, float, float]
"""p (NaN where the statistic has none), and the ends of the interval."""


@dataclass(frozen=True)
class Case:
    """A statistic, the tables it is asked about, and the truth that it estimates.

    Parameters
    ----------
    make : callable
        Tables of a shape, a seed and an effect.
    ask : callable
        p, and the ends of the interval.
    truth : callable
        What is estimated where the effect is `EFFECT`.
    """

    make: Callable[[tables.Shape, int, float], Any]
    ask: Callable[[Any], Answer]
    truth: Callable[[], float]


def _row(table: Any, **where: object) -> Any:
    for column, value in where.items():
        table = table[table[column] == value]
    return table.iloc[0]


def _answer(row: Any, *, turned: bool = False) -> Answer:
    p = float(row["p"]) if "p" in row else np.nan
    low, high = float(row["lower"]), float(row["upper"])
    return (p, -high, -low) if turned else (p, low, high)


def _a_over_b(table: Any) -> Answer:
    """Return the row of A and B, whichever of them stands first, as A minus B."""
    turned = not ((table["system_a"] == "A") & (table["system_b"] == "B")).any()
    one, two = ("B", "A") if turned else ("A", "B")
    return _answer(_row(table, system_a=one, system_b=two), turned=turned)


def _bootstrap(judgements: Any, resample: Any = None) -> Answer:
    found = frequentist.bootstrap_ranking(
        judgements, resample=resample, n_resamples=400, random_seed=1
    )
    p, low, high = _a_over_b(found.pairs)
    # One-sided, of the better one against the other: two sides for the comparison with the others.
    return 2 * p, low, high


@cache
def _chances(sd_annotator: float) -> tuple[float, float]:
    """Return P(A wins) and P(tie) against a system without the effect (`tables.pairwise`)."""
    from scipy.stats import norm

    sd = float(np.hypot(1.0, sd_annotator))
    win, loss = norm.sf((0.3 - EFFECT) / sd), norm.cdf((-0.3 - EFFECT) / sd)
    return float(win), float(1 - win - loss)


@cache
def _worth(sd_annotator: float) -> float:
    """Return A − B of the Bradley–Terry model nearest to the truth: fitted to exact shares."""
    (win, tie), (equal_win, equal_tie) = _chances(sd_annotator), _equal(sd_annotator)
    pairs = [("A", "B", win, tie), ("A", "C", win, tie), ("B", "C", equal_win, equal_tie)]
    counts = np.array([(w, 1 - w - t, t) for _, _, w, t in pairs])
    frame = {
        "a": [a for a, *_ in pairs],
        "b": [b for _, b, *_ in pairs],
        **{name: np.round(1e7 * counts[:, k]).astype(int) for k, name in enumerate("wlt")},
    }
    import pandas as pd

    table = PairwiseJudgements.from_counts(
        pd.DataFrame(frame), system_a="a", system_b="b", wins="w", losses="l", ties="t"
    )
    worth = frequentist.bradley_terry_ml(table, errors="model").log_worth
    return float(worth["A"] - worth["B"])


def _equal(sd_annotator: float) -> tuple[float, float]:
    from scipy.stats import norm

    win = float(norm.sf(0.3 / np.hypot(1.0, sd_annotator)))
    return win, 1 - 2 * win


@cache
def _mean_probability() -> float:
    """Return the mean of a logistic of N(effect, 1 + sd²): `tables.spa` with its own sd of .5."""
    point, weight = np.polynomial.hermite_e.hermegauss(60)
    latent = EFFECT + np.hypot(1.0, 0.5) * point
    return float(weight @ (1 / (1 + np.exp(-latent))) / weight.sum())


@cache
def _kappa() -> float:
    """Return kappa of two annotators over a million units (`tables.likert`, 5 points)."""
    rng = np.random.default_rng(0)
    latent = rng.normal(0, 2.0, 1_000_000) + rng.normal(0, 1, (2, 1_000_000))
    one, two = np.clip(np.round(3 + latent / 2), 1, 5).astype(int)
    share = np.stack([np.bincount(each, minlength=6) for each in (one, two)]) / len(one)
    chance = float(share[0] @ share[1])
    return (float(np.mean(one == two)) - chance) / (1 - chance)


def _likert(sd_annotator: float, sd_item: float = 0.0, points: int = 100) -> Any:
    def make(shape: tables.Shape, seed: int, effect: float) -> Any:
        return tables.likert(
            shape, seed, effect=effect, sd_annotator=sd_annotator, sd_item=sd_item, points=points
        )

    return make


def _items(sd_annotator: float, points: int = 100, sd_item: float = 1.0) -> Any:
    """Return ratings of units that differ where there is an effect, and otherwise do not."""

    def make(shape: tables.Shape, seed: int, effect: float) -> Any:
        return tables.likert(
            shape, seed, sd_annotator=sd_annotator, sd_item=sd_item * (effect > 0), points=points
        )

    return make


def _pairs(make: Any, **settings: float) -> Any:
    return lambda shape, seed, effect: make(shape, seed, effect=effect, **settings)


def _two(judgements: Any) -> Any:
    """Keep the first two annotators."""
    return judgements.keep_rows(judgements.codes("annotator") < 2, rule="two annotators")


def _icc(form: str) -> Callable[[Any], Answer]:
    """Ask for a form where it does not depend on which annotator is called the first."""
    return lambda t: _answer(_row(agreement.icc(t).table, form=form, order_free=True))


def _contrast(judgements: Any) -> Answer:
    return _a_over_b(frequentist.bradley_terry_ml(judgements).contrasts([("A", "B")]).table)


CASES: dict[str, Case] = {
    "krippendorff_alpha": Case(
        _items(0.0),
        lambda t: _answer(
            agreement.krippendorff_alpha(
                t, level="interval", n_resamples=200, random_seed=1
            ).table.iloc[0]
        ),
        lambda: 0.5,
    ),
    "cohen_kappa": Case(
        _items(0.0, points=5, sd_item=2.0),
        lambda t: _answer(agreement.cohen_kappa(_two(t)).table.iloc[0]),
        _kappa,
    ),
    "icc, ICC(1,1)": Case(_items(0.0), _icc("ICC(1,1)"), lambda: 0.5),
    "icc, ICC(2,1)": Case(_items(0.8), _icc("ICC(2,1)"), lambda: 1 / (1 + 0.64 + 1)),
    "icc, ICC(3,1)": Case(_items(0.8), _icc("ICC(3,1)"), lambda: 0.5),
    "rating_means": Case(
        _likert(0.0),
        lambda t: _answer(_row(frequentist.rating_means(t).table, system="A")),
        lambda: 50.5 + STEPS * EFFECT,
    ),
    "rating_tests": Case(
        _likert(0.8, 0.5),
        lambda t: _a_over_b(frequentist.rating_tests(t).table),
        lambda: STEPS * EFFECT,
    ),
    "rating_tests, by annotator": Case(
        _likert(0.8),
        lambda t: _a_over_b(frequentist.rating_tests(t, pair_by="annotator").table),
        lambda: STEPS * EFFECT,
    ),
    "bootstrap_ranking": Case(_likert(0.8, 0.5), _bootstrap, lambda: STEPS * EFFECT),
    "bootstrap_ranking, annotators": Case(
        _likert(0.8),
        lambda t: _bootstrap(t, "annotator"),
        lambda: STEPS * EFFECT,
    ),
    "win_rates": Case(
        _pairs(tables.pairwise),
        lambda t: _answer(_row(frequentist.win_rates(t).table, system="A")),
        lambda: sum(_chances(0.0)) - _chances(0.0)[1] / 2,
    ),
    "bradley_terry_ml": Case(_pairs(tables.pairwise), _contrast, lambda: _worth(0.0)),
    "bradley_terry_ml, annotators differ": Case(
        _pairs(tables.pairwise, sd_annotator=0.5), _contrast, lambda: _worth(0.5)
    ),
    "spa_test": Case(
        _pairs(tables.spa),
        lambda t: _pooled(frequentist.spa_test(t, directions="pooled").table),
        _mean_probability,
    ),
    "strength_test": Case(
        _pairs(tables.strength),
        lambda t: _a_over_b(frequentist.strength_test(t).table),
        lambda: STEPS * EFFECT,
    ),
}

WITHOUT_P = ("krippendorff_alpha", "cohen_kappa", "rating_means")


def _pooled(table: Any) -> Answer:
    turned = not ((table["system_a"] == "A") & (table["system_b"] == "B")).any()
    p, low, high = _a_over_b(table)
    # Turned probabilities are 1 − P, not −P.
    return (p, 1 + low, 1 + high) if turned else (p, low, high)


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
        from scipy.stats import binom

        found = []
        for (times, n), share, high, low in (
            (self.null, 0.05, "rejects too often", "rejects too seldom"),
            (self.covered, 0.95, "too wide", "too narrow"),
        ):
            if n and times > binom.ppf(1 - OUTSIDE, n, share):
                found.append(high)
            if n and times < binom.ppf(OUTSIDE, n, share):
                found.append(low)
        return tuple(found)


def measure(name: str, shape: tables.Shape, n_tables: int = N_TABLES) -> Found:
    """Ask one case over tables without the effect, and over as many with it."""
    case = CASES[name]
    null, covered = np.zeros(2, int), np.zeros(2, int)
    truth = case.truth()
    effects = (EFFECT,) if name in WITHOUT_P else (0.0, EFFECT)
    for seed, effect in ((s, e) for s in range(n_tables) for e in effects):
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


def text_of(found: Sequence[Found], seconds: float) -> str:
    """Write the page."""
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
    header = ("statistic", "tables", "p < .05", "of", "interval holds", "of", "")
    return ABOUT.format(
        date=time.strftime("%-d %B %Y, %H:%M UTC", time.gmtime()),
        command=COMMAND,
        machine=machine(versions(("bayeseval", "numpy", "scipy", "pandas"))),
        seconds=seconds,
        n=N_TABLES,
        commit=commit(),
        table=Table("Every statistic and shape", header, rows),
    )


ABOUT = """# How often the classical statistics are wrong

Measured on {date} by `{command}` at commit {commit}, in one run of {seconds:.0f} s of processor
time, {n} tables of each kind. {machine}

Tables are those of `tests/tables.py`: 12 annotators, 3 systems (or pairs of them) and 4 items;
complete; ragged (three in ten judgements missing); nested (each item belongs to one system);
between (each annotator judges one system); tiny (two systems, three annotators, one item). *p <
.05*: share of tables without any difference in which p is below .05; wanted .05. *Interval
holds*: share of tables with a difference of half a standard deviation (for agreement: units that
differ as much as answers to one unit) in which the 95 % interval holds the truth; wanted .95.
*of*: tables with an answer. The last column names shares that a right statistic has once in a
thousand times. bootstrap_ranking's p is doubled, being one-sided.

No p is too small and no interval too narrow by that bound. What this rests on, and what it leaves:

- `krippendorff_alpha`, `cohen_kappa`, `icc`: where one item is judged of every system (complete,
  ragged, between) four items are independent, not twelve units, and intervals are over items.
- `icc`, forms 2 and 3: no answer counts where slots stand for annotators (ragged, between), as
  they then depend on which judgement is called the first.
- `bootstrap_ranking`: of four items or three annotators it takes Student's t with the bootstrap's
  standard error; its p is not below 2^−n of n units, so that of four it never rejects.
- An interval that takes items as drawn speaks of items like these; with fewer than three it is of
  these alone, and a note says so.

{table}
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
    return [
        (name, shape)
        for name in CASES
        for shape in SHAPES
        # Agreement on one item says nothing.
        if not (shape == "tiny" and name in WITHOUT_P[:2])
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)} too")
    parser.add_argument("--tables", type=int, default=N_TABLES, help="tables of each kind")
    chosen = parser.parse_args(arguments)
    started = time.process_time()
    found = []
    for name, shape in every():
        found.append(measure(name, shape, chosen.tables))
        print(found[-1], found[-1].verdicts, flush=True)
    text = text_of(found, time.process_time() - started)
    print(text)
    if chosen.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
