"""Krippendorff's alpha against the published example, the package, hand figures; its edges."""

import json
import math
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pytest

from bayeseval.agreement import krippendorff_alpha
from bayeseval.agreement.alpha import LEVELS, Level, _alpha, _pairs
from bayeseval.errors import DesignError
from bayeseval.judgements import (
    LikertJudgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
)
from tests.agreement.tables import ratings, votes, without_identities


@pytest.mark.parametrize(
    ("level", "published"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorffs_own_example_has_his_alpha_on_all_four_levels(
    shared_data: Path, level: Level, published: float
) -> None:
    table = pd.read_csv(shared_data / "reference_tables" / "krippendorff_4x12.csv", header=None)
    result = krippendorff_alpha(ratings(table, scale=(1, 5)), level=level, random_seed=1)
    row = result.to_frame().iloc[0]
    assert round(row["alpha"], 3) == published
    assert row["n_single"] == 1
    assert row["n_judgements"] == 40
    assert row["lower"] < row["alpha"] < row["upper"]


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_by_pairs_of_answers_equals_the_package(level: Level) -> None:
    rng = np.random.default_rng(2)
    matrix = rng.integers(1, 6, size=(5, 40)).astype(float)
    matrix[rng.random(matrix.shape) < 0.4] = np.nan
    unit, values = [], []
    for i, column in enumerate(matrix.T):
        given = column[np.isfinite(column)]
        if len(given) > 1:
            unit += [i] * len(given)
            values += given.tolist()
    codes = np.unique(unit, return_inverse=True)[1]
    pairs = _pairs(codes, np.array(values), int(codes.max()) + 1)
    ours = _alpha(level, pairs, np.ones(len(pairs.marginals)))
    assert ours == pytest.approx(
        krippendorff.alpha(reliability_data=matrix, level_of_measurement=level), abs=1e-12
    )


@pytest.mark.parametrize("level", LEVELS)
def test_bootstrap_resamples_whole_units(level: Level) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, size=60)
    matrix = np.clip(truth + rng.integers(-1, 2, size=(3, 60)), 1, 5)
    row = krippendorff_alpha(
        ratings(matrix), level=level, n_resamples=200, random_seed=4
    ).table.iloc[0]
    resampled = []
    for _ in range(200):
        chosen = rng.integers(60, size=60)
        resampled.append(
            krippendorff.alpha(
                reliability_data=matrix[:, chosen].astype(float), level_of_measurement=level
            )
        )
    assert row["lower"] == pytest.approx(np.quantile(resampled, 0.025), abs=0.06)
    assert row["upper"] == pytest.approx(np.quantile(resampled, 0.975), abs=0.06)


def test_a_seed_repeats_the_interval() -> None:
    table = ratings([[1, 2, 3, 4, 1], [1, 2, 4, 4, 2]])
    one, two = (krippendorff_alpha(table, n_resamples=50, random_seed=5).table for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


def test_one_annotator_is_refused_in_words() -> None:
    with pytest.raises(DesignError, match=r"every one of the 3 units .* was judged once"):
        krippendorff_alpha(ratings([[1, 2, 3]]))


def test_everybody_the_same_is_not_defined_and_said() -> None:
    row = krippendorff_alpha(ratings([[3, 3, 3], [3, 3, 3]])).table.iloc[0]
    assert math.isnan(row["alpha"])
    assert math.isnan(row["lower"])
    assert row["exact"] == 1.0
    assert "same answer to everything" in row["note"]


def test_one_different_answer_of_many_explains_the_prevalence_paradox() -> None:
    matrix = np.full((2, 25), 1.0)
    matrix[1, 7] = 2
    row = krippendorff_alpha(ratings(matrix), level="nominal", n_resamples=0).table.iloc[0]
    # Do = 2/50, De = 2 · 49 · 1 / (50 · 49) = 2/50.
    assert row["alpha"] == pytest.approx(0.0, abs=1e-12)
    assert row["exact"] == pytest.approx(0.96)
    assert "prevalence paradox" in row["note"]


def test_a_missing_answer_is_no_category() -> None:
    full = [[1, 2, 1, 2, np.nan], [1, 2, 1, np.nan, 2], [1, 2, np.nan, 2, 2]]
    row = krippendorff_alpha(ratings(full), level="nominal", n_resamples=0).table.iloc[0]
    assert row["alpha"] == 1.0


def test_identities_are_not_needed() -> None:
    table = ratings([[1, 2, 3, 3], [1, 3, 3, 4], [2, 2, 3, 4]])
    with_names = krippendorff_alpha(table, n_resamples=0).table
    pd.testing.assert_frame_equal(
        with_names, krippendorff_alpha(without_identities(table), n_resamples=0).table
    )


def test_alpha_does_not_depend_on_rows_labels_or_copies_of_the_scale() -> None:
    table = ratings([[1, 2, 3, 3], [1, 3, 3, 4]])
    frame = table.to_frame().sample(frac=1, random_state=1)
    frame["item"] = frame["item"].map({"i0": "z", "i1": "y", "i2": "x", "i3": "w"})
    other = LikertJudgements.from_frame(
        frame, annotator="annotator", system="system", item="item", rating="rating", scale=(0, 99)
    )
    one, two = (krippendorff_alpha(t, n_resamples=0).table["alpha"][0] for t in (table, other))
    assert one == pytest.approx(two, abs=1e-12)


def test_counts_stand_for_repeated_rows() -> None:
    frame = pd.DataFrame(
        {"s": ["A", "A", "B", "B"], "i": ["1"] * 4, "r": [1, 2, 2, 3], "n": [2, 1, 1, 3]}
    )
    counted = LikertJudgements.from_frame(
        frame, annotator=None, system="s", item="i", rating="r", count="n", scale=(1, 3)
    )
    spread = LikertJudgements.from_frame(
        frame.loc[frame.index.repeat(frame["n"])],
        annotator=None, system="s", item="i", rating="r", scale=(1, 3),
    )  # fmt: skip
    one, two = (krippendorff_alpha(t, n_resamples=0).table["alpha"][0] for t in (counted, spread))
    assert one == pytest.approx(two, abs=1e-12)


def test_pairs_shown_in_either_order_are_one_unit() -> None:
    table = votes(
        [("w1", "i", "A", "B", "a"), ("w2", "i", "B", "A", "b"), ("w1", "j", "A", "B", "tie"),
         ("w2", "j", "B", "A", "a")]
    )  # fmt: skip
    row = krippendorff_alpha(table, n_resamples=0).table.iloc[0]
    assert row["level"] == "nominal"
    assert (row["n_units"], row["exact"]) == (2, 0.5)


def test_probabilities_and_magnitudes_have_their_own_levels() -> None:
    frame = pd.DataFrame(
        {"w": list("ababab"), "x": ["A"] * 6, "y": ["B"] * 6, "i": [1, 1, 2, 2, 3, 3],
         "p": [0.1, 0.2, 0.5, 0.4, 0.9, 0.8]}
    )  # fmt: skip
    spa = SPAJudgements.from_frame(
        frame, annotator="w", system_a="x", system_b="y", probability="p", item="i", bounds=(0, 1)
    )
    magnitude = MagnitudeJudgements.from_frame(
        frame, annotator="w", system="x", magnitude="p", item="i", reference=None
    )
    by_item = frame["p"].to_numpy().reshape(3, 2).T
    for table, level in ((spa, "interval"), (magnitude, "ratio")):
        row = krippendorff_alpha(table, n_resamples=0).table.iloc[0]
        assert row["level"] == level
        assert row["alpha"] == pytest.approx(
            krippendorff.alpha(reliability_data=by_item, level_of_measurement=level)  # type: ignore[arg-type]
        )


def test_an_unknown_level_is_refused_with_the_nearest() -> None:
    with pytest.raises(DesignError, match="Did you mean 'ordinal'"):
        krippendorff_alpha(ratings([[1, 2], [1, 2]]), level="ordnal")  # type: ignore[arg-type]


def test_crowd_votes_have_the_published_alpha(shared_data: Path) -> None:
    frame = pd.read_csv(shared_data / "llmfao" / "llmfao.csv")
    table = PairwiseJudgements.from_frame(
        frame, annotator="worker", system_a="left", system_b="right", outcome="winner",
        outcomes={"left": "a", "right": "b", "tie": "tie"}, item="id", repeats=True,
    )  # fmt: skip
    for level, known in (("nominal", 0.2906), ("ordinal", 0.2876)):
        row = krippendorff_alpha(table, level=level, n_resamples=0).table.iloc[0]  # type: ignore[arg-type]
        assert row["alpha"] == pytest.approx(known, abs=5e-5)


def test_reviewers_of_long_summaries_have_the_known_alpha(shared_data: Path) -> None:
    rows = []
    text = (shared_data / "squality" / "all-responses.nocomments.jsonl").read_text("utf-8")
    for line in text.splitlines():
        passage = json.loads(line)
        for number, question in passage["questions"].items():
            item = f"{passage['passage-id']} {number}"
            rows += [
                (review["worker_id"], review["system"], item, c, review[f"{c}-rating"])
                for response in question.values()
                for review in response["reviews"]
                for c in ("correctness", "selection", "overall")
            ]
    frame = pd.DataFrame(rows, columns=["w", "s", "i", "c", "r"])
    table = LikertJudgements.from_frame(
        frame, annotator="w", system="s", item="i", criterion="c", rating="r", scale=(0, 100)
    )
    found = krippendorff_alpha(table, level="interval", n_resamples=0).table
    by_criterion = found.set_index("criterion")["alpha"].round(3).to_dict()
    assert by_criterion == {"correctness": 0.459, "selection": 0.781, "overall": 0.798}
