"""Where HUSE's figures are drawn."""

from typing import TYPE_CHECKING

from bayeseval.errors import DesignError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def canvas(axes: "Axes | None") -> "tuple[Figure, Axes]":
    if axes is not None:
        figure = axes.get_figure(root=True)
        if figure is None:
            raise DesignError("axes= belongs to no figure.")
        return figure, axes
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 4.5), layout="constrained")
    return figure, figure.add_subplot()
