"""What comparisons are asked for besides a ranking: Elo-like ratings, circular triads."""

import math
from functools import partial

import numpy as np

from bayeseval._checks import generator, is_number, numbers
from bayeseval._records import Record, Shown
from bayeseval.comparison._contract import (
    Population,
    PosteriorLike,
    checked_population,
    choose,
    components_of,
    problems_of,
    quality_draws,
    refuse_no_posterior,
    slices,
    system_labels,
)
from bayeseval.comparison._intervals import interval
from bayeseval.errors import BayesEvalError, ModelError
from bayeseval.judgements import PairwiseJudgements
from bayeseval.ranking import alarm_sentences
from bayeseval.settings import ci_words, resolve_ci


class EloRatings(Record):
    """Ratings on an Elo-like scale; see `elo`.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a system (and criterion, level), best first.
    title : str
        What it is, in words.
    notes : tuple of str
        How the scale is made.
    shown : tuple of Shown
        Which columns are printed, and how.
    alarms : tuple of str
        What is wrong with the draws, above the table.
    """


def elo(
    posterior: PosteriorLike,
    *,
    base: float = 10.0,
    scale: float = 400.0,
    anchor: float = 1000.0,
    anchor_system: str | None = None,
    criterion: str | None = None,
    by: str | None = None,
    population: Population = None,
    ci_prob: float | None = None,
    ci_kind: str | None = None,
) -> EloRatings:
    """Put the qualities of a Bradley-Terry model on an Elo-like scale.

    A lead of ``scale`` points multiplies the odds of winning by ``base``.

    Parameters
    ----------
    posterior : Posterior
        A fit of ``BradleyTerry`` with ``link="logit"``.
    base, scale : float
        The odds and the points that belong together; 10 and 400 in chess.
    anchor : float
        Rating of ``anchor_system``, or of the mean of all systems where none is named.
    anchor_system : str, optional
        The system that has this rating in every draw; intervals are then of leads over it.
    criterion, by : str, optional
        One criterion; a moderator, to rate within its levels.
    population : {"new", "observed"}, optional
        Left out, new annotators and items at the levels of moderators in the data, each level
        counting the same; "new", new ones at new levels of the population of levels, which is wider
        the fewer levels there are; "observed", the annotators, items and levels in the data.
    ci_prob, ci_kind : optional
        The intervals; by default those of the settings.

    Returns
    -------
    EloRatings
        With ``to_frame()``; columns ``criterion``, ``level`` (where they are), ``system``,
        ``rating`` (posterior mean), ``sd``, ``lower``, ``upper``.

    Raises
    ------
    ModelError
        Where the qualities are no log odds.
    BayesEvalError
        For an unknown system or a scale that is not positive.
    """
    import pandas as pd

    refuse_no_posterior(posterior, "elo")
    ci_prob, kind = resolve_ci(ci_prob, ci_kind)  # type: ignore[arg-type]
    link = getattr(getattr(posterior, "declaration", None), "response", None)
    if getattr(link, "link", None) != "logit":
        raise ModelError(
            "Elo's scale is that of log odds: it needs a posterior of BradleyTerry with "
            f"link='logit'; found {posterior.family.name}. For other families take "
            "win_probability"
        )
    for name, value in (("base", base), ("scale", scale), ("anchor", anchor)):
        numbers(value if is_number(value) else None, name)
    if not (base > 1.0 and scale > 0.0):
        raise BayesEvalError(
            f"base= is above 1 and scale= above 0; found base={base!r}, scale={scale!r}"
        )
    population = checked_population(population)
    array = quality_draws(posterior, by, population)
    labels = system_labels(array)
    if anchor_system is not None:
        choose(anchor_system, labels, "system", "this posterior (anchor_system=)")
    factor = scale / math.log(base)
    rows = []
    for piece in slices(posterior, array, ("system",), criterion=criterion, by=by, level=None):
        draws = piece.draws - piece.draws.mean(axis=1, keepdims=True)
        if anchor_system is not None:
            draws = draws - draws[:, [labels.index(anchor_system)]]
        ratings = anchor + factor * draws
        order = np.argsort(-ratings.mean(axis=0), kind="stable")
        for k in order:
            lower, upper = interval(ratings[:, k], ci_prob=ci_prob, ci_kind=kind)
            rows.append(
                {
                    **({} if piece.criterion is None else {"criterion": piece.criterion}),
                    **({} if piece.level is None else {"level": piece.level}),
                    "system": labels[k],
                    "rating": float(ratings[:, k].mean()),
                    "sd": float(ratings[:, k].std(ddof=1)),
                    "lower": float(lower),
                    "upper": float(upper),
                }
            )
    over = posterior.averaged_over(population, by, quality=True)
    whose = f"{anchor_system} has" if anchor_system is not None else "the mean of all systems is"
    return EloRatings(
        table=pd.DataFrame(rows),
        title="Ratings on an Elo-like scale",
        alarms=alarm_sentences(
            problems_of(posterior), posterior.approximate, components_of(posterior)
        ),
        notes=(
            (
                f"A lead of {scale:g} points multiplies the odds of winning by {base:g}; {whose} "
                f"{anchor:g}. Posterior mean and {ci_words(ci_prob, kind)} interval"
                + (f"; {over}." if over else ".")
            ),
        ),
        shown=(
            *((Shown("level", by, "label"),) if by is not None else ()),
            Shown("system", "system", "label"),
            Shown("rating", "rating", decimals=0),
            Shown(("lower", "upper"), "interval", "interval", decimals=0),
        ),
    )


class Intransitivity(Record):
    """Circular triads, observed and predicted; see `intransitivity`.

    Parameters
    ----------
    table : pandas.DataFrame
        One row (a criterion).
    title : str
        What it is, in words.
    notes : tuple of str
        How to read it.
    shown : tuple of Shown
        Which columns are printed, and how.
    """


def intransitivity(
    posterior: PosteriorLike,
    judgements: PairwiseJudgements,
    *,
    draws: int = 200,
    random_seed: int = 0,
) -> Intransitivity:
    """Check whether comparisons go round more often than one scale of quality allows.

    Three systems are circular where the first won most of its comparisons with the second, the
    second with the third, and the third with the first. Chance makes such triads from few
    judgements too; the model says how many. Circles are counted whatever their size: three systems
    cannot make the count surprising. So the misfit of all pairs is judged too: how far the points
    of each pair are from those that the model expects, squared and in units of its variance.

    Parameters
    ----------
    posterior : Posterior
        A fit to these judgements.
    judgements : PairwiseJudgements
        The outcomes.
    draws : int
        Number of tables that are drawn from the model.
    random_seed : int
        Seed of those tables.

    Returns
    -------
    Intransitivity
        With ``to_frame()``; columns ``criterion`` (where there are criteria), ``triads`` (threes
        of systems whose three pairs all have a majority), ``circular``, ``expected`` (mean of the
        model's tables), ``lower``, ``upper`` (95 % of them), ``p`` (share of the model's tables
        with at least as many), ``misfit`` (mean over draws, for each pair that was compared; about
        1 where the model is right), ``p_misfit`` (share of the model's tables with at least as
        much, each beside the draw that made it).

    Raises
    ------
    BayesEvalError
        Where the judgements are not those of the posterior.

    References
    ----------
    Kendall & Babington Smith (1940), On the method of paired comparisons, Biometrika 31,
    doi:10.1093/biomet/31.3-4.324. Gelman, Meng & Stern (1996), Posterior predictive assessment of
    model fitness via realized discrepancies, Statistica Sinica 6, 733-807.
    """
    import pandas as pd

    refuse_no_posterior(posterior, "intransitivity")
    if not isinstance(judgements, PairwiseJudgements):
        raise BayesEvalError(
            f"intransitivity() takes PairwiseJudgements; found {type(judgements).__name__}"
        )
    if posterior.fingerprint != judgements.fingerprint:
        raise BayesEvalError(
            f"the posterior is of other judgements (fingerprint {posterior.fingerprint}, these "
            f"have {judgements.fingerprint})"
        )
    chances = posterior.row_chances(judgements, draws=draws).values  # type: ignore[attr-defined]
    a, b = judgements.codes("system_a"), judgements.codes("system_b")
    n = len(judgements.systems)
    rng = generator(random_seed)
    # Points of system_a in every row of tables drawn from the model.
    drawn = [rng.multinomial(judgements.counts, one) @ _POINTS for one in chances]
    groups = judgements.labels("criterion") if judgements.has("criterion") else (None,)
    rows = []
    for k, label in enumerate(groups):
        own = slice(None) if label is None else judgements.codes("criterion") == k
        counts = judgements.counts[own]
        scored = partial(_scores, a[own], b[own], counts, n=n)
        compared = np.triu(_by_pair(a[own], b[own], counts, n) > 0)
        observed_scores = scored(counts * judgements.points()[own])
        triads, observed = _circular(observed_scores)
        predicted, misfit, misfit_drawn = (np.empty(len(chances)) for _ in range(3))
        for at, (chance, won) in enumerate(zip(chances[:, own], drawn, strict=True)):
            mean = chance @ _POINTS
            expected = scored(counts * mean)
            variance = _by_pair(a[own], b[own], counts * (chance @ _POINTS**2 - mean**2), n)
            drawn_scores = scored(won[own])
            predicted[at] = _circular(drawn_scores)[1]
            misfit[at] = _misfit(observed_scores - expected, variance, compared)
            misfit_drawn[at] = _misfit(drawn_scores - expected, variance, compared)
        lower, upper = np.quantile(predicted, [0.025, 0.975])
        rows.append(
            {
                **({} if label is None else {"criterion": label}),
                "triads": triads,
                "circular": observed,
                "expected": float(predicted.mean()),
                "lower": float(lower),
                "upper": float(upper),
                "p": float((predicted >= observed).mean()),
                "misfit": float(misfit.mean()),
                "p_misfit": float((misfit_drawn >= misfit).mean()),
            }
        )
    return Intransitivity(
        table=pd.DataFrame(rows),
        title="Circular triads",
        alarms=alarm_sentences(problems_of(posterior), posterior.approximate),
        notes=(
            (
                "Threes of systems that beat one another in a circle, beside what the model, in "
                "which quality is one scale, makes by chance. A small p says that there are more: "
                "look at effects of annotators or items, or at pairs one by one. Misfit is by how "
                "much the pairs depart from what the model expects, about 1 for each where it is "
                "right; its p sees large circles among few systems too, which the count cannot."
            ),
        ),
        shown=(
            Shown("triads", "triads", "count"),
            Shown("circular", "circular", "count"),
            Shown("expected", "expected", decimals=1),
            Shown(("lower", "upper"), "95 % of draws", "interval", decimals=0),
            Shown("p", "p", "p"),
            Shown("misfit", "misfit", decimals=2),
            Shown("p_misfit", "p of misfit", "p"),
        ),
    )


_POINTS = np.array([1.0, 0.0, 0.5])
"""What a win, a loss and a tie are worth to system_a."""


def _by_pair(a: np.ndarray, b: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """Add values of rows at their two systems, in either order, dims (system, system)."""
    total = np.bincount(a * n + b, weights=values, minlength=n * n).reshape(n, n)
    return total + total.T


def _scores(
    a: np.ndarray, b: np.ndarray, counts: np.ndarray, won: np.ndarray, *, n: int
) -> np.ndarray:
    """Return the points of every system against every other, dims (system, system)."""
    lost = np.bincount(b * n + a, weights=counts - won, minlength=n * n)
    return (np.bincount(a * n + b, weights=won, minlength=n * n) + lost).reshape(n, n)


def _circular(scores: np.ndarray) -> tuple[int, int]:
    """Count threes of systems with three majorities, and those that are circular."""
    beats = (scores > scores.T).astype(float)
    either = beats + beats.T
    # A circle is counted from each of its three systems, and any three in both directions.
    circular = np.trace(beats @ beats @ beats) / 3.0
    triads = np.trace(either @ either @ either) / 6.0
    return round(triads), round(circular)


def _misfit(residual: np.ndarray, variance: np.ndarray, compared: np.ndarray) -> float:
    """Return the mean over compared pairs of the squared residual over its variance."""
    return float(np.mean(residual[compared] ** 2 / np.maximum(variance[compared], 1e-12)))
