"""Draw the layers of the package, from the contract and the graph of the import linter.

``python -m tests.layers`` writes ``docs/_static/layers.svg``: a row a package or module with its
lines, the highest layer first; in the row, how many of its modules' imports are of each other one.
Everything stands right of the diagonal, because imports run one way.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import grimp
import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "_static" / "layers.svg"
INK, BAND, CELL = "#1b2a41", "#eef2f8", "#9db7dd"


def layers() -> list[list[str]]:
    """Return the layers of the contract in pyproject.toml, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    rows = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [
        [name.strip().removeprefix("bayeseval.") for name in row.replace("|", ":").split(":")]
        for row in rows
    ]


def lines(name: str) -> int:
    """Count the lines of a package or module."""
    folder = ROOT / "bayeseval" / name
    files = folder.rglob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def imports(names: list[str]) -> Counter[tuple[str, str]]:
    """Count the imports between packages: modules that import, times modules that they import."""
    graph = grimp.build_graph("bayeseval")
    counted: Counter[tuple[str, str]] = Counter()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            pair = tuple(path.split(".")[1] if "." in path else "" for path in (module, imported))
            if pair[0] != pair[1] and set(pair) <= set(names):
                counted[pair[0], pair[1]] += 1
    return counted


def draw() -> Figure:
    """Draw the picture."""
    rows = layers()
    names = [name for row in rows for name in row]
    counted = imports(names)
    figure = Figure(figsize=(9, 6.4))
    axes: Axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-5.6, len(names) + 0.1), ylim=(len(names) - 0.4, -2.9))
    axes.axis("off")
    first = 0
    for level, row in enumerate(rows):
        if level % 2 == 0:
            axes.axhspan(first - 0.5, first + len(row) - 0.5, color=BAND)
        first += len(row)
    for at, name in enumerate(names):
        axes.text(-5.4, at, name, va="center", color=INK, fontsize=11)
        axes.text(-0.8, at, f"{lines(name):,} lines", va="center", ha="right", color=INK)
        axes.text(at, -0.7, name, rotation=45, ha="left", va="bottom", color=INK)
        axes.add_patch(Rectangle((at - 0.5, at - 0.5), 1, 1, color=INK))
    for (importer, imported), count in counted.items():
        column, row_at = names.index(imported), names.index(importer)
        axes.add_patch(Rectangle((column - 0.45, row_at - 0.45), 0.9, 0.9, color=CELL))
        axes.text(column, row_at, str(count), ha="center", va="center", color=INK)
    return figure


if __name__ == "__main__":
    mpl.rcParams["svg.hashsalt"] = "bayeseval"
    draw().savefig(PICTURE, metadata={"Date": None})
