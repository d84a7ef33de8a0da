"""Sources of variation: against statsmodels, printed studies, and repeats by hand."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayeseval as be
from bayeseval.comparison import variation
from tests.comparison.measured import DIMS, by_source, posterior_of, ratings, strengths


@pytest.fixture(scope="module")
def rated() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    who, what, item = (codes.ravel() for codes in np.indices((6, 4, 5)))
    latent = 4 + 0.7 * what + rng.normal(0, 0.8, 6)[who] + rng.normal(0, 1.0, len(who))
    # Unequal numbers by system, for Kramer's half of Tukey's test.
    return pd.DataFrame(
        {
            "who": who,
            "what": np.array(list("ABCD"))[what],
            "item": item,
            "score": np.clip(np.round(latent), 1, 7).astype(int),
        }
    ).iloc[7:]


@pytest.fixture(scope="module")
def compared() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    rows = []
    for trial in range(90):
        a, b = rng.choice(4, 2, replace=False)
        y = float(np.clip(np.round(4 * (a - b) + rng.normal(5, 9), 1), -50, 50))
        rows.append((f"e{trial % 5}", "ABCD"[a], "ABCD"[b], trial, y))
    return pd.DataFrame(rows, columns=["who", "left", "right", "item", "y"])


def test_ratings_have_the_f_of_statsmodels_and_the_count_of_tukey(rated: pd.DataFrame) -> None:
    import statsmodels.formula.api as smf
    from statsmodels.stats.anova import anova_lm
    from statsmodels.stats.multicomp import pairwise_tukeyhsd

    judgements = ratings(rated)
    scalars: dict[str, Any] = {"severity_sd": 0.8, "taste_sd": 0.3}
    found = variation(posterior_of(judgements, "OrdinalProbit", **scalars), judgements)
    table = by_source(found)
    assert table.index.tolist() == [
        "system",
        "item",
        "annotator",
        "system × annotator",
        "residual",
    ]
    for source, column in (("system", "what"), ("item", "item"), ("annotator", "who")):
        theirs: Any = anova_lm(smf.ols(f"score ~ C({column})", rated).fit())
        row = table.loc[source]
        assert row["F"] == pytest.approx(theirs["F"].iloc[0])
        assert row["p"] == pytest.approx(theirs["PR(>F)"].iloc[0])
        assert [row["df1"], row["df2"]] == theirs["df"].tolist()
    assert table.loc[["system × annotator", "residual"], "F"].isna().all()
    tukey: Any = pairwise_tukeyhsd(rated["score"], rated["what"], alpha=0.05)
    assert 0 < found.decided["tukey"][0] < 6
    assert found.decided["tukey"][0] == tukey.reject.sum() == be.tukey(judgements).n_significant


def test_the_level_of_tukey_is_that_of_the_interval(rated: pd.DataFrame) -> None:
    judgements = ratings(rated)
    posterior = posterior_of(judgements, "OrdinalProbit")
    counts = set()
    for prob in (0.5, 0.9, 0.999999):
        found = variation(posterior, judgements, ci_prob=prob)
        assert found.decided["tukey"][0] == be.tukey(judgements, alpha=1 - prob).n_significant
        counts.add(int(found.decided["tukey"][0]))
    assert len(counts) > 1


def test_a_trial_gives_two_answers_about_systems_and_one_about_all_else(
    compared: pd.DataFrame,
) -> None:
    judgements = strengths(compared)
    response = SimpleNamespace(response="student_t", resolution=1.0)
    scalars: dict[str, Any] = {
        "interaction_sd": 0.5,
        "degrees_of_freedom": 8.0,
        "log_spread_mean": 0.0,
    }
    found = variation(
        posterior_of(judgements, "PreferenceStrength", response, **scalars), judgements
    )
    table = by_source(found)
    sides = {
        system: np.concatenate(
            [
                compared.loc[compared["left"] == system, "y"],
                -compared.loc[compared["right"] == system, "y"],
            ]
        )
        for system in "ABCD"
    }
    known: Any = stats.f_oneway(*sides.values())
    assert table.loc["system", ["F", "p"]].tolist() == pytest.approx(list(known))
    # As Belz & Kow print them: 2 · 90 − 4, and 90 − 5.
    assert table.loc["system", ["df1", "df2"]].tolist() == [3, 176]
    assert table.loc["annotator", ["df1", "df2"]].tolist() == [4, 85]
    shown: Any = stats.f_oneway(*(group for _, group in compared.groupby("who")["y"]))
    assert table.loc["annotator", "F"] == pytest.approx(shown.statistic)
    assert np.isnan(table.loc["annotator", "share"])
    # Every trial has an item of its own: there is nothing to compare items with.
    assert np.isnan(table.loc["item", "F"])
    assert "No F of item" in repr(found)
    q = stats.tukey_hsd(*sides.values()).pvalue[np.triu_indices(4, 1)]
    assert found.decided["tukey"][0] == (q < 0.05).sum()


def test_degrees_of_freedom_are_those_that_belz_and_kow_print() -> None:
    """TUNA, PJE: F system (7,6264) and F evaluator (27,3108)."""
    first, second = np.triu_indices(8, 1)
    pair, item = (codes.ravel() for codes in np.indices((28, 112)))
    frame = pd.DataFrame(
        {
            "who": (pair + item) % 28,
            "left": first[pair],
            "right": second[pair],
            "item": item,
            "y": np.random.default_rng(0).uniform(-50, 50, len(pair)),
        }
    )
    judgements = strengths(frame)
    response = SimpleNamespace(response="ordered_beta")
    found = variation(posterior_of(judgements, "PreferenceStrength", response), judgements)
    table = by_source(found)
    assert table.loc["system", ["df1", "df2"]].tolist() == [7, 6264]
    assert table.loc["annotator", ["df1", "df2"]].tolist() == [27, 3108]
    # A slider has no variance on the scale of quality: that is said, and the rest is there.
    assert table["share"].isna().all()
    assert "No shares: variance_shares needs noise" in repr(found)
    assert "share" not in [column.heading for column in found.tables()[0].columns]
    assert found.decided[["n_pairs"]].to_numpy().tolist() == [[28]]


def test_the_posterior_decides_pairs_whose_interval_is_without_0(rated: pd.DataFrame) -> None:
    judgements = ratings(rated)
    quality = np.array([0.0, 0.05, 1.0, -1.05])
    posterior = posterior_of(judgements, "OrdinalProbit", quality=quality)
    found = variation(posterior, judgements)
    # Differences are ± 0.14: of six pairs, A and B alone are not apart.
    assert found.decided[["posterior", "n_pairs"]].to_numpy().tolist() == [[5, 6]]
    posterior.components = (("A", "B", "C"), ("D",))
    # What the prior says of groups that never met is no decision.
    assert variation(posterior, judgements).decided["posterior"][0] == 2


def test_repeats_by_hand() -> None:
    frame = pd.DataFrame(
        [
            ("x", "A", 1, 2),
            ("x", "A", 1, 4),
            ("x", "B", 1, 6),
            ("x", "B", 1, 6),
            ("y", "A", 1, 1),
            ("y", "A", 1, 2),
            ("y", "A", 1, 4),
            ("y", "B", 1, 5),
            ("z", "B", 1, 7),
        ],
        columns=["who", "what", "item", "score"],
    )
    judgements = ratings(frame, repeats=True)
    found = variation(posterior_of(judgements, "OrdinalProbit"), judgements)
    row: Any = found.consistency.iloc[0]
    # Differences: 2 and 0 of x; 1, 3, 2 of y, whose three answers are three pairs.
    assert row[["n_repeats", "n_annotators"]].tolist() == [4, 2]
    assert row["mean_difference"] == pytest.approx(8 / 5)
    one, other = np.array([2, 6, 1, 1, 2.0]), np.array([4, 6, 2, 4, 4.0])
    both_ways = np.corrcoef([*one, *other], [*other, *one])[0, 1]
    assert row["correlation"] == pytest.approx(both_ways)
    people = found.by_annotator.set_index("annotator")
    assert people["n_repeats"].to_dict() == {"x": 2, "y": 2}
    assert people["mean_difference"].to_dict() == {"x": 1.0, "y": 2.0}
    # Two pairs are always on a line.
    assert people["correlation"].isna()["x"]


def test_a_pair_in_the_other_order_is_a_repeat() -> None:
    frame = pd.DataFrame(
        [
            ("x", "A", "B", 1, 10.0),
            ("x", "B", "A", 1, -14.0),
            ("x", "A", "B", 2, -3.0),
            ("x", "B", "A", 2, 3.0),
            ("x", "A", "C", 1, 20.0),
            ("x", "C", "A", 1, 20.0),
        ],
        columns=["who", "left", "right", "item", "y"],
    )
    judgements = strengths(frame)
    response = SimpleNamespace(response="graded")
    row: Any = variation(
        posterior_of(judgements, "PreferenceStrength", response), judgements
    ).consistency.iloc[0]
    assert row["n_repeats"] == 3
    assert row["mean_difference"] == pytest.approx((4 + 0 + 40) / 3)
    one, other = np.array([10.0, -3, 20]), np.array([14.0, -3, -20])
    ways = np.concatenate([one, other, -one, -other]), np.concatenate([other, one, -other, -one])
    assert row["correlation"] == pytest.approx(np.corrcoef(*ways)[0, 1])


def test_without_repeats_the_model_still_says_how_consistent_answers_are(
    rated: pd.DataFrame,
) -> None:
    judgements = ratings(rated)
    posterior = posterior_of(judgements, "OrdinalProbit", severity_sd=1.0)
    found = variation(posterior, judgements)
    row: Any = found.consistency.iloc[0]
    assert row["n_repeats"] == 0
    assert np.isnan(row["mean_difference"])
    assert "No repeats: no annotator answered the same question twice." in repr(found)
    # Severity and noise have variance 1 each; qualities 1, 1/3, −1/3, −1 have 5/9, and 0.1² · 3/4.
    spread = 5 / 9 + 0.0075
    assert row["model"] == pytest.approx((1 + spread) / (2 + spread), abs=0.005)
    assert row["model_lower"] < row["model"] < row["model_upper"]
    assert found.by_annotator.empty


def test_a_study_with_known_shares_gives_them_back() -> None:
    """Latent variances 1 : 1 : 2 of systems, annotators and noise; everything asked twice."""
    rng = np.random.default_rng(8)
    n_systems, n_annotators, n_items = 4, 40, 20
    quality = np.array([-1.5, -0.5, 0.5, 1.5]) * np.sqrt(1 / 1.25)
    severity = rng.normal(0, 1, n_annotators)
    severity = (severity - severity.mean()) / severity.std()
    who, what, item, _ = (c.ravel() for c in np.indices((n_annotators, n_systems, n_items, 2)))
    latent = quality[what] + severity[who] + rng.normal(0, np.sqrt(2), len(who))
    # Magnitudes are open at both ends: their logs are the latent answers.
    frame = pd.DataFrame({"who": who, "what": what, "item": item, "score": np.exp(latent)})
    judgements = be.MagnitudeJudgements.from_frame(
        frame,
        annotator="who",
        system="what",
        item="item",
        magnitude="score",
        reference=None,
        repeats=True,
    )
    found = variation(posterior_of(judgements, "LogMagnitude"), judgements)
    # Of the variance 4, half is not noise: two answers to one question correlate by that.
    assert found.consistency["correlation"][0] == pytest.approx(0.5, abs=0.03)
    assert found.consistency["n_repeats"][0] == n_annotators * n_systems * n_items
    table = by_source(found)
    # E(MS between) = rest + n · variance of the levels' means, at n answers a level.
    n = len(who) / n_systems
    expected = 1 + n * (4 / 3) / 3
    assert table.loc["system", "F"] == pytest.approx(expected, rel=0.15)
    assert table.loc["item", "p"] > 0.001
    assert "No shares" in repr(found)
    assert "logs of the magnitudes" in repr(found)
    assert "PreferenceStrength" not in repr(found)


def test_censored_magnitudes_are_left_out_and_counted() -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "who": np.repeat(["x", "y", "z"], 8),
            "what": np.tile(["A", "B"], 12),
            "m": np.exp(rng.normal(0, 1, 24)),
        }
    )
    frame.loc[[3, 8], "m"] = 0.0
    judgements = be.MagnitudeJudgements.from_frame(
        frame,
        annotator="who",
        system="what",
        magnitude="m",
        reference=None,
        zeros="censor",
        repeats=True,
    )
    found = variation(posterior_of(judgements, "LogMagnitude"), judgements)
    table = by_source(found)
    assert table.loc["system", "df2"] == 20
    kept = frame[frame["m"] > 0]
    known: Any = stats.f_oneway(*(np.log(group) for _, group in kept.groupby("what")["m"]))
    assert table.loc["system", "F"] == pytest.approx(known.statistic)
    assert "Without 2 censored answers" in repr(found)


def test_answers_that_do_not_vary_have_no_test(rated: pd.DataFrame) -> None:
    judgements = ratings(rated.assign(score=4))
    found = variation(posterior_of(judgements, "OrdinalProbit"), judgements)
    assert found.to_frame()["F"].isna().all()
    assert np.isnan(found.decided["tukey"][0])
    assert "do not vary within the systems" in repr(found)


def test_other_judgements_are_refused(rated: pd.DataFrame, compared: pd.DataFrame) -> None:
    judgements = ratings(rated)
    posterior = posterior_of(judgements, "OrdinalProbit")
    with pytest.raises(be.BayesEvalError, match="pass the judgements that were fitted"):
        variation(posterior, strengths(compared))
    fewer = ratings(rated.iloc[3:])
    assert fewer.systems == judgements.systems
    with pytest.raises(be.BayesEvalError, match=f"other judgements .*{fewer.fingerprint}"):
        variation(posterior, fewer)
    with pytest.raises(be.BayesEvalError, match="needs a posterior"):
        variation(judgements, judgements)  # type: ignore[arg-type]


def test_every_criterion_has_its_own_rows(rated: pd.DataFrame) -> None:
    rng = np.random.default_rng(6)
    other = rated.assign(score=rng.integers(1, 8, len(rated)), criterion="fluency")
    both = pd.concat([rated.assign(criterion="clarity"), other])
    judgements = ratings(both, criterion="criterion")
    posterior = posterior_of(judgements, "OrdinalProbit")
    clear = posterior.quality.values
    posterior.quality = xr.DataArray(
        np.stack([clear, clear / 100], axis=-1),
        dims=(*DIMS, "system", "criterion"),
        coords={"system": list("ABCD"), "criterion": ["clarity", "fluency"]},
        name="quality",
    )
    posterior.data = xr.DataTree.from_dict({"posterior": posterior.quality.to_dataset()})
    posterior.criteria = ("clarity", "fluency")
    found = variation(posterior, judgements)
    for criterion, alone in (("clarity", rated), ("fluency", other)):
        table = found.table[found.table["criterion"] == criterion].set_index("source")
        known: Any = stats.f_oneway(*(group for _, group in alone.groupby("what")["score"]))
        assert table["F"]["system"] == pytest.approx(known.statistic)
        shares = table["share"].dropna()
        assert shares.index.tolist() == ["system", "residual"]
        assert shares.sum() == pytest.approx(1.0)
    assert found.decided["criterion"].tolist() == ["clarity", "fluency"]
    assert found.decided["posterior"].tolist() == [6, 6]
    assert found.decided["tukey"].tolist() == [
        be.tukey(judgements, criterion=name).n_significant for name in ("clarity", "fluency")
    ]
    assert found.consistency["criterion"].tolist() == ["clarity", "fluency"]


def test_stated_probabilities_count_as_strengths_around_one_half(compared: pd.DataFrame) -> None:
    stated = be.SPAJudgements.from_frame(
        compared.assign(p=(compared["y"] + 50) / 100),
        annotator="who",
        system_a="left",
        system_b="right",
        item="item",
        probability="p",
        bounds=(0, 1),
    )
    as_strengths = strengths(compared)
    found, known = (
        variation(posterior_of(judgements, family, SimpleNamespace(response=None)), judgements)
        for judgements, family in ((stated, "OrderedBeta"), (as_strengths, "PreferenceStrength"))
    )
    columns = ["F", "df1", "df2", "p"]
    np.testing.assert_allclose(found.table[columns], known.table[columns], rtol=1e-9)
    assert found.decided.equals(known.decided)
