"""Examples of the family: everything that changes its density, once."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtri

from bayeseval.families import OrdinalProbit
from bayeseval.judgements import Judgements
from bayeseval.simulate import simulate_likert
from tests.families.answers import likert

ALL = {"difficulty": True, "interaction": True, "taste": True}
EXAMPLES: dict[str, tuple[Any, Callable[[], Judgements]]] = {
    "Ordinal probit": (OrdinalProbit(effects=ALL), likert),
    "Ordinal probit, free, discrimination": (OrdinalProbit(discrimination=True), likert),
    "Ordinal probit, scaled": (OrdinalProbit(thresholds="scaled"), likert),
    "Ordinal probit, shifted": (OrdinalProbit(thresholds="shifted"), likert),
    "Ordinal probit, common": (OrdinalProbit(thresholds="common", effects="none"), likert),
    "Ordinal probit, own prior": (OrdinalProbit(category_prior=[0.5, 1, 4, 4, 1]), likert),
    "Ordinal probit, two categories": (OrdinalProbit(), lambda: likert(2)),
    "Ordinal probit, three categories": (OrdinalProbit(), lambda: likert(3)),
    "Ordinal probit, long scale": (OrdinalProbit(), lambda: likert(20)),
    "Ordinal probit, long scale, own scales": (
        OrdinalProbit(
            mean_threshold_scale=1.7,
            width_centre=2.6,
            log_width_scale=0.75,
            smoothness_sd_scale=0.35,
        ),
        lambda: likert(13),
    ),
    "Ordinal probit, long scale, own prior": (
        OrdinalProbit(category_prior=1.5),
        lambda: likert(14),
    ),
    "Ordinal probit, criteria": (OrdinalProbit(), lambda: likert(criteria=True)),
    "Ordinal probit, long scale, criteria": (OrdinalProbit(), lambda: likert(15, criteria=True)),
    "Ordinal probit, moderator": (OrdinalProbit(), lambda: likert(moderator=True)),
    "Ordinal probit, moderator, criteria": (
        OrdinalProbit(discrimination=True),
        lambda: likert(criteria=True, moderator=True),
    ),
}


def rated(family: Any, seed: int) -> tuple[Judgements, dict[str, Any]]:
    """Return ratings drawn from the prior, and the truth by its names in the posterior."""
    rng = np.random.default_rng([seed, 77])
    names = ["quality", "severity", "gap", *(n for n, used in family.effects.items() if used)]
    names += ["discrimination"] if family.discrimination else []
    sds = {
        f"{name}_sd": float(abs(rng.normal(scale=getattr(family, f"{name}_sd_scale"))))
        for name in names
    }
    left_out: dict[str, Any] = {f"{n}_sd": 0.0 for n, used in family.effects.items() if not used}
    study = simulate_likert(
        n_annotators=8,
        n_systems=3,
        n_items=4,
        n_categories=4,
        n_repeats=2,
        thresholds=family.thresholds,
        population_thresholds=ndtri(np.cumsum(rng.dirichlet(np.full(4, 2.0)))[:-1]),
        random_seed=seed,
        **sds,
        **left_out,
    )
    effects = ("quality", "severity", "difficulty", "population_thresholds")
    return study.judgements, sds | {name: study.truth[name] for name in effects}


SIMULATED: dict[str, tuple[Any, Callable[[Any, int], tuple[Judgements, dict[str, Any]]]]] = {
    "Ordinal probit, free thresholds": (OrdinalProbit(effects=ALL), rated),
    "Ordinal probit, scaled thresholds": (
        OrdinalProbit(
            thresholds="scaled",
            discrimination=True,
            effects={"difficulty": True, "interaction": False, "taste": False},
        ),
        rated,
    ),
}
