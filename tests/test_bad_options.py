"""Posteriors, fits, families, simulations and tables: bad arguments end in a result or in words."""

import dataclasses
import inspect
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import bayeseval as be
from bayeseval.errors import BayesEvalError
from tests.bad_arguments import BAD, bad_options, ends_in_words
from tests.fakes import FakePosterior, make_posterior

SMALL: dict[str, Any] = {"n_annotators": 4, "n_systems": 3, "random_seed": 0}


@cache
def ratings() -> be.LikertJudgements:
    return be.simulate_likert(**SMALL, n_items=4).judgements


@cache
def comparisons() -> be.PairwiseJudgements:
    return be.simulate_pairwise(**SMALL, n_items=3).judgements


class OfLogOdds(FakePosterior):
    """A posterior whose qualities are log odds, as Elo's numbers ask for."""

    declaration = SimpleNamespace(response=SimpleNamespace(link="logit"))


@cache
def fakes() -> tuple[FakePosterior, ...]:
    systems, three = ratings().systems, [0.0, 0.5, 1.0]
    made = (
        make_posterior(three, systems=systems, annotators=ratings().annotators, draws=10),
        make_posterior(three, systems=systems, by=("age", ("old", "young")), draws=10),
        make_posterior(three, systems=systems, criteria=("fluency", "adequacy"), draws=10),
    )
    return tuple(one.but(fingerprint=ratings().fingerprint) for one in made)


@cache
def of_comparisons() -> be.Posterior:
    family = be.TrueSkill(shuffles=20, resamples=20)
    return be.fit(comparisons(), family, draws=20, random_seed=0, progressbar=False)


def posteriors(name: str) -> list[Any]:
    """Return what a function of posteriors takes first."""
    one, by_age, of_criteria = fakes()
    if name in ("next_pairs", "intransitivity", "trueskill_ranking"):
        return [of_comparisons()]
    if name == "elo":
        return [OfLogOdds(one.variables)]
    if name == "variance_shares":
        return [one.but(family=SimpleNamespace(name="OrdinalProbit"))]
    if name == "compare_posteriors":
        return [{"first": one, "second": one}]
    if name == "plot_comparison":
        return [be.compare(one), be.compare(by_age, by="age", level="old")]
    if name in ("plot_ranking", "plot_rank_distribution"):
        return [be.rank(one), be.rank(by_age, by="age", level="old")]
    if name in ("plot_predictive", "plot_win_probability", "side_by_side", "variation", "report"):
        return [one]  # Each call takes long.
    return [one, by_age, of_criteria]


# What each takes besides a posterior, a ranking or a comparison.
FURTHER: dict[str, tuple[Any, ...]] = {
    "rank": (),
    "compare": (),
    "compare_posteriors": (),
    "elo": (),
    "variance_shares": (),
    "trueskill_ranking": (),
    "next_pairs": (2,),
    "side_by_side": (ratings,),
    "variation": (ratings,),
    "intransitivity": (comparisons,),
    "plot_comparison": (),
    "plot_ranking": (),
    "plot_rank_distribution": (),
    "plot_thresholds": (),
    "plot_win_probability": (),
    "plot_predictive": (ratings,),
    "report": (ratings, "report.md"),
}


def further(name: str) -> list[Any]:
    return [each() if callable(each) else each for each in FURTHER[name]]


@pytest.mark.parametrize("name", FURTHER)
def test_what_is_no_posterior_nor_what_goes_with_one_is_refused_in_words(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    good = [posteriors(name)[0], *further(name)]
    bare = [
        said
        for place in range(len(good))
        for bad in BAD
        if (said := ends_in_words(getattr(be, name), *good[:place], bad, *good[place + 1 :]))
    ]
    assert not bare


@pytest.mark.parametrize("name", FURTHER)
def test_bad_options_of_functions_of_posteriors(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, more = getattr(be, name), further(name)
    parameters = list(inspect.signature(function).parameters.values())[1 + len(more) :]
    options = [each.name for each in parameters if each.kind is not each.VAR_POSITIONAL]
    taken = 0
    for posterior in posteriors(name):
        try:
            function(posterior, *more)
        except BayesEvalError:
            continue  # A function that takes no such posterior names no option.
        taken += 1
        assert bad_options(function, posterior, *more, options=options) == []
    assert taken


def test_bad_options_of_fits() -> None:
    # A family that draws by itself: what is wrong for a sampler is refused all the same.
    options = list(inspect.signature(be.fit).parameters)[2:]
    family = be.TrueSkill(shuffles=1, resamples=0)
    good: dict[str, Any] = {"family": family, "draws": 20, "random_seed": 0, "progressbar": False}
    assert bad_options(be.fit, comparisons(), options=options, **good) == []
    assert not [said for bad in BAD[1:] if (said := ends_in_words(be.fit, comparisons(), bad))]


@pytest.mark.parametrize(
    "family",
    [
        be.BayesianBootstrap,
        be.BradleyTerry,
        be.LogMagnitude,
        be.OrderedBeta,
        be.OrdinalProbit,
        be.PreferenceStrength,
        be.Thurstone,
        be.TrueSkill,
    ],
)
def test_bad_settings_of_families(family: Any) -> None:
    options = [setting.name for setting in dataclasses.fields(family)]
    assert bad_options(family, options=options) == []


@pytest.mark.parametrize("protocol", ["likert", "magnitude", "pairwise", "spa", "strength"])
def test_bad_options_of_simulations(protocol: str) -> None:
    function = getattr(be, f"simulate_{protocol}")
    options = list(inspect.signature(function).parameters)
    assert bad_options(function, options=options, **SMALL) == []


COLUMNS: dict[str, dict[str, Any]] = {
    "likert": {"scale": (1, 5)},
    "magnitude": {},
    "pairwise": {},
    "spa": {},
    "strength": {"bounds": (-3, 3), "positive": "b"},
}


@pytest.mark.parametrize("protocol", COLUMNS)
@pytest.mark.parametrize("source", ["from_frame", "read"])
def test_bad_columns_and_declarations_of_tables(protocol: str, source: str, tmp_path: Path) -> None:
    table = getattr(be, f"simulate_{protocol}")(**SMALL).judgements
    function = getattr(type(table), source)
    frame = table.to_frame()
    given: object = frame
    if source == "read":
        given = tmp_path / "judgements.csv"
        frame.to_csv(given, index=False)
    first, *options = inspect.signature(function).parameters
    good = {name: name for name in options if name in frame} | COLUMNS[protocol]
    assert function(given, **good).n_rows == table.n_rows, first
    assert bad_options(function, given, options=options, **good) == []


@pytest.mark.parametrize("bad", BAD)
def test_a_path_or_a_format_that_is_none_is_refused_in_words(bad: object, tmp_path: Path) -> None:
    file = tmp_path / "judgements.csv"
    file.write_text("a,b\n1,2\n")
    assert ends_in_words(be.read, bad, format="csv") == ""
    assert ends_in_words(be.load, bad) == ""
    assert bad_options(be.read, file, options=["format"]) == []


@pytest.mark.parametrize("bad", BAD)
def test_filters_and_raw_frames_refuse_what_is_none_in_words(bad: Any) -> None:
    assert ends_in_words(be.filter_where, ratings(), bad, rule="all") == ""
    assert (
        ends_in_words(be.filter_where, ratings(), lambda frame: frame["rating"] > 0, rule=bad) == ""
    )
    assert ends_in_words(be.filter_attention_checks, ratings(), bad) == ""
    assert ends_in_words(be.huse_texts, bad, model="model", labels={"yes": 1.0}) == ""
