"""Reading the user's text files: UTF-8 only, of bounded size, with errors that name the line."""

from __future__ import annotations

import sys
from pathlib import Path

from iamhumans.errors import InputError, Place

MAX_FILE_BYTES = 1_000_000
"""Largest file that is read whole: a case, a verdict, a rubric, a skill. Replies files are streamed instead."""


def decode_text(data: bytes, place: Path | None = None) -> str:
    r"""Decode UTF-8 bytes; a byte-order mark is dropped and line ends become ``\n``.

    Raises:
        InputError: The bytes are not UTF-8; names the line of the first wrong byte.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        what = "This file is UTF-16, not UTF-8." if wide else f"Byte {error.start + 1} is not UTF-8."
        raise InputError(what, fix="Save the file as UTF-8.", place=Place(place, line)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: Path, *, limit: int = MAX_FILE_BYTES) -> str:
    """The text of a file; ``-`` is standard input.

    Raises:
        InputError: The file is missing, is a folder, cannot be read, is larger than ``limit`` bytes, or is not UTF-8.
    """
    if str(path) == "-":
        return decode_text(_within(sys.stdin.buffer.read(limit + 1), limit, path), path)
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise InputError("There is no such file.", fix="Check the path.", place=Place(path)) from None
    except IsADirectoryError:
        raise InputError("This is a folder; a file was expected.", place=Place(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"The file cannot be read: {reason}.", place=Place(path)) from None
    return decode_text(_within(data, limit, path), path)


def _within(data: bytes, limit: int, path: Path) -> bytes:
    if len(data) > limit:
        raise InputError(
            f"The file is larger than {limit:,} bytes.",
            fix="Split it, or check that it is the file you meant.",
            place=Place(path),
        )
    return data
