"""Contrasts of pairs with their intervals."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayeseval._checks import checked_kind, some
from bayeseval._text import shorten
from bayeseval.comparison import Comparison
from bayeseval.comparison._contract import (
    choose,
)
from bayeseval.errors import BayesEvalError
from bayeseval.reporting.plots._parts import (
    draw_intervals,
    every,
    pair_rows,
    styled,
    title,
    within,
)
from bayeseval.settings import ci_words

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayeseval.reporting._figures import PlotFigure


@styled
def plot_comparison(
    comparison: Comparison,
    *,
    criterion: str | None = None,
    level: str | None = None,
    most: int = 12,
) -> "PlotFigure":
    """Draw the contrasts of a comparison with their intervals.

    One row a pair; of a comparison within the levels of a moderator, ``compare(posterior, pairs,
    by="seen")``, one panel a pair with the levels across, as in Figure 1 of the SPA paper.

    Parameters
    ----------
    comparison : Comparison
        What `compare` returned.
    criterion : str, optional
        Criterion; needed where there are several.
    level : str, optional
        One level of the moderator: its pairs in rows, instead of panels.
    most : int
        Draw no more panels than this.

    Returns
    -------
    matplotlib.figure.Figure
        Posterior means and intervals. The line is where A and B are alike, the shade the region of
        practical equivalence. Grey: pairs of systems that no chain of comparisons links, of which
        only the prior speaks.
    """
    import bayeseval.reporting._figures as fig

    checked_kind(comparison, Comparison, function="plot_comparison", made_by="compare(posterior)")
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise BayesEvalError(f"most must be a whole number of at least 1; got {most!r}")
    frame = _one_kind(comparison, criterion, level)
    words = f"posterior mean, {ci_words(comparison.ci_prob, comparison.ci_kind)} interval"
    between = "≻" if comparison.of_pairs else "−"
    pairs = list(dict.fromkeys(zip(frame["system_a"], frame["system_b"], strict=True)))
    if "level" in frame and level is None:
        figure = _level_panels(comparison, frame, pairs[:most], between)
        left_out = f"; {most} of {len(pairs)} pairs" if len(pairs) > most else ""
        fig.label_figure(figure, comparison.by or "", f": {words}{left_out}")
    else:
        figure = fig.PlotFigure(7.0, 0.9 + 0.27 * max(2, len(frame)))
        axes = figure.subplots()
        rows = np.arange(len(frame))
        _draw_reference(axes, comparison, axis="x")
        draw_intervals(axes, rows, frame, fig.BLUE, "o", axis="y")
        pair_rows(figure, axes, pairs, between)
        axes.set_xlabel(f"{_estimate_words(comparison)}: {words}")
        within(axes, _bounds(comparison), "x")
        where = ([criterion] if criterion else []) + ([f"{comparison.by} {level}"] if level else [])
        title(figure, axes, ", ".join(where))
    fig.mark(figure, comparison.problems, comparison.approximate)
    return figure


def _one_kind(comparison: Comparison, criterion: str | None, level: str | None) -> "pd.DataFrame":
    """Return the rows of one criterion, and of one level where it was asked for."""
    frame = comparison.table
    for name, asked in (("criterion", criterion), ("level", level)):
        known = tuple(dict.fromkeys(frame[name])) if name in frame else ()
        chosen = choose(asked, known, name, "this comparison")
        if name == "criterion" and len(chosen) > 1:
            raise BayesEvalError(
                f"one criterion is drawn at a time; say which with criterion=, of {some(known)}"
            )
        if asked is not None:
            frame = frame[frame[name] == asked]
    return frame


def _level_panels(
    comparison: Comparison,
    frame: "pd.DataFrame",
    pairs: Sequence[tuple[str, str]],
    between: str,
) -> "PlotFigure":
    import bayeseval.reporting._figures as fig

    levels = list(dict.fromkeys(frame["level"]))
    n_columns = min(3, len(pairs))
    n_rows = int(np.ceil(len(pairs) / n_columns))
    figure = fig.PlotFigure(7.0, 0.8 + 1.7 * n_rows)
    grid = figure.subplots(n_rows, n_columns, squeeze=False, sharey=True).ravel()
    for axes, (a, b) in zip(grid, pairs, strict=False):
        own = frame[(frame["system_a"] == a) & (frame["system_b"] == b)]
        _draw_reference(axes, comparison, axis="y")
        draw_intervals(axes, np.arange(len(own)), own, fig.BLUE, "o", axis="x")
        within(axes, _bounds(comparison), "y")
        short = f" {between} ".join(shorten([a, b], 13))
        fig.title_label(figure, axes, short, width=30, size=8.5, whole=f"{a} {between} {b}")
        axes.grid(visible=True, axis="y", color=fig.GRID, linewidth=0.6)
        axes.tick_params(axis="y", labelsize=8)
        axes.set_xlim(-0.5, len(levels) - 0.5)
        ticks = every(len(levels), 8)
        chosen = [levels[tick] for tick in ticks]
        fig.label_ticks(figure, axes, "x", ticks, chosen, width=10, size=8)
    for index, axes in enumerate(grid):
        axes.set_visible(index < len(pairs))
        # The lowest panel of each column has the labels of all.
        axes.tick_params(axis="x", labelbottom=index + n_columns >= len(pairs))
    figure.supylabel(_estimate_words(comparison), fontsize=9)
    return figure


def _draw_reference(axes: "Axes", comparison: Comparison, *, axis: Literal["x", "y"]) -> None:
    import bayeseval.reporting._figures as fig

    line, span = (axes.axvline, axes.axvspan) if axis == "x" else (axes.axhline, axes.axhspan)
    line(comparison.reference, color=fig.FAINT, linewidth=0.8)
    if comparison.rope is not None:
        span(*comparison.rope, color=fig.BAND, linewidth=0, zorder=0)


def _estimate_words(comparison: Comparison) -> str:
    if comparison.quantity == "win_probability":
        return "P(A wins)"
    return comparison.title if comparison.of_pairs else f"{comparison.title}, A − B"


def _bounds(comparison: Comparison) -> tuple[float, float] | None:
    """Return the range of the contrasts where they are probabilities."""
    if comparison.unit != "probability":
        return None
    return (0.0, 1.0) if comparison.reference > 0 else (-1.0, 1.0)
