"""How the sampler is run: what a pilot chain chooses, leapfrog steps and exact ones."""

import warnings
from typing import Any

import arviz as az
import numpy as np
import pytest

import bayeseval as be
from bayeseval.inference import _course, _nutpie, _sampling
from bayeseval.simulate import SimulatedLikert, simulate_pairwise

pytestmark = pytest.mark.sampling


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
