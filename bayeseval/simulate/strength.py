"""Strength judgements with known truth."""

from typing import Literal

import numpy as np
from scipy.special import logit, ndtri

from bayeseval._checks import generator
from bayeseval.errors import DesignError
from bayeseval.judgements import StrengthJudgements
from bayeseval.simulate._design import Design, Simulated, pair_effects
from bayeseval.simulate._options import checks_options
from bayeseval.simulate.spa import ordered_beta


class SimulatedStrength(Simulated[StrengthJudgements]):
    """Simulated strengths and the parameters they were drawn from; see `simulate_strength`.

    Parameters
    ----------
    judgements : StrengthJudgements
        The table.
    truth : xarray.Dataset
        The parameters, under their names in the posterior contract.
    """


@checks_options
def simulate_strength(
    *,
    n_annotators: int = 20,
    n_systems: int = 5,
    n_items: int = 10,
    n_repeats: int = 1,
    design: Design = "crossed",
    share_judged: float = 0.5,
    response: Literal["graded", "ordered_beta", "student_t"] = "graded",
    bound: int = 3,
    side_bias: float = 0.0,
    quality_sd: float = 1.0,
    interaction_sd: float = 0.0,
    taste_sd: float = 0.0,
    scale_sd: float = 0.3,
    gap_sd: float = 0.3,
    end_probability: float = 0.05,
    middle_probability: float = 0.1,
    precision: float = 5.0,
    spread: float = 1.0,
    degrees_of_freedom: float = 5.0,
    quality: np.ndarray | None = None,
    identities: bool = True,
    random_seed: int | np.random.Generator | None,
) -> SimulatedStrength:
    """Draw strengths of preference from stated parameters; positive prefers a.

    η = exp(log_scale[annotator]) · (z[a] − z[b] + side_bias) with z[s] = quality[s] +
    interaction[s, item] + taste[s, annotator]. Graded: η plus standard normal noise falls between
    thresholds that are symmetric about 0, the annotator's gaps being exp(gap_sd·δ) times the
    population's. Ordered beta: (y / bound + 1) / 2 has ends at ±κ, a mass at ½ and a beta between.
    Student t: y = η + spread · t, cut at the bounds.

    Parameters
    ----------
    n_annotators, n_systems, n_items : int
        Size of the study; ``n_items=0`` leaves items out.
    n_repeats : int
        How often an annotator answers the same question.
    design : {"crossed", "nested", "ragged"}
        Every annotator compares every pair on every item; or one pair; or each comparison is made
        with probability ``share_judged``.
    share_judged : float
        Share of the crossed design that a ragged one keeps.
    response : {"graded", "ordered_beta", "student_t"}
        How a strength comes about; graded strengths are whole numbers.
    bound : int
        The largest strength.
    side_bias : float
        Advantage of the system that is shown as a.
    quality_sd, interaction_sd, taste_sd, scale_sd, gap_sd : float
        Standard deviations of the effects; the last two of log scale use and of log gaps.
    end_probability, middle_probability, precision : float
        Ordered beta: chance of each end at η = 0, chance of exactly 0, precision of the beta.
    spread, degrees_of_freedom : float
        Student t: scale and degrees of freedom of the noise.
    quality : array (system,), optional
        Qualities to use instead of drawing them; centred.
    identities : bool
        False gives an export without annotators.
    random_seed : int, numpy.random.Generator or None
        Seed; None must be said.

    Returns
    -------
    SimulatedStrength
        Judgements and truth: quality (system), side_bias, log_scale (annotator), taste,
        interaction, the standard deviations and what the response needs: thresholds (annotator,
        threshold) and population_thresholds (threshold), or kappa, middle_probability and
        precision, or spread and degrees_of_freedom.

    Raises
    ------
    DesignError
        A size or a parameter is impossible.
    """
    if response not in ("graded", "ordered_beta", "student_t"):
        raise DesignError(
            f"response must be 'graded', 'ordered_beta' or 'student_t'; found {response!r}."
        )
    if bound < 1 or int(bound) != bound:
        raise DesignError(f"bound must be a whole number from 1; found {bound}.")
    rng = generator(random_seed)
    drawn = pair_effects(
        rng,
        n_annotators=n_annotators,
        n_systems=n_systems,
        n_items=n_items,
        n_repeats=n_repeats,
        design=design,
        share_judged=share_judged,
        quality=quality,
        quality_sd=quality_sd,
        interaction_sd=interaction_sd,
        taste_sd=taste_sd,
    )
    log_scale = rng.normal(0, scale_sd, n_annotators)
    eta = np.exp(log_scale)[drawn.annotator] * (drawn.predictor + side_bias)
    further: dict[str, tuple[tuple[str, ...], object]] = {
        "side_bias": ((), side_bias),
        "log_scale": (("annotator",), log_scale),
        "scale_sd": ((), scale_sd),
    }
    coords: dict[str, list[str]] = {}
    if response == "graded":
        upper = ndtri(np.arange(bound + 1, 2 * bound + 1) / (2 * bound + 1))
        delta = rng.normal(0, gap_sd, (n_annotators, bound))
        own_upper = np.cumsum(np.diff(upper, prepend=0) * np.exp(delta), axis=1)
        own = np.concatenate([-own_upper[:, ::-1], own_upper], axis=1)
        latent = eta + rng.normal(size=len(eta))
        answer = (latent[:, None] > own[drawn.annotator]).sum(axis=1) - float(bound)
        further |= {
            "population_thresholds": (("threshold",), np.concatenate([-upper[::-1], upper])),
            "thresholds": (("annotator", "threshold"), own),
            "gap_sd": ((), gap_sd),
        }
        coords["threshold"] = [f"{k}|{k + 1}" for k in range(-bound, bound)]
    elif response == "ordered_beta":
        if not (0 < end_probability < 0.5 and 0 <= middle_probability < 1 and precision > 0):
            raise DesignError(
                "end_probability must be between 0 and 0.5, middle_probability from 0 and below 1, "
                f"precision positive; found {end_probability}, {middle_probability}, {precision}."
            )
        kappa = -logit(end_probability)
        share = ordered_beta(rng, eta, kappa, np.full(len(eta), precision))
        share = np.where(rng.random(len(eta)) < middle_probability, 0.5, share)
        answer = bound * (2 * share - 1)
        further |= {
            "kappa": ((), kappa),
            "middle_probability": ((), middle_probability),
            "precision": ((), precision),
        }
    else:
        noise = spread * rng.standard_t(degrees_of_freedom, len(eta))
        answer = np.clip(eta + noise, -bound, bound)
        further |= {"spread": ((), spread), "degrees_of_freedom": ((), degrees_of_freedom)}
    judgements = StrengthJudgements.from_frame(
        drawn.frame(answer),
        annotator="annotator" if identities else None,
        system_a="system_a",
        system_b="system_b",
        item="item" if n_items else None,
        strength="answer",
        bounds=bound,
        positive="a",
        graded=response == "graded",
        repeats=n_repeats > 1,
    )
    return SimulatedStrength(judgements, drawn.dataset(**further).assign_coords(coords))
