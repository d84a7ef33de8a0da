"""Likert judgements with known truth."""

from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtri

from bayeseval._checks import generator
from bayeseval.errors import DesignError
from bayeseval.judgements import LikertJudgements
from bayeseval.simulate._design import (
    Design,
    Simulated,
    design_rows,
    given_or_drawn_quality,
    labels_of,
)
from bayeseval.simulate._options import checks_options


class SimulatedLikert(Simulated[LikertJudgements]):
    """Simulated ratings and the parameters they were drawn from; see `simulate_likert`.

    Parameters
    ----------
    judgements : LikertJudgements
        The table.
    truth : xarray.Dataset
        The parameters, under their names in the posterior contract.
    """


@checks_options
def simulate_likert(
    *,
    n_annotators: int = 20,
    n_systems: int = 5,
    n_items: int = 20,
    n_categories: int = 5,
    n_repeats: int = 1,
    design: Design = "crossed",
    share_judged: float = 0.5,
    thresholds: Literal["common", "shifted", "scaled", "free"] = "free",
    quality_sd: float = 1.0,
    severity_sd: float = 0.5,
    gap_sd: float = 0.3,
    difficulty_sd: float = 0.5,
    interaction_sd: float = 0.0,
    taste_sd: float = 0.0,
    discrimination_sd: float = 0.0,
    quality: np.ndarray | None = None,
    population_thresholds: np.ndarray | None = None,
    identities: bool = True,
    random_seed: int | np.random.Generator | None,
) -> SimulatedLikert:
    """Draw ratings from the ordinal probit model with stated parameters.

    P(y ≤ k) = Φ(d[a]·(c[a,k] − z)), z = quality[s] − difficulty[i] + interaction[s,i] + taste[s,a].

    Parameters
    ----------
    n_annotators, n_systems, n_items : int
        Size of the study; ``n_items=0`` leaves items out.
    n_categories : int
        Points of the scale, 1..K.
    n_repeats : int
        How often an annotator judges the same output.
    design : {"crossed", "nested", "ragged"}
        Every annotator judges every output; or every annotator judges one system; or each output
        is judged by an annotator with probability ``share_judged``.
    share_judged : float
        Share of the crossed design that a ragged one keeps.
    thresholds : {"common", "shifted", "scaled", "free"}
        How annotators differ in their use of the scale.
    quality_sd, severity_sd, gap_sd, difficulty_sd, interaction_sd, taste_sd : float
        Standard deviations of the effects; zero leaves an effect out.
    discrimination_sd : float
        Standard deviation of the annotators' log discrimination.
    quality : array (system,), optional
        Qualities to use instead of drawing them; centred.
    population_thresholds : array (K - 1,), optional
        Thresholds of the population, rising; equal category probabilities otherwise.
    identities : bool
        False gives an export without annotators.
    random_seed : int, numpy.random.Generator or None
        Seed; None must be said.

    Returns
    -------
    SimulatedLikert
        Judgements and truth. ``truth`` has quality (system), population_thresholds (threshold),
        severity (annotator), thresholds (annotator, threshold) with severity included, difficulty
        (item), interaction (system, item), taste (system, annotator), discrimination (annotator)
        and the standard deviations.

    Raises
    ------
    DesignError
        A size or a parameter is impossible.
    """
    if n_categories < 2:
        raise DesignError(f"n_categories must be at least 2; found {n_categories}.")
    rng = generator(random_seed)
    annotators, systems = labels_of("annotator", n_annotators), labels_of("system", n_systems)
    items = labels_of("item", max(n_items, 1))
    rows = design_rows(
        rng,
        n_annotators=n_annotators,
        n_systems=n_systems,
        n_items=max(n_items, 1),
        n_repeats=n_repeats,
        design=design,
        share_judged=share_judged,
    )
    annotator, system, item = rows
    quality = given_or_drawn_quality(rng, quality, n_systems, quality_sd)
    centre = (
        ndtri(np.arange(1, n_categories) / n_categories)
        if population_thresholds is None
        else np.asarray(population_thresholds, dtype=float)
    )
    if centre.shape != (n_categories - 1,) or (np.diff(centre) <= 0).any():
        raise DesignError(
            f"population_thresholds must be {n_categories - 1} rising numbers; found "
            f"{population_thresholds}."
        )
    severity = rng.normal(0, severity_sd, n_annotators)
    if thresholds == "common":
        severity = np.zeros(n_annotators)
    n_gaps = n_categories - 2
    delta = {
        "common": np.zeros((n_annotators, n_gaps)),
        "shifted": np.zeros((n_annotators, n_gaps)),
        "scaled": np.repeat(rng.normal(size=(n_annotators, 1)), n_gaps, axis=1),
        "free": rng.normal(size=(n_annotators, n_gaps)),
    }[thresholds]
    gaps = np.diff(centre) * np.exp(gap_sd * delta)
    cumulated = np.concatenate([np.zeros((n_annotators, 1)), np.cumsum(gaps, axis=1)], axis=1)
    recentred = cumulated - cumulated.mean(axis=1, keepdims=True) + centre.mean()
    own_thresholds = recentred + severity[:, None]
    difficulty = rng.normal(0, difficulty_sd, len(items)) if n_items else np.zeros(1)
    interaction = rng.normal(0, interaction_sd, (n_systems, len(items)))
    taste = rng.normal(0, taste_sd, (n_systems, n_annotators))
    discrimination = np.exp(rng.normal(0, discrimination_sd, n_annotators))
    location = (
        quality[system] - difficulty[item] + interaction[system, item] + taste[system, annotator]
    )
    latent = location + rng.normal(size=len(system)) / discrimination[annotator]
    category = (latent[:, None] > own_thresholds[annotator]).sum(axis=1)
    frame = pd.DataFrame(
        {
            "annotator": np.array(annotators, dtype=object)[annotator],
            "system": np.array(systems, dtype=object)[system],
            "item": np.array(items, dtype=object)[item],
            "rating": category + 1,
        }
    )
    judgements = LikertJudgements.from_frame(
        frame,
        annotator="annotator" if identities else None,
        system="system",
        item="item" if n_items else None,
        rating="rating",
        scale=(1, n_categories),
        repeats=n_repeats > 1 or not n_items,
    )
    values = {
        "quality": (("system",), quality),
        "quality_sd": ((), quality_sd),
        "population_thresholds": (("threshold",), centre),
        "severity": (("annotator",), severity),
        "severity_sd": ((), severity_sd if thresholds != "common" else 0.0),
        "thresholds": (("annotator", "threshold"), own_thresholds),
        "gap_sd": ((), gap_sd if thresholds in ("scaled", "free") else 0.0),
        "taste": (("system", "annotator"), taste),
        "taste_sd": ((), taste_sd),
        "discrimination": (("annotator",), discrimination),
    }
    coords: dict[str, object] = {
        "system": list(systems),
        "annotator": list(annotators),
        "threshold": [f"{k}|{k + 1}" for k in range(1, n_categories)],
    }
    if n_items:
        values |= {
            "difficulty": (("item",), difficulty),
            "difficulty_sd": ((), difficulty_sd),
            "interaction": (("system", "item"), interaction),
            "interaction_sd": ((), interaction_sd),
        }
        coords["item"] = list(items)
    return SimulatedLikert(judgements, xr.Dataset(values, coords=coords))
