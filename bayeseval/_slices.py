"""Parts of a table that are analysed apart: criteria, levels of a moderator, and strata."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from bayeseval._checks import nearest, some
from bayeseval._units import compact
from bayeseval.errors import JudgementError
from bayeseval.judgements import Judgements
from bayeseval.judgements._counted import expanded


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """The judgements of one criterion, and of one level of a factor where that is asked for.

    Parameters
    ----------
    criterion : str or None
        The criterion, where there are criteria.
    rows : numpy.ndarray of int
        Rows of the table, each as often as it counts.
    level : dict of str to str
        The factor that was split by, and its level here; empty where there is none.
    """

    criterion: str | None
    rows: np.ndarray
    level: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> dict[str, str]:
        """The columns that name this slice in a result: none where nothing was cut."""
        return {**({} if self.criterion is None else {"criterion": self.criterion}), **self.level}

    @property
    def where(self) -> str:
        """Words that say where something was found."""
        return "".join(f" for {name} {label!r}" for name, label in self.key.items())


def slices(
    judgements: Judgements, criterion: str | None = None, by: str | None = None
) -> Iterator[Slice]:
    """Cut a table into its criteria (or the one asked for), and into the levels of a factor.

    Parameters
    ----------
    judgements : Judgements
        Any table.
    criterion : str, optional
        The criterion wanted; each in turn where left out.
    by : str, optional
        A factor whose levels are taken one by one.

    Yields
    ------
    Slice
        Rows of one criterion (and level), in the order of the table.
    """
    if by is not None:
        known_factors = split_factors(judgements)
        if by not in known_factors:
            raise JudgementError(
                f"by= must name a moderator or another factor of these judgements, "
                f"{some(known_factors) if known_factors else 'which have none'}; got {by!r}."
            )
        codes = judgements.codes(by)
        for piece in slices(judgements, criterion):
            for code, label in enumerate(judgements.labels(by)):
                rows = piece.rows[codes[piece.rows] == code]
                if len(rows):
                    yield Slice(piece.criterion, rows, {by: label})
        return
    known = judgements.criteria
    if criterion is not None and criterion not in (known or ()):
        meant = nearest(criterion, known or ())
        raise JudgementError(
            f"there is no criterion {criterion!r} in these judgements; they have "
            f"{some(known) if known else 'none'}" + (f". Did you mean {meant!r}?" if meant else "")
        )
    if judgements.n_rows == 0:
        raise JudgementError("expected at least one judgement; the table is empty.")
    if known is None:
        yield Slice(None, expanded(judgements, np.arange(judgements.n_rows)))
        return
    codes = judgements.codes("criterion")
    for code, label in enumerate(known):
        if criterion in (None, label):
            rows = np.flatnonzero(codes == code)
            yield Slice(label, expanded(judgements, rows))


def split_factors(judgements: Judgements) -> tuple[str, ...]:
    """Return the factors that a result can be split by: moderators first."""
    others = ("annotator", "item", *(() if judgements.is_paired else ("system",)))
    return (*judgements.moderators, *(name for name in others if judgements.has(name)))


def strata(judgements: Judgements, *apart: str | None) -> tuple[np.ndarray | None, str]:
    """Return what comparisons are made within: the moderators' levels, in combination.

    Parameters
    ----------
    judgements : Judgements
        Any table.
    *apart : str or None
        Factors that are no strata: what is compared, and what the result is split by.

    Returns
    -------
    tuple
        Codes of the combination by row of the table (None where there are no moderators), and
        their names in words.
    """
    names = [name for name in judgements.moderators if name not in apart]
    if "system" not in apart and not judgements.is_paired and len(judgements.systems) > 1:
        names.append("system")
    if not names:
        return None, ""
    return compact([judgements.codes(name) for name in names])[0], " × ".join(names)
