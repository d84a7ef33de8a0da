"""Comparisons of one ranking or annotator depend on one another, and one order may prevail."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from bayeseval.agreement import kendalls_w
from bayeseval.frequentist import anova, spa_test, strength_test, tukey, win_rates
from bayeseval.judgements import PairwiseJudgements, SPAJudgements, StrengthJudgements
from bayeseval.simulate import simulate_strength
from tests.frequentist.tables import counts

LETTERS = "ABCDEF"


def _ranks(rng: np.random.Generator, n: int) -> np.ndarray:
    utilities = np.linspace(0.8, -0.8, 6) + rng.gumbel(size=(n, 6))
    return (-utilities).argsort(axis=1).argsort(axis=1) + 1


def _rankings(rng: np.random.Generator, n: int) -> PairwiseJudgements:
    frame = pd.DataFrame(_ranks(rng, n), columns=list(LETTERS))
    return PairwiseJudgements.from_rankings(
        frame, annotator=None, ranks={s: s for s in LETTERS}, lower_is_better=True
    )


def test_win_rates_of_rankings_hold_the_truth() -> None:
    rng = np.random.default_rng(1)
    # Of 40 rankings, each of which gives a system the share of the others that it is ahead of.
    shares = pd.DataFrame((6 - _ranks(rng, 20_000)) / 5, columns=list(LETTERS))
    tables = [win_rates(_rankings(rng, 40)).table.set_index("system") for _ in range(40)]
    for system in "AF":
        truth, error = shares[system].mean(), shares[system].std() / np.sqrt(40)
        found = np.array([table.loc[system, ["se", "lower", "upper"]] for table in tables])
        assert found[:, 0].mean() == pytest.approx(error, rel=0.05)
        # Of 40 intervals that hold the truth with probability .95, 34 and more do but for 1 in 70.
        assert ((found[:, 1] <= truth) & (truth <= found[:, 2])).sum() >= 34


def test_the_error_of_a_win_rate_is_that_of_the_annotators_means() -> None:
    rng = np.random.default_rng(2)
    share = rng.uniform(0.2, 0.9, 8)
    frame = pd.DataFrame(
        [(f"w{w}", "A", "B", "a" if rng.random() < p else "b") for w, p in enumerate(share)
         for _ in range(10)], columns=["who", "a", "b", "outcome"],
    )  # fmt: skip
    table = PairwiseJudgements.from_frame(
        frame, annotator="who", system_a="a", system_b="b", outcome="outcome", repeats=True
    )
    found = win_rates(table)
    means = (frame["outcome"] == "a").to_numpy().reshape(8, 10).mean(axis=1)
    (error,) = found.table.loc[found.table["system"] == "A", "se"].tolist()
    assert error == pytest.approx(means.std(ddof=1) / np.sqrt(8))
    assert "clustered by annotator" in " ".join(str(found).split())
    # Each annotator once: as if independent.
    alone = win_rates(counts([("A", "B", 3, 0, 1)]))
    assert "as if comparisons were independent" in " ".join(str(alone).split())


def _one_order(sign: float = 1.0) -> StrengthJudgements:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        [(f"w{w}", a, b, sign * np.clip(np.round(rng.normal(0.8, 1.2)), -3, 3)) for w in range(6)
         for a, b in combinations("ABC", 2)], columns=["who", "a", "b", "x"],
    )  # fmt: skip
    return StrengthJudgements.from_frame(
        frame, annotator="who", system_a="a", system_b="b", strength="x", bounds=3, positive="a"
    )


@pytest.mark.parametrize("function", [strength_test, anova, tukey, kendalls_w, win_rates])
def test_statistics_of_strengths_say_that_one_order_prevails(function: object) -> None:
    assert "ORDER OF PRESENTATION IS NOT BALANCED" in str(function(_one_order()))  # type: ignore[operator]


def test_stated_probabilities_asked_one_way_say_so() -> None:
    frame = pd.DataFrame({"who": list("uvw"), "a": "A", "b": "B", "p": [0.6, 0.7, 0.9]})
    table = SPAJudgements.from_frame(
        frame, annotator="who", system_a="a", system_b="b", probability="p", bounds=(0, 1)
    )
    assert "ORDER OF PRESENTATION IS NOT BALANCED" in str(spa_test(table))
    both = pd.concat([frame, frame.rename(columns={"a": "b", "b": "a"}).assign(p=0.3)])
    table = SPAJudgements.from_frame(
        both, annotator="who", system_a="a", system_b="b", probability="p", bounds=(0, 1)
    )
    assert "ORDER OF PRESENTATION" not in str(spa_test(table))


def test_an_annotators_rounds_of_strengths_are_rankings() -> None:
    """Noise far below the differences: every round of all pairs ranks alike, whatever the order."""
    table = simulate_strength(
        n_annotators=3, n_systems=4, n_items=5, n_repeats=2, quality_sd=30.0, random_seed=1
    ).judgements
    within = kendalls_w(table, within=True).table
    assert min(within["W"].tolist()) > 0.9
    assert (within["n_rankings"].dropna() == 10).all()
