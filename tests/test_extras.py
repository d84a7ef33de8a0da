"""What the core does without an extra, and that an error names the extra that is lacking."""

import importlib.util
import tomllib
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import bayeseval as be
from bayeseval import _checks
from bayeseval.families import TrueSkill, _trueskill_engines
from bayeseval.huse import huse
from bayeseval.judgements import PairwiseJudgements, _files

ROOT = Path(__file__).parents[1]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretend that packages are not installed."""

    def hide(*packages: str) -> None:
        def find(name: str) -> object:
            return None if name in packages else importlib.util.find_spec(name)

        for module in (_checks, _trueskill_engines):
            monkeypatch.setattr(module, "find_spec", find)

    return hide


@pytest.fixture
def votes() -> PairwiseJudgements:
    frame = pd.DataFrame({"a": list("xyz"), "b": list("yzx"), "o": ["a", "tie", "b"]})
    return PairwiseJudgements.from_frame(
        frame, annotator=None, system_a="a", system_b="b", outcome="o"
    )


def test_trueskill_is_rated_without_the_package(
    without: Callable[..., None], votes: PairwiseJudgements
) -> None:
    without("trueskill")
    posterior = be.fit(votes, TrueSkill(shuffles=2, resamples=0), draws=5, random_seed=1)
    assert "updated by the compiled engine" in posterior.settings.sampler
    with pytest.raises(be.ModelError, match=r"needs trueskill, not .*bayeseval\[trueskill\]"):
        be.fit(votes, TrueSkill(engine="package"), draws=5, random_seed=1)


def test_a_large_file_asks_for_its_extra(
    without: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("duckdb")
    monkeypatch.setattr(_files, "MOST_TEXT_BYTES", 10)
    path = tmp_path / "votes.csv"
    path.write_text("w,s,r\na,x,1\nb,y,2\n")
    with pytest.raises(be.JudgementError, match=r"needs duckdb.*bayeseval\[large\].*from_frame"):
        be.LikertJudgements.read(path, annotator="w", system="s", rating="r", scale=(1, 2))


def test_a_rule_for_ties_of_scikit_learn_asks_for_its_extra(without: Callable[..., None]) -> None:
    without("sklearn")
    with pytest.raises(be.DesignError, match=r"needs sklearn.*bayeseval\[huse\].*another rule"):
        huse(
            log_probability=[-1.0, -2.0, -3.0, -2.5],
            length=[3, 4, 5, 6],
            judgement=[1.0, 2.0, 3.0, 2.0],
            is_model=[True, False, True, False],
            k=1,
            ties="sklearn",
        )


def test_every_extra_is_in_the_group_that_a_clone_installs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    group = project["dependency-groups"]["test"]
    lacking = {
        name: [each for each in packages if each not in group]
        for name, packages in extras.items()
        if name != "jax"
    }
    assert not any(lacking.values()), lacking
