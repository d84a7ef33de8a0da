"""T-tests between systems: paired where units are shared, Welch's otherwise."""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from bayeseval._checks import some
from bayeseval._records import Record, Shown
from bayeseval._units import Slice, cell_means, compact, numbers, slices, summaries
from bayeseval.errors import DesignError
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
    verdicts,
)
from bayeseval.judgements import Judgements
from bayeseval.settings import resolve_ci

type PairBy = Literal["auto", "item", "annotator", "annotator and item", "none"]

PAIR_BY: tuple[PairBy, ...] = ("auto", "item", "annotator", "annotator and item", "none")
SHOWN = (
    Shown("system_a", "A", "label"),
    Shown("system_b", "B", "label"),
    Shown("test", "test", "text"),
    Shown("n_a", "n A", "count"),
    Shown("n_b", "n B", "count"),
    Shown("estimate", "A − B"),
    Shown(("lower", "upper"), "interval"),
    Shown("t", "t", decimals=2),
    Shown("df", "df", decimals=1),
    Shown("p_corrected", "p corr.", "p"),
    Shown("verdict", "verdict", "text"),
)


def rating_tests(
    judgements: Judgements,
    *,
    alpha: float = 0.05,
    correction: Correction = "holm",
    pair_by: PairBy = "auto",
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> Record:
    """Test every two systems for a difference of their means.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes.
    alpha : float
        Level of significance of the verdicts, applied to the corrected p value.
    correction : {"holm", "bonferroni", "none"}
        Correction over the pairs of one criterion.
    pair_by : {"auto", "item", "annotator", "annotator and item", "none"}
        What makes a pair in the paired t-test: the mean answer of the two systems on one item, by
        one annotator, or by one annotator on one item. ``"auto"`` takes the item, else the
        annotator, and for two systems that share fewer than two units, or less than half of the
        units of the one with fewer, Welch's test. ``"none"`` always takes Welch's test.
    criterion : str, optional
        Criterion; each in turn where left out.
    ci_prob : float, optional
        Probability of the interval of the difference (not corrected);
        `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    Record
        One row two systems, with the columns ``criterion`` (only where there are criteria),
        ``system_a``, ``system_b``, ``test`` ("paired t by item", "Welch t", …), ``n_a``, ``n_b``
        (units of a paired test, judgements of Welch's), ``mean_a``, ``sd_a``, ``mean_b``, ``sd_b``
        (of these units), ``estimate`` = A − B, ``lower``, ``upper``, ``t``, ``df``, ``p``
        (two-sided), ``p_corrected``, ``verdict`` ("A better", "B better", "not rejected",
        "not defined") and ``note``. Where all differences are the same there is no variation to
        test against: t and p are NaN and the note says so.

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
    if len(judgements.systems) < 2:
        raise DesignError(
            f"a test between systems needs at least two; there is {some(judgements.systems)} alone."
        )
    factors = _paired_factors(judgements, pair_by)
    frames = []
    for piece in slices(judgements, criterion):
        frame = pd.DataFrame(_tests(judgements, values, piece, factors, pair_by, prob))
        frame["p_corrected"] = corrected(frame["p"].to_numpy(), correction)
        frame["verdict"] = verdicts(
            frame["estimate"].to_numpy(), frame["p_corrected"].to_numpy(), alpha, neutral=0.0
        )
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    table["note"] = table.pop("note")
    notes = (
        (
            f"Interval: {100 * prob:.10g} %, not corrected. p corr.: {NAMES[correction]} over the "
            f"pairs of one criterion; verdict at {alpha:g}."
        ),
        *dict.fromkeys(note for note in table["note"] if note),
    )
    return Record(table=table, title="Differences of means", notes=notes, shown=SHOWN)


def _paired_factors(judgements: Judgements, pair_by: PairBy) -> tuple[str, ...]:
    if pair_by == "none":
        return ()
    if pair_by == "auto":
        return next(((name,) for name in ("item", "annotator") if judgements.has(name)), ())
    names = tuple(pair_by.split(" and "))
    lacking = [name for name in names if not judgements.has(name)]
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
    factors: tuple[str, ...],
    pair_by: PairBy,
    prob: float,
) -> list[dict[str, object]]:
    given, system = values[piece.rows], judgements.codes("system")[piece.rows]
    present = np.unique(system)
    if len(present) < 2:
        raise DesignError(f"a test between systems needs at least two{piece.where}.")
    means = None
    if factors:
        unit, _ = compact([judgements.codes(name)[piece.rows] for name in factors])
        shape = (int(unit.max()) + 1, len(judgements.systems))
        means, _ = cell_means(given, unit, system, shape)
    rows = []
    for a, b in combinations(present.tolist(), 2):
        labels = {"system_a": judgements.systems[a], "system_b": judgements.systems[b]}
        shared = None if means is None else means[np.isfinite(means[:, [a, b]]).all(axis=1)]
        if means is not None and shared is not None:
            fewer = np.isfinite(means[:, [a, b]]).sum(axis=0).min()
            enough = len(shared) >= 2 and len(shared) >= fewer / 2
            if enough or pair_by != "auto":
                row = _paired(shared[:, a], shared[:, b], prob)
                rows.append(
                    {**piece.key, **labels, "test": f"paired t by {' and '.join(factors)}", **row}
                )
                continue
        one, two = given[system == a], given[system == b]
        rows.append({**piece.key, **labels, "test": "Welch t", **_welch(one, two, prob)})
    return rows


def _described(a: np.ndarray, b: np.ndarray) -> dict[str, object]:
    def sd(x: np.ndarray) -> float:
        return float(x.std(ddof=1)) if len(x) > 1 else float("nan")

    return {
        "n_a": len(a),
        "n_b": len(b),
        "mean_a": float(a.mean()) if len(a) else float("nan"),
        "sd_a": sd(a),
        "mean_b": float(b.mean()) if len(b) else float("nan"),
        "sd_b": sd(b),
    }


UNDEFINED = {"lower": np.nan, "upper": np.nan, "t": np.nan, "df": np.nan, "p": np.nan}


def _paired(a: np.ndarray, b: np.ndarray, prob: float) -> dict[str, object]:
    from scipy.stats import ttest_rel

    difference = a - b
    head = {
        **_described(a, b),
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


def _welch(a: np.ndarray, b: np.ndarray, prob: float) -> dict[str, object]:
    head = _described(a, b)
    numbers_of = [np.array([head[name]], dtype=float) for name in (
        "mean_a", "sd_a", "n_a", "mean_b", "sd_b", "n_b"
    )]  # fmt: skip
    rows = _welch_rows(numbers_of, prob)
    row = {name: float(rows[name].iloc[0]) for name in UNDEFINED}
    note = (
        ""
        if np.isfinite(row["t"])
        else ("Welch's test needs two judgements of each system, and some variation.")
    )
    return {**head, "estimate": float(a.mean() - b.mean()), **row, "note": note}


def _welch_rows(summary: Sequence[np.ndarray], prob: float) -> pd.DataFrame:
    """Return Welch's test of each row of (mean, SD, n) of A and (mean, SD, n) of B."""
    from scipy.stats import t as t_distribution
    from scipy.stats import ttest_ind_from_stats

    mean_a, sd_a, n_a, mean_b, sd_b, n_b = summary
    of_a, of_b = sd_a**2 / n_a, sd_b**2 / n_b
    variance = of_a + of_b
    usable = np.isfinite(variance) & (variance > 0) & (n_a > 1) & (n_b > 1)
    frame = pd.DataFrame({name: np.full(len(usable), np.nan) for name in UNDEFINED})
    if usable.any():
        statistic, p = ttest_ind_from_stats(
            mean_a[usable], sd_a[usable], n_a[usable],
            mean_b[usable], sd_b[usable], n_b[usable],
            equal_var=False,
        )  # fmt: skip
        df = variance**2 / (of_a**2 / (n_a - 1) + of_b**2 / (n_b - 1))
        half = t_distribution.ppf(0.5 + prob / 2, df[usable]) * np.sqrt(variance[usable])
        difference = (mean_a - mean_b)[usable]
        frame.loc[usable, "lower"] = difference - half
        frame.loc[usable, "upper"] = difference + half
        frame.loc[usable, "t"] = statistic
        frame.loc[usable, "df"] = df[usable]
        frame.loc[usable, "p"] = p
    return frame


def welch_from_summary(
    *,
    mean_a: npt.ArrayLike,
    sd_a: npt.ArrayLike,
    n_a: npt.ArrayLike,
    mean_b: npt.ArrayLike,
    sd_b: npt.ArrayLike,
    n_b: npt.ArrayLike,
    alpha: float = 0.05,
    correction: Correction = "none",
    ci_prob: float | None = None,
) -> Record:
    """Recompute Welch's t-test from printed means, standard deviations and numbers.

    Parameters
    ----------
    mean_a, sd_a, n_a : float or array of float
        Mean, standard deviation (n − 1) and number of answers of A; one or many tests.
    mean_b, sd_b, n_b : float or array of float
        The same of B.
    alpha : float
        Level of significance of the verdicts.
    correction : {"holm", "bonferroni", "none"}
        Correction over all rows.
    ci_prob : float, optional
        Probability of the interval; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    Record
        One row a test, with the numeric columns of `rating_tests`: ``mean_a`` … ``n_b``,
        ``estimate``, ``lower``, ``upper``, ``t``, ``df``, ``p``, ``p_corrected``, ``verdict``.
        NaN where an SD is missing, both are 0, or a number is below 2.
    """
    alpha, correction = checked_alpha(alpha), checked_correction(correction)
    prob, _ = resolve_ci(ci_prob)
    named = {
        "mean_a": mean_a,
        "sd_a": sd_a,
        "n_a": n_a,
        "mean_b": mean_b,
        "sd_b": sd_b,
        "n_b": n_b,
    }
    given = summaries(**named)
    table = pd.DataFrame(dict(zip(named, given, strict=True)))
    table["estimate"] = given[0] - given[3]
    table = pd.concat([table, _welch_rows(given, prob)], axis=1)
    table["p_corrected"] = corrected(table["p"].to_numpy(), correction)
    table["verdict"] = verdicts(
        table["estimate"].to_numpy(), table["p_corrected"].to_numpy(), alpha, neutral=0.0
    )
    note = f"Interval: {100 * prob:.10g} %. p corr.: {NAMES[correction]}; verdict at {alpha:g}."
    return Record(table=table, title="Welch's t-test from summaries", notes=(note,), shown=SHOWN)
