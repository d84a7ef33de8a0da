"""The records that results are: a data frame, and how it is printed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from bayeseval._tables import Column, Table, one_below_the_other
from bayeseval._text import interval_text, number

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Shown:
    """One printed column of a record.

    Parameters
    ----------
    column : str or tuple of str
        Column of the frame; for an interval, the columns of its ends.
    heading : str
        Heading in words.
    style : {"number", "label", "text", "count", "p", "probability", "interval"}
        How its cells are written; a label is the user's text, and a p value or a probability is
        never written as 0, nor a probability as 1.
    decimals : int
        Decimals of numbers and intervals.
    """

    column: str | tuple[str, str]
    heading: str
    style: Literal["number", "label", "text", "count", "p", "probability", "interval"] = "number"
    decimals: int = 3


def split(by: str | None) -> tuple[Shown, ...]:
    """Return the printed column of the factor that a result is split by; none where it is not."""
    return () if by is None else (Shown(by, by, "label"),)


def p_text(value: float) -> str:
    """Write a p value with three decimals, and never as zero."""
    if not math.isfinite(value):
        return "–"
    return "<0.001" if value < 0.0005 else f"{value:.3f}"


def _cell(value: object, shown: Shown) -> str:
    if shown.style in ("label", "text"):
        return str(value)
    if not isinstance(value, int | float) and not hasattr(value, "__float__"):
        return "–"
    real = float(value)  # type: ignore[arg-type]
    if shown.style == "p":
        return p_text(real)
    if shown.style == "probability" and real >= 0.9995:
        return ">0.999"
    if shown.style == "probability":
        return p_text(real)
    return number(real, 0 if shown.style == "count" else shown.decimals)


def printed(frame: "pd.DataFrame", shown: Sequence[Shown]) -> tuple[Column, ...]:
    """Format the columns of a frame that are there; `criterion` is put in front where it is.

    Parameters
    ----------
    frame : pandas.DataFrame
        The result.
    shown : sequence of Shown
        What to print, in order.

    Returns
    -------
    tuple of Column
        Formatted cells.
    """
    columns = []
    named = list(shown)
    if "criterion" in frame:
        named.insert(0, Shown("criterion", "criterion", "label"))
    for one in named:
        if isinstance(one.column, tuple):
            low, high = (frame[name].astype(float) for name in one.column)
            cells = tuple(interval_text(a, b, one.decimals) for a, b in zip(low, high, strict=True))
            columns.append(Column(one.heading, cells))
        elif one.column in frame:
            kind = one.style if one.style in ("label", "text") else "number"
            cells = tuple(_cell(value, one) for value in frame[one.column].tolist())
            columns.append(Column(one.heading, cells, kind))
    return tuple(columns)


class FewDraws(str):
    """A problem that more draws alone would solve: nothing says that the sampler failed."""

    __slots__ = ()


def merely_few(problems: Sequence[str]) -> bool:
    """Whether all that is wrong is that draws are few."""
    return bool(problems) and all(isinstance(problem, FewDraws) for problem in problems)


def banner(problems: Sequence[str]) -> str:
    """Name what stands above numbers with problems: few draws, or a sampler that failed."""
    return "TOO FEW DRAWS" if merely_few(problems) else "NOT CONVERGED"


class Printed:
    """What is printed as tables: text, HTML, Markdown or LaTeX, every label escaped."""

    __slots__ = ()
    _text_width: ClassVar[int] = 80

    def tables(self) -> list[Table]:
        """Return the tables that are printed.

        Returns
        -------
        list of Table
            Headings and formatted cells.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return one_below_the_other(self.tables(), width=self._text_width)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Return the result as HTML; every label is escaped.

        Returns
        -------
        str
            HTML, to be placed in a page.
        """
        return "\n".join(table.html() for table in self.tables())

    def to_markdown(self) -> str:
        """Return the result as Markdown; every label is escaped.

        Returns
        -------
        str
            GitHub-flavoured Markdown.
        """
        return "\n".join(table.markdown() for table in self.tables())

    def to_latex(self) -> str:
        """Return the result as LaTeX with booktabs rules; every label is escaped.

        Returns
        -------
        str
            LaTeX source, UTF-8.
        """
        return "\n".join(table.latex() for table in self.tables())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Record(Printed):
    """A classical result.

    Parameters
    ----------
    table : pandas.DataFrame
        The result; its columns are described where the function that returned it is.
    title : str
        What it is, in words.
    notes : tuple of str
        By which rule, what was left out, and what must be kept in mind.
    shown : tuple of Shown
        Which columns are printed, and how.
    alarms : tuple of str
        What must be read before the numbers: printed above them.
    """

    _text_width: ClassVar[int] = 100

    table: "pd.DataFrame"
    title: str
    notes: tuple[str, ...] = ()
    shown: tuple[Shown, ...] = ()
    alarms: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.table)

    def to_frame(self) -> "pd.DataFrame":
        """Return the result as a data frame.

        Returns
        -------
        pandas.DataFrame
            A copy of ``table``.
        """
        return self.table.copy()

    def tables(self) -> list[Table]:
        """Return the tables that are printed.

        Returns
        -------
        list of Table
            Headings and formatted cells.
        """
        return [Table(self.title, printed(self.table, self.shown), self.notes, self.alarms)]
