"""Label files: JSON Lines or CSV, one label each. A row that cannot be used becomes a :class:`LabelProblem`."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PositiveInt, ValidationError, model_validator

from iamhumans.errors import InputError, Place
from iamhumans.rubrics import AXIS_MAXIMUM, Rubric
from iamhumans.runs.journal.entries import storable
from iamhumans.runs.keys import content_hash
from iamhumans.runs.labels import Label, Part
from iamhumans.text import for_csv, one_line, read_text

if TYPE_CHECKING:
    from iamhumans.trust.label_maps import LabelMap

Line = tuple[int, dict[str, Any] | InputError]  # the number of a line, from 1, and its value or what is wrong with it

DEFAULT_RATER: Final = "me"  # The rater where no name is given. On another machine it may be another person.
CANNOT_TELL: Final = "cannot_tell"
MOST_BYTES = 200_000_000  # Largest label file. Files from elsewhere may hold whole conversations.
MOST_CHARACTERS = 20_000  # longest note, and longest words behind a YES
_MOST_IN_NAME = 300
_GROUPS = ("hard_fails", "axes", "words")  # keys that hold a value for each hard fail or axis
_ANSWERS = {"yes": True, "true": True, "y": True, "no": False, "false": False, "n": False}
_HASH = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A label of a file, with what says which reply it is about; ``numbered`` is false where the row has no number."""

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
        return f"{self.place}: {self.problem}"


def read_labels(
    path: Path, rubric: Rubric, *, label_map: LabelMap | None = None, rater: str | None = None
) -> list[LabelRow | LabelProblem]:
    """The rows of a label file, and why rows cannot be used. ``rater`` labelled where a row does not say who."""
    text, found = read_text(path, limit=MOST_BYTES), list[LabelRow | LabelProblem]()
    for line, value in _csv_values(text, path) if path.suffix.lower() == ".csv" else json_values(text):
        place = Place(path, line)
        for row in [value] if label_map is None or isinstance(value, InputError) else label_map.rows(value):
            try:
                found.append(_label_row(row, rubric, rater, place))
            except InputError as error:
                found.append(LabelProblem(f"{error.what} {error.fix}".strip(), place))
    return found


def _label_row(value: dict[str, Any] | InputError, rubric: Rubric, rater: str | None, place: Place) -> LabelRow:
    if isinstance(value, InputError):
        raise value
    try:
        row = _Row.model_validate(value)
    except ValidationError as error:
        raise _problem_of(error) from None
    check_names((*row.hard_fails, *row.words), rubric.hard_fail_ids, "hard fail")
    check_names(row.axes, rubric.axis_ids, "axis")
    if row.case_id is None and row.reply_key is None:
        raise InputError("The row names no case.", fix="Add a `case_id` to it.")
    # The default name in a file may be another person's, so the given name comes first.
    who = (rater or row.rater) if row.rater == DEFAULT_RATER else (row.rater or rater)
    if who is None:
        raise InputError(
            "The row does not say who labelled.", fix="Add a `rater` to it, or name one (`--rater`, or `rater=`)."
        )
    read = None if row.reply is None else content_hash(row.reply)
    if row.reply_hash and read and row.reply_hash != read:
        raise InputError("`reply_hash` is not the hash of `reply`.", fix="Leave one of them out.")
    about = row.reply_key, row.case_id or "", row.subject, row.number or 1, who
    words = {name: quoted for name, several in row.words.items() if (quoted := tuple(filter(None, several)))}
    label = Label(*about, row.hard_fails, row.axes, words, row.notes, row.part, row.weight)
    return LabelRow(label, row.reply_hash or read, numbered=row.number is not None, place=place)


def _problem_of(error: ValidationError) -> InputError:
    first = error.errors(include_url=False)[0]
    name, given, message = one_line(".".join(map(str, first["loc"])), 60), first["input"], first["msg"]
    if first["type"] == "value_error":
        return InputError(f"`{name}`: {message.removeprefix('Value error, ')}", fix="Leave out what was not answered.")
    if first["type"] != "extra_forbidden":
        return InputError(f"`{name}` is `{one_line(str(given), 60)}`.", fix=f"{message}.")
    near = get_close_matches(name, _Row.model_fields, n=1)
    fix = f"Did you mean `{near[0]}`?" if near else "Leave it out, or explain it in a map file."
    return InputError(f"`{name}` is not a key of a label file.", fix=fix)


def check_names(names: Iterable[str], known: Sequence[str], kind: str) -> None:
    """Raise an InputError where a rubric has no hard fail, or axis, of one of these names."""
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            fix = f"Did you mean `{near[0]}`?" if near else f"It has {', '.join(known) or 'none'}."
            raise InputError(f"The rubric has no {kind} `{one_line(name, 60)}`.", fix=fix)


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _filled(value: object) -> object:
    """A mapping without its blank values. The answer "cannot tell" is not blank."""
    return {key: one for key, one in value.items() if not _is_blank(one)} if isinstance(value, dict) else value


def is_cannot_tell(value: object) -> bool:
    """Whether a value says that the rater cannot tell."""
    return isinstance(value, str) and re.sub(r"[\s_-]+", "_", value.strip().lower()) in (CANNOT_TELL, "can't_tell")


def read_answer(value: object) -> bool | None:
    """Whether a hard fail is present; ``None`` for "cannot tell". Raises ValueError for anything else."""
    found = _ANSWERS.get(str(value).strip().lower())
    if found is None and not is_cannot_tell(value):
        raise ValueError(f"`{one_line(str(value), 60)}` is not YES, NO or {CANNOT_TELL}.")
    return found


def read_score(value: object) -> float | None:
    """A score from 0 to 10; ``None`` for "cannot tell". Raises ValueError for anything else."""
    number = as_number(value)
    if is_cannot_tell(value) or (number is not None and 0 <= number <= AXIS_MAXIMUM):
        return number
    raise ValueError(f"`{one_line(str(value), 60)}` is not a number from 0 to {AXIS_MAXIMUM}, or {CANNOT_TELL}.")


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


def read_text_value(value: str | None, name: str) -> str | None:
    """A short text that was given in place of one of a file; ``None`` for a blank one."""
    if value is not None and len(value) > _MOST_IN_NAME:
        raise InputError(f"`{name}` is longer than {_MOST_IN_NAME} characters.", fix="Shorten it.")
    return None if value is None or _is_blank(value) else storable(value)


def _as_text(value: object) -> object:
    return storable(value) if isinstance(value, str) else value


def _as_note(value: object) -> object:
    """A text of the rater; none for the hash that an export has in place of a held-out text."""
    return "" if isinstance(value, str) and _HASH.fullmatch(value) else _as_text(value)


_Text = Annotated[str, Field(max_length=_MOST_IN_NAME), BeforeValidator(_as_text)]
_Note = Annotated[str, Field(max_length=MOST_CHARACTERS), BeforeValidator(_as_note)]
_Words = Annotated[tuple[_Note, ...], BeforeValidator(lambda said: said if isinstance(said, list) else [said])]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True, allow_inf_nan=False)
    reply_key: _Text | None = None
    case_id: _Text | None = None
    subject: _Text | None = None
    number: PositiveInt | None = None
    reply: str | None = None
    reply_hash: _Text | None = None
    rater: _Text | None = None
    hard_fails: Annotated[
        dict[str, Annotated[bool | None, BeforeValidator(read_answer)]], BeforeValidator(_filled)
    ] = {}
    axes: Annotated[dict[str, Annotated[float | None, BeforeValidator(read_score)]], BeforeValidator(_filled)] = {}
    words: Annotated[dict[str, _Words], BeforeValidator(_filled)] = {}
    notes: _Note = ""
    part: Part | None = None
    weight: Annotated[float, Field(ge=1)] | None = None

    _without_blanks = model_validator(mode="before")(_filled)


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
            wrong = InputError("The line is not a JSON object.", fix="Write one object per line.")
            yield number, value if isinstance(value, dict | InputError) else wrong


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        again, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise InputError(f"The line has `{one_line(again, 60)}` twice.", fix="Keep one of the two.")
    return value


def _csv_values(text: str, path: Path) -> Iterator[Line]:
    delimiter = max((",", ";", "\t"), key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        heading = [cell.strip() for cell in next(reader, [])]
    except csv.Error as error:
        raise InputError(f"The heading is not CSV: {error}.", where=Place(path, 1)) from None
    twice = next((name for name in heading if name and heading.count(name) > 1), None)
    if twice is not None or not any(heading):
        problem = f"There are two columns `{one_line(twice, 60)}`." if twice else "The file has no heading."
        raise InputError(problem, fix="Name each column once, in the first row.", where=Place(path, 1))
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


def _row_of(heading: Sequence[str], cells: Sequence[str]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name, cell in zip(heading, cells, strict=False):
        if name and cell.strip():
            group, _, part = name.partition(".")
            where = value.setdefault(group, {}) if part and group in _GROUPS else value
            where[part if where is not value else name] = _unquoted(cell)
    return value


def _unquoted(cell: str) -> str | list[str]:
    try:
        value = json.loads(cell) if cell.startswith(("[", '"')) else cell
    except (ValueError, RecursionError):
        return cell
    return value if all(isinstance(one, str) for one in (value if isinstance(value, list) else [value])) else cell


def _row_values(row: LabelRow) -> dict[str, Any]:
    label = row.label
    values: dict[str, Any] = {
        "reply_key": label.reply_key,
        "case_id": label.case_id or None,
        "subject": label.subject,
        "number": label.number if row.numbered else None,
        "reply_hash": row.reply_hash,
        "rater": label.rater,
        "hard_fails": {name: _shortest(said) for name, said in label.flags.items()},
        "axes": {name: _shortest(said) for name, said in label.axes.items()},
        "words": {name: list(words) for name, words in label.words.items() if words},
        "notes": label.notes or None,
        "part": label.part,
        "weight": label.weight,
    }
    return {key: value for key, value in values.items() if value not in (None, {})}


def _shortest(said: float | None) -> object:
    return CANNOT_TELL if said is None else int(said) if isinstance(said, float) and said.is_integer() else said


def labels_as_json_lines(rows: Iterable[LabelRow]) -> Iterator[str]:
    """The lines of a JSON Lines file, in ASCII, so that none can steer a terminal."""
    return (json.dumps(_row_values(row), ensure_ascii=True) + "\n" for row in rows)


def labels_as_csv(rows: Iterable[LabelRow]) -> Iterator[str]:
    """The text of a CSV file. No cell looks like a formula, and reading it back gives the same labels."""
    values = [_row_values(row) for row in rows]
    columns = [key for key in _Row.model_fields if key not in ("reply", "notes", "part", "weight", *_GROUPS)]
    for group in _GROUPS:
        columns += [f"{group}.{name}" for name in dict.fromkeys(name for one in values for name in one.get(group, ()))]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*columns, "notes", "part", "weight"], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for one in values:
        flat = one | {f"{group}.{name}": said for group in _GROUPS for name, said in one.get(group, {}).items()}
        writer.writerow({column: _cell(said) for column, said in flat.items()})
    yield text.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "YES" if value else "NO"
    quoted = isinstance(value, str) and (value.startswith(('"', "'", "[")) or for_csv(value) != value)
    return json.dumps(value, ensure_ascii=True) if quoted or isinstance(value, list) else str(value)
