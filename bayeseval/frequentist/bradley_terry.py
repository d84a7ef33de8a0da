"""The Bradley–Terry model by maximum likelihood: ties, position, quasi-variances, sandwich."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from bayeseval._checks import nearest, some
from bayeseval._records import Record, Shown
from bayeseval._tables import number
from bayeseval._units import compact, slices
from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
    verdicts,
)
from bayeseval.frequentist._tie_models import Model, is_separated, probabilities, terms
from bayeseval.frequentist.quasi import quasi_variances
from bayeseval.judgements import PairwiseJudgements
from bayeseval.settings import resolve_ci

type Ties = Literal["auto", "davidson", "rao_kupper", "half", "drop", "none"]
type Errors = Literal["model", "sandwich"]

TIES: tuple[Ties, ...] = ("auto", "davidson", "rao_kupper", "half", "drop", "none")
TIE_WORDS = {
    "davidson": "ties by Davidson's model",
    "rao_kupper": "ties by Rao and Kupper's threshold",
    "half": "a tie as half a win each (a convention, not a likelihood)",
    "drop": "ties left out",
    "none": "no ties",
}
MOST_STEPS = 200


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BradleyTerryML(Record):
    """A Bradley–Terry model fitted by maximum likelihood.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`; columns as in `bradley_terry_ml`.
    parameters : pandas.DataFrame
        The other parameters, one a row: ``parameter``, ``estimate``, ``se``, ``lower``, ``upper``.
    covariance : pandas.DataFrame
        Covariance of the log-worths as printed, system × system.
    ties, errors, reference : str
        The settings; reference is None where log-worths are centred.
    cluster : str or None
        Factor whose judgements were taken together by the sandwich.
    log_likelihood, deviance : float
        Without the multinomial constant; against the saturated model of the counts of each pair
        in each order.
    df_residual : int
        Degrees of freedom of the deviance.
    n_judgements : int
        Comparisons that entered.
    n_steps : int
        Newton steps until the gradient vanished.
    quasi_error : float
        Largest relative error of a standard error that is computed from quasi-variances.
    """

    parameters: pd.DataFrame
    covariance: pd.DataFrame
    ties: Ties
    errors: Errors
    reference: str | None
    cluster: str | None
    log_likelihood: float
    deviance: float
    df_residual: int
    n_judgements: int
    n_steps: int
    quasi_error: float

    @property
    def log_worth(self) -> pd.Series:
        """Log-worth by system."""
        return self.table.set_index("system")["log_worth"]

    def _parameter(self, name: str, default: float) -> float:
        found = self.parameters.loc[self.parameters["parameter"] == name, "estimate"]
        return float(found.iloc[0]) if len(found) else default

    def contrasts(
        self,
        pairs: Sequence[tuple[str, str]] | None = None,
        *,
        alpha: float = 0.05,
        correction: Correction = "holm",
        ci_prob: float | None = None,
    ) -> Record:
        """Test differences of log-worth.

        Parameters
        ----------
        pairs : sequence of (str, str), optional
            Pairs (A, B); all, the better first, where left out.
        alpha : float
            Level of significance of the verdicts.
        correction : {"holm", "bonferroni", "none"}
            Correction over the pairs.
        ci_prob : float, optional
            Probability of the intervals; `bayeseval.settings.ci_prob` where left out.

        Returns
        -------
        Record
            One row a pair, with the columns ``system_a``, ``system_b``, ``estimate`` (log-worth of
            A minus B), ``se``, ``lower``, ``upper``, ``z``, ``p``, ``p_corrected``, ``verdict``,
            and the model's probabilities without a position effect: ``p_win``, ``p_tie``,
            ``p_loss`` of A.
        """
        from scipy.stats import norm

        alpha, correction = checked_alpha(alpha), checked_correction(correction)
        prob, _ = resolve_ci(ci_prob)
        worth = self.log_worth
        labels = list(worth.index)
        if pairs is None:
            pairs = list(combinations(worth.sort_values(ascending=False, kind="stable").index, 2))
        rows = []
        for pair in pairs:
            for label in pair:
                if label not in labels:
                    meant = nearest(label, labels)
                    raise JudgementError(
                        f"there is no system {label!r}; there are {some(labels)}"
                        + (f". Did you mean {meant!r}?" if meant else "")
                    )
            a, b = (labels.index(label) for label in pair)
            v = self.covariance.to_numpy()
            se = float(np.sqrt(v[a, a] + v[b, b] - 2 * v[a, b]))
            estimate = float(worth.iloc[a] - worth.iloc[b])
            half = float(norm.ppf(0.5 + prob / 2)) * se
            rows.append(
                {
                    "system_a": labels[a],
                    "system_b": labels[b],
                    "estimate": estimate,
                    "se": se,
                    "lower": estimate - half,
                    "upper": estimate + half,
                    "z": estimate / se,
                    "p": float(2 * norm.sf(abs(estimate / se))),
                }
            )
        table = pd.DataFrame(rows)
        table["p_corrected"] = corrected(table["p"].to_numpy(), correction)
        table["verdict"] = verdicts(
            table["estimate"].to_numpy(), table["p_corrected"].to_numpy(), alpha, neutral=0.0
        )
        model = _model(self.ties)
        tie = {
            "davidson": self._parameter("log_nu", 0.0),
            "rao_kupper": self._parameter("threshold", 1.0),
        }.get(model, 0.0)
        chances = probabilities(model, table["estimate"].to_numpy(), tie)
        table["p_win"], table["p_loss"], table["p_tie"] = chances.T
        return Record(
            table=table,
            title="Differences of log-worth",
            notes=(
                (
                    f"Interval: {100 * prob:.10g} %, not corrected. p corr.: {NAMES[correction]} "
                    f"over the pairs; verdict at {alpha:g}."
                ),
            ),
            shown=(
                Shown("system_a", "A", "label"),
                Shown("system_b", "B", "label"),
                Shown("estimate", "A − B"),
                Shown(("lower", "upper"), "interval"),
                Shown("p_corrected", "p corr.", "p"),
                Shown("p_win", "P(A wins)"),
                Shown("verdict", "verdict", "text"),
            ),
        )


def _model(ties: Ties) -> Model:
    match ties:
        case "davidson" | "rao_kupper" | "half":
            return ties
        case _:
            return "logistic"


def bradley_terry_ml(
    judgements: PairwiseJudgements,
    *,
    ties: Ties = "auto",
    position_effect: bool = False,
    reference: str | None = None,
    errors: Errors = "model",
    cluster: str | None = None,
    criterion: str | None = None,
    ci_prob: float | None = None,
) -> BradleyTerryML:
    r"""Fit the Bradley–Terry model by maximum likelihood.

    With log-worths :math:`\lambda` and :math:`d = \lambda_a - \lambda_b` (+ position effect of the
    system shown first): without ties :math:`P(a) = \sigma(d)`; Davidson
    :math:`P(a) : P(b) : P(tie) = e^{d/2} : e^{-d/2} : \nu`; Rao–Kupper
    :math:`P(a) = \sigma(d - \eta),\ P(b) = \sigma(-d - \eta)`. Newton's method on the counts, until
    the gradient is zero to machine precision; no regularisation.

    Parameters
    ----------
    judgements : PairwiseJudgements
        Outcomes of comparisons.
    ties : {"auto", "davidson", "rao_kupper", "half", "drop", "none"}
        Davidson's model, Rao and Kupper's, half a win each, left out, or an error where one
        occurs. ``"auto"`` is Davidson's where any tie occurs, else none.
    position_effect : bool
        Estimate the advantage of the system that is shown first.
    reference : str, optional
        System whose log-worth is 0; log-worths sum to zero where left out.
    errors : {"model", "sandwich"}
        Standard errors from the likelihood, or robust ones that do not trust its variance.
    cluster : str, optional
        Factor whose judgements depend on one another (``"annotator"``, ``"item"``,
        ``"ranking"``): the sandwich then sums their scores first. Needs ``errors="sandwich"``. No
        small-sample factor is applied.
    criterion : str, optional
        Criterion; needed where there are several.
    ci_prob : float, optional
        Probability of the intervals; `bayeseval.settings.ci_prob` where left out.

    Returns
    -------
    BradleyTerryML
        One row a system, best first, with the columns ``system``, ``n`` (comparisons),
        ``log_worth``, ``se`` (of the difference to the reference, or to the mean), ``lower``,
        ``upper``, ``quasi_variance``, ``quasi_se`` (see `quasi_variances`; NaN for two systems).
        ``parameters`` holds ``position_effect``, ``nu`` and ``log_nu``, or ``threshold``;
        ``contrasts()`` tests differences.

    Raises
    ------
    DesignError
        If no finite estimate exists: the systems fall into groups that never met, or of which one
        never lost to another (named); or a parameter cannot be told apart.
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
    from scipy.stats import norm

    prob, _ = resolve_ci(ci_prob)
    _check_settings(judgements, ties, errors, cluster)
    rows = _rows(judgements, criterion)
    outcome = judgements.answers[rows].astype(np.int64)
    n_ties = int((outcome == 2).sum())
    if ties == "none" and n_ties:
        raise JudgementError(
            f"ties='none', but {n_ties:,} of {len(rows):,} comparisons are ties. Choose "
            "ties='davidson', 'rao_kupper', 'half' or 'drop'."
        )
    if ties == "auto" or (ties in ("davidson", "rao_kupper") and not n_ties):
        # Without ties the tie parameter of either model runs to its boundary.
        ties = "davidson" if n_ties else "none"
    if ties == "drop":
        rows, outcome = rows[outcome < 2], outcome[outcome < 2]
    model = _model(ties)
    a, b = (judgements.codes(name)[rows].astype(np.int64) for name in ("system_a", "system_b"))
    present, sides = np.unique(np.concatenate([a, b]), return_inverse=True)
    a, b = sides[: len(a)], sides[len(a) :]
    labels = [judgements.systems[code] for code in present]
    left_out = [label for label in judgements.systems if label not in labels]
    if reference is not None and reference not in labels:
        meant = nearest(reference, labels)
        raise JudgementError(
            f"reference={reference!r} is none of the systems {some(labels)}"
            + (f". Did you mean {meant!r}?" if meant else "")
        )
    _refuse_groups(a, b, outcome, labels)
    kind, cells = compact([a, b, outcome])
    count = np.bincount(kind).astype(float)
    fit = _fit(
        model,
        cells[:, 0],
        cells[:, 1],
        cells[:, 2],
        count,
        len(labels),
        position_effect=position_effect,
    )
    covariance = fit.covariance
    if errors == "sandwich":
        covariance = _sandwich(
            fit, None if cluster is None else judgements.codes(cluster)[rows], kind
        )
    n = len(labels)
    centred = fit.basis @ fit.parameters[: n - 1]
    of_worth = fit.basis @ covariance[: n - 1, : n - 1] @ fit.basis.T
    shift = np.eye(n)
    if reference is not None:
        shift = shift - np.eye(n)[labels.index(reference)]
    worth, of_worth = shift @ centred, shift @ of_worth @ shift.T
    quasi, quasi_error = np.full(n, np.nan), float("nan")
    if n > 2:
        quasi, quasi_error = quasi_variances(of_worth)
    se = np.sqrt(np.maximum(np.diag(of_worth), 0))
    z = float(norm.ppf(0.5 + prob / 2))
    with np.errstate(invalid="ignore"):
        quasi_se = np.sqrt(quasi)
    table = pd.DataFrame(
        {
            "system": labels,
            "n": np.bincount(np.concatenate([a, b]), minlength=n),
            "log_worth": worth,
            "se": se,
            "lower": worth - z * se,
            "upper": worth + z * se,
            "quasi_variance": quasi,
            "quasi_se": quasi_se,
        }
    )
    order = np.argsort(-worth, kind="stable")
    deviance, df_residual = _deviance(model, fit, cells, count)
    parameters = _parameters(fit, covariance, position_effect=position_effect, z=z)
    notes = _notes(fit, parameters, reference, errors, cluster, prob, deviance, df_residual)
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
        log_likelihood=fit.log_likelihood,
        deviance=deviance,
        df_residual=df_residual,
        n_judgements=len(rows),
        n_steps=fit.n_steps,
        quasi_error=quasi_error,
    )


def _check_settings(
    judgements: PairwiseJudgements, ties: Ties, errors: Errors, cluster: str | None
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
    if errors not in ("model", "sandwich"):
        raise JudgementError(f"errors must be 'model' or 'sandwich'; got {errors!r}")
    if cluster is not None:
        if errors != "sandwich":
            raise JudgementError(f"cluster={cluster!r} needs errors='sandwich'.")
        if len(judgements.labels(cluster)) < 2:
            raise DesignError(f"cluster={cluster!r} has one level: no errors can be had from it.")


def _rows(judgements: PairwiseJudgements, criterion: str | None) -> np.ndarray:
    criteria = judgements.criteria or ()
    if criterion is None and len(criteria) > 1:
        raise JudgementError(
            f"one model is fitted to one criterion; say which with criterion=: {some(criteria)}."
        )
    return next(iter(slices(judgements, criterion))).rows


def _refuse_groups(a: np.ndarray, b: np.ndarray, outcome: np.ndarray, labels: list[str]) -> None:
    """Raise where systems fall into groups that were never compared, or never lost to others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(labels)
    if n < 2:
        raise DesignError("a comparison needs at least two systems; no decided comparison is left.")
    remedy = (
        " Collect comparisons across, leave systems out, or fit the Bayesian BradleyTerry family, "
        "whose prior keeps every estimate finite."
    )
    wins = outcome != 1, outcome != 0
    winner = np.concatenate([a[wins[0]], b[wins[1]]])
    loser = np.concatenate([b[wins[0]], a[wins[1]]])
    graph = coo_array((np.ones(len(winner)), (winner, loser)), shape=(n, n)).tocsr()
    n_groups, group = connected_components(graph, directed=True, connection="weak")
    if n_groups > 1:
        named = "; ".join(
            f"group {index + 1}: {some([labels[i] for i in np.flatnonzero(group == index)])}"
            for index in range(min(n_groups, 4))
        )
        more = f"; and {n_groups - 4} more groups" if n_groups > 4 else ""
        raise DesignError(
            f"the systems fall into {n_groups} groups that were never compared with one another, "
            f"so that differences between groups are not identified: {named}{more}.{remedy}"
        )
    n_groups, group = connected_components(graph, directed=True, connection="strong")
    if n_groups == 1:
        return
    between = group[winner] != group[loser]
    beaten = np.unique(group[loser[between]])
    beating = np.unique(group[winner[between]])
    sentences = []
    for index in range(n_groups):
        members = some([labels[i] for i in np.flatnonzero(group == index)])
        if index not in beaten:
            sentences.append(f"{members} never lost to, or tied with, any other system")
        elif index not in beating:
            sentences.append(f"{members} never beat, or tied with, any other system")
    more = f" (and {len(sentences) - 4} more groups)" if len(sentences) > 4 else ""
    raise DesignError(
        f"no finite estimate exists: the systems fall into {n_groups} groups that are ordered "
        f"without exception: {'; '.join(sentences[:4])}{more}. Their differences run to infinity."
        f"{remedy}"
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    model: Model
    basis: np.ndarray
    design: np.ndarray
    outcome: np.ndarray
    parameters: np.ndarray
    gradients: np.ndarray
    covariance: np.ndarray
    log_likelihood: float
    n_steps: int

    @property
    def tie(self) -> float:
        return float(self.parameters[-1])

    @property
    def difference(self) -> np.ndarray:
        return self.design @ self.parameters[: self.design.shape[1]]


def _basis(n: int) -> np.ndarray:
    """Return an orthonormal basis of the vectors that sum to zero, shape (n, n − 1)."""
    centred = np.eye(n)[:, :-1] - 1 / n
    return np.linalg.qr(centred)[0]


def _fit(
    model: Model,
    a: np.ndarray,
    b: np.ndarray,
    outcome: np.ndarray,
    count: np.ndarray,
    n: int,
    *,
    position_effect: bool,
) -> _Fit:
    basis = _basis(n)
    design = basis[a] - basis[b]
    if position_effect:
        design = np.hstack([design, np.ones((len(design), 1))])
        if np.linalg.matrix_rank(np.unique(design, axis=0)) < design.shape[1]:
            raise DesignError(
                "the position effect cannot be told apart from the systems: every system is always "
                "shown on the same side. Show pairs in both orders, or leave the effect out."
            )
    if is_separated(model, design, outcome):
        which = "position effect" if position_effect else "tie parameter"
        raise DesignError(
            f"no finite estimate exists: with the {which} the model can explain these comparisons "
            "without exception, and its parameters run to infinity. Leave it out, collect more "
            "comparisons, or fit the Bayesian BradleyTerry family."
        )
    has_tie = model in ("davidson", "rao_kupper")
    p = design.shape[1]
    theta = np.zeros(p + has_tie)
    share = min(max(float(count[outcome == 2].sum() / count.sum()), 1e-6), 1 - 1e-6)
    if model == "davidson":
        theta[-1] = np.log(2 * share / (1 - share))
    elif model == "rao_kupper":
        theta[-1] = 2 * np.arctanh(share)

    def evaluate(at: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        tie = float(at[-1]) if has_tie else 0.0
        value, gradient, hessian = terms(model, design @ at[:p], tie, outcome)
        scores = gradient[:, :1] * design
        if has_tie:
            scores = np.hstack([scores, gradient[:, 1:]])
        information = np.zeros((p + has_tie, p + has_tie))
        information[:p, :p] = -(design * (count * hessian[:, 0, 0])[:, None]).T @ design
        if has_tie:
            information[p, p] = -(count * hessian[:, 1, 1]).sum()
            information[:p, p] = information[p, :p] = -design.T @ (count * hessian[:, 0, 1])
        return float(count @ value), scores, count @ scores, information

    value, scores, gradient, information = evaluate(theta)
    n_steps = 0
    while True:
        if n_steps == MOST_STEPS:
            raise DesignError(
                f"the likelihood has no maximum that {MOST_STEPS} Newton steps could find: the "
                "comparisons are nearly separated."
            )
        n_steps += 1
        step = np.linalg.solve(information, gradient)
        size = 1.0
        while True:
            trial = theta + size * step
            inside = model != "rao_kupper" or trial[-1] > 0
            if inside:
                new = evaluate(trial)
                if new[0] >= value - 1e-10 * max(1.0, abs(value)):
                    break
            size /= 2
            if size < 1e-10:
                raise DesignError("Newton's method found no better point; please report the data.")
        theta = trial
        value, scores, gradient, information = new
        # The error after a step is of the order of its square.
        if np.abs(size * step).max() <= 1e-8:
            break
    return _Fit(
        model, basis, design, outcome, theta, scores, np.linalg.inv(information), value, n_steps
    )


def _sandwich(fit: _Fit, cluster: np.ndarray | None, kind: np.ndarray) -> np.ndarray:
    """Return the robust covariance; `kind` is the cell of each comparison."""
    if cluster is None:
        meat = (fit.gradients * np.bincount(kind)[:, None]).T @ fit.gradients
    else:
        own = np.unique(cluster, return_inverse=True)[1]
        often = np.zeros((int(own.max()) + 1, len(fit.gradients)))
        np.add.at(often, (own, kind), 1.0)
        sums = often @ fit.gradients
        meat = sums.T @ sums
    return fit.covariance @ meat @ fit.covariance


def _deviance(model: Model, fit: _Fit, cells: np.ndarray, count: np.ndarray) -> tuple[float, int]:
    """Return twice the distance to the saturated model of each ordered pair, and its df."""
    pair, _ = compact([cells[:, 0], cells[:, 1]])
    n_pairs = int(pair.max()) + 1
    table = np.zeros((n_pairs, 3))
    np.add.at(table, (pair, cells[:, 2]), count)
    free = 2 if model in ("davidson", "rao_kupper") else 1
    if free == 1:
        table = np.stack([table[:, 0] + table[:, 2] / 2, table[:, 1] + table[:, 2] / 2], axis=1)
    share = table / table.sum(axis=1, keepdims=True)
    saturated = float((table * np.log(np.where(share > 0, share, 1))).sum())
    return 2 * (saturated - fit.log_likelihood), free * n_pairs - len(fit.parameters)


def _parameters(
    fit: _Fit, covariance: np.ndarray, *, position_effect: bool, z: float
) -> pd.DataFrame:
    found = []
    p = fit.design.shape[1]
    if position_effect:
        found.append(("position_effect", fit.parameters[p - 1], np.sqrt(covariance[p - 1, p - 1])))
    if fit.model == "davidson":
        se = np.sqrt(covariance[-1, -1])
        found += [("nu", np.exp(fit.tie), np.exp(fit.tie) * se), ("log_nu", fit.tie, se)]
    elif fit.model == "rao_kupper":
        found.append(("threshold", fit.tie, np.sqrt(covariance[-1, -1])))
    rows = [
        {
            "parameter": name,
            "estimate": float(estimate),
            "se": float(se),
            "lower": float(estimate - z * se),
            "upper": float(estimate + z * se),
        }
        for name, estimate, se in found
    ]
    return pd.DataFrame(rows, columns=["parameter", "estimate", "se", "lower", "upper"])


def _notes(
    fit: _Fit,
    parameters: pd.DataFrame,
    reference: str | None,
    errors: Errors,
    cluster: str | None,
    prob: float,
    deviance: float,
    df_residual: int,
) -> list[str]:
    origin = "0 = the mean" if reference is None else f"0 = {reference}"
    of = "from the likelihood" if errors == "model" else "sandwich"
    of += f", clustered by {cluster}" if cluster else ""
    notes = [
        (
            f"Log-worth: log odds to win, {origin}; a difference of 1 is odds of 2.7. Errors "
            f"{of}; interval: {100 * prob:.10g} %. Quasi SEs of two systems, squared and added, "
            "give the variance of their difference. No regularisation."
        ),
        (
            f"Log-likelihood {number(fit.log_likelihood, 3)}; deviance {number(deviance, 3)} on "
            f"{df_residual} "
            "degrees of freedom."
        ),
    ]
    words: dict[str, str] = {
        "position_effect": "Advantage of the system shown first (log odds)",
        "nu": "Davidson's ν (odds of a tie against a decision between equals: ν/2)",
        "threshold": "Rao and Kupper's threshold (log odds)",
    }
    notes += [
        f"{words[str(row['parameter'])]}: {row['estimate']:.3f} (SE {row['se']:.3f})."
        for row in parameters.to_dict("records")
        if row["parameter"] in words
    ]
    return notes
