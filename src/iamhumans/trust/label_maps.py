"""Maps say how to read another form of label file: which key holds what, and what each value means."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, model_validator

from iamhumans.errors import InputError, Place
from iamhumans.rubrics import AXIS_MAXIMUM, Rubric
from iamhumans.subjects.rows import turns_of
from iamhumans.text import YamlProblem, one_line, read_text, read_yaml
from iamhumans.text.checked import checked
from iamhumans.trust.label_files import CANNOT_TELL, as_number, check_names, is_cannot_tell, read_answer, read_score

_Key: TypeAlias = Annotated[str, Field(min_length=1)]
_AsKeys = BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)
_Keys: TypeAlias = Annotated[tuple[_Key, ...], _AsKeys]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
    source: _Key | None = Field(default=None, alias="from")
    """The key that holds the value; ``None`` for the rating itself."""
    values: dict[str, str] = {}  # what each value means

    def meaning(self, value: object, name: str) -> object:
        """What a value means. Raises InputError where the map does not say."""
        for known, said in self.values.items():
            if _same(known, value):
                return said
        raise InputError(f"The value {_shown(value)} for `{name}` is not in the map.", fix="Add it to `values`.")


class MappedAxis(_Part):
    """Where the score of an axis comes from: a list of ``values``, or a straight line over a ``range``."""

    range: tuple[FiniteFloat, FiniteFloat] | None = None  # the values that mean 0 and 10

    @model_validator(mode="after")
    def _is_monotone(self) -> Self:
        if bool(self.values) == bool(self.range):
            raise ValueError("write either `values` or `range`.")
        if self.range and self.range[0] == self.range[1]:
            raise ValueError("both ends of the range are the same.")
        scores = {value: read_score(said) for value, said in self.values.items()}
        by_number = sorted((number, scores[value]) for value in scores if (number := as_number(value)) is not None)
        steps = list(pairwise(score for _, score in by_number if score is not None))
        if any(one > after for one, after in steps) and any(one < after for one, after in steps):
            raise ValueError("the scores must rise with the values, or fall with them.")
        return self

    def meaning(self, value: object, name: str) -> object:
        """The score that a value means. Raises InputError where the map does not say."""
        if self.range is None:
            return super().meaning(value, name)
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
            read_answer(said)
        return self

    def meaning(self, value: object, name: str) -> object:
        """The answer that a value means. Raises InputError where the map does not say."""
        if self.values:
            return super().meaning(value, name)
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
    reply: _Key | None = None  # a text, or chat messages of which the last one is the reply
    rater: _Key | None = None  # who labelled, where a row has one rater
    raters: _Key | None = None  # an object with the rating of each rater, where a row has several
    notes: _Key | None = None
    cannot_tell: _Keys = ()  # values that say that the rater cannot tell
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

    def rows(self, value: Mapping[str, Any]) -> Iterator[dict[str, Any] | InputError]:
        """A row in the form of our own files, once for each rater, or what is wrong with the row or with a rating."""
        try:
            shared = self._shared(value)
            ratings = self._ratings(value)
        except InputError as error:
            yield error
            return
        for rater, rating in ratings:
            try:
                axes = {name: self._answer(part, name, rating, value) for name, part in self.axes.items()}
                flags = {name: self._answer(part, name, rating, value) for name, part in self.hard_fails.items()}
            except InputError as error:
                yield error
            else:
                yield {**shared, "rater": rater, "axes": axes, "hard_fails": flags}

    def _shared(self, value: Mapping[str, Any]) -> dict[str, Any]:
        both = ([_at(value, key) for key in keys] for keys in (self.case_id, self.subject))
        case_id, subject = ("/".join(str(one) for one in found if one not in (None, "")) for found in both)
        if not case_id:
            raise InputError(f"The row has no `{self.case_id[0]}`, which names the case.")
        reply = _at(value, self.reply)
        if isinstance(reply, list):
            turns = turns_of(reply)
            if not turns or turns[-1].speaker != "assistant":
                raise InputError("The last message is not the assistant's, so the row has no reply.")
            reply = turns[-1].text
        if self.reply and not isinstance(reply, str):
            raise InputError(f"{_shown(self.reply)} holds no reply.", fix="It should be a text, or messages.")
        number, notes = _at(value, self.number), _at(value, self.notes)
        return {"case_id": case_id, "subject": subject, "reply": reply, "number": number, "notes": notes}

    def _ratings(self, value: Mapping[str, Any]) -> list[tuple[object, object]]:
        if self.raters is None:
            return [(_at(value, self.rater), value)]
        found = _at(value, self.raters)
        if not isinstance(found, dict):
            raise InputError(f"{_shown(self.raters)} is not an object with a rating for each rater.")
        return list(found.items())

    def _answer(self, part: MappedAxis | MappedHardFail, name: str, rating: object, value: object) -> object:
        # A key may be in the rater's own part of the row, or in the row.
        found = rating if part.source is None else _at(rating, part.source)
        found = _at(value, part.source) if found is None else found
        if found is None or found == "":
            return None
        tells = not is_cannot_tell(found) and not any(_same(word, found) for word in self.cannot_tell)
        return part.meaning(found, name) if tells else CANNOT_TELL


def read_label_map(path: Path, rubric: Rubric) -> LabelMap:
    """The map of a YAML file."""
    try:
        reading = read_yaml(read_text(path))
    except YamlProblem as problem:
        raise InputError(f"The map is not valid YAML: {problem.problem}.", where=Place(path, problem.line)) from None
    found, ids = checked(LabelMap, reading, path), (rubric.axis_ids, rubric.hard_fail_ids)
    for group, known, kind in zip(("axes", "hard_fails"), ids, ("axis", "hard fail"), strict=True):
        try:
            check_names(getattr(found, group), known, kind)
        except InputError as error:
            raise InputError(error.what, fix=error.fix, where=Place(path, reading.line_of((group,)))) from None
    return found


def _at(value: object, key: str | None) -> Any:
    if key is None or not isinstance(value, dict):
        return None
    if key in value:
        return value[key]
    first, dot, rest = key.partition(".")
    return _at(value.get(first), rest) if dot else None


def _same(known: str, value: object) -> bool:
    """Whether a value of the map, always a text, is this value of a row: as a number, a truth value or a text."""
    number = as_number(value)
    if number is not None:
        return as_number(known) == number
    known, text = known.strip(), str(value).strip()
    return known == text or (known.lower() == text.lower() and text.lower() in ("true", "false"))


def _shown(value: object) -> str:
    return f"`{one_line(str(value), 60)}`"
