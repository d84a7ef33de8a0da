"""The one renderer of result tables: plain text, HTML, Markdown and LaTeX.

Every label of the user passes through the escape of the format it is printed in.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bayeseval._text import (
    ELLIPSIS,
    MOST_SHOWN,
    cell_width,
    escape_html,
    escape_latex,
    escape_markdown,
    shorten,
    visible,
    wrap,
)


def _plain_markdown(text: str) -> str:
    """Escape our own words and numbers, in which only a few characters can do harm."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a printed table.

    Parameters
    ----------
    heading : str
        Heading in words.
    cells : tuple of str
        The cells, already formatted, not escaped.
    kind : {"label", "number", "text"}
        A label is the user's text: left aligned, shortened where room is short, escaped with care.
    """

    heading: str
    cells: tuple[str, ...]
    kind: Literal["label", "number", "text"] = "number"


class Remark(str):
    """A sentence that stands where alarms do, and informs: nothing is wrong."""

    __slots__ = ()


def _marked(alarm: str) -> str:
    return visible(alarm) if isinstance(alarm, Remark) else f"!! {visible(alarm)}"


def markdown_mark(alarm: str) -> str:
    """Write an alarm bold, a remark plain."""
    text = escape_markdown(alarm)
    return text if isinstance(alarm, Remark) else f"**{text}**"


@dataclass(frozen=True, slots=True)
class Table:
    """A table ready to be printed in any of the four formats.

    Parameters
    ----------
    title : str
        Caption in words; may contain the user's labels.
    columns : tuple of Column
        The columns, all of one length.
    notes : tuple of str
        Sentences below the table: what the columns mean, by which rule.
    alarms : tuple of str
        Sentences above the table that nobody may miss, such as a failed convergence; a
        :class:`Remark` among them is shown as information.
    """

    title: str
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        return len(self.columns[0].cells)

    def text(self, *, width: int = 80, most_rows: int | None = None) -> str:
        """Print as plain text of a given width.

        Parameters
        ----------
        width : int
            Width in terminal cells.
        most_rows : int, optional
            Print no more rows than this and say how many were left out.
        """
        shown = self.n_rows if most_rows is None else min(self.n_rows, most_rows)
        label_columns = [c for c in self.columns if c.kind == "label"]
        fixed = {
            c.heading: max(cell_width(text) for text in (visible(c.heading), *c.cells[:shown]))
            for c in self.columns
            if c.kind != "label"
        }
        room = width - 2 * (len(self.columns) - 1) - sum(fixed.values())
        share = max(8, room // max(1, len(label_columns)))
        body: list[list[str]] = []
        for column in self.columns:
            cells = list(column.cells[:shown])
            if column.kind == "label":
                # Shortened together, so that one system has one short name in every column.
                union = list(dict.fromkeys(t for c in label_columns for t in c.cells))
                short = dict(zip(union, shorten(union, share), strict=True))
                cells = [short[cell] for cell in cells]
            # A heading can be the user's name of a moderator or of a posterior.
            lines = (visible(column.heading), *cells)
            size = max(map(cell_width, lines))
            pad = _pad_left if column.kind == "number" else _pad_right
            body.append([pad(text, size) for text in lines])
        lines = ["  ".join(row).rstrip() for row in zip(*body, strict=True)]
        lines.insert(1, "─" * min(width, max(cell_width(line) for line in lines)))
        if shown < self.n_rows:
            lines.append(f"{ELLIPSIS} and {self.n_rows - shown} more rows: see .to_frame()")
        above = [line for alarm in self.alarms for line in wrap(_marked(alarm), width)]
        below = [line for note in self.notes for line in wrap(visible(note), width)]
        return "\n".join([*above, *wrap(visible(self.title), width), "", *lines, "", *below])

    def html(self, *, caption: bool = True) -> str:
        """Print as an HTML table with scopes, caption and notes; everything escaped."""
        parts = ["<div class='bayeseval-table'>"]
        parts += [
            f"<p class='remark' role='note'>{escape_html(alarm)}</p>"
            if isinstance(alarm, Remark)
            else f"<p class='alarm' role='alert'><strong>{escape_html(alarm)}</strong></p>"
            for alarm in self.alarms
        ]
        parts.append("<div class='scroll' tabindex='0' role='region'")
        parts[-1] += f" aria-label='{escape_html(self.title)}'><table>"
        if caption:
            parts.append(f"<caption>{escape_html(self.title)}</caption>")
        headings = "".join(
            f"<th scope='col' class='{c.kind}'>{escape_html(c.heading)}</th>" for c in self.columns
        )
        parts.append(f"<thead><tr>{headings}</tr></thead><tbody>")
        labels = list(dict.fromkeys(t for c in self.columns if c.kind == "label" for t in c.cells))
        short = dict(zip(labels, shorten(labels, MOST_SHOWN), strict=True))
        for row in range(self.n_rows):
            cells = []
            for position, column in enumerate(self.columns):
                tag, scope = ("th", " scope='row'") if position == 0 else ("td", "")
                text = escape_html(column.cells[row])
                if column.kind == "label":
                    shown = escape_html(short[column.cells[row]])
                    title = f" title='{text}'" if shown != text else ""
                    # Isolated, so that a right-to-left label cannot reorder its neighbours.
                    text = f"<bdi{title}>{shown}</bdi>"
                cells.append(f"<{tag}{scope} class='{column.kind}'>{text}</{tag}>")
            parts.append(f"<tr>{''.join(cells)}</tr>")
        parts.append("</tbody></table></div>")
        parts += [f"<p class='note'>{escape_html(note)}</p>" for note in self.notes]
        parts.append("</div>")
        return "\n".join(parts)

    def markdown(self) -> str:
        """Print as a GitHub-flavoured Markdown table; labels escaped."""
        rule = {"label": ":--", "text": ":--", "number": "--:"}
        lines = [f"{markdown_mark(alarm)}\n" for alarm in self.alarms]
        lines.append(f"**{escape_markdown(self.title)}**\n")
        lines.append("| " + " | ".join(escape_markdown(c.heading) for c in self.columns) + " |")
        lines.append("| " + " | ".join(rule[c.kind] for c in self.columns) + " |")
        for row in range(self.n_rows):
            cells = [
                (escape_markdown if c.kind == "label" else _plain_markdown)(c.cells[row])
                for c in self.columns
            ]
            lines.append("| " + " | ".join(cells) + " |")
        if self.notes:
            lines.append("")
            lines += [f"{escape_markdown(note)}  " for note in self.notes]
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        """Print as a LaTeX ``table`` with booktabs rules; labels escaped."""
        align = "".join("r" if c.kind == "number" else "l" for c in self.columns)
        notes = " ".join(escape_latex(text) for text in (*self.alarms, *self.notes))
        caption = escape_latex(self.title) + (f". {notes}" if notes else "")
        lines = [
            "% needs \\usepackage{booktabs}; compile with UTF-8 input",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{caption}}}",
            f"\\begin{{tabular}}{{{align}}}",
            "\\toprule",
            " & ".join(escape_latex(c.heading) for c in self.columns) + r" \\",
            "\\midrule",
        ]
        lines += [
            " & ".join(escape_latex(c.cells[row]) for c in self.columns) + r" \\"
            for row in range(self.n_rows)
        ]
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table}"]) + "\n"


def one_below_the_other(tables: Sequence[Table], *, width: int = 80) -> str:
    """Print tables as plain text; what all of them say is said once.

    The first alarm stays above every table, the others above the first; notes that all tables share
    follow the last.
    """
    if len(tables) == 1:
        return tables[0].text(width=width, most_rows=60)
    shared = [note for note in tables[0].notes if all(note in table.notes for table in tables)]
    shown = [
        replace(
            table,
            alarms=table.alarms if index == 0 else table.alarms[:1],
            notes=tuple(note for note in table.notes if note not in shared),
        ).text(width=width, most_rows=60)
        for index, table in enumerate(tables)
    ]
    below = [line for note in shared for line in wrap(visible(note), width)]
    return "\n\n".join([*(text.rstrip() for text in shown), *(["\n".join(below)] if below else [])])


def _pad_left(text: str, width: int) -> str:
    return " " * (width - cell_width(text)) + text


def _pad_right(text: str, width: int) -> str:
    return text + " " * (width - cell_width(text))
