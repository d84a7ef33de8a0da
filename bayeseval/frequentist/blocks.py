"""Comparisons within annotators or items: Friedman's test, and the mixed model."""

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval._records import Record, Shown
from bayeseval._units import cell_means, numbers, slices
from bayeseval.errors import DesignError
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
    verdicts,
)
from bayeseval.judgements import Judgements
from bayeseval.settings import resolve_ci

type Block = Literal["annotator", "item"]


def friedman(
    judgements: Judgements,
    *,
    block: Block = "annotator",
    incomplete: Literal["refuse", "drop"] = "refuse",
    criterion: str | None = None,
) -> Record:
    """Test whether annotators (or items) rank the systems alike, by Friedman's test.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes, with at least three systems.
    block : {"annotator", "item"}
        What ranks the systems, by its mean answers.
    incomplete : {"refuse", "drop"}
        What to do with blocks that lack a system: raise, or leave them out and count them.
    criterion : str, optional
        Criterion; each in turn where left out.

    Returns
    -------
    Record
        One row a criterion, with the columns ``criterion`` (only where there are criteria),
        ``block``, ``chi2`` (corrected for ties), ``df``, ``p``, ``kendalls_w`` =
        chi2 / (n_blocks · (n_systems − 1)), ``n_blocks``, ``n_systems``, ``n_left_out`` (blocks)
        and ``note``. Where every block ties all systems chi2, p and W are NaN.

    Raises
    ------
    DesignError
        If there are fewer than three systems or two complete blocks, or blocks are incomplete.

    References
    ----------
    Friedman, M. (1937). The use of ranks to avoid the assumption of normality. Journal of the
    American Statistical Association 32, 675–701. https://doi.org/10.1080/01621459.1937.10503522
    """
    from scipy.stats import friedmanchisquare

    if block not in ("annotator", "item"):
        raise DesignError(f"block must be 'annotator' or 'item'; got {block!r}")
    if incomplete not in ("refuse", "drop"):
        raise DesignError(f"incomplete must be 'refuse' or 'drop'; got {incomplete!r}")
    values = numbers(judgements, what="friedman")
    rows = []
    for piece in slices(judgements, criterion):
        cells, blocks = _cells(judgements, values, piece.rows, block)
        n_systems = cells.shape[1]
        if n_systems < 3:
            raise DesignError(
                f"Friedman's test needs at least three systems{piece.where}; found {n_systems}. "
                "For two use rating_tests."
            )
        complete = np.isfinite(cells).all(axis=1)
        lacking = [label for label, whole in zip(blocks, complete, strict=True) if not whole]
        if lacking and incomplete == "refuse":
            raise DesignError(
                f"Friedman's test needs every {block} to have judged every system{piece.where}; "
                f"{len(lacking)} of {len(blocks)} have not: {some(lacking)}. Use "
                f"anova(within={block!r}), which fits a mixed model to unbalanced data, or leave "
                "them out with incomplete='drop'."
            )
        if complete.sum() < 2:
            raise DesignError(
                f"Friedman's test needs at least two complete {block}s{piece.where}; found "
                f"{int(complete.sum())}."
            )
        kept = cells[complete]
        n_blocks = len(kept)
        statistic = p = float("nan")
        if (np.ptp(kept, axis=1) > 0).any():
            result = friedmanchisquare(*kept.T)
            statistic, p = float(result.statistic), float(result.pvalue)
        rows.append(
            {
                **piece.key,
                "block": block,
                "chi2": statistic,
                "df": n_systems - 1,
                "p": p,
                "kendalls_w": statistic / (n_blocks * (n_systems - 1)),
                "n_blocks": n_blocks,
                "n_systems": n_systems,
                "n_left_out": len(lacking),
                "note": ""
                if np.isfinite(statistic)
                else f"Every {block} gave all systems the same mean answer: no ranks to test.",
            }
        )
    table = pd.DataFrame(rows)
    return Record(
        table=table,
        title=f"Friedman's test by {block}",
        notes=tuple(dict.fromkeys(note for note in table["note"] if note)),
        shown=(
            Shown("chi2", "χ²", decimals=2),
            Shown("df", "df", "count"),
            Shown("p", "p", "p"),
            Shown("kendalls_w", "Kendall's W"),
            Shown("n_blocks", f"{block}s", "count"),
            Shown("n_left_out", "left out", "count"),
        ),
    )


def _cells(
    judgements: Judgements, values: np.ndarray, rows: np.ndarray, block: str
) -> tuple[np.ndarray, list[str]]:
    """Return mean answers by block and system of those that occur, and the blocks' labels."""
    if not judgements.has(block):
        raise DesignError(f"this table has no {block}s: the comparison within them cannot be made.")
    present, own = np.unique(judgements.codes(block)[rows], return_inverse=True)
    _, system = np.unique(judgements.codes("system")[rows], return_inverse=True)
    shape = (len(present), int(system.max()) + 1)
    cells, _ = cell_means(values[rows], own, system, shape)
    return cells, [judgements.labels(block)[code] for code in present]


def mixed_effect(
    values: np.ndarray, level: np.ndarray, block: np.ndarray
) -> dict[str, float | str]:
    """Test a factor in a mixed model with a random effect of the block, by likelihood ratio.

    Parameters
    ----------
    values : numpy.ndarray of float
        Answers.
    level, block : numpy.ndarray of int
        Codes 0 … of the factor and of the block.

    Returns
    -------
    dict
        ``chi2``, ``df1``, ``p``, ``sd_block``, ``sd_residual`` and ``note`` (empty where the
        optimiser converged).
    """
    from scipy.stats import chi2

    n_levels = int(level.max()) + 1
    full = _mixed(values, _dummies(level, n_levels), block)
    null = _mixed(values, np.ones((len(values), 1)), block)
    statistic = max(0.0, 2 * (full.log_likelihood - null.log_likelihood))
    return {
        "chi2": statistic,
        "df1": n_levels - 1,
        "p": float(chi2.sf(statistic, n_levels - 1)),
        "sd_block": full.sd_block,
        "sd_residual": full.sd_residual,
        "note": full.problem or null.problem,
    }


def _dummies(level: np.ndarray, n_levels: int) -> np.ndarray:
    return (level[:, None] == np.arange(n_levels)).astype(float)


@dataclass(frozen=True, slots=True, eq=False)
class _Mixed:
    """A fitted random-intercept model, by maximum likelihood."""

    log_likelihood: float
    coefficients: np.ndarray
    covariance: np.ndarray
    sd_block: float
    sd_residual: float
    problem: str


def _mixed(values: np.ndarray, design: np.ndarray, block: np.ndarray) -> _Mixed:
    from statsmodels.regression.mixed_linear_model import MixedLM

    if np.ptp(values) == 0:
        raise DesignError("all answers are the same: a mixed model has nothing to explain.")
    plain = _without_blocks(values, design)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            fitted = MixedLM(values, design, groups=block).fit(
                reml=False, method=["lbfgs", "powell"]
            )
        except np.linalg.LinAlgError:
            # The information is singular where the blocks' variance is zero.
            return plain
    if not fitted.llf > plain.log_likelihood:
        return plain
    block_variance = float(max(fitted.cov_re[0, 0], 0))
    return _Mixed(
        log_likelihood=float(fitted.llf),
        coefficients=np.asarray(fitted.fe_params),
        covariance=_covariance(design, block, block_variance, float(fitted.scale)),
        sd_block=float(np.sqrt(block_variance)),
        sd_residual=float(np.sqrt(fitted.scale)),
        problem=""
        if fitted.converged
        else "The mixed model's optimiser did not converge: do not rely on it.",
    )


def _covariance(
    design: np.ndarray, block: np.ndarray, block_variance: float, variance: float
) -> np.ndarray:
    """Return the coefficients' covariance by generalised least squares, at these variances.

    The inverse of statsmodels' joint information is no covariance where the blocks' variance is
    zero: that of the variance is then singular, and spoils the coefficients'.
    """
    sums = np.zeros((int(block.max()) + 1, design.shape[1]))
    np.add.at(sums, block, design)
    weight = block_variance / (variance + np.bincount(block) * block_variance)
    return variance * np.linalg.inv(design.T @ design - sums.T @ (weight[:, None] * sums))


def _without_blocks(values: np.ndarray, design: np.ndarray) -> _Mixed:
    """Return the same model with a block variance of zero: least squares."""
    n = len(values)
    coefficients = np.linalg.lstsq(design, values, rcond=None)[0]
    scale = float(((values - design @ coefficients) ** 2).sum() / n)
    log_likelihood = -n / 2 * (np.log(2 * np.pi * scale) + 1) if scale > 0 else np.inf
    covariance = scale * np.linalg.inv(design.T @ design)
    return _Mixed(float(log_likelihood), coefficients, covariance, 0.0, float(np.sqrt(scale)), "")


def mixed_model(
    judgements: Judgements,
    *,
    block: Block = "annotator",
    alpha: float = 0.05,
    correction: Correction = "holm",
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> Record:
    r"""Compare systems in a linear mixed model with a random effect of the annotator (or item).

    .. math:: y = \mu_{system} + u_{block} + \varepsilon,\quad u \sim N(0, \sigma_u^2),\quad
        \varepsilon \sim N(0, \sigma^2)

    by maximum likelihood. It allows for blocks that lack systems, which the paired tests, the
    repeated-measures analysis of variance and Friedman's test do not.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes.
    block : {"annotator", "item"}
        What the random effect belongs to.
    alpha : float
        Level of significance of the verdicts.
    correction : {"holm", "bonferroni", "none"}
        Correction over the pairs of one criterion.
    criterion : str, optional
        Criterion; each in turn where left out.
    ci_prob : float, optional
        Probability of the intervals; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    Record
        One row two systems, with the columns ``criterion`` (only where there are criteria),
        ``system_a``, ``system_b``, ``estimate`` = A − B, ``se``, ``lower``, ``upper``, ``z``,
        ``p``, ``p_corrected``, ``verdict``, and, alike in all rows of a criterion, ``chi2``,
        ``df``, ``p_systems`` (likelihood ratio of all systems alike), ``sd_block``,
        ``sd_residual`` and ``note``.

    Raises
    ------
    DesignError
        If there is one system, one block, or all answers are the same.
    """
    from scipy.stats import norm

    alpha, correction = checked_alpha(alpha), checked_correction(correction)
    prob, _ = resolve_ci(ci_prob)
    values = numbers(judgements, what="mixed_model")
    if not judgements.has(block):
        raise DesignError(f"this table has no {block}s: their effect cannot be modelled.")
    frames = []
    for piece in slices(judgements, criterion):
        systems, system = np.unique(judgements.codes("system")[piece.rows], return_inverse=True)
        _, own = np.unique(judgements.codes(block)[piece.rows], return_inverse=True)
        if len(systems) < 2 or own.max() < 1:
            raise DesignError(
                f"a mixed model needs at least two systems and two {block}s{piece.where}; found "
                f"{len(systems)} and {int(own.max()) + 1}."
            )
        given = values[piece.rows]
        fitted = _mixed(given, _dummies(system, len(systems)), own)
        means, covariance = fitted.coefficients, fitted.covariance
        labels = [judgements.systems[code] for code in systems]
        rows = []
        for a, b in combinations(range(len(systems)), 2):
            estimate = float(means[a] - means[b])
            se = float(np.sqrt(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]))
            half = float(norm.ppf(0.5 + prob / 2)) * se
            rows.append(
                {
                    **piece.key,
                    "system_a": labels[a],
                    "system_b": labels[b],
                    "estimate": estimate,
                    "se": se,
                    "lower": estimate - half,
                    "upper": estimate + half,
                    "z": estimate / se if se > 0 else float("nan"),
                    "p": float(2 * norm.sf(abs(estimate / se))) if se > 0 else float("nan"),
                }
            )
        frame = pd.DataFrame(rows)
        frame["p_corrected"] = corrected(frame["p"].to_numpy(), correction)
        frame["verdict"] = verdicts(
            frame["estimate"].to_numpy(), frame["p_corrected"].to_numpy(), alpha, neutral=0.0
        )
        names = {"df1": "df", "p": "p_systems"}
        for name, value in mixed_effect(given, system, own).items():
            frame[names.get(name, name)] = value
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    return Record(
        table=table,
        title=f"Mixed model with a random effect of the {block}",
        notes=(
            (
                f"Interval: {100 * prob:.10g} %. p corr.: {NAMES[correction]} over the pairs of "
                f"one criterion; verdict at {alpha:g}."
            ),
            *dict.fromkeys(note for note in table["note"] if note),
        ),
        shown=(
            Shown("system_a", "A", "label"),
            Shown("system_b", "B", "label"),
            Shown("estimate", "A − B"),
            Shown(("lower", "upper"), "interval"),
            Shown("z", "z", decimals=2),
            Shown("p_corrected", "p corr.", "p"),
            Shown("verdict", "verdict", "text"),
        ),
    )
