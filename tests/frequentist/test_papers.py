"""The scripts that reproduce the papers run as a user starts them, with and without the data."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from bayeseval.simulate import simulate_likert
from tests.papers import EXAMPLES

PAGE = EXAMPLES.parent / "docs" / "howto" / "classical.md"
SCRIPTS = sorted(p.stem for p in EXAMPLES.glob("papers_*.py") if p.stem != "papers_data")


def _run(name: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--data", str(data)])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_prints_our_figures_beside_the_printed(
    name: str,
    shared_data: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _run(name, shared_data, monkeypatch)
    assert "our" in capsys.readouterr().out


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_says_so_and_leaves_with_zero_where_the_data_are_missing(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as left:
        _run(name, tmp_path / "nowhere", monkeypatch)
    assert left.value.code == 0
    assert "Nothing to reproduce" in capsys.readouterr().out


def test_code_of_the_page_on_classical_figures_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    simulated = simulate_likert(n_annotators=6, n_systems=3, n_items=8, random_seed=1)
    simulated.judgements.to_frame().to_csv(tmp_path / "ratings.csv", index=False)
    monkeypatch.chdir(tmp_path)
    first = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)[
        0
    ]
    exec(compile(first, PAGE.name, "exec"), {})
    printed = capsys.readouterr().out
    assert "Krippendorff's alpha" in printed
    assert "ICC(2,k)" in printed
