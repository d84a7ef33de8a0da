"""Which factor chance chose for the systems: what a test pairs, and a bootstrap resamples, by."""

from collections.abc import Sequence

import numpy as np

from bayeseval._slices import Slice
from bayeseval.judgements import Judgements

# Two systems of the same quality, N annotators each, of whom a share judged both, all on 20 items;
# severities of SD s, items 0.5, noise 1. In 2,000 tables, the share of p < .05 of the t-test paired
# by item, paired by the annotators of both, and Welch's by annotator; in 400 of them, how often the
# 95 % bootstrap interval by item, and by annotator, holds 0.
#
#    N   s   shared     item  paired  Welch    by item  by annotator
#    8  0.3  none       .22     –      .05       .75        .92
#    8  0.3  25 %       .19    .04     .03       .77        .92
#    8  0.3  50 %       .14    .05     .02       .82        .91
#    8  0.3  75 %       .10    .05     .01       .86        .89
#    8  0.3  all but 1  .07    .04     .00       .90        .91
#    8  0.3  all        .05    .06     .01       .93        .89
#    8  1    none       .65     –      .05       .31        .92
#    8  1    one        .63     –      .04       .35        .91
#    8  1    50 %       .54    .05     .01       .43        .92
#    8  1    75 %       .41    .05     .00       .50        .92
#    8  1    all but 1  .29    .05     .00       .67        .92
#    8  1    all        .04    .05     .00       .93        .91
#   20  1    none       .68     –      .05       .27        .93
#   20  1    50 %       .55    .04     .01       .43        .92
#   20  1    all but 1  .15    .05     .00       .81        .90
#
# So items stand for what chance chose only where the same annotators judged both systems. With any
# other share annotators do: paired where at least half are shared, and by Welch's test, which is
# then cautious, where fewer are.


def chance_unit(
    judgements: Judgements,
    rows: np.ndarray,
    level: np.ndarray,
    levels: Sequence[int] | np.ndarray,
    factor: str = "system",
) -> str | None:
    """Name the factor that a comparison of levels rests on.

    Annotators where not the same ones judged all these levels, several a level and one several
    times; else items; else annotators.

    Parameters
    ----------
    judgements : Judgements
        A table of outputs, not of pairs.
    rows : numpy.ndarray
        Rows that are compared, each as often as it counts.
    level : numpy.ndarray
        Code of the factor, for each of them.
    levels : sequence of int
        The levels that are compared.
    factor : str
        What is compared.

    Returns
    -------
    str or None
        "annotator" or "item"; None where there is neither, or one alone.
    """
    known = _known(judgements, factor)
    if len(known) == 2 and _differ(judgements.codes("annotator")[rows], level, levels):
        return "annotator"
    return known[0] if known else None


def unit_of_all(judgements: Judgements, pieces: Sequence[Slice]) -> str | None:
    """Name the factor for all systems, one for all criteria (and levels) of a table.

    Parameters
    ----------
    judgements : Judgements
        Any protocol; pairs rest on items, else on annotators.
    pieces : sequence of Slice
        What is compared, each by itself.

    Returns
    -------
    str or None
        As of `chance_unit`: annotators where any criterion asks for them.
    """
    if judgements.is_paired:
        return next(iter(_known(judgements, "system")), None)
    level = judgements.codes("system")
    found = [
        chance_unit(judgements, piece.rows, level[piece.rows], np.unique(level[piece.rows]))
        for piece in pieces
    ]
    return "annotator" if "annotator" in found else found[0]


def _known(judgements: Judgements, factor: str) -> list[str]:
    """Return the factors that can stand for chance, of which there is more than one level."""
    return [
        name
        for name in ("item", "annotator")
        if name != factor and judgements.has(name) and len(judgements.labels(name)) > 1
    ]


def _differ(annotator: np.ndarray, level: np.ndarray, levels: Sequence[int] | np.ndarray) -> bool:
    """Say whether some two levels have different annotators, several, of repeated judgements."""
    n = int(annotator.max()) + 1
    answers = np.array([np.bincount(annotator[level == one], minlength=n) for one in levels])
    there = (answers > 0).astype(float)
    number = there.sum(axis=1)
    repeated = (answers > 1).any(axis=1)
    same = there @ there.T
    apart = same < np.maximum.outer(number, number)
    several = np.minimum.outer(number, number) > 1
    return bool((apart & several & np.logical_or.outer(repeated, repeated)).any())
