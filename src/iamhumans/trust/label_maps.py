"""Tables that say how label files of another form are read: which key holds what, and what each value means here.

A value that the table does not name is an error of its row: nothing is guessed and nothing is clamped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, model_validator

from iamhumans.errors import InputError, Place
from iamhumans.rubrics import AXIS_MAXIMUM
from iamhumans.runs import content_hash
from iamhumans.runs.labels import Label
from iamhumans.text import YamlProblem, one_line, read_text, read_yaml
from iamhumans.text.checked import checked
from iamhumans.trust.label_rows import LabelProblem, LabelRow, Reading, rater_of
from iamhumans.trust.label_values import (
    ANY_NAMES,
    MOST_CHARACTERS,
    NOT_ASKED,
    Names,
    Nothing,
    as_number,
    is_cannot_tell,
    read_answer,
    read_axis,
    read_count,
    read_text_value,
)

_ASSISTANTS = frozenset({"assistant", "model", "ai"})
_Key = Annotated[str, Field(min_length=1)]


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


_Keys = Annotated[tuple[_Key, ...], BeforeValidator(_several)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
    source: _Key | None = Field(default=None, alias="from")
    """The key that holds the value; the rating itself if not given."""
    values: dict[str, str] = {}
    """What each value means here."""

    @property
    def by_number(self) -> dict[float, str]:
        """The meanings of those values that are numbers."""
        return {number: said for value, said in self.values.items() if (number := as_number(value)) is not None}

    def meaning(self, value: object) -> str | None:
        """What a value means by the table; ``None`` where it does not say."""
        number = as_number(value)
        if number is not None and not isinstance(value, bool):
            return self.by_number.get(number)
        return {_spelt(known): said for known, said in self.values.items()}.get(_spelt(value))


class MappedAxis(_Part):
    """Where the score of an axis comes from: a list of ``values``, or a straight line over a ``range``."""

    range: tuple[FiniteFloat, FiniteFloat] | None = None
    """The values that are 0 and 10."""

    @model_validator(mode="after")
    def _is_monotone(self) -> Self:
        if bool(self.values) == bool(self.range):
            raise ValueError("say either `values` or `range`.")
        if self.range and self.range[0] == self.range[1]:
            raise ValueError("both ends of the range are the same.")
        scores = {value: _checked_axis(said) for value, said in self.values.items()}
        numbers = sorted((number, scores[value]) for value in scores if (number := as_number(value)) is not None)
        told = [score for _, score in numbers if isinstance(score, float)]
        rises = all(one <= next_ for one, next_ in pairwise(told))
        falls = all(one >= next_ for one, next_ in pairwise(told))
        if not rises and not falls:
            raise ValueError("the scores must rise with the values, or fall with them, all along.")
        return self

    def read(self, value: object, name: str) -> float | Nothing | None:
        """The score that a value means.

        Raises:
            InputError: The table does not say.
        """
        if self.range is None:
            return _checked_axis(_told(self.meaning(value), value, name))
        number, (bottom, top) = as_number(value), self.range
        if number is None or not min(bottom, top) <= number <= max(bottom, top):
            raise InputError(f"{_shown(value)} for `{name}` is not in the table's range {bottom:g} to {top:g}.")
        return AXIS_MAXIMUM * (number - bottom) / (top - bottom)


class MappedHardFail(_Part):
    """Where the answer on a hard fail comes from: a list of ``values``, or the side of a number on which YES lies."""

    yes_below: FiniteFloat | None = None
    yes_above: FiniteFloat | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if sum((bool(self.values), self.yes_below is not None, self.yes_above is not None)) != 1:
            raise ValueError("say one of `values`, `yes_below` and `yes_above`.")
        for said in self.values.values():
            _checked_answer(said)
        return self

    def read(self, value: object, name: str) -> bool | Nothing | None:
        """The answer that a value means.

        Raises:
            InputError: The table does not say.
        """
        if self.values:
            return _checked_answer(_told(self.meaning(value), value, name))
        number = as_number(value)
        if number is None:
            raise InputError(f"{_shown(value)} for `{name}` is no number.")
        return number < self.yes_below if self.yes_below is not None else number > (self.yes_above or 0.0)


class LabelMap(BaseModel):
    """How a file of another form is read. Keys may lead into objects by dots, as in ``scores.warmth``."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    case_id: _Keys
    subject: _Keys = ()
    number: _Key | None = None
    reply: _Key | None = None
    """A text, or chat messages of which the last is the reply."""
    rater: _Key | None = None
    """Who labelled, where a row has one rater."""
    raters: _Key | None = None
    """An object with the rating of each rater, where a row has several."""
    notes: _Key | None = None
    cannot_tell: _Keys = ()
    """Values that say that the rater cannot tell."""
    axes: dict[str, MappedAxis] = {}
    hard_fails: dict[str, MappedHardFail] = {}

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if self.rater and self.raters:
            raise ValueError("say either `rater` or `raters`.")
        if not self.axes and not self.hard_fails:
            raise ValueError("say under `axes` or `hard_fails` what the ratings are about.")
        for name, part in (*self.axes.items(), *self.hard_fails.items()):
            if part.source is None and not self.raters:
                raise ValueError(f"say in which key `{name}` is (`from`).")
        return self


def _checked_axis(said: str) -> float | Nothing | None:
    try:
        return read_axis(said, "a score")
    except InputError as error:
        raise ValueError(f"{error.problem} {error.fix}") from None


def _checked_answer(said: str) -> bool | Nothing | None:
    try:
        return read_answer(said, "an answer")
    except InputError as error:
        raise ValueError(f"{error.problem} {error.fix}") from None


def _told(said: str | None, value: object, name: str) -> str:
    if said is None:
        raise InputError(f"{_shown(value)} for `{name}` is not in the table.", fix="Add it to the table's `values`.")
    return said


def _spelt(value: object) -> str:
    """A value as a text; truth values as JSON has them, which spreadsheets and Python write with capitals."""
    text = str(value).strip()
    return text.lower() if text.lower() in ("true", "false") else text


def _shown(value: object) -> str:
    return f"The value `{one_line(str(value), 60)}`"


def read_label_map(path: Path, names: Names = ANY_NAMES) -> LabelMap:
    """The table of a YAML file.

    Raises:
        InputError: It cannot be read, or says something that cannot be, with file and line.
    """
    try:
        reading = read_yaml(read_text(path))
    except YamlProblem as problem:
        place = Place(path, problem.line)
        raise InputError(f"The table is not valid YAML: {problem.problem}.", place=place) from None
    table = checked(LabelMap, reading, path)
    parts: list[tuple[Literal["axes", "hard_fails"], str]] = [("axes", name) for name in table.axes]
    parts += [("hard_fails", name) for name in table.hard_fails]
    for kind, name in parts:
        try:
            names.check_axis(name) if kind == "axes" else names.check_hard_fail(name)
        except InputError as error:
            place = Place(path, reading.line_of((kind, name)))
            raise InputError(error.problem, fix=error.fix, place=place) from None
    return table


@dataclass(frozen=True, slots=True)
class _About:
    """What a row says besides its ratings."""

    case_id: str
    subject: str | None
    number: int | None
    notes: str
    reply_hash: str | None


def mapped_rows(
    value: Mapping[str, Any], table: LabelMap, reading: Reading, place: Place
) -> Iterator[LabelRow | LabelProblem]:
    """The labels of a row, one a rater, or what is wrong with the row or with a rater's part of it."""
    try:
        about = _about(value, table)
        ratings = _ratings(value, table, reading)
    except InputError as error:
        yield _problem(error, place)
        return
    for rater, rating in ratings:
        try:
            yield _row(value, rating, rater, about, table, place)
        except InputError as error:
            yield _problem(error, place)


def _problem(error: InputError, place: Place) -> LabelProblem:
    return LabelProblem(f"{error.problem} {error.fix}".strip(), place)


def _about(value: Mapping[str, Any], table: LabelMap) -> _About:
    case_id = _joined(value, table.case_id, "case_id")
    if case_id is None:
        raise InputError(f"The row has no `{table.case_id[0]}`, which names the case.")
    return _About(
        case_id=case_id,
        subject=_joined(value, table.subject, "subject"),
        number=read_count(_at(value, table.number)),
        notes=read_text_value(_at(value, table.notes), "notes", limit=MOST_CHARACTERS) or "",
        reply_hash=_reply_hash(value, table),
    )


def _joined(value: Mapping[str, Any], keys: tuple[str, ...], name: str) -> str | None:
    parts = [text for key in keys if (text := read_text_value(_at(value, key), name)) is not None]
    return "/".join(parts) or None


def _reply_hash(value: Mapping[str, Any], table: LabelMap) -> str | None:
    if table.reply is None:
        return None
    found = _at(value, table.reply)
    text = _last_message(found) if isinstance(found, list) else found
    if not isinstance(text, str):
        raise InputError(f"`{one_line(table.reply, 60)}` holds no reply.", fix="It should be a text, or messages.")
    return content_hash(text)


def _last_message(messages: list[Any]) -> object:
    last = messages[-1] if messages else None
    if not isinstance(last, dict) or last.get("role") not in _ASSISTANTS:
        raise InputError("The last message is not the assistant's, so there is no reply that the ratings are about.")
    content = last.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content


def _ratings(value: Mapping[str, Any], table: LabelMap, reading: Reading) -> list[tuple[str, object]]:
    if table.raters is None:
        return [(rater_of(_at(value, table.rater), reading), value)]
    found = _at(value, table.raters)
    if not isinstance(found, dict):
        raise InputError(f"`{one_line(table.raters, 60)}` is not an object with a rating for each rater.")
    return [(rater_of(rater, reading), rating) for rater, rating in found.items()]


def _row(
    value: Mapping[str, Any], rating: object, rater: str, about: _About, table: LabelMap, place: Place
) -> LabelRow:
    def read(part: MappedAxis | MappedHardFail, name: str) -> Any:
        found = rating if part.source is None else _rated(part.source, rating, value)
        if found is None or found == "":
            return NOT_ASKED
        return None if _says_cannot_tell(found, table) else part.read(found, name)

    axes = {name: read(part, name) for name, part in table.axes.items()}
    flags = {name: read(part, name) for name, part in table.hard_fails.items()}
    label = Label(
        reply_key=None,
        case_id=about.case_id,
        subject=about.subject,
        number=about.number or 1,
        rater=rater,
        flags={name: said for name, said in flags.items() if not isinstance(said, Nothing)},
        axes={name: said for name, said in axes.items() if not isinstance(said, Nothing)},
        notes=about.notes,
    )
    return LabelRow(label, about.reply_hash, numbered=about.number is not None, place=place)


def _rated(key: str, rating: object, value: Mapping[str, Any]) -> object:
    """The value of a key in the rater's own part of the row, else in the row."""
    found = _at(rating, key) if isinstance(rating, dict) else None
    return _at(value, key) if found is None else found


def _says_cannot_tell(value: object, table: LabelMap) -> bool:
    if is_cannot_tell(value):
        return True
    number = as_number(value)
    return any(
        _spelt(value) == word or (number is not None and number == as_number(word)) for word in table.cannot_tell
    )


def _at(value: object, key: str | None) -> Any:
    """The value of a key, which may lead into objects by dots."""
    if key is None or not isinstance(value, dict):
        return None
    if key in value:
        return value[key]
    first, dot, rest = key.partition(".")
    return _at(value.get(first), rest) if dot else None
