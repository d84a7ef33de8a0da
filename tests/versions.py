"""Run a quick part of the tests with the oldest dependencies that are allowed, and the newest.

Run as ``python -m tests.versions [name …] [--folder FOLDER]``, with uv; it makes an environment for
each name in FOLDER (a temporary one otherwise), some 2 GB each. Not a test: it fetches packages.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# From files, tables and classical statistics to a posterior that is saved and reported.
QUICK = (
    "tests/test_public_api.py",
    "tests/test_ranking.py",
    "tests/judgements/test_likert.py",
    "tests/judgements/test_likert_files.py",
    "tests/agreement/test_kappa.py",
    "tests/families/test_bayesian_bootstrap.py",
    "tests/families/test_trueskill_updates.py",
    "tests/families/test_pytensor_names.py",
    "tests/inference/test_fitting.py::test_fit_converges",
    "tests/inference/test_datatree.py",
)
# Warnings are no errors here: old releases use what new ones of others have deprecated.
ENVIRONMENTS = {
    "lowest": ("--resolution", "lowest-direct"),
    "newest": ("--upgrade",),
    "python3.12": (),
}


def checked(name: str, folder: Path) -> bool:
    """Make one environment and run the tests in it; say whether they passed."""
    environment = folder / name
    python = environment / "bin" / "python"
    version = name.removeprefix("python") if name.startswith("python") else "3.13"
    commands = (
        ["uv", "venv", "--quiet", "--clear", "--python", version, str(environment)],
        ["uv", "pip", "install", "--quiet", "--python", str(python), *ENVIRONMENTS[name],
         "--editable", ".", "--group", "test"],
        [str(python), "-m", "pytest", "--numprocesses=0", "--quiet", "-W", "default", *QUICK],
    )  # fmt: skip
    return all(
        subprocess.run(command, cwd=ROOT, check=False).returncode == 0 for command in commands
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *ENVIRONMENTS], metavar="name")
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        passed = {name: checked(name, folder) for name in asked.names or ENVIRONMENTS}
    sys.stdout.write(
        "".join(f"{name}: {'ok' if ok else 'FAILED'}\n" for name, ok in passed.items())
    )
    return 0 if all(passed.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
