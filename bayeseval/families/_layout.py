"""Where each parameter of a declaration stands in the sampler's vector, and its prior draws."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

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


def block_table(
    declaration: Declaration[Response], placed: dict[str, Parameter]
) -> tuple[IndexTable, FloatArray]:
    """Return the blocks as the kernels read them; by block, its prior scale and its centring."""
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
    priors = [(effect.sd_scale, effect.centring) for effect in declaration.effects]
    return np.array(rows, dtype=np.int64).reshape(-1, 7), np.array(priors).reshape(-1, 2)


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
