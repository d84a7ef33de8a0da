"""Examples of the family: everything that changes its density, once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayeseval.families import OrderedBeta
from bayeseval.judgements import Judgements
from bayeseval.simulate import simulate_spa
from tests.families.answers import stated
from tests.families.studies import prior_draw

EXAMPLES: dict[str, tuple[Any, Callable[[], Judgements]]] = {
    "Ordered beta": (OrderedBeta(), stated),
    "Ordered beta, no annotators": (OrderedBeta(effects="none", resolution=0.0), stated),
    "Ordered beta, moderator, criteria": (
        OrderedBeta(),
        lambda: stated(moderator=True, criteria=True),
    ),
    "Ordered beta, pairs": (OrderedBeta(structure="pairs", pair_mean_sd_scale=0.8), stated),
    "Ordered beta, own priors": (
        OrderedBeta(
            resolution=0.04,
            quality_sd_scale=0.6,
            pair_sd_scale=0.45,
            taste_sd_scale=0.35,
            interaction_sd_scale=0.9,
            log_extremity_sd_scale=0.7,
            log_precision_sd_scale=0.25,
            direction_bias_scale=1.5,
            end_a=2.0,
            end_b=5.0,
            precision_centre=8.0,
            log_precision_scale=0.55,
        ),
        stated,
    ),
}


def asked(family: Any, seed: int) -> tuple[Judgements, dict[str, Any]]:
    """Return probabilities drawn from the prior, and the truth by its names in the posterior."""

    def simulated(**parameters: Any) -> Any:
        return simulate_spa(
            n_annotators=6,
            n_systems=4,
            n_items=3,
            extremity_sd=0.0,
            precision_sd=0.0,
            random_seed=seed,
            **parameters,
        )

    drawn = prior_draw(family, simulated().judgements, seed)
    names = ("quality_sd", "interaction_sd", "taste_sd", "direction_bias")
    study = simulated(
        # Of two equal systems: the simulation counts one end, the model both.
        end_probability=drawn["end_probability"] / 2,
        precision=np.exp(drawn["log_precision_mean"]),
        **{name: drawn[name] for name in names},
    )
    return study.judgements, drawn | {"quality": study.truth["quality"]}


SIMULATED: dict[str, tuple[Any, Callable[[Any, int], tuple[Judgements, dict[str, Any]]]]] = {
    # Annotators' own effects and departures of pairs sum to zero in the model, simulated ones not.
    "Ordered beta, qualities": (
        OrderedBeta(
            resolution=0.0,
            effects={
                "interaction": True,
                "taste": True,
                "direction_bias": True,
                "pair": False,
                "log_extremity": False,
                "log_precision": False,
            },
        ),
        asked,
    ),
}
