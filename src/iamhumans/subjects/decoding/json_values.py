"""JSON as a stream of records: lines, the elements of an array, or those of a list inside an object."""

import json
import re
from collections.abc import Generator, Iterator
from typing import Any, BinaryIO, TypeAlias

from iamhumans.errors import InputError
from iamhumans.subjects.decoding.holders import HOLDERS, inner_rows, is_holder, is_message, is_row, model_beside
from iamhumans.subjects.decoding.record import MAX_RECORD_BYTES, Record
from iamhumans.text import decode_text

_PIECE = 262_144
_LONGEST_TOKEN = 16  # of those that the end of a piece can cut off, strings aside
_SPACE = re.compile(r"[ \t\n\r]*")
_decode = json.JSONDecoder().raw_decode
_Rows: TypeAlias = Generator[tuple[int, Any, str], None, Any]


def lines_of(file: BinaryIO) -> Iterator[Record]:
    """JSON Lines: a record for each line that is not empty. A wrong line costs no other."""
    number = 0
    for line, data in enumerate(_bounded_lines(file), start=1):
        if (value := _line_value(data)) is None:
            continue
        if not is_holder(value):
            number = max(number + 1, line)
            yield Record(number, line, value)
            continue
        for one, model in inner_rows(value):
            number = max(number + 1, line)
            yield Record(number, line, one, model)


def _bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(MAX_RECORD_BYTES + 2):
        piece = line
        while piece and not piece.endswith(b"\n"):
            piece = file.readline(MAX_RECORD_BYTES)
        yield line


def _line_value(data: bytes) -> object:
    if not data.strip():
        return None
    if len(data.rstrip(b"\r\n")) > MAX_RECORD_BYTES:
        return InputError(f"The line is longer than {MAX_RECORD_BYTES:,} bytes.")
    try:
        value = json.loads(decode_text(data))
    except InputError:
        return InputError("The line is not UTF-8.", fix="Save the file as UTF-8.")
    except (ValueError, RecursionError):
        return InputError("The line is not JSON.", fix="Write one JSON object per line.")
    return InputError("The line is null.") if value is None else value


def values_of(file: BinaryIO) -> Iterator[Record]:
    """The rows of JSON that is not in lines: the elements of an array or of a list in an object, or the object itself.

    Several values may follow each other. After a fault nothing more is read, since it is not known where the next row
    begins.
    """
    text = _Text(file)
    number = 0
    try:
        while text.sign():
            for line, value, model in _rows_at(text):
                if not is_holder(value):
                    number += 1
                    yield Record(number, line, value, model)
                    continue
                for one, named in inner_rows(value, model):
                    number += 1
                    yield Record(number, line, one, named)
            text.skip(",")
    except InputError as error:
        yield Record(number + 1, text.line(), error)


def _rows_at(text: "_Text") -> _Rows:
    sign, line = text.sign(), text.line()
    if sign == "[":
        if (whole := (yield from _elements(text, ""))) is not None:
            yield line, whole, ""
    elif sign == "{":
        found, streamed = yield from _members(text, "")
        if not streamed:
            yield line, found, ""
    else:
        yield line, text.value(), ""


def _elements(text: "_Text", model: str) -> _Rows:
    """The elements of an array as rows. An array that is one conversation is returned instead."""
    text.take("[")
    if text.skip("]"):
        return None
    line, first = text.line(), text.value()
    whole = [first] if is_message(first) else None
    if whole is None:
        yield line, first, model
    while text.skip(",") and text.sign() != "]":
        line, value = text.line(), text.value()
        if whole is None:
            yield line, value, model
        else:
            whole.append(value)
    text.take("]")
    return whole


def _members(text: "_Text", model: str, depth: int = 0) -> _Rows:
    """The rows in the lists of an object. Returns its other members, and whether there was such a list."""
    text.take("{")
    found: dict[str, Any] = {}
    streamed = False
    while text.sign() == '"':
        name = text.value()
        text.take(":")
        inside = name in HOLDERS and not is_row(found) and depth < 3
        if inside and text.sign() == "[" and text.holds_objects():
            whole = yield from _elements(text, model_beside(found) or model)
            streamed = streamed or whole is None
            if whole is not None:
                found[name] = whole
        elif inside and text.sign() == "{":
            found[name], inner = yield from _members(text, model_beside(found) or model, depth + 1)
            streamed = streamed or inner
        else:
            found[name] = text.value()
        if not text.skip(","):
            break
    text.take("}")
    return found, streamed


class _Text:
    """JSON text that is read piece by piece; what was taken is forgotten."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._rest = b""  # the beginning of a character
        self._buffer = ""
        self._at = 0
        self._ended = False
        self._lines = 1  # the line in which the buffer begins
        self._counted = 0  # up to where in the buffer they are counted

    def line(self) -> int:
        """The line of the next token."""
        self.sign()
        self._lines += self._buffer.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._lines

    def sign(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            match = _SPACE.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if self._ended:
                return ""
            self._fill(_PIECE)

    def take(self, sign: str) -> None:
        """Take a sign that must come next."""
        if self.sign() != sign:
            self._fail()
        self._at += 1

    def skip(self, sign: str) -> bool:
        """Take a sign if it comes next."""
        if self.sign() != sign:
            return False
        self._at += 1
        return True

    def holds_objects(self) -> bool:
        """Whether the array that comes next begins with an object."""
        self.sign()
        while True:
            match = _SPACE.match(self._buffer, self._at + 1)
            place = match.end() if match else self._at + 1
            if place < len(self._buffer) or self._ended:
                return self._buffer[place : place + 1] == "{"
            self._fill(_PIECE)

    def value(self) -> Any:
        """The value that comes next."""
        if not self.sign():
            self._fail()
        size = _PIECE
        while True:
            try:
                found, end = _decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                unclosed = error.msg.startswith("Unterminated string")
                if self._ended or (error.pos < len(self._buffer) - _LONGEST_TOKEN and not unclosed):
                    self._fail()
            except (ValueError, RecursionError):
                self._fail()
            else:
                # At the end of a piece 12 may be the beginning of 123.
                if end < len(self._buffer) or self._ended:
                    self._at = end
                    return found
            if len(self._buffer) - self._at > MAX_RECORD_BYTES:
                raise InputError(f"The value is longer than {MAX_RECORD_BYTES:,} characters.")
            self._fill(size)
            size *= 2

    def _fail(self) -> None:
        what = "The JSON breaks off here." if self._ended and not self.sign() else "What follows here is not JSON."
        raise InputError(what, fix="Later rows are not read: fix the file, or write one JSON object a line.")

    def _fill(self, size: int) -> None:
        self.line_count()
        data = self._rest + self._file.read(size)
        self._ended = len(data) == len(self._rest)
        try:
            piece, self._rest = data.decode("utf-8"), b""
        except UnicodeDecodeError as error:
            if len(data) - error.start > 3 or self._ended:
                self._buffer, self._at, self._counted, self._ended = "", 0, 0, True
                raise InputError("The text is not UTF-8.", fix="Save the file as UTF-8.") from None
            piece, self._rest = data[: error.start].decode("utf-8"), data[error.start :]
        self._buffer = self._buffer[self._at :] + piece
        self._at = self._counted = 0

    def line_count(self) -> None:
        """Count the lines of what is about to be forgotten."""
        self._lines += self._buffer.count("\n", self._counted, self._at)
        self._counted = self._at
