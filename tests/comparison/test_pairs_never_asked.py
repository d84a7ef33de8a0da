"""A pair that nobody was asked about has the same answer, none, wherever it is read."""

import numpy as np
import pandas as pd

import bayeseval as be
from bayeseval.families.bayesian_bootstrap import BayesianBootstrap
from bayeseval.judgements import SPAJudgements


def _chain() -> be.Posterior:
    """Twelve annotators state A against R and B against R, never A against B."""
    rng = np.random.default_rng(5)
    rows = [
        (f"r{i}", one, "R", float(np.clip(mean + rng.normal(0, 0.05), 0, 1)))
        for i in range(12)
        for one, mean in (("A", 0.8), ("B", 0.3))
    ]
    table = pd.DataFrame(rows, columns=["annotator", "system_a", "system_b", "probability"])
    judgements = SPAJudgements.from_frame(
        table,
        annotator="annotator",
        system_a="system_a",
        system_b="system_b",
        probability="probability",
        bounds=(0, 1),
    )
    return be.fit(judgements, BayesianBootstrap(), random_seed=1, progressbar=False)


def test_rank_and_compare_agree_on_what_is_known() -> None:
    posterior = _chain()
    part = be.rank(posterior).parts[0]
    assert part.better.isna().loc["A", "B"]
    assert part.better.loc["A", "R"] == 1.0
    assert part.decided(0.95) == 2
    assert part.not_apart("A", 0.95) == ("B",)
    assert len(part.tiers) == 1
    assert list(part.table["n_better_than"]) == [1, 1, 0]

    said = " ".join(str(be.rank(posterior)).split())
    assert "2 of the 3 pairs can be told apart" in said
    assert "Nothing is known of 1 pair" in said
    pairs = " ".join(str(be.compare(posterior)).split())
    assert "Choosing the likelier side in the 2 pairs with an estimate" in pairs


def test_neighbours_never_asked_have_no_probability() -> None:
    posterior = _chain()
    pieces = be.rank(posterior).to_frame()
    assert list(pieces["system"]) == ["A", "R", "B"]
    assert pieces["p_better_than_next"].notna().tolist() == [True, True, False]
