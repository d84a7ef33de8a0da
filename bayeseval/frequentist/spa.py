"""SPA: t-tests of stated probabilities against one half, and the coherence of directions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._checks import counted, some
from bayeseval._records import Record, Shown, printed
from bayeseval._slices import slices
from bayeseval._tables import Table
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
    mirror,
    one_sample,
    pair_labels,
    unit_words,
)
from bayeseval.judgements import SPAJudgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.judgements._guards import order_notes
from bayeseval.settings import resolve_ci

MOST_ANNOTATORS = 10
"""So many annotators are printed, of each criterion; all of them are in the record."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SPATest(Record):
    """SPA's tests, and whether the two directions of a pair mirror each other.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`.
    symmetry : pandas.DataFrame
        One row a pair that was asked in both directions; columns as in `spa_test`.
    by_annotator : pandas.DataFrame
        One row an annotator; columns as in `spa_test`. Empty where there are no identities.
    unit : str
        What one value of the test is the mean of.
    """

    symmetry: pd.DataFrame
    by_annotator: pd.DataFrame
    unit: str

    def tables(self) -> list[Table]:
        """Return the tables that are printed: the tests, and the coherence where it can be told.

        Returns
        -------
        list of Table
            Headings and formatted cells.
        """
        return [*super().tables(), *self.coherence_tables()]

    def coherence_tables(self) -> list[Table]:
        """Return the tables of P[A≻B] + P[B≻A] − 1, by pair and by annotator.

        Returns
        -------
        list of Table
            None where no pair was asked in both directions.
        """
        tables = []
        if len(self.symmetry):
            shown = (
                Shown("system_a", "A", "label"),
                Shown("system_b", "B", "label"),
                Shown("test", "test", "text"),
                Shown("n", "n", "count"),
                Shown("estimate", "P[A≻B] + P[B≻A] − 1"),
                Shown(("lower", "upper"), "interval"),
                Shown("t", "t", decimals=2),
                Shown("p_corrected", "p corr.", "p"),
            )
            nobody = not len(self.by_annotator) or not self.by_annotator["n_both"].any()
            note = "No annotator is known to have answered a pair in both directions."
            tables.append(
                Table(
                    "Do the two directions of a pair mirror each other?",
                    printed(self.symmetry, shown),
                    (note,) if nobody else (),
                )
            )
            if not nobody:
                tables.append(_annotator_table(self.by_annotator))
        return tables


@takes_judgements
def spa_test(
    judgements: SPAJudgements,
    alpha: float = 0.05,
    correction: Correction = "holm",
    *,
    directions: Literal["apart", "pooled"] = "apart",
    pairs: Sequence[tuple[str, str]] | None = None,
    unit: Unit = "auto",
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> SPATest:
    r"""Test for every pair whether the mean stated probability differs from one half.

    The two-sided one-sample t-test of system-level probabilistic assessment:
    :math:`t = (\bar P - 1/2) / (s / \sqrt n)` with n − 1 degrees of freedom, corrected for the
    number of pairs.

    Parameters
    ----------
    judgements : SPAJudgements
        Stated probabilities.
    alpha : float
        Level of significance, applied to the corrected p value.
    correction : {"holm", "bonferroni", "none"}
        Correction over all rows of one criterion: without ``pairs`` both directions of a pair are
        two tests.
    directions : {"apart", "pooled"}
        Test "A better than B" and "B better than A" apart, or pool them as P and 1 − P: then each
        unit's answers in both directions are averaged.
    pairs : sequence of (str, str), optional
        The pairs (A, B) that make the family which is corrected for, in this order and direction;
        all that were asked where left out. The family of the paper's Table 1 is its five pairs,
        ``directions="pooled", pairs=[…]``.
    unit : {"auto", "annotator", "item", "judgement"}
        What makes one value of the test: each annotator's mean, each item's mean, or each row.
        ``"auto"`` takes annotators where there are at least two, else items, else rows.
    criterion : str, optional
        Criterion; each in turn where left out.
    ci_prob : float, optional
        Probability of the interval of the mean (not corrected); `bayeseval.settings.ci_prob` where
        left out.

    Returns
    -------
    SPATest
        ``table`` has one row a pair and direction asked, with the columns ``criterion`` (only where
        there are criteria), ``system_a``, ``system_b`` (asked: is A better than B?), ``n``
        (units), ``mean`` (of P[A better], 0–1), ``sd``, ``lower``, ``upper``, ``t``, ``df``, ``p``,
        ``p_corrected``, ``verdict`` ("A better", "B better", "not rejected", "not defined") and
        ``note``. With n = 1, or where all answers are the same (a system against itself), t is not
        defined: NaN, and the note says so.

        ``symmetry`` has one row a pair asked in both directions: ``test`` ("paired t" where units
        answered both, else "Welch t"), ``n``, ``estimate`` = mean P[A≻B] + mean P[B≻A] − 1 (0 when
        the two directions mirror each other), ``lower``, ``upper``, ``t``, ``df``, ``p``,
        ``p_corrected``, ``note``.

        ``by_annotator`` has one row an annotator (and criterion), the most incoherent first:
        ``annotator``, ``n_both`` and ``n_one`` (pairs answered in both directions, and in one
        alone; a pair counts once for each item), ``mean`` and ``mean_absolute`` (of
        P[A≻B] + P[B≻A] − 1 over the former, and of its size), ``largest`` and the pair
        ``system_a``, ``system_b`` where it is. `filter_incoherent` drops the annotators whose
        ``largest`` is above τ − 1. Who answered no pair in both directions stands last, without
        numbers: nothing is known of their coherence. The answers themselves, pair by pair, are in
        ``judgements.incoherence()``.

    Raises
    ------
    JudgementError
        If these are no SPA judgements, or ``pairs`` names an unknown system.
    DesignError
        If ``pairs`` names a pair that nobody was asked.

    References
    ----------
    Ethayarajh, K., & Jurafsky, D. (2022). The authenticity gap in human evaluation. EMNLP.
    https://doi.org/10.18653/v1/2022.emnlp-main.406
    """
    if not isinstance(judgements, SPAJudgements):
        raise JudgementError(
            f"spa_test needs SPAJudgements; got {type(judgements).__name__}. For ratings use "
            "rating_tests, for outcomes of pairs bradley_terry_ml."
        )
    if directions not in ("apart", "pooled"):
        raise JudgementError(f"directions must be 'apart' or 'pooled'; got {directions!r}")
    alpha, correction = checked_alpha(alpha), checked_correction(correction)
    prob, _ = resolve_ci(ci_prob)
    chosen = chosen_unit(judgements, unit)
    frames, mirrored = [], []
    for piece in slices(judgements, criterion):
        groups = by_direction(judgements, piece, chosen)
        apart = directions == "apart"
        tested = family(
            groups if apart else both_directions(groups, 1.0),
            pairs,
            judgements.systems,
            whole=None if apart else 1.0,
        )
        frame = pd.DataFrame(
            [
                {
                    **piece.key,
                    **pair_labels(judgements, pair),
                    **one_sample(values, 0.5, prob, (0.0, 1.0)),
                }
                for pair, (_, values) in tested.items()
            ]
        ).rename(columns={"estimate": "mean"})
        frame["p_corrected"] = corrected(frame["p"].to_numpy(), correction)
        frame["verdict"] = verdicts(
            frame["mean"].to_numpy(), frame["p_corrected"].to_numpy(), alpha, neutral=0.5
        )
        frames.append(frame)
        symmetry = pd.DataFrame(
            [
                {**piece.key, **pair_labels(judgements, (a, b)), **mirror(groups, a, b, prob)}
                for a, b in groups
                if a < b and (b, a) in groups
            ]
        )
        if len(symmetry):
            symmetry["p_corrected"] = corrected(symmetry["p"].to_numpy(), correction)
            mirrored.append(symmetry)
    table = pd.concat(frames, ignore_index=True)
    return SPATest(
        table=table,
        title="Stated probability against one half",
        notes=(
            (
                f"One value is {unit_words(chosen)}. Interval: {100 * prob:.10g} %, not corrected. "
                f"p corr.: {NAMES[correction]} over {_family_words(frames)}; verdict at {alpha:g}."
            ),
            *dict.fromkeys(note for note in table["note"] if note),
            *order_notes(
                judgements,
                "means",
                "OrderedBeta() allows for it where the order can be told from the systems",
            ),
            *(
                ()
                if mirrored
                else ("Every pair was asked in one direction only: coherence cannot be seen.",)
            ),
        ),
        shown=SHOWN,
        symmetry=pd.concat(mirrored, ignore_index=True) if mirrored else pd.DataFrame(),
        by_annotator=_by_annotator(judgements, criterion),
        unit=chosen,
    )


def _family_words(frames: list[pd.DataFrame]) -> str:
    if len(frames) > 1:
        return "the rows of one criterion"
    return counted(int(frames[0]["p"].notna().sum()), "test")


def _by_annotator(judgements: SPAJudgements, criterion: str | None) -> pd.DataFrame:
    """Summarise every annotator's P[A≻B] + P[B≻A] − 1, the most incoherent first."""
    if not judgements.has("annotator"):
        return pd.DataFrame()
    answered = judgements.incoherence()
    frames = []
    for piece in slices(judgements, criterion):
        chosen = answered
        if piece.criterion is not None:
            chosen = answered[answered["criterion"] == piece.criterion]
        rows = [
            {**piece.key, "annotator": annotator, **_sums(own)}
            for annotator, own in chosen.groupby("annotator", sort=False)
        ]
        frames.append(pd.DataFrame(rows).sort_values("largest", ascending=False, kind="stable"))
    return pd.concat(frames, ignore_index=True)


def _sums(answered: pd.DataFrame) -> dict[str, object]:
    sums = answered["incoherence"].to_numpy(dtype=float)
    known = np.isfinite(sums)
    numbers = {"n_both": int(known.sum()), "n_one": int((~known).sum())}
    if not known.any():
        unknown = dict.fromkeys(("mean", "mean_absolute", "largest"), float("nan"))
        return {**numbers, **unknown, "system_a": "", "system_b": ""}
    largest = int(np.nanargmax(sums))
    return {
        **numbers,
        "mean": float(sums[known].mean()),
        "mean_absolute": float(np.abs(sums[known]).mean()),
        "largest": float(sums[largest]),
        "system_a": answered["system_a"].iloc[largest],
        "system_b": answered["system_b"].iloc[largest],
    }


def _annotator_table(by_annotator: pd.DataFrame) -> Table:
    told = by_annotator[by_annotator["n_both"] > 0]
    unknown = by_annotator.loc[by_annotator["n_both"] == 0, "annotator"].unique()
    some_only = int((told["n_one"] > 0).sum())
    shown = (
        Shown("annotator", "annotator", "label"),
        Shown("n_both", "both ways", "count"),
        Shown("n_one", "one way", "count"),
        Shown("mean", "mean"),
        Shown("mean_absolute", "mean size"),
        Shown("largest", "largest"),
        Shown("system_a", "at A", "label"),
        Shown("system_b", "and B", "label"),
    )
    first = told if "criterion" not in told else told.groupby("criterion", sort=False)
    notes = [
        (
            "P[A≻B] + P[B≻A] − 1 over the pairs that the annotator answered in both directions, "
            "the most incoherent first; 0 is coherent. filter_incoherent(tau=…) drops annotators "
            "whose largest is above tau − 1."
        )
    ]
    if (left := len(told) - len(head := first.head(MOST_ANNOTATORS))) > 0:
        notes.append(f"{counted(left, 'further row')}: by_annotator.")
    if some_only:
        notes.append(
            f"{counted(some_only, 'annotator')} answered some pairs in one direction only (one "
            "way); those pairs are not in the figures."
        )
    if len(unknown):
        notes.append(
            f"Of {counted(len(unknown), 'annotator')} who answered in one direction only nothing "
            f"is known: {some(unknown)}."
        )
    return Table("Are the annotators coherent?", printed(head, shown), tuple(notes))
