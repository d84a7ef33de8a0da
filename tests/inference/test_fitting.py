"""fit(): the same seed, the same draws; what is said, marked and refused."""

import importlib.util
import logging
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.errors import ModelError
from bayeseval.families import _FAMILIES, family_named
from bayeseval.inference import Posterior, _course, _nutpie, _sampling, fitting
from bayeseval.judgements import Factor
from bayeseval.judgements._intake import CANONICAL, QUANTITIES
from bayeseval.simulate import SimulatedLikert, simulate_pairwise

pytestmark = pytest.mark.sampling

QUICK: dict[str, Any] = {"draws": 100, "tune": 100, "chains": 2, "progressbar": False}
# Small steps: a single divergence, which chance may bring on another machine, would be told.
QUIET: dict[str, Any] = {"progressbar": False}
SHORT = pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")


def frame(study: SimulatedLikert) -> pd.DataFrame:
    return study.judgements.to_frame()


def likert(table: pd.DataFrame, **options: Any) -> be.LikertJudgements:
    columns = {"annotator": "annotator", "system": "system", "item": "item", "rating": "rating"}
    return be.LikertJudgements.from_frame(table, **{**columns, "scale": (1, 5), **options})


def test_fit_converges(small_posterior: Posterior) -> None:
    assert small_posterior.convergence.ok, str(small_posterior.convergence)
    assert small_posterior.convergence.divergences == 0


def test_both_doors_of_the_sampler_lead_to_the_same_draws(
    small_study: SimulatedLikert, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By address (nutpie's undocumented class) and, where that is gone, through Python."""

    def draws() -> np.ndarray:
        return be.fit(small_study.judgements, random_seed=3, **QUICK).quality.values

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.ConvergenceWarning)
        by_address = draws()
        monkeypatch.setattr(_nutpie, "takes_addresses", lambda: False)
        posterior = be.fit(small_study.judgements, random_seed=3, **QUICK)
    assert posterior.settings.sampler == "nutpie, called through Python"
    through_python = posterior.quality.values
    np.testing.assert_array_equal(by_address, through_python)


def test_posterior_keeps_the_contract(
    small_posterior: Posterior, small_study: SimulatedLikert
) -> None:
    posterior = small_posterior.posterior
    assert posterior["quality"].dims == ("chain", "draw", "system")
    assert tuple(posterior["system"].values) == small_study.judgements.systems
    np.testing.assert_allclose(posterior["quality"].sum("system"), 0.0, atol=1e-9)
    assert set(posterior["thresholds"].dims) == {"chain", "draw", "annotator", "threshold"}
    assert (posterior["thresholds"].diff("threshold") > 0).all()
    assert all(posterior[f"{name}_sd"].min() >= 0 for name in ("quality", "severity", "difficulty"))
    assert small_posterior.fingerprint == small_study.judgements.fingerprint


def test_annotators_thresholds_have_the_populations_mean_plus_severity(
    small_posterior: Posterior,
) -> None:
    posterior = small_posterior.posterior
    expected = posterior["population_thresholds"].mean("threshold") + posterior["severity"]
    found = posterior["thresholds"].mean("threshold")
    np.testing.assert_allclose(found.transpose(*expected.dims), expected, atol=1e-9)


@SHORT
def test_same_seed_gives_the_same_draws_on_any_number_of_cores(
    small_study: SimulatedLikert,
) -> None:
    first = be.fit(small_study.judgements, random_seed=5, cores=1, **QUICK)
    second = be.fit(small_study.judgements, random_seed=5, cores=2, **QUICK)
    other = be.fit(small_study.judgements, random_seed=6, **QUICK)
    np.testing.assert_array_equal(first.quality, second.quality)
    assert not np.array_equal(first.quality, other.quality)


@SHORT
def test_order_of_rows_does_not_matter(small_study: SimulatedLikert) -> None:
    table = frame(small_study)
    shuffled = table.sample(frac=1.0, random_state=3)
    first = be.fit(likert(table), random_seed=5, **QUICK)
    second = be.fit(likert(shuffled), random_seed=5, **QUICK)
    np.testing.assert_array_equal(first.quality, second.quality)


def test_names_of_systems_do_not_matter(
    small_posterior: Posterior, small_study: SimulatedLikert
) -> None:
    table = frame(small_study)
    names = dict(zip(small_study.judgements.systems, ["z", "🦊 (two)", "a"], strict=True))
    other = likert(table.assign(system=table["system"].map(names)))
    renamed = be.fit(other, random_seed=9, **QUIET)
    for old, new in names.items():
        before = small_posterior.quality.sel(system=old)
        after = renamed.quality.sel(system=new)
        # Two Monte Carlo estimates from some 2,000 effective draws each.
        assert abs(float(before.mean() - after.mean())) < 5 * float(before.std()) / np.sqrt(1000)


@SHORT
def test_counts_are_worth_as_many_rows(small_study: SimulatedLikert) -> None:
    table = frame(small_study)
    twice = pd.concat([table, table])
    counted = table.assign(n=2)
    first = be.fit(likert(twice, repeats=True), random_seed=5, **QUICK)
    second = be.fit(likert(counted, count="n"), random_seed=5, **QUICK)
    family = be.OrdinalProbit()
    one = family.cells(family.declare(likert(twice, repeats=True)), likert(twice, repeats=True))
    other = family.cells(family.declare(likert(counted, count="n")), likert(counted, count="n"))
    np.testing.assert_array_equal(one.count, other.count)
    assert set(first.posterior.data_vars) == set(second.posterior.data_vars)


@SHORT
def test_seed_is_drawn_and_kept_where_none_is_given(small_study: SimulatedLikert) -> None:
    first = be.fit(small_study.judgements, **QUICK)
    again = be.fit(small_study.judgements, random_seed=first.settings.random_seed, **QUICK)
    other = be.fit(small_study.judgements, **QUICK)
    np.testing.assert_array_equal(first.quality, again.quality)
    assert other.settings.random_seed != first.settings.random_seed


@SHORT
def test_plan_is_said_before_sampling(
    small_study: SimulatedLikert, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("bayeseval").addHandler(caplog.handler)
    try:
        be.fit(small_study.judgements, random_seed=1, **QUICK)
    finally:
        logging.getLogger("bayeseval").removeHandler(caplog.handler)
    line = caplog.messages[0]
    assert line.startswith("Fitting OrdinalProbit to 144 judgements (144 distinct)")
    assert "without interaction (every output was judged once)" not in line
    for effect in ("quality", "severity", "difficulty"):
        assert effect in line


def test_failed_convergence_is_marked_and_warned(small_study: SimulatedLikert) -> None:
    with pytest.warns(be.ConvergenceWarning, match="effective draws"):
        posterior = be.fit(
            small_study.judgements, random_seed=1, draws=20, tune=20, chains=2, progressbar=False
        )
    assert not posterior.convergence.ok
    assert "do not report" in repr(posterior)
    assert any("draws=" in problem for problem in posterior.convergence.problems)


def test_strict_raises_instead(small_study: SimulatedLikert) -> None:
    with pytest.raises(be.ConvergenceError, match="effective draws"):
        be.fit(
            small_study.judgements,
            random_seed=1,
            draws=20,
            tune=20,
            chains=2,
            progressbar=False,
            strict=True,
        )


def test_one_chain_cannot_be_called_converged(small_study: SimulatedLikert) -> None:
    with pytest.warns(be.ConvergenceWarning, match="one chain only"):
        be.fit(small_study.judgements, random_seed=1, chains=1, draws=200, progressbar=False)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"draws": 0}, "draws= is a whole number from 1"),
        ({"chains": 2.5}, "chains= is a whole number"),
        ({"target_accept": 1.0}, "target_accept= is from 0.5"),
        ({"random_seed": "one"}, "random_seed= is a whole number"),
        ({"random_seed": -1}, "from 0 to"),
        ({"nuts_sampler": "stan"}, "nuts_sampler= is one of"),
        ({"backend": "jax"}, "backend= is one of"),
    ],
)
def test_wrong_settings_are_refused(
    small_study: SimulatedLikert, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(be.ModelError, match=words):
        be.fit(small_study.judgements, **options)


def test_something_else_than_judgements_is_refused(small_study: SimulatedLikert) -> None:
    with pytest.raises(be.ModelError, match=r"LikertJudgements\.from_frame"):
        be.fit(frame(small_study))  # pyright: ignore[reportArgumentType]


@SHORT
def test_only_what_is_asked_for_is_stored(small_study: SimulatedLikert) -> None:
    lean = be.fit(small_study.judgements, random_seed=1, store=["taste"], **QUICK)
    assert "taste" in lean.posterior
    assert "interaction" not in lean.posterior
    with pytest.raises(be.ModelError, match="store='all'"):
        lean.predictive(small_study.judgements)
    with pytest.raises(be.ModelError, match="names of variables"):
        be.fit(small_study.judgements, random_seed=1, store=["tastes"], **QUICK)


INTERRUPTED = """
import signal, sys, threading, time
import numpy as np, pandas as pd
import bayeseval as be

def interrupt():
    time.sleep(8.0)
    signal.raise_signal(signal.SIGINT)

# A process that is started in the background ignores the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
ratings = be.LikertJudgements.from_frame(
    pd.read_csv(sys.argv[1]), annotator="annotator", system="system", item="item",
    rating="rating", scale=(1, 5), repeats=True,
)
# Imports and the kernel first: a slow machine would not be sampling yet when the signal comes.
be.fit(ratings, random_seed=1, draws=4, tune=4, chains=1, progressbar=False)
threading.Thread(target=interrupt, daemon=True).start()
posterior = be.fit(
    ratings, random_seed=1, draws=500_000, tune=20, chains=2, cores=2, store=["taste"],
    progressbar=False,
)
assert posterior.settings.interrupted
assert 0 < posterior.posterior.sizes["draw"] < 500_000
assert np.isfinite(posterior.quality).all()
assert "interrupted" in repr(posterior)
print("kept", posterior.posterior.sizes["draw"])
"""


def test_interrupt_keeps_the_draws_made_so_far(
    small_study: SimulatedLikert, tmp_path: Path
) -> None:
    """In a process of its own: the signal would also reach whatever runs the tests."""
    path = tmp_path / "ratings.csv"
    small_study.judgements.to_frame().to_csv(path, index=False)
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("kept")


@SHORT
def test_draws_that_may_not_fit_into_memory_are_told_of_before_sampling(
    small_study: SimulatedLikert, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    logger = logging.getLogger("bayeseval")
    monkeypatch.setattr(fitting, "_DRAWS_WORTH_A_WORD", 20_000)
    logger.addHandler(caplog.handler)
    try:
        be.fit(small_study.judgements, draws=100, tune=10, chains=1, random_seed=1)
    finally:
        logger.removeHandler(caplog.handler)
    (told,) = [record.message for record in caplog.records if "parameters take" in record.message]
    assert "The draws of 112 parameters take 0.0 GB" in told
    assert "draws=22 of each chain" in told


def test_after_an_interrupt_only_chains_with_draws_are_kept() -> None:
    x = np.full((3, 5, 2), np.nan)
    x[0, :4] = 1.0
    x[2, :2] = 1.0
    chains, n_whole = _sampling.whole_draws(x)
    np.testing.assert_array_equal(chains, [0, 2])
    assert n_whole == 2
    x[1] = 0.0
    assert _sampling.whole_draws(x[1:2]) == ([0], 5)
    with pytest.raises(KeyboardInterrupt, match="before any chain"):
        _sampling.whole_draws(np.full((2, 5, 1), np.nan))


# PyMC's own coordinates mix less well: whether so few draws agree enough is not asked here.
@pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")
def test_pymc_model_gives_the_same_posterior_and_compiles_once(
    small_posterior: Posterior,
    small_study: SimulatedLikert,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import nutpie

    compiled = []
    original = nutpie.compile_pymc_model
    monkeypatch.setattr(_sampling, "_COMPILED", {})
    monkeypatch.setattr(
        nutpie,
        "compile_pymc_model",
        lambda model: compiled.append(model) or original(model),
    )
    through_pymc = be.fit(small_study.judgements, backend="pymc", random_seed=4, **QUIET)
    for name in ("quality", "severity", "population_thresholds", "quality_sd", "gap_sd"):
        ours, theirs = small_posterior.posterior[name], through_pymc.posterior[name]
        difference = ours.mean(("chain", "draw")) - theirs.mean(("chain", "draw"))
        # Some 500 effective draws on either side: five Monte Carlo errors of the difference.
        error = ours.std(("chain", "draw")) * np.sqrt(2 / 500)
        assert (abs(difference) < 5 * error).all(), name
    table = frame(small_study)
    other = likert(table.assign(rating=np.roll(table["rating"].to_numpy(), 1)))
    refitted = be.fit(other, backend="pymc", random_seed=4, **QUIET)
    assert len(compiled) == 1
    moved = refitted.quality.mean(("chain", "draw")) - through_pymc.quality.mean(("chain", "draw"))
    assert abs(moved).max() > 0.2


def test_annotator_of_one_category_gets_finite_thresholds(small_study: SimulatedLikert) -> None:
    table = frame(small_study)
    stubborn = table["annotator"] == table["annotator"].iloc[0]
    posterior = be.fit(
        likert(table.assign(rating=np.where(stubborn, 5, table["rating"]))),
        random_seed=3,
        **QUIET,
    )
    assert posterior.convergence.ok, str(posterior.convergence)
    own = posterior.posterior["thresholds"].sel(annotator=table["annotator"].iloc[0])
    others = posterior.posterior["thresholds"]
    assert np.isfinite(own).all()
    assert float(own.std(("chain", "draw")).max()) < 10
    # Always the top: lower thresholds, and less certain ones, than the rest.
    assert float(own.mean()) < float(others.mean())
    assert float(own.std(("chain", "draw")).mean()) > float(others.std(("chain", "draw")).mean())


@SHORT
@pytest.mark.parametrize(
    "family",
    [
        be.OrdinalProbit(thresholds="scaled", discrimination=True),
        be.OrdinalProbit(thresholds="shifted"),
        be.OrdinalProbit(thresholds="common", effects="none"),
    ],
    ids=lambda family: family.thresholds,
)
def test_every_structure_samples(family: be.OrdinalProbit, small_study: SimulatedLikert) -> None:
    posterior = be.fit(small_study.judgements, family, random_seed=2, **QUICK)
    assert np.isfinite(posterior.quality).all()
    assert ("discrimination" in posterior.posterior) == family.discrimination
    assert ("thresholds" in posterior.posterior) == (family.thresholds != "common")
    win = posterior.win_probability()
    np.testing.assert_allclose(
        win + win.transpose(*win.dims[:-2], "system_b", "system").values, 1.0, atol=1e-9
    )


def test_a_class_or_a_name_instead_of_a_family_is_refused_with_the_remedy(
    small_study: SimulatedLikert,
) -> None:
    with pytest.raises(be.ModelError, match=r"pass OrdinalProbit\(\), an instance"):
        be.fit(small_study.judgements, be.OrdinalProbit)  # type: ignore[arg-type]
    with pytest.raises(be.ModelError, match=r"pass TrueSkill\(\), an instance"):
        be.fit(small_study.judgements, be.TrueSkill)  # type: ignore[arg-type]
    with pytest.raises(be.ModelError, match=r"found 'OrdinalProbit' \(str\)"):
        be.fit(small_study.judgements, "OrdinalProbit")  # type: ignore[arg-type]


STUDIES: dict[str, Any] = {
    "likert": lambda: be.simulate_likert(n_annotators=4, n_systems=4, n_items=3, random_seed=1),
    "magnitude": lambda: be.simulate_magnitude(
        n_annotators=4, n_systems=4, n_items=3, random_seed=1
    ),
    "spa": lambda: be.simulate_spa(n_annotators=4, n_systems=4, n_items=3, random_seed=1),
    "pairwise": lambda: be.simulate_pairwise(
        n_annotators=4, n_systems=4, n_items=3, ties="davidson", random_seed=1
    ),
    "strength": lambda: be.simulate_strength(n_annotators=4, n_systems=4, n_items=3, random_seed=1),
}
EVERYTHING: dict[str, Any] = {
    "BradleyTerry": be.BradleyTerry(annotators=("taste", "position", "consistency"), items=True),
    "OrdinalProbit": be.OrdinalProbit(discrimination=True),
    "Thurstone": be.Thurstone(ties="rao_kupper"),
    "TrueSkill": be.TrueSkill(shuffles=2, resamples=2, engine="compiled"),
}


def _names_in_posterior(family: Any, judgements: be.Judgements) -> set[str]:
    """Return what the posterior holds, from one draw that no data chose."""
    if getattr(family, "direct", False):
        draws = be.fit(judgements, family, draws=2, chains=1, random_seed=1).posterior
    else:
        declaration = family.declare(judgements)
        cells = family.cells(declaration, judgements)
        x = family.start(declaration, cells, np.random.default_rng(1))
        values = family.constrained(declaration, x[None, None])
        draws = family.posterior_dataset(declaration, values)
    return {str(name) for name in draws.variables} | {str(dim) for dim in draws.dims}


@pytest.mark.parametrize("name", [family.name for family in _FAMILIES])
def test_a_moderator_called_as_a_quantity_of_the_posterior_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = EVERYTHING.get(name) or family_named(name)()
    study = STUDIES[family.protocol]().judgements
    for stage in ("sample_density", "sample_pymc"):
        monkeypatch.setattr(fitting, stage, lambda *_: pytest.fail("it would have been sampled"))
    taken = _names_in_posterior(family, study)
    assert "quality" in taken
    for moderator in sorted(taken):
        level = Factor(moderator, ("1", "2"), np.arange(study.n_rows, dtype=np.int32) % 2)
        moderated = replace(
            study,
            factors=(*(f for f in study.factors if f.name != moderator), level),
            moderator_names=(moderator,),
        )
        if moderator in (*CANONICAL, *QUANTITIES) or moderator.removesuffix("_sd") in QUANTITIES:
            # Refused when the table is read.
            continue
        with pytest.raises(be.ModelError, match=f"a moderator is called '{moderator}'") as refused:
            be.fit(moderated, family, random_seed=1)
        assert f"moderators={{'my_{moderator}': '{moderator}'}}" in str(refused.value)


def test_plan_of_one_judgement_is_in_the_singular(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pd.DataFrame({"annotator": ["w"], "system": ["s"], "item": ["i"], "rating": [3]})

    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stop

    monkeypatch.setattr(fitting, "sample_density", stop)
    logging.getLogger("bayeseval").addHandler(caplog.handler)
    try:
        with pytest.raises(Stop):
            be.fit(likert(table), random_seed=1)
    finally:
        logging.getLogger("bayeseval").removeHandler(caplog.handler)
    assert "to 1 judgement (1 distinct)" in caplog.messages[0]


def test_numpyro_is_asked_for_by_name_and_refused_where_it_is_not(
    small_study: SimulatedLikert,
) -> None:
    with pytest.raises(ModelError, match="cannot both be"):
        be.fit(small_study.judgements, backend="numpyro", nuts_sampler="pymc", **QUICK)
    if importlib.util.find_spec("numpyro") is None:
        with pytest.raises(ModelError, match=r"numpyro, not installed here.*bayeseval\[jax\]"):
            be.fit(small_study.judgements, backend="numpyro", **QUICK)


def test_numpyro_samples_the_same_posterior(small_study: SimulatedLikert) -> None:
    pytest.importorskip("numpyro", reason="numpyro is in the group peers")
    here = be.fit(small_study.judgements, random_seed=1, **QUIET)
    there = be.fit(small_study.judgements, backend="numpyro", random_seed=1, **QUIET)
    assert there.convergence.ok, str(there.convergence)
    difference = here.quality.mean(("chain", "draw")) - there.quality.mean(("chain", "draw"))
    # Four standard errors of a mean with some 1,000 effective draws each.
    assert float(abs(difference).max()) < 4 * float(here.quality.std()) * np.sqrt(2 / 1000)


@pytest.mark.parametrize(
    ("design", "expected"),
    [
        (
            {"n_annotators": 40, "n_systems": 4, "n_items": 1, "n_categories": 5},
            ((0.95,), 500, "exact for a normal"),
        ),
        (
            {"n_annotators": 4, "n_systems": 6, "n_items": 1, "n_categories": 10},
            # How much gaps bend the posterior stands near a bound: processors round differently.
            ((0.97, 0.985, 0.995), 1000, "leapfrog"),
        ),
    ],
    ids=["many annotators", "ten categories for six ratings each"],
)
def test_a_pilot_chain_chooses_what_the_user_left_open(
    design: dict[str, Any], expected: tuple[tuple[float, ...], int, str]
) -> None:
    study = be.simulate_likert(**design, random_seed=4)
    few: dict[str, Any] = {"draws": 50, "chains": 1, "random_seed": 0, "progressbar": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.ConvergenceWarning)
        left = be.fit(study.judgements, **few).settings
        asked = be.fit(study.judgements, target_accept=0.85, tune=60, **few).settings
    assert left.target_accept in expected[0]
    assert (left.tune, left.integrator) == expected[1:]
    assert (asked.target_accept, asked.tune, asked.integrator) == (0.85, 60, expected[2])


def test_the_more_a_posterior_bends_the_more_careful_the_sampler(
    small_study: SimulatedLikert,
) -> None:
    settings = _course.SamplerSettings(
        draws=10,
        tune=None,
        chains=1,
        cores=1,
        random_seed=1,
        target_accept=None,
        max_treedepth=10,
        progressbar=False,
    )

    def courses(family: be.OrdinalProbit) -> list[tuple[float, int, str, int]]:
        declaration = family.declare(small_study.judgements)
        found = [_course.course_for(settings, declaration, x) for x in (0.8, 1.1, 1.4, 1.7, None)]
        return [
            (each.target_accept, each.tune, each.integrator, each.extra_doublings) for each in found
        ]

    exact, leapfrog = "exact for a normal", "leapfrog"
    assert courses(be.OrdinalProbit()) == [
        (0.985, 1000, leapfrog, 1),
        (0.97, 1000, leapfrog, 0),
        (0.95, 500, exact, 0),
        (0.95, 500, exact, 0),
        (0.97, 1000, leapfrog, 0),
    ]
    assert courses(be.OrdinalProbit(thresholds="shifted")) == [
        (0.985, 1000, leapfrog, 1),
        (0.9, 1000, leapfrog, 0),
        (0.95, 500, exact, 0),
        (0.9, 500, exact, 0),
        (0.9, 1000, leapfrog, 0),
    ]


def test_a_very_normal_posterior_takes_few_steps() -> None:
    board = simulate_pairwise(
        n_annotators=1, n_systems=110, n_items=1, n_repeats=4, random_seed=1
    ).judgements
    family = be.BradleyTerry(annotators="none", items=False)
    posterior = be.fit(board, family, random_seed=1, progressbar=False)
    assert posterior.settings.target_accept == 0.9
    assert posterior.settings.integrator == "exact for a normal"
    # Leapfrog steps at that acceptance rate are 15 and more.
    assert posterior.data["sample_stats"].to_dataset()["n_steps"].values.mean() < 8


def test_without_exact_steps_there_are_leapfrog_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (_sampling, _nutpie):
        monkeypatch.setattr(module, "has_trajectories", lambda: False)
    study = be.simulate_likert(
        n_annotators=40, n_systems=4, n_items=1, n_categories=5, random_seed=2
    )
    posterior = be.fit(study.judgements, random_seed=1, progressbar=False)
    assert posterior.settings.integrator == "leapfrog"
    assert posterior.settings.sampler == "nutpie, leapfrog steps only"
    assert posterior.convergence.ok


def test_both_integrators_sample_the_same_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    study = be.simulate_likert(
        n_annotators=40, n_systems=4, n_items=1, n_categories=5, random_seed=2
    )
    exact = be.fit(study.judgements, random_seed=1, draws=2000, progressbar=False)
    monkeypatch.setattr(_course, "_STEP_OF_NEARLY_NORMAL", np.inf)
    leapfrog = be.fit(study.judgements, random_seed=1, draws=2000, progressbar=False)
    assert exact.settings.integrator == "exact for a normal"
    assert leapfrog.settings.integrator == "leapfrog"
    names = ["quality", "severity", "thresholds", "quality_sd", "severity_sd", "gap_sd"]
    first, second = exact.posterior[names], leapfrog.posterior[names]
    for moment in ("mean", "sd"):
        one, other = (az.summary(x, kind="all", round_to="none") for x in (first, second))
        errors = (table[f"mcse_{moment}"].to_numpy() for table in (one, other))
        apart = (one[moment] - other[moment]).to_numpy() / np.hypot(*errors)
        # 210 numbers; the largest of so many standard normals is below 4.5 in 99.8 % of cases.
        assert np.abs(apart).max() < 4.5, list(one.index)[int(np.abs(apart).argmax())]
