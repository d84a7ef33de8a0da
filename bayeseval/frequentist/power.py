"""Power of the tests over the number of annotators."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bayeseval._records import Record, Shown
from bayeseval.errors import DesignError
from bayeseval.frequentist._corrections import checked_alpha
from bayeseval.frequentist._stated import Unit
from bayeseval.frequentist.spa import spa_test
from bayeseval.judgements import SPAJudgements


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
