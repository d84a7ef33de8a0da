"""Print what the Likert model costs beside ``pm.OrderedProbit``: a gradient, and a whole process.

Run ``python -m tests.benchmarks.likert [--quick] [--output docs/benchmarks/likert.md]``. Processes
are timed from their start to the printed ranking, with caches of their own that are empty for the
first one. Nothing here is a test: on a busy machine the seconds are wrong and the ratios rough.
"""

# Imports that take time stand where they are needed, so that a timed process pays only for its own.
# PyMC and PyTensor describe their objects only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportIndexIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportOptionalCall=false
# pyright: reportOptionalIterable=false, reportGeneralTypeIssues=false
from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.benchmarks._likert_gradient import (
    CATEGORIES,
    SEED,
    gradient_calls,
    gradient_table,
    plain_model,
)
from tests.benchmarks._measure import diagnosed, expected_ranks, medians
from tests.benchmarks._page import Table, machine, page, verdict, versions

LEAST_PROCESS_RATIO = 2
PACKAGES = ("bayeseval", "pymc", "pytensor", "nutpie", "numba", "numpy", "arviz", "xarray")
ROOT = Path(__file__).parents[2]


def used() -> dict[str, float]:
    """Return the clock, the processor time and the peak memory (MiB) of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    # macOS counts bytes, Linux kibibytes.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return {
        "clock": time.time(),
        "processor": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss / unit,
    }


def bayeseval_process(path: str, draws: int, _tune: int, chains: int) -> dict[str, Any]:
    """Go from a file to the printed ranking with bayeseval, as a user's script would.

    It tunes as long as ``fit`` does by default.
    """
    entered = time.time()
    from bayeseval import LikertJudgements, fit, rank

    marks = [time.time()]
    ratings = LikertJudgements.read(
        path, annotator="annotator", system="system", rating="rating", scale=(1, CATEGORIES)
    )
    marks.append(time.time())
    settings: dict[str, Any] = {"chains": chains, "random_seed": SEED, "progressbar": False}
    posterior = fit(ratings, draws=draws, **settings)
    marks.append(time.time())
    ranking = rank(posterior)
    print(ranking)
    done = used()

    # The same seed gives the same warm-up; fit() does not keep it, so it is repeated and counted.
    import nutpie

    trees: list[Any] = []
    sample = nutpie.sample

    def keep_warm_up(*given: Any, **options: Any) -> Any:
        trees.append(sample(*given, **{**options, "save_warmup": True}))
        return trees[-1]

    nutpie.sample = keep_warm_up
    warnings.simplefilter("ignore")
    fit(ratings, draws=1, **settings)
    in_warm_up = int(trees[-1]["warmup_sample_stats"]["n_steps"].sum())
    in_draws = int(posterior.data["sample_stats"]["n_steps"].sum())
    seconds = posterior.settings.seconds
    warm_up = seconds["sample"] * in_warm_up / (in_warm_up + in_draws)
    quality = posterior.data["posterior"]["quality"]
    return {
        "done": done,
        "entered": entered,
        "stages": {
            "import": marks[0] - entered + seconds["import sampler"],
            "read": marks[1] - marks[0],
            "build": seconds["declare"],
            "compile": seconds["compile"],
            "pilot chain": seconds["pilot"],
            "warm-up": warm_up,
            "draws": seconds["sample"] - warm_up,
            "diagnose": seconds["diagnose"],
            "rank and print": done["clock"]
            - marks[2]
            + (marks[2] - marks[1] - sum(seconds.values())),
        },
        "gradients": in_warm_up + in_draws,
        "divergences": posterior.convergence.divergences,
        "tune": posterior.settings.tune,
        "target_accept": posterior.settings.target_accept,
        "integrator": posterior.settings.integrator,
        **diagnosed(quality),
    }


def plain_process(path: str, draws: int, tune: int, chains: int) -> dict[str, Any]:
    """Go from a file to the printed ranking with a hand-written PyMC model and nutpie."""
    entered = time.time()
    import nutpie
    import pandas as pd
    import pymc as pm  # noqa: F401  # counted here and not as building

    marks = [time.time()]
    ratings = pd.read_csv(path)
    marks.append(time.time())
    model = plain_model(ratings, compute_p=False)
    marks.append(time.time())
    compiled = nutpie.compile_pymc_model(model)
    marks.append(time.time())
    tree = nutpie.sample(
        compiled, draws=draws, tune=tune, chains=chains, seed=SEED, progress_bar=False
    )
    marks.append(time.time())
    quality = tree["posterior"]["quality"]
    print(expected_ranks(quality).to_series().sort_values().to_string())
    done = used()
    stages = ("import", "read", "build", "compile", "warm-up and draws", "rank and print")
    times = [entered, *marks, done["clock"]]
    return {
        "done": done,
        "entered": entered,
        "stages": dict(zip(stages, (b - a for a, b in pairwise(times)), strict=True)),
        "gradients": sum(
            int(tree[group]["n_steps"].sum()) for group in ("warmup_sample_stats", "sample_stats")
        ),
        "divergences": int(tree["sample_stats"]["diverging"].sum()),
        **diagnosed(quality),
    }


PROCESSES = {"bayeseval": bayeseval_process, "pm.OrderedProbit": plain_process}
SAMPLING = ("warm-up", "draws", "warm-up and draws")


def run_process(name: str, path: Path, caches: Path, settings: Sequence[int]) -> dict[str, Any]:
    """Run one of the processes above; add its seconds from its start to the printed ranking."""
    answer = caches / f"{name}.json"
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(caches / "numba"),
        "PYTENSOR_FLAGS": f"base_compiledir={caches / 'pytensor'}",
    }
    # Without byte code every process would compile the sources of what it imports.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "tests.benchmarks.likert", "--process", name]
    started = time.time()
    done = subprocess.run(
        [*command, str(path), str(answer), *map(str, settings)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the process with {name} failed:\n{done.stdout}")
    result = json.loads(answer.read_text(encoding="utf-8"))
    result["stages"] = {"start Python": result["entered"] - started, **result["stages"]}
    result["seconds"] = result["done"]["clock"] - started
    result["sampling"] = sum(result["stages"].get(stage, 0.0) for stage in SAMPLING)
    return result


def run_processes(
    *, n_annotators: int, settings: Sequence[int], repeats: int
) -> dict[str, list[dict[str, Any]]]:
    """Run both kinds in turn; the first of each finds its caches empty."""
    import bayeseval as be

    simulated = be.simulate_likert(
        n_annotators=n_annotators,
        n_systems=5,
        n_items=0,
        n_categories=CATEGORIES,
        thresholds="free",
        random_seed=SEED,
    )
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in PROCESSES}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        simulated.judgements.to_frame().to_csv(path, index=False)
        for _ in range(1 + repeats):
            for name, found in runs.items():
                caches = Path(folder) / name
                caches.mkdir(exist_ok=True)
                found.append(run_process(name, path, caches, settings))
                print(f"{name}: {found[-1]['seconds']:.1f} s", file=sys.stderr, flush=True)
    return runs


def process_tables(
    runs: Mapping[str, list[dict[str, Any]]], n_ratings: int, settings: Sequence[int]
) -> list[Table]:
    """Set whole processes beside one another, and say where bayeseval's seconds go."""
    draws, tune, chains = settings
    warm = {name: middle(found[1:]) for name, found in runs.items()}
    shown = {
        **{f"{name}, first ever": found[0] for name, found in runs.items()},
        **{f"{name}, warm caches": found for name, found in warm.items()},
    }
    ours, plain = warm.values()
    ratio = plain["seconds"] / ours["seconds"]
    apart = max(
        abs(a - b) / max(sd, 1e-12)
        for a, b, sd in zip(ours["quality"], plain["quality"], plain["sd"], strict=True)
    )
    ranks_apart = max(abs(a - b) for a, b in zip(ours["ranks"], plain["ranks"], strict=True))
    whole = Table(
        f"From a cold process to the ranking, {n_ratings} ratings, free thresholds",
        (
            "process",
            "seconds",
            "processor s",
            "sampling s",
            "gradients",
            "ESS",
            "ESS/s",
            "R-hat",
            "divergences",
            "peak MiB",
        ),
        tuple(
            (
                name,
                f"{run['seconds']:.1f}",
                f"{run['done']['processor']:.1f}",
                f"{run['sampling']:.1f}",
                f"{run['gradients']:,}",
                f"{run['ess']:,.0f}",
                f"{run['ess'] / run['sampling']:,.0f}",
                f"{run['rhat']:.3f}",
                str(run["divergences"]),
                f"{run['done']['memory']:,.0f}",
            )
            for name, run in shown.items()
        ),
        (
            (
                f"bayeseval beside `pm.OrderedProbit` with warm caches: {ratio:.1f} times faster; "
                f"wanted is {LEAST_PROCESS_RATIO}. **{verdict(ratio, LEAST_PROCESS_RATIO)}** "
                f"First ever: {first_ratio(runs):.1f} times."
            ),
            (
                f"{chains} chains of {draws} draws, both with nutpie on diagonal adaptation. "
                f"bayeseval runs with the defaults of `fit()` (here {ours['tune']} tuning steps, "
                f"target acceptance {ours['target_accept']}, integrator {ours['integrator']}) and "
                "includes its convergence report; the plain model has the same terms and priors, "
                f"{tune} tuning steps, nutpie's own default of target acceptance 0.8, "
                "`compute_p=False` and no diagnosis. Seconds run from the start of Python to the "
                "printed ranking. Warm: the process of median length among "
                f"{len(runs['bayeseval']) - 1} after the first, in turn. ESS is the smallest over "
                "the systems' qualities, bulk or tail; a second is one of sampling, warm-up "
                "included."
            ),
            (
                "Between the two posteriors, means of the qualities differ by at most "
                f"{apart:.2f} posterior sds, expected ranks by at most {ranks_apart:.3f}."
            ),
        ),
    )
    remark = (
        "Import is `import bayeseval` with reading, fitting and ranking, and nutpie with ArviZ; "
        "compile is the first call of the compiled density, which Numba keeps on disk. The "
        "time of sampling is divided by the numbers of gradients in warm-up and draws."
    )
    return [
        whole,
        stage_table("Where bayeseval's seconds go", runs["bayeseval"][0], ours, remark),
        stage_table("Where the plain model's seconds go", runs["pm.OrderedProbit"][0], plain),
    ]


def stage_table(title: str, first: dict[str, Any], warm: dict[str, Any], *remarks: str) -> Table:
    """Set the stages of the first process beside those of a later one."""
    return Table(
        title,
        ("stage", "first ever", "warm caches", "share of warm"),
        tuple(
            (
                stage,
                f"{first['stages'][stage]:.2f}",
                f"{seconds:.2f}",
                f"{seconds / warm['seconds']:.0%}",
            )
            for stage, seconds in warm["stages"].items()
        ),
        remarks,
    )


def middle(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the run of median length."""
    return sorted(found, key=lambda run: run["seconds"])[len(found) // 2]


def first_ratio(runs: Mapping[str, list[dict[str, Any]]]) -> float:
    """Return how many times longer the plain model's first process took."""
    return runs["pm.OrderedProbit"][0]["seconds"] / runs["bayeseval"][0]["seconds"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script")
    parser.add_argument("--repeats", type=int, default=3, help="processes with warm caches")
    parser.add_argument("--output", type=Path, help="write the tables to this Markdown file too")
    parser.add_argument("--process", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.process:
        name, path, answer, *settings = chosen.process
        result = PROCESSES[name](path, *map(int, settings))
        Path(answer).write_text(json.dumps(result), encoding="utf-8")
        return

    loads = [os.getloadavg()[0]]
    n_annotators, settings = (12, (50, 50, 2)) if chosen.quick else (90, (1000, 1000, 4))
    runs = run_processes(
        n_annotators=n_annotators,
        settings=settings,
        repeats=1 if chosen.quick else chosen.repeats,
    )
    loads.append(os.getloadavg()[0])
    n_rows, calls = gradient_calls(
        n_annotators=20 if chosen.quick else 100, n_systems=20, n_items=50, mode="NUMBA"
    )
    times = medians(calls, seconds=2.0 if chosen.quick else 45.0)
    loads.append(os.getloadavg()[0])
    tables = [
        gradient_table(n_rows, times),
        *process_tables(runs, 5 * n_annotators, settings),
    ]
    text = page(
        "What the Likert model costs",
        "python -m tests.benchmarks.likert",
        machine(versions(PACKAGES)),
        tables,
        loads,
    )
    print(text)
    if chosen.output:
        chosen.output.parent.mkdir(parents=True, exist_ok=True)
        chosen.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
