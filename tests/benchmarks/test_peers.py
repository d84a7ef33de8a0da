"""What the benchmark of peers says of contenders that are absent, fail or take too long."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.benchmarks._peers import child, report
from tests.benchmarks._peers.contenders import CONTENDERS, NEAR, OTHER, Contender
from tests.benchmarks._peers.contract import Result, Settings, Stages
from tests.benchmarks._peers.processes import (
    Outcome,
    answer_line,
    first_error,
    measure,
    read_answer,
    run_limited,
)
from tests.benchmarks._peers.programs import Program, find

SETTINGS = Settings(draws=50, tune=10, chains=2, cores=1, seed=1)
OWN = Contender("bayeseval", "bayeseval", "likert:bayeseval")
PEER = Contender("brms", "brms", "likert_free.R", OTHER)


# Counts its own runs beside the answer, and speaks of warnings after it, as R does.
SCRIPT = """
import json, os, pathlib, sys, time
import numpy as np
answer = pathlib.Path(sys.argv[1])
with answer.with_suffix(".runs").open("a") as file:
    file.write(os.environ["NUMBA_CACHE_DIR"] + "\\n")
entered = time.time()
draws = np.random.default_rng(1).normal((0.0, 1.0), size=(2, 50, 2))
np.savez(answer, systems=["A", "B"], scores=draws)
stages = {"import": 0.5, "sample": 2.0}
line = {"entered": entered, "done": time.time(), "stages": stages, "divergences": 3}
print("ranking", json.dumps(line), "Warning message:", sep="\\n")
"""


class Scripted(Program):
    """A program that does what the script says."""

    def command(self, target: str, data: Path, answer: Path, settings: Settings) -> list[str]:
        """Return the command that runs the script."""
        return [self.executable, "-c", SCRIPT, str(answer)]


def done(contender: Contender, seconds: float, *, ess: float = 800.0) -> Outcome:
    """Return what a contender with two systems came to."""
    quality = pd.DataFrame(
        {"mean": [0.5, -0.5], "sd": [0.1, 0.1], "mcse": [0.005, 0.005]}, index=["A", "B"]
    )
    return Outcome(
        contender,
        "done",
        seconds=seconds,
        stages={"import": 1.0, "fit": seconds - 1.0},
        sampling=2.0,
        divergences=0,
        quality=quality,
        diagnosis={"bulk": ess, "tail": ess, "ess": ess, "rhat": 1.001},
    )


def test_absent_program_is_a_row(tmp_path: Path) -> None:
    found = find("a-package-that-nobody-installs", tmp_path)
    outcome = measure(PEER, found, tmp_path, SETTINGS, tmp_path / "runs", limit=1.0, quick=True)
    assert outcome.state == "absent"
    assert "not installed" in str(report.sampled_table("Likert", [outcome]))


def test_failing_contender_is_a_row_with_its_error(tmp_path: Path) -> None:
    program = Program("1", sys.executable)
    broken = replace(OWN, target="likert:nobody")
    outcome = measure(
        broken, program, tmp_path, SETTINGS, tmp_path / "runs", limit=60.0, quick=False
    )
    assert outcome.state == "failed"
    assert "has no attribute 'nobody'" in str(report.sampled_table("Likert", [outcome]))


def test_second_process_where_compiled_code_is_kept(tmp_path: Path) -> None:
    program = Scripted("1", sys.executable)
    for cached, n_runs in ((False, 1), (True, 2)):
        contender = replace(OWN, name=f"cached {cached}", cached=cached)
        outcome = measure(contender, program, tmp_path, SETTINGS, tmp_path, limit=60.0, quick=False)
        assert outcome.state == "done"
        assert (outcome.first is not None) == cached
        assert outcome.divergences == 3
        assert outcome.diagnosis is not None
        assert outcome.ess_rate == pytest.approx(outcome.diagnosis["ess"] / 2.0)
        (runs,) = tmp_path.glob(f"cached_{cached}/*.runs")
        folders = runs.read_text(encoding="utf-8").splitlines()
        assert folders == [str(runs.parent / "numba")] * n_runs


def fits_again(data: Path, settings: Settings, stages: Stages) -> Result:
    """Fit at once, and a second time slowly."""
    del data, settings
    stages.end("fit")
    scores = np.array([0.5, -0.5])
    return Result(systems=["A", "B"], scores=scores, again=lambda: time.sleep(0.4))


def test_second_fit_is_timed_after_the_ranking(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = tmp_path / "found.npz"
    child.main([f"{__name__}:{fits_again.__name__}", "votes", str(answer), *"11111"])
    told = answer_line(capsys.readouterr().out)
    assert told["again"] >= 0.4
    assert set(told["stages"]) == {"fit", "rank and print"}
    assert told["done"] - told["entered"] == pytest.approx(sum(told["stages"].values()), abs=0.01)


def test_ratio_of_second_fits() -> None:
    nuts = replace(OWN, name="bayeseval, NUTS")
    arena = replace(PEER, program="arena-rank")
    found = [done(OWN, 2.0), done(nuts, 20.0), done(arena, 6.0)]
    assert report.wanted({"pairwise": found}, None)[-1].row()[-1] == "Not measured."
    found[0], found[2] = replace(found[0], again=0.1), replace(found[2], again=2.5)
    ratio = report.wanted({"pairwise": found}, None)[-1]
    assert ratio.value == pytest.approx(25.0)
    assert ratio.row()[-1] == "Reached."
    assert "2.50" in str(report.fitted_table("Pairwise", found))


def test_process_over_the_limit_is_ended_with_its_children() -> None:
    program = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    started = time.monotonic()
    code, printed = run_limited([sys.executable, "-c", program], os.environ, limit=1.0)
    # Reading to the end of the pipe, which the child holds too, would take its 60 seconds.
    assert time.monotonic() - started < 20
    assert (code, printed) == (None, "")


@pytest.mark.parametrize(
    ("printed", "line"),
    [
        ("Traceback …\n  File …\nValueError: no such column\n", "ValueError: no such column"),
        ("Error in f(): what went wrong\nCalls: f\nExecution halted\n", "Error in f(): what went"),
        ("something else\n\n", "something else"),
    ],
)
def test_the_line_that_names_an_error(printed: str, line: str) -> None:
    assert first_error(printed).startswith(line)


def test_draws_of_r_and_python_are_read_alike(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal((0.0, 1.0, 5.0), size=(SETTINGS.chains, SETTINGS.draws, 3))
    np.savez(tmp_path / "found.npz", systems=["A", "C", "B"], scores=scores)
    frame = pd.DataFrame(scores.reshape(-1, 3), columns=["A", "C", "B"])
    frame.to_csv(tmp_path / "draws.csv", index=False)
    python, found = read_answer(tmp_path / "found.npz", SETTINGS)
    r, _ = read_answer(tmp_path / "draws.csv", SETTINGS)
    pd.testing.assert_frame_equal(python, r)
    assert list(python.index) == ["A", "B", "C"]
    assert python["mean"].sum() == pytest.approx(0.0, abs=1e-12)
    assert found is not None
    assert found["ess"] <= min(found["bulk"], found["tail"])


def test_ratios_and_verdicts() -> None:
    found = [done(OWN, 10.0), done(PEER, 150.0, ess=20.0)]
    cold, python, ess = report.wanted({"likert": found}, None)
    assert cold.value == pytest.approx(15.0)
    assert cold.row()[-1] == "Reached."
    assert ess.value == pytest.approx(40.0)
    assert python.row()[-1] == "Not measured."


def test_peer_over_the_limit_gives_a_bound() -> None:
    over = Outcome(PEER, "over", "over 600 s", seconds=600.0)
    for seconds, said in ((30.0, "Reached."), (100.0, "Not shown.")):
        cold = report.wanted({"likert": [done(OWN, seconds), over]}, None)[0]
        assert cold.row()[2].startswith("> ")
        assert cold.row()[-1] == said


def test_disagreement_is_said() -> None:
    same = done(replace(PEER, likeness="draws"), 20.0)
    assert same.quality is not None
    apart = replace(same, quality=same.quality.assign(mean=[0.6, -0.6]))
    near = replace(apart, contender=replace(PEER, likeness=NEAR))
    table = report.agreement_table("Do they agree?", [done(OWN, 10.0), same, apart, near])
    assert table is not None
    assert [row[-1] for row in table.rows] == ["yes", "NO", "NO"]
    assert [row[3] for row in table.rows] == ["0.00", "1.00", "1.00"]


def test_a_model_of_its_own_is_set_beside_its_like() -> None:
    like = done(replace(OWN, name="bayeseval, smaller", likeness=OTHER), 10.0, ess=8000.0)
    peer = done(replace(PEER, beside="bayeseval, smaller", likeness=NEAR), 100.0, ess=200.0)
    outcomes = [done(OWN, 10.0), like, peer]
    table = report.agreement_table("Do they agree?", outcomes)
    assert table is not None
    assert [row[1] for row in table.rows] == ["bayeseval", "bayeseval, smaller"]
    *_, free, same = report.wanted({"likert": outcomes}, None)
    assert free.value == pytest.approx(4.0)
    assert same.value == pytest.approx(40.0)


def test_gradient_must_not_exceed() -> None:
    found = {report.NORMAL: 20.0, report.KERNEL: 50.0}
    (ratio,) = report.wanted({}, found)
    assert ratio.row()[-1] == "Reached."
    (ratio,) = report.wanted({}, {**found, report.KERNEL: 70.0})
    assert ratio.row()[-1] == "NOT reached."


def test_bayeseval_comes_first_and_targets_exist() -> None:
    folder = Path(__file__).parent / "_peers"
    for part, contenders in CONTENDERS.items():
        assert contenders[0].program == "bayeseval"
        assert len({each.name for each in contenders}) == len(contenders)
        for each in contenders:
            if each.target.endswith(".R"):
                assert (folder / each.target).exists()
            else:
                module, function = each.target.split(":")
                assert module == part
                assert f"def {function}(" in (folder / f"{module}.py").read_text(encoding="utf-8")
