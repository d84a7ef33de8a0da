"""The public names: each resolves, is documented, and stands in every list of them."""

import ast
import re
import shutil
from pathlib import Path

import pytest

import bayeseval
from tests import inventory

SOURCE = Path(bayeseval.__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", bayeseval.__all__)
def test_public_name_resolves_and_is_documented(name: str):
    value = getattr(bayeseval, name)
    assert (type(value) if name == "settings" else value).__doc__
    assert name in dir(bayeseval)


def test_public_names_are_sorted_and_listed_once():
    assert list(bayeseval.__all__) == sorted(set(bayeseval.__all__))


def test_no_public_name_hides_a_module_or_is_hidden_by_one():
    folder = Path(bayeseval.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")}
    modules |= {path.parent.name for path in folder.glob("*/__init__.py")}
    # `settings` is imported eagerly, after its module, and so is always the object.
    assert modules & set(bayeseval.__all__) == {"settings"}


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'fti'"):
        bayeseval.__getattr__("fti")


def test_names_for_the_type_checker_are_those_imported_lazily():
    (guarded,) = (
        node
        for node in ast.parse(SOURCE).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    typed = {
        alias.name: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == bayeseval._HOME
    assert set(typed) < set(bayeseval.__all__)


def test_lists_of_names_protocols_and_families_agree():
    assert inventory.disagreements() == []


def test_inventory_names_what_a_list_lacks_and_what_it_has_too_much(tmp_path: Path):
    for folder in ("models", "docs/reference"):
        shutil.copytree(inventory.ROOT / folder, tmp_path / folder)
    text = (inventory.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    changed = re.sub(r"^\| `OrdinalProbit`", "| `OrdinalLogit`", text, flags=re.MULTILINE)
    (tmp_path / "ARCHITECTURE.md").write_text(changed, encoding="utf-8")
    (tmp_path / "models" / "stray").mkdir()
    (tmp_path / "models" / "stray" / "card.md").touch()
    found = "\n".join(inventory.disagreements(tmp_path))
    assert "ARCHITECTURE.md lacks OrdinalProbit" in found
    assert "ARCHITECTURE.md names OrdinalLogit" in found
    assert "folders of models/ names stray" in found
    page = tmp_path / "docs" / "reference" / "errors.md"
    page.write_text(page.read_text(encoding="utf-8").replace("ModelError", "ModlError"), "utf-8")
    found = "\n".join(inventory.disagreements(tmp_path))
    assert "docs/reference lacks ModelError, which bayeseval.__all__ has" in found
    assert "docs/reference names ModlError" in found


@pytest.mark.parametrize(
    ("family", "folder"),
    [
        ("OrdinalProbit", "ordinal_probit"),
        ("SPABeta", "spa_beta"),
        ("BradleyTerry", "bradley_terry"),
    ],
)
def test_folder_of_a_family_follows_from_its_name(family: str, folder: str):
    assert inventory._folder(family) == folder
