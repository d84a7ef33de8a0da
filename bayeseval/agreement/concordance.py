"""Kendall's W: between annotators, and within one annotator over repeats."""

from typing import Literal

import numpy as np

from bayeseval._checks import some
from bayeseval._records import Record, Shown, split
from bayeseval._slices import Slice, slices
from bayeseval._units import answers_about, both_sides, cell_means, compact, unit_factors
from bayeseval.errors import DesignError
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements

type Objects = Literal["system", "output"]


@takes_judgements
def kendalls_w(
    judgements: Judgements,
    *,
    within: bool = False,
    objects: Objects = "system",
    by: str | None = None,
    criterion: str | None = None,
) -> Record:
    r"""Compute Kendall's coefficient of concordance.

    For m rankings of n objects with rank sums :math:`R_i`,

    .. math:: W = \frac{12 \sum_i (R_i - \bar R)^2}{m^2 (n^3 - n) - m \sum_j T_j}

    where :math:`T_j = \sum (t^3 - t)` over the groups of t tied objects in ranking j. 1 = all
    rankings are the same, 0 = no order in common.

    Parameters
    ----------
    judgements : Judgements
        Ratings, magnitudes, or strengths of preference, which count for both of their systems.
    within : bool
        False: one ranking an annotator, from the annotator's mean answers. True: within each
        annotator, the r-th judgement of every object, in the order of the table, makes the r-th
        ranking (of strengths the r-th judgement of every pair, by the systems' means); W is
        computed for each annotator and averaged (intra-annotator consistency).
    objects : {"system", "output"}
        What is ranked: systems, or single outputs (system × item, and moderators).
    by : str, optional
        A factor to give one result a level of, such as a moderator.
    criterion : str, optional
        Criterion; each in turn where left out.

    Returns
    -------
    Record
        With ``within=False`` one row a criterion; with ``within=True`` one row an annotator and a
        row "mean" whose ``W`` is the average over annotators. Columns: ``criterion`` (only where
        there are criteria), ``annotator`` (only within), ``W``, ``chi2`` = m(n − 1)W, ``df``,
        ``p`` (chi-square approximation, good from n = 8 on; missing in the mean), ``n_rankings``
        (m), ``n_objects`` (n), ``n_left_out`` (annotators who did not judge every object; within:
        objects without a repeat and annotators without repeats). Where every ranking ties all
        objects W is not defined: NaN.

    Raises
    ------
    DesignError
        If there are no identities, fewer than two rankings or fewer than two objects.

    References
    ----------
    Kendall, M. G., & Babington Smith, B. (1939). The problem of m rankings. Annals of Mathematical
    Statistics 10, 275–287. https://doi.org/10.1214/aoms/1177732186
    """
    import pandas as pd

    if objects not in ("system", "output"):
        raise DesignError(f"objects must be 'system' or 'output'; got {objects!r}")
    if judgements.annotators is None:
        raise DesignError(
            "Kendall's W ranks by annotator, and this export has no identities. Agreement without "
            "identities: krippendorff_alpha or icc(raters='slot')."
        )
    factors = ("system",) if objects == "system" else unit_factors(judgements)
    if judgements.is_paired and objects == "output":
        factors = tuple(name for name in factors if not name.startswith("system"))
        factors = ("system", *factors)
    found: list[dict[str, object]] = []
    for piece in slices(judgements, criterion, by):
        answers = answers_about(judgements, piece.rows, "system", what="kendalls_w")
        given, rows = answers.values, answers.rows
        others = [judgements.codes(name)[rows] for name in factors if name != "system"]
        thing, _ = compact([answers.level, *others])
        who = judgements.codes("annotator")[rows]
        if thing.max() < 1:
            raise DesignError(f"Kendall's W needs at least two {objects}s to rank{piece.where}.")
        if within and judgements.is_paired:
            pair = [np.sort([judgements.codes(n)[rows] for n in judgements.system_factors], axis=0)]
            judged, _ = compact([*pair[0], *others])
            given, thing, who = _by_round(given, thing, who, judged)
        if within:
            found += _within(given, thing, who, judgements.annotators, piece, objects)
        else:
            found.append(_between(given, thing, who, judgements.annotators, piece, objects))
    judged_thing = "pair" if judgements.is_paired else "object"
    return Record(
        table=pd.DataFrame(found),
        title="Kendall's W "
        + ("within annotators, over repeats" if within else "between annotators"),
        notes=(
            f"Ranked: {' × '.join(factors)}. "
            + (
                f"The r-th judgement of every {judged_thing} makes an annotator's r-th ranking."
                if within
                else "One ranking an annotator, by mean answer; ties share their mean rank."
            ),
            *(
                ["W is not defined where every ranking ties all objects."]
                if any(row["W"] != row["W"] for row in found)
                else []
            ),
            *(both_sides(judgements) if judgements.is_paired else ()),
        ),
        shown=(
            *split(by),
            Shown("annotator", "annotator", "label"),
            Shown("W", "W"),
            Shown("chi2", "χ²", decimals=2),
            Shown("df", "df", "count"),
            Shown("p", "p", "p"),
            Shown("n_rankings", "rankings", "count"),
            Shown("n_objects", f"{objects}s", "count"),
            Shown("n_left_out", "left out", "count"),
        ),
    )


def concordance(rankings: np.ndarray) -> dict[str, object]:
    """Compute W, its chi-square and p from a table rankings × objects without gaps.

    Parameters
    ----------
    rankings : numpy.ndarray, shape (m, n)
        Anything that orders the objects of each row; larger need not be better.

    Returns
    -------
    dict
        ``W``, ``chi2``, ``df``, ``p``, ``n_rankings``, ``n_objects``.
    """
    from scipy.stats import chi2, rankdata

    m, n = rankings.shape
    ranks = rankdata(rankings, axis=1)
    spread = ((ranks.sum(axis=0) - m * (n + 1) / 2) ** 2).sum()
    ties = sum(
        float((sizes**3 - sizes).sum())
        for sizes in (np.unique(row, return_counts=True)[1] for row in ranks)
    )
    bottom = m**2 * (n**3 - n) - m * ties
    w = 12 * spread / bottom if bottom > 0 else float("nan")
    statistic = m * (n - 1) * w
    return {
        "W": float(w),
        "chi2": float(statistic),
        "df": n - 1,
        "p": float(chi2.sf(statistic, n - 1)),
        "n_rankings": m,
        "n_objects": n,
    }


def _between(
    values: np.ndarray,
    thing: np.ndarray,
    who: np.ndarray,
    annotators: tuple[str, ...],
    piece: Slice,
    objects: Objects,
) -> dict[str, object]:
    people, person = np.unique(who, return_inverse=True)
    means, _ = cell_means(values, person, thing, (len(people), int(thing.max()) + 1))
    complete = np.isfinite(means).all(axis=1)
    if complete.sum() < 2:
        lacking = [annotators[code] for code in people[~complete]]
        raise DesignError(
            f"Kendall's W needs at least two annotators who judged every {objects}{piece.where}; "
            f"{int(complete.sum())} of {len(people)} did"
            + (f"; not complete: {some(lacking)}" if lacking else "")
            + ". krippendorff_alpha allows for missing cells."
        )
    return {
        **piece.key,
        **concordance(means[complete]),
        "n_left_out": int((~complete).sum()),
    }


def _by_round(
    values: np.ndarray, thing: np.ndarray, who: np.ndarray, pair: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return an annotator's mean answers about objects over the r-th judgements of all pairs.

    Pairs that were judged once are left out where an object was in another pair too.
    """
    import pandas as pd

    frame = pd.DataFrame({"who": who, "thing": thing, "pair": pair, "value": values})
    frame["round"] = frame.groupby(["who", "thing", "pair"]).cumcount()
    times = frame.groupby(["who", "pair"])["round"].transform("max") + 1
    again = times > 1
    elsewhere = again.groupby([frame["who"], frame["thing"]]).transform("any")
    fewest = times.where(again).groupby(frame["who"]).transform("min")
    frame = frame[(again & (frame["round"] < fewest)) | ~elsewhere]
    means = frame.groupby(["who", "round", "thing"], as_index=False)["value"].mean()
    return means["value"].to_numpy(), means["thing"].to_numpy(), means["who"].to_numpy()


def _within(
    values: np.ndarray,
    thing: np.ndarray,
    who: np.ndarray,
    annotators: tuple[str, ...],
    piece: Slice,
    objects: Objects,
) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    skipped = 0
    for code in np.unique(who):
        own = who == code
        size = np.bincount(thing[own])
        several = size > 1
        if several.sum() < 2:
            skipped += 1
            continue
        width = int(size[several].min())
        matrix = np.stack([values[own][thing[own] == t][:width] for t in np.flatnonzero(several)])
        found.append(
            {
                **piece.key,
                "annotator": annotators[code],
                **concordance(matrix.T),
                "n_left_out": int(((size > 0) & ~several).sum()),
            }
        )
    if not found:
        raise DesignError(
            f"intra-annotator consistency needs an annotator who judged at least two {objects}s "
            f"twice or more{piece.where}; none did. Read the table with repeats=True, or rank "
            "systems instead of outputs."
        )
    w = np.array([float(str(row["W"])) for row in found])
    defined = w[np.isfinite(w)]
    found.append(
        {
            **piece.key,
            "annotator": "mean",
            "W": float(defined.mean()) if defined.size else float("nan"),
            "n_left_out": skipped,
        }
    )
    return found
