"""Settings of the ordinal probit: checked, described, declared, and where chains start."""

import json
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pymc as pm
import pytest

from bayeseval.errors import ModelError
from bayeseval.families import OrdinalProbit
from bayeseval.judgements import LikertJudgements
from tests.families.densities import INTERPRETED, built, points

SMOOTH = {
    "mean_threshold_scale": 1.7,
    "width_centre": 2.6,
    "log_width_scale": 0.75,
    "smoothness_sd_scale": 0.35,
}


def ratings(n_categories: int, *, low: int = 1, high: int | None = None) -> LikertJudgements:
    grid = np.indices((6, 3, 4)).reshape(3, -1)
    rating = np.random.default_rng(4).integers(low, (high or n_categories) + 1, grid.shape[1])
    frame = pd.DataFrame({"annotator": grid[0], "system": grid[1], "item": grid[2]})
    return LikertJudgements.from_frame(
        frame.assign(rating=rating),
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        scale=(1, n_categories),
    )


@pytest.mark.parametrize("setting", SMOOTH)
@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_prior_settings_are_positive_numbers(setting: str, value: float) -> None:
    with pytest.raises(ModelError, match=f"{setting}= is a positive number"):
        replace(OrdinalProbit(), **{setting: value})


@pytest.mark.parametrize(("n_categories", "smooth"), [(12, False), (13, True), (101, True)])
def test_scales_of_more_than_12_points_have_the_smooth_prior(
    n_categories: int, *, smooth: bool
) -> None:
    response = OrdinalProbit().declare(ratings(n_categories)).response
    assert (response.category_prior is None) == smooth
    assert ("threshold_roughness" in response.parameter_shapes) == smooth


def test_a_long_scale_keeps_the_dirichlet_that_is_asked_for() -> None:
    response = OrdinalProbit(category_prior=1.5).declare(ratings(20)).response
    assert response.category_prior == (1.5,) * 20


def test_description_names_the_numbers_of_the_smooth_prior() -> None:
    family = replace(OrdinalProbit(), **SMOOTH)
    judgements = ratings(20)
    for text in (str(family), str(family.describe(family.declare(judgements)))):
        for expected in ("normal(0, 1.7)", "normal(log 2.6, 0.75)", "half-normal(0.35)"):
            assert expected in text
    assert "Dirichlet" not in str(family.describe(family.declare(judgements)))
    assert "log 2.6" not in str(family.describe(family.declare(ratings(5))))


def test_saved_response_is_the_same() -> None:
    for n_categories in (5, 20):
        response = replace(OrdinalProbit(), **SMOOTH).declare(ratings(n_categories)).response
        record = json.loads(json.dumps(asdict(response)))
        assert OrdinalProbit.response_from(record) == response


def test_rotated_steps_of_a_long_scale_are_cosines_of_its_log_gaps() -> None:
    response = OrdinalProbit().declare(ratings(20)).response
    rotation = response.step_rotation
    np.testing.assert_allclose(rotation @ rotation, np.eye(17), atol=1e-12)
    gap = np.arange(1, 19)
    for j, steps in enumerate(rotation, start=1):
        walk = np.concatenate([[0.0], steps.cumsum()])
        cosine = np.cos(np.pi * j * (gap - 0.5) / 18)
        assert abs(np.corrcoef(walk, cosine)[0, 1]) == pytest.approx(1.0)


@pytest.mark.parametrize("n_categories", [7, 20])
def test_chains_start_at_thresholds_near_the_shares_of_the_ratings(n_categories: int) -> None:
    family = OrdinalProbit(thresholds="common", effects="none")
    means = {}
    for part, (low, high) in {"low": (1, 3), "high": (n_categories - 2, n_categories)}.items():
        judgements = ratings(n_categories, low=low, high=high)
        declaration = family.declare(judgements)
        cells = family.cells(declaration, judgements)
        starts = [family.start(declaration, cells, np.random.default_rng(s)) for s in range(5)]
        draws = family.posterior_dataset(
            declaration, family.constrained(declaration, np.array([starts]))
        )
        means[part] = draws["population_thresholds"].mean("threshold").values
    # Where low ratings prevail most thresholds lie above the systems, and the other way round.
    assert (means["low"] > 0.3).all()
    assert (means["high"] < -0.3).all()


def test_pymc_gradient_agrees_with_the_compiled_one() -> None:
    case = built("Ordinal probit, common", 0.0)
    density = case.family.density(case.declaration, case.cells)
    variables = [case.model.rvs_to_values[variable] for variable in case.model.free_RVs]
    gradient = pm.pytensorf.gradient(case.model.logp(), variables)
    compute = case.model.compile_fn(gradient, inputs=variables, mode=INTERPRETED, point_fn=False)
    x = np.abs(points(density.n_parameters)[0])
    # In this case the coordinates are those of the model, but for two: PyMC has the logarithm of
    # the standard deviation, and the first of four thresholds where the sampler has their mean.
    assert all(effect.zero_sum for effect in case.declaration.effects)
    shapes = [(), (3,), (4,)]
    parts = np.split(x, np.cumsum([1, 3]))
    arguments = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
    arguments[0] = np.log(arguments[0])
    below_mean = np.exp(x[5:]) * [0.75, 0.5, 0.25]
    arguments[2] = np.concatenate([x[4:5] - below_mean.sum(), x[5:]])
    expected = np.asarray(compute(*arguments))
    expected[5:] -= expected[4] * below_mean
    expected[0] = (expected[0] - 1.0) / x[0]
    np.testing.assert_allclose(expected, density(x)[1], rtol=1e-9)
