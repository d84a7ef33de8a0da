"""A posterior on disk: netCDF with everything that is needed to use it again, never pickle."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import BayesEvalError
from bayeseval.families._declaration import Declaration, Effect, Term

_KIND = "bayeseval posterior"
_FORMAT = 1
_ATTRIBUTE = "bayeseval"


def write(tree: xr.DataTree, content: Mapping[str, Any], path: Path) -> None:
    """Write draws and what belongs to them; the file appears only when it is complete.

    Parameters
    ----------
    tree
        The draws.
    content
        Everything else, in terms of JSON.
    path
        The file; replaced where it exists.
    """
    tree = tree.copy()
    header = {"kind": _KIND, "format": _FORMAT, "checksum": _checksum(tree)}
    tree.attrs[_ATTRIBUTE] = json.dumps({**header, **content}, ensure_ascii=False)
    partial = path.with_name(path.name + ".partial")
    try:
        tree.to_netcdf(partial, engine="h5netcdf", mode="w")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read(path: Path) -> tuple[xr.DataTree, dict[str, Any]]:
    """Read what :func:`write` wrote into memory.

    Raises
    ------
    BayesEvalError
        Where the file is missing, damaged, of another kind, or of a newer format.
    """
    if not path.is_file():
        raise BayesEvalError(f"there is no file {str(path)!r}")
    try:
        with xr.open_datatree(path, engine="h5netcdf") as opened:
            tree = opened.load()
    except (OSError, ValueError, KeyError, RuntimeError, TypeError) as error:
        raise BayesEvalError(
            f"{str(path)!r} cannot be read as netCDF: it is damaged, incomplete or of another "
            f"kind ({type(error).__name__}: {error})"
        ) from error
    text = tree.attrs.pop(_ATTRIBUTE, None)
    try:
        content = json.loads(text) if isinstance(text, str) else None
    except json.JSONDecodeError:
        content = None
    if not isinstance(content, dict) or content.get("kind") != _KIND:
        raise BayesEvalError(
            f"{str(path)!r} is a netCDF file, but no posterior that bayeseval saved; it has the "
            f"groups {some(tree.groups)}"
        )
    if content["format"] > _FORMAT:
        raise BayesEvalError(
            f"{str(path)!r} was written by a newer bayeseval (format {content['format']}, this "
            f"one reads up to {_FORMAT}); upgrade bayeseval"
        )
    if content["checksum"] != _checksum(tree):
        raise BayesEvalError(
            f"{str(path)!r} is damaged: its values do not match the checksum written with them"
        )
    return tree, content


def declaration_record(declaration: Declaration[Any]) -> dict[str, Any]:
    """Return a declaration in terms of JSON."""
    return {
        "family": declaration.family,
        "coords": {name: list(labels) for name, labels in declaration.coords.items()},
        "has_criterion": declaration.has_criterion,
        "effects": [asdict(effect) for effect in declaration.effects],
        "response": asdict(declaration.response),
        "left_out": dict(declaration.left_out),
        "correlation_shape": declaration.correlation_shape,
        "components": [list(group) for group in declaration.components],
        "terms": [asdict(term) for term in declaration.terms],
    }


def declaration_from(record: Mapping[str, Any], family: Any) -> Declaration[Any]:
    """Make a declaration from its record; the family knows its response."""
    effects = tuple(
        Effect(**{**effect, "dims": tuple(effect["dims"]), "shape": tuple(effect["shape"])})
        for effect in record["effects"]
    )
    return Declaration(
        family=record["family"],
        coords={name: tuple(labels) for name, labels in record["coords"].items()},
        has_criterion=record["has_criterion"],
        effects=effects,
        response=family.response_from(record["response"]),
        left_out=record["left_out"],
        correlation_shape=record["correlation_shape"],
        components=tuple(tuple(group) for group in record["components"]),
        terms=tuple(
            Term(**{**term, "columns": tuple(term["columns"])}) for term in record["terms"]
        ),
    )


def _checksum(tree: xr.DataTree) -> str:
    """Hash of all values, to tell a damaged file."""
    digest = hashlib.sha256()
    for path in sorted(tree.groups):
        dataset = tree[path].dataset
        for name in sorted(map(str, dataset.variables)):
            values = np.ascontiguousarray(dataset[name].values)
            digest.update(f"{path}/{name}{values.shape}".encode())
            if values.dtype.kind in "OU":
                digest.update(
                    "\x00".join(map(str, values.ravel())).encode("utf-8", "surrogatepass")
                )
            else:
                digest.update(values.astype(np.float64).tobytes())
    return digest.hexdigest()
