"""Comparisons that others have published: modes against maximum likelihood, and posteriors."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import bayeseval as be
from bayeseval.families._layout import layout
from bayeseval.judgements import PairwiseJudgements
from tests.papers import script

QUIET: dict[str, Any] = {"progressbar": False}
FLAT: dict[str, Any] = {"annotators": "none", "items": False, "position_effect_scale": 100.0}
FLAT |= {"log_tie_scale": 100.0, "tie_threshold_scale": 100.0}


def mode(
    judgements: PairwiseJudgements, family: be.BradleyTerry, *, quality_sd: float
) -> dict[str, Any]:
    """Return the posterior mode given the sd of the qualities: named values, systems by label."""
    declaration = family.declare(judgements)
    cells = family.cells(declaration, judgements)
    density = family.density(declaration, cells)
    assert density is not None
    placed = layout(declaration, declaration.response.parameter_shapes)
    held = placed["quality_sd"].start
    start = family.start(declaration, cells, np.random.default_rng(0))
    start[held] = quality_sd
    start[placed["quality_z"].part if "quality_z" in placed else placed["quality"].part] = 0.0

    logs = [
        placed[scalar.name].start
        for scalar in declaration.response.scalars
        if scalar.prior.kind == "half_normal"
    ]

    def minus(x: np.ndarray) -> tuple[float, np.ndarray]:
        x = x.copy()
        x[held] = quality_sd
        value, gradient = density(x)
        gradient[held] = 0.0
        # The mode in the parameter itself, not in its logarithm.
        gradient[logs] -= 1.0
        return -value + x[logs].sum(), -gradient

    found = minimize(minus, start, jac=True, method="BFGS", options={"gtol": 1e-7})
    x = found.x.copy()
    x[held] = quality_sd
    values = family.constrained(declaration, x)
    z = next(values[name] for name in ("quality_z", "quality") if name in values)[0]
    effect = declaration.effects[0]
    quality = z * quality_sd ** (1.0 - effect.centring)
    return {
        "quality": pd.Series(quality, index=list(judgements.systems)),
        **{scalar.name: float(values[scalar.name][0]) for scalar in declaration.response.scalars},
    }


@pytest.fixture(scope="module")
def baseball(shared_data: Path) -> PairwiseJudgements:
    return PairwiseJudgements.from_counts(
        pd.read_csv(shared_data / "reference_tables" / "baseball.csv"),
        system_a="home.team", system_b="away.team", wins="home.wins", losses="away.wins",
    )  # fmt: skip


@pytest.fixture(scope="module")
def springall(shared_data: Path) -> PairwiseJudgements:
    return PairwiseJudgements.from_counts(
        pd.read_csv(shared_data / "reference_tables" / "springall_ties.csv"),
        system_a="col", system_b="row", wins="win", losses="loss", ties="tie",
    )  # fmt: skip


def test_citations_have_the_published_estimates_at_the_mode(shared_data: Path) -> None:
    matrix = pd.read_csv(shared_data / "reference_tables" / "citations.csv", index_col=0)
    names = list(matrix.columns)
    table = pd.DataFrame(
        [
            (a, b, matrix.loc[a, b], matrix.loc[b, a])
            for i, a in enumerate(names)
            for b in names[i + 1 :]
        ],
        columns=["a", "b", "wins", "losses"],
    )
    citations = PairwiseJudgements.from_counts(
        table, system_a="a", system_b="b", wins="wins", losses="losses"
    )
    family = be.BradleyTerry(position=False, quality_sd_scale=100.0, **FLAT)
    worth = mode(citations, family, quality_sd=100.0)["quality"]
    worth = worth - worth["Biometrika"]
    # A normal prior of sd 100 pulls estimates whose standard error is below 0.11 by 1e-6.
    assert worth["Comm Statist"] == pytest.approx(-2.9491, abs=2e-4)
    assert worth["JASA"] == pytest.approx(-0.4796, abs=2e-4)
    assert worth["JRSS-B"] == pytest.approx(0.2690, abs=2e-4)


def test_baseball_has_the_published_home_effect_at_the_mode(baseball: PairwiseJudgements) -> None:
    names = ["Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto"]
    family = be.BradleyTerry(position=True, quality_sd_scale=100.0, **FLAT)
    found = mode(baseball, family, quality_sd=100.0)
    worth = found["quality"] - found["quality"]["Baltimore"]
    assert worth[names].tolist() == pytest.approx(
        [1.1438, 0.7047, 1.4754, 1.6196, 1.2813, 1.3271], abs=2e-4
    )
    assert found["position_effect"] == pytest.approx(0.3023, abs=2e-4)


def test_baseball_home_effect_in_the_posterior(baseball: PairwiseJudgements) -> None:
    """The default prior, normal(0, 1), pulls .3023 ± .1309 by a fiftieth of it."""
    # Of so many draws a standard deviation errs by one per cent, a sixth of what is allowed.
    family = be.BradleyTerry(position=True)
    posterior = be.fit(baseball, family, draws=5000, random_seed=1, **QUIET)
    assert posterior.convergence.ok, str(posterior.convergence)
    effect = posterior.posterior["position_effect"]
    assert float(effect.mean()) == pytest.approx(0.3023, abs=0.02)
    assert float(effect.std()) == pytest.approx(0.1309, rel=0.06)


@pytest.mark.parametrize(
    ("ties", "worths", "parameter"),
    [
        ("half", (-1.5398, -2.2237, -0.2696, -1.2845, -1.9238, 0.8623, 0.0027, -0.4126), None),
        (
            "davidson",
            (-2.2732, -3.2908, -0.3976, -1.8948, -2.8428, 1.2815, 0.0049, -0.6074),
            0.8655,
        ),
        (
            "rao_kupper",
            (-1.6741, -2.4260, -0.3189, -1.3878, -2.1282, 0.9631, -0.0095, -0.4740),
            0.6971,
        ),
    ],
)
def test_springall_has_the_known_values_at_the_mode(
    springall: PairwiseJudgements, ties: Any, worths: tuple[float, ...], parameter: float | None
) -> None:
    family = be.BradleyTerry(ties=ties, position=False, quality_sd_scale=100.0, **FLAT)
    found = mode(springall, family, quality_sd=100.0)
    worth = found["quality"] - found["quality"]["1"]
    assert worth[list("23456789")].tolist() == pytest.approx(worths, abs=3e-4)
    if ties == "davidson":
        assert np.exp(found["log_tie_propensity"]) == pytest.approx(parameter, abs=2e-4)
    if ties == "rao_kupper":
        assert found["tie_propensity"] == pytest.approx(parameter, abs=2e-4)


def test_rankings_of_wmt16_have_the_known_log_worths(shared_data: Path) -> None:
    """The posterior with ties dropped, each five-way ranking as a cluster, at its SOURCE.md's."""
    frame = pd.read_csv(shared_data / "wmt16_tr_en" / "wmt16.tur-eng.csv")
    difference = frame["system2rank"] - frame["system1rank"]
    frame["outcome"] = np.select([difference > 0, difference < 0], ["a", "b"], "tie")
    judgements = PairwiseJudgements.from_frame(
        frame[difference != 0], annotator="judgeID", system_a="system1Id", system_b="system2Id",
        outcome="outcome", item="segmentId", ranking="rankingID", repeats=True,
    )  # fmt: skip
    family = be.BradleyTerry(annotators="none", items=False)
    posterior = be.fit(judgements, family, random_seed=1, **QUIET)
    assert posterior.convergence.ok, str(posterior.convergence)
    quality = posterior.quality
    means = quality.mean(("chain", "draw")).to_series().sort_values(ascending=False)
    known = [0.802, 0.679, 0.604, 0.255, 0.143, 0.024, -0.687, -0.837, -0.982]
    # With ties dropped some rankings are shorter, and their pairs weigh more.
    assert means.tolist() == pytest.approx(known, abs=0.05)
    alike = be.fit(
        PairwiseJudgements.from_frame(
            frame[difference != 0], annotator=None, system_a="system1Id", system_b="system2Id",
            outcome="outcome", item="segmentId", repeats=True,
        ),
        family,
        random_seed=1,
        **QUIET,
    )  # fmt: skip
    # The prior pulls by less than a tenth of a posterior sd; the order is that of the means.
    alone = alike.quality.mean(("chain", "draw")).to_series()[means.index]
    assert alone.tolist() == pytest.approx(known, abs=0.02)
    # As independent votes the ten pairs of a ranking would say more than they do.
    assert (quality.std(("chain", "draw")) > 1.1 * alike.quality.std(("chain", "draw"))).all()


def test_llmfao_converges_with_annotators(shared_data: Path) -> None:
    judgements = PairwiseJudgements.from_frame(
        pd.read_csv(shared_data / "llmfao" / "llmfao.csv"),
        annotator="worker", system_a="left", system_b="right", outcome="winner",
        outcomes={"left": "a", "right": "b", "tie": "tie"}, repeats=True,
    )  # fmt: skip
    assert "7,316 systems × annotators" in be.BradleyTerry().declare(judgements).left_out["taste"]
    family = be.BradleyTerry(annotators="consistency")
    posterior = be.fit(judgements, family, random_seed=1, **QUIET)
    assert posterior.convergence.divergences == 0
    table = posterior.convergence.to_frame()
    assert table["r_hat"].max() < 1.01
    assert posterior.convergence.ok, str(posterior.convergence)
    assert len(posterior.systems) == 59
    golden = pd.read_csv(shared_data / "llmfao" / "llmfao-golden.csv")
    golden = golden[golden["algorithm"] == "bradley_terry"].set_index("item")["score"]
    means = posterior.quality.mean(("chain", "draw")).to_series()
    assert np.corrcoef(means[golden.index], np.log(golden))[0, 1] > 0.98
    assert means.idxmax() == golden.idxmax() == "GPT 4"
    # 39 % ties, and the model says as much of votes that it draws.
    drawn = posterior.predictive(judgements, draws=50)
    assert float((drawn == 2).mean()) == pytest.approx(3471 / 8931, abs=0.02)


def test_mtbench_people_against_gpt4_as_groups_of_annotators(shared_data: Path) -> None:
    read = script("papers_mtbench").read
    frame = pd.concat(
        [
            read(shared_data, "human").assign(group="human"),
            read(shared_data, "gpt4_pair").assign(group="gpt-4"),
        ]
    )
    judgements = PairwiseJudgements.from_frame(
        frame, annotator="judge", system_a="model_a", system_b="model_b", outcome="winner",
        outcomes={"model_a": "a", "model_b": "b", "tie": "tie", "tie (inconsistent)": "tie"},
        moderators=("group",), repeats=True,
    )  # fmt: skip
    posterior = be.fit(judgements, be.BradleyTerry(annotators="none"), random_seed=1, **QUIET)
    assert posterior.convergence.ok, str(posterior.convergence)
    by_group = posterior.posterior["quality_by_group"].mean(("chain", "draw"))
    spread = by_group.max("system") - by_group.min("system")
    # GPT-4 as a judge sets systems further apart than people do, and itself further ahead.
    assert float(spread.sel(group="gpt-4")) > float(spread.sel(group="human"))
    lead = by_group.sel(system="gpt-4") - by_group.sel(system="claude-v1")
    assert float(lead.sel(group="gpt-4")) > float(lead.sel(group="human"))
    for group in ("human", "gpt-4"):
        ranking = be.rank(posterior, by="group", level=group).to_frame()
        assert ranking["system"].iloc[0] == "gpt-4"
        assert ranking["system"].iloc[-1] == "llama-13b"
