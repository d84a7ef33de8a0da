"""Win rates: the share of comparisons that a system wins, half of the ties included."""

import math

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval._records import Record, Shown, split
from bayeseval._slices import slices
from bayeseval.frequentist._dependence import depends
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.judgements._guards import order_notes
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
        depends on whom a system met), ``se``
        (where annotators or rankings with several comparisons are known, clustered by these; else
        SD/√n), ``lower``, ``upper`` (Student's t, within 0 and 1), ``t``, ``p`` (against one half;
        NaN where nothing varies) and
        ``mean_over_opponents`` (mean of the win rates against each opponent met).

    Raises
    ------
    JudgementError
        If these judgements are not about pairs.
    """
    from scipy.stats import t as t_distribution

    prob, _ = resolve_ci(ci_prob)
    rows: list[dict[str, object]] = []
    notes: dict[str, None] = {}
    clusters: dict[str, None] = {}
    for piece in slices(judgements, criterion, by):
        score = judgements.points()[piece.rows]
        a, b = (judgements.codes(name)[piece.rows] for name in ("system_a", "system_b"))
        own = np.concatenate([a, b])
        other = np.concatenate([b, a])
        given = np.concatenate([score, 1 - score])
        cluster, few = depends(judgements, piece.rows, len(piece.rows))
        notes.update(dict.fromkeys(few))
        of_one = np.arange(len(score))
        if cluster is not None:
            of_one = judgements.codes(cluster)[piece.rows]
            clusters[cluster] = None
        of_one = np.concatenate([of_one, of_one])
        of_piece = []
        for code in np.unique(own):
            mine = given[own == code]
            against = np.unique(other[own == code], return_inverse=True)[1]
            by_opponent = np.bincount(against, weights=mine) / np.bincount(against)
            n, mean = len(mine), float(mine.mean())
            se, df = _error(mine, of_one[own == code])
            varies = se > 0
            half = float(t_distribution.ppf(0.5 + prob / 2, df)) * se if varies else np.nan
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
                    "p": float(2 * t_distribution.sf(abs(t), df)) if varies else float("nan"),
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
                f"{100 * prob:.10g} %, "
                + (
                    f"clustered by {' or '.join(clusters)}."
                    if clusters
                    else "as if comparisons were independent."
                )
            ),
            *notes,
            *(
                [
                    (
                        "A system with one comparison, all of one annotator or ranking, or whose "
                        "comparisons all ended alike, has none."
                    )
                ]
                if any(math.isnan(float(str(row["lower"]))) for row in rows)
                else ()
            ),
            *first_places(judgements),
            *pooled_levels(judgements, by),
        ),
        shown=(*split(by), *SHOWN),
    )


def _error(values: np.ndarray, cluster: np.ndarray) -> tuple[float, int]:
    """Return the standard error of a mean of clusters, and its degrees of freedom.

    Of clusters of one value each it is SD/√n.
    """
    _, place = np.unique(cluster, return_inverse=True)
    sums = np.bincount(place, weights=values - values.mean())
    n_clusters = len(sums)
    if n_clusters < 2 or np.ptp(values) == 0:
        return (0.0 if len(values) > 1 and n_clusters > 1 else float("nan")), 0
    # Where the answers of every cluster cancel, what is left is rounding.
    square = float((sums**2).sum()) * n_clusters / (n_clusters - 1)
    return (np.sqrt(square) / len(values) if square > 1e-20 else 0.0), n_clusters - 1


def first_places(judgements: Judgements, what: str = "rates") -> tuple[str, ...]:
    """Say that an advantage of the first place is in the results, where one order prevails."""
    return order_notes(
        judgements,
        what,
        "bradley_terry_ml(position_effect='auto') allows for it where the order can be told from "
        "the systems",
    )


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
