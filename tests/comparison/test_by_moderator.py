"""P[A ≻ B] by the number of examples seen: the model's levels against the means of each level."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be

# How much of the systems' difference shows to somebody who saw so many examples.
SHARE = {"1": 0.2, "5": 0.6, "20": 1.2}
QUALITY = np.array([0.8, 0.0, -0.8])


def seen(m: str, n_annotators: int, seed: int) -> pd.DataFrame:
    """Simulate people who saw m examples, with their names and systems A, B, C."""
    frame = be.simulate_spa(
        n_annotators=n_annotators,
        n_systems=3,
        quality=SHARE[m] * QUALITY,
        precision=10.0,
        end_probability=0.05,
        random_seed=seed,
    ).judgements.to_frame()
    names = {f"system {k + 1}": "ABC"[k] for k in range(3)}
    return frame.assign(
        annotator=f"{m} seen, " + frame["annotator"],
        system_a=frame["system_a"].map(names),
        system_b=frame["system_b"].map(names),
        m=m,
    )


@pytest.fixture(scope="module")
def study() -> be.SPAJudgements:
    return be.SPAJudgements.from_frame(
        pd.concat([seen(m, 16, seed) for seed, m in enumerate(SHARE)]),
        annotator="annotator",
        system_a="system_a",
        system_b="system_b",
        probability="probability",
        moderators=["m"],
        bounds=(0, 1),
    )


@pytest.fixture(scope="module")
def by_m(study: be.SPAJudgements) -> Any:
    family = be.OrderedBeta(effects={"taste": False, "pair": False})
    # Means by level need few draws; whether these converge is no question here.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.ConvergenceWarning)
        posterior = be.fit(
            study, family, draws=600, tune=400, chains=2, random_seed=1, progressbar=False
        )
    return be.compare(posterior, [("A", "B"), ("A", "C"), ("B", "C")], by="m")


@pytest.mark.sampling
def test_levels_of_a_moderator_have_the_means_of_their_own_annotators(
    study: be.SPAJudgements, by_m: Any
) -> None:
    frame = by_m.to_frame()
    assert list(dict.fromkeys(frame["level"])) == ["1", "5", "20"]
    for level, own in frame.groupby("level"):
        part = be.filter_where(study, lambda f, m=level: f["m"] == m, rule=f"m = {level}")
        known = be.spa_test(part, directions="pooled").table
        apart = own["estimate"].to_numpy() - known["mean"].to_numpy()
        # Levels borrow from one another and from the scale of quality: not the same, but near.
        assert (np.abs(apart) < 3 * own["sd"].to_numpy()).all()


@pytest.mark.sampling
def test_intervals_by_level_hold_the_simulated_truth_and_tell_the_levels_apart(by_m: Any) -> None:
    frame = by_m.to_frame().set_index(["level", "system_a", "system_b"])
    held = []
    for m in SHARE:
        many = seen(m, 4000, 100)
        first = many["system_a"] < many["system_b"]
        stated = many["probability"].where(first, 1 - many["probability"])
        for a, b in ("AB", "AC", "BC"):
            truth = stated[many["system_a"].isin([a, b]) & many["system_b"].isin([a, b])].mean()
            row = frame.loc[m, a, b]
            assert abs(row["estimate"] - truth) < 4 * row["sd"]
            held.append(row["lower"] <= truth <= row["upper"])
    assert sum(held) >= 7
    first, _, last = (frame.loc[(m, "A", "C")] for m in SHARE)
    assert first["upper"] < last["lower"]


@pytest.mark.sampling
def test_p_by_level_is_drawn_with_a_panel_a_pair(by_m: Any) -> None:
    figure = be.plot_comparison(by_m)
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title("left") for axes in shown] == ["A ≻ B", "A ≻ C", "B ≻ C"]
    assert [text.get_text() for text in shown[0].get_xticklabels()] == ["1", "5", "20"]
    assert "95 % equal-tailed interval" in figure.get_supxlabel()
