"""Quasi-variances: one number a system from which the error of any difference can be had."""

from itertools import combinations

import numpy as np

from bayeseval.errors import DesignError

MOST_STEPS = 100


def quasi_variances(covariance: np.ndarray) -> tuple[np.ndarray, float]:
    r"""Compute quasi-variances of the levels of a factor.

    They minimise :math:`\sum_{i<j} (\log v_{ij} - \log(q_i + q_j))^2`, where :math:`v_{ij}` is the
    variance of the difference of levels i and j: then :math:`\sqrt{q_i + q_j}` is close to the
    standard error of any difference. They do not depend on the reference level.

    Parameters
    ----------
    covariance : numpy.ndarray, shape (n, n)
        Covariance of the n ≥ 3 estimates, in any parametrisation of their differences.

    Returns
    -------
    tuple
        The quasi-variances (one of them can be negative, which is no error), and the largest
        relative error of the standard error of a simple difference.

    Raises
    ------
    DesignError
        If there are fewer than three levels: two have one difference, of which any split is right;
        or this is no covariance matrix.

    References
    ----------
    Firth, D., & de Menezes, R. X. (2004). Quasi-variances. Biometrika 91, 65–80.
    https://doi.org/10.1093/biomet/91.1.65
    """
    try:
        covariance = np.asarray(covariance, dtype=float)
    except (TypeError, ValueError):
        raise DesignError("covariance must be a square matrix of numbers.") from None
    n = covariance.shape[0] if covariance.ndim else 0
    if n < 3:
        raise DesignError(f"quasi-variances need at least three levels; got {n}.")
    if covariance.shape != (n, n) or not np.isfinite(covariance).all():
        raise DesignError(
            f"covariance must be a square matrix of finite numbers; found shape {covariance.shape}."
        )
    first, second = np.array(list(combinations(range(n), 2))).T
    diagonal = np.diag(covariance)
    variance = diagonal[first] + diagonal[second] - 2 * covariance[first, second]
    if (variance <= 0).any():
        raise DesignError(
            "covariance must give every difference of two levels a variance above 0; "
            f"{int((variance <= 0).sum())} of {len(variance)} have none."
        )
    design = np.zeros((len(first), n))
    design[np.arange(len(first)), first] = design[np.arange(len(first)), second] = 1
    # The least-squares solution is exact for three levels and close otherwise.
    fitted = np.linalg.solve(design.T @ design, design.T @ variance)
    if ((total := design @ fitted) <= 0).any():
        fitted = np.full(n, float(variance.mean()) / 2)
        total = design @ fitted
    loss = float((np.log(total / variance) ** 2).sum())
    for _ in range(MOST_STEPS):
        slope = design / total[:, None]
        step = np.linalg.solve(slope.T @ slope, -slope.T @ np.log(total / variance))
        size = 1.0
        while size > 1e-8:
            trial = design @ (fitted + size * step)
            if (trial > 0).all() and (np.log(trial / variance) ** 2).sum() <= loss:
                break
            size /= 2
        else:
            break
        fitted, total = fitted + size * step, trial
        loss = float((np.log(total / variance) ** 2).sum())
        if np.abs(step).max() <= 1e-12 * np.abs(fitted).max():
            break
    error = np.sqrt(np.maximum(fitted[first] + fitted[second], 0) / variance) - 1
    return fitted, float(np.abs(error).max())
