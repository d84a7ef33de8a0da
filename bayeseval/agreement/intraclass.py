"""The six intraclass correlations of Shrout and Fleiss, with both conventions of their names."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from bayeseval._records import Record, Shown, split
from bayeseval._slices import slices
from bayeseval._units import cell_means, compact, named_unit, numbers
from bayeseval.agreement._mean_squares import forms_of
from bayeseval.agreement._shared_items import clusters, note_on_shared_items
from bayeseval.errors import DesignError
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci

type Raters = Literal["auto", "annotator", "slot"]


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
            for row in forms_of(matrix, item, prob)
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
