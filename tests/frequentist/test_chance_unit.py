"""What a test pairs and a bootstrap resamples by: one rule, right at every share of annotators."""

import numpy as np
import pandas as pd
import pytest

from bayeseval.frequentist import bootstrap_ranking, rating_tests
from bayeseval.judgements import LikertJudgements

SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def study(
    share: float, rng: np.random.Generator, *, n: int = 10, items: int = 8, severity: float = 1.0
) -> LikertJudgements:
    """Two systems of the same quality, n annotators each, of whom a share judged both."""
    both = round(share * n)
    difficulty = rng.normal(0, 0.5, items)
    rows = []
    for person in range(2 * n - both):
        own = rng.normal(0, severity)
        systems = [name for name, there in (("A", person < n), ("B", person >= n - both)) if there]
        for system in systems:
            rated = np.clip(
                np.round(50 + 10 * (own + difficulty + rng.normal(0, 1, items))), 0, 100
            )
            rows += [(f"p{person}", f"i{k}", system, int(r)) for k, r in enumerate(rated)]
    frame = pd.DataFrame(rows, columns=["w", "i", "s", "r"])
    return LikertJudgements.from_frame(
        frame, annotator="w", item="i", system="s", rating="r", scale=(0, 100)
    )


def units(table: LikertJudgements) -> tuple[str, str]:
    """What the test and what the bootstrap rest on."""
    test = rating_tests(table).table["test"][0]
    chosen = bootstrap_ranking(table, n_resamples=20, random_seed=1).resample
    # A plain test of ratings is that of units with one rating each.
    return (chosen if test == "Welch t" else test.rsplit(" ", 1)[1]), chosen


@pytest.mark.parametrize("share", SHARES)
def test_annotators_stand_for_chance_unless_the_same_ones_judged_both(share: float) -> None:
    table = study(share, np.random.default_rng(0))
    wanted = "item" if share == 1 else "annotator"
    assert units(table) == (wanted, wanted)
    test = rating_tests(table).table["test"][0]
    assert test.startswith("paired" if share >= 0.5 else "Welch")


def test_both_functions_name_one_unit_on_many_designs() -> None:
    rng = np.random.default_rng(1)
    found = set()
    for _ in range(60):
        people, items, rows = rng.integers(1, 7), rng.integers(1, 7), int(rng.integers(4, 40))
        frame = pd.DataFrame(
            {
                "w": rng.integers(0, people, rows),
                "i": rng.integers(0, items, rows),
                "s": rng.integers(0, 2, rows),
                "r": rng.integers(1, 6, rows),
            }
        ).drop_duplicates(["w", "i", "s"])
        if frame["s"].nunique() < 2:
            continue
        table = LikertJudgements.from_frame(
            frame, annotator="w", item="i", system="s", rating="r", scale=(1, 5)
        )
        tested, drawn = units(table)
        assert tested == drawn
        found.add(drawn)
    assert found >= {"item", "annotator"}


def test_criteria_are_no_repeats() -> None:
    # Everybody rates one output, on two criteria: what an item differs by is all there is.
    rows = [
        (f"p{2 * k + s}", f"i{k}", "AB"[s], criterion, (k + s) % 5 + 1)
        for k in range(6)
        for s in range(2)
        for criterion in ("fluent", "adequate")
    ]
    table = LikertJudgements.from_frame(
        pd.DataFrame(rows, columns=["w", "i", "s", "c", "r"]),
        annotator="w", item="i", system="s", criterion="c", rating="r", scale=(1, 5),
    )  # fmt: skip
    assert units(table) == ("item", "item")


@pytest.mark.calibration
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("severity", [0.3, 1.0])
def test_equal_systems_differ_in_five_percent_of_tables(share: float, severity: float) -> None:
    rng = np.random.default_rng(7)
    n = 300
    tables = [study(share, rng, severity=severity) for _ in range(n)]
    low = np.mean([rating_tests(table).table["p"][0] < 0.05 for table in tables])
    # Welch's test does not know what the few shared annotators have in common.
    assert low < 0.05 + 3 * np.sqrt(0.05 * 0.95 / n)
    if share >= 0.5 or share == 0:
        assert low > 0.05 - 3 * np.sqrt(0.05 * 0.95 / n)
    intervals = [
        bootstrap_ranking(table, n_resamples=300, random_seed=1).pairs.iloc[0] for table in tables
    ]
    held = np.mean([row["lower"] <= 0 <= row["upper"] for row in intervals])
    assert 0.90 < held < 0.985
