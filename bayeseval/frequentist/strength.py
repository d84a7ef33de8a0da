"""T-tests of strengths of preference against zero."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from bayeseval._records import Record
from bayeseval._slices import slices
from bayeseval.errors import JudgementError
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
    verdicts,
)
from bayeseval.frequentist._stated import (
    SHOWN,
    Unit,
    both_directions,
    by_direction,
    chosen_unit,
    family,
    one_sample,
    pair_labels,
    unit_words,
)
from bayeseval.judgements import StrengthJudgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.judgements._guards import STRENGTHS_WITH_ORDER, order_notes
from bayeseval.settings import resolve_ci


@takes_judgements
def strength_test(
    judgements: StrengthJudgements,
    alpha: float = 0.05,
    correction: Correction = "holm",
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    unit: Unit = "auto",
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> Record:
    """Test for every pair whether the mean strength of preference differs from zero.

    The two-sided one-sample t-test, as `spa_test` does it for probabilities. Strengths for B
    against A count with their sign turned.

    Parameters
    ----------
    judgements : StrengthJudgements
        Signed strengths of preference.
    alpha : float
        Level of significance, applied to the corrected p value.
    correction : {"holm", "bonferroni", "none"}
        Correction over the pairs of one criterion.
    pairs, unit, criterion, ci_prob
        As in `spa_test`.

    Returns
    -------
    Record
        One row a pair, with the columns of `spa_test`; ``mean`` is the mean strength, positive for
        A.

    Raises
    ------
    JudgementError
        If these are no strengths.
    """
    if not isinstance(judgements, StrengthJudgements):
        raise JudgementError(
            f"strength_test needs StrengthJudgements; got {type(judgements).__name__}."
        )
    alpha, correction = checked_alpha(alpha), checked_correction(correction)
    prob, _ = resolve_ci(ci_prob)
    chosen = chosen_unit(judgements, unit)
    ends = (-judgements.bound, judgements.bound)
    frames = []
    for piece in slices(judgements, criterion):
        tested = family(
            both_directions(by_direction(judgements, piece, chosen), 0.0),
            pairs,
            judgements.systems,
            whole=0.0,
        )
        frame = pd.DataFrame(
            [
                {
                    **piece.key,
                    **pair_labels(judgements, pair),
                    **one_sample(values, 0.0, prob, ends),
                }
                for pair, (_, values) in tested.items()
            ]
        ).rename(columns={"estimate": "mean"})
        frame["p_corrected"] = corrected(frame["p"].to_numpy(), correction)
        frame["verdict"] = verdicts(
            frame["mean"].to_numpy(), frame["p_corrected"].to_numpy(), alpha, neutral=0.0
        )
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    return Record(
        table=table,
        title="Strength of preference against zero",
        notes=(
            (
                f"One value is {unit_words(chosen)}. Interval: {100 * prob:.10g} %, not corrected. "
                f"p corr.: {NAMES[correction]} over the pairs of one criterion; verdict at "
                f"{alpha:g}."
            ),
            *dict.fromkeys(note for note in table["note"] if note),
            *order_notes(judgements, "means", STRENGTHS_WITH_ORDER),
        ),
        shown=tuple(replace(s, heading="mean") if s.column == "mean" else s for s in SHOWN),
    )
