"""Maps: how to read a label file of another form. A map says which key holds what, and what each value means.

A value that the map does not name is a problem of its row. Nothing is guessed, and nothing is clamped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, model_validator

from iamhumans.errors import InputError, Place
from iamhumans.rubrics import AXIS_MAXIMUM, Rubric
from iamhumans.runs.keys import content_hash
from iamhumans.runs.labels import Label
from iamhumans.text import YamlProblem, one_line, read_text, read_yaml
from iamhumans.text.checked import checked
from iamhumans.trust.label_files import (
    NOT_ASKED,
    LabelProblem,
    LabelRow,
    Nothing,
    answered,
    as_number,
    check_name,
    is_cannot_tell,
    read_answer,
    read_axis,
    read_count,
    read_note,
    read_rater,
    read_text_value,
)

_ASSISTANTS = ("assistant", "model", "ai")
_Key: TypeAlias = Annotated[str, Field(min_length=1)]
_Keys: TypeAlias = Annotated[
    tuple[_Key, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
    source: _Key | None = Field(default=None, alias="from")
    """The key that holds the value; ``None`` for the rating itself."""
    values: dict[str, str] = {}
    """What each value means."""

    def meaning(self, value: object, name: str) -> str:
        """What a value means. Raises InputError where the map does not say."""
        number = None if isinstance(value, bool) else as_number(value)
        for known, said in self.values.items():
            if as_number(known) == number if number is not None else _plain(known) == _plain(value):
                return said
        raise InputError(f"The value {_shown(value)} for `{name}` is not in the map.", fix="Add it to `values`.")


class MappedAxis(_Part):
    """Where the score of an axis comes from: a list of ``values``, or a straight line over a ``range``."""

    range: tuple[FiniteFloat, FiniteFloat] | None = None
    """The values that mean 0 and 10."""

    @model_validator(mode="after")
    def _is_monotone(self) -> Self:
        if bool(self.values) == bool(self.range):
            raise ValueError("write either `values` or `range`.")
        if self.range and self.range[0] == self.range[1]:
            raise ValueError("both ends of the range are the same.")
        scores = {value: _checked(read_axis, said) for value, said in self.values.items()}
        by_number = sorted((number, scores[value]) for value in scores if (number := as_number(value)) is not None)
        steps = list(pairwise(score for _, score in by_number if isinstance(score, float)))
        if any(one > after for one, after in steps) and any(one < after for one, after in steps):
            raise ValueError("the scores must rise with the values, or fall with them.")
        return self

    def read(self, value: object, name: str) -> float | Nothing | None:
        """The score that a value means. Raises InputError where the map does not say."""
        if self.range is None:
            return read_axis(self.meaning(value, name), name)
        number, (bottom, top) = as_number(value), self.range
        if number is None or not min(bottom, top) <= number <= max(bottom, top):
            raise InputError(f"The value {_shown(value)} for `{name}` is not in the range {bottom:g} to {top:g}.")
        return AXIS_MAXIMUM * (number - bottom) / (top - bottom)


class MappedHardFail(_Part):
    """Where the answer on a hard fail comes from: a list of ``values``, or a threshold beyond which it is YES."""

    yes_below: FiniteFloat | None = None
    yes_above: FiniteFloat | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if sum((bool(self.values), self.yes_below is not None, self.yes_above is not None)) != 1:
            raise ValueError("write one of `values`, `yes_below` and `yes_above`.")
        for said in self.values.values():
            _checked(read_answer, said)
        return self

    def read(self, value: object, name: str) -> bool | Nothing | None:
        """The answer that a value means. Raises InputError where the map does not say."""
        if self.values:
            return read_answer(self.meaning(value, name), name)
        number = as_number(value)
        if number is None:
            raise InputError(f"The value {_shown(value)} for `{name}` is not a number.")
        return number < self.yes_below if self.yes_below is not None else number > (self.yes_above or 0.0)


class LabelMap(BaseModel):
    """How to read a file of another form. Dots in a key lead into objects, as in ``scores.warmth``."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    case_id: _Keys
    subject: _Keys = ()
    number: _Key | None = None
    reply: _Key | None = None
    """A text, or chat messages of which the last one is the reply."""
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
            raise ValueError("write either `rater` or `raters`.")
        if not self.axes and not self.hard_fails:
            raise ValueError("name what the ratings are about, under `axes` or `hard_fails`.")
        for name, part in (*self.axes.items(), *self.hard_fails.items()):
            if part.source is None and not self.raters:
                raise ValueError(f"name the key that holds `{name}` (`from`).")
        return self

    def rows(self, value: Mapping[str, Any], rater: str | None, place: Place) -> Iterator[LabelRow | LabelProblem]:
        """The labels of a row, one for each rater, or what is wrong with the row or with one rating."""
        try:
            known = self._known(value)
            reply_hash = self._reply_hash(value)
            numbered = read_count(_at(value, self.number))
            ratings = [(read_rater(name, rater), rating) for name, rating in self._ratings(value)]
        except InputError as error:
            yield LabelProblem.of(error, place)
            return
        for name, rating in ratings:
            try:
                axes = {axis: self._read(part, axis, rating, value) for axis, part in self.axes.items()}
                flags = {flag: self._read(part, flag, rating, value) for flag, part in self.hard_fails.items()}
            except InputError as error:
                yield LabelProblem.of(error, place)
                continue
            label = Label(None, **known, number=numbered or 1, rater=name, flags=answered(flags), axes=answered(axes))
            yield LabelRow(label, reply_hash, numbered=numbered is not None, place=place)

    def _known(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """What a row says besides its ratings."""
        case_id = _joined(value, self.case_id, "case_id")
        if case_id is None:
            raise InputError(f"The row has no `{self.case_id[0]}`, which names the case.")
        notes = read_note(_at(value, self.notes), "notes")
        return {"case_id": case_id, "subject": _joined(value, self.subject, "subject"), "notes": notes}

    def _reply_hash(self, value: Mapping[str, Any]) -> str | None:
        if self.reply is None:
            return None
        found = _at(value, self.reply)
        text = _last_message(found) if isinstance(found, list) else found
        if not isinstance(text, str):
            raise InputError(f"{_shown(self.reply)} holds no reply.", fix="It should be a text, or messages.")
        return content_hash(text)

    def _ratings(self, value: Mapping[str, Any]) -> list[tuple[object, object]]:
        if self.raters is None:
            return [(_at(value, self.rater), value)]
        found = _at(value, self.raters)
        if not isinstance(found, dict):
            raise InputError(f"{_shown(self.raters)} is not an object with a rating for each rater.")
        return list(found.items())

    def _read(self, part: MappedAxis | MappedHardFail, name: str, rating: object, value: Mapping[str, Any]) -> Any:
        # A key may be in the rater's own part of the row, or in the row.
        found = rating if part.source is None else _at(rating, part.source)
        found = _at(value, part.source) if found is None and part.source else found
        if found is None or found == "":
            return NOT_ASKED
        return None if self._is_cannot_tell(found) else part.read(found, name)

    def _is_cannot_tell(self, value: object) -> bool:
        number = as_number(value)
        return is_cannot_tell(value) or any(
            _plain(value) == word or (number is not None and number == as_number(word)) for word in self.cannot_tell
        )


def read_label_map(path: Path, rubric: Rubric) -> LabelMap:
    """The map of a YAML file.

    Raises:
        InputError: The file cannot be read, or the map contradicts itself or names something that the rubric lacks.
    """
    try:
        reading = read_yaml(read_text(path))
    except YamlProblem as problem:
        place = Place(path, problem.line)
        raise InputError(f"The map is not valid YAML: {problem.problem}.", place=place) from None
    found = checked(LabelMap, reading, path)
    for group, names, known in (
        ("axes", found.axes, rubric.axis_ids),
        ("hard_fails", found.hard_fails, rubric.hard_fail_ids),
    ):
        for name in names:
            try:
                check_name(name, known, "axis" if group == "axes" else "hard fail")
            except InputError as error:
                place = Place(path, reading.line_of((group, name)))
                raise InputError(error.problem, fix=error.fix, place=place) from None
    return found


def _checked(read: Any, said: str) -> Any:
    try:
        return read(said, "values")
    except InputError as error:
        raise ValueError(f"{error.problem} {error.fix}") from None


def _joined(value: Mapping[str, Any], keys: tuple[str, ...], name: str) -> str | None:
    parts = [text for key in keys if (text := read_text_value(_at(value, key), name)) is not None]
    return "/".join(parts) or None


def _last_message(messages: list[Any]) -> object:
    last = messages[-1] if messages else None
    if not isinstance(last, dict) or last.get("role") not in _ASSISTANTS:
        raise InputError("The last message is not the assistant's, so the row has no reply.")
    content = last.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content


def _at(value: object, key: str | None) -> Any:
    """The value of a key, whose dots may lead into objects."""
    if key is None or not isinstance(value, dict):
        return None
    if key in value:
        return value[key]
    first, dot, rest = key.partition(".")
    return _at(value.get(first), rest) if dot else None


def _plain(value: object) -> str:
    """A value as a text. Python and spreadsheets write truth values in capitals, JSON does not."""
    text = str(value).strip()
    return text.lower() if text.lower() in ("true", "false") else text


def _shown(value: object) -> str:
    return f"`{one_line(str(value), 60)}`"
