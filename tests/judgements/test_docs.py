"""The code on the pages about protocols and importing runs as printed."""

import doctest
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from bayeseval.judgements import likert, pairwise
from tests.judgements.exports import BATTLES, MQM, MTURK, PEOPLE, QUALTRICS

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [*sorted((DOCS / "protocols").glob("*.md")), DOCS / "howto" / "import.md"]
RANKINGS = (
    "segmentId,judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"
    "7,j1,A,B,C,1,3,3\n"
)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the files that the pages read, and go where they are."""
    (tmp_path / "batch.csv").write_text(MTURK, encoding="utf-8")
    (tmp_path / "survey.csv").write_text(QUALTRICS, encoding="utf-8")
    (tmp_path / "battles.jsonl").write_text("\n".join(map(json.dumps, BATTLES)), encoding="utf-8")
    (tmp_path / "rankings.csv").write_text(RANKINGS, encoding="utf-8")
    (tmp_path / "mqm.tsv").write_text(MQM, encoding="utf-8")
    people = PEOPLE.assign(**{"Participant id": ["R_1", "R_2"]})
    people.to_csv(tmp_path / "prolific.csv", index=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("module", [likert, pairwise], ids=lambda module: module.__name__)
def test_the_examples_of_docstrings_run(module: ModuleType):
    assert doctest.testmod(module).attempted > 0
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.usefixtures("files")
def test_the_code_of_a_page_runs(page: Path):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
