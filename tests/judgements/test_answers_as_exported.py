"""Answers as exports hold them: words and codes among numbers, scales by criterion, pages."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bayeseval.errors import DesignError, JudgementError, ModelError
from bayeseval.families import OrdinalProbit
from bayeseval.judgements import (
    Dropped,
    LikertJudgements,
    MagnitudeJudgements,
    StrengthJudgements,
    filter_where,
    to_pairwise,
)

ROLES: dict[str, Any] = {"annotator": "w", "system": "s", "rating": "r"}


def ratings(answers: list[object], **options: Any) -> LikertJudgements:
    frame = pd.DataFrame(
        {"w": [f"w{k}" for k in range(len(answers))], "s": "A", "r": pd.Series(answers)}
    )
    return LikertJudgements.from_frame(frame, **ROLES, **options)


NA = "N/A (I do not know)"


@pytest.mark.parametrize("answers", [["1", "2", NA], [1, 2, NA]])
def test_labels_map_what_they_name(answers: list[object]):
    table = ratings(answers, labels={NA: None})
    assert table.values.tolist() == [1, 2]
    assert table.scale.values == (1, 2)
    assert table.dropped == (Dropped(f"answered {NA!r}, declared as no rating", 1),)


def test_a_word_for_a_number_leaves_the_numbers_alone():
    table = ratings(["4", "5", "6 = High"], labels={"6 = High": 6})
    assert table.values.tolist() == [4, 5, 6]
    assert str(table.scale) == "4–6 (inferred from the ratings)"
    declared = ratings(["4", "5", "6 = High"], labels={"6 = High": 6, "1 = Low": 1}, scale=(1, 6))
    assert declared.to_frame()["rating"].tolist() == [4, 5, 6]
    ends = ratings(["2", "3", "5 = High"], labels={"1 = Low": 1, "5 = High": 5})
    assert ends.scale.values == (1, 2, 3, 4, 5)
    with pytest.raises(JudgementError, match=r"holds 'often', which labels= does not explain"):
        ratings(["4", "often"], labels={"6 = High": 6})
    with pytest.raises(JudgementError, match=r"holds 'True', 'False', which labels="):
        ratings([True, False], labels={"x": 1})


def test_labels_of_strengths_map_what_they_name():
    frame = pd.DataFrame({"w": ["a", "b"], "s": "A", "t": "B", "x": ["3 (much better)", "-1"]})
    table = StrengthJudgements.from_frame(
        frame, annotator="w", system_a="s", system_b="t", strength="x", bounds=3, positive="a",
        labels={"3 (much better)": 3},
    )  # fmt: skip
    assert table.answers.tolist() == [3, -1]


@pytest.mark.parametrize(
    ("answers", "missing"),
    [
        ([1, 2, -1], ("", "-1")),
        ([1, 2, -1], (-1,)),
        ([1.0, 2.0, -1.0], ("-1",)),
        (["1", "2", "-1.0"], (-1,)),
        (["1", "2", NA], re.compile("N/A.*")),
        (["1", "2", NA], [re.compile("N/A.*")]),
        ([1, 2, NA], lambda cell: str(cell).startswith("N/A")),
        (["1", "2", " "], re.compile("N/A")),
        ([1, 2, None], None),
    ],
)
def test_missing_compares_numbers_and_takes_patterns_and_functions(
    answers: list[object], missing: Any
):
    table = ratings(answers, missing=missing)
    assert table.values.tolist() == [1, 2]
    assert table.dropped == (Dropped("no rating", 1),)


def test_what_cannot_be_missing_is_said():
    with pytest.raises(JudgementError, match=r"texts, numbers or patterns.*found \['x'\]"):
        ratings([1, 2], missing=[["x"]])
    assert ratings([True, False, 1], missing=(2,)).n_rows == 3


CRITERIA = pd.DataFrame(
    {
        "w": ["a", "a", "b", "b"] * 2,
        "s": ["A", "B"] * 4,
        "c": ["fluency"] * 4 + ["depth"] * 4,
        "r": [0, 1, 1, 1, 4, 2, 0, 3],
    }
)
SCALES: dict[str, Any] = {"fluency": (0, 1), "depth": (0, 4)}


def by_criterion(frame: pd.DataFrame = CRITERIA, **options: Any) -> LikertJudgements:
    return LikertJudgements.from_frame(frame, **ROLES, criterion="c", **options)


def test_every_criterion_has_its_own_scale():
    table = by_criterion(scale=SCALES)
    assert table.values.tolist() == CRITERIA["r"].tolist()
    assert {name: scale.values for name, scale in table.scales.items()} == {
        "fluency": (0, 1),
        "depth": (0, 1, 2, 3, 4),
    }
    assert "scale of fluency: 0, 1 (declared)" in repr(table.summary())
    shuffled = by_criterion(CRITERIA.sample(frac=1, random_state=1), scale=SCALES)
    assert shuffled == table
    assert table != by_criterion(scale=(0, 4))
    assert by_criterion(scale={"fluency": (0, 4), "depth": (0, 4)}) == by_criterion(scale=(0, 4))
    with pytest.raises(JudgementError, match=r"criterion 'fluency': .*found 2 .*row 1 "):
        by_criterion(CRITERIA.assign(r=[2, *CRITERIA["r"][1:]]), scale=SCALES)


def test_a_criterion_alone_is_on_its_own_scale():
    table = by_criterion(scale=SCALES)
    frame = CRITERIA[CRITERIA["c"] == "fluency"]
    alone = filter_where(table, lambda rows: rows["criterion"] == "fluency", rule="fluency")
    assert alone == by_criterion(frame, scale=(0, 1))
    assert alone.scale.values == (0, 1)
    both = filter_where(table, lambda rows: rows["annotator"] == "a", rule="a")
    assert both.scales == table.scales


def test_scales_by_criterion_can_be_words():
    frame = CRITERIA.assign(r=["no", "yes", "yes", "yes", "good", "bad", "bad", "good"])
    scales = {"fluency": ["no", "yes"], "depth": ["bad", "good"]}
    table = by_criterion(frame, scale=scales)
    assert table.values.tolist() == [1, 2, 2, 2, 2, 1, 1, 2]
    assert table.to_frame()["rating"].tolist() == frame["r"].tolist()
    mapped = by_criterion(
        frame, scale={"fluency": (0, 1), "depth": (1, 5)},
        labels={"no": 0, "yes": 1, "bad": 1, "good": 5},
    )  # fmt: skip
    assert mapped.values.tolist() == [0, 1, 1, 1, 5, 1, 1, 5]


def test_scales_by_criterion_need_every_criterion():
    with pytest.raises(JudgementError, match=r"must hold every criterion; 'depth' in column 'c'"):
        by_criterion(scale={"fluency": (0, 1)})
    with pytest.raises(JudgementError, match="goes with criterion="):
        LikertJudgements.from_frame(CRITERIA, **ROLES, scale=SCALES, repeats=True)
    with pytest.raises(JudgementError, match=r"What texts mean is said with labels="):
        by_criterion(scale={"bad": 1, "good": 2})


def test_one_fit_of_several_scales_is_refused_with_advice():
    with pytest.raises(ModelError, match=r"fluency 0, 1 .*Fit each criterion apart.*filter_where"):
        OrdinalProbit().declare(by_criterion(scale=SCALES))


PAGES = pd.DataFrame(
    {
        "w": "w",
        "i": "i",
        "screen": [1, 1, 2, 2],
        "s": ["A", "B", "A", "B"],
        "m": [100, 50, 100, 120],
    }
)
MAGNITUDES: dict[str, Any] = {"annotator": "w", "system": "s", "item": "i", "repeats": True}


def test_pairs_are_made_within_a_page():
    crossed = MagnitudeJudgements.from_frame(PAGES, magnitude="m", reference=100, **MAGNITUDES)
    assert to_pairwise(crossed).n_judgements == 4
    table = MagnitudeJudgements.from_frame(
        PAGES, magnitude="m", reference=100, page="screen", **MAGNITUDES
    )
    assert table.labels("page") == ("1", "2")
    pairs = to_pairwise(table)
    assert pairs.to_frame()["outcome"].tolist() == ["a", "b"]
    assert not pairs.has("page")
    assert pairs.labels("ranking") == ("1", "2")
    rated = LikertJudgements.from_frame(
        PAGES, rating="m", scale=(50, 120), page="screen", **MAGNITUDES
    )
    assert to_pairwise(rated) == pairs
    single = LikertJudgements.from_frame(
        PAGES.assign(screen=[1, 2, 3, 4]), rating="m", scale=(50, 120), page="screen", **MAGNITUDES
    )
    with pytest.raises(DesignError, match="nobody judged two"):
        to_pairwise(single)


def test_the_same_answer_on_two_pages_is_a_repeat():
    with pytest.raises(JudgementError, match=r"one judgement is one annotator × system × item;"):
        MagnitudeJudgements.from_frame(
            PAGES, magnitude="m", reference=100, page="screen", **{**MAGNITUDES, "repeats": False}
        )


def test_the_summary_of_many_categories_is_short():
    chance = np.random.default_rng(1)
    answers = [*chance.integers(0, 101, 60).tolist(), *[50] * 40]
    table = ratings(answers, scale=(0, 100))
    summary = table.summary()
    assert len(repr(summary).splitlines()) < 30
    facts = {(section, name): value for section, name, value in summary.facts}
    bands = [value for (section, _), value in facts.items() if section == "ratings by category"]
    assert len(bands) == 10
    assert sum(int(value.split(" ")[0]) for value in bands) == 100
    assert facts["most frequent", ""].startswith("50 (4")
    assert facts["categories used", ""].endswith("of 101")
    assert len(ratings([1, 2], scale=(1, 7)).summary().facts) > 7
