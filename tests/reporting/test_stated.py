"""Stated probabilities: a mean that is not the sample's, and heaps, do not pass unnoticed."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayeseval.judgements import SPAJudgements
from bayeseval.reporting._stated import stated_check


def judgements(answers: list[float], *, turn: bool = False) -> SPAJudgements:
    n = len(answers)
    turned = np.arange(n) % 2 == 1 if turn else np.zeros(n, dtype=bool)
    frame = pd.DataFrame(
        {
            "who": [f"w{k:02d}" for k in range(n)],
            "a": np.where(turned, "y", "x"),
            "b": np.where(turned, "x", "y"),
            "p": np.where(turned, 1 - np.array(answers), answers),
        }
    )
    return SPAJudgements.from_frame(
        frame, annotator="who", system_a="a", system_b="b", probability="p", bounds=(0, 1)
    )


def posterior(mean: float, sd: float, answers: np.ndarray) -> Any:
    draws = mean + sd * np.array([-1.0, 1.0])
    values = np.stack([np.full(2, 0.5), draws, 1 - draws, np.full(2, 0.5)], axis=-1)
    win = xr.DataArray(
        values.reshape(1, 2, 2, 2),
        dims=("chain", "draw", "system", "system_b"),
        coords={"system": ["x", "y"], "system_b": ["x", "y"]},
    )

    def predictive(
        table: SPAJudgements, *, draws: int, random_seed: int, coded: bool = False
    ) -> xr.DataArray:
        rng = np.random.default_rng(random_seed)
        drawn = rng.choice(answers, (draws, table.n_rows))
        turned = table.codes("system_a") > table.codes("system_b")
        return xr.DataArray(np.where(turned, 1 - drawn, drawn), dims=("sample", "row"))

    return SimpleNamespace(predictive=predictive, win_probability=lambda population: win)


def check(model: Any, table: SPAJudgements) -> Any:
    simulated = model.predictive(table, draws=200, random_seed=1).values
    return stated_check(model, table, None, population="new", simulated=simulated)


def test_mean_more_than_two_sds_off_the_sample_is_said() -> None:
    table = judgements([0.1, 0.2, 0.3, 0.2] * 5)
    near = check(posterior(0.219, 0.01, np.array([0.1, 0.2, 0.3])), table)
    far = check(posterior(0.221, 0.01, np.array([0.1, 0.2, 0.3])), table)
    assert near.frame["sample_mean"].tolist() == [0.2]
    assert not near.frame["apart"].any()
    assert far.frame["apart"].all()
    assert any("1 of 1 pairs the model's mean lies more than 2" in s for s in far.sentences())
    assert not any("mean lies" in s for s in near.sentences())


def test_answers_at_both_ends_are_told_from_answers_in_the_middle() -> None:
    table = judgements([0.0, 1.0, 0.001, 0.999, 0.5] * 6)
    found = check(posterior(0.5, 0.05, np.linspace(0.05, 0.95, 19)), table)
    row = found.frame.iloc[0]
    masses = [row[f"observed_{place}"] for place in ("0", "half", "1", "middle")]
    np.testing.assert_allclose(masses, [0.4, 0.2, 0.4, 0.0], atol=1e-12)
    assert not row["apart"]
    assert row["odd"]
    assert any("heap" in sentence for sentence in found.sentences())
    assert "40 / 0" in found.table().text()
    same = check(posterior(0.5, 0.05, np.array([0.0, 1.0, 0.001, 0.999, 0.5])), table)
    assert not same.frame["odd"].any()
    assert any("agrees" in sentence for sentence in same.sentences())


def test_both_directions_of_a_pair_are_one() -> None:
    answers = [0.0, 0.2, 0.9, 0.4, 0.5, 0.3]
    apart = check(posterior(0.4, 0.1, np.array(answers)), judgements(answers))
    together = check(posterior(0.4, 0.1, np.array(answers)), judgements(answers, turn=True))
    pd.testing.assert_frame_equal(apart.frame, together.frame)


def test_coherence_stands_below_means_and_masses() -> None:
    answers = [0.1, 0.2, 0.3, 0.2]
    model = posterior(0.2, 0.1, np.array(answers))
    both = pd.concat([judgements(answers).to_frame(), judgements(answers, turn=True).to_frame()])
    table = SPAJudgements.from_frame(
        both.drop_duplicates(["annotator", "system_a"]),
        annotator="annotator",
        system_a="system_a",
        system_b="system_b",
        probability="probability",
        bounds=(0, 1),
    )
    titles = [one.title for one in check(model, table).tables()]
    assert titles[0].startswith("Mean and mass")
    assert titles[1:] == [
        "Do the two directions of a pair mirror each other?",
        "Are the annotators coherent?",
    ]
    assert len(check(model, judgements(answers)).tables()) == 1
