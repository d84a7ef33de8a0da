"""Graded preferences that others have fitted: posterior modes against maximum likelihood."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

import bayeseval as be
from bayeseval.families._layout import layout
from bayeseval.families._strength_response import StrengthResponse
from bayeseval.judgements import StrengthJudgements

TEN = ["running", "swimming", "weight training", "basketball", "walking", "hiking", "cycling"]
TEN += ["soccer", "tennis", "hatha yoga"]
FLAT: dict[str, Any] = {
    "effects": {"side_bias": True},
    "log_width_scale": 100.0,
    "side_bias_scale": 100.0,
}
# SOURCE.md, cumulative probit with free thresholds, running = 0.
PRINTED = {
    "skill": (
        (-1.1405, -0.4108, 0.5739, 1.2751),
        (0.7693, 0.5911, 1.6865, -0.8643, 0.0464, 0.3635, 1.5189, 1.8363, 1.3040),
    ),
    "predict": (
        (-1.1251, -0.5395, 0.5410, 1.2050),
        (-0.3645, -0.2924, -1.6878, 0.3725, -1.1578, -0.7835, -1.8723, -1.7802, -0.6390),
    ),
    "stakes": (
        (-1.3908, -0.6344, 0.7114, 1.4148),
        (-0.0244, 0.3159, 0.4050, -0.5381, 0.2943, -0.1929, 0.5383, 0.5790, 0.2517),
    ),
}


def mode(
    judgements: StrengthJudgements, family: be.PreferenceStrength, *, quality_sd: float
) -> tuple[pd.Series, dict[str, float], StrengthResponse]:
    """Return the posterior mode given the sd of the qualities."""
    declaration = family.declare(judgements)
    cells = family.cells(declaration, judgements)
    density = family.density(declaration, cells)
    assert density is not None
    placed = layout(declaration, declaration.response.parameter_shapes)
    held = placed["quality_sd"].start
    start = family.start(
        declaration, family.cells(declaration, judgements), np.random.default_rng(0)
    )
    start[held] = quality_sd
    start[placed["quality_z"].part if "quality_z" in placed else placed["quality"].part] = 0.0

    def minus(x: np.ndarray) -> tuple[float, np.ndarray]:
        x = x.copy()
        x[held] = quality_sd
        value, gradient = density(x)
        gradient = gradient.copy()
        gradient[held] = 0.0
        return -value, -gradient

    x = minimize(minus, start, jac=True, method="BFGS", options={"gtol": 1e-6}).x
    x[held] = quality_sd
    values = family.constrained(declaration, x)
    z = next(values[name] for name in ("quality_z", "quality") if name in values)[0]
    quality = z * quality_sd ** (1.0 - declaration.effects[0].centring)
    scalars = {s.name: float(values[s.name][0]) for s in declaration.response.scalars}
    return pd.Series(quality, index=list(judgements.systems)), scalars, declaration.response


def cuts(scalars: dict[str, float], response: StrengthResponse) -> np.ndarray:
    """Return the thresholds, side bias included, as the published fit has them."""
    return response.thresholds_of(scalars, ()) - scalars.get("side_bias", 0.0)


def activities(folder: Path, item: str) -> StrengthJudgements:
    frame = pd.read_csv(folder / "phyActFlowPropensity.csv")
    frame = frame[frame["pa1"].isin(TEN) & frame["pa2"].isin(TEN)]
    return StrengthJudgements.from_frame(
        frame[["pa1", "pa2", item]],
        annotator=None,
        system_a="pa1",
        system_b="pa2",
        strength=item,
        bounds=2,
        positive="b",
        repeats=True,
    )


@pytest.mark.parametrize("item", PRINTED)
def test_free_thresholds_are_those_of_the_published_cumulative_probit(
    shared_data: Path, item: str
) -> None:
    table = activities(shared_data / "graded_pairs_activities", item)
    thresholds, locations = PRINTED[item]
    quality, scalars, response = mode(
        table, be.PreferenceStrength(thresholds="free", **FLAT), quality_sd=300.0
    )
    assert cuts(scalars, response) == pytest.approx(thresholds, abs=2e-3)
    assert (quality - quality["running"])[TEN[1:]].tolist() == pytest.approx(locations, abs=2e-3)


def test_symmetric_thresholds_are_those_of_a_plain_maximum_likelihood(shared_data: Path) -> None:
    table = activities(shared_data / "graded_pairs_activities", "skill")
    quality, scalars, response = mode(
        table,
        be.PreferenceStrength(effects={"side_bias": False}, log_width_scale=100.0),
        quality_sd=300.0,
    )
    grade = (table.answers + 2).astype(int)
    a, b = table.codes("system_a"), table.codes("system_b")

    def minus(x: np.ndarray) -> float:
        inner, outer = np.exp(x[0]) / 2, np.exp(x[0]) / 2 + np.exp(x[1])
        limits = np.array([-np.inf, -outer, -inner, inner, outer, np.inf])
        location = np.concatenate([[0.0], x[2:]])
        e = location[a] - location[b]
        return -np.log(norm.cdf(limits[grade + 1] - e) - norm.cdf(limits[grade] - e)).sum()

    plain = minimize(minus, np.zeros(11), method="BFGS").x
    assert [scalars[name] for name in response.width_names] == pytest.approx(plain[:2], abs=2e-3)
    assert np.diff(quality) == pytest.approx(np.diff([0.0, *plain[2:]]), abs=3e-3)
    found = cuts(scalars, response)
    assert found == pytest.approx(-found[::-1])


def test_rank_differences_of_wmt16_order_the_systems_as_least_squares(shared_data: Path) -> None:
    frame = pd.read_csv(shared_data / "wmt16_tr_en" / "wmt16.tur-eng.csv")
    frame["difference"] = frame["system2rank"] - frame["system1rank"]
    table = StrengthJudgements.from_frame(
        frame,
        annotator=None,
        system_a="system1Id",
        system_b="system2Id",
        strength="difference",
        bounds=4,
        positive="a",
        repeats=True,
    )
    quality, _, _ = mode(table, be.PreferenceStrength(effects="none"), quality_sd=1.0)
    design = np.zeros((table.n_rows, len(table.systems)))
    rows = np.arange(table.n_rows)
    design[rows, table.codes("system_a")] = 1.0
    design[rows, table.codes("system_b")] = -1.0
    weights = np.sqrt(table.counts)
    least = np.linalg.lstsq(design * weights[:, None], table.answers * weights, rcond=None)[0]
    assert np.argsort(quality.to_numpy()).tolist() == np.argsort(least).tolist()


@pytest.mark.parametrize("criterion", ["overall", "correctness"])
def test_differences_of_squality_ratings_have_the_means_of_the_ratings(
    shared_data: Path, criterion: str
) -> None:
    lines = (shared_data / "squality" / "all-responses.nocomments.jsonl").read_text("utf-8")
    rows = [
        (f"{passage['passage-id']} {question}", review["worker_id"], system, review)
        for passage in map(json.loads, lines.splitlines())
        for question, systems in passage["questions"].items()
        for system, answers in systems.items()
        for review in answers["reviews"]
    ]
    ratings = pd.DataFrame(
        [(i, w, s, float(review[f"{criterion}-rating"])) for i, w, s, review in rows],
        columns=["item", "who", "system", "rating"],
    )
    pairs = ratings.merge(ratings, on=["item", "who"], suffixes=("_a", "_b"))
    pairs = pairs[pairs["system_a"] < pairs["system_b"]]
    table = StrengthJudgements.from_frame(
        pairs.assign(strength=pairs["rating_a"] - pairs["rating_b"]),
        annotator="who",
        system_a="system_a",
        system_b="system_b",
        strength="strength",
        item="item",
        bounds=100,
        positive="a",
        repeats=True,
    )
    assert (table.bound, table.n_judgements) == (100.0, 900)
    family = be.PreferenceStrength(response="student_t", effects="none")
    quality, _, _ = mode(table, family, quality_sd=50.0)
    means = ratings.groupby("system")["rating"].mean()
    assert quality.sort_values().index.tolist() == means.sort_values().index.tolist()
    # Means of differences and robust locations are the same to a few points out of 200.
    assert (quality - quality.mean()).to_dict() == pytest.approx(
        (means - means.mean()).to_dict(), abs=6.0
    )
