"""Figures of a ranking: qualities and ranks, and the distribution of the ranks."""

from typing import TYPE_CHECKING

import numpy as np

from bayeseval._checks import checked_kind, some
from bayeseval.errors import BayesEvalError
from bayeseval.ranking import Ranking, RankingPart
from bayeseval.reporting.plots._parts import (
    every,
    matrix,
    styled,
    title,
)
from bayeseval.settings import ci_words

if TYPE_CHECKING:
    from bayeseval.reporting._figures import PlotFigure


@styled
def plot_ranking(
    ranking: Ranking, *, criterion: str | None = None, level: str | None = None
) -> "PlotFigure":
    """Draw quality and rank of every system with their intervals, best first.

    Parameters
    ----------
    ranking : Ranking
        What `rank` returned.
    criterion, level : str, optional
        Which part to draw, where there are several.

    Returns
    -------
    matplotlib.figure.Figure
        Left the quality, right the rank; every other tier is shaded.
    """
    import bayeseval.reporting._figures as fig

    checked_kind(ranking, Ranking, function="plot_ranking", made_by="rank(posterior)")
    part = _one_part(ranking, criterion, level)
    frame = part.table
    n_systems = len(frame)
    figure = fig.PlotFigure(7.0, 0.9 + 0.25 * max(2, n_systems))
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    rows = np.arange(n_systems)
    tiers = frame["tier"].to_numpy()
    words = ci_words(ranking.ci_prob, ranking.ci_kind)
    for axes, middle, ends, name in (
        (left, "quality", ("quality_lower", "quality_upper"), f"quality, {words} interval"),
        (right, "expected_rank", ("rank_lower", "rank_upper"), "expected rank, interval"),
    ):
        for tier in range(1, int(tiers.max()) + 1, 2):
            inside = np.flatnonzero(tiers == tier)
            axes.axhspan(inside[0] - 0.5, inside[-1] + 0.5, color=fig.BAND, linewidth=0, zorder=0)
        axes.hlines(rows, frame[ends[0]], frame[ends[1]], color=fig.BLUE, linewidth=2)
        axes.plot(frame[middle], rows, "o", color=fig.BLUE, markersize=5)
        axes.set_xlabel(name)
        axes.grid(visible=True, axis="x", color=fig.GRID, linewidth=0.6)
        axes.spines["left"].set_visible(False)
    right.set_xlim(0.5, n_systems + 0.5)
    right.set_xticks([1 + index for index in every(n_systems, 8)])
    left.set_ylim(n_systems - 0.5, -0.5)
    fig.label_ticks(figure, left, "y", rows.tolist(), part.systems)
    right.tick_params(axis="y", length=0)
    title(figure, left, part.where(ranking.by))
    fig.mark(figure, ranking.problems, ranking.approximate)
    return figure


@styled
def plot_rank_distribution(
    ranking: Ranking, *, criterion: str | None = None, level: str | None = None
) -> "PlotFigure":
    """Draw the probability of every rank for every system as a heat map.

    Parameters
    ----------
    ranking : Ranking
        What `rank` returned.
    criterion, level : str, optional
        Which part to draw, where there are several.

    Returns
    -------
    matplotlib.figure.Figure
        Systems down, best first; ranks across. The strongest colour is the largest probability.
    """
    import bayeseval.reporting._figures as fig

    checked_kind(ranking, Ranking, function="plot_rank_distribution", made_by="rank(posterior)")
    part = _one_part(ranking, criterion, level)
    shares = part.distribution.to_numpy()
    figure, axes = matrix(shares, shares / shares.max(), part.systems)
    ticks = every(len(part.systems), 13)
    axes.set_xticks(ticks, labels=[str(tick + 1) for tick in ticks])
    strongest = ">.99" if shares.max() > 0.995 else f"{shares.max():.2f}"
    axes.set_xlabel(f"rank (1 = best); strongest colour = {strongest}")
    title(figure, axes, part.where(ranking.by))
    fig.mark(figure, ranking.problems, ranking.approximate)
    return figure


def _one_part(ranking: Ranking, criterion: str | None, level: str | None) -> RankingPart:
    chosen = ranking.select(criterion=criterion, level=level)
    if len(chosen) != 1:
        raise BayesEvalError(
            f"one ranking is drawn at a time, and this one has {len(chosen)}; say which with "
            f"criterion= (of {some(chosen.criteria) or 'none'}) or level= (of "
            f"{some(chosen.levels) or 'none'})"
        )
    return chosen.parts[0]
