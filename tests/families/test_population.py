"""What every family averages over: one estimand for ranks and contrasts, whatever the moderator.

The draws are no posterior: the relations hold for any parameters.
"""

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import expit

from bayeseval.errors import ModelError
from bayeseval.families import (
    BradleyTerry,
    LogMagnitude,
    OrderedBeta,
    OrdinalProbit,
    PreferenceStrength,
    Thurstone,
)
from bayeseval.families._marginal import moderators_of, people_and_items
from bayeseval.families._population import averaged_over, quality_over
from bayeseval.judgements import LikertJudgements, PairwiseJudgements
from tests.families.answers import magnitude, pairwise, stated, strength

DRAWS = 400


def ratings(*, criteria: bool = False) -> LikertJudgements:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(0, 3, (60, 3)), columns=["annotator", "system", "item"])
    frame["rating"] = rng.integers(1, 6, 60)
    frame["day"] = rng.choice(["day 1", "day 2"], 60)
    frame["criterion"] = rng.choice(["fluent", "true"], 60)
    return LikertJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        scale=(1, 5),
        moderators=("day",),
        criterion="criterion" if criteria else None,
        repeats=True,
    )


CASES: dict[str, tuple[Any, Any]] = {
    "OrdinalProbit": (OrdinalProbit(discrimination=True), ratings),
    "BradleyTerry": (BradleyTerry(annotators=("taste",), items=True), pairwise),
    "Thurstone": (Thurstone(annotators="none", items=False), pairwise),
    "OrderedBeta": (OrderedBeta(), stated),
    "LogMagnitude": (LogMagnitude(), magnitude),
    "PreferenceStrength": (PreferenceStrength(), strength),
    "PreferenceStrength, slider": (
        PreferenceStrength(response="ordered_beta"),
        lambda **settings: strength("slider", **settings),
    ),
}


@cache
def drawn(case: str, *, criteria: bool = False) -> tuple[Any, Any, xr.Dataset, Any, Any]:
    family, study = CASES[case]
    judgements = study(criteria=criteria, **({} if study is ratings else {"moderator": True}))
    declaration = family.declare(judgements)
    density = family.density(declaration, family.cells(declaration, judgements))
    assert density is not None
    x = np.random.default_rng(6).normal(scale=0.3, size=(1, DRAWS, density.n_parameters))
    draws = family.posterior_dataset(declaration, family.constrained(declaration, x))
    draws = draws.assign_coords(chain=[0], draw=np.arange(DRAWS))
    if "departure" in draws:
        # Pairs that depart from one scale are no matter of the moderator.
        draws["departure"] = 0.0 * draws["departure"]
    return family, declaration, draws, (judgements, x), density


@pytest.mark.parametrize("population", [None, "observed", "new"])
@pytest.mark.parametrize("by", [None, "day"])
@pytest.mark.parametrize("case", CASES)
def test_the_better_system_by_quality_is_the_likelier_winner(case: str, by: Any, population: Any):
    family, declaration, draws, *_ = drawn(case)
    quality = quality_over(declaration, draws, population, by).transpose(..., "system")
    win = family.estimate("win_probability", declaration, draws, population=population, by=by)
    win = win.transpose(..., "system", "system_b").values
    better = quality.values[..., :, None] > quality.values[..., None, :]
    i, j = np.triu_indices(win.shape[-1], 1)
    for a, b in zip(i, j, strict=True):
        one, other = better[..., a, b].mean(axis=(0, 1)), (win[..., a, b] > 0.5).mean(axis=(0, 1))
        # Win probabilities bend where qualities add, so a few draws near a tie may differ.
        np.testing.assert_allclose(one, other, atol=0.02)


@pytest.mark.parametrize("case", CASES)
def test_reported_quality_is_the_mean_over_the_levels_and_predicts_as_the_model(case: str):
    family, declaration, draws, (judgements, x), density = drawn(case)
    by_level = draws["quality_by_day"]
    np.testing.assert_allclose(draws["quality"], by_level.mean("day"), atol=1e-12)
    np.testing.assert_allclose(draws["deviation_day"].mean("day"), 0.0, atol=1e-12)
    np.testing.assert_allclose(draws["quality"].sum("system"), 0.0, atol=1e-9)
    of_levels = quality_over(declaration, draws, "new", None)
    assert float(abs(of_levels - draws["quality"]).max()) > 0.01
    # The answers depend on quality and deviation together.
    flat = draws.stack(sample=("chain", "draw")).isel(sample=[0, 1])
    by_row = family.log_likelihood(declaration, judgements, flat) @ judgements.counts
    no_data = family.cells(declaration, judgements)
    no_data = replace(no_data, count=np.zeros_like(no_data.count))
    prior = family.density(declaration, no_data)
    if "departure" not in draws:
        expected = [density(x[0, k])[0] - prior(x[0, k])[0] for k in range(2)]
        np.testing.assert_allclose(by_row, expected, rtol=1e-8)


@pytest.mark.parametrize("case", CASES)
def test_the_words_name_the_levels_and_what_the_model_has(case: str):
    _, declaration, *_ = drawn(case)
    assert moderators_of(declaration) == ("day",)
    words = averaged_over(declaration, None, None)
    assert "the 2 levels of day in the data, each counting the same" in words
    assert ("new annotators" in words) == (case != "Thurstone")
    assert "new levels of day" in averaged_over(declaration, "new", None)
    assert "day" not in averaged_over(declaration, None, "day")
    assert averaged_over(declaration, None, "day", quality=True) == ""


def test_criteria_keep_their_own_levels():
    family, declaration, draws, *_ = drawn("BradleyTerry", criteria=True)
    for population in (None, "new", "observed"):
        win = family.estimate("win_probability", declaration, draws, population=population)
        assert win.dims == ("chain", "draw", "criterion", "system", "system_b")
        one = draws.sel(criterion="true")
        quality = quality_over(declaration, draws, population, None).sel(criterion="true")
        np.testing.assert_allclose(
            quality, quality_over(declaration, one, population, None), atol=1e-12
        )


def test_levels_of_two_moderators_are_averaged_over_every_combination():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (60, 2)), columns=["day", "turn"]).astype(str)
    frame["a"], frame["b"] = rng.permuted(np.tile(["x", "y", "z"], (60, 1)), axis=1)[:, :2].T
    frame["outcome"] = rng.choice(["a", "b"], 60)
    judgements = PairwiseJudgements.from_frame(
        frame,
        annotator=None,
        system_a="a",
        system_b="b",
        outcome="outcome",
        moderators=["day", "turn"],
        repeats=True,
    )
    family = BradleyTerry()
    declaration = family.declare(judgements)
    density = family.density(declaration, family.cells(declaration, judgements))
    assert density is not None
    x = rng.normal(scale=0.5, size=(1, 3, density.n_parameters))
    draws = family.posterior_dataset(declaration, family.constrained(declaration, x))
    draws = draws.assign_coords(chain=[0], draw=np.arange(3))
    whole = draws["quality"] + draws["deviation_day"] + draws["deviation_turn"]
    np.testing.assert_allclose(whole.mean(["day", "turn"]), draws["quality"], atol=1e-12)
    np.testing.assert_allclose(
        whole.mean("turn").transpose(*draws["quality_by_day"].dims),
        draws["quality_by_day"],
        atol=1e-12,
    )
    d = whole.sel(system="x") - whole.sel(system="y")
    position = draws.get("position_effect", 0.0)
    first, second = (xr.apply_ufunc(expit, d + side * position) for side in (1, -1))
    expected = (0.5 * (first + second)).mean(["day", "turn"])
    win = family.estimate("win_probability", declaration, draws).sel(system="x", system_b="y")
    np.testing.assert_allclose(win, expected, rtol=1e-10)
    words = averaged_over(declaration, None, None)
    assert words.startswith("averaged over the 2 levels of day and the 2 levels of turn in the")
    assert words.endswith("the model knows no annotators, and takes judgements as independent")


def test_observed_is_the_mean_over_all_annotators_and_items():
    rng = np.random.default_rng(2)
    n = 600
    frame = pd.DataFrame({"annotator": rng.integers(0, 12, n), "item": rng.integers(0, 9, n)})
    a = rng.integers(0, 3, n)
    frame["a"], frame["b"] = a, (a + rng.integers(1, 3, n)) % 3
    frame["outcome"] = rng.choice(["a", "b", "tie"], n)

    def table(frame: pd.DataFrame) -> PairwiseJudgements:
        return PairwiseJudgements.from_frame(
            frame,
            annotator="annotator",
            item="item",
            system_a="a",
            system_b="b",
            outcome="outcome",
            outcomes={"a": "a", "b": "b", "tie": "tie"},
            repeats=True,
        )

    judgements = table(frame)
    family = BradleyTerry(annotators=("consistency", "position", "taste"), items=True)
    declaration = family.declare(judgements)
    density = family.density(declaration, family.cells(declaration, judgements))
    assert density is not None
    x = rng.normal(scale=0.7, size=(1, 2, density.n_parameters))
    draws = family.posterior_dataset(declaration, family.constrained(declaration, x))
    draws = draws.assign_coords(chain=[0], draw=[0, 1])
    found = family.estimate("win_probability", declaration, draws, population="observed")
    grid = pd.DataFrame(product(range(12), range(9)), columns=["annotator", "item"])
    asked = [grid.assign(a=0, b=2, outcome="a"), grid.assign(a=2, b=0, outcome="tie")]
    rows = table(pd.concat([*asked, frame], ignore_index=True))
    flat = draws.stack(sample=("chain", "draw"))
    win, tie = np.broadcast_arrays(*family.row_chances(declaration, rows, flat))
    points = (win + 0.5 * tie)[:, : 2 * len(grid)].reshape(2, 2, -1).mean(axis=-1)
    expected = 0.5 * (points[:, 0] + 1 - points[:, 1])
    np.testing.assert_allclose(found.sel(system="0", system_b="2").values[0], expected, rtol=1e-10)


def test_where_there_are_too_many_pairs_of_people_and_items_each_comes_equally_often():
    _, declaration, *_ = drawn("BradleyTerry")
    for n_annotators, n_items, most in ((6, 4, 100), (6, 4, 13), (30, 8, 60), (7, 5, 20)):
        coords = dict(declaration.coords)
        coords |= {"annotator": tuple(map(str, range(n_annotators)))}
        coords |= {"item": tuple(map(str, range(n_items)))}
        pairs = people_and_items(replace(declaration, coords=coords), most)
        assert len(set(pairs)) == len(pairs) <= max(most, n_annotators, n_items)
        for side, n in enumerate((n_annotators, n_items)):
            times = np.bincount([pair[side] for pair in pairs], minlength=n)
            assert times.min() > 0
            assert times.max() - times.min() <= 1


@pytest.mark.parametrize("case", CASES)
def test_an_unknown_population_or_moderator_is_refused(case: str):
    family, declaration, draws, *_ = drawn(case)
    for settings, words in (({"population": "old"}, "'old'"), ({"by": "week"}, "'week'")):
        with pytest.raises(ModelError, match=words):
            family.estimate("win_probability", declaration, draws, **settings)
