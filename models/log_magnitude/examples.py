"""Examples of the family: everything that changes its density, once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayeseval.families import LogMagnitude
from bayeseval.judgements import Judgements
from bayeseval.simulate import simulate_magnitude
from tests.families.answers import magnitude
from tests.families.studies import prior_draw

PRIORS: dict[str, Any] = {
    "resolution": 0.05,
    "quality_sd_scale": 0.6,
    "difficulty_sd_scale": 0.8,
    "interaction_sd_scale": 0.9,
    "taste_sd_scale": 0.3,
    "effect_sd_scale": 0.7,
    "deviation_sd_scale": 0.4,
    "severity_sd_scale": 0.85,
    "modulus_sd_scale": 0.45,
    "log_spread_sd_scale": 0.35,
    "tie_band_sd_scale": 0.65,
    "log_scale_sd_scale": 0.55,
    "modulus_scale": 1.5,
    "level_scale": 0.75,
    "spread_centre": 0.9,
    "log_spread_scale": 0.4,
    "step_centre": 0.2,
    "log_step_scale": 0.95,
    "band_centre": 0.7,
    "log_band_scale": 1.2,
    "degrees_shape": 3.0,
    "degrees_centre": 7.0,
}

EXAMPLES: dict[str, tuple[Any, Callable[[], Judgements]]] = {
    # Without compilation PyTensor adds up no more than 32 terms: the effects in two parts.
    "magnitudes, annotators": (
        LogMagnitude(effects={"difficulty": False, "interaction": False, "log_scale": True}),
        magnitude,
    ),
    "magnitudes, items": (
        LogMagnitude(
            effects={"interaction": True, "taste": True, "severity": False, "modulus": False}
        ),
        magnitude,
    ),
    "magnitudes, no reference": (LogMagnitude(), lambda: magnitude(reference=None)),
    "magnitudes, no effects": (LogMagnitude(effects="none", resolution=0.0), magnitude),
    "magnitudes, own priors": (
        LogMagnitude(effects={"log_scale": True}, **PRIORS),
        lambda: magnitude(moderator=True, criteria=True),
    ),
}


def estimated(family: Any, seed: int) -> tuple[Judgements, dict[str, Any]]:
    """Return magnitudes drawn from the prior, and the truth by its names in the posterior."""

    def simulated(**parameters: Any) -> Any:
        return simulate_magnitude(
            n_annotators=6,
            n_systems=4,
            n_items=4,
            spread_sd=0.0,
            tie_band_sd=0.0,
            modulus_sd=0.0,
            random_seed=seed,
            **parameters,
        )

    drawn = prior_draw(family, simulated().judgements, seed)
    # Not simulated: log ratios have no common shift, which the prior below says.
    drawn.pop("modulus_mean")
    step = np.exp(drawn["log_step"])
    # The posterior has them as log ratios; their priors are in units of the decision.
    names = ("quality_sd", "difficulty_sd", "interaction_sd", "taste_sd")
    drawn |= {name: step * drawn[name] for name in names}
    study = simulated(
        level=drawn["level"],
        sharpness=1 / step,
        tie_band=np.exp(drawn["log_tie_band_mean"]),
        spread=np.exp(drawn["log_spread_mean"]),
        degrees_of_freedom=drawn["degrees_of_freedom"],
        **{name: drawn[name] for name in names},
    )
    return study.judgements, drawn | {"quality": study.truth["quality"]}


SIMULATED: dict[str, tuple[Any, Callable[[Any, int], tuple[Judgements, dict[str, Any]]]]] = {
    # Annotators' own effects sum to zero in the model, simulated ones do not.
    "magnitudes to a reference": (
        LogMagnitude(
            ties=True,
            resolution=0.0,
            modulus_scale=0.01,
            effects={
                "difficulty": True,
                "interaction": True,
                "taste": True,
                "severity": False,
                "modulus": False,
                "log_spread": False,
                "tie_band": False,
            },
        ),
        estimated,
    ),
}
