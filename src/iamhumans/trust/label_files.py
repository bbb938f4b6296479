"""Label files: JSON Lines with one label a line, or CSV with one label a row.

A row that cannot be used becomes a :class:`LabelProblem`; all other rows are read.
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
Line = tuple[int, dict[str, Any] | InputError]
"""The number of a line, from 1, and its value or what is wrong with it."""

DEFAULT_RATER: Final = "me"
"""The rater where no name is given. On another machine it may be another person."""
CANNOT_TELL: Final = "cannot_tell"
MOST_BYTES = 200_000_000
"""Largest label file. Files from elsewhere may hold whole conversations."""
MOST_CHARACTERS = 20_000
"""Longest note, and longest words behind a YES."""
_KEYS = ("reply_key", "case_id", "subject", "number", "reply", "reply_hash", "rater", "notes", "part", "weight")
_GROUPS = ("hard_fails", "axes", "words")
"""Keys that hold a value for each hard fail or axis."""
_ANSWERS = {"yes": True, "true": True, "y": True, "no": False, "false": False, "n": False}
_WEIGHT = "Write one over the chance of being drawn, at least 1, or leave it out."
_HASH = re.compile(r"sha256:[0-9a-f]{64}")


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
    for line, value in _csv_values(text, path, plain=label_map is None) if is_csv else json_values(text):
        place = Place(path, line)
        for row in [value] if label_map is None or isinstance(value, InputError) else label_map.rows(value):
            try:
                found.append(_label_row(row, rubric, rater, place))
            except InputError as error:
                found.append(LabelProblem(f"{error.problem} {error.fix}".strip(), place))
    return found


def _label_row(value: dict[str, Any] | InputError, rubric: Rubric, rater: str | None, place: Place) -> LabelRow:
    if isinstance(value, InputError):
        raise value
    _check_keys(value, (*_KEYS, *_GROUPS), "key")
    number, weight, part = as_number(value.get("number")), as_number(value.get("weight")), value.get("part")
    whole = int(number) if number is not None and number >= 1 and number == int(number) else None
    whole = _given(value.get("number"), "number", whole, "Write a whole number, 1 or more.")
    drawn: Part | None = next((known for known in get_args(Part) if known == part), None)
    key, case_id = (
        read_text_value(value.get("reply_key"), "reply_key"),
        read_text_value(value.get("case_id"), "case_id"),
    )
    if case_id is None and key is None:
        raise InputError("The row names no case.", fix="Give it a `case_id`.")
    label = Label(
        reply_key=key,
        case_id=case_id or "",
        subject=read_text_value(value.get("subject"), "subject"),
        number=whole or 1,
        rater=_read_rater(value.get("rater"), rater),
        flags=_group(value, "hard_fails", rubric.hard_fail_ids, read_answer),
        axes=_group(value, "axes", rubric.axis_ids, read_score),
        words=_group(value, "words", rubric.hard_fail_ids, _read_words),
        notes=_read_note(value.get("notes"), "notes"),
        part=_given(part, "part", drawn, "Write random or targeted, or leave it out."),
        weight=_given(value.get("weight"), "weight", weight if weight and weight >= 1 else None, _WEIGHT),
    )
    return LabelRow(label, _read_hash(value), numbered=whole is not None, place=place)


def _check_keys(names: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            fix = f"Did you mean `{near[0]}`?" if near else "Leave it out, or say with --map what it means."
            raise InputError(f"`{one_line(name, 60)}` is not a {what} of a label file.", fix=fix)


def check_name(name: str, known: Sequence[str], kind: str) -> None:
    """Raise an InputError where a rubric has no hard fail, or axis, of this name."""
    if name not in known:
        near = get_close_matches(name, known, n=1)
        fix = f"Did you mean `{near[0]}`?" if near else f"It has {', '.join(known) or 'none'}."
        raise InputError(f"The rubric has no {kind} `{one_line(name, 60)}`.", fix=fix)


def _group(value: Mapping[str, Any], name: str, known: Sequence[str], read: Callable[[object, str], V]) -> dict[str, V]:
    group = value.get(name) or {}
    if not isinstance(group, dict):
        raise InputError(f"`{name}` is not an object.", fix=f'Write "{name}": {{"some_id": ...}}.')
    for one in group:
        check_name(one, known, "axis" if name == "axes" else "hard fail")
    return {one: read(said, f"{name}.{one}") for one, said in group.items() if not is_blank(said)}


def is_blank(value: object) -> bool:
    """Whether a value is missing: there is no answer. The answer "cannot tell" is a value."""
    return value is None or (isinstance(value, str) and not value.strip()) or value == []


def is_cannot_tell(value: object) -> bool:
    """Whether a value says that the rater cannot tell."""
    return isinstance(value, str) and re.sub(r"[\s_-]+", "_", value.strip().lower()) in (CANNOT_TELL, "can't_tell")


def _wrong(value: object, name: str, fix: str) -> InputError:
    return InputError(f"`{name}` is `{one_line(str(value), 60)}`.", fix=fix)


def read_answer(value: object, name: str) -> bool | None:
    """Whether a hard fail is present; ``None`` for "cannot tell"."""
    found = _ANSWERS.get(str(value).strip().lower())
    if found is None and not is_cannot_tell(value):
        raise _wrong(value, name, f"Write YES, NO or {CANNOT_TELL}, or leave it out.")
    return found


def read_score(value: object, name: str) -> float | None:
    """A score from 0 to 10; ``None`` for "cannot tell"."""
    number = as_number(value)
    if is_cannot_tell(value) or (number is not None and 0 <= number <= AXIS_MAXIMUM):
        return number
    raise _wrong(value, name, f"Write a number from 0 to {AXIS_MAXIMUM}, or {CANNOT_TELL}, or leave it out.")


def as_number(value: object) -> float | None:
    """A finite number, also one written as text, with a point or a comma; ``None`` for anything else."""
    if isinstance(value, str):
        # Python alone would read 1_0 as ten.
        value = value.replace(",", ".").replace("_", "?")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _given(value: object, name: str, found: V | None, fix: str) -> V | None:
    """What was found in a value that may be blank."""
    if found is None and not is_blank(value):
        raise _wrong(value, name, fix)
    return found


def read_text_value(value: object, name: str, *, limit: int = 300) -> str | None:
    """A text of at most ``limit`` characters, or a number as text."""
    if is_blank(value):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _wrong(value, name, "Write a text.")
    if len(text := str(value)) > limit:
        raise InputError(f"`{name}` is longer than {limit:,} characters.", fix="Shorten it.")
    return storable(text)


def _read_note(value: object, name: str) -> str:
    """A text of the rater. It is empty for the hash that an export has in place of a held-out text."""
    text = read_text_value(value, name, limit=MOST_CHARACTERS) or ""
    return "" if _HASH.fullmatch(text) else text


def _read_words(value: object, name: str) -> tuple[str, ...]:
    several = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) for text in several):
        raise _wrong(value, name, "Write the words, or a list of texts.")
    return tuple(filter(None, (_read_note(text, name) for text in several)))


def _read_rater(value: object, given: str | None) -> str:
    """The name in the file, or the given one where the file has none or the default one."""
    written = read_text_value(value, "rater")
    rater = (given or written) if written == DEFAULT_RATER else (written or given)
    if rater is None:
        raise InputError("The row does not say who labelled.", fix="Give it a `rater`, or use --rater.")
    return rater


def _read_hash(value: Mapping[str, Any]) -> str | None:
    given, text = read_text_value(value.get("reply_hash"), "reply_hash"), value.get("reply")
    if text is not None and not isinstance(text, str):
        raise _wrong(text, "reply", "Write the text of the reply.")
    found = content_hash(text) if text else None
    if given and found and given != found:
        raise InputError("`reply_hash` is not the hash of `reply`.", fix="Leave one of them out.")
    return given or found


def json_values(text: str) -> Iterator[Line]:
    """The lines of JSON Lines that are not blank."""
    # Not `splitlines`: a reply may hold U+2028 and its like.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                value = json.loads(line, object_pairs_hook=_object)
            except InputError as error:
                value = error
            except (ValueError, RecursionError):
                value = None
            wrong = InputError("The line is not a JSON object.", fix="Write one object a line.")
            yield number, value if isinstance(value, dict | InputError) else wrong


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    again = next((key for key in keys if keys.count(key) > 1), None) if len(set(keys)) < len(keys) else None
    if again is not None:
        raise InputError(f"The line has `{one_line(again, 60)}` twice.", fix="Keep one of the two.")
    return dict(pairs)


def _csv_values(text: str, path: Path, *, plain: bool) -> Iterator[Line]:
    delimiter = max((",", ";", "\t"), key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        heading = _heading(next(reader, []), plain=plain)
    except csv.Error as error:
        raise InputError(f"The heading is not CSV: {error}.", place=Place(path, 1)) from None
    except InputError as error:
        raise InputError(error.problem, fix=error.fix, place=Place(path, 1)) from None
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield start, InputError(f"The row is not CSV: {error}.")
            continue
        if any(cell.strip() for cell in cells[len(heading) :]):
            yield start, InputError(f"The row has {len(cells)} cells, and the heading names {len(heading)}.")
        elif any(cell.strip() for cell in cells):
            yield start, _row_of(heading, cells)


def _heading(cells: Sequence[str], *, plain: bool) -> list[str]:
    names = [cell.strip() for cell in cells]
    again = next((name for name in names if name and names.count(name) > 1), None)
    if not any(names):
        raise InputError("The file has no heading.", fix="Name the columns in the first row.")
    if again is not None:
        raise InputError(f"There are two columns `{one_line(again, 60)}`.", fix="Keep one of them.")
    if plain:
        _check_keys((name for name in names if name and name.partition(".")[0] not in _GROUPS), _KEYS, "column")
    return names


def _row_of(heading: Sequence[str], cells: Sequence[str]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name, cell in zip(heading, cells, strict=False):
        if name and cell.strip():
            group, _, part = name.partition(".")
            where = value.setdefault(group, {}) if part and group in _GROUPS else value
            where[part if where is not value else name] = _unquoted(cell)
    return value


def _unquoted(cell: str) -> str | list[str]:
    """The value of a cell that :func:`labels_as_csv` wrote as JSON; else the cell."""
    try:
        value = json.loads(cell) if cell.startswith(("[", '"')) else cell
    except (ValueError, RecursionError):
        return cell
    texts = value if isinstance(value, list) else [value]
    return value if all(isinstance(one, str) for one in texts) else cell


def _row_values(row: LabelRow) -> dict[str, Any]:
    """A row as a JSON object, without empty values."""
    label = row.label
    values: dict[str, Any] = {
        "reply_key": label.reply_key,
        "case_id": label.case_id or None,
        "subject": label.subject,
        "number": label.number if row.numbered else None,
        "reply_hash": row.reply_hash,
        "rater": label.rater,
        "hard_fails": {name: CANNOT_TELL if said is None else said for name, said in label.flags.items()},
        "axes": {
            name: CANNOT_TELL if said is None else int(said) if said == int(said) else said
            for name, said in label.axes.items()
        },
        "words": {name: list(words) for name, words in label.words.items() if words},
        "notes": label.notes or None,
        "part": label.part,
        "weight": label.weight,
    }
    return {key: value for key, value in values.items() if value not in (None, {})}


def labels_as_json_lines(rows: Iterable[LabelRow]) -> Iterator[str]:
    """The lines of a JSON Lines file, in ASCII, so that none can steer a terminal."""
    return (json.dumps(_row_values(row), ensure_ascii=True) + "\n" for row in rows)


def labels_as_csv(rows: Iterable[LabelRow]) -> Iterator[str]:
    """The lines of a CSV file. No cell looks like a formula, and reading it back gives the same labels."""
    values = [_row_values(row) for row in rows]
    columns = [key for key in _KEYS if key not in ("reply", "notes", "part", "weight")]
    for group in _GROUPS:
        columns += [f"{group}.{name}" for name in dict.fromkeys(name for one in values for name in one.get(group, ()))]
    columns += ["notes", "part", "weight"]
    yield _csv_line(columns)
    for one in values:
        flat = one | {f"{group}.{name}": said for group in _GROUPS for name, said in one.get(group, {}).items()}
        yield _csv_line([_cell(flat.get(column)) for column in columns])


def _cell(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "", True: "YES", False: "NO"}[value]
    quoted = isinstance(value, str) and (value.startswith(('"', "'", "[")) or for_csv(value) != value)
    return json.dumps(value, ensure_ascii=True) if quoted or isinstance(value, list) else str(value)


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
