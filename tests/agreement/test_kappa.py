"""Cohen's and Fleiss' kappa against PandaLM, scikit-learn, Fleiss' formula; their edges."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from bayeseval.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha
from bayeseval.errors import DesignError
from bayeseval.judgements import PairwiseJudgements
from tests.agreement.tables import ratings, without_identities


@pytest.fixture(scope="module")
def pandalm(shared_data: Path) -> PairwiseJudgements:
    path = shared_data / "pandalm" / "testset-v1.notext.json"
    frame = pd.DataFrame(json.loads(path.read_text(encoding="utf-8")))
    frame[["first", "second"]] = frame["cmp_key"].str.split("_", expand=True)
    return PairwiseJudgements.from_wide(
        frame, annotator=None, system_a="first", system_b="second",
        answers=["annotator1", "annotator2", "annotator3"], columns_are="annotator",
        outcomes={1: "a", 2: "b", 0: "tie"}, item="idx",
    )  # fmt: skip


def test_pandalm_has_the_published_kappas(pandalm: PairwiseJudgements) -> None:
    table = cohen_kappa(pandalm).table
    assert table["kappa"].round(3).tolist() == [0.852, 0.879, 0.862]
    assert (table["n_units"] == 999).all()
    nominal = krippendorff_alpha(pandalm, n_resamples=0).table["alpha"][0]
    assert nominal == pytest.approx(0.864, abs=5e-4)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_of_two_equals_scikit_learns_also_with_an_unused_category(weights: object) -> None:
    rng = np.random.default_rng(1)
    one = rng.choice([1, 2, 4, 5], size=60)
    two = np.where(rng.random(60) < 0.5, one, rng.choice([1, 2, 4, 5], size=60))
    row = cohen_kappa(ratings([one, two], scale=(1, 5)), weights=weights).table.iloc[0]  # type: ignore[arg-type]
    known = cohen_kappa_score(one, two, labels=[1, 2, 3, 4, 5], weights=weights)
    assert row["kappa"] == pytest.approx(known)
    assert row["agreement"] == pytest.approx((one == two).mean())
    assert row["lower"] < row["kappa"] < row["upper"]


def test_two_who_say_one_thing_have_no_kappa() -> None:
    row = cohen_kappa(ratings([[2, 2, 2], [2, 2, 2]])).table.iloc[0]
    assert math.isnan(row["kappa"])
    assert row["agreement"] == 1.0
    assert "not defined" in row["note"]


def test_annotators_without_common_units_are_refused_in_words() -> None:
    with pytest.raises(DesignError, match="no two annotators judged 2 units in common"):
        cohen_kappa(ratings([[1, 2, np.nan], [np.nan, 2, 3]]))
    with pytest.raises(DesignError, match="identities"):
        cohen_kappa(without_identities(ratings([[1, 2], [1, 2]])))


def test_fleiss_kappa_of_his_formula() -> None:
    matrix = np.array([[1, 2, 3, 3], [1, 2, 3, 1], [1, 3, 3, 2]])
    row = fleiss_kappa(ratings(matrix, scale=(1, 3))).table.iloc[0]
    counts = np.array([[3, 0, 0], [0, 2, 1], [0, 0, 3], [1, 1, 1]])
    agreement = np.mean([1, 1 / 3, 1, 0])
    chance = ((counts.sum(axis=0) / 12) ** 2).sum()
    assert row["agreement"] == pytest.approx(agreement)
    assert row["chance"] == pytest.approx(chance)
    assert row["kappa"] == pytest.approx((agreement - chance) / (1 - chance))


def test_fleiss_kappa_is_near_alpha_for_many_units(pandalm: PairwiseJudgements) -> None:
    kappa = fleiss_kappa(pandalm).table["kappa"][0]
    alpha = krippendorff_alpha(pandalm, n_resamples=0).table["alpha"][0]
    # alpha = kappa + (1 − kappa) / (n of answers).
    assert alpha == pytest.approx(kappa + (1 - kappa) / (3 * 999))


def test_unequal_numbers_are_refused_in_words() -> None:
    with pytest.raises(DesignError, match="1 units 1×, 2 units 2×"):
        fleiss_kappa(ratings([[1, 2, 3], [1, 2, np.nan]]))


def test_one_category_has_no_fleiss_kappa() -> None:
    row = fleiss_kappa(ratings([[2, 2], [2, 2]])).table.iloc[0]
    assert math.isnan(row["kappa"])
    assert "not defined" in row["note"]


def test_one_person_who_always_says_the_same_gives_no_warning() -> None:
    # The variance of kappa under chance is 0 / 0 here; pytest turns a warning into a failure.
    row = cohen_kappa(ratings([[1, 1, 1], [1, 2, 1]])).table.iloc[0]
    assert row["kappa"] == pytest.approx(0)
