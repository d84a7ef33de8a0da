"""The six intraclass correlations of Shrout and Fleiss, with both conventions of their names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bayeseval._records import Record, Shown, split
from bayeseval._slices import slices
from bayeseval._units import cell_means, compact, named_unit, numbers
from bayeseval.agreement._shared_items import BetweenUnits, clusters, note_on_shared_items
from bayeseval.errors import DesignError
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci

type Raters = Literal["auto", "annotator", "slot"]

FORMS = (
    ("ICC(1,1)", "ICC(1)", "one-way", "agreement"),
    ("ICC(2,1)", "ICC(A,1)", "two-way random", "agreement"),
    ("ICC(3,1)", "ICC(C,1)", "two-way mixed", "consistency"),
    ("ICC(1,k)", "ICC(k)", "one-way", "agreement"),
    ("ICC(2,k)", "ICC(A,k)", "two-way random", "agreement"),
    ("ICC(3,k)", "ICC(C,k)", "two-way mixed", "consistency"),
)

# Shares of the sum of squares below this are rounding: of equal decimals, differences have some.
ROUNDING = 1e-12
NO_ERROR = "Judgements do not disagree at all: there is no variation for an interval or a test."


@takes_judgements
def icc(
    judgements: Judgements,
    *,
    by: str | None = None,
    criterion: str | None = None,
    unit: Sequence[str] | None = None,
    raters: Raters = "auto",
    ci_prob: float | None = None,
) -> Record:
    r"""Compute all six intraclass correlations, one set a criterion.

    From the mean squares between targets (:math:`B`), within targets (:math:`W`), between raters
    (:math:`J`) and of the residual (:math:`E`) of n targets × k raters:

    .. math::
        ICC(1,1) = \frac{B - W}{B + (k-1)W},\quad
        ICC(2,1) = \frac{B - E}{B + (k-1)E + k(J-E)/n},\quad
        ICC(3,1) = \frac{B - E}{B + (k-1)E}

    and for the mean of k raters :math:`(B-W)/B`, :math:`(B-E)/(B+(J-E)/n)`, :math:`(B-E)/B`. Forms
    1 and 2 ask for absolute agreement, form 3 for consistency: a rater who is stricter throughout
    does not lower it.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes.
    by : str, optional
        A factor to give one result a level of, such as a moderator.
    criterion : str, optional
        Criterion; each in turn where left out.
    unit : sequence of str, optional
        Factors that say what was judged (the targets), as in `krippendorff_alpha`.
    raters : {"auto", "annotator", "slot"}
        What the k columns are. ``"annotator"``: the people; targets that not all of them judged
        are left out and counted. ``"slot"``: the first, second, … judgement of a target in the
        order of the table, as many as every target has, whoever gave them; this is what crowd
        studies report, and forms 2 and 3 then depend on an arbitrary order. ``"auto"``: annotators
        where at least half of the targets were judged by all, otherwise slots.
    ci_prob : float, optional
        Probability of the interval; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    Record
        Six rows a criterion, with the columns ``criterion``, the factor ``by`` (if there are),
        ``form`` (Shrout & Fleiss), ``name`` (McGraw & Wong), ``model``, ``definition`` (agreement
        or consistency), ``raters`` (single, or mean of k), ``icc``, ``lower``, ``upper``, ``F``,
        ``df1``, ``df2``, ``p`` (of ICC = 0), ``n_targets``, ``n_raters``, ``n_left_out`` (targets
        or, for slots, judgements), ``order_free`` (False where the value depends on the order of
        slots) and ``note``. A negative value is possible: judgements of one target differ more than
        those of different targets. A ratio whose denominator, an estimated variance, is not above
        0 is NaN, and so is an interval that its formula does not give on both sides of the
        estimate; ``note`` says which. F and p are NaN where nothing disagrees.

        Intervals are McGraw and Wong's, of independent targets. Where targets share items, of
        which there are three at least, they are of new items: the mean square between targets is
        put together from those between and within items, and ends are quantiles of what is computed
        from generalised pivotal quantities of the mean squares (Weerahandi; compared with others
        by Ionan et al.). p is of targets that do not differ, and needs no such thing.

    Raises
    ------
    DesignError
        If every target was judged once, or fewer than two targets are left.

    References
    ----------
    Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations. Psychological Bulletin 86,
    420–428. https://doi.org/10.1037/0033-2909.86.2.420

    McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some intraclass correlation
    coefficients. Psychological Methods 1, 30–46. https://doi.org/10.1037/1082-989X.1.1.30

    Weerahandi, S. (1993). Generalized confidence intervals. Journal of the American Statistical
    Association 88, 899–905. https://doi.org/10.1080/01621459.1993.10476355

    Ionan, A. C., Polley, M.-Y. C., McShane, L. M., & Dobbin, K. K. (2014). Comparison of confidence
    interval methods for an intra-class correlation coefficient. BMC Medical Research Methodology
    14, 121. https://doi.org/10.1186/1471-2288-14-121
    """
    import pandas as pd

    if raters not in ("auto", "annotator", "slot"):
        raise DesignError(f"raters must be 'auto', 'annotator' or 'slot'; got {raters!r}")
    prob, _ = resolve_ci(ci_prob)
    values = numbers(judgements, what="icc")
    factors = named_unit(judgements, unit)
    codes, _ = compact([judgements.codes(name) for name in factors])
    found, notes, used = [], [], []
    for piece in slices(judgements, criterion, by):
        _, target = np.unique(codes[piece.rows], return_inverse=True)
        size = np.bincount(target)
        if size.max() < 2:
            raise DesignError(
                f"an ICC needs targets judged at least twice; every one of the {len(size):,} "
                f"targets ({' × '.join(factors)}){piece.where} was judged by one annotator, so "
                "that targets and annotators cannot be told apart."
            )
        who = judgements.codes("annotator")[piece.rows] if judgements.has("annotator") else None
        chosen, kept, matrix, left_out = _matrix(
            values[piece.rows], target, who, raters, piece.where
        )
        rows = kept[target]
        _, own = np.unique(target[rows], return_inverse=True)
        item, what = clusters(judgements, piece.rows[rows], own, factors)
        used.append(what)
        if chosen == "slot" and raters == "auto":
            why = "there are no identities" if who is None else "few targets were judged by all"
            notes.append(
                f"Raters are the first, second, … judgement of a target, whoever gave it: {why}."
            )
        found += [
            {
                **piece.key,
                **row,
                "n_left_out": left_out,
                "order_free": chosen == "annotator" or row["model"] == "one-way",
            }
            for row in _forms(matrix, item, prob)
        ]
    table = pd.DataFrame(found)
    notes += [note for note in table["note"] if note]
    if not table["order_free"].all():
        notes.append(
            "Forms 2 and 3 of slots depend on which judgement is called the first: report form 1."
        )
    return Record(
        table=table,
        title="Intraclass correlation",
        notes=(
            (
                f"Targets: {' × '.join(factors)}. Interval: {100 * prob:.10g} %, from the F "
                "distribution."
            ),
            *note_on_shared_items(
                judgements,
                factors,
                used,
                "intervals are of new items, by generalised pivotal quantities",
            ),
            *dict.fromkeys(notes),
        ),
        shown=(
            *split(by),
            Shown("form", "form", "text"),
            Shown("name", "also called", "text"),
            Shown("definition", "definition", "text"),
            Shown("raters", "of", "text"),
            Shown("icc", "ICC"),
            Shown(("lower", "upper"), "interval"),
            Shown("p", "p", "p"),
            Shown("n_targets", "targets", "count"),
            Shown("n_left_out", "left out", "count"),
        ),
    )


def _matrix(
    values: np.ndarray, target: np.ndarray, who: np.ndarray | None, raters: Raters, where: str
) -> tuple[str, np.ndarray, np.ndarray, int]:
    """Return what the columns are, which targets are kept, their table × raters, and the rest."""
    if raters == "annotator" and who is None:
        raise DesignError(
            "raters='annotator' needs identities, which this export has not; use raters='slot'."
        )
    if who is not None and raters != "slot":
        _, person = np.unique(who, return_inverse=True)
        shape = (int(target.max()) + 1, int(person.max()) + 1)
        means, _ = cell_means(values, target, person, shape)
        complete = np.isfinite(means).all(axis=1)
        enough = shape[1] > 1 and complete.sum() >= max(2, shape[0] / 2)
        if enough or raters == "annotator":
            if not (shape[1] > 1 and complete.sum() > 1):
                raise DesignError(
                    f"raters='annotator' needs at least two targets judged by all annotators; "
                    f"{int(complete.sum())} of {shape[0]:,} were judged by all {shape[1]}{where}. "
                    "Use raters='slot' (ICC(1,·) alone is then free of the order), or "
                    "krippendorff_alpha, which allows for missing cells."
                )
            return "annotator", complete, means[complete], int((~complete).sum())
    size = np.bincount(target)
    several = size > 1
    if several.sum() < 2:
        raise DesignError(f"an ICC needs at least two targets judged at least twice{where}.")
    width = int(size[several].min())
    order = np.argsort(target, kind="stable")
    start = np.concatenate([[0], size.cumsum()[:-1]])
    slot = np.empty(len(target), dtype=np.int64)
    slot[order] = np.arange(len(target)) - start[target[order]]
    rows = (slot < width) & several[target]
    matrix = np.full((len(size), width), np.nan)
    matrix[target[rows], slot[rows]] = values[rows]
    return "slot", several, matrix[several], int((~rows).sum())


@dataclass(frozen=True, slots=True)
class _MeanSquares:
    """Mean squares of a table targets × raters; what is zero but for rounding is zero.

    ``of_items`` is that between targets, had each an item of its own.
    """

    n: int
    k: int
    between: float
    rater: float
    within: float
    residual: float
    of_items: BetweenUnits

    @classmethod
    def of(cls, matrix: np.ndarray, item: np.ndarray) -> "_MeanSquares":
        n, k = matrix.shape
        grand, by_target, by_rater = matrix.mean(), matrix.mean(axis=1), matrix.mean(axis=0)
        sums = (
            k * ((by_target - grand) ** 2).sum(),
            n * ((by_rater - grand) ** 2).sum(),
            ((matrix - by_target[:, None]) ** 2).sum(),
            ((matrix - by_target[:, None] - by_rater + grand) ** 2).sum(),
        )
        smallest = ROUNDING * ((matrix - grand) ** 2).sum()
        df = n - 1, k - 1, n * (k - 1), (n - 1) * (k - 1)
        squares = [float(s / d) if s > smallest else 0.0 for s, d in zip(sums, df, strict=True)]
        return cls(n, k, *squares, of_items=_between(k, by_target, item, squares[0]))


def _between(k: int, mean: np.ndarray, item: np.ndarray, plain: float) -> BetweenUnits:
    """Return the mean square between targets of one item each, from targets' means by item."""
    size = np.bincount(item)
    n, n_items = len(mean), len(size)
    if n_items == n:
        return BetweenUnits((plain,), (n - 1,))
    centre = np.bincount(item, weights=mean) / size
    of_item = k * float((size * (centre - mean.mean()) ** 2).sum()) / (n_items - 1)
    within = k * float(((mean - centre[item]) ** 2).sum()) / (n - n_items)
    each = (n - float((size**2).sum()) / n) / (n_items - 1)
    return BetweenUnits.of(of_item, within, each, n_items - 1, n - n_items)


def _forms(matrix: np.ndarray, item: np.ndarray, prob: float) -> list[dict[str, object]]:
    from scipy.stats import f as f_distribution

    ms = _MeanSquares.of(matrix, item)
    n, k = ms.n, ms.k
    spread = ms.rater - ms.residual
    ratios = [
        (ms.between - ms.within, ms.between + (k - 1) * ms.within),
        (ms.between - ms.residual, ms.between + (k - 1) * ms.residual + k * spread / n),
        (ms.between - ms.residual, ms.between + (k - 1) * ms.residual),
        (ms.between - ms.within, ms.between),
        (ms.between - ms.residual, ms.between + spread / n),
        (ms.between - ms.residual, ms.between),
    ]
    total = ms.between + ms.rater + ms.within
    rows: list[dict[str, object]] = []
    for index, (form, name, model, definition) in enumerate(FORMS):
        top, bottom = ratios[index]
        one_way = model == "one-way"
        error = ms.within if one_way else ms.residual
        df1, df2 = n - 1, n * (k - 1) if one_way else (n - 1) * (k - 1)
        value = lower = upper = ratio = p = float("nan")
        if error > 0:
            ratio = ms.between / error
            p = float(f_distribution.sf(ratio, df1, df2))
        if total == 0:
            note = "All judgements are the same: no ICC is defined."
        elif bottom <= ROUNDING * total:
            note = f"{form} is not defined: {_why(index, ms)}."
        else:
            value, note = top / bottom, ""
            low, high = _interval(index, ms, prob) if error > 0 else (value, np.nan)
            if ms.of_items.shared:
                # Its mean square is another than the estimate's.
                low, high = min(low, value), max(high, value)
            # Approximate ends are not sure to lie on either side of the estimate.
            if low <= value <= high <= 1 and low < high - ROUNDING:
                lower, upper = low, high
            else:
                note = NO_ERROR if error == 0 else f"{form} has no interval: {_outside(index)}."
        rows.append(
            {
                "form": form,
                "name": name,
                "model": model,
                "definition": definition,
                "raters": "single" if index < 3 else f"mean of {k}",
                "icc": value,
                "lower": lower,
                "upper": upper,
                "F": ratio,
                "df1": df1,
                "df2": df2,
                "p": p,
                "n_targets": n,
                "n_raters": k,
                "note": note,
            }
        )
    return rows


def _why(index: int, ms: _MeanSquares) -> str:
    """Say what makes the denominator of a form zero or negative."""
    if index == 1:
        return "the estimated variance of one answer is not above 0"
    if ms.between == 0:
        return "all targets have the same mean"
    return (
        "targets and raters differ less than disagreement alone would make them, so that the "
        "estimated variance of a mean answer is not above 0"
    )


def _outside(index: int) -> str:
    if index in (1, 4):
        return "its approximation (McGraw & Wong) does not hold for these mean squares"
    return "the F distribution gives none for these mean squares"


def _interval(index: int, ms: _MeanSquares, prob: float) -> tuple[float, float]:
    """Return the ends of a form's interval; NaN where a formula has no value."""
    n, k = ms.n, ms.k
    df_residual = (n - 1) * (k - 1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if index in (1, 4):
            ends = _two_way_shared(ms, prob) if ms.of_items.shared else _two_way(ms, prob)
            if index == 1:
                return ends
            # Below −1/(k − 1) a mean of k would have a negative variance.
            low, up = (k * e / (1 + (k - 1) * e) if e > -1 / (k - 1) else np.nan for e in ends)
            return low, up
        error, df2 = (ms.within, n * (k - 1)) if index in (0, 3) else (ms.residual, df_residual)
        low, up = np.array(ms.of_items.ratio(error, df2, prob))
        if index < 3:
            return float((low - 1) / (low + k - 1)), float((up - 1) / (up + k - 1))
        return float(1 - 1 / low), float(1 - 1 / up)


def _two_way(ms: _MeanSquares, prob: float) -> tuple[float, float]:
    """Return McGraw and Wong's interval of ICC(2,1)."""
    from scipy.stats import f as f_distribution

    n, k, high = ms.n, ms.k, 0.5 + prob / 2
    df1, df_residual = n - 1, (n - 1) * (k - 1)
    residual, rater, between = np.array([ms.residual, ms.rater, ms.between])
    rho = (between - residual) / (between + (k - 1) * residual + k * (rater - residual) / n)
    fj = rater / residual
    top = df_residual * (k * rho * fj + n * (1 + (k - 1) * rho) - k * rho) ** 2
    bottom = df1 * k**2 * rho**2 * fj**2 + (n * (1 + (k - 1) * rho) - k * rho) ** 2
    df_two = top / bottom
    f_up = f_distribution.ppf(high, df1, df_two)
    f_low = f_distribution.ppf(high, df_two, df1)
    spread = k * rater + (k * n - k - n) * residual
    low = n * (between - f_up * residual) / (f_up * spread + n * between)
    up = n * (f_low * between - residual) / (spread + n * f_low * between)
    return float(low), float(up)


def _two_way_shared(ms: _MeanSquares, prob: float) -> tuple[float, float]:
    """Return the interval of ICC(2,1) of targets that share items."""
    n, k, tail = ms.n, ms.k, (1 - prob) / 2
    others, df = (ms.rater, ms.residual), (k - 1, (n - 1) * (k - 1))
    between, rater, residual = ms.of_items.expected(others, df)
    one_answer = between + (k - 1) * residual + k * (rater - residual) / n
    low, up = np.quantile((between - residual) / one_answer, [tail, 1 - tail])
    return float(low), float(up)
