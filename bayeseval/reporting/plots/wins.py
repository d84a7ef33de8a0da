"""The matrix of win probabilities."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayeseval._text import cell_width
from bayeseval.comparison import Comparison
from bayeseval.comparison._contract import (
    Population,
    PosteriorLike,
    problems_of,
    quality_draws,
    refuse_no_posterior,
    slices,
    system_labels,
)
from bayeseval.comparison.ranks import order_of, rank_probabilities
from bayeseval.errors import BayesEvalError
from bayeseval.reporting.plots._parts import (
    matrix,
    styled,
    title,
)

if TYPE_CHECKING:
    from bayeseval.reporting._figures import PlotFigure

MOST_COLUMN_LABELS = 20
COLUMN_LABEL_WIDTH = 18


@styled
def plot_win_probability(
    posterior: PosteriorLike,
    *,
    criterion: str | None = None,
    by: str | None = None,
    level: str | None = None,
    population: Population = None,
) -> "PlotFigure":
    """Draw the probability that the system of the row is judged better than that of the column.

    Parameters
    ----------
    posterior : Posterior
        Posterior of any family.
    criterion : str, optional
        Criterion; needed where there are several.
    by, level : str, optional
        Moderator and one of its levels.
    population : {"new", "observed"}, optional
        Left out, new annotators and items at the levels of moderators in the data, each level
        counting the same; "new", new ones at new levels too; "observed", those in the data.

    Returns
    -------
    matplotlib.figure.Figure
        Posterior means; blue above one half, vermilion below; systems by expected rank.
    """
    refuse_no_posterior(posterior, "plot_win_probability")
    chosen = {"criterion": criterion, "by": by, "level": level}
    quality = quality_draws(posterior, by, population)
    qualities = list(slices(posterior, quality, ("system",), **chosen))
    if len(qualities) != 1:
        raise BayesEvalError(
            f"one matrix is drawn at a time, and there are {len(qualities)}; say which with "
            "criterion= or level="
        )
    array = posterior.win_probability(population=population, by=by)
    (piece,) = slices(posterior, array, ("system", "system_b"), **chosen)
    order = order_of(qualities[0].draws, rank_probabilities(qualities[0].draws))
    labels = [system_labels(array)[index] for index in order]
    means = piece.draws.mean(axis=0)[np.ix_(order, order)]
    where = ([criterion] if criterion else []) + ([f"{by} {level}"] if level else [])
    alarms = (problems_of(posterior), posterior.approximate)
    return _win_matrix(means, labels, ", ".join(where), alarms)


@styled
def draw_comparison(comparison: Comparison, systems: Sequence[str]) -> "PlotFigure":
    """Draw the win probabilities of a comparison of all pairs, without asking for them again."""
    position = {label: index for index, label in enumerate(systems)}
    means = np.full((len(systems), len(systems)), np.nan)
    table = comparison.table
    a, b = table["system_a"].map(position), table["system_b"].map(position)
    means[a, b] = table["estimate"]
    means[b, a] = 1 - table["estimate"]
    return _win_matrix(means, systems, "", (comparison.problems, comparison.approximate))


def _win_matrix(
    means: np.ndarray,
    labels: Sequence[str],
    where: str,
    alarms: tuple[tuple[str, ...], str | None],
) -> "PlotFigure":
    import bayeseval.reporting._figures as fig

    np.fill_diagonal(means, np.nan)
    longest = max(min(COLUMN_LABEL_WIDTH, cell_width(label)) for label in labels)
    below = 0.085 * longest if len(labels) <= MOST_COLUMN_LABELS else 0.0
    figure, axes = matrix(means, np.nan_to_num(2 * means - 1), labels, below=below)
    if len(labels) <= MOST_COLUMN_LABELS:
        fig.label_ticks(
            figure,
            axes,
            "x",
            range(len(labels)),
            labels,
            width=COLUMN_LABEL_WIDTH,
            size=8,
            rotation=90,
        )
        axes.set_xlabel("against")
    else:
        axes.set_xticks([])
        axes.set_xlabel("against the same systems, in the same order")
    title(figure, axes, where)
    fig.mark(figure, *alarms)
    return figure
