"""Friedman's test: whether annotators, or items, rank the systems alike."""

from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval._records import Record, Shown, split
from bayeseval._slices import slices, strata
from bayeseval._units import answers_about, block_means, both_sides
from bayeseval.errors import DesignError
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements

type Block = Literal["annotator", "item"]


@takes_judgements
def friedman(
    judgements: Judgements,
    *,
    block: Block = "annotator",
    by: str | None = None,
    incomplete: Literal["refuse", "drop"] = "refuse",
    criterion: str | None = None,
) -> Record:
    """Test whether annotators (or items) rank the systems alike, by Friedman's test.

    Parameters
    ----------
    judgements : Judgements
        Ratings, magnitudes, or strengths of preference (which count for both of their systems), of
        at least three systems. Where there are moderators a block's mean is over their levels,
        equally weighted.
    block : {"annotator", "item"}
        What ranks the systems, by its mean answers.
    by : str, optional
        A factor to give one result a level of, such as a moderator.
    incomplete : {"refuse", "drop"}
        What to do with blocks that lack a system: raise, or leave them out and count them.
    criterion : str, optional
        Criterion; each in turn where left out.

    Returns
    -------
    Record
        One row a criterion, with the columns ``criterion`` (only where there are criteria),
        ``block``, ``chi2`` (corrected for ties), ``df``, ``p``, ``kendalls_w`` =
        chi2 / (n_blocks · (n_systems − 1)), ``n_blocks``, ``n_systems``, ``n_left_out`` (blocks)
        and ``note``. Where every block ties all systems chi2, p and W are NaN.

    Raises
    ------
    DesignError
        If there are fewer than three systems or two complete blocks, or blocks are incomplete.

    References
    ----------
    Friedman, M. (1937). The use of ranks to avoid the assumption of normality. Journal of the
    American Statistical Association 32, 675–701. https://doi.org/10.1080/01621459.1937.10503522
    """
    from scipy.stats import friedmanchisquare

    if block not in ("annotator", "item"):
        raise DesignError(f"block must be 'annotator' or 'item'; got {block!r}")
    if incomplete not in ("refuse", "drop"):
        raise DesignError(f"incomplete must be 'refuse' or 'drop'; got {incomplete!r}")
    within, names = strata(judgements, "system", block, by)
    rows = []
    for piece in slices(judgements, criterion, by):
        cells, blocks = _cells(judgements, piece.rows, block, within)
        n_systems = cells.shape[1]
        if n_systems < 3:
            raise DesignError(
                f"Friedman's test needs at least three systems{piece.where}; found {n_systems}. "
                "For two use rating_tests."
            )
        complete = np.isfinite(cells).all(axis=1)
        lacking = [label for label, whole in zip(blocks, complete, strict=True) if not whole]
        if lacking and incomplete == "refuse":
            raise DesignError(
                f"Friedman's test needs every {block} to have judged every system{piece.where}; "
                f"{len(lacking)} of {len(blocks)} have not: {some(lacking)}. Use "
                f"anova(within={block!r}), which fits a mixed model to unbalanced data, or leave "
                "them out with incomplete='drop'."
            )
        if complete.sum() < 2:
            raise DesignError(
                f"Friedman's test needs at least two complete {block}s{piece.where}; found "
                f"{int(complete.sum())}."
            )
        kept = cells[complete]
        n_blocks = len(kept)
        statistic = p = float("nan")
        if (np.ptp(kept, axis=1) > 0).any():
            result = friedmanchisquare(*kept.T)
            statistic, p = float(result.statistic), float(result.pvalue)
        rows.append(
            {
                **piece.key,
                "block": block,
                "chi2": statistic,
                "df": n_systems - 1,
                "p": p,
                "kendalls_w": statistic / (n_blocks * (n_systems - 1)),
                "n_blocks": n_blocks,
                "n_systems": n_systems,
                "n_left_out": len(lacking),
                "note": ""
                if np.isfinite(statistic)
                else f"Every {block} gave all systems the same mean answer: no ranks to test.",
            }
        )
    table = pd.DataFrame(rows)
    return Record(
        table=table,
        title=f"Friedman's test by {block}",
        notes=(
            *([f"Means are over the levels of {names}."] if within is not None else []),
            *(both_sides(judgements) if judgements.is_paired else ()),
            *dict.fromkeys(note for note in table["note"] if note),
        ),
        shown=(
            *split(by),
            Shown("chi2", "χ²", decimals=2),
            Shown("df", "df", "count"),
            Shown("p", "p", "p"),
            Shown("kendalls_w", "Kendall's W"),
            Shown("n_blocks", f"{block}s", "count"),
            Shown("n_left_out", "left out", "count"),
        ),
    )


def _cells(
    judgements: Judgements, rows: np.ndarray, block: str, within: np.ndarray | None
) -> tuple[np.ndarray, list[str]]:
    """Return mean answers by block and system of those that occur, and the blocks' labels."""
    if not judgements.has(block):
        raise DesignError(f"this table has no {block}s: the comparison within them cannot be made.")
    answers = answers_about(judgements, rows, "system", what="friedman")
    present, own = np.unique(judgements.codes(block)[answers.rows], return_inverse=True)
    _, system = np.unique(answers.level, return_inverse=True)
    stratum = None if within is None else within[answers.rows]
    cells = block_means(answers.values, own, system, stratum)
    return cells, [judgements.labels(block)[code] for code in present]
