"""The summary of a table, for people."""

from dataclasses import dataclass
from html import escape

import pandas as pd

from bayeseval._text import visible

type Fact = tuple[str, str, str]


@dataclass(frozen=True, repr=False)
class Summary:
    """Facts about a table of judgements, for people.

    Parameters
    ----------
    title : str
        One line: the protocol's class and its size.
    facts : tuple of (section, name, value)
        What there is, in the order to print; the name is empty where the section has one fact.
    notes : tuple of str
        What looks wrong in the answers and what the design cannot identify, in words.
    """

    title: str
    facts: tuple[Fact, ...]
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a fact.

        Returns
        -------
        pandas.DataFrame
            Columns ``section``, ``name`` and ``value``, all text; notes have the section ``note``.
        """
        notes = [("note", "", note) for note in self.notes]
        return pd.DataFrame([*self.facts, *notes], columns=["section", "name", "value"])

    def __repr__(self) -> str:
        lines = [self.title]
        last = None
        for section, name, value in self.facts:
            if not name:
                lines.append(f"  {section}: {value}")
            else:
                if section != last:
                    lines.append(f"  {section}:")
                lines.append(f"    {name}: {value}")
            last = section
        lines += [f"  note: {note}" for note in self.notes]
        # A label's control characters must not reach the terminal.
        return "\n".join(visible(line) for line in lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(section)}</th><td>{escape(name)}</td><td>{escape(value)}</td></tr>"
            for section, name, value in self.facts
        )
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        notes = f"<ul>{notes}</ul>" if notes else ""
        return f"<p>{escape(self.title)}</p><table>{rows}</table>{notes}"
