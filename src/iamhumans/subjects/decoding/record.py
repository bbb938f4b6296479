"""One record of a file."""

from typing import Any, NamedTuple

MAX_RECORD_BYTES = 16_000_000
"""The largest line, object or cell that is read; one that holds pictures may be large."""


class Record(NamedTuple):
    """A value of a file, or the InputError in its place."""

    number: int  # counts from 1; the line in a file of lines
    line: int | None  # where it begins
    value: Any
    model: str = ""  # the model that the file names once for all its records
