"""From a design to effects: which are in, which are left out and why, and the collapsed cells."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from bayeseval._checks import nearest, some
from bayeseval.errors import ModelError
from bayeseval.families._settings import check_choice
from bayeseval.judgements import Judgements

type Effects = Literal["auto", "none"] | Mapping[str, bool]

_INFORMATION = 0.8
"""What a judgement says about a level, in units of a latent answer seen without categories."""

_KNOWN_WELL = 0.95
"""Share of the data from which effects are centred however few they are."""

_KNOWN_APART = 3.0
"""Standard errors by which the variance of many effects must differ from zero to centre them."""


def choose_effects(
    wanted: Effects, reasons: Mapping[str, str | None], forcible: Mapping[str, str | None]
) -> tuple[list[str], dict[str, str]]:
    """Decide which optional effects are in the model.

    Parameters
    ----------
    wanted
        "auto" for what the design identifies, "none", or a choice by effect; effects that the
        choice does not name are decided as in "auto".
    reasons
        By effect, None where the design identifies it, otherwise why not.
    forcible
        By effect, None where it can at least be built, otherwise what is missing.

    Returns
    -------
    included : list of str
        Effects in the model.
    left_out : dict of str to str
        The others, each with the reason.
    """
    check_choice(wanted)
    if isinstance(wanted, str):
        choice: Mapping[str, bool] = {} if wanted == "auto" else dict.fromkeys(reasons, False)
    else:
        choice = wanted
        for name in choice:
            if name not in reasons:
                close = nearest(name, list(reasons))
                raise ModelError(
                    f"effects= names {name!r}, which this family does not have; it has "
                    f"{some(reasons, most=8)}." + (f" Did you mean {close!r}?" if close else "")
                )
    included: list[str] = []
    left_out: dict[str, str] = {}
    for name, reason in reasons.items():
        if name in choice:
            if choice[name] and forcible[name] is not None:
                raise ModelError(f"effects={{{name!r}: True}} cannot be built: {forcible[name]}")
            if choice[name]:
                included.append(name)
            else:
                left_out[name] = "left out on request"
        elif reason is None:
            included.append(name)
        else:
            left_out[name] = reason
    return included, left_out


def no_gaps_of_annotators(judgements: Judgements) -> str | None:
    """Return why ratings say nothing of annotators' gaps between thresholds; None if they may.

    Two ratings lie apart, and that may as well be quality, taste and noise: a gap that is their
    annotator's own takes a third. Without, nothing but the prior bounds a gap.
    """
    criterion = judgements.codes("criterion") if judgements.has("criterion") else 0
    used = criterion * (int(judgements.answers.max()) + 1) + judgements.answers
    if len(np.unique(used)) == len(np.unique(criterion)):
        return "all ratings are in one category, which bounds no gap"
    _, by_annotator, _ = _level_means(
        judgements, ("annotator",), np.zeros(judgements.n_rows), judgements.counts.astype(float)
    )
    return None if by_annotator.max() >= 3 else "no annotator gave three ratings, as gaps need"


def centrings(
    judgements: Judgements,
    score: npt.NDArray[np.float64],
    effects: Mapping[str, Sequence[str]],
) -> dict[str, float]:
    """Choose the geometry of every effect from how much the data say about each of its levels.

    For a normal model the effects and their standard deviation are least entangled when the
    centring is the share of the data in what is known of a level: n i / (n i + 1/sd²), with n
    judgements a level that inform it by i each (Papaspiliopoulos, Roberts & Sköld 2007,
    doi:10.1214/088342307000000014). The standard deviation is taken from moments of the scores:
    a rough guess suffices, since any centring is right and some are fast.

    Parameters
    ----------
    judgements
        The table.
    score
        The answers as numbers whose differences mean something, one a row.
    effects
        Dims of each effect by its name.

    Returns
    -------
    dict of str to float
        From 0, standardised effects, to 1, the effects themselves.
    """
    weight = judgements.counts.astype(np.float64)
    residual = score - _level_means(judgements, (), score, weight)[0]
    found = {}
    degrees = weight.sum()
    for name, dims in effects.items():
        means, counts, used = _level_means(judgements, dims, residual, weight)
        residual = residual - means
        degrees -= used.sum()
        levels = counts[used]
        spread = np.average(_by_level(judgements, dims, means)[used] ** 2, weights=levels)
        found[name] = (spread, len(levels) / (1.0 / levels).sum())
    # With as many levels as judgements nothing is left to tell noise from; any guess will do.
    noise = max((weight * residual**2).sum() / degrees, 1e-3) if degrees >= 1 else 0.5
    variance: dict[str, float] = {}
    chosen = {}
    # Finer effects first: the mean of an item carries the interactions of its systems.
    for name in sorted(effects, key=lambda name: -len(effects[name])):
        dims = effects[name]
        spread, n = found[name]
        error = noise / (n * _INFORMATION) + sum(
            variance[finer] / _levels_within(judgements, dims, effects[finer])
            for finer in variance
            if set(dims) < set(effects[finer])
        )
        variance[name] = max(spread - error, 0.0)
        share = variance[name] / (variance[name] + error)
        n_levels = int(np.prod([len(judgements.labels(dim)) for dim in dims]))
        # A standard deviation that may be zero would make a centred block a funnel (Betancourt &
        # Girolami 2015, arXiv:1312.0906).
        known = share >= _KNOWN_WELL or share * np.sqrt(n_levels / 2.0) >= _KNOWN_APART
        chosen[name] = round(float(share), 2) if known else 0.0
    return chosen


def _level(judgements: Judgements, dims: Sequence[str]) -> tuple[npt.NDArray[np.int64], int]:
    names = [*dims, "criterion"] if judgements.has("criterion") else list(dims)
    key = np.zeros(judgements.n_rows, dtype=np.int64)
    size = 1
    for name in names:
        size *= len(judgements.labels(name))
        key = key * len(judgements.labels(name)) + judgements.codes(name)
    return key, size


def _by_level(
    judgements: Judgements, dims: Sequence[str], values: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return a value that all rows of a level share, by level."""
    key, size = _level(judgements, dims)
    result = np.zeros(size)
    result[key] = values
    return result


def _levels_within(judgements: Judgements, dims: Sequence[str], finer: Sequence[str]) -> float:
    """Count the levels of a finer effect that a level of a coarser one has, on average."""
    fine, _ = _level(judgements, finer)
    coarse, _ = _level(judgements, dims)
    return np.unique(fine).size / np.unique(coarse).size


def _level_means(
    judgements: Judgements,
    dims: Sequence[str],
    values: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the mean of each row's level, the judgements by level, and which levels have any."""
    key, size = _level(judgements, dims)
    counts = np.bincount(key, weights=weight, minlength=size)
    sums = np.bincount(key, weights=weight * values, minlength=size)
    return (sums / np.maximum(counts, 1.0))[key], counts, counts > 0
