"""One row of a label file: from named values to a label, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from iamhumans.errors import InputError, Place
from iamhumans.runs import content_hash
from iamhumans.runs.labels import Label
from iamhumans.text import one_line
from iamhumans.trust.label_values import (
    ANY_NAMES,
    CANNOT_TELL,
    MOST_CHARACTERS,
    Names,
    Nothing,
    read_answer,
    read_axis,
    read_count,
    read_part,
    read_text_value,
    read_weight,
    read_words,
)
from iamhumans.trust.raters import DEFAULT_RATER

PLAIN_KEYS = (
    "reply_key",
    "case_id",
    "subject",
    "number",
    "reply",
    "reply_hash",
    "rater",
    "notes",
    "part",
    "weight",
)
"""Keys with one value each."""
GROUPS = ("hard_fails", "axes", "words")
"""Keys with a value for each hard fail or axis."""


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A label as a file has it, with what tells which reply it is about.

    ``numbered`` is false where the file does not say which of several replies is meant; then ``label.number`` is 1.
    """

    label: Label
    reply_hash: str | None = None
    numbered: bool = True
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class LabelProblem:
    """A row that cannot be used, and why."""

    problem: str
    place: Place

    def __str__(self) -> str:
        """Place and problem, as errors are printed."""
        return f"{self.place}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader of label files knows besides the file.

    Attributes:
        names: The ids that there are.
        rater: Who labelled, where a row does not say.
    """

    names: Names = ANY_NAMES
    rater: str | None = None


NOTHING_KNOWN = Reading()


def label_row(value: Mapping[str, Any], reading: Reading, place: Place) -> LabelRow:
    """The label of a row.

    Raises:
        InputError: It is none, and why; without a place.
    """
    _check_keys(value)
    flags, axes, words = (_group(value, name) for name in GROUPS)
    for name in (*flags, *words):
        reading.names.check_hard_fail(name)
    for name in axes:
        reading.names.check_axis(name)
    number = read_count(value.get("number"))
    key, text = read_text_value(value.get("reply_key"), "reply_key"), value.get("reply")
    if text is not None and not isinstance(text, str):
        raise InputError("`reply` is not a text.")
    case_id = read_text_value(value.get("case_id"), "case_id")
    if case_id is None and key is None:
        raise InputError("The row names no case.", fix="Give it a `case_id`.")
    label = Label(
        reply_key=key,
        case_id=case_id or "",
        subject=read_text_value(value.get("subject"), "subject"),
        number=number or 1,
        rater=rater_of(value.get("rater"), reading),
        flags=_answered({name: read_answer(one, f"hard_fails.{name}") for name, one in flags.items()}),
        axes=_answered({name: read_axis(one, f"axes.{name}") for name, one in axes.items()}),
        words={name: found for name, one in words.items() if (found := read_words(one, f"words.{name}"))},
        notes=read_text_value(value.get("notes"), "notes", limit=MOST_CHARACTERS) or "",
        part=read_part(value.get("part")),
        weight=read_weight(value.get("weight")),
    )
    return LabelRow(label, _hash(value.get("reply_hash"), text), numbered=number is not None, place=place)


def rater_of(value: object, reading: Reading) -> str:
    """Who labelled; the name that everybody has who gave none is no answer, where another one is known.

    Raises:
        InputError: Nobody says.
    """
    written = read_text_value(value, "rater")
    rater = (reading.rater or written) if written == DEFAULT_RATER else (written or reading.rater)
    if rater is None:
        raise InputError("The row does not say who labelled.", fix="Give it a `rater`, or use --rater.")
    return rater


def _hash(written: object, text: str | None) -> str | None:
    given = read_text_value(written, "reply_hash")
    found = content_hash(text) if text else None
    if given and found and given != found:
        raise InputError("`reply_hash` is not the hash of `reply`.", fix="Leave one of them out.")
    return given or found


def _check_keys(value: Mapping[str, Any]) -> None:
    known = (*PLAIN_KEYS, *GROUPS)
    for key in value:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            fix = f"Did you mean `{near[0]}`?" if near else "Leave it out, or say with --map what it means."
            raise InputError(f"`{one_line(key, 60)}` is not a key that is known here.", fix=fix)


def _group(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    group = value.get(name)
    if group is None:
        return {}
    if not isinstance(group, dict):
        raise InputError(f"`{name}` is not an object.", fix=f'Write "{name}": {{"some_id": ...}}.')
    return group


def _answered(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not isinstance(value, Nothing)}


def row_values(row: LabelRow) -> dict[str, Any]:
    """A row as a JSON object has it: what is not there is left out."""
    label = row.label
    plain: dict[str, Any] = {
        "reply_key": label.reply_key,
        "case_id": label.case_id or None,
        "subject": label.subject,
        "number": label.number if row.numbered else None,
        "reply_hash": row.reply_hash,
        "rater": label.rater,
        "hard_fails": dict(_written(label.flags)),
        "axes": dict(_written(label.axes)),
        "words": {name: list(words) for name, words in label.words.items() if words},
        "notes": label.notes or None,
        "part": label.part,
        "weight": label.weight,
    }
    return {key: value for key, value in plain.items() if value not in (None, {})}


def _written(answers: Mapping[str, bool | float | None]) -> Iterator[tuple[str, Any]]:
    for name, value in answers.items():
        if value is None:
            yield name, CANNOT_TELL
        elif isinstance(value, bool):
            yield name, value
        else:
            yield name, int(value) if value == int(value) else value
