"""Bradley–Terry models by Newton's method on counts; every matrix is systems × systems.

Parameters stand in one order: the log-worths, the position effect, the tie parameter. A comparison
touches two log-worths, so that no design matrix is made; what all log-worths have in common is not
identified, and is kept at zero.
"""

from dataclasses import dataclass

import numpy as np

from bayeseval.errors import DesignError
from bayeseval.frequentist._bt_cells import Cells
from bayeseval.frequentist._bt_exists import refuse_position, refuse_separated
from bayeseval.frequentist._tie_models import Model, terms

MOST_STEPS = 200
# Steps after which, and log odds from which on, it is asked whether a maximum exists at all. A fit
# that has one takes about ten steps; separated ones grow by about one a step, and are lost in
# rounding from log odds of 37 on.
SUSPICIOUS_STEPS = 25
SUSPICIOUS_LOG_ODDS = 15.0
# Up to so many places of a clusters × parameters matrix for each row, it is kept dense: 10⁶ votes
# of 1,000 systems and 5,000 annotators are 5 places a row (40 MB), and take 0.3 s in place of 1.8.
_DENSE_PER_ROW = 10


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A fitted model.

    Parameters
    ----------
    model : {"logistic", "half", "davidson", "rao_kupper"}
        What happens with ties.
    cells : Cells
        What it was fitted to.
    parameters : numpy.ndarray
        Log-worths, which sum to zero, position effect, tie parameter.
    has_position, has_tie : bool
        Which of the latter two there are.
    gradients : numpy.ndarray, shape (cells, 2)
        Gradient of one comparison in the difference and in the tie parameter.
    covariance : numpy.ndarray
        Inverse of the information, of parameters whose log-worths sum to zero.
    log_likelihood : float
        At the maximum.
    n_steps : int
        Newton steps taken.
    """

    model: Model
    cells: Cells
    parameters: np.ndarray
    has_position: bool
    has_tie: bool
    gradients: np.ndarray
    covariance: np.ndarray
    log_likelihood: float
    n_steps: int

    @property
    def worth(self) -> np.ndarray:
        """Log-worths."""
        return self.parameters[: self.cells.n_systems]


def fit_cells(model: Model, cells: Cells, *, position_effect: bool) -> Fit:
    """Maximise the likelihood, or raise where it has no maximum.

    Parameters
    ----------
    model : {"logistic", "half", "davidson", "rao_kupper"}
        What happens with ties.
    cells : Cells
        The comparisons; their systems are known to be connected.
    position_effect : bool
        Whether the system shown first has an advantage.

    Returns
    -------
    Fit
        The maximum.
    """
    from scipy import linalg

    n, has_tie = cells.n_systems, model in ("davidson", "rao_kupper")
    if position_effect:
        refuse_position(n, cells.a, cells.b)
    theta = np.zeros(n + position_effect + has_tie)
    share = float(cells.count[cells.outcome == 2].sum() / cells.count.sum())
    share = min(max(share, 1e-6), 1 - 1e-6)
    if model == "davidson":
        theta[-1] = np.log(2 * share / (1 - share))
    elif model == "rao_kupper":
        theta[-1] = 2 * np.arctanh(share)

    def evaluate(at: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        difference = at[cells.a] - at[cells.b] + (at[n] if position_effect else 0.0)
        value, gradient, hessian = terms(
            model, difference, float(at[-1]) if has_tie else 0.0, cells.outcome
        )
        total = cells.count[:, None] * gradient
        score = np.concatenate([
            cells.by_system(total[:, 0], -total[:, 0]),
            total[:, 0].sum(keepdims=True)[:position_effect],
            total[:, 1].sum(keepdims=True)[:has_tie],
        ])  # fmt: skip
        information = _square(
            cells,
            -cells.count[:, None, None] * hessian,
            position=position_effect,
            tie=has_tie,
        )
        return float(cells.count @ value), gradient, score, information

    def refuse() -> None:
        refuse_separated(model, cells, position_effect=position_effect)

    value, gradients, score, information = evaluate(theta)
    n_steps = 0
    while True:
        n_steps += 1
        if n_steps == SUSPICIOUS_STEPS:
            refuse()
        if n_steps > MOST_STEPS:
            raise DesignError(
                f"the likelihood has no maximum that {MOST_STEPS} Newton steps could find: the "
                "comparisons are nearly separated."
            )
        try:
            step = linalg.solve(_anchored(information, n), score, assume_a="pos")
        except np.linalg.LinAlgError:
            refuse()
            raise DesignError(
                "the likelihood is too flat to have a maximum that can be found: the comparisons "
                "are nearly separated."
            ) from None
        size = 1.0
        while True:
            trial = theta + size * step
            if model != "rao_kupper" or trial[-1] > 0:
                new = evaluate(trial)
                if new[0] >= value - 1e-10 * max(1.0, abs(value)):
                    break
            size /= 2
            if size < 1e-10:
                refuse()
                raise DesignError("Newton's method found no better point; please report the data.")
        theta = trial
        value, gradients, score, information = new
        # The error after a step is of the order of its square.
        if np.abs(size * step).max() <= 1e-8:
            break
    if np.abs(theta).max() > SUSPICIOUS_LOG_ODDS:
        refuse()
    theta[:n] -= theta[:n].mean()
    covariance = np.linalg.inv(_anchored(information, n))
    covariance[:n, :n] -= 1 / (n**2 * _anchor(information, n))
    return Fit(model, cells, theta, position_effect, has_tie, gradients, covariance, value, n_steps)


def _anchor(information: np.ndarray, n: int) -> float:
    return float(np.trace(information[:n, :n])) / n**2


def _anchored(information: np.ndarray, n: int) -> np.ndarray:
    """Add information on the sum of the log-worths, which alone has none."""
    result = information.copy()
    result[:n, :n] += _anchor(information, n)
    return result


def _square(cells: Cells, weight: np.ndarray, *, position: bool, tie: bool) -> np.ndarray:
    """Sum x w xᵀ over cells, x the gradient of (difference, tie) in the parameters."""
    n = cells.n_systems
    own, cross = weight[:, 0, 0], weight[:, 0, 1]
    result = np.zeros((n + position + tie,) * 2)
    flat = np.bincount(cells.a * n + cells.b, own, n * n).reshape(n, n)
    flat = flat + flat.T
    result[:n, :n] = np.diag(flat.sum(axis=1)) - flat
    if position:
        result[:n, n] = result[n, :n] = cells.by_system(own, -own)
        result[n, n] = own.sum()
    if tie:
        result[:n, -1] = result[-1, :n] = cells.by_system(cross, -cross)
        result[-1, -1] = weight[:, 1, 1].sum()
    if position and tie:
        result[n, -1] = result[-1, n] = cross.sum()
    return result


def sandwich(
    fit: Fit, cluster: np.ndarray | None, cell: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Return the robust covariance.

    Parameters
    ----------
    fit : Fit
        The fitted model.
    cluster : numpy.ndarray of int or None
        Number of the cluster of each row, from 0 to G − 1, which multiplies the covariance by
        G / (G − 1); every comparison on its own where None.
    cell, weight : numpy.ndarray
        Cell of each row, and how often it counts.
    """
    cells, n = fit.cells, fit.cells.n_systems
    if cluster is None:
        outer = fit.gradients[:, :, None] * fit.gradients[:, None, :]
        meat = _square(
            cells,
            cells.count[:, None, None] * outer,
            position=fit.has_position,
            tie=fit.has_tie,
        )
        return fit.covariance @ meat @ fit.covariance
    own, tie = fit.gradients.T
    columns = [(cells.a, own), (cells.b, -own)]
    if fit.has_position:
        columns.append((np.full(len(own), n), own))
    if fit.has_tie:
        columns.append((np.full(len(own), len(fit.parameters) - 1), tie))
    meat = _sums_squared(columns, cluster, cell, weight, len(fit.parameters))
    n_clusters = int(cluster.max()) + 1
    meat *= n_clusters / (n_clusters - 1)
    return fit.covariance @ meat @ fit.covariance


def _sums_squared(
    columns: list[tuple[np.ndarray, np.ndarray]],
    cluster: np.ndarray,
    cell: np.ndarray,
    weight: np.ndarray,
    n_parameters: int,
) -> np.ndarray:
    """Sum s sᵀ over clusters, s the sum of a cluster's scores.

    Parameters
    ----------
    columns : list of (array, array)
        Parameters that each cell touches, and its score in them.
    cluster, cell, weight : numpy.ndarray
        Cluster of each row, its cell, and how often it counts.
    n_parameters : int
        Number of parameters.
    """
    from scipy.sparse import coo_array

    n_clusters = int(cluster.max()) + 1
    n_rows = len(cluster)
    if n_clusters * n_parameters <= _DENSE_PER_ROW * n_rows:
        # Clusters that touch many parameters: no sorting, and one product of dense matrices.
        start = cluster.astype(np.int64) * n_parameters
        dense = np.zeros(n_clusters * n_parameters)
        for at, score in columns:
            dense += np.bincount(start + at[cell], weight * score[cell], len(dense))
        sums = dense.reshape(n_clusters, n_parameters)
        return sums.T @ sums
    places = np.concatenate([at[cell] for at, _ in columns])
    scores = np.concatenate([weight * score[cell] for _, score in columns])
    sparse = coo_array(
        (scores, (np.tile(cluster, len(columns)), places)), shape=(n_clusters, n_parameters)
    ).tocsr()
    return (sparse.T @ sparse).toarray()


def deviance(fit: Fit) -> tuple[float, int]:
    """Return twice the distance to the saturated model of each ordered pair, and its df."""
    cells = fit.cells
    _, pair = np.unique(cells.a * cells.n_systems + cells.b, return_inverse=True)
    n_pairs = int(pair.max()) + 1
    table = np.zeros((n_pairs, 3))
    np.add.at(table, (pair, cells.outcome), cells.count)
    free = 2 if fit.has_tie else 1
    if free == 1:
        table = np.stack([table[:, 0] + table[:, 2] / 2, table[:, 1] + table[:, 2] / 2], axis=1)
    share = table / table.sum(axis=1, keepdims=True)
    saturated = float((table * np.log(np.where(share > 0, share, 1))).sum())
    return 2 * (saturated - fit.log_likelihood), free * n_pairs - (len(fit.parameters) - 1)
