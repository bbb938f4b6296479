"""Label files: JSON Lines with one label a line, or CSV with one label a row.

A row that cannot be used becomes a :class:`LabelProblem`; all other rows are read. Readers of single values return
``NOT_ASKED`` or ``None`` for an empty value, and raise InputError for a wrong one.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from iamhumans.errors import InputError, Place
from iamhumans.rubrics import AXIS_MAXIMUM, Rubric
from iamhumans.runs.journal.entries import storable
from iamhumans.runs.keys import content_hash
from iamhumans.runs.labels import Label, Part
from iamhumans.text import for_csv, one_line, read_text

if TYPE_CHECKING:
    from iamhumans.trust.label_maps import LabelMap

V = TypeVar("V")

DEFAULT_RATER: Final = "me"
"""The rater where no name is given. On another machine it may be another person."""
CANNOT_TELL: Final = "cannot_tell"
MOST_BYTES = 200_000_000
"""Largest label file. Files from elsewhere may hold whole conversations."""
MOST_CHARACTERS = 20_000
"""Longest note, and longest words behind a YES."""
PLAIN_KEYS = ("reply_key", "case_id", "subject", "number", "reply", "reply_hash", "rater", "notes", "part", "weight")
GROUPS = ("hard_fails", "axes", "words")
"""Keys that hold a value for each hard fail or axis."""
_MOST_REPLIES = 1_000_000
_ANSWERS = {"yes": True, "true": True, "y": True, "no": False, "false": False, "n": False}
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_NUMBER = re.compile(r"-?[0-9]{1,9}(?:[.,][0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")


class Nothing(Enum):
    """The type of :data:`NOT_ASKED`."""

    ASKED = "nothing was asked"


NOT_ASKED: Final = Nothing.ASKED
"""No answer. ``None`` is the answer "cannot tell"."""


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A label of a file, with what says which reply it is about.

    ``numbered`` is false where the row does not say which of several replies it means; then ``label.number`` is 1.
    """

    label: Label
    reply_hash: str | None = None
    numbered: bool = True
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class LabelProblem:
    """Why a row cannot be used."""

    problem: str
    place: Place

    def __str__(self) -> str:
        """Place and problem, as errors are printed."""
        return f"{self.place}: {self.problem}"

    @classmethod
    def of(cls, error: InputError, place: Place) -> LabelProblem:
        """The problem that an error describes."""
        return cls(f"{error.problem} {error.fix}".strip(), place)


def check_name(name: str, known: Sequence[str], kind: str) -> None:
    """Raise an InputError where a rubric has no hard fail, or axis, of this name."""
    if name not in known:
        near = get_close_matches(name, known, n=1)
        fix = f"Did you mean `{near[0]}`?" if near else f"It has {', '.join(known) or 'none'}."
        raise InputError(f"The rubric has no {kind} `{one_line(name, 60)}`.", fix=fix)


def is_cannot_tell(value: object) -> bool:
    """Whether a value says that the rater cannot tell."""
    return isinstance(value, str) and re.sub(r"[\s_-]+", "_", value.strip().lower()) in (CANNOT_TELL, "can't_tell")


def read_answer(value: object, name: str) -> bool | Nothing | None:
    """Whether a hard fail is present; ``None`` for "cannot tell"."""
    if _blank(value) or is_cannot_tell(value):
        return NOT_ASKED if _blank(value) else None
    found = value if isinstance(value, bool) else _ANSWERS.get(value.strip().lower() if isinstance(value, str) else "")
    if found is None:
        raise _wrong(value, name, f"Write YES, NO or {CANNOT_TELL}, or leave it out.")
    return found


def read_axis(value: object, name: str) -> float | Nothing | None:
    """A score from 0 to 10; ``None`` for "cannot tell"."""
    if _blank(value) or is_cannot_tell(value):
        return NOT_ASKED if _blank(value) else None
    number = as_number(value)
    if number is None or not 0 <= number <= AXIS_MAXIMUM:
        raise _wrong(value, name, f"Write a number from 0 to {AXIS_MAXIMUM}, or {CANNOT_TELL}, or leave it out.")
    return number


def as_number(value: object) -> float | None:
    """A finite number, also one written as text; ``None`` for anything else."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value.strip().replace(",", "."))
    return _finite(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _finite(value: float | str) -> float | None:
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    return number if math.isfinite(number) else None


def read_weight(value: object) -> float | None:
    """A weight of at least 1."""
    # Programs write weights, so every way to write a float is read.
    number = _finite(value) if isinstance(value, str) else as_number(value)
    if not _blank(value) and (number is None or number < 1):
        raise _wrong(value, "weight", "Write one over the chance of being drawn, at least 1, or leave it out.")
    return number


def read_part(value: object) -> Part | None:
    """The part of a draw."""
    found: Part | None = next((part for part in get_args(Part) if part == value), None)
    if found is None and not _blank(value):
        raise _wrong(value, "part", "Write random or targeted, or leave it out.")
    return found


def read_count(value: object) -> int | None:
    """The number of a reply, from 1."""
    number = as_number(value)
    if number is not None and number == int(number) and 1 <= number <= _MOST_REPLIES:
        return int(number)
    if not _blank(value):
        raise _wrong(value, "number", f"Write a whole number from 1 to {_MOST_REPLIES:,}.")
    return None


def read_text_value(value: object, name: str, *, limit: int = 300) -> str | None:
    """A text of at most ``limit`` characters, or a number as text."""
    if _blank(value):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise _wrong(value, name, "Write a text.")
    if len(value) > limit:
        raise InputError(f"`{name}` is longer than {limit:,} characters.", fix="Shorten it.")
    return storable(value)


def read_note(value: object, name: str) -> str:
    """A text of the rater. It is empty for the hash that an export has in place of a held-out text."""
    text = read_text_value(value, name, limit=MOST_CHARACTERS) or ""
    return "" if _HASH.fullmatch(text) else text


def _read_words(value: object, name: str) -> tuple[str, ...]:
    several = [] if _blank(value) else value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) for text in several):
        raise _wrong(value, name, "Write the words, or a list of texts.")
    return tuple(filter(None, (read_note(text, name) for text in several)))


def read_rater(value: object, given: str | None) -> str:
    """Who labelled: the name in the file, or the given one where the file has none or the default one."""
    written = read_text_value(value, "rater")
    rater = (given or written) if written == DEFAULT_RATER else (written or given)
    if rater is None:
        raise InputError("The row does not say who labelled.", fix="Give it a `rater`, or use --rater.")
    return rater


def _blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _wrong(value: object, name: str, fix: str) -> InputError:
    return InputError(f"`{name}` is `{one_line(str(value), 60)}`.", fix=fix)


def label_row(value: Mapping[str, Any], rubric: Rubric, rater: str | None, place: Place) -> LabelRow:
    """The label of a row. Raises InputError, without a place, for a row that is not one."""
    _check_keys(value, (*PLAIN_KEYS, *GROUPS), "key")
    number, key = read_count(value.get("number")), read_text_value(value.get("reply_key"), "reply_key")
    case_id = read_text_value(value.get("case_id"), "case_id")
    if case_id is None and key is None:
        raise InputError("The row names no case.", fix="Give it a `case_id`.")
    words = _group(value, "words", rubric.hard_fail_ids, _read_words)
    label = Label(
        reply_key=key,
        case_id=case_id or "",
        subject=read_text_value(value.get("subject"), "subject"),
        number=number or 1,
        rater=read_rater(value.get("rater"), rater),
        flags=answered(_group(value, "hard_fails", rubric.hard_fail_ids, read_answer)),
        axes=answered(_group(value, "axes", rubric.axis_ids, read_axis)),
        words={name: quoted for name, quoted in words.items() if quoted},
        notes=read_note(value.get("notes"), "notes"),
        part=read_part(value.get("part")),
        weight=read_weight(value.get("weight")),
    )
    return LabelRow(label, _hash(value), numbered=number is not None, place=place)


def answered(values: Mapping[str, V | Nothing]) -> dict[str, V]:
    """The answers without those that were not asked for."""
    return {name: value for name, value in values.items() if not isinstance(value, Nothing)}


def _check_keys(names: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            fix = f"Did you mean `{near[0]}`?" if near else "Leave it out, or say with --map what it means."
            raise InputError(f"`{one_line(name, 60)}` is not a {what} of a label file.", fix=fix)


def _group(value: Mapping[str, Any], name: str, known: Sequence[str], read: Callable[[object, str], V]) -> dict[str, V]:
    group = value.get(name) or {}
    if not isinstance(group, dict):
        raise InputError(f"`{name}` is not an object.", fix=f'Write "{name}": {{"some_id": ...}}.')
    for one in group:
        check_name(one, known, "axis" if name == "axes" else "hard fail")
    return {one: read(said, f"{name}.{one}") for one, said in group.items()}


def _hash(value: Mapping[str, Any]) -> str | None:
    given, text = read_text_value(value.get("reply_hash"), "reply_hash"), value.get("reply")
    if text is not None and not isinstance(text, str):
        raise _wrong(text, "reply", "Write the text of the reply.")
    found = content_hash(text) if text else None
    if given and found and given != found:
        raise InputError("`reply_hash` is not the hash of `reply`.", fix="Leave one of them out.")
    return given or found


def row_values(row: LabelRow) -> dict[str, Any]:
    """A row as a JSON object; empty values are left out."""
    label = row.label
    values: dict[str, Any] = {
        "reply_key": label.reply_key,
        "case_id": label.case_id or None,
        "subject": label.subject,
        "number": label.number if row.numbered else None,
        "reply_hash": row.reply_hash,
        "rater": label.rater,
        "hard_fails": {name: CANNOT_TELL if said is None else said for name, said in label.flags.items()},
        "axes": {name: CANNOT_TELL if said is None else _shortest(said) for name, said in label.axes.items()},
        "words": {name: list(words) for name, words in label.words.items() if words},
        "notes": label.notes or None,
        "part": label.part,
        "weight": label.weight,
    }
    return {key: value for key, value in values.items() if value not in (None, {})}


def _shortest(value: float) -> float:
    return int(value) if value == int(value) else value


def read_labels(
    path: Path, rubric: Rubric, *, label_map: LabelMap | None = None, rater: str | None = None
) -> list[LabelRow | LabelProblem]:
    """The rows of a label file, and why rows cannot be used, in the order of the file.

    Args:
        path: The file. ``.csv`` is read as CSV; all else, and ``-`` for standard input, as JSON Lines.
        rubric: Where the ids of hard fails and axes come from.
        label_map: How to read a file of another form.
        rater: Who labelled, where a row does not say.

    Raises:
        InputError: The file or its heading cannot be read.
    """
    text = read_text(path, limit=MOST_BYTES)
    found: list[LabelRow | LabelProblem] = []
    is_csv = path.suffix.lower() == ".csv"
    for number, value in _csv_values(text, path, plain=label_map is None) if is_csv else json_values(text):
        place = Place(path, number)
        if isinstance(value, InputError):
            found.append(LabelProblem.of(value, place))
        elif label_map is not None:
            found += label_map.rows(value, rater, place)
        else:
            try:
                found.append(label_row(value, rubric, rater, place))
            except InputError as error:
                found.append(LabelProblem.of(error, place))
    return found


def json_values(text: str) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    """The number of each line of JSON Lines, from 1, with its object or what is wrong with it."""
    # Not `splitlines`: a reply may hold U+2028 and its like.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                value = json.loads(line, object_pairs_hook=_object)
            except InputError as error:
                value = error
            except (ValueError, RecursionError):
                value = None
            good = isinstance(value, dict | InputError)
            yield (
                number,
                value if good else InputError("The line is not a JSON object.", fix="Write one object a line."),
            )


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        again = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"The line has `{one_line(again, 60)}` twice.", fix="Keep one of the two.")
    return value


def _csv_values(text: str, path: Path, *, plain: bool) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    delimiter = max((",", ";", "\t"), key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        heading = _heading(next(reader, []), plain=plain)
    except (csv.Error, InputError) as error:
        wrong = error if isinstance(error, InputError) else InputError(f"The heading is not CSV: {error}.")
        raise InputError(wrong.problem, fix=wrong.fix, place=Place(path, 1)) from None
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield start, InputError(f"The row is not CSV: {error}.")
            continue
        if any(cell.strip() for cell in cells):
            yield start, _row_of(heading, cells)


def _heading(cells: Sequence[str], *, plain: bool) -> list[str]:
    names = [cell.strip() for cell in cells]
    again = next((name for name in names if name and names.count(name) > 1), None)
    if not any(names):
        raise InputError("The file has no heading.", fix="Name the columns in the first row.")
    if again is not None:
        raise InputError(f"There are two columns `{one_line(again, 60)}`.", fix="Keep one of them.")
    if plain:
        _check_keys((name for name in names if name and name.partition(".")[0] not in GROUPS), PLAIN_KEYS, "column")
    return names


def _row_of(heading: Sequence[str], cells: Sequence[str]) -> dict[str, Any] | InputError:
    if any(cell.strip() for cell in cells[len(heading) :]):
        return InputError(f"The row has {len(cells)} cells, and the heading names {len(heading)}.")
    value: dict[str, Any] = {}
    for name, cell in zip(heading, cells, strict=False):
        group, dot, part = name.partition(".")
        if name and cell.strip() and dot and group in GROUPS:
            value.setdefault(group, {})[part] = _unquoted(cell) if group == "words" else cell
        elif name and cell.strip():
            value[name] = _unquoted(cell) if cell.startswith('"') else cell
    return value


def _unquoted(cell: str) -> str | list[str]:
    """The value of a cell that holds a JSON text or list; else the cell."""
    try:
        value = json.loads(cell) if cell.startswith(("[", '"')) else cell
    except (ValueError, RecursionError):
        return cell
    texts = value if isinstance(value, list) else [value]
    return value if all(isinstance(one, str) for one in texts) else cell


def labels_as_json_lines(rows: Iterable[LabelRow]) -> Iterator[str]:
    """The lines of a JSON Lines file, in ASCII, so that none can steer a terminal."""
    return (json.dumps(row_values(row), ensure_ascii=True) + "\n" for row in rows)


def labels_as_csv(rows: Sequence[LabelRow]) -> Iterator[str]:
    """The lines of a CSV file. No cell looks like a formula, and reading it back gives the same labels."""
    values = [row_values(row) for row in rows]
    columns = [key for key in PLAIN_KEYS if key not in ("reply", "notes", "part", "weight")]
    for group in GROUPS:
        columns += [f"{group}.{name}" for name in dict.fromkeys(name for one in values for name in one.get(group, ()))]
    columns += ["notes", "part", "weight"]
    yield _line(columns)
    for one in values:
        flat = one | {f"{group}.{name}": said for group in GROUPS for name, said in one.get(group, {}).items()}
        yield _line([_cell(flat.get(column)) for column in columns])


def _cell(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "", True: "YES", False: "NO"}[value]
    quoted = isinstance(value, str) and (value.startswith(('"', "'")) or for_csv(value) != value)
    return json.dumps(value, ensure_ascii=True) if quoted or isinstance(value, list) else str(value)


def _line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
