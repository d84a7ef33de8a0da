"""Ranks, tiers and the chance to be best, from the draws of the quality."""

from collections.abc import Iterable, Sequence

import numpy as np

from bayeseval.comparison._contract import (
    Population,
    PosteriorLike,
    Slice,
    checked_population,
    components_of,
    design_notes_of,
    open_pairs,
    problems_of,
    quality_draws,
    refuse_no_posterior,
    slices,
    system_labels,
)
from bayeseval.comparison._intervals import interval, rank_interval
from bayeseval.comparison._unjudged import unjudged_sentences, unjudged_systems
from bayeseval.errors import BayesEvalError
from bayeseval.ranking import Ranking, RankingPart
from bayeseval.settings import IntervalKind, resolve_ci


def rank_probabilities(quality: np.ndarray) -> np.ndarray:
    """Compute the probability of each rank; systems tied in a draw share their ranks evenly.

    Parameters
    ----------
    quality : numpy.ndarray
        Draws, shape (sample, system); larger is better.

    Returns
    -------
    numpy.ndarray
        Shape (system, rank), ranks from best to worst. Rows and columns sum to one, and
        the mean of a row is the mean of the average ranks.
    """
    n_draws, n_systems = quality.shape
    order = np.argsort(-quality, axis=1)
    ordered = np.take_along_axis(quality, order, axis=1)
    ties = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    # Without ties, which continuous draws never have, each place of a draw has one system.
    cell = order[~ties] * n_systems + np.arange(n_systems)
    shares = np.bincount(cell.ravel(), minlength=n_systems**2).astype(float)
    shares = shares.reshape(n_systems, n_systems)
    if ties.any():
        shares += _tied_shares(quality[ties])
    return shares / n_draws


def _tied_shares(quality: np.ndarray) -> np.ndarray:
    """Count the ranks of systems in draws with ties, each rank of a tie shared evenly."""
    from scipy.stats import rankdata

    n_systems = quality.shape[1]
    first = rankdata(-quality, method="min", axis=1).astype(np.int64)
    last = rankdata(-quality, method="max", axis=1).astype(np.int64)
    system = np.broadcast_to(np.arange(n_systems), quality.shape)
    shares = np.zeros((n_systems, n_systems))
    # By the length of the tie, so that counts stay whole numbers until the one division.
    for length in np.unique(last - first + 1):
        tied = last - first + 1 == length
        for offset in range(length):
            cell = system[tied] * n_systems + first[tied] - 1 + offset
            counts = np.bincount(cell, minlength=n_systems**2).reshape(n_systems, n_systems)
            shares += counts / length
    return shares


def cut_probabilities(quality: np.ndarray) -> np.ndarray:
    """Compute the probability of each cut: all systems above it are better than all below.

    Parameters
    ----------
    quality : numpy.ndarray
        Draws, shape (sample, system), systems in the order of the ranking.

    Returns
    -------
    numpy.ndarray
        Boolean, shape (sample, system − 1): whether the cut after that system holds in the draw. A
        tie across the cut counts against it.
    """
    worst_above = np.minimum.accumulate(quality, axis=1)[:, :-1]
    best_below = np.maximum.accumulate(quality[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return worst_above > best_below


def better_probabilities(quality: np.ndarray) -> np.ndarray:
    """Compute the probability of every system to be better than every other.

    Parameters
    ----------
    quality : numpy.ndarray
        Draws, shape (sample, system); larger is better.

    Returns
    -------
    numpy.ndarray
        Row better than column, half of the ties included; missing on the diagonal.
    """
    by_system = np.ascontiguousarray(quality.T)
    n_systems, n_draws = by_system.shape
    shares = np.full((n_systems, n_systems), np.nan)
    for one in range(n_systems - 1):
        others = by_system[one + 1 :]
        wins = np.count_nonzero(by_system[one] > others, axis=1)
        ties = np.count_nonzero(by_system[one] == others, axis=1)
        shares[one, one + 1 :] = (wins + 0.5 * ties) / n_draws
        shares[one + 1 :, one] = 1 - shares[one, one + 1 :]
    return shares


def rank(
    posterior: PosteriorLike,
    *,
    criterion: str | None = None,
    by: str | None = None,
    level: str | None = None,
    population: Population = None,
    top: int | Sequence[int] = (3,),
    tier_prob: float = 0.95,
    ci_prob: float | None = None,
    ci_kind: IntervalKind | None = None,
) -> Ranking:
    """Rank the systems by their expected rank.

    In every draw the systems are ranked by quality, 1 = best, and systems that are tied share
    the average of their ranks. Everything in the table is a summary of these ranks and qualities.

    Tiers: a boundary is drawn after the k-th system when, with posterior probability at least
    ``tier_prob``, every one of the first k systems is better than every one of the rest. So two
    systems of different tiers differ with at least that probability, whichever they are; a system
    is never below a line that separates it from nobody; and a larger ``tier_prob`` can only
    merge tiers, never move a boundary. Where groups of systems were never compared with one another
    there are no tiers.

    Tiers chain: of many systems that lie close together all may be one tier, although most pairs
    are told apart. So the ranking also counts, by the same probability, for every system how many
    others it is better than and worse than, and for the whole how many pairs are told apart.

    Parameters
    ----------
    posterior : Posterior
        Posterior of any family.
    criterion : str, optional
        Criterion to rank by; each criterion in turn where left out.
    by : str, optional
        Moderator within whose levels to rank, such as ``"day"``; overall where left out.
    level : str, optional
        Level of ``by``; each level in turn where left out.
    population : {"new", "observed"}, optional
        Left out, new annotators and items at the levels of moderators in the data, each level
        counting the same; "new", new ones at new levels of the population of levels, which is wider
        the fewer levels there are; "observed", the annotators, items and levels in the data.
    top : int or sequence of int
        The k of "probability to be among the best k".
    tier_prob : float
        Probability that a boundary between tiers must reach, above 0.5 and below 1.
    ci_prob : float, optional
        Probability of the intervals; `bayeseval.settings.ci_prob` where left out.
    ci_kind : {"eti", "hdi"}, optional
        Kind of the intervals; `bayeseval.settings.ci_kind` where left out.

    Returns
    -------
    Ranking
        Table, rank distribution and tiers; see `Ranking.to_frame` for the columns.

    Raises
    ------
    BayesEvalError
        If criterion, moderator or level is unknown, or a setting is out of range.
    """
    refuse_no_posterior(posterior, "rank")
    ci_prob, ci_kind = resolve_ci(ci_prob, ci_kind)
    checked_top = _checked_top(top)
    tier_prob = checked_decision_prob(tier_prob, "tier_prob")
    population = checked_population(population)
    array = quality_draws(posterior, by, population)
    labels = system_labels(array)
    components = components_of(posterior)
    never_asked = open_pairs(posterior, population)
    group = np.zeros(len(labels), dtype=int)
    for number, members in enumerate(components):
        group[[labels.index(label) for label in members]] = number
    parts = tuple(
        _part(
            piece,
            labels,
            _apart(group, labels, unjudged_systems(posterior, by, piece.level, piece.criterion)),
            never_asked.get(piece.criterion),
            checked_top,
            tier_prob,
            ci_prob,
            ci_kind,
        )
        for piece in slices(posterior, array, ("system",), criterion=criterion, by=by, level=level)
    )
    return Ranking(
        parts=parts,
        by=by,
        top=checked_top,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        tier_prob=tier_prob,
        quality_scale=posterior.quality_scale,
        protocol=posterior.protocol,
        family=posterior.family.name,
        fingerprint=posterior.fingerprint,
        problems=problems_of(posterior),
        approximate=posterior.approximate,
        components=components,
        design_notes=design_notes_of(posterior),
        population=population,
        averaged_over=posterior.averaged_over(population, by, quality=True),
        unjudged=unjudged_sentences(posterior, by, level, criterion),
    )


def _checked_top(top: int | Sequence[int]) -> tuple[int, ...]:
    values = tuple(top) if isinstance(top, Iterable) else (top,)
    if not values:
        raise BayesEvalError(
            'top is empty: give the k of "among the best k", such as top=3, or leave it out'
        )
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise BayesEvalError(f"top must be whole numbers of at least 1; got {value!r}")
    return tuple(dict.fromkeys(int(value) for value in values))


def checked_decision_prob(value: float, name: str) -> float:
    """Check a probability from which on something is said; at one half or less it means nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.5 < value < 1:
        raise BayesEvalError(
            f"{name} must be a probability above 0.5 and below 1, such as 0.95; got {value!r}"
        )
    return float(value)


def order_of(quality: np.ndarray, distribution: np.ndarray) -> np.ndarray:
    """Order systems by expected rank; equal ones by mean quality, then as they came."""
    expected = distribution @ np.arange(1, quality.shape[1] + 1)
    # Rounded, so that the last bits of a sum do not decide between systems that are exactly tied.
    return np.lexsort((-quality.mean(axis=0).round(12), expected.round(9)))


def _apart(group: np.ndarray, labels: tuple[str, ...], alone: frozenset[str]) -> np.ndarray:
    """Give systems of which there is no judgement here a group of their own each."""
    group = group.copy()
    for label in sorted(alone):
        group[labels.index(label)] = group.max() + 1
    return group


def _part(
    piece: Slice,
    labels: tuple[str, ...],
    group: np.ndarray,
    never_asked: np.ndarray | None,
    top: tuple[int, ...],
    tier_prob: float,
    ci_prob: float,
    ci_kind: IntervalKind,
) -> RankingPart:
    import pandas as pd

    distribution = rank_probabilities(piece.draws)
    order = order_of(piece.draws, distribution)
    distribution, draws = distribution[order], piece.draws[:, order]
    n_systems = len(order)
    cuts = cut_probabilities(draws)
    linked = group[order][:, None] == group[order]
    if never_asked is not None:
        linked &= ~never_asked[np.ix_(order, order)]
    # A line between tiers speaks of all pairs across it; where groups of systems were never
    # compared, only the prior knows some of them, and of a pair never asked nobody knows.
    boundary = (cuts.mean(axis=0) >= tier_prob) & (group == group[0]).all()
    whole = [bool(linked[:k, k:].all()) for k in range(1, n_systems)]
    boundary &= np.array(whole, dtype=bool)
    better = better_probabilities(draws)
    better = np.where(linked, better, np.nan)
    next_better = better.diagonal(1)
    surely = better >= tier_prob
    lower, upper = interval(draws, ci_prob=ci_prob, ci_kind=ci_kind)
    rank_lower, rank_upper = rank_interval(distribution, ci_prob=ci_prob, ci_kind=ci_kind)
    ranks = np.arange(1, n_systems + 1)
    systems = [labels[index] for index in order]
    table = pd.DataFrame(
        {
            "position": ranks,
            "system": pd.Series(systems, dtype=object),
            "tier": 1 + np.concatenate([[0], boundary.cumsum()]).astype(int),
            "expected_rank": distribution @ ranks,
            "rank_lower": rank_lower,
            "rank_upper": rank_upper,
            "quality": draws.mean(axis=0),
            "quality_sd": draws.std(axis=0, ddof=1) if len(draws) > 1 else np.nan,
            "quality_lower": lower,
            "quality_upper": upper,
            "p_best": distribution[:, 0],
            **{f"p_top_{k}": distribution[:, :k].sum(axis=1).clip(0, 1) for k in top},
            "p_better_than_next": [*next_better, np.nan],
            "n_better_than": surely.sum(axis=1),
            "n_worse_than": surely.sum(axis=0),
        }
    )
    return RankingPart(
        criterion=piece.criterion,
        level=piece.level,
        table=table,
        distribution=pd.DataFrame(
            distribution,
            index=pd.Index(systems, name="system", dtype=object),
            columns=pd.Index(ranks, name="rank"),
        ),
        tiers_prob=float(cuts[:, boundary].all(axis=1).mean()),
        better=pd.DataFrame(
            better,
            index=pd.Index(systems, name="system", dtype=object),
            columns=pd.Index(systems, name="system_b", dtype=object),
        ),
    )
