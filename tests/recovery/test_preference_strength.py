"""Known truth of strengths, simulated apart from the family, is inside honest intervals."""

from typing import Any

import numpy as np
import pytest

import bayeseval as be
from bayeseval.simulate import simulate_strength

pytestmark = [
    pytest.mark.sampling,
    pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning"),
]

N_STUDIES = 8


def study(response: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return for every difference of two qualities: covered by 90 %, z of the truth."""
    rng = np.random.default_rng(3000 + seed)

    def half_normal(scale: float) -> float:
        return scale * abs(float(rng.normal()))

    bound, unit = (2, 1.0) if response == "graded" else (50, 25.0)
    simulated = simulate_strength(
        n_annotators=8,
        n_systems=4,
        n_items=4,
        response=response,
        bound=bound,
        quality_sd=unit * half_normal(1.0),
        interaction_sd=unit * half_normal(0.5),
        taste_sd=unit * half_normal(0.5),
        scale_sd=half_normal(0.5),
        gap_sd=0.0,
        spread=0.6 * unit,
        degrees_of_freedom=float(3.0 + rng.gamma(2.0, 4.0)),
        random_seed=seed,
    )
    posterior = be.fit(
        simulated.judgements,
        be.PreferenceStrength(response=response, resolution=0.0),
        draws=400,
        tune=500,
        random_seed=seed,
        progressbar=False,
    )
    draws = posterior.quality.stack(sample=("chain", "draw")).transpose("sample", "system").values
    # The simulated annotators' log scales have some mean; the posterior's have none.
    factor = np.exp(float(simulated.truth["log_scale"].mean()))
    truth = factor * simulated.truth["quality"].values
    first, second = np.triu_indices(4, 1)
    differences, true = draws[:, first] - draws[:, second], truth[first] - truth[second]
    lower, upper = np.quantile(differences, [0.05, 0.95], axis=0)
    z = (true - differences.mean(axis=0)) / differences.std(axis=0, ddof=1)
    return (lower <= true) & (true <= upper), z


@pytest.mark.calibration
@pytest.mark.parametrize("response", ["graded", "student_t"])
def test_differences_are_covered_as_often_as_the_intervals_say(response: Any) -> None:
    covered, z = zip(*(study(response, seed) for seed in range(N_STUDIES)), strict=True)
    # Six dependent differences a study: as few as three independent ones, mean .9, sd .06.
    assert np.mean(covered) >= 0.9 - 3 * 0.06
    assert np.sqrt(np.mean(np.square(z))) == pytest.approx(1.0, abs=0.45)


def test_an_annotator_who_uses_a_tenth_of_the_slider_is_found_and_costs_no_order() -> None:
    simulated = simulate_strength(
        n_annotators=6,
        n_systems=4,
        n_items=5,
        response="student_t",
        bound=100,
        quality=np.array([-15.0, -5.0, 5.0, 15.0]),
        scale_sd=0.0,
        spread=8.0,
        random_seed=4,
    )
    frame = simulated.judgements.to_frame()
    narrow = frame["annotator"] == "annotator 1"
    frame.loc[narrow, "strength"] /= 10.0
    table = be.StrengthJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="system_a",
        system_b="system_b",
        item="item",
        strength="strength",
        bounds=100,
        positive="a",
    )
    posterior = be.fit(
        table,
        be.PreferenceStrength(response="student_t", effects={"taste": False}),
        draws=400,
        tune=500,
        random_seed=1,
        progressbar=False,
    )
    scales = posterior.data["posterior"].to_dataset()["log_scale"].mean(("chain", "draw"))
    others = scales.drop_sel(annotator="annotator 1")
    assert float(scales.sel(annotator="annotator 1")) < float(others.min()) - 1.5
    quality = posterior.quality.mean(("chain", "draw"))
    assert quality.argsort().values.tolist() == [0, 1, 2, 3]
