"""A posterior in ArviZ's groups, and the page that shows what PyMC and ArviZ do with it."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pymc as pm
import pytensor
import pytest
import xarray as xr

from bayeseval import BradleyTerry, ModelError, Posterior, TrueSkill, fit, simulate_pairwise
from bayeseval.judgements import PairwiseJudgements
from bayeseval.judgements._counted import one_a_row

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "pymc_and_arviz.md"
GROUPS = (
    "observed_data",
    "constant_data",
    "log_likelihood",
    "log_prior",
    "posterior_predictive",
    "prior",
    "prior_predictive",
)


@pytest.fixture(scope="module")
def comparisons() -> PairwiseJudgements:
    found = simulate_pairwise(
        n_annotators=4, n_systems=3, n_items=3, ties="davidson", random_seed=1
    )
    return found.judgements


@pytest.fixture(scope="module")
def posterior(comparisons: PairwiseJudgements) -> Posterior:
    return fit(comparisons, BradleyTerry(), draws=500, random_seed=1, progressbar=False)


@pytest.fixture(scope="module")
def tree(posterior: Posterior, comparisons: PairwiseJudgements) -> xr.DataTree:
    return posterior.to_datatree(comparisons, groups=GROUPS, draws=50, random_seed=2)


@pytest.mark.sampling
def test_every_group_has_what_it_should(
    tree: xr.DataTree, posterior: Posterior, comparisons: PairwiseJudgements
) -> None:
    assert set(tree.children) == {"posterior", "sample_stats", *GROUPS}
    n = comparisons.n_judgements
    sizes = {"chain": 4, "draw": 50, "judgement": n}
    assert tree["log_likelihood"]["answer"].sizes == sizes
    assert tree["posterior_predictive"]["answer"].sizes == sizes
    assert tree["prior_predictive"]["answer"].sizes == {"chain": 1, "draw": 50, "judgement": n}
    table = one_a_row(comparisons)
    np.testing.assert_array_equal(tree["observed_data"]["answer"], table.answers)
    assert tree["constant_data"].to_dataset()["system_a"].values.tolist() == [
        table.systems[code] for code in table.codes("system_a")
    ]
    expected = posterior.log_likelihood(table, draws=50).values
    np.testing.assert_array_equal(tree["log_likelihood"]["answer"].values, expected)
    assert set(tree["prior"].data_vars) == set(tree["posterior"].data_vars)
    # Draws of all groups are the same draws.
    at = tree["posterior"].to_dataset()["quality_sd"]
    assert tree["log_prior"]["quality_sd"].sizes == at.sizes
    half_normal = -0.5 * (at / BradleyTerry().quality_sd_scale) ** 2
    log_prior = tree["log_prior"].to_dataset()["quality_sd"]
    assert float((log_prior - half_normal).std()) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.sampling
def test_what_cannot_be_is_refused_in_words(
    posterior: Posterior, comparisons: PairwiseJudgements
) -> None:
    to_datatree: Any = posterior.to_datatree
    rows = np.arange(comparisons.n_rows) > 0
    others = comparisons.keep_rows(rows, rule="all but the first")
    with pytest.raises(ModelError, match="posterior is of other judgements"):
        posterior.to_datatree(others)
    with pytest.raises(ModelError, match="posterior is of other judgements"):
        posterior.model(others)
    with pytest.raises(ModelError, match=r"no group 'loglik'.*'log_likelihood'"):
        to_datatree(comparisons, groups=["loglik"])
    with pytest.raises(ModelError, match=r"such as \['log_likelihood'\]"):
        to_datatree(comparisons, groups="prior")
    drawn = fit(comparisons, TrueSkill(shuffles=4, resamples=0), draws=50, random_seed=1)
    with pytest.raises(ModelError, match=r"TrueSkill draws by itself.*no 'log_prior'"):
        drawn.to_datatree(comparisons, groups=["log_prior"])
    assert set(drawn.to_datatree(comparisons).children) == {"posterior", *GROUPS[:3]}


@pytest.mark.sampling
@pytest.mark.filterwarnings("ignore")
def test_the_code_of_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    # Interpreted: compiling would take minutes, and tests of the density are elsewhere.
    few: Any = partial(
        pm.sample, draws=20, tune=5, chains=2, cores=1, nuts_sampler="pymc", max_treedepth=2
    )
    monkeypatch.setattr(pm, "sample", few)
    mpl.use("agg")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    with pytensor.config.change_flags(mode="FAST_COMPILE", linker="py"):
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), names)
    n = names["ratings"].n_judgements
    for group in ("posterior_predictive", "log_likelihood"):
        assert names["idata"][group]["answer"].sizes == {"chain": 2, "draw": 20, "judgement": n}
    assert list(names["idata"]["posterior"]["quality"].coords["system"].values) == list(
        names["ratings"].systems
    )
