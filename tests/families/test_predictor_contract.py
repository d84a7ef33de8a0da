"""Families on linear predictors: the compiled density is the PyMC model's, value and gradient.

A family adds cases to CASES: the family, and a function that returns judgements. A case should have
everything that changes the density, once.
"""

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pytensor.compile.maker import function

from bayeseval.families import (
    BradleyTerry,
    LogMagnitude,
    OrderedBeta,
    PreferenceStrength,
    Thurstone,
)
from bayeseval.families._builder import build_model
from bayeseval.families._layout import Geometry
from bayeseval.judgements import (
    Judgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)
from tests.families.test_contract import (
    INTERPRETED,
    geometry_of,
    log_slope_of_sds,
    log_volume,
    points,
)


def pairwise(
    *, ties: bool = True, moderator: bool = False, criteria: bool = False, ranking: bool = False
) -> PairwiseJudgements:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(0, 3, (70, 3)), columns=["annotator", "item", "ranking"])
    frame["a"] = rng.integers(0, 4, 70)
    frame["b"] = (frame["a"] + rng.integers(1, 4, 70)) % 4
    frame["outcome"] = rng.choice(["a", "b", "tie"] if ties else ["a", "b"], 70)
    frame["count"] = rng.integers(1, 4, 70)
    frame["day"] = rng.choice(["day 1", "day 2"], 70)
    frame["criterion"] = rng.choice(["fluent", "true"], 70)
    return PairwiseJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="a",
        system_b="b",
        outcome="outcome",
        outcomes={"a": "a", "b": "b", "tie": "tie"} if ties else {"a": "a", "b": "b"},
        item="item",
        moderators=("day",) if moderator else (),
        criterion="criterion" if criteria else None,
        ranking="ranking" if ranking else None,
        count="count",
        repeats=True,
    )


def strength(
    answers: str = "grades", *, moderator: bool = False, criteria: bool = False
) -> StrengthJudgements:
    """Grades -2..2, two grades, or a slider with both ends and its exact middle."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.integers(0, 3, (60, 2)), columns=["annotator", "item"])
    frame["a"] = rng.integers(0, 4, 60)
    frame["b"] = (frame["a"] + rng.integers(1, 4, 60)) % 4
    bound = {"grades": 2, "three": 1, "slider": 100}[answers]
    frame["strength"] = rng.integers(-bound, bound + 1, 60)
    if answers == "slider":
        frame.loc[:9, "strength"] = [-100, -100, 100, 100, 0, 0, 0, 99, -99, 1]
    frame["day"] = rng.choice(["day 1", "day 2"], 60)
    frame["criterion"] = rng.choice(["fluent", "true"], 60)
    return StrengthJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="a",
        system_b="b",
        strength="strength",
        bounds=bound,
        positive="a",
        item="item",
        moderators=("day",) if moderator else (),
        criterion="criterion" if criteria else None,
        repeats=True,
    )


def stated(*, moderator: bool = False, criteria: bool = False) -> SPAJudgements:
    """Probabilities with both ends, one half and both directions of most pairs."""
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.integers(0, 3, (60, 2)), columns=["annotator", "item"])
    frame["a"] = rng.integers(0, 4, 60)
    frame["b"] = (frame["a"] + rng.integers(1, 4, 60)) % 4
    frame["p"] = rng.beta(0.8, 0.6, 60).round(2)
    frame.loc[:5, "p"] = [0.0, 1.0, 0.5, 0.0, 1.0, 0.001]
    frame["day"] = rng.choice(["day 1", "day 2"], 60)
    frame["criterion"] = rng.choice(["fluent", "true"], 60)
    return SPAJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="a",
        system_b="b",
        probability="p",
        bounds=(0, 1),
        item="item",
        moderators=("day",) if moderator else (),
        criterion="criterion" if criteria else None,
        repeats=True,
    )


def magnitude(
    *, reference: float | None = 100.0, moderator: bool = False, criteria: bool = False
) -> MagnitudeJudgements:
    """Answers at, below and above the reference, a slip of the keyboard, zeros."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(rng.integers(0, 3, (60, 3)), columns=["annotator", "system", "item"])
    frame["magnitude"] = rng.choice([100.0, 100.0, 50.0, 90.0, 99.9, 130.0, 200.0], 60)
    frame.loc[:4, "magnitude"] = [0.0, 0.0, 111111.0, 1.0, 100.0]
    frame["count"] = rng.integers(1, 4, 60)
    frame["day"] = rng.choice(["day 1", "day 2"], 60)
    frame["criterion"] = rng.choice(["fluent", "true"], 60)
    return MagnitudeJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        item="item",
        magnitude="magnitude",
        reference=reference,
        moderators=("day",) if moderator else (),
        criterion="criterion" if criteria else None,
        count="count",
        zeros="censor",
        repeats=True,
    )


MAGNITUDE_PRIORS: dict[str, Any] = {
    "resolution": 0.05,
    "quality_sd_scale": 0.6,
    "difficulty_sd_scale": 0.8,
    "interaction_sd_scale": 0.9,
    "taste_sd_scale": 0.3,
    "effect_sd_scale": 0.7,
    "deviation_sd_scale": 0.4,
    "severity_sd_scale": 0.85,
    "modulus_sd_scale": 0.45,
    "log_spread_sd_scale": 0.35,
    "tie_band_sd_scale": 0.65,
    "log_scale_sd_scale": 0.55,
    "modulus_scale": 1.5,
    "level_scale": 0.75,
    "spread_centre": 0.9,
    "log_spread_scale": 0.4,
    "step_centre": 0.2,
    "log_step_scale": 0.95,
    "band_centre": 0.7,
    "log_band_scale": 1.2,
    "degrees_shape": 3.0,
    "degrees_centre": 7.0,
}

STRENGTH_PRIORS: dict[str, Any] = {
    "resolution": 0.05,
    "quality_sd_scale": 0.6,
    "interaction_sd_scale": 0.9,
    "taste_sd_scale": 0.3,
    "log_scale_sd_scale": 0.7,
    "log_gap_sd_scale": 0.2,
    "log_precision_sd_scale": 0.25,
    "log_spread_sd_scale": 0.35,
    "side_bias_scale": 1.5,
    "width_centre": 0.8,
    "log_width_scale": 0.65,
    "end_a": 2.0,
    "end_b": 5.0,
    "middle_a": 3.0,
    "middle_b": 7.0,
    "precision_centre": 8.0,
    "log_precision_scale": 0.55,
    "spread_centre": 0.9,
    "log_spread_scale": 0.45,
    "degrees_shape": 3.0,
    "degrees_rate": 0.3,
}

ALL = ("consistency", "position", "taste")
CASES: dict[str, tuple[Any, Callable[[], Judgements]]] = {
    "Ordered beta": (OrderedBeta(), stated),
    "Ordered beta, no annotators": (OrderedBeta(effects="none", resolution=0.0), stated),
    "Ordered beta, moderator, criteria": (
        OrderedBeta(),
        lambda: stated(moderator=True, criteria=True),
    ),
    "Ordered beta, pairs": (OrderedBeta(structure="pairs", pair_mean_sd_scale=0.8), stated),
    "Ordered beta, own priors": (
        OrderedBeta(
            resolution=0.04,
            quality_sd_scale=0.6,
            pair_sd_scale=0.45,
            taste_sd_scale=0.35,
            interaction_sd_scale=0.9,
            log_extremity_sd_scale=0.7,
            log_precision_sd_scale=0.25,
            direction_bias_scale=1.5,
            end_a=2.0,
            end_b=5.0,
            precision_centre=8.0,
            log_precision_scale=0.55,
        ),
        stated,
    ),
    "Bradley-Terry": (BradleyTerry(), pairwise),
    "Bradley-Terry, no ties": (BradleyTerry(), lambda: pairwise(ties=False)),
    "Bradley-Terry, half": (BradleyTerry(ties="half", annotators="none"), pairwise),
    "Bradley-Terry, Rao-Kupper": (BradleyTerry(ties="rao_kupper", position=False), pairwise),
    "Bradley-Terry, all": (BradleyTerry(annotators=ALL, items=True), pairwise),
    "Bradley-Terry, Rao-Kupper, all": (
        BradleyTerry(ties="rao_kupper", annotators=ALL, items=True, position=True),
        pairwise,
    ),
    "Bradley-Terry, no position but annotators'": (
        BradleyTerry(position=False, annotators="position", items=False),
        pairwise,
    ),
    "Bradley-Terry, own priors": (
        BradleyTerry(
            annotators=ALL,
            quality_sd_scale=0.3,
            taste_sd_scale=0.7,
            interaction_sd_scale=0.2,
            position_sd_scale=0.9,
            log_consistency_sd_scale=0.4,
            position_effect_scale=2.5,
            log_tie_centre=-1.5,
            log_tie_scale=0.6,
        ),
        pairwise,
    ),
    "Bradley-Terry, rankings": (BradleyTerry(), lambda: pairwise(ranking=True)),
    "Bradley-Terry, moderator, criteria": (
        BradleyTerry(annotators=ALL, deviation_sd_scale=0.8),
        lambda: pairwise(moderator=True, criteria=True),
    ),
    "Thurstone": (Thurstone(tie_threshold_scale=0.4), pairwise),
    "Thurstone, no ties": (Thurstone(annotators=ALL), lambda: pairwise(ties=False)),
    "Thurstone, half": (Thurstone(ties="half"), pairwise),
    "Thurstone, all": (Thurstone(annotators=ALL, items=True), pairwise),
    "Thurstone, moderator, criteria": (
        Thurstone(annotators=ALL),
        lambda: pairwise(moderator=True, criteria=True),
    ),
    # Without compilation PyTensor adds up no more than 32 terms: the effects in two parts.
    "magnitudes, annotators": (
        LogMagnitude(effects={"difficulty": False, "interaction": False, "log_scale": True}),
        magnitude,
    ),
    "magnitudes, items": (
        LogMagnitude(
            effects={"interaction": True, "taste": True, "severity": False, "modulus": False}
        ),
        magnitude,
    ),
    "magnitudes, no reference": (LogMagnitude(), lambda: magnitude(reference=None)),
    "magnitudes, no effects": (LogMagnitude(effects="none", resolution=0.0), magnitude),
    "magnitudes, own priors": (
        LogMagnitude(effects={"log_scale": True}, **MAGNITUDE_PRIORS),
        lambda: magnitude(moderator=True, criteria=True),
    ),
    "strength, graded": (PreferenceStrength(), strength),
    "strength, three grades": (PreferenceStrength(), lambda: strength("three")),
    "strength, graded, free": (
        PreferenceStrength(thresholds="free", **STRENGTH_PRIORS),
        strength,
    ),
    "strength, slider": (
        PreferenceStrength(response="ordered_beta"),
        lambda: strength("slider"),
    ),
    "strength, slider, own priors": (
        PreferenceStrength(response="ordered_beta", **STRENGTH_PRIORS),
        lambda: strength("slider", moderator=True, criteria=True),
    ),
    "strength, points": (
        PreferenceStrength(response="student_t"),
        lambda: strength("slider"),
    ),
    "strength, points, own priors": (
        PreferenceStrength(response="student_t", **STRENGTH_PRIORS),
        lambda: strength("slider", criteria=True),
    ),
}


@cache
def parts(case: str) -> SimpleNamespace:
    """Return a PyMC model as functions: named values to its own, and these to the density."""
    family, judgements = CASES[case]
    table = judgements()
    declaration = family.declare(table)
    cells = family.cells(declaration, table)
    model = build_model(declaration, cells)
    log_density = model.compile_fn(
        model.logp(),
        inputs=[model.rvs_to_values[variable] for variable in model.free_RVs],
        mode=INTERPRETED,
        point_fn=False,
    )
    inputs = [variable.type() for variable in model.free_RVs]
    transformed = [
        value if transform is None else transform.forward(value, *variable.owner.inputs)
        for value, variable in zip(inputs, model.free_RVs, strict=True)
        for transform in [model.rvs_to_transforms[variable]]
    ]
    return SimpleNamespace(
        family=family,
        declaration=declaration,
        cells=cells,
        names=[variable.name for variable in model.free_RVs],
        unconstrain=function(inputs, transformed, mode=INTERPRETED),
        log_density=log_density,
    )


def in_pymc(case: SimpleNamespace, x: np.ndarray, geometry: Geometry | None) -> float:
    """Return PyMC's log density at the sampler's point ``x``, with the volume of the change."""
    values = case.family.constrained(case.declaration, x[None, None], geometry)
    first = (0, 0) if case.declaration.has_criterion else (0, 0, 0)
    unconstrained = case.unconstrain(*(np.asarray(values[name][first]) for name in case.names))
    expected = float(np.asarray(case.log_density(*unconstrained)))
    for effect in case.declaration.effects:
        # PyMC sees log sd; the sampler sd itself, on both sides of zero.
        expected -= float(np.log(2.0 * values[f"{effect.name}_sd"][0, 0]).sum())
    expected += log_volume(case.declaration, geometry, values)
    return expected + log_slope_of_sds(case.declaration, geometry, x)


@pytest.mark.parametrize("informed", [False, True], ids=["plain", "informed"])
@pytest.mark.parametrize("case", CASES)
def test_compiled_density_is_that_of_the_pymc_model(case: str, informed: bool) -> None:
    built = parts(case)
    geometry = geometry_of(built.declaration) if informed else None
    density = built.family.density(built.declaration, built.cells, geometry)
    for x in points(density.n_parameters)[8:]:
        value, gradient = density(x)
        assert np.isfinite(gradient).all()
        assert value == pytest.approx(in_pymc(built, x, geometry), rel=1e-9)


@pytest.mark.parametrize("informed", [False, True], ids=["plain", "informed"])
@pytest.mark.parametrize("case", CASES)
def test_gradient_is_that_of_the_value(case: str, informed: bool) -> None:
    built = parts(case)
    geometry = geometry_of(built.declaration) if informed else None
    density = built.family.density(built.declaration, built.cells, geometry)
    for x in (points(density.n_parameters)[0], points(density.n_parameters)[-1]):
        gradient = density(x)[1].copy()
        scale = max(1.0, float(np.abs(gradient).max()))
        for axis in range(x.size):
            step = np.eye(1, x.size, axis)[0] * 1e-4

            def slope(h: np.ndarray, x: np.ndarray = x) -> float:
                return density(x + h)[0] - density(x - h)[0]

            # Fourth order: the error is that of rounding, not of the curvature.
            numeric = (8.0 * slope(step) - slope(2.0 * step)) / 12e-4
            assert gradient[axis] == pytest.approx(numeric, rel=1e-6, abs=1e-8 * scale + 1e-6)
