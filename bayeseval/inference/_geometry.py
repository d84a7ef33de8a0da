"""What the data say of each effect, for the coordinates of the sampler.

The sampler standardises every effect by the normal that its log likelihood resembles (see
``families/_effects_kernel``). Score and curvature of the log likelihood are measured here, at a few
points, by differencing the density's own slopes; any error in them costs speed, never correctness.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayeseval.families._declaration import Declaration, Effect, FloatArray
from bayeseval.families._family import Family
from bayeseval.families._layout import Geometry, effect_values

_STEP = 1e-3
_PROBES = 4
_FEW_LEVELS = 8


def measured_geometry(
    family: Family,
    declaration: Declaration[Any],
    density: Any,
    points: Sequence[FloatArray],
    geometry: Geometry | None = None,
) -> Geometry:
    """Measure the log likelihood of every effect at some points and average.

    Parameters
    ----------
    family
        The family.
    declaration
        The model.
    density
        Its compiled density in the coordinates of ``geometry``.
    points
        Points of the sampler's space: starts, or draws of a pilot chain.
    geometry
        The geometry of those coordinates.
    """
    shapes = [(declaration.n_criteria, *effect.shape) for effect in declaration.effects]
    sizes = [int(np.prod(shape)) for shape in shapes]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
    names = [effect.name for effect in declaration.effects]
    rng = np.random.default_rng(0)
    score = {name: np.zeros(shape) for name, shape in zip(names, shapes, strict=True)}
    known = {name: np.zeros(shape) for name, shape in zip(names, shapes, strict=True)}
    level = {name: np.zeros(shape) for name, shape in zip(names, shapes, strict=True)}
    sds = {name: [] for name in names}
    for x in points:
        values = family.constrained(declaration, x[None, None], geometry)
        slopes = density.effect_slopes(x, np.zeros(starts[-1]))
        for position, effect in enumerate(declaration.effects):
            part = slice(starts[position], starts[position + 1])
            own = effect_values(effect, values)[0, 0]

            def curvature(
                direction: FloatArray, at: FloatArray = x, part: slice = part
            ) -> FloatArray:
                """Minus the second derivative along a direction, by level of this effect."""
                offset = np.zeros(starts[-1])
                offset[part] = _STEP * direction.ravel()
                ahead = density.effect_slopes(at, offset)[part]
                behind = density.effect_slopes(at, -offset)[part]
                return ((behind - ahead) / (2.0 * _STEP)).reshape(direction.shape)

            if contribution(declaration, effect) is None:
                # Levels share judgements: the diagonal from random signs (Hutchinson 1990,
                # doi:10.1080/03610919008812866).
                signs = rng.choice([-1.0, 1.0], size=(_PROBES, *own.shape))
                diagonal = np.mean([sign * curvature(sign) for sign in signs], axis=0)
            else:
                diagonal = curvature(np.ones_like(own))
            score[effect.name] += slopes[part].reshape(own.shape) + curvature(own)
            known[effect.name] += np.maximum(diagonal, 0.0)
            level[effect.name] += own
            sds[effect.name].append(values[f"{effect.name}_sd"][0, 0])
    for found in (score, known, level):
        for name in names:
            found[name] /= len(points)
    sd = {name: np.median(sds[name], axis=0) for name in names}
    flat_score, flat_known, bends = [], [], []
    for effect in declaration.effects:
        slope, information = _beyond_finer(declaration, effect, score, known, level, sd)
        if effect.zero_sum:
            slope = slope - slope.mean(axis=-1, keepdims=True)
            if contribution(declaration, effect) is None:
                information = information * effect.shape[-1] / (effect.shape[-1] - 1)
            information = _shared(information, sd[effect.name])
        flat_score.append(slope.ravel())
        flat_known.append(information.ravel())
        bends.append(_bend(effect, information))
    return Geometry(np.concatenate(flat_score), np.concatenate(flat_known), np.array(bends))


def _bend(effect: Effect, information: FloatArray) -> FloatArray:
    """Return the standard deviation from which on the data can tell it from zero, by criterion.

    So many levels, each known with this information, tell a variance from zero that is about one
    over the information and the root of half their number. Few levels leave its right tail to the
    half-normal prior, which suits the standard deviation itself: 0, for as it is.
    """
    if effect.free_size < _FEW_LEVELS:
        return np.zeros(information.shape[0])
    mean = information.reshape(information.shape[0], -1).mean(axis=1)
    known = np.maximum(mean * np.sqrt(effect.free_size / 2.0), 1.0 / effect.sd_scale**2)
    return 1.0 / np.sqrt(known)


def contribution(declaration: Declaration[Any], effect: Effect) -> float | None:
    """Return what an effect is multiplied by in the location, None where it enters otherwise."""
    if not declaration.terms:
        return float(effect.sign)
    terms = [term for term in declaration.terms if term.effect == effect.name]
    if len(terms) != 1 or terms[0].predictor != 0 or isinstance(terms[0].weight, str):
        return None
    return terms[0].weight


def _beyond_finer(
    declaration: Declaration[Any],
    effect: Effect,
    score: dict[str, FloatArray],
    known: dict[str, FloatArray],
    level: dict[str, FloatArray],
    sd: dict[str, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Return score and information of an effect with a finer effect integrated out.

    The interactions of an item vary around its difficulty: ratings of one output inform the
    difficulty no better than one observation with the variance of the interaction would.
    """
    own = score[effect.name], known[effect.name]
    sign = contribution(declaration, effect)
    if sign is None:
        return own
    best = own
    for finer in declaration.effects:
        finer_sign = contribution(declaration, finer)
        if finer_sign is None or not set(effect.dims) < set(finer.dims):
            continue
        variance = sd[finer.name][(..., *([None] * len(finer.dims)))] ** 2
        weight = 1.0 / (1.0 + variance * known[finer.name])
        # Levels of this effect, stretched over those of the finer one.
        order = sorted(range(len(effect.dims)), key=lambda at: finer.dims.index(effect.dims[at]))
        stretched = level[effect.name].transpose(0, *(1 + at for at in order))
        for axis, dim in enumerate(finer.dims):
            if dim not in effect.dims:
                stretched = np.expand_dims(stretched, 1 + axis)
        summed = tuple(1 + axis for axis, dim in enumerate(finer.dims) if dim not in effect.dims)
        slope = finer_sign * score[finer.name] + sign * known[finer.name] * stretched
        back = (0, *(1 + int(at) for at in np.argsort(order)))
        information = (weight * known[finer.name]).sum(axis=summed).transpose(back)
        if information.sum() < best[1].sum():
            best = sign * (weight * slope).sum(axis=summed).transpose(back), information
    return best


def _shared(information: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the information that, common to a row, shrinks its levels as much on average."""
    squared = np.maximum(sd, 1e-3)[(..., *([None] * (information.ndim - 1)))] ** 2
    shrinkage = (1.0 / (1.0 + squared * information)).mean(axis=-1, keepdims=True)
    return np.broadcast_to((1.0 / shrinkage - 1.0) / squared, information.shape)
