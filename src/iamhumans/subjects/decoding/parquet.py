"""Parquet, by pyarrow."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from iamhumans.errors import InputError, Place
from iamhumans.subjects.decoding.record import Record

_ROWS_AT_ONCE = 500


def parquet_rows(file: BinaryIO, path: Path) -> Iterator[Record]:
    """The rows of a Parquet file, a few at a time. Raises InputError."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        fix = "Install it: pip install 'iamhumans[parquet]'."
        raise InputError("Reading Parquet needs pyarrow.", fix=fix, where=Place(path)) from None
    number = 0
    try:
        if not file.seekable():
            raise InputError("Parquet cannot be read from a pipe.", fix="Name the file.", where=Place(path))
        for batch in parquet.ParquetFile(file).iter_batches(batch_size=_ROWS_AT_ONCE):
            for row in batch.to_pylist():
                number += 1
                yield Record(number, None, row)
    except (arrow.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        problem = " ".join(str(error).split())[:200]
        raise InputError(f"The file is not Parquet that can be read: {problem}", where=Place(path)) from None
