"""The table that all protocols share: coded labels, answers, counts, and what happened to them."""

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import ClassVar, Self

import numpy as np
import pandas as pd

from bayeseval._checks import counted
from bayeseval._forms import Form
from bayeseval.errors import JudgementError
from bayeseval.judgements._factors import (
    AuditEntry,
    Dropped,
    DroppedRows,
    frozen_array,
    recoded,
)
from bayeseval.judgements._labelled import Labelled
from bayeseval.judgements._meaning import Meaning
from bayeseval.judgements.summary import Summary


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Judgements(Labelled, ABC):
    """An immutable table of judgements; base of the five protocols.

    Make one with ``from_frame`` or ``read`` of a protocol's class. Two tables are equal when they
    hold the same judgements: neither the order of rows nor the user's column names matter.

    Parameters
    ----------
    factors : tuple of Factor
        The labelled columns, in canonical order.
    moderator_names : tuple of str
        Which of the factors are moderators.
    answers : numpy.ndarray, one a row
        The answers, coded as the protocol's class says.
    counts : numpy.ndarray of int64, one a row
        How often this answer was given; ones unless the input held or was reduced to counts.
    dropped : tuple of Dropped
        Rows of the input that were no judgement, counted by reason.
    audit : tuple of AuditEntry
        Filters applied since, in order.
    repeats : bool
        Whether the same annotator may have answered the same question more than once.
    attributes : dict of str to numpy.ndarray
        Further columns kept for filters; not part of the unit, nor of the fingerprint.
    origin : str
        For a named format: the format, and which of its columns played which role.
    """

    form: ClassVar[Form]
    protocol: ClassVar[str]
    answer_name: ClassVar[str]
    meaning: ClassVar[Meaning]

    answers: np.ndarray
    counts: np.ndarray
    dropped: tuple[Dropped, ...] = ()
    audit: tuple[AuditEntry, ...] = ()
    repeats: bool = False
    attributes: dict[str, np.ndarray] = field(default_factory=dict)
    origin: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "dropped", DroppedRows(self.dropped))

    @property
    def is_paired(self) -> bool:
        """Whether one judgement is about two systems."""
        return len(self.system_factors) == 2

    def as_numbers(self) -> np.ndarray:
        """Return the answers as numbers that a mean can be taken of.

        Returns
        -------
        numpy.ndarray of float64
            One a row: the scale's values, magnitudes, probabilities, strengths; of outcomes 1 where
            a wins, −1 where b wins, 0 for a tie.
        """
        return self.answers.astype(np.float64)

    def in_favour(self) -> np.ndarray:
        """Return the answers on a scale of differences, in favour of the (first) system.

        Returns
        -------
        numpy.ndarray of float64
            One a row; of two systems 0 where neither is favoured. Logs of magnitudes' ratios to the
            reference, NaN where censored.
        """
        return self.as_numbers() - (self.meaning.centre if self.is_paired else 0.0)

    def points(self) -> np.ndarray:
        """Return what each judgement about two systems gives to the first, from 0 to 1.

        Returns
        -------
        numpy.ndarray of float64
            One a row: 1 where the first is favoured, half where neither is; a stated probability
            as it is. The second system gets the rest.

        Raises
        ------
        JudgementError
            The judgements are about one system each.
        """
        if not self.is_paired:
            raise JudgementError(
                f"win rates need comparisons of two systems; these are {type(self).__name__}. "
                "Turn ratings into pairs first (to_pairwise), or use rating_means."
            )
        return (np.sign(self.in_favour()) + 1.0) / 2.0

    @property
    def answer_ends(self) -> tuple[float, float] | None:
        """The ends between which ``answers`` are numbers; None where there are none."""
        return None

    def notes_on_slips(self) -> tuple[str, ...]:
        """Return what to say of answers that look like slips of the keyboard.

        Returns
        -------
        tuple of str
            One sentence, or none.
        """
        return ()

    @property
    def order_known(self) -> bool:
        """Whether the order of a row's two systems is the one in which they were shown."""
        return self.is_paired

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return len(self.answers)

    @property
    def n_judgements(self) -> int:
        """Number of judgements: the sum of the counts."""
        return int(self.counts.sum())

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal characters that identify the content.

        Depends on labels, answers, counts, scale and moderators' names; not on the order of rows,
        on the user's column names, on attributes or on the audit trail.
        """
        by_name = sorted(self.factors, key=lambda factor: factor.name)
        header = {
            "protocol": self.protocol,
            "content": self._fingerprint_header(),
            "moderators": sorted(self.moderator_names),
            "factors": [[factor.name, list(factor.labels)] for factor in by_name],
        }
        digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode("utf-8", "surrogatepass"))
        columns = [factor.codes for factor in by_name] + [self.answers, *self._further_answers()]
        order = np.lexsort(columns[::-1])
        columns = [column[order] for column in columns]
        starts = np.ones(self.n_rows, dtype=bool)
        if self.n_rows:
            starts[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
        first = np.flatnonzero(starts)
        for column in columns:
            kind = np.int64 if column.dtype.kind in "iub" else np.float64
            # Adding zero turns -0.0 into 0.0.
            digest.update(np.ascontiguousarray(column[first].astype(kind) + 0).tobytes())
        digest.update(np.add.reduceat(self.counts[order], first).astype(np.int64).tobytes())
        return digest.hexdigest()[:16]

    def _further_answers(self) -> list[np.ndarray]:
        """Return columns beside ``answers`` that are part of the content."""
        return []

    @abstractmethod
    def _fingerprint_header(self) -> object:
        """Return what else identifies the content, in terms of JSON."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Judgements):
            return NotImplemented
        return self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @abstractmethod
    def _answer_column(self) -> np.ndarray:
        """Return the answers as a user reads them."""

    def as_given(self, answers: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return coded answers as numbers that the user knows, and in words where there are some.

        Parameters
        ----------
        answers : numpy.ndarray
            Answers coded as ``answers``, of any shape.

        Returns
        -------
        values : numpy.ndarray
            The numbers.
        words : dict of str to numpy.ndarray
            The words by what they are, such as ``"category"``.
        """
        return answers, {}

    def head_frame(self, number: int) -> pd.DataFrame:
        """Return the first rows of ``to_frame`` without building the rest.

        Parameters
        ----------
        number : int
            How many rows at most.

        Returns
        -------
        pandas.DataFrame
            As `to_frame`.
        """
        return self._frame(slice(number))

    def to_frame(self) -> pd.DataFrame:
        """Return the judgements as a data frame with canonical column names.

        Returns
        -------
        pandas.DataFrame
            One column a factor (labels), the answer under the protocol's own name, ``count`` where
            any row counts more than once, and the attributes.
        """
        return self._frame(slice(None))

    def _frame(self, rows: slice) -> pd.DataFrame:
        columns: dict[str, object] = {
            factor.name: np.array(factor.labels, dtype=object)[factor.codes[rows]]
            for factor in self.factors
        }
        columns[self.answer_name] = self._answer_column()[rows]
        columns |= {name: values[rows] for name, values in self._further_columns().items()}
        if (self.counts != 1).any():
            columns["count"] = self.counts[rows].copy()
        columns |= {name: values[rows].copy() for name, values in self.attributes.items()}
        return pd.DataFrame(columns)

    def _further_columns(self) -> dict[str, np.ndarray]:
        """Return further columns of ``to_frame`` that belong to the answer."""
        return {}

    def keep_rows(self, rows: np.ndarray, *, rule: str) -> Self:
        """Return the table with some of its rows, and a line in the audit trail.

        Parameters
        ----------
        rows : numpy.ndarray of bool, one a row
            The rows to keep.
        rule : str
            Why, in words; it is printed in reports.

        Returns
        -------
        Judgements
            A table of the same kind, without labels that no row uses any more.

        Raises
        ------
        JudgementError
            Nothing would be left.
        """
        if rows.dtype != bool or rows.shape != (self.n_rows,):
            raise JudgementError(
                f"rows= must be Boolean, one value for each of {self.n_rows} rows; found "
                f"{rows.dtype} of shape {rows.shape}."
            )
        if not rows.any():
            raise JudgementError(
                f"the filter “{rule}” leaves none of the {counted(self.n_rows, 'row')}. Loosen the "
                "rule, or look at summary() for what the table holds."
            )
        factors = recoded([replace(f, codes=f.codes[rows]) for f in self.factors])
        removed: tuple[str, ...] = ()
        if self.annotators is not None:
            left = next(f.labels for f in factors if f.name == "annotator")
            gone = set(self.annotators) - set(left)
            removed = tuple(label for label in self.annotators if label in gone)
        entry = AuditEntry(
            rule=rule,
            rows_before=self.n_rows,
            rows_after=int(rows.sum()),
            annotators_removed=removed,
        )
        return replace(
            self,
            factors=factors,
            answers=frozen_array(self.answers[rows]),
            counts=frozen_array(self.counts[rows]),
            audit=(*self.audit, entry),
            attributes={
                name: frozen_array(values[rows]) for name, values in self.attributes.items()
            },
            **{name: frozen_array(values[rows]) for name, values in self._further_fields().items()},
        )

    def _further_fields(self) -> dict[str, np.ndarray]:
        """Return further fields of the record that hold one value a row."""
        return {}

    def _repr_facts(self) -> list[str]:
        facts = [counted(self.n_judgements, "judgement")]
        if self.n_rows != self.n_judgements:
            facts.append(f"in {counted(self.n_rows, 'row')}")
        facts.append(counted(len(self.systems), "system"))
        if self.annotators is None:
            facts.append("no annotator identities")
        else:
            facts.append(counted(len(self.annotators), "annotator"))
        if self.items is not None:
            facts.append(counted(len(self.items), "item"))
        if self.criteria is not None:
            facts.append(counted(len(self.criteria), "criterion", "criteria"))
        facts.extend(
            f"moderator {name!r} with {counted(len(levels), 'level')}"
            for name, levels in self.moderators.items()
        )
        if self.repeats:
            facts.append("repeats kept")
        if self.dropped:
            facts.append(f"{counted(sum(d.n_rows for d in self.dropped), 'row')} dropped")
        if self.audit:
            facts.append(f"{counted(len(self.audit), 'filter')} applied")
        return facts

    def __repr__(self) -> str:
        return f"{type(self).__name__}: " + ", ".join(self._repr_facts())

    def _repr_html_(self) -> str:
        head = self.head_frame(10)
        names = "".join(f"<th>{escape(str(name))}</th>" for name in head.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row) + "</tr>"
            for row in head.itertuples(index=False)
        )
        return (
            f"<p>{escape(repr(self))}</p><table><thead><tr>{names}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )

    @abstractmethod
    def summary(self) -> Summary:
        """Say what is in the table, what was dropped, and what the design can identify.

        Returns
        -------
        Summary
            Prints as text and as HTML; ``to_frame()`` gives one row a fact.
        """

    def audit_frame(self) -> pd.DataFrame:
        """Return the audit trail, one row a filter.

        Returns
        -------
        pandas.DataFrame
            Columns ``rule``, ``rows_before``, ``rows_after`` and ``annotators_removed`` (how many).
        """
        rows = [
            (entry.rule, entry.rows_before, entry.rows_after, len(entry.annotators_removed))
            for entry in self.audit
        ]
        return pd.DataFrame(
            rows, columns=["rule", "rows_before", "rows_after", "annotators_removed"]
        )
