"""What a posterior says: estimands against brute force, predictions, log likelihood, files."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.stats import norm

import bayeseval as be
from bayeseval.families import OrdinalProbit
from bayeseval.inference import Posterior, _storage
from bayeseval.simulate import SimulatedLikert

pytestmark = pytest.mark.sampling


def one_draw(posterior: Posterior, **values: float | list[float]) -> Posterior:
    """Give a posterior a single draw with chosen values."""
    data = posterior.posterior.isel(chain=[0], draw=[17]).copy(deep=True)
    for name, value in values.items():
        data[name][:] = value
    return Posterior(
        data=xr.DataTree.from_dict({"/posterior": data}),
        family=posterior.family,
        declaration=posterior.declaration,
        fingerprint=posterior.fingerprint,
        settings=posterior.settings,
        convergence=posterior.convergence,
    )


def brute_force(posterior: Posterior, n: int = 200_000) -> np.ndarray:
    """Ratings of all systems by n new annotators on n new items, dims (annotator, system)."""
    rng = np.random.default_rng(1)
    draw = posterior.posterior.isel(chain=0, draw=0)
    sd = {name: float(draw[f"{name}_sd"]) for name in ("severity", "difficulty", "gap")}
    own = np.hypot(float(draw["interaction_sd"]), float(draw["taste_sd"]))
    population = draw["population_thresholds"].values
    gaps = np.diff(population) * np.exp(sd["gap"] * rng.normal(size=(n, population.size - 1)))
    steps = np.concatenate([np.zeros((n, 1)), np.cumsum(gaps, axis=1)], axis=1)
    thresholds = steps - steps.mean(axis=1, keepdims=True) + population.mean()
    thresholds += sd["severity"] * rng.normal(size=(n, 1))
    quality = draw["quality"].values
    latent = quality - sd["difficulty"] * rng.normal(size=(n, 1))
    latent = latent + own * rng.normal(size=(n, quality.size)) + rng.normal(size=(n, quality.size))
    return (latent[:, :, None] > thresholds[:, None, :]).sum(axis=2)


SPREAD = {
    "severity_sd": 0.7,
    "difficulty_sd": 0.5,
    "interaction_sd": 0.4,
    "taste_sd": 0.3,
    "gap_sd": 0.4,
}


def test_estimands_average_over_new_annotators_and_items(small_posterior: Posterior) -> None:
    # Values of a study's own, so that the Monte Carlo error does not hang on the draw.
    thresholds, quality = [-1.4, -0.6, 0.1, 0.9], [-0.6, 0.0, 0.6]
    posterior = one_draw(
        small_posterior, **SPREAD, population_thresholds=thresholds, quality=quality
    )
    ratings = brute_force(posterior)
    n = ratings.shape[0]
    categories = np.arange(5)
    share = (ratings[:, :, None] == categories).mean(axis=0)
    found = posterior.estimand("category_probability").values[0, 0]
    # Sixteen annotators stand for the population in one draw; the rest is Monte Carlo error.
    np.testing.assert_allclose(found, share, atol=0.02)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    expected = posterior.estimand("expected_rating").values[0, 0]
    np.testing.assert_allclose(expected, 1 + ratings.mean(axis=0), atol=0.06)
    above = (ratings[:, :, None] > ratings[:, None, :]).mean(axis=0)
    equal = (ratings[:, :, None] == ratings[:, None, :]).mean(axis=0)
    win = posterior.win_probability().values[0, 0]
    np.testing.assert_allclose(win, above + 0.5 * equal, atol=0.01 + 3 / np.sqrt(n))


def test_estimands_without_gap_differences_are_exact(small_posterior: Posterior) -> None:
    posterior = one_draw(small_posterior, **{**SPREAD, "gap_sd": 1e-12})
    draw = posterior.posterior.isel(chain=0, draw=0)
    total = np.sqrt(1 + sum(value**2 for name, value in SPREAD.items() if name != "gap_sd"))
    thresholds = draw["population_thresholds"].values
    below = norm.cdf((thresholds[None, :] - draw["quality"].values[:, None]) / total)
    expected = np.diff(below, axis=1, prepend=0.0, append=1.0)
    np.testing.assert_allclose(
        posterior.estimand("category_probability").values[0, 0], expected, atol=1e-9
    )
    at_least = posterior.estimand("at_least_probability").values[0, 0]
    np.testing.assert_allclose(at_least[:, 1:], 1 - below, atol=1e-9)
    np.testing.assert_allclose(at_least[:, 0], 1.0)


def test_win_probability_is_half_against_itself_and_mirrored(small_posterior: Posterior) -> None:
    for population in ("new", "observed"):
        win = small_posterior.win_probability(population)
        np.testing.assert_allclose(np.einsum("cdss->cds", win.values), 0.5, atol=1e-9)
        np.testing.assert_allclose(win.values + win.values.swapaxes(-1, -2), 1.0, atol=1e-9)


def test_observed_population_gives_the_ratings_that_were_seen(
    small_posterior: Posterior, small_study: SimulatedLikert
) -> None:
    table = small_study.judgements.to_frame()
    seen = table.groupby("system")["rating"].mean()
    expected = small_posterior.estimand("expected_rating", population="observed")
    for system, mean in seen.items():
        draws = expected.sel(system=system)
        assert abs(float(draws.mean()) - mean) < 4 * float(draws.std())


def test_predictions_reproduce_the_shares_of_the_categories(
    small_posterior: Posterior, small_study: SimulatedLikert
) -> None:
    judgements = small_study.judgements
    replicated = small_posterior.predictive(judgements, draws=300, random_seed=1)
    assert replicated.shape == (300, judgements.n_rows)
    shares = np.stack([(replicated.values == k + 1).mean(axis=1) for k in range(5)])
    observed = np.bincount(judgements.answers, minlength=5) / judgements.n_rows
    low, high = np.quantile(shares, [0.005, 0.995], axis=1)
    assert ((low <= observed) & (observed <= high)).all()
    again = small_posterior.predictive(judgements, draws=300, random_seed=1)
    np.testing.assert_array_equal(replicated, again)


@pytest.mark.parametrize(
    "scale", [(1, 5), (-2, 2), (96, 100), ("bad", "poor", "fair", "good", "very good")]
)
def test_predictions_are_ratings_of_the_users_scale(
    small_posterior: Posterior, small_study: SimulatedLikert, scale: tuple[Any, ...]
) -> None:
    words = np.array([str(k) for k in range(scale[0], scale[1] + 1)] if len(scale) == 2 else scale)
    judgements = small_study.judgements
    given = judgements.to_frame()
    given["rating"] = words[judgements.answers]
    if len(scale) == 2:
        given["rating"] = given["rating"].astype(int)
    judgements = be.LikertJudgements.from_frame(
        given, annotator="annotator", system="system", item="item", rating="rating", scale=scale
    )
    drawn = small_posterior.predictive(judgements, draws=20, random_seed=3)
    codes = small_posterior.predictive(judgements, draws=20, random_seed=3, coded=True)
    first = scale[0] if len(scale) == 2 else 1
    np.testing.assert_array_equal(drawn, codes + first)
    assert drawn["category"].dims == ("sample", "row")
    np.testing.assert_array_equal(drawn["category"], words[codes.values])
    assert set(np.unique(codes)) == set(range(5))


def test_log_likelihood_is_that_of_the_predicted_answers(
    small_posterior: Posterior, small_study: SimulatedLikert
) -> None:
    judgements = small_study.judgements
    log_likelihood = small_posterior.log_likelihood(judgements, draws=5)
    assert log_likelihood.shape == (4, 5, judgements.n_rows)
    draw = small_posterior.posterior.isel(chain=0, draw=0)
    row = 7
    where = {
        name: judgements.labels(name)[judgements.codes(name)[row]]
        for name in ("annotator", "system", "item")
    }
    eta = float(
        draw["quality"].sel(system=where["system"])
        - draw["difficulty"].sel(item=where["item"])
        + draw["taste"].sel(system=where["system"], annotator=where["annotator"])
    )
    if "interaction" in draw:
        eta += float(draw["interaction"].sel(system=where["system"], item=where["item"]))
    cuts = np.concatenate(
        [[-np.inf], draw["thresholds"].sel(annotator=where["annotator"]).values, [np.inf]]
    )
    answer = judgements.answers[row]
    expected = np.log(norm.cdf(cuts[answer + 1] - eta) - norm.cdf(cuts[answer] - eta))
    assert float(log_likelihood[0, 0, row]) == pytest.approx(expected, rel=1e-9)


def test_log_likelihood_that_would_not_fit_is_refused(
    small_posterior: Posterior, small_study: SimulatedLikert, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bayeseval.inference._datatree.MOST_VALUES", 10_000)
    with pytest.raises(be.ModelError, match="ask for draws=17 of each chain"):
        small_posterior.log_likelihood(small_study.judgements)


def test_judgements_with_unknown_labels_are_refused(
    small_posterior: Posterior, small_study: SimulatedLikert
) -> None:
    table = small_study.judgements.to_frame().replace({"system": {"system 1": "stranger"}})
    other = be.LikertJudgements.from_frame(
        table, annotator="annotator", system="system", item="item", rating="rating", scale=(1, 5)
    )
    with pytest.raises(be.ModelError, match="'stranger'"):
        small_posterior.predictive(other)


def test_unknown_estimand_names_the_nearest(small_posterior: Posterior) -> None:
    with pytest.raises(be.ModelError, match="Did you mean 'expected_rating'"):
        small_posterior.estimand("expected_ratings")
    with pytest.raises(be.ModelError, match="population= is 'new' or 'observed'"):
        small_posterior.win_probability("old")  # pyright: ignore[reportArgumentType]


def test_saved_posterior_comes_back_the_same(small_posterior: Posterior, tmp_path: Path) -> None:
    path = small_posterior.save(tmp_path / "posterior.nc")
    loaded = be.load(path)
    xr.testing.assert_identical(loaded.posterior, small_posterior.posterior)
    assert loaded.family == small_posterior.family
    assert loaded.declaration == small_posterior.declaration
    assert loaded.settings == small_posterior.settings
    assert loaded.convergence.problems == small_posterior.convergence.problems
    np.testing.assert_array_equal(
        loaded.win_probability().values, small_posterior.win_probability().values
    )
    assert str(be.rank(loaded)) == str(be.rank(small_posterior))
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_said_when_saving(
    small_posterior: Posterior, tmp_path: Path
) -> None:
    with pytest.raises(be.BayesEvalError, match=r"there is no folder .*nowhere'. Make it first"):
        small_posterior.save(tmp_path / "nowhere" / "posterior.nc")
    with pytest.raises(be.BayesEvalError, match="is a folder"):
        small_posterior.save(tmp_path)
    assert not list(tmp_path.iterdir())


def test_one_of_each_is_told_in_the_singular(small_posterior: Posterior) -> None:
    data = small_posterior.data.isel(chain=[0], draw=[0])
    declaration = replace(
        small_posterior.declaration, coords={**small_posterior.declaration.coords, "system": ("s",)}
    )
    one = replace(small_posterior, data=data, declaration=declaration)
    assert "OrdinalProbit: 1 system, 1 chain of 1 draw\n" in repr(one)


def test_damaged_file_is_refused(small_posterior: Posterior, tmp_path: Path) -> None:
    whole = small_posterior.save(tmp_path / "whole.nc").read_bytes()
    cut = tmp_path / "cut.nc"
    cut.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(be.BayesEvalError, match=r"cut\.nc.* (damaged|cannot be read)"):
        be.load(cut)
    flipped = tmp_path / "flipped.nc"
    position = len(whole) // 2
    flipped.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
    with pytest.raises(be.BayesEvalError, match="damaged"):
        be.load(flipped)


def test_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(be.BayesEvalError, match="there is no file"):
        be.load(tmp_path / "absent.nc")
    text = tmp_path / "text.nc"
    text.write_text("system,rating\n")
    with pytest.raises(be.BayesEvalError, match="cannot be read as netCDF"):
        be.load(text)
    other = tmp_path / "other.nc"
    xr.Dataset({"x": ("n", [1.0])}).to_netcdf(other, engine="h5netcdf")
    with pytest.raises(be.BayesEvalError, match="no posterior that bayeseval saved"):
        be.load(other)


def test_file_of_another_version_is_refused_in_words(
    small_posterior: Posterior, tmp_path: Path
) -> None:
    effects = tuple(vars(effect) for effect in small_posterior.declaration.effects)
    record = {"effects": [{**effect, "centred": True} for effect in effects]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_storage, "declaration_record", lambda _: record)
        path = small_posterior.save(tmp_path / "older.nc")
    with pytest.raises(be.BayesEvalError, match="written by another version"):
        be.load(path)


def test_description_names_what_is_in_and_what_is_not(small_posterior: Posterior) -> None:
    text = str(small_posterior.describe())
    assert "half-normal(1)" in text
    assert "severity" in text
    whole = str(OrdinalProbit(quality_sd_scale=0.3))
    assert "half-normal(0.3)" in whole
    assert "Dirichlet(2, …)" in whole


def test_notebooks_show_posterior_convergence_description_and_dropped_rows(
    small_posterior: be.Posterior, small_study: SimulatedLikert
) -> None:
    shown: tuple[Any, ...] = (
        small_posterior,
        small_posterior.convergence,
        small_posterior.describe(),
        small_study.judgements.dropped,
    )
    for each in shown:
        page = each._repr_html_()
        assert page.startswith("<")
        assert " at 0x" not in page


def test_a_page_has_every_setting_of_the_family(
    small_posterior: be.Posterior, small_study: SimulatedLikert, tmp_path: Path
) -> None:
    path = be.report(small_posterior, small_study.judgements, tmp_path / "page.md", draws=10)
    page = path.read_text("utf-8")
    lacking = [each.name for each in fields(OrdinalProbit) if f"{each.name}=" not in page]
    assert not lacking
