"""The summary of a table: counts, what was dropped, and what the design can identify."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from bayeseval.judgements._table import Judgements
from bayeseval.judgements.identify import identify

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
        What the design cannot identify, in words.
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
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(section)}</th><td>{escape(name)}</td><td>{escape(value)}</td></tr>"
            for section, name, value in self.facts
        )
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        notes = f"<ul>{notes}</ul>" if notes else ""
        return f"<p>{escape(self.title)}</p><table>{rows}</table>{notes}"


def summarise(judgements: Judgements, *, answer_facts: Sequence[Fact]) -> Summary:
    """Return the summary of a table, with what its protocol says of the answers."""
    facts: list[Fact] = []
    names = [*judgements.system_factors[:1], "annotator", "item", "criterion"]
    for name in names:
        if judgements.has(name):
            labels = judgements.labels(name)
            plural = {"criterion": "criteria", "system_a": "systems"}.get(name, f"{name}s")
            facts.append((plural, "", f"{len(labels):,} ({_shown(labels)})"))
        elif name == "annotator":
            facts.append(("annotators", "", "no identities in this export"))
    for name, levels in judgements.moderators.items():
        facts.append((f"moderator {name}", "", f"{len(levels):,} ({_shown(levels)})"))
    facts.append(("judgements", "", f"{judgements.n_judgements:,}"))
    if judgements.annotators is not None:
        each = np.bincount(judgements.codes("annotator"), weights=judgements.counts)
        facts.append(
            (
                "judgements an annotator",
                "",
                f"{int(each.min()):,} to {int(each.max()):,}, median {np.median(each):g}",
            )
        )
    facts += answer_facts
    facts += [("dropped", d.reason, f"{d.n_rows:,} rows") for d in judgements.dropped]
    facts += [
        ("filters", entry.rule, f"{entry.rows_before:,} → {entry.rows_after:,} rows")
        for entry in judgements.audit
    ]
    return Summary(title=repr(judgements), facts=tuple(facts), notes=identify(judgements).notes)


def _shown(labels: Sequence[str]) -> str:
    first = ", ".join(label if len(label) <= 40 else f"{label[:39]}…" for label in labels[:5])
    return first + (", …" if len(labels) > 5 else "")


def table_html(judgements: Judgements) -> str:
    """Return the notebook's view of a table: its one line and the first ten rows, escaped."""
    head = judgements.head_frame(10)
    names = "".join(f"<th>{escape(str(name))}</th>" for name in head.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row) + "</tr>"
        for row in head.itertuples(index=False)
    )
    return (
        f"<p>{escape(repr(judgements))}</p><table><thead><tr>{names}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )
