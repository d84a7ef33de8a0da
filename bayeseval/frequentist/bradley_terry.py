"""The Bradley–Terry model by maximum likelihood: ties, position, quasi-variances, sandwich."""

from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._checks import nearest, some
from bayeseval._records import Shown
from bayeseval._slices import slices
from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist._bt_cells import Cells, count_cells, distinct
from bayeseval.frequentist._bt_exists import position_told, refuse_groups
from bayeseval.frequentist._bt_fit import Fit, deviance, fit_cells, sandwich
from bayeseval.frequentist._bt_record import (
    TIE_WORDS,
    TIES,
    BradleyTerryML,
    Errors,
    Ties,
    model_of,
    other_parameters,
    reference_distribution,
    written_notes,
)
from bayeseval.frequentist._dependence import depends
from bayeseval.frequentist._tie_models import Model
from bayeseval.frequentist.quasi import usable_quasi_variances
from bayeseval.frequentist.wins import first_places, pooled_levels
from bayeseval.judgements import PairwiseJudgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.settings import resolve_ci


@takes_judgements
def bradley_terry_ml(
    judgements: PairwiseJudgements,
    *,
    ties: Ties = "auto",
    position_effect: bool | Literal["auto"] = False,
    reference: str | None = None,
    errors: Errors = "auto",
    cluster: str | None = None,
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> BradleyTerryML:
    r"""Fit the Bradley–Terry model by maximum likelihood.

    With log-worths :math:`\lambda` and :math:`d = \lambda_a - \lambda_b` (+ position effect of the
    system shown first): without ties :math:`P(a) = \sigma(d)`; Davidson
    :math:`P(a) : P(b) : P(tie) = e^{d/2} : e^{-d/2} : \nu`; Rao–Kupper
    :math:`P(a) = \sigma(d - \eta),\ P(b) = \sigma(-d - \eta)`. Newton's method on the counts, until
    a step no longer moves a parameter; no regularisation.

    Parameters
    ----------
    judgements : PairwiseJudgements
        Outcomes of comparisons.
    ties : {"auto", "davidson", "rao_kupper", "half", "drop", "none"}
        Davidson's model, Rao and Kupper's, half a win each, left out, or an error where one
        occurs. ``"auto"`` is Davidson's where any tie occurs, else none.
    position_effect : bool or "auto"
        Estimate the advantage of the system that is shown first. ``"auto"``: wherever the table
        knows the order, the design tells it from the systems' worths (the rule of the Bayesian
        families), and an estimate exists; a note says where and why it was left out.
    reference : str, optional
        System whose log-worth is 0; log-worths sum to zero where left out.
    errors : {"auto", "model", "sandwich"}
        Standard errors from the likelihood, which takes comparisons as independent, or robust ones
        that do not trust its variance. ``"auto"``: robust and clustered where the table knows which
        comparisons depend on one another, otherwise from the likelihood. Known are rankings, and
        annotators with two comparisons or more on average; there must be five of them at least,
        otherwise a note says that the errors are too small.
    cluster : str, optional
        Factor whose judgements depend on one another (``"annotator"``, ``"item"``,
        ``"ranking"``): the sandwich sums their scores first. Of G clusters the covariance is
        multiplied by G / (G − 1), and intervals and tests are Student's t with G − 1 degrees of
        freedom. By default chosen as ``errors`` says.
    criterion : str, optional
        Criterion; needed where there are several.
    ci_prob : float, optional
        Probability of the intervals; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    BradleyTerryML
        One row a system, best first, with the columns ``system``, ``n`` (comparisons),
        ``log_worth``, ``se`` (of the difference to the reference, or to the mean), ``lower``,
        ``upper``, ``quasi_variance``, ``quasi_se`` (see `quasi_variances`; NaN for two systems,
        and where no quasi-variances give all errors within a fifth: see ``quasi_error``).
        ``parameters`` holds ``position_effect``, ``nu`` and ``log_nu``, or ``threshold``;
        ``contrasts()`` tests differences.

    Raises
    ------
    DesignError
        If no finite estimate exists: the systems fall into groups that never met, or of which one
        never lost to another (named); or a parameter cannot be told apart; or the sandwich leaves
        a difference without an error.
    JudgementError
        If ``ties="none"`` and there are ties.

    References
    ----------
    Bradley, R. A., & Terry, M. E. (1952). Rank analysis of incomplete block designs. Biometrika
    39, 324–345. https://doi.org/10.1093/biomet/39.3-4.324

    Davidson, R. R. (1970). On extending the Bradley–Terry model to accommodate ties. Journal of
    the American Statistical Association 65, 317–328.
    https://doi.org/10.1080/01621459.1970.10481082

    Rao, P. V., & Kupper, L. L. (1967). Ties in paired-comparison experiments. Journal of the
    American Statistical Association 62, 194–204. https://doi.org/10.1080/01621459.1967.10482901
    """
    prob, _ = resolve_ci(ci_prob)
    _check_settings(judgements, ties, errors, cluster, position_effect)
    rows = _rows(judgements, criterion)
    outcome = judgements.answers[rows]
    weight = judgements.counts[rows]
    n_ties, n_all = (int(weight[chosen].sum()) for chosen in (outcome == 2, slice(None)))
    if ties == "none" and n_ties:
        raise JudgementError(
            f"ties='none', but {n_ties:,} of {n_all:,} comparisons are ties. Choose "
            "ties='davidson', 'rao_kupper', 'half' or 'drop'."
        )
    if ties == "auto" or (ties in ("davidson", "rao_kupper") and not n_ties):
        # Without ties the tie parameter of either model runs to its boundary.
        ties = "davidson" if n_ties else "none"
    if ties == "drop":
        decided = outcome < 2
        rows, outcome, weight = rows[decided], outcome[decided], weight[decided]
    model = model_of(ties)
    a, b = (judgements.codes(name)[rows] for name in ("system_a", "system_b"))
    n_of = np.bincount(np.concatenate([a, b]), minlength=len(judgements.systems))
    present = np.flatnonzero(n_of)
    labels = [judgements.systems[code] for code in present]
    left_out = [label for code, label in enumerate(judgements.systems) if not n_of[code]]
    if reference is not None and reference not in labels:
        meant = nearest(reference, labels)
        raise JudgementError(
            f"reference={reference!r} is none of the systems {some(labels)}"
            + (f". Did you mean {meant!r}?" if meant else "")
        )
    n = len(labels)
    place = np.zeros(len(judgements.systems), dtype=np.int64)
    place[present] = np.arange(n)
    cells, cell = count_cells(place[a], place[b], outcome, weight, n)
    refuse_groups(cells.a, cells.b, cells.outcome, labels)
    fit, of_position = _fit(judgements, model, cells, position_effect=position_effect)
    covariance = fit.covariance
    asked, notes = errors, []
    if asked == "auto" and cluster is None:
        cluster, notes = depends(judgements, rows, int(weight.sum()))
    errors = "model" if asked == "model" or (asked == "auto" and cluster is None) else "sandwich"
    n_clusters = None
    if errors == "sandwich":
        group = None
        if cluster is not None:
            group, n_labels = judgements.codes(cluster)[rows], len(judgements.labels(cluster))
            present = distinct(group, n_labels)
            place = np.zeros(n_labels, dtype=np.int64)
            place[present] = np.arange(len(present))
            group, n_clusters = place[group], len(present)
        covariance = sandwich(fit, group, cell, weight)
        problem = _without_error(covariance, fit, labels, cluster)
        if problem and asked == "sandwich":
            raise DesignError(f"{problem}; use errors='model'.")
        if problem:
            notes = [f"Errors take comparisons as independent: {problem}."]
            errors, cluster, n_clusters, covariance = "model", None, None, fit.covariance
    of_worth, shift = covariance[:n, :n], np.eye(n)
    if reference is not None:
        shift = shift - np.eye(n)[labels.index(reference)]
    worth, of_worth = shift @ fit.worth, shift @ of_worth @ shift.T
    quasi, quasi_error, of_quasi = usable_quasi_variances(of_worth)
    se = np.sqrt(np.maximum(np.diag(of_worth), 0))
    z = float(reference_distribution(n_clusters).ppf(0.5 + prob / 2))
    quasi_se = np.sqrt(np.where(quasi >= 0, quasi, np.nan))
    table = pd.DataFrame(
        {
            "system": labels,
            "n": cells.by_system(cells.count, cells.count).astype(int),
            "log_worth": worth,
            "se": se,
            "lower": worth - z * se,
            "upper": worth + z * se,
            "quasi_variance": quasi,
            "quasi_se": quasi_se,
        }
    )
    order = np.argsort(-worth, kind="stable")
    distance, df_residual = deviance(fit)
    parameters = other_parameters(fit, covariance, z=z)
    of = "from the likelihood" if errors == "model" else "sandwich"
    of += f", clustered by {cluster} ({n_clusters:,})" if cluster else ""
    notes = written_notes(fit, parameters, reference, of, prob, distance, df_residual) + notes
    notes += of_position + pooled_levels(judgements, ask="filter_where keeps those of one level")
    notes += of_quasi
    if left_out:
        notes.append(f"Only ties, which were left out: {some(left_out)}.")
    return BradleyTerryML(
        table=table.iloc[order].reset_index(drop=True),
        title=f"Bradley–Terry by maximum likelihood, {TIE_WORDS[ties]}",
        notes=tuple(notes),
        shown=(
            Shown("system", "system", "label"),
            Shown("n", "comparisons", "count"),
            Shown("log_worth", "log-worth"),
            Shown("se", "SE"),
            Shown(("lower", "upper"), "interval"),
            Shown("quasi_se", "quasi SE"),
        ),
        parameters=parameters,
        covariance=pd.DataFrame(
            of_worth[np.ix_(order, order)],
            index=[labels[i] for i in order],
            columns=[labels[i] for i in order],
        ),
        ties=ties,
        errors=errors,
        reference=reference,
        cluster=cluster,
        n_clusters=n_clusters,
        log_likelihood=fit.log_likelihood,
        deviance=distance,
        df_residual=df_residual,
        n_judgements=int(cells.count.sum()),
        n_steps=fit.n_steps,
        quasi_error=quasi_error,
    )


def _check_settings(
    judgements: PairwiseJudgements,
    ties: Ties,
    errors: Errors,
    cluster: str | None,
    position_effect: object,
) -> None:
    if not isinstance(judgements, PairwiseJudgements):
        raise JudgementError(
            f"bradley_terry_ml needs PairwiseJudgements; got {type(judgements).__name__}. Turn "
            "ratings, magnitudes or strengths into pairs first."
        )
    if ties not in TIES:
        meant = nearest(ties, TIES) if isinstance(ties, str) else None
        raise JudgementError(
            f"ties must be one of {', '.join(map(repr, TIES))}; got {ties!r}"
            + (f". Did you mean {meant!r}?" if meant else "")
        )
    if errors not in ("auto", "model", "sandwich"):
        raise JudgementError(f"errors must be 'auto', 'model' or 'sandwich'; got {errors!r}")
    if position_effect not in (True, False, "auto"):
        raise JudgementError(
            f"position_effect must be True, False or 'auto'; got {position_effect!r}"
        )
    if cluster is not None:
        if errors == "model":
            raise JudgementError(f"cluster={cluster!r} needs errors='sandwich'.")
        if len(judgements.labels(cluster)) < 2:
            raise DesignError(f"cluster={cluster!r} has one level: no errors can be had from it.")


def _fit(
    judgements: PairwiseJudgements,
    model: Model,
    cells: Cells,
    *,
    position_effect: bool | Literal["auto"],
) -> tuple[Fit, list[str]]:
    """Fit, with the advantage of the first place where asked or told; say where it is left out."""
    if position_effect != "auto":
        said = () if position_effect else first_places(judgements, "log-worths")
        return fit_cells(model, cells, position_effect=position_effect), list(said)
    if not judgements.order_known:
        reason = "the table knows no order of presentation"
    elif not position_told(cells.n_systems, cells.a, cells.b):
        reason = "differences of worth would explain any advantage of the system shown first"
    else:
        try:
            return fit_cells(model, cells, position_effect=True), []
        except DesignError:
            # Without the effect an estimate may exist; if none does, its error names the systems.
            reason = "no finite estimate exists with it"
    fit = fit_cells(model, cells, position_effect=False)
    return fit, [f"Advantage of the system shown first: left out, since {reason}."]


def _rows(judgements: PairwiseJudgements, criterion: str | None) -> np.ndarray:
    criteria = judgements.criteria or ()
    if criterion is None and len(criteria) > 1:
        raise JudgementError(
            f"one model is fitted to one criterion; say which with criterion=: {some(criteria)}."
        )
    # Each row once, however often it counts: a million equal votes are one row.
    return distinct(next(iter(slices(judgements, criterion))).rows, judgements.n_rows)


def _without_error(covariance: np.ndarray, fit: Fit, labels: list[str], cluster: str | None) -> str:
    """Say where the scores of a sandwich cancel, so that a difference would have no error."""
    n = len(labels)

    def of_differences(v: np.ndarray) -> np.ndarray:
        diagonal = np.diag(v[:n, :n])
        return diagonal[:, None] + diagonal - 2 * v[:n, :n] + np.eye(n)

    small = of_differences(covariance) <= 1e-9 * of_differences(fit.covariance)
    if not small.any():
        return ""
    a, b = np.argwhere(small)[0].tolist()
    return (
        f"the sandwich gives {labels[a]!r} − {labels[b]!r} no error, because the scores of each "
        f"{cluster or 'comparison'} cancel"
    )
