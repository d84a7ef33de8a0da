"""The blocks of effects of a declaration as the kernels read them."""

import numpy as np
import numpy.typing as npt

from bayeseval.families._declaration import Declaration, FloatArray, Response
from bayeseval.families._effects_kernel import EffectTables
from bayeseval.families._layout import (
    Geometry,
    Parameter,
    effect_starts,
    moves_with_location,
    parents_first,
    parents_in_use,
    possible_parents,
    stretched,
    value_name,
)


def _parent_tables(
    declaration: Declaration[Response], geometry: Geometry
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], FloatArray]:
    """Return positions of the parents in use, their blocks and shares, as the kernels read them."""
    effects, n_criteria = declaration.blocks, declaration.n_criteria
    possible = possible_parents(declaration)
    # The root stands behind all effects.
    starts = effect_starts(declaration)
    found = parents_in_use(declaration, geometry)
    most = max((len(parents) for parents in found), default=0)
    positions = np.full((most, starts[-1]), -1, dtype=np.int64)
    whose = np.full((most, len(effects)), -1, dtype=np.int64)
    shares = np.zeros((most, len(effects)))
    for block, (effect, parents) in enumerate(zip(effects, found, strict=True)):
        for k, (at, value) in enumerate(parents):
            parent = possible[at]
            size = n_criteria * parent.size
            own = (starts[at] + np.arange(size)).reshape(n_criteria, *parent.shape)
            by_level = np.broadcast_to(
                stretched(own, parent.dims, effect.dims), (n_criteria, *effect.shape)
            )
            positions[k, starts[block] : starts[block + 1]] = by_level.ravel()
            shares[k, block] = value
            whose[k, block] = at if at < len(effects) else -1
    return positions, whose, shares


def effect_tables(
    declaration: Declaration[Response], placed: dict[str, Parameter], geometry: Geometry | None
) -> EffectTables:
    """Return the tables of all blocks of effects."""
    geometry = geometry or Geometry.flat(declaration)
    rows = [
        (
            placed[f"{effect.name}_sd"].start,
            placed[value_name(effect)].start,
            declaration.n_criteria,
            effect.size // effect.shape[-1],
            effect.shape[-1],
            int(effect.zero_sum),
            start,
            int(moves_with_location(declaration, effect)),
        )
        for effect, start in zip(declaration.blocks, effect_starts(declaration), strict=False)
    ]
    parents, whose, shares = _parent_tables(declaration, geometry)
    sizes = [0 if basis is None else basis.size for basis in geometry.bases]
    ends = np.cumsum(sizes, dtype=np.int64)
    return EffectTables(
        blocks=np.array(rows, dtype=np.int64).reshape(-1, 8),
        order=parents_first(declaration),
        scales=np.column_stack(
            [[block.sd_scale for block in declaration.blocks], geometry.bend, geometry.of_means]
        ),
        score=geometry.score,
        information=geometry.information,
        parents=parents,
        parent_block=whose,
        shares=shares,
        basis_start=np.where(np.array(sizes, dtype=np.int64) > 0, ends - sizes, -1),
        bases=np.concatenate([np.zeros(0), *(b.ravel() for b in geometry.bases if b is not None)]),
    )
