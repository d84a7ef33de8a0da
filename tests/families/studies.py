"""Studies that are drawn from a family's own prior, for ranks of the truth among draws."""

from typing import Any

import numpy as np

from bayeseval.families._declaration import Prior


def prior_draw(family: Any, judgements: Any, seed: int) -> dict[str, float]:
    """Draw standard deviations and parameters of a response from the priors of a declared model.

    Parameters
    ----------
    family
        The family.
    judgements
        Any table of the study's design: answers do not matter, sizes do.
    seed
        Of the draw.
    """
    declaration = family.declare(judgements)
    rng = np.random.default_rng([seed, 77])
    drawn = {
        f"{effect.name}_sd": float(abs(rng.normal(scale=effect.sd_scale)))
        for effect in declaration.blocks
    }
    return drawn | {
        scalar.name: _value(scalar.prior, rng)
        for scalar in getattr(declaration.response, "scalars", ())
    }


def _value(prior: Prior, rng: np.random.Generator) -> float:
    match prior.kind:
        case "normal":
            return float(rng.normal(prior.a, prior.b))
        case "half_normal":
            return float(abs(rng.normal(scale=prior.a)))
        case "beta":
            return float(rng.beta(prior.a, prior.b))
        case "gamma":
            return float(rng.gamma(prior.a, 1.0 / prior.b))
