"""The six ICCs against Shrout & Fleiss, pingouin, and published crowd studies; their edges."""

import ast
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayeseval.agreement import icc
from bayeseval.errors import DesignError
from bayeseval.judgements import LikertJudgements
from tests.agreement.tables import ratings, without_identities
from tests.papers import script


def test_shrout_and_fleiss_example_has_their_six_values(shared_data: Path) -> None:
    table = pd.read_csv(shared_data / "reference_tables" / "shrout_fleiss_6x4.csv")
    result = icc(ratings(table.drop(columns="target").to_numpy().T)).table
    assert result["form"].tolist() == [
        "ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)",
    ]  # fmt: skip
    assert result["icc"].round(2).tolist() == [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    assert result["icc"].round(4).tolist() == [0.1657, 0.2898, 0.7148, 0.4428, 0.6201, 0.9093]
    assert result["definition"].tolist() == ["agreement", "agreement", "consistency"] * 2


@pytest.mark.parametrize("ci_prob", [0.95])
def test_values_intervals_and_p_equal_pingouins(ci_prob: float) -> None:
    rng = np.random.default_rng(1)
    matrix = np.clip(np.round(5 + rng.normal(0, 2, 30) + rng.normal(0, 1, (4, 30))), 1, 10)
    ours = icc(ratings(matrix), ci_prob=ci_prob).table
    long = pd.DataFrame(matrix).stack().reset_index()
    long.columns = ["who", "target", "y"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pingouin

        theirs = pingouin.intraclass_corr(long, targets="target", raters="who", ratings="y")
    np.testing.assert_allclose(ours["icc"], theirs["ICC"], atol=1e-9)
    np.testing.assert_allclose(ours["F"], theirs["F"], rtol=1e-8)
    np.testing.assert_allclose(ours["p"], theirs["pval"], rtol=1e-6)
    ends = np.stack(theirs["CI95"].to_list())
    np.testing.assert_allclose(ours[["lower", "upper"]], ends, atol=0.0051)


def test_rankme_table_3_is_reproduced(shared_data: Path) -> None:
    found = script("papers_rankme").table3(shared_data)
    known = {
        ("Likert", "naturalness", 1): (0.064, 0.081, 0.082),
        ("Likert", "quality", 1): (0.042, 0.074, 0.076),
        ("Likert", "informativeness", 1): (0.929, 0.930, 0.931),
        ("Likert", "naturalness", 2): (0.118, 0.127, 0.129),
        ("Likert", "quality", 2): (0.412, 0.417, 0.420),
        ("Likert", "informativeness", 2): (0.771, 0.773, 0.778),
        ("Plain ME", "naturalness", 1): (-0.016, -0.018, -0.018),
        ("Plain ME", "quality", 1): (0.210, 0.228, 0.233),
        ("Plain ME", "informativeness", 1): (0.717, 0.719, 0.726),
        ("Plain ME", "naturalness", 2): (0.143, 0.186, 0.195),
        ("Plain ME", "quality", 2): (0.598, 0.600, 0.603),
        ("Plain ME", "informativeness", 2): (0.789, 0.789, 0.789),
        ("RankME", "naturalness", 1): (0.142, 0.142, 0.142),
        ("RankME", "quality", 1): (0.134, 0.146, 0.148),
        ("RankME", "informativeness", 1): (0.722, 0.725, 0.732),
        ("RankME", "naturalness", 2): (0.269, 0.388, 0.464),
        ("RankME", "quality", 2): (0.095, 0.128, 0.133),
        ("RankME", "informativeness", 2): (0.803, 0.807, 0.822),
    }
    keys = list(zip(found["method"], found["rating"], found["setup"], strict=True))
    assert set(keys) == set(known)
    ours = found[["ICC(1,k)", "ICC(2,k)", "ICC(3,k)"]].to_numpy()
    np.testing.assert_allclose(ours, [known[key] for key in keys], atol=0.00061)
    # Printed values that the released rows give in one of the forms, within .05.
    near = np.abs(ours - found["printed"].to_numpy()[:, None]).min(axis=1) <= 0.05
    assert [key for key, is_near in zip(keys, near, strict=True) if not is_near] == [
        ("Plain ME", "informativeness", 1),
        ("Plain ME", "naturalness", 2),
        ("RankME", "quality", 2),
    ]


@pytest.fixture(scope="module")
def hanna(shared_data: Path) -> LikertJudgements:
    frame = pd.read_csv(shared_data / "hanna" / "hanna_scores_cut.csv")
    rows = [
        (row["Model"], item, criterion, rating)
        for _, row in frame.iterrows()
        for slot in (1, 2, 3)
        for criterion in ("RE", "CH", "EM", "SU", "EG", "CX")
        for item, rating in enumerate(ast.literal_eval(str(row[f"Human {slot} {criterion}"])))
    ]
    long = pd.DataFrame(rows, columns=["system", "item", "criterion", "rating"])
    return LikertJudgements.from_frame(
        long, annotator=None, system="system", item="item", criterion="criterion",
        rating="rating", scale=(1, 5),
    )  # fmt: skip


def test_hanna_has_the_authors_icc_of_three_exchangeable_raters(hanna: LikertJudgements) -> None:
    table = icc(hanna, raters="slot").table
    authors = {"RE": 0.3238, "CH": -0.1845, "EM": 0.2824, "SU": 0.1394, "EG": 0.3974, "CX": 0.5360}
    one = table[table["form"] == "ICC(1,k)"].set_index("criterion")["icc"]
    for criterion, value in authors.items():
        assert one[criterion] == pytest.approx(value, abs=1e-4)
    two = table[table["form"] == "ICC(2,k)"].set_index("criterion")
    assert two["icc"].round(3).to_dict() == {
        "CH": -0.179, "CX": 0.536, "EG": 0.397, "EM": 0.282, "RE": 0.325, "SU": 0.139,
    }  # fmt: skip
    assert not two["order_free"].any()
    assert (table["n_targets"] == 1056).all()


def test_qualtrics_study_has_the_authors_icc(shared_data: Path) -> None:
    name = "Likert-Scale Survey (rep.study)_April 28, 2022_13.05_anonymous.csv"
    raw = pd.read_csv(shared_data / "dialogue_qualtrics" / name, header=None, dtype=str)
    body, heads = raw.iloc[3:], raw.iloc[0].astype(str)
    columns = [i for i, head in enumerate(heads) if head.startswith("C") and "_R" in head]
    assert len(columns) == 400
    numbers = body[columns].map(lambda cell: int(str(cell)[0])).to_numpy()
    known = {"readability": (0, 0.904, 0.867, 0.184), "coherence": (1, 0.941, 0.931, 0.275)}
    for start, consistency, agreement, single in known.values():
        table = icc(ratings(numbers[:, start::2], scale=(1, 6))).table.set_index("name")["icc"]
        assert table["ICC(C,k)"] == pytest.approx(consistency, abs=6e-4)
        assert table["ICC(A,k)"] == pytest.approx(agreement, abs=6e-4)
        assert table["ICC(C,1)"] == pytest.approx(single, abs=6e-4)


def test_each_target_judged_by_one_annotator_is_refused_in_words() -> None:
    with pytest.raises(DesignError, match="judged by one annotator"):
        icc(ratings([[1, 2, np.nan, np.nan], [np.nan, np.nan, 3, 4]]))


def test_incomplete_targets_are_left_out_and_counted() -> None:
    full = [[1, 2, 4, 5], [2, 2, 5, 5], [1, 3, 4, 4]]
    holed = np.array(full, dtype=float)
    holed = np.hstack([holed, [[9], [np.nan], [1]]])
    one, two = icc(ratings(full)).table, icc(ratings(holed)).table
    np.testing.assert_allclose(one["icc"], two["icc"])
    assert (two["n_left_out"] == 1).all()


def test_a_crowd_that_shares_few_targets_falls_back_to_slots_and_says_so() -> None:
    holed = np.array([[1, 2, 4, np.nan], [2, 2, np.nan, 5], [np.nan, np.nan, 4, 4]])
    result = icc(ratings(holed))
    assert result.table["order_free"].tolist() == [True, False, False] * 2
    assert any("few targets were judged by all" in note for note in result.notes)
    with pytest.raises(DesignError, match="0 of 4 were judged by all 3"):
        icc(ratings(holed), raters="annotator")


def test_one_way_form_does_not_depend_on_who_is_called_first() -> None:
    rng = np.random.default_rng(7)
    table = ratings(rng.integers(1, 6, size=(3, 12)))
    shuffled = LikertJudgements.from_frame(
        table.to_frame().sample(frac=1, random_state=3),
        annotator=None, system="system", item="item", rating="rating", scale=(1, 10),
    )  # fmt: skip
    one, two = (icc(t, raters="slot").table for t in (without_identities(table), shuffled))
    for row in (0, 3):
        assert one["icc"][row] == pytest.approx(two["icc"][row])


def test_no_variation_at_all_is_nan_without_a_warning() -> None:
    assert icc(ratings([[3, 3, 3], [3, 3, 3]])).table["icc"].isna().all()
