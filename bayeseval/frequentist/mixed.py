"""The linear mixed model of the systems, with a random effect of the annotator or item."""

from itertools import combinations

import numpy as np
import pandas as pd

from bayeseval._records import Record, Shown, p_text, split
from bayeseval._slices import slices, strata
from bayeseval._units import numbers
from bayeseval.errors import DesignError
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
    verdicts,
)
from bayeseval.frequentist._mixed import MixedFit, additive, checked_design, dummies, fit_mixed
from bayeseval.frequentist.blocks import Block
from bayeseval.frequentist.means import notes_on_means
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci


def mixed_effect(
    values: np.ndarray,
    level: np.ndarray,
    block: np.ndarray,
    stratum: np.ndarray | None = None,
    *,
    what: str,
    factor: str,
) -> tuple[dict[str, float], MixedFit]:
    """Test a factor in a mixed model with a random effect of the block.

    Parameters
    ----------
    values : numpy.ndarray of float
        Answers.
    level, block : numpy.ndarray of int
        Codes 0 … of the factor and of the block.
    stratum : numpy.ndarray of int, optional
        Codes of what the factor is compared within, beside the block.
    what, factor : str
        What a block is and what is compared, for the messages.

    Returns
    -------
    dict
        ``F``, ``df1``, ``df2``, ``p``: restricted maximum likelihood, Satterthwaite's degrees of
        freedom. ``chi2``, ``p_chi2``: likelihood ratio. ``sd_block``, ``sd_residual``: maximum
        likelihood.
    MixedFit
        The restricted fit; its first coefficients are the levels'.
    """
    from scipy.stats import chi2
    from scipy.stats import f as f_distribution

    design = additive(level, stratum, factor=factor)
    checked_design(values, design, block, what=what, factor=factor)
    null = dummies(np.zeros_like(level) if stratum is None else stratum)
    restricted = fit_mixed(values, design, block, reml=True)
    full = fit_mixed(values, design, block, reml=False)
    without = fit_mixed(values, null, block, reml=False)
    ratio, df1, df2 = restricted.all_alike(int(level.max()) + 1)
    statistic = max(0.0, 2 * (full.log_likelihood - without.log_likelihood))
    return {
        "F": ratio,
        "df1": df1,
        "df2": df2,
        "p": float(f_distribution.sf(ratio, df1, df2)),
        "chi2": statistic,
        "p_chi2": float(chi2.sf(statistic, df1)),
        "sd_block": full.sd_block,
        "sd_residual": full.sd_residual,
    }, restricted


@takes_judgements
def mixed_model(
    judgements: Judgements,
    *,
    block: Block = "annotator",
    by: str | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> Record:
    r"""Compare systems in a linear mixed model with a random effect of the annotator (or item).

    .. math:: y = \mu_{system} + u_{block} + \varepsilon,\quad u \sim N(0, \sigma_u^2),\quad
        \varepsilon \sim N(0, \sigma^2)

    It allows for blocks that lack systems, which the paired tests, the repeated-measures analysis
    of variance and Friedman's test do not. Differences and F are by restricted maximum likelihood
    with Satterthwaite's degrees of freedom, as lmerTest has them, so that they hold for few blocks
    too; the likelihood ratio, as lme4 has it, rejects too often there.

    Parameters
    ----------
    judgements : Judgements
        Ratings or magnitudes.
    block : {"annotator", "item"}
        What the random effect belongs to.
    by : str, optional
        A factor to give one result a level of, such as a moderator. The moderators' levels are else
        fixed effects: systems are compared within them.
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
        ``system_a``, ``system_b``, ``estimate`` = A − B, ``se``, ``lower``, ``upper``, ``t``,
        ``df_t``, ``p``, ``p_corrected``, ``verdict``, and, alike in all rows of a criterion, ``F``,
        ``df`` (of F and χ²), ``df2``, ``p_systems`` (F of all systems alike), ``chi2``, ``p_chi2``
        (likelihood ratio of the same), ``sd_block``, ``sd_residual`` (maximum likelihood; 0 where
        blocks do not differ more than noise makes them) and ``note`` (F and SDs in words).

    Raises
    ------
    DesignError
        If there is one system or one block, all answers are the same, or the blocks' effect cannot
        be told from noise or from the systems.

    References
    ----------
    Kuznetsova, A., Brockhoff, P. B., & Christensen, R. H. B. (2017). lmerTest package: Tests in
    linear mixed effects models. Journal of Statistical Software 82(13).
    https://doi.org/10.18637/jss.v082.i13
    """
    from scipy.stats import t as t_distribution

    alpha, correction = checked_alpha(alpha), checked_correction(correction)
    prob, _ = resolve_ci(ci_prob)
    values = numbers(judgements, what="mixed_model")
    if not judgements.has(block):
        raise DesignError(f"this table has no {block}s: their effect cannot be modelled.")
    within, names = strata(judgements, "system", block, by)
    frames = []
    for piece in slices(judgements, criterion, by):
        systems, system = np.unique(judgements.codes("system")[piece.rows], return_inverse=True)
        _, own = np.unique(judgements.codes(block)[piece.rows], return_inverse=True)
        if len(systems) < 2 or own.max() < 1:
            raise DesignError(
                f"a mixed model needs at least two systems and two {block}s{piece.where}; found "
                f"{len(systems)} and {int(own.max()) + 1}."
            )
        given = values[piece.rows]
        whole, fitted = mixed_effect(
            given,
            system,
            own,
            None if within is None else within[piece.rows],
            what=block,
            factor="system",
        )
        labels = [judgements.systems[code] for code in systems]
        unit = np.eye(len(fitted.coefficients))
        rows = []
        for a, b in combinations(range(len(systems)), 2):
            estimate, se, df = fitted.contrast(unit[a] - unit[b])
            half = float(t_distribution.ppf(0.5 + prob / 2, df)) * se
            rows.append(
                {
                    **piece.key,
                    "system_a": labels[a],
                    "system_b": labels[b],
                    "estimate": estimate,
                    "se": se,
                    "lower": estimate - half,
                    "upper": estimate + half,
                    "t": estimate / se,
                    "df_t": df,
                    "p": float(2 * t_distribution.sf(abs(estimate / se), df)),
                }
            )
        frame = pd.DataFrame(rows)
        frame["p_corrected"] = corrected(frame["p"].to_numpy(), correction)
        frame["verdict"] = verdicts(
            frame["estimate"].to_numpy(), frame["p_corrected"].to_numpy(), alpha, neutral=0.0
        )
        renamed = {"df1": "df", "p": "p_systems"}
        frame["note"] = (
            f"All systems alike{piece.where}: F({whole['df1']}, {whole['df2']:.1f}) = "
            f"{whole['F']:.2f}, p {p_text(whole['p'])}; SD of {block}s {whole['sd_block']:.3g}, of "
            f"the rest {whole['sd_residual']:.3g} (maximum likelihood)."
        )
        for name, value in whole.items():
            frame[renamed.get(name, name)] = value
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    return Record(
        table=table,
        title=f"Mixed model with a random effect of the {block}",
        notes=(
            (
                f"Interval: {100 * prob:.10g} %. p corr.: {NAMES[correction]} over the pairs of "
                f"one criterion; verdict at {alpha:g}. Restricted maximum likelihood, "
                "Satterthwaite's degrees of freedom."
            ),
            *([f"Systems are compared within levels of {names}."] if within is not None else []),
            *dict.fromkeys(table["note"]),
            *notes_on_means(judgements),
        ),
        shown=(
            *split(by),
            Shown("system_a", "A", "label"),
            Shown("system_b", "B", "label"),
            Shown("estimate", "A − B"),
            Shown(("lower", "upper"), "interval"),
            Shown("t", "t", decimals=2),
            Shown("df_t", "df", decimals=1),
            Shown("p_corrected", "p corr.", "p"),
            Shown("verdict", "verdict", "text"),
        ),
    )
