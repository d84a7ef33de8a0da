"""Welch's t-test, of answers, within levels of moderators, and from printed summaries."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from bayeseval._records import Record, Shown
from bayeseval._units import summaries
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
    verdicts,
)
from bayeseval.settings import resolve_ci

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
# Said of two systems that no level of the moderators has both of.
APART = "Never judged at the same level of the moderators: no comparison within levels."
UNDEFINED = {"lower": np.nan, "upper": np.nan, "t": np.nan, "df": np.nan, "p": np.nan}


def described(a: np.ndarray, b: np.ndarray) -> dict[str, object]:
    """Return number, mean and standard deviation of two samples."""

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


def welch_within(
    a: Sequence[np.ndarray], b: Sequence[np.ndarray], prob: float
) -> dict[str, object]:
    """Return Welch's test within strata: the mean of the strata's differences, equally weighted.

    Parameters
    ----------
    a, b : sequence of numpy.ndarray
        Answers about A and about B, by stratum; a stratum without both does not count, nor does
        one with a single answer about either where others have more.
    prob : float
        Probability of the interval.
    """
    from scipy.stats import t as t_distribution

    both = [(one, two) for one, two in zip(a, b, strict=True) if len(one) and len(two)]
    if not both:
        nothing = np.array([])
        return {**described(nothing, nothing), "estimate": np.nan, **UNDEFINED, "note": APART}
    several = [(one, two) for one, two in both if min(len(one), len(two)) > 1]
    used = several or both
    head = _over_strata([one for one, _ in used], "a") | _over_strata([two for _, two in used], "b")
    head["estimate"] = float(head["mean_a"]) - float(head["mean_b"])
    parts = np.array([[x.var(ddof=1) / len(x) for x in pair] for pair in several]).ravel()
    if not len(parts) or parts.sum() <= 0:
        note = "Welch's test needs two judgements of each system, and some variation."
        return {**head, **UNDEFINED, "note": note}
    parts /= len(several) ** 2
    sizes = np.array([[len(x) - 1 for x in pair] for pair in several]).ravel()
    se = float(np.sqrt(parts.sum()))
    df = float(parts.sum() ** 2 / (parts**2 / sizes).sum())
    half, t = float(t_distribution.ppf(0.5 + prob / 2, df)) * se, float(head["estimate"]) / se
    left = len(both) - len(several)
    return {
        **head,
        "lower": float(head["estimate"]) - half,
        "upper": float(head["estimate"]) + half,
        "t": t,
        "df": df,
        "p": float(2 * t_distribution.sf(abs(t), df)),
        "note": f"Levels with one judgement of a system were left out ({left})." if left else "",
    }


def _over_strata(samples: Sequence[np.ndarray], side: str) -> dict[str, float]:
    """Return the number, the mean of the strata's means, and the SD within strata."""
    n = sum(map(len, samples))
    squares = sum(float(((x - x.mean()) ** 2).sum()) for x in samples)
    df = n - len(samples)
    return {
        f"n_{side}": n,
        f"mean_{side}": float(np.mean([x.mean() for x in samples])),
        f"sd_{side}": float(np.sqrt(squares / df)) if df > 0 else float("nan"),
    }


def _welch_rows(summary: Sequence[np.ndarray], prob: float) -> pd.DataFrame:
    """Return Welch's test of each row of (mean, SD, n) of A and (mean, SD, n) of B."""
    from scipy.stats import t as t_distribution
    from scipy.stats import ttest_ind_from_stats

    mean_a, sd_a, n_a, mean_b, sd_b, n_b = summary
    # Of no answers there is no test, and no warning either.
    n_a, n_b = (np.where(n > 0, n, np.nan) for n in (n_a, n_b))
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
