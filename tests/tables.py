"""Simulated tables by shape, for tests of what must hold over many tables of every shape.

The classical statistics of the package are asked over these: a share of p < .05 under the null, the
coverage of intervals, values in their range. The truth is in the arguments; NumPy only, and apart
from `bayeseval.simulate`, so that a fault there is not a fault here.
"""

from typing import Literal

import numpy as np
import pandas as pd

from bayeseval.judgements import (
    LikertJudgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)

type Shape = Literal["complete", "ragged", "nested", "between", "tiny", "constant"]

SHAPES: tuple[Shape, ...] = ("complete", "ragged", "nested", "between", "tiny", "constant")
"""What each shape is.

complete: every annotator judges every system (pair) on every item. ragged: three in ten of these
judgements are missing at random. nested: every item belongs to one system (pair). between: every
annotator judges one system (pair) only. tiny: two systems, three annotators, one item. constant:
complete, and every answer is the same.
"""
N_ANNOTATORS, N_ITEMS, N_SYSTEMS = 12, 4, 3


def _design(things: int, shape: Shape, rng: np.random.Generator) -> np.ndarray:
    """Return rows of (annotator, item, system or pair)."""
    people, items = (3, 1) if shape == "tiny" else (N_ANNOTATORS, N_ITEMS)
    rows = np.stack(np.meshgrid(np.arange(people), np.arange(items), np.arange(things)), -1)
    rows = rows.reshape(-1, 3)
    if shape == "ragged":
        rows = rows[rng.random(len(rows)) < 0.7]
    elif shape == "nested":
        rows[:, 1] += items * rows[:, 2]
    elif shape == "between":
        rows = rows[rows[:, 0] % things == rows[:, 2]]
    return rows


def _latent(
    shape: Shape, rng: np.random.Generator, truth: np.ndarray, sds: tuple[float, float, float]
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the design, and truth + annotator + item + noise, by row."""
    rows = _design(len(truth), shape, rng)
    of_annotator, of_item, noise = sds
    latent = (
        truth[rows[:, 2]]
        + rng.normal(0, of_annotator, rows[:, 0].max() + 1)[rows[:, 0]]
        + rng.normal(0, of_item, rows[:, 1].max() + 1)[rows[:, 1]]
        + rng.normal(0, noise, len(rows))
    )
    frame = pd.DataFrame({"who": rows[:, 0], "item": rows[:, 1], "thing": rows[:, 2]})
    frame["who"] = "p" + frame["who"].astype(str)
    frame["item"] = "i" + frame["item"].astype(str)
    return frame, np.zeros(len(rows)) if shape == "constant" else latent


def _systems(shape: Shape) -> int:
    return 2 if shape == "tiny" else N_SYSTEMS


def _with_level(frame: pd.DataFrame, level: str | None) -> tuple[str, ...]:
    """Add a moderator ("day", levels d0 and d1) that varies by "item" or by "annotator"."""
    if level is None:
        return ()
    source = {"item": "item", "annotator": "who"}[level]
    frame["day"] = "d" + (frame[source].str[1:].astype(int) % 2).astype(str)
    return ("day",)


def likert(
    shape: Shape,
    seed: int,
    *,
    effect: float = 0.0,
    sd_annotator: float = 0.8,
    sd_item: float = 0.0,
    points: int = 100,
    level: str | None = None,
) -> LikertJudgements:
    """Simulate ratings on a scale of 1 to `points`.

    Parameters
    ----------
    shape : Shape
        One of `SHAPES`.
    seed : int
        Seed.
    effect : float
        The first system's quality, the others having 0; the noise has standard deviation 1.
    sd_annotator, sd_item : float
        Standard deviations of annotators' and items' effects, on that scale.
    points : int
        Number of categories; the whole scale is ten standard deviations of noise wide.
    level : {"item", "annotator"}, optional
        What a moderator "day" with two levels and no effect varies by.
    """
    rng = np.random.default_rng(seed)
    truth = effect * np.eye(_systems(shape))[0]
    frame, latent = _latent(shape, rng, truth, (sd_annotator, sd_item, 1.0))
    frame["rating"] = np.clip(np.round((points + 1) / 2 + latent * points / 10), 1, points)
    frame["rating"] = frame["rating"].astype(int)
    frame["system"] = np.array(list("ABC"))[frame["thing"]]
    return LikertJudgements.from_frame(
        frame, annotator="who", item="item", system="system", rating="rating",
        scale=(1, points), moderators=_with_level(frame, level),
    )  # fmt: skip


def magnitude(
    shape: Shape, seed: int, *, effect: float = 0.0, sd_annotator: float = 0.8
) -> MagnitudeJudgements:
    """Simulate magnitudes: 100 times the exponential of a tenth of the latent value."""
    rng = np.random.default_rng(seed)
    truth = effect * np.eye(_systems(shape))[0]
    frame, latent = _latent(shape, rng, truth, (sd_annotator, 0.0, 1.0))
    frame["magnitude"] = 100 * np.exp(latent / 10)
    frame["system"] = np.array(list("ABC"))[frame["thing"]]
    return MagnitudeJudgements.from_frame(
        frame, annotator="who", item="item", system="system", magnitude="magnitude",
        reference=100,
    )  # fmt: skip


def _pairs(
    shape: Shape, seed: int, effect: float, sd_annotator: float
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a design of pairs shown in random order, and how far the first shown is better."""
    rng = np.random.default_rng(seed)
    n = _systems(shape)
    first, second = np.triu_indices(n, 1)
    quality = effect * np.eye(n)[0]
    frame, latent = _latent(shape, rng, quality[first] - quality[second], (sd_annotator, 0.0, 1.0))
    turned = rng.random(len(frame)) < 0.5
    names = np.array(list("ABC"))
    one, two = first[frame["thing"]], second[frame["thing"]]
    frame["a"] = names[np.where(turned, two, one)]
    frame["b"] = names[np.where(turned, one, two)]
    return frame, np.where(turned, -latent, latent)


def pairwise(
    shape: Shape, seed: int, *, effect: float = 0.0, sd_annotator: float = 0.0, ties: float = 0.3
) -> PairwiseJudgements:
    """Simulate outcomes: a tie where the latent difference is below `ties` (SD 1 of noise)."""
    frame, latent = _pairs(shape, seed, effect, sd_annotator)
    frame["winner"] = np.where(np.abs(latent) <= ties, "tie", np.where(latent > 0, "a", "b"))
    return PairwiseJudgements.from_frame(
        frame, annotator="who", item="item", system_a="a", system_b="b", outcome="winner"
    )


def spa(
    shape: Shape, seed: int, *, effect: float = 0.0, sd_annotator: float = 0.5
) -> SPAJudgements:
    """Simulate stated probabilities in per cent: the logistic of the latent difference."""
    frame, latent = _pairs(shape, seed, effect, sd_annotator)
    frame["p"] = np.round(100 / (1 + np.exp(-latent)))
    return SPAJudgements.from_frame(
        frame, annotator="who", item="item", system_a="a", system_b="b", probability="p",
        bounds=(0, 100),
    )  # fmt: skip


def strength(
    shape: Shape, seed: int, *, effect: float = 0.0, sd_annotator: float = 0.5
) -> StrengthJudgements:
    """Simulate slider positions from −50 to 50: ten times the latent difference."""
    frame, latent = _pairs(shape, seed, effect, sd_annotator)
    frame["strength"] = np.clip(np.round(10 * latent), -50, 50)
    return StrengthJudgements.from_frame(
        frame, annotator="who", item="item", system_a="a", system_b="b", strength="strength",
        bounds=(-50, 50), positive="a",
    )  # fmt: skip
