"""The classifier of HUSE: features, neighbours, votes, leave-one-out errors."""

from typing import Literal, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from bayeseval._checks import nearest, need_extra, shown, some
from bayeseval.errors import DesignError

type TieRule = Literal["paper", "vote_model", "vote_half", "tolerance", "sklearn"]

TIE_RULES: dict[TieRule, str] = {
    "paper": "every text at the k-th smallest distance is a neighbour; a split vote says human",
    "vote_model": (
        "every text at the k-th smallest distance is a neighbour; a split vote says model"
    ),
    "vote_half": (
        "every text at the k-th smallest distance is a neighbour; a split vote is half an error"
    ),
    "tolerance": (
        "as the paper, but distances within 1e-12 of the k-th smallest count as equal to it"
    ),
    "sklearn": "scikit-learn's k neighbours, exactly k; a split vote says human",
}
MEASURES = ("HUSE", "HUSE-Q", "HUSE-D")


def checked_rule(ties: object) -> TieRule:
    if not isinstance(ties, str) or ties not in TIE_RULES:
        meant = nearest(ties, list(TIE_RULES))
        raise DesignError(
            f"ties must be one of {some(TIE_RULES)}; got {ties!r}"
            + (f". Did you mean {meant!r}?" if meant else "")
        )
    if ties == "sklearn":
        need_extra(
            "huse",
            "sklearn",
            what="ties='sklearn'",
            otherwise="take another rule for ties",
            error=DesignError,
        )
    return cast(TieRule, ties)


def features_of(
    log_probability: npt.ArrayLike,
    length: npt.ArrayLike,
    judgement: npt.ArrayLike,
    is_model: npt.ArrayLike,
    k: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    logp = as_floats(log_probability, "log_probability")
    size = as_floats(length, "length")
    judged = draws_first(judgement)
    model = np.asarray(is_model)
    if model.ndim != 1:
        raise DesignError(f"is_model must hold one value a text; found {shown(is_model)}.")
    if model.dtype != bool:
        found = pd.unique(model)
        if not set(found.tolist()) <= {0, 1}:
            raise DesignError(
                f"is_model must hold True for the model's texts and False for human ones; found "
                f"{some(found.tolist())}. Compare with the label: is_model=source == 'model'."
            )
        model = model.astype(bool)
    n = len(model)
    for name, array in (("log_probability", logp), ("length", size), ("judgement", judged)):
        if array.shape[-1:] != (n,) or array.ndim > (2 if name == "judgement" else 1):
            raise DesignError(
                f"{name} must hold one value a text, {n} as is_model; found shape {array.shape}."
            )
        wrong = ~np.isfinite(array).reshape(-1, n).all(axis=0)
        if name == "length":
            wrong |= ~(array > 0)
        if wrong.any():
            raise DesignError(
                f"{name} must be a finite number{' above 0' if name == 'length' else ''}; "
                f"text {some(np.flatnonzero(wrong).tolist())} (counted from 0) is not."
            )
    if not 0 < model.sum() < n:
        raise DesignError(
            f"HUSE compares the model's texts with human ones; all {n} are "
            f"{'the model' if model.any() else 'human'}'s."
        )
    if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k < n - 1:
        raise DesignError(f"k must be a whole number from 1 to {n - 2} for {n} texts; got {k!r}")
    if (np.ptp(judged, axis=-1) == 0).any():
        raise DesignError("all texts have the same mean judgement: it tells nothing apart.")
    per_token = logp / size
    if np.ptp(per_token) == 0:
        raise DesignError(
            "all texts have the same log probability a token: it tells nothing apart."
        )
    return per_token, judged, model


def as_floats(values: object, name: str) -> np.ndarray:
    """Return numbers as an array, or refuse what holds something else."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise DesignError(f"{name} must hold numbers; found {shown(values)}.") from None


def draws_first(judgement: npt.ArrayLike) -> np.ndarray:
    dims = getattr(judgement, "dims", None)
    if dims is not None and "text" in dims:
        others = [dim for dim in dims if dim != "text"]
        array = np.asarray(judgement.transpose(*others, "text"), dtype=float)  # type: ignore[union-attr]
        return array.reshape(-1, array.shape[-1]) if others else array
    return as_floats(judgement, "judgement")


def resampled(model: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.concatenate(
        [
            rng.choice(rows, size=len(rows))
            for rows in (np.flatnonzero(~model), np.flatnonzero(model))
        ]
    )


def measures_of(
    per_token: np.ndarray,
    judged: np.ndarray,
    model: np.ndarray,
    k: int,
    ties: TieRule,
    text: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the three measures, and the share of errors of each text on both features."""
    own = np.arange(len(model)) if text is None else text
    q = judged / (judged.std() or 1.0)
    p = per_token / (per_token.std() or 1.0)
    one = np.abs(q[:, None] - q)
    both = np.sqrt((p[:, None] - p) ** 2 + (q[:, None] - q) ** 2)
    # Copies of one text in a resample would give it away.
    same = own[:, None] == own
    errors = []
    for distances, columns in ((both, (p, q)), (one, (q,))):
        distances[same] = np.inf
        if ties == "sklearn" and text is None:
            votes = _sklearn_votes(np.stack(columns, axis=1), model, k)
        else:
            votes = votes_of(distances, model, k, ties)
        errors.append(mistaken_by(votes, model, ties))
    value, quality = (2 * float(error.mean()) for error in errors)
    return np.array([value, quality, 1 + value - quality]), errors[0]


def votes_of(distances: np.ndarray, model: np.ndarray, k: int, ties: TieRule) -> np.ndarray:
    """Return the neighbours' votes for the model minus those for a human."""
    if ties == "sklearn":
        near = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return np.where(model[near], 1, -1).sum(axis=1)
    limit = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    if ties == "tolerance":
        limit = limit + 1e-12
    return (distances <= limit) @ np.where(model, 1, -1)


def _sklearn_votes(features: np.ndarray, model: np.ndarray, k: int) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    fitted = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(features)
    near = fitted.kneighbors(return_distance=False)
    return np.where(model[near], 1, -1).sum(axis=1)


def mistaken_by(votes: np.ndarray, model: np.ndarray, ties: TieRule) -> np.ndarray:
    says_model = votes >= 0 if ties == "vote_model" else votes > 0
    wrong = (says_model != model).astype(float)
    return np.where(votes == 0, 0.5, wrong) if ties == "vote_half" else wrong
