"""What does not vary, or was resampled from one unit, has no interval, and a sentence says why."""

import numpy as np
import pandas as pd

from bayeseval.agreement import cohen_kappa, kendalls_w, krippendorff_alpha
from bayeseval.frequentist import (
    bootstrap_ranking,
    rating_means,
    spa_test,
    strength_test,
    tukey,
    win_rates,
)
from bayeseval.judgements import LikertJudgements, SPAJudgements, StrengthJudgements
from tests.agreement.tables import ratings as one_system
from tests.frequentist.tables import counts, ratings


def _said(record: object) -> str:
    return " ".join(repr(record).split())


def test_alpha_of_one_unit_or_of_agreement_throughout_has_no_interval() -> None:
    alone = krippendorff_alpha(one_system([[4], [2], [5]]), random_seed=1)
    assert alone.table[["lower", "upper"]].isna().all(axis=None)
    assert "one unit alone" in _said(alone)
    agreed = krippendorff_alpha(one_system([[1, 5, 3], [1, 5, 3]]), random_seed=1)
    assert agreed.table["alpha"].tolist() == [1.0]
    assert agreed.table[["lower", "upper"]].isna().all(axis=None)
    assert "the 3 units do not vary" in _said(agreed)


def test_kappa_of_full_agreement_has_no_interval() -> None:
    agreed = cohen_kappa(one_system([[1, 5, 3], [1, 5, 3]]))
    assert agreed.table["kappa"].tolist() == [1.0]
    assert agreed.table[["lower", "upper"]].isna().all(axis=None)
    assert "do not vary" in _said(agreed)
    alone = cohen_kappa(one_system([[1], [2]]), min_units=1)
    assert alone.table[["lower", "upper"]].isna().all(axis=None)
    assert "one unit alone" in _said(alone)


def test_means_of_equal_answers_have_no_interval() -> None:
    table = rating_means(ratings([[4, 1], [4, 2], [4, 5]]))
    assert table.table["lower"].isna().tolist() == [True, False]
    assert "the 3 answers do not vary" in _said(table)
    assert "one answer alone" in _said(rating_means(ratings([[4, 1]])))


def test_a_system_rated_once_has_no_rank_and_no_cluster_of_its_own() -> None:
    cells = np.full((12, 3), np.nan)
    rng = np.random.default_rng(1)
    cells[:, :2] = rng.integers(20, 60, size=(12, 2))
    cells[3, 2] = 99
    result = bootstrap_ranking(ratings(cells), n_resamples=400, random_seed=1)
    row = result.table[result.table["system"] == "C"]
    assert row["position"].tolist() == [1]
    assert row[["lower", "upper", "rank_lower", "rank_upper"]].isna().all(axis=None)
    pairs = result.pairs
    assert pairs.loc[pairs["system_a"] == "C", ["lower", "p_a_better", "p"]].isna().all(axis=None)
    assert result.table["cluster"].tolist() == [1, 1, 1]
    assert "Judged on one annotator alone: 'C'" in _said(result)


def test_scores_that_no_resample_changes_have_no_interval() -> None:
    result = bootstrap_ranking(ratings([[5, 4], [5, 4], [5, 4]]), n_resamples=50, random_seed=1)
    assert result.table[["lower", "upper"]].isna().all(axis=None)
    assert result.pairs[["lower", "upper"]].isna().all(axis=None)
    assert "no resample changes" in _said(result)


def test_win_rates_that_do_not_vary_say_so() -> None:
    result = win_rates(counts([("A", "B", 5, 0, 0)]))
    assert result.table[["lower", "upper"]].isna().all(axis=None)
    assert "whose comparisons all ended alike" in _said(result)
    assert "ended alike" not in _said(win_rates(counts([("A", "B", 5, 1, 0)])))


def test_no_interval_is_without_width_over_random_tables() -> None:
    rng = np.random.default_rng(2)
    for _ in range(40):
        shape = (int(rng.integers(1, 5)), int(rng.integers(2, 4)))
        cells = rng.integers(1, 4, size=shape).astype(float)
        cells[rng.random(shape) < 0.2] = np.nan
        if np.isfinite(cells).any(axis=0).sum() < 2:
            continue
        tables: list[pd.DataFrame] = [rating_means(ratings(cells)).table]
        if np.isfinite(cells).any(axis=1).sum() > 1 and np.isfinite(cells).any(axis=0).all():
            tables.append(bootstrap_ranking(ratings(cells), n_resamples=60, random_seed=1).table)
        for table in tables:
            shown = table[table["lower"].notna()]
            assert (shown["upper"] > shown["lower"]).all()


def test_where_nothing_varies_a_missing_number_has_its_reason() -> None:
    alike = ratings([[3, 3], [3, 3], [3, 3]])
    assert "W is not defined" in str(kendalls_w(alike))
    assert "do not vary" in str(tukey(alike))


def test_no_interval_leaves_the_scale() -> None:
    """Two ratings 1 and 5, stated probabilities and strengths near an end."""
    people = ["a", "b", "c"]
    frame = pd.DataFrame({"who": people, "x": "A", "y": "B", "p": [0.99, 0.97, 1.0]})
    rated = LikertJudgements.from_frame(
        frame.assign(p=[1, 5, 5]), annotator="who", system="x", rating="p", scale=(1, 5)
    )
    means = rating_means(rated).table.iloc[0]
    assert means["upper"] == 5
    assert means["lower"] == 1
    stated = SPAJudgements.from_frame(
        frame, annotator="who", system_a="x", system_b="y", probability="p", bounds=(0, 1)
    )
    row = spa_test(stated).table.iloc[0]
    assert row["upper"] == 1
    assert 0 < row["lower"] < row["mean"]
    strengths = StrengthJudgements.from_frame(
        frame.assign(p=[3, 3, 2]), annotator="who", system_a="x", system_b="y", strength="p",
        bounds=3, positive="a",
    )  # fmt: skip
    assert strength_test(strengths).table["upper"].iloc[0] == 3
