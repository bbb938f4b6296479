"""CSV and its relatives: a first line with the names of the columns, then a record for each row."""

from collections.abc import Iterator
from typing import BinaryIO

from iamhumans.errors import InputError
from iamhumans.subjects.decoding.record import MAX_RECORD_BYTES, Record
from iamhumans.text import one_line

_SEPARATORS = (",", ";", "\t", "|")


def table_of(file: BinaryIO, separator: str | None = None) -> Iterator[Record]:
    """The rows of a table. An empty cell is absent. Without ``separator`` the first line shows it.

    Cells are quoted as in RFC 4180: ``csv`` of the standard library bounds a cell by a setting of the whole process.
    """
    lines = _Lines(file)
    first = _first_line(lines)
    if first is None:
        return
    found = separator or separator_of(first)
    names = [name.strip() for name in _cells(first, lines, found)]
    number = 0
    while (line := lines.next()) is not None:
        if not line.strip():
            continue
        number, place, wrong = number + 1, lines.number, lines.wrong - lines.last_is_wrong
        try:
            cells = _cells(line, lines, found)
            if lines.wrong > wrong:
                raise InputError("The line is not UTF-8.", fix="Save the file as UTF-8.")  # noqa: TRY301
            if len(cells) > len(names) and any(cell.strip() for cell in cells[len(names) :]):
                problem = f"The row has {len(cells)} cells, and the first line has {len(names)}."
                raise InputError(problem, fix="Put quotes around a text with a separator or a line break in it.")  # noqa: TRY301
        except InputError as error:
            yield Record(number, place, error)
            continue
        row = {name: cell for name, cell in zip(names, cells, strict=False) if cell != "" and name}
        yield Record(number, place, row or InputError("All cells of the row are empty."))


def separator_of(line: str) -> str:
    """The separator of the cells in a first line."""
    unquoted = "".join(line.split('"')[::2])
    best = max(_SEPARATORS, key=unquoted.count)
    return best if best in unquoted else ","


def _first_line(lines: "_Lines") -> str | None:
    while (line := lines.next()) is not None:
        if line.startswith("sep=") and len(line.strip()) == 5:  # for a spreadsheet
            continue
        if line.strip():
            return line
    return None


def _cells(line: str, lines: "_Lines", separator: str) -> list[str]:
    cells: list[str] = []
    at = 0
    while True:
        if line[at : at + 1] == '"':
            cell, line, at = _quoted(line, at + 1, lines)
        else:
            cell = ""
        end = line.find(separator, at)
        cells.append(cell + (line[at:] if end < 0 else line[at:end]))
        if end < 0:
            return cells
        at = end + 1


def _quoted(line: str, at: int, lines: "_Lines") -> tuple[str, str, int]:
    """The text up to the closing quote, the line that holds that, and the place behind it."""
    parts: list[str] = []
    size, begun = 0, lines.number
    while True:
        end = line.find('"', at)
        if end < 0:
            parts.append(line[at:] + "\n")
            size += len(parts[-1])
            following = lines.next()
            if following is None or size > MAX_RECORD_BYTES:
                raise InputError(f"The quote of a cell in line {begun} is never closed.")
            line, at = following, 0
        elif line[end + 1 : end + 2] == '"':
            parts.append(line[at : end + 1])
            at = end + 2
        else:
            parts.append(line[at:end])
            return "".join(parts), line, end + 1


class _Lines:
    """The lines of a file without their ends, and the number of the last one."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.number = 0
        self.wrong = 0  # lines that are not UTF-8
        self.last_is_wrong = False

    def next(self) -> str | None:
        data = self._file.readline(MAX_RECORD_BYTES)
        if not data:
            return None
        self.number += 1
        self.last_is_wrong = False
        try:
            return data.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError:  # it costs only its row
            self.wrong, self.last_is_wrong = self.wrong + 1, True
            return data.decode("utf-8", "replace").rstrip("\r\n")


def looks_like_table(line: str) -> bool:
    """Whether a first line can be the names of columns."""
    names = [name.strip().strip('"') for name in line.split(separator_of(line))]
    return len(names) > 1 and all(0 < len(name) <= 60 for name in names) and one_line(line) == " ".join(line.split())


def looks_like_rows(text: str) -> bool:
    """Whether a text without a telling name is a table or JSON, and not something that a person was told."""
    lines = [line for line in text.splitlines()[:6] if line.strip()]
    if text.lstrip()[:1] in ("{", "[") and '"' in text:
        return True
    separator = separator_of(lines[0]) if lines else ","
    counts = {line.count(separator) for line in lines[:5]}
    return len(lines) >= 2 and len(counts) == 1 and counts.pop() >= 2 and looks_like_table(lines[0])
