"""What a machine, a mistyped number or a label can do to a result: words, never an exception."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bayeseval as be
from bayeseval import _files
from bayeseval._files import check_place, read_whole, write_whole
from bayeseval.errors import BayesEvalError
from tests.fakes import FakePosterior, make_posterior
from tests.judgements.test_damaged_files import FILES

NAMES = {
    "too long": "x" * 300 + ".nc",
    "a path too long": "x/" * 3_000 + "x.nc",
    "a null": "a\0b.nc",
    "below a file": "file/x.nc",
    "nowhere": "nowhere/x.nc",
}


def denied(*_: Any, **__: Any) -> Any:
    raise PermissionError(13, "Permission denied", "x" * 4_000)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_name_that_no_file_can_have_is_refused_in_words(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / name
    for write in (lambda: check_place(path, "report"), lambda: write_whole(path, b"", "report")):
        with pytest.raises(BayesEvalError, match=r"the report (cannot|must)|folder of the report"):
            write()
    with pytest.raises(BayesEvalError, match="there is no file"):
        read_whole(path)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_what_may_not_be_read_or_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.nc"
    path.write_bytes(b"older")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", denied)
        with pytest.raises(BayesEvalError, match=r"p.nc' cannot be read: Permission denied$"):
            be.load(path)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", denied)
        with pytest.raises(BayesEvalError, match=r"p.nc': Permission denied. Nothing was written"):
            write_whole(path, b"", "posterior")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "iterdir", denied)
        with pytest.raises(BayesEvalError, match=r"cannot be used: .*Permission denied"):
            be.read(tmp_path, format="inspect")
    monkeypatch.setattr(_files.os, "access", lambda *_: False)
    with pytest.raises(BayesEvalError, match=r"p.nc': its folder is read-only"):
        check_place(path, "posterior")
    assert path.read_bytes() == b"older"


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_may_not_be_read_or_has_gone_is_named(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, content, take = FILES[kind]
    path = tmp_path / name
    path.write_bytes(content)
    if name.endswith(".parquet"):
        path.unlink()
        path.mkdir()  # Arrow opens files by itself.
    else:
        monkeypatch.setattr("io.open", denied)
        monkeypatch.setattr("builtins.open", denied)
    with pytest.raises(BayesEvalError, match=rf"{name}.*(Permission denied|is a folder|holds no)"):
        take(path)


def test_packed_text_is_said_to_be_packed(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "t.jsonl"
    path.write_bytes(gzip.compress(b'{"a": 1}'))
    with pytest.raises(BayesEvalError, match=r"t\.jsonl: this is gzip, not text"):
        be.read(path, format="chatbot_arena")


FRAME = pd.DataFrame({"w": ["a", "a", "b"], "s": ["A", "B", "A"], "t": ["B", "C", "C"]})


@pytest.mark.parametrize("end", [10**12, 1e300])
def test_a_mistyped_end_of_a_scale_does_not_fill_the_memory(end: float) -> None:
    frame = FRAME.assign(r=[1.0, 2.0, end])
    with pytest.raises(BayesEvalError, match="more than 1,001 categories"):
        be.LikertJudgements.from_frame(frame, annotator="w", system="s", rating="r", scale=(1, end))
    with pytest.raises(BayesEvalError, match="more than 101 categories") as refused:
        be.LikertJudgements.from_frame(frame, annotator="w", system="s", rating="r")
    assert len(str(refused.value)) < 300


def counted() -> list[be.LikertJudgements | be.PairwiseJudgements]:
    frame = FRAME.assign(r=[1, 2, 5], o=["a", "b", "tie"], n=[1, 10**12, 1])
    pair: dict[str, Any] = {"system_a": "s", "system_b": "t", "outcome": "o"}
    return [
        be.LikertJudgements.from_frame(
            frame, annotator="w", system="s", rating="r", scale=(1, 5), count="n"
        ),
        be.PairwiseJudgements.from_frame(frame, annotator=None, count="n", **pair),
    ]


@pytest.mark.parametrize("name", ["win_rates", "krippendorff_alpha", "bootstrap_ranking"])
def test_a_mistyped_count_is_named_where_judgements_are_gone_through(name: str) -> None:
    for table in counted():
        assert "1,000,000,000,002" in repr(table)
        with pytest.raises(BayesEvalError, match=r"1,000,000,000,000, in row 2|annotator|shared"):
            getattr(be, name)(table)


LABELS = (
    "=cmd|' /C calc'!A0", "+1+1", "-1", "@SUM(1)", "a|b", "tail\\", "`tick`", "$x^2$",
    "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "*b* _i_", "# head", "\\input{x}",
    "line\nbreak", "esc\x1b[31m", "\u202eabc",
)  # fmt: skip
MODERATOR = "|m* _x_ `q` [a](b) <b>"


class Cells(HTMLParser):
    """Tags and text of a page, and the number of cells of each row."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.rows: list[int] = []
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile(by: str | None) -> FakePosterior:
    qualities = [0.1 * place for place in range(len(LABELS))]
    if by is None:
        return make_posterior(qualities, systems=LABELS, criteria=LABELS[:2], draws=20)
    return make_posterior(qualities, systems=LABELS, by=(by, LABELS[:2]), draws=20)


RECORDS: dict[str, Callable[[], Any]] = {
    "rank": lambda: be.rank(hostile(None)),
    "rank by": lambda: be.rank(hostile(MODERATOR), by=MODERATOR),
    "compare": lambda: be.compare(hostile(None), rope=(0.4, 0.6)),
    "compare by": lambda: be.compare(hostile(MODERATOR), by=MODERATOR, level=LABELS[0]),
    "compare_posteriors": lambda: be.compare_posteriors(
        {"=a|b[x](y)\n\x1b": hostile(MODERATOR), "*two*": hostile(MODERATOR)}
    ),
}


@pytest.mark.parametrize("make", RECORDS.values(), ids=RECORDS)
def test_labels_of_a_posterior_are_text_in_every_output(make: Callable[[], Any]) -> None:
    from markdown_it import MarkdownIt

    record = make()
    controls = re.compile("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]")
    for written in (repr(record), record.to_html(), record.to_markdown(), record.to_latex()):
        assert not controls.search(written)
    assert not {"img", "b", "a", "script"} & Cells(record.to_html()).tags
    rendered = Cells(MarkdownIt("gfm-like", {"linkify": False}).render(record.to_markdown()))
    assert not {"img", "a", "code", "em", "h1", "li", "b"} & rendered.tags
    for label in ("=cmd|' /C calc'!A0", "[x](javascript:alert(1))", "*b* _i_", "tail\\"):
        assert label in rendered.text
    assert "\\input" not in record.to_latex()
    for table in record.tables():
        assert len(set(Cells(table.html()).rows)) == 1
        (width,) = {
            line.replace("\\|", "").count("|")
            for line in table.markdown().splitlines()
            if line.startswith("|")
        }
        assert width == len(table.columns) + 1
