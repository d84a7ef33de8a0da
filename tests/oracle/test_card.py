"""Card, programs, data and reference values of every family belong together."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.oracle.plain import card

ROOT = Path(__file__).parents[2]
FAMILIES = sorted(path.parent for path in (ROOT / "models").glob("*/card.md"))
PROGRAMS = sorted((ROOT / "models").glob("*/model*.stan"))
HEADINGS = [
    "Question it answers",
    "Protocol",
    "Data and notation",
    "Likelihood",
    "Priors",
    "Identifiability",
    "What the numbers mean",
    "When not to use it",
    "Limiting cases",
    "References",
]


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def sections(card: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)$", card, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def block(program: str, keyword: str) -> str:
    """Return a block of a Stan program without comments."""
    text = re.sub(r"//.*", "", program)
    start = re.search(rf"^{keyword} \{{$", text, flags=re.MULTILINE)
    assert start is not None, f"no block {keyword!r}"
    return text[start.end() : text.index("\n}", start.end())]


def declared(program: str, keyword: str) -> set[str]:
    """Return the names that a block declares at its top level."""
    names = re.findall(r"^  \S.*?(\w+);", block(program, keyword), flags=re.MULTILINE)
    return set(names)


def companion(program: Path, kind: str) -> Path:
    return program.with_name(f"{program.stem.replace('model', kind, 1)}.json")


def test_every_folder_has_a_card_and_a_line_in_the_table():
    readme = (ROOT / "models" / "README.md").read_text("utf-8")
    folders = [path for path in (ROOT / "models").iterdir() if path.is_dir()]
    assert sorted(folders) == FAMILIES
    for program in PROGRAMS:
        assert f"({program.relative_to(ROOT / 'models').as_posix()})" in readme
    for family in FAMILIES:
        assert f"({family.name}/card.md)" in readme
        # A family that draws by itself has no density that a program could hold; its card says so.
        direct = "There is no Stan program" in (family / "card.md").read_text("utf-8")
        assert (family / "model.stan").is_file() != direct


@pytest.mark.parametrize("family", FAMILIES, ids=lambda p: p.name)
class TestCard:
    def test_has_the_fixed_headings_in_order_and_none_is_empty(self, family: Path):
        found = sections((family / "card.md").read_text("utf-8"))
        assert list(found) == HEADINGS
        assert [heading for heading, text in found.items() if not text.strip()] == []

    def test_names_every_parameter_and_prior_scale_of_the_programs(self, family: Path):
        found = sections((family / "card.md").read_text("utf-8"))
        notation = set(re.findall(r"`(\w+)`", found["Data and notation"]))
        priors = set(re.findall(r"`(\w+)`", found["Priors"]))
        for program in family.glob("model*.stan"):
            text = program.read_text("utf-8")
            assert declared(text, "parameters") - notation == set(), program.name
            data = declared(text, "data")
            scales = {n for n in data if re.search(r"_(scale|prior|centre|shape)$", n)}
            assert scales - priors == set(), program.name
            assert data - scales - notation == set(), program.name
            assert f"`{program.name}`" in found["Data and notation"]

    def test_cites_keys_that_the_bibliography_has(self, family: Path):
        card = (family / "card.md").read_text("utf-8")
        bibliography = (ROOT / "docs" / "references.bib").read_text("utf-8")
        known = set(re.findall(r"^@\w+\{(\w+),$", bibliography, flags=re.MULTILINE))
        cited = set(re.findall(r"\{cite:[pt]\}`(\w+)`", card))
        assert cited
        assert cited - known == set()
        listed = set(re.findall(r"\{cite:t\}`(\w+)`", sections(card)["References"]))
        assert cited - listed == set()

    def test_programs_share_their_functions_word_for_word(self, family: Path):
        bodies: dict[str, set[str]] = {}
        for program in family.glob("model*.stan"):
            functions = block(program.read_text("utf-8"), "functions")
            for function in re.split(r"\n(?=  real )", functions)[1:]:
                signature = re.match(r"\s*real (\w+)", function)
                assert signature is not None
                bodies.setdefault(signature[1], set()).add(function.strip())
        assert {n for n, versions in bodies.items() if len(versions) > 1} == set()


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
class TestReference:
    def test_belongs_to_the_program_and_data_as_they_are(self, program: Path):
        reference = json.loads(companion(program, "reference").read_text("utf-8"))
        data = companion(program, "data")
        assert reference["program"] == program.name
        assert reference["data"] == data.name
        outdated = "run tests.oracle.make_reference again"
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (program, data)]
        assert [reference["program_sha256"], reference["data_sha256"]] == digests, outdated

    def test_moves_every_parameter_alone_under_two_settings_of_every_prior(self, program: Path):
        reference = json.loads(companion(program, "reference").read_text("utf-8"))
        first, *others = reference["points"]
        parameters = declared(program.read_text("utf-8"), "parameters")
        assert set(first["values"]) == parameters
        moved = set()
        for point in others:
            if point["kind"] == "move":
                changed = {n for n, v in point["values"].items() if v != first["values"][n]}
                assert len(changed) == 1, point["name"]
                moved |= changed
        assert moved == parameters
        assert {point["kind"] for point in others} == {"draw", "move", "edge"}
        default, other = reference["prior_settings"].values()
        assert set(default) == set(other)
        assert [n for n in default if default[n] == other[n]] == []

    def test_data_are_unpleasant(self, program: Path):
        data = json.loads(companion(program, "data").read_text("utf-8"))
        assert 10 <= data["n_rows"] <= 20
        assert len(set(data["count"])) > 1, "unequal counts"
        met = dict.fromkeys(range(1, data["n_systems"] + 1), 0)
        columns = [column for column in ("system", "system_a", "system_b") if column in data]
        for column in columns:
            for s, w in zip(data[column], data["count"], strict=True):
                met[s] += w
        assert len(set(met.values())) > 1, "systems met unequally often"
        found = card(program.parent.name).unpleasant(data)
        assert [what for what, holds in found.items() if not holds] == []
