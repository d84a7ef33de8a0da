"""Cohen's kappa of every two annotators, and Fleiss' kappa of all."""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from bayeseval._checks import whole_number
from bayeseval._records import Record, Shown, split
from bayeseval._slices import slices
from bayeseval._units import answers_by_unit, has_width, once_each
from bayeseval.agreement._shared_items import clusters, note_on_shared_items
from bayeseval.errors import DesignError
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci

SAME = "Kappa is not defined where everybody gave the same answer to everything."


@takes_judgements
def cohen_kappa(
    judgements: Judgements,
    *,
    weights: Literal["linear", "quadratic"] | None = None,
    by: str | None = None,
    criterion: str | None = None,
    unit: Sequence[str] | None = None,
    min_units: int = 2,
    ci_prob: float | None = None,
) -> Record:
    """Compute Cohen's kappa of every two annotators over the units that both judged.

    Parameters
    ----------
    judgements : Judgements
        Any protocol whose answers are categories; pairs shown in either order are one unit.
    weights : {"linear", "quadratic"}, optional
        Weigh a disagreement by its distance in categories, or by its square.
    by : str, optional
        A factor to give one result a level of, such as a moderator.
    criterion : str, optional
        Criterion; each in turn where left out.
    unit : sequence of str, optional
        Factors that say what was judged, as in `krippendorff_alpha`.
    min_units : int
        Leave out two annotators who share fewer units than this.
    ci_prob : float, optional
        Probability of the interval; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    Record
        One row two annotators, with the columns ``criterion``, the factor ``by`` (if there are),
        ``annotator_a``, ``annotator_b``, ``n_units`` (judged by both), ``agreement`` (share that
        is the same), ``kappa``, ``lower``, ``upper`` (normal, from the large-sample standard
        error; where units share items, of which there are three at least, Student's t over items)
        and ``note``. Kappa of two annotators who gave one and the same answer to everything
        is NaN, and so is the interval of one unit or of answers that do not vary. Where an
        annotator judged a unit more than once, the first judgement counts.

    Raises
    ------
    DesignError
        If there are no identities, or no two annotators share ``min_units`` units.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological
    Measurement 20, 37–46. https://doi.org/10.1177/001316446002000104

    Fleiss, J. L., Cohen, J., & Everitt, B. S. (1969). Large sample standard errors of kappa and
    weighted kappa. Psychological Bulletin 72, 323–327. https://doi.org/10.1037/h0028106

    Yang, Z., & Zhou, M. (2015). Weighted kappa statistic for clustered matched-pair ordinal data.
    Computational Statistics & Data Analysis 82, 1–18.
    https://ideas.repec.org/a/eee/csdana/v82y2015icp1-18.html
    """
    import pandas as pd
    from statsmodels.stats.inter_rater import cohens_kappa

    if weights not in (None, "linear", "quadratic"):
        raise DesignError(f"weights must be 'linear', 'quadratic' or None; got {weights!r}")
    if judgements.annotators is None:
        raise DesignError("Cohen's kappa needs identities, which this export has not.")
    prob, _ = resolve_ci(ci_prob)
    min_units = whole_number(min_units, "min_units", least=0)
    values, codes, _, factors = answers_by_unit(judgements, unit)
    categories, answer = _categories(judgements, values)
    found, used = [], []
    for piece in slices(judgements, criterion, by):
        # The first row of every unit that someone judged.
        of_person: dict[int, dict[int, int]] = {}
        for row in piece.rows:
            own = of_person.setdefault(int(judgements.codes("annotator")[row]), {})
            own.setdefault(int(codes[row]), int(row))
        before = len(found)
        for one, two in combinations(sorted(of_person), 2):
            both = of_person[one].keys() & of_person[two].keys()
            if len(both) < max(1, min_units):
                continue
            rows = np.array([of_person[one][key] for key in both])
            pair = answer[rows], answer[[of_person[two][key] for key in both]]
            table = np.zeros((len(categories), len(categories)))
            np.add.at(table, pair, 1)
            kappa = lower = upper = float("nan")
            if np.count_nonzero(table.sum(axis=0) + table.sum(axis=1)) > 1:
                with np.errstate(divide="ignore", invalid="ignore"):
                    # Where agreement by chance is certain, or none, its variance is 0 / 0.
                    result = cohens_kappa(table, wt=weights)
                kappa = float(result["kappa"])
                item, what = clusters(judgements, rows, np.arange(len(rows)), factors)
                used.append(what)
                influence = _influence(table, weights)[pair]
                half = _half(float(result["var_kappa"]), influence, item, prob)
                lower, upper = max(-1.0, kappa - half), min(1.0, kappa + half)
            width, why = has_width(lower, upper, len(both), "unit")
            if not width:
                lower = upper = float("nan")
            found.append(
                {
                    **piece.key,
                    "annotator_a": judgements.annotators[one],
                    "annotator_b": judgements.annotators[two],
                    "n_units": len(both),
                    "agreement": float(np.trace(table) / table.sum()),
                    "kappa": kappa,
                    "lower": lower,
                    "upper": upper,
                    "note": why if np.isfinite(kappa) else SAME,
                }
            )
        if len(found) == before:
            raise DesignError(
                f"no two annotators judged {min_units} units in common{piece.where}; there are "
                f"{len(of_person)} annotators. krippendorff_alpha allows for missing cells."
            )
    table = pd.DataFrame(found)
    return Record(
        table=table,
        title=f"Cohen's kappa{'' if weights is None else f', {weights} weights'}",
        notes=(
            f"Unit: {' × '.join(factors)}. Interval: {100 * prob:.10g} %, large-sample.",
            *note_on_shared_items(
                judgements,
                factors,
                used,
                "the intervals of annotators who share some are Student's t, over items",
            ),
            *dict.fromkeys(note for note in table["note"] if note),
        ),
        shown=(
            *split(by),
            Shown("annotator_a", "annotator", "label"),
            Shown("annotator_b", "and", "label"),
            Shown("n_units", "units", "count"),
            Shown("agreement", "agreement"),
            Shown("kappa", "kappa"),
            Shown(("lower", "upper"), "interval"),
        ),
    )


def _influence(table: np.ndarray, weights: str | None) -> np.ndarray:
    """Return how far an answer of each cell moves kappa, dims (category, category).

    Its mean is zero and the mean of its squares, over n, the large-sample variance (Fleiss, Cohen &
    Everitt 1969, doi:10.1037/h0028106).
    """
    share = table / table.sum()
    steps = np.abs(np.subtract.outer(np.arange(len(table)), np.arange(len(table))))
    # Disagreement; kappa is 1 minus what there is over what there would be by chance.
    weight = np.minimum(steps, 1) if weights is None else steps ** (1 + (weights == "quadratic"))
    one, two = share.sum(axis=1), share.sum(axis=0)
    chance = float(one @ weight @ two)
    ratio = float((share * weight).sum()) / chance if chance > 0 else 0.0
    by_chance = (weight @ two)[:, None] + one @ weight
    return (ratio * (by_chance - chance) - weight) / chance if chance > 0 else 0.0 * weight


def _half(variance: float, influence: np.ndarray, item: np.ndarray, prob: float) -> float:
    """Return half of an interval: normal where all units are independent, else over items.

    Over items the variance is that of sums of influence (Yang & Zhou 2015), and no smaller than
    that of independent units: of few items it is itself uncertain.
    """
    from scipy.stats import norm, t

    n, n_items = len(item), int(item.max()) + 1
    variance = max(variance, 0.0)
    if n_items == n:
        return float(norm.ppf(0.5 + prob / 2) * np.sqrt(variance))
    sums = np.bincount(item, weights=influence)
    between = n_items / (n_items - 1) * float((sums**2).sum()) / n**2
    return float(t.ppf(0.5 + prob / 2, n_items - 1) * np.sqrt(max(variance, between)))


@takes_judgements
def fleiss_kappa(
    judgements: Judgements,
    *,
    by: str | None = None,
    criterion: str | None = None,
    unit: Sequence[str] | None = None,
) -> Record:
    """Compute Fleiss' kappa, for units judged equally often by any annotators.

    Parameters
    ----------
    judgements : Judgements
        Any protocol whose answers are categories; pairs shown in either order are one unit.
    by : str, optional
        A factor to give one result a level of, such as a moderator.
    criterion : str, optional
        Criterion; each in turn where left out.
    unit : sequence of str, optional
        Factors that say what was judged, as in `krippendorff_alpha`.

    Returns
    -------
    Record
        One row a criterion, with the columns ``criterion`` and the factor ``by`` (where there are),
        ``n_units``, ``n_each`` (judgements a unit), ``agreement`` (mean share of pairs of
        answers to a unit that are the same), ``chance``, ``kappa`` and ``note``. Where everybody
        gave one answer to everything kappa is NaN. Of several judgements of a unit by one
        annotator the first counts.

    Raises
    ------
    DesignError
        If units were judged unequally often, or once.

    References
    ----------
    Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological
    Bulletin 76, 378–382. https://doi.org/10.1037/h0031619
    """
    import pandas as pd
    from statsmodels.stats.inter_rater import fleiss_kappa as kappa_of

    values, codes, _, factors = answers_by_unit(judgements, unit)
    categories, answer = _categories(judgements, values)
    found = []
    for piece in slices(judgements, criterion, by):
        rows = once_each(judgements, piece.rows, codes)
        _, own = np.unique(codes[rows], return_inverse=True)
        table = np.zeros((int(own.max()) + 1, len(categories)))
        np.add.at(table, (own, answer[rows]), 1)
        sizes, often = np.unique(table.sum(axis=1), return_counts=True)
        if len(sizes) > 1 or sizes[0] < 2:
            listed = ", ".join(
                f"{int(n):,} units {int(size)}×" for size, n in zip(sizes, often, strict=True)
            )
            raise DesignError(
                f"Fleiss' kappa needs every unit judged equally often, at least twice; found "
                f"{listed}{piece.where}. krippendorff_alpha(level='nominal') is its counterpart "
                "for unequal numbers and missing cells."
            )
        each = sizes[0]
        agreement = float(((table * (table - 1)).sum(axis=1) / (each * (each - 1))).mean())
        chance = float(((table.sum(axis=0) / table.sum()) ** 2).sum())
        kappa = float(kappa_of(table)) if chance < 1 else float("nan")
        found.append(
            {
                **piece.key,
                "n_units": len(table),
                "n_each": int(each),
                "agreement": agreement,
                "chance": chance,
                "kappa": kappa,
                "note": "" if np.isfinite(kappa) else SAME,
            }
        )
    frame = pd.DataFrame(found)
    return Record(
        table=frame,
        title="Fleiss' kappa",
        notes=(
            f"Unit: {' × '.join(factors)}.",
            *dict.fromkeys(note for note in frame["note"] if note),
        ),
        shown=(
            *split(by),
            Shown("n_units", "units", "count"),
            Shown("n_each", "judgements each", "count"),
            Shown("agreement", "agreement"),
            Shown("chance", "by chance"),
            Shown("kappa", "kappa"),
        ),
    )


def _categories(judgements: Judgements, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the categories from low to high and each row's; of a scale, unused ones too."""
    used = np.unique(values)
    scale = getattr(judgements, "scale", None)
    # Weights count steps between categories, so that an unused one must keep its place.
    categories = used if scale is None else np.array(scale.values)
    return categories, np.searchsorted(categories, values)
