"""How leaving out incoherent annotators changes what SPA finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._records import Record, Shown
from bayeseval.errors import JudgementError
from bayeseval.frequentist._corrections import NAMES, Correction, checked_correction
from bayeseval.frequentist._stated import Unit
from bayeseval.frequentist.spa import spa_test
from bayeseval.judgements import SPAJudgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.judgements.filters import filter_incoherent, incoherent_annotators
from bayeseval.settings import resolve_ci


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FilterEffect(Record):
    """Mean stated probabilities of all annotators, and of the coherent ones; see `filter_effect`.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`; columns as in `filter_effect`.
    ci_prob : float
        Probability of the t intervals.
    """

    ci_prob: float


@takes_judgements
def filter_effect(
    judgements: SPAJudgements,
    taus: Sequence[float] = (1.5, 1.3, 1.1),
    *,
    alpha: float = 0.05,
    correction: Correction = "holm",
    directions: Literal["apart", "pooled"] = "pooled",
    unit: Unit = "auto",
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> FilterEffect:
    """Show how leaving out incoherent annotators changes the mean stated probability of every pair.

    The test of `spa_test` on all annotators, and on those whom `filter_incoherent` keeps at each
    τ: Figure 5 of the paper. `plot_filter_effect` draws it.

    Parameters
    ----------
    judgements : SPAJudgements
        Stated probabilities, with both directions of some pairs.
    taus : sequence of float
        Largest P[A≻B] + P[B≻A] that is let through, 1 to 2 each.
    alpha, correction, directions, unit, criterion, ci_prob
        As in `spa_test`; by default both directions of a pair are pooled.

    Returns
    -------
    FilterEffect
        One row a pair and filter, with the columns ``criterion`` (only where there are criteria),
        ``system_a``, ``system_b``, ``tau`` (missing for all annotators, who come first; then from
        the loosest filter to the strictest), ``n_annotators`` (whom the filter keeps), ``n`` (units
        of the pair, 0 where none is left), ``mean``, ``lower``, ``upper`` (t interval),
        ``change`` (of the mean from that of all annotators), ``p_corrected`` and ``verdict``. A τ
        at which nobody is left has no rows, and a note.

    Raises
    ------
    JudgementError
        If these are no SPA judgements, without identities, or without a pair in both directions;
        if a τ is not between 1 and 2.

    References
    ----------
    Ethayarajh, K., & Jurafsky, D. (2022). The authenticity gap in human evaluation. EMNLP.
    https://doi.org/10.18653/v1/2022.emnlp-main.406
    """
    if not isinstance(judgements, SPAJudgements):
        raise JudgementError(f"filter_effect needs SPAJudgements; got {type(judgements).__name__}.")
    if not isinstance(taus, Sequence) or isinstance(taus, str) or not taus:
        raise JudgementError(f"taus= must be a list of numbers, such as [1.5, 1.1]; got {taus!r}.")
    prob, _ = resolve_ci(ci_prob)

    def tested(kept: SPAJudgements) -> pd.DataFrame:
        return spa_test(
            kept,
            alpha,
            correction,
            directions=directions,
            unit=unit,
            criterion=criterion,
            ci_prob=prob,
        ).table

    before = tested(judgements)
    everybody = len(judgements.labels("annotator")) if judgements.has("annotator") else 0
    frames = [before.assign(tau=np.nan, n_annotators=everybody, change=0.0)]
    notes = []
    for tau in sorted(set(taus), reverse=True):
        n_left = everybody - len(incoherent_annotators(judgements, tau=tau))
        if not n_left:
            notes.append(f"At τ = {tau:g} nobody is left.")
            continue
        after = tested(filter_incoherent(judgements, tau=tau))
        after = _as_before(before, after, pooled=directions == "pooled")
        change = after["mean"] - before["mean"]
        frames.append(after.assign(tau=float(tau), n_annotators=n_left, change=change))
    keys = ["criterion"] if "criterion" in before else []
    columns = [*keys, "system_a", "system_b", "tau", "n_annotators", "n", "mean", "lower", "upper"]
    columns += ["change", "p_corrected", "verdict"]
    # Stable, so that the rows of one pair stay in the order of the filters.
    table = pd.concat(frames).sort_index(kind="stable").reset_index(drop=True)[columns]
    words = "both directions pooled" if directions == "pooled" else "each direction apart"
    return FilterEffect(
        table=table,
        title="Stated probability before and after leaving out incoherent annotators",
        notes=(
            (
                "τ: the largest P[A≻B] + P[B≻A] of any pair that an annotator may state; –: all "
                f"annotators. {words.capitalize()}; interval: {100 * prob:.10g} % t interval, not "
                f"corrected. p corr.: {NAMES[checked_correction(correction)]}; verdict at "
                f"{alpha:g}."
            ),
            *notes,
        ),
        shown=(
            Shown("system_a", "A", "label"),
            Shown("system_b", "B", "label"),
            Shown("tau", "τ", decimals=2),
            Shown("n_annotators", "annotators", "count"),
            Shown("n", "n", "count"),
            Shown("mean", "mean P"),
            Shown(("lower", "upper"), "interval"),
            Shown("change", "change"),
            Shown("p_corrected", "p corr.", "p"),
            Shown("verdict", "verdict", "text"),
        ),
        ci_prob=prob,
    )


def _as_before(before: pd.DataFrame, after: pd.DataFrame, *, pooled: bool) -> pd.DataFrame:
    """Bring the test of fewer annotators to the rows of that of all; a pair without any is NaN."""
    keys = [name for name in ("criterion", "system_a", "system_b") if name in before]
    if pooled:
        # Where only the other direction is left, the pair has changed sides.
        turned = after.rename(columns={"system_a": "system_b", "system_b": "system_a"})
        turned["mean"] = 1 - after["mean"]
        turned["lower"], turned["upper"] = 1 - after["upper"], 1 - after["lower"]
        sides = {"A better": "B better", "B better": "A better"}
        turned["verdict"] = after["verdict"].replace(sides)
        after = pd.concat([after, turned])
    values = [*keys, "n", "mean", "lower", "upper", "p_corrected", "verdict"]
    found = before[keys].merge(after[values], how="left", on=keys)
    found["n"] = found["n"].fillna(0).astype(int)
    found["verdict"] = found["verdict"].fillna("not defined")
    return found
