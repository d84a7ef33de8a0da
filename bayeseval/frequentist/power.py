"""Power of the tests of stated probabilities and of ratings over the number of annotators."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from bayeseval._checks import shown, whole_number
from bayeseval._records import Record, Shown
from bayeseval._slices import slices
from bayeseval._units import cell_means, numbers
from bayeseval.errors import DesignError
from bayeseval.frequentist._corrections import checked_alpha
from bayeseval.frequentist._stated import Unit
from bayeseval.frequentist.spa import spa_test
from bayeseval.judgements import Judgements, LikertJudgements, MagnitudeJudgements, SPAJudgements

SHOWN = (
    Shown("system_a", "A", "label"),
    Shown("system_b", "B", "label"),
    Shown("mean", "mean P"),
    Shown("difference", "A − B"),
    Shown("sd", "SD"),
    Shown("sd_b", "SD of B"),
    Shown("n_annotators", "annotators", "count"),
    Shown("power", "power"),
)
# scipy's noncentral F loses itself beyond this noncentrality, where t is a constant over a chi.
LARGEST_SHIFT = 1e4


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PowerCurve(Record):
    """Power of a test over the number of annotators.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`.
    """

    def needed(self, power: float = 0.8) -> pd.DataFrame:
        """Return the smallest number of annotators that reaches a power.

        Parameters
        ----------
        power : float
            Power wanted, such as 0.8.

        Returns
        -------
        pandas.DataFrame
            One row a curve: its columns, and ``n_annotators``, any number from 2 to the largest on
            the curve (missing where none of them reaches it).

        Raises
        ------
        DesignError
            If the power is not between 0 and 1.
        """
        if not 0 < power < 1:
            raise DesignError(f"power must lie between 0 and 1, such as 0.8; got {power!r}")
        known = ("criterion", "system_a", "system_b", "mean", "difference", "sd", "sd_b")
        keys = [name for name in known if name in self.table]
        rows = []
        for _, curve in self.table.groupby(keys, sort=False, dropna=False):
            first = {str(k): v for k, v in curve.iloc[0].to_dict().items()}
            tried = range(2, int(curve["n_annotators"].max()) + 1)
            at = bisect_left(tried, power, key=lambda n, first=first: _power(first, [n])[0])
            smallest = tried[at] if at < len(tried) else pd.NA
            rows.append({**{name: first[name] for name in keys}, "n_annotators": smallest})
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
    for those of each pair of the judgements. `rating_power` is its counterpart for ratings.

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
    numbers_of = _numbers(n_annotators)
    _one_source(judgements, {"mean": mean, "sd": sd})
    if judgements is None:
        mean, sd = float(mean or 0), float(sd or 0)
        if not 0 <= mean <= 1 or not 0 <= sd <= 0.75:
            raise DesignError(
                f"mean= must lie in [0, 1] and sd= in [0, 0.75]; got {mean!r} and {sd!r}. A "
                "probability of 60 % is 0.6."
            )
        curves: list[dict[str, object]] = [{"mean": mean, "sd": sd}]
        family = 1
    else:
        pilot = spa_test(judgements, directions="pooled", unit=unit, criterion=criterion).table
        columns = [c for c in ("criterion", "system_a", "system_b", "mean", "sd") if c in pilot]
        curves = [
            {str(name): value for name, value in row.items()}
            for row in pilot.loc[pilot["sd"].notna(), columns].to_dict("records")
        ]
        if not curves:
            raise DesignError("no pair of the pilot has two values, so that no SD is known.")
        family = _family(pilot)
    return _curve("Power of the SPA test", curves, numbers_of, alpha, n_tests or family)


def rating_power(
    judgements: LikertJudgements | MagnitudeJudgements | None = None,
    *,
    difference: float | None = None,
    sd: float | tuple[float, float] | None = None,
    n_annotators: Iterable[int] = range(10, 201, 10),
    alpha: float = 0.05,
    n_tests: int | None = None,
    criterion: str | None = None,
) -> PowerCurve:
    """Compute the power of the t-test between two mean ratings over the number of annotators.

    What the standard protocol would find, to be held against `spa_power`: the paired t-test where
    every annotator rates both systems, Welch's where each system has annotators of its own.

    Parameters
    ----------
    judgements : LikertJudgements or MagnitudeJudgements, optional
        A pilot: every two systems have a curve, from the mean answers of the annotators. Paired
        where two annotators or more rated both, otherwise Welch's.
    difference : float, optional
        Instead of judgements: the difference of the two means.
    sd : float or (float, float), optional
        With ``difference``: the standard deviation of the annotators' own differences (paired), or
        of the answers to A and to B (Welch's).
    n_annotators : iterable of int
        Numbers of annotators, at least 2 each; of each system where it has its own.
    alpha, n_tests
        As in `spa_power`.
    criterion : str, optional
        Criterion; each in turn where left out.

    Returns
    -------
    PowerCurve
        The columns of `spa_power`, with ``difference`` (A − B) for ``mean``; ``sd`` is of the
        differences, or of A with ``sd_b`` of B beside it.

    Raises
    ------
    DesignError
        If neither judgements nor difference and sd are given, or both.
    """
    numbers_of = _numbers(n_annotators)
    _one_source(judgements, {"difference": difference, "sd": sd})
    if judgements is None:
        given = np.atleast_1d(np.asarray(sd, dtype=float))
        apart = float("nan") if difference is None else float(difference)
        if not (given >= 0).all() or given.size > 2 or not np.isfinite([apart, *given]).all():
            raise DesignError(
                "difference= must be a number and sd= one from 0 upwards, or two; got "
                f"{difference!r} and {sd!r}."
            )
        curves = [_rating_curve({}, apart, *given.tolist())]
        family = 1
    else:
        curves = _pilot_curves(judgements, criterion)
        family = _family(pd.DataFrame(curves))
    return _curve("Power of the t-test of ratings", curves, numbers_of, alpha, n_tests or family)


def _rating_curve(
    labels: Mapping[str, object], difference: float, sd: float, sd_b: float = np.nan
) -> dict[str, object]:
    both = {} if np.isnan(sd_b) else {"sd_b": float(sd_b)}
    return {**labels, "difference": float(difference), "sd": float(sd), **both}


def _pilot_curves(
    judgements: LikertJudgements | MagnitudeJudgements, criterion: str | None
) -> list[dict[str, object]]:
    if not judgements.has("annotator"):
        raise DesignError("rating_power needs annotator identities; give difference= and sd=.")
    values = numbers(judgements, what="rating_power")
    shape = (len(judgements.labels("annotator")), len(judgements.systems))
    curves = []
    for piece in slices(judgements, criterion):
        who, system = (judgements.codes(name)[piece.rows] for name in ("annotator", "system"))
        means, _ = cell_means(values[piece.rows], who, system, shape)
        for a, b in combinations(np.unique(system).tolist(), 2):
            labels = {
                **piece.key,
                "system_a": judgements.systems[a],
                "system_b": judgements.systems[b],
            }
            own = means[:, a] - means[:, b]
            own = own[np.isfinite(own)]
            if len(own) > 1:
                curves.append(_rating_curve(labels, own.mean(), own.std(ddof=1)))
                continue
            one, two = (means[np.isfinite(means[:, s]), s] for s in (a, b))
            if min(len(one), len(two)) > 1:
                sds = one.std(ddof=1), two.std(ddof=1)
                curves.append(_rating_curve(labels, one.mean() - two.mean(), *sds))
    if not curves:
        raise DesignError("no two systems of the pilot have two annotators: no SD is known.")
    return curves


def _numbers(n_annotators: Iterable[int]) -> list[int]:
    if isinstance(n_annotators, str) or not isinstance(n_annotators, Iterable):
        raise DesignError(
            f"n_annotators= lists numbers from 2 upwards, such as [20, 40]; got "
            f"{shown(n_annotators)}"
        )
    found = [whole_number(n, "n_annotators", least=2) for n in n_annotators]
    if not found or min(found) < 2:
        raise DesignError("n_annotators must be numbers from 2 upwards.")
    return found


def _one_source(judgements: object, given: Mapping[str, object]) -> None:
    named = " and ".join(f"{name}=" for name in given)
    if judgements is not None and not isinstance(judgements, Judgements):
        raise DesignError(
            f"give judgements of a pilot study, or {named}; got {shown(judgements)} for judgements."
        )
    if judgements is None and None in given.values():
        raise DesignError(f"give judgements of a pilot study, or {named}.")
    if judgements is not None and any(value is not None for value in given.values()):
        raise DesignError(f"give judgements of a pilot study, or {named}, not both.")


def _family(pilot: pd.DataFrame) -> int:
    return int(pilot.groupby("criterion").size().max()) if "criterion" in pilot else len(pilot)


def _curve(
    title: str,
    curves: Sequence[Mapping[str, object]],
    numbers_of: list[int],
    alpha: float,
    n_tests: int,
) -> PowerCurve:
    level = checked_alpha(alpha) / whole_number(n_tests, "n_tests", least=1)
    rows = []
    for curve in curves:
        first = {**curve, "level": level}
        powers = _power(first, numbers_of)
        rows += [
            {**curve, "n_annotators": n, "level": level, "power": float(power)}
            for n, power in zip(numbers_of, powers, strict=True)
        ]
    return PowerCurve(
        table=pd.DataFrame(rows),
        title=title,
        notes=(f"Two-sided t-test at the level {level:.3g}.",),
        shown=SHOWN,
    )


def _power(curve: Mapping[str, object], numbers_of: Sequence[int]) -> np.ndarray:
    """Return the power at each number of annotators, for the columns of one curve."""
    number = {str(k): float(v) for k, v in curve.items() if isinstance(v, int | float)}
    effect = abs(number["mean"] - 0.5 if "mean" in number else number["difference"])
    sd, sd_b = number["sd"], number.get("sd_b", np.nan)
    n = np.asarray(numbers_of, dtype=float)
    df = n - 1
    if np.isfinite(sd_b):
        total = sd**2 + sd_b**2
        df = df * total**2 / (sd**4 + sd_b**4) if total else df
        sd = np.sqrt(total)
    if sd <= 0 or effect == 0:
        return np.full(len(n), number["level"] if effect == 0 else 1.0)
    return two_sided_power(effect / sd * np.sqrt(n), df, number["level"])


def two_sided_power(shift: np.ndarray, df: np.ndarray, level: float) -> np.ndarray:
    """Return the chance that |t| exceeds its critical value.

    Parameters
    ----------
    shift : numpy.ndarray
        Noncentrality: the effect over its standard error.
    df : numpy.ndarray
        Degrees of freedom.
    level : float
        Two-sided level of significance.

    Returns
    -------
    numpy.ndarray
        Between ``level`` and 1.
    """
    from scipy.special import ncfdtr
    from scipy.stats import chi2
    from scipy.stats import t as t_distribution

    critical = t_distribution.isf(level / 2, df)
    # t² is noncentral F: one tail, where the two of the noncentral t end in NaN once the one on the
    # other side is below the smallest number.
    beyond = 1 - ncfdtr(1, df, np.minimum(shift, LARGEST_SHIFT) ** 2, critical**2)
    far = chi2.cdf(df * (shift / critical) ** 2, df)
    # No two-sided t-test has less power than its level.
    return np.clip(np.where(shift > LARGEST_SHIFT, far, beyond), level, 1.0)
