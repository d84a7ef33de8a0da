"""Who judges what: designs that the simulations share."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayeseval.errors import DesignError
from bayeseval.judgements import Judgements

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


def pair_rows(
    rng: np.random.Generator,
    *,
    n_annotators: int,
    n_systems: int,
    n_items: int,
    n_repeats: int,
    design: Design,
    share_judged: float,
    both_orders: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the codes of annotator, system_a, system_b and item of every comparison.

    The order of presentation is drawn, or each pair is asked in both orders.
    """
    if n_systems < 2:
        raise DesignError(f"n_systems must be at least 2 to compare them; found {n_systems}.")
    first, second = np.triu_indices(n_systems, 1)
    annotator, pair, item = design_rows(
        rng,
        n_annotators=n_annotators,
        n_systems=len(first),
        n_items=n_items,
        n_repeats=n_repeats,
        design=design,
        share_judged=share_judged,
    )
    a, b = first[pair], second[pair]
    if both_orders:
        annotator, item = np.tile(annotator, 2), np.tile(item, 2)
        return annotator, np.concatenate([a, b]), np.concatenate([b, a]), item
    swapped = rng.random(len(a)) < 0.5
    return annotator, np.where(swapped, b, a), np.where(swapped, a, b), item


def given_or_drawn_quality(
    rng: np.random.Generator, quality: np.ndarray | None, n_systems: int, quality_sd: float
) -> np.ndarray:
    """Return centred qualities: those given, or a draw."""
    if quality is None:
        return zero_sum_normal(rng, n_systems, quality_sd)
    if np.shape(quality) != (n_systems,):
        raise DesignError(
            f"quality must have one value a system, {n_systems}; found shape {np.shape(quality)}."
        )
    return np.asarray(quality, dtype=float) - np.mean(quality)


@dataclass(frozen=True, eq=False)
class Simulated[Table: Judgements]:
    """Simulated judgements and the parameters they were drawn from.

    Parameters
    ----------
    judgements : Judgements
        The table.
    truth : xarray.Dataset
        Every parameter under its name in the posterior contract.
    """

    judgements: Table
    truth: xr.Dataset


@dataclass(frozen=True, eq=False)
class PairEffects:
    """Qualities and effects of comparisons, and the linear predictor of every row."""

    annotator: np.ndarray
    system_a: np.ndarray
    system_b: np.ndarray
    item: np.ndarray
    predictor: np.ndarray
    truth: dict[str, tuple[tuple[str, ...], object]]
    coords: dict[str, list[str]]

    def frame(self, answer: np.ndarray) -> pd.DataFrame:
        """Return the comparisons as a data frame with their labels."""
        coded = {
            "annotator": (self.annotator, self.coords["annotator"]),
            "system_a": (self.system_a, self.coords["system"]),
            "system_b": (self.system_b, self.coords["system"]),
            "item": (self.item, self.coords.get("item", ["item 1"])),
        }
        columns = {
            name: np.array(labels, dtype=object)[codes] for name, (codes, labels) in coded.items()
        }
        return pd.DataFrame(columns).assign(answer=answer)

    def dataset(self, **further: tuple[tuple[str, ...], object]) -> xr.Dataset:
        """Return the truth."""
        return xr.Dataset({**self.truth, **further}, coords=self.coords)


def pair_effects(
    rng: np.random.Generator,
    *,
    n_annotators: int,
    n_systems: int,
    n_items: int,
    n_repeats: int,
    design: Design,
    share_judged: float,
    quality: np.ndarray | None,
    quality_sd: float,
    interaction_sd: float,
    taste_sd: float,
    both_orders: bool = False,
) -> PairEffects:
    """Draw a design and the effects that all relative protocols share."""
    labels = {
        "system": list(labels_of("system", n_systems)),
        "annotator": list(labels_of("annotator", n_annotators)),
    }
    if n_items:
        labels["item"] = list(labels_of("item", n_items))
    annotator, a, b, item = pair_rows(
        rng,
        n_annotators=n_annotators,
        n_systems=n_systems,
        n_items=max(n_items, 1),
        n_repeats=n_repeats,
        design=design,
        share_judged=share_judged,
        both_orders=both_orders,
    )
    quality = given_or_drawn_quality(rng, quality, n_systems, quality_sd)
    interaction = rng.normal(0, interaction_sd, (n_systems, max(n_items, 1)))
    taste = rng.normal(0, taste_sd, (n_systems, n_annotators))
    location = quality[:, None, None] + interaction[:, :, None] + taste[:, None, :]
    truth: dict[str, tuple[tuple[str, ...], object]] = {
        "quality": (("system",), quality),
        "quality_sd": ((), quality_sd),
        "taste": (("system", "annotator"), taste),
        "taste_sd": ((), taste_sd),
    }
    if n_items:
        truth |= {
            "interaction": (("system", "item"), interaction),
            "interaction_sd": ((), interaction_sd),
        }
    predictor = location[a, item, annotator] - location[b, item, annotator]
    return PairEffects(annotator, a, b, item, predictor, truth, labels)
