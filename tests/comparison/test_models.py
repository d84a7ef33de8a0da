"""Models by cross-validation: against ArviZ's own; verdicts, Pareto k, fits in one call."""

from types import SimpleNamespace
from typing import Any

import arviz_stats
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayeseval as be
from bayeseval.errors import BayesEvalError, ModelError
from tests.fakes import FakeConvergence

N_ROWS = 60
QUICK: dict[str, Any] = {"method": "laplace", "random_seed": 1, "progressbar": False}


@pytest.fixture(scope="module")
def votes() -> be.PairwiseJudgements:
    """Votes of which nobody was asked twice, by people who favour what they see first."""
    return be.simulate_pairwise(
        n_annotators=40,
        n_systems=4,
        n_items=1,
        ties="davidson",
        position_effect=1.0,
        random_seed=3,
    ).judgements


def fake(judgements: be.Judgements, log_likelihood: np.ndarray) -> Any:
    """Return a posterior of which only the log likelihood is known, dims (chain, draw, row)."""
    dims = ("chain", "draw", "row")
    values = xr.DataArray(
        log_likelihood,
        dims=dims,
        coords={name: np.arange(log_likelihood.shape[k]) for k, name in enumerate(dims[:2])},
    )
    return SimpleNamespace(
        fingerprint=judgements.fingerprint,
        declaration=SimpleNamespace(response=SimpleNamespace()),
        posterior={"quality": values.isel(row=0, drop=True)},
        convergence=FakeConvergence(),
        approximate=None,
        log_likelihood=lambda table, draws: values.isel(draw=slice(draws)),
    )


@pytest.fixture(scope="module")
def ratings() -> be.LikertJudgements:
    frame = pd.DataFrame(
        {"w": np.arange(N_ROWS), "s": np.arange(N_ROWS) % 2, "r": np.arange(N_ROWS) % 5 + 1}
    ).astype({"w": str, "s": str})
    return be.LikertJudgements.from_frame(
        frame, annotator="w", system="s", rating="r", scale=(1, 5)
    )


def draws(mean: float, spread: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    by_row = mean + spread * rng.normal(size=N_ROWS)
    return by_row + 0.2 * rng.normal(size=(4, 250, N_ROWS))


def test_differences_and_their_errors_are_those_of_arviz(ratings: be.LikertJudgements) -> None:
    values = {"good": draws(-1.0, 0.3, 1), "near": draws(-1.02, 0.3, 2), "bad": draws(-1.6, 0.3, 3)}
    found = be.compare_models({name: fake(ratings, v) for name, v in values.items()}, ratings)
    known = arviz_stats.compare(
        {
            name: arviz_stats.loo(
                xr.DataTree.from_dict(
                    {
                        "/log_likelihood": xr.Dataset({"y": (("chain", "draw", "row"), v)}),
                        "/posterior": xr.Dataset({"q": (("chain", "draw"), v[..., 0])}),
                    }
                ),
                pointwise=True,
                reff=1.0,
            )
            for name, v in values.items()
        },
        method="pseudo-bma",
        round_to="none",
    )
    table = found.to_frame().set_index("model").loc[known.index]
    np.testing.assert_allclose(table["elpd"], known["elpd"].astype(float))
    np.testing.assert_allclose(table["elpd_difference"], known["elpd_diff"].astype(float))
    np.testing.assert_allclose(table["se"], known["se"].astype(float))
    # The error of a difference ArviZ divides by n, that of a sum by n − 1, as is done here.
    scale = np.sqrt(N_ROWS / (N_ROWS - 1))
    np.testing.assert_allclose(table["se_difference"], scale * known["dse"].astype(float))
    assert found.alarms == ()


@pytest.mark.parametrize(
    ("shift", "noise", "verdict"),
    [
        # The difference is 60 shifts; its error is about noise √60.
        (-0.05, 0.0, "not decided"),
        (-0.2, 0.0, "predicts worse"),
        (-0.2, 0.5, "predicts worse"),
        (-0.2, 2.0, "not decided"),
    ],
)
def test_a_difference_is_decided_from_4_and_two_standard_errors_on(
    ratings: be.LikertJudgements, shift: float, noise: float, verdict: str
) -> None:
    good = draws(-1.0, 0.3, 1)
    rng = np.random.default_rng(9)
    rows = rng.normal(size=N_ROWS)
    other = good + shift + noise * (rows - rows.mean()) / rows.std()
    found = be.compare_models({"other": fake(ratings, other), "good": fake(ratings, good)}, ratings)
    table = found.to_frame()
    assert table["model"].tolist() == ["good", "other"]
    assert table["elpd_difference"].tolist() == pytest.approx([0.0, N_ROWS * shift], abs=1e-6)
    assert table["se_difference"][1] == pytest.approx(
        noise * N_ROWS / np.sqrt(N_ROWS - 1), abs=1e-6
    )
    assert table["verdict"].tolist() == ["best", verdict]
    assert verdict in repr(found)


def test_judgements_of_large_pareto_k_are_counted_said_and_decide_nothing(
    ratings: be.LikertJudgements,
) -> None:
    good = draws(-1.0, 0.3, 1)
    wild = good.copy()
    rng = np.random.default_rng(5)
    # Weights 1/p with a tail that has no mean: k is about 1.2.
    wild[..., 7] = 1.2 * np.log(rng.random((4, 250))) - 4.0
    found = be.compare_models({"good": fake(ratings, good), "wild": fake(ratings, wild)}, ratings)
    table = found.to_frame()
    assert table["model"].tolist() == ["good", "wild"]
    assert table["n_unreliable"].tolist() == [0, 1]
    assert table["share_unreliable"].tolist() == pytest.approx([0, 1 / N_ROWS])
    assert table["largest_k"].max() > 0.9
    (alarm,) = found.alarms
    assert alarm.startswith("wild: Pareto k is above 0.67 for 1 judgement (1.7%")
    assert alarm.split(";")[0] in found.to_markdown()
    # Without that judgement nothing is left of the difference, however large it is.
    assert table["elpd_difference"].min() < -4
    assert table["verdict"].tolist() == ["best", "not decided"]


@pytest.mark.sampling
def test_one_call_fits_the_models_and_gives_what_their_posteriors_give(
    votes: be.PairwiseJudgements,
) -> None:
    fields: dict[str, Any] = {"annotators": "none", "items": False}
    models = {
        "davidson": be.BradleyTerry(ties="davidson", **fields),
        "rao_kupper": be.BradleyTerry(ties="rao_kupper", **fields),
        "probit": be.Thurstone(ties="rao_kupper", **fields),
        "no position": be.BradleyTerry(ties="davidson", position=False, **fields),
    }
    found = be.compare_models(votes, models, fit_draws=300, **QUICK)
    assert set(found.posteriors) == set(models)
    again = be.compare_models(found.posteriors, votes)
    pd.testing.assert_frame_equal(found.to_frame(), again.to_frame())
    alone = be.fit(votes, models["probit"], draws=300, **QUICK)
    np.testing.assert_array_equal(alone.quality, found.posteriors["probit"].quality)
    verdicts = found.to_frame().set_index("model")["verdict"]
    assert verdicts["no position"] == "predicts worse"
    assert set(verdicts.drop("no position")) == {"best", "not decided"}
    assert all("Approximate draws" in alarm for alarm in found.alarms)
    named = be.compare_models(
        votes, [models["davidson"], models["rao_kupper"], models["probit"]], fit_draws=300, **QUICK
    )
    assert set(named.to_frame()["model"]) == {
        "BradleyTerry(ties='davidson')",
        "BradleyTerry(ties='rao_kupper')",
        "Thurstone",
    }


def test_what_cannot_be_compared_is_refused_before_it_is_fitted(
    votes: be.PairwiseJudgements, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bayeseval.inference import fitting

    for stage in ("sample_density", "laplace"):
        monkeypatch.setattr(
            fitting, stage, lambda *_, **__: pytest.fail("it would have been fitted")
        )
    with pytest.raises(ModelError, match="'half' counts a tie as half a win"):
        be.compare_models(votes, {"a": be.BradleyTerry(), "half": be.BradleyTerry(ties="half")})
    with pytest.raises(BayesEvalError, match="two of the models are the same: BradleyTerry"):
        be.compare_models(votes, [be.BradleyTerry(), be.BradleyTerry()])
    with pytest.raises(BayesEvalError, match="two of them or more; found 'BradleyTerry'"):
        be.compare_models(votes, [be.BradleyTerry()])
    with pytest.raises(BayesEvalError, match="a list of families such as"):
        be.compare_models(votes, be.BradleyTerry())  # type: ignore[call-overload]
    with pytest.raises(ModelError, match=r"pass Thurstone\(\), an instance"):
        be.compare_models(votes, [be.Thurstone, be.BradleyTerry()])  # type: ignore[list-item]
    with pytest.raises(BayesEvalError, match="'random_seed': posteriors are fitted already"):
        be.compare_models({}, votes, random_seed=1)  # type: ignore[call-overload]
    with pytest.raises(BayesEvalError, match=r"found \(dict, int\)"):
        be.compare_models({}, 3)  # type: ignore[call-overload]
    stated = be.simulate_spa(n_annotators=3, n_systems=3, random_seed=1).judgements
    with pytest.raises(ModelError, match="no likelihood"):
        be.compare_models(
            stated, {"model": be.OrderedBeta(), "weights": be.BayesianBootstrap()}, random_seed=1
        )
