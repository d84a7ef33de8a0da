"""Check the design arithmetic of Belz & Kow (2010): pairs of systems, and degrees of freedom.

No raw data are public: the printed F, counts and W cannot be had, only what they suppose. Of your
own strengths anova, tukey(...).count and kendalls_w compute all three.

Run: python examples/papers_belz_kow.py [--data FOLDER]
"""

import re
from pathlib import Path

import pandas as pd
from papers_data import data_folder, show

from bayeseval.frequentist import design_counts


def pairs(data: Path) -> pd.DataFrame:
    """Count the pairs that "N sig diffs" is out of."""
    design = pd.read_csv(data / "printed_tables" / "belz_kow_design.csv")
    results = pd.read_csv(data / "printed_tables" / "belz_kow_results.csv")
    found = []
    for _, line in design.iterrows():
        here = results[
            (results["data"] == line["data"]) & (results["experiment"] == line["experiment"])
        ]
        counted = here.loc[here["measure"] == "N sig diffs", "clarity_or_adequacy"].iloc[0]
        ours = design_counts(n_systems=int(line["n_systems"]), n_trials=int(line["n_trials"]))
        found.append(
            {
                "data": line["data"],
                "experiment": line["experiment"],
                "printed": counted,
                "pairs printed": int(counted.split("/")[1]),
                "our pairs": int(ours.to_frame()["n_pairs"].iloc[0]),
            }
        )
    return pd.DataFrame(found)


def degrees(data: Path) -> pd.DataFrame:
    """Work out the degrees of freedom of every F from the design alone."""
    design = pd.read_csv(data / "printed_tables" / "belz_kow_design.csv")
    results = pd.read_csv(data / "printed_tables" / "belz_kow_results.csv")
    found = []
    for _, line in results.iterrows():
        match = re.fullmatch(r"F (system|text2?|evaluator) \((\d+),(\d+)\)", line["measure"])
        if match is None:
            continue
        name, df1, df2 = match[1], int(match[2]), int(match[3])
        here = design[
            (design["data"] == line["data"]) & (design["experiment"] == line["experiment"])
        ].iloc[0]
        of_pairs = line["experiment"] == "PJE"
        # The printed degrees of freedom give text2 15 levels; the design table has 112 items.
        n_items = 15 if name == "text2" else int(here["n_items"])
        ours = design_counts(
            n_systems=int(here["n_systems"]),
            n_items=n_items,
            n_annotators=int(here["n_evaluators"]),
            n_trials=int(here["n_trials"]),
            outputs_per_trial=2 if of_pairs else 1,
        ).to_frame()
        factor = {"system": "system", "evaluator": "annotator"}.get(name, "item")
        row = ours[ours["factor"] == factor].iloc[0]
        found.append(
            {
                "data": line["data"],
                "experiment": line["experiment"],
                "factor": name,
                "df printed": f"{df1}, {df2}",
                "our df": f"{row['df1']}, {row['df2']}",
                "agree": (df1, df2) == (row["df1"], row["df2"]),
            }
        )
    return pd.DataFrame(found)


if __name__ == "__main__":
    folder = data_folder(str(__doc__))
    show("Pairs of systems", pairs(folder))
    show(
        "Degrees of freedom",
        degrees(folder),
        "GREC-NEG PJE prints the residual of 300 answers for its systems, although a preference",
        "counts for two of them (590). METEO PJE implies 938 to 943 trials, not 1,210.",
    )
