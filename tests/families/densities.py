"""A compiled density beside its PyMC model: what comparing them point by point takes."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pytensor.compile.maker import function
from pytensor.compile.mode import Mode

from bayeseval.families._builder import build_model
from bayeseval.families._layout import Geometry, layout, moves_with_location
from tests.families.examples import EXAMPLES

# No compilation: every operation is evaluated once in Python, which is quicker here.
INTERPRETED = Mode(linker="py", optimizer="fast_compile")


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


def points(n_parameters: int, *, extreme_scale: float = 1.5) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    ordinary = [rng.normal(scale=0.7, size=n_parameters) for _ in range(12)]
    extreme = [rng.normal(scale=extreme_scale, size=n_parameters) for _ in range(3)]
    return [*ordinary, *extreme]


def geometry_or_none(declaration: Any, *, informed: bool) -> Geometry | None:
    return geometry_of(declaration) if informed else None


@cache
def built(example: str, centring: float | None = None) -> SimpleNamespace:
    """Return a PyMC model as functions: named values to its own, and these to the density."""
    family, judgements = EXAMPLES[example]
    table = judgements()
    declaration = family.declare(table)
    if centring is not None:
        effects = tuple(replace(effect, centring=centring) for effect in declaration.effects)
        declaration = replace(declaration, effects=effects)
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
        table=table,
        declaration=declaration,
        cells=cells,
        model=model,
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
    # PyMC sees log sd; the sampler sd itself, on both sides of zero.
    signed = {f"{effect.name}_sd" for effect in case.declaration.blocks}
    signed |= {"threshold_roughness"} & set(values)
    expected -= sum(float(np.log(2.0 * values[name][0, 0]).sum()) for name in signed)
    expected += log_volume(case.declaration, geometry, values)
    return expected + log_slope_of_sds(case.declaration, geometry, x)


def points_of(
    case: SimpleNamespace, n_parameters: int, geometry: Geometry | None
) -> list[np.ndarray]:
    """Return four ordinary points and three extreme ones."""
    response = case.declaration.response
    # The gaps of a long scale are a walk of exponentials, and those of annotators exponentials of
    # a product: there smaller numbers are extreme enough.
    is_walk = "threshold_roughness" in response.parameter_shapes
    is_steep = is_walk or (geometry is not None and getattr(response, "has_gaps", False))
    return points(n_parameters, extreme_scale=0.8 if is_steep else 1.5)[8:]


def assert_density_of_pymc(density: Any, case: SimpleNamespace, geometry: Geometry | None) -> None:
    for x in points_of(case, density.n_parameters, geometry):
        value, gradient = density(x)
        assert np.isfinite(gradient).all()
        assert value == pytest.approx(in_pymc(case, x, geometry), rel=1e-9)


def assert_gradient_of_value(density: Any, n_parameters: int) -> None:
    for x in (points(n_parameters)[0], points(n_parameters)[-1]):
        gradient = density(x)[1].copy()
        scale = max(1.0, float(np.abs(gradient).max()))
        for axis in range(x.size):
            step = np.eye(1, x.size, axis)[0] * 1e-4

            def slope(h: np.ndarray, x: np.ndarray = x) -> float:
                return density(x + h)[0] - density(x - h)[0]

            # Fourth order: the error is that of rounding, not of the curvature.
            numeric = (8.0 * slope(step) - slope(2.0 * step)) / 12e-4
            assert gradient[axis] == pytest.approx(numeric, rel=1e-6, abs=1e-8 * scale + 1e-6)
