"""A file of ratings, a posterior fitted to it, and how a command is run."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import bayeseval as be
from bayeseval import cli, inference
from bayeseval.simulate import simulate_likert
from tests.cli.commands import Ended, Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(command: str, *arguments: object) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main([*shlex.split(command), *map(str, arguments)])
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    simulated = simulate_likert(n_annotators=6, n_systems=3, n_items=4, random_seed=1)
    names = {"annotator": "worker", "system": "model", "item": "prompt", "rating": "score"}
    path = tmp_path_factory.mktemp("cli") / "ratings.csv"
    simulated.judgements.to_frame().rename(columns=names).to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def fitted(ratings: Path) -> Path:
    """Posterior of 2 chains of 200 draws: too few for the convergence check, so it is marked."""
    judgements = be.LikertJudgements.read(
        ratings, annotator="worker", system="model", item="prompt", rating="score", scale=(1, 5)
    )
    with pytest.warns(be.ConvergenceWarning):
        posterior = be.fit(
            judgements, draws=200, tune=200, chains=2, cores=1, random_seed=1, progressbar=False
        )
    return posterior.save(ratings.parent / "fitted.nc")


@pytest.fixture
def stubbed(fitted: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let fit return the saved posterior, changed as a test needs it."""

    def stub(*, problems: tuple[str, ...] | None = None, interrupted: bool = False) -> None:
        posterior = be.load(fitted)
        convergence = posterior.convergence
        if problems is not None:
            convergence = replace(convergence, problems=problems)
        settings = replace(posterior.settings, interrupted=interrupted)
        changed = replace(posterior, convergence=convergence, settings=settings)
        monkeypatch.setattr(inference, "fit", lambda *_, **__: changed)

    return stub
