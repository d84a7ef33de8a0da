"""The model on real ratings: against published fits, and on designs as they come."""

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be

pytestmark = pytest.mark.sampling

# Small steps: a single divergence, which chance may bring on another machine, would be told.
QUIET: dict[str, Any] = {"progressbar": False}


def wine(shared_data: Path, *, moderator: bool) -> be.LikertJudgements:
    table = pd.read_csv(shared_data / "ordinal_wine_soup" / "wine.csv")
    table["wine"] = table["temp"] + ", contact " + table["contact"]
    return be.LikertJudgements.from_frame(
        table,
        annotator="judge",
        system="temp" if moderator else "wine",
        rating="rating",
        moderators=("contact",) if moderator else (),
        scale=(1, 5),
        repeats=True,
    )


def contrast(posterior: be.Posterior, a: str, b: str, name: str = "quality") -> np.ndarray:
    draws = posterior.posterior[name]
    dim = draws.dims[-1]
    return (draws.sel({dim: a}) - draws.sel({dim: b})).values.ravel()


# clmm(rating ~ temp + contact + (1 | judge), link = "probit") of the ordinal package: SOURCE.md.
WARM, CONTACT, JUDGE_VARIANCE = 1.7999, 1.0481, 0.4396
THRESHOLDS = np.array([-0.9263, 0.8894, 2.4673, 3.5364])
JUDGES = np.array([0.960, -0.388, 0.626, -0.015, 0.175, 0.243, -1.102, -0.154, -0.342])


def additive_wine(shared_data: Path, **priors: Any) -> be.Posterior:
    posterior = be.fit(
        wine(shared_data, moderator=True),
        be.OrdinalProbit(
            thresholds="shifted", effects={"deviation_contact": False, "taste": False}, **priors
        ),
        random_seed=1,
        **QUIET,
    )
    assert posterior.convergence.ok, str(posterior.convergence)
    return posterior


def test_wine_agrees_with_the_mixed_model_of_the_ordinal_package(shared_data: Path) -> None:
    """Hold the posterior against maximum likelihood, with weak priors and with the default ones.

    Seventy-two ratings leave the prior a say. With wide half-normals and flat category
    probabilities every figure of the package lies within three quarters of a posterior standard
    deviation. The defaults pull: Dirichlet(2) asks for a few ratings in every category, of which
    cold wine without contact has none at 4 and 5, so thresholds move together and effects with
    them, by 1.3 posterior standard deviations for warm and 1.0 for contact.
    """
    wide = {"quality_sd_scale": 5.0, "severity_sd_scale": 5.0, "effect_sd_scale": 5.0}
    weak = additive_wine(shared_data, category_prior=1.0, **wide)
    default = additive_wine(shared_data)
    pulled = {}
    for posterior, limit in ((weak, 0.75), (default, 1.5)):
        warm = contrast(posterior, "warm", "cold")
        contact = contrast(posterior, "yes", "no", "effect_contact")
        pulled[limit] = (WARM - warm.mean(), CONTACT - contact.mean())
        assert 0.0 < WARM - warm.mean() < limit * warm.std()
        assert 0.0 < CONTACT - contact.mean() < limit * contact.std()
        # A variance has a long upper tail that a maximum does not see; its median is compared.
        log_variance = 2.0 * np.log(posterior.posterior["severity_sd"].values.ravel())
        assert abs(np.median(log_variance) - np.log(JUDGE_VARIANCE)) < 0.5 * log_variance.std()
        # The package's thresholds are those of cold wine without contact.
        draws = posterior.posterior
        shift = draws["quality"].sel(system="cold") + draws["effect_contact"].sel(contact="no")
        thresholds = draws["population_thresholds"] - shift
        error = thresholds.mean(("chain", "draw")).values - THRESHOLDS
        assert (abs(error) < (limit + 0.4) * thresholds.std(("chain", "draw")).values).all()
        # The package's judge effects raise ratings; severity lowers them.
        severities = draws["severity"].mean(("chain", "draw")).values
        assert np.corrcoef(severities, JUDGES)[0, 1] < -0.99
    assert np.less(pulled[0.75], pulled[1.5]).all()


def test_wine_as_four_systems_ranks_warm_with_contact_first(shared_data: Path) -> None:
    posterior = be.fit(wine(shared_data, moderator=False), random_seed=1, **QUIET)
    assert posterior.convergence.ok, str(posterior.convergence)
    assert posterior.declaration.left_out["difficulty"] == "no item column was named"
    ranking = be.rank(posterior).to_frame()
    assert ranking["system"].iloc[0] == "warm, contact yes"
    assert ranking["system"].iloc[-1] == "cold, contact no"
    assert ranking["p_best"].iloc[0] > 0.9


def test_soup_of_many_people_agrees_with_maximum_likelihood(shared_data: Path) -> None:
    """clmm of SOURCE.md: products .5546 .8973 .5146 .7953 .9972 over the reference, variance .1202.

    With 1,847 ratings the prior hardly pulls: everything within half a posterior sd.
    """
    table = pd.read_csv(shared_data / "ordinal_wine_soup" / "soup.csv")
    soup = be.LikertJudgements.from_frame(
        table, annotator="RESP", system="PRODID", rating="SURENESS", scale=(1, 6), repeats=True
    )
    posterior = be.fit(
        soup,
        be.OrdinalProbit(thresholds="shifted", effects={"taste": False}),
        random_seed=1,
        **QUIET,
    )
    assert posterior.convergence.ok, str(posterior.convergence)
    for product, published in zip("23456", (0.5546, 0.8973, 0.5146, 0.7953, 0.9972), strict=True):
        difference = contrast(posterior, product, "1")
        assert abs(difference.mean() - published) < 0.5 * difference.std()
    variance = posterior.posterior["severity_sd"].values.ravel() ** 2
    assert abs(variance.mean() - 0.1202) < 0.5 * variance.std()


def hanna(shared_data: Path) -> be.LikertJudgements:
    wide = pd.read_csv(shared_data / "hanna" / "hanna_scores_cut.csv").set_index("Model")
    slots = wide.filter(regex="^Human").map(ast.literal_eval)
    long = slots.rename_axis("system").reset_index().melt("system", None, "slot", "rating")
    long = long.explode("rating")
    long["criterion"] = long["slot"].str.split().str[2]
    long["story"] = long.groupby(["system", "slot"]).cumcount()
    return be.LikertJudgements.from_frame(
        long.astype({"rating": int}),
        # The three slots are no persons: 22 workers filled them in any order.
        annotator=None,
        system="system",
        item="story",
        criterion="criterion",
        rating="rating",
        scale=(1, 5),
    )


def test_hanna_six_criteria_in_one_run(shared_data: Path) -> None:
    judgements = hanna(shared_data)
    assert judgements.n_judgements == 19_008
    posterior = be.fit(judgements, random_seed=1, **QUIET)
    assert posterior.convergence.divergences == 0
    diagnostics = posterior.convergence.to_frame()
    assert "interaction_sd" in set(diagnostics["quantity"])
    assert diagnostics["r_hat"].max() < 1.01
    assert posterior.convergence.ok, str(posterior.convergence)
    assert posterior.declaration.left_out["annotators"] == (
        "the judgements have no annotator identities"
    )
    ranking = be.rank(posterior).to_frame()
    first = ranking[
        ranking["expected_rank"] == ranking.groupby("criterion")["expected_rank"].transform("min")
    ]
    assert set(first["system"]) == {"Human"}
    # Means of SOURCE.md, from the model's expected rating over the stories that were rated.
    expected = posterior.estimand("expected_rating", population="observed")
    published = {"RE": 4.17, "CH": 4.43, "EM": 3.22, "SU": 3.15, "EG": 3.88, "CX": 3.73}
    for criterion, mean in published.items():
        draws = expected.sel(system="Human", criterion=criterion)
        assert abs(float(draws.mean()) - mean) < 3 * float(draws.std()) + 0.03


def test_rankme_likert_file_puts_sheffield_last_in_informativeness(shared_data: Path) -> None:
    ratings = be.LikertJudgements.read(
        shared_data / "rankme" / "stp2_likert_inf.csv",
        annotator="_worker_id",
        system="team",
        item="mr_id",
        rating="informativeness",
        scale=(1, 6),
        repeats=True,
    )
    # 84 % of the ratings are 6 of 6: of annotators' own gaps between thresholds they tell so little
    # that those mix slowly (R-hat from 1.008 to 1.04 over seeds).
    family = be.OrdinalProbit(thresholds="shifted")
    posterior = be.fit(ratings, family, random_seed=1, **QUIET)
    assert posterior.convergence.ok, str(posterior.convergence)
    ranking = be.rank(posterior).to_frame().set_index("system")
    assert ranking["expected_rank"].idxmax() == "sheffield_v2"
    comparison = be.compare(posterior, [("slug2slug", "sheffield_v2")]).to_frame()
    assert comparison["p_a_better"].iloc[0] > 0.999
