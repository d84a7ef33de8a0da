"""The commands that read a posterior, and those that need none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bayeseval as be
from tests.cli.commands import COLUMNS, Run


def test_rank_prints_the_table_or_json_with_the_interval_asked_for(run: Run, fitted: Path):
    text = run("rank --ci-prob 0.8 --ci-kind hdi", fitted)
    assert text.status == 0
    assert "80 % highest-density" in " ".join(text.out.split())
    document = run("rank --ci-prob 0.8 --ci-kind hdi --top 1 --top 2 --json", fitted).json
    assert document["bayeseval"] == be.__version__
    assert (document["ranking"]["ci_prob"], document["ranking"]["ci_kind"]) == (0.8, "hdi")
    best, *_ = document["ranking"]["systems"]
    assert best["p_top_1"] == best["p_best"]
    assert 0 <= best["p_top_2"] <= 1
    assert not document["posterior"]["convergence"]["ok"]


def test_compare_takes_pairs_a_region_and_a_quantity(run: Run, fitted: Path):
    document = run("compare --rope 0.45 0.55 --json", fitted, "system 3", "system 1").json
    comparison = document["comparison"]
    assert comparison["quantity"] == "win_probability"
    assert comparison["rope"] == [0.45, 0.55]
    (pair,) = comparison["pairs"]
    assert (pair["system_a"], pair["system_b"]) == ("system 3", "system 1")
    assert pair["p_in_rope"] + pair["p_above_rope"] + pair["p_below_rope"] == pytest.approx(1)
    text = run("compare --quantity quality --rope -0.1 0.1", fitted)
    assert text.status == 0
    assert "3 pairs" in text.out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("compare FITTED 'system 1'", "in pairs"),
        ("compare FITTED 'system 1' 'system 9'", "'system 9'"),
        ("compare FITTED --quantity qualty", "'quality'"),
        ("compare FITTED --rope 0.6 0.7", "0.5"),
        ("rank FITTED --criterion fluency", "criteri"),
        ("rank FITTED --ci-prob 95", "0.95"),
        ("rank RATINGS", "ratings.csv"),
        ("rank missing.nc", "missing.nc"),
        ("report FITTED RATINGS --annotator worker --rating score", "--system"),
    ],
)
def test_wrong_questions_to_a_posterior_end_with_2(
    run: Run, fitted: Path, ratings: Path, command: str, said: str
):
    ended = run(command.replace("FITTED", str(fitted)).replace("RATINGS", str(ratings)))
    assert ended.status == 2
    assert said in ended.err
    assert ended.out == ""


def test_report_is_written_from_posterior_and_the_judgements(
    run: Run, fitted: Path, ratings: Path, tmp_path: Path
):
    page = tmp_path / "page.md"
    ended = run(
        f"report {COLUMNS} --title 'Three <systems>' --ci-prob 0.9",
        fitted,
        ratings,
        "--output",
        page,
    )
    assert (ended.status, ended.out) == (0, f"{page}\n")
    text = page.read_text(encoding="utf-8")
    assert "Three" in text
    assert "90 %" in text


def test_report_refuses_other_judgements_than_were_fitted(
    run: Run, fitted: Path, ratings: Path, tmp_path: Path
):
    other = tmp_path / "other.csv"
    pd.read_csv(ratings).iloc[1:].to_csv(other, index=False)
    ended = run(f"report {COLUMNS}", fitted, other, "--output", tmp_path / "page.html")
    assert ended.status == 2
    assert not (tmp_path / "page.html").exists()


def test_demo_says_that_data_are_simulated_and_its_command_reads_its_file(
    run: Run, tmp_path: Path, stubbed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
):
    seen: list[str] = []
    stubbed(problems=())
    from bayeseval import reporting

    def report(posterior: Any, judgements: Any, path: Path, **_: object) -> Path:
        seen.append(judgements.fingerprint)
        return path

    monkeypatch.setattr(reporting, "report", report)
    ended = run("demo", "--output", tmp_path / "new" / "demo")
    assert ended.status == 0, ended.err
    assert "SIMULATED" in ended.out.splitlines()[0]
    command = ended.out.splitlines()[-1].strip()
    folder = tmp_path / "new" / "demo"
    assert {path.name for path in folder.iterdir()} == {"ratings.csv", "posterior.nc"}
    monkeypatch.chdir(tmp_path)
    again = run(command.removeprefix("bayeseval ") + " --json")
    assert again.status == 0
    assert again.json["judgements"]["fingerprint"] == seen[0]


def test_version_is_that_of_the_package(run: Run):
    ended = run("--version")
    assert (ended.status, ended.out) == (0, f"bayeseval {be.__version__}\n")


@pytest.mark.parametrize("command", ["", "fit", "rank", "compare", "report", "summary", "demo"])
def test_help_is_shown(run: Run, command: str):
    ended = run(f"{command} --help")
    assert ended.status == 0
    assert ended.out.startswith(f"Usage: {' '.join(['bayeseval', command]).strip()} ")


def test_unknown_command_ends_with_2_and_the_nearest(run: Run):
    ended = run("fti")
    assert ended.status == 2
    assert "fit" in ended.err


def test_what_is_written_has_one_word_in_every_command(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "no folder" / "page.html"
    for word in ("--out", "--output"):
        ended = run(f"report {COLUMNS}", tmp_path / "p.nc", tmp_path / "r.csv", word, missing)
        assert ended.status == 2
        assert "--out: the folder of the report must exist" in ended.err
    for command in ("fit", "report", "demo"):
        shown = run(command, "--help").out
        assert "--out " in shown
        assert "--output" not in shown
