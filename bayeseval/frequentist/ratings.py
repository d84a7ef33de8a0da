"""T-tests between systems: paired where units are shared, Welch's otherwise."""

from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval._records import Record, Shown, split
from bayeseval._slices import Slice, slices, strata
from bayeseval._units import cell_means, compact, numbers
from bayeseval.errors import DesignError
from bayeseval.frequentist._chance import chance_unit
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
    verdicts,
)
from bayeseval.frequentist.means import LOGARITHMS, Mean, is_geometric, notes_on_means
from bayeseval.frequentist.welch import SHOWN, UNDEFINED, described, welch_within
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci

type PairBy = Literal["auto", "item", "annotator", "annotator and item", "none"]

PAIR_BY: tuple[PairBy, ...] = ("auto", "item", "annotator", "annotator and item", "none")


@takes_judgements
def rating_tests(
    judgements: Judgements,
    factor: str = "system",
    *,
    by: str | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
    pair_by: PairBy = "auto",
    criterion: str | None = None,
    ci_prob: float | None = None,
    mean: Mean = "arithmetic",
) -> Record:
    """Test every two systems (or levels of another factor) for a difference of their means.

    Where there are moderators the systems are compared within their levels, as they are within
    items: an easy day or language helps nobody. In a paired test every unit counts once, the levels
    at which it was judged equally; in Welch's test every level with both systems counts equally.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes.
    factor : str
        What is compared: systems, or the levels of a moderator such as the day, then within systems
        and the other moderators.
    by : str, optional
        A factor to give one result a level of; the p values of each are corrected by themselves.
    alpha : float
        Level of significance of the verdicts, applied to the corrected p value.
    correction : {"holm", "bonferroni", "none"}
        Correction over the pairs of one criterion (and level).
    pair_by : {"auto", "item", "annotator", "annotator and item", "none"}
        What makes a pair in the paired t-test: the mean answer to the two systems on one item, by
        one annotator, or by one annotator on one item. ``"auto"`` takes the item where there are
        two, else the annotator; and the annotator of two systems that not quite the same people
        judged, since chance chose those. Two systems that share fewer than two units, or less than
        half of the units of the one with fewer, are compared by Welch's test of the means of these
        units. ``"none"`` always takes Welch's test of ratings, which takes them as
        independent.
    criterion : str, optional
        Criterion; each in turn where left out.
    ci_prob : float, optional
        Probability of the interval of the difference (not corrected);
        `bayeseval.settings.ci_prob` where left out.
    mean : {"auto", "arithmetic", "geometric"}
        ``"geometric"`` tests natural logarithms, so that exp(A − B) is a ratio; ``"auto"`` does so
        for magnitudes.

    Returns
    -------
    Record
        One row two systems, with the columns ``criterion`` (only where there are criteria), the
        factor ``by`` (where given), ``system_a``, ``system_b`` (or ``<factor>_a``,
        ``<factor>_b``), ``test`` ("paired t by item", "Welch t by annotator", "Welch t", …),
        ``n_a``, ``n_b`` (units; judgements of a plain Welch t), ``mean_a``, ``sd_a``, ``mean_b``,
        ``sd_b`` (of these units; within levels in Welch's test), ``estimate`` = A − B, ``lower``,
        ``upper``, ``t``, ``df``, ``p`` (two-sided), ``p_corrected``, ``verdict`` ("A better",
        "B better", "not rejected", "not defined") and ``note``. Where all differences are the same
        there is no variation to test against: t and p are NaN and the note says so; so it does of
        two systems that were never judged at the same level.

    Raises
    ------
    DesignError
        If there is only one system, or the factor to pair by is missing.
    """
    if pair_by not in PAIR_BY:
        raise DesignError(
            f"pair_by must be one of {', '.join(map(repr, PAIR_BY))}; got {pair_by!r}"
        )
    alpha, correction = checked_alpha(alpha), checked_correction(correction)
    prob, _ = resolve_ci(ci_prob)
    values = numbers(judgements, what="rating_tests")
    geometric = is_geometric(mean, judgements, values)
    values = np.log(values) if geometric else values
    if len(judgements.labels(factor)) < 2:
        raise DesignError(
            f"a test between {factor}s needs at least two; there is "
            f"{some(judgements.labels(factor))} alone."
        )
    units = _paired_factors(judgements, pair_by, factor)
    within, names = strata(judgements, factor, by)
    frames = []
    for piece in slices(judgements, criterion, by):
        frame = pd.DataFrame(
            _tests(judgements, values, piece, factor=factor, units=units, within=within,
                   pair_by=pair_by, prob=prob)
        )  # fmt: skip
        frame["p_corrected"] = corrected(frame["p"].to_numpy(), correction)
        frame["verdict"] = verdicts(
            frame["estimate"].to_numpy(), frame["p_corrected"].to_numpy(), alpha, neutral=0.0
        )
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    table["note"] = table.pop("note")
    notes = [
        (
            f"Interval: {100 * prob:.10g} %, not corrected. p corr.: {NAMES[correction]} over the "
            f"pairs of one criterion{'' if by is None else f' and {by}'}; verdict at {alpha:g}."
        )
    ]
    if within is not None:
        notes.append(
            f"Compared within levels of {names}: in a paired test every unit counts once and its "
            "levels equally, in Welch's every level with both."
        )
    if (table["test"] == "Welch t").any() and _repeated(judgements):
        notes.append(
            "Welch's test takes ratings as independent, which several by one annotator or of one "
            "item are not: where they share it, pair_by='annotator', or mixed_model, does not."
        )
    if geometric:
        notes.append(LOGARITHMS)
    notes += notes_on_means(judgements, geometric=geometric)
    return Record(
        table=table,
        title="Differences of means",
        notes=(*notes, *dict.fromkeys(note for note in table["note"] if note)),
        shown=shown_for(factor, by),
    )


def shown_for(factor: str, by: str | None) -> tuple[Shown, ...]:
    """Return the printed columns of a test of a factor's levels, by another factor."""
    sides = {f"system_{side}": f"{factor}_{side}" for side in "ab"}
    return (
        *split(by),
        *(replace(one, column=sides.get(str(one.column), one.column)) for one in SHOWN),
    )


def _repeated(judgements: Judgements) -> bool:
    """Say whether judgements share an annotator or an item, or may."""
    n = int(judgements.counts.sum())
    if not judgements.has("annotator"):
        return True
    return any(
        judgements.has(name) and len(judgements.labels(name)) < n for name in ("annotator", "item")
    )


def _paired_factors(judgements: Judgements, pair_by: PairBy, factor: str) -> tuple[str, ...]:
    if pair_by in ("none", "auto"):
        return ()
    names = tuple(pair_by.split(" and "))
    lacking = [name for name in names if not judgements.has(name) or name == factor]
    if lacking:
        raise DesignError(
            f"pair_by={pair_by!r} needs the {lacking[0]} of every judgement, which this table has "
            "not. Use pair_by='auto' or 'none'."
        )
    return names


def _tests(
    judgements: Judgements,
    values: np.ndarray,
    piece: Slice,
    *,
    factor: str,
    units: tuple[str, ...],
    within: np.ndarray | None,
    pair_by: PairBy,
    prob: float,
) -> list[dict[str, object]]:
    given, level = values[piece.rows], judgements.codes(factor)[piece.rows]
    stratum = np.zeros_like(level) if within is None else within[piece.rows]
    present = np.unique(level)
    if len(present) < 2:
        raise DesignError(f"a test between {factor}s needs at least two{piece.where}.")
    labels = judgements.labels(factor)
    units_of = cache(lambda *names: _by_unit(judgements, piece, given, level, stratum, names))
    rows = []
    for a, b in combinations(present.tolist(), 2):
        head = {**piece.key, f"{factor}_a": labels[a], f"{factor}_b": labels[b]}
        if pair_by == "auto":
            found = chance_unit(judgements, piece.rows, level, (a, b), factor)
            units = (found,) if found else ()
        name, chosen = None, None
        if units:
            unit, means = units_of(*units)
            there = np.isfinite(means[:, [a, b]])
            both = there.all(axis=1)
            _, own = np.unique(unit[both], return_inverse=True)
            enough = len(set(own)) >= 2 and both.sum() >= there.sum(axis=0).min() / 2
            if enough or pair_by != "auto":
                # A unit's levels count equally, and each unit once.
                size = np.bincount(own)
                one, two = (np.bincount(own, weights=means[both, side]) / size for side in (a, b))
                row = _paired(one, two, prob)
                rows.append({**head, "test": f"paired t by {' and '.join(units)}", **row})
                continue
            codes = judgements.codes(units[0])[piece.rows]
            if _several_repeated(codes[level == a], codes[level == b]):
                name, chosen = units[0], codes
        one, two = (
            [
                _unit_means(given, chosen, (level == side) & (stratum == code))
                for code in np.unique(stratum)
            ]
            for side in (a, b)
        )
        test = f"Welch t by {name}" if name else "Welch t"
        rows.append({**head, "test": test, **welch_within(one, two, prob)})
    return rows


def _by_unit(
    judgements: Judgements,
    piece: Slice,
    given: np.ndarray,
    level: np.ndarray,
    stratum: np.ndarray,
    names: tuple[str, ...],
) -> tuple[np.ndarray, np.ndarray]:
    """Return units and the means of their answers to each level, a row a unit and stratum."""
    unit, _ = compact([judgements.codes(name)[piece.rows] for name in names])
    cell, cells = compact([unit, stratum])
    means, _ = cell_means(given, cell, level, (len(cells), int(level.max()) + 1))
    return cells[:, 0], means


def _several_repeated(one: np.ndarray, two: np.ndarray) -> bool:
    """Say whether both have several units, of which one has several judgements."""
    few = [len(np.unique(side)) for side in (one, two)]
    return min(few) > 1 and (few[0] < len(one) or few[1] < len(two))


def _unit_means(given: np.ndarray, codes: np.ndarray | None, chosen: np.ndarray) -> np.ndarray:
    """Return the chosen answers, or their means by unit."""
    if codes is None:
        return given[chosen]
    _, unit = np.unique(codes[chosen], return_inverse=True)
    return np.bincount(unit, weights=given[chosen]) / np.bincount(unit)


def _paired(a: np.ndarray, b: np.ndarray, prob: float) -> dict[str, object]:
    from scipy.stats import ttest_rel

    difference = a - b
    head = {
        **described(a, b),
        "estimate": float(difference.mean()) if len(a) else float("nan"),
    }
    if len(a) < 2:
        return {**head, **UNDEFINED, "note": "Two systems share fewer than two units: no test."}
    # Differences of equal decimals differ in the last bits.
    if np.ptp(difference) <= 1e-12 * max(1.0, float(np.abs(difference).max())):
        note = "All differences of a pair are the same: there is no variation to test against."
        return {**head, **UNDEFINED, "note": note}
    result = ttest_rel(a, b)
    ends = result.confidence_interval(prob)
    return {
        **head,
        "lower": float(ends.low),
        "upper": float(ends.high),
        "t": float(result.statistic),
        "df": float(result.df),
        "p": float(result.pvalue),
        "note": "",
    }
