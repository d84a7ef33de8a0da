"""The one renderer of result tables: plain text, HTML, Markdown and LaTeX.

Every label of the user passes through the escape of the format it is printed in.
"""

import html
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

import numpy as np

MINUS = "\u2212"
ELLIPSIS = "\u2026"
# Where names are made of parts, as in newstest2016.online-B.0.tr-en.
_SEPARATORS = ".-_/: "
# A label of a page is cut here; it is whole in the title of its cell.
MOST_SHOWN = 120
# Explicit bidirectional controls would reorder the rest of a line, not the label alone.
BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(label: str) -> str:
    """Write line breaks, control characters and text-direction overrides as escapes."""
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} or char in BIDI_CONTROLS
        else char
        for char in label
    )


def cell_width(text: str) -> int:
    """Count the terminal cells that a text takes: two for wide characters, none for marks."""
    return sum(
        0
        if unicodedata.category(char) in {"Mn", "Me", "Cf"}
        else 2
        if unicodedata.east_asian_width(char) in {"W", "F"}
        else 1
        for char in text
    )


def _head(text: str, width: int) -> str:
    taken = 0
    for position, char in enumerate(text):
        taken += cell_width(char)
        if taken > width:
            return text[:position]
    return text


def _tail(text: str, width: int) -> str:
    taken = 0
    for position in range(len(text) - 1, -1, -1):
        taken += cell_width(text[position])
        if taken > width:
            return text[position + 1 :]
    return text


def shorten(labels: Sequence[str], width: int) -> list[str]:
    """Cut labels to a width in terminal cells, keeping different labels different.

    The end is replaced by an ellipsis; where two labels would then look the same, what all begin
    and end with; where they still do, the middle; at last they are numbered.
    """
    shown = [visible(label) for label in labels]

    def cut(text: str, *, middle: bool) -> str:
        if cell_width(text) <= width:
            return text
        if not middle:
            return _head(text, width - 1).rstrip() + ELLIPSIS
        front = (width - 1) // 2
        return _head(text, front) + ELLIPSIS + _tail(text, width - 1 - front)

    distinct = dict.fromkeys(shown)
    whole = {text: text for text in distinct}
    inner = _without_common_ends([*distinct])
    for own, middle in ((whole, False), (inner, False), (whole, True)):
        result = {text: cut(own[text], middle=middle) for text in distinct}
        if len(set(result.values())) == len(result):
            return [result[text] for text in shown]
    numbered = {
        text: f"{_head(text, max(1, width - 6))}{ELLIPSIS}({number})"
        if cell_width(text) > width
        else text
        for number, text in enumerate(distinct, start=1)
    }
    return [numbered[text] for text in shown]


def _common_start(labels: Sequence[str]) -> str:
    columns = zip(*labels, strict=False)
    return "".join(chars[0] for chars in takewhile(lambda chars: len(set(chars)) == 1, columns))


def _without_common_ends(labels: Sequence[str]) -> dict[str, str]:
    """Replace what all labels begin and end with, up to a separator, by an ellipsis."""
    first = _common_start(labels)
    first = first[: 1 + max(first.rfind(mark) for mark in _SEPARATORS)]
    rest = [label[len(first) :] for label in labels]
    last = _common_start([label[::-1] for label in rest])[::-1]
    starts = [at for at in (last.find(mark) for mark in _SEPARATORS) if at >= 0]
    last = last[min(starts) :] if starts else ""
    return {
        label: (ELLIPSIS if first else "")
        + own[: len(own) - len(last)]
        + (ELLIPSIS if last else "")
        for label, own in zip(labels, rest, strict=True)
    }


def decimals_for(lower: np.ndarray, upper: np.ndarray) -> int:
    """Choose how many decimals tell the ends of these intervals apart: two digits of the width."""
    widths = np.abs(np.asarray(upper, dtype=float) - np.asarray(lower, dtype=float))
    widths = widths[np.isfinite(widths) & (widths > 0)]
    if not widths.size:
        return 2
    width = float(np.median(widths))
    # Between 1 and 3 the second decimal still says something.
    return 2 if 1 <= width < 3 else int(np.clip(1 - math.floor(math.log10(width)), 0, 6))


def number(value: float, decimals: int) -> str:
    """Write a number with a true minus sign and without a negative zero."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def interval_text(lower: float, upper: float, decimals: int) -> str:
    """Write an interval as ``[lower, upper]``."""
    return f"[{number(lower, decimals)}, {number(upper, decimals)}]"


def probability(value: float) -> str:
    """Write a probability with two decimals; never 0.00 or 1.00, which draws cannot show."""
    if not math.isfinite(value):
        return "–"
    if value < 0.005:
        return "<0.01"
    return ">0.99" if value >= 0.995 else f"{value:.2f}"


_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
# A heading, a list or a rule, were it the first on its line.
_MARKDOWN_BLOCK = re.compile(r"^(\s*\d*)([#+\-=.)])")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    # After a line's \\ these two would be read as its argument and its star.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # Two hyphens in a row would become a dash.
    "-": "{-}",
    MINUS: "$-$",
    ELLIPSIS: r"\ldots{}",
    "–": "--",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "·": r"$\cdot$",
    "\u00a0": "~",
}


def escape_html(text: str) -> str:
    """Escape a text for HTML content and attributes."""
    return html.escape(visible(text), quote=True)


def escape_markdown(text: str) -> str:
    """Escape a text for a cell of a Markdown table, or for a paragraph of its own."""
    shown = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN_BLOCK.sub(r"\1\\\2", _MARKDOWN_SPECIAL.sub(r"\\\1", shown))


def escape_latex(text: str) -> str:
    """Escape a text for LaTeX's text mode."""
    return "".join(_LATEX.get(char, char) for char in visible(text))


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
            c.heading: max(cell_width(text) for text in (c.heading, *c.cells[:shown]))
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
            size = max(cell_width(text) for text in (column.heading, *cells))
            pad = _pad_left if column.kind == "number" else _pad_right
            body.append([pad(text, size) for text in (column.heading, *cells)])
        lines = ["  ".join(row).rstrip() for row in zip(*body, strict=True)]
        lines.insert(1, "─" * min(width, max(cell_width(line) for line in lines)))
        if shown < self.n_rows:
            lines.append(f"{ELLIPSIS} and {self.n_rows - shown} more rows: see .to_frame()")
        above = [line for alarm in self.alarms for line in _wrap(_marked(alarm), width)]
        below = [line for note in self.notes for line in _wrap(visible(note), width)]
        return "\n".join([*above, *_wrap(visible(self.title), width), "", *lines, "", *below])

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
        lines.append("| " + " | ".join(_plain_markdown(c.heading) for c in self.columns) + " |")
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
    below = [line for note in shared for line in _wrap(visible(note), width)]
    return "\n\n".join([*(text.rstrip() for text in shown), *(["\n".join(below)] if below else [])])


def _pad_left(text: str, width: int) -> str:
    return " " * (width - cell_width(text)) + text


def _pad_right(text: str, width: int) -> str:
    return text + " " * (width - cell_width(text))


def _wrap(text: str, width: int) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if line and cell_width(line) + 1 + cell_width(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
        while cell_width(line) > width:
            lines.append(_head(line, width))
            line = line[len(lines[-1]) :]
    return [*lines, line]
