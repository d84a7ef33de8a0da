"""Analysis of variance, Tukey's pairs, and the arithmetic of a design."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from bayeseval._records import Record, Shown
from bayeseval._units import Slice, cell_means, numbers, slices, summaries
from bayeseval.errors import DesignError
from bayeseval.frequentist._corrections import checked_alpha, verdicts
from bayeseval.frequentist.mixed import mixed_effect
from bayeseval.judgements import Judgements
from bayeseval.settings import resolve_ci

MOST_EXACT = 100
SHOWN = (
    Shown("factor", "factor", "label"),
    Shown("method", "method", "text"),
    Shown("F", "F", decimals=2),
    Shown("df1", "df", "count"),
    Shown("df2", "df resid.", decimals=1),
    Shown("p", "p", "p"),
    Shown("eta2_partial", "partial η²"),
)


def anova(
    judgements: Judgements,
    factor: str | Sequence[str] = "system",
    *,
    within: str | None = None,
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
        the levels F is infinite or NaN and the note says so.

    Raises
    ------
    DesignError
        If the factor has one level, or every level one judgement.
    """
    factors = (factor,) if isinstance(factor, str) else tuple(factor)
    values = numbers(judgements, what="anova")
    if within is not None and within in factors:
        raise DesignError(f"within={within!r} cannot also be the factor that is tested.")
    rows = []
    for piece in slices(judgements, criterion):
        for name in factors:
            codes = judgements.codes(name)[piece.rows]
            given = values[piece.rows]
            head = {**piece.key, "factor": name}
            if len(np.unique(codes)) < 2:
                raise DesignError(
                    f"factor {name!r} has one level{piece.where}: there is nothing to compare."
                )
            if within is None:
                rows.append({**head, "method": "one-way", **_one_way(given, codes, name, piece)})
            else:
                block = judgements.codes(within)[piece.rows]
                rows.append({**head, **_repeated(given, codes, block, name, within)})
    table = pd.DataFrame(rows)
    return Record(
        table=table,
        title="Analysis of variance" + ("" if within is None else f" within {within}"),
        notes=tuple(dict.fromkeys(note for note in table["note"] if note)),
        shown=SHOWN,
    )


def _one_way(values: np.ndarray, codes: np.ndarray, name: str, piece: Slice) -> dict[str, object]:
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
    return _f_test(ss_between, ss_within, len(n), int(n.sum()))


def _f_test(ss_between: float, ss_within: float, k: int, n: int) -> dict[str, object]:
    from scipy.stats import f as f_distribution

    df1, df2 = k - 1, n - k
    tiny = 1e-12 * max(ss_between, ss_within, 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = float(np.float64(ss_between / df1) / np.float64(ss_within / df2))
    note = ""
    if ss_within <= tiny:
        same = ss_between <= tiny
        ratio = float("nan") if same else float("inf")
        note = (
            "All answers are the same: there is nothing to test."
            if same
            else "Answers do not vary within levels: F is infinite and its p no probability."
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
    values: np.ndarray, codes: np.ndarray, block: np.ndarray, name: str, within: str
) -> dict[str, object]:
    from scipy.stats import f as f_distribution

    _, level = np.unique(codes, return_inverse=True)
    _, own = np.unique(block, return_inverse=True)
    shape = (int(own.max()) + 1, int(level.max()) + 1)
    cells, _ = cell_means(values, own, level, shape)
    empty = int(np.isnan(cells).sum())
    if empty:
        result, _ = mixed_effect(values, level, own, what=within, factor=name)
        note = (
            f"{empty} of {cells.size} cells {within} × {name} are empty, which repeated-measures "
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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TukeyPairs(Record):
    """Tukey's pairs, and how many of them differ.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`.
    n_significant, n_pairs : int
        Pairs that differ at the level, and all pairs.
    """

    n_significant: int
    n_pairs: int

    @property
    def count(self) -> str:
        """The number of significant pairs out of all, as papers print it: "19/45"."""
        return f"{self.n_significant}/{self.n_pairs}"


def tukey(
    judgements: Judgements,
    factor: str = "system",
    *,
    alpha: float = 0.05,
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> TukeyPairs:
    """Compare every two levels of a factor by Tukey's honestly significant difference.

    Unequal numbers are allowed for (Tukey–Kramer). All judgements are taken as independent.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes.
    factor : str
        Factor whose levels are compared.
    alpha : float
        Level of significance, for all pairs of one criterion together.
    criterion : str, optional
        Criterion; each in turn where left out.
    ci_prob : float, optional
        Simultaneous probability of the intervals; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    TukeyPairs
        One row two levels, with the columns ``criterion`` (only where there are criteria),
        ``system_a``, ``system_b`` (or ``<factor>_a``, ``<factor>_b``), ``n_a``, ``n_b``,
        ``mean_a``, ``mean_b``, ``estimate`` = A − B, ``lower``, ``upper`` (simultaneous),
        ``p_corrected`` (adjusted for all pairs) and ``verdict``. ``n_significant``, ``n_pairs``
        and ``count`` say how many pairs differ. Where nothing varies within levels p is NaN.

    Raises
    ------
    DesignError
        If the factor has one level, or a level has one judgement only.
    """
    alpha = checked_alpha(alpha)
    prob, _ = resolve_ci(ci_prob)
    values = numbers(judgements, what="tukey")
    frames = []
    for piece in slices(judgements, criterion):
        codes = judgements.codes(factor)[piece.rows]
        given = values[piece.rows]
        levels = np.unique(codes)
        groups = [given[codes == level] for level in levels]
        if len(levels) < 2 or min(map(len, groups)) < 2:
            raise DesignError(
                f"Tukey's test needs at least two levels of {factor!r} with two judgements or "
                f"more each{piece.where}."
            )
        pairs = list(combinations(range(len(levels)), 2))
        frame = pd.DataFrame(
            [
                {
                    **piece.key,
                    f"{factor}_a": judgements.labels(factor)[levels[a]],
                    f"{factor}_b": judgements.labels(factor)[levels[b]],
                    "n_a": len(groups[a]),
                    "n_b": len(groups[b]),
                    "mean_a": float(groups[a].mean()),
                    "mean_b": float(groups[b].mean()),
                    "estimate": float(groups[a].mean() - groups[b].mean()),
                }
                for a, b in pairs
            ]
        )
        lower, upper, p = _tukey_kramer(groups, np.array(pairs), prob)
        frames.append(frame.assign(lower=lower, upper=upper, p_corrected=p))
    table = pd.concat(frames, ignore_index=True)
    table["verdict"] = verdicts(
        table["estimate"].to_numpy(), table["p_corrected"].to_numpy(), alpha, neutral=0.0
    )
    n_significant = int((table["p_corrected"] < alpha).sum())
    return TukeyPairs(
        table=table,
        title=f"Tukey's pairs: {n_significant}/{len(table)} differ",
        notes=(
            (
                f"Interval and p hold for all pairs of one criterion together ({100 * prob:.10g} "
                f"%); verdict at {alpha:g}."
            ),
        ),
        shown=(
            Shown(f"{factor}_a", "A", "label"),
            Shown(f"{factor}_b", "B", "label"),
            Shown("estimate", "A − B"),
            Shown(("lower", "upper"), "interval"),
            Shown("p_corrected", "p", "p"),
            Shown("verdict", "verdict", "text"),
        ),
        n_significant=n_significant,
        n_pairs=len(table),
    )


def square_within(groups: Sequence[np.ndarray]) -> tuple[float, int]:
    """Return the mean square within groups and its degrees of freedom; NaN where there are none."""
    df = sum(map(len, groups)) - len(groups)
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    return (squares / df if df > 0 else np.nan), df


def tukey_differences(
    groups: Sequence[np.ndarray], pairs: np.ndarray, square: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the differences of means of pairs (pair, 2), and what the studentised range scales.

    ``square`` is that of :func:`square_within`.
    """
    mean = np.array([group.mean() for group in groups])
    per = np.array([1 / len(group) for group in groups])
    first, second = pairs.T
    return mean[first] - mean[second], np.sqrt(square / 2 * (per[first] + per[second]))


def _tukey_kramer(
    groups: list[np.ndarray], pairs: np.ndarray, prob: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ends of the simultaneous intervals and the adjusted p values of the pairs."""
    from scipy.interpolate import PchipInterpolator
    from scipy.stats import studentized_range

    square, df = square_within(groups)
    if square <= 0:
        nothing = np.full(len(pairs), np.nan)
        return nothing, nothing, nothing
    k = len(groups)
    difference, error = tukey_differences(groups, pairs, square)
    q = np.abs(difference) / error
    if len(q) <= MOST_EXACT:
        p = studentized_range.sf(q, k, df)
    else:
        # Each value is a double integral: of many pairs, read from a curve through 100 points.
        grid = np.linspace(0, max(float(q.max()), 1.0), MOST_EXACT)
        curve = np.log(np.maximum(studentized_range.sf(grid, k, df), 1e-14))
        p = np.exp(PchipInterpolator(grid, curve)(q))
    half = float(studentized_range.ppf(prob, k, df)) * error
    return difference - half, difference + half, np.clip(p, 0, 1)


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
        if levels is None:
            continue
        answers = n_trials * (outputs_per_trial if name == "system" else 1)
        if not all(isinstance(number, int | np.integer) for number in (levels, answers)):
            raise DesignError(
                f"levels and trials are whole numbers; found {name} with {levels} levels and "
                f"{answers} answers."
            )
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
