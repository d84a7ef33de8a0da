"""What every file goes through: its path, its size, and which file and record an error is about."""

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from bayeseval._checks import shown, some
from bayeseval.errors import BayesEvalError, JudgementError

type Paths = str | Path | Sequence[str | Path]

# Logs of inspect_ai unpack to 5 to 50 times their size, workbooks to 10; deflate can reach 1,000.
_MOST_TIMES_PACKED = 100
_ALWAYS_UNPACKED = 100_000_000

_reading: ContextVar[Path | None] = ContextVar("reading", default=None)
_record: ContextVar[str] = ContextVar("record", default="")


@contextmanager
def naming_the_file(*paths: Path):
    """Turn whatever goes wrong with a file's content into the package's error that names the file.

    The record is named where the reader goes through them with `numbered`. Of several files errors
    of the package are left as they are: they name the file themselves.
    """
    if len(paths) == 1 and _reading.get() == paths[0]:
        yield
        return
    reading = _reading.set(paths[0] if len(paths) == 1 else _reading.get())
    record = _record.set("")
    name = shown(paths[0].name, quoted=False)
    if len(paths) > 1:
        name += f" and {len(paths) - 1} more"
    try:
        yield
    except BayesEvalError as error:
        if len(paths) > 1:
            raise
        where = f"{name}: {_record.get()}" if _record.get() else name
        raise type(error)(f"{where}: {error}") from None
    except Exception as error:
        raise JudgementError(f"{name}: {_in_words(error, _record.get())}") from error
    finally:
        _reading.reset(reading)
        _record.reset(record)


# What Python calls the values of JSON.
_VALUES = {
    "str": "a text",
    "string": "a text",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "dict": "an object",
    "NoneType": "an empty value (null)",
}


def _found(error: Exception) -> str:
    """Say what was met in a record, for somebody who does not know Python."""
    said = str(error)
    if isinstance(error, KeyError):
        return f"it lacks {shown(error.args[0])}" if error.args else "something is lacking"
    if isinstance(error, TypeError | AttributeError):
        named = re.search(rf"'({'|'.join(_VALUES)})'|^(string|list) indices", said)
        if named:
            value = _VALUES[named[2] or named[1]]
            return f"{value} stands where something else belongs"
    return f"{type(error).__name__}: {shown(said, most=160, quoted=False)}"


def _in_words(error: Exception, record: str) -> str:
    if isinstance(error, MemoryError):
        return "the file does not fit into memory."
    if isinstance(error, OSError) and error.strerror:
        return f"the file cannot be opened or read: {error.strerror}."
    if isinstance(error, UnicodeEncodeError):
        return "a text holds half of a surrogate pair, which cannot be stored; correct the export."
    return (
        f"{record or 'the content'} is not built as expected ({_found(error)}). "
        "The file is damaged or of another format, or an argument does not fit it; open it in an "
        "editor and compare, or export it again."
    )


def numbered[Record](records: Iterable[Record], *, noun: str) -> Iterator[tuple[int, Record]]:
    """Count records from 1; an error that comes up meanwhile names the one that was being read."""
    for number, record in enumerate(records, start=1):
        _record.set(f"{noun} {number:,}")
        yield number, record
    _record.set("")


def paths_of(path: object, *suffixes: str) -> list[Path]:
    """Return one file, several, or where suffixes are given all such files of a folder."""
    if not isinstance(path, str | Path):
        if not isinstance(path, Sequence) or not path:
            raise JudgementError(
                f"path= must name a file, or be a list of files; found {shown(path)} "
                f"({type(path).__name__})."
            )
        return [file for part in path for file in paths_of(part)]
    found = Path(path)
    files: list[Path] = []
    try:
        is_folder, is_file = found.is_dir(), found.is_file()
        if is_folder and suffixes:
            files = sorted(file for file in found.iterdir() if file.suffix.lower() in suffixes)
    except (OSError, ValueError) as error:
        raise JudgementError(
            f"the path {shown(str(found))} cannot be used: {shown(error, quoted=False)}."
        ) from None
    if is_folder and suffixes:
        if files:
            return files
        raise JudgementError(
            f"the folder {shown(str(found), most=300)} holds no {' or '.join(suffixes)} file."
        )
    if is_folder:
        raise JudgementError(f"{shown(str(found), most=300)} is a folder. Name one file in it.")
    if not is_file:
        raise JudgementError(
            f"there is no file {shown(str(found), most=300)}. Check the path (now in {Path.cwd()})."
        )
    return [found]


def parse_json(text: str, *, what: str, remedy: str = "") -> object:
    """Parse JSON; a text that is none, or that is nested without end, is an error."""
    try:
        return json.loads(text)
    except RecursionError:
        raise JudgementError(f"{what} is nested too deeply to be judgements.") from None
    except json.JSONDecodeError as error:
        raise JudgementError(f"{what} is not valid JSON: {error}.{remedy}") from None


def open_archive(path: Path) -> zipfile.ZipFile:
    """Open a zip archive that does not unpack to a multiple of what such a file can hold."""
    archive = zipfile.ZipFile(path)
    unpacked = sum(part.file_size for part in archive.infolist())
    packed = path.stat().st_size
    if unpacked > max(_ALWAYS_UNPACKED, _MOST_TIMES_PACKED * packed):
        archive.close()
        raise JudgementError(
            f"the archive of {packed:,} bytes unpacks to {unpacked:,}, more than "
            f"{_MOST_TIMES_PACKED} times its size: it is damaged, or made to fill the memory."
        )
    return archive


def needed(columns: Iterable[object], names: Sequence[str], *, of: str) -> None:
    """Raise where one of a format's own columns is not there."""
    there = [str(column) for column in columns]
    lacking = [name for name in names if name not in there]
    if lacking:
        raise JudgementError(
            f"expected the columns {some(names, most=9)} of {of}; "
            f"{some(lacking)} {'is' if len(lacking) == 1 else 'are'} not there, the file has "
            f"{some(there, most=12)}."
        )
