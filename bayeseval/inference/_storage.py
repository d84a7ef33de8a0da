"""A posterior on disk: netCDF with everything that is needed to use it again, never pickle."""

import hashlib
import io
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from bayeseval._checks import some
from bayeseval._files import read_whole, write_whole
from bayeseval.errors import BayesEvalError
from bayeseval.families._declaration import Declaration, Effect, Term

_KIND = "bayeseval posterior"
_FORMAT = 1
_ATTRIBUTE = "bayeseval"
# After the netCDF: readers of netCDF stop before it, and bayeseval looks at it before HDF5, which
# may never come back from a damaged file, sees a byte.
_SEAL = b"\nbayeseval sha256 "
_SEALED = len(_SEAL) + 64 + 1

_log = logging.getLogger("bayeseval")


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
    header = {"kind": _KIND, "format": _FORMAT, "checksum": _checksum(tree), "sealed": True}
    tree.attrs[_ATTRIBUTE] = json.dumps({**header, **content}, ensure_ascii=False)
    # In memory first: HDF5 ends the process where the disk is full.
    body = bytes(tree.to_netcdf(None, engine="h5netcdf"))
    seal = _SEAL + hashlib.sha256(body).hexdigest().encode() + b"\n"
    write_whole(path, body + seal, "posterior")


def read(path: Path) -> tuple[xr.DataTree, dict[str, Any]]:
    """Read what :func:`write` wrote into memory.

    Raises
    ------
    BayesEvalError
        Where the file is missing, damaged, of another kind, or of a newer format.
    """
    held = read_whole(path)
    body, seal = held[:-_SEALED], held[-_SEALED:]
    sealed = seal.startswith(_SEAL)
    if sealed and seal != _SEAL + hashlib.sha256(body).hexdigest().encode() + b"\n":
        raise BayesEvalError(
            f"{str(path)!r} is damaged or was edited: its bytes do not match the digest at its end"
        )
    try:
        with xr.open_datatree(io.BytesIO(body if sealed else held), engine="h5netcdf") as opened:
            tree = opened.load()
    except (OSError, LookupError, ValueError, RuntimeError, TypeError, MemoryError) as error:
        raise BayesEvalError(
            f"{str(path)!r} cannot be read as netCDF: it is damaged, incomplete or of another "
            f"kind ({type(error).__name__}: {error})"
        ) from error
    content = _header(tree, path)
    if not sealed:
        if content.get("sealed"):
            raise BayesEvalError(f"{str(path)!r} is damaged: its end, with the digest, is missing")
        _log.warning(
            "%s was written by an earlier bayeseval: its draws match their checksum, the rest is "
            "not checked; save it again to seal it",
            path,
        )
    return tree, content


def _header(tree: xr.DataTree, path: Path) -> dict[str, Any]:
    """Take what belongs to the draws from the file's attribute, and check that it belongs."""
    text = tree.attrs.pop(_ATTRIBUTE, None)
    try:
        content = json.loads(text) if isinstance(text, str) else None
    except (json.JSONDecodeError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("kind") != _KIND:
        raise BayesEvalError(
            f"{str(path)!r} is a netCDF file, but no posterior that bayeseval saved; it has the "
            f"groups {some(tree.groups)}"
        )
    written, checksum = content.get("format"), content.get("checksum")
    if not isinstance(written, int) or not isinstance(checksum, str):
        raise BayesEvalError(
            f"the header of {str(path)!r} is damaged: it has the format {written!r} and the "
            f"checksum {checksum!r}, where a whole number and a text should be"
        )
    if written > _FORMAT:
        raise BayesEvalError(
            f"{str(path)!r} was written by a newer bayeseval (format {written}, this one reads up "
            f"to {_FORMAT}); upgrade bayeseval"
        )
    if checksum != _checksum(tree):
        raise BayesEvalError(
            f"{str(path)!r} is damaged: its values do not match the checksum written with them"
        )
    return content


def posterior_record(posterior: Any) -> dict[str, Any]:
    """Return all of a posterior but its draws in terms of JSON."""
    return {
        "family": {"name": posterior.family.name, "fields": _fields(posterior.family)},
        "declaration": declaration_record(posterior.declaration),
        "fingerprint": posterior.fingerprint,
        "settings": asdict(posterior.settings),
        "convergence": {
            **_fields(posterior.convergence),
            "table": posterior.convergence.table.to_dict(orient="list"),
        },
        "approximate": posterior.approximate,
    }


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
        "design_notes": list(declaration.design_notes),
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
        # Files of earlier versions have none.
        design_notes=tuple(record.get("design_notes", ())),
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


def _fields(record: Any) -> dict[str, Any]:
    return {setting.name: getattr(record, setting.name) for setting in fields(record)}
