"""Simulated studies of a plan: each drawn, fitted and looked at; kept on disk where asked for."""

import json
import logging
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import numpy as np

from bayeseval.errors import BayesEvalError
from bayeseval.frequentist import bradley_terry_ml, rating_tests, spa_test, strength_test
from bayeseval.inference import Convergence, fit
from bayeseval.inference._progress import in_words
from bayeseval.judgements import (
    Judgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)
from bayeseval.planning._truth import SIMULATORS, Truth
from bayeseval.planning.goals import Goal

_LOG = logging.getLogger("bayeseval")
_SECONDS_BETWEEN_LINES = 10.0
# Changes where what a simulated study gives changes, so that older files are not read as the same.
_VERSION = 1


@dataclass(frozen=True)
class Job:
    """All that simulated studies of a plan share.

    Parameters
    ----------
    truth
        What is assumed.
    goal
        What is wanted, with the labels of simulated systems.
    family
        Family to fit; None for the protocol's default.
    options
        Options of `fit`.
    classical
        Whether the classical test is done too.
    random_seed
        Seed of the plan.
    """

    truth: Truth
    goal: Goal
    family: Any
    options: Mapping[str, Any]
    classical: bool
    random_seed: int


@dataclass(frozen=True)
class Study:
    """One simulated study to be done: of which design, which number, with or without a difference.

    Parameters
    ----------
    design
        Number of the design.
    settings
        What the design gives to the simulation.
    number
        Number of the study; the same in all designs, which share its random numbers.
    equal
        Whether the truth is one in which there is nothing to decide.
    """

    design: int
    settings: Mapping[str, Any]
    number: int
    equal: bool


@dataclass(frozen=True)
class Found:
    """What one simulated study gave.

    Parameters
    ----------
    n_judgements
        Its size.
    reached, wrong, width
        As in `Look`.
    trouble
        Why its posterior cannot be used; empty where it can.
    p
        p of the classical test of the goal's pair; None where there is none.
    favours_a
        Whether its estimate favours the first of the pair.
    truly_a
        Whether the first is truly better; None where they are alike.
    """

    n_judgements: int
    reached: bool
    wrong: bool
    width: float | None
    trouble: str
    p: float | None
    favours_a: bool | None
    truly_a: bool | None


def done(job: Job, study: Study) -> Found:
    """Simulate, fit and look at one study."""
    seed = np.random.SeedSequence([job.random_seed, study.number, int(study.equal)])
    settings = job.truth.of(study.number)
    names = [f"system {k}" for k in range(1, len(job.truth.systems) + 1)]
    quality = dict(zip(names, map(float, settings["quality"]), strict=True))
    if study.equal:
        quality = job.goal.equal(quality) or quality
    for_data, for_fit = seed.spawn(2)
    settings |= study.settings
    settings |= {"quality": np.array(list(quality.values())), "n_systems": len(quality)}
    if "population_thresholds" in settings:
        settings["population_thresholds"] = np.array(settings["population_thresholds"])
    simulate = SIMULATORS[job.truth.protocol]
    simulated = simulate(**settings, random_seed=np.random.default_rng(for_data))
    judgements: Judgements = simulated.judgements
    truly_a, pair = None, job.goal.named
    if pair and quality[pair[0]] != quality[pair[1]]:
        truly_a = quality[pair[0]] > quality[pair[1]]
    p, favours_a = _tested(judgements, *pair) if job.classical and pair else (None, None)
    reached, wrong, width, trouble = False, False, None, ""
    with _quiet():
        try:
            posterior = fit(
                judgements,
                job.family,
                random_seed=int(for_fit.generate_state(1)[0]),
                **job.options,
            )
            trouble = _trouble(posterior.convergence)
            if not trouble:
                look = job.goal.look(posterior, quality)
                reached, wrong, width = bool(look.reached), bool(look.wrong), float(look.width)
        except BayesEvalError as error:
            trouble = str(error).split("\n", 1)[0]
    if width is not None and not np.isfinite(width):
        width = None
    return Found(judgements.n_judgements, reached, wrong, width, trouble, p, favours_a, truly_a)


def _trouble(convergence: Convergence) -> str:
    """Return what makes draws unusable. That they are few is what a plan saves time by."""
    if convergence.ok or convergence.merely_few:
        return ""
    return convergence.problems[0]


def _tested(judgements: Judgements, a: str, b: str) -> tuple[float | None, bool | None]:
    """Return p of the field's test of two systems, and whether its estimate favours the first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if isinstance(judgements, PairwiseJudgements):
                model = bradley_terry_ml(judgements, position_effect="auto")
                row = model.contrasts([(a, b)], correction="none").table.iloc[0]
                neutral, value = 0.0, "estimate"
            elif isinstance(judgements, SPAJudgements):
                row = _row(spa_test(judgements).table, a, b)
                neutral, value = 0.5, "mean"
            elif isinstance(judgements, StrengthJudgements):
                row = _row(strength_test(judgements).table, a, b)
                neutral, value = 0.0, "mean"
            else:
                row = _row(rating_tests(judgements).table, a, b)
                neutral, value = 0.0, "estimate"
        except BayesEvalError:
            return None, None
    p = float(row["p"])
    if not np.isfinite(p):
        return None, None
    towards_a = bool(row[value] > neutral)
    return p, towards_a if row["system_a"] == a else not towards_a


def _row(table: Any, a: str, b: str) -> Any:
    """Return the first row of a pair, in whichever direction it stands."""
    either = table["system_a"].isin([a, b]) & table["system_b"].isin([a, b])
    return table[either].iloc[0]


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence what a fit says: a plan has hundreds."""
    level = _LOG.level
    _LOG.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        _LOG.setLevel(level)


def all_done(
    job: Job, studies: Sequence[Study], *, n_jobs: int, store: Path | None, progressbar: bool
) -> list[Found]:
    """Do all studies, in the order given; those that the folder has are read."""
    from joblib import Parallel, delayed

    folder = None if store is None else store / _digest(job)
    results: dict[int, Found] = {}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for k, study in enumerate(studies):
            kept = _read(folder / _file_of(study))
            if kept is not None:
                results[k] = kept
    left = [k for k in range(len(studies)) if k not in results]
    if progressbar and results:
        _LOG.info("%s of %s studies are in %s", f"{len(results):,}", f"{len(studies):,}", folder)
    tell = _teller(len(left)) if progressbar else None
    work = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(_numbered)(k, job, studies[k], folder) for k in left
    )
    for number, (k, found) in enumerate(cast(Iterator[tuple[int, Found]], work), start=1):
        results[k] = found
        if tell is not None:
            tell(number)
    return [results[k] for k in range(len(studies))]


def _numbered(k: int, job: Job, study: Study, folder: Path | None) -> tuple[int, Found]:
    found = done(job, study)
    if folder is not None:
        _write(folder / _file_of(study), found)
    return k, found


def _teller(total: int) -> Any:
    """Return what says every ten seconds how far the work is and how long it will take."""
    started = last = perf_counter()

    def tell(number: int) -> None:
        nonlocal last
        now = perf_counter()
        if now - last < _SECONDS_BETWEEN_LINES or number == total:
            return
        last = now
        seconds = (now - started) * (total - number) / number
        done_of = f"{number:,} of {total:,} studies"
        _LOG.info("Planning: %s, about %s left", done_of, in_words(seconds))

    return tell


def _digest(job: Job) -> str:
    """Name the folder of a plan's studies by all that decides what they give."""
    said = repr((_VERSION, job.truth, job.goal, job.family, sorted(job.options.items())))
    return sha256(f"{said}{job.classical}{job.random_seed}".encode()).hexdigest()[:12]


def _file_of(study: Study) -> str:
    design = sha256(repr(sorted(study.settings.items())).encode()).hexdigest()[:12]
    return f"{design}-{study.number}{'-equal' if study.equal else ''}.json"


def _read(path: Path) -> Found | None:
    try:
        return Found(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        # Missing, or cut by whatever ended the run: it is done again.
        return None


def _write(path: Path, found: Found) -> None:
    beside = path.with_suffix(f".{os.getpid()}.partial")
    beside.write_text(json.dumps(asdict(found)), encoding="utf-8")
    beside.replace(path)
