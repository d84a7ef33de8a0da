"""Known truth of strengths, simulated apart from the family, is inside honest intervals."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

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


@dataclass(frozen=True)
class PaperStudy:
    """A study in the shape of Belz & Kow (2010), TUNA, and the truth that it was drawn from."""

    judgements: be.StrengthJudgements
    quality: np.ndarray
    log_scale: np.ndarray


N_PAPER_STUDIES = 40
# Points of the slider, or log odds; "own" is of log spread, or of log precision.
SDS = {
    "student_t": {"quality": 8.0, "interaction": 5.0, "taste": 3.0, "log_scale": 0.4, "own": 0.3},
    "ordered_beta": {
        "quality": 0.5,
        "interaction": 0.3,
        "taste": 0.2,
        "log_scale": 0.4,
        "own": 0.3,
    },
}
SIDE_BIAS = {"student_t": 2.0, "ordered_beta": 0.1}
SD_NAMES = [f"{name}_sd" for name in ("interaction", "taste", "log_scale")]
N_SYSTEMS, N_ITEMS, N_EVALUATORS, BOUND = 8, 112, 28, 50.0
# As many evaluators as pairs of systems: a Latin square of pair and item gives each evaluator every
# pair on four items, and 112 trials; nobody sees an item twice.
FIRST, SECOND = np.triu_indices(N_SYSTEMS, 1)
PAIR, ITEM = (codes.ravel() for codes in np.indices((len(FIRST), N_ITEMS)))
EVALUATOR = (PAIR + ITEM) % N_EVALUATORS


def paper_study(response: Any, seed: int) -> PaperStudy:
    """Draw a study from the card's likelihood, apart from the package."""
    rng = np.random.default_rng(5000 + seed)
    points = response == "student_t"
    sds = SDS[response]
    quality, log_scale, own = (
        values - values.mean()
        for values in (
            rng.normal(0, sds["quality"], N_SYSTEMS),
            rng.normal(0, sds["log_scale"], N_EVALUATORS),
            rng.normal(0, sds["own"], N_EVALUATORS),
        )
    )
    z = (
        quality[:, None, None]
        + rng.normal(0, sds["interaction"], (N_SYSTEMS, N_ITEMS, 1))
        + rng.normal(0, sds["taste"], (N_SYSTEMS, 1, N_EVALUATORS))
    )
    swapped = rng.random(len(PAIR)) < 0.5
    a, b = (np.where(swapped, x[PAIR], y[PAIR]) for x, y in ((SECOND, FIRST), (FIRST, SECOND)))
    difference = z[a, ITEM, EVALUATOR] - z[b, ITEM, EVALUATOR] + SIDE_BIAS[response]
    answer = (points_of if points else slider_of)(
        rng, np.exp(log_scale)[EVALUATOR] * difference, own[EVALUATOR]
    )
    frame = pd.DataFrame(
        {"evaluator": EVALUATOR, "left": a, "right": b, "item": ITEM, "strength": answer}
    )
    judgements = be.StrengthJudgements.from_frame(
        frame,
        annotator="evaluator",
        system_a="left",
        system_b="right",
        item="item",
        strength="strength",
        bounds=BOUND,
        positive="a",
        graded=False,
    )
    return PaperStudy(judgements, quality, log_scale)


def points_of(rng: np.random.Generator, eta: np.ndarray, own: np.ndarray) -> np.ndarray:
    return np.clip(eta + 12.0 * np.exp(own) * rng.standard_t(5.0, len(eta)), -BOUND, BOUND)


def slider_of(rng: np.random.Generator, eta: np.ndarray, own: np.ndarray) -> np.ndarray:
    kappa = np.log(2 / 0.05 - 1)
    precision = 5.0 * np.exp(own)
    inside = rng.beta(expit(eta) * precision, expit(-eta) * precision)
    # A beta draw may round to an end, which is an outcome of its own.
    inside = np.clip(inside, 1e-12, 1 - 1e-12)
    inside = np.where(rng.random(len(eta)) < 0.1 * 4 * expit(eta) * expit(-eta), 0.5, inside)
    uniform = rng.random(len(eta))
    low, high = uniform < expit(-eta - kappa), uniform > expit(kappa - eta)
    return BOUND * (2 * np.select([low, high], [0.0, 1.0], inside) - 1)


def fitted(study: PaperStudy, response: Any, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return draws (sample, …) and truth of what is to be recovered."""
    posterior = be.fit(
        study.judgements,
        be.PreferenceStrength(response=response),
        draws=200,
        tune=300,
        chains=2,
        random_seed=seed,
        progressbar=False,
    )
    data = posterior.data["posterior"].to_dataset().stack(sample=("chain", "draw"))
    quality = data["quality"].transpose("sample", "system").values
    found = {
        "quality": (
            quality[:, FIRST] - quality[:, SECOND],
            study.quality[FIRST] - study.quality[SECOND],
        ),
        "log_scale": (data["log_scale"].transpose("sample", "annotator").values, study.log_scale),
    }
    for name in SD_NAMES:
        truth = np.array([SDS[response][name.removesuffix("_sd")]])
        found[name] = data[name].values[:, None], truth
    return found


def test_a_study_of_the_papers_shape_gives_back_what_it_was_drawn_from() -> None:
    study = paper_study("student_t", 1)
    assert study.judgements.n_judgements == 3136
    found = fitted(study, "student_t", 1)
    for name, (draws, truth) in found.items():
        z = (draws.mean(axis=0) - truth) / draws.std(axis=0, ddof=1)
        assert np.abs(z).max() < 4, name
        assert np.sqrt(np.mean(z**2)) < 2, name
    # Not right by being vague: each evaluator gave 112 answers, each pair got 112.
    assert found["quality"][0].std(axis=0).max() < 2.5
    for name in ("interaction", "taste"):
        assert found[f"{name}_sd"][0].std() < 1.0
    assert np.corrcoef(found["log_scale"][0].mean(axis=0), study.log_scale)[0, 1] > 0.9


def coverage(response: Any, seed: int) -> dict[str, np.ndarray]:
    """Return for every quantity of one study of the paper's shape: covered by 90 %."""
    study = paper_study(response, seed)
    covered = {}
    for name, (draws, truth) in fitted(study, response, seed).items():
        lower, upper = np.quantile(draws, [0.05, 0.95], axis=0)
        covered[name] = (lower <= truth) & (truth <= upper)
    return covered


@pytest.mark.calibration
@pytest.mark.parametrize("response", ["student_t", "ordered_beta"])
def test_studies_of_the_papers_shape_are_covered_as_often_as_the_intervals_say(
    response: Any,
) -> None:
    found = [coverage(response, seed) for seed in range(N_PAPER_STUDIES)]
    # The 28 differences of a study are of 8 qualities: like some 4 independent ones, or more.
    for names, independent in ((["quality"], 4), (["log_scale"], 10), (SD_NAMES, len(SD_NAMES))):
        covered = np.mean([each[name].mean() for each in found for name in names])
        assert abs(covered - 0.9) < 3 * np.sqrt(0.09 / (independent * N_PAPER_STUDIES)), names
