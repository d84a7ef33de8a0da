"""Reproduce the agreement table of MT-Bench (Zheng et al. 2023), and rank its models.

Run: python examples/papers_mtbench.py [--data FOLDER]
"""

from pathlib import Path

import pandas as pd
from papers_data import data_folder, show

from bayeseval.agreement import vote_agreement
from bayeseval.frequentist import bradley_terry_ml, win_rates
from bayeseval.judgements import PairwiseJudgements

PRINTED = {
    ("GPT-4", 1, "keep"): (0.66, 1343),
    ("GPT-4", 1, "drop"): (0.85, 859),
    ("GPT-4", 2, "keep"): (0.66, 1325),
    ("GPT-4", 2, "drop"): (0.85, 864),
    ("human", 1, "keep"): (0.63, 721),
    ("human", 1, "drop"): (0.81, 479),
    ("human", 2, "keep"): (0.67, 707),
    ("human", 2, "drop"): (0.82, 474),
}


def votes(frame: pd.DataFrame) -> PairwiseJudgements:
    """Read votes; a verdict that flips when the answers are swapped is a tie."""
    return PairwiseJudgements.from_frame(
        frame,
        annotator="judge",
        system_a="model_a",
        system_b="model_b",
        outcome="winner",
        outcomes={"model_a": "a", "model_b": "b", "tie": "tie", "tie (inconsistent)": "tie"},
        item="question_id",
        repeats=True,
    )


def read(data: Path, name: str) -> pd.DataFrame:
    """Read one of the two files."""
    return pd.read_json(data / "mtbench_human" / f"{name}.jsonl", lines=True)


def agreement(data: Path) -> pd.DataFrame:
    """Every expert's vote against every other's, or GPT-4's, on the same pair and question."""
    human, judge = read(data, "human"), read(data, "gpt4_pair")
    human = human[human["judge"].str.startswith("expert_")]
    found = []
    for (against, turn, ties), (share, number) in PRINTED.items():
        ours = votes(human[human["turn"] == turn])
        other = votes(judge[judge["turn"] == turn]) if against == "GPT-4" else None
        row = vote_agreement(ours, other, ties=ties).to_frame().iloc[0]  # type: ignore[arg-type]
        found.append(
            {
                "human against": against,
                "turn": turn,
                "ties": ties,
                "printed": share,
                "printed n": number,
                "ours": row["agreement"],
                "agree": row["n_agree"],
                "our n": row["n_pairs"],
                "kappa": row["kappa"],
            }
        )
    return pd.DataFrame(found)


def ranking(data: Path) -> pd.DataFrame:
    """Win rates and Bradley–Terry log-worths of humans and of GPT-4."""
    found = {}
    for name in ("human", "gpt4_pair"):
        judgements = votes(read(data, name))
        rates = win_rates(judgements).to_frame().set_index("system")["win_rate"]
        found[f"win rate, {name}"] = rates
        for ties in ("half", "drop", "davidson"):
            fitted = bradley_terry_ml(judgements, ties=ties)  # type: ignore[arg-type]
            found[f"{ties}, {name}"] = fitted.log_worth
    return pd.DataFrame(found).sort_values("half, human", ascending=False).reset_index()


if __name__ == "__main__":
    folder = data_folder(str(__doc__))
    show("Agreement", agreement(folder))
    show("Rankings", ranking(folder), "half, drop, davidson: Bradley–Terry, by rule for ties.")
