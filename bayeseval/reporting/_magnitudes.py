"""What a report says of magnitudes beyond their shares: the mass at the reference, outliers."""

from typing import Protocol, runtime_checkable

import numpy as np
import xarray as xr

from bayeseval._checks import counted
from bayeseval.judgements import Judgements, MagnitudeJudgements
from bayeseval.reporting._contract import PredictivePosterior

_OUTLYING = 0.001
_MOST_NAMED = 5


@runtime_checkable
class TailAreas(Protocol):
    """What can say how far out an answer lies: a posterior whose family offers it."""

    def tail_area(self, judgements: Judgements, *, draws: int = 200) -> xr.DataArray:
        """Return how far out each answer lies, dims (row)."""
        ...


def magnitude_sentences(
    posterior: PredictivePosterior,
    judgements: MagnitudeJudgements,
    rows: np.ndarray,
    *,
    simulated: np.ndarray,
) -> tuple[str, ...]:
    """Say how often answers are the reference, by system, and which answers are outlying.

    Parameters
    ----------
    posterior
        The posterior.
    judgements
        The magnitudes that were fitted.
    rows
        Which rows belong to the criterion, one Boolean a row.
    simulated
        Answers of simulated tables, shape (sample, row).
    """
    sentences = []
    if judgements.at_reference[rows].any():
        at = simulated[:, rows] == 1.0
        weight = judgements.counts[rows].astype(np.float64)
        shares = []
        for code, label in enumerate(judgements.systems):
            own = judgements.codes("system")[rows] == code
            if own.any():
                observed = np.average(judgements.at_reference[rows][own], weights=weight[own])
                expected = np.average(at[:, own], axis=1, weights=weight[own])
                low, high = np.quantile(expected, [0.025, 0.975])
                shares.append(f"{label} {observed:.0%} ({low:.0%} to {high:.0%})")
        sentences.append(
            "Answers that are exactly the reference, and the share that 95 % of simulated tables "
            f"have: {', '.join(shares)}."
        )
    if not isinstance(posterior, TailAreas):
        return tuple(sentences)
    positions = np.flatnonzero(rows)
    area = posterior.tail_area(judgements, draws=len(simulated)).values[positions]
    outlying = [int(at) for at in np.argsort(area, kind="stable") if area[at] < _OUTLYING]
    if not outlying:
        sentences.append(f"No answer has a tail area below {_OUTLYING:g}: none is outlying.")
        return tuple(sentences)
    factors = [name for name in ("annotator", "system", "item") if judgements.has(name)]
    named = []
    for at in outlying[:_MOST_NAMED]:
        row = int(positions[at])
        labels = [judgements.labels(name)[judgements.codes(name)[row]] for name in factors]
        named.append(f"{judgements.magnitudes[row]:g} ({', '.join(labels)})")
    more = len(outlying) - len(named)
    of = counted(positions.size, "answer")
    sentences.append(
        f"Outlying answers (tail area below {_OUTLYING:g}, of {of}): "
        f"{'; '.join(named)}" + (f"; and {more} more." if more else ".")
    )
    return tuple(sentences)
