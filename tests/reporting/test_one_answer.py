"""Ranking, comparison and the report page of one posterior give one answer, on real data."""

import re
from html import unescape
from pathlib import Path

import pytest

import bayeseval as be


@pytest.mark.sampling
@pytest.mark.filterwarnings("ignore::bayeseval.ConvergenceWarning")
def test_mt_bench_has_one_answer_in_ranking_pairs_and_page(
    shared_data: Path, tmp_path: Path
) -> None:
    table = be.read(shared_data / "mtbench_human" / "human.jsonl", format="mt_bench")
    posterior = be.fit(
        table,
        be.BradleyTerry(annotators="none", items=False),
        draws=500,
        tune=300,
        chains=2,
        random_seed=1,
        progressbar=False,
    )
    ranking = be.rank(posterior)
    frame = ranking.to_frame().set_index("system")
    assert frame.index[0] == "gpt-4"
    assert frame["p_best"].iloc[0] > 0.95
    tiers = ranking.parts[0].tiers
    assert len(tiers) >= 2

    # What stands before the first section: the same winner and the same tiers, in words.
    page = be.report(posterior, table, tmp_path / "page.html", draws=20).read_text("utf-8")
    first_screen = page[page.index("<body") : page.index('id="results"')]
    said = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", first_screen)))
    assert "gpt-4 is the best of the 6 systems" in said
    in_words = (", ".join(tier[:-1]) + " and " * (len(tier) > 1) + tier[-1] for tier in tiers)
    assert f"Tiers: {' above '.join(in_words)}." in said

    # Every pair of different tiers is told apart, on the side of the higher one.
    tier = frame["tier"].to_dict()
    pairs = be.compare(posterior, rope=(0.49, 0.51), verdict_prob=ranking.tier_prob).to_frame()
    assert len(pairs) == 15
    for pair in pairs.to_dict("records"):
        above, below = (tier[pair[side]] for side in ("system_a", "system_b"))
        assert above <= below
        assert pair["verdict"] != "B better"
        if above < below:
            assert pair["p_a_better"] >= ranking.tier_prob
            assert pair["verdict"] != "equivalent"
