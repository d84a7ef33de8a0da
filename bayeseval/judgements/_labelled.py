"""The labelled columns of a table: who judged, which systems and items, under which moderators."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayeseval._checks import nearest, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._factors import Factor


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Labelled:
    """Labels of the rows of a table, coded.

    Parameters
    ----------
    factors : tuple of Factor
        The labelled columns, in canonical order.
    moderator_names : tuple of str
        Which of the factors are moderators.
    """

    system_factors: ClassVar[tuple[str, ...]] = ("system",)

    factors: tuple[Factor, ...]
    moderator_names: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """Labels of the systems, in natural order."""
        return self.labels(self.system_factors[0])

    @property
    def annotators(self) -> tuple[str, ...] | None:
        """Labels of the annotators, or None for an export without identities."""
        return self._labels_or_none("annotator")

    @property
    def items(self) -> tuple[str, ...] | None:
        """Labels of the items, or None where none were recorded."""
        return self._labels_or_none("item")

    @property
    def criteria(self) -> tuple[str, ...] | None:
        """Labels of the criteria, or None where there is one unnamed criterion."""
        return self._labels_or_none("criterion")

    @property
    def moderators(self) -> dict[str, tuple[str, ...]]:
        """Levels of each moderator by its name."""
        return {name: self.labels(name) for name in self.moderator_names}

    def has(self, factor: str) -> bool:
        """Say whether the table has this factor.

        Parameters
        ----------
        factor : str
            Canonical name of a factor, or the name of a moderator.

        Returns
        -------
        bool
            True where ``labels(factor)`` and ``codes(factor)`` answer.
        """
        return any(known.name == factor for known in self.factors)

    def labels(self, factor: str) -> tuple[str, ...]:
        """Return the labels of one factor, in natural order.

        Parameters
        ----------
        factor : str
            Canonical name of a factor, or the name of a moderator.

        Returns
        -------
        tuple of str
            Labels that occur in the table; ``system_a`` and ``system_b`` share theirs.
        """
        return self._factor(factor).labels

    def codes(self, factor: str) -> np.ndarray:
        """Return the positions of the rows' labels in ``labels(factor)``.

        Parameters
        ----------
        factor : str
            Canonical name of a factor, or the name of a moderator.

        Returns
        -------
        numpy.ndarray of int32
            One code a row, read-only.
        """
        return self._factor(factor).codes

    def _factor(self, name: str) -> Factor:
        for factor in self.factors:
            if factor.name == name:
                return factor
        names = [factor.name for factor in self.factors]
        close = nearest(name, names)
        hint = f" Did you mean {close!r}?" if close else ""
        raise JudgementError(
            f"these judgements have no factor {name!r}; they have {some(names, most=12)}.{hint}"
        )

    def _labels_or_none(self, factor: str) -> tuple[str, ...] | None:
        return self.labels(factor) if self.has(factor) else None
