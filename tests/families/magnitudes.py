"""A study of magnitudes, a small table, and a response of its scale."""

from typing import Any

from bayeseval.families import LogMagnitude
from bayeseval.judgements import MagnitudeJudgements
from bayeseval.simulate import simulate_magnitude


def study(**settings: Any) -> MagnitudeJudgements:
    return simulate_magnitude(
        n_annotators=6, n_systems=3, n_items=5, random_seed=2, **settings
    ).judgements


def response_of(*, sides: bool, resolution: float = 0.1) -> Any:
    family = LogMagnitude(ties=sides, resolution=resolution)
    return family.declare(study()).response


def plain(**columns: str | None) -> MagnitudeJudgements:
    """Magnitudes of three systems, of which annotators and items may be unknown."""
    frame = study().to_frame().assign(one="somebody")
    settings: dict[str, Any] = {"annotator": None, **columns}
    return MagnitudeJudgements.from_frame(
        frame, system="system", magnitude="magnitude", reference=100, repeats=True, **settings
    )
