"""Run contenders, each in a cold process of its own, and read what they found."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from tests.benchmarks._measure import diagnosed
from tests.benchmarks._peers.contenders import Contender
from tests.benchmarks._peers.contract import Settings
from tests.benchmarks._peers.programs import Program, environment, last_line

ROOT = Path(__file__).parents[3]
# "ValueError: …", "numba.core.errors.TypingError: …", "Error in f(): …"
_ERROR = re.compile(r"^(Error\b.*|[A-Za-z_][\w.]*(Error|Exception|Exit|Interrupt): .*)")


@dataclass(frozen=True)
class Outcome:
    """What came of a contender.

    Attributes
    ----------
    contender
        Who it was.
    state
        "done"; "absent" where the program is not installed; "failed"; "over" the limit.
    detail
        What is said in place of numbers.
    seconds
        From the start of the process to the printed ranking; over the limit, the limit.
    first
        The same of the process that found its caches empty, where there are caches.
    stages
        Seconds by stage.
    sampling
        Seconds of sampling, warm-up included.
    again
        Seconds to prepare and fit once more in the same process, where that was done.
    divergences
        How many draws diverged.
    quality
        Mean score, sd and Monte Carlo error by system; NaN where there is none.
    diagnosis
        What `diagnosed` says of the draws.
    """

    contender: Contender
    state: Literal["done", "absent", "failed", "over"]
    detail: str = ""
    seconds: float = np.nan
    first: float | None = None
    stages: Mapping[str, float] | None = None
    sampling: float | None = None
    again: float | None = None
    divergences: int | None = None
    quality: pd.DataFrame | None = None
    diagnosis: Mapping[str, Any] | None = None

    @property
    def ess_rate(self) -> float:
        """Smallest ESS, bulk or tail, of a system's score for each second of sampling."""
        if self.diagnosis is None or not self.sampling:
            return np.nan
        return self.diagnosis["ess"] / self.sampling


def measure(
    contender: Contender,
    program: Program | str,
    data: Path,
    settings: Settings,
    folder: Path,
    *,
    limit: float,
    quick: bool,
) -> Outcome:
    """Run a contender once, or twice where a second process finds compiled code on disk.

    Parameters
    ----------
    contender, program
        Who, and with what; a text says why the program is not there.
    data, settings
        What to read and how long to sample.
    folder
        Where caches and answers go; has to be empty of this contender's.
    limit
        Seconds after which a process is ended.
    quick
        Run everything once, with the caches that the machine has.
    """
    if isinstance(program, str):
        return Outcome(contender, "absent", program)
    own = folder / re.sub(r"\W+", "_", contender.name)
    own.mkdir(parents=True)
    variables = environment(None if quick else own)
    first = run_once(contender, program, data, settings, own, variables, limit=limit)
    if quick or not contender.cached or first.state != "done":
        return first
    second = run_once(contender, program, data, settings, own, variables, limit=limit)
    return replace(second, first=first.seconds)


def run_once(
    contender: Contender,
    program: Program,
    data: Path,
    settings: Settings,
    folder: Path,
    variables: Mapping[str, str],
    *,
    limit: float,
) -> Outcome:
    """Run one process and read its answer."""
    answer = folder / ("draws.csv" if contender.target.endswith(".R") else "found.npz")
    command = program.command(contender.target, data, answer, settings)
    started = time.time()
    code, printed = run_limited(command, variables, limit=limit)
    if code is None:
        return Outcome(contender, "over", f"over {limit:.0f} s", seconds=limit)
    if code:
        return Outcome(contender, "failed", f"failed: {first_error(printed)}")
    told = answer_line(printed)
    quality, diagnosis = read_answer(answer, settings)
    return Outcome(
        contender,
        "done",
        seconds=told["done"] - started,
        stages={"start": told["entered"] - started, **told["stages"]},
        # R tells what the chains themselves took.
        sampling=told.get("sampling", told["stages"].get("sample")),
        again=told.get("again"),
        divergences=told["divergences"],
        quality=quality,
        diagnosis=diagnosis,
    )


def run_limited(
    command: Sequence[str], variables: Mapping[str, str], *, limit: float
) -> tuple[int | None, str]:
    """Return a command's exit code and what it printed; None where it took too long and was ended.

    Samplers start processes of their own: the command gets a group, and the group is ended.
    """
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return process.returncode, printed


def answer_line(printed: str) -> Any:
    """Return the last line of JSON; R may print warnings after it."""
    lines = [line for line in printed.splitlines() if line.startswith(("{", "["))]
    return json.loads(lines[-1])


def first_error(printed: str) -> str:
    """Return the line that names an error: the last of Python's traceback, the first of R's."""
    lines = printed.splitlines()
    named = [line for line in lines if _ERROR.match(line)]
    if not named:
        return last_line(printed)
    return named[0] if named[0].startswith("Error") else named[-1]


def read_answer(path: Path, settings: Settings) -> tuple[pd.DataFrame, dict[str, Any] | None]:
    """Read scores by system, sorted by label, and how good the draws are where there are any."""
    sd = None
    if path.suffix == ".csv":
        table = pd.read_csv(path)
        systems = np.asarray(table.columns, dtype=str)
        scores = table.to_numpy().reshape(settings.chains, settings.draws, len(systems))
    else:
        with np.load(path) as found:
            systems, scores = found["systems"], found["scores"]
            sd = found.get("sd")
    scores = scores - scores.mean(axis=-1, keepdims=True)
    if scores.ndim == 1:
        empty = np.full(len(systems), np.nan)
        columns = {"mean": scores, "sd": empty if sd is None else sd, "mcse": empty}
        return pd.DataFrame(columns, index=systems).sort_index(), None
    quality = xr.DataArray(scores, {"system": systems}, dims=("chain", "draw", "system"))
    diagnosis = diagnosed(quality)
    columns = {"mean": diagnosis["quality"], "sd": diagnosis["sd"], "mcse": diagnosis["mcse"]}
    return pd.DataFrame(columns, index=systems).sort_index(), diagnosis


def progress(text: str) -> None:
    """Say what is going on, apart from the tables."""
    print(text, file=sys.stderr, flush=True)
