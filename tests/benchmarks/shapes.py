"""Studies that are hard to sample: small ones, degenerate ones, the smallest of every option."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

import bayeseval as be
from bayeseval.families import Family
from bayeseval.judgements import Judgements
from bayeseval.simulate import (
    simulate_likert,
    simulate_magnitude,
    simulate_pairwise,
    simulate_spa,
    simulate_strength,
)


@dataclass(frozen=True)
class Shape:
    """A kind of study.

    Parameters
    ----------
    make
        The judgements of a seed.
    family
        What is fitted; None for the protocol's default.
    """

    make: Callable[[int], Judgements]
    family: Family | None = None


def _half_normal(rng: np.random.Generator, **scales: float) -> dict[str, Any]:
    return {name: abs(float(rng.normal(scale=scale))) for name, scale in scales.items()}


def likert_from_prior(seed: int) -> Judgements:
    """Eight annotators, three systems, four items, four categories; every sd from its prior."""
    rng = np.random.default_rng([seed, 77])
    sds = _half_normal(
        rng,
        quality_sd=1.0,
        severity_sd=1.0,
        difficulty_sd=1.0,
        interaction_sd=0.5,
        taste_sd=0.5,
        gap_sd=0.5,
    )
    return simulate_likert(
        n_annotators=8, n_systems=3, n_items=4, n_categories=4, random_seed=seed, **sds
    ).judgements


def magnitude_from_prior(seed: int) -> Judgements:
    """Six annotators, three systems, four items."""
    rng = np.random.default_rng([seed, 77])
    sds = _half_normal(rng, quality_sd=0.5, modulus_sd=0.5, difficulty_sd=0.5, spread_sd=0.5)
    return simulate_magnitude(
        n_annotators=6, n_systems=3, n_items=4, random_seed=seed, **sds
    ).judgements


def spa_from_prior(seed: int) -> Judgements:
    """Eight annotators, three systems, every pair in both directions."""
    rng = np.random.default_rng([seed, 77])
    sds = _half_normal(rng, quality_sd=1.0, pair_sd=0.3, extremity_sd=0.3, precision_sd=0.5)
    return simulate_spa(n_annotators=8, n_systems=3, random_seed=seed, **sds).judgements


def strength_from_prior(seed: int) -> Judgements:
    """Six annotators, three systems, four items, grades −3..3."""
    rng = np.random.default_rng([seed, 77])
    sds = _half_normal(
        rng, quality_sd=1.0, interaction_sd=0.5, taste_sd=0.5, scale_sd=0.3, gap_sd=0.5
    )
    return simulate_strength(
        n_annotators=6, n_systems=3, n_items=4, random_seed=seed, **sds
    ).judgements


def slider_from_prior(seed: int) -> Judgements:
    """Six annotators, three systems, four items, a slider."""
    rng = np.random.default_rng([seed, 77])
    sds = _half_normal(rng, quality_sd=1.0, interaction_sd=0.5, taste_sd=0.5, scale_sd=0.3)
    return simulate_strength(
        n_annotators=6,
        n_systems=3,
        n_items=4,
        response="ordered_beta",
        bound=100,
        random_seed=seed,
        **sds,
    ).judgements


def pairwise_from_prior(seed: int) -> Judgements:
    """Six annotators, three systems, four items, ties."""
    rng = np.random.default_rng([seed, 77])
    sds = _half_normal(rng, quality_sd=1.0, interaction_sd=0.5, taste_sd=0.5)
    return simulate_pairwise(
        n_annotators=6, n_systems=3, n_items=4, ties="davidson", random_seed=seed, **sds
    ).judgements


def one_pair_in_both_directions(seed: int) -> Judgements:
    """Twenty to twenty-five annotators state one probability both ways."""
    n = 20 + seed % 6
    return simulate_spa(n_annotators=n, n_systems=2, random_seed=seed).judgements


def everybody_alike(seed: int) -> Judgements:
    """Ten annotators give two systems on five items the same rating of five: 100 rows."""
    del seed
    rows = product(range(10), range(2), range(5))
    frame = pd.DataFrame(rows, columns=["annotator", "system", "item"]).astype(str)
    return be.LikertJudgements.from_frame(
        frame.assign(rating=4),
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        scale=(1, 5),
    )


def three_ratings(seed: int) -> Judgements:
    """Two systems and three ratings."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"annotator": ["u", "u", "v"], "system": ["A", "B", "A"], "rating": rng.integers(1, 6, 3)}
    )
    return be.LikertJudgements.from_frame(
        frame, annotator="annotator", system="system", rating="rating", scale=(1, 5)
    )


def votes_with_moderator(seed: int) -> Judgements:
    """Eight systems, forty people, four items, two levels, fourteen votes a pair."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(scale=0.8, size=8)
    rows = []
    for a, b in combinations(range(8), 2):
        for _ in range(14):
            x, y = (a, b) if rng.random() < 0.5 else (b, a)
            won = rng.random() < 1 / (1 + np.exp(quality[y] - quality[x]))
            rows.append((f"s{x}", f"s{y}", f"p{rng.integers(40)}", f"i{rng.integers(4)}", won))
    frame = pd.DataFrame(rows, columns=["a", "b", "person", "item", "won"])
    frame["domain"] = rng.choice(["x", "y"], len(frame))
    frame["outcome"] = np.where(frame["won"], "a", "b")
    return be.PairwiseJudgements.from_frame(
        frame,
        annotator="person",
        system_a="a",
        system_b="b",
        outcome="outcome",
        item="item",
        moderators=["domain"],
        repeats=True,
    )


def long_scale(seed: int) -> Judgements:
    """Eight systems on 101 points."""
    rng = np.random.default_rng(seed)
    rows = []
    severity, difficulty = rng.normal(scale=8, size=10), rng.normal(scale=6, size=6)
    quality = rng.normal(scale=8, size=8)
    for r, s, i in product(range(10), range(8), range(6)):
        value = 60 + quality[s] - severity[r] - difficulty[i] + rng.normal(scale=15)
        rows.append((f"r{r}", f"s{s}", f"i{i}", int(np.clip(round(value), 0, 100))))
    frame = pd.DataFrame(rows, columns=["annotator", "system", "item", "rating"])
    return be.LikertJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        scale=(0, 100),
    )


def _strengths(rows: list[tuple[str, str, str, int]]) -> Judgements:
    frame = pd.DataFrame(rows, columns=["annotator", "a", "b", "strength"])
    return be.StrengthJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="a",
        system_b="b",
        strength="strength",
        bounds=3,
        positive="a",
        repeats=True,
    )


def strengths_at_an_end(seed: int) -> Judgements:
    """Six annotators compare a pair, all at the end of −3..3."""
    del seed
    return _strengths([(f"u{k}", "A", "B", 3) for k in range(6)])


def strengths_at_both_ends(seed: int) -> Judgements:
    """Twelve judgements of three systems at ±3 in both directions."""
    del seed
    pairs = list(combinations("ABC", 2))
    rows = [(u, a, b, 3) for u in "xy" for a, b in pairs]
    return _strengths(rows + [(u, b, a, -3) for u, a, b, _ in rows])


SHAPES: dict[str, Shape] = {
    "Likert from the prior": Shape(likert_from_prior),
    "magnitudes from the prior": Shape(magnitude_from_prior),
    "SPA from the prior": Shape(spa_from_prior),
    "strengths from the prior": Shape(strength_from_prior),
    "slider from the prior": Shape(slider_from_prior),
    "votes from the prior": Shape(pairwise_from_prior),
    "SPA, one pair both ways": Shape(one_pair_in_both_directions),
    "everybody gives the same rating": Shape(everybody_alike),
    "two systems, three ratings": Shape(three_ratings),
    "votes with a moderator": Shape(votes_with_moderator),
    "strengths at one end": Shape(strengths_at_an_end),
    "strengths at both ends": Shape(strengths_at_both_ends),
    "101 points": Shape(long_scale),
}
