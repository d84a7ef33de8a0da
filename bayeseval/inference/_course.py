"""How chains are run: what the user left open is chosen by what a pilot chain found."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from bayeseval.families._declaration import Declaration

type Integrator = Literal["leapfrog", "exact for a normal"]

# At that acceptance rate a standard normal in n dimensions takes steps of 1.3 / n^(1/4) for n = 2,
# 1.7 / n^(1/4) for n = 1,000, as nutpie adapts them; where a posterior bends, some places need
# shorter ones.
_STEP_OF_BENT, _STEP_OF_NEARLY_NORMAL, _STEP_OF_NORMAL = 1.0, 1.25, 1.55
_TARGET_ACCEPT, _TARGET_ACCEPT_OF_NEARLY_NORMAL, _TARGET_ACCEPT_OF_BENT = 0.9, 0.95, 0.985
_TUNE, _TUNE_OF_NEARLY_NORMAL = 1000, 500
_CLOSER = (0.985, 0.995)
# Steps that are exact for a normal turn its phase by their length, in radians. In two to four
# dimensions of which one to three votes say next to nothing they err so little that they are
# adapted to 3.0 and more, half a turn, after which a draw mirrors the one before and keeps its
# distance from the mean: 9 of 32 fits had 32 to 400 effective draws of 4,000, by leapfrog steps
# none. From nine dimensions on no step was above 1.6.
_FEW_DIMENSIONS = 8


@dataclass(frozen=True)
class SamplerSettings:
    """How to sample; the arguments of ``fit`` after checks.

    Tuning steps and the acceptance rate to aim at are None where they were left to the sampler.
    """

    draws: int
    tune: int | None
    chains: int
    cores: int
    random_seed: int
    target_accept: float | None
    max_treedepth: int
    progressbar: bool


@dataclass(frozen=True)
class Course:
    """How chains were run.

    Parameters
    ----------
    target_accept
        The acceptance rate that they aimed at.
    tune
        Tuning steps of each.
    integrator
        How trajectories were integrated: by leapfrog steps, or by steps that turn position and
        momentum as a standard normal would and kick by what the slopes differ from that of one
        (Shahbaba et al. 2014, doi:10.1007/s11222-012-9373-1). Both leave the posterior as it is.
    extra_doublings
        How often a trajectory is doubled after it has turned back.
    """

    target_accept: float
    tune: int
    integrator: Integrator
    extra_doublings: int = 0


def course_for(
    settings: SamplerSettings,
    declaration: Declaration[Any],
    scaled_step: float | None = None,
    n_dimensions: int | None = None,
) -> Course:
    """Choose what the user left open.

    Steps that are exact for a normal err only by what the posterior differs from one: where the
    pilot's steps were long they are longer than leapfrog steps at a higher acceptance rate. Where
    they were short the posterior bends, as those of studies of a few dozen judgements do, and some
    places need shorter steps than the mean (docs/benchmarks/mixing_small.md). There trajectories
    turn back in the straight directions before they got far in the others, and are doubled once
    more.

    Parameters
    ----------
    settings
        What the user asked for.
    declaration
        The model, whose response may ask for an acceptance rate.
    scaled_step
        The pilot chain's step times the fourth root of the dimensions; None without a pilot.
    n_dimensions
        How many there are: in few of them the steps are leapfrog steps. None leaves them out.
    """
    accept, tune = getattr(declaration.response, "target_accept", _TARGET_ACCEPT), _TUNE
    bends = accept > _TARGET_ACCEPT
    integrator: Integrator = "leapfrog"
    extra_doublings = 0
    few = n_dimensions is not None and n_dimensions <= _FEW_DIMENSIONS
    if scaled_step is not None and scaled_step > _STEP_OF_NEARLY_NORMAL and not few:
        integrator, tune = "exact for a normal", _TUNE_OF_NEARLY_NORMAL
        if bends or scaled_step < _STEP_OF_NORMAL:
            accept = _TARGET_ACCEPT_OF_NEARLY_NORMAL
    elif scaled_step is not None and scaled_step < _STEP_OF_BENT:
        accept, extra_doublings = _TARGET_ACCEPT_OF_BENT, 1
    return Course(
        accept if settings.target_accept is None else settings.target_accept,
        tune if settings.tune is None else settings.tune,
        integrator,
        extra_doublings,
    )


def closer(course: Course) -> Course | None:
    """Return the course with shorter steps, for chains that diverged; None at the shortest.

    The acceptance rate is a mean over a chain. A trajectory that enters a corner, such as where the
    exponential of an annotator's scale multiplies all else, needs shorter steps than the mean does.
    """
    for accept in _CLOSER:
        if accept > course.target_accept:
            return replace(course, target_accept=accept, tune=max(course.tune, _TUNE))
    return None
