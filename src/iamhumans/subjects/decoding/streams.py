"""A file as a stream of UTF-8 bytes: unpacked, and recoded where it is UTF-16 or UTF-32."""

import bz2
import codecs
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from iamhumans.errors import InputError, Place
from iamhumans.text import open_regular

DAMAGED = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""What reading a broken archive or disk raises."""
_HEAD = 64
_BUFFER = 262_144
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@contextmanager
def open_stream(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if it is packed with gzip, bzip2 or xz; ``-`` is standard input."""
    if str(path) == "-":
        if sys.stdin.buffer.seekable():
            sys.stdin.buffer.seek(0)
        yield _unpacked(sys.stdin.buffer, path)
        return
    with open_regular(path) as file:
        yield _unpacked(file, path)


def as_utf_8(file: BinaryIO) -> BinaryIO:
    """The same text in UTF-8, without a byte-order mark, with a buffer in which :func:`head` can look far ahead."""
    start = head(file)
    encoding = next((name for mark, name in _MARKS if start.startswith(mark)), None) or _unmarked(start)
    raw = _Lent(file) if encoding is None else _Recoded(file, encoding)
    text = cast("BinaryIO", io.BufferedReader(raw, _BUFFER))
    if start.startswith(codecs.BOM_UTF8):
        text.read(len(codecs.BOM_UTF8))
    beginning = head(text, _BUFFER)
    if b"\r" in beginning and b"\n" not in beginning:
        return cast("BinaryIO", io.BufferedReader(_Lent(text, ends=b"\r"), _BUFFER))
    return text


def head(file: BinaryIO, size: int = _HEAD) -> bytes:
    """The first bytes, which stay unread."""
    if isinstance(file, io.BufferedReader):
        return file.peek(size)[:size]
    start = file.read(size)
    file.seek(-len(start), io.SEEK_CUR)
    return start


def _unpacked(file: BinaryIO, path: Path) -> BinaryIO:
    start = head(file)
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        raise InputError("The file is packed with Zstandard.", fix="Unpack it with `zstd -d`.", where=Place(path))
    for mark, unpack in _PACKED.items():
        if start.startswith(mark):
            return cast("BinaryIO", io.BufferedReader(_Lent(cast("BinaryIO", unpack(file)))))
    return file


_PACKED: dict[bytes, Callable[[BinaryIO], object]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}


def _unmarked(start: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of what is mostly ASCII is zero."""
    if len(start) < 4 or b"\0" not in start:
        return None
    even, odd = start[0::2].count(0), start[1::2].count(0)
    most = len(start) // 2 * 0.7
    if odd >= most and not even:
        return "utf-16-le"
    return "utf-16-be" if even >= most and not odd else None


class _Lent(io.RawIOBase):
    """A file that stays open when what reads from it is closed. All that comes before a damage in it is read.

    ``ends`` is what ends its lines in place of a line feed.
    """

    def __init__(self, file: BinaryIO, *, ends: bytes = b"\n") -> None:
        self._file, self._ends = file, ends
        self._damage: BaseException | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._damage is not None:
            raise self._damage
        filled = 0
        while filled < len(buffer):
            try:
                # Not `read`, which forgets what it has when a later piece is damaged.
                piece = cast("io.BufferedReader", self._file).read1(len(buffer) - filled)
            except DAMAGED as error:
                if not filled:
                    raise
                self._damage = error
                break
            if not piece:
                break
            buffer[filled : filled + len(piece)] = piece.replace(self._ends, b"\n")
            filled += len(piece)
        return filled


class _Recoded(io.RawIOBase):
    """Text in another encoding as UTF-8. What is no text becomes a replacement character."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            piece = cast("io.BufferedReader", self._file).read1(io.DEFAULT_BUFFER_SIZE)
            self._ready = self._decoder.decode(piece, final=not piece).encode("utf-8", "replace")
            if not piece:
                break
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)
