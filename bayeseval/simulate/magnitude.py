"""Magnitude judgements with known truth."""

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtr
from scipy.stats import t as student_t

from bayeseval._checks import generator
from bayeseval.errors import DesignError
from bayeseval.judgements import MagnitudeJudgements
from bayeseval.simulate._design import (
    Design,
    Simulated,
    design_rows,
    given_or_drawn_quality,
    labels_of,
)
from bayeseval.simulate._options import checks_options


class SimulatedMagnitude(Simulated[MagnitudeJudgements]):
    """Simulated magnitudes and the parameters they were drawn from; see `simulate_magnitude`.

    Parameters
    ----------
    judgements : MagnitudeJudgements
        The table.
    truth : xarray.Dataset
        The parameters, under their names in the posterior contract.
    """


@checks_options
def simulate_magnitude(
    *,
    n_annotators: int = 20,
    n_systems: int = 5,
    n_items: int = 20,
    n_repeats: int = 1,
    design: Design = "crossed",
    share_judged: float = 0.5,
    reference: float = 100.0,
    level: float = 0.0,
    sharpness: float = 2.0,
    tie_band: float = 0.5,
    tie_band_sd: float = 0.3,
    severity_sd: float = 0.0,
    spread: float = 0.5,
    spread_sd: float = 0.3,
    degrees_of_freedom: float = 5.0,
    quality_sd: float = 0.5,
    modulus_sd: float = 0.2,
    difficulty_sd: float = 0.3,
    interaction_sd: float = 0.0,
    taste_sd: float = 0.0,
    quality: np.ndarray | None = None,
    identities: bool = True,
    random_seed: int | np.random.Generator | None,
) -> SimulatedMagnitude:
    """Draw magnitude estimates from stated parameters.

    w = quality[s] − difficulty[i] + interaction[s, i] + taste[s, a]. The answer is first below, as
    good as, or above the reference: level + sharpness·w − severity[a] plus standard normal noise
    is below −band[a], between, or above band[a]. Below or above, log(y / reference) is Student t
    with location modulus[a] + w and scale spread[a], cut to that side of 0.

    Parameters
    ----------
    n_annotators, n_systems, n_items : int
        Size of the study; ``n_items=0`` leaves items out.
    n_repeats : int
        How often an annotator judges the same output.
    design : {"crossed", "nested", "ragged"}
        As in `simulate_likert`.
    share_judged : float
        Share of the crossed design that a ragged one keeps.
    reference : float
        Magnitude of the standard.
    level : float
        How far an average system is above the reference, in units of the noise of the decision.
    sharpness : float
        How many units of the noise of the decision between sides one unit of w is.
    tie_band, spread : float
        Half width of the band of ties, and scale of the log ratio, at the median annotator.
    tie_band_sd, spread_sd : float
        Standard deviations of their logarithms over annotators; ``tie_band=0`` leaves ties out.
    degrees_of_freedom : float
        Degrees of freedom of the log ratio.
    quality_sd, severity_sd, modulus_sd, difficulty_sd, interaction_sd, taste_sd : float
        Standard deviations of the effects; zero leaves an effect out.
    quality : array (system,), optional
        Qualities (log ratios) to use instead of drawing them; centred.
    identities : bool
        False gives an export without annotators.
    random_seed : int, numpy.random.Generator or None
        Seed; None must be said.

    Returns
    -------
    SimulatedMagnitude
        Judgements and truth: quality (system), severity, modulus, spread and tie_band (annotator),
        difficulty (item), interaction (system, item), taste (system, annotator), level, sharpness,
        degrees_of_freedom and the standard deviations.

    Raises
    ------
    DesignError
        A size or a parameter is impossible.
    """
    if tie_band < 0 or min(spread, reference, degrees_of_freedom, sharpness) <= 0:
        raise DesignError(
            "spread, reference, degrees_of_freedom and sharpness must be positive and tie_band not "
            f"negative; found {spread}, {reference}, {degrees_of_freedom}, {sharpness}, {tie_band}."
        )
    rng = generator(random_seed)
    annotators, systems = labels_of("annotator", n_annotators), labels_of("system", n_systems)
    items = labels_of("item", max(n_items, 1))
    annotator, system, item = design_rows(
        rng,
        n_annotators=n_annotators,
        n_systems=n_systems,
        n_items=max(n_items, 1),
        n_repeats=n_repeats,
        design=design,
        share_judged=share_judged,
    )
    quality = given_or_drawn_quality(rng, quality, n_systems, quality_sd)
    modulus = rng.normal(0, modulus_sd, n_annotators)
    difficulty = rng.normal(0, difficulty_sd, len(items)) if n_items else np.zeros(1)
    interaction = rng.normal(0, interaction_sd, (n_systems, len(items)))
    taste = rng.normal(0, taste_sd, (n_systems, n_annotators))
    severity = rng.normal(0, severity_sd, n_annotators)
    own_band = tie_band * np.exp(rng.normal(0, tie_band_sd, n_annotators))
    own_spread = spread * np.exp(rng.normal(0, spread_sd, n_annotators))
    w = quality[system] - difficulty[item] + interaction[system, item] + taste[system, annotator]
    u, mu = level + sharpness * w - severity[annotator], w + modulus[annotator]
    scale, band = own_spread[annotator], own_band[annotator]
    side = rng.random(len(mu))
    below = side < ndtr(-band - u)
    above = side > 1 - ndtr(u - band)
    # The cut Student t by inversion: below 0 the lower part of its distribution, else the upper.
    at_zero = student_t.cdf(-mu / scale, degrees_of_freedom)
    uniform = rng.random(len(mu))
    part = np.where(below, uniform * at_zero, at_zero + uniform * (1 - at_zero))
    ratio = mu + scale * student_t.ppf(np.clip(part, 1e-12, 1 - 1e-12), degrees_of_freedom)
    magnitude = np.where(below | above, reference * np.exp(ratio), reference)
    frame = pd.DataFrame(
        {
            "annotator": np.array(annotators, dtype=object)[annotator],
            "system": np.array(systems, dtype=object)[system],
            "item": np.array(items, dtype=object)[item],
            "magnitude": magnitude,
        }
    )
    judgements = MagnitudeJudgements.from_frame(
        frame,
        annotator="annotator" if identities else None,
        system="system",
        item="item" if n_items else None,
        magnitude="magnitude",
        reference=reference,
        repeats=n_repeats > 1,
    )
    values: dict[str, tuple[tuple[str, ...], object]] = {
        "quality": (("system",), quality),
        "quality_sd": ((), quality_sd),
        "severity": (("annotator",), severity),
        "severity_sd": ((), severity_sd),
        "level": ((), level),
        "sharpness": ((), sharpness),
        "modulus": (("annotator",), modulus),
        "modulus_sd": ((), modulus_sd),
        "spread": (("annotator",), own_spread),
        "tie_band": (("annotator",), own_band),
        "degrees_of_freedom": ((), degrees_of_freedom),
        "taste": (("system", "annotator"), taste),
        "taste_sd": ((), taste_sd),
    }
    coords = {"system": list(systems), "annotator": list(annotators)}
    if n_items:
        values |= {
            "difficulty": (("item",), difficulty),
            "difficulty_sd": ((), difficulty_sd),
            "interaction": (("system", "item"), interaction),
            "interaction_sd": ((), interaction_sd),
        }
        coords["item"] = list(items)
    return SimulatedMagnitude(judgements, xr.Dataset(values, coords=coords))
