"""Corrections of p values for the number of tests, and the words of verdicts."""

from collections.abc import Sequence
from typing import Literal, cast

import numpy as np

from bayeseval._checks import nearest
from bayeseval.errors import BayesEvalError

type Correction = Literal["holm", "bonferroni", "none"]

CORRECTIONS: tuple[Correction, ...] = ("holm", "bonferroni", "none")
NAMES = {"holm": "Holm", "bonferroni": "Bonferroni", "none": "no correction"}


def checked_correction(correction: object) -> Correction:
    """Return the correction, or raise with the nearest spelling."""
    if correction not in CORRECTIONS:
        meant = nearest(correction, CORRECTIONS) if isinstance(correction, str) else None
        raise BayesEvalError(
            f"correction must be one of {', '.join(map(repr, CORRECTIONS))}; got {correction!r}"
            + (f". Did you mean {meant!r}?" if meant else "")
        )
    return cast(Correction, correction)


def checked_alpha(alpha: object) -> float:
    """Return a level of significance, or raise."""
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise BayesEvalError(
            f"alpha must lie strictly between 0 and 1, such as 0.05; got {alpha!r}"
        )
    return float(alpha)


def corrected(p: Sequence[float] | np.ndarray, correction: Correction) -> np.ndarray:
    """Correct p values for their number; tests that were not defined (NaN) do not count.

    Parameters
    ----------
    p : array-like of float
        The p values of one family of tests.
    correction : {"holm", "bonferroni", "none"}
        Holm's step-down procedure, Bonferroni's, or none.

    Returns
    -------
    numpy.ndarray of float64
        Corrected p values, at most 1.
    """
    values = np.asarray(p, dtype=float)
    result = values.copy()
    defined = np.isfinite(values)
    tested = values[defined]
    if correction == "bonferroni":
        result[defined] = np.minimum(tested * len(tested), 1)
    elif correction == "holm":
        # Not statsmodels' multipletests, which runs a full garbage collection at every call.
        order = np.argsort(tested)
        stepped = tested[order] * np.arange(len(tested), 0, -1)
        adjusted = np.empty_like(tested)
        adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1)
        result[defined] = adjusted
    return result


def verdicts(estimate: np.ndarray, p: np.ndarray, alpha: float, *, neutral: float) -> np.ndarray:
    """Say which side a test favours: 'A better', 'B better', 'not rejected' or 'not defined'."""
    return np.select(
        [~np.isfinite(p), (p < alpha) & (estimate > neutral), (p < alpha) & (estimate < neutral)],
        ["not defined", "A better", "B better"],
        default="not rejected",
    )
