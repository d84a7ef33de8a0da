"""T-tests of stated probabilities against one half, of strengths against zero; their power."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._checks import counted, some
from bayeseval._records import Record, Shown, printed
from bayeseval._tables import Table
from bayeseval._units import Slice, compact, slices
from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
    verdicts,
)
from bayeseval.frequentist.ratings import welch_from_summary
from bayeseval.judgements import Judgements, SPAJudgements, StrengthJudgements
from bayeseval.judgements.filters import filter_incoherent, incoherent_annotators
from bayeseval.settings import resolve_ci

type Unit = Literal["auto", "annotator", "item", "judgement"]

MOST_ANNOTATORS = 10
"""So many annotators are printed, of each criterion; all of them are in the record."""

SHOWN = (
    Shown("system_a", "A", "label"),
    Shown("system_b", "B", "label"),
    Shown("n", "n", "count"),
    Shown("mean", "mean P"),
    Shown("sd", "SD"),
    Shown(("lower", "upper"), "interval"),
    Shown("t", "t", decimals=2),
    Shown("p_corrected", "p corr.", "p"),
    Shown("verdict", "verdict", "text"),
)


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


def spa_test(
    judgements: SPAJudgements,
    alpha: float = 0.05,
    correction: Correction = "holm",
    *,
    directions: Literal["apart", "pooled"] = "apart",
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
        Correction over all rows of one criterion (both directions of a pair are two tests).
    directions : {"apart", "pooled"}
        Test "A better than B" and "B better than A" apart, or pool them as P and 1 − P: then each
        unit's answers in both directions are averaged.
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
        If these are no SPA judgements.

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
    chosen = _unit(judgements, unit)
    frames, mirrored = [], []
    for piece in slices(judgements, criterion):
        groups = _by_direction(judgements, piece, chosen)
        tested = groups if directions == "apart" else _pooled(groups, 1.0)
        frame = pd.DataFrame(
            [
                {**piece.key, **_labels(judgements, pair), **_one_sample(values, 0.5, prob)}
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
                {**piece.key, **_labels(judgements, (a, b)), **_mirror(groups, a, b, prob)}
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
                f"One value is {_words(chosen)}. Interval: {100 * prob:.10g} %, not corrected. "
                f"p corr.: {NAMES[correction]} over the rows of one criterion; verdict at "
                f"{alpha:g}."
            ),
            *dict.fromkeys(note for note in table["note"] if note),
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


def strength_test(
    judgements: StrengthJudgements,
    alpha: float = 0.05,
    correction: Correction = "holm",
    *,
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
    unit, criterion, ci_prob
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
    chosen = _unit(judgements, unit)
    frames = []
    for piece in slices(judgements, criterion):
        tested = _pooled(_by_direction(judgements, piece, chosen), 0.0)
        frame = pd.DataFrame(
            [
                {**piece.key, **_labels(judgements, pair), **_one_sample(values, 0.0, prob)}
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
                f"One value is {_words(chosen)}. Interval: {100 * prob:.10g} %, not corrected. "
                f"p corr.: {NAMES[correction]} over the pairs of one criterion; verdict at "
                f"{alpha:g}."
            ),
            *dict.fromkeys(note for note in table["note"] if note),
        ),
        shown=tuple(replace(s, heading="mean") if s.column == "mean" else s for s in SHOWN),
    )


type _Groups = dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]


def _unit(judgements: SPAJudgements | StrengthJudgements, unit: Unit) -> Unit:
    if unit not in ("auto", "annotator", "item", "judgement"):
        raise JudgementError(
            f"unit must be 'auto', 'annotator', 'item' or 'judgement'; got {unit!r}"
        )
    if unit == "auto":
        for name in ("annotator", "item"):
            if judgements.has(name) and len(judgements.labels(name)) > 1:
                return name
        return "judgement"
    if unit != "judgement" and not judgements.has(unit):
        raise DesignError(f"unit={unit!r} needs the {unit} of every judgement, which is not there.")
    return unit


def _words(unit: Unit) -> str:
    return "one judgement" if unit == "judgement" else f"the mean answer by one {unit}"


def _labels(judgements: Judgements, pair: tuple[int, int]) -> dict[str, str]:
    return {"system_a": judgements.systems[pair[0]], "system_b": judgements.systems[pair[1]]}


def _by_direction(
    judgements: SPAJudgements | StrengthJudgements, piece: Slice, unit: Unit
) -> _Groups:
    """Return for each ordered pair the codes of its units and their mean answers."""
    a, b = (judgements.codes(name)[piece.rows] for name in ("system_a", "system_b"))
    own = np.arange(len(piece.rows)) if unit == "judgement" else judgements.codes(unit)[piece.rows]
    answers = judgements.answers[piece.rows]
    direction, pairs = compact([a, b])
    groups: _Groups = {}
    for index, (first, second) in enumerate(pairs.tolist()):
        rows = direction == index
        units, position = np.unique(own[rows], return_inverse=True)
        means = np.bincount(position, weights=answers[rows]) / np.bincount(position)
        groups[first, second] = (units, means)
    return groups


def _pooled(groups: _Groups, whole: float) -> _Groups:
    """Bring both directions to one: x of B against A is whole − x of A against B."""
    pooled: _Groups = {}
    for a, b in groups:
        if (b, a) in pooled or (a, b) in pooled:
            continue
        units, means = groups[a, b]
        if (b, a) in groups:
            other_units, other = groups[b, a]
            units = np.concatenate([units, other_units])
            means = np.concatenate([means, whole - other])
        keys, position = np.unique(units, return_inverse=True)
        pooled[a, b] = (keys, np.bincount(position, weights=means) / np.bincount(position))
    return pooled


def _one_sample(values: np.ndarray, null: float, prob: float) -> dict[str, object]:
    from scipy.stats import ttest_rel

    n = len(values)
    sd = float(values.std(ddof=1)) if n > 1 else float("nan")
    row = {"n": n, "estimate": float(values.mean()), "sd": sd}
    undefined = {"lower": np.nan, "upper": np.nan, "t": np.nan, "df": np.nan, "p": np.nan}
    if n < 2:
        return {**row, **undefined, "note": "One value alone: t is not defined."}
    if np.ptp(values) <= 1e-12:
        return {**row, **undefined, "note": "All values are the same (SD 0): t is not defined."}
    result = ttest_rel(values, np.full(n, null))
    ends = result.confidence_interval(prob)
    return {
        **row,
        # SciPy's interval is of the difference from the null.
        "lower": float(ends.low) + null,
        "upper": float(ends.high) + null,
        "t": float(result.statistic),
        "df": float(result.df),
        "p": float(result.pvalue),
        "note": "",
    }


def _mirror(groups: _Groups, a: int, b: int, prob: float) -> dict[str, object]:
    (units, forward), (others, backward) = groups[a, b], groups[b, a]
    _, left, right = np.intersect1d(units, others, return_indices=True)
    if len(left) > 1:
        row = _one_sample(forward[left] + backward[right] - 1, 0.0, prob)
        del row["sd"]
        return {"test": "paired t", **row}
    reverse = 1 - backward
    welch = welch_from_summary(
        mean_a=forward.mean(), sd_a=_sd(forward), n_a=len(forward),
        mean_b=reverse.mean(), sd_b=_sd(reverse), n_b=len(reverse),
        ci_prob=prob,
    ).table.iloc[0]  # fmt: skip
    return {
        "test": "Welch t",
        "n": len(forward) + len(backward),
        "estimate": float(welch["estimate"]),
        **{name: float(welch[name]) for name in ("lower", "upper", "t", "df", "p")},
        "note": "" if np.isfinite(welch["t"]) else "Too few values, or none that vary: no test.",
    }


def _sd(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PowerCurve(Record):
    """Power of the test over the number of annotators.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`.
    """

    def needed(self, power: float = 0.8) -> pd.DataFrame:
        """Return the smallest number of annotators on the curve that reaches a power.

        Parameters
        ----------
        power : float
            Power wanted, such as 0.8.

        Returns
        -------
        pandas.DataFrame
            One row a curve: its columns, and ``n_annotators`` (missing where no number reaches it).
        """
        keys = [c for c in ("criterion", "system_a", "system_b", "mean", "sd") if c in self.table]
        rows = []
        for key, curve in self.table.groupby(keys, sort=False):
            reached = curve.loc[curve["power"] >= power, "n_annotators"]
            smallest = int(reached.min()) if len(reached) else pd.NA
            rows.append({**dict(zip(keys, key, strict=True)), "n_annotators": smallest})
        return pd.DataFrame(rows)


def spa_power(
    judgements: SPAJudgements | None = None,
    *,
    mean: float | None = None,
    sd: float | None = None,
    n_annotators: Iterable[int] = range(10, 201, 10),
    alpha: float = 0.05,
    n_tests: int | None = None,
    unit: Unit = "auto",
    criterion: str | None = None,
) -> PowerCurve:
    """Compute the power of the SPA test over the number of annotators.

    The power of the two-sided t-test (noncentral t) for the mean and standard deviation given, or
    for those of each pair of the judgements.

    Parameters
    ----------
    judgements : SPAJudgements, optional
        A pilot: each of its pairs has a curve, pooled over directions.
    mean, sd : float, optional
        Instead of judgements: mean of P[A better], 0–1, and its standard deviation.
    n_annotators : iterable of int
        Numbers of annotators, at least 2 each.
    alpha : float
        Level of significance.
    n_tests : int, optional
        Number of tests that are corrected for: the level is alpha / n_tests, which is exact for
        Bonferroni and a lower bound on the power with Holm. By default the number of pairs of the
        judgements, or 1.
    unit, criterion
        As in `spa_test`.

    Returns
    -------
    PowerCurve
        One row a pair and number, with the columns ``criterion``, ``system_a``, ``system_b`` (only
        where judgements are given), ``mean``, ``sd``, ``n_annotators``, ``level`` (alpha after
        correction) and ``power``; ``needed(0.8)`` gives the smallest number that suffices. A pair
        whose answers do not vary (SD 0) has power 1, or ``level`` where its mean is one half.

    Raises
    ------
    DesignError
        If neither judgements nor mean and sd are given, or both.
    """
    alpha = checked_alpha(alpha)
    numbers_of = [int(n) for n in n_annotators]
    if not numbers_of or min(numbers_of) < 2:
        raise DesignError("n_annotators must be numbers from 2 upwards.")
    if judgements is None:
        if mean is None or sd is None:
            raise DesignError("give judgements of a pilot study, or mean= and sd=.")
        if not 0 <= mean <= 1 or not 0 <= sd <= 0.75:
            raise DesignError(
                f"mean= must lie in [0, 1] and sd= in [0, 0.75]; got {mean!r} and {sd!r}. A "
                "probability of 60 % is 0.6."
            )
        curves = [{"mean": float(mean), "sd": float(sd)}]
        level = alpha / (n_tests or 1)
    else:
        if mean is not None or sd is not None:
            raise DesignError("give judgements of a pilot study, or mean= and sd=, not both.")
        pilot = spa_test(judgements, directions="pooled", unit=unit, criterion=criterion).table
        columns = [c for c in ("criterion", "system_a", "system_b", "mean", "sd") if c in pilot]
        usable = pilot[pilot["sd"].notna()]
        curves = [
            {str(name): value for name, value in row.items()}
            for row in usable[columns].to_dict("records")
        ]
        if not curves:
            raise DesignError("no pair of the pilot has two values, so that no SD is known.")
        per_criterion = pilot.groupby("criterion").size().max() if "criterion" in pilot else None
        level = alpha / (n_tests or int(per_criterion or len(pilot)))
    rows = [
        {**curve, "n_annotators": n, "level": level, "power": power}
        for curve in curves
        for n, power in zip(
            numbers_of,
            _power(float(curve["mean"]) - 0.5, float(curve["sd"]), numbers_of, level),
            strict=True,
        )
    ]
    return PowerCurve(
        table=pd.DataFrame(rows),
        title="Power of the SPA test",
        notes=(f"Two-sided t-test at the level {level:.3g}.",),
        shown=(
            Shown("system_a", "A", "label"),
            Shown("system_b", "B", "label"),
            Shown("mean", "mean P"),
            Shown("sd", "SD"),
            Shown("n_annotators", "annotators", "count"),
            Shown("power", "power"),
        ),
    )


def _power(effect: float, sd: float, numbers_of: list[int], level: float) -> np.ndarray:
    from statsmodels.stats.power import TTestPower

    if sd <= 0:
        return np.full(len(numbers_of), level if effect == 0 else 1.0)
    test = TTestPower()
    return np.array(
        [float(test.power(abs(effect) / sd, n, level, alternative="two-sided")) for n in numbers_of]
    )
