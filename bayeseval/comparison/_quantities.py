"""What `compare` compares: an array of draws, and how a pair's contrast is read from it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from bayeseval._checks import listed, nearest, some
from bayeseval.comparison._contract import (
    Population,
    PosteriorLike,
    choose,
    quality_draws,
)
from bayeseval.comparison._intervals import MOST_VALUES, interval
from bayeseval.errors import BayesEvalError
from bayeseval.settings import IntervalKind


@dataclass(frozen=True, slots=True)
class Quantity:
    """An array of draws and how a pair's contrast is read from it."""

    name: str
    title: str
    unit: str
    array: xr.DataArray
    dims: tuple[str, ...]
    reference: float
    larger_is_better: bool
    population: Population
    bounds: tuple[float, float] | None
    of_pairs: bool

    def contrasts(self, draws: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return the draws of pairs A, B by their positions, shape (sample, pair)."""
        return draws[:, a, b] if self.of_pairs else draws[:, a] - draws[:, b]


def quantity_of(
    posterior: PosteriorLike,
    quantity: str,
    category: str | float | None,
    population: Population,
    by: str | None,
) -> Quantity:
    """Find the quantity, and check that it has the category that was asked for."""
    if by is not None:
        quality_draws(posterior, by)
    if quantity in ("win_probability", "quality") and category is not None:
        raise BayesEvalError(f"category={category!r} was given, but {quantity} has no categories")
    if quantity == "win_probability":
        return Quantity(
            name=quantity,
            title=posterior.family.win_title,
            unit="probability",
            array=posterior.win_probability(population=population, by=by),
            dims=("system", "system_b"),
            reference=0.5,
            larger_is_better=True,
            population=population,
            bounds=(0.0, 1.0),
            of_pairs=True,
        )
    if quantity == "quality":
        return Quantity(
            name=quantity,
            title="quality",
            unit=posterior.quality_scale,
            array=quality_draws(posterior, by, population),
            dims=("system",),
            reference=0.0,
            larger_is_better=True,
            population=population,
            bounds=None,
            of_pairs=False,
        )
    known = posterior.estimands
    if not isinstance(quantity, str) or quantity not in known:
        names = ["win_probability", "quality", *known]
        meant = nearest(quantity, names) if isinstance(quantity, str) else None
        raise BayesEvalError(
            f"quantity must be one of {some(names)} for this posterior; got {quantity!r}"
            + (f". Did you mean {meant!r}?" if meant else "")
        )
    spec = known[quantity]
    array = posterior.estimand(quantity, population=population, by=by)
    title = spec.title
    if "category" in array.dims:
        names = tuple(str(label) for label in array["category"].values)
        if category is None:
            raise BayesEvalError(
                f"{quantity!r} has one value a category; say which with category=, one of "
                f"{some(names)}"
            )
        (chosen,) = choose(str(category), names, "category", repr(quantity))
        array = array.isel(category=names.index(chosen))
        title = f"{title}, category {chosen}"
    elif category is not None:
        raise BayesEvalError(f"category={category!r} was given, but {quantity!r} has no categories")
    further = {str(dim) for dim in array.dims} - {"chain", "draw", "criterion", "system", by}
    if further == {"system_b"} and spec.bounds is not None:
        low, high = spec.bounds
        return Quantity(
            name=quantity,
            title=title,
            unit=spec.unit,
            array=array,
            dims=("system", "system_b"),
            reference=0.5 * (low + high),
            # What is signed and does not depend on the order of a pair prefers neither.
            larger_is_better=low >= 0.0,
            population=population,
            bounds=spec.bounds,
            of_pairs=True,
        )
    span = None if spec.bounds is None else spec.bounds[1] - spec.bounds[0]
    return Quantity(
        name=quantity,
        title=title,
        unit=spec.unit,
        array=array,
        dims=("system",),
        reference=0.0,
        larger_is_better=category is None,
        population=population,
        bounds=None if span is None else (-span, span),
        of_pairs=False,
    )


def checked_rope(rope: tuple[float, float], what: Quantity) -> tuple[float, float]:
    """Check a region of practical equivalence against the range of the quantity."""
    around = f"around {what.reference:g}, where A and B are alike on {what.name!r}"
    example = "(0.45, 0.55)" if what.reference else "(-0.1, 0.1)"
    try:
        low, high = (float(end) for end in rope)
    except (TypeError, ValueError):
        raise BayesEvalError(
            f"rope must be two numbers {around}, such as {example}; got {rope!r}"
        ) from None
    if not (np.isfinite([low, high]).all() and low < what.reference < high):
        raise BayesEvalError(
            f"rope must be a finite interval {around}, such as {example}; got ({low:g}, {high:g})"
        )
    if what.bounds is not None and not (what.bounds[0] < low and high < what.bounds[1]):
        raise BayesEvalError(
            f"rope must lie strictly within ({what.bounds[0]:g}, {what.bounds[1]:g}), the range of "
            f"{what.name!r}; got ({low:g}, {high:g})"
        )
    return low, high


def checked_pairs(
    pairs: Sequence[tuple[str, str]], labels: tuple[str, ...]
) -> list[tuple[int, int]]:
    """Return the positions of the pairs that were asked for."""
    if not isinstance(pairs, str):
        pairs = listed(pairs, "pairs", example="[('a', 'b')]")
    if isinstance(pairs, str) or (len(pairs) == 2 and all(isinstance(p, str) for p in pairs)):
        raise BayesEvalError(
            f"pairs must be a list of pairs, such as [('a', 'b')]; got {pairs!r}. "
            "Put the pair in a list"
        )
    if not len(pairs):
        raise BayesEvalError("pairs is empty: name at least one pair, or leave it out for all")
    positions = {label: index for index, label in enumerate(labels)}
    checked = []
    seen: set[tuple[str, str]] = set()
    for pair in pairs:
        _refuse_no_pair(pair)
        for label in pair:
            if label not in positions:
                meant = nearest(label, labels) if isinstance(label, str) else None
                raise BayesEvalError(
                    f"there is no system {label!r}; the posterior has {some(labels)}"
                    + (f". Did you mean {meant!r}?" if meant else "")
                )
        a, b = pair
        if a == b:
            raise BayesEvalError(f"a pair must be two different systems; got {a!r} twice")
        if (a, b) in seen:
            raise BayesEvalError(f"pairs names the pair ({a!r}, {b!r}) more than once")
        seen.add((a, b))
        checked.append((positions[a], positions[b]))
    return checked


def _refuse_no_pair(pair: object) -> None:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise BayesEvalError(f"each of pairs must be two systems (A, B); got {pair!r}")


def contrast_summaries(
    what: Quantity,
    draws: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    rope: tuple[float, float] | None,
    ci_prob: float,
    ci_kind: IntervalKind,
) -> dict[str, np.ndarray]:
    """Summarise the draws of pairs, so many at a time that they fit in memory."""
    block = max(1, MOST_VALUES // len(draws))
    parts = []
    for start in range(0, len(a), block):
        here = slice(start, start + block)
        contrasts = what.contrasts(draws, a[here], b[here])
        parts.append(_summary(contrasts, what.reference, rope, ci_prob, ci_kind))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _summary(
    draws: np.ndarray,
    reference: float,
    rope: tuple[float, float] | None,
    ci_prob: float,
    ci_kind: IntervalKind,
) -> dict[str, np.ndarray]:
    """Summarise draws (sample, pair); a pair of which nothing is known has no numbers at all."""
    lower, upper = interval(draws, ci_prob=ci_prob, ci_kind=ci_kind)
    estimate = draws.mean(axis=0)
    summary = {
        "estimate": estimate,
        "sd": draws.std(axis=0, ddof=1) if len(draws) > 1 else np.full(draws.shape[1], np.nan),
        "lower": lower,
        "upper": upper,
        "p_a_better": (draws > reference).mean(axis=0) + 0.5 * (draws == reference).mean(axis=0),
    }
    if rope is not None:
        summary |= {
            "p_in_rope": ((draws >= rope[0]) & (draws <= rope[1])).mean(axis=0),
            "p_above_rope": (draws > rope[1]).mean(axis=0),
            "p_below_rope": (draws < rope[0]).mean(axis=0),
        }
    known = ~np.isnan(estimate)
    return {name: np.where(known, values, np.nan) for name, values in summary.items()}
