"""Moderators: what they may be called, and which columns hold levels."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.errors import JudgementError


def read(values: Mapping[str, Sequence[Any]], **moderators: str) -> be.PairwiseJudgements:
    n = len(next(iter(values.values())))
    frame = pd.DataFrame({"a": "A", "b": "B", "o": ["a", "b"] * (n // 2), **values})
    return be.PairwiseJudgements.from_frame(
        frame, annotator=None, system_a="a", system_b="b", outcome="o",
        moderators=moderators or list(values),
    )  # fmt: skip


PATHS = ["day/night", "/", "a//b", ".", "..", "", " ", " day", "day ", "a\nb", "a\x00b", "\u202ex"]


@pytest.mark.parametrize("name", PATHS)
def test_names_that_no_file_could_hold_are_refused_when_read(name: str):
    with pytest.raises(JudgementError, match=r"a moderator cannot be called .*moderators={'\w+'"):
        read({name: ["x", "y"]})


@pytest.mark.parametrize("name", ["circle", "direction", "system_pair", "criterion_b", "quality"])
def test_names_of_dimensions_are_refused_when_read(name: str):
    with pytest.raises(JudgementError, match="has a meaning of its own"):
        read({name: ["x", "y"]})


def test_two_moderators_whose_variables_would_have_one_name_are_refused():
    with pytest.raises(JudgementError, match="'day' and 'day_sd' cannot go together"):
        read({"day": ["x", "y"], "day_sd": ["x", "y"]})


@pytest.mark.sampling
@pytest.mark.filterwarnings("ignore::bayeseval.errors.ConvergenceWarning")
def test_any_other_name_comes_back_from_a_file(tmp_path: Any):
    names = ["(a: b)", "-日", "#x.y"]
    rng = np.random.default_rng(1)
    table = read({name: rng.choice(["u", "v"], 40).tolist() for name in names})
    family = be.BradleyTerry(annotators="none")
    posterior = be.fit(table, family, draws=20, tune=20, chains=1, random_seed=1, progressbar=False)
    loaded = be.load(posterior.save(tmp_path / "names.nc"))
    assert list(loaded.moderators) == names
    assert loaded.posterior.equals(posterior.posterior)


def numbers(n: int, levels: int, *, step: float = 1.0) -> list[float]:
    return [(k % levels) * step for k in range(n)]


def test_a_measurement_is_refused_with_the_advice():
    rng = np.random.default_rng(2)
    with pytest.raises(JudgementError, match=r"54 different numbers in 54 judgements.*qcut"):
        read({"length_difference": rng.normal(size=54).tolist()})
    with pytest.raises(JudgementError, match="measurement"):
        read({"temperature": numbers(600, 11, step=0.1)})
    # As text, which is how every cell of a CSV file comes.
    with pytest.raises(JudgementError, match="measurement"):
        read({"length": [str(value) for value in rng.normal(size=54)]})


def test_whole_numbers_are_levels_where_they_can_be_codes():
    assert len(read({"day": numbers(200, 14)}).moderators["day"]) == 14
    assert len(read({"turn": numbers(2, 2)}).moderators["turn"]) == 2
    with pytest.raises(JudgementError, match="measurement"):
        read({"words": numbers(54, 40)})  # hardly more judgements than levels
    with pytest.raises(JudgementError, match="measurement"):
        read({"words": numbers(5000, 40)})  # more levels than a study has days
    named = [f"batch {value:g}" for value in numbers(5000, 40)]
    assert len(read({"batch": named}).moderators["batch"]) == 40


def test_few_settings_of_a_number_are_levels():
    assert read({"temperature": numbers(40, 3, step=0.35)}).moderators["temperature"] == (
        "0",
        "0.35",
        "0.7",
    )


def test_times_are_no_levels_but_days_are():
    stamps = pd.date_range("2026-01-01", periods=60, freq="h")
    with pytest.raises(JudgementError, match=r"60 different times.*dt\.date"):
        read({"at": stamps.tolist()})
    assert len(read({"at": [stamp.date() for stamp in stamps] * 2}).moderators["at"]) == 3


def test_what_is_joined_is_asked_the_same():
    table = be.simulate_likert(n_annotators=30, random_seed=1).judgements
    people = pd.DataFrame({"Participant id": table.annotators, "age": range(20, 50)})
    with pytest.raises(JudgementError, match="'age' holds 30 different numbers"):
        be.join_annotators(table, people, moderators=["age"])
    grouped = people.assign(age=pd.qcut(people["age"], 3).astype(str))
    assert len(be.join_annotators(table, grouped, moderators=["age"]).moderators["age"]) == 3


@pytest.mark.parametrize("role", ["annotator", "system"])
def test_measurements_are_no_names(role: str):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"annotator": "p", "system": "A", "rating": 3}, index=range(20))
    frame = frame.assign(**{role: rng.normal(size=20).round(3)})
    arguments = {"annotator": "annotator", "system": "system", "rating": "rating", "scale": (1, 5)}
    with pytest.raises(JudgementError, match=rf"{role}='{role}' holds 20 different numbers"):
        be.LikertJudgements.from_frame(frame, **arguments)
    # Versions are names: few of them, or each judged often.
    frame[role] = [1.5, 3.5, 4.1, 4.5] * 5
    be.LikertJudgements.from_frame(frame, repeats=True, **arguments)
