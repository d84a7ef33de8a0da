"""Kernels by name: made at the first use ever, and kept in a folder as modules that Numba caches.

A kernel's file is named by a hash of all that its source and its machine code come from: the
module of its formula, this package, the compiled functions that it calls, and the versions of
PyTensor and Numba. It is found without importing PyTensor, and never out of date.
"""

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from bayeseval.families._declaration import FloatArray, Scalar

_FAMILIES = Path(__file__).parents[1]
# In the past: Numba compares the time of a source, and two processes may write the same one.
_TIME = 1_000_000_000
_SEAL = "# sha256 "


class FormulaResponse:
    """What a response has whose kernel is made from a formula.

    It says in which module of ``bayeseval.families`` the formula is, what its name is, and which
    fixed numbers it reads.
    """

    formula_module: str
    """The module that has a tuple ``FORMULAS``."""

    @property
    def formula_name(self) -> str:
        """Name of the formula."""
        raise NotImplementedError

    @property
    def constants(self) -> Mapping[str, float]:
        """Fixed numbers of the formula."""
        return {}

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Parameters, in the sampler's order."""
        raise NotImplementedError

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """Unconstrained parameters of one criterion, in the sampler's order."""
        return {scalar.name: () for scalar in self.scalars}

    def log_probability(self, predictors: Any, scalars: Any, answer: Any) -> Any:
        """Return the log probability of one judgement of every cell, in PyTensor."""
        formula = _formula(self.formula_module, self.formula_name)
        return formula.log_probability(predictors, scalars, answer, self.constants)

    @property
    def module(self) -> ModuleType:
        """The kernel's module."""
        return kernel_module(self.formula_module, self.formula_name)

    @property
    def kernel(self) -> Any:
        """The compiled log density of the answers."""
        return self.module.kernel

    @property
    def log_density(self) -> Any:
        """The log density of the model with that kernel."""
        return self.module.log_density

    @property
    def n_answers_read(self) -> int:
        """How many of the answer's columns, from the first, the kernel reads."""
        return self.module.ANSWERS_READ

    @property
    def options(self) -> FloatArray:
        """Where each scalar of the formula stands, -1 for none, and the fixed numbers."""
        at = {scalar.name: position for position, scalar in enumerate(self.scalars)}
        module = self.module
        positions = [at.get(name, -1) for name in module.SCALARS]
        numbers = [self.constants[name] for name in module.CONSTANTS]
        return np.array([*positions, *numbers], dtype=np.float64)


@cache
def kernel_module(formulas: str, name: str) -> ModuleType:
    """Return the module of a kernel, made now where it is not yet kept.

    Parameters
    ----------
    formulas
        Name of the module of its formula, below ``bayeseval.families``.
    name
        Name of the formula.
    """
    stem = f"{name}_{_key(formulas)}"
    for folder in _folders():
        try:
            path = _kept(folder, stem, formulas, name)
        except OSError:
            continue
        module_name = f"bayeseval_kernels.{stem}"
        spec = spec_from_file_location(module_name, path)
        if spec is None:
            continue
        module = module_from_spec(spec)
        sys.modules[module_name] = module
        # Not by the loader, which would read compiled code that nobody has checked.
        exec(compile(path.read_bytes(), path, "exec"), module.__dict__)
        return module
    raise OSError(f"no folder to write the kernel {name!r} to, not even a temporary one")


def _key(formulas: str) -> str:
    """Return a hash of everything that a kernel's source and machine code come from."""
    spec = find_spec(f"bayeseval.families.{formulas}")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module of formulas called {formulas!r}")
    called = [_FAMILIES / f"_{name}.py" for name in ("block_math", "callback")]
    paths = [
        Path(spec.origin),
        *sorted(Path(__file__).parent.glob("*.py")),
        *sorted(_FAMILIES.glob("_*_kernel.py")),
        *sorted(_FAMILIES.glob("_pymc_*.py")),
        *called,
    ]
    digest = sha256(f"{version('pytensor')} {version('numba')}".encode())
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _folders() -> Iterator[Path]:
    """Yield where kernels may be kept: by the package, for the user, until the process ends."""
    if "NUMBA_CACHE_DIR" in os.environ:
        yield Path(os.environ["NUMBA_CACHE_DIR"]) / "bayeseval_kernels"
    yield _FAMILIES / "__pycache__" / "kernels"
    yield Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "bayeseval"
    yield Path(tempfile.mkdtemp(prefix="bayeseval_"))


def _kept(folder: Path, stem: str, formulas: str, name: str) -> Path:
    """Return a kernel's file, written now where there is none; OSError where that cannot be."""
    path = folder / f"{stem}.py"
    if path.exists() and os.access(folder, os.W_OK) and _is_whole(path.read_bytes()):
        return path
    folder.mkdir(parents=True, exist_ok=True)
    source = _source(formulas, name)
    source += _SEAL + sha256(source.encode()).hexdigest() + "\n"
    handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
    # Whole at once: another process sees all of the file or nothing.
    os.close(handle)
    temporary = Path(temporary)
    temporary.write_text(source, encoding="utf-8")
    os.utime(temporary, (_TIME, _TIME))
    temporary.replace(path)
    return path


def _is_whole(content: bytes) -> bool:
    """Say whether a kernel's file ends in the digest of what stands before: a disk can fail."""
    source, seal, digest = content.rpartition(_SEAL.encode())
    return bool(seal) and digest.strip().decode("ascii", "replace") == sha256(source).hexdigest()


def _source(formulas: str, name: str) -> str:
    # Only here PyTensor is needed, which takes a second to import.
    with warnings.catch_warnings():
        # That it finds no BLAS means nothing here.
        warnings.simplefilter("ignore")
        from bayeseval.families.engine.printing import kernel_source

        return kernel_source(_formula(formulas, name), f"bayeseval/families/{formulas}.py")


def _formula(formulas: str, name: str) -> Any:
    known = import_module(f"bayeseval.families.{formulas}").FORMULAS
    return next(formula for formula in known if formula.name == name)
