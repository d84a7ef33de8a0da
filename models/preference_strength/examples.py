"""Examples of the family: everything that changes its density, once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayeseval.families import PreferenceStrength
from bayeseval.judgements import Judgements
from bayeseval.simulate import simulate_strength
from tests.families.answers import strength
from tests.families.studies import prior_draw

PRIORS: dict[str, Any] = {
    "resolution": 0.05,
    "quality_sd_scale": 0.6,
    "interaction_sd_scale": 0.9,
    "taste_sd_scale": 0.3,
    "log_scale_sd_scale": 0.7,
    "log_gap_sd_scale": 0.2,
    "log_precision_sd_scale": 0.25,
    "log_spread_sd_scale": 0.35,
    "side_bias_scale": 1.5,
    "width_centre": 0.8,
    "log_width_scale": 0.65,
    "end_a": 2.0,
    "end_b": 5.0,
    "middle_a": 3.0,
    "middle_b": 7.0,
    "precision_centre": 8.0,
    "log_precision_scale": 0.55,
    "spread_centre": 0.9,
    "log_spread_scale": 0.45,
    "degrees_shape": 3.0,
    "degrees_rate": 0.3,
}

EXAMPLES: dict[str, tuple[Any, Callable[[], Judgements]]] = {
    "strength, graded": (PreferenceStrength(), strength),
    "strength, three grades": (PreferenceStrength(), lambda: strength("three")),
    "strength, graded, free": (
        PreferenceStrength(thresholds="free", **PRIORS),
        strength,
    ),
    "strength, slider": (
        PreferenceStrength(response="ordered_beta"),
        lambda: strength("slider"),
    ),
    "strength, slider, own priors": (
        PreferenceStrength(response="ordered_beta", **PRIORS),
        lambda: strength("slider", moderator=True, criteria=True),
    ),
    "strength, points": (
        PreferenceStrength(response="student_t"),
        lambda: strength("slider"),
    ),
    "strength, points, own priors": (
        PreferenceStrength(response="student_t", **PRIORS),
        lambda: strength("slider", criteria=True),
    ),
}


def compared(family: Any, seed: int) -> tuple[Judgements, dict[str, Any]]:
    """Return strengths in points drawn from the prior, and the truth by its posterior names."""

    def simulated(**parameters: Any) -> Any:
        return simulate_strength(
            n_annotators=6,
            n_systems=4,
            n_items=4,
            response="student_t",
            bound=50,
            scale_sd=0.0,
            random_seed=seed,
            **parameters,
        )

    drawn = prior_draw(family, simulated().judgements, seed)
    names = ("quality_sd", "interaction_sd", "taste_sd", "side_bias", "degrees_of_freedom")
    study = simulated(
        spread=np.exp(drawn["log_spread_mean"]), **{name: drawn[name] for name in names}
    )
    return study.judgements, drawn | {"quality": study.truth["quality"]}


SIMULATED: dict[str, tuple[Any, Callable[[Any, int], tuple[Judgements, dict[str, Any]]]]] = {
    # Annotators' own effects sum to zero in the model, simulated ones do not.
    "strength in points": (
        PreferenceStrength(
            response="student_t",
            resolution=0.0,
            effects={
                "interaction": True,
                "taste": True,
                "side_bias": True,
                "log_scale": False,
                "log_spread": False,
            },
        ),
        compared,
    ),
}
