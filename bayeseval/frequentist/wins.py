"""Win rates: the share of comparisons that a system wins, half of the ties included."""

import math

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval._records import Record, Shown, split
from bayeseval._units import slices
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci

SHOWN = (
    Shown("system", "system", "label"),
    Shown("n", "comparisons", "count"),
    Shown("wins", "wins", "count"),
    Shown("ties", "ties", "count"),
    Shown("losses", "losses", "count"),
    Shown("win_rate", "win rate", decimals=4),
    Shown("se", "SE", decimals=4),
    Shown(("lower", "upper"), "interval"),
    Shown("t", "t", decimals=2),
    Shown("mean_over_opponents", "over opponents", decimals=4),
)


@takes_judgements
def win_rates(
    judgements: Judgements,
    *,
    by: str | None = None,
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> Record:
    """Compute each system's win rate; of stated probabilities, its mean probability.

    One comparison gives the winner 1 and the loser 0, or ½ each for a tie. A stated probability
    gives P to the one and 1 − P to the other; a strength of preference only its sign.

    Parameters
    ----------
    judgements : Judgements
        Outcomes, stated probabilities or strengths.
    by : str, optional
        A factor to give one table a level of, such as a moderator.
    criterion : str, optional
        Criterion; each in turn where left out.
    ci_prob : float, optional
        Probability of the interval; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    Record
        One row a system, best first, with the columns ``criterion`` and the factor ``by``
        (where there are), ``system``, ``n`` (comparisons), ``wins``,
        ``ties``, ``losses`` (answers above, at and below one half), ``win_rate`` (mean, 0–1; it
        depends on whom a system met), ``se`` =
        SD/√n, ``lower``, ``upper`` (Student's t, within 0 and 1), ``t``, ``p`` (against one half;
        all take comparisons as independent; NaN where they are all the same) and
        ``mean_over_opponents`` (mean of the win rates against each opponent met).

    Raises
    ------
    JudgementError
        If these judgements are not about pairs.
    """
    from scipy.stats import t as t_distribution

    prob, _ = resolve_ci(ci_prob)
    rows = []
    for piece in slices(judgements, criterion, by):
        score = judgements.points()[piece.rows]
        a, b = (judgements.codes(name)[piece.rows] for name in ("system_a", "system_b"))
        own = np.concatenate([a, b])
        other = np.concatenate([b, a])
        given = np.concatenate([score, 1 - score])
        of_piece = []
        for code in np.unique(own):
            mine = given[own == code]
            against = np.unique(other[own == code], return_inverse=True)[1]
            by_opponent = np.bincount(against, weights=mine) / np.bincount(against)
            n, mean = len(mine), float(mine.mean())
            varies = n > 1 and np.ptp(mine) > 0
            se = float(mine.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
            half = float(t_distribution.ppf(0.5 + prob / 2, n - 1)) * se if varies else np.nan
            t = (mean - 0.5) / se if varies else float("nan")
            of_piece.append(
                {
                    **piece.key,
                    "system": judgements.systems[code],
                    "n": n,
                    "wins": int((mine > 0.5).sum()),
                    "ties": int((mine == 0.5).sum()),
                    "losses": int((mine < 0.5).sum()),
                    "win_rate": mean,
                    "se": se,
                    "lower": max(0.0, mean - half) if varies else float("nan"),
                    "upper": min(1.0, mean + half) if varies else float("nan"),
                    "t": t,
                    "p": float(2 * t_distribution.sf(abs(t), n - 1)) if varies else float("nan"),
                    "mean_over_opponents": float(by_opponent.mean()),
                }
            )
        rows += sorted(of_piece, key=lambda row: -row["win_rate"])
    return Record(
        table=pd.DataFrame(rows),
        title="Win rates",
        notes=(
            (
                "Win rate: half of the ties included; it depends on whom a system met. Interval: "
                f"{100 * prob:.10g} %, as if comparisons were independent."
            ),
            *(
                ("A system with one comparison, or whose comparisons all ended alike, has none.",)
                if any(math.isnan(float(str(row["lower"]))) for row in rows)
                else ()
            ),
            *first_places(judgements),
            *pooled_levels(judgements, by),
        ),
        shown=(*split(by), *SHOWN),
    )


def first_places(judgements: Judgements, what: str = "rates") -> list[str]:
    """Say that an advantage of the first place is in the results, where one order prevails."""
    if not judgements.order_known:
        return []
    n = len(judgements.systems)
    a, b = judgements.codes("system_a"), judgements.codes("system_b")
    first = np.bincount(a * n + b, weights=judgements.counts, minlength=n * n).reshape(n, n)
    uneven, met = np.abs(first - first.T).sum(axis=1), (first + first.T).sum(axis=1)
    # With this share in excess in one order, an advantage of the first place moves a system's rate
    # by that share of itself: from half of it on it is said.
    if not (uneven[met > 0] >= met[met > 0] / 2).any():
        return []
    return [
        (
            "ORDER OF PRESENTATION IS NOT BALANCED: an advantage of the system shown first, or a "
            f"handicap, is in these {what}; bradley_terry_ml(position_effect='auto') allows for it "
            "where the order can be told from the systems."
        )
    ]


def pooled_levels(
    judgements: Judgements,
    by: str | None = None,
    *,
    ask: str = "by={name!r} gives one table a level",
) -> list[str]:
    """Say what weight the levels of each moderator have in a result over all of them."""
    said = []
    for name in judgements.moderators:
        if name == by:
            continue
        n = np.bincount(judgements.codes(name), weights=judgements.counts)
        shares = [
            f"{label} {share:.0%}"
            for label, share in zip(judgements.labels(name), n / n.sum(), strict=True)
        ]
        said.append(
            f"Comparisons at all levels of {name} count alike ({some(shares)}); "
            f"{ask.format(name=name)}."
        )
    return said
