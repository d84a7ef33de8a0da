"""The mixed model at the border and inside: lme4's and lmerTest's numbers, and null tables."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.errors import DesignError
from bayeseval.frequentist import anova, mixed_model
from bayeseval.frequentist.mixed import mixed_effect
from bayeseval.judgements import LikertJudgements
from bayeseval.simulate import simulate_likert
from tests import tables
from tests.frequentist.tables import ratings

# d <- read.csv(...)  # columns y, s (system), a (annotator) of the table; lme4 1.1, lmerTest 3.1
# g <- lme4::lmer(y ~ s + (1|a), d, REML = FALSE); h <- lme4::lmer(y ~ 1 + (1|a), d, REML = FALSE)
# 2 * (logLik(g) - logLik(h)); VarCorr(g); f <- lmerTest::lmer(y ~ 0 + s + (1|a), d)
# contest1D(f, c(1, -1, 0)); contest1D(f, c(1, 0, -1)); contest1D(f, c(0, 1, -1))
# anova(lmer(y ~ s + (1|a), d))
R = {
    "complete": {
        "chi2": 13.92836, "sd_block": 0.747693, "sd_residual": 1.227452,
        "F": 7.22545, "df2": 134.0,
        "estimate": (0.6458333333, -0.2916666667, -0.9375),
        "se": (0.2524154318, 0.2524154318, 0.2524154318),
        "df_t": (134.0, 134.0, 134.0),
        "p": (0.01162029678, 0.2499409054, 0.0002982490134),
    },
    "ragged": {
        "chi2": 8.980542, "sd_block": 9.105747, "sd_residual": 10.68104,
        "F": 4.65615, "df2": 87.24677898,
        "estimate": (4.981854521, 8.083567582, 3.101713061),
        "se": (2.702873368, 2.67785769, 2.741885548),
        "df_t": (87.237299, 87.22976224, 87.27440927),
        "p": (0.06870013949, 0.003328510543, 0.2610557075),
    },
}  # fmt: skip


def _table(name: str) -> LikertJudgements:
    if name == "ragged":
        return tables.likert("ragged", 5, effect=0.6)
    return simulate_likert(
        n_annotators=8, n_systems=3, n_items=6, severity_sd=1.0, random_seed=0
    ).judgements


@pytest.mark.parametrize("name", R)
def test_numbers_are_those_of_lme4_and_lmertest(name: str) -> None:
    ours, theirs = mixed_model(_table(name)).table, R[name]
    for column, value in theirs.items():
        expected = value if isinstance(value, tuple) else (value,) * 3
        tolerance = 1e-4 if column == "p" else 1e-5
        np.testing.assert_allclose(ours[column], expected, rtol=tolerance, err_msg=column)


def test_a_factor_between_annotators_is_tested_as_lmertest_does() -> None:
    # The commands above with s = day; 91 ratings.
    row = anova(tables.likert("ragged", 6, level="annotator"), "day", within="annotator").table
    found = row[["chi2", "F", "df2", "p"]].iloc[0].astype(float)
    np.testing.assert_allclose(found, [0.2860673, 0.24282, 9.808674, 0.63302], rtol=2e-5)


def _null(design: str, sd_annotator: float, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    people, _, systems = np.meshgrid(np.arange(12), np.arange(4), np.arange(3))
    who, system = people.ravel(), systems.ravel()
    if design == "ragged":
        kept = rng.random(len(who)) < 0.7
        who, system = who[kept], system[kept]
    else:
        system = who % 3
    who = np.unique(who, return_inverse=True)[1]
    values = rng.normal(0, sd_annotator, 12)[who] + rng.normal(size=len(who))
    return mixed_effect(values, system, who, what="annotator", factor="system")[0]


def _share(design: str, sd_annotator: float, n_tables: int) -> float:
    rows = pd.DataFrame([_null(design, sd_annotator, seed) for seed in range(n_tables)])
    assert np.isfinite(rows).all(axis=None)
    assert (rows[["chi2", "F", "sd_block"]] >= 0).all(axis=None)
    return float((rows["p"] < 0.05).mean())


@pytest.mark.parametrize("design", ["ragged", "between"])
@pytest.mark.parametrize("sd_annotator", [0.0, 0.8])
def test_noise_is_seldom_taken_for_a_difference(design: str, sd_annotator: float) -> None:
    # The share of a true five per cent exceeds these by chance once in ten thousand times.
    assert _share(design, sd_annotator, 40) <= stats.binom.ppf(0.9999, 40, 0.05) / 40


@pytest.mark.calibration
@pytest.mark.parametrize("design", ["ragged", "between"])
@pytest.mark.parametrize("sd_annotator", [0.0, 0.3, 0.8, 1.5])
def test_one_null_table_in_twenty_is_rejected(design: str, sd_annotator: float) -> None:
    low, high = stats.binom.ppf([0.001, 0.999], 400, 0.05) / 400
    share = _share(design, sd_annotator, 400)
    assert share <= high
    assert share >= low


def test_a_difference_is_found_where_annotators_do_not_differ() -> None:
    cells = np.round(50 + np.random.default_rng(4).normal(0, 5, (20, 3)))
    cells[:, 0] += 12
    cells[3, 1] = np.nan
    row = anova(ratings(cells), within="annotator").table.iloc[0]
    assert row["sd_block"] == 0
    assert row["p"] < 1e-6
    assert row["p_chi2"] < 1e-6


def test_five_ratings_are_tested_with_their_few_degrees_of_freedom() -> None:
    # contest1D(lmer(y ~ 0 + s + (1|a)), c(1, -1)) of lmerTest 3.1.
    row = mixed_model(ratings([[50, 60], [40, 58], [45, np.nan]])).table.iloc[0]
    found = row[["estimate", "se", "df_t", "t", "p", "p_systems"]].astype(float)
    theirs = [-14, 3.2328385, 1.8031226, -4.3305596, 0.059234931, 0.059234931]
    np.testing.assert_allclose(found, theirs, rtol=1e-5)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([[5, 5], [5, 5]], "all answers are the same"),
        ([[1, 2], [4, 5], [7, 8]], "leave nothing within"),
        ([[1, np.nan], [np.nan, 2], [3, np.nan]], "leave nothing within"),
    ],
)
def test_what_tells_annotators_from_nothing_is_refused(cells: list, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        mixed_model(ratings(cells))


def test_systems_with_one_annotator_each_cannot_be_told_from_them() -> None:
    frame = pd.DataFrame({"who": list("ppppqqqq"), "what": list("AAAABBBB"), "score": range(1, 9)})
    table = LikertJudgements.from_frame(
        frame.assign(item=list("ijklijkl")),
        annotator="who", item="item", system="what", rating="score", scale=(1, 9),
    )  # fmt: skip
    with pytest.raises(DesignError, match="by one annotator of its own"):
        mixed_model(table)
