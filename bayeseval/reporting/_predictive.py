"""Observed answers beside answers that the fitted model gives to the same questions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bayeseval.errors import JudgementError
from bayeseval.judgements import Judgements, LikertJudgements
from bayeseval.reporting._contract import PosteriorLike, PredictivePosterior

N_BINS = 20
MOST_CATEGORIES = 25


@dataclass(frozen=True, slots=True)
class Simulated:
    """Answers sorted into categories or bins: the observed, and the simulated (sample, row)."""

    labels: tuple[str, ...]
    observed: np.ndarray
    simulated: np.ndarray


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the answers by category, for some of the rows.

    ``p_value`` is the share of simulated tables at least as far from what the model expects
    (sum of squared differences over the expected) as the observed one: small means a bad fit.
    """

    name: str | None
    n_judgements: int
    observed: np.ndarray
    simulated: np.ndarray
    p_value: float


def refuse_strangers(posterior: PosteriorLike, judgements: Judgements) -> None:
    """Raise where these judgements are not those that the posterior was fitted to."""
    if not isinstance(judgements, Judgements):
        raise JudgementError(
            "a report needs the judgements that were fitted, such as LikertJudgements; found "
            f"{type(judgements).__name__}"
        )
    if posterior.fingerprint != judgements.fingerprint:
        raise JudgementError(
            "the judgements must be those that were fitted; the posterior's fingerprint is "
            f"{posterior.fingerprint!r}, that of these judgements {judgements.fingerprint!r}. "
            "Pass the table that was given to fit(), with the same columns, scale and filters"
        )


def simulate_answers(
    posterior: PredictivePosterior, judgements: Judgements, *, draws: int, random_seed: int
) -> Simulated:
    """Draw answers for the rows of the judgements, and sort both into the same categories."""
    array = posterior.predictive(judgements, draws=draws, random_seed=random_seed)
    simulated = array.transpose("sample", "row").values
    observed = np.asarray(judgements.answers)
    if isinstance(judgements, LikertJudgements):
        return _by_category(judgements.scale.labels, observed, simulated)
    if observed.dtype.kind in "iub":
        values = np.unique(np.concatenate([observed, simulated.ravel()]))
        return Simulated(
            tuple(str(value) for value in values),
            np.searchsorted(values, observed),
            np.searchsorted(values, simulated),
        )
    # Bins of the observed range; what is simulated outside it falls into the outer bins.
    edges = np.linspace(observed.min(), observed.max(), N_BINS + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    inner = edges[1:-1]
    return Simulated(
        tuple(f"{middle:.3g}" for middle in middles),
        np.searchsorted(inner, observed, side="right"),
        np.searchsorted(inner, simulated, side="right"),
    )


def _by_category(labels: tuple[str, ...], observed: np.ndarray, simulated: np.ndarray) -> Simulated:
    """Keep the categories; of a long scale, join neighbours into at most twenty groups."""
    width = 1 if len(labels) <= MOST_CATEGORIES else -(-len(labels) // N_BINS)
    if width > 1:
        groups = [labels[start : start + width] for start in range(0, len(labels), width)]
        labels = tuple(g[0] if len(g) == 1 else f"{g[0]}–{g[-1]}" for g in groups)
    return Simulated(
        labels, observed.astype(np.int64) // width, simulated.astype(np.int64) // width
    )


def overall_shares(answers: Simulated, judgements: Judgements, rows: np.ndarray) -> Shares:
    """Return the shares over some of the rows together."""
    group = np.zeros(judgements.n_rows, dtype=np.int64)
    return next(_grouped(answers, judgements, rows, group, (None,)))


def annotator_shares(answers: Simulated, judgements: Judgements, rows: np.ndarray) -> list[Shares]:
    """Return the shares annotator by annotator, the worst fitting first."""
    group = judgements.codes("annotator").astype(np.int64)
    found = _grouped(answers, judgements, rows, group, judgements.labels("annotator"))
    return sorted(found, key=lambda shares: (shares.p_value, -shares.n_judgements))


def _grouped(
    answers: Simulated,
    judgements: Judgements,
    rows: np.ndarray,
    group: np.ndarray,
    names: tuple[str | None, ...],
) -> Iterator[Shares]:
    n_categories = len(answers.labels)
    weights = judgements.counts[rows]
    start = group[rows] * n_categories
    size = len(names) * n_categories

    def counts(codes: np.ndarray) -> np.ndarray:
        table = np.bincount(start + codes[rows], weights=weights, minlength=size)
        return table.reshape(len(names), n_categories)

    observed = counts(answers.observed)
    simulated = np.stack([counts(sample) for sample in answers.simulated])
    # Half a judgement in all simulated tables together stands for what none of them shows.
    expected = simulated.mean(axis=0) + 0.5 / len(simulated)
    distance = ((simulated - expected) ** 2 / expected).sum(axis=-1)
    found = ((observed - expected) ** 2 / expected).sum(axis=-1)
    p_values = (1 + (distance >= found * (1 - 1e-12)).sum(axis=0)) / (1 + len(simulated))
    totals = observed.sum(axis=1)
    for index, name in enumerate(names):
        if totals[index]:
            yield Shares(
                name=name,
                n_judgements=int(totals[index]),
                observed=observed[index] / totals[index],
                simulated=simulated[:, index] / totals[index],
                p_value=float(p_values[index]),
            )
