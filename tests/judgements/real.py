"""Published data sets as judgements."""

import json
from pathlib import Path

import pandas as pd

from bayeseval.judgements import (
    LikertJudgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
    read,
)


def load_alpaca_eval(folder: Path) -> SPAJudgements:
    table = read(folder, format="alpaca_eval")
    assert isinstance(table, SPAJudgements)
    return table


DIALOGUE = r"C(?P<item>[0-9]+)_R(?P<system>[0-9]+)_(?P<criterion>[RC])"
CRITERIA = {"criterion": {"R": "readability", "C": "coherence"}}


def load_dialogue_likert(folder: Path) -> LikertJudgements:
    names = [f"C{c}_R{r}_{k}" for c in range(1, 51) for r in range(1, 5) for k in "RC"]
    table = read(
        next(folder.glob("Likert*.csv")), format="qualtrics", protocol="likert", pattern=DIALOGUE,
        names=names, rename=CRITERIA, scale=(1, 6),
    )  # fmt: skip
    assert isinstance(table, LikertJudgements)
    return table


def load_dialogue_magnitude(folder: Path) -> MagnitudeJudgements:
    def by_position(names: list[str]) -> list[str]:
        shown = [names[k - k % 2].split("_")[1] for k in range(len(names))]
        return [f"C{k // 6 + 1}_{shown[k]}_{'RC'[k % 2]}" for k in range(len(names))]

    table = read(
        next(folder.glob("RME*.csv")), format="qualtrics", protocol="magnitude", pattern=DIALOGUE,
        names=by_position, rename=CRITERIA, reference=100.0, zeros="censor",
    )  # fmt: skip
    assert isinstance(table, MagnitudeJudgements)
    return table


def load_activities(folder: Path) -> StrengthJudgements:
    wide = pd.read_csv(folder / "phyActFlowPropensity.csv")
    return StrengthJudgements.from_wide(
        wide, annotator=None, system_a="pa1", system_b="pa2", strengths=list(wide.columns[2:]),
        columns_are="criterion", bounds=2, positive="b",
    )  # fmt: skip


HUSE_WORDS = {"Invalid": 1, "Rare": 2, "Specific": 3, "Average": 4, "Typical": 5, "Very Typical": 6}


def load_huse(folder: Path) -> LikertJudgements:
    columns = {"system": "Input.TYPE{k}", "item": ["HITId", "Input.IDX{k}"], "rating": "Answer.{k}"}
    table = read(
        folder / "summarization_raw_outputs_notext.csv", format="mturk", protocol="likert",
        columns=columns, labels=HUSE_WORDS,
    )  # fmt: skip
    assert isinstance(table, LikertJudgements)
    return table


def load_llmfao(folder: Path) -> PairwiseJudgements:
    return PairwiseJudgements.read(
        folder / "llmfao.csv", annotator="worker", system_a="left", system_b="right",
        item="prompt", outcome="winner", outcomes={"left": "a", "right": "b", "tie": "tie"},
    )  # fmt: skip


def load_pandalm(folder: Path) -> PairwiseJudgements:
    frame = pd.read_json(folder / "testset-v1.notext.json")
    frame[["first", "second"]] = frame["cmp_key"].str.split("_", expand=True)
    return PairwiseJudgements.from_wide(
        frame, annotator=None, system_a="first", system_b="second", item="idx",
        answers=["annotator1", "annotator2", "annotator3"], columns_are="annotator",
        outcomes={1: "a", 2: "b", 0: "tie"},
    )  # fmt: skip


def load_weather(folder: Path) -> SPAJudgements:
    frame = pd.read_csv(folder / "WeatherTask.csv").assign(other="the other event")
    frame["condition"] = frame["priming"] + " " + frame["eliciting"]
    return SPAJudgements.from_frame(
        frame.reset_index(names="person"), annotator="person", system_a="condition",
        system_b="other", probability="agreement", bounds=(0, 1),
    )  # fmt: skip


def load_rankme_magnitudes(file: Path, criterion: str) -> MagnitudeJudgements:
    short = "inf" if criterion == "informativeness" else criterion
    return MagnitudeJudgements.from_wide(
        pd.read_csv(file), annotator="_worker_id", item="mr_id", reference=100.0,
        systems=["team1", "team2", "team3"], magnitudes=[f"{short}{k}" for k in (1, 2, 3)],
        repeats=True,
    )  # fmt: skip


def load_baseball(folder: Path) -> PairwiseJudgements:
    return PairwiseJudgements.from_counts(
        pd.read_csv(folder / "baseball.csv"), system_a="home.team", system_b="away.team",
        wins="home.wins", losses="away.wins",
    )  # fmt: skip


def load_springall(folder: Path) -> PairwiseJudgements:
    # A win of the file is one of the column treatment.
    return PairwiseJudgements.from_counts(
        pd.read_csv(folder / "springall_ties.csv"), system_a="col", system_b="row",
        wins="win", losses="loss", ties="tie",
    )  # fmt: skip


def load_citations(folder: Path) -> PairwiseJudgements:
    square = pd.read_csv(folder / "citations.csv").melt("cited", var_name="citing", value_name="n")
    return PairwiseJudgements.from_frame(
        square[square["cited"] != square["citing"]].assign(outcome="a"), annotator=None,
        system_a="cited", system_b="citing", outcome="outcome", count="n",
    )  # fmt: skip


def load_krippendorff(folder: Path) -> LikertJudgements:
    raters = pd.read_csv(folder / "krippendorff_4x12.csv", header=None)
    wide = raters.rename(columns=lambda unit: f"unit {unit + 1}").reset_index(names="rater")
    return LikertJudgements.from_wide(
        wide.assign(system="text"), annotator="rater", system="system",
        ratings=list(wide.columns[1:]), columns_are="item", scale=(1, 5),
    )  # fmt: skip


def load_shrout_fleiss(folder: Path) -> LikertJudgements:
    return LikertJudgements.from_wide(
        pd.read_csv(folder / "shrout_fleiss_6x4.csv"), annotator=None, system="target",
        ratings=["J1", "J2", "J3", "J4"], columns_are="annotator", scale=(1, 10),
    )  # fmt: skip


def load_squality(folder: Path, criterion: str) -> LikertJudgements:
    lines = (folder / "all-responses.nocomments.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [
        {"item": f"{passage['passage-id']} {question}", **review}
        for passage in map(json.loads, lines)
        for question, systems in passage["questions"].items()
        for system in systems.values()
        for review in system["reviews"]
    ]
    return LikertJudgements.from_frame(
        pd.DataFrame(rows), annotator="worker_id", system="system", item="item",
        rating=f"{criterion}-rating", scale=(0, 100), attributes=[f"{criterion}-rank"],
    )  # fmt: skip
