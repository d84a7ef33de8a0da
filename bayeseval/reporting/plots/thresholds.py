"""How annotators use the scale."""

from typing import TYPE_CHECKING

import numpy as np

from bayeseval._checks import some
from bayeseval.comparison._contract import (
    PosteriorLike,
    choose,
    problems_of,
    refuse_no_posterior,
)
from bayeseval.comparison._intervals import interval
from bayeseval.errors import BayesEvalError
from bayeseval.reporting.plots._parts import (
    styled,
    title,
)
from bayeseval.settings import IntervalKind, ci_words, resolve_ci

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayeseval.reporting._figures import PlotFigure

MOST_THRESHOLDS = 9
SHOWN_OF_MANY_THRESHOLDS = 5


@styled
def plot_thresholds(
    posterior: PosteriorLike,
    *,
    criterion: str | None = None,
    most: int = 40,
    ci_prob: float | None = None,
    ci_kind: IntervalKind | None = None,
) -> "PlotFigure":
    """Draw how the annotators use the scale: severity, and where each puts the thresholds.

    Parameters
    ----------
    posterior : Posterior
        Posterior with ``severity``, ``thresholds`` or both.
    criterion : str, optional
        Criterion; needed where these differ by criterion.
    most : int
        Draw no more annotators than this: the harshest and the most lenient.
    ci_prob, ci_kind : float, str, optional
        Interval; from `bayeseval.settings` where left out.

    Returns
    -------
    matplotlib.figure.Figure
        One row an annotator, the most severe first.
    """
    import bayeseval.reporting._figures as fig

    refuse_no_posterior(posterior, "plot_thresholds")
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise BayesEvalError(f"most must be a whole number of at least 1; got {most!r}")
    ci_prob, ci_kind = resolve_ci(ci_prob, ci_kind)
    severity, thresholds, labels = _threshold_draws(posterior, criterion)
    # The mean threshold is the severity up to a constant, where severity itself is not there.
    levels = next(a for a in (severity, thresholds) if a is not None).mean(axis=0)
    order = np.argsort(-levels.reshape(len(labels), -1).mean(axis=1), kind="stable")
    shown = order
    if len(order) > most:
        shown = np.concatenate([order[: (most + 1) // 2], order[len(order) - most // 2 :]])
    rows = np.arange(len(shown))
    figure = fig.PlotFigure(7.0, 1.0 + 0.2 * max(3, len(shown)))
    panels = [draws for draws in (severity, thresholds) if draws is not None]
    grid = figure.subplots(
        1, len(panels), sharey=True, squeeze=False, width_ratios=[2, 3][: len(panels)]
    )[0]
    words = ci_words(ci_prob, ci_kind)
    for axes, draws in zip(grid, panels, strict=True):
        if draws is severity:
            lower, upper = interval(draws[:, shown], ci_prob=ci_prob, ci_kind=ci_kind)
            axes.axvline(0, color=fig.FAINT, linewidth=0.8)
            axes.hlines(rows, lower, upper, color=fig.BLUE, linewidth=1.6)
            axes.plot(draws[:, shown].mean(axis=0), rows, "o", color=fig.BLUE, markersize=4)
            axes.set_xlabel(f"severity, {words} interval")
        else:
            _draw_thresholds(axes, draws[:, shown], rows, ci_prob, ci_kind)
        axes.grid(visible=True, axis="x", color=fig.GRID, linewidth=0.6)
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        if len(shown) < len(order):
            axes.axhline((most + 1) // 2 - 0.5, color=fig.FAINT, linewidth=0.8, linestyle=":")
    grid[0].set_ylim(len(shown) - 0.5, -0.5)
    grid[0].set_ylabel("annotator")
    fig.label_ticks(figure, grid[0], "y", rows.tolist(), [labels[i] for i in shown], size=8)
    where = [str(criterion)] if criterion else []
    if len(shown) < len(order):
        where.append(f"{len(shown)} of {len(order)}: the harshest and the most lenient")
    title(figure, grid[0], "; ".join(where))
    fig.mark(figure, problems_of(posterior), posterior.approximate)
    return figure


def has_annotator_scale(posterior: PosteriorLike) -> bool:
    """Say whether there is anything about annotators to draw."""
    variables = posterior.data["posterior"].to_dataset()
    return any(
        name in variables and "annotator" in variables[name].dims
        for name in ("severity", "thresholds")
    )


def _threshold_draws(
    posterior: PosteriorLike, criterion: str | None
) -> tuple[np.ndarray | None, np.ndarray | None, tuple[str, ...]]:
    variables = posterior.data["posterior"].to_dataset()
    found: dict[str, np.ndarray | None] = {"severity": None, "thresholds": None}
    labels: tuple[str, ...] = ()
    for name in found:
        if name not in variables or "annotator" not in variables[name].dims:
            continue
        array = variables[name]
        if "criterion" in array.dims:
            known = tuple(str(label) for label in array["criterion"].values)
            chosen = choose(criterion, known, "criterion", "this posterior")
            if len(chosen) > 1:
                raise BayesEvalError(
                    f"{name} differs by criterion; say which with criterion=, one of {some(known)}"
                )
            array = array.sel(criterion=list(chosen)).squeeze("criterion")
        labels = tuple(str(label) for label in array["annotator"].values)
        dims = ("annotator", "threshold") if name == "thresholds" else ("annotator",)
        values = array.transpose("chain", "draw", *dims).values
        found[name] = values.reshape(-1, *values.shape[2:])
    if not labels:
        raise BayesEvalError(
            "this posterior has neither 'severity' nor 'thresholds' by annotator: annotators were "
            "not modelled, or the judgements name none"
        )
    return found["severity"], found["thresholds"], labels


def _draw_thresholds(
    axes: "Axes", draws: np.ndarray, rows: np.ndarray, ci_prob: float, ci_kind: IntervalKind
) -> None:
    import bayeseval.reporting._figures as fig

    n_thresholds = draws.shape[-1]
    chosen = list(range(n_thresholds))
    if n_thresholds > MOST_THRESHOLDS:
        ends = np.linspace(0, n_thresholds - 1, SHOWN_OF_MANY_THRESHOLDS)
        chosen = ends.round().astype(int).tolist()
    colours = (fig.BLUE, fig.VERMILION, fig.GREEN)
    markers = "osD^v"
    for position, index in enumerate(chosen):
        one = draws[..., index]
        lower, upper = interval(one, ci_prob=ci_prob, ci_kind=ci_kind)
        colour = colours[position % len(colours)]
        # A little apart, so that the intervals of one annotator do not hide one another.
        heights = rows + 0.5 * ((position + 0.5) / len(chosen) - 0.5)
        axes.hlines(heights, lower, upper, color=colour, linewidth=1, alpha=0.7)
        marker = markers[position % len(markers)]
        axes.plot(one.mean(axis=0), heights, marker, color=colour, markersize=3.5)
    few = "" if len(chosen) == n_thresholds else f"{len(chosen)} of the {n_thresholds} "
    axes.set_xlabel(f"{few}thresholds (right = harder to reach)")
