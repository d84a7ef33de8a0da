"""Which of the programs are there, in what version, and how a process with one is started."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.benchmarks._peers.contract import Settings

PYTHON = ("bayeseval", "pymc", "bambi", "numpyro", "arena-rank", "evalica", "choix", "openskill")
ISOLATED = {"arena-rank": ("arena-rank==0.1.1", "pyarrow")}
"""What cannot be installed beside the others: arena-rank pins NumPy and JAX to single versions."""


@dataclass(frozen=True)
class Program:
    """A program that is there.

    Attributes
    ----------
    version
        Of the package.
    executable
        The interpreter, Python or Rscript.
    """

    version: str
    executable: str

    def command(self, target: str, data: Path, answer: Path, settings: Settings) -> list[str]:
        """Return the command of one contender's process."""
        numbers = (settings.draws, settings.tune, settings.chains, settings.cores, settings.seed)
        if target.endswith(".R"):
            start = [str(Path(__file__).with_name(target))]
        else:
            module = "tests.benchmarks._peers"
            start = ["-m", f"{module}.child", f"{module}.{target}"]
        return [self.executable, *start, str(data), str(answer), *map(str, numbers)]


def find(name: str, environments: Path) -> Program | str:
    """Return a program, or why it is not there.

    Parameters
    ----------
    name
        A Python package, or brms.
    environments
        Folder of the environments of packages that need one of their own; made where missing.
    """
    if name == "brms":
        return _brms()
    try:
        return Program(version(name), sys.executable)
    except PackageNotFoundError:
        if name not in ISOLATED:
            return "not installed"
    return _isolated(name, environments)


def _isolated(name: str, environments: Path) -> Program | str:
    folder = environments / name
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"making an environment for {name} in {folder}", file=sys.stderr, flush=True)
        for command in (
            [sys.executable, "-m", "venv", str(folder)],
            [str(python), "-m", "pip", "install", "--quiet", *ISOLATED[name]],
        ):
            made = subprocess.run(command, capture_output=True, text=True, check=False)
            if made.returncode:
                shutil.rmtree(folder, ignore_errors=True)
                return f"not installed: {last_line(made.stderr)}"
    ask = f"from importlib.metadata import version; print(version({name!r}))"
    told = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=False)
    if told.returncode:
        return f"not installed: {last_line(told.stderr)}"
    return Program(told.stdout.strip(), str(python))


def _brms() -> Program | str:
    rscript = shutil.which("Rscript")
    if rscript is None:
        return "not installed: no Rscript"
    ask = """
        for (name in c("brms", "rstan")) cat(as.character(packageVersion(name)), "")
        cat(R.version$major, R.version$minor, sep = ".")
    """
    told = subprocess.run([rscript, "-e", ask], capture_output=True, text=True, check=False)
    if told.returncode:
        return f"not installed: {last_line(told.stderr)}"
    own, rstan, r = told.stdout.split()
    return Program(f"{own} (rstan {rstan}, R {r})", rscript)


def environment(caches: Path | None, *, single_thread: bool = False) -> dict[str, str]:
    """Return the environment of a process, with a folder of its own for compiled code if named."""
    variables = dict(os.environ)
    if caches is not None:
        variables["NUMBA_CACHE_DIR"] = str(caches / "numba")
        variables["PYTENSOR_FLAGS"] = f"base_compiledir={caches / 'pytensor'}"
    if single_thread:
        for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
            variables[f"{name}_NUM_THREADS"] = "1"
    # Without byte code every process would compile the sources of what it imports.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    return variables


def last_line(text: str) -> str:
    """Return the last line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"
