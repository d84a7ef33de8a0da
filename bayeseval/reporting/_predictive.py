"""Observed answers beside answers that the fitted model gives to the same questions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr

from bayeseval._checks import generator, whole_number
from bayeseval._text import MINUS
from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    Judgements,
    LikertJudgements,
    PairwiseJudgements,
    StrengthJudgements,
)
from bayeseval.reporting._contract import PosteriorLike, PredictivePosterior

N_BINS = 20
MOST_CATEGORIES = 25
MOST_WORST = 3
# Counts of all simulated tables that are held at once: 160 MB.
MOST_VALUES = 20_000_000


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
    array = coded_answers(posterior, judgements, draws=draws, random_seed=random_seed)
    return sorted_answers(judgements, array.transpose("sample", "row").values)


def coded_answers(
    posterior: PredictivePosterior, judgements: Judgements, *, draws: int, random_seed: int
) -> xr.DataArray:
    """Draw answers for the rows of the judgements, as codes; refuse what is no number or seed."""
    draws = whole_number(draws, "draws", least=1)
    generator(random_seed)
    return posterior.predictive(judgements, draws=draws, random_seed=random_seed, coded=True)


def sorted_answers(judgements: Judgements, simulated: np.ndarray) -> Simulated:
    """Sort the observed answers and simulated ones (sample, row) into the same categories."""
    observed = np.asarray(judgements.answers)
    if isinstance(judgements, LikertJudgements):
        return _by_category(judgements.scale.labels, observed, simulated)
    if isinstance(judgements, PairwiseJudgements):
        return _by_outcome(observed, simulated)
    values = np.union1d(observed, simulated)
    if isinstance(judgements, StrengthJudgements) and judgements.graded:
        values = np.union1d(values, np.arange(-judgements.bound, judgements.bound + 1))
    if len(values) <= MOST_CATEGORIES:
        return Simulated(
            tuple(f"{value:g}".replace("-", MINUS) for value in values),
            np.searchsorted(values, observed),
            np.searchsorted(values, simulated),
        )
    return _binned(judgements, observed, simulated)


def _by_outcome(observed: np.ndarray, simulated: np.ndarray) -> Simulated:
    """Name the outcomes, the tie between the two others; it is left out where there is none."""
    labels, place = ("first better", "tie", "second better"), np.array([0, 2, 1])
    if not (observed == 2).any() and not (simulated == 2).any():
        labels, place = (labels[0], labels[2]), np.array([0, 1])
    return Simulated(labels, place[observed], place[simulated.astype(np.int64)])


def _binned(judgements: Judgements, observed: np.ndarray, simulated: np.ndarray) -> Simulated:
    """Sort numbers into bins of their scale, or of the observed range where it has no ends.

    What is simulated outside the observed range falls into the outer bins. Magnitudes are ratios:
    their bins are equally wide on a logarithmic axis, and zero is one of its own.
    """
    zero: tuple[str, ...] = ()
    if judgements.meaning.level == "ratio":
        positive = observed[observed > 0]
        edges = np.geomspace(positive.min(), positive.max(), N_BINS + 1)
        middles = np.sqrt(edges[1:] * edges[:-1])
        if len(positive) < len(observed):
            # Below every bin, so that zero alone falls there.
            zero, edges = ("0",), np.concatenate([[-1.0, edges[0] * 1e-9], edges[1:]])
    else:
        low, high = judgements.answer_ends or (observed.min(), observed.max())
        edges = np.linspace(low, high, N_BINS + 1)
        middles = (edges[1:] + edges[:-1]) / 2
    inner = edges[1:-1]
    return Simulated(
        (*zero, *(f"{middle:.3g}".replace("-", MINUS) for middle in middles)),
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


@dataclass(frozen=True, slots=True)
class Grouped:
    """How answers sorted by a factor, such as the system or the item, differ from the expected.

    ``p_value`` is that of all groups at once: the share of simulated tables in which the distances
    of the groups from what the model expects add up to at least as much. ``worst`` are the groups,
    the worst fitting first, each with a p of its own.
    """

    name: str
    n_groups: int
    p_value: float
    worst: tuple[tuple[str, int, float], ...]


def grouped_checks(answers: Simulated, judgements: Judgements, rows: np.ndarray) -> list[Grouped]:
    """Hold the answers of every system (or pair), item and annotator against the simulated ones.

    The shares over all answers together nearly always fit, since the model learnt them; that the
    shares of every system, or of every item, fit as well needs a model that has what moves them.
    """
    pair = len(judgements.system_factors) == 2
    factors: dict[str, tuple[str, ...]] = {
        "pair of systems, as presented" if pair else "system": judgements.system_factors
    }
    for name in ("item", "annotator"):
        if judgements.has(name):
            factors[name] = (name,)
    if judgements.has("item") and not pair:
        factors["system and item"] = ("system", "item")
    found = []
    for name, columns in factors.items():
        codes = np.stack([judgements.codes(column)[rows] for column in columns])
        known, group = np.unique(codes, axis=1, return_inverse=True)
        n_groups = known.shape[1]
        size = n_groups * len(answers.labels) * len(answers.simulated)
        if n_groups > 1 and size <= MOST_VALUES:
            labels = [judgements.labels(column) for column in columns]
            names = [
                " / ".join(own[code] for own, code in zip(labels, one, strict=True))
                for one in known.T
            ]
            found.append(_grouped_check(name, answers, judgements.counts[rows], rows, group, names))
    return found


def _grouped_check(
    name: str,
    answers: Simulated,
    weights: np.ndarray,
    rows: np.ndarray,
    group: np.ndarray,
    names: list[str],
) -> Grouped:
    start = group.ravel() * len(answers.labels)
    observed, simulated = _counted(answers, rows, start, weights, len(names))
    own, others = _distances(observed, simulated)
    p_values = _tail(own, others)
    order = np.lexsort((-own, p_values))[:MOST_WORST]
    totals = observed.sum(axis=1)
    return Grouped(
        name=name,
        n_groups=len(names),
        p_value=float(_tail(own.sum(), others.sum(axis=1))),
        worst=tuple((names[at], int(totals[at]), float(p_values[at])) for at in order),
    )


def _counted(
    answers: Simulated, rows: np.ndarray, start: np.ndarray, weights: np.ndarray, n_groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """Count answers by group and category: the observed, and the simulated (sample, …)."""
    shape = (n_groups, len(answers.labels))

    def counts(codes: np.ndarray) -> np.ndarray:
        table = np.bincount(start + codes[rows], weights=weights, minlength=shape[0] * shape[1])
        return table.reshape(shape)

    return counts(answers.observed), np.stack([counts(sample) for sample in answers.simulated])


def _distances(observed: np.ndarray, simulated: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the distance of every group from the expected: of the observed, of the simulated."""
    # Half a judgement in all simulated tables together stands for what none of them shows.
    expected = simulated.mean(axis=0) + 0.5 / len(simulated)
    others = ((simulated - expected) ** 2 / expected).sum(axis=-1)
    return ((observed - expected) ** 2 / expected).sum(axis=-1), others


def _tail(own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the share of tables, the observed one among them, that are at least as far."""
    return (1 + (others >= own * (1 - 1e-12)).sum(axis=0)) / (1 + len(others))


def _grouped(
    answers: Simulated,
    judgements: Judgements,
    rows: np.ndarray,
    group: np.ndarray,
    names: tuple[str | None, ...],
) -> Iterator[Shares]:
    start = group[rows] * len(answers.labels)
    observed, simulated = _counted(answers, rows, start, judgements.counts[rows], len(names))
    p_values = _tail(*_distances(observed, simulated))
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
