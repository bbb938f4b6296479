"""Reading the user's files: regular files only, of bounded size, UTF-8, with errors that name the line."""

import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO

from iamhumans.errors import InputError, Place

MAX_FILE_BYTES = 1_000_000
"""The largest file that is read whole: a case, a verdict, a rubric, a skill. Replies are streamed instead."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading. A folder, a pipe or a device is an InputError at once, and never waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        _require_regular(path.stat(), path)
        descriptor = os.open(path, flags)
        try:
            _require_regular(os.fstat(descriptor), path)  # the path may name another file by now
            return os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise
    except FileNotFoundError:
        raise InputError("There is no such file.", fix="Check the path.", where=Place(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"The file cannot be read: {reason}.", where=Place(path)) from None


def read_bytes(path: Path, *, limit: int = MAX_FILE_BYTES) -> bytes:
    """The bytes of a regular file; ``-`` is standard input. More than ``limit`` bytes are an InputError."""
    if str(path) == "-":
        data = sys.stdin.buffer.read(limit + 1)
    else:
        with open_regular(path) as file:
            data = file.read(limit + 1)
    if len(data) > limit:
        fix = "Check that it is the right file, or split it."
        raise InputError(f"The file is larger than {limit:,} bytes.", fix=fix, where=Place(path))
    return data


def read_text(path: Path, *, limit: int = MAX_FILE_BYTES) -> str:
    """The text of a regular file in UTF-8; ``-`` is standard input."""
    return decode_text(read_bytes(path, limit=limit), path)


def decode_text(data: bytes, place: Path | None = None) -> str:
    r"""Decode UTF-8 bytes, drop a byte-order mark, and make every line end ``\n``. A wrong byte is an InputError."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        utf_16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        problem = "This file is UTF-16, not UTF-8." if utf_16 else f"Byte {error.start + 1} is not UTF-8."
        raise InputError(problem, fix="Save the file as UTF-8.", where=Place(place, line)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path lies in a folder once all links are resolved."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _require_regular(status: os.stat_result, path: Path) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise InputError("This is a folder, not a file.", fix="Name a file.", where=Place(path))
    if not stat.S_ISREG(status.st_mode):
        fix = "Name a regular file. To read a pipe, name `-` and send it to standard input."
        raise InputError("This is a pipe or a device, not a regular file.", fix=fix, where=Place(path))
