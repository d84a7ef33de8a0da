"""Pairwise judgements with known truth."""

from typing import Literal

import numpy as np
from scipy.special import expit, ndtr

from bayeseval._checks import generator
from bayeseval.errors import DesignError
from bayeseval.judgements import PairwiseJudgements
from bayeseval.simulate._design import Design, Simulated, pair_effects
from bayeseval.simulate._options import checks_options


class SimulatedPairwise(Simulated[PairwiseJudgements]):
    """Simulated outcomes and the parameters they were drawn from; see `simulate_pairwise`.

    Parameters
    ----------
    judgements : PairwiseJudgements
        The table.
    truth : xarray.Dataset
        The parameters, under their names in the posterior contract.
    """


@checks_options
def simulate_pairwise(
    *,
    n_annotators: int = 20,
    n_systems: int = 5,
    n_items: int = 10,
    n_repeats: int = 1,
    design: Design = "crossed",
    share_judged: float = 0.5,
    link: Literal["logit", "probit"] = "logit",
    ties: Literal["none", "davidson", "rao_kupper"] = "none",
    tie_propensity: float = 0.5,
    position_effect: float = 0.0,
    position_sd: float = 0.0,
    quality_sd: float = 1.0,
    interaction_sd: float = 0.0,
    taste_sd: float = 0.0,
    consistency_sd: float = 0.0,
    quality: np.ndarray | None = None,
    identities: bool = True,
    random_seed: int | np.random.Generator | None,
) -> SimulatedPairwise:
    """Draw outcomes of comparisons from stated parameters.

    η = exp(log_consistency[annotator]) · (z[a] − z[b] + position_effect + position[annotator]) with
    z[s] = quality[s] + interaction[s, item] + taste[s, annotator]. Without ties P(a) = F(η), F
    logistic or normal. Davidson: P(a) : P(b) : P(tie) = exp(η/2) : exp(−η/2) : ν. Rao and Kupper:
    P(a) = F(η − τ), P(b) = F(−η − τ), the rest ties.

    Parameters
    ----------
    n_annotators, n_systems, n_items : int
        Size of the study; ``n_items=0`` leaves items out.
    n_repeats : int
        How often an annotator answers the same question.
    design : {"crossed", "nested", "ragged"}
        Every annotator compares every pair on every item; or every annotator compares one pair; or
        each comparison is made with probability ``share_judged``. Presentation order is drawn.
    share_judged : float
        Share of the crossed design that a ragged one keeps.
    link : {"logit", "probit"}
        Bradley-Terry or Thurstone.
    ties : {"none", "davidson", "rao_kupper"}
        How ties come about; Davidson's are defined for the logit link.
    tie_propensity : float
        ν of Davidson, or the threshold τ of Rao and Kupper.
    position_effect : float
        Advantage of the system that is shown first.
    position_sd, quality_sd, interaction_sd, taste_sd, consistency_sd : float
        Standard deviations of the annotators' position effects, of the qualities, of system-by-item
        and system-by-annotator effects, and of log consistency; zero leaves an effect out.
    quality : array (system,), optional
        Qualities to use instead of drawing them; centred.
    identities : bool
        False gives an export without annotators.
    random_seed : int, numpy.random.Generator or None
        Seed; None must be said.

    Returns
    -------
    SimulatedPairwise
        Judgements and truth: quality (system), position_effect, position (annotator),
        tie_propensity, taste (system, annotator), interaction (system, item), log_consistency
        (annotator) and the standard deviations.

    Raises
    ------
    DesignError
        A size or a parameter is impossible.
    """
    if ties == "davidson" and link == "probit":
        raise DesignError('ties="davidson" is defined for link="logit"; use ties="rao_kupper".')
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
    position = rng.normal(0, position_sd, n_annotators)
    log_consistency = rng.normal(0, consistency_sd, n_annotators)
    shown = drawn.predictor + position_effect + position[drawn.annotator]
    eta = np.exp(log_consistency)[drawn.annotator] * shown
    cdf = expit if link == "logit" else ndtr
    if ties == "davidson":
        weights = np.stack([np.exp(eta / 2), np.exp(-eta / 2), np.full_like(eta, tie_propensity)])
        a_wins, b_wins = weights[:2] / weights.sum(axis=0)
    else:
        threshold = tie_propensity if ties == "rao_kupper" else 0.0
        a_wins, b_wins = cdf(eta - threshold), cdf(-eta - threshold)
    uniform = rng.random(len(eta))
    outcome = np.where(uniform < a_wins, "a", np.where(uniform > 1 - b_wins, "b", "tie"))
    judgements = PairwiseJudgements.from_frame(
        drawn.frame(outcome),
        annotator="annotator" if identities else None,
        system_a="system_a",
        system_b="system_b",
        item="item" if n_items else None,
        outcome="answer",
        repeats=n_repeats > 1,
    )
    truth = drawn.dataset(
        position_effect=((), position_effect),
        position=(("annotator",), position),
        position_sd=((), position_sd),
        tie_propensity=((), 0.0 if ties == "none" else tie_propensity),
        log_consistency=(("annotator",), log_consistency),
        consistency_sd=((), consistency_sd),
    )
    return SimulatedPairwise(judgements, truth)
