"""What an import must not bring along, and how long the command line's help may take."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import bayeseval

SAMPLERS = {"pymc", "pytensor", "nutpie", "arviz", "arviz_base", "arviz_stats", "arviz_plots"}
HEAVY = SAMPLERS | {
    "jinja2",
    "matplotlib",
    "narwhals",
    "numba",
    "numpy",
    "pandas",
    "pydantic",
    "pyarrow",
    "rich",
    "scipy",
    "sklearn",
    "statsmodels",
    "xarray",
}
# What `bayeseval.comparison` and `bayeseval.reporting` may do without until they are used.
DRAWING = SAMPLERS | {"matplotlib", "jinja2"}
LOW_LAYERS = ("judgements", "ranking", "simulate", "agreement", "frequentist", "huse", "settings")


def _modules_after(code: str, *arguments: str) -> set[str]:
    """Run code in a fresh interpreter and return the top-level names of what it imported."""
    listing = "print(*{name.partition('.')[0] for name in sys.modules}, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{listing}", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_import_bayeseval_brings_nothing_heavy():
    assert not _modules_after("import bayeseval") & HEAVY


@pytest.mark.parametrize("layer", LOW_LAYERS)
def test_low_layers_never_import_a_sampler(layer: str):
    package = Path(bayeseval.__file__).parent
    if not (package / layer).is_dir() and not (package / f"{layer}.py").is_file():
        pytest.skip(f"bayeseval.{layer} is not there yet")
    assert not _modules_after(f"import bayeseval.{layer}") & SAMPLERS


@pytest.mark.parametrize("layer", ["comparison", "reporting"])
def test_tables_and_reports_import_no_sampler_and_no_plotting(layer: str):
    assert not _modules_after(f"import bayeseval.{layer}") & DRAWING


HELP = "\n".join(
    (
        "from bayeseval.cli import main",
        "try: main(sys.argv[1:])",
        "except SystemExit as ended: assert not ended.code",
    )
)


@pytest.mark.parametrize("command", ["", "fit", "rank", "compare", "report", "summary", "demo"])
def test_help_imports_nothing_heavy(command: str):
    assert not _modules_after(HELP, *command.split(), "--help") & HEAVY


@pytest.mark.parametrize("command", ["", "fit", "compare"])
def test_help_answers_in_under_half_a_second(command: str):
    # Processor time and the best of some runs, so that a busy machine does not decide.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds = []
    for _ in range(4):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "bayeseval.cli", *command.split(), "--help"],
            capture_output=True,
            check=True,
            env=environment,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(seconds) < 0.5
