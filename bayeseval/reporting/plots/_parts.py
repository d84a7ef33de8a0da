"""What figures share: the house style, titles, rows of pairs, cells of a matrix."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayeseval._text import shorten

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayeseval.reporting._figures import PlotFigure

# More cells than this leave no room for a number in each.
MOST_NUMBERED = 12


def styled[**P, R](draw: Callable[P, R]) -> Callable[P, R]:
    """Draw in the house style, and leave the caller's matplotlib settings as they were."""

    @wraps(draw)
    def styled(*args: P.args, **kwargs: P.kwargs) -> R:
        import matplotlib as mpl

        from bayeseval.reporting._figures import STYLE

        with mpl.rc_context(STYLE):
            return draw(*args, **kwargs)

    return styled


def title(figure: "PlotFigure", axes: "Axes", where: str) -> None:
    """Say above the axes which criterion and level they show, where there are several."""
    import bayeseval.reporting._figures as fig

    if where:
        fig.title_label(figure, axes, where, width=60)


def every(n_values: int, most: int) -> list[int]:
    """Choose at most ``most`` of 0 … n−1, evenly and with both ends where they fit."""
    step = max(1, int(np.ceil((n_values - 1) / max(1, most - 1))))
    return list(range(0, n_values, step))


def pair_rows(
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


def draw_intervals(
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


def matrix(
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
                        f"{value:.2f}".removeprefix("0") if value < 0.995 else ">.99",
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


def within(axes: "Axes", bounds: tuple[float, float] | None, axis: Literal["x", "y"]) -> None:
    """Keep an axis within the range that its quantity has."""
    if bounds is None:
        return
    low, high = axes.get_xlim() if axis == "x" else axes.get_ylim()
    (axes.set_xlim if axis == "x" else axes.set_ylim)(max(low, bounds[0]), min(high, bounds[1]))
