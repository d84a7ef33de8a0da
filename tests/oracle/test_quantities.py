"""The readable numbers against a plain simulation of what models/ordinal_probit/card.md says."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.stats import norm

from bayeseval.families._declaration import FloatArray
from bayeseval.families._ordinal_posterior import OrdinalQuantities
from bayeseval.families.ordinal_probit import OrdinalProbit
from bayeseval.judgements import LikertJudgements

SYSTEMS, ANNOTATORS, ITEMS, CATEGORIES = 3, 4, 5, 4
DRAWS = 500  # of the same parameters: what the package integrates at random averages out
JUDGEMENTS = 400_000
QUALITY = np.array([-0.7, 0.1, 0.6])
THRESHOLDS = np.array([-1.1, -0.2, 0.9])
SD = {"difficulty": 0.6, "severity": 0.8, "interaction": 0.4, "taste": 0.5}
GAP_SD, DISCRIMINATION_SD = 0.5, 0.4

type Named = dict[str, FloatArray]
type Ratings = npt.NDArray[np.int64]


def annotator_thresholds(log_gap_deviation: FloatArray) -> FloatArray:
    """Return thresholds with own gaps and the population's mean; deviations (annotator, gap)."""
    gaps = np.diff(THRESHOLDS) * np.exp(log_gap_deviation)
    position = np.concatenate([np.zeros((len(gaps), 1)), gaps.cumsum(axis=1)], axis=1)
    return position - position.mean(axis=1, keepdims=True) + THRESHOLDS.mean()


def standardised(rng: np.random.Generator) -> Named:
    """Return one study's parameters, effects divided by their standard deviations."""
    shapes = {
        "severity": (ANNOTATORS,),
        "difficulty": (ITEMS,),
        "interaction": (SYSTEMS, ITEMS),
        "taste": (SYSTEMS, ANNOTATORS),
        "gap": (ANNOTATORS, CATEGORIES - 2),
        "discrimination": (ANNOTATORS,),
    }
    return {f"{name}_z": rng.normal(size=shape) for name, shape in shapes.items()}


def fitted(study: Named, **settings: Any) -> OrdinalQuantities:
    """Return the quantities of a posterior in which every draw is the study's parameters."""
    grid = np.indices((ANNOTATORS, SYSTEMS, ITEMS)).reshape(3, -1)
    frame = pd.DataFrame({"annotator": grid[0], "system": grid[1], "item": grid[2]})
    judgements = LikertJudgements.from_frame(
        frame.assign(rating=1 + frame.index % CATEGORIES),
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        scale=(1, CATEGORIES),
    )
    declared = OrdinalProbit(**settings).declare(judgements)
    plain = tuple(replace(effect, centring=0.0) for effect in declared.effects)
    declaration = replace(declared, effects=plain)
    sds = SD | {"gap": GAP_SD, "discrimination": DISCRIMINATION_SD}
    named: dict[str, Any] = {
        **study,
        **{f"{name}_sd": np.array(sd) for name, sd in sds.items()},
        "quality_sd": np.array(0.5),
        "quality_z": QUALITY / 0.5,
        "population_thresholds": THRESHOLDS,
    }
    repeated = {
        name: np.broadcast_to(value, (1, DRAWS, 1, *value.shape)).copy()
        for name, value in named.items()
    }
    return OrdinalQuantities(
        declaration, OrdinalProbit(**settings).posterior_dataset(declaration, repeated)
    )


@pytest.fixture(scope="module")
def study() -> Named:
    return standardised(np.random.default_rng(8))


@pytest.fixture(scope="module")
def quantities(study: Named) -> OrdinalQuantities:
    effects = {"difficulty": True, "interaction": True, "taste": True}
    return fitted(study, discrimination=True, effects=effects)


def new_judgements() -> Ratings:
    """Return ratings (judgement, system): each by a new annotator on a new item, all systems."""
    rng = np.random.default_rng(9)
    own = annotator_thresholds(GAP_SD * rng.normal(size=(JUDGEMENTS, CATEGORIES - 2)))
    own += SD["severity"] * rng.normal(size=(JUDGEMENTS, 1))
    shape = (JUDGEMENTS, SYSTEMS)
    z = QUALITY - SD["difficulty"] * rng.normal(size=(JUDGEMENTS, 1))
    z = z + SD["interaction"] * rng.normal(size=shape) + SD["taste"] * rng.normal(size=shape)
    d = np.exp(DISCRIMINATION_SD * rng.normal(size=(JUDGEMENTS, 1)))
    latent = z + rng.normal(size=shape) / d
    return (latent[..., None] > own[:, None, :]).sum(axis=-1)


def observed_judgements(study: Named) -> Ratings:
    """Return ratings (judgement, system) by annotators of the study on its items."""
    rng = np.random.default_rng(10)
    a = rng.integers(ANNOTATORS, size=JUDGEMENTS)
    i = rng.integers(ITEMS, size=JUDGEMENTS)
    own = annotator_thresholds(GAP_SD * study["gap_z"])
    own = own + SD["severity"] * study["severity_z"][:, None]
    z = QUALITY - SD["difficulty"] * study["difficulty_z"][i, None]
    z = z + SD["interaction"] * study["interaction_z"][:, i].T
    z = z + SD["taste"] * study["taste_z"][:, a].T
    d = np.exp(DISCRIMINATION_SD * study["discrimination_z"])[a, None]
    latent = z + rng.normal(size=z.shape) / d
    return (latent[..., None] > own[a][:, None, :]).sum(axis=-1)


@pytest.mark.parametrize("population", ["new", "observed"])
def test_category_and_win_probabilities_are_the_simulated_shares(
    quantities: OrdinalQuantities, study: Named, population: Any
):
    rating = new_judgements() if population == "new" else observed_judgements(study)
    shares = np.stack([(rating == k).mean(axis=0) for k in range(CATEGORIES)], axis=-1)
    found = quantities.category_probability(population, None).mean(["chain", "draw"])
    # four standard errors of a share, and of what the package integrates at random
    np.testing.assert_allclose(found.transpose("system", "category"), shares, atol=0.004)

    a, b = rating[:, :, None], rating[:, None, :]
    wins = (a > b).mean(axis=0) + (a == b).mean(axis=0) / 2
    found = quantities.win_probability(population, None).mean(["chain", "draw"])
    np.testing.assert_allclose(found.transpose("system", "system_b"), wins, atol=0.004)


@pytest.mark.parametrize("term", ["taste", "discrimination"])
def test_observed_annotators_count_where_they_share_the_thresholds(study: Named, term: str):
    names = ("difficulty", "interaction", "taste")
    found = fitted(
        study,
        thresholds="common",
        discrimination=term == "discrimination",
        effects={name: name == term for name in names},
    )
    # every annotator of the study, not sampled: no standard error
    z = np.broadcast_to(QUALITY, (ANNOTATORS, SYSTEMS))
    d = np.ones((ANNOTATORS, 1))
    if term == "taste":
        z = z + SD["taste"] * study["taste_z"].T
    else:
        d = np.exp(DISCRIMINATION_SD * study["discrimination_z"])[:, None]
    below = norm.cdf(d[..., None] * (THRESHOLDS - z[..., None]))
    share = np.diff(below, axis=-1, prepend=0.0, append=1.0)
    probability = found.category_probability("observed", None).isel(chain=0, draw=0)
    np.testing.assert_allclose(
        probability.transpose("system", "category"), share.mean(axis=0), rtol=1e-10
    )

    above = np.flip(np.flip(share, axis=-1).cumsum(axis=-1), axis=-1) - share / 2
    wins = (above[:, :, None] * share[:, None]).sum(axis=-1).mean(axis=0)
    probability = found.win_probability("observed", None).isel(chain=0, draw=0)
    np.testing.assert_allclose(probability.transpose("system", "system_b"), wins, rtol=1e-10)
