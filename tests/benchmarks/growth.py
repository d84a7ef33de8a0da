"""Print how time and memory grow with the number of judgements.

Run ``python -m tests.benchmarks.growth [PART …] [--quick] [--write]``. Each size has a process of
its own, so that its peak of memory is its own. Nothing here is a test: on a busy machine the
seconds are wrong; the exponents suffer less, as all sizes suffer alike.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks._measure import medians
from tests.benchmarks._page import Table, machine, page, versions
from tests.benchmarks._peers.processes import answer_line, first_error, progress, run_limited
from tests.benchmarks._peers.programs import environment

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "growth.md"
COMMAND = "python -m tests.benchmarks.growth"
SEED = 20260101
CHAINS = 2
LIMIT = 3600.0
DEFAULT_DRAWS = 4 * 2000
"""Draws of a fit with the defaults, warm-up included."""
LIBRARIES = ("bayeseval", "nutpie", "numba", "numpy")
ABOUT = """

Reading is from a data frame to judgements. A gradient is one evaluation of the compiled log
density with its gradient, in one thread. A fit is the pilot chain, warm-up, draws and
diagnosis, with fewer draws than the defaults. Steps are gradients a draw, after warm-up. The
peak of memory is that of the process, with Python and its libraries (some 400 MiB) and the
simulated data frame."""


@dataclass(frozen=True)
class Size:
    """How many of what is varied, and how long it is sampled; 0 draws for not at all."""

    n: int
    tune: int
    draws: int


@dataclass(frozen=True)
class Part:
    """One protocol in several sizes, the smallest first."""

    title: str
    varied: str
    sizes: tuple[Size, ...]
    quick: tuple[Size, ...]


LONG, SHORT, NOT = (300, 200), (40, 20), (0, 0)
TRY = (40, 20)
PARTS = {
    "likert": Part(
        "Likert: 100 ratings of each annotator (20 systems × 5 items), thresholds of their own",
        "annotators",
        (Size(100, *LONG), Size(1_000, *LONG), Size(10_000, *NOT)),
        (Size(10, *TRY), Size(40, *TRY), Size(100, *NOT)),
    ),
    "spa": Part(
        "SPA: every annotator asked about the 45 pairs of 10 systems",
        "annotators",
        (Size(50, *LONG), Size(500, *LONG), Size(5_000, *NOT)),
        (Size(5, *TRY), Size(20, *TRY)),
    ),
    "strength": Part(
        "Strength: 280 answers on a slider of each annotator (28 pairs of 8 systems × 10 items)",
        "annotators",
        (Size(36, *LONG), Size(357, *LONG), Size(3_572, *NOT)),
        (Size(4, *TRY), Size(12, *TRY)),
    ),
    "pairwise": Part(
        "Pairwise: 1,000 votes with ties for every system, between random pairs",
        "systems",
        (Size(10, *LONG), Size(100, *LONG), Size(1_000, *SHORT)),
        (Size(5, *TRY), Size(20, *TRY)),
    ),
}


def simulated(part: str, n: int) -> tuple[Any, Callable[[Any], Any], Any]:
    """Return a frame of simulated judgements, what reads it, and the family."""
    import bayeseval as be
    from tests.benchmarks.pairwise import read, votes

    if part == "pairwise":
        return votes(n, 1_000 * n, SEED)[0], read, be.BradleyTerry()
    if part == "likert":
        drawn = be.simulate_likert(
            n_annotators=n, n_systems=20, n_items=5, thresholds="free", random_seed=SEED
        )
        columns = {"system": "system", "item": "item", "rating": "rating", "scale": (1, 5)}
        family = be.OrdinalProbit()
    elif part == "spa":
        drawn = be.simulate_spa(
            n_annotators=n, n_systems=10, both_directions=False, random_seed=SEED
        )
        columns = {"probability": "probability", "bounds": (0, 1)}
        family = be.OrderedBeta()
    else:
        drawn = be.simulate_strength(
            n_annotators=n,
            n_systems=8,
            n_items=10,
            response="ordered_beta",
            bound=100,
            random_seed=SEED,
        )
        columns = {"item": "item", "strength": "strength", "bounds": 100, "positive": "a"}
        family = be.PreferenceStrength(response="ordered_beta")
    if part != "likert":
        columns |= {"system_a": "system_a", "system_b": "system_b"}
    table = type(drawn.judgements)
    read_frame = partial(table.from_frame, annotator="annotator", **columns)
    return drawn.judgements.to_frame(), read_frame, family


def run_size(part: str, size: Size) -> dict[str, Any]:
    """Read, evaluate the density, fit; return what it took."""
    import numpy as np

    import bayeseval as be

    frame, read, family = simulated(part, size.n)
    before = time.perf_counter()
    table = read(frame)
    n_rows, seconds = len(frame), time.perf_counter() - before
    del frame
    simulating = peak()
    declaration = family.declare(table)
    density = family.density(declaration, family.cells(declaration, table))
    x = family.start(declaration, density.cells, np.random.default_rng(SEED))
    call = partial(density, x)
    call()
    gradient = medians({"gradient": call}, seconds=2.0)["gradient"]
    n_parameters = density.n_parameters
    del density
    found = {
        "rows": n_rows,
        "parameters": n_parameters,
        "read": seconds,
        "gradient": gradient,
        "before": simulating,
    }
    warnings.simplefilter("ignore", be.ConvergenceWarning)
    if part == "pairwise":
        before = time.perf_counter()
        be.fit(table, family, method="laplace", random_seed=SEED, progressbar=False)
        found["laplace"] = time.perf_counter() - before
    if not size.draws:
        return {**found, "peak": peak()}
    before = time.perf_counter()
    posterior = be.fit(
        table,
        family,
        tune=size.tune,
        draws=size.draws,
        chains=CHAINS,
        random_seed=SEED,
        progressbar=False,
    )
    steps = posterior.data["sample_stats"].to_dataset()["n_steps"]
    return {
        **found,
        "fit": time.perf_counter() - before,
        "sample": posterior.settings.seconds["sample"],
        "steps": float(steps.mean()),
        "peak": peak(),
    }


def peak() -> float:
    """Return the largest memory of the process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def exponent(found: Sequence[dict[str, Any]], what: str) -> str:
    """Return the exponent of growth with the rows, between the two largest sizes."""
    before, last = found[-2:]
    return f"{math.log(last[what] / before[what]) / math.log(last['rows'] / before['rows']):.2f}"


def table_of(part: Part, sizes: Sequence[Size], found: Sequence[dict[str, Any]]) -> Table:
    """Put the sizes of one protocol in a table."""
    header = (
        part.varied,
        "judgements",
        "parameters",
        "read s",
        "gradient ms",
        "ns a judgement",
        "draws",
        "steps a draw",
        "fit s",
        "peak MiB",
    )
    rows = [
        (
            f"{size.n:,}",
            f"{each['rows']:,}",
            f"{each['parameters']:,}",
            f"{each['read']:.2f}",
            f"{1e3 * each['gradient']:.2f}",
            f"{1e9 * each['gradient'] / each['rows']:.0f}",
            f"{CHAINS} × ({size.tune} + {size.draws})" if size.draws else "not sampled",
            f"{each['steps']:.0f}" if size.draws else "",
            f"{each['fit']:.1f}" if size.draws else "",
            f"{each['peak']:,.0f}",
        )
        for size, each in zip(sizes, found, strict=True)
    ]
    grown = [f"{what} {exponent(found, what)}" for what in ("read", "gradient")]
    remarks = [f"Exponents of growth between the last two: {', '.join(grown)}."]
    if "laplace" in found[-1]:
        told = ", ".join(f"{each['laplace']:.2f} s" for each in found)
        remarks.append(f'`method="laplace"`, 4,000 draws: {told}.')
    remarks.append(projection(found))
    return Table(part.title, header, tuple(rows), tuple(remarks))


def projection(found: Sequence[dict[str, Any]]) -> str:
    """Say what a fit of the largest size with the defaults would take."""
    last, sampled = found[-1], [each for each in found if "steps" in each][-1]
    # The step size of a sampler falls with the fourth root of the dimension (Beskos, Pillai,
    # Roberts, Sanz-Serna & Stuart 2013, doi:10.3150/12-BEJ414).
    steps = sampled["steps"] * (last["parameters"] / sampled["parameters"]) ** 0.25
    minutes = DEFAULT_DRAWS * steps * last["gradient"] / (os.cpu_count() or 1) / 60
    took = f"{minutes / 60:.1f} hours" if minutes > 90 else f"{minutes:.1f} minutes"
    memory = DEFAULT_DRAWS / 2 * last["parameters"] * 8 / 2**30
    return (
        f"The largest with the defaults of `fit()`, computed and not run: about {took} at "
        f"{steps:.0f} steps a draw, and {memory:.1f} GiB for the draws of all parameters."
    )


def measured(part: str, size: Size) -> dict[str, Any]:
    """Run one size in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.growth", "--child", part]
    command += map(str, astuple(size))
    code, printed = run_limited(command, environment(None), limit=LIMIT)
    if code != 0:
        raise RuntimeError(f"{part} {size}: {first_error(printed) if code else f'over {LIMIT} s'}")
    found = answer_line(printed)
    progress(f"{part} {size}: {found}")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("part", nargs="*", choices=list(PARTS), metavar="PART", help=str([*PARTS]))
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)} too")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.child:
        part, *numbers = chosen.child
        print(json.dumps(run_size(part, Size(*map(int, numbers)))))
        return
    names = chosen.part or list(PARTS)
    if chosen.write and set(names) != set(PARTS):
        parser.error("--write needs all parts: a page holds one run")
    loads, tables = [os.getloadavg()[0]], []
    for name in names:
        sizes = PARTS[name].quick if chosen.quick else PARTS[name].sizes
        # Compiles, or loads what was compiled, so that no size pays for it.
        measured(name, PARTS[name].quick[0])
        found = [measured(name, size) for size in sizes]
        tables.append(table_of(PARTS[name], sizes, found))
        loads.append(os.getloadavg()[0])
    text = page(
        "How time and memory grow", COMMAND, machine(versions(LIBRARIES)) + ABOUT, tables, loads
    )
    print(text)
    if chosen.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
