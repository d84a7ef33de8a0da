"""The one place where a file of the package is written, whole or not at all, and read back."""

import os
from pathlib import Path

from bayeseval._checks import shown
from bayeseval.errors import BayesEvalError


def path_of(path: object) -> Path:
    """Return a path, or refuse what is none."""
    if not isinstance(path, str | Path):
        raise BayesEvalError(f"path must be the name of a file, as text or a Path; got {path!r}")
    return Path(path)


def check_place(path: Path, what: str) -> None:
    """Refuse a place where no file can be written, before the work that is to be written there.

    Parameters
    ----------
    path
        The file that is to be.
    what
        What it is, for the message.

    Raises
    ------
    BayesEvalError
        Where the folder is not there or cannot be written to, or the path is no file's.
    """
    try:
        if "\0" in str(path):
            raise ValueError("a name cannot hold a null character")
        if path.exists() and not path.is_file():
            # Moving a file there would replace a device, such as /dev/null, for the whole machine.
            raise BayesEvalError(
                f"the {what} must be a file; {named(path)} is a folder or a device"
            )
        folder = path.absolute().parent
        if not folder.is_dir():
            raise BayesEvalError(
                f"the folder of the {what} must exist; there is no folder {named(path.parent)}. "
                "Make it first, or save elsewhere"
            )
        if not os.access(folder, os.W_OK):
            raise BayesEvalError(
                f"the {what} cannot be written to {named(path)}: its folder is read-only. Choose "
                "another, or change who may write there"
            )
    except BayesEvalError:
        raise
    except (OSError, ValueError) as error:
        raise _unwritten(path, what, error) from error


def write_whole(path: Path, content: bytes | memoryview, what: str) -> None:
    """Write a file beside its place and move it there when it is complete.

    Whatever goes wrong on the way, such as a full disk, leaves no part of the new file, and an
    older file of the name as it was.

    Parameters
    ----------
    path
        The file; replaced where it exists.
    content
        All of it.
    what
        What it is, for the message.

    Raises
    ------
    BayesEvalError
        Where it cannot be written.
    """
    check_place(path, what)
    partial = path.with_name(f"{path.name}.partial")
    try:
        try:
            partial.write_bytes(content)
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        raise _unwritten(path, what, error) from error


def _unwritten(path: Path, what: str, error: Exception) -> BayesEvalError:
    return BayesEvalError(
        f"the {what} cannot be written to {named(path)}: {in_words(error)}. Nothing was written, "
        "and an older file of this name is as it was; make room, or write elsewhere"
    )


def read_whole(path: Path) -> bytes:
    """Read a file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    bytes
        All of it.

    Raises
    ------
    BayesEvalError
        Where there is none, or it cannot be read.
    """
    # Not Path.is_file, which raises where a name is too long for the system.
    if not os.path.isfile(path):  # noqa: PTH113
        raise BayesEvalError(f"there is no file {named(path)}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise BayesEvalError(f"{named(path)} cannot be read: {in_words(error)}") from error


def named(path: Path) -> str:
    """Write a path for a message."""
    return shown(str(path), most=200)


def in_words(error: Exception) -> str:
    """Write what the system said, without the path, which may be long."""
    return str(getattr(error, "strerror", None) or error)
