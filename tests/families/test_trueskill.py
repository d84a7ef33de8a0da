"""TrueSkill: the posterior's contract, rankings and clusters, the exact model."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import trueskill
import xarray as xr
from scipy.special import ndtr
from scipy.stats import norm

import bayeseval as be
from bayeseval.families import TrueSkill
from bayeseval.families._trueskill_response import outcome_probabilities
from bayeseval.judgements import PairwiseJudgements
from bayeseval.simulate import simulate_pairwise

QUICK: dict[str, Any] = {"engine": "compiled", "shuffles": 20, "resamples": 20}


def comparisons(rows: list[tuple[str, str, str]], **columns: Any) -> PairwiseJudgements:
    frame = pd.DataFrame(rows, columns=["a", "b", "outcome"]).assign(**columns)
    return PairwiseJudgements.from_frame(
        frame,
        annotator=None,
        system_a="a",
        system_b="b",
        outcome="outcome",
        repeats=True,
        criterion="criterion" if "criterion" in columns else None,
    )


@pytest.fixture(scope="module")
def study() -> PairwiseJudgements:
    return simulate_pairwise(
        n_annotators=6, n_systems=5, n_items=5, link="probit", ties="rao_kupper", random_seed=2
    ).judgements


def test_compiled_update_is_the_packages(study: PairwiseJudgements) -> None:
    few = {"shuffles": 2, "resamples": 1}
    package = be.fit(study, TrueSkill(engine="package", **few), draws=5, random_seed=3)
    compiled = be.fit(study, TrueSkill(engine="compiled", **few), draws=5, random_seed=3)
    for group in ("posterior", "shuffles", "resamples"):
        xr.testing.assert_allclose(
            package.data[group].to_dataset(), compiled.data[group].to_dataset(), rtol=1e-9
        )
    assert package.settings.versions["trueskill"] == trueskill.__version__


def citations() -> PairwiseJudgements:
    """Citations between four journals (Stigler 1994): 3,727 votes in 12 counts."""
    frame = pd.DataFrame(
        [("B", "C", 730, 33), ("B", "J", 498, 320), ("B", "R", 221, 284),
         ("C", "J", 68, 813), ("C", "R", 17, 276), ("J", "R", 142, 325)],
        columns=["x", "y", "wins", "losses"],
    )  # fmt: skip
    return PairwiseJudgements.from_counts(
        frame, system_a="x", system_b="y", wins="wins", losses="losses"
    )


def test_few_updates_go_through_the_package_and_many_through_the_compiled_engine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from bayeseval.families import _trueskill_engines as module

    study = comparisons([("x", "y", "a"), ("y", "z", "tie"), ("z", "x", "b")] * 5)
    assert TrueSkill().engine == "auto"
    many = be.fit(citations(), TrueSkill(), draws=50, random_seed=1)
    few = TrueSkill(shuffles=20, resamples=0)
    monkeypatch.setattr(module, "_FEW_UPDATES", 20 * study.n_judgements)
    exactly = be.fit(study, few, draws=5, random_seed=1)
    monkeypatch.setattr(module, "_FEW_UPDATES", 20 * study.n_judgements - 1)
    above = be.fit(study, few, draws=5, random_seed=1)
    for posterior, words, package, engine in (
        (many, "updated by the compiled engine", "numba", "compiled"),
        (exactly, "updated by the package trueskill", "trueskill", "package"),
        (above, "updated by the compiled engine", "numba", "compiled"),
    ):
        assert words in posterior.settings.sampler
        assert package in posterior.settings.versions
        restored = be.load(posterior.save(tmp_path / f"{posterior.fingerprint}{engine}.nc"))
        assert f"engine={engine!r}" in repr(be.trueskill_ranking(restored))
    np.testing.assert_allclose(exactly.quality, above.quality, rtol=1e-9)


def test_more_votes_than_can_be_rated_one_by_one_are_refused_in_words() -> None:
    counts = pd.DataFrame({"x": ["A", "A"], "y": ["B", "C"], "w": [10**12, 3], "l": [5, 4]})
    table = PairwiseJudgements.from_counts(counts, system_a="x", system_b="y", wins="w", losses="l")
    words = r"at most 100,000,000; these judgements count 1,000,000,000,012 votes.*BradleyTerry"
    for engine in ("auto", "package", "compiled"):
        with pytest.raises(be.DesignError, match=words):
            be.fit(table, TrueSkill(engine=engine), draws=5, random_seed=1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"resamples": 1}, "at least 20 runs; this posterior has 1 resample. Fit with resamples="),
        ({"resamples": 19}, "19 resamples.*or take prob= of at most 0.947"),
        ({"resamples": 0, "shuffles": 3}, "3 shuffles.*or take prob= of at most 0.666"),
    ],
)
def test_a_share_finer_than_one_run_is_refused(
    study: PairwiseJudgements, settings: dict[str, int], words: str
) -> None:
    posterior = be.fit(study, TrueSkill(**{**QUICK, **settings}), draws=5, random_seed=1)
    with pytest.raises(be.BayesEvalError, match=words) as refused:
        be.trueskill_ranking(posterior)
    if "at most" in words:
        most = float(words.rsplit(" ", 1)[1])
        assert f"{most:g}; rank()" in str(refused.value)
        assert len(be.trueskill_ranking(posterior, prob=most)) == len(study.systems)
    enough = {**QUICK, "resamples": 20}
    be.trueskill_ranking(be.fit(study, TrueSkill(**enough), draws=5, random_seed=1))


def test_a_ranking_across_groups_that_never_met_says_so() -> None:
    apart = comparisons([("A", "B", "a"), ("C", "D", "a")] * 30)
    ranking = be.trueskill_ranking(be.fit(apart, TrueSkill(**QUICK), draws=5, random_seed=1))
    text = " ".join(repr(ranking).split())
    assert "fall into 2 groups that never met ('A', 'B'; 'C', 'D')" in text
    assert "across groups mean nothing" in text
    linked = comparisons([("A", "B", "a"), ("C", "D", "a"), ("B", "C", "tie")] * 30)
    ranking = be.trueskill_ranking(be.fit(linked, TrueSkill(**QUICK), draws=5, random_seed=1))
    assert "groups" not in repr(ranking)


@pytest.mark.parametrize("chance", [1e-12, 1e-3, 0.25, 0.9, 1 - 1e-12])
def test_equal_systems_tie_with_the_given_probability(
    study: PairwiseJudgements, chance: float
) -> None:
    declaration = TrueSkill(draw_probability=chance).declare(study)
    tie = outcome_probabilities(np.zeros(1), declaration.response.margins[0])[2][0]
    assert tie == pytest.approx(chance, rel=1e-3)


@pytest.mark.parametrize("outcome", ["tie", "a"])
def test_only_ties_and_no_ties_are_rated(outcome: str) -> None:
    table = comparisons([("x", "y", outcome), ("y", "z", outcome)] * 50)
    family = TrueSkill(**QUICK)
    (chance,) = family.declare(table).response.draw_probability
    assert 0.0 < chance < 1.0
    posterior = be.fit(table, family, draws=50, random_seed=1)
    assert np.isfinite(posterior.quality).all()
    means = posterior.quality.mean(("chain", "draw"))
    if outcome == "tie":
        np.testing.assert_allclose(means, 0.0, atol=0.5)
    else:
        assert (means.diff("system") < 0).all()


def test_posterior_keeps_the_contract(study: PairwiseJudgements, tmp_path: Path) -> None:
    posterior = be.fit(study, TrueSkill(**QUICK), draws=100, chains=2, random_seed=1)
    assert posterior.quality.dims == ("chain", "draw", "system")
    np.testing.assert_allclose(posterior.quality.sum("system"), 0.0, atol=1e-12)
    assert posterior.approximate is not None
    win = posterior.win_probability()
    outcomes = posterior.estimand("outcome_probability")
    np.testing.assert_allclose(outcomes.sum("outcome"), 1.0, rtol=1e-12)
    half = outcomes.sel(outcome="win") + 0.5 * outcomes.sel(outcome="tie")
    np.testing.assert_allclose(half, win, rtol=1e-12)
    np.testing.assert_allclose(win + win.transpose(..., "system_b", "system").values, 1.0)
    np.testing.assert_allclose(np.einsum("cdss->cds", win.values), 0.5)
    restored = be.load(posterior.save(tmp_path / "t.nc"))
    assert restored.family == posterior.family
    assert restored.declaration.response == posterior.declaration.response
    frame = be.trueskill_ranking(restored).to_frame()
    pd.testing.assert_frame_equal(frame, be.trueskill_ranking(posterior).to_frame())
    page = be.report(posterior, study, tmp_path / "r.md").read_text()
    assert "These draws are an approximation" in page
    assert "R-hat" not in page


def test_log_likelihood_is_the_log_of_the_outcome_probability(study: PairwiseJudgements) -> None:
    posterior = be.fit(study, TrueSkill(**QUICK), draws=3, chains=1, random_seed=1)
    found = posterior.log_likelihood(study).values[0]
    outcomes = posterior.estimand("outcome_probability").values[0]
    a, b = study.codes("system_a"), study.codes("system_b")
    kind = np.array([0, 2, 1])[study.answers]
    np.testing.assert_allclose(found, np.log(outcomes[:, a, b, kind]), rtol=1e-9)


def test_predictions_have_the_outcomes_shares(study: PairwiseJudgements) -> None:
    posterior = be.fit(study, TrueSkill(**QUICK), draws=500, random_seed=1)
    found = posterior.predictive(study, draws=400).values
    outcomes = posterior.estimand("outcome_probability").mean(("chain", "draw")).values
    a, b = study.codes("system_a"), study.codes("system_b")
    for code, kind in enumerate((0, 2, 1)):
        expected = outcomes[a, b, kind].mean()
        assert (found == code).mean() == pytest.approx(expected, abs=0.02)


def test_order_of_rows_does_not_matter_and_sides_mirror(study: PairwiseJudgements) -> None:
    frame = study.to_frame()
    options: dict[str, Any] = {
        "annotator": "annotator", "item": "item", "outcome": "outcome",
    }  # fmt: skip
    swapped = frame.assign(outcome=frame["outcome"].map({"a": "b", "b": "a", "tie": "tie"}))
    tables = [
        PairwiseJudgements.from_frame(
            frame.sample(frac=1, random_state=1),
            system_a="system_a",
            system_b="system_b",
            **options,
        ),
        PairwiseJudgements.from_frame(swapped, system_a="system_b", system_b="system_a", **options),
    ]
    first = be.fit(study, TrueSkill(**QUICK), draws=400, random_seed=1)
    again = be.fit(tables[0], TrueSkill(**QUICK), draws=400, random_seed=1)
    np.testing.assert_array_equal(first.quality, again.quality)
    mirrored = be.fit(tables[1], TrueSkill(**QUICK), draws=400, random_seed=1)
    np.testing.assert_allclose(
        first.quality.mean(("chain", "draw")), mirrored.quality.mean(("chain", "draw")), atol=0.05
    )


def test_criteria_are_rated_apart() -> None:
    rows = [("x", "y", "a")] * 20 + [("x", "y", "b")] * 20
    table = comparisons(rows, criterion=["fluency"] * 20 + ["adequacy"] * 20)
    posterior = be.fit(table, TrueSkill(**QUICK), draws=50, random_seed=1)
    means = posterior.quality.mean(("chain", "draw"))
    assert float(means.sel(criterion="fluency", system="x")) > 0.5
    assert float(means.sel(criterion="adequacy", system="x")) < -0.5
    frame = be.trueskill_ranking(posterior, criterion="adequacy").to_frame()
    assert frame["system"].tolist() == ["y", "x"]
    assert posterior.win_probability().dims == ("chain", "draw", "criterion", "system", "system_b")
    assert posterior.predictive(table, draws=3).shape == (3, 40)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"draw_probability": 0.0}, "draw_probability= lies between 0 and 1"),
        ({"draw_probability": 1.0}, "draw_probability= lies between 0 and 1"),
        ({"draw_probability": float("nan")}, "draw_probability= lies between 0 and 1"),
        ({"shuffles": 0}, "shuffles= is a whole number from 1"),
        ({"resamples": -1}, "resamples= is a whole number from 0"),
        ({"prior_sd": 0.0}, "prior_sd= is a positive number"),
        ({"engine": "fast"}, "engine= is 'auto', 'package' or 'compiled'"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(be.ModelError, match=words):
        TrueSkill(**settings)


def test_other_judgements_and_groups_that_never_met_are_named() -> None:
    ratings = be.simulate_likert(n_annotators=3, n_systems=2, n_items=2, random_seed=1).judgements
    with pytest.raises(be.ModelError, match="to_pairwise"):
        be.fit(ratings, TrueSkill())
    apart = TrueSkill().declare(comparisons([("p", "q", "a"), ("r", "s", "b")]))
    assert "comes from the prior" in apart.left_out["differences between groups"]
    with pytest.raises(be.ModelError, match="rank ranges over shuffles are those of TrueSkill"):
        be.trueskill_ranking(_other())


def _other() -> Any:
    from tests.fakes import make_posterior

    return make_posterior(np.array([0.5, -0.5]), 0.1)


def test_long_runs_are_announced_with_their_time(
    study: PairwiseJudgements, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bayeseval.families import _trueskill_engines as module

    monkeypatch.setattr(module, "_LONG_SECONDS", 0.0)
    logging.getLogger("bayeseval").addHandler(caplog.handler)
    try:
        for engine in ("package", "compiled"):
            family = TrueSkill(shuffles=1, resamples=0, engine=engine)
            be.fit(study, family, draws=2, random_seed=1)
    finally:
        logging.getLogger("bayeseval").removeHandler(caplog.handler)
    package, compiled = [text for text in caplog.messages if "will take" in text]
    assert "1 shuffles and 0 resamples by the package trueskill" in package
    assert "engine='compiled'" in package
    assert "1 shuffles and 0 resamples by the compiled engine" in compiled
    assert "lower shuffles=" in compiled
    assert "engine=" not in compiled


def test_clusters_start_where_ranges_do_not_overlap() -> None:
    rows = [("x", "y", "a")] * 30 + [("y", "x", "a")] * 30 + [("x", "z", "a")] * 60
    table = comparisons([*rows, *[("y", "z", "a")] * 60])
    posterior = be.fit(table, TrueSkill(**QUICK), draws=10, random_seed=1)
    ranking = be.trueskill_ranking(posterior)
    assert [set(group) for group in ranking.clusters] == [{"x", "y"}, {"z"}]
    frame = ranking.to_frame().set_index("system")
    assert (frame["rank_low"]["z"], frame["rank_high"]["z"]) == (3, 3)
    assert "drawn with replacement" in repr(ranking)
    alone = be.fit(table, TrueSkill(**{**QUICK, "resamples": 0}), draws=10, random_seed=1)
    assert "only what the order does" in repr(be.trueskill_ranking(alone)).replace("\n", " ")


def test_two_systems_after_one_comparison_have_the_posteriors_moments() -> None:
    table = comparisons([("x", "y", "a")])
    family = TrueSkill(engine="compiled", shuffles=1, resamples=0, draw_probability=0.2)
    posterior = be.fit(table, family, draws=2, random_seed=1)
    margin = family.declare(table).response.margins[0]
    grid = np.linspace(-14, 14, 281)
    x, y = np.meshgrid(grid, grid, indexing="ij")
    weight = norm.pdf(x, 0, 2) * norm.pdf(y, 0, 2) * ndtr((x - y - margin) / np.sqrt(2))
    weight /= weight.sum()
    mean = (weight * x).sum()
    group = posterior.data["shuffles"].to_dataset().isel(shuffle=0)
    assert float(group["mu"].sel(system="x")) == pytest.approx(mean, rel=1e-6)
    sd = np.sqrt((weight * x**2).sum() - mean**2)
    assert float(group["sigma"].sel(system="x")) == pytest.approx(sd, rel=1e-6)


def test_means_and_sds_are_near_those_of_the_exact_model() -> None:
    table = simulate_pairwise(
        n_annotators=6, n_systems=6, n_items=10, link="probit", ties="rao_kupper", random_seed=3
    ).judgements
    thurstone = be.BradleyTerry(
        link="probit", ties="rao_kupper", position=False, annotators="none", items=False
    )
    posterior = be.fit(table, thurstone, method="laplace", random_seed=1)
    exact = posterior.quality
    # The same chance of a tie between equal systems.
    threshold = float(posterior.posterior["tie_propensity"].mean())
    family = TrueSkill(draw_probability=2 * float(ndtr(threshold)) - 1, **QUICK)
    approximate = be.fit(table, family, random_seed=1).quality
    # One unit of Thurstone's model is the noise of a comparison, the root of two performances.
    ours, theirs = (q.mean(("chain", "draw")).values for q in (approximate / np.sqrt(2), exact))
    sd = exact.std(("chain", "draw")).values
    assert np.abs(ours - theirs).max() < 0.5 * sd.max()
    ratio = approximate.std(("chain", "draw")).values / np.sqrt(2) / sd
    assert ((ratio > 0.7) & (ratio < 1.3)).all()


def test_chances_by_row_are_those_of_predicted_outcomes(study: PairwiseJudgements) -> None:
    posterior = be.fit(study, TrueSkill(**QUICK), draws=50, chains=2, random_seed=1)
    chances = posterior.row_chances(study, draws=100).mean("sample")
    drawn = np.concatenate(
        [posterior.predictive(study, draws=100, random_seed=seed).values for seed in range(20)]
    )
    for code, outcome in ((0, "win"), (1, "loss"), (2, "tie")):
        share = (drawn == code).mean(axis=0)
        # A share of 2,000 has a standard error of about .011; there are 900 of them.
        assert np.abs(share - chances.sel(outcome=outcome).values).max() < 0.055


def test_an_approximation_of_what_is_not_sampled_is_refused(study: PairwiseJudgements) -> None:
    with pytest.raises(be.ModelError, match="makes its draws by itself"):
        be.fit(study, TrueSkill(**QUICK), method="laplace", random_seed=1)
