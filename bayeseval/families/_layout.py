"""Where each parameter of a declaration stands in the sampler's vector, and its prior draws."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from bayeseval.families._declaration import Declaration, Effect, FloatArray, Response
from bayeseval.families._effects_kernel import IndexTable


@dataclass(frozen=True)
class Parameter:
    """One block of the sampler's vector, unconstrained.

    Parameters
    ----------
    name
        Name of the free variable in the PyMC model, before its transform.
    shape
        Shape of the unconstrained values; the first axis is the criterion where there is one.
    start
        Position of the first value.
    """

    name: str
    shape: tuple[int, ...]
    start: int

    @property
    def size(self) -> int:
        """Number of values."""
        return prod(self.shape)

    @property
    def part(self) -> slice:
        """The block as a slice of the vector."""
        return slice(self.start, self.start + self.size)


def value_name(effect: Effect) -> str:
    """Name of the sampled values of an effect: scaled ones end in ``_z``."""
    return effect.name if effect.centring == 1.0 else f"{effect.name}_z"


def free_shape(effect: Effect) -> tuple[int, ...]:
    """Shape of the free values of one criterion."""
    if effect.zero_sum:
        return (*effect.shape[:-1], effect.shape[-1] - 1)
    return effect.shape


def layout(
    declaration: Declaration[Response], response_shapes: dict[str, tuple[int, ...]]
) -> dict[str, Parameter]:
    """Place the effects in order, then the response's parameters, each by criterion.

    Parameters
    ----------
    declaration
        The model.
    response_shapes
        Shapes of the response's unconstrained parameters for one criterion, in order.
    """

    def shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
        for effect in declaration.effects:
            yield f"{effect.name}_sd", ()
            yield value_name(effect), free_shape(effect)
        yield from response_shapes.items()

    placed: dict[str, Parameter] = {}
    start = 0
    for name, shape in shapes():
        parameter = Parameter(name, (declaration.n_criteria, *shape), start)
        placed[name] = parameter
        start += parameter.size
    return placed


@dataclass(frozen=True, eq=False)
class Geometry:
    """What the log likelihood of each effect looks like; see ``_effects_kernel``.

    Parameters
    ----------
    score
        Slope of the log likelihood at an effect of zero, dims (effect,): all criteria and levels of
        the first block, then those of the next. Rows that sum to zero have scores that do.
    information
        Curvature of the log likelihood, not negative, likewise; equal within rows that sum to zero.
    bend
        Standard deviation up to which the sampler sees it as it is, and beyond which its logarithm,
        dims (block, criterion); 0 or None for as it is.
    """

    score: FloatArray
    information: FloatArray
    bend: FloatArray | None = None

    @classmethod
    def flat(cls, declaration: Declaration[Response]) -> "Geometry":
        """Return the geometry that takes the data to say nothing: standardised effects."""
        size = declaration.n_criteria * sum(effect.size for effect in declaration.effects)
        return cls(np.zeros(size), np.zeros(size))


class EffectTables(NamedTuple):
    """The blocks as the kernels read them; ``scales`` has a block's prior scale and its bends."""

    blocks: IndexTable
    scales: FloatArray
    score: FloatArray
    information: FloatArray


def effect_tables(
    declaration: Declaration[Response], placed: dict[str, Parameter], geometry: Geometry | None
) -> EffectTables:
    """Return the tables of all blocks of effects."""
    geometry = geometry or Geometry.flat(declaration)
    bend = geometry.bend
    if bend is None:
        bend = np.zeros((len(declaration.effects), declaration.n_criteria))
    rows = []
    out = 0
    for effect in declaration.effects:
        rows.append(
            (
                placed[f"{effect.name}_sd"].start,
                placed[value_name(effect)].start,
                declaration.n_criteria,
                effect.size // effect.shape[-1],
                effect.shape[-1],
                int(effect.zero_sum),
                out,
            )
        )
        out += declaration.n_criteria * effect.size
    return EffectTables(
        np.array(rows, dtype=np.int64).reshape(-1, 7),
        np.column_stack([[effect.sd_scale for effect in declaration.effects], bend])
        if rows
        else np.zeros((0, 1 + declaration.n_criteria)),
        geometry.score,
        geometry.information,
    )


def bent(
    declaration: Declaration[Response],
    placed: dict[str, Parameter],
    x: FloatArray,
    geometry: Geometry,
) -> FloatArray:
    """Return a point whose standard deviations are as they are in the geometry's coordinates."""
    if geometry.bend is None:
        return x
    x = x.copy()
    for block, effect in enumerate(declaration.effects):
        part, bend = placed[f"{effect.name}_sd"].part, geometry.bend[block]
        away = bend > 0.0
        x[part] = np.where(away, np.arcsinh(x[part] / np.where(away, bend, 1.0)), x[part])
    return x


def taken_apart(
    declaration: Declaration[Response],
    placed: dict[str, Parameter],
    draws: FloatArray,
    geometry: Geometry | None,
) -> dict[str, FloatArray]:
    """Cut the sampler's vectors into named values; effects and their sds on their natural scales.

    Parameters
    ----------
    declaration
        The model.
    placed
        Where each parameter stands.
    draws
        Dims (…, parameter), in the coordinates of the sampler.
    geometry
        The geometry that was sampled with.

    Returns
    -------
    dict
        By the names of the PyMC model, each with dims (…, criterion, …); the response's parameters
        as the sampler has them.
    """
    geometry = geometry or Geometry.flat(declaration)
    values = {
        name: draws[..., parameter.part].reshape(*draws.shape[:-1], *parameter.shape)
        for name, parameter in placed.items()
    }
    start = 0
    for block, effect in enumerate(declaration.effects):
        size = declaration.n_criteria * effect.size
        shape = (declaration.n_criteria, *effect.shape)
        score = geometry.score[start : start + size].reshape(shape)
        information = geometry.information[start : start + size].reshape(shape)
        start += size
        own = values[f"{effect.name}_sd"]
        if geometry.bend is not None:
            bend = geometry.bend[block]
            own = np.where(bend > 0.0, bend * np.sinh(own), own)
        stretched = own[(..., *([None] * len(effect.shape)))]
        variance = 1.0 / (1.0 + stretched**2 * information)
        turned = unrotate(effect, values[value_name(effect)])
        z = np.sqrt(variance) * turned + stretched * score * variance
        values[f"{effect.name}_sd"] = np.abs(own)
        sd = np.abs(stretched)
        values[value_name(effect)] = np.sign(stretched) * z * sd**effect.centring
    return values


def zero_sum_extend(values: FloatArray) -> FloatArray:
    """Map n - 1 values of the last axis to n that sum to zero, as PyMC's ZeroSumTransform."""
    n = values.shape[-1] + 1
    row_sum = values.sum(axis=-1, keepdims=True)
    shift = row_sum / (np.sqrt(n) + n)
    return np.concatenate([values - shift, -row_sum / np.sqrt(n)], axis=-1)


def unrotate(effect: Effect, values: FloatArray) -> FloatArray:
    """Return the sampled values of an effect from the rotated coordinates of the sampler."""
    if effect.zero_sum:
        return zero_sum_extend(values)
    return zero_sum_extend(values[..., :-1]) + values[..., -1:] / np.sqrt(values.shape[-1])


def effect_values(effect: Effect, values: dict[str, FloatArray]) -> FloatArray:
    """Return the effects themselves from the named sampled values.

    Parameters
    ----------
    effect
        The block.
    values
        Sampled values by name, dims (…, criterion, *effect dims); standard deviations
        dims (…, criterion).
    """
    if effect.name in values:
        return values[effect.name]
    factor = values[f"{effect.name}_sd"] ** (1.0 - effect.centring)
    return factor[(..., *([None] * len(effect.shape)))] * values[value_name(effect)]
