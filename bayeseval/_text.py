"""How labels and numbers are written: their width, what is cut, and the escapes of each format."""

import html
import math
import re
import unicodedata
from collections.abc import Sequence
from itertools import takewhile

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


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines of a width in terminal cells, long words too."""
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
