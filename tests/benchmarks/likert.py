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
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks._measure import Call, diagnosed, expected_ranks, medians
from tests.benchmarks._page import Table, machine, page, verdict, versions

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pymc as pm

    from bayeseval import LikertJudgements, OrdinalProbit

LEAST_GRADIENT_RATIO = 15
LEAST_PROCESS_RATIO = 2
PACKAGES = ("bayeseval", "pymc", "pytensor", "nutpie", "numba", "numpy", "arviz", "xarray")
ROOT = Path(__file__).parents[2]
CATEGORIES = 5
AGREEMENT = 1e-5
SEED = 20260101


def plain_model(ratings: pd.DataFrame, *, compute_p: bool) -> pm.Model:
    """Write the model as a user of PyMC would: the same terms and priors, ``pm.OrderedProbit``.

    The annotators' thresholds are ordered by construction: gaps of the population times factors
    of their own, around the population's mean, plus severity.
    """
    import numpy as np
    import pandas as pd
    import pymc as pm
    import pytensor.tensor as pt

    system, systems = pd.factorize(ratings["system"], sort=True)
    annotator, annotators = pd.factorize(ratings["annotator"], sort=True)
    coords = {"system": systems, "annotator": annotators, "gap": np.arange(CATEGORIES - 2)}
    with pm.Model(coords=coords) as model:
        quality_sd = pm.HalfNormal("quality_sd", 1.0)
        quality = pm.ZeroSumNormal("quality", sigma=quality_sd, dims="system")
        severity_sd = pm.HalfNormal("severity_sd", 1.0)
        severity = severity_sd * pm.Normal("severity_z", dims="annotator")
        eta = quality[system]
        if "item" in ratings:
            item, items = pd.factorize(ratings["item"], sort=True)
            difficulty_sd = pm.HalfNormal("difficulty_sd", 1.0)
            eta = eta - difficulty_sd * pm.Normal("difficulty_z", shape=len(items))[item]

        shares = pm.Dirichlet("shares", np.full(CATEGORIES, 2.0))
        population = pm.math.probit(pt.cumsum(shares)[:-1])
        gap_sd = pm.HalfNormal("gap_sd", 0.5)
        factors = pt.exp(gap_sd * pm.Normal("gap_z", dims=("annotator", "gap")))
        steps = pt.cumsum(pt.diff(population)[None, :] * factors, axis=1)
        steps = pt.concatenate([pt.zeros((len(annotators), 1)), steps], axis=1)
        centred = steps - steps.mean(axis=1, keepdims=True)
        thresholds = centred + population.mean() + severity[:, None]

        pm.OrderedProbit(
            "rating",
            eta=eta,
            cutpoints=thresholds[annotator],
            observed=ratings["rating"].to_numpy() - 1,
            compute_p=compute_p,
        )
    return model


# A gradient ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GradientCase:
    """Simulated ratings, and the compiled density of them at the truth.

    Attributes
    ----------
    ratings, family, declaration, cells
        The ratings, and how the family declares and collapses them.
    effects, thresholds
        Where the likelihood is evaluated.
    fixed
        What the kernel reads besides: discrimination and cells.
    bars
        Where the kernel leaves its gradients.
    """

    ratings: LikertJudgements
    family: OrdinalProbit
    declaration: Any
    cells: Any
    effects: np.ndarray
    thresholds: np.ndarray
    fixed: tuple[np.ndarray, ...]
    bars: tuple[np.ndarray, ...]

    def kernel(self) -> float:
        """Evaluate the log likelihood and its gradient once, with nothing around it."""
        from bayeseval.families._ordinal_kernel import ordinal_log_density

        for bar in self.bars:
            bar[:] = 0.0
        return ordinal_log_density(self.effects, self.thresholds, *self.fixed, *self.bars)

    def model(self) -> Call:
        """Return a call that evaluates the whole model's density and gradient, as sampled."""
        import numpy as np

        density = self.family.density(self.declaration, self.cells)
        start = self.family.start(self.declaration, self.cells, np.random.default_rng(SEED))
        return lambda: density(start)


def gradient_case(*, n_annotators: int, n_systems: int, n_items: int) -> GradientCase:
    """Simulate ratings that differ in their cells, with thresholds by annotator."""
    import numpy as np

    import bayeseval as be

    simulated = be.simulate_likert(
        n_annotators=n_annotators,
        n_systems=n_systems,
        n_items=n_items,
        n_categories=CATEGORIES,
        random_seed=SEED,
    )
    ratings, truth = simulated.judgements, simulated.truth
    family = be.OrdinalProbit(effects={"interaction": False, "taste": False})
    declaration = family.declare(ratings)
    cells = family.cells(declaration, ratings)
    if cells.n_cells != ratings.n_rows:
        raise RuntimeError("the cells are fewer than the ratings: the costs per row would differ")
    effects = np.concatenate([truth[effect.name].values for effect in declaration.effects])
    severity = truth["severity"].values
    thresholds = np.ascontiguousarray(
        truth["thresholds"].transpose("annotator", "threshold").values - severity[:, None]
    )
    signs = np.array([effect.sign for effect in declaration.effects], dtype=float)
    return GradientCase(
        ratings=ratings,
        family=family,
        declaration=declaration,
        cells=cells,
        effects=effects,
        thresholds=thresholds,
        fixed=(
            np.zeros(1),
            cells.index,
            signs,
            cells.answer,
            cells.response_row,
            cells.noise_row,
            cells.count,
        ),
        bars=(np.zeros_like(effects), np.zeros_like(thresholds), np.zeros(1)),
    )


def gradient_calls(
    *, n_annotators: int, n_systems: int, n_items: int, mode: str
) -> tuple[int, dict[str, Call]]:
    """Compile every form of the density; return the number of ratings and a call for each form.

    Each call evaluates the log density and its gradient once. Those called "likelihood" take the
    same effects and thresholds, and are checked to agree; the others are whole models, with priors
    and with the way from the sampler's vector to the effects.
    """
    import numpy as np
    import pymc as pm
    import pytensor
    import pytensor.tensor as pt

    from bayeseval.families._builder import build_model
    from bayeseval.families._ordinal_op import ordinal_potential

    case = gradient_case(n_annotators=n_annotators, n_systems=n_systems, n_items=n_items)
    cells, signs = case.cells, case.fixed[2]
    at, cuts = pt.dvector("effects"), pt.dmatrix("thresholds")
    eta = sum(sign * at[place] for sign, place in zip(signs, cells.index, strict=True))
    plain = pm.OrderedProbit.dist(eta=eta, cutpoints=cuts[cells.response_row])
    likelihoods = {
        "fused": ordinal_potential(at, cuts, *case.fixed),
        "plain": pm.logp(plain, cells.answer).sum(),
    }
    compiled = {
        name: pytensor.function([at, cuts], [value, *pt.grad(value, [at, cuts])], mode=mode)
        for name, value in likelihoods.items()
    }
    value = case.kernel()
    results = [function(case.effects, case.thresholds) for function in compiled.values()]
    for own, *others in zip([value, *case.bars[:2]], *results, strict=True):
        # The gradient of pm.OrderedProbit goes through a difference of logs: some 1e-7 a rating.
        tolerance = AGREEMENT * np.abs(own).max()
        for other in others:
            np.testing.assert_allclose(other, own, rtol=0.0, atol=tolerance)

    frame = case.ratings.to_frame()
    at_truth = (case.effects, case.thresholds)
    calls: dict[str, Call] = {
        "likelihood, bare kernel": case.kernel,
        "likelihood, fused operation in PyTensor": lambda: compiled["fused"](*at_truth),
        "likelihood, pm.OrderedProbit": lambda: compiled["plain"](*at_truth),
        "model, compiled density (what fit() samples)": case.model(),
        "model, PyMC with the fused operation": whole_model(
            build_model(case.declaration, cells), mode
        ),
    }
    for compute_p in (False, True):
        calls[f"model, PyMC with pm.OrderedProbit, compute_p={compute_p}"] = whole_model(
            plain_model(frame, compute_p=compute_p), mode
        )
    return case.ratings.n_rows, calls


def whole_model(model: pm.Model, mode: str) -> Call:
    """Compile a model's log density with its gradient; the call evaluates it near the start."""
    import numpy as np
    from pymc.blocking import DictToArrayBijection

    function = model.logp_dlogp_function(ravel_inputs=True, mode=mode)
    point = DictToArrayBijection.map(model.initial_point()).data
    at = point + np.random.default_rng(SEED).uniform(-0.1, 0.1, point.size)
    if not np.isfinite(function(at)[1]).all():
        raise RuntimeError("the gradient is not finite at the start")
    return lambda: function(at)


def gradient_table(n_rows: int, times: Mapping[str, float]) -> Table:
    """Set nanoseconds a row beside those of ``pm.OrderedProbit``."""
    slow = {
        "likelihood": times["likelihood, pm.OrderedProbit"],
        # The faster of the two forms.
        "model": min(seconds for name, seconds in times.items() if "compute_p" in name),
    }
    rows = tuple(
        (name, f"{1e9 * seconds / n_rows:,.0f}", f"{slow[name.split(',')[0]] / seconds:.1f}")
        for name, seconds in times.items()
    )
    ratio = slow["likelihood"] / times["likelihood, fused operation in PyTensor"]
    return Table(
        f"Log density with gradient, {n_rows:,} ratings on {CATEGORIES} points",
        ("form", "ns a rating", "times faster"),
        rows,
        (
            (
                f"Fused operation beside `pm.OrderedProbit`: {ratio:.1f} times faster; wanted is "
                f"{LEAST_GRADIENT_RATIO}. **{verdict(ratio, LEAST_GRADIENT_RATIO)}**"
            ),
            (
                "Medians over many calls in turn, without the first; PyTensor's mode is NUMBA in "
                "all. The likelihoods were checked to agree in value and gradient, to "
                f"{AGREEMENT:g} of the largest. `compute_p` adds a deterministic, which the "
                "gradient does not evaluate. The thresholds differ by annotator."
            ),
        ),
    )


# A process ----------------------------------------------------------------------------------------


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


# The page -----------------------------------------------------------------------------------------


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
