"""fit(): the sampler's draws, the posterior contract, what is kept and what is interrupted."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.inference import Posterior, _nutpie, _sampling
from bayeseval.simulate import SimulatedLikert
from tests.inference.short import QUICK, QUIET, SHORT, frame, likert

pytestmark = pytest.mark.sampling


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


def test_numpyro_samples_the_same_posterior(small_study: SimulatedLikert) -> None:
    pytest.importorskip("numpyro", reason="numpyro is in the group peers")
    here = be.fit(small_study.judgements, random_seed=1, **QUIET)
    there = be.fit(small_study.judgements, backend="numpyro", random_seed=1, **QUIET)
    assert there.convergence.ok, str(there.convergence)
    difference = here.quality.mean(("chain", "draw")) - there.quality.mean(("chain", "draw"))
    # Four standard errors of a mean with some 1,000 effective draws each.
    assert float(abs(difference).max()) < 4 * float(here.quality.std()) * np.sqrt(2 / 1000)
