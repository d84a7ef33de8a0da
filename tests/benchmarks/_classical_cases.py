"""The classical statistics that are asked over simulated tables, with the truth of each.

The truth is computed here, apart from the package. Read by `tests.benchmarks.classical`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from bayeseval import agreement, frequentist
from bayeseval.judgements import LikertJudgements, PairwiseJudgements
from tests import tables

EFFECT = 0.5
STEPS = 10  # Half a unit is 5 of the 100 points of `tables.likert`.

SHAPES: tuple[tables.Shape, ...] = ("complete", "ragged", "nested", "between", "tiny")

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
    shapes : tuple of str
        The shapes that are asked.
    """

    make: Callable[[tables.Shape, int, float], Any]
    ask: Callable[[Any], Answer]
    truth: Callable[[], float]
    shapes: tuple[tables.Shape, ...] = SHAPES


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


def _nothing() -> float:
    """Stand for the truth of a test without an interval."""
    return float("nan")


def _p(table: Any, column: str) -> Answer:
    return float(table[column].iloc[0]), np.nan, np.nan


def _family(table: Any) -> Answer:
    """Return the smallest p of all pairs, and where in A − B the intervals of all pairs hold."""
    pairs = list(zip(table["system_a"], table["system_b"], strict=True))
    # B − C is 0, as far from its own truth as A − B and A − C are from theirs.
    shift = np.array([STEPS * EFFECT * (pair == ("B", "C")) for pair in pairs])
    low, high = (table["lower"] + shift).max(), (table["upper"] + shift).min()
    return float(table["p_corrected"].min()), float(low), float(high)


def _two_criteria(shape: tables.Shape, seed: int, effect: float) -> Any:
    """Return the design of `tables.likert` with two criteria that correlate by `effect`."""
    frame = tables.likert(shape, seed).to_frame()
    rng = np.random.default_rng([seed, 1])
    drawn = rng.multivariate_normal([0, 0], [[1, effect], [effect, 1]], size=len(frame))
    both = [
        frame.assign(criterion=name, rating=np.clip(np.round(50 + 10 * drawn[:, k]), 1, 100))
        for k, name in enumerate(("x", "y"))
    ]
    return LikertJudgements.from_frame(
        pd.concat(both), annotator="annotator", item="item", system="system", rating="rating",
        criterion="criterion", scale=(1, 100),
    )  # fmt: skip


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
        shapes=SHAPES[:-1],
    ),
    "cohen_kappa": Case(
        _items(0.0, points=5, sd_item=2.0),
        lambda t: _answer(agreement.cohen_kappa(_two(t)).table.iloc[0]),
        _kappa,
        shapes=SHAPES[:-1],
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
    "mixed_model": Case(
        _likert(0.8),
        lambda t: _a_over_b(frequentist.mixed_model(t).table),
        lambda: STEPS * EFFECT,
    ),
    "anova, within annotators": Case(
        _likert(0.8), lambda t: _p(frequentist.anova(t, within="annotator").table, "p"), _nothing
    ),
    "friedman": Case(
        _likert(0.8),
        lambda t: _p(frequentist.friedman(t, incomplete="drop").table, "p"),
        _nothing,
    ),
    "tukey": Case(
        _likert(0.0),
        lambda t: _family(frequentist.tukey(t).table),
        lambda: STEPS * EFFECT,
        # The studentised range is slow, and knows numbers of answers alone.
        shapes=("ragged",),
    ),
    "criteria_correlation, pearson": Case(
        _two_criteria,
        lambda t: _answer(agreement.criteria_correlation(t, method="pearson").table.iloc[0]),
        lambda: EFFECT,
    ),
    "criteria_correlation, spearman": Case(
        _two_criteria,
        lambda t: _answer(agreement.criteria_correlation(t).table.iloc[0]),
        # Of a bivariate normal with this correlation.
        lambda: 6 / np.pi * float(np.arcsin(EFFECT / 2)),
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
    "win_rates, annotators differ": Case(
        _pairs(tables.pairwise, sd_annotator=0.5),
        lambda t: _answer(_row(frequentist.win_rates(t).table, system="A")),
        lambda: sum(_chances(0.5)) - _chances(0.5)[1] / 2,
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
