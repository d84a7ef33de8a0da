import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from bayeseval._tables import Column, Table
from bayeseval._text import (
    cell_width,
    decimals_for,
    escape_latex,
    escape_markdown,
    number,
    probability,
    shorten,
)
from bayeseval.comparison import Comparison, Ranking, compare, rank
from tests.fakes import FakeConvergence, FakePosterior, make_posterior

HOSTILE = (
    "<script>alert(1)</script>",
    "a|b_c&d % $x$ #1 {y} ~ ^ \\n `z`",
    "quote \" and ' and -- [opt]",
    "שלום עולם \u202e reversed",
    "line\nbreak\tand \x1b[31m colour",
    "模型 🦙 " + "very long " * 30,
)


class Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.parametrize("make", [rank, lambda p: compare(p, rope=(0.4, 0.6))])
def test_hostile_labels_are_text_in_every_format(
    make: Callable[[FakePosterior], Ranking | Comparison],
) -> None:
    record = make(make_posterior([0.5, 0.4, 0.3, 0.2, 0.1, 0.0], systems=HOSTILE))
    parser = Cells()
    parser.feed(record._repr_html_())
    assert "script" not in parser.tags
    assert HOSTILE[0] in parser.text
    assert all(cell_width(line) <= 80 for line in repr(record).splitlines())
    assert "\x1b" not in repr(record)
    assert "\u202e" not in repr(record)
    table = [line for line in record.to_markdown().splitlines() if line.startswith("|")]
    bars = {line.replace("\\|", "").count("|") for line in table}
    assert len(bars) == 1
    assert "<script" not in record.to_markdown()
    body = record.to_latex().split("\\midrule")[1].split("\\bottomrule")[0].strip()
    rows = body.split("\n")
    assert len({row.replace("\\&", "").count("&") for row in rows}) == 1
    assert all(row.endswith(r"\\") for row in rows)


def test_latex_specials_are_escaped() -> None:
    assert escape_latex("50% & _x^2~") == r"50\% \& \_x\textasciicircum{}2\textasciitilde{}"
    assert escape_latex("\\{}") == r"\textbackslash{}\{\}"
    assert escape_latex("[a]*--") == "{[}a{]}{*}{-}{-}"


@pytest.mark.parametrize(
    ("label", "escaped"),
    [
        ("*a*_b_|[c](d)<e>&f", r"\*a\*\_b\_\|\[c\](d)&lt;e&gt;&amp;f"),
        ("a\nb", r"a\\nb"),
        ("# one", r"\# one"),
        ("1. one", r"1\. one"),
        ("- one", r"\- one"),
        ("gpt-4.1 (new)", "gpt-4.1 (new)"),
        ("---", r"\---"),
    ],
)
def test_markdown_specials_are_escaped(label: str, escaped: str) -> None:
    assert escape_markdown(label) == escaped


def test_shortened_labels_stay_different() -> None:
    same_start = [f"a-very-long-common-prefix-{i}" for i in range(12)]
    short = shorten(same_start, 12)
    assert len(set(short)) == 12
    assert all(cell_width(text) <= 12 for text in short)
    same_ends = [f"common-start-{i:03d}-common-end" for i in range(30)]
    assert len(set(shorten(same_ends, 12))) == 30
    wmt = [f"newstest2016.{name}.tr-en" for name in ("online-B.0", "online-G.0", "uedin-nmt.4493")]
    assert shorten(wmt, 16) == ["…online-B.0…", "…online-G.0…", "…uedin-nmt.4493…"]
    assert shorten([*wmt, "human"], 16)[-1] == "human"
    assert shorten(["short", "模型模型模型模型"], 9) == ["short", "模型模型…"]


def test_numbers_print_with_a_minus_sign_and_without_negative_zero() -> None:
    assert number(-0.004, 2) == "0.00"
    assert number(-1.5, 1) == "−1.5"
    assert number(float("nan"), 2) == "–"


def test_probabilities_never_print_as_certain() -> None:
    assert [probability(p) for p in (0, 0.004, 0.005, 0.994, 0.995, 1)] == [
        "<0.01",
        "<0.01",
        "0.01",
        "0.99",
        ">0.99",
        ">0.99",
    ]


@pytest.mark.parametrize(
    ("width", "decimals"), [(0.8, 2), (1.5, 2), (8, 1), (80, 0), (0.05, 3), (0, 2)]
)
def test_decimals_follow_the_width_of_the_intervals(width: float, decimals: int) -> None:
    import numpy as np

    assert decimals_for(np.zeros(3), np.full(3, width)) == decimals


def test_long_tables_say_how_many_rows_are_left_out() -> None:
    table = Table("t", (Column("name", tuple("abcde"), "label"),))
    assert "… and 3 more rows" in table.text(most_rows=2)
    assert "more rows" not in table.text(most_rows=5)


def test_what_all_tables_say_is_said_once_and_each_is_still_marked() -> None:
    posterior = make_posterior([0.0, 1.0], criteria=("clear", "true", "short")).but(
        convergence=FakeConvergence(ok=False, problems=("R-hat 1.2 for quality; draw more.",))
    )
    for text in (repr(rank(posterior)), repr(compare(posterior))):
        assert text.count("NOT CONVERGED") == 3
        assert text.count("R-hat 1.2") == 1
        assert text.count("95 % equal-tailed") == 1
        assert all(text.count(f"criterion {label}") == 1 for label in ("clear", "true", "short"))


def test_a_very_long_label_is_cut_on_a_page_and_whole_in_its_title() -> None:
    long = "word " * 100
    page = rank(make_posterior([0.0, 1.0], systems=(long, f"{long}too")))._repr_html_()
    shown = re.findall(r"<bdi title='([^']*)'>([^<]*)</bdi>", page)
    assert {title for title, _ in shown} == {long, f"{long}too"}
    assert len({label for _, label in shown}) == 2
    assert all(len(label) <= 120 for _, label in shown)


def test_html_table_has_caption_and_scopes() -> None:
    page = rank(make_posterior([0.0, 1.0]))._repr_html_()
    assert "<caption>Ranking of 2 systems</caption>" in page
    assert page.count("scope='row'") == 2
    assert "scope='col'" in page
