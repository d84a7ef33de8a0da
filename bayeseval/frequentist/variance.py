"""Analysis of variance, and the arithmetic of a design."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from bayeseval._checks import names_of
from bayeseval._records import Record, Shown, split
from bayeseval._slices import Slice, slices, strata
from bayeseval._units import answers_about, block_means, both_sides, summaries
from bayeseval.errors import DesignError
from bayeseval.frequentist._mixed import additive
from bayeseval.frequentist.means import notes_on_means
from bayeseval.frequentist.mixed import mixed_effect
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements

# Said of a one-way F or of Tukey's pairs of strengths.
DEPENDENT = (
    " The two are taken as independent, which they are not: differences are found too often. "
    "anova(within='annotator'), friedman and strength_test allow for it."
)
SHOWN = (
    Shown("factor", "factor", "label"),
    Shown("method", "method", "text"),
    Shown("F", "F", decimals=2),
    Shown("df1", "df", "count"),
    Shown("df2", "df resid.", decimals=1),
    Shown("p", "p", "p"),
    Shown("eta2_partial", "partial η²"),
)


@takes_judgements
def anova(
    judgements: Judgements,
    factor: str | Sequence[str] = "system",
    *,
    within: str | None = None,
    by: str | None = None,
    criterion: str | None = None,
) -> Record:
    r"""Test whether the mean answer differs between the levels of a factor.

    Without ``within``, a one-way analysis of variance: :math:`F = MS_{between} / MS_{within}` and
    partial :math:`\eta^2 = SS_{between} / (SS_{between} + SS_{within})`. It takes all judgements
    as independent. With ``within``, each annotator (or item) is compared with itself: a
    repeated-measures analysis of variance of the cell means where every one has every level,
    otherwise (as for a factor that differs between annotators) a mixed model with a random effect
    for it, and the reason is said.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes.
    factor : str or sequence of str
        Factor whose levels are compared: ``"system"``, ``"item"``, ``"annotator"`` or a moderator;
        several are tested one by one, not together.
    within : {"annotator", "item"}, optional
        What is measured repeatedly.
    by : str, optional
        A factor to give one result a level of, such as a moderator.
    criterion : str, optional
        Criterion; each in turn where left out.

    Returns
    -------
    Record
        One row a criterion and factor, with the columns ``criterion`` (only where there are
        criteria), ``factor``, ``method``, ``n`` (judgements, or cells), ``n_levels``, ``F``,
        ``df1``, ``df2``, ``p``, ``ss_between``, ``ss_within``, ``ms_between``, ``ms_within``,
        ``eta2_partial``, with ``within`` also ``epsilon`` (Greenhouse–Geisser) and ``p_gg`` (p
        with it), of a mixed model ``chi2``, ``p_chi2`` (likelihood ratio), ``sd_block`` and
        ``sd_residual`` (and no sums of squares nor η²), and ``note``. Where nothing varies within
        the levels F is NaN and the note says so.

    Raises
    ------
    DesignError
        If the factor has one level, or every level one judgement.
    """
    factors = (
        (factor,)
        if isinstance(factor, str)
        else names_of(factor, "factor", example="('system', 'item')")
    )
    if within is not None and within in factors:
        raise DesignError(f"within={within!r} cannot also be the factor that is tested.")
    rows, notes = [], [*notes_on_means(judgements)]
    for piece in slices(judgements, criterion, by):
        for name in factors:
            answers = answers_about(judgements, piece.rows, name, what="anova")
            given, codes = answers.values, answers.level
            # Items and annotators belong to levels, within which they need not be compared.
            moderators = judgements.moderators if name in ("item", "annotator") else ()
            stratum, names = strata(judgements, name, within, by, "system", *moderators)
            if stratum is not None:
                stratum = stratum[answers.rows]
                notes.append(f"{name} is tested beside the levels of {names}.")
            if judgements.is_paired and name == "system":
                notes += both_sides(judgements, "" if within else DEPENDENT)
            head = {**piece.key, "factor": name}
            if len(np.unique(codes)) < 2:
                raise DesignError(
                    f"factor {name!r} has one level{piece.where}: there is nothing to compare."
                )
            if within is None:
                row = _one_way(given, codes, stratum, name, piece)
                rows.append({**head, "method": "one-way", **row})
            else:
                block = judgements.codes(within)[answers.rows]
                rows.append({**head, **_repeated(given, codes, block, stratum, name, within)})
    table = pd.DataFrame(rows)
    return Record(
        table=table,
        title="Analysis of variance" + ("" if within is None else f" within {within}"),
        notes=tuple(dict.fromkeys([*notes, *(note for note in table["note"] if note)])),
        shown=(*split(by), *SHOWN),
    )


def _one_way(
    values: np.ndarray, codes: np.ndarray, stratum: np.ndarray | None, name: str, piece: Slice
) -> dict[str, object]:
    _, level = np.unique(codes, return_inverse=True)
    n = np.bincount(level)
    mean = np.bincount(level, weights=values) / n
    ss_within = float(((values - mean[level]) ** 2).sum())
    ss_between = float((n * (mean - values.mean()) ** 2).sum())
    if n.sum() == len(n):
        raise DesignError(
            f"every level of {name!r} has one judgement{piece.where}: there is no variation "
            "within levels to compare with."
        )
    if stratum is None:
        return _f_test(ss_between, ss_within, len(n), int(n.sum()))
    design = additive(level, stratum, factor=name)
    _, own = np.unique(stratum, return_inverse=True)
    rest = values - (np.bincount(own, weights=values) / np.bincount(own))[own]
    coefficients = np.linalg.lstsq(design, values, rcond=None)[0]
    ss_within = float(((values - design @ coefficients) ** 2).sum())
    df2 = len(values) - design.shape[1]
    if df2 < 1:
        raise DesignError(f"no judgements are left to compare with{piece.where}: too few a level.")
    return _f_test(float(rest @ rest) - ss_within, ss_within, len(n), len(values), df2)


def _f_test(
    ss_between: float, ss_within: float, k: int, n: int, df2: int | None = None
) -> dict[str, object]:
    from scipy.stats import f as f_distribution

    df1, df2 = k - 1, n - k if df2 is None else df2
    tiny = 1e-12 * max(ss_between, ss_within, 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.float64(ss_between / df1) / np.float64(ss_within / df2))
    note = ""
    if ss_within <= tiny:
        same = ss_between <= tiny
        ratio = float("nan")
        note = (
            "All answers are the same: there is nothing to test."
            if same
            else "Answers do not vary within levels: nothing to test against."
        )
    total = ss_between + ss_within
    return {
        "n": n,
        "n_levels": k,
        "F": ratio,
        "df1": df1,
        "df2": df2,
        "p": float(f_distribution.sf(ratio, df1, df2)) if np.isfinite(ratio) else float("nan"),
        "ss_between": ss_between,
        "ss_within": ss_within,
        "ms_between": ss_between / df1,
        "ms_within": ss_within / df2,
        "eta2_partial": ss_between / total if total > 0 else float("nan"),
        "note": note,
    }


def _repeated(
    values: np.ndarray,
    codes: np.ndarray,
    block: np.ndarray,
    stratum: np.ndarray | None,
    name: str,
    within: str,
) -> dict[str, object]:
    from scipy.stats import f as f_distribution

    _, level = np.unique(codes, return_inverse=True)
    _, own = np.unique(block, return_inverse=True)
    shape = (int(own.max()) + 1, int(level.max()) + 1)
    cells = block_means(values, own, level, stratum)
    empty = int(np.isnan(cells).sum())
    if empty:
        result, _ = mixed_effect(values, level, own, stratum, what=within, factor=name)
        note = (
            f"{empty} of {cells.size} cells {within} × {name} are empty"
            f"{'' if stratum is None else ' at some level'}, which repeated-measures "
            "analysis of variance does not allow for: a mixed model with a random effect of "
            f"{within} was fitted instead. F is by restricted maximum likelihood with "
            "Satterthwaite's degrees of freedom; χ² is the likelihood ratio."
        )
        return {"method": "mixed model", "n": len(values), "n_levels": shape[1], **result,
                "note": note}  # fmt: skip
    n, k = shape
    if n < 2:
        raise DesignError(
            f"repeated measures need at least two levels of {within!r}; there is one."
        )
    grand = cells.mean()
    ss_between = float(n * ((cells.mean(axis=0) - grand) ** 2).sum())
    rest = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + grand
    ss_error = float((rest**2).sum())
    df1, df2 = k - 1, (n - 1) * (k - 1)
    row = _f_test(ss_between, ss_error, k, df2 + k)
    covariance = rest.T @ rest / (n - 1)
    trace = float(np.trace(covariance))
    epsilon = trace**2 / (df1 * float((covariance**2).sum())) if trace > 0 else float("nan")
    ratio = float(str(row["F"]))
    p_gg = f_distribution.sf(ratio, df1 * epsilon, df2 * epsilon) if trace > 0 else np.nan
    row |= {"n": cells.size, "epsilon": epsilon, "p_gg": float(p_gg)}
    note = f"Cells are mean answers by {within} and {name}."
    row["note"] = f"{note} {row['note']}".strip()
    return {"method": "repeated measures", **row}


def anova_from_summary(*, mean: npt.ArrayLike, sd: npt.ArrayLike, n: npt.ArrayLike) -> Record:
    """Recompute a one-way analysis of variance from printed means, SDs and numbers.

    Parameters
    ----------
    mean, sd, n : array of float
        Mean, standard deviation (n − 1) and number of answers of each level.

    Returns
    -------
    Record
        One row with the columns of `anova`.

    Raises
    ------
    DesignError
        If there are fewer than two levels, or the numbers are no summaries of answers.
    """
    means, sds, ns = summaries(mean=mean, sd=sd, n=n)
    if len(means) < 2:
        raise DesignError("an analysis of variance needs at least two levels.")
    if not np.isfinite([means, sds, ns]).all() or (ns < 1).any() or ns.sum() <= len(ns):
        raise DesignError(
            "an analysis of variance needs a finite mean, SD and number of answers of each level, "
            f"and more answers than levels; found mean={mean!r}, sd={sd!r}, n={n!r}."
        )
    grand = (ns * means).sum() / ns.sum()
    ss_between = float((ns * (means - grand) ** 2).sum())
    ss_within = float(((ns - 1) * sds**2).sum())
    row = {"method": "one-way", **_f_test(ss_between, ss_within, len(means), int(ns.sum()))}
    return Record(table=pd.DataFrame([row]), title="Analysis of variance", shown=SHOWN)


def design_counts(
    *,
    n_systems: int,
    n_trials: int,
    n_items: int | None = None,
    n_annotators: int | None = None,
    outputs_per_trial: int = 1,
) -> Record:
    """Work out what a design can show: pairs of systems, and degrees of freedom of each F.

    Parameters
    ----------
    n_systems, n_items, n_annotators : int
        Levels of the factors.
    n_trials : int
        Trials: judgements collected.
    outputs_per_trial : int
        Answers that one trial gives about systems: 1 for a rating, 2 where a preference counts for
        one system and against the other.

    Returns
    -------
    Record
        One row a factor (``system``, ``item``, ``annotator``), with the columns ``factor``,
        ``n_levels``, ``n_pairs`` (of levels), ``df1``, ``df2``, ``n_per_level`` (answers a level).
    """
    rows = []
    for name, levels in (("system", n_systems), ("item", n_items), ("annotator", n_annotators)):
        if levels is None and name != "system":
            continue
        given = (levels, n_trials, outputs_per_trial)
        if levels is None or not all(isinstance(number, int | np.integer) for number in given):
            raise DesignError(
                f"levels and trials are whole numbers; found {name} with {levels} levels, "
                f"{n_trials} trials and {outputs_per_trial} outputs a trial."
            )
        answers = n_trials * (outputs_per_trial if name == "system" else 1)
        if levels < 2 or answers <= levels:
            raise DesignError(
                f"{name} has {levels} levels and {answers} answers: an F needs at least two levels "
                "and more answers than levels."
            )
        rows.append(
            {
                "factor": name,
                "n_levels": levels,
                "n_pairs": levels * (levels - 1) // 2,
                "df1": levels - 1,
                "df2": answers - levels,
                "n_per_level": answers / levels,
            }
        )
    return Record(
        table=pd.DataFrame(rows),
        title="What the design allows",
        shown=(
            Shown("factor", "factor", "text"),
            Shown("n_levels", "levels", "count"),
            Shown("n_pairs", "pairs", "count"),
            Shown("df1", "df", "count"),
            Shown("df2", "df resid.", "count"),
            Shown("n_per_level", "answers a level", decimals=1),
        ),
    )
