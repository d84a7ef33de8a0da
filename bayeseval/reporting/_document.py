"""What a report says, before it becomes HTML or Markdown."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayeseval._tables import Table

if TYPE_CHECKING:
    from bayeseval.reporting._figures import PlotFigure


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with what is said below it and to a screen reader."""

    figure: "PlotFigure"
    caption: str
    description: str
    alarms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A heading with sentences, formulas, tables, folded tables and figures, in this order."""

    anchor: str
    heading: str
    sentences: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()

    def marked(self, alarms: tuple[str, ...]) -> "Block":
        """Mark every table and every figure."""
        return replace(
            self,
            tables=tuple(replace(table, alarms=alarms) for table in self.tables),
            folded=tuple(replace(table, alarms=alarms) for table in self.folded),
            pictures=tuple(replace(picture, alarms=alarms) for picture in self.pictures),
        )


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report; the results of one criterion are one section."""

    anchor: str
    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report."""

    title: str
    subtitle: str
    alarms: tuple[str, ...]
    marks: tuple[str, ...]
    answers: tuple[tuple[str, tuple[str, ...]], ...]
    sections: tuple[Section, ...]
