"""Stated probabilities before and after leaving annotators out."""

from typing import TYPE_CHECKING

import numpy as np

from bayeseval._checks import checked_kind, counted, some
from bayeseval.comparison._contract import (
    choose,
)
from bayeseval.errors import BayesEvalError
from bayeseval.frequentist import FilterEffect
from bayeseval.reporting.plots._parts import (
    draw_intervals,
    pair_rows,
    styled,
    title,
    within,
)

if TYPE_CHECKING:
    from bayeseval.reporting._figures import PlotFigure


@styled
def plot_filter_effect(effect: FilterEffect, *, criterion: str | None = None) -> "PlotFigure":
    """Draw the mean stated probability of every pair before and after leaving annotators out.

    Parameters
    ----------
    effect : FilterEffect
        What `filter_effect` returned.
    criterion : str, optional
        Criterion; needed where there are several.

    Returns
    -------
    matplotlib.figure.Figure
        One row a pair: the mean of all annotators and, below it, of those whom the filter keeps at
        each τ, from the loosest to the strictest, with t intervals; Figure 5 of the SPA paper.
    """
    import bayeseval.reporting._figures as fig

    checked_kind(
        effect, FilterEffect, function="plot_filter_effect", made_by="filter_effect(judgements)"
    )
    frame = effect.table
    known = tuple(dict.fromkeys(frame["criterion"])) if "criterion" in frame else ()
    chosen = choose(criterion, known, "criterion", "this table")
    if len(chosen) > 1:
        raise BayesEvalError(
            f"one criterion is drawn at a time; say which with criterion=, of {some(known)}"
        )
    if chosen:
        frame = frame[frame["criterion"] == chosen[0]]
    before = frame[frame["tau"].isna()]
    pairs = list(zip(before["system_a"], before["system_b"], strict=True))
    filters = [before, *(own for _, own in frame.groupby("tau", sort=False))]
    figure = fig.PlotFigure(7.0, 1.5 + (0.2 + 0.13 * len(filters)) * max(2, len(pairs)))
    axes = figure.subplots()
    axes.axvline(0.5, color=fig.FAINT, linewidth=0.8)
    colours, markers = (fig.BLUE, fig.VERMILION, fig.GREEN), "osD^v"
    for place, own in enumerate(filters):
        heights = np.arange(len(pairs)) + 0.7 * ((place + 0.5) / len(filters) - 0.5)
        tau, n = float(own["tau"].iloc[0]), int(own["n_annotators"].iloc[0])
        draw_intervals(
            axes,
            heights,
            own,
            colours[place % len(colours)],
            markers[place % len(markers)],
            axis="y",
            label=f"all {counted(n, 'annotator')}" if np.isnan(tau) else f"τ = {tau:g}: {n:,} kept",
        )
    # A t interval of few annotators leaves the range that a probability has.
    within(axes, (0.0, 1.0), "x")
    pair_rows(figure, axes, pairs, "≻")
    axes.set_xlabel(f"P(A ≻ B) as stated: mean, {100 * effect.ci_prob:.10g} % t interval")
    title(figure, axes, criterion or "")
    figure.legend(loc="outside upper right", ncols=min(4, len(filters)))
    return figure
