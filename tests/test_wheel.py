"""What the distributions contain."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import bayeseval

ROOT = Path(bayeseval.__file__).parents[1]

pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").is_file(), reason="needs the repository"
)


def _build(kind: str, folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.iterdir()
    return built


def _sources(folder: str) -> set[str]:
    files = (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return {
        path.relative_to(ROOT).as_posix()
        for path in files
        if "__pycache__" not in path.parts and path.suffix not in (".pyc", ".nbi", ".nbc")
    }


def test_wheel_holds_the_package_and_nothing_else(tmp_path: Path):
    with zipfile.ZipFile(_build("wheel", tmp_path)) as wheel:
        names = set(wheel.namelist())
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"bayeseval", f"bayeseval-{bayeseval.__version__}.dist-info"}
    assert {name for name in names if name.startswith("bayeseval/")} == _sources("bayeseval")
    assert "bayeseval/py.typed" in names
    assert f"bayeseval-{bayeseval.__version__}.dist-info/licenses/LICENSE" in names


def test_source_distribution_holds_models_tests_examples_and_docs(tmp_path: Path):
    with tarfile.open(_build("sdist", tmp_path)) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    for folder in ("bayeseval", "models", "tests", "examples"):
        assert _sources(folder) <= names, folder
    assert {"docs/conf.py", "docs/index.md", "README.md", "LICENSE", "CITATION.cff"} <= names
    allowed = {"bayeseval", "models", "tests", "examples", "docs"}
    files = {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "ARCHITECTURE.md"}
    files |= {"CONTRIBUTING.md", "pyproject.toml", "PKG-INFO", ".gitignore"}
    assert {name.partition("/")[0] for name in names} <= allowed | files
