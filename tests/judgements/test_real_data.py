"""Published data sets give the published counts, means and win rates."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayeseval.judgements import (
    LikertJudgements,
    MagnitudeJudgements,
    PairwiseJudgements,
    StrengthJudgements,
    identify,
    read,
    to_pairwise,
)
from tests.judgements.real import (
    load_activities,
    load_alpaca_eval,
    load_baseball,
    load_citations,
    load_dialogue_likert,
    load_dialogue_magnitude,
    load_huse,
    load_krippendorff,
    load_llmfao,
    load_pandalm,
    load_rankme_magnitudes,
    load_shrout_fleiss,
    load_springall,
    load_squality,
    load_weather,
)


def counts(table: PairwiseJudgements) -> list[int]:
    """Return how often a won, b won, and neither did."""
    return np.bincount(table.answers, weights=table.counts, minlength=3).astype(int).tolist()


def between(table: PairwiseJudgements, a: str, b: str) -> tuple[int, int, int]:
    """Return wins of a, ties and wins of b, whatever the order of presentation."""
    found = {"a": 0, "tie": 0, "b": 0}
    turned = {"a": "b", "b": "a", "tie": "tie"}
    rows = table.to_frame()[["system_a", "system_b", "outcome"]].to_numpy().tolist()
    for first, second, outcome in rows:
        if (first, second) == (a, b):
            found[outcome] += 1
        elif (first, second) == (b, a):
            found[turned[outcome]] += 1
    return found["a"], found["tie"], found["b"]


def win_rates(table: PairwiseJudgements) -> pd.Series:
    """Return each system's share of wins, a tie being half a win."""
    won = np.concatenate([table.points(), 1 - table.points()])
    system = np.concatenate([table.codes("system_a"), table.codes("system_b")])
    share = np.bincount(system, weights=won) / np.bincount(system)
    return pd.Series(share, index=list(table.systems))


def means(table: LikertJudgements | MagnitudeJudgements, *by: str) -> pd.Series:
    values = table.values if isinstance(table, LikertJudgements) else table.magnitudes
    return table.to_frame().assign(value=values).groupby(list(by))["value"].mean()


def test_alpacaeval_gives_the_leaderboards_win_rates(shared_data: Path):
    table = load_alpaca_eval(shared_data / "alpacaeval2_llm_judge")
    frame = table.to_frame().groupby("system_a")["probability"].agg(["mean", "std", "count"])
    printed = {
        "example": (76.9198, 0.9090),
        "FuseChat-Gemma-2-9B-Instruct": (70.4971, 1.3426),
        "claude-2": (17.1882, 1.1748),
        "gpt-3.5-turbo-1106": (9.1780, 0.8904),
        "alpaca-7b": (2.5915, 0.4871),
        "phi-2": (2.3502, 0.4497),
    }
    for system, (rate, error) in printed.items():
        row = frame.loc[system]
        assert row["mean"] * 100 == pytest.approx(rate, abs=6e-5)
        assert row["std"] / np.sqrt(row["count"]) * 100 == pytest.approx(error, abs=6e-5)
    assert frame.loc["phi-2", "count"] == 803
    assert (table.answers == 0).sum() == 1
    assert table.annotators == ("weighted_alpaca_eval_gpt4_turbo",)
    assert table.origin.startswith("AlpacaEval: annotator = annotator; system_a = generator_2")


def test_dialogue_surveys_give_the_published_means(shared_data: Path):
    likert = load_dialogue_likert(shared_data / "dialogue_qualtrics")
    assert likert.n_judgements == 42 * 50 * 4 * 2
    assert len(likert.annotators or ()) == 42
    found = means(likert, "criterion")
    assert found["readability"] == pytest.approx(4.991, abs=6e-4)
    assert found["coherence"] == pytest.approx(4.294, abs=6e-4)
    rme = load_dialogue_magnitude(shared_data / "dialogue_qualtrics")
    assert rme.n_judgements == 40 * 50 * 3 * 2
    assert rme.censored.sum() == 333
    assert rme.at_reference.mean() == pytest.approx(0.5, abs=0.02)
    found = means(rme, "criterion")
    assert found["readability"] == pytest.approx(88.03, abs=6e-3)
    assert found["coherence"] == pytest.approx(64.46, abs=6e-3)


def test_graded_pairs_of_activities_have_the_published_counts(shared_data: Path):
    table = load_activities(shared_data / "graded_pairs_activities")
    assert len(table.systems) == 87
    assert len(table.criteria or ()) == 16
    frame = table.to_frame()
    # The file's sign is turned: its -2 is "A1 much more than A2", our +2.
    for item, printed in {
        "skill": (240, 168, 267, 154, 185),
        "predict": (151, 142, 273, 170, 276),
        "stakes": (121, 156, 448, 180, 105),
    }.items():
        strengths = frame[frame["criterion"] == item]["strength"]
        assert tuple((strengths == grade).sum() for grade in (2, 1, 0, -1, -2)) == printed


def test_huse_ratings_have_the_published_counts(shared_data: Path):
    table = load_huse(shared_data / "huse_summarization")
    assert table.n_judgements == 4000
    assert len(table.annotators or ()) == 93
    assert np.bincount(table.answers).tolist() == [496, 288, 627, 803, 1014, 772]
    clean = pd.read_csv(
        shared_data / "huse_summarization" / "summary_clean.csv", skipinitialspace=True
    )
    found = means(table, "system", "item")
    assert len(found) == 200
    assert sorted(found.round(6)) == sorted(clean["HumanJudgement"].round(6))
    assert "WorkTimeInSeconds" in table.attributes


def test_llmfao_has_the_published_votes_and_win_rates(shared_data: Path):
    table = load_llmfao(shared_data / "llmfao")
    assert (table.n_judgements, len(table.annotators or ()), len(table.systems)) == (8931, 124, 59)
    assert len(table.items or ()) == 13
    assert counts(table) == [2911, 2549, 3471]
    golden = pd.read_csv(shared_data / "llmfao" / "llmfao-golden.csv")
    average = golden[golden["algorithm"] == "average_win_rate"].set_index("item")["score"]
    n = len(table.systems)
    won, met = np.zeros((n, n)), np.zeros((n, n))
    a, b = table.codes("system_a"), table.codes("system_b")
    for first, second, gained in ((a, b, table.points()), (b, a, 1 - table.points())):
        np.add.at(won, (first, second), gained)
        np.add.at(met, (first, second), 1)
    rate = np.nanmean(np.where(met > 0, won / np.maximum(met, 1), np.nan), axis=1)
    np.testing.assert_allclose(rate, average[list(table.systems)], atol=1e-9)


def test_mtbench_has_the_published_votes_and_win_rates(shared_data: Path):
    human = read(shared_data / "mtbench_human" / "human.jsonl", format="mt_bench")
    assert isinstance(human, PairwiseJudgements)
    assert (human.n_judgements, len(human.annotators or ())) == (3355, 65)
    assert (len(human.systems), len(human.items or ())) == (6, 80)
    assert human.moderators == {"turn": ("1", "2")}
    assert counts(human) == [1293, 1282, 780]
    printed = {"gpt-4": 0.7328, "gpt-3.5-turbo": 0.6519, "llama-13b": 0.1542}
    for system, rate in printed.items():
        assert win_rates(human)[system] == pytest.approx(rate, abs=6e-5)
    judge = read(shared_data / "mtbench_human" / "gpt4_pair.jsonl", format="mt_bench")
    assert isinstance(judge, PairwiseJudgements)
    assert counts(judge)[2] == 220 + 380
    assert win_rates(judge)["claude-v1"] == pytest.approx(0.7063, abs=6e-5)


def test_pandalm_has_the_published_votes(shared_data: Path):
    table = load_pandalm(shared_data / "pandalm")
    assert (table.n_judgements, len(table.systems)) == (2997, 5)
    frame = table.to_frame()
    majority = frame.groupby("item")["outcome"].agg(lambda votes: votes.mode().iloc[0])
    assert majority.value_counts().to_dict() == {"b": 472, "a": 422, "tie": 105}
    per_item = frame.pivot(index="item", columns="annotator", values="outcome")
    for pair, kappa in {(1, 2): 0.852, (1, 3): 0.879, (2, 3): 0.862}.items():
        x, y = (per_item[f"annotator{k}"].to_numpy() for k in pair)
        chance = sum((x == o).mean() * (y == o).mean() for o in ("a", "b", "tie"))
        assert ((x == y).mean() - chance) / (1 - chance) == pytest.approx(kappa, abs=6e-4)


def test_pandalm_votes_by_pair(shared_data: Path):
    table = load_pandalm(shared_data / "pandalm")
    assert between(table, "bloom-7b", "cerebras-gpt-6.7B") == (177, 35, 88)
    assert between(table, "bloom-7b", "llama-7b") == (84, 35, 214)
    assert between(table, "opt-7b", "pythia-6.9b") == (99, 45, 156)


def test_probability_judgements_give_the_published_means(shared_data: Path):
    table = load_weather(shared_data / "probability_judgements")
    found = table.to_frame().groupby("system_a")["probability"].agg(["mean", "std", "count"])
    for condition, mean, sd, n in (
        ("two-fold precise", 0.2497, 0.1794, 90),
        ("two-fold imprecise", 0.3064, 0.1751, 89),
        ("seven-fold precise", 0.1679, 0.1168, 84),
        ("seven-fold imprecise", 0.2455, 0.1336, 82),
    ):
        expected = {"mean": mean, "std": sd, "count": n}
        assert found.to_dict("index")[condition] == pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize(
    ("file", "criterion", "printed", "pairs"),
    [
        ("inf", "informativeness", (97.08, 68.65, 97.30), ((216, 76, 8), (38, 226, 36))),
        ("nat", "naturalness", (81.78, 81.87, 81.68), ((45, 197, 58), (34, 227, 39))),
        ("qual", "quality", (96.52, 86.02, 99.03), ((107, 149, 44), (10, 232, 58))),
    ],
)
def test_rankme_magnitudes_give_means_and_comparisons(
    file: str,
    criterion: str,
    printed: tuple[float, ...],
    pairs: tuple[tuple[int, int, int], ...],
    shared_data: Path,
):
    table = load_rankme_magnitudes(shared_data / "rankme" / f"stp2_rankME_{file}.csv", criterion)
    assert table.n_judgements == 900
    order = ["baseline", "sheffield_v2", "slug2slug"]
    assert means(table, "system")[order].tolist() == pytest.approx(printed, abs=6e-3)
    assert table.answers.max() < 2
    compared = to_pairwise(table)
    assert compared.n_judgements == 900
    for other, expected in zip(("sheffield_v2", "slug2slug"), pairs, strict=True):
        assert between(compared, "baseline", other) == expected


SAID = ("informativeness", "naturalness", "quality")


def test_rankme_reads_as_crowdflower(shared_data: Path):
    table = read(
        shared_data / "rankme" / "stp1_rankME.csv", format="crowdflower", protocol="magnitude",
        columns={"system": "team{k}", "item": "mr_id", "magnitude": {c: c + "{k}" for c in SAID}},
        reference=100.0, repeats=True,
    )  # fmt: skip
    assert table.n_judgements == 2700
    assert table.criteria == ("informativeness", "naturalness", "quality")
    assert "annotator = _worker_id" in table.origin
    assert set(table.attributes) == {"_created_at", "_trust", "_channel", "_country"}


def test_rankme_plain_magnitudes_give_the_published_means(shared_data: Path):
    table = MagnitudeJudgements.read(
        shared_data / "rankme" / "stp2_plainME_qual.csv", annotator="_worker_id", system="team",
        item="mr_id", magnitude="quality", reference=100.0, repeats=True,
    )  # fmt: skip
    assert means(table, "system").tolist() == pytest.approx((99.31, 87.53, 100.06), abs=6e-3)


def test_reference_tables_have_their_counts(shared_data: Path):
    folder = shared_data / "reference_tables"
    baseball = load_baseball(folder)
    assert len(baseball.systems) == 7
    assert identify(baseball).order_balance == pytest.approx(0.5, abs=0.1)
    springall = load_springall(folder)
    assert counts(springall) == [411, 276, 198]
    # Six of its 108 counts are 0; every pair was compared.
    assert springall.dropped == ()
    citations = load_citations(folder)
    assert citations.n_judgements == 3727
    krippendorff = load_krippendorff(folder)
    assert krippendorff.n_judgements == 41
    assert len(krippendorff.items or ()) == 12
    shrout = load_shrout_fleiss(folder)
    assert (shrout.n_judgements, len(shrout.systems)) == (24, 6)


@pytest.mark.parametrize(
    ("criterion", "printed"),
    [
        ("correctness", ((34.84, 30.21), (45.40, 31.55), (94.11, 10.68))),
        ("selection", ((15.62, 18.45), (24.26, 22.96), (88.77, 17.84))),
        ("overall", ((18.14, 18.78), (27.91, 23.52), (91.26, 12.96))),
    ],
)
def test_squality_gives_the_published_means(
    criterion: str, printed: tuple[tuple[float, float], ...], shared_data: Path
):
    table = load_squality(shared_data / "squality", criterion)
    assert (table.n_judgements, len(table.annotators or ())) == (900, 4)
    frame = table.to_frame().groupby("system")["rating"].agg(["mean", "std"])
    for system, (mean, sd) in zip(("bart", "bart-dpr", "human"), printed, strict=True):
        assert frame.loc[system, "mean"] == pytest.approx(mean, abs=6e-3)
        assert frame.loc[system, "std"] == pytest.approx(sd, abs=6e-3)


def test_squality_ratings_give_the_published_comparisons(shared_data: Path):
    compared = to_pairwise(load_squality(shared_data / "squality", "overall"))
    assert between(compared, "human", "bart") == (298, 0, 2)
    assert between(compared, "human", "bart-dpr") == (294, 0, 6)
    assert between(compared, "bart-dpr", "bart") == (183, 17, 100)


def test_wmt13_rankings_give_the_published_pairs(shared_data: Path):
    table = read(shared_data / "wmt13_fr_en" / "sample-fr-en-train.cut.csv", format="wmt_rankings")
    assert isinstance(table, PairwiseJudgements)
    assert (table.n_judgements, counts(table)[2]) == (38_040, 8395)
    assert len(table.labels("ranking")) == 3804
    assert (len(table.systems), len(table.annotators or ())) == (13, 55)
    expected = {"newstest2013.fr-en.uedin-heafield-unconstrained.2755": 0.629}
    decided = table.keep_rows(table.answers != 2, rule="ties dropped")
    rates = expected_wins(decided)
    for system, rate in expected.items():
        assert rates[system] == pytest.approx(rate, abs=6e-4)
    other = read(shared_data / "wmt13_fr_en" / "sample-fr-en-test.csv", format="wmt_rankings")
    assert len(other.systems) == 12


def expected_wins(table: PairwiseJudgements) -> pd.Series:
    """Return the mean over opponents of the share of decided comparisons won."""
    n = len(table.systems)
    won = np.zeros((n, n))
    a, b = table.codes("system_a"), table.codes("system_b")
    np.add.at(won, (a, b), table.answers == 0)
    np.add.at(won, (b, a), table.answers == 1)
    total = won + won.T
    share = np.where(total > 0, won / np.maximum(total, 1), np.nan)
    return pd.Series(np.nanmean(share, axis=1), index=list(table.systems))


@pytest.mark.parametrize(
    ("file", "pairs", "ties"),
    [("wmt16.tur-eng.csv", 10_188, 2589), ("wmt16.collapsed.tur-eng.csv", 9684, 2367)],
)
def test_wmt16_pairs_are_read_with_their_ranking(
    file: str, pairs: int, ties: int, shared_data: Path
):
    table = read(shared_data / "wmt16_tr_en" / file, format="wmt_rankings")
    assert isinstance(table, PairwiseJudgements)
    assert (table.n_judgements, counts(table)[2]) == (pairs, ties)
    assert len(table.annotators or ()) == 33
    if pairs == 10_188:
        assert len(table.systems) == 9
        assert len(table.labels("ranking")) == 970
        assert len(table.items or ()) == 642
        decided = table.keep_rows(table.answers != 2, rule="ties dropped")
        rates = expected_wins(decided)
        for name, rate in (("online-B.0", 0.695), ("jhu-pbmt.4285", 0.295)):
            assert rates[f"newstest2016.{name}.tr-en"] == pytest.approx(rate, abs=6e-4)


def test_wmt16_rank_differences_are_strengths(shared_data: Path):
    frame = pd.read_csv(shared_data / "wmt16_tr_en" / "wmt16.tur-eng.csv")
    frame["difference"] = frame["system2rank"] - frame["system1rank"]
    table = StrengthJudgements.from_frame(
        frame, annotator="judgeID", system_a="system1Id", system_b="system2Id", item="segmentId",
        strength="difference", bounds=4, positive="a", repeats=True,
    )  # fmt: skip
    assert table.graded
    assert [int((table.answers == k).sum()) for k in range(-4, 5)] == [
        257, 582, 1070, 1879, 2589, 1896, 1105, 572, 238,
    ]  # fmt: skip
