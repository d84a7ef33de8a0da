"""What comparison and reporting read of a posterior, and the slices they take from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np
import xarray as xr

from bayeseval._checks import nearest, some
from bayeseval._records import FewDraws
from bayeseval.errors import BayesEvalError

type Population = Literal["new", "observed"] | None
"""Left out, new annotators and items at the levels in the data; "new", new levels too."""


class ConvergenceLike(Protocol):
    """The convergence report of a posterior."""

    @property
    def ok(self) -> bool: ...
    @property
    def problems(self) -> tuple[str, ...]: ...


class EstimandLike(Protocol):
    """A readable quantity of a family."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def bounds(self) -> tuple[float, float] | None: ...
    @property
    def dims(self) -> tuple[str, ...]: ...


class FamilyLike(Protocol):
    """The family that was fitted, of which only names are read."""

    name: ClassVar[str]
    win_title: ClassVar[str]


class PosteriorLike(Protocol):
    """The posterior contract, as far as ranks and contrasts need it."""

    @property
    def data(self) -> xr.DataTree: ...
    @property
    def protocol(self) -> str: ...
    @property
    def family(self) -> FamilyLike: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def systems(self) -> tuple[str, ...]: ...
    @property
    def criteria(self) -> tuple[str, ...] | None: ...
    @property
    def moderators(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def quality(self) -> xr.DataArray: ...
    @property
    def quality_scale(self) -> str: ...
    @property
    def convergence(self) -> ConvergenceLike: ...
    @property
    def approximate(self) -> str | None: ...
    @property
    def estimands(self) -> Mapping[str, EstimandLike]: ...

    def win_probability(
        self, *, population: Population = None, by: str | None = None
    ) -> xr.DataArray:
        """Return draws of the chance that A is judged better than B."""
        ...

    def estimand(
        self, name: str, *, population: Population = None, by: str | None = None
    ) -> xr.DataArray:
        """Return draws of a readable quantity."""
        ...

    def quality_over(self, population: Population = None, by: str | None = None) -> xr.DataArray:
        """Return draws of the quality for a population."""
        ...

    def averaged_over(
        self, population: Population = None, by: str | None = None, *, quality: bool = False
    ) -> str:
        """Say what a quantity is averaged over."""
        ...


@dataclass(frozen=True, slots=True)
class Slice:
    """Draws for one criterion at one level: array (sample, system[, …])."""

    criterion: str | None
    level: str | None
    draws: np.ndarray


def choose(asked: str | None, known: Sequence[str], what: str, have: str) -> tuple[str, ...]:
    """Return the labels asked for (all of them for None), or raise with the nearest spelling."""
    if asked is None:
        return tuple(known)
    if asked in known:
        return (asked,)
    meant = nearest(asked, known) if isinstance(asked, str) else None
    raise BayesEvalError(
        f"there is no {what} {asked!r} in {have}; "
        + (f"it has {some(known)}" if known else f"it has no {what} at all")
        + (f". Did you mean {meant!r}?" if meant else "")
    )


def refuse_no_posterior(posterior: object, function: str) -> None:
    """Raise where this is no posterior, such as the judgements or the path of a file."""
    if not hasattr(posterior, "quality"):
        raise BayesEvalError(
            f"{function} needs a posterior, which fit() and load() return; found "
            f"{type(posterior).__name__}"
        )


def checked_population(population: object) -> Population:
    """Return a population, or say what there is."""
    for known in (None, "new", "observed"):
        if population == known:
            return known
    raise BayesEvalError(
        "population must be 'new' or 'observed', or be left out for new annotators and items at "
        f"the levels in the data; got {population!r}"
    )


def quality_draws(
    posterior: PosteriorLike, by: str | None, population: Population = None
) -> xr.DataArray:
    """Return the quality of a population, or that within the levels of a moderator."""
    if by is None:
        return posterior.quality if population is None else posterior.quality_over(population)
    choose(by, tuple(posterior.moderators), "moderator", "this posterior (by=)")
    name = f"quality_by_{by}"
    group = posterior.data["posterior"]
    if name not in group:
        raise BayesEvalError(
            f"this posterior has no {name!r}: quality was not modelled to vary by {by!r}; "
            "fit a family in which it does"
        )
    if population is not None:
        return posterior.quality_over(population, by)
    return group.to_dataset()[name]


def slices(
    posterior: PosteriorLike,
    array: xr.DataArray,
    dims: tuple[str, ...],
    *,
    criterion: str | None,
    by: str | None,
    level: str | None,
) -> Iterator[Slice]:
    """Cut an array of draws into criteria and levels, addressing every dimension by name."""
    if level is not None and by is None:
        raise BayesEvalError(
            f"level={level!r} was given without by=: say of which moderator it is a level"
        )
    criteria: tuple[str | None, ...] = (None,)
    if "criterion" in array.dims:
        known = tuple(str(c) for c in array["criterion"].values)
        criteria = choose(criterion, known, "criterion", "this posterior")
    elif criterion is not None:
        choose(criterion, posterior.criteria or (), "criterion", "this posterior")
    levels: tuple[str | None, ...] = (None,)
    if by is not None:
        levels = choose(level, tuple(str(v) for v in array[by].values), f"level of {by!r}", "it")
    for one_criterion in criteria:
        for one_level in levels:
            piece = array
            if one_criterion is not None and "criterion" in array.dims:
                piece = piece.sel(criterion=one_criterion)
            if by is not None:
                piece = piece.sel({by: one_level})
            values = piece.transpose("chain", "draw", *dims).values
            draws = np.asarray(values, dtype=float).reshape(-1, *values.shape[2:])
            labels = tuple(str(s) for s in array["system"].values)
            _refuse_not_finite(draws, labels, array.name, by_pair="system_b" in dims)
            yield Slice(one_criterion, one_level, draws)


def _refuse_not_finite(
    draws: np.ndarray, systems: tuple[str, ...], name: object, *, by_pair: bool
) -> None:
    finite = np.isfinite(draws)
    if by_pair:
        # No number in any draw is how a family marks a pair of which it knows nothing.
        finite |= np.isnan(draws).all(axis=0)
    if not finite.all():
        bad = (~finite).any(axis=tuple(a for a in range(draws.ndim) if a != 1))
        labels = [label for label, wrong in zip(systems, bad, strict=True) if wrong]
        raise BayesEvalError(
            f"the draws of {name!r} must be finite; {int((~finite).sum())} of {draws.size} are "
            f"not, for {some(labels)}. Fit again; if it recurs, the posterior is improper"
        )


def system_labels(array: xr.DataArray) -> tuple[str, ...]:
    """Return the labels of an array's systems in its own order."""
    return tuple(str(label) for label in array["system"].values)


def components_of(posterior: PosteriorLike) -> tuple[tuple[str, ...], ...]:
    """Return the groups of systems that comparisons link; () where answers are no comparisons."""
    return tuple(getattr(posterior, "components", ()))


def design_notes_of(posterior: PosteriorLike) -> tuple[str, ...]:
    """Return what the design leaves uncertain about every difference, in words."""
    return tuple(getattr(posterior, "design_notes", ()))


def open_pairs(
    posterior: PosteriorLike, population: Population = None
) -> Mapping[str | None, np.ndarray]:
    """Mark by criterion the pairs of which a family with pairs of their own knows nothing.

    Its qualities join such a pair through others by least squares, which is an order for a table
    and no answer: `compare` gives none either.
    """
    if not getattr(posterior.family, "pairs_alone", False):
        return {}
    array = posterior.win_probability(population=population)
    pieces = slices(posterior, array, ("system", "system_b"), criterion=None, by=None, level=None)
    return {piece.criterion: np.isnan(piece.draws).all(axis=0) for piece in pieces}


def problems_of(posterior: PosteriorLike) -> tuple[str, ...]:
    """Return what is wrong with the convergence; never empty where it failed."""
    report = posterior.convergence
    if report.ok:
        return ()
    problems = tuple(report.problems) or ("the convergence checks failed.",)
    return tuple(map(FewDraws, problems)) if getattr(report, "merely_few", False) else problems
