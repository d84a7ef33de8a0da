"""How long a run takes, what is said of it, and what is done where trajectories diverge."""

import logging
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayeseval as be
from bayeseval.inference import _course, _progress, _sampling
from bayeseval.inference._course import Course, SamplerSettings, closer


def settings(**changes: Any) -> SamplerSettings:
    asked: dict[str, Any] = {
        "draws": 1000,
        "tune": None,
        "chains": 4,
        "cores": 2,
        "random_seed": 1,
        "target_accept": None,
        "max_treedepth": 10,
        "progressbar": True,
    }
    return SamplerSettings(**(asked | changes))


def tree(divergences: int) -> xr.DataTree:
    diverging = np.arange(20).reshape(2, 10) < divergences
    return xr.DataTree.from_dict(
        {
            "/posterior": xr.Dataset({"x": (("chain", "draw", "at"), np.zeros((2, 10, 3)))}),
            "/sample_stats": xr.Dataset({"diverging": (("chain", "draw"), diverging)}),
        }
    )


def test_chains_that_diverged_run_again_with_shorter_steps(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[float] = []
    left = {0.9: 3, 0.985: 1, 0.995: 0}

    def fake(_model: Any, _settings: Any, course: Course) -> tuple[xr.DataTree, Course]:
        asked.append(course.target_accept)
        return tree(left[course.target_accept]), course

    monkeypatch.setattr(_sampling, "_sample_with_nutpie", fake)
    first = Course(0.9, 500, "exact for a normal")
    with caplog.at_level(logging.INFO, "bayeseval"):
        found, course, discarded = _sampling._sample_until_none_diverges(None, settings(), first)
    assert asked == [0.9, 0.985, 0.995]
    assert (course.target_accept, course.tune) == (0.995, 1000)
    assert discarded == (3, 1)
    assert not found["sample_stats"].to_dataset()["diverging"].values.any()
    assert "3 divergent transitions: sampling again" in caplog.text
    # Who chose an acceptance rate keeps it.
    asked.clear()
    found, _, discarded = _sampling._sample_until_none_diverges(
        None, settings(target_accept=0.9), first
    )
    assert discarded == ()
    assert asked == [0.9]
    assert found["sample_stats"].to_dataset()["diverging"].values.sum() == 3


def test_at_the_shortest_steps_divergences_are_left_to_be_told() -> None:
    assert closer(Course(0.995, 1000, "leapfrog")) is None


def test_a_long_run_says_how_long_before_it_begins(caplog: pytest.LogCaptureFixture) -> None:
    course = Course(0.9, 1000, "leapfrog")
    # 4 chains on 2 cores: two after another of 2,000 draws.
    assert _progress.expected_seconds(0.05, settings(), course) == pytest.approx(200.0)
    slow = Course(0.985, 1000, "leapfrog", 1)
    assert _progress.expected_seconds(0.05, settings(), slow) > 400.0
    with caplog.at_level(logging.INFO, "bayeseval"):
        _progress.tell_of_time(59.0, settings(), course)
        assert caplog.text == ""
        _progress.tell_of_time(200.0, settings(), course)
    assert "4 chains of 1,000 + 1,000 draws, 2 at a time: about 3 minutes" in caplog.text


def test_progress_is_told_in_lines_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: True))
    assert _progress.progress_lines(settings()) == {}
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: False))
    assert _progress.progress_lines(settings(progressbar=False)) == {}
    times = iter([0.0, 10.0, 40.0, 50.0, 80.0])
    tell = _progress._teller(lambda: next(times))
    with caplog.at_level(logging.INFO, "bayeseval"):
        for done in (100, 500, 600, 1000):
            tell([SimpleNamespace(finished_draws=done, total_draws=2000, divergences=0)])
    assert caplog.messages == [
        "Sampling: 25 % done, about 2 minutes left",
        "Sampling: 50 % done, about 80 seconds left",
    ]


def test_nutpie_takes_the_callback_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    from nutpie import sample

    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: False))
    asked = _progress.progress_lines(settings())
    assert set(asked) <= set(sample.__kwdefaults__ or {})


def test_ratings_in_one_category_have_no_gaps_by_annotator() -> None:
    from tests.benchmarks.shapes import SHAPES

    judgements = SHAPES["everybody gives the same rating"].make(0)
    assert isinstance(judgements, be.LikertJudgements)
    family = be.OrdinalProbit()
    declaration = family.declare(judgements)
    assert not declaration.response.has_gaps
    assert "gaps between thresholds by annotator" in declaration.left_out


def test_a_bent_posterior_takes_short_steps_from_the_first_run_on():
    any_family: Any = SimpleNamespace(response=SimpleNamespace())
    with_gaps: Any = SimpleNamespace(response=SimpleNamespace(target_accept=0.97))
    for declaration in (any_family, with_gaps):
        course = _course.course_for(settings(), declaration, 0.8)
        assert (course.target_accept, course.extra_doublings) == (0.985, 1)
        assert course.integrator == "leapfrog"
        asked = _course.course_for(settings(target_accept=0.8), declaration, 0.8)
        assert asked.target_accept == 0.8
    assert _course.course_for(settings(), any_family, 1.1).target_accept == 0.9


@pytest.mark.sampling
@pytest.mark.parametrize("outcomes", ["a", "ab"])
def test_one_vote_or_two_take_no_half_turns(outcomes: str) -> None:
    """Steps that are exact for a normal come to π there: a draw mirrors the one before."""
    frame = pd.DataFrame({"a": "A", "b": "B", "outcome": list(outcomes)})
    votes = be.PairwiseJudgements.from_frame(
        frame, annotator=None, system_a="a", system_b="b", outcome="outcome", repeats=True
    )
    for seed in (0, 1, 2):
        posterior = be.fit(votes, random_seed=seed, progressbar=False)
        assert posterior.convergence.ok, str(posterior.convergence)
        assert posterior.settings.integrator == "leapfrog"
