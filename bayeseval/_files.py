"""The one place where a file of the package is written: whole, or not at all."""

from pathlib import Path

from bayeseval.errors import BayesEvalError


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
    if path.exists() and not path.is_file():
        # Moving a file there would replace a device, such as /dev/null, for the whole machine.
        raise BayesEvalError(f"the {what} must be a file; {str(path)!r} is a folder or a device")
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        raise BayesEvalError(
            f"the {what} cannot be written to {str(path)!r}: {error.strerror or error}. Nothing "
            "was written, and an older file of this name is as it was; make room, or write "
            "elsewhere"
        ) from error
    finally:
        partial.unlink(missing_ok=True)
