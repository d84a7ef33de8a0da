"""The command fit: its output, its endings, and what it refuses."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bayeseval as be
from bayeseval import inference
from tests.cli.commands import COLUMNS, SMALL, Run


@pytest.mark.sampling
def test_fit_writes_posterior_and_report_and_prints_one_json_document(
    run: Run, ratings: Path, tmp_path: Path
):
    out, page = tmp_path / "posterior.nc", tmp_path / "report.html"
    ended = run(f"fit {COLUMNS} {SMALL} --json", ratings, "--out", out, "--report", page)
    assert ended.status == 0
    document = ended.json
    assert document["files"] == {"posterior": str(out), "report": str(page)}
    assert re.search("NOT CONVERGED|TOO FEW DRAWS", page.read_text(encoding="utf-8"))
    assert document["judgements"]["n_annotators"] == 6
    assert document["posterior"]["settings"]["random_seed"] == 1
    assert document["posterior"]["settings"]["draws"] == 200
    assert document["posterior"]["family"]["thresholds"] == "free"
    assert document["posterior"]["fingerprint"] == be.load(out).fingerprint
    assert not document["posterior"]["convergence"]["ok"]
    assert "do not report" in ended.err
    systems = document["ranking"]["systems"]
    assert [row["position"] for row in systems] == [1, 2, 3]
    assert systems[-1]["p_better_than_next"] is None
    (part,) = document["ranking"]["rank_distribution"]
    assert [sum(row) for row in part["probability"].values()] == pytest.approx([1, 1, 1])
    assert len(document["comparison"]["pairs"]) == 3


def test_fit_hands_on_the_options_of_table_family_and_sampler(
    run: Run, ratings: Path, fitted: Path, monkeypatch: pytest.MonkeyPatch
):
    seen: dict[str, Any] = {}

    def fit(judgements: Any, family: Any, **settings: Any) -> Any:
        seen.update(settings, judgements=judgements, family=family)
        return be.load(fitted)

    monkeypatch.setattr(inference, "fit", fit)
    ended = run(
        f"fit {COLUMNS} --thresholds shifted --discrimination --correlated-criteria "
        "--without taste --without interaction "
        "--draws 7 --tune 8 --chains 3 --cores 2 --seed 9 --target-accept 0.95 "
        "--method auto",
        ratings,
    )
    assert ended.status == 0
    numbers = {"draws": 7, "tune": 8, "chains": 3, "cores": 2, "random_seed": 9}
    assert numbers.items() <= seen.items()
    assert seen["target_accept"] == 0.95
    assert seen["method"] == "auto"
    assert seen["family"] == be.OrdinalProbit(
        thresholds="shifted",
        discrimination=True,
        criteria="correlated",
        effects={"taste": False, "interaction": False},
    )
    assert seen["judgements"].fingerprint == be.load(fitted).fingerprint


def test_strict_ends_with_3_saves_the_marked_posterior_and_reports_nothing(
    run: Run, ratings: Path, tmp_path: Path, stubbed: Callable[..., None]
):
    stubbed()
    out, page = tmp_path / "posterior.nc", tmp_path / "report.html"
    ended = run(f"fit {COLUMNS} --strict --quiet", ratings, "--out", out, "--report", page)
    assert ended.status == 3
    assert ended.out == ""
    assert "do not report" in ended.err
    assert not be.load(out).convergence.ok
    assert not page.exists()


def test_strict_as_json_has_no_ranking_but_says_what_did_not_converge(
    run: Run, ratings: Path, stubbed: Callable[..., None]
):
    stubbed(problems=("chains disagree",))
    ended = run(f"fit {COLUMNS} --strict --json", ratings)
    assert ended.status == 3
    assert ended.json["ranking"] is None
    assert ended.json["comparison"] is None
    assert ended.json["posterior"]["convergence"]["problems"] == ["chains disagree"]


def test_strict_ends_with_0_where_sampling_converged(
    run: Run, ratings: Path, stubbed: Callable[..., None]
):
    stubbed(problems=())
    ended = run(f"fit {COLUMNS} --strict --quiet", ratings)
    assert (ended.status, ended.err) == (0, "")
    assert "Ranking of 3 systems" in ended.out
    assert not re.search("NOT CONVERGED|TOO FEW DRAWS", ended.out)


def test_without_strict_the_ranking_is_printed_and_marked(
    run: Run, ratings: Path, stubbed: Callable[..., None]
):
    stubbed()
    ended = run(f"fit {COLUMNS} --quiet", ratings)
    assert ended.status == 0
    assert re.search("NOT CONVERGED|TOO FEW DRAWS", ended.out)


def test_interrupted_fit_keeps_its_draws_and_ends_with_130(
    run: Run, ratings: Path, tmp_path: Path, stubbed: Callable[..., None]
):
    stubbed(interrupted=True)
    ended = run(f"fit {COLUMNS}", ratings, "--out", tmp_path / "part.nc")
    assert ended.status == 130
    assert "Interrupted: 200 of 1,000 draws" in ended.err
    assert be.load(tmp_path / "part.nc").settings.interrupted


def test_interrupt_before_there_are_draws_ends_with_130(
    run: Run, ratings: Path, monkeypatch: pytest.MonkeyPatch
):
    def fit(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(inference, "fit", fit)
    assert run(f"fit {COLUMNS}", ratings).status == 130


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (COLUMNS.replace("model", "modle"), "'model'"),
        (COLUMNS.replace("--annotator worker", ""), "--no-annotator"),
        (COLUMNS + " --no-annotator", "both"),
        (COLUMNS.replace("--rating score", ""), "--rating"),
        (COLUMNS.replace("1 5", "1 3"), "score"),
        (COLUMNS + " --protocol pairwise", "'likert'"),
        (COLUMNS + " --protocol lickert", "Did you mean 'likert'?"),
        (COLUMNS + " --outcome vote", "--outcome is not for likert judgements"),
        (COLUMNS + " --set thresholds", "NAME=VALUE"),
        (COLUMNS + " --set threshold=free", "Did you mean 'thresholds'?"),
        (COLUMNS + " --family OrdinalProbt", "'OrdinalProbit'"),
        (COLUMNS + " --family OrderedBeta", "of likert judgements there is 'OrdinalProbit'"),
        (COLUMNS + " --set effects=none --without taste", "--set effects=none already says"),
        (COLUMNS + " --label Poor", "TEXT=NUMBER"),
        (COLUMNS + " --label Poor=low", "'low'"),
        (COLUMNS + " --draws 0", "On the command line: --draws."),
        (COLUMNS + " --separator ;;", "On the command line: --separator."),
        (COLUMNS + " --encoding latin-99", "On the command line: --encoding."),
        (COLUMNS.replace("score", "scores"), "On the command line: --rating."),
        (COLUMNS + " --thresholds fre", "fre"),
        (COLUMNS + " --without tast", "tast"),
        (COLUMNS + " --out posterior.csv", ".nc"),
        (COLUMNS + " --out nowhere/posterior.nc", "no folder 'nowhere'"),
        (COLUMNS + " --report report.pdf", ".html"),
        (COLUMNS + " --drws 7", "--draws"),
    ],
)
def test_wrong_input_ends_with_2_and_a_message_on_standard_error(
    run: Run, ratings: Path, options: str, said: str
):
    ended = run(f"fit {options}", ratings)
    assert ended.status == 2
    assert said in ended.err
    assert ended.out == ""
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("name", ["missing.csv", "empty.csv", "folder.csv"])
def test_unreadable_file_ends_with_2_and_names_the_file(run: Run, tmp_path: Path, name: str):
    (tmp_path / "empty.csv").touch()
    (tmp_path / "folder.csv").mkdir()
    ended = run(f"fit {COLUMNS}", tmp_path / name)
    assert ended.status == 2
    assert name in ended.err


STATED = (
    "--protocol spa --annotator who --system-a first --system-b second --probability percent "
    "--scale 0 100"
)


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write probabilities of 0 to 100, both directions of each pair, with exact ends."""
    frame = be.simulate_spa(
        n_annotators=10, n_systems=3, end_probability=0.2, random_seed=1
    ).judgements.to_frame()
    frame["percent"] = (100 * frame["probability"]).round().astype(int)
    assert {0, 100} < set(frame["percent"])
    names = {"annotator": "who", "system_a": "first", "system_b": "second"}
    path = tmp_path_factory.mktemp("spa") / "stated.csv"
    frame.drop(columns="probability").rename(columns=names).to_csv(path, index=False)
    return path


@pytest.mark.sampling
@pytest.mark.parametrize(
    ("options", "family"),
    [("", "OrderedBeta"), ("--family BayesianBootstrap", "BayesianBootstrap")],
)
def test_stated_probabilities_go_from_file_to_report(
    run: Run, stated: Path, tmp_path: Path, options: str, family: str
):
    saved, page = tmp_path / "posterior.nc", tmp_path / "page.html"
    ended = run(f"fit {STATED} {SMALL} {options}", stated, "--out", saved, "--report", page)
    assert ended.status == 0, ended.err
    assert "60 probabilities, 3 systems, 10 annotators, asked as 0–100 (declared)" in ended.err
    assert "Ranking of 3 systems" in ended.out
    assert be.load(saved).family.name == family
    ranked = run("rank --json", saved).json["ranking"]["systems"]
    assert [row["position"] for row in ranked] == [1, 2, 3]
    first, second, third = (row["system"] for row in ranked)
    compared = run("compare --rope 0.45 0.55 --json", saved, first, third, second, third)
    pairs = compared.json["comparison"]["pairs"]
    assert [(row["system_a"], row["system_b"]) for row in pairs] == [
        (first, third),
        (second, third),
    ]
    frame = pd.read_csv(stated)
    asked = frame.set_index(["first", "second"])["percent"].groupby(level=[0, 1]).mean() / 100
    means = [(asked[a, b] + 1 - asked[b, a]) / 2 for a, b in ((first, third), (second, third))]
    for row, mean in zip(pairs, means, strict=True):
        assert row["estimate"] == pytest.approx(mean, abs=4 * row["sd"])
    incoherence = run("compare --quantity incoherence --json", saved).json["comparison"]["pairs"]
    assert len(incoherence) == 3
    again = tmp_path / "again.md"
    ended = run(f"report {STATED}", saved, stated, "--output", again)
    assert (ended.status, ended.out) == (0, f"{again}\n")
    for text in (page.read_text("utf-8"), again.read_text("utf-8")):
        assert "Mean and mass of the answers by pair" in text
        assert "Are the annotators coherent?" in text
    inferred = STATED.removesuffix(" --scale 0 100")
    # The same judgements: ends that are inferred are those that were declared.
    assert run(f"report {inferred}", saved, stated, "--output", again).status == 0
