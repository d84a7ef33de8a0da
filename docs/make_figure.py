"""Draw the README's figure from the demonstration: ``python docs/make_figure.py``."""

import sys
import tempfile
from pathlib import Path

import bayeseval as be
from bayeseval.cli import main

FIGURE = Path(__file__).parent / "_static" / "ranking.png"


def draw(folder: Path) -> None:
    """Run the demonstration in a folder and draw its ranking."""
    try:
        main(["demo", "--output", str(folder)])
    except SystemExit as ended:
        if ended.code:
            raise
    posterior = be.load(folder / "posterior.nc")
    be.plot_ranking(be.rank(posterior)).savefig(FIGURE, dpi=160, bbox_inches="tight")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        draw(Path(sys.argv[1] if len(sys.argv) > 1 else scratch))
