"""What reports say of magnitudes: which answers are outlying, and how many are at the reference."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayeseval as be
from bayeseval.reporting._magnitudes import magnitude_sentences
from bayeseval.reporting.plots.predictive import criterion_rows

SLIP = 111111.0


def study(slips: dict[int, float], criteria: tuple[str, ...] = ()) -> be.MagnitudeJudgements:
    """Three annotators, two systems and four items a criterion, with slips in known rows."""
    keys = [
        (criterion, who, what, item)
        for criterion in criteria or ("",)
        for who in ("ann", "bea", "cem")
        for what in ("X", "Y")
        for item in ("i1", "i2", "i3", "i4")
    ]
    frame = pd.DataFrame(keys, columns=["criterion", "who", "what", "item"])
    frame["size"] = np.random.default_rng(3).uniform(50, 200, len(frame)).round(2)
    for row, size in slips.items():
        frame.loc[row, "size"] = size
    return be.MagnitudeJudgements.from_frame(
        frame,
        annotator="who",
        system="what",
        item="item",
        magnitude="size",
        reference=100,
        criterion="criterion" if criteria else None,
    )


def posterior_that_finds_slips() -> Any:
    """Return what can say how far out answers are: those beyond 1,000, the further the less."""

    def tail_area(judgements: be.MagnitudeJudgements, *, draws: int = 200) -> xr.DataArray:
        sizes = judgements.magnitudes
        return xr.DataArray(np.where(sizes > 1000, 1.0 / sizes, 0.5), dims="row")

    def predictive(
        judgements: Any, *, draws: int = 200, random_seed: int = 0, coded: bool = False
    ) -> xr.DataArray:
        shares = np.arange(draws) / draws
        at = shares[:, None] < np.zeros(judgements.n_rows) + 0.5
        return xr.DataArray(np.where(at, 1.0, 2.0), dims=("sample", "row"))

    return SimpleNamespace(tail_area=tail_area, predictive=predictive)


def sentences_of(judgements: be.MagnitudeJudgements, rows: np.ndarray) -> tuple[str, ...]:
    model = posterior_that_finds_slips()
    simulated = model.predictive(judgements, draws=20).values
    return magnitude_sentences(model, judgements, rows, simulated=simulated)


def outlying(judgements: be.MagnitudeJudgements, criterion: str | None = None) -> str:
    sentences = sentences_of(judgements, criterion_rows(judgements, criterion))
    return sentences[-1]


@pytest.mark.parametrize(
    ("row", "labels"), [(0, "ann, X, i1"), (1, "ann, X, i2"), (14, "bea, Y, i3")]
)
def test_the_outlying_answer_is_the_one_that_is_named(row: int, labels: str) -> None:
    assert outlying(study({row: SLIP})) == (
        f"Outlying answers (tail area below 0.001, of 24 answers): 111111 ({labels})."
    )


def test_outlying_answers_are_named_by_how_far_out_they_are() -> None:
    says = outlying(study({3: 5000, 21: 9000, 10: 7000}))
    assert says.endswith(": 9000 (cem, Y, i2); 7000 (bea, X, i3); 5000 (ann, X, i4).")


def test_each_criterion_names_its_own_outlying_answers() -> None:
    judgements = study({14: SLIP, 24 + 9: 22222.0}, criteria=("clarity", "grammar"))
    assert outlying(judgements, "clarity").endswith("of 24 answers): 111111 (bea, Y, i3).")
    assert outlying(judgements, "grammar").endswith(": 22222 (bea, X, i2).")
    one = study({14: SLIP}, criteria=("clarity", "grammar"))
    assert outlying(one, "grammar").startswith("No answer has a tail area below 0.001")


def test_shares_at_the_reference_are_of_the_rows_of_the_criterion() -> None:
    # Of the twelve answers about Y, three are the reference on clarity and none on grammar.
    judgements = study({4: 100, 5: 100, 12: 100}, criteria=("clarity", "grammar"))
    first, _ = sentences_of(judgements, criterion_rows(judgements, "clarity"))
    assert "X 0% (0% to 100%), Y 25% (0% to 100%)" in first
    assert len(sentences_of(judgements, criterion_rows(judgements, "grammar"))) == 1
