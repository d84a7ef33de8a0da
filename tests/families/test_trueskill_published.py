"""TrueSkill on campaigns whose rankings are published."""

from pathlib import Path

import pandas as pd
import pytest

import bayeseval as be
from bayeseval.families import TrueSkill
from bayeseval.judgements import PairwiseJudgements

OFFICIAL = {
    # Of wmt16.tur-eng.results.txt.
    "online-B": (1, 2, 1), "online-G": (1, 3, 1), "online-A": (2, 3, 1),
    "tbtk-syscomb": (4, 5, 2), "PROMT-SMT": (4, 6, 2), "dvorkanton": (5, 6, 2),
    "jhu-syntax": (7, 8, 3), "jhu-pbmt": (7, 9, 3), "ParFDA": (8, 9, 3),
}  # fmt: skip


def test_wmt16_turkish_english_has_the_official_order_ranges_and_clusters(
    shared_data: Path,
) -> None:
    table = be.read(shared_data / "wmt16_tr_en" / "wmt16.tur-eng.csv", format="wmt_rankings")
    family = TrueSkill(engine="compiled", shuffles=20, resamples=1000)
    posterior = be.fit(table, family, draws=100, random_seed=16)
    frame = be.trueskill_ranking(posterior).to_frame()
    names = [label.split(".")[1] for label in frame["system"]]
    found = zip(frame["rank_low"], frame["rank_high"], frame["cluster"], strict=True)
    assert dict(zip(names, found, strict=True)) == OFFICIAL
    assert names == list(OFFICIAL)


def rankme(folder: Path, name: str, criterion: str) -> PairwiseJudgements:
    wide = pd.read_csv(folder / f"stp2_rankME_{name}.csv")
    rows = [
        {"annotator": row["_worker_id"], "item": at, "system": row[f"team{k}"],
         "magnitude": row[f"{'inf' if name == 'inf' else criterion}{k}"]}
        for at, row in wide.iterrows()
        for k in (1, 2, 3)
    ]  # fmt: skip
    magnitudes = be.MagnitudeJudgements.from_frame(
        pd.DataFrame(rows),
        annotator="annotator",
        item="item",
        system="system",
        magnitude="magnitude",
        reference=100,
    )
    return be.to_pairwise(magnitudes)


@pytest.mark.parametrize(
    ("name", "criterion", "clusters"),
    [
        # Table 4 of Novikova et al. (2018); the baseline is TGen.
        ("qual", "quality", [{"slug2slug"}, {"baseline"}, {"sheffield_v2"}]),
        ("inf", "informativeness", [{"slug2slug", "baseline"}, {"sheffield_v2"}]),
        ("nat", "naturalness", [{"slug2slug", "baseline", "sheffield_v2"}]),
    ],
)
def test_rankme_has_the_printed_rankings(
    shared_data: Path, name: str, criterion: str, clusters: list[set[str]]
) -> None:
    table = rankme(shared_data / "rankme", name, criterion)
    posterior = be.fit(table, TrueSkill(engine="compiled", resamples=400), draws=50, random_seed=18)
    found = be.trueskill_ranking(posterior).clusters
    assert [set(group) for group in found] == clusters
