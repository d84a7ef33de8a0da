"""A run that was repeated with shorter steps says so wherever its draws are shown."""

from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from bayeseval.inference import _sampling


@pytest.fixture(scope="module")
def study() -> be.LikertJudgements:
    return be.simulate_likert(n_annotators=4, n_systems=3, n_items=4, random_seed=0).judgements


@pytest.fixture(scope="module")
def repeated(study: be.LikertJudgements) -> be.Posterior:
    """A fit whose first two chains are made to have divergent transitions."""
    to_come, sample = [3, 1], _sampling._sample_with_nutpie

    def diverging(model: Any, settings: Any, course: Any) -> Any:
        tree, course = sample(model, settings, course)
        if settings.chains > 1 and to_come:
            tree["sample_stats"].to_dataset()["diverging"].values[0, : to_come.pop(0)] = True
        return tree, course

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sampling, "_sample_with_nutpie", diverging)
        return be.fit(study, draws=300, tune=300, chains=2, random_seed=0, progressbar=False)


@pytest.mark.sampling
@pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")
def test_a_repeated_run_says_so_in_every_output(
    study: be.LikertJudgements, repeated: be.Posterior, tmp_path: Path
) -> None:
    assert repeated.settings.discarded == repeated.convergence.discarded == (3, 1)
    assert repeated.settings.target_accept == 0.995
    assert "discarded=(3, 1)" in repr(repeated.settings)
    assert repeated.convergence.divergences == 0
    said = (
        "It was run again with shorter steps after 3 divergent transitions, then 1, whose draws "
        "are not used."
    )
    assert said in str(repeated.convergence)
    assert said in repr(repeated)
    report = be.report(repeated, study, tmp_path / "report.md", draws=20).read_text("utf-8")
    assert "sampled again with shorter steps" in report
    assert "target_accept=0.995; divergent transitions before" in report
    kept = be.load(repeated.save(tmp_path / "fit.nc"))
    assert kept.settings.discarded == kept.convergence.discarded == (3, 1)
    assert str(kept.convergence) == str(repeated.convergence)
