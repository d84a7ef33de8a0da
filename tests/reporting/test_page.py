import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
import xarray as xr

from bayeseval.errors import BayesEvalError, JudgementError
from bayeseval.reporting import report
from bayeseval.settings import settings
from tests.fakes import FakeConvergence, FakePosterior
from tests.reporting.chromium import Chromium, find_chromium
from tests.reporting.conftest import HOSTILE, Study, make_study

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Tags, ids, links and text of a page; raises where tags are not closed in order."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.urls: list[str] = []
        self.events: list[str] = []
        self.headings: list[str] = []
        self.text = ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        self._note(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._note(attrs)

    def _note(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "src", "xlink:href"):
                (self.links if (value or "").startswith("#") else self.urls).append(value or "")
            elif name.startswith("on"):
                self.events.append(name)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings.append(data)


def written(study: Study, tmp_path: Path, **options: object) -> str:
    path = report(*study, tmp_path / "report.html", draws=20, **options)  # pyright: ignore[reportArgumentType]
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def plain() -> Study:
    return make_study()


@pytest.fixture(scope="module")
def plain_source(plain: Study, tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(plain, tmp_path_factory.mktemp("plain"))


def test_page_begins_with_the_answer_and_has_every_part(plain: Study, plain_source: str) -> None:
    page = Page(plain_source)
    assert page.headings[:2] == ["Posterior ranking of 3 systems", "The answer"]
    for heading in (
        "Ranking",
        "Pairs",
        "Annotators",
        "Does the model fit?",
        "What was asked, and of whom",
        "What was dropped and filtered",
        "Convergence",
        "How to read it",
        "How not to read it",
        "Fingerprint, seed and versions",
    ):
        assert heading in page.headings
    assert plain[1].fingerprint in page.text
    assert "95 % equal-tailed" in page.text
    assert page.tags.count("svg") == 6


def test_links_lead_somewhere_and_ids_are_unique(plain_source: str) -> None:
    page = Page(plain_source)
    assert len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert set(re.findall(r"url\(#([^)]+)\)", plain_source)) <= set(page.ids)


def test_page_needs_nothing_but_itself(plain_source: str) -> None:
    page = Page(plain_source)
    assert {url.split(":")[0] for url in page.urls} <= {"data"}
    assert "script" not in page.tags
    assert "@import" not in plain_source
    addresses = set(re.findall(r"https?://[^\"'\s<>]+", plain_source))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_every_label_is_text_wherever_it_stands(hostile: Study, tmp_path: Path) -> None:
    posterior, judgements = hostile
    source = written(
        (posterior.but(convergence=FakeConvergence(ok=False, problems=(HOSTILE[0],))), judgements),
        tmp_path,
        title=HOSTILE[0],
        rope=(0.4, 0.6),
    )
    page = Page(source)
    assert not {"script", "img", "b"} & set(page.tags)
    assert page.events == []
    assert "\u202e" not in source
    for label in HOSTILE[:4]:
        assert label in page.text
    assert "<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>" in source
    for svg in re.findall(r"<svg.*?</svg>", source, flags=re.DOTALL):
        ET.fromstring(svg)


def test_shortened_labels_in_figures_carry_the_whole_one(tmp_path: Path) -> None:
    long = "a system with a name that no figure has room for"
    source = written(make_study((long, "b")), tmp_path)
    assert f"<title>{long}</title>a system with a name" in source


def test_failed_convergence_is_marked_at_the_top_and_everywhere(
    plain: Study, plain_source: str, tmp_path: Path
) -> None:
    posterior, judgements = plain
    bad = posterior.but(
        convergence=FakeConvergence(ok=False, problems=("R-hat of quality is 1.2; draw more",)),
        approximate="Laplace",
    )
    source = written((bad, judgements), tmp_path)
    assert source.index("NOT CONVERGED. The sampler") < source.index("The answer")
    assert "R-hat of quality is 1.2; draw more" in source
    assert source.index("These draws are an approximation") < source.index("The answer")
    figures = re.findall(r"<figure>.*?</figure>", source, flags=re.DOTALL)
    assert figures
    assert all("Not converged: do not report" in figure for figure in figures)
    results = source[source.index('id="results"') : source.index('id="study"')]
    tables = re.findall(r"<div class='bayeseval-table'>.*?</table>", results, flags=re.DOTALL)
    assert tables
    assert all("Not converged: do not report" in table for table in tables)
    assert "onverged: do not" not in plain_source


def test_each_criterion_has_a_section_of_its_own(tmp_path: Path) -> None:
    study = make_study(criteria=("fluency", "<i>coherence</i>"))
    page = Page(written(study, tmp_path))
    assert "Criterion: fluency" in page.headings
    assert "Criterion: <i>coherence</i>" in page.headings
    assert {"c1-results", "c2-results", "c1-ranking", "c2-ranking"} <= set(page.ids)
    assert "Ranked first: alpha on " in page.text
    assert "Expected rank on each criterion" in page.text
    assert {"#c1-results", "#c2-results"} <= set(page.links)
    assert page.tags.count("svg") == 12


def test_shares_by_category_are_tabulated_where_they_fit(tmp_path: Path) -> None:
    title = "Probability of a category"
    page = written(make_study(), tmp_path)
    table = page[page.index(f"<caption>{title}") :]
    assert [f"<th scope='col' class='number'>{k}</th>" in table for k in range(1, 7)] == [
        *[True] * 5,
        False,
    ]
    assert page.count(f"{title}</caption>") == 1
    assert title not in written(make_study(n_categories=12), tmp_path)


def test_other_expectations_for_the_observed_annotators_are_shown(tmp_path: Path) -> None:
    class Apart(FakePosterior):
        def estimand(
            self, name: str, population: str | None = None, by: str | None = None
        ) -> xr.DataArray:
            array = super().estimand(name, population, by)
            return array + 1 if name == "expected_rating" and population == "observed" else array

    posterior, judgements = make_study()
    page = Page(written((Apart(**vars(posterior)), judgements), tmp_path))
    assert "expected rating, observed" in page.text
    assert "Observed are those of the study" in page.text
    assert "expected rating, observed" not in Page(written((posterior, judgements), tmp_path)).text


def test_the_page_says_what_the_judgements_were_read_as(tmp_path: Path) -> None:
    posterior, judgements = make_study()
    kept = replace(judgements, origin="Label Studio export; system = model")
    page = Page(written((posterior, kept), tmp_path))
    assert page.text.count("Label Studio export; system = model") == 2


def test_effective_draws_are_whole_numbers(tmp_path: Path) -> None:
    posterior, judgements = make_study()

    class Diagnosed(FakeConvergence):
        def to_frame(self) -> pd.DataFrame:
            return pd.DataFrame(
                {"quantity": ["quality"], "shown": [True], "r_hat": [1.0123], "ess_bulk": [83.523]}
            )

    page = written((posterior.but(convergence=Diagnosed()), judgements), tmp_path)
    assert ">84<" in page
    assert ">1.012<" in page
    assert ">yes<" in page


def test_only_the_judgements_make_a_report(study: Study, tmp_path: Path) -> None:
    with pytest.raises(JudgementError, match=r"needs the judgements.*found NoneType"):
        report(study[0], None, tmp_path / "report.html")  # pyright: ignore[reportArgumentType]
    with pytest.raises(BayesEvalError, match=r"report needs a posterior.*found LikertJudgements"):
        report(study[1], study[1], tmp_path / "report.html")  # pyright: ignore[reportArgumentType]


def test_levels_of_a_moderator_are_ranked(tmp_path: Path) -> None:
    page = Page(written(make_study(by=("day", ("1", "2"))), tmp_path))
    assert "By day" in page.headings
    assert "day: 2" in page.text


def test_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    page = Page(written(make_study(named=False), tmp_path))
    assert "Annotators" not in page.headings
    assert not any(heading.startswith("By ") for heading in page.headings)
    assert "no identities" in page.text
    one = Page(written(make_study(("only",)), tmp_path))
    assert "Pairs" not in one.headings
    assert "There is one system, only" in one.text


def test_drops_and_filters_are_listed(tmp_path: Path) -> None:
    posterior, judgements = make_study()
    kept = judgements.keep_rows(judgements.codes("annotator") > 0, rule="no first annotator")
    page = Page(written((posterior.but(fingerprint=kept.fingerprint), kept), tmp_path))
    assert "no first annotator" in page.text
    assert "1: '<b>annotator</b> & 1'" in page.text


def test_judgements_that_were_not_fitted_are_refused(study: Study, tmp_path: Path) -> None:
    other = make_study(("x", "y"))[1]
    with pytest.raises(JudgementError, match=f"{other.fingerprint}.*given to fit"):
        report(study[0], other, tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [("report.pdf", "'.pdf'"), ("report", "ends in ''"), ("missing/report.html", "no folder")],
)
def test_impossible_paths_are_refused(
    study: Study, tmp_path: Path, name: str, message: str
) -> None:
    with pytest.raises(BayesEvalError, match=message):
        report(*study, tmp_path / name)


def test_path_is_returned_and_the_same_input_gives_the_same_page(
    plain: Study, plain_source: str, tmp_path: Path
) -> None:
    path = report(*plain, str(tmp_path / "b.HTM"), draws=20)
    assert path == tmp_path / "b.HTM"
    assert path.read_text(encoding="utf-8") == plain_source


def test_intervals_follow_the_settings(study: Study, tmp_path: Path) -> None:
    with settings.using(ci_prob=0.8, ci_kind="hdi"):
        source = written(study, tmp_path)
    assert "80 % highest-density" in source
    assert "80 % equal-tailed" not in source


def test_markdown_has_the_answer_and_the_tables(hostile: Study, tmp_path: Path) -> None:
    text = report(*hostile, tmp_path / "report.md", draws=20).read_text(encoding="utf-8")
    assert text.startswith("# Posterior ranking of 6 systems")
    assert "## The answer" in text
    assert "<script" not in text
    assert "| system |" in text


def test_large_studies_stay_small_pages(tmp_path: Path) -> None:
    study = make_study([f"system {i}" for i in range(60)], n_annotators=200, n_items=1)
    path = report(*study, tmp_path / "report.html", draws=20)
    assert path.stat().st_size < 3_000_000


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium is installed")
    browser = Chromium(program)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def hostile_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = make_study(HOSTILE, criteria=("fluency", "coherence"))
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    return report(*study, path, draws=20, rope=(0.4, 0.6))


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_browser_has_no_complaint_asks_for_nothing_and_does_not_scroll_sideways(
    chromium: Chromium, hostile_path: Path, width: int, dark: bool
) -> None:
    opened = chromium.open(
        hostile_path,
        width=width,
        dark=dark,
        ask={
            "sideways": "document.documentElement.scrollWidth > window.innerWidth",
            "scripts": "document.scripts.length",
            "paper": "getComputedStyle(document.body).backgroundColor",
            "titles": "document.querySelectorAll('svg > title').length",
        },
    )
    fetched = [url for url in opened.requests if not url.startswith("data:")]
    assert fetched == [hostile_path.resolve().as_uri()]
    assert opened.messages == []
    assert opened.dialogs == []
    assert opened.values["sideways"] is False
    assert opened.values["scripts"] == 0
    assert opened.values["titles"] == 12
    assert (opened.values["paper"] == "rgb(255, 255, 255)") is not dark


def test_a_good_approximation_is_information_and_no_alarm(plain: Study, tmp_path: Path) -> None:
    posterior, judgements = plain
    source = written((posterior.but(approximate="Laplace (Pareto k 0.14)"), judgements), tmp_path)
    assert source.index("These draws are an approximation") < source.index("The answer")
    assert "Pareto k 0.14" in source
    assert "class='remark'" in source
    assert 'class="remark"' in source
    assert "class='alarm'" not in source
    assert 'class="alarm"' not in source
    assert 'class="banner"' not in source
