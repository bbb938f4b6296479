"""Label files: JSON Lines with a label a line, CSV with a label a row, or another form that a table maps.

A row that cannot be used is a problem of its own: it never costs the others.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from iamhumans.errors import InputError, Place
from iamhumans.text import for_csv, one_line, read_text
from iamhumans.trust.label_maps import LabelMap, mapped_rows
from iamhumans.trust.label_rows import (
    GROUPS,
    NOTHING_KNOWN,
    PLAIN_KEYS,
    LabelProblem,
    LabelRow,
    Reading,
    label_row,
    row_values,
)

MOST_BYTES = 200_000_000
"""Largest label file. Files from elsewhere hold the conversations too."""
_COLUMNS = f"Columns are {', '.join(PLAIN_KEYS)}, and hard_fails.ID, axes.ID and words.ID; --map reads others."
_DELIMITERS = (",", ";", "\t")


def read_labels(
    path: Path, reading: Reading = NOTHING_KNOWN, *, table: LabelMap | None = None
) -> Iterator[LabelRow | LabelProblem]:
    """The rows of a label file (``-`` is standard input, as JSON Lines), one by one; a ``.csv`` is read as CSV.

    Args:
        path: The file.
        reading: What is known besides it.
        table: How to read a file of another form.

    Raises:
        InputError: The file cannot be read, or its heading cannot.
    """
    text = read_text(path, limit=MOST_BYTES)
    for number, value in _csv_values(text, path, plain=table is None) if _is_csv(path) else _json_values(text):
        place = Place(path, number)
        if isinstance(value, InputError):
            yield LabelProblem(_said(value), place)
            continue
        if table is not None:
            yield from mapped_rows(value, table, reading, place)
            continue
        try:
            yield label_row(value, reading, place)
        except InputError as error:
            yield LabelProblem(_said(error), place)


def _said(error: InputError) -> str:
    return f"{error.problem} {error.fix}".strip()


def _is_csv(path: Path) -> bool:
    return path.suffix.lower() == ".csv"


def _json_values(text: str) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, object_pairs_hook=_object)
        except InputError as error:
            yield number, error
        except (ValueError, RecursionError):
            yield number, InputError("The line is not JSON.", fix="Write one JSON object a line.")
        else:
            yield number, value if isinstance(value, dict) else InputError("The line is no JSON object.")


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for index, key in enumerate(keys) if key in keys[:index])
        raise InputError(f"`{one_line(again, 60)}` stands there twice.", fix="Keep one of the two.")
    return value


def _csv_values(text: str, path: Path, *, plain: bool) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    # Both begin in the line after the last one that was read, so the heading is counted too.
    try:
        names = next(reader, [])
    except csv.Error as error:
        raise InputError(f"The heading is no CSV: {error}.", place=Place(path, 1)) from None
    heading = _heading(names, path, plain=plain)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield start, InputError(f"The row is no CSV: {error}.")
            continue
        if any(cell.strip() for cell in cells):
            yield start, _row_of(heading, cells)


def _heading(cells: Sequence[str], path: Path, *, plain: bool) -> list[str]:
    names = [cell.strip() for cell in cells]
    place = Place(path, 1)
    if not any(names):
        raise InputError("The file has no heading.", fix="Name the columns in the first row.", place=place)
    for index, name in enumerate(names):
        if name and name in names[:index]:
            raise InputError(f"There are two columns `{one_line(name, 60)}`.", fix="Keep one of them.", place=place)
        if plain and name and name not in PLAIN_KEYS and name.partition(".")[0] not in GROUPS:
            near = get_close_matches(name, PLAIN_KEYS, n=1)
            fix = f"Did you mean `{near[0]}`?" if near else _COLUMNS
            raise InputError(f"The column `{one_line(name, 60)}` is not known here.", fix=fix, place=place)
    return names


def _row_of(heading: Sequence[str], cells: Sequence[str]) -> dict[str, Any] | InputError:
    if any(cell.strip() for cell in cells[len(heading) :]):
        return InputError(f"The row has {len(cells)} cells, and the heading names {len(heading)}.")
    value: dict[str, Any] = {}
    for name, cell in zip(heading, cells, strict=False):
        if not name or not cell.strip():
            continue
        group, dot, part = name.partition(".")
        if dot and group in GROUPS:
            value.setdefault(group, {})[part] = _cell_list(cell) if group == "words" else cell
        else:
            value[name] = _cell_text(cell)
    return value


def _cell_text(cell: str) -> str:
    """The text of a cell, which is written as JSON where it would be taken for something else."""
    if cell.startswith('"'):
        try:
            value = json.loads(cell)
        except (ValueError, RecursionError):
            return cell
        return value if isinstance(value, str) else cell
    return cell


def _cell_list(cell: str) -> list[str]:
    """The words of a cell: a JSON list, or the words as they are."""
    if cell.startswith("["):
        try:
            value = json.loads(cell)
        except (ValueError, RecursionError):
            return [cell]
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return value
    return [_cell_text(cell)]


def labels_as_json_lines(rows: Iterable[LabelRow]) -> Iterator[str]:
    """The lines of a JSON Lines file. What could steer a terminal stands in them as escapes."""
    for row in rows:
        yield json.dumps(row_values(row), ensure_ascii=True) + "\n"


def labels_as_csv(rows: Sequence[LabelRow]) -> Iterator[str]:
    """The lines of a CSV file. No cell can be taken for a formula, and reading it back gives the same labels."""
    values = [row_values(row) for row in rows]
    columns = [key for key in PLAIN_KEYS if key not in ("reply", "notes", "part", "weight")]
    for group in GROUPS:
        columns += [f"{group}.{name}" for name in dict.fromkeys(name for one in values for name in one.get(group, ()))]
    columns += ["notes", "part", "weight"]
    yield _line(columns)
    for one in values:
        yield _line([_cell(_at(one, column)) for column in columns])


def _at(value: Mapping[str, Any], column: str) -> Any:
    group, dot, name = column.partition(".")
    return value.get(group, {}).get(name) if dot else value.get(column)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=True)
    if isinstance(value, str) and (value.startswith(('"', "'")) or for_csv(value) != value):
        return json.dumps(value, ensure_ascii=True)
    return str(value)


def _line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
