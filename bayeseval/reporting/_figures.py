"""Figures without pyplot: house style, the user's labels in any script, and inline SVG.

Imports matplotlib, and is therefore imported only when something is drawn.
"""

import io
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.text import Text

from bayeseval._records import banner
from bayeseval._text import escape_html, shorten, visible

# Okabe and Ito's palette: told apart with every kind of colour vision.
INK: Final = "#1f2430"
FAINT: Final = "#8b93a1"
GRID: Final = "#d5d9e0"
BLUE: Final = "#0072b2"
VERMILION: Final = "#d55e00"
GREEN: Final = "#009e73"
BAND: Final = "#eef1f5"

# In a page these colours follow the reader's light or dark scheme.
CSS_VARIABLES: Final = {
    INK: "var(--ink)",
    FAINT: "var(--faint)",
    GRID: "var(--line)",
    BLUE: "var(--blue)",
    VERMILION: "var(--vermilion)",
    GREEN: "var(--green)",
    BAND: "var(--band)",
}

# Started from matplotlib's own defaults, so that a user's style sheet cannot break a figure.
STYLE: Final[dict[Any, Any]] = {
    **{
        key: value
        for key, value in mpl.rcParamsDefault.items()
        if key.split(".")[0] in {"font", "text", "axes", "xtick", "ytick", "lines", "patch"}
    },
    "text.usetex": False,
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "figure.facecolor": "white",
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "axes.unicode_minus": True,
}

BASE_FAMILY: Final = "DejaVu Sans"
# Families that a reader's machine may have for what DejaVu lacks; no colour fonts.
FALLBACK_FAMILIES: Final = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Noto Sans JP",
    "Noto Sans KR",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Yu Gothic",
    "PingFang SC",
    "Hiragino Sans",
    "Apple SD Gothic Neo",
    "Arial Unicode MS",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Nirmala UI",
    "Leelawadee UI",
    "Segoe UI Symbol",
    "Segoe UI Historic",
    "Noto Emoji",
    "Symbola",
)
MISSING: Final = "\u25a1"


class PlotFigure(Figure):
    """A figure that notebooks show, and that knows the whole text behind each shortened label."""

    def __init__(self, width: float, height: float) -> None:
        super().__init__(figsize=(width, height), layout="constrained", dpi=110)
        self.whole_labels: dict[str, tuple[str, str]] = {}

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


@cache
def _characters(family: str) -> frozenset[int]:
    path = findfont(FontProperties(family=[family]), fallback_to_default=False)
    return frozenset(get_font(path).get_charmap())


@cache
def _families(missing: frozenset[int]) -> tuple[str, ...]:
    known = set(fontManager.get_font_names())
    families = [BASE_FAMILY]
    left = set(missing)
    for family in FALLBACK_FAMILIES:
        if left and family in known and left & _characters(family):
            families.append(family)
            left -= _characters(family)
    return tuple(families)


def drawable(labels: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Replace what no font here can draw by a box; return the texts and the font families."""
    wanted = {ord(char) for label in labels for char in label}
    families = _families(frozenset(wanted - _characters(BASE_FAMILY)))
    covered = frozenset().union(*(_characters(family) for family in families))

    def draw(char: str) -> str:
        if ord(char) in covered:
            return char
        return "" if unicodedata.category(char) in {"Cf", "Mn", "Me"} else MISSING

    return ["".join(draw(char) for char in label) for label in labels], families


def name_text(figure: PlotFigure, artist: Text, shown: str, whole: str) -> None:
    """Remember the whole label behind a text, for the tooltip in a page."""
    gid = f"label-{len(figure.whole_labels)}"
    artist.set_gid(gid)
    figure.whole_labels[gid] = (shown, visible(whole))


def label_ticks(
    figure: PlotFigure,
    axes: Axes,
    which: Literal["x", "y"],
    positions: Sequence[float],
    labels: Sequence[str],
    *,
    width: int = 24,
    size: float = 9,
    rotation: float = 0,
    whole: Sequence[str] | None = None,
) -> None:
    """Put the user's labels on an axis: shortened, never read as mathematics, in any script.

    ``whole`` are the labels that stand in the tooltips where ``labels`` are shortened already.
    """
    short = shorten(labels, width)
    drawn, families = drawable(short)
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks(
        positions,
        labels=drawn,
        parse_math=False,
        fontfamily=list(families),
        fontsize=size,
        rotation=rotation,
    )
    for artist, shown, text in zip(axis.get_ticklabels(), short, whole or labels, strict=True):
        name_text(figure, artist, shown, text)
    axis.set_tick_params(length=0)


def title_label(
    figure: PlotFigure,
    axes: Axes,
    label: str,
    *,
    width: int,
    size: float = 10,
    suffix: str = "",
    whole: str | None = None,
) -> None:
    """Put one of the user's labels above the axes, with a few words of ours after it."""
    (short,) = shorten([label], width)
    (drawn,), families = drawable([short + suffix])
    artist = axes.set_title(drawn, parse_math=False, fontfamily=list(families), fontsize=size)
    name_text(figure, artist, short + suffix, (label if whole is None else whole) + suffix)


def label_figure(figure: PlotFigure, label: str, words: str) -> None:
    """Put one of the user's labels, with words of ours after it, below all axes of a figure."""
    (short,) = shorten([label], 40)
    (drawn,), families = drawable([short + words])
    artist = figure.supxlabel(drawn, fontsize=9, parse_math=False, fontfamily=list(families))
    name_text(figure, artist, short + words, label + words)


def mark(figure: PlotFigure, problems: tuple[str, ...], approximate: str | None) -> None:
    """Write on the figure itself that its draws did not converge, or are approximate."""
    words = [banner(problems)] if problems else []
    words += ["approximate draws"] if approximate is not None else []
    if words:
        figure.suptitle(
            " · ".join(words),
            color=VERMILION if problems else FAINT,
            fontsize=11 if problems else 9,
            fontweight="bold" if problems else "normal",
            x=0.01,
            ha="left",
        )


_LABEL = re.compile(r'(<g id="(label-\d+)">\s*<text [^>]*>)(.*?)(</text>)', re.DOTALL)
_FONT = re.compile(r"font-family: [^;\"]*;? ?")


def svg(figure: PlotFigure, *, prefix: str, title: str, description: str) -> str:
    """Return a figure as SVG to stand inside a page.

    Text stays text, in the reader's fonts, so that every script shows; colours become CSS variables
    of the page; ids get a prefix, so that figures do not answer for one another.

    Parameters
    ----------
    figure : PlotFigure
        The figure.
    prefix : str
        Unique in the page.
    title, description : str
        What a screen reader says; escaped here.
    """
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": prefix}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None}, dpi=144)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", text, count=1, flags=re.DOTALL)
    text = _FONT.sub("", text)
    text = text.replace('transform="rotate(-0 ', 'data-r="(').replace("\n", " ")
    text = re.sub(r' data-r="\([^"]*"', "", text)
    for colour, variable in CSS_VARIABLES.items():
        text = text.replace(colour, variable)
    text = _LABEL.sub(lambda match: _whole_label(match, figure), text)
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = text.replace("url(#", f"url(#{prefix}-").replace('xlink:href="#', f'href="#{prefix}-')
    width, height = figure.get_size_inches()
    rest = text.split(">", 1)[1]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {72 * width:.6g} {72 * height:.6g}" '
        f'style="width:{96 * width:.0f}px;--least:{min(560, 80 * width):.0f}px" role="img" '
        f'aria-labelledby="{prefix}-title {prefix}-desc">'
        f'<title id="{prefix}-title">{escape_html(title)}</title>'
        f'<desc id="{prefix}-desc">{escape_html(description)}</desc>{rest}'
    )


def _whole_label(match: re.Match[str], figure: PlotFigure) -> str:
    shown, whole = figure.whole_labels[match.group(2)]
    tooltip = f"<title>{escape_html(whole)}</title>" if whole != shown else ""
    return f"{match.group(1)}{tooltip}{escape_html(shown)}{match.group(4)}"
