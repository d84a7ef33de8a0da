"""From a file to a data frame that holds the needed columns, with cells as they were written."""

import codecs
import csv
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import is_zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from bayeseval._checks import need_extra, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._intake import check_sources
from bayeseval.judgements._reading import numbered, open_archive, parse_json

if TYPE_CHECKING:
    import duckdb

# Beyond these sizes equal rows are counted by DuckDB while the file is read; errors then tell how
# many rows are concerned, not which.
MOST_PARQUET_ROWS = 2_000_000
MOST_TEXT_BYTES = 200_000_000
MEMORY_LIMIT = "700MB"

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
_FROM_EXCEL = "Give a workbook its suffix .xlsx, or save the sheet as CSV."
PACKED = {
    b"PK\x03\x04": ("an Excel workbook or another zip archive", _FROM_EXCEL),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", "Save it as .xlsx or as CSV."),
    b"\x1f\x8b": ("gzip", "Unpack it, or read it with pandas.read_csv and use from_frame."),
}
PARQUET = (".parquet", ".pq")
EXCEL = (".xlsx", ".xlsm")


def read_frame(
    path: Path,
    roles: Mapping[str, str | None],
    *,
    typed: Sequence[str] = (),
    separator: str | None = None,
    encoding: str = "utf-8",
) -> object:
    """Read the columns that ``roles`` names.

    In CSV every cell is kept as text, so that ``"007"`` and ``"NA"`` stay what they are, but for
    the roles in ``typed``. Only an empty cell is missing.
    """
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        return _read_parquet(path, roles)
    if suffix in EXCEL and path.stat().st_size:
        return read_excel(path, roles)
    refuse_packed(path)
    if not path.stat().st_size:
        raise JudgementError("the file is empty (0 bytes). Export it again, with its header row.")
    if suffix == ".json" or suffix in JSON_LINES:
        return _read_json(path, roles, lines=suffix in JSON_LINES, encoding=encoding)
    if separator is None and suffix not in SEPARATORS:
        known = [*SEPARATORS, ".json", *JSON_LINES, *PARQUET, *EXCEL]
        raise JudgementError(
            f"cannot tell the kind of file from {path.suffix!r}; known are {', '.join(known)}. For "
            'delimited text pass separator=",", or read the file yourself and use from_frame.'
        )
    return _read_delimited(path, roles, typed, separator or SEPARATORS[suffix], encoding)


def refuse_packed(path: Path) -> None:
    """Refuse a file whose first bytes show that it is no text, whatever it is called.

    Workbooks are known by their suffix, and logs of inspect_ai, which are archives too.
    """
    if path.suffix.lower() in (*EXCEL, ".eval"):
        return
    with path.open("rb") as file:
        begins = file.read(len(max(PACKED, key=len)))
    for mark, (kind, remedy) in PACKED.items():
        if begins.startswith(mark):
            raise JudgementError(f"this is {kind}, not text. {remedy}")


def _read_parquet(path: Path, roles: Mapping[str, str | None]) -> object:
    try:
        described = pyarrow.parquet.read_metadata(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise JudgementError(
            f"this is no readable Parquet file ({error}). Export it again."
        ) from None
    sources = check_sources(roles, described.schema.to_arrow_schema().names)
    if described.num_rows > MOST_PARQUET_ROWS:
        return _engine().read_parquet(str(path))
    return pyarrow.parquet.read_table(path, columns=list(sources.values()))


def _engine() -> "duckdb.DuckDBPyConnection":
    """Return a DuckDB of its own, in bounded memory."""
    need_extra(
        "large",
        "duckdb",
        what="reading so large a file",
        otherwise="read it with another library and pass its frame to from_frame",
        error=JudgementError,
    )
    import duckdb

    limits: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY_LIMIT,
        "preserve_insertion_order": False,
    }
    return duckdb.connect(config=limits)


def _read_delimited(
    path: Path,
    roles: Mapping[str, str | None],
    typed: Sequence[str],
    separator: str,
    encoding: str,
) -> object:
    _refuse_unknown(encoding)
    separator = "\t" if separator == "\\t" else separator
    if not isinstance(separator, str) or len(separator.encode()) != 1:
        raise JudgementError(
            f"separator= must be one character, such as ';' or a tab; found {separator!r}."
        )
    # The byte-order mark is stripped by this name, and by Arrow on its own.
    header_encoding = "utf-8-sig" if encoding.lower().replace("_", "-") == "utf-8" else encoding
    try:
        with path.open(encoding=header_encoding, newline="") as file:
            names = next(csv.reader(file, delimiter=separator), [])
        sources = check_sources(roles, names)
        kept_as_text = {name: pa.string() for role, name in sources.items() if role not in typed}
        if path.stat().st_size > MOST_TEXT_BYTES and encoding.lower() in ("utf-8", "utf8"):
            return _engine().read_csv(
                str(path), sep=separator, header=True, dtype=dict.fromkeys(kept_as_text, "VARCHAR")
            )
        return pyarrow.csv.read_csv(
            path,
            read_options=pyarrow.csv.ReadOptions(encoding=encoding),
            parse_options=pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=list(sources.values()),
                column_types=kept_as_text,
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except UnicodeError:
        raise _not_encoded(encoding) from None
    except csv.Error as error:
        raise JudgementError(
            f"the header cannot be read with {separator!r} between columns ({error}). Look for a "
            "quotation mark that is never closed."
        ) from None
    except pa.ArrowInvalid as error:
        if "UTF8" in str(error):
            raise _not_encoded(encoding) from None
        raise JudgementError(
            f"the file cannot be read as text with {separator!r} between columns: {error}. Correct "
            "the row, or pass the separator= that the file uses."
        ) from None


def _refuse_unknown(encoding: str) -> None:
    try:
        codecs.lookup(encoding)
    except (LookupError, TypeError):
        raise JudgementError(
            f"encoding= must be one that Python knows, such as 'utf-8', 'cp1252' or 'utf-16'; "
            f"found {encoding!r}."
        ) from None


def _not_encoded(encoding: str) -> JudgementError:
    return JudgementError(
        f"the file is not encoded as {encoding}. Pass the encoding it has, for example "
        'encoding="cp1252" or encoding="utf-16", or save it as UTF-8.'
    )


def _read_json(
    path: Path, roles: Mapping[str, str | None], *, lines: bool, encoding: str
) -> pd.DataFrame:
    _refuse_unknown(encoding)
    header_encoding = "utf-8-sig" if encoding.lower().replace("_", "-") == "utf-8" else encoding
    try:
        text = path.read_text(encoding=header_encoding)
    except UnicodeError:
        raise _not_encoded(encoding) from None
    records: list[dict[str, object]] = []
    names: dict[str, None] = {}
    content = json_lines(text) if lines else _whole_json(text)
    for _, record in numbered(content, noun="record"):
        if not isinstance(record, dict):
            raise JudgementError(
                f"expected a list of objects, one a judgement; this is {type(record).__name__}. "
                "Flatten nested lists first (see the how-to on importing)."
            )
        records.append(record)
        names.update(dict.fromkeys(record))
    sources = check_sources(roles, list(names))
    return pd.DataFrame(
        {
            name: pd.Series([record.get(name) for record in records], dtype=object)
            for name in sources.values()
        }
    )


def json_lines(text: str) -> list[object]:
    """Parse JSON lines; blank lines are skipped, a broken line is named."""
    remedy = (
        " Correct or remove the line; a file that holds one JSON document must be called .json."
    )
    return [
        parse_json(line, what=f"line {number:,}", remedy=remedy)
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def _whole_json(text: str) -> list[object]:
    remedy = " A file with one object a line must be called .jsonl."
    content = parse_json(text, what="the file", remedy=remedy)
    if isinstance(content, list):
        return content
    if isinstance(content, dict):
        lengths = {len(column) for column in content.values() if isinstance(column, list)}
        if len(lengths) == 1 and all(isinstance(column, list) for column in content.values()):
            return [
                dict(zip(content, row, strict=True)) for row in zip(*content.values(), strict=True)
            ]
        raise JudgementError(
            "expected a list of objects, or an object of equally long lists; found an object with "
            f"{some(content)}. Take out the list of judgements and use from_frame."
        )
    raise JudgementError(
        f"expected a list of objects; found {type(content).__name__}. Use from_frame."
    )


def read_excel(path: Path, roles: Mapping[str, str | None] | None = None) -> pd.DataFrame:
    """Read the one sheet of a workbook that has something, or that has the columns of ``roles``."""
    if not is_zipfile(path):
        raise JudgementError("this is no Excel workbook, or it is damaged. Save it again.")
    need_extra(
        "excel",
        "openpyxl",
        what="reading a workbook",
        otherwise="save the sheet as CSV",
        error=JudgementError,
    )
    open_archive(path).close()
    with warnings.catch_warnings():
        # Of styles and validations that openpyxl does not know; the cells are whole.
        warnings.simplefilter("ignore", UserWarning)
        sheets = pd.read_excel(
            path, sheet_name=None, dtype=object, engine="openpyxl", keep_default_na=False,
            na_values=[""],
        )  # fmt: skip
    filled = {name: sheet for name, sheet in sheets.items() if len(sheet.columns)}
    if not filled:
        raise JudgementError("the workbook is empty.")
    wanted = {name for name in (roles or {}).values() if name is not None}
    having = [name for name, sheet in filled.items() if wanted <= set(sheet.columns)]
    if len(filled) > 1 and len(having) > 1:
        raise JudgementError(
            f"the sheets {some(having)} could all be meant. Keep one in the file, or read it with "
            "pandas.read_excel(sheet_name=…) and use from_frame."
        )
    sheet = filled[having[0] if having else next(iter(filled))]
    return sheet.rename(columns=str)
