"""What every family keeps to: one density, two builders; names, dims and labels of the contract."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pytensor.compile.mode import Mode

from bayeseval.families import OrdinalProbit
from bayeseval.families._builder import build_model
from bayeseval.families._layout import Geometry, layout, moves_with_location
from bayeseval.judgements import LikertJudgements
from bayeseval.simulate import simulate_likert


def likert(n_categories: int = 5, *, criteria: bool = False, moderator: bool = False) -> Any:
    frame = simulate_likert(
        n_annotators=6, n_systems=4, n_items=5, n_categories=n_categories, random_seed=3
    ).judgements.to_frame()
    rows = np.arange(len(frame))
    frame["criterion"] = np.where(rows % 2, "fluency", "coherence")
    frame["day"] = np.where(rows % 3, "day 1", "day 2")
    return LikertJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        criterion="criterion" if criteria else None,
        moderators=("day",) if moderator else (),
        scale=(1, n_categories),
        repeats=True,
    )


# No compilation: every operation is evaluated once in Python, which is quicker here.
INTERPRETED = Mode(linker="py", optimizer="fast_compile")

ALL = {"difficulty": True, "interaction": True, "taste": True}
CASES: dict[str, tuple[OrdinalProbit, Callable[[], LikertJudgements]]] = {
    "free": (OrdinalProbit(effects=ALL), likert),
    "free, discrimination": (OrdinalProbit(discrimination=True), likert),
    "scaled": (OrdinalProbit(thresholds="scaled"), likert),
    "shifted": (OrdinalProbit(thresholds="shifted"), likert),
    "common": (OrdinalProbit(thresholds="common", effects="none"), likert),
    "own prior": (OrdinalProbit(category_prior=[0.5, 1, 4, 4, 1]), likert),
    "two categories": (OrdinalProbit(), lambda: likert(2)),
    "three categories": (OrdinalProbit(), lambda: likert(3)),
    "long scale": (OrdinalProbit(), lambda: likert(20)),
    "long scale, own scales": (
        OrdinalProbit(
            mean_threshold_scale=1.7,
            width_centre=2.6,
            log_width_scale=0.75,
            smoothness_sd_scale=0.35,
        ),
        lambda: likert(13),
    ),
    "long scale, own prior": (OrdinalProbit(category_prior=1.5), lambda: likert(14)),
    "criteria": (OrdinalProbit(), lambda: likert(criteria=True)),
    "long scale, criteria": (OrdinalProbit(), lambda: likert(15, criteria=True)),
    "moderator": (OrdinalProbit(), lambda: likert(moderator=True)),
    "moderator, criteria": (
        OrdinalProbit(discrimination=True),
        lambda: likert(criteria=True, moderator=True),
    ),
}


class Both:
    """The compiled density and the PyMC model of one case, at one centring."""

    def __init__(self, case: str, centring: float | None, informed: bool):
        self.family, judgements = CASES[case]
        table = judgements()
        declaration = self.family.declare(table)
        if centring is not None:
            effects = tuple(replace(e, centring=centring) for e in declaration.effects)
            declaration = replace(declaration, effects=effects)
        self.declaration = declaration
        self.cells = self.family.cells(declaration, table)
        self.geometry = geometry_of(declaration) if informed else None
        density = self.family.density(declaration, self.cells, self.geometry)
        assert density is not None
        self.density = density
        self.model = build_model(declaration, self.cells)
        free = self.model.free_RVs
        self.log_density = self.model.compile_fn(
            self.model.logp(),
            inputs=[self.model.rvs_to_values[variable] for variable in free],
            mode=INTERPRETED,
            point_fn=False,
        )

    def in_pymc(self, x: np.ndarray) -> float:
        """Evaluate the PyMC model at a point of the sampler, in the sampler's volume."""
        values = self.family.constrained(self.declaration, x[None, None], self.geometry)
        arguments = []
        for variable in self.model.free_RVs:
            value = values[variable.name][0, 0]
            value = value if self.declaration.has_criterion else value[0]
            transform = self.model.rvs_to_transforms.get(variable)
            if transform is not None:
                constant = pt.as_tensor(np.asarray(value))
                value = transform.forward(constant, *variable.owner.inputs).eval()
            arguments.append(value)
        total = float(np.asarray(self.log_density(*arguments)))
        # A signed standard deviation has half the density of the sd, and no Jacobian of a log.
        signed = {f"{e.name}_sd" for e in self.declaration.blocks}
        signed |= {"threshold_roughness"} & set(values)
        total -= sum(float(np.log(2.0 * values[name]).sum()) for name in signed)
        return total + log_volume(self.declaration, self.geometry, values) + self._bent(x)

    def _bent(self, x: np.ndarray) -> float:
        """Log slope of the standard deviations by the sampler's coordinates of them."""
        return log_slope_of_sds(self.declaration, self.geometry, x)


def log_volume(declaration: Any, geometry: Geometry | None, values: dict[str, np.ndarray]) -> float:
    """Log volume of PyMC's coordinates of the effects in those of the sampler."""
    total, start = 0.0, 0
    for block, effect in enumerate(declaration.blocks):
        sd = values[f"{effect.name}_sd"][0, 0]
        total += effect.free_size * effect.centring * float(np.log(sd).sum())
        n_levels = declaration.n_criteria * effect.size
        if geometry is not None:
            known = geometry.information[start : start + n_levels].reshape(sd.size, -1)
            logs = np.log1p(np.square(sd)[:, None] * known)
            has_basis = geometry.bases[block] is not None
            if moves_with_location(declaration, effect):
                # What the data say leaves the mean of the block as it is.
                total += float(np.log(np.exp(0.5 * logs).mean(axis=1)).sum())
                of_mean = geometry.of_means[block, : sd.size] / effect.size
                total -= 0.5 * float(np.log1p(np.square(sd) * of_mean).sum())
            share = 1.0 if has_basis else effect.free_size / effect.size
            total -= 0.5 * float(logs.sum()) * share
        start += n_levels
    return total


def log_slope_of_sds(declaration: Any, geometry: Geometry | None, x: np.ndarray) -> float:
    if geometry is None:
        return 0.0
    placed = layout(declaration, declaration.response.parameter_shapes)
    total = 0.0
    for effect, bend in zip(declaration.blocks, geometry.bend, strict=True):
        own = x[placed[f"{effect.name}_sd"].part][bend > 0]
        total += float(np.log(bend[bend > 0] * np.cosh(own)).sum())
    return total


def geometry_of(declaration: Any) -> Geometry:
    """Any geometry will do: what it has to keep to is sums and equality in zero-sum rows."""
    rng = np.random.default_rng(5)
    score, information, bases = [], [], []
    for effect in declaration.blocks:
        shape = (declaration.n_criteria, *effect.shape)
        slope, known = rng.normal(scale=2.0, size=shape), rng.gamma(1.0, 3.0, size=shape)
        basis = None
        if effect.zero_sum and len(bases) % 2 == 0:
            # Any orthonormal directions that sum to zero, with scores and information of their own.
            length = effect.shape[-1]
            basis = np.empty((declaration.n_criteria, effect.size // length, length, length - 1))
            for row in np.ndindex(basis.shape[:2]):
                some = rng.normal(size=(length, length - 1))
                basis[row] = np.linalg.qr(some - some.mean(axis=0))[0]
            slope[..., -1] = known[..., -1] = 0.0
        elif effect.enters == "gaps":
            length = effect.shape[-1]
            basis = np.empty((declaration.n_criteria, effect.size // length, length, length))
            for row in np.ndindex(basis.shape[:2]):
                basis[row] = np.linalg.qr(rng.normal(size=(length, length)))[0]
        elif effect.zero_sum:
            slope -= slope.mean(axis=-1, keepdims=True)
            known[:] = known.mean(axis=-1, keepdims=True)
        bases.append(basis)
        score.append(slope.ravel())
        information.append(known.ravel())
    bend = rng.uniform(0.1, 0.6, size=(len(declaration.blocks), declaration.n_criteria))
    bend[0] = 0.0
    nested = (True,) * len(declaration.blocks)
    score, information = np.concatenate(score), np.concatenate(information)
    weight = rng.uniform(size=score.size)
    of_means = rng.uniform(0.5, 5.0, size=(len(declaration.blocks), 2 * declaration.n_criteria))
    return Geometry(score, information, bend, tuple(bases), nested, weight, of_means)


@cache
def both(case: str, centring: float | None = None, *, informed: bool = False) -> Both:
    return Both(case, centring, informed)


def points(n_parameters: int, *, extreme_scale: float = 1.5) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    ordinary = [rng.normal(scale=0.7, size=n_parameters) for _ in range(12)]
    extreme = [rng.normal(scale=extreme_scale, size=n_parameters) for _ in range(3)]
    return [*ordinary, *extreme]


@pytest.mark.parametrize("case", CASES)
def test_compiled_density_is_that_of_the_pymc_model(case: str) -> None:
    pair = both(case)
    # The gaps of a long scale are a walk of exponentials: two sds are extreme enough there.
    scale = 0.8 if case.startswith("long") else 1.5
    for x in points(pair.density.n_parameters, extreme_scale=scale):
        value, gradient = pair.density(x)
        assert np.isfinite(gradient).all()
        assert value == pytest.approx(pair.in_pymc(x), rel=1e-9)


@pytest.mark.parametrize("centring", [0.0, 0.4, 1.0])
def test_geometry_does_not_change_the_model(centring: float) -> None:
    pair = both("moderator, criteria", centring)
    for x in points(pair.density.n_parameters)[:5]:
        assert pair.density(x)[0] == pytest.approx(pair.in_pymc(x), rel=1e-9)


@pytest.mark.parametrize("case", ["free, discrimination", "moderator, criteria", "long scale"])
def test_what_the_data_say_changes_only_the_coordinates(case: str) -> None:
    pair = both(case, informed=True)
    for x in points(pair.density.n_parameters, extreme_scale=0.8)[:5]:
        assert pair.density(x)[0] == pytest.approx(pair.in_pymc(x), rel=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_gradient_is_that_of_the_value(case: str) -> None:
    density = both(case, informed=True).density
    rng = np.random.default_rng(11)
    x = rng.normal(scale=0.5, size=density.n_parameters)
    _, gradient = density(x)
    # Directions rather than axes: every parameter takes part in each of them.
    for _ in range(10):
        direction = rng.normal(size=x.size)
        step = 1e-5 / np.linalg.norm(direction)
        ahead, _ = density(x + step * direction)
        behind, _ = density(x - step * direction)
        numeric = (ahead - behind) / (2 * step)
        assert gradient @ direction == pytest.approx(numeric, rel=1e-6, abs=1e-4)


@pytest.mark.parametrize("case", CASES)
def test_chains_start_at_finite_points(case: str) -> None:
    pair = both(case)
    for seed in range(3):
        x = pair.family.start(pair.declaration, pair.cells, np.random.default_rng(seed))
        value, gradient = pair.density(x)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()


def test_threads_do_not_share_working_space() -> None:
    density = both("free").density
    some = points(density.n_parameters)
    alone = [density(x)[0] for x in some]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            assert [value for value, _ in pool.map(density, some)] == alone


def test_pymc_gradient_agrees_with_the_compiled_one() -> None:
    pair = both("common", 0.0)
    variables = [pair.model.rvs_to_values[variable] for variable in pair.model.free_RVs]
    gradient = pm.pytensorf.gradient(pair.model.logp(), variables)
    compute = pair.model.compile_fn(gradient, inputs=variables, mode=INTERPRETED, point_fn=False)
    x = np.abs(points(pair.density.n_parameters)[0])
    # In this case the coordinates are those of the model, but for two: PyMC has the logarithm of
    # the standard deviation, and the first of four thresholds where the sampler has their mean.
    assert all(effect.zero_sum for effect in pair.declaration.effects)
    shapes = [(), (3,), (4,)]
    parts = np.split(x, np.cumsum([1, 3]))
    arguments = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
    arguments[0] = np.log(arguments[0])
    below_mean = np.exp(x[5:]) * [0.75, 0.5, 0.25]
    arguments[2] = np.concatenate([x[4:5] - below_mean.sum(), x[5:]])
    expected = np.asarray(compute(*arguments))
    expected[5:] -= expected[4] * below_mean
    expected[0] = (expected[0] - 1.0) / x[0]
    np.testing.assert_allclose(expected, pair.density(x)[1], rtol=1e-9)
