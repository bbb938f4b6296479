"""Which format a file has, by its name and its first bytes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from iamhumans.errors import InputError, Place
from iamhumans.subjects.decoding.archives import zip_rows
from iamhumans.subjects.decoding.json_values import lines_of, values_of
from iamhumans.subjects.decoding.parquet import parquet_rows
from iamhumans.subjects.decoding.record import Record
from iamhumans.subjects.decoding.streams import DAMAGED, as_utf_8, head, open_stream
from iamhumans.subjects.decoding.tables import looks_like_table, table_of

_SAMPLE = 65_536
_PACKED = (".gz", ".bz2", ".xz", ".zst")
_TABLES = {".csv": None, ".tsv": "\t", ".tab": "\t"}
_LINES = (".jsonl", ".ndjson")
_BINARY = {b"PK\x03\x04": "a ZIP file or a spreadsheet", b"SQLite format 3": "a database", b"%PDF": "a PDF"}


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file, whatever its format; ``-`` is standard input. Raises InputError."""
    number = 0
    with open_stream(path) as file:
        try:
            for record in _records(file, path):
                number = record.number
                yield record
        except DAMAGED as error:
            problem = str(error) or type(error).__name__
            yield Record(number + 1, None, InputError(f"The file cannot be read any further: {problem}."))


def kind_of(path: Path) -> str:
    """The last suffix of a name, in small letters, without that of a compression."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in _PACKED), "")


def _records(file: BinaryIO, path: Path) -> Iterator[Record]:
    start, kind = head(file), kind_of(path)
    if start.startswith(b"PAR1"):
        return parquet_rows(file, path)
    if start.startswith(b"PK\x03\x04") and kind not in (".xlsx", ".docx", ".ods"):
        return zip_rows(file, path)
    for mark, name in _BINARY.items():
        if start.startswith(mark):
            fix = "Export it as CSV, JSON Lines or Parquet."
            raise InputError(f"The file is {name}.", fix=fix, where=Place(path))
    if kind == ".parquet":
        raise InputError("The file is not Parquet, despite its name.", where=Place(path))
    file = as_utf_8(file)
    if kind in _TABLES:
        return table_of(file, _TABLES[kind])
    return _text_records(file, kind)


def _text_records(file: BinaryIO, kind: str) -> Iterator[Record]:
    sample = head(file, _SAMPLE).lstrip()
    first, newline, rest = sample.partition(b"\n")
    first = first.strip()
    if sample[:1] in (b"[", b"{"):
        value = _value(first)
        if not newline and len(sample) > 1000 and value is None:
            return values_of(file)  # one long line
        if isinstance(value, list):
            return lines_of(file) if rest.strip() else values_of(file)
        is_broken_line = kind in _LINES and len(first) > 2 and not first.endswith(b",")
        return lines_of(file) if value is not None or is_broken_line else values_of(file)
    if kind not in _LINES and first and looks_like_table(first.decode("utf-8", "replace")):
        return table_of(file)
    return lines_of(file)


def _value(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
