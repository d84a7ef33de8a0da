"""Log-likelihoods of one comparison, with derivatives."""

from typing import Literal

import numpy as np

type Model = Literal["logistic", "half", "davidson", "rao_kupper"]


def _log_sigmoid(x: np.ndarray) -> np.ndarray:
    return -np.logaddexp(0.0, -x)


def _decided(
    difference: np.ndarray, outcome: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the terms of comparisons that one side won: one exponential each."""
    sign = np.where(outcome == 0, 1.0, -1.0)
    argument = sign * difference
    small = np.exp(-np.abs(argument))
    value = np.minimum(argument, 0.0) - np.log1p(small)
    lost = np.where(argument >= 0, small, 1.0) / (1 + small)
    gradient, hessian = np.zeros((len(sign), 2)), np.zeros((len(sign), 2, 2))
    gradient[:, 0] = sign * lost
    hessian[:, 0, 0] = -small / (1 + small) ** 2
    return value, gradient, hessian


def terms(
    model: Model, difference: np.ndarray, tie: float, outcome: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return log-likelihood, gradient and Hessian in (difference, tie parameter), one a row.

    Davidson: probabilities of a, b, tie proportional to exp(d/2), exp(−d/2), exp(tie). Rao–Kupper:
    P(a) = σ(d − tie), P(b) = σ(−d − tie), tie > 0. Half: a tie is half a win each.

    Parameters
    ----------
    model : {"logistic", "half", "davidson", "rao_kupper"}
        What happens with ties.
    difference : numpy.ndarray
        Log-worth of a minus that of b, plus the position effect.
    tie : float
        The tie parameter: log ν of Davidson, the threshold of Rao and Kupper; unused otherwise.
    outcome : numpy.ndarray of int
        0 = a, 1 = b, 2 = tie.

    Returns
    -------
    tuple of numpy.ndarray
        Shapes (n,), (n, 2), (n, 2, 2).
    """
    n = len(difference)
    if model == "logistic" and not (outcome == 2).any():
        return _decided(difference, outcome)
    value, gradient, hessian = np.zeros(n), np.zeros((n, 2)), np.zeros((n, 2, 2))
    if model == "davidson":
        logits = np.stack([difference / 2, -difference / 2, np.full(n, tie)], axis=1)
        logits -= logits.max(axis=1, keepdims=True)
        p = np.exp(logits)
        total = p.sum(axis=1, keepdims=True)
        log_p = logits - np.log(total)
        a, b, t = (p / total).T
        value = log_p[np.arange(n), outcome]
        features = np.array([[0.5, 0.0], [-0.5, 0.0], [0.0, 1.0]])
        mean = np.stack([(a - b) / 2, t], axis=1)
        gradient = features[outcome] - mean
        hessian[:, 0, 0] = -((a + b) / 4 - mean[:, 0] ** 2)
        hessian[:, 1, 1] = -t * (1 - t)
        hessian[:, 0, 1] = hessian[:, 1, 0] = mean[:, 0] * t
        return value, gradient, hessian
    weight = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])[outcome]
    if model == "rao_kupper":
        # A tie is σ(d + η) σ(η − d) (1 − exp(−2η)): two half-lines and a normalising factor.
        tied = outcome == 2
        pieces = (
            ((outcome == 0).astype(float), 1.0, -1.0),
            ((outcome == 1).astype(float), -1.0, -1.0),
            (tied.astype(float), 1.0, 1.0),
            (tied.astype(float), -1.0, 1.0),
        )
        factor = np.log(-np.expm1(-2 * tie))
        value = value + np.where(tied, factor, 0.0)
        gradient[:, 1] += np.where(tied, 2 / np.expm1(2 * tie), 0.0)
        hessian[:, 1, 1] -= np.where(tied, 1 / np.sinh(tie) ** 2, 0.0)
    else:
        pieces = ((weight[:, 0], 1.0, 0.0), (weight[:, 1], -1.0, 0.0))
    for share, sign, slope in pieces:
        argument = sign * difference + slope * tie
        log_s = _log_sigmoid(argument)
        s = np.exp(log_s)
        value = value + share * log_s
        direction = np.array([sign, slope])
        gradient += (share * (1 - s))[:, None] * direction
        hessian -= (share * s * (1 - s))[:, None, None] * np.outer(direction, direction)
    return value, gradient, hessian


def probabilities(model: Model, difference: np.ndarray, tie: float) -> np.ndarray:
    """Return the probabilities of a, b and tie, shape (n, 3)."""
    return np.stack(
        [
            np.exp(terms(model, difference, tie, np.full(len(difference), outcome))[0])
            if outcome < 2 or model in ("davidson", "rao_kupper")
            else np.zeros(len(difference))
            for outcome in range(3)
        ],
        axis=1,
    )
