"""Make the README's figure and the output that Start shows: ``python docs/make_figure.py``.

Both come from ``bayeseval demo``; with a folder as argument, from a demonstration already there.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import bayeseval as be

STATIC = Path(__file__).parent / "_static"


def draw(folder: Path) -> None:
    """Draw and print the ranking of the demonstration in a folder."""
    ranking = be.rank(be.load(folder / "posterior.nc"))
    be.plot_ranking(ranking).savefig(STATIC / "ranking.png", dpi=160, bbox_inches="tight")
    (STATIC / "demo.txt").write_text(f"{ranking}\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run(["bayeseval", "demo", "--out", scratch], check=True)
            draw(Path(scratch))
