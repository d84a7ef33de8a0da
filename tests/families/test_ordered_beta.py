"""The ordered beta: estimands, limits of the data, predictions, and regressions by other means."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.optimize import minimize
from scipy.special import expit

import bayeseval as be
from bayeseval.errors import ModelError
from bayeseval.families._beta_quantities import drawn_answers
from bayeseval.families.engine.loading import kernel_module
from bayeseval.families.ordered_beta import OrderedBeta
from bayeseval.judgements import SPAJudgements
from bayeseval.reporting._stated import stated_check
from bayeseval.simulate import simulate_spa

QUICK: Any = {"draws": 200, "tune": 300, "chains": 2, "random_seed": 1, "progressbar": False}


def table(
    answers: list[float], *, n_annotators: int = 4, pairs: Any = (("x", "y"), ("y", "z"))
) -> SPAJudgements:
    n = len(answers)
    frame = pd.DataFrame(
        {
            "who": [f"w{k // len(pairs) % n_annotators}" for k in range(n)],
            "a": [pairs[k % len(pairs)][0] for k in range(n)],
            "b": [pairs[k % len(pairs)][1] for k in range(n)],
            "p": answers,
        }
    )
    return read(frame)


def read(frame: pd.DataFrame, **columns: Any) -> SPAJudgements:
    return SPAJudgements.from_frame(
        frame,
        annotator="who",
        system_a="a",
        system_b="b",
        probability="p",
        bounds=(0, 1),
        repeats=True,
        **columns,
    )


def study(*, criteria: bool = False, moderator: bool = False) -> SPAJudgements:
    drawn = simulate_spa(n_annotators=4, n_systems=4, n_items=3, random_seed=5)
    frame = drawn.judgements.to_frame()
    frame = frame.rename(
        columns={"annotator": "who", "system_a": "a", "system_b": "b", "probability": "p"}
    )
    rows = np.arange(len(frame))
    frame["what"] = np.where(rows % 2, "fluent", "true")
    frame["day"] = np.where(rows % 3, "day 1", "day 2")
    further: dict[str, Any] = {"item": "item"}
    further |= {"criterion": "what"} if criteria else {}
    further |= {"moderators": ("day",)} if moderator else {}
    return read(frame, **further)


ALL = {"interaction": True, "taste": True, "pair": True}


def draws_of(family: OrderedBeta, judgements: SPAJudgements, seed: int) -> tuple[Any, xr.Dataset]:
    declaration = family.declare(judgements)
    density = family.density(declaration, family.cells(declaration, judgements))
    assert density is not None
    x = np.random.default_rng(seed).normal(scale=0.4, size=(1, 2, density.n_parameters))
    values = family.constrained(declaration, x)
    return declaration, family.posterior_dataset(declaration, values).assign_coords(
        chain=[0], draw=[0, 1]
    )


def test_stated_probability_is_the_mean_of_what_new_annotators_state() -> None:
    family = OrderedBeta(effects=ALL)
    declaration, posterior = draws_of(family, study(), 3)
    found = family.estimate("stated_probability", declaration, posterior)
    one = posterior.isel(chain=0, draw=1)
    rng, n = np.random.default_rng(0), 400_000
    a, b = posterior["system"].values[[0, 2]]
    at = declaration.response.pairs.index((0, 2))
    d = float(one["quality"].sel(system=a) - one["quality"].sel(system=b) + one["departure"][at])
    for name in ("taste", "interaction"):
        d = d + float(one[f"{name}_sd"]) * (rng.normal(size=n) - rng.normal(size=n))
    x = np.exp(float(one["log_extremity_sd"]) * rng.normal(size=n))
    precision = np.exp(
        float(one["log_precision_mean"]) + float(one["log_precision_sd"]) * rng.normal(size=n)
    )
    for first, second, sign in ((a, b, 1.0), (b, a, -1.0)):
        e = sign * x * d + float(one["direction_bias"])
        answers = drawn_answers(e, np.full(n, float(one["kappa"])), precision, rng)
        value = float(found.isel(chain=0, draw=1).sel(system=first, system_b=second))
        assert value == pytest.approx(answers.mean(), abs=4 * answers.std() / np.sqrt(n) + 1e-4)


def test_win_probability_and_incoherence_follow_from_what_is_stated() -> None:
    family = OrderedBeta()
    declaration, posterior = draws_of(family, study(criteria=True, moderator=True), 4)
    for population in ("new", "observed"):
        for by in (None, "day"):
            stated, win, incoherence = (
                family.estimate(name, declaration, posterior, population=population, by=by)
                for name in ("stated_probability", "win_probability", "incoherence")
            )
            names = {"system": "system_b", "system_b": "system"}
            turned = stated.rename(names).transpose(*stated.dims)
            both = win + win.rename(names).transpose(*win.dims)
            np.testing.assert_allclose(both, 1.0, atol=1e-12)
            np.testing.assert_allclose(win, 0.5 * (stated + 1 - turned), atol=1e-12)
            np.testing.assert_allclose(incoherence, stated + turned - 1, atol=1e-12)
            assert ((stated > 0) & (stated < 1)).all()


def test_observed_population_is_the_mean_over_the_annotators_of_the_data() -> None:
    family = OrderedBeta(effects={"interaction": False})
    declaration, posterior = draws_of(family, study(), 6)
    found = family.estimate("stated_probability", declaration, posterior, population="observed")
    one = posterior.isel(chain=0, draw=0)
    d = one["quality"].isel(system=1) - one["quality"].isel(system=3)
    d = d + one["departure"][declaration.response.pairs.index((1, 3))]
    d = d + one["taste"].isel(system=1) - one["taste"].isel(system=3)
    e = np.exp(one["log_extremity"].values) * d.values + float(one["direction_bias"])
    kappa = float(one["kappa"])
    expected = expit(e - kappa) + (expit(e + kappa) - expit(e - kappa)) * expit(e)
    value = float(found.isel(chain=0, draw=0, system=1, system_b=3))
    assert value == pytest.approx(expected.mean(), rel=1e-12)


def test_pairs_that_were_never_asked_have_no_answer_with_pairs_of_their_own() -> None:
    answers = list(np.random.default_rng(1).uniform(size=24))
    judgements = table(answers, pairs=(("x", "y"), ("u", "v")))
    family = OrderedBeta(structure="pairs")
    assert family.pairs_alone
    assert not OrderedBeta().pairs_alone
    declaration, posterior = draws_of(family, judgements, 5)
    assert "not known" in declaration.left_out["differences between groups"]
    stated = family.estimate("stated_probability", declaration, posterior)
    assert np.isnan(stated.sel(system="x", system_b="u")).all()
    assert np.isfinite(stated.sel(system="v", system_b="u")).all()
    quality = posterior["quality"]
    gap = quality.sel(system="u") - quality.sel(system="v")
    np.testing.assert_allclose(gap, posterior["pair"].sel(system_pair="u ≻ v"), atol=1e-12)
    unasked = table([0.3, 0.4], pairs=(("x", "u"), ("u", "v")))
    flat = posterior.stack(sample=("chain", "draw"))
    with pytest.raises(ModelError, match="pairs that the model was not fitted to: 'x ≻ u'"):
        family.log_likelihood(declaration, unasked, flat)


# Few draws: what is asserted holds whether or not they suffice for a report.
@pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")
@pytest.mark.parametrize("structure", ["qualities", "pairs"])
@pytest.mark.parametrize("answers", ["ends", "half", "one pair", "one annotator"])
def test_data_at_their_limits_are_fitted(answers: str, structure: Any) -> None:
    rng = np.random.default_rng(8)
    mixed = rng.choice([0.0, 0.3, 0.5, 0.9, 1.0], 24).tolist()
    judgements = {
        "ends": table(rng.choice([0.0, 1.0, 1.0], 24).tolist()),
        "half": table([0.5] * 24),
        "one pair": table(mixed, pairs=(("x", "y"),)),
        "one annotator": table(mixed, n_annotators=1),
    }[answers]
    posterior = be.fit(judgements, OrderedBeta(structure=structure), **QUICK)
    stated = posterior.estimand("stated_probability").mean(("chain", "draw"))
    means = judgements.to_frame().groupby(["system_a", "system_b"], as_index=False)
    for a, b, mean in means["probability"].mean().itertuples(index=False):
        assert float(stated.sel(system=a, system_b=b)) == pytest.approx(mean, abs=0.15)
    replicated = posterior.predictive(judgements, draws=50).values
    assert ((replicated >= 0) & (replicated <= 1)).all()
    if answers == "ends":
        assert np.isin(replicated, [0.0, 1.0]).mean() > 0.7
    if answers == "half":
        assert np.abs(replicated[(replicated > 0) & (replicated < 1)] - 0.5).max() < 0.15


def test_swapping_all_systems_mirrors_the_posterior() -> None:
    judgements = study()
    frame = judgements.to_frame()
    turned = frame.rename(columns={"system_a": "b", "system_b": "a", "annotator": "who"})
    turned["p"] = 1 - turned["probability"]
    family = OrderedBeta(effects={"interaction": False, "direction_bias": False})
    other = read(turned)
    declaration, posterior = draws_of(family, judgements, 9)
    flat = posterior.stack(sample=("chain", "draw"))
    there = family.log_likelihood(declaration, judgements, flat).sum(axis=1)
    back = family.log_likelihood(declaration, other, flat).sum(axis=1)
    np.testing.assert_allclose(there, back, rtol=1e-10)


def test_predictions_have_the_mean_and_the_ends_of_the_model() -> None:
    judgements = study()
    family = OrderedBeta()
    declaration, posterior = draws_of(family, judgements, 2)
    flat = posterior.stack(sample=("chain", "draw")).isel(sample=[1] * 4000)
    drawn = family.predict(declaration, judgements, flat, np.random.default_rng(0))
    log_p = family.log_likelihood(
        declaration,
        read(
            judgements.to_frame()
            .rename(columns={"annotator": "who", "system_a": "a", "system_b": "b"})
            .assign(p=1.0),
            item="item",
        ),
        flat.isel(sample=[0]),
    )
    np.testing.assert_allclose((drawn == 1).mean(axis=0), np.exp(log_p[0]), atol=0.035)


def test_answers_are_predicted_for_several_criteria_with_circles_of_pairs() -> None:
    judgements, family = study(criteria=True), OrderedBeta(effects={"pair": True})
    declaration, posterior = draws_of(family, judgements, 2)
    assert "circle" in declaration.coords
    flat = posterior.stack(sample=("chain", "draw"))
    drawn = family.predict(declaration, judgements, flat, np.random.default_rng(0))
    assert drawn.shape == (flat.sizes["sample"], judgements.n_rows)


def test_what_the_design_does_not_identify_is_left_out_with_the_reason() -> None:
    declaration = OrderedBeta().declare(table([0.2, 0.6] * 6))
    assert "circle" in declaration.left_out["pair"]
    assert "one order" in declaration.left_out["direction_bias"]
    assert [effect.name for effect in declaration.effects] == [
        "quality",
        "taste",
        "log_extremity",
        "log_precision",
    ]
    alone = OrderedBeta().declare(table([0.2, 0.6], n_annotators=1))
    assert [effect.name for effect in alone.effects] == ["quality"]
    with pytest.raises(ModelError, match="there is one annotator"):
        OrderedBeta(effects={"taste": True}).declare(table([0.2, 0.6], n_annotators=1))


def test_what_is_no_stated_probability_is_refused() -> None:
    likert = be.simulate_likert(n_annotators=3, n_systems=2, random_seed=1).judgements
    with pytest.raises(ModelError, match="models SPAJudgements"):
        OrderedBeta().declare(likert)
    with pytest.raises(ModelError, match="structure= is"):
        OrderedBeta(structure="scale")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="resolution="):
        OrderedBeta(resolution=0.5)
    with pytest.raises(ModelError, match="end_b="):
        OrderedBeta(end_b=0.0)


@pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")
def test_posterior_is_saved_with_its_pairs(tmp_path: Any) -> None:
    judgements = table([0.5, 0.0, 1.0, 0.25] * 6)
    posterior = be.fit(judgements, **QUICK)
    again = be.load(posterior.save(tmp_path / "spa.nc"))
    assert again.declaration == posterior.declaration
    xr.testing.assert_allclose(again.win_probability(), posterior.win_probability())


def beta_regression(y: np.ndarray, mean: np.ndarray, precision: np.ndarray) -> tuple[Any, float]:
    """Maximise the beta part alone, with logit mean and log precision linear in columns."""
    n_mean = mean.shape[1]
    log_y, log_rest = np.log(y), np.log1p(-y)
    n = y.size

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        e, log_phi = mean @ x[:n_mean], precision @ x[n_mean:]
        log_p, slopes = np.empty(n), np.empty((3, n))
        # Ends so rare that none counts.
        kernel_module("_pymc_ordered_beta", "stated_probability").kernel(
            np.stack([e, np.zeros(n), log_phi]),
            np.stack([np.zeros(n), log_y, log_rest]),
            np.zeros(n, dtype=np.int32),
            np.array([[1e-14, 0.0]]),
            np.array([0.0, 1.0, -1.0, 0.0]),
            log_p,
            slopes,
            np.zeros((1, 2)),
            np.ones(n),
        )
        slope = np.concatenate([mean.T @ slopes[0], precision.T @ slopes[2]])
        return -float(log_p.sum()), -slope

    start = np.zeros(n_mean + precision.shape[1])
    found = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-6})
    return found.x, -float(found.fun)


def test_beta_part_agrees_with_maximum_likelihood_on_weather_judgements(shared_data: Any) -> None:
    frame = pd.read_csv(shared_data / "probability_judgements" / "WeatherTask.csv")
    one = np.ones(len(frame))
    seven = (frame["priming"] == "seven-fold").to_numpy(float)
    imprecise = (frame["eliciting"] == "imprecise").to_numpy(float)
    columns = np.stack([one, seven, imprecise], axis=1)
    found, log_lik = beta_regression(frame["agreement"].to_numpy(), columns, one[:, None])
    np.testing.assert_allclose(found, [-1.1355, -0.3003, 0.3308, 2.0358], atol=6e-5)
    assert log_lik == pytest.approx(207.123, abs=6e-4)


def test_beta_part_agrees_with_maximum_likelihood_on_mock_jurors(shared_data: Any) -> None:
    frame = pd.read_csv(shared_data / "probability_judgements" / "MockJurors.csv")
    verdict = np.where(frame["verdict"] == "two-option", -1.0, 1.0)
    conflict = np.where(frame["conflict"] == "no", 1.0, -1.0)
    columns = np.stack([np.ones(len(frame)), verdict, conflict, verdict * conflict], axis=1)
    found, log_lik = beta_regression(frame["confidence"].to_numpy(), columns, columns)
    assert log_lik == pytest.approx(40.117, abs=6e-4)
    np.testing.assert_allclose(found[:4], [0.9124, 0.0050, 0.1686, 0.2800], atol=6e-5)
    np.testing.assert_allclose(found[4:], [1.1733, -0.3299, 0.2196, 0.3163], atol=6e-5)


@pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")
def test_judge_whose_answers_are_u_shaped_does_not_pass_unnoticed(shared_data: Any) -> None:
    folder = shared_data / "alpacaeval2_llm_judge"
    answers = pd.read_json(folder / "claude-2.json")["preference"] - 1
    frame = pd.DataFrame({"p": answers.clip(0, 1)}).assign(a="claude-2", b="gpt-4", who="judge")
    judgements = read(frame)
    posterior = be.fit(judgements, **QUICK)
    simulated = posterior.predictive(judgements, draws=100, random_seed=1).values
    found = stated_check(
        posterior, judgements, None, population="new", simulated=simulated
    ).frame.iloc[0]
    # The tokens' probabilities heap near both ends without being exactly there.
    assert found["sample_mean"] == pytest.approx(answers.mean(), abs=1e-9)
    assert found["apart"]
    assert found["odd"]
    assert found["observed_0"] > found["predicted_0"] + 0.1
