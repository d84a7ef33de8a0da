"""HUSE against the paper, a plain reference, limiting cases; raw rows; plots; refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from bayeseval.errors import DesignError, JudgementError
from bayeseval.huse import HUSE, HUSETexts, huse, huse_stability, huse_texts
from bayeseval.judgements import LikertJudgements
from tests.papers import script


@pytest.fixture(scope="module")
def clean(shared_data: Path) -> dict[str, Any]:
    path = shared_data / "huse_summarization" / "summary_clean.csv"
    frame = pd.read_csv(path, skipinitialspace=True)
    return {
        "log_probability": frame["ModelProbability"].to_numpy(),
        "length": frame["LengthOfUtterance"].to_numpy(),
        "judgement": frame["HumanJudgement"].to_numpy(),
        "is_model": frame["Label"].to_numpy(),
    }


@pytest.fixture(scope="module")
def study(shared_data: Path) -> HUSETexts:
    texts: HUSETexts = script("papers_huse").texts(shared_data)
    return texts


def _made(n: int, seed: int, shift: float = 1.0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    model = np.arange(2 * n) < n
    return {
        "log_probability": rng.normal(-30, 8, 2 * n) + 10 * shift * model,
        "length": np.full(2 * n, 10.0),
        "judgement": np.round(rng.normal(4, 1, 2 * n) - shift * model, 2),
        "is_model": model,
    }


def _huse(data: dict[str, Any], **changes: Any) -> HUSE:
    """Compute HUSE of texts with some of the arguments changed."""
    return huse(**{**data, **changes})


def test_the_papers_figures_are_exact(clean: dict[str, Any]) -> None:
    result = huse(**clean)
    assert (round(result.huse, 10), round(result.huse_q, 10), round(result.huse_d, 10)) == (
        0.53, 0.58, 0.95,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ties", "k", "known"),
    [
        ("vote_model", 16, (0.54, 0.62, 0.92)),
        ("vote_half", 16, (0.535, 0.60, 0.935)),
        ("tolerance", 16, (0.53, 0.60, 0.93)),
        ("paper", 15, (0.52, 0.58, 0.94)),
        ("paper", 17, (0.47, 0.60, 0.87)),
        ("sklearn", 16, (0.53, 0.58, 0.95)),
    ],
)
def test_what_hangs_on_the_rule_for_ties(
    clean: dict[str, Any], ties: str, k: int, known: tuple[float, float, float]
) -> None:
    result = _huse(clean, k=k, ties=ties)
    assert (result.huse, result.huse_q, result.huse_d) == pytest.approx(known)


def test_equation_9_gives_six_of_seven_printed_values(shared_data: Path) -> None:
    found = script("papers_huse").table1(shared_data)
    wrong = found[(found["HUSE_D"] - found["equation 9"]).abs() > 1e-9]
    assert wrong["task"].tolist() == ["LM"]
    assert wrong["equation 9"].tolist() == pytest.approx([0.98])


def test_raw_rows_give_the_clean_table(study: HUSETexts, clean: dict[str, Any]) -> None:
    table = study.table
    assert len(table) == 200
    assert (table["n_judgements"] == 20).all()
    by = ["is_model", "log_probability", "length"]
    ours = table.sort_values(by)
    theirs = pd.DataFrame(clean).sort_values(by)
    for name in ("log_probability", "length", "judgement", "is_model"):
        np.testing.assert_allclose(ours[name].astype(float), theirs[name].astype(float))
    assert study.huse().huse == pytest.approx(0.53)


def test_single_judgements_are_ratings_for_the_models(study: HUSETexts) -> None:
    table = LikertJudgements.from_frame(
        study.long, annotator="annotator", system="source", item="text", rating="rating",
        scale=(1, 6),
    )  # fmt: skip
    assert (table.n_rows, len(table.annotators or ())) == (4000, 93)
    frame = table.to_frame().groupby(["system", "item"])["rating"].mean()
    ours = study.table.set_index(["source", "text"])["judgement"]
    np.testing.assert_allclose(frame.sort_index(), ours.sort_index())


def test_a_plain_classifier_makes_the_same_errors() -> None:
    data = _made(20, seed=3)
    features = np.stack([data["log_probability"] / data["length"], data["judgement"]], axis=1)
    features = features / features.std(axis=0)
    mistakes = 0
    for i in range(40):
        others = [j for j in range(40) if j != i]
        near = sorted(others, key=lambda j, i=i: float(np.hypot(*(features[j] - features[i]))))[:5]
        votes = sum(1 if data["is_model"][j] else -1 for j in near)
        mistakes += (votes > 0) != data["is_model"][i]
    assert huse(**data, k=5).huse == pytest.approx(2 * mistakes / 40)


def test_texts_far_apart_give_zero_and_texts_alike_about_one() -> None:
    assert huse(**_made(60, seed=1, shift=50)).huse == 0.0
    alike = [huse(**_made(100, seed=seed, shift=0)).huse for seed in range(5)]
    assert np.mean(alike) == pytest.approx(1.0, abs=0.12)


def test_order_and_units_do_not_matter() -> None:
    data = _made(40, seed=4)
    order = np.random.default_rng(1).permutation(80)
    moved = {name: values[order] for name, values in data.items()}
    moved["judgement"] = 4 * moved["judgement"]
    one, two = huse(**data, ties="tolerance"), huse(**moved, ties="tolerance")
    assert (one.huse, one.huse_q) == pytest.approx((two.huse, two.huse_q))


def test_the_bootstrap_never_lets_a_text_vote_for_its_copy() -> None:
    # Were copies neighbours of each other, resamples would be nearly free of error.
    data = _made(50, seed=5, shift=0)
    result = huse(**data, k=1, n_resamples=60, random_seed=1)
    assert result.draws["HUSE"].mean() > 0.7
    row = result.table.iloc[0]
    assert row["lower"] < row["upper"]
    again = huse(**data, k=1, n_resamples=60, random_seed=1)
    pd.testing.assert_frame_equal(result.draws, again.draws)


def test_draws_of_the_judgement_give_a_posterior() -> None:
    data = _made(30, seed=6)
    rng = np.random.default_rng(2)
    noise = rng.normal(0, 0.3, size=(2, 20, 60))
    draws = xr.DataArray(data["judgement"] + noise, dims=("chain", "draw", "text"))
    result = _huse(data, judgement=draws.transpose("text", "chain", "draw"))
    assert len(result.draws) == 40
    by_hand = [_huse(data, judgement=row).huse for row in draws.values.reshape(40, 60)]
    assert result.draws["HUSE"].tolist() == pytest.approx(by_hand)
    row = result.table.iloc[0]
    assert row["value"] == pytest.approx(np.mean(by_hand))
    assert row["lower"] < row["value"] < row["upper"]
    flat = _huse(data, judgement=np.stack([data["judgement"]] * 3))
    assert flat.huse == pytest.approx(huse(**data).huse)
    assert flat.table["sd"][0] == pytest.approx(0)


def test_stability_ends_in_the_whole_study_and_narrows(study: HUSETexts) -> None:
    table = study.table
    result = huse_stability(
        log_probability=table["log_probability"], length=table["length"], ratings=study.ratings,
        is_model=table["is_model"], n_texts=[60, 200], n_annotators=[5, 20], n_repeats=15,
        random_seed=1,
    )  # fmt: skip
    found = result.to_frame().set_index(["measure", "n_texts", "n_annotators"])
    mean, sd = (found[name].loc["HUSE"].to_dict() for name in ("mean", "sd"))
    assert (mean[200, 20], sd[200, 20]) == pytest.approx((0.53, 0))
    assert sd[60, 5] > sd[200, 5] > 0
    # Noisier judgements tell less apart.
    assert mean[200, 5] > 0.56


def test_plots_draw_the_regions_and_the_lines(clean: dict[str, Any]) -> None:
    result: HUSE = huse(**clean)
    figure = result.plot(resolution=20)
    axes = figure.axes[0]
    assert "0.53" in axes.get_title()
    assert len(axes.collections) >= 3
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["human", "model"]  # type: ignore[union-attr]
    assert result.plot(axes, resolution=5) is figure
    data = _made(30, seed=1)
    stability = huse_stability(
        log_probability=data["log_probability"], length=data["length"],
        ratings=np.stack([data["judgement"]] * 2, axis=1), is_model=data["is_model"], k=5,
        n_repeats=2, random_seed=1,
    )  # fmt: skip
    assert len(stability.plot(measure="HUSE-Q").axes[0].containers) == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"is_model": np.ones(60, bool)}, "all 60 are the model's"),
        ({"judgement": np.full(60, 3.0)}, "same mean judgement"),
        ({"length": np.zeros(60)}, "finite number above 0"),
        ({"judgement": np.where(np.arange(60) == 7, np.nan, 1.0)}, "text 7 "),
        ({"length": np.ones(59)}, r"found shape \(59,\)"),
        ({"is_model": np.array(["human", "model"] * 30)}, "is_model=source == 'model'"),
        ({"k": 59}, "from 1 to 58"),
        ({"ties": "papers"}, "Did you mean 'paper'"),
    ],
)
def test_what_cannot_be_told_apart_is_refused_in_words(change: dict[str, Any], words: str) -> None:
    with pytest.raises(DesignError, match=words):
        _huse(_made(30, seed=1), **change)


def test_no_subsample_is_refused() -> None:
    data = _made(30, seed=1)
    ratings = np.asarray(data.pop("judgement"))[:, None]
    with pytest.raises(DesignError, match="n_repeats= is a whole number from 1"):
        huse_stability(**data, ratings=ratings, n_repeats=0)


def test_unequal_sources_are_said() -> None:
    data = {name: values[:50] for name, values in _made(30, seed=1).items()}
    assert any("60% of the texts" in note for note in huse(**data).notes)


def test_raw_rows_that_are_not_explained_are_refused() -> None:
    raw = pd.DataFrame(
        {"WorkerId": ["w"], "HITId": ["h"], "Input.IDX0": [0], "Input.TYPE0": ["SUM"],
         "Input.NTOK0": ["two words"], "Input.LOGP0": [-3.0], "Answer.0": ["Typical"]}
    )  # fmt: skip
    found = huse_texts(raw, model="SUM", labels={"Typical": 5}).table
    assert (found["length"][0], found["judgement"][0]) == (2, 5.0)
    with pytest.raises(JudgementError, match="answers 'Typical' are not explained"):
        huse_texts(raw, model="SUM", labels={"Rare": 1})
    with pytest.raises(JudgementError, match="no text has the source 'GPT'"):
        huse_texts(raw, model="GPT", labels={"Typical": 5})
    with pytest.raises(JudgementError, match=r"missing: 'Answer\.'"):
        huse_texts(raw.drop(columns="Answer.0"), model="SUM", labels={"Typical": 5})
