"""What no other sweep reaches, methods included: bad arguments end in a result or in words."""

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.huse import huse
from tests import test_bad_options
from tests.bad_arguments import BAD, ends_in_words

LIKERT = pd.DataFrame(
    {
        "w": ["a", "a", "b", "b"],
        "i": ["x", "y", "x", "y"],
        "A": [1, 2, 3, 4],
        "B": [2, 4, 3, 5],
        "C": [1, 1, 5, 2],
        "k": [2, 3, 1, 1],
        "t": pd.to_datetime(["2026-01-01 10:00", "2026-01-01 10:01"] * 2),
        "u": pd.to_datetime(["2026-01-01 10:05", "2026-01-01 10:07"] * 2),
        "h": [1, 2, 3, 4],
    }
)
PAIRS = pd.DataFrame({"w": ["a", "b"], "i": ["x", "y"], "A": [0.2, 0.8], "B": [0.5, 0.1]})
WINNERS = pd.DataFrame({"w": ["a", "b"], "i": ["x", "y"], "A": ["a", "tie"], "B": ["b", "a"]})


@cache
def submitted() -> be.LikertJudgements:
    long = LIKERT.melt(["w", "i", "t", "u", "h"], ["A", "B", "C"], var_name="s", value_name="r")
    return be.LikertJudgements.from_frame(
        long, annotator="w", item="i", system="s", rating="r", scale=(1, 5),
        attributes=["t", "u", "h"],
    )  # fmt: skip


@cache
def spa() -> be.SPAJudgements:
    return be.simulate_spa(n_annotators=6, n_systems=3, random_seed=0).judgements


@cache
def filtered() -> Any:
    return be.filter_effect(spa())


@cache
def sampled() -> be.Posterior:
    return test_bad_options.of_comparisons()


def texts() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "log_probability": rng.normal(-20, 4, 24),
        "length": rng.integers(5, 12, 24),
        "ratings": rng.normal(3, 1, (24, 4)),
        "is_model": np.arange(24) % 2 == 0,
        "n_texts": (12,),
        "n_annotators": (2,),
        "n_repeats": 2,
        "k": 3,
        "ties": "paper",
        "random_seed": 0,
    }


def people() -> pd.DataFrame:
    return pd.DataFrame({"id": ["a", "b"], "age": ["old", "young"]})


def answers(**own: Any) -> dict[str, Any]:
    return {"annotator": "w", "item": "i", **own}


CHOSEN = pd.DataFrame({"system": list("AABBC"), "fine": [1, 1, 0, 1, 0], "bad": [0, 1, 1, 1, 1]})
RANKS = answers(ranks=dict(zip("ABC", "ABC", strict=True)), lower_is_better=True)
SPLIT = pd.DataFrame({"x": ["A", "B"], "y": ["B", "C"], "w": [3, 1], "l": [1, 2], "t": [0, 1]})
# A call that works: the function, what it takes by place, what it takes by name.
CALLS: dict[str, Callable[[], tuple[Any, list[Any], dict[str, Any]]]] = {
    "anova_from_summary": lambda: (
        be.anova_from_summary, [], {"mean": [1.0, 2.0], "sd": [1.0, 1.0], "n": [9, 8]}
    ),
    "welch_from_summary": lambda: (
        be.welch_from_summary, [],
        {"mean_a": 1.0, "sd_a": 1.0, "n_a": 9, "mean_b": 2.0, "sd_b": 1.0, "n_b": 8},
    ),
    "box_tests": lambda: (be.box_tests, [CHOSEN], {"system": "system", "boxes": ["fine", "bad"]}),
    "design_counts": lambda: (be.design_counts, [], {"n_systems": 4, "n_trials": 8}),
    "huse": lambda: (
        huse, [],
        {name: value for name, value in texts().items() if not name.startswith(("n_", "ratings"))}
        | {"judgement": texts()["ratings"].mean(axis=1), "n_resamples": 3},
    ),
    "huse_stability": lambda: (be.huse_stability, [], texts()),
    "join_annotators": lambda: (
        be.join_annotators, [submitted(), people()], {"id": "id", "moderators": ["age"]}
    ),
    "filter_first_submission": lambda: (
        be.filter_first_submission, [submitted()], {"submission": "h", "time": "t"}
    ),
    "filter_work_time": lambda: (
        be.filter_work_time, [submitted()],
        {"min_median": "1min", "submission": "h", "start": "t", "end": "u"},
    ),
    "work_times": lambda: (
        be.work_times, [submitted()], {"submission": "h", "start": "t", "end": "u"}
    ),
    "plot_filter_effect": lambda: (be.plot_filter_effect, [filtered()], {}),
    "filter_effect": lambda: (be.filter_effect, [spa()], {}),
    "LikertJudgements.from_wide": lambda: (
        be.LikertJudgements.from_wide, [LIKERT],
        answers(ratings=["A", "B", "C"], columns_are="system", scale=(1, 5)),
    ),
    "MagnitudeJudgements.from_wide": lambda: (
        be.MagnitudeJudgements.from_wide, [LIKERT],
        answers(magnitudes=["A", "B"], reference=None, columns_are="system"),
    ),
    "PairwiseJudgements.from_rankings": lambda: (
        be.PairwiseJudgements.from_rankings, [LIKERT], RANKS
    ),
    "PairwiseJudgements.from_counts": lambda: (
        be.PairwiseJudgements.from_counts, [SPLIT],
        {"system_a": "x", "system_b": "y", "wins": "w", "losses": "l", "ties": "t"},
    ),
    "PairwiseJudgements.from_wide": lambda: (
        be.PairwiseJudgements.from_wide, [WINNERS.assign(x="A", y="B")],
        answers(answers=["A", "B"], columns_are="criterion", system_a="x", system_b="y"),
    ),
    "SPAJudgements.from_wide": lambda: (
        be.SPAJudgements.from_wide, [PAIRS.assign(x="A", y="B")],
        answers(probabilities=["A", "B"], columns_are="criterion", system_a="x", system_b="y"),
    ),
    "StrengthJudgements.from_wide": lambda: (
        be.StrengthJudgements.from_wide, [PAIRS.assign(x="A", y="B")],
        answers(strengths=["A", "B"], columns_are="criterion", system_a="x", system_b="y",
                bounds=(-3, 3), positive="b"),
    ),
    "Posterior.estimand": lambda: (sampled().estimand, ["outcome_probability"], {}),
    "Posterior.win_probability": lambda: (sampled().win_probability, [], {}),
    "Posterior.quality_over": lambda: (sampled().quality_over, [], {}),
    "Posterior.averaged_over": lambda: (sampled().averaged_over, [], {}),
    "Posterior.predictive": lambda: (
        sampled().predictive, [test_bad_options.comparisons()], {"draws": 5, "random_seed": 0}
    ),
    "Posterior.row_chances": lambda: (
        sampled().row_chances, [test_bad_options.comparisons()], {"draws": 5}
    ),
    "Posterior.log_likelihood": lambda: (
        sampled().log_likelihood, [test_bad_options.comparisons()], {"draws": 5}
    ),
    "Posterior.to_datatree": lambda: (
        sampled().to_datatree, [test_bad_options.comparisons()], {"draws": 5}
    ),
    "Posterior.save": lambda: (sampled().save, ["p.nc"], {}),
    "Judgements.codes": lambda: (submitted().codes, ["annotator"], {}),
    "Judgements.labels": lambda: (submitted().labels, ["annotator"], {}),
    "Judgements.has": lambda: (submitted().has, ["annotator"], {}),
    "Ranking.select": lambda: (be.rank(sampled()).select, [], {}),
    "compare_models": lambda: (
        be.compare_models,
        [{"one": sampled(), "two": sampled()}, test_bad_options.comparisons()],
        {"draws": 20},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_bad_arguments_end_in_a_result_or_in_words(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, given, named = CALLS[name]()
    function(*given, **named)
    bare = [
        f"{place}: {said}"
        for place in range(len(given))
        for bad in BAD
        if (said := ends_in_words(function, *given[:place], bad, *given[place + 1 :], **named))
    ]
    kinds = inspect.signature(function).parameters.values()
    options = [each.name for each in kinds if each.kind is each.KEYWORD_ONLY]
    bare += [
        f"{option}={bad!r}: {said}"
        for option in options
        for bad in BAD
        if (said := ends_in_words(function, *given, **{**named, option: bad}))
    ]
    assert not bare, "\n".join(bare)
