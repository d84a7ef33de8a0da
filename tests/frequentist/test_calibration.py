"""Tests of differences over simulated tables: share of p < .05, ranges; strengths."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.agreement import kendalls_w
from bayeseval.errors import BayesEvalError
from bayeseval.frequentist import (
    anova,
    friedman,
    mixed_model,
    rating_tests,
    strength_test,
    tukey,
)
from tests import tables

ASKED: dict[str, tuple[Callable[[Any], Any], str, Callable[..., Any]]] = {
    "paired t": (lambda j: rating_tests(j, pair_by="annotator"), "p", tables.likert),
    "repeated measures": (lambda j: anova(j, within="annotator"), "p", tables.likert),
    "friedman": (friedman, "p", tables.likert),
    "mixed model": (mixed_model, "p", tables.likert),
    "strength": (strength_test, "p", tables.strength),
    "strengths within": (lambda j: anova(j, within="annotator"), "p", tables.strength),
}


def _share(name: str, n_tables: int) -> float:
    ask, column, make = ASKED[name]
    shapes = ("complete",) if name in ("friedman", "paired t") else ("complete", "ragged")
    found = [
        float(ask(make(shapes[seed % len(shapes)], seed)).table[column].iloc[0])
        for seed in range(n_tables)
    ]
    assert np.isfinite(found).all()
    return float((np.array(found) < 0.05).mean())


@pytest.mark.parametrize("name", ASKED)
def test_noise_is_seldom_taken_for_a_difference(name: str) -> None:
    assert _share(name, 12) <= stats.binom.ppf(0.99999, 12, 0.05) / 12


@pytest.mark.calibration
@pytest.mark.parametrize("name", ASKED)
def test_one_null_table_in_twenty_is_rejected(name: str) -> None:
    low, high = stats.binom.ppf([0.001, 0.999], 300, 0.05) / 300
    assert low <= _share(name, 300) <= high


@pytest.mark.parametrize("shape", tables.SHAPES)
@pytest.mark.parametrize("ask", [rating_tests, mixed_model, tukey])
def test_intervals_are_in_order_or_missing_with_p(shape: Any, ask: Callable[[Any], Any]) -> None:
    try:
        table = ask(tables.likert(shape, 1)).table
    except BayesEvalError:
        return  # A refusal in words is an answer.
    p = table["p" if "p" in table else "p_corrected"]
    assert (table["lower"].isna() == p.isna()).all()
    assert ((table["lower"] <= table["upper"]) | p.isna()).all()
    assert (p.between(0, 1) | p.isna()).all()


def test_strengths_count_for_both_systems() -> None:
    judgements = tables.strength("complete", 3, effect=1.0)
    values, names = judgements.as_numbers(), np.array(judgements.systems)
    sides = [names[judgements.codes(side)] for side in ("system_a", "system_b")]
    long = pd.DataFrame({"system": np.concatenate(sides), "y": np.concatenate([values, -values])})
    groups = [group["y"].to_numpy() for _, group in long.groupby("system")]
    known: Any = stats.f_oneway(*groups)
    row = anova(judgements).table.iloc[0]
    assert (row["F"], row["p"]) == pytest.approx((known.statistic, known.pvalue))
    assert (row["df1"], row["df2"]) == (2, 2 * len(values) - 3)
    theirs = stats.tukey_hsd(*groups)
    np.testing.assert_allclose(
        tukey(judgements).table["p_corrected"], theirs.pvalue[np.triu_indices(3, 1)], atol=1e-6
    )
    long["who"] = np.tile(judgements.codes("annotator"), 2)
    cells = long.pivot_table(index="who", columns="system", values="y").to_numpy()
    ranked: Any = stats.friedmanchisquare(*cells.T)
    assert friedman(judgements).table["chi2"][0] == pytest.approx(ranked.statistic)
    assert kendalls_w(judgements).table["W"][0] == pytest.approx(ranked.statistic / (12 * 2))
    assert kendalls_w(judgements, within=True).table["W"].between(0, 1).all()
