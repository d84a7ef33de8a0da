"""The smallest complete design of every family and option: two annotators, systems and items."""

from collections.abc import Callable
from typing import Any

import pandas as pd

import bayeseval as be
from bayeseval.families import Family
from bayeseval.judgements import Judgements
from tests.benchmarks.shapes import Shape

_SIZE: dict[str, Any] = {"n_annotators": 2, "n_systems": 2, "n_items": 2}


def likert(seed: int, n_categories: int = 5) -> be.LikertJudgements:
    """Eight ratings."""
    return be.simulate_likert(**_SIZE, n_categories=n_categories, random_seed=seed).judgements


def magnitudes(seed: int) -> be.MagnitudeJudgements:
    """Eight magnitudes."""
    return be.simulate_magnitude(**_SIZE, random_seed=seed).judgements


def stated(seed: int) -> be.SPAJudgements:
    """Eight probabilities: every pair in both directions."""
    return be.simulate_spa(**_SIZE, random_seed=seed).judgements


def votes(seed: int, ties: Any = "davidson") -> be.PairwiseJudgements:
    """Four comparisons."""
    found = be.simulate_pairwise(**_SIZE, ties=ties, random_seed=seed)
    return found.judgements


def grades(seed: int) -> be.StrengthJudgements:
    """Four comparisons with grades −3..3."""
    return be.simulate_strength(**_SIZE, random_seed=seed).judgements


def slider(seed: int) -> be.StrengthJudgements:
    """Four positions of a slider."""
    return be.simulate_strength(
        **_SIZE, response="ordered_beta", bound=100, random_seed=seed
    ).judgements


def two_criteria(seed: int) -> Judgements:
    """Sixteen ratings."""
    frames = [
        likert(2 * seed + k).to_frame().assign(criterion=name)
        for k, name in enumerate(("fluent", "true"))
    ]
    return be.LikertJudgements.from_frame(
        pd.concat(frames),
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        criterion="criterion",
        scale=(1, 5),
    )


_LISTED: list[tuple[str, Callable[[int], Judgements], Family]] = [
    ("free thresholds", likert, be.OrdinalProbit()),
    ("scaled thresholds", likert, be.OrdinalProbit(thresholds="scaled")),
    ("shifted thresholds", likert, be.OrdinalProbit(thresholds="shifted")),
    ("common thresholds", likert, be.OrdinalProbit(thresholds="common")),
    ("discrimination", likert, be.OrdinalProbit(discrimination=True)),
    ("yes and no", lambda seed: likert(seed, 2), be.OrdinalProbit()),
    ("101 points", lambda seed: likert(seed, 101), be.OrdinalProbit()),
    ("two criteria", two_criteria, be.OrdinalProbit()),
    ("correlated criteria", two_criteria, be.OrdinalProbit(criteria="correlated")),
    ("sides and ratios", magnitudes, be.LogMagnitude()),
    ("ratios only", magnitudes, be.LogMagnitude(ties=False)),
    ("log scales", magnitudes, be.LogMagnitude(effects={"log_scale": True})),
    ("qualities", stated, be.OrderedBeta()),
    ("pairs", stated, be.OrderedBeta(structure="pairs")),
    ("Davidson's ties", votes, be.BradleyTerry()),
    ("Rao and Kupper's ties", votes, be.BradleyTerry(ties="rao_kupper")),
    ("no ties", lambda seed: votes(seed, "none"), be.BradleyTerry()),
    ("consistency", votes, be.BradleyTerry(annotators="consistency")),
    ("position by annotator", votes, be.BradleyTerry(annotators="position", position=True)),
    ("ties", votes, be.Thurstone()),
    ("symmetric grades", grades, be.PreferenceStrength()),
    ("free grades", grades, be.PreferenceStrength(thresholds="free")),
    ("slider", slider, be.PreferenceStrength()),
    ("points", slider, be.PreferenceStrength(response="student_t")),
]
SMALLEST: dict[str, Shape] = {
    f"{family.name}: {option}": Shape(make, family) for option, make, family in _LISTED
}
