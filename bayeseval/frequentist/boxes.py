"""Chi-square tests of a question with several boxes, box by box."""

import itertools
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayeseval._checks import nearest, shown, some
from bayeseval._records import Record, Shown
from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
)
from bayeseval.judgements._intake import as_pandas

# Cochran's rule: below five expected answers in a cell the distribution of chi-square is not near.
FEWEST_EXPECTED = 5


def box_tests(
    frame: object,
    *,
    system: str,
    boxes: Sequence[str],
    pairs: bool = False,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> Record:
    """Test for every box of a question whether systems differ in how often it is ticked.

    For a question of which several boxes may be ticked ("missing information", "added
    information"): each box by itself, since the boxes of one answer are no categories of one
    variable. Pearson's chi-square of systems × (ticked, not ticked), without Yates' correction.

    Parameters
    ----------
    frame : data frame
        Any that narwhals accepts, one row a judged output.
    system : str
        Column of the system.
    boxes : sequence of str
        Columns that say whether a box was ticked: Boolean, or 0 and 1. Of one column of text,
        pandas' ``str.get_dummies`` makes them.
    pairs : bool
        Test every two systems instead of all together.
    alpha : float
        Level of significance of the verdicts, applied to the corrected p value.
    correction : {"holm", "bonferroni", "none"}
        Correction over all rows: the boxes, or boxes × pairs.

    Returns
    -------
    Record
        One row a box (and two systems), with the columns ``box``, with ``pairs`` ``system_a`` and
        ``system_b``, ``n`` (answers), ``ticked`` (how many of them), ``<system>`` (share of its
        answers, for each system) or with ``pairs`` ``share_a`` and ``share_b``, ``chi2``, ``df``,
        ``p``, ``p_corrected``, ``cramers_v`` (0 = no difference, 1 = the system decides),
        ``smallest_expected`` (below 5 the p value is rough), ``verdict`` ("differ",
        "not rejected", "not defined") and ``note``. A box that nobody ticked, or everybody, has
        no test. All answers are taken as independent, which several of one annotator or to one
        item are not: p is then too small.

    Raises
    ------
    JudgementError
        If a column is missing, or a box holds something else than ticked or not.
    DesignError
        If there is only one system.
    """
    alpha, correction = checked_alpha(alpha), checked_correction(correction)
    table = as_pandas(frame)
    if not isinstance(boxes, str | Iterable) or not isinstance(system, Hashable):
        raise JudgementError(
            "system= names a column and boxes= a list of them; found "
            f"{shown(system)} and {shown(boxes)}."
        )
    boxes = [boxes] if isinstance(boxes, str) else list(dict.fromkeys(boxes))
    if not boxes:
        raise JudgementError("boxes= names no column; expected one at least.")
    for name in (system, *boxes):
        if name not in table:
            meant = nearest(name, list(map(str, table.columns)))
            raise JudgementError(
                f"there is no column {name!r}; there are {some(list(map(str, table.columns)))}"
                + (f". Did you mean {meant!r}?" if meant else "")
            )
    known = table[[system, *boxes]].notna().all(axis=1)
    table = table[known]
    given = table[system].astype(str)
    systems = sorted(given.unique())
    if len(systems) < 2:
        raise DesignError(f"a test needs two systems at least; found {some(systems)}.")
    rows = []
    for box in boxes:
        other = sorted(set(table[box]) - {0, 1}, key=str)
        if other:
            raise JudgementError(
                f"box {box!r} must be True and False, or 1 and 0; found "
                f"{some(list(map(str, other)))}."
            )
        counts = pd.crosstab(given, table[box].astype(bool)).reindex(
            columns=[True, False], fill_value=0
        )
        groups = list(itertools.combinations(systems, 2)) if pairs else [tuple(systems)]
        for group in groups:
            own = counts.loc[list(group)].to_numpy()
            share = own[:, 0] / own.sum(axis=1)
            names = ("share_a", "share_b") if pairs else group
            rows.append(
                {
                    "box": box,
                    **(dict(zip(("system_a", "system_b"), group, strict=True)) if pairs else {}),
                    "n": int(own.sum()),
                    "ticked": int(own[:, 0].sum()),
                    **dict(zip(names, share.tolist(), strict=True)),
                    **_chi_square(own),
                }
            )
    found = pd.DataFrame(rows)
    place = list(found.columns).index("p") + 1
    found.insert(place, "p_corrected", corrected(found["p"].to_numpy(), correction))
    verdict = np.where(found["p_corrected"] < alpha, "differ", "not rejected")
    found.insert(len(found.columns) - 1, "verdict", verdict)
    found.loc[found["p"].isna(), "verdict"] = "not defined"
    dropped = int((~known).sum())
    notes = [
        (
            f"Shares: of a system's answers. p corr.: {NAMES[correction]} over the rows; verdict "
            f"at {alpha:g}. All answers are taken as independent: several of one annotator make p "
            "too small."
        ),
        *([f"{dropped:,} rows with a missing cell were left out."] if dropped else []),
        *dict.fromkeys(note for note in found["note"] if note),
    ]
    compared = (
        [Shown("system_a", "A", "label"), Shown("system_b", "B", "label"),
         Shown("share_a", "share of A"), Shown("share_b", "share of B")]
        if pairs
        else [Shown(name, name) for name in systems]
    )  # fmt: skip
    return Record(
        table=found,
        title="Chi-square of each box",
        notes=tuple(notes),
        shown=(
            Shown("box", "box", "label"),
            *compared,
            Shown("chi2", "χ²"),
            Shown("df", "df", "count"),
            Shown("p_corrected", "p corr.", "p"),
            Shown("cramers_v", "Cramér's V"),
            Shown("verdict", "verdict", "text"),
        ),
    )


def _chi_square(counts: np.ndarray) -> dict[str, float | int | str]:
    """Test the counts of systems × (ticked, not ticked)."""
    from scipy.stats import chi2_contingency

    df = len(counts) - 1
    if not counts.sum(axis=0).all():
        who = "everybody" if counts[:, 0].any() else "nobody"
        undefined = dict.fromkeys(("chi2", "p", "cramers_v"), float("nan"))
        note = f"A box that {who} ticked tells no systems apart: there is no test."
        return {"df": df, **undefined, "smallest_expected": 0.0, "note": note}
    result: Any = chi2_contingency(counts, correction=False)
    smallest = float(result.expected_freq.min())
    note = (
        f"Fewer than {FEWEST_EXPECTED} answers are expected in a cell: chi-square is rough there."
        if smallest < FEWEST_EXPECTED
        else ""
    )
    return {
        "chi2": float(result.statistic),
        "df": df,
        "p": float(result.pvalue),
        "cramers_v": float(np.sqrt(result.statistic / counts.sum())),
        "smallest_expected": smallest,
        "note": note,
    }
