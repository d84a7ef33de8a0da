"""Plots of a posterior ranking: each returns a figure and shows nothing."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayeseval._checks import counted, some
from bayeseval._tables import cell_width, shorten
from bayeseval.comparison import Comparison
from bayeseval.comparison._contract import (
    Population,
    PosteriorLike,
    choose,
    problems_of,
    quality_draws,
    slices,
    system_labels,
)
from bayeseval.comparison._intervals import interval
from bayeseval.comparison.ranks import order_of, rank_probabilities
from bayeseval.errors import BayesEvalError
from bayeseval.frequentist import FilterEffect
from bayeseval.judgements import Judgements
from bayeseval.ranking import Ranking, RankingPart
from bayeseval.reporting._contract import PredictivePosterior
from bayeseval.reporting._predictive import (
    Shares,
    Simulated,
    annotator_shares,
    overall_shares,
    refuse_strangers,
    simulate_answers,
)
from bayeseval.settings import IntervalKind, ci_words, resolve_ci

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayeseval.reporting._figures import PlotFigure

# More cells than this leave no room for a number in each.
MOST_NUMBERED = 12
MOST_COLUMN_LABELS = 20
COLUMN_LABEL_WIDTH = 18
MOST_THRESHOLDS = 9
SHOWN_OF_MANY_THRESHOLDS = 5


def _styled[**P, R](draw: Callable[P, R]) -> Callable[P, R]:
    """Draw in the house style, and leave the caller's matplotlib settings as they were."""

    @wraps(draw)
    def styled(*args: P.args, **kwargs: P.kwargs) -> R:
        import matplotlib as mpl

        from bayeseval.reporting._figures import STYLE

        with mpl.rc_context(STYLE):
            return draw(*args, **kwargs)

    return styled


def _one_part(ranking: Ranking, criterion: str | None, level: str | None) -> RankingPart:
    chosen = ranking.select(criterion=criterion, level=level)
    if len(chosen) != 1:
        raise BayesEvalError(
            f"one ranking is drawn at a time, and this one has {len(chosen)}; say which with "
            f"criterion= (of {some(chosen.criteria) or 'none'}) or level= (of "
            f"{some(chosen.levels) or 'none'})"
        )
    return chosen.parts[0]


def _every(n_values: int, most: int) -> list[int]:
    """Choose at most ``most`` of 0 … n−1, evenly and with both ends where they fit."""
    step = max(1, int(np.ceil((n_values - 1) / max(1, most - 1))))
    return list(range(0, n_values, step))


@_styled
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
    right.set_xticks([1 + index for index in _every(n_systems, 8)])
    left.set_ylim(n_systems - 0.5, -0.5)
    fig.label_ticks(figure, left, "y", rows.tolist(), part.systems)
    right.tick_params(axis="y", length=0)
    _title(figure, left, part.where(ranking.by))
    fig.mark(figure, ranking.problems, ranking.approximate)
    return figure


def _title(figure: "PlotFigure", axes: "Axes", where: str) -> None:
    import bayeseval.reporting._figures as fig

    if where:
        fig.title_label(figure, axes, where, width=60)


@_styled
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

    part = _one_part(ranking, criterion, level)
    shares = part.distribution.to_numpy()
    figure, axes = _matrix(shares, shares / shares.max(), part.systems)
    ticks = _every(len(part.systems), 13)
    axes.set_xticks(ticks, labels=[str(tick + 1) for tick in ticks])
    axes.set_xlabel(f"rank (1 = best); strongest colour = {shares.max():.2f}")
    _title(figure, axes, part.where(ranking.by))
    fig.mark(figure, ranking.problems, ranking.approximate)
    return figure


def _matrix(
    values: np.ndarray, strength: np.ndarray, rows: Sequence[str], *, below: float = 0.0
) -> "tuple[PlotFigure, Axes]":
    """Draw cells whose opacity is their strength (blue; vermilion where negative).

    Opacity, not a colour map, so that the same image suits light and dark pages.
    """
    from matplotlib.colors import to_rgb

    import bayeseval.reporting._figures as fig

    n_rows, n_columns = values.shape
    cell = float(np.clip(5.2 / n_columns, 0.12, 0.45))
    figure = fig.PlotFigure(
        float(np.clip(1.9 + cell * n_columns, 4.5, 9.5)),
        0.8 + below + max(0.16, min(cell, 0.3)) * n_rows,
    )
    axes = figure.subplots()
    image = np.empty((n_rows, n_columns, 4))
    image[..., :3] = np.where(strength[..., None] < 0, to_rgb(fig.VERMILION), to_rgb(fig.BLUE))
    image[..., 3] = np.abs(strength)
    axes.imshow(image, aspect="auto", interpolation="none")
    if n_columns <= MOST_NUMBERED:
        for row in range(n_rows):
            for column in range(n_columns):
                value = values[row, column]
                # A cell too improbable to print two digits of stays empty.
                if np.isfinite(value) and value >= 0.005:
                    strong = abs(strength[row, column]) > 0.6
                    axes.text(
                        column,
                        row,
                        f"{value:.2f}".removeprefix("0") if value < 0.995 else "1.0",
                        ha="center",
                        va="center",
                        fontsize=8,
                        color="white" if strong else fig.INK,
                    )
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    fig.label_ticks(figure, axes, "y", range(n_rows), rows, size=9 if n_rows <= 30 else 7.5)
    axes.tick_params(axis="x", length=0)
    return figure, axes


@_styled
def plot_win_probability(
    posterior: PosteriorLike,
    *,
    criterion: str | None = None,
    by: str | None = None,
    level: str | None = None,
    population: Population = "new",
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
    population : {"new", "observed"}
        Average over new annotators and items, or over those in the data.

    Returns
    -------
    matplotlib.figure.Figure
        Posterior means; blue above one half, vermilion below; systems by expected rank.
    """
    chosen = {"criterion": criterion, "by": by, "level": level}
    qualities = list(slices(posterior, quality_draws(posterior, by), ("system",), **chosen))
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


@_styled
def draw_comparison(comparison: Comparison, systems: Sequence[str]) -> "PlotFigure":
    """Draw the win probabilities of a comparison of all pairs, without asking for them again."""
    position = {label: index for index, label in enumerate(systems)}
    means = np.full((len(systems), len(systems)), np.nan)
    table = comparison.table
    a, b = table["system_a"].map(position), table["system_b"].map(position)
    means[a, b] = table["estimate"]
    means[b, a] = 1 - table["estimate"]
    return _win_matrix(means, systems, "", (comparison.problems, comparison.approximate))


@_styled
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
        _draw_intervals(axes, rows, frame, fig.BLUE, "o", axis="y")
        _pair_rows(figure, axes, pairs, between)
        axes.set_xlabel(f"{_estimate_words(comparison)}: {words}")
        where = ([criterion] if criterion else []) + ([f"{comparison.by} {level}"] if level else [])
        _title(figure, axes, ", ".join(where))
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
        _draw_intervals(axes, np.arange(len(own)), own, fig.BLUE, "o", axis="x")
        short = f" {between} ".join(shorten([a, b], 13))
        fig.title_label(figure, axes, short, width=30, size=8.5, whole=f"{a} {between} {b}")
        axes.grid(visible=True, axis="y", color=fig.GRID, linewidth=0.6)
        axes.tick_params(axis="y", labelsize=8)
        axes.set_xlim(-0.5, len(levels) - 0.5)
        ticks = _every(len(levels), 8)
        chosen = [levels[tick] for tick in ticks]
        fig.label_ticks(figure, axes, "x", ticks, chosen, width=10, size=8)
    for index, axes in enumerate(grid):
        axes.set_visible(index < len(pairs))
        # The lowest panel of each column has the labels of all.
        axes.tick_params(axis="x", labelbottom=index + n_columns >= len(pairs))
    figure.supylabel(_estimate_words(comparison), fontsize=9)
    return figure


def _estimate_words(comparison: Comparison) -> str:
    if comparison.quantity == "win_probability":
        return "P(A ≻ B)"
    return comparison.title if comparison.of_pairs else f"{comparison.title}, A − B"


@_styled
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

    if not isinstance(effect, FilterEffect):
        raise BayesEvalError(
            "plot_filter_effect draws what filter_effect(judgements) returned; found "
            f"{type(effect).__name__}"
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
        _draw_intervals(
            axes,
            heights,
            own,
            colours[place % len(colours)],
            markers[place % len(markers)],
            axis="y",
            label=f"all {counted(n, 'annotator')}" if np.isnan(tau) else f"τ = {tau:g}: {n:,} kept",
        )
    _pair_rows(figure, axes, pairs, "≻")
    axes.set_xlabel(f"P(A ≻ B) as stated: mean, {100 * effect.ci_prob:.10g} % t interval")
    _title(figure, axes, criterion or "")
    figure.legend(loc="outside upper right", ncols=min(4, len(filters)))
    return figure


def _pair_rows(
    figure: "PlotFigure", axes: "Axes", pairs: Sequence[tuple[str, str]], between: str
) -> None:
    """Name the pairs at the left of their rows, the first at the top."""
    import bayeseval.reporting._figures as fig

    axes.set_ylim(len(pairs) - 0.5, -0.5)
    # Each of the two names is cut by itself, so that both can be told.
    names = shorten([label for pair in pairs for label in pair], 18)
    short = [f"{a} {between} {b}" for a, b in zip(names[::2], names[1::2], strict=True)]
    whole = [f"{a} {between} {b}" for a, b in pairs]
    fig.label_ticks(figure, axes, "y", range(len(pairs)), short, width=40, size=8.5, whole=whole)
    axes.grid(visible=True, axis="x", color=fig.GRID, linewidth=0.6)
    axes.spines["left"].set_visible(False)


def _draw_reference(axes: "Axes", comparison: Comparison, *, axis: Literal["x", "y"]) -> None:
    import bayeseval.reporting._figures as fig

    line, span = (axes.axvline, axes.axvspan) if axis == "x" else (axes.axhline, axes.axhspan)
    line(comparison.reference, color=fig.FAINT, linewidth=0.8)
    if comparison.rope is not None:
        span(*comparison.rope, color=fig.BAND, linewidth=0, zorder=0)


def _draw_intervals(
    axes: "Axes",
    places: np.ndarray,
    frame: "pd.DataFrame",
    colour: str,
    marker: str,
    *,
    axis: Literal["x", "y"],
    label: str | None = None,
) -> None:
    """Draw means with intervals at places along an axis; grey where only the prior speaks."""
    import bayeseval.reporting._figures as fig

    middle = frame["mean" if "mean" in frame else "estimate"].to_numpy(dtype=float)
    lower, upper = frame["lower"].to_numpy(dtype=float), frame["upper"].to_numpy(dtype=float)
    linked = frame["linked"].to_numpy() if "linked" in frame else np.ones(len(frame), dtype=bool)
    for own, shade in ((linked, colour), (~linked, fig.FAINT)):
        if own.any():
            draw = axes.hlines if axis == "y" else axes.vlines
            draw(places[own], lower[own], upper[own], color=shade, linewidth=1.8)
            points = (middle[own], places[own]) if axis == "y" else (places[own], middle[own])
            axes.plot(*points, marker, color=shade, markersize=4.5, label=label)


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
    figure, axes = _matrix(means, np.nan_to_num(2 * means - 1), labels, below=below)
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
    _title(figure, axes, where)
    fig.mark(figure, *alarms)
    return figure


@_styled
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
    where = [criterion] if criterion else []
    if len(shown) < len(order):
        where.append(f"{len(shown)} of {len(order)}: the harshest and the most lenient")
    _title(figure, grid[0], "; ".join(where))
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


@_styled
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


@_styled
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


@_styled
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
    ticks = _every(len(positions), min(most_ticks, max(2, width // (longest + 2))))
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
