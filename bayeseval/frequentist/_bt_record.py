"""The record of a Bradley–Terry model fitted by maximum likelihood, and how it is put in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from bayeseval._checks import counted, nearest, some
from bayeseval._records import Record, Shown
from bayeseval._text import number
from bayeseval.errors import JudgementError
from bayeseval.frequentist._bt_fit import Fit
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
    verdicts,
)
from bayeseval.frequentist._tie_models import Model, probabilities
from bayeseval.settings import resolve_ci

type Ties = Literal["auto", "davidson", "rao_kupper", "half", "drop", "none"]
type Errors = Literal["auto", "model", "sandwich"]

TIES: tuple[Ties, ...] = ("auto", "davidson", "rao_kupper", "half", "drop", "none")
TIE_WORDS = {
    "davidson": "ties by Davidson's model",
    "rao_kupper": "ties by Rao and Kupper's threshold",
    "half": "a tie as half a win each (a convention, not a likelihood)",
    "drop": "ties left out",
    "none": "no ties",
}


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
        What was used; reference is None where log-worths are centred.
    cluster : str or None
        Factor whose judgements were taken together by the sandwich.
    n_clusters : int or None
        How many of it there are: intervals and tests are then Student's t with one fewer degrees of
        freedom.
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
    n_clusters: int | None
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
        alpha, correction = checked_alpha(alpha), checked_correction(correction)
        prob, _ = resolve_ci(ci_prob)
        worth = self.log_worth.to_numpy()
        labels = np.array(self.log_worth.index, dtype=object)
        if pairs is None:
            a, b = (index.ravel() for index in np.triu_indices(len(labels), 1))
        else:
            a, b = _places(pairs, labels.tolist())
        v = self.covariance.to_numpy()
        estimate = worth[a] - worth[b]
        se = np.sqrt(np.diag(v)[a] + np.diag(v)[b] - 2 * v[a, b])
        reference = reference_distribution(self.n_clusters)
        half = float(reference.ppf(0.5 + prob / 2)) * se
        table = pd.DataFrame(
            {
                "system_a": labels[a],
                "system_b": labels[b],
                "estimate": estimate,
                "se": se,
                "lower": estimate - half,
                "upper": estimate + half,
                "z": estimate / se,
                "p": 2 * reference.sf(np.abs(estimate / se)),
            }
        )
        table["p_corrected"] = corrected(table["p"].to_numpy(), correction)
        table["verdict"] = verdicts(
            table["estimate"].to_numpy(), table["p_corrected"].to_numpy(), alpha, neutral=0.0
        )
        model = model_of(self.ties)
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


def _places(pairs: Sequence[tuple[str, str]], labels: list[str]) -> tuple[np.ndarray, np.ndarray]:
    place = {label: index for index, label in enumerate(labels)}
    for label in dict.fromkeys(label for pair in pairs for label in pair):
        if label not in place:
            meant = nearest(label, labels)
            raise JudgementError(
                f"there is no system {label!r}; there are {some(labels)}"
                + (f". Did you mean {meant!r}?" if meant else "")
            )
    found = np.array([[place[label] for label in pair] for pair in pairs], dtype=int)
    return found[:, 0], found[:, 1]


def reference_distribution(n_clusters: int | None) -> Any:
    """Return the distribution that estimates over errors are held against."""
    from scipy.stats import norm, t

    return norm if n_clusters is None else t(n_clusters - 1)


def model_of(ties: Ties) -> Model:
    match ties:
        case "davidson" | "rao_kupper" | "half":
            return ties
        case _:
            return "logistic"


def other_parameters(fit: Fit, covariance: np.ndarray, *, z: float) -> pd.DataFrame:
    found = []
    n, se = fit.cells.n_systems, np.sqrt(np.maximum(np.diag(covariance), 0))
    tie = float(fit.parameters[-1])
    if fit.has_position:
        found.append(("position_effect", fit.parameters[n], se[n]))
    if fit.model == "davidson":
        found += [("nu", np.exp(tie), np.exp(tie) * se[-1]), ("log_nu", tie, se[-1])]
    elif fit.model == "rao_kupper":
        found.append(("threshold", tie, se[-1]))
    rows = [
        {
            "parameter": name,
            "estimate": float(estimate),
            "se": float(error),
            "lower": float(estimate - z * error),
            "upper": float(estimate + z * error),
        }
        for name, estimate, error in found
    ]
    return pd.DataFrame(rows, columns=["parameter", "estimate", "se", "lower", "upper"])


def written_notes(
    fit: Fit,
    parameters: pd.DataFrame,
    reference: str | None,
    of: str,
    prob: float,
    distance: float,
    df_residual: int,
) -> list[str]:
    origin = "0 = the mean" if reference is None else f"0 = {reference}"
    notes = [
        (
            f"Log-worth: log odds to win, {origin}; a difference of 1 is odds of 2.7. Errors "
            f"{of}; interval: {100 * prob:.10g} %. Quasi SEs of two systems, squared and added, "
            "give the variance of their difference. No regularisation."
        ),
        (
            f"Log-likelihood {number(fit.log_likelihood, 3)}; deviance {number(distance, 3)} on "
            f"{counted(df_residual, 'degree of freedom', 'degrees of freedom')}."
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
