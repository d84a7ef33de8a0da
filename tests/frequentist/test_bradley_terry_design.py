"""Errors that know the design: rankings and annotators; speed that does not depend on votes."""

import contextlib
import time

import numpy as np
import pandas as pd
import pytest

from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist import bradley_terry_ml, quasi_variances
from bayeseval.judgements import PairwiseJudgements, to_counts, to_pairwise
from bayeseval.simulate import simulate_likert, simulate_magnitude, simulate_spa, simulate_strength

WORTH = np.array([-0.6, -0.3, 0.0, 0.1, 0.3, 0.5])


def _rankings(n: int, rng: np.random.Generator) -> PairwiseJudgements:
    """Rank by worth and Gumbel noise: every pair follows Bradley and Terry's model."""
    utility = WORTH + rng.gumbel(size=(n, len(WORTH)))
    ranks = (-utility).argsort(axis=1).argsort(axis=1) + 1
    names = [f"s{i}" for i in range(len(WORTH))]
    return PairwiseJudgements.from_rankings(
        pd.DataFrame(ranks, columns=names),
        annotator=None,
        ranks={name: name for name in names},
        lower_is_better=True,
    )


def _votes(rows: list[tuple[str, str, str, str]]) -> PairwiseJudgements:
    return PairwiseJudgements.from_frame(
        pd.DataFrame(rows, columns=list("wxyo")),
        annotator="w", system_a="x", system_b="y", outcome="o", repeats=True,
    )  # fmt: skip


@pytest.mark.parametrize("n_studies", [30, pytest.param(1000, marks=pytest.mark.calibration)])
def test_intervals_of_rankings_cover(n_studies: int) -> None:
    rng = np.random.default_rng(1)
    covered, ratio = [], []
    truth = WORTH - WORTH.mean()
    for _ in range(n_studies):
        table = bradley_terry_ml(_rankings(40, rng)).table.sort_values("system")
        covered.append((table["lower"] <= truth) & (truth <= table["upper"]))
        ratio.append(table["se"].mean())
    # Coverage was 80 % with errors from the likelihood; systems of one study are not independent.
    share = np.mean(covered)
    assert abs(share - 0.955) < 4 * np.sqrt(0.05 * 0.95 / (2 * n_studies)) + 0.01


def test_rankings_and_annotators_with_many_rows_are_clusters_by_default() -> None:
    rng = np.random.default_rng(2)
    table = _rankings(40, rng)
    fitted = bradley_terry_ml(table)
    assert (fitted.errors, fitted.cluster, fitted.n_clusters) == ("sandwich", "ranking", 40)
    assert "clustered by ranking (40)" in " ".join(repr(fitted).split())
    plain = bradley_terry_ml(table, errors="model")
    assert (fitted.table["se"].mean() / plain.table["se"].mean()) > 1.3
    # Rankings of one annotator belong together.
    rows = [(f"w{w}", *pair, o) for w in range(8) for pair in (("A", "B"), ("B", "C"), ("C", "A"))
            for o in rng.choice(["a", "b"], 3)]  # fmt: skip
    assert bradley_terry_ml(_votes(rows)).cluster == "annotator"
    # One vote each: nothing is known to depend on anything.
    once = [(f"w{i}", *row[1:]) for i, row in enumerate(rows)]
    assert (bradley_terry_ml(_votes(once)).errors, bradley_terry_ml(_votes(once)).cluster) == (
        "model", None,
    )  # fmt: skip
    few = [(f"w{i % 3}", *row[1:]) for i, row in enumerate(rows)]
    text = " ".join(repr(bradley_terry_ml(_votes(few))).split())
    assert "3 annotators are too few for errors that allow for it" in text


def test_scores_that_cancel_leave_no_error_and_say_so() -> None:
    rows = [(f"w{w}", x, y, "a") for w in range(6) for x, y in ("AB", "BA")]
    fitted = bradley_terry_ml(_votes(rows))
    assert (fitted.errors, fitted.n_clusters) == ("model", None)
    assert fitted.table["se"].gt(0).all()
    assert "scores of each annotator cancel" in " ".join(repr(fitted).split())
    with pytest.raises(DesignError, match="use errors='model'"):
        bradley_terry_ml(_votes(rows), errors="sandwich", cluster="annotator")


def test_three_votes_have_robust_errors_or_a_refusal_in_words() -> None:
    rng = np.random.default_rng(3)
    for _ in range(25):
        pairs = [rng.choice(list("ABC"), 2, replace=False) for _ in range(3)]
        who = ["w0", *(f"w{k}" for k in rng.integers(1, 4, size=2))]
        outcomes = rng.choice(["a", "b", "tie"], 3)
        rows = [(w, x, y, o) for w, (x, y), o in zip(who, pairs, outcomes, strict=True)]
        for cluster in (None, "annotator"):
            # Any other kind of error fails the test.
            with contextlib.suppress(DesignError):
                fitted = bradley_terry_ml(_votes(rows), errors="sandwich", cluster=cluster)
                assert np.isfinite(fitted.table[["log_worth", "se"]]).all(axis=None)
                assert (fitted.contrasts().table["se"] > 0).all()


def test_a_million_votes_are_counted_first() -> None:
    rng = np.random.default_rng(4)
    n, size = 1_000_000, 20
    worth = rng.normal(0, 0.7, size)
    a = rng.integers(0, size, n)
    b = (a + rng.integers(1, size, n)) % size
    names = np.array([f"s{i:02}" for i in range(size)])
    outcome = np.where(rng.random(n) < 1 / (1 + np.exp(worth[b] - worth[a])), "a", "b")
    frame = pd.DataFrame({"x": names[a], "y": names[b], "o": outcome})
    table = PairwiseJudgements.from_frame(
        frame, annotator=None, system_a="x", system_b="y", outcome="o", repeats=True
    )
    start = time.process_time()
    fitted = bradley_terry_ml(table)
    # A tenth of a second; 44 s when every vote was a row of Newton's method.
    assert time.process_time() - start < 3
    found = fitted.log_worth[names].to_numpy()
    np.testing.assert_allclose(found, worth - worth.mean(), atol=0.05)
    counted = bradley_terry_ml(to_counts(table))
    np.testing.assert_allclose(counted.log_worth[names], found, atol=1e-9)
    assert fitted.n_judgements == counted.n_judgements == n


def test_a_hundred_and_twenty_systems_are_fitted_without_a_design_matrix() -> None:
    rng = np.random.default_rng(5)
    n = 120
    a = np.repeat(np.arange(n), 20)
    b = (a + np.tile(np.arange(1, 21), n)) % n
    frame = pd.DataFrame({"x": [f"s{i:03}" for i in a], "y": [f"s{i:03}" for i in b],
                          "o": rng.choice(["a", "b", "tie"], len(a))})  # fmt: skip
    table = PairwiseJudgements.from_frame(
        frame, annotator=None, system_a="x", system_b="y", outcome="o"
    )
    fitted = bradley_terry_ml(table)
    contrasts = fitted.contrasts().table
    assert len(contrasts) == n * (n - 1) // 2
    error = np.sqrt(fitted.table["quasi_variance"].to_numpy())
    assert fitted.quasi_error < 0.1
    known = np.hypot(error[0], error[1])
    assert contrasts["se"][0] == pytest.approx(known, rel=fitted.quasi_error + 1e-9)
    np.testing.assert_allclose(fitted.covariance.sum(axis=1), 0, atol=1e-9)
    assert quasi_variances(fitted.covariance.to_numpy())[1] == pytest.approx(fitted.quasi_error)


@pytest.mark.parametrize(
    "simulate", [simulate_spa, simulate_strength, simulate_magnitude, simulate_likert]
)
def test_counts_are_of_outcomes(simulate) -> None:  # type: ignore[no-untyped-def]
    table = simulate(n_annotators=4, n_systems=3, random_seed=1).judgements
    with pytest.raises(JudgementError, match="to_counts counts outcomes"):
        to_counts(table)
    assert to_counts(to_pairwise(table)).n_judgements > 0
