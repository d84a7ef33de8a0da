"""Where each parameter of a declaration stands in the sampler's vector, and its prior draws."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval.families._declaration import Declaration, Effect, FloatArray, Response


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


def effect_starts(declaration: Declaration[Response]) -> npt.NDArray[np.int64]:
    """Return where each block begins among all effects, and last their number."""
    sizes = [declaration.n_criteria * effect.size for effect in declaration.blocks]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def level_starts(declaration: Declaration[Response]) -> dict[str, int]:
    """Return where the values of everything that terms may name begin, by name."""
    starts, start = {}, 0
    for block in declaration.levels:
        starts[block.name] = start
        start += declaration.n_criteria * block.size
    return starts


def n_parameters(placed: dict[str, Parameter]) -> int:
    """Return the length of the sampler's vector."""
    return sum(parameter.size for parameter in placed.values())


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
        dims (block, criterion); 0 for as it is.
    bases
        For each block None, or the directions that its rows are sampled in, dims (criterion, row,
        level, direction); score and information of such rows are those of the directions, in the
        first places of the row.
    nested
        For each block whether it is sampled given its parents.
    weight
        Of the effects that vary around a parameter: the sampler sees the parameter plus their sum
        with these weights, which is what the data know best; dims (effect,).
    of_means
        Information and score of the mean of each block that moves with the location, by the prior
        of the location, dims (block, 2 criterion).
    """

    score: FloatArray
    information: FloatArray
    bend: FloatArray
    bases: tuple[FloatArray | None, ...]
    nested: tuple[bool, ...]
    weight: FloatArray
    of_means: FloatArray

    @classmethod
    def flat(cls, declaration: Declaration[Response]) -> "Geometry":
        """Return the geometry that takes the data to say nothing: standardised effects."""
        size, n = effect_starts(declaration)[-1], len(declaration.blocks)
        return cls(
            score=np.zeros(size),
            information=np.zeros(size),
            bend=np.zeros((n, declaration.n_criteria)),
            bases=(None,) * n,
            nested=(False,) * n,
            weight=np.zeros(size),
            of_means=np.zeros((n, 2 * declaration.n_criteria)),
        )


def moves_with_location(declaration: Declaration[Response], effect: Effect) -> bool:
    """Tell whether a constant can move between an effect's mean and the response's location."""
    del declaration
    return effect.around != "" and not effect.zero_sum


def share(declaration: Declaration[Response], parent: Effect, effect: Effect) -> float | None:
    """Return what a coarser effect counts in units of a finer one that it enters all answers with.

    None where ``effect`` is not finer than ``parent``, or one can change an answer without a level
    of the other that has the same labels.
    """
    if parent.enters != effect.enters or not set(parent.dims) < set(effect.dims):
        return None
    if effect.enters != "answer":
        return parent.sign / effect.sign
    theirs = [term for term in declaration.terms if term.effect == parent.name]
    own = [term for term in declaration.terms if term.effect == effect.name]
    if not own or len(own) != len(theirs):
        return None
    found = set()
    for term in own:
        column = dict(zip(effect.dims, term.columns, strict=True))
        wanted = tuple(column[dim] for dim in parent.dims)
        same = [t for t in theirs if t.columns == wanted and t.predictor == term.predictor]
        if len(same) != 1:
            return None
        weight, parent_weight = term.weight, same[0].weight
        if isinstance(weight, str) or isinstance(parent_weight, str):
            if weight != parent_weight:
                return None
            found.add(1.0)
        else:
            found.add(parent_weight / weight)
    return found.pop() if len(found) == 1 else None


def stretched(values: npt.NDArray[Any], dims: tuple[str, ...], over: tuple[str, ...]) -> Any:
    """Return values of (…, *dims) with the axes of (…, *over), to broadcast."""
    lead = values.ndim - len(dims)
    order = sorted(range(len(dims)), key=lambda at: over.index(dims[at]))
    found = values.transpose(*range(lead), *(lead + at for at in order))
    for axis, dim in enumerate(over):
        if dim not in dims:
            found = np.expand_dims(found, lead + axis)
    return found


def possible_parents(declaration: Declaration[Response]) -> tuple[Effect, ...]:
    """Return what a block may be sampled given: the blocks, and last the root if there is one."""
    root = declaration.root
    return declaration.blocks if root is None else (*declaration.blocks, root)


def parents_in_use(
    declaration: Declaration[Response], geometry: Geometry
) -> list[list[tuple[int, float]]]:
    """Return for each block its parents, by position, with their shares."""
    blocks, parents = declaration.blocks, possible_parents(declaration)
    found = []
    for effect, in_use in zip(blocks, geometry.nested, strict=True):
        shares = [(at, share(declaration, parent, effect)) for at, parent in enumerate(parents)]
        found.append([(at, value) for at, value in shares if in_use and value is not None])
    return found


def parents_first(declaration: Declaration[Response]) -> npt.NDArray[np.int64]:
    """Return the blocks in an order in which every parent stands before what is finer."""
    sizes = [len(effect.dims) for effect in declaration.blocks]
    return np.argsort(sizes, kind="stable").astype(np.int64)


def bent(
    declaration: Declaration[Response],
    placed: dict[str, Parameter],
    x: FloatArray,
    geometry: Geometry,
) -> FloatArray:
    """Return a point whose standard deviations are as they are in the geometry's coordinates."""
    x = x.copy()
    for block, effect in enumerate(declaration.blocks):
        part, bend = placed[f"{effect.name}_sd"].part, geometry.bend[block]
        away = bend > 0.0
        x[part] = np.where(away, np.arcsinh(x[part] / np.where(away, bend, 1.0)), x[part])
    return x


def cut(placed: dict[str, Parameter], draws: FloatArray) -> dict[str, FloatArray]:
    """Return the parts of the sampler's vectors (…, parameter) by name, each dims (…, *shape)."""
    return {
        name: draws[..., parameter.part].reshape(*draws.shape[:-1], *parameter.shape)
        for name, parameter in placed.items()
    }


def taken_apart(
    declaration: Declaration[Response],
    placed: dict[str, Parameter],
    draws: FloatArray,
    geometry: Geometry | None,
    root: FloatArray | None = None,
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
    root
        Values of the declaration's root, dims (…, criterion, …).

    Returns
    -------
    dict
        By the names of the PyMC model, each with dims (…, criterion, …); the response's parameters
        as the sampler has them.
    """
    geometry = geometry or Geometry.flat(declaration)
    values = cut(placed, draws)
    starts = effect_starts(declaration)
    parents = parents_in_use(declaration, geometry)
    # Of the effects themselves only those that finer ones depend on are kept: draws are many.
    needed = {at for blocks in parents for at, _ in blocks}
    kept: dict[int, FloatArray] = {}
    if root is not None:
        kept[len(declaration.blocks)] = root
    possible = possible_parents(declaration)
    for block in parents_first(declaration):
        effect = declaration.blocks[block]
        part = slice(starts[block], starts[block + 1])
        shape = (declaration.n_criteria, *effect.shape)
        information = geometry.information[part].reshape(shape)
        scores = geometry.score[part].reshape(shape)
        of_parents = np.zeros(shape)
        for at, counts in parents[block]:
            parent, theirs = possible[at], kept[at]
            if moves_with_location(declaration, parent):
                theirs = theirs - theirs.mean(axis=axes_of(parent), keepdims=True)
            of_parents = of_parents + counts * stretched(theirs, parent.dims, effect.dims)
        if effect.zero_sum:
            of_parents = of_parents - of_parents.mean(axis=-1, keepdims=True)
        own = values[f"{effect.name}_sd"]
        bend = geometry.bend[block]
        own = np.where(bend > 0.0, bend * np.sinh(own), own)
        signed = own[(..., *([None] * len(effect.shape)))]
        basis, turned = geometry.bases[block], values[value_name(effect)]
        if basis is None:
            turned = unrotate(effect, turned)
        else:
            width = basis.shape[-1]
            basis = basis.reshape(*shape, width)
            information, scores = information[..., :width], scores[..., :width]
            of_parents = np.einsum("...jk,...j->...k", basis, of_parents)
        scores = scores - information * of_parents
        variance = 1.0 / (1.0 + signed**2 * information)
        z = np.sqrt(variance) * turned + signed * scores * variance
        if moves_with_location(declaration, effect):
            levels, n = axes_of(effect), declaration.n_criteria
            of_mean = geometry.of_means[block]
            known, score = (of_mean / effect.size).reshape(2, n, *[1] * len(levels))
            v = 1.0 / (1.0 + signed**2 * known)
            mean = np.sqrt(v) * turned.mean(axis=levels, keepdims=True) + signed * score * v
            z += mean - z.mean(axis=levels, keepdims=True)
        if basis is not None:
            z = np.einsum("...jk,...k->...j", basis, z)
        if block in needed:
            kept[block] = signed * z
        values[f"{effect.name}_sd"] = np.abs(own)
        values[value_name(effect)] = np.sign(signed) * z * np.abs(signed) ** effect.centring
    return values


def axes_of(effect: Effect) -> tuple[int, ...]:
    """Return the axes of an effect's levels, the last ones."""
    return tuple(range(-len(effect.shape), 0))


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


def put_back(
    declaration: Declaration[Any], values: dict[str, FloatArray], geometry: Geometry | None
) -> dict[str, FloatArray]:
    """Return values with the parameters that effects vary around as the response has them."""
    starts = effect_starts(declaration)
    for position, effect in enumerate(declaration.effects):
        if not effect.around or geometry is None:
            continue
        weight = geometry.weight[starts[position] : starts[position + 1]]
        weight = weight.reshape(declaration.n_criteria, *effect.shape)
        moved = (weight * effect_values(effect, values)).sum(axis=axes_of(effect))
        parameter = values[effect.around]
        moved = moved[(..., *([None] * (parameter.ndim - moved.ndim)))]
        values[effect.around] = parameter - moved
    return values
