"""SPA judgements with known truth."""

import numpy as np
from scipy.special import expit, logit

from bayeseval._checks import generator
from bayeseval.errors import DesignError
from bayeseval.judgements import SPAJudgements
from bayeseval.simulate._design import Design, Simulated, pair_effects
from bayeseval.simulate._options import checks_options


class SimulatedSPA(Simulated[SPAJudgements]):
    """Simulated probabilities and the parameters they were drawn from; see `simulate_spa`.

    Parameters
    ----------
    judgements : SPAJudgements
        The table.
    truth : xarray.Dataset
        The parameters, under their names in the posterior contract.
    """


def ordered_beta(
    rng: np.random.Generator, eta: np.ndarray, kappa: float, precision: np.ndarray
) -> np.ndarray:
    """Draw from the ordered beta distribution with ends at ±κ."""
    uniform = rng.random(len(eta))
    mean = expit(eta)
    inside = rng.beta(mean * precision, (1 - mean) * precision)
    # A beta draw may round to an end; the ends are outcomes of their own.
    inside = np.clip(inside, np.nextafter(0, 1), np.nextafter(1, 0))
    low = uniform < expit(-eta - kappa)
    high = uniform > 1 - expit(eta - kappa)
    return np.where(low, 0.0, np.where(high, 1.0, inside))


@checks_options
def simulate_spa(
    *,
    n_annotators: int = 30,
    n_systems: int = 5,
    n_items: int = 0,
    n_repeats: int = 1,
    design: Design = "crossed",
    share_judged: float = 0.5,
    both_directions: bool = True,
    direction_bias: float = 0.0,
    end_probability: float = 0.1,
    precision: float = 5.0,
    quality_sd: float = 1.0,
    pair_sd: float = 0.0,
    interaction_sd: float = 0.0,
    taste_sd: float = 0.0,
    extremity_sd: float = 0.3,
    precision_sd: float = 0.3,
    quality: np.ndarray | None = None,
    identities: bool = True,
    random_seed: int | np.random.Generator | None,
) -> SimulatedSPA:
    """Draw stated probabilities from the ordered beta model with stated parameters.

    η = exp(log_extremity[annotator]) · (z[a] − z[b] + pair[ab]) + direction_bias with
    z[s] = quality[s] + interaction[s, item] + taste[s, annotator]. P(y=0) = logit⁻¹(−η − κ),
    P(y=1) = logit⁻¹(η − κ), otherwise Beta with mean logit⁻¹(η) and the annotator's precision.

    Parameters
    ----------
    n_annotators, n_systems, n_items : int
        Size of the study; ``n_items=0`` asks about systems as wholes.
    n_repeats : int
        How often an annotator answers the same question.
    design : {"crossed", "nested", "ragged"}
        Every annotator is asked about every pair; or about one pair; or each question is asked with
        probability ``share_judged``.
    share_judged : float
        Share of the crossed design that a ragged one keeps.
    both_directions : bool
        Ask P[a ≻ b] and P[b ≻ a]; otherwise one direction, drawn.
    direction_bias : float
        Advantage, on the logit scale, of the system that is named first.
    end_probability : float, 0 to 0.5
        Chance of exactly 0, and of exactly 1, at η = 0; gives κ.
    precision : float
        Precision of the beta at the median annotator.
    quality_sd, pair_sd, interaction_sd, taste_sd, extremity_sd, precision_sd : float
        Standard deviations of the effects, the last two on the log scale.
    quality : array (system,), optional
        Qualities to use instead of drawing them; centred.
    identities : bool
        False gives an export without annotators.
    random_seed : int, numpy.random.Generator or None
        Seed; None must be said.

    Returns
    -------
    SimulatedSPA
        Judgements and truth: quality (system), pair (system, system_b), antisymmetric, kappa,
        log_extremity and log_precision (annotator), direction_bias, taste, interaction and the
        standard deviations.

    Raises
    ------
    DesignError
        A size or a parameter is impossible.
    """
    if not 0 < end_probability < 0.5:
        raise DesignError(
            f"end_probability must be above 0 and below 0.5; found {end_probability}."
        )
    if precision <= 0:
        raise DesignError(f"precision must be positive; found {precision}.")
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
        both_orders=both_directions,
    )
    upper = np.triu(rng.normal(0, pair_sd, (n_systems, n_systems)), 1)
    pair = upper - upper.T
    log_extremity = rng.normal(0, extremity_sd, n_annotators)
    log_precision = rng.normal(np.log(precision), precision_sd, n_annotators)
    kappa = -logit(end_probability)
    difference = drawn.predictor + pair[drawn.system_a, drawn.system_b]
    eta = np.exp(log_extremity)[drawn.annotator] * difference + direction_bias
    stated = ordered_beta(rng, eta, kappa, np.exp(log_precision)[drawn.annotator])
    judgements = SPAJudgements.from_frame(
        drawn.frame(stated),
        annotator="annotator" if identities else None,
        system_a="system_a",
        system_b="system_b",
        item="item" if n_items else None,
        probability="answer",
        bounds=(0, 1),
        repeats=n_repeats > 1,
    )
    systems = drawn.coords["system"]
    truth = drawn.dataset(
        pair=(("system", "system_b"), pair),
        pair_sd=((), pair_sd),
        kappa=((), kappa),
        log_extremity=(("annotator",), log_extremity),
        extremity_sd=((), extremity_sd),
        log_precision=(("annotator",), log_precision),
        precision=((), precision),
        precision_sd=((), precision_sd),
        direction_bias=((), direction_bias),
    ).assign_coords(system_b=systems)
    return SimulatedSPA(judgements, truth)
