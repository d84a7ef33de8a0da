"""Reproduce Tables 2, 3 and 4 of Novikova, Dušek & Rieser (2018), RankME, from its raw rows.

With TrueSkill's rankings, and chi-square tests of missing and added information.

Run: python examples/papers_rankme.py [--data FOLDER] [--resamples N]
"""

from pathlib import Path

import pandas as pd
from papers_data import data_folder, show

from bayeseval import TrueSkill, fit, trueskill_ranking
from bayeseval.agreement import criteria_correlation, icc
from bayeseval.frequentist import bootstrap_ranking, box_tests
from bayeseval.judgements import (
    Judgements,
    LikertJudgements,
    MagnitudeJudgements,
    to_pairwise,
)

METHODS = {"Likert": "likert", "Plain ME": "plainME", "RankME": "rankME"}
CRITERIA = {"inf": "informativeness", "nat": "naturalness", "qual": "quality"}
NAMES = {"slug2slug": "Slug2Slug", "baseline": "TGen", "sheffield_v2": "Sheffield"}


def rows(path: Path, wanted: list[str]) -> pd.DataFrame:
    """Read one of the twelve files as one row a judgement, columns by criterion."""
    frame = pd.read_csv(path)
    frame = frame.rename(columns={f"inf{k}": f"informativeness{k}" for k in (1, 2, 3)})
    if "team" not in frame:
        # RankME shows three texts a row.
        parts = [
            frame.rename(columns={f"{name}{k}": name for name in ("team", *wanted)})
            for k in (1, 2, 3)
        ]
        frame = pd.concat(part[["_worker_id", "mr", "team", *wanted]] for part in parts)
    frame["team"] = frame["team"].map(NAMES)
    return frame.melt(
        id_vars=["_worker_id", "mr", "team"],
        value_vars=wanted,
        var_name="criterion",
        value_name="answer",
    )


def judgements(data: Path, method: str, setup: int) -> Judgements:
    """Read the judgements of one method: criteria asked together (1) or apart (2)."""
    stem = data / "rankme" / f"stp{setup}_{METHODS[method]}"
    if setup == 1:
        frame = rows(stem.with_name(f"{stem.name}.csv"), list(CRITERIA.values()))
    else:
        frame = pd.concat(
            rows(stem.with_name(f"{stem.name}_{short}.csv"), [name])
            for short, name in CRITERIA.items()
        )
    columns = {"annotator": "_worker_id", "system": "team", "item": "mr", "criterion": "criterion"}
    if method == "Likert":
        return LikertJudgements.from_frame(frame, rating="answer", scale=(1, 6), **columns)
    return MagnitudeJudgements.from_frame(frame, magnitude="answer", reference=100, **columns)


def table2(data: Path) -> pd.DataFrame:
    """Spearman's correlations between criteria.

    All cells correlate item means, except naturalness–quality of Setup 2: there the paper pairs
    the k-th row of one file with the k-th of the other.
    """
    printed = pd.read_csv(data / "printed_tables" / "rankme_table2_spearman.csv")
    found = []
    for method in METHODS:
        for setup in (1, 2):
            table = criteria_correlation(judgements(data, method, setup), rows="slot").to_frame()
            for _, line in printed[printed["method"] == method].iterrows():
                pair = set(line["pair"].split("~"))
                apart = setup == 2 and pair == {"naturalness", "quality"}
                of = "row by row" if apart else "unit means"
                same = table.apply(
                    lambda row, pair=pair, of=of: (
                        {row["criterion_a"], row["criterion_b"]} == pair and row["of"] == of
                    ),
                    axis=1,
                )
                ours = table[same].iloc[0]
                found.append(
                    {
                        "pair": line["pair"],
                        "method": method,
                        "setup": setup,
                        "printed": line[f"setup{setup}"],
                        "printed p < .05": line[f"setup{setup}_sig"] == "*",
                        "ours": ours["correlation"],
                        "p": ours["p"],
                        "of": of,
                    }
                )
    return pd.DataFrame(found)


def table3(data: Path) -> pd.DataFrame:
    """Intraclass correlations of three judgements of a text, in file order."""
    printed = pd.read_csv(data / "printed_tables" / "rankme_table3_icc.csv")
    found = []
    for method in METHODS:
        for setup in (1, 2):
            table = icc(judgements(data, method, setup), raters="slot").to_frame()
            forms = table.pivot_table(index="criterion", columns="form", values="icc")
            for _, line in printed[printed["method"] == method].iterrows():
                ours = forms.loc[line["rating"]]
                found.append(
                    {
                        "method": method,
                        "rating": line["rating"],
                        "setup": setup,
                        "printed": line[f"setup{setup}"],
                        **{form: ours[form] for form in ("ICC(1,k)", "ICC(2,k)", "ICC(3,k)")},
                    }
                )
    return pd.DataFrame(found)


def table4(data: Path, n_resamples: int = 10_000, random_seed: int = 1) -> pd.DataFrame:
    """Rankings and the clusters that a paired bootstrap over the 100 MRs implies (Setup 2)."""
    printed = pd.read_csv(data / "printed_tables" / "rankme_table4_rankings.csv")
    found = []
    for method in METHODS:
        result = bootstrap_ranking(
            judgements(data, method, 2),
            resample="item",
            n_resamples=n_resamples,
            random_seed=random_seed,
            mean="arithmetic",
        )
        means = result.table.pivot_table(index="criterion", columns="system", values="score")
        for criterion in CRITERIA.values():
            here = printed[printed["criterion_and_method"] == f"{method} {criterion}"]
            found.append(
                {
                    "method": method,
                    "criterion": criterion,
                    "printed": here["ranking"].iloc[0] if len(here) else "",
                    "ours": result.ranking(criterion),
                    **{name: means.loc[criterion, name] for name in NAMES.values()},
                }
            )
    return pd.DataFrame(found)


def trueskill(data: Path, resamples: int = 400, random_seed: int = 1) -> pd.DataFrame:
    """Rankings by TrueSkill over the three texts of a row (RankME, Setup 2)."""
    printed = pd.read_csv(data / "printed_tables" / "rankme_table4_rankings.csv")
    found = []
    for short, criterion in CRITERIA.items():
        path = data / "rankme" / f"stp2_rankME_{short}.csv"
        one = pd.read_csv(path)
        one = one.rename(columns={f"inf{k}": f"informativeness{k}" for k in (1, 2, 3)})
        parts = [
            pd.DataFrame(
                {
                    "who": one["_worker_id"],
                    # A row of the file: texts are compared with those beside them only.
                    "row": one.index.astype(str),
                    "system": one[f"team{k}"].map(NAMES),
                    "answer": one[f"{criterion}{k}"],
                }
            )
            for k in (1, 2, 3)
        ]
        pairs = to_pairwise(
            MagnitudeJudgements.from_frame(
                pd.concat(parts),
                annotator="who",
                item="row",
                system="system",
                magnitude="answer",
                reference=100,
            )
        )
        family = TrueSkill(engine="compiled", resamples=resamples)
        ranking = trueskill_ranking(fit(pairs, family, draws=50, random_seed=random_seed))
        here = printed["criterion_and_method"] == f"TrueSkill {criterion}"
        found.append(
            {
                "criterion": criterion,
                "printed": printed.loc[here, "ranking"].iloc[0],
                "ours": " | ".join(" + ".join(sorted(group)) for group in ranking.clusters),
            }
        )
    return pd.DataFrame(found)


def ticks(data: Path) -> pd.DataFrame:
    """Read which boxes were ticked of each text (quality by RankME, Setup 2)."""
    one = pd.read_csv(data / "rankme" / "stp2_rankME_qual.csv")
    ticked = pd.concat(
        pd.DataFrame({"system": one[f"team{k}"].map(NAMES), "boxes": one[f"check{k}"]})
        for k in (1, 2, 3)
    )
    # Several boxes stand below one another in one cell.
    return pd.concat([ticked["system"], ticked["boxes"].str.get_dummies(sep="\n")], axis=1)


if __name__ == "__main__":
    folder = data_folder(str(__doc__))
    show(
        "Table 2: Spearman between criteria",
        table2(folder),
        "Row by row in Setup 2 pairs judgements of different people about one text.",
    )
    show(
        "Table 3: intraclass correlation",
        table3(folder),
        "The printed values are of the mean of three. Forms 2 and 3 depend on the order of rows.",
        "Three printed values cannot be had from the released rows: RankME quality, Setup 2;",
        "plain ME informativeness, Setup 1; plain ME naturalness, Setup 2.",
    )
    show(
        "Table 4: rankings",
        table4(folder),
        "Plain ME informativeness: Slug2Slug > TGen does not reach 95 % in the released rows.",
    )
    show("Table 4: rankings by TrueSkill", trueskill(folder))
    show(
        "Missing and added information: chi-square",
        box_tests(ticks(folder), system="system", boxes=["missing", "added"], pairs=True).table,
        "Printed rankings, fewest ticks first: missing TGen, Slug2Slug, Sheffield; "
        "added Slug2Slug, TGen, Sheffield.",
    )
