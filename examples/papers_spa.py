"""SPA (Ethayarajh & Jurafsky 2022): what its Table 1 supposes, and its test on public data.

Neither raw answers nor SDs of Table 1 are public. Shown are the SDs at which each printed star
would hold, the power of the test, and the test on AlpacaEval 2, where an LLM judge states a
probability for every item.

Run: python examples/papers_spa.py [--data FOLDER]
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from papers_data import data_folder, show
from scipy.stats import t as t_distribution

from bayeseval.frequentist import PowerCurve, rating_power, spa_power, spa_test, win_rates
from bayeseval.judgements import SPAJudgements

BASELINE = "gpt4_1106_preview"
LEVELS = {"***": 0.01, "**": 0.05, "*": 0.10}


def alpaca(data: Path) -> SPAJudgements:
    """Read the stated probabilities of all systems against the baseline."""
    frames = []
    for path in sorted((data / "alpacaeval2_llm_judge").glob("*.json")):
        frame = pd.DataFrame(json.loads(path.read_text(encoding="utf-8")))
        # NullModel calls its system "example"; the file name is the model's.
        frames.append(frame.assign(system=path.stem, probability=frame["preference"] - 1))
    table = pd.concat(frames)
    table = table[table["system"] != BASELINE].assign(baseline=BASELINE)
    return SPAJudgements.from_frame(
        table,
        annotator="annotator",
        system_a="system",
        system_b="baseline",
        probability="probability",
        item="item",
        bounds=(0, 1),
    )


def leaderboard(data: Path) -> pd.DataFrame:
    """Win rate, its standard error and t against one half, beside the published leaderboard."""
    judgements = alpaca(data)
    printed = pd.read_csv(data / "alpacaeval2_llm_judge" / "leaderboard_extract.csv", index_col=0)
    rates = win_rates(judgements).to_frame().set_index("system")
    tests = spa_test(judgements).to_frame().set_index("system_a")
    found = [
        {
            "model": model,
            "printed": printed.loc[model, "win_rate"],
            "our win rate": 100 * rates.loc[model, "win_rate"],
            "printed SE": printed.loc[model, "standard_error"],
            "our SE": 100 * rates.loc[model, "se"],
            "t": tests.loc[model, "t"],
            "p (Holm)": tests.loc[model, "p_corrected"],
        }
        for model in printed.index
        if model in tests.index
    ]
    return pd.DataFrame(found)


def table1(data: Path) -> pd.DataFrame:
    """Table 1, with the largest SD at which each printed star holds, before correction."""
    printed = pd.read_csv(data / "printed_tables" / "spa_table1.csv")
    found = []
    for _, line in printed.iterrows():
        n, distance = int(line["n_annotators"]), abs(line["p_x_better_spa"] - 0.5)
        level = LEVELS.get(str(line["p_stars"]), 0.10)
        critical = t_distribution.ppf(1 - level / 2, n - 1)
        found.append(
            {
                "X": line["system_x"],
                "Y": line["system_y"],
                "expected": line["expected"],
                "P[X better]": line["p_x_better_spa"],
                "stars": line["p_stars"],
                "SD": distance * np.sqrt(n) / critical,
                "holds for": "smaller SDs" if isinstance(line["p_stars"], str) else "larger SDs",
            }
        )
    return pd.DataFrame(found)


def figure2() -> dict[str, PowerCurve]:
    """Power of both protocols for curie against babbage of Table 1, one of its five pairs.

    SDs are not printed; supposed are 0.25 of a probability and 1.5 of a difference of ratings.
    """
    around = range(20, 401, 20)
    return {
        "stated probabilities": spa_power(mean=0.63, sd=0.25, n_annotators=around, n_tests=5),
        "Likert ratings": rating_power(difference=0.322, sd=1.5, n_annotators=around, n_tests=5),
    }


if __name__ == "__main__":
    folder = data_folder(str(__doc__))
    show("Table 1: SDs at which the printed stars hold (uncorrected)", table1(folder))
    curves = figure2()
    show(
        "Figure 2: power for curie against babbage (SDs supposed), five tests",
        pd.DataFrame({name: curve.table["power"] for name, curve in curves.items()}).assign(
            annotators=next(iter(curves.values())).table["n_annotators"]
        ),
        *(
            f"For a power of .8, {name}: {curve.needed(0.8)['n_annotators'].iloc[0]} annotators."
            for name, curve in curves.items()
        ),
    )
    show("AlpacaEval 2: the SPA test of an LLM judge's probabilities", leaderboard(folder))
