"""Recompute the tests of Karpinska, Akoury & Iyyer (2021), The Perils of Using Mechanical Turk.

The raw ratings are not public: tests are recomputed from printed means and standard deviations;
alpha and exact agreement cannot be. From rows: rating_tests(ratings, "day", pair_by="none",
correction="bonferroni"), and krippendorff_alpha and exact_agreement with by="day".

Run: python examples/papers_perils.py [--data FOLDER]
"""

from pathlib import Path

import pandas as pd
from papers_data import data_folder, show

from bayeseval.frequentist import anova_from_summary, welch_from_summary

# The conditions in perils_ratings.csv that each table of tests compares: human, GPT-2.
CONDITIONS = {
    "A4": ("Upwork Reference", "Upwork GPT-2"),
    "A5": ("Teachers Reference", "Teachers GPT-2"),
    "A14": ("Day 1 (all quals.)", "AMT GPT-2 (alone)"),
    "A15": ("Day 2 (all quals.)", "AMT GPT-2 (alone)"),
    "A16": ("Day 3 (all quals.)", "AMT GPT-2 (alone)"),
    "A17": ("- English-speaking countries", "AMT GPT-2 (alone)"),
    "A18": ("AMT Reference (side by side)", "AMT GPT-2 (side by side)"),
}
GROUPS = (
    "Day 1 (all quals.)",
    "Day 2 (all quals.)",
    "Day 3 (all quals.)",
    "- English-speaking countries",
)


def welch(data: Path) -> pd.DataFrame:
    """Welch's t and df from printed means and SDs, beside the printed ones."""
    ratings = pd.read_csv(data / "printed_tables" / "perils_ratings.csv")
    ratings = ratings.set_index(["condition", "attribute"])
    printed = pd.read_csv(data / "printed_tables" / "perils_welch.csv")
    rows = list(zip(printed["table"], printed["attribute"], strict=True))
    human, model = (
        ratings.loc[[(CONDITIONS[table][side], attribute) for table, attribute in rows]]
        for side in (0, 1)
    )
    ours = welch_from_summary(
        mean_a=human["mean"],
        sd_a=human["sd"],
        n_a=human["n_ratings"],
        mean_b=model["mean"],
        sd_b=model["sd"],
        n_b=model["n_ratings"],
    ).to_frame()
    table = printed[["table", "comparison", "attribute"]].copy()
    table["t printed"], table["our t"] = printed["t"], ours["t"]
    table["df printed"], table["our df"] = printed["df"], ours["df"]
    # Within .15 as far as two printed decimals can tell.
    near_t = (table["t printed"] - table["our t"]).abs() <= 0.155
    near_df = (table["df printed"] - table["our df"]).abs() <= 6
    table["agree"] = near_t & near_df
    return table


def anovas(data: Path) -> pd.DataFrame:
    """One-way analysis of variance over Day 1, 2, 3 and non-native speakers."""
    ratings = pd.read_csv(data / "printed_tables" / "perils_ratings.csv")
    printed = pd.read_csv(data / "printed_tables" / "perils_anova.csv")
    found = []
    for _, line in printed.iterrows():
        here = ratings[
            ratings["condition"].isin(GROUPS) & (ratings["attribute"] == line["attribute"])
        ]
        ours = anova_from_summary(mean=here["mean"], sd=here["sd"], n=here["n_ratings"])
        row = ours.to_frame().iloc[0]
        found.append(
            {
                "table": line["table"],
                "attribute": line["attribute"],
                "F printed": line["F"],
                "our F": row["F"],
                "df": f"{row['df1']}, {row['df2']}",
                "η² printed": line["eta2_partial"],
                "our η²": row["eta2_partial"],
            }
        )
    return pd.DataFrame(found)


def posthoc(data: Path) -> pd.DataFrame:
    """Pairs of days, Bonferroni over the six pairs of an attribute."""
    ratings = pd.read_csv(data / "printed_tables" / "perils_ratings.csv")
    ratings = ratings.set_index(["condition", "attribute"])
    printed = pd.read_csv(data / "printed_tables" / "perils_posthoc_bonferroni.csv")
    names = dict(zip(("Day 1", "Day 2", "Day 3", "NNS"), GROUPS, strict=True))
    tables = []
    for attribute, lines in printed.groupby("attribute", sort=False):
        one, two = (
            ratings.loc[[(names[group], attribute) for group in lines[column]]]
            for column in ("group_1", "group_2")
        )
        ours = welch_from_summary(
            mean_a=one["mean"],
            sd_a=one["sd"],
            n_a=one["n_ratings"],
            mean_b=two["mean"],
            sd_b=two["sd"],
            n_b=two["n_ratings"],
            correction="bonferroni",
        ).to_frame()
        columns = lines[["attribute", "group_1", "group_2", "p"]].reset_index(drop=True)
        tables.append(columns.assign(**{"our p": ours["p_corrected"]}))
    return pd.concat(tables, ignore_index=True)


if __name__ == "__main__":
    folder = data_folder(str(__doc__))
    tests = welch(folder)
    cannot = tests[~tests["agree"]]
    show(
        f"Welch's t: {int(tests['agree'].sum())} of {len(tests)} rows agree",
        tests,
        "Cannot be had from the printed means and SDs: "
        + "; ".join(f"{row.table} {row.attribute}" for row in cannot.itertuples()),
        "(Tables A3 and A4 of the paper disagree on relevance and likability of the reference.)",
    )
    show(
        "Analysis of variance over days",
        anovas(folder),
        "Means and SDs are printed to two decimals: F agrees to about 4 %.",
    )
    show(
        "Pairs of days, Bonferroni",
        posthoc(folder),
        "Ours by Welch's test. Grammar and likability agree. The printed tables of coherence (A9)",
        "and relevance (A11) fit each other's means: they seem to be exchanged.",
    )
