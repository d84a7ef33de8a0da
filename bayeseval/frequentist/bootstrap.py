"""A ranking by means or win rates, with the clusters that a bootstrap implies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import pandas as pd

from bayeseval._checks import generator, some, whole_number
from bayeseval._records import Record, Shown, split
from bayeseval._slices import Slice, slices, strata
from bayeseval._units import cell_means, compact, numbers, possible_means
from bayeseval.errors import DesignError
from bayeseval.frequentist._bootstrap_ranks import ranked
from bayeseval.frequentist._chance import unit_of_all
from bayeseval.frequentist._corrections import checked_alpha
from bayeseval.frequentist.means import Mean, is_geometric, notes_on_means
from bayeseval.frequentist.wins import first_places
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci

type Resample = Literal["item", "annotator", "both", "judgement"]

# What a resample changes, and what it leaves as it is.
GENERALISES = {
    "item": "Speaks of new items judged by these annotators: what is particular to them stays in.",
    "annotator": "Speaks of new annotators who judge these items: what is particular to them stays "
    "in.",
    "both": "Speaks of new annotators and new items.",
    "judgement": "Speaks of new judgements like these, taken as independent: too sure where one "
    "annotator or item gave several.",
}
# Where Student's t with the bootstrap's error takes the place of a percentile, or nearly.
FEW_UNITS = 8
# Rows × resamples held at once.
MOST_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BootstrapRanking(Record):
    """A bootstrapped ranking.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`; columns as in `bootstrap_ranking`.
    pairs : pandas.DataFrame
        One row two systems, the higher ranked first: ``system_a``, ``system_b``, ``estimate`` =
        A − B, ``lower``, ``upper``, ``p_a_better`` (share of resamples in which A is better, half
        of exact ties), ``p`` (one-sided): that of the other share, which is too small of few units,
        as Student's t is to a normal.
    n_resamples : int
        Resamples drawn.
    resample : str
        What was resampled.
    alpha : float
        One-sided level of the clusters.
    """

    pairs: pd.DataFrame
    n_resamples: int
    resample: Resample
    alpha: float

    @property
    def clusters(self) -> tuple[tuple[str, ...], ...]:
        """Systems by cluster, best first; of the first criterion where there are several."""
        table = self.table
        if "criterion" in table:
            table = table[table["criterion"] == table["criterion"].iloc[0]]
        return tuple(tuple(group) for _, group in table.groupby("cluster")["system"])

    def ranking(self, criterion: str | None = None) -> str:
        """Write the clusters as RankME's Table 4 prints them: "1.–2. A + B | 3. C".

        Parameters
        ----------
        criterion : str, optional
            Criterion; needed where there are several.

        Returns
        -------
        str
            Clusters from best to worst, systems of one cluster joined by +.
        """
        table = self.table
        if "criterion" in table:
            known = list(dict.fromkeys(table["criterion"]))
            if criterion is None and len(known) > 1:
                raise DesignError(f"say which criterion=: {some(known)}.")
            table = table[table["criterion"] == (criterion or known[0])]
        parts, first = [], 1
        for _, group in table.groupby("cluster")["system"]:
            last = first + len(group) - 1
            place = f"{first}." if first == last else f"{first}.–{last}."
            parts.append(f"{place} {' + '.join(group)}")
            first = last + 1
        return " | ".join(parts)


@takes_judgements
def bootstrap_ranking(
    judgements: Judgements,
    *,
    by: str | None = None,
    resample: Resample | None = None,
    n_resamples: int = 10_000,
    alpha: float = 0.05,
    criterion: str | None = None,
    ci_prob: float | None = None,
    random_seed: int | None = None,
    mean: Mean = "auto",
) -> BootstrapRanking:
    """Rank systems by mean answer or win rate, with a paired bootstrap of the differences.

    Whole items (or annotators, or both) are drawn with replacement, with all that was said about
    every system: the comparison stays paired. A system is scored by the mean over items of its mean
    answer to each (over annotators, when annotators are resampled). A is better than B at the
    level alpha when A scores higher in at least 1 − alpha of the resamples (one-sided, the
    convention of RankME and of machine translation campaigns); of few units it has to in more of
    them, since their resamples vary too little (Hesterberg 2015). A new cluster starts where every
    system above is better than every system below. Where there are moderators a system's score is
    the mean of its scores at their levels, all levels equally weighted.

    Parameters
    ----------
    judgements : Judgements
        Any protocol; pairs are scored by win rate.
    by : str, optional
        A factor to give one ranking a level of.
    resample : {"item", "annotator", "both", "judgement"}, optional
        What is drawn. "both" draws items and annotators independently, each judgement counting
        for the product, and scores the mean of judgements. By default items, else annotators, else
        single judgements (which takes them as independent); annotators first where not quite the
        same ones judged every system.
    n_resamples : int
        Resamples.
    alpha : float
        One-sided level of the clusters.
    criterion : str, optional
        Criterion; each in turn where left out.
    ci_prob : float, optional
        Probability of the percentile intervals; `bayeseval.settings.ci_prob` where left out.
    random_seed : int, optional
        Seed.
    mean : {"auto", "arithmetic", "geometric"}
        ``"auto"`` scores by geometric means of magnitudes, as `rating_means` does, and by
        arithmetic ones of everything else.

    Returns
    -------
    BootstrapRanking
        One row a system, best first, with the columns ``criterion`` and the factor ``by``
        (where there are), ``cluster``, ``position``, ``system``,
        ``score``, ``lower``, ``upper``, ``rank_lower``, ``rank_upper`` (interval of the rank over
        resamples; best = 1; equal scores share the better rank, in ``position`` too). ``pairs``
        has the differences, ``ranking()`` the line that papers print. Resamples in which a system
        was never judged are left out and counted in a note. A system with one resampled unit has
        the same score in every resample: no interval, and no test against any other, so that the
        ranks of the others allow for it above and below them; nor has a score or difference that
        does not vary an interval.

    Raises
    ------
    DesignError
        If what is resampled is missing or there is only one of it, or a level of the moderators
        lacks a system.

    References
    ----------
    Novikova, J., Dušek, O., & Rieser, V. (2018). RankME: Reliable human ratings for natural
    language generation. NAACL. https://doi.org/10.18653/v1/N18-2012

    Hesterberg, T. C. (2015). What teachers should know about the bootstrap. The American
    Statistician 69, 371–386. https://doi.org/10.1080/00031305.2015.1089789
    """
    alpha = checked_alpha(alpha)
    prob, _ = resolve_ci(ci_prob)
    pieces = list(slices(judgements, criterion, by))
    chosen = _resample(judgements, resample, pieces)
    n_resamples = whole_number(n_resamples, "n_resamples", least=2)
    rng = generator(random_seed)
    tables, pairs, notes = [], [], []
    within, names = strata(judgements, "system", by)
    geometric = False
    if not judgements.is_paired:
        geometric = is_geometric(mean, judgements, numbers(judgements, what="this"))
    for piece in pieces:
        estimate, draws, systems, n_units = _scores(
            judgements, piece, within, names, chosen, n_resamples, rng, geometric=geometric
        )
        whole = np.isfinite(draws).all(axis=1)
        if whole.sum() < 2:
            raise DesignError(
                f"too few resamples hold every system{piece.where}: some were judged on too few "
                f"{chosen}s to be resampled."
            )
        if not whole.all():
            notes.append(
                f"{int((~whole).sum())} of {n_resamples:,} resamples lack a system{piece.where} "
                "and were left out."
            )
        alone = n_units < 2
        if 2 <= (few := int(n_units[~alone].min(initial=FEW_UNITS))) < FEW_UNITS:
            notes.append(
                f"Of {few} {_plural(chosen)}{piece.where} no resample is far from all: "
                "intervals rest on Student's t, and no p is below 2^−n."
            )
        if alone.any():
            named = some([systems[code] for code in np.flatnonzero(alone)])
            notes.append(
                f"Judged on one {'judgement' if chosen == 'both' else chosen} alone{piece.where}: "
                f"{named}. Every resample gives the same score: no interval, no rank interval, and "
                "no cluster of its own."
            )
        table, pair = ranked(
            estimate,
            draws[whole],
            systems,
            prob,
            alpha,
            alone,
            n_units,
            possible_means(judgements),
        )
        if table["lower"].isna().sum() > alone.sum():
            notes.append(f"Scores that no resample changes{piece.where} have no interval.")
        for frame, collected in ((table, tables), (pair, pairs)):
            for place, (name, label) in enumerate(piece.key.items()):
                frame.insert(place, name, label)
            collected.append(frame)
    return BootstrapRanking(
        table=pd.concat(tables, ignore_index=True),
        title="Ranking by " + ("win rate" if judgements.is_paired else "mean answer"),
        notes=(
            (
                f"Paired bootstrap over {_plural(chosen)}, {n_resamples:,} resamples; "
                f"{100 * prob:.10g} % percentile intervals, widened for few units. A new cluster "
                "starts where every system above scores higher than every system below in at least "
                f"{100 * (1 - alpha):.10g} % of them, or more of few units."
            ),
            *(
                [f"Score: the mean over the levels of {names}, equally weighted."]
                if within is not None
                else []
            ),
            GENERALISES[chosen],
            *(["Scores are geometric means."] if geometric else []),
            *notes_on_means(judgements, geometric=geometric),
            *(first_places(judgements) if judgements.is_paired else []),
            *notes,
        ),
        shown=(
            *split(by),
            Shown("cluster", "cluster", "count"),
            Shown("position", "rank", "count"),
            Shown(("rank_lower", "rank_upper"), "ranks", decimals=0),
            Shown("system", "system", "label"),
            Shown("score", "score"),
            Shown(("lower", "upper"), "interval"),
        ),
        pairs=pd.concat(pairs, ignore_index=True),
        n_resamples=n_resamples,
        resample=chosen,
        alpha=alpha,
    )


def _plural(resample: Resample) -> str:
    return "items and annotators" if resample == "both" else f"{resample}s"


def _resample(
    judgements: Judgements, resample: Resample | None, pieces: Sequence[Slice]
) -> Resample:
    if resample is None:
        return cast("Resample", unit_of_all(judgements, pieces) or "judgement")
    if resample not in ("item", "annotator", "both", "judgement"):
        raise DesignError(
            f"resample must be 'item', 'annotator', 'both' or 'judgement'; got {resample!r}"
        )
    for name in ("item", "annotator"):
        if resample in (name, "both"):
            if not judgements.has(name):
                raise DesignError(f"resample={resample!r} needs {name}s, which this table has not.")
            if len(judgements.labels(name)) < 2:
                raise DesignError(
                    f"resample={resample!r} needs at least two {name}s; there is one: what is "
                    "drawn from it is always the same."
                )
    return resample


def _answers(judgements: Judgements, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return answers, system codes and the rows they come from: pairs give two answers a row."""
    if not judgements.is_paired:
        return numbers(judgements, what="this")[rows], judgements.codes("system")[rows], rows
    score = judgements.points()[rows]
    sides = [judgements.codes(name)[rows] for name in ("system_a", "system_b")]
    return (
        np.concatenate([score, 1 - score]),
        np.concatenate(sides),
        np.concatenate([rows, rows]),
    )


def _draw(n: int, n_resamples: int, rng: np.random.Generator) -> np.ndarray:
    return rng.multinomial(n, np.full(n, 1 / n), size=n_resamples).astype(float)


def _chunks(n_resamples: int, width: int) -> Iterator[int]:
    step = max(1, MOST_AT_ONCE // max(1, width))
    for start in range(0, n_resamples, step):
        yield min(step, n_resamples - start)


def _scores(
    judgements: Judgements,
    piece: Slice,
    within: np.ndarray | None,
    names: str,
    resample: Resample,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    geometric: bool,
) -> tuple[np.ndarray, np.ndarray, list[str], np.ndarray]:
    """Return scores, their resamples (resample, system), systems, and each one's resampled units.

    With strata scores are means over them, and the units those of the stratum with fewest.
    """
    rows = piece.rows
    values, system, source = _answers(judgements, rows)
    values = np.log(values) if geometric else values
    systems = [judgements.systems[code] for code in np.unique(system)]
    if len(systems) < 2:
        raise DesignError(f"a ranking needs at least two systems; there is {systems[0]!r} alone.")
    # A column for every system at every level: one draw of units serves all of them.
    stratum = np.zeros_like(source) if within is None else within[source]
    system, columns = compact([stratum, system])
    n_strata, n_columns = len(np.unique(stratum)), len(columns)
    if n_columns < n_strata * len(systems):
        raise DesignError(
            f"not every system was judged at every level of {names}{piece.where}: scores would "
            "compare levels, not systems. Use by= for one ranking a level, filter the judgements, "
            "or rating_tests, which compares two systems within the levels that have both."
        )

    def over_strata(scores: np.ndarray) -> np.ndarray:
        means = scores.reshape(-1, n_strata, len(systems)).mean(axis=1)
        return np.exp(means) if geometric else means

    draws = []
    if resample == "both":
        item = np.unique(judgements.codes("item")[source], return_inverse=True)[1]
        person = np.unique(judgements.codes("annotator")[source], return_inverse=True)[1]
        belongs = (system[:, None] == np.arange(n_columns)).astype(float)
        estimate = (values @ belongs) / belongs.sum(axis=0)
        for size in _chunks(n_resamples, len(values)):
            weights = _draw(int(item.max()) + 1, size, rng)[:, item]
            weights *= _draw(int(person.max()) + 1, size, rng)[:, person]
            draws.append(over_strata(_ratio((weights * values) @ belongs, weights @ belongs)))
        units = [
            [len(np.unique(of[system == code])) for code in range(n_columns)]
            for of in (item, person)
        ]
        n_units = np.array(units).min(axis=0).reshape(n_strata, -1).min(axis=0)
        return over_strata(estimate)[0], np.concatenate(draws), systems, n_units
    unit = (
        np.tile(np.arange(len(rows)), len(values) // len(rows))
        if resample == "judgement"
        else np.unique(judgements.codes(resample)[source], return_inverse=True)[1]
    )
    cells, _ = cell_means(values, unit, system, (int(unit.max()) + 1, n_columns))
    there = np.isfinite(cells).astype(float)
    filled = np.nan_to_num(cells)
    estimate = filled.sum(axis=0) / there.sum(axis=0)
    for size in _chunks(n_resamples, len(cells)):
        weights = _draw(len(cells), size, rng)
        draws.append(over_strata(_ratio(weights @ filled, weights @ there)))
    n_units = there.sum(axis=0).reshape(n_strata, -1).min(axis=0)
    return over_strata(estimate)[0], np.concatenate(draws), systems, n_units


def _ratio(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    result = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=result, where=bottom > 0)
    return result
