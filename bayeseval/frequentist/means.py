"""Each system's mean answer: arithmetic of ratings, geometric of magnitudes."""

from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._checks import shown
from bayeseval._records import Record, Shown
from bayeseval._slices import slices
from bayeseval._units import compact, has_width, numbers, possible_means
from bayeseval.errors import DesignError
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci

type Mean = Literal["auto", "arithmetic", "geometric"]

LOGARITHMS = "Tested are natural logarithms: exp(A − B) is the ratio of the geometric means."


@takes_judgements
def rating_means(
    judgements: Judgements,
    *,
    by: str | None = None,
    mean: Mean = "auto",
    ci_prob: float | None = None,
) -> Record:
    """Compute each system's mean answer, standard deviation and standard error.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes.
    by : str, optional
        A further factor to split by: a moderator, the annotator or the item.
    mean : {"auto", "arithmetic", "geometric"}
        ``"auto"`` is the geometric mean of magnitudes, which are ratios, and the arithmetic of
        ratings. A geometric mean needs answers above 0.
    ci_prob : float, optional
        Probability of the interval; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    Record
        One row a criterion and system, with the columns ``criterion`` (only where there are
        criteria), ``system``, the factor ``by`` (where given), ``n`` (judgements), ``mean``,
        ``sd`` (n − 1; NaN for one judgement), ``se`` = sd/√n, ``lower``, ``upper`` (Student's
        t, cut where no mean can be; it takes judgements as independent, which repeated annotators
        and items make too narrow) and ``note``. One answer, or answers that are all the same, have
        no interval. Of a geometric mean ``sd`` and ``se`` are those of natural logarithms, and the
        interval is that of their mean, as magnitudes.

    Raises
    ------
    DesignError
        A geometric mean is asked of answers of 0 or below.
    """
    from scipy.stats import t as t_distribution

    prob, _ = resolve_ci(ci_prob)
    values = numbers(judgements, what="rating_means")
    geometric = is_geometric(mean, judgements, values)
    values = np.log(values) if geometric else values
    back = np.exp if geometric else np.positive
    factors = ["system"] if by is None else ["system", by]
    smallest, largest = possible_means(judgements)
    rows = []
    for piece in slices(judgements):
        codes, combined = compact([judgements.codes(name)[piece.rows] for name in factors])
        for index, combination in enumerate(combined):
            given = values[piece.rows][codes == index]
            n = len(given)
            sd = float(given.std(ddof=1)) if n > 1 else float("nan")
            half = t_distribution.ppf(0.5 + prob / 2, n - 1) * sd / np.sqrt(n) if n > 1 else 0.0
            lower, upper = float(given.mean() - half), float(given.mean() + half)
            width, why = has_width(lower, upper, n, "answer")
            labels = {
                name: judgements.labels(name)[code]
                for name, code in zip(factors, combination, strict=True)
            }
            rows.append(
                {
                    **piece.key,
                    **labels,
                    "n": n,
                    "mean": float(back(given.mean())),
                    "sd": sd,
                    "se": sd / np.sqrt(n),
                    "lower": max(float(back(lower)), smallest) if width else float("nan"),
                    "upper": min(float(back(upper)), largest) if width else float("nan"),
                    "note": why,
                }
            )
    extra = () if by is None else (Shown(by, by, "label"),)
    notes = [f"Interval: {100 * prob:.10g} %, as if judgements were independent."]
    notes += dict.fromkeys(str(row["note"]) for row in rows if row["note"])
    if geometric:
        notes.append("Geometric means; SD of natural logarithms.")
    notes += notes_on_means(judgements, geometric=geometric)
    pooled = [name for name in judgements.moderators if name != by]
    if pooled:
        notes.append(
            f"Answers at all levels of {' and '.join(pooled)} are pooled, whoever was judged "
            "where; rating_tests compares systems within levels, and "
            f"by={pooled[0]!r} gives one mean a level."
        )
    return Record(
        table=pd.DataFrame(rows),
        title="Mean answers",
        notes=tuple(notes),
        shown=(
            Shown("system", "system", "label"),
            *extra,
            Shown("n", "n", "count"),
            Shown("mean", "mean"),
            Shown("sd", "SD"),
            Shown(("lower", "upper"), "interval"),
        ),
    )


def notes_on_means(judgements: Judgements, *, geometric: bool = False) -> tuple[str, ...]:
    """Say what means of magnitudes follow, and which answers look like slips; of others nothing."""
    arithmetic = judgements.meaning.level == "ratio" and not geometric
    said = ("Arithmetic means of magnitudes follow the largest answers.",) * arithmetic
    return (*said, *judgements.notes_on_slips())


def is_geometric(mean: str, judgements: Judgements, values: np.ndarray) -> bool:
    """Say whether means are geometric, as those of magnitudes are where all are above 0."""
    if mean not in ("auto", "arithmetic", "geometric"):
        raise DesignError(
            f"mean= must be 'auto', 'arithmetic' or 'geometric'; found {shown(mean)}."
        )
    positive = bool((values > 0).all())
    if mean == "geometric" and not positive:
        raise DesignError(
            f"a geometric mean needs answers above 0; {int((values <= 0).sum()):,} are 0 or below. "
            "Take mean='arithmetic'."
        )
    if mean == "auto":
        return positive and judgements.meaning.level == "ratio"
    return mean == "geometric"
