"""Examples of Bradley-Terry and of Thurstone: everything that changes their densities, once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayeseval.families import BradleyTerry, Thurstone
from bayeseval.judgements import Judgements
from bayeseval.simulate import simulate_pairwise
from tests.families.answers import pairwise
from tests.families.studies import prior_draw

ALL = ("consistency", "position", "taste")
EXAMPLES: dict[str, tuple[Any, Callable[[], Judgements]]] = {
    "Bradley-Terry": (BradleyTerry(), pairwise),
    "Bradley-Terry, no ties": (BradleyTerry(), lambda: pairwise(ties=False)),
    "Bradley-Terry, half": (BradleyTerry(ties="half", annotators="none"), pairwise),
    "Bradley-Terry, Rao-Kupper": (BradleyTerry(ties="rao_kupper", position=False), pairwise),
    "Bradley-Terry, all": (BradleyTerry(annotators=ALL, items=True), pairwise),
    "Bradley-Terry, Rao-Kupper, all": (
        BradleyTerry(ties="rao_kupper", annotators=ALL, items=True, position=True),
        pairwise,
    ),
    "Bradley-Terry, no position but annotators'": (
        BradleyTerry(position=False, annotators="position", items=False),
        pairwise,
    ),
    "Bradley-Terry, own priors": (
        BradleyTerry(
            annotators=ALL,
            quality_sd_scale=0.3,
            taste_sd_scale=0.7,
            interaction_sd_scale=0.2,
            position_sd_scale=0.9,
            log_consistency_sd_scale=0.4,
            position_effect_scale=2.5,
            log_tie_centre=-1.5,
            log_tie_scale=0.6,
        ),
        pairwise,
    ),
    "Bradley-Terry, rankings": (BradleyTerry(), lambda: pairwise(ranking=True)),
    "Bradley-Terry, moderator, criteria": (
        BradleyTerry(annotators=ALL, deviation_sd_scale=0.8),
        lambda: pairwise(moderator=True, criteria=True),
    ),
    "Thurstone": (Thurstone(tie_threshold_scale=0.4), pairwise),
    "Thurstone, no ties": (Thurstone(annotators=ALL), lambda: pairwise(ties=False)),
    "Thurstone, half": (Thurstone(ties="half"), pairwise),
    "Thurstone, all": (Thurstone(annotators=ALL, items=True), pairwise),
    "Thurstone, moderator, criteria": (
        Thurstone(annotators=ALL),
        lambda: pairwise(moderator=True, criteria=True),
    ),
}


def board(family: Any, seed: int) -> tuple[Judgements, dict[str, Any]]:
    """Return outcomes drawn from the prior, and the truth by its names in the posterior."""
    davidson = family.link == "logit"

    def simulated(**parameters: Any) -> Any:
        return simulate_pairwise(
            n_annotators=6,
            n_systems=4,
            n_items=4,
            link=family.link,
            ties="davidson" if davidson else "rao_kupper",
            random_seed=seed,
            **parameters,
        )

    drawn = prior_draw(family, simulated().judgements, seed)
    names = ("quality_sd", "interaction_sd", "taste_sd", "position_sd", "position_effect")
    ties = np.exp(drawn["log_tie_propensity"]) if davidson else drawn["tie_propensity"]
    study = simulated(tie_propensity=ties, **{name: drawn[name] for name in names})
    return study.judgements, drawn | {"quality": study.truth["quality"]}


SIMULATED: dict[str, tuple[Any, Callable[[Any, int], tuple[Judgements, dict[str, Any]]]]] = {
    "Bradley-Terry, Davidson": (
        BradleyTerry(ties="davidson", annotators=("taste", "position"), items=True, position=True),
        board,
    ),
    "Thurstone, Rao-Kupper": (
        Thurstone(ties="rao_kupper", annotators=("taste", "position"), items=True, position=True),
        board,
    ),
}
