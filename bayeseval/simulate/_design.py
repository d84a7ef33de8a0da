"""Who judges what: designs that the simulations share."""

from typing import Literal

import numpy as np

from bayeseval.errors import DesignError

type Design = Literal["crossed", "nested", "ragged"]


def labels_of(kind: str, number: int) -> tuple[str, ...]:
    """Return labels such as ``"system 1"``, in natural order."""
    return tuple(f"{kind} {k}" for k in range(1, number + 1))


def zero_sum_normal(rng: np.random.Generator, number: int, sd: float) -> np.ndarray:
    """Draw from the zero-sum normal: independent normals, then centred."""
    values = rng.normal(0, sd, number)
    return values - values.mean()


def check_sizes(**sizes: int) -> None:
    """Check that every size is a whole number of at least one."""
    for name, size in sizes.items():
        if size < 1:
            raise DesignError(f"{name} must be at least 1; found {size}.")


def design_rows(
    rng: np.random.Generator,
    *,
    n_annotators: int,
    n_systems: int,
    n_items: int,
    n_repeats: int,
    design: Design,
    share_judged: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the codes of annotator, system and item of every judgement."""
    check_sizes(
        n_annotators=n_annotators, n_systems=n_systems, n_items=n_items, n_repeats=n_repeats
    )
    if design not in ("crossed", "nested", "ragged"):
        raise DesignError(f"design must be 'crossed', 'nested' or 'ragged'; found {design!r}.")
    if not 0 < share_judged <= 1:
        raise DesignError(f"share_judged must be above 0 and at most 1; found {share_judged}.")
    grid = np.indices((n_annotators, n_systems, n_items)).reshape(3, -1)
    if design == "nested":
        grid = grid[:, grid[0] % n_systems == grid[1]]
    elif design == "ragged":
        kept = rng.random(grid.shape[1]) < share_judged
        # Every annotator, system and item keeps a row, so that the truth has no label too many.
        for codes in grid:
            missing = np.setdiff1d(np.unique(codes), np.unique(codes[kept]))
            for code in missing:
                kept[rng.choice(np.flatnonzero(codes == code))] = True
        grid = grid[:, kept]
    rows = np.repeat(grid, n_repeats, axis=1)
    return rows[0], rows[1], rows[2]
