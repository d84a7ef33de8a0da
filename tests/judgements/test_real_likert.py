"""Real Likert data through the public API; figures from each folder's SOURCE.md."""

import ast
from pathlib import Path

import pandas as pd
import pytest

from bayeseval.judgements import LikertJudgements, identify

CRITERIA = ("RE", "CH", "EM", "SU", "EG", "CX")


def load_hanna(folder: Path) -> LikertJudgements:
    wide = pd.read_csv(folder / "hanna_scores_cut.csv")
    human = [f"Human {r} {c}" for r in (1, 2, 3) for c in CRITERIA]
    lists = wide[["Model"]].join(wide[human].map(ast.literal_eval)).explode(human)
    lists["story"] = lists.groupby("Model").cumcount()
    slots = lists.melt(["Model", "story"], human, var_name="slot", value_name="rating")
    slots["criterion"] = slots["slot"].str[-2:]
    return LikertJudgements.from_frame(
        slots, annotator=None, system="Model", item="story", criterion="criterion",
        rating="rating", scale=(1, 5),
    )  # fmt: skip


def mean_of(table: LikertJudgements, *by: str) -> pd.Series:
    return table.to_frame().assign(value=table.values).groupby(list(by))["value"].mean()


def test_hanna_gives_the_published_means(shared_data: Path):
    table = load_hanna(shared_data / "hanna")
    assert table.n_judgements == 19_008
    assert len(table.systems) == 11
    assert len(table.items or ()) == 96
    assert pd.Series(table.answers).value_counts().sort_index().tolist() == [
        4878, 5245, 4413, 2483, 1989,
    ]  # fmt: skip
    printed = {
        "Human": (4.17, 4.43, 3.22, 3.15, 3.88, 3.73),
        "GPT-2": (2.81, 3.29, 2.47, 2.21, 2.86, 2.68),
        "HINT": (2.29, 2.38, 1.74, 1.56, 1.75, 1.45),
        "XLNet": (2.39, 2.88, 2.10, 1.95, 2.46, 2.36),
    }
    means = mean_of(table, "system", "criterion")
    for system, values in printed.items():
        for criterion, value in zip(CRITERIA, values, strict=True):
            assert means[system, criterion] == pytest.approx(value, abs=0.0051)


def test_hanna_has_no_identities_but_outputs_judged_repeatedly(shared_data: Path):
    found = identify(load_hanna(shared_data / "hanna"))
    assert not found.has_annotators
    assert found.outputs_judged_repeatedly
    assert found.items_shared_by_systems
    assert found.connected


def load_rankme_likert(path: Path) -> LikertJudgements:
    return LikertJudgements.from_wide(
        pd.read_csv(path),
        annotator="_worker_id",
        system="team",
        item="mr_id",
        ratings=["informativeness", "naturalness", "quality"],
        columns_are="criterion",
        scale=(1, 6),
        repeats=True,
    )


def test_rankme_setup_1_has_its_people_and_rows(shared_data: Path):
    table = load_rankme_likert(shared_data / "rankme" / "stp1_likert.csv")
    assert table.n_judgements == 3 * 914
    assert len(table.annotators or ()) == 16
    assert table.systems == ("baseline", "sheffield_v2", "slug2slug")
    assert len(table.items or ()) == 100


@pytest.mark.parametrize(
    ("file", "criterion", "people", "means"),
    [
        ("stp2_likert_inf", "informativeness", 19, (5.73, 3.94, 5.78)),
        ("stp2_likert_nat", "naturalness", 20, (5.72, 5.84, 5.79)),
        ("stp2_likert_qual", "quality", 13, (5.64, 5.02, 5.71)),
    ],
)
def test_rankme_setup_2_gives_the_published_means(
    file: str, criterion: str, people: int, means: tuple[float, ...], shared_data: Path
):
    table = LikertJudgements.read(
        shared_data / "rankme" / f"{file}.csv",
        annotator="_worker_id",
        system="team",
        item="mr_id",
        rating=criterion,
        scale=(1, 6),
        repeats=True,
    )
    assert table.n_judgements == 900
    assert len(table.annotators or ()) == people
    assert mean_of(table, "system").tolist() == pytest.approx(means, abs=0.0051)


def test_wine_is_nine_judges_by_eight_bottles(shared_data: Path):
    table = LikertJudgements.read(
        shared_data / "ordinal_wine_soup" / "wine.csv",
        annotator="judge",
        system="temp",
        rating="rating",
        item="bottle",
        moderators=["contact"],
        attributes=["response"],
    )
    assert (table.n_rows, len(table.annotators or ()), len(table.items or ())) == (72, 9, 8)
    assert table.scale.values == (1, 2, 3, 4, 5)
    assert table.attributes["response"].max() <= 100


def test_soup_keeps_its_repeated_ratings(shared_data: Path):
    table = LikertJudgements.read(
        shared_data / "ordinal_wine_soup" / "soup.csv",
        annotator="RESP",
        system="PRODID",
        rating="SURENESS",
        scale=(1, 6),
        repeats=True,
    )
    assert (table.n_rows, len(table.annotators or ()), len(table.systems)) == (1847, 185, 6)
    assert identify(table).annotators_repeat_systems
