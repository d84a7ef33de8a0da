"""The command summary: files of every protocol, and words for what is wrong with them."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.cli.commands import COLUMNS, Run


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
