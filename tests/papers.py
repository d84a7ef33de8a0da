"""Import the example scripts that reproduce the papers' tables."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

EXAMPLES = Path(__file__).parents[1] / "examples"


def script(name: str) -> ModuleType:
    """Import one of the scripts in examples/, which import one another by their plain names."""
    sys.path.insert(0, str(EXAMPLES))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(EXAMPLES))
