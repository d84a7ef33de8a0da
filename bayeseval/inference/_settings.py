"""How a posterior was made."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How a posterior was made.

    Parameters
    ----------
    draws, tune, chains : int
        Draws kept and tuning steps of each chain, and number of chains.
    random_seed : int
        The seed; drawn afresh where none was given, so that every fit can be repeated.
    sampler : str
        Program that drew; where there was none, how the draws were made.
    target_accept : float or None
        Wanted acceptance rate; None without a sampler.
    max_treedepth : int or None
        Largest depth of a trajectory; None without a sampler.
    seconds : dict of str to float
        Time by stage.
    versions : dict of str to str
        Versions of the packages that matter.
    interrupted : bool
        Whether sampling was stopped early; ``draws`` then says how many there are.
    integrator : str or None
        How the sampler follows a trajectory: "leapfrog", or "exact for a normal" where a pilot
        chain found the posterior, in the sampler's coordinates, nearly normal; None without a
        sampler.
    discarded : tuple of int
        Where the sampler met divergent transitions and ran again with shorter steps: how many
        there were in each run before, whose draws are not used. ``target_accept`` is that of the
        last run.
    """

    draws: int
    tune: int
    chains: int
    random_seed: int
    sampler: str
    target_accept: float | None
    max_treedepth: int | None
    seconds: Mapping[str, float]
    versions: Mapping[str, str]
    interrupted: bool = False
    integrator: str | None = None
    discarded: tuple[int, ...] = ()
