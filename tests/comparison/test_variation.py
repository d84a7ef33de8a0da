"""Shares of the variance from stated draws, against the arithmetic by hand."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr

from bayeseval.comparison import variance_shares
from bayeseval.errors import ModelError


def posterior(family: str, protocol: str, response: Any = None, **scalars: float) -> Any:
    dims = ("chain", "draw")
    quality = np.broadcast_to([-1.0, 0.0, 1.0], (2, 50, 3))
    dataset = xr.Dataset(
        {"quality": ((*dims, "system"), quality)}
        | {name: (dims, np.full((2, 50), value)) for name, value in scalars.items()}
    )
    return SimpleNamespace(
        data=xr.DataTree.from_dict({"posterior": dataset}),
        protocol=protocol,
        family=SimpleNamespace(name=family),
        criteria=None,
        moderators={},
        systems=("a", "b", "c"),
        fingerprint="0",
        quality=dataset["quality"],
        convergence=SimpleNamespace(ok=True, problems=()),
        approximate=None,
        declaration=SimpleNamespace(response=response, components=(("a", "b", "c"),)),
    )


def shares(of: Any) -> dict[str, float]:
    frame = variance_shares(of).to_frame()
    return dict(zip(frame["source"], frame["share"], strict=True))


def test_ratings_are_divided_among_all_sources() -> None:
    found = shares(
        posterior("OrdinalProbit", "likert", difficulty_sd=0.5, severity_sd=0.8, taste_sd=0.3)
    )
    parts = {
        "system": 2.0 / 3.0,
        "item": 0.25,
        "annotator": 0.64,
        "system × annotator": 0.09,
        "residual": 1.0,
    }
    assert found == pytest.approx({k: v / sum(parts.values()) for k, v in parts.items()})


def test_a_comparison_has_the_interplay_of_both_systems() -> None:
    response = SimpleNamespace(response="graded")
    found = shares(
        posterior("PreferenceStrength", "strength", response, interaction_sd=0.5, taste_sd=0.3)
    )
    # Three pairs of different systems, both ways round: the mean square is 2 · (1 + 1 + 4) / 6.
    parts = {"system": 2.0, "system × item": 0.5, "system × annotator": 0.18, "residual": 1.0}
    assert found == pytest.approx({k: v / sum(parts.values()) for k, v in parts.items()})


def test_points_have_the_variance_of_student_t() -> None:
    response = SimpleNamespace(response="student_t", resolution=1.0)
    scalars = {"degrees_of_freedom": 4.0, "log_spread_mean": float(np.log(3.0))}
    found = shares(posterior("PreferenceStrength", "strength", response, **scalars))
    assert found["residual"] == pytest.approx(20.0 / 22.0)


def test_noise_without_a_variance_is_refused() -> None:
    response = SimpleNamespace(response="student_t", resolution=1.0)
    scalars = {"degrees_of_freedom": 1.5, "log_spread_mean": 0.0}
    with pytest.raises(ModelError, match="infinite variance in every draw"):
        variance_shares(posterior("PreferenceStrength", "strength", response, **scalars))
    slider = SimpleNamespace(response="ordered_beta")
    with pytest.raises(ModelError, match="student_t"):
        variance_shares(posterior("PreferenceStrength", "strength", slider))


@pytest.mark.parametrize(
    ("family", "protocol", "scalars", "says"),
    [
        ("LogMagnitude", "magnitude", {}, "LogMagnitude has none: a magnitude is a log ratio"),
        ("OrdinalProbit", "likert", {"discrimination": 1.0}, "differs between annotators"),
        ("OrderedBeta", "spa", {}, "OrderedBeta has none$"),
    ],
)
def test_why_there_is_no_variance_is_said_in_the_words_of_the_family(
    family: str, protocol: str, scalars: dict[str, float], says: str
) -> None:
    with pytest.raises(ModelError, match=says) as caught:
        variance_shares(posterior(family, protocol, **scalars))
    assert "slider" not in str(caught.value)
