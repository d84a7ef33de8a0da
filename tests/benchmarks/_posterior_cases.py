"""Studies whose posterior is known in closed form, and what functions of a posterior say of each.

Systems' qualities are standard normal, and of each some measurements with normal noise are known:
the posterior is normal, and its draws need no sampler. Read by `tests.benchmarks.posteriors`.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import norm

from bayeseval.comparison import compare, compare_posteriors, elo, rank, variance_shares
from tests.fakes import FakeFamily, FakePosterior, make_posterior

SYSTEMS = ("A", "B", "C", "D")
# Variances of the means that are known: from a system that is well known to one that hardly is.
NOISE = np.array([0.1, 0.2, 0.5, 1.0])
ROPE = (0.4, 0.6)
POINTS = 400 / np.log(10)
N_DRAWS = 1000

type Said = dict[str, tuple[float, bool]]
"""By name, a probability that was given and whether what it is of was so."""
type Held = dict[str, tuple[float, float, float]]
"""By name, the ends of a 95 % interval and the truth."""


@dataclass(frozen=True)
class _Logit(FakePosterior):
    """A posterior whose qualities are log odds, as `elo` needs them."""

    declaration: ClassVar[Any] = SimpleNamespace(response=SimpleNamespace(link="logit"))


@dataclass(frozen=True)
class _Probit(FakeFamily):
    name: ClassVar[str] = "OrdinalProbit"


@dataclass(frozen=True)
class _Ratings(FakePosterior):
    """A posterior whose noise has variance 1, as `variance_shares` needs it."""

    family: FakeFamily = _Probit()
    declaration: ClassVar[Any] = SimpleNamespace(response=SimpleNamespace(link="probit"))


def posterior_of(quality: np.ndarray, seed: int, noise: np.ndarray = NOISE) -> FakePosterior:
    """Draw measurements of true qualities, and qualities from their posterior."""
    rng = np.random.default_rng([seed, 1])
    known = rng.normal(quality, np.sqrt(noise))
    return make_posterior(
        known / (1 + noise), np.sqrt(noise / (1 + noise)), systems=SYSTEMS,
        draws=N_DRAWS // 2, random_seed=seed,
    )  # fmt: skip


def _row(table: pd.DataFrame, **where: object) -> Any:
    for column, value in where.items():
        table = table[table[column] == value]
    return table.iloc[0]


def _ends(row: Any, prefix: str = "") -> tuple[float, float]:
    return float(row[f"{prefix}lower"]), float(row[f"{prefix}upper"])


def _ranked(posterior: Any, quality: np.ndarray, one: int) -> tuple[Said, Held]:
    found = rank(posterior, top=(2,)).parts[0]
    table, place = found.table, np.argsort(np.argsort(-quality)) + 1
    row = _row(table, system=SYSTEMS[one])
    order = [SYSTEMS.index(label) for label in table["system"]]
    first, second = order[:2]
    said: Said = {
        "rank, p_best": (float(row["p_best"]), bool(place[one] == 1)),
        "rank, p_top_2": (float(row["p_top_2"]), bool(place[one] <= 2)),
        "rank, p_better_than_next of the first": (
            float(table["p_better_than_next"].iloc[0]), bool(quality[first] > quality[second]),
        ),
    }  # fmt: skip
    tier = table["tier"].to_numpy()
    if tier[-1] > 1:
        lines = np.flatnonzero(np.diff(tier)) + 1
        true = quality[order]
        held = all(true[:k].min() > true[k:].max() for k in lines)
        said["rank, tiers_prob where there are tiers"] = (found.tiers_prob, bool(held))
    return said, {
        "rank, quality": (*_ends(row, "quality_"), float(quality[one])),
        "rank, rank": (*_ends(row, "rank_"), float(place[one])),
    }


def _compared(posterior: Any, quality: np.ndarray, one: int, other: int) -> tuple[Said, Held]:
    pair = (SYSTEMS[one], SYSTEMS[other])
    lead = float(quality[one] - quality[other])
    win = float(norm.cdf(lead / np.sqrt(2)))
    row = compare(posterior, [pair], rope=ROPE).table.iloc[0]
    by_quality = compare(posterior, [pair], quantity="quality").table.iloc[0]
    points = compare(posterior, [pair], quantity="expected_rating").table.iloc[0]
    expected = expected_points(quality)
    said: Said = {
        "compare, p_a_better": (float(row["p_a_better"]), lead > 0),
        "compare, p_in_rope": (float(row["p_in_rope"]), ROPE[0] <= win <= ROPE[1]),
        "compare, p_above_rope": (float(row["p_above_rope"]), win > ROPE[1]),
    }
    every = compare(posterior)
    # Of every pair the likelier side; the one pair stands for its sum.
    wrong = [
        quality[SYSTEMS.index(r["system_a"])] < quality[SYSTEMS.index(r["system_b"])]
        if r["p_a_better"] > 0.5
        else quality[SYSTEMS.index(r["system_a"])] > quality[SYSTEMS.index(r["system_b"])]
        for r in every.table.to_dict("records")
    ]
    chosen = int(np.random.default_rng(one + 10 * other).integers(len(wrong)))
    p = every.table["p_a_better"].iloc[chosen]
    said["compare, the likelier side is wrong"] = (float(min(p, 1 - p)), bool(wrong[chosen]))
    return said, {
        "compare, win_probability": (*_ends(row), win),
        "compare, quality": (*_ends(by_quality), lead),
        "compare, expected_rating": (*_ends(points), float(expected[one] - expected[other])),
    }


def expected_points(quality: np.ndarray) -> np.ndarray:
    """Return the expected rating of `FakePosterior`: five points, cuts from -1.5 to 1.5."""
    cuts = np.linspace(-1.5, 1.5, 4)
    return 1 + norm.sf(cuts - np.asarray(quality)[:, None]).sum(axis=1)


def _rated(posterior: FakePosterior, quality: np.ndarray, one: int, other: int) -> Held:
    logit = _Logit(posterior.variables)
    centred = _row(elo(logit).table, system=SYSTEMS[one])
    anchored = _row(elo(logit, anchor_system=SYSTEMS[other]).table, system=SYSTEMS[one])
    return {
        "elo": (*_ends(centred), 1000 + POINTS * float(quality[one] - quality.mean())),
        "elo, anchored": (*_ends(anchored), 1000 + POINTS * float(quality[one] - quality[other])),
    }


def _several(
    posterior: FakePosterior, quality: np.ndarray, seed: int, pair: tuple[int, int]
) -> tuple[Said, Held]:
    one, other = pair
    names = (SYSTEMS[one], SYSTEMS[other])
    second = posterior_of(quality, seed + 1_000_000, noise=NOISE[::-1])
    found = compare_posteriors({"first": posterior, "second": second}, pairs=[names]).table
    row = _row(found, posterior="second")
    lead = float(quality[one] - quality[other])
    said = {"compare_posteriors, p_better": (float(row["p_better"]), lead > 0)}
    win = float(norm.cdf(lead / np.sqrt(2)))
    return said, {"compare_posteriors, win": (*_ends(row, "posterior_"), win)}


def _shares(posterior: FakePosterior, quality: np.ndarray, seed: int) -> Held:
    """Give annotators a variance with an inverse-gamma(3, 1) prior, from eight that are known."""
    rng = np.random.default_rng([seed, 2])
    variance = 1 / rng.gamma(3)
    seen = rng.normal(0, np.sqrt(variance), 8)
    drawn = (1 + (seen**2).sum() / 2) / rng.gamma(3 + 4, size=(2, N_DRAWS // 2))
    sd = xr.DataArray(np.sqrt(drawn), dims=("chain", "draw"))
    found = variance_shares(_Ratings({**posterior.variables, "severity_sd": sd})).table
    systems = float(quality.var())
    total = systems + variance + 1
    return {
        f"variance_shares, {source}": (*_ends(_row(found, source=source)), part / total)
        for source, part in (("system", systems), ("annotator", variance), ("residual", 1.0))
    }


def study(seed: int) -> tuple[Said, Held]:
    """Draw true qualities and a posterior, and ask every function about one system and one pair."""
    quality = np.random.default_rng([seed, 0]).normal(size=len(SYSTEMS))
    posterior = posterior_of(quality, seed)
    one, other = seed % 4, (seed // 4 % 3 + 1 + seed) % 4
    said, held = _ranked(posterior, quality, one)
    for more_said, more_held in (
        _compared(posterior, quality, one, other),
        _several(posterior, quality, seed, (one, other)),
    ):
        said, held = said | more_said, held | more_held
    return said, held | _rated(posterior, quality, one, other) | _shares(posterior, quality, seed)
