"""Log magnitudes: what a design decides, estimands, predictions, and slips of the keyboard."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import t as student_t

import bayeseval as be
from bayeseval.errors import DesignError, ModelError
from bayeseval.families import LogMagnitude
from bayeseval.families._marginal import Cell
from bayeseval.judgements import MagnitudeJudgements
from bayeseval.simulate import simulate_magnitude
from tests.families.magnitudes import plain, study

ALL = {"severity": True, "log_scale": True, "interaction": True, "taste": True}


def table(magnitudes: list[float], reference: float | None = 100, **settings: Any) -> Any:
    n = len(magnitudes)
    frame = pd.DataFrame(
        {
            "who": [f"w{k % 3}" for k in range(n)],
            "system": [f"s{k % 2}" for k in range(n)],
            "text": [f"t{k // 6}" for k in range(n)],
            "magnitude": magnitudes,
        }
    )
    return MagnitudeJudgements.from_frame(
        frame,
        annotator="who",
        system="system",
        item="text",
        magnitude="magnitude",
        reference=reference,
        repeats=True,
        **settings,
    )


def cells_of(judgements: MagnitudeJudgements) -> Any:
    family = LogMagnitude()
    return family.cells(family.declare(judgements), judgements)


def test_unit_of_the_reference_leaves_the_model_alone() -> None:
    given = [100.0, 50.0, 100.0, 130.0, 80.0, 100.0, 20.0]
    one, other = table(given), table([m / 10 for m in given], reference=10)
    np.testing.assert_allclose(cells_of(one).answer, cells_of(other).answer, atol=1e-15)


def test_without_a_reference_the_unit_of_all_numbers_leaves_the_model_alone() -> None:
    given = [3.0, 50.0, 7.0, 13.0, 80.0, 9.0, 20.0]
    one, other = table(given, reference=None), table([m * 37 for m in given], reference=None)
    np.testing.assert_allclose(cells_of(one).answer, cells_of(other).answer, atol=1e-14)


def test_auto_decides_on_ties_and_says_so() -> None:
    tied = LogMagnitude().declare(table([100, 50, 100, 130]))
    assert tied.response.sides
    assert "ties" not in tied.left_out
    never = LogMagnitude().declare(table([90, 50, 110, 130]))
    assert not never.response.sides
    assert never.left_out["ties"] == "no answer is exactly the reference"
    none = LogMagnitude().declare(table([90, 50, 100, 130], reference=None))
    assert none.left_out["ties"] == "no reference was shown"
    assert "Left out" in str(LogMagnitude().describe(none))
    assert not LogMagnitude(ties=False).declare(table([100, 50, 100, 130])).response.sides
    assert LogMagnitude(ties=True).declare(table([90, 50, 110, 130])).response.sides
    with pytest.raises(ModelError, match="needs a reference"):
        LogMagnitude(ties=True).declare(table([90, 50], reference=None))


def test_moduli_are_close_where_there_is_a_reference() -> None:
    def scale(name: str, judgements: MagnitudeJudgements, **settings: Any) -> float:
        effect = LogMagnitude(**settings).declare(judgements).effect(name)
        assert effect is not None
        return effect.sd_scale

    tied, free = table([100, 50, 100, 130]), table([90, 50, 110, 130], reference=None)
    assert scale("modulus", tied) == 0.3
    assert scale("modulus", free) == 1.0
    assert scale("modulus", free, modulus_sd_scale=0.7) == 0.7
    assert scale("log_spread", tied) == 0.3


def test_severity_needs_answers_on_both_sides() -> None:
    one_side = LogMagnitude().declare(table([100, 50, 100, 70, 80, 90]))
    assert "one side" in one_side.left_out["severity"]
    both_sides = LogMagnitude().declare(table([100, 50, 100, 70, 130, 150]))
    assert both_sides.effect("severity") is not None


def test_zeros_are_below_the_smallest_positive_answer() -> None:
    judgements = table([100, 0, 40, -3, 150, 100], zeros="censor")
    assert judgements.censored.sum() == 2
    family = LogMagnitude()
    what, ratio = family.row_data(family.declare(judgements), judgements).answers
    np.testing.assert_array_equal(what == -2, judgements.censored)
    np.testing.assert_allclose(ratio[judgements.censored], np.log(0.4))
    with pytest.raises(DesignError, match="no positive magnitude"):
        family.declare(table([0, 0], zeros="censor"))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"ties": "yes"}, "ties= is"),
        ({"criteria": "both"}, "criteria= is"),
        ({"resolution": -1}, "resolution= is a number not below 0"),
        ({"spread_centre": 0}, "spread_centre= is a positive number"),
        ({"effects": {"modules": True}}, "Did you mean 'modulus'"),
    ],
)
def test_wrong_settings_are_explained(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        LogMagnitude(**wrong).declare(study())


def test_other_protocols_are_refused() -> None:
    ratings = be.simulate_likert(n_annotators=3, n_systems=2, random_seed=1).judgements
    with pytest.raises(ModelError, match="models MagnitudeJudgements; found LikertJudgements"):
        LogMagnitude().declare(ratings)


def drawn(
    family: LogMagnitude, judgements: MagnitudeJudgements, n: int = 3
) -> tuple[Any, xr.Dataset]:
    """Return a declaration and some parameter values as if they had been sampled."""
    declaration = family.declare(judgements)
    density = family.density(declaration, family.cells(declaration, judgements))
    assert density is not None
    x = np.random.default_rng(8).normal(scale=0.3, size=(1, n, density.n_parameters))
    return declaration, family.posterior_dataset(declaration, family.constrained(declaration, x))


def test_quality_in_the_posterior_is_a_log_ratio() -> None:
    judgements, family = study(), LogMagnitude(effects=ALL)
    declaration = family.declare(judgements)
    density = family.density(declaration, family.cells(declaration, judgements))
    assert density is not None
    x = np.random.default_rng(8).normal(scale=0.3, size=(1, 2, density.n_parameters))
    values = family.constrained(declaration, x)
    draws = family.posterior_dataset(declaration, values)
    step = np.exp(values["log_step"][0, :, 0])
    for name in ("quality_sd", "taste_sd"):
        np.testing.assert_allclose(draws[name][0], values[name][0, :, 0] * step)
    assert draws["modulus_sd"].values[0] == pytest.approx(values["modulus_sd"][0, :, 0])
    # And the likelihood by row is that of the sampler's density, prior aside.
    by_row = family.log_likelihood(declaration, judgements, draws.stack(sample=("chain", "draw")))
    no_counts = replace(density.cells, count=np.zeros_like(density.cells.count))
    prior = family.density(declaration, no_counts)
    assert prior is not None
    for k in range(2):
        np.testing.assert_allclose(by_row[k].sum(), density(x[0, k])[0] - prior(x[0, k])[0])


@pytest.mark.parametrize("population", ["new", "observed"])
def test_sides_have_probabilities_that_sum_to_one_and_wins_complement(population: str) -> None:
    family = LogMagnitude(effects=ALL)
    declaration, draws = drawn(family, study())

    def estimate(name: str) -> xr.DataArray:
        return family.estimate(name, declaration, draws, population=population)

    total = sum(estimate(f"{side}_probability") for side in ("below", "as_good", "above"))
    np.testing.assert_allclose(np.asarray(total), 1.0, atol=1e-12)
    wins = estimate("win_probability")
    np.testing.assert_allclose(wins + wins.values.swapaxes(-1, -2), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.diagonal(wins.values, axis1=-2, axis2=-1), 0.5, atol=1e-12)


@pytest.mark.parametrize("population", ["new", "observed"])
@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize(
    ("columns", "effects"),
    [
        ({}, "auto"),
        ({"annotator": "one"}, "auto"),
        ({"annotator": "annotator", "item": "item"}, "none"),
    ],
    ids=["no annotators", "one annotator", "no effects"],
)
def test_estimands_without_effects_of_annotators_and_items_are_those_of_one_answer(
    columns: dict[str, str], effects: Any, ties: bool, population: str
) -> None:
    family = LogMagnitude(effects=effects, ties=ties)
    judgements = plain(**columns)
    declaration, draws = drawn(family, judgements, n=1)
    many = draws.stack(sample=("chain", "draw")).isel(sample=np.zeros(4000, dtype=int))
    rows = family.predict(declaration, judgements, many, np.random.default_rng(3))
    by_system = [np.log(rows[:, judgements.codes("system") == k]).ravel() for k in range(3)]
    ends = declaration.response.lowest, declaration.response.highest

    def estimate(name: str) -> np.ndarray:
        return family.estimate(name, declaration, draws, population=population).values[0, 0]

    wins, size = estimate("win_probability"), 20_000
    for k, answers in enumerate(by_system):
        assert estimate("median_ratio")[k] == pytest.approx(np.exp(np.median(answers)), rel=0.02)
        cut = np.exp(np.clip(answers, *ends))
        assert estimate("expected_ratio")[k] == pytest.approx(cut.mean(), rel=0.02)
        other = by_system[(k + 1) % 3][:size]
        ahead = np.mean(answers[:size] > other) + 0.5 * np.mean(answers[:size] == other)
        assert wins[k, (k + 1) % 3] == pytest.approx(ahead, abs=0.015)
        if ties:
            assert estimate("as_good_probability")[k] == pytest.approx(
                np.mean(answers == 0), abs=0.01
            )


@pytest.mark.parametrize("ties", [True, False])
def test_estimands_are_those_of_simulated_new_annotators(ties: bool) -> None:
    family = LogMagnitude(effects={**ALL, "severity": ties}, ties=ties)
    declaration, draws = drawn(family, study(), n=1)
    one = draws.isel(chain=0, draw=0)
    rng, n = np.random.default_rng(9), 200_000
    get = lambda name: float(one[name])  # noqa: E731
    noise = lambda name, *size: rng.normal(0, get(f"{name}_sd"), size or n)  # noqa: E731
    noise_of = lambda name: noise(name) + noise_of_mean(declaration, draws, name)  # noqa: E731
    stretch = np.exp(noise_of("log_scale"))
    own = np.exp(get("log_spread_mean") + noise_of("log_spread"))
    modulus = noise_of("modulus")
    spread, difficulty = np.hypot(own, 0.1), noise("difficulty")
    if ties:
        severity = noise_of("severity")
        band = np.exp(get("log_tie_band_mean") + noise_of("tie_band"))
    answers = []
    for quality in one["quality"].values:
        w = quality - difficulty + noise("interaction") + noise("taste")
        location = get("modulus_mean") + modulus + stretch * w
        df, uniform = get("degrees_of_freedom"), rng.random(n)
        if not ties:
            answers.append(location + spread * student_t.ppf(uniform, df))
            continue
        u = get("level") - severity + w / np.exp(get("log_step"))  # pyright: ignore[reportPossiblyUnboundVariable]
        noisy = u + rng.normal(size=n)
        at_zero = student_t.cdf(-location / spread, df)
        part = np.where(noisy < 0, uniform * at_zero, at_zero + uniform * (1 - at_zero))
        ratio = location + spread * student_t.ppf(part, df)
        answers.append(np.where(abs(noisy) < band, 0.0, ratio))  # pyright: ignore[reportPossiblyUnboundVariable]
    simulated = np.array(answers)

    def estimate(name: str) -> np.ndarray:
        return family.estimate(name, declaration, draws).values[0, 0]

    wins = estimate("win_probability")
    for a, b in ((0, 1), (0, 2), (1, 2)):
        ahead = (simulated[a] > simulated[b]).mean() + 0.5 * (simulated[a] == simulated[b]).mean()
        assert wins[a, b] == pytest.approx(ahead, abs=0.02)
    response = declaration.response
    cut = np.exp(np.clip(simulated, response.lowest, response.highest))
    np.testing.assert_allclose(estimate("expected_ratio"), cut.mean(axis=1), rtol=0.04)
    median = np.exp(np.median(simulated, axis=1))
    np.testing.assert_allclose(estimate("median_ratio"), median, rtol=0.06)
    if ties:
        at = (simulated == 0).mean(axis=1)
        np.testing.assert_allclose(estimate("as_good_probability"), at, atol=0.015)


def noise_of_mean(declaration: Any, draws: xr.Dataset, name: str) -> float:
    """What this draw takes the population's mean to be, as far as the data leave it open."""
    effect = declaration.effect(name)
    return float(Cell(declaration, draws, {}, observed=False).population_mean(effect)[0])


def test_predictions_have_the_mass_at_the_reference_that_the_likelihood_gives() -> None:
    judgements, family = study(), LogMagnitude(effects=ALL)
    declaration, draws = drawn(family, judgements, n=1)
    flat = draws.stack(sample=("chain", "draw"))
    many = flat.isel(sample=np.zeros(4000, dtype=int))
    answers = family.predict(declaration, judgements, many, np.random.default_rng(1))
    at = table_at_reference(judgements)
    log_p = family.log_likelihood(declaration, at, flat)[0]
    np.testing.assert_allclose((answers == 1).mean(axis=0), np.exp(log_p), atol=0.04)


def table_at_reference(judgements: MagnitudeJudgements) -> MagnitudeJudgements:
    frame = judgements.to_frame().assign(magnitude=100.0)
    return MagnitudeJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        item="item",
        magnitude="magnitude",
        reference=100,
    )


def test_tail_area_is_uniform_for_answers_of_the_model_and_small_for_a_slip() -> None:
    judgements, family = study(tie_band=0.0), LogMagnitude(ties=False)
    declaration, draws = drawn(family, judgements, n=1)
    draws["degrees_of_freedom"][:] = 8.0
    draws["log_spread_mean"][:] = np.log(0.3)
    draws["log_spread"][:] = 0.0
    flat = draws.stack(sample=("chain", "draw"))
    frame = judgements.to_frame()
    areas = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        frame["magnitude"] = 100 * family.predict(declaration, judgements, flat, rng)[0]
        again = MagnitudeJudgements.from_frame(
            frame,
            annotator="annotator",
            system="system",
            item="item",
            magnitude="magnitude",
            reference=100,
        )
        areas.append(family.tail_area(declaration, again, flat))
    shares = np.concatenate(areas)
    assert shares.mean() == pytest.approx(0.5, abs=0.03)
    assert (shares < 0.1).mean() == pytest.approx(0.1, abs=0.03)
    frame.loc[frame.index[7], "magnitude"] = 111111.0
    slip = MagnitudeJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        item="item",
        magnitude="magnitude",
        reference=100,
    )
    area = family.tail_area(declaration, slip, flat)
    where = int(np.flatnonzero(slip.magnitudes == 111111)[0])
    assert area[where] < 0.05
    assert area.argmin() == where


@pytest.mark.sampling
def test_a_slip_of_the_keyboard_moves_no_ratio_and_is_found() -> None:
    simulated = simulate_magnitude(
        n_annotators=10, n_systems=3, n_items=8, quality=np.array([0.5, 0.0, -0.5]), random_seed=4
    )
    frame = simulated.judgements.to_frame()

    def fitted(rows: pd.DataFrame) -> tuple[be.Posterior, MagnitudeJudgements]:
        judgements = MagnitudeJudgements.from_frame(
            rows,
            annotator="annotator",
            system="system",
            item="item",
            magnitude="magnitude",
            reference=100,
        )
        return be.fit(judgements, random_seed=3, progressbar=False), judgements

    posterior, _ = fitted(frame)
    slipped = frame.copy()
    worst = frame.index[(frame["system"] == posterior.systems[2]) & (frame["magnitude"] < 100)][0]
    slipped.loc[worst, "magnitude"] = 111111.0
    other, judgements = fitted(slipped)
    for one in (posterior, other):
        assert one.convergence.ok, str(one.convergence)
    moved = (other.quality - posterior.quality).mean(("chain", "draw"))
    assert float(abs(moved).max()) < 0.5 * float(posterior.quality.std(("chain", "draw")).max())
    truth = simulated.truth["quality"]
    error = posterior.quality.mean(("chain", "draw")) - truth
    assert float(abs(error).max()) < 3 * float(posterior.quality.std(("chain", "draw")).max())
    family = LogMagnitude()
    draws = other.posterior.stack(sample=("chain", "draw")).isel(sample=slice(None, None, 20))
    area = family.tail_area(other.declaration, judgements, draws)
    assert judgements.magnitudes[area.argmin()] == 111111
