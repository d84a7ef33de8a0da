"""Check that the lists of what the package has agree with what it has.

Run as ``python -m tests.inventory``; prints what disagrees and exits with 1. Compared are the names
that ``bayeseval`` and its public modules export, the reference index of the docs, the tables of
ARCHITECTURE.md, the table of models/README.md and the folders below models/.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The public modules; what stands in the first one is not listed again for the others.
MODULES = (
    "bayeseval",
    "bayeseval.judgements",
    "bayeseval.simulate",
    "bayeseval.families",
    "bayeseval.inference",
    "bayeseval.comparison",
    "bayeseval.planning",
    "bayeseval.reporting",
    "bayeseval.agreement",
    "bayeseval.frequentist",
    "bayeseval.huse",
)


def disagreements(root: Path = ROOT) -> list[str]:
    """Return one sentence for each list that lacks something or names something not there."""
    import bayeseval
    from bayeseval.families import _FAMILIES
    from bayeseval.judgements import Judgements

    public = set(bayeseval.__all__)
    protocols = {
        name: value
        for name in public
        if isinstance(value := getattr(bayeseval, name), type)
        and issubclass(value, Judgements)
        and value is not Judgements
    }
    families = {family.__name__: family for family in _FAMILIES}
    architecture = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    models = (root / "models" / "README.md").read_text(encoding="utf-8")
    return [
        *_reference(root / "docs" / "reference", public),
        *_compare(
            "the protocols of ARCHITECTURE.md",
            _table(architecture, "Protocols"),
            "the package",
            protocols,
        ),
        *_compare(
            "the families of ARCHITECTURE.md",
            _table(architecture, "Families"),
            "the package",
            families,
        ),
        *_compare(
            "models/README.md",
            set(re.findall(r"`bayeseval\.(\w+)`", models)),
            "the package",
            families,
        ),
        *_compare(
            "the folders of models/",
            {path.parent.name for path in (root / "models").glob("*/card.md")},
            "the package",
            {
                _folder(name)
                for name, family in families.items()
                if not _is_variant(family, families)
            },
        ),
        *_compare("bayeseval.__all__", set(families) & public, "the families", families),
        *(
            f"the family {name} models {family.protocol!r}, which is no protocol"
            for name, family in families.items()
            if family.protocol not in {each.protocol for each in protocols.values()}
        ),
    ]


def _is_variant(family: type, families: dict[str, type]) -> bool:
    """Whether a family is another one with other defaults, such as Thurstone."""
    return any(family is not other and issubclass(family, other) for other in families.values())


def _folder(family: str) -> str:
    """Return the folder of a family: OrdinalProbit lives in ordinal_probit, SPABeta in spa_beta."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", family).lower()


def _reference(folder: Path, public: set[str]) -> Iterator[str]:
    """Compare the reference pages with the names that each module exports."""
    listed = _indexed(folder)
    for module in MODULES:
        exported = set(import_module(module).__all__)
        expected = exported if module == "bayeseval" else exported - public
        yield from _compare(
            "docs/reference", listed.pop(module, set()), f"{module}.__all__", expected
        )
    for module in listed:
        yield f"docs/reference lists names of {module}, which is no public module"


def _indexed(folder: Path) -> dict[str, set[str]]:
    """Return the names in the autosummary lists of the reference pages, by module."""
    found: dict[str, set[str]] = {}
    for page in sorted(folder.glob("*.md")):
        module = "bayeseval"
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"```\{eval-rst\}\n(.*?)```", text, re.DOTALL):
            for line in block.splitlines():
                if line.startswith(".. currentmodule::"):
                    module = line.split()[-1]
                elif name := re.fullmatch(r" +([A-Za-z_]\w*)", line):
                    found.setdefault(module, set()).add(name[1])
    return found


def _table(text: str, heading: str) -> set[str]:
    """Return the names in code font in the first column of the table below a heading."""
    section = re.split(rf"^#+ {heading}$", text, flags=re.MULTILINE)[1]
    rows = re.split(r"^#+ ", section, flags=re.MULTILINE)[0].splitlines()
    return {name for row in rows for name in re.findall(r"^\| `(\w+)`", row)}


def _compare(one: str, found: Iterable[str], other: str, expected: Iterable[str]) -> list[str]:
    found, expected = set(found), set(expected)
    lines = []
    if lacking := expected - found:
        lines.append(f"{one} lacks {', '.join(sorted(lacking))}, which {other} has")
    if surplus := found - expected:
        lines.append(f"{one} names {', '.join(sorted(surplus))}, which {other} does not have")
    return lines


if __name__ == "__main__":
    problems = disagreements()
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    sys.exit(bool(problems))
