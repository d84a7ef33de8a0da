"""What is said of a long run: how long it will take, and how far it is where no bar is seen."""

import logging
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from bayeseval.inference._course import Course, SamplerSettings

_LOG = logging.getLogger("bayeseval")
_WORTH_A_LINE = 60.0
_SECONDS_BETWEEN_LINES = 30.0
# Gradients of a draw over those of the pilot, whose steps are longest. Rough: one strength study
# took 2.1 to 2.7 times as many at .985 as at .9; the others are guesses around it, not measured.
_WORK = ((0.9, 1.0), (0.95, 1.3), (0.97, 1.8), (0.985, 2.5), (1.0, 4.0))


def expected_seconds(pilot_step: float, settings: SamplerSettings, course: Course) -> float:
    """Return how long chains will take, from what a draw of the pilot chain took.

    Parameters
    ----------
    pilot_step
        Seconds of a draw of the pilot.
    settings
        How many draws, chains and cores.
    course
        How the chains will be run.
    """
    work = next(factor for accept, factor in _WORK if course.target_accept <= accept)
    in_turn = -(-settings.chains // settings.cores)
    return pilot_step * work * 2**course.extra_doublings * in_turn * (course.tune + settings.draws)


def tell_of_time(seconds: float, settings: SamplerSettings, course: Course) -> None:
    """Say how long sampling will take where that is above a minute."""
    if seconds > _WORTH_A_LINE:
        _LOG.info(
            "Sampling %d chains of %s + %s draws, %d at a time: about %s",
            settings.chains,
            f"{course.tune:,}",
            f"{settings.draws:,}",
            settings.cores,
            in_words(seconds),
        )


def progress_lines(settings: SamplerSettings) -> dict[str, Any]:
    """Return what makes nutpie report its progress in lines, where a bar would not be seen."""
    if not settings.progressbar or sys.stderr.isatty() or "ipykernel" in sys.modules:
        return {}
    return {"progress_callback": _teller(perf_counter), "progress_rate": 1000}


def _teller(clock: Callable[[], float]) -> Callable[[Sequence[Any]], None]:
    started = last = clock()

    def tell(chains: Sequence[Any]) -> None:
        nonlocal last
        now = clock()
        total = sum(chain.total_draws for chain in chains)
        share = sum(chain.finished_draws for chain in chains) / max(total, 1)
        if now - last < _SECONDS_BETWEEN_LINES or share <= 0.0 or share >= 1.0:
            return
        last = now
        left = (now - started) * (1.0 - share) / share
        divergences = sum(chain.divergences for chain in chains)
        diverged = f"; {divergences} divergent transitions" if divergences else ""
        _LOG.info("Sampling: %.0f %% done, about %s left%s", 100 * share, in_words(left), diverged)

    return tell


def in_words(seconds: float) -> str:
    """Say how long something takes, no more exactly than it is known."""
    if seconds < 100.0:
        return f"{max(10.0 * round(seconds / 10.0), 10.0):.0f} seconds"
    if seconds < 5400.0:
        return f"{seconds / 60.0:.0f} minutes"
    return f"{seconds / 3600.0:.1f} hours"
