"""What the data say of each effect, for the coordinates of the sampler.

The sampler standardises every effect by the normal that its log likelihood resembles (see
``families/_effects_kernel``). Score and curvature of the log likelihood are measured here, at a few
points, by differencing the density's own slopes; any error in them costs speed, never correctness.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayeseval.families._declaration import Declaration, Effect, FloatArray
from bayeseval.families._family import Family
from bayeseval.families._layout import (
    Geometry,
    axes_of,
    effect_starts,
    effect_values,
    moves_with_location,
    possible_parents,
    share,
    stretched,
)
from bayeseval.inference._information import directions, scaled, typical, typical_matrix

_STEP = 1e-3
_PROBES = 4
_FEW_LEVELS = 8
_AWAY_FROM_ZERO = 3.0
_ALIKE = 1.5
_HELD = 2.0
_MOST_DIRECTIONS = 150


@dataclass(frozen=True)
class _Measured:
    """Averages over the points, by the names of the blocks, dims (criterion, …).

    Parameters
    ----------
    slope
        Slopes of the log likelihood.
    known
        Information of every level.
    matrices
        That between the levels of each row, of blocks that ask for it.
    level
        The effects, and the values of the roots.
    sds
        Standard deviations at every point, dims (point, criterion).
    location
        What an effect's mean moves with, dims (criterion,).
    """

    slope: dict[str, FloatArray]
    known: dict[str, FloatArray]
    matrices: dict[str, FloatArray]
    level: dict[str, FloatArray]
    sds: dict[str, FloatArray]
    location: dict[str, FloatArray]

    @property
    def sd(self) -> dict[str, FloatArray]:
        """Median standard deviation by criterion."""
        return {name: np.median(sds, axis=0) for name, sds in self.sds.items()}


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
    measured = _measured(family, declaration, density, points, geometry)
    blocks, sd = declaration.blocks, measured.sd
    starts = effect_starts(declaration)
    scores, known, weights, bends, bases, nested = [], [], [], [], [], []
    of_means = np.zeros((len(blocks), 2 * declaration.n_criteria))
    for position, effect in enumerate(blocks):
        slope, information = _beyond_finer(declaration, effect, measured)
        nested.append(_is_held_by_sums(information, sd[effect.name]))
        # The score where the effect and its parents are zero: the kernel takes off what the parents
        # explain as they move.
        total = _seen(declaration, effect, measured)
        for parent in possible_parents(declaration) if nested[-1] else ():
            counts = share(declaration, parent, effect)
            if counts is not None:
                theirs = _seen(declaration, parent, measured)
                total += counts * stretched(theirs, parent.dims, effect.dims)
        portion = np.zeros_like(information)
        if moves_with_location(declaration, effect):
            of_means[position] = _by_location(family, declaration, effect, measured)
            portion[:] = 1.0 / effect.size if effect.around else 0.0
        elif effect.around:
            portion = information / np.maximum(information.sum(axis=-1, keepdims=True), 1e-12)
            slope = slope - portion * slope.sum(axis=-1, keepdims=True)
        matrix = measured.matrices.get(effect.name)
        if matrix is None and effect.zero_sum and not _alike(information):
            if effect.shape[-1] > _MOST_DIRECTIONS:
                pass
            elif _levels_share_judgements(declaration, effect):
                part, shape = slice(starts[position], starts[position + 1]), information.shape
                middle = points[len(points) // 2]
                raw = _full_curvature(density, middle, int(starts[-1]), part, shape)
                matrix = scaled(raw, information)
            else:
                # Around a parameter that is known as well as their sum only the rest counts.
                rest = np.eye(information.shape[-1]) - portion[..., None, :]
                matrix = information[..., None] * rest
        basis = None
        if matrix is not None:
            basis, score, information = directions(matrix, slope, total, zero_sum=effect.zero_sum)
        elif effect.zero_sum:
            information = _shared(information, sd[effect.name])
            score = slope + information * total
            score -= score.mean(axis=-1, keepdims=True)
        else:
            score = slope + information * total
        weights.append(declaration.location_sign * effect.sign * portion.ravel())
        scores.append(score.ravel())
        known.append(information.ravel())
        bends.append(
            _bend(effect, information, np.quantile(measured.sds[effect.name], 0.1, axis=0))
        )
        bases.append(basis)
    return Geometry(
        np.concatenate(scores),
        np.concatenate(known),
        np.array(bends),
        tuple(bases),
        tuple(nested),
        np.concatenate(weights),
        of_means,
    )


def _measured(
    family: Family,
    declaration: Declaration[Any],
    density: Any,
    points: Sequence[FloatArray],
    geometry: Geometry | None,
) -> _Measured:
    starts = effect_starts(declaration)
    n_effects = int(starts[-1])
    rng = np.random.default_rng(0)
    slope, known, matrices, level, location = ({} for _ in range(5))
    sds: dict[str, list[FloatArray]] = {}
    by_point: dict[str, list[FloatArray]] = {}
    of_matrices: dict[str, list[FloatArray]] = {}

    def add(to: dict[str, FloatArray], name: str, value: FloatArray) -> None:
        to[name] = to.get(name, 0.0) + value / len(points)

    for x in points:
        values = family.constrained(declaration, x[None, None], geometry)
        slopes = density.effect_slopes(x, np.zeros(n_effects))
        if declaration.root is not None:
            add(level, declaration.root.name, values[declaration.root.name][0, 0])
        for position, effect in enumerate(declaration.blocks):
            part = slice(starts[position], starts[position + 1])
            own = effect_values(effect, values)[0, 0]
            if _has_free_directions(effect):
                matrix = _full_curvature(density, x, n_effects, part, own.shape)
                of_matrices.setdefault(effect.name, []).append(matrix)
                diagonal = np.diagonal(matrix, axis1=-2, axis2=-1)
            elif _levels_share_judgements(declaration, effect):
                # The diagonal from random signs (Hutchinson 1990,
                # doi:10.1080/03610919008812866).
                signs = rng.choice([-1.0, 1.0], size=(_PROBES, *own.shape))
                curvatures = [_curvature(density, x, n_effects, part, sign) for sign in signs]
                diagonal = np.mean(signs * curvatures, axis=0)
                if effect.zero_sum:
                    # A row's judgements say nothing of its mean.
                    diagonal *= effect.shape[-1] / (effect.shape[-1] - 1)
            else:
                diagonal = _curvature(density, x, n_effects, part, np.ones_like(own))
            add(slope, effect.name, slopes[part].reshape(own.shape))
            by_point.setdefault(effect.name, []).append(np.maximum(diagonal, 0.0))
            add(level, effect.name, own)
            if moves_with_location(declaration, effect):
                add(location, effect.name, family.location(declaration, effect, values)[0, 0])
            sds.setdefault(effect.name, []).append(values[f"{effect.name}_sd"][0, 0])
    of_sd = {name: np.array(found) for name, found in sds.items()}
    for name, found in by_point.items():
        squared = np.maximum(np.median(of_sd[name], axis=0), 1e-3) ** 2
        levels = found[0]
        squared = squared[(..., *([None] * (levels.ndim - 1)))]
        if name in of_matrices:
            matrices[name] = typical_matrix(np.array(of_matrices[name]), squared)
            known[name] = np.diagonal(matrices[name], axis1=-2, axis2=-1).copy()
        else:
            known[name] = typical(np.array(found), squared)
    return _Measured(slope, known, matrices, level, of_sd, location)


def _by_location(
    family: Family,
    declaration: Declaration[Any],
    effect: Effect,
    measured: _Measured,
) -> FloatArray:
    """Return information and score of an effect's mean by the prior of the location, about 0.

    Thresholds move with the effects, the level of linear predictors against them.
    """
    known = family.location_information(declaration, effect)
    mean = measured.level[effect.name].mean(axis=axes_of(effect))
    moved = -declaration.location_sign * effect.sign
    at_zero = measured.location[effect.name] - moved * mean
    return np.concatenate([np.full_like(mean, known), -moved * known * at_zero])


def _seen(declaration: Declaration[Any], effect: Effect, measured: _Measured) -> FloatArray:
    """Return the levels of a block as answers see them, who do not see a mean that moves."""
    own = measured.level[effect.name].copy()
    if moves_with_location(declaration, effect):
        own -= own.mean(axis=axes_of(effect), keepdims=True)
    return own


def _is_held_by_sums(information: FloatArray, sd: FloatArray) -> bool:
    """Whether the data know the effects so well that they trade off against coarser ones."""
    return bool((_squared(sd, information) * information).mean() > _HELD)


def _squared(sd: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the variances (criterion,) with the axes of the levels, none of them zero."""
    return np.maximum(sd, 1e-3)[(..., *([None] * (levels.ndim - 1)))] ** 2


def _alike(information: FloatArray) -> bool:
    """Whether the levels of every row are known about equally well."""
    most, least = information.max(axis=-1), information.min(axis=-1)
    return bool((most <= _ALIKE * least).all())


def _curvature(
    density: Any, x: FloatArray, n_effects: int, part: slice, direction: FloatArray
) -> FloatArray:
    """Return minus the second derivative along a direction of one effect, by its levels."""
    offset = np.zeros(n_effects)
    offset[part] = _STEP * direction.ravel()
    ahead, behind = density.effect_slopes(x, offset), density.effect_slopes(x, -offset)
    return ((behind - ahead)[part] / (2.0 * _STEP)).reshape(direction.shape)


def _full_curvature(
    density: Any, x: FloatArray, n_effects: int, part: slice, shape: tuple[int, ...]
) -> FloatArray:
    """Return minus the second derivatives within every row, dims (…, level, level)."""
    matrix = np.empty((*shape, shape[-1]))
    for level in range(shape[-1]):
        direction = np.zeros(shape)
        direction[..., level] = 1.0
        matrix[..., level] = _curvature(density, x, n_effects, part, direction)
    return 0.5 * (matrix + matrix.swapaxes(-1, -2))


def _bend(effect: Effect, information: FloatArray, least_sd: FloatArray) -> FloatArray:
    """Return the standard deviation from which on the sampler sees its logarithm, by criterion.

    So many levels, each known with this information, tell a variance from zero that is about one
    over the information and the root of half their number. To its half-normal prior, which falls
    with the square of the standard deviation, a logarithm is a steep wall: it may not be the prior
    that ends the right tail. Few levels leave that to the prior, and so do levels of which the data
    say little; there a logarithm is worth it only where the data keep the standard deviation away
    from zero, which is a steeper wall. Elsewhere 0: the standard deviation as it is.

    Parameters
    ----------
    effect
        The block.
    information
        Information of its levels, dims (criterion, …).
    least_sd
        A small standard deviation under the posterior, by criterion.
    """
    mean = information.reshape(information.shape[0], -1).mean(axis=1)
    known = np.maximum(mean * np.sqrt(effect.free_size / 2.0), 1.0 / effect.sd_scale**2)
    bend = 1.0 / np.sqrt(known)
    if effect.free_size == 1:
        # One level does not keep its standard deviation from zero, however well it is known.
        return np.zeros_like(bend)
    suits = least_sd > _AWAY_FROM_ZERO * bend
    if effect.free_size >= _FEW_LEVELS:
        suits |= bend < effect.sd_scale / _AWAY_FROM_ZERO
    return np.where(suits, bend, 0.0)


def _has_free_directions(effect: Effect) -> bool:
    """Whether a row is the few terms of one annotator's gaps, which share all its judgements."""
    return effect.enters != "answer" and len(effect.dims) > 1 and effect.shape[-1] > 1


def _levels_share_judgements(declaration: Declaration[Any], effect: Effect) -> bool:
    """Whether a judgement has several levels of an effect, as both systems of a comparison."""
    return sum(term.effect == effect.name for term in declaration.terms) > 1


def _beyond_finer(
    declaration: Declaration[Any],
    effect: Effect,
    measured: _Measured,
) -> tuple[FloatArray, FloatArray]:
    """Return slope and information of an effect with a finer effect integrated out.

    The interactions of an item vary around its difficulty: ratings of one output inform the
    difficulty no better than one observation with the variance of the interaction would.
    """
    slope, known, sd = measured.slope, measured.known, measured.sd
    best = slope[effect.name], known[effect.name]
    for finer in declaration.blocks:
        counts = share(declaration, effect, finer)
        if counts is None:
            continue
        variance = sd[finer.name][(..., *([None] * len(finer.dims)))] ** 2
        weight = 1.0 / (1.0 + variance * known[finer.name])
        summed = tuple(1 + axis for axis, dim in enumerate(finer.dims) if dim not in effect.dims)
        # Axes that remain stand in the order of the finer effect.
        remaining = [dim for dim in finer.dims if dim in effect.dims]
        back = (0, *(1 + remaining.index(dim) for dim in effect.dims))
        information = (counts**2 * weight * known[finer.name]).sum(axis=summed).transpose(back)
        if information.sum() < best[1].sum():
            seen = _seen(declaration, finer, measured)
            at_zero = slope[finer.name] + known[finer.name] * seen
            best = (counts * weight * at_zero).sum(axis=summed).transpose(back), information
    return best


def _shared(information: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the information that, common to a row, shrinks its levels as much on average."""
    squared = _squared(sd, information)
    shrinkage = (1.0 / (1.0 + squared * information)).mean(axis=-1, keepdims=True)
    return np.broadcast_to((1.0 / shrinkage - 1.0) / squared, information.shape)
