"""What tables say beside their numbers: few draws, no certainty from draws, no width."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bayeseval as be
from bayeseval.inference._convergence import Convergence
from bayeseval.reporting import report
from tests.fakes import FakeConvergence, make_posterior
from tests.reporting.conftest import make_study

FEW = "too few effective draws for quality: 120 for quality (A), wanted 400. Ask for draws=400"
FAILED = "3 divergent transitions: the posterior may lack a region"


@pytest.mark.parametrize("top", [[], ()])
def test_no_k_at_all_is_refused(top: tuple[int, ...]) -> None:
    with pytest.raises(be.BayesEvalError, match="top is empty: give the k"):
        be.rank(make_posterior([0.5, -0.5]), top=top)


def diagnosed(*problems: str) -> Convergence:
    table = FakeConvergence().to_frame()
    return Convergence(table, 0, 1.0, 0, problems)


@pytest.mark.parametrize(
    ("problems", "said", "unsaid"),
    [
        ((FEW,), "TOO FEW DRAWS", "NOT CONVERGED"),
        ((FEW, FAILED), "NOT CONVERGED", "TOO FEW DRAWS"),
    ],
)
def test_few_draws_alone_are_no_failed_sampler(
    tmp_path: Path, problems: tuple[str, ...], said: str, unsaid: str
) -> None:
    posterior, judgements = make_study()
    posterior = posterior.but(convergence=diagnosed(*problems))
    page = report(posterior, judgements, tmp_path / "page.html", draws=20).read_text("utf-8")
    for text in (repr(be.rank(posterior)), repr(be.compare(posterior)), page):
        assert said in text
        assert unsaid not in text
        assert "120 for quality" in text
    assert ("did NOT reach" in page) is (FAILED in problems)


def test_the_report_of_convergence_says_which_of_the_two_it_is() -> None:
    assert str(diagnosed(FEW)).startswith("Too few draws, do not report:")
    assert not diagnosed(FEW).ok
    assert str(diagnosed(FEW, FAILED)).startswith("NOT converged, do not report:")
    assert not diagnosed().merely_few
    assert not replace(diagnosed(FEW), problems=(FAILED,)).merely_few


def test_side_by_side_prints_no_certainty_that_draws_cannot_show() -> None:
    study = be.simulate_likert(
        n_annotators=12, n_systems=3, n_items=6, quality=np.array([3.0, 0.0, -3.0]), random_seed=1
    )
    posterior = make_posterior([3.0, 0.0, -3.0], 0.1, systems=study.judgements.systems)
    posterior = posterior.but(fingerprint=study.judgements.fingerprint)
    pairs = [("system 1", "system 2"), ("system 3", "system 2")]
    table = be.side_by_side(posterior, study.judgements, pairs=pairs, quantity="quality")
    assert table.table["p_better"].tolist() == [1.0, 0.0]
    columns = {column.heading: column.cells for column in table.tables()[0].columns}
    assert columns["P(A>B)"] == (">0.999", "<0.001")


def test_an_interval_without_width_is_explained() -> None:
    alike = make_posterior([0.0, 0.0], 0.0)
    assert "An interval without width" in " ".join(
        repr(be.compare(alike, quantity="quality")).split()
    )
    assert "without width" not in repr(be.compare(make_posterior([0.5, -0.5]), quantity="quality"))
