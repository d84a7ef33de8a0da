"""What a contender is told and gives back; imported by each, so it imports next to nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Settings:
    """How long to sample, alike for all.

    Attributes
    ----------
    draws, tune, chains
        Draws and tuning steps of each chain, and how many chains.
    cores
        Processors to use.
    seed
        Seed of the sampler.
    """

    draws: int
    tune: int
    chains: int
    cores: int
    seed: int


@dataclass(frozen=True)
class Result:
    """What a contender found about the systems.

    Attributes
    ----------
    systems
        Labels, in the order of the scores.
    scores
        Draws (chain, draw, system) of the systems' scores, or (system,) point estimates. Only
        differences mean something; they are centred before anything is compared.
    sd
        Standard errors beside point estimates, where there are any.
    divergences
        How many draws diverged.
    again
        Prepares and fits once more; timed after the ranking is printed, by what is compiled then.
    """

    systems: Sequence[str]
    scores: np.ndarray
    sd: np.ndarray | None = None
    divergences: int | None = None
    again: Callable[[], object] | None = None


class Stages:
    """Seconds by stage of a process, from the moment this is made."""

    def __init__(self) -> None:
        self.entered = self.last = time.time()
        self.seconds: dict[str, float] = {}

    def end(self, stage: str) -> None:
        """Count what passed since the stage before as this stage."""
        now = time.time()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self.last
        self.last = now

    def move(self, seconds: float, *, source: str, to: str) -> None:
        """Count so many seconds of one stage as another, as a library's own clock tells them."""
        self.seconds[source] -= seconds
        self.seconds[to] = self.seconds.get(to, 0.0) + seconds
