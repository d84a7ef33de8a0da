"""Print what bayeseval costs beside every peer that is installed: the same data, the same run.

Run ``python -m tests.benchmarks.peers [PART …] [--quick] [--write]``. Each contender is a cold
process of its own that reads the file, fits and prints its ranking; whoever is not installed, fails
or takes too long is listed as that. Nothing here is a test: on a busy machine the seconds are wrong
and the ratios rough.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.benchmarks._likert_gradient import SEED
from tests.benchmarks._page import Table, machine, page, versions
from tests.benchmarks._peers import data, report
from tests.benchmarks._peers.contenders import CONTENDERS
from tests.benchmarks._peers.contract import Settings
from tests.benchmarks._peers.processes import (
    ROOT,
    Outcome,
    answer_line,
    first_error,
    measure,
    progress,
    run_limited,
)
from tests.benchmarks._peers.programs import PYTHON, Program, environment, find

PARTS = (*CONTENDERS, "gradient")
WRITERS = {
    "likert": data.likert,
    "spa": data.spa,
    "strength": data.strength,
    "pairwise": data.pairwise,
}
TITLES = {
    "likert": "Likert, free thresholds",
    "spa": "SPA",
    "strength": "Strength, a slider with Student's t",
    "pairwise": "Pairwise",
}
PAGE = ROOT / "docs" / "benchmarks" / "peers.md"
# Versions besides those of the programs themselves.
LIBRARIES = ("pytensor", "nutpie", "numba", "numpy", "arviz")
COMMAND = "python -m tests.benchmarks.peers"
LEFT_OUT = "left out on request"


def run_part(
    part: str,
    programs: dict[str, Program | str],
    *,
    settings: Settings,
    quick: bool,
    limit: float,
    without: Sequence[str] = (),
) -> tuple[list[Table], list[Outcome]]:
    """Measure the contenders of a protocol, in turn; return tables and what came of each."""
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="bayeseval-peers-") as name:
        folder = Path(name)
        path, about = WRITERS[part](folder, quick=quick)
        progress(f"{TITLES[part]}: {about}")
        for contender in CONTENDERS[part]:
            outcome = measure(
                contender,
                LEFT_OUT if contender.name in without else programs[contender.program],
                path,
                settings,
                folder / "runs",
                limit=limit,
                quick=quick,
            )
            outcomes.append(outcome)
            told = outcome.detail or f"{outcome.seconds:.1f} s"
            progress(f"  {contender.name}: {told}")
    title = f"{TITLES[part]}: {about}"
    table = report.fitted_table if part == "pairwise" else report.sampled_table
    tables = [table(title, outcomes)]
    agreement = report.agreement_table(f"Do they agree? {TITLES[part]}", outcomes)
    if agreement is not None:
        tables.append(agreement)
    return tables, outcomes


def run_gradient(*, quick: bool, limit: float) -> tuple[int, dict[str, float]] | str:
    """Measure the kernel in one thread of its own process; a text says why it could not be."""
    seconds, n_annotators = (2, 10) if quick else (30, 100)
    command = [sys.executable, "-m", "tests.benchmarks._peers.gradient"]
    code, printed = run_limited(
        [*command, str(seconds), str(n_annotators)],
        environment(None, single_thread=True),
        limit=limit,
    )
    if code is None:
        return f"over {limit:.0f} s"
    if code:
        return f"failed: {first_error(printed)}"
    n_rows, found = answer_line(printed)
    return n_rows, found


def how_measured(settings: Settings, *, limit: float, quick: bool) -> str:
    """Say what the numbers of all tables mean."""
    text = (
        f"Samplers run {settings.chains} chains of {settings.tune} tuning steps and "
        f"{settings.draws} draws on {settings.cores} cores, otherwise with their own defaults; "
        "bayeseval chooses its tuning steps too, 500 where a pilot chain finds that they suffice. "
        "Cold seconds run from the start of a process to the printed ranking. Programs that keep "
        "compiled code on disk run twice: cold seconds are those of the second process, and what "
        "the first took with empty caches stands beside them. brms and NumPyro compile in every "
        "process. Sampling is warm-up and draws; with bayeseval, its pilot chain too; with brms, "
        "what its chains report, divided by the cores, so that starting its workers does not "
        "count. ESS and R-hat are ArviZ's, over the systems' centred scores; min ESS/s is the "
        "smaller of bulk and tail for a second of sampling. A process is ended after "
        f"{limit:.0f} s."
    )
    if quick:
        text += (
            " **These are small sizes, made with `--quick` to try the script,** each "
            "process run once with the caches that were there: no ratio here means anything."
        )
    return text


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "part",
        nargs="*",
        choices=PARTS,
        metavar="PART",
        help=f"{', '.join(PARTS)}; all if none is named",
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a process may take")
    names = {contender.name for part in CONTENDERS.values() for contender in part}
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=sorted(names),
        metavar="NAME",
        help="a contender to leave out, as the tables name it; may be given again",
    )
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)} too")
    parser.add_argument(
        "--environments",
        type=Path,
        default=Path(tempfile.gettempdir()) / "bayeseval-peers",
        help="where peers that need an environment of their own get it",
    )
    parser.add_argument(
        "--bayeseval",
        metavar="PYTHON",
        help="interpreter of an environment with bayeseval and no peers, as its users have it",
    )
    chosen = parser.parse_args(arguments)
    parts = chosen.part or list(PARTS)
    if chosen.write and set(parts) != set(PARTS):
        parser.error("--write needs all parts: a page holds one run")

    # Contenders have process groups of their own: ended like this, the one that runs is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    cores = os.cpu_count() or 1
    settings = (
        Settings(draws=500, tune=500, chains=2, cores=cores, seed=SEED)
        if chosen.quick
        else Settings(draws=1000, tune=1000, chains=4, cores=cores, seed=SEED)
    )
    started = time.time()
    loads = [os.getloadavg()[0]]
    programs = {name: find(name, chosen.environments) for name in (*PYTHON, "brms")}
    own = programs["bayeseval"]
    if chosen.bayeseval and isinstance(own, Program):
        programs["bayeseval"] = replace(own, executable=chosen.bayeseval)
    tables, outcomes, gradient = [], {}, None
    for part in parts:
        if part == "gradient":
            measured = run_gradient(quick=chosen.quick, limit=chosen.limit)
            if isinstance(measured, str):
                rows = (("the kernel", measured),)
                tables.append(Table("A gradient", ("call", "ns a rating"), rows))
            else:
                n_rows, gradient = measured
                tables.append(report.gradient_table(n_rows, gradient))
        else:
            made, outcomes[part] = run_part(
                part,
                programs,
                settings=settings,
                quick=chosen.quick,
                limit=chosen.limit,
                without=chosen.without,
            )
            tables += made
        loads.append(os.getloadavg()[0])
        progress(f"{part} done after {time.time() - started:.0f} s in all")

    there = {
        name: program.version if isinstance(program, Program) else program
        for name, program in programs.items()
    }
    libraries = (*LIBRARIES, "jax") if isinstance(programs["numpyro"], Program) else LIBRARIES
    about = machine({**there, **versions(libraries)})
    about += "\n\n" + how_measured(settings, limit=chosen.limit, quick=chosen.quick)
    tables.insert(0, report.ratios_table(report.wanted(outcomes, gradient)))
    command = f"{COMMAND} --quick" if chosen.quick else COMMAND
    text = page("bayeseval beside its peers", command, about, tables, loads)
    print(text)
    if chosen.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
