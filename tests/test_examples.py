"""A user's script of examples/ and the README's code run as they stand, with fewer draws.

The scripts that reproduce papers are tested beside the methods that they use.
"""

import re
import runpy
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from bayeseval.simulate import simulate_likert

ROOT = Path(__file__).parents[1]
WRITTEN = {"ratings.csv", "report.html"}


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Run in an empty folder, with 2 chains of 100 draws whatever the script asks for."""
    whole = be.fit

    def fit(
        judgements: be.Judgements, family: Any = None, *, random_seed: int, draws: int = 1000
    ) -> be.Posterior:
        few = partial(whole, judgements, family, random_seed=random_seed, draws=min(draws, 100))
        if getattr(family, "direct", False):
            return few(chains=2)
        with pytest.warns(be.ConvergenceWarning):
            return few(tune=200, chains=2, cores=1, progressbar=False)

    monkeypatch.setattr(be, "fit", fit)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.sampling
def test_likert_example_runs_and_writes_its_report(
    few_draws: Path, capsys: pytest.CaptureFixture[str]
):
    runpy.run_path(str(ROOT / "examples" / "likert_ranking.py"), run_name="__main__")
    assert {path.name for path in few_draws.iterdir()} == WRITTEN | {"posterior.nc"}
    assert "Ranking of 4 systems" in capsys.readouterr().out


@pytest.mark.sampling
def test_magnitude_example_runs_and_writes_its_report(
    few_draws: Path, capsys: pytest.CaptureFixture[str]
):
    runpy.run_path(str(ROOT / "examples" / "magnitude_rankme_shape.py"), run_name="__main__")
    assert {path.name for path in few_draws.iterdir()} == {"magnitudes.csv", "report.html"}
    printed = capsys.readouterr().out
    assert "Ranking of 3 systems" in printed
    assert "times as good as" in printed


@pytest.mark.sampling
def test_strength_example_runs_and_says_where_the_variation_lies(
    few_draws: Path, capsys: pytest.CaptureFixture[str]
):
    runpy.run_path(str(ROOT / "examples" / "strength_belz_kow.py"), run_name="__main__")
    assert {path.name for path in few_draws.iterdir()} == {"strengths.csv"}
    printed = capsys.readouterr().out
    assert "Ranking of 8 systems" in printed
    assert "system × annotator" in printed
    assert "3,136" in printed
    assert "Pairs decided" in printed


@pytest.mark.sampling
def test_pairwise_example_runs_and_writes_its_report(
    few_draws: Path, capsys: pytest.CaptureFixture[str]
):
    runpy.run_path(str(ROOT / "examples" / "pairwise_ranking.py"), run_name="__main__")
    written = {path.name for path in few_draws.iterdir()}
    assert written == {"votes.csv", "posterior.nc", "report.html"}
    printed = capsys.readouterr().out
    assert "Ranking of 5 systems" in printed
    assert "system_b" in printed
    assert "loss" in printed


@pytest.mark.sampling
def test_spa_example_runs_and_finds_more_by_stated_probabilities_than_by_ratings(
    few_draws: Path, capsys: pytest.CaptureFixture[str]
):
    runpy.run_path(str(ROOT / "examples" / "spa_authenticity_gap.py"), run_name="__main__")
    written = {path.name for path in few_draws.iterdir()}
    assert written == WRITTEN | {"stated.csv", "filter.png", "examples_seen.png"}
    printed = capsys.readouterr().out
    found = re.search(r"likert (\d), spa (\d), spa, bootstrap (\d) of 4", printed)
    assert found is not None
    by_rating, by_probability, without_model = map(int, found.groups())
    assert by_rating < by_probability == without_model
    assert "before and after leaving out incoherent annotators" in printed
    for m in (1, 5, 20):
        assert f"5 pairs: m {m}" in printed
    assert "Mean and mass of the answers by pair" in (few_draws / "report.html").read_text("utf-8")


@pytest.mark.sampling
def test_code_of_the_readme_runs(few_draws: Path, capsys: pytest.CaptureFixture[str]):
    names = {"annotator": "worker", "system": "model", "item": "prompt", "rating": "score"}
    _write_ratings(few_draws / "ratings.csv", names)
    _run_code_of(ROOT / "README.md")
    assert {path.name for path in few_draws.iterdir()} == WRITTEN
    printed = capsys.readouterr().out
    assert "Ranking of 3 systems" in printed
    assert "do not report" in printed


@pytest.mark.sampling
def test_code_of_the_first_page_of_the_docs_runs(few_draws: Path):
    (few_draws / "bayeseval-demo").mkdir()
    _write_ratings(few_draws / "bayeseval-demo" / "ratings.csv", {})
    _run_code_of(ROOT / "docs" / "start.md")
    assert be.load("posterior.nc").settings.draws == 100


def _write_ratings(path: Path, names: dict[str, str]) -> None:
    simulated = simulate_likert(n_annotators=5, n_systems=3, n_items=3, random_seed=1)
    simulated.judgements.to_frame().rename(columns=names).to_csv(path, index=False)


def _run_code_of(page: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    exec(compile("\n".join(blocks), page.name, "exec"), {})  # the page's own code
