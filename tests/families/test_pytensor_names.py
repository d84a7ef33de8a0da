"""What PyTensor keeps below its public door is named in one module."""

import re
from pathlib import Path

import bayeseval

PACKAGE = Path(bayeseval.__file__).parent
ONLY = "families/_pytensor.py"
PUBLIC = ("pytensor", "pytensor.tensor", "pytensor.tensor.variable")


def test_only_one_module_names_the_inside_of_pytensor() -> None:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        modules = re.findall(r"^ *(?:from|import) (pytensor[\w.]*)", path.read_text("utf-8"), re.M)
        inside = sorted({name for name in modules if name not in PUBLIC})
        if inside and path.relative_to(PACKAGE).as_posix() != ONLY:
            found[path.name] = inside
    assert not found, f"import these from {ONLY}: {found}"


def test_all_that_is_named_is_there() -> None:
    from bayeseval.families import _pytensor

    assert not [name for name in _pytensor.__all__ if not hasattr(_pytensor, name)]
