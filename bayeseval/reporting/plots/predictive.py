"""Observed answers beside those that the model expects."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayeseval._text import cell_width, shorten
from bayeseval.comparison._contract import (
    choose,
    problems_of,
    refuse_no_posterior,
)
from bayeseval.comparison._intervals import interval
from bayeseval.errors import BayesEvalError
from bayeseval.judgements import Judgements
from bayeseval.reporting._contract import PredictivePosterior
from bayeseval.reporting._predictive import (
    Shares,
    Simulated,
    annotator_shares,
    overall_shares,
    refuse_strangers,
    simulate_answers,
)
from bayeseval.reporting.plots._parts import (
    every,
    styled,
)
from bayeseval.settings import IntervalKind, ci_words, resolve_ci

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayeseval.reporting._figures import PlotFigure


@styled
def plot_predictive(
    posterior: PredictivePosterior,
    judgements: Judgements,
    *,
    by: Literal["annotator"] | None = None,
    criterion: str | None = None,
    most: int = 12,
    draws: int = 200,
    random_seed: int = 0,
    ci_prob: float | None = None,
    ci_kind: IntervalKind | None = None,
) -> "PlotFigure":
    """Draw observed answers as bars, and what the model expects as points with intervals.

    Parameters
    ----------
    posterior : Posterior
        Posterior of any family.
    judgements : Judgements
        The judgements that were fitted.
    by : {"annotator"}, optional
        Draw one panel an annotator, the worst fitting first; all judgements together where left
        out.
    criterion : str, optional
        Use the judgements of one criterion; all where left out.
    most : int
        Draw no more annotators than this.
    draws : int
        Number of simulated tables.
    random_seed : int
        Seed of the simulated answers.
    ci_prob, ci_kind : float, str, optional
        Interval; from `bayeseval.settings` where left out.

    Returns
    -------
    matplotlib.figure.Figure
        Shares by category of the scale, or by bin where answers are numbers.
    """
    refuse_no_posterior(posterior, "plot_predictive")
    refuse_strangers(posterior, judgements)
    ci = resolve_ci(ci_prob, ci_kind)
    if by not in (None, "annotator"):
        raise BayesEvalError(f"by must be 'annotator' or left out; got {by!r}")
    if by == "annotator" and judgements.annotators is None:
        raise BayesEvalError("by='annotator' needs annotators, and these judgements name none")
    rows = criterion_rows(judgements, criterion)
    answers = simulate_answers(posterior, judgements, draws=draws, random_seed=random_seed)
    alarms = (problems_of(posterior), posterior.approximate)
    if by is None:
        return draw_overall(answers, overall_shares(answers, judgements, rows), ci, alarms)
    shares = annotator_shares(answers, judgements, rows)
    return draw_annotators(answers, shares[:most], ci, alarms)


def criterion_rows(judgements: Judgements, criterion: str | None) -> np.ndarray:
    """Return which rows belong to a criterion; all of them for None."""
    if criterion is None:
        return np.ones(judgements.n_rows, dtype=bool)
    known = judgements.criteria or ()
    (chosen,) = choose(criterion, known, "criterion", "these judgements")
    return judgements.codes("criterion") == known.index(chosen)


@styled
def draw_overall(
    answers: Simulated,
    shares: Shares,
    ci: tuple[float, IntervalKind],
    alarms: tuple[tuple[str, ...], str | None],
) -> "PlotFigure":
    """Draw all answers together."""
    import bayeseval.reporting._figures as fig

    figure = fig.PlotFigure(7.0, 3.0)
    axes = figure.subplots()
    _draw_shares(figure, axes, answers, shares, ci, most_ticks=13, whole=True)
    axes.set_ylabel("share of the answers")
    axes.set_xlabel(f"bars: observed; points: expected, {ci_words(*ci)} interval")
    fig.mark(figure, *alarms)
    return figure


@styled
def draw_annotators(
    answers: Simulated,
    shares: Sequence[Shares],
    ci: tuple[float, IntervalKind],
    alarms: tuple[tuple[str, ...], str | None],
) -> "PlotFigure":
    """Draw one panel an annotator."""
    import bayeseval.reporting._figures as fig

    n_columns = min(3, len(shares))
    n_rows = int(np.ceil(len(shares) / n_columns))
    figure = fig.PlotFigure(7.0, 0.6 + 1.55 * n_rows)
    grid = figure.subplots(n_rows, n_columns, squeeze=False, sharey=True).ravel()
    names = shorten([one.name or "" for one in shares], 18)
    for index, (axes, one, name) in enumerate(zip(grid, shares, names, strict=False)):
        _draw_shares(figure, axes, answers, one, ci, most_ticks=6, whole=False, shared=index > 0)
        facts = f" · n {one.n_judgements}, p {one.p_value:.2f}"
        fig.title_label(figure, axes, name, width=18, size=8.5, suffix=facts, whole=one.name)
    for axes in grid[len(shares) :]:
        axes.set_visible(False)
    figure.supxlabel(f"bars: observed; points: expected, {ci_words(*ci)} interval", fontsize=9)
    fig.mark(figure, *alarms)
    return figure


def _draw_shares(
    figure: "PlotFigure",
    axes: "Axes",
    answers: Simulated,
    shares: Shares,
    ci: tuple[float, IntervalKind],
    *,
    most_ticks: int,
    whole: bool,
    shared: bool = False,
) -> None:
    import bayeseval.reporting._figures as fig

    ci_prob, ci_kind = ci
    positions = np.arange(len(answers.labels))
    lower, upper = interval(shares.simulated, ci_prob=ci_prob, ci_kind=ci_kind)
    axes.bar(positions, shares.observed, width=0.8, color=fig.GRID)
    axes.vlines(positions, lower, upper, color=fig.BLUE, linewidth=1.8)
    axes.plot(
        positions,
        shares.simulated.mean(axis=0),
        "o",
        color=fig.BLUE,
        markersize=4 if len(positions) <= 20 else 2,
    )
    highest = float(max(shares.observed.max(), upper.max()))
    axes.set_ylim(0, max(1.06 * highest, axes.get_ylim()[1] if shared else 0))
    axes.set_xlim(-0.6, len(positions) - 0.4)
    # So many ticks that their labels stand side by side, in cells of the axis' font.
    width = 84 if whole else 26
    longest = max(cell_width(label) for label in answers.labels)
    ticks = every(len(positions), min(most_ticks, max(2, width // (longest + 2))))
    room = max(3, width // len(ticks))
    fig.label_ticks(
        figure,
        axes,
        "x",
        ticks,
        [answers.labels[tick] for tick in ticks],
        width=room,
        size=9 if whole else 7.5,
    )
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(visible=True, axis="y", color=fig.GRID, linewidth=0.6)
