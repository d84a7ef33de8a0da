"""Print how well default fits mix: on every real data set, and on small and degenerate studies.

Run ``python -m tests.benchmarks.mixing [NAME …] [--write]``, with the folder of data sets beside
the project; ``--shapes SEEDS`` takes the studies of ``shapes.py`` instead, so many of each, and
``--smallest SEEDS`` the smallest designs of every option. Nothing is tuned by hand:
``fit(judgements)`` as a user calls it first. Each data set, and each shape, has a
process of its own, which is ended after ``--limit`` seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks._page import Table, machine, page, versions
from tests.benchmarks._peers.processes import answer_line, first_error, progress, run_limited
from tests.benchmarks._peers.programs import environment
from tests.conftest import SHARED_DATA

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "mixing.md"
PAGE_OF_SHAPES = PAGE.with_name("mixing_small.md")
PAGE_OF_SMALLEST = PAGE.with_name("mixing_smallest.md")
COMMAND = "python -m tests.benchmarks.mixing"
SEED = 20260101
LIBRARIES = ("bayeseval", "nutpie", "numba", "arviz")
ABOUT = """

`fit(judgements)` with its defaults, 4 chains of 1,000 + 1,000, one seed. R-hat and ESS, bulk or
tail, are the worst over what tables and figures show (wanted: below 1.01, and 400), and over what
stands behind them, such as the standard deviations of effects (1.05, and 100). A fit is flagged in
every output where either fails. Seconds are those of a machine that may have been busy."""


OF_SHAPES = """

`fit(judgements)` with its defaults on studies of `tests/benchmarks/shapes.py`: drawn from the
priors, or as small or one-sided as studies come.

Where a pilot chain finds that a posterior bends, `fit` takes short steps from the first run on
(`bayeseval/inference/_course.py`): before, stated probabilities, strengths at the ends of their
scale and those of annotators who decide by any difference diverged in a third of these studies."""
OF_SMALLEST = """

`fit(judgements, family)` with every option of a family on its smallest complete design,
`tests/benchmarks/smallest.py`: two annotators, two systems, two items."""
ABOUT_SHAPES = """

R-hat and ESS are the worst of all seeds, over
what tables show (wanted: below 1.01, and 400) and what stands behind (1.05, and 100). Of the fits,
"diverged at first" had divergent transitions in their first run, and were run again with shorter
steps (the draws before are not used); "diverged" had some in the last run, which is the answer.
Behind each stands how many transitions there were. Seconds are those of a machine that may have
been busy."""


def loaders() -> dict[str, Callable[[Path], Any]]:
    """Return what reads each data set, by name."""
    from bayeseval.judgements import read
    from tests.judgements import real
    from tests.judgements import test_real_likert as likert

    def rankme(name: str, criterion: str) -> Callable[[Path], Any]:
        file = f"stp2_rankME_{name}.csv"
        return lambda folder: real.load_rankme_magnitudes(folder / "rankme" / file, criterion)

    def squality(criterion: str) -> Callable[[Path], Any]:
        return lambda folder: real.load_squality(folder / "squality", criterion)

    return {
        "HANNA, six criteria": lambda folder: likert.load_hanna(folder / "hanna"),
        "dialogue, Likert": lambda folder: real.load_dialogue_likert(folder / "dialogue_qualtrics"),
        "HUSE summaries": lambda folder: real.load_huse(folder / "huse_summarization"),
        "RankME, Likert": lambda folder: likert.load_rankme_likert(
            folder / "rankme" / "stp1_likert.csv"
        ),
        "SQuALITY, correctness": squality("correctness"),
        "SQuALITY, overall": squality("overall"),
        "Krippendorff's table": lambda folder: real.load_krippendorff(folder / "reference_tables"),
        "Shrout & Fleiss's table": lambda folder: real.load_shrout_fleiss(
            folder / "reference_tables"
        ),
        "dialogue, magnitudes": lambda folder: real.load_dialogue_magnitude(
            folder / "dialogue_qualtrics"
        ),
        "RankME, informativeness": rankme("inf", "informativeness"),
        "RankME, naturalness": rankme("nat", "naturalness"),
        "RankME, quality": rankme("qual", "quality"),
        "AlpacaEval 2": lambda folder: real.load_alpaca_eval(folder / "alpacaeval2_llm_judge"),
        "weather judgements": lambda folder: real.load_weather(folder / "probability_judgements"),
        "graded pairs": lambda folder: real.load_activities(folder / "graded_pairs_activities"),
        "llmfao": lambda folder: real.load_llmfao(folder / "llmfao"),
        "MT-Bench, people": lambda folder: read(
            folder / "mtbench_human" / "human.jsonl", format="mt_bench"
        ),
        "MT-Bench, GPT-4": lambda folder: read(
            folder / "mtbench_human" / "gpt4_pair.jsonl", format="mt_bench"
        ),
        "PandaLM": lambda folder: real.load_pandalm(folder / "pandalm"),
        "WMT13 fr-en": lambda folder: read(
            folder / "wmt13_fr_en" / "sample-fr-en-train.cut.csv", format="wmt_rankings"
        ),
        "WMT16 tr-en": lambda folder: read(
            folder / "wmt16_tr_en" / "wmt16.tur-eng.csv", format="wmt_rankings"
        ),
        "citations": lambda folder: real.load_citations(folder / "reference_tables"),
        "baseball": lambda folder: real.load_baseball(folder / "reference_tables"),
        "Springall": lambda folder: real.load_springall(folder / "reference_tables"),
    }


def run_one(name: str) -> dict[str, Any]:
    """Fit one data set; return its diagnostics."""
    import numpy as np

    import bayeseval as be

    judgements = loaders()[name](SHARED_DATA)
    warnings.simplefilter("ignore", be.ConvergenceWarning)
    started = time.perf_counter()
    posterior = be.fit(judgements, random_seed=SEED, progressbar=False)
    seconds = time.perf_counter() - started
    table = posterior.convergence.to_frame()
    table["ess"] = table[["ess_bulk", "ess_tail"]].min(axis=1)
    found = {
        str(part): {"r_hat": float(rows["r_hat"].max()), "ess": float(rows["ess"].min())}
        for part, rows in table.groupby(np.where(table["shown"], "shown", "behind"))
    }
    names = table["quantity"].to_numpy()
    return {
        **found,
        "worst": str(names[table["ess"].to_numpy().argmin()]),
        "family": posterior.family.name,
        "judgements": judgements.n_judgements,
        "seconds": seconds,
        "divergences": posterior.convergence.divergences,
        "ok": posterior.convergence.ok,
    }


def line(name: str, *, limit: float) -> tuple[str, ...]:
    """Fit one data set in a process of its own; return its row of the table."""
    command = [sys.executable, "-m", "tests.benchmarks.mixing", "--child", name]
    code, printed = run_limited(command, environment(None), limit=limit)
    if code is None or code:
        told = f"over {limit:.0f} s" if code is None else f"failed: {first_error(printed)}"
        return (name, told, *[""] * 9)
    found = answer_line(printed)
    shown, behind = found["shown"], found["behind"]
    return (
        name,
        found["family"],
        f"{found['judgements']:,}",
        f"{found['seconds']:.1f}",
        f"{shown['r_hat']:.4f}",
        f"{shown['ess']:,.0f}",
        f"{behind['r_hat']:.4f}",
        f"{behind['ess']:,.0f}",
        found["worst"],
        str(found["divergences"]),
        "" if found["ok"] else "FLAGGED",
    )


def run_shape(name: str, seeds: int) -> dict[str, Any]:
    """Fit studies of one shape; return the worst of each diagnostic."""
    import bayeseval as be
    from tests.benchmarks.shapes import SHAPES
    from tests.benchmarks.smallest import SMALLEST

    warnings.simplefilter("ignore", be.ConvergenceWarning)
    shape = (SHAPES | SMALLEST)[name]
    started = time.perf_counter()
    found = [
        be.fit(shape.make(seed), shape.family, random_seed=seed, progressbar=False)
        for seed in range(seeds)
    ]
    seconds = (time.perf_counter() - started) / seeds
    worst: dict[str, Any] = {"r_hat": [0.0, 0.0], "ess": [float("inf")] * 2}
    for posterior in found:
        table = posterior.convergence.to_frame()
        for part, rows in table.groupby(~table["shown"].to_numpy(dtype=bool)):
            worst["r_hat"][int(part)] = max(worst["r_hat"][int(part)], rows["r_hat"].max())
            smallest = rows[["ess_bulk", "ess_tail"]].min().min()
            worst["ess"][int(part)] = min(worst["ess"][int(part)], smallest)
    return {
        **worst,
        "family": found[0].family.name,
        "judgements": shape.make(0).n_judgements,
        "seconds": seconds,
        "diverged": sum(each.convergence.divergences > 0 for each in found),
        "divergences": sum(each.convergence.divergences for each in found),
        "first": [first[0] for each in found if (first := each.settings.discarded)],
        "flagged": sum(not each.convergence.ok for each in found),
    }


def shape_line(name: str, seeds: int, *, limit: float) -> tuple[str, ...]:
    """Fit one shape in a process of its own; return its row of the table."""
    module = ["-m", "tests.benchmarks.mixing"]
    command = [sys.executable, *module, "--shapes", str(seeds), "--child", name]
    code, printed = run_limited(command, environment(None), limit=limit)
    if code is None or code:
        told = f"over {limit:.0f} s" if code is None else f"failed: {first_error(printed)}"
        return (name, told, *[""] * 9)
    found = answer_line(printed)
    return (
        name,
        found["family"],
        f"{found['judgements']:,}",
        f"{len(found['first'])} ({sum(found['first'])})",
        f"{found['diverged']} ({found['divergences']})",
        f"{found['r_hat'][0]:.4f}",
        f"{found['ess'][0]:,.0f}",
        f"{found['r_hat'][1]:.4f}",
        f"{found['ess'][1]:,.0f}",
        str(found["flagged"]),
        f"{found['seconds']:.1f}",
    )


def commit() -> str:
    """Return the commit that is measured, and whether files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()


def shapes_pages(
    names: Sequence[str], seeds: int, *, limit: float, smallest: bool
) -> Iterator[str]:
    """Yield the page after every shape, for a run that is stopped to leave what it has measured."""
    loads, rows = [os.getloadavg()[0]], []
    about = f"{machine(versions(LIBRARIES))} Commit {commit()}."
    about += (OF_SMALLEST if smallest else OF_SHAPES) + ABOUT_SHAPES
    command = f"{COMMAND} --{'smallest' if smallest else 'shapes'} {seeds}"
    studies = "the smallest study of every option" if smallest else "small and degenerate studies"
    title = f"How default fits mix on {studies}"
    header = (
        "shape",
        "family",
        "judgements",
        "diverged at first",
        "diverged",
        "R-hat shown",
        "ESS shown",
        "R-hat behind",
        "ESS behind",
        "flagged",
        "fit s",
    )
    for name in names:
        rows.append(shape_line(name, seeds, limit=limit))
        loads.append(os.getloadavg()[0])
        progress(" | ".join(rows[-1]))
        table = Table(f"The worst of {seeds} seeds", header, tuple(rows))
        yield page(title, command, about, [table], [loads[0], max(loads), loads[-1]])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("name", nargs="*", help="data sets; all if none is named")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds a fit may take")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)} too")
    parser.add_argument("--shapes", type=int, metavar="SEEDS", help="small studies, so many each")
    parser.add_argument("--smallest", type=int, metavar="SEEDS", help="smallest ones, likewise")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.child:
        by_shape = chosen.shapes is not None
        found = run_shape(chosen.child, chosen.shapes) if by_shape else run_one(chosen.child)
        print(json.dumps(found))
        return
    if seeds := chosen.smallest or chosen.shapes:
        from tests.benchmarks.shapes import SHAPES
        from tests.benchmarks.smallest import SMALLEST

        smallest, text = bool(chosen.smallest), ""
        names = chosen.name or list(SMALLEST if smallest else SHAPES)
        for text in shapes_pages(names, seeds, limit=chosen.limit, smallest=smallest):
            if chosen.write:
                (PAGE_OF_SMALLEST if smallest else PAGE_OF_SHAPES).write_text(text, "utf-8")
        print(text)
        return
    if not SHARED_DATA.is_dir():
        parser.error(f"the data sets are not at {SHARED_DATA}; set BAYESEVAL_SHARED_DATA")
    names = chosen.name or list(loaders())
    if chosen.write and chosen.name:
        parser.error("--write needs all data sets: a page holds one run")
    loads, rows = [os.getloadavg()[0]], []
    for name in names:
        rows.append(line(name, limit=chosen.limit))
        loads.append(os.getloadavg()[0])
        progress(" | ".join(rows[-1]))
    header = (
        "data",
        "family",
        "judgements",
        "fit s",
        "R-hat shown",
        "ESS shown",
        "R-hat behind",
        "ESS behind",
        "smallest ESS at",
        "divergences",
        "",
    )
    title = "How default fits mix on real data"
    table = Table("Every data set once", header, tuple(rows))
    about = machine(versions(LIBRARIES)) + ABOUT
    text = page(title, COMMAND, about, [table], [loads[0], max(loads), loads[-1]])
    print(text)
    if chosen.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
