"""The command line, called in this process; one small fit is shared."""

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bayeseval as be
from bayeseval import cli, inference
from bayeseval.simulate import simulate_likert

COLUMNS = "--annotator worker --system model --item prompt --rating score --scale 1 5"
SMALL = "--draws 200 --tune 200 --chains 2 --cores 1 --seed 1"


@dataclass(frozen=True)
class Ended:
    """What a command left: status, standard output and standard error."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


type Run = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(command: str, *arguments: object) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main([*shlex.split(command), *map(str, arguments)])
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, captured.out, captured.err)

    return call


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    simulated = simulate_likert(n_annotators=6, n_systems=3, n_items=4, random_seed=1)
    names = {"annotator": "worker", "system": "model", "item": "prompt", "rating": "score"}
    path = tmp_path_factory.mktemp("cli") / "ratings.csv"
    simulated.judgements.to_frame().rename(columns=names).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def fitted(ratings: Path) -> Path:
    """Posterior of 2 chains of 200 draws: too few for the convergence check, so it is marked."""
    judgements = be.LikertJudgements.read(
        ratings, annotator="worker", system="model", item="prompt", rating="score", scale=(1, 5)
    )
    with pytest.warns(be.ConvergenceWarning):
        posterior = be.fit(
            judgements, draws=200, tune=200, chains=2, cores=1, random_seed=1, progressbar=False
        )
    return posterior.save(ratings.parent / "fitted.nc")


@pytest.fixture
def stubbed(fitted: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let fit return the saved posterior, changed as a test needs it."""

    def stub(*, problems: tuple[str, ...] | None = None, interrupted: bool = False) -> None:
        posterior = be.load(fitted)
        convergence = posterior.convergence
        if problems is not None:
            convergence = replace(convergence, problems=problems)
        settings = replace(posterior.settings, interrupted=interrupted)
        changed = replace(posterior, convergence=convergence, settings=settings)
        monkeypatch.setattr(inference, "fit", lambda *_, **__: changed)

    return stub


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


def test_summary_counts_what_is_there(run: Run, ratings: Path):
    ended = run(f"summary {COLUMNS}", ratings)
    assert ended.status == 0
    assert "72 ratings, 3 systems, 6 annotators" in ended.out
    document = run(f"summary {COLUMNS} --json", ratings).json
    assert document["judgements"]["scale"]["labels"] == ["1", "2", "3", "4", "5"]
    assert {fact["section"] for fact in document["facts"]} >= {"scale", "ratings by category"}


def test_summary_reads_text_ratings_missing_cells_and_an_export_without_identities(
    run: Run, tmp_path: Path
):
    path = tmp_path / "text.tsv"
    cells = ["Poor", "Good", "NA", "Good=ish", "Don't know"]
    pd.DataFrame({"model": ["a", "b", "a", "b", "a"], "score": cells}).to_csv(
        path, index=False, sep="\t"
    )
    labels = ["--label", "Poor=1", "--label", "Good=2", "--label", "Good=ish=1.5"]
    ended = run(
        "summary --no-annotator --system model --rating score --missing NA --json",
        path,
        *labels,
        "--label",
        "Don't know=",
    )
    assert ended.status == 0, ended.err
    judgements = ended.json["judgements"]
    assert judgements["n_annotators"] is None
    assert judgements["n_judgements"] == 3
    assert judgements["scale"]["labels"] == ["Poor", "Good=ish", "Good"]
    assert sum(dropped["n_rows"] for dropped in judgements["dropped"]) == 2


def test_duplicates_are_refused_in_the_words_of_the_command_line(run: Run, tmp_path: Path):
    path = tmp_path / "twice.csv"
    pd.DataFrame({"worker": ["w", "w"], "model": "a", "prompt": 1, "score": [1, 2]}).to_csv(path)
    ended = run(f"summary {COLUMNS}", path)
    assert ended.status == 2
    assert "--repeats" in ended.err
    assert "--no-annotator" in ended.err


def test_summary_reads_another_encoding(run: Run, tmp_path: Path):
    path = tmp_path / "latin.csv"
    frame = pd.DataFrame({"worker": ["w"], "model": ["Über"], "prompt": [1], "score": [1]})
    frame.to_csv(path, encoding="cp1252", index=False)
    assert "--encoding" in run(f"summary {COLUMNS}", path).err
    assert "Über" in run(f"summary {COLUMNS} --encoding cp1252", path).out


def test_summary_takes_several_moderators_and_counts(run: Run, tmp_path: Path):
    path = tmp_path / "counted.csv"
    frame = pd.DataFrame(
        {
            "w": ["1", "1"],
            "m": ["a", "b"],
            "s": [1, 3],
            "day": ["1", "2"],
            "lang": "en",
            "n": [2, 5],
        }
    )
    frame.to_csv(path, index=False)
    ended = run(
        "summary --annotator w --system m --rating s --moderator day --moderator lang "
        "--count n --repeats --json",
        path,
    )
    assert ended.status == 0, ended.err
    assert ended.json["judgements"]["moderators"] == {"day": ["1", "2"], "lang": ["en"]}
    assert ended.json["judgements"]["n_judgements"] == 7


@pytest.mark.parametrize(
    ("protocol", "row", "options", "n_systems"),
    [
        ("pairwise", {"l": "a", "r": "b", "v": "left"}, "--outcome v --label left=a", 2),
        ("pairwise", {"l": "a", "r": "b", "v": "b", "k": 1}, "--winner v --ranking k", 2),
        ("spa", {"l": "a", "r": "b", "v": 70}, "--probability v --scale 0 100", 2),
        ("strength", {"l": "a", "r": "b", "v": -2}, "--strength v --scale -3 3 --positive a", 2),
        ("magnitude", {"m": "a", "v": 120}, "--system m --magnitude v --reference 100", 1),
    ],
)
def test_summary_reads_every_protocol(
    run: Run, tmp_path: Path, protocol: str, row: dict[str, Any], options: str, n_systems: int
):
    path = tmp_path / "table.csv"
    pd.DataFrame([row]).to_csv(path, index=False)
    pair = "--system-a l --system-b r" if "l" in row else ""
    ended = run(f"summary --protocol {protocol} --no-annotator {pair} {options} --json", path)
    assert ended.status == 0, ended.err
    judgements = ended.json["judgements"]
    assert judgements["protocol"] == protocol
    assert judgements["n_judgements"] == 1
    assert len(judgements["systems"]) == n_systems
    assert judgements["scale"] is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--system-a l --system-b r", "no --outcome or --winner"),
        ("--system-a l --outcome v", "no --system-b"),
        ("--system-a l --system-b r --outcome v --label left", "TEXT=OUTCOME"),
        ("--system-a l --system-b r --outcome v --scale 1 5", "--scale is not for pairwise"),
    ],
)
def test_pairs_say_what_is_lacking_or_foreign(run: Run, tmp_path: Path, options: str, said: str):
    path = tmp_path / "table.csv"
    pd.DataFrame([{"l": "a", "r": "b", "v": "a"}]).to_csv(path, index=False)
    ended = run(f"summary --protocol pairwise --no-annotator {options}", path)
    assert ended.status == 2
    assert said in ended.err


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
