"""Examples of every family, from ``models/<family>/examples.py``: what the contract is asked of.

Such a file has ``EXAMPLES``, by name a family and a function that returns judgements, and for
families with priors ``SIMULATED``, by name a family and a function that draws a study (see
``tests/calibration/test_simulated.py``). A subclass may stand in the file of its parent.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from bayeseval.families import _FAMILIES
from bayeseval.judgements import Judgements

MODELS = Path(__file__).parents[2] / "models"

type Example = tuple[Any, Callable[[], Judgements]]


def folders_of(family: type) -> Iterator[Path]:
    """Return the folders of a family's class and of its parents, by their names in words."""
    for kind in family.__mro__[:-1]:
        yield MODELS / re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


@cache
def _module(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"examples_of_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def given(family: type, what: str) -> dict[str, Any]:
    """Return those of ``EXAMPLES`` or ``SIMULATED`` that are of a family; empty without."""
    found: dict[str, Any] = {}
    for folder in folders_of(family):
        path = folder / "examples.py"
        if path.is_file():
            stated: Mapping[str, Any] = getattr(_module(path), what, {})
            found |= {name: one for name, one in stated.items() if type(one[0]) is family}
    return found


EXAMPLES: dict[str, Example] = {
    name: example for family in _FAMILIES for name, example in given(family, "EXAMPLES").items()
}
SIMULATED: dict[str, Any] = {
    name: study for family in _FAMILIES for name, study in given(family, "SIMULATED").items()
}
# A family that draws by itself has no density.
WITH_DENSITY = [name for name, (family, _) in EXAMPLES.items() if hasattr(family, "density")]
FIRST_WITH_DENSITY = list(
    {type(EXAMPLES[name][0]): name for name in reversed(WITH_DENSITY)}.values()
)[::-1]
