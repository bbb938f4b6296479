"""Reading a verdict line by line, where it is not YAML: a colon in the notes, bold keys, full-width punctuation."""

from __future__ import annotations

import re
from collections.abc import Collection

from iamhumans.rubrics import Rubric
from iamhumans.text import YamlProblem, YamlReading, YamlValue, read_yaml
from iamhumans.text.yaml import RepeatedKey
from iamhumans.verdicts.forms import SECTIONS
from iamhumans.verdicts.values import plain_key

# No part gives back what it took (`*+`): the time is linear in the line, whatever it holds.
_LINE = re.compile(
    r"(?P<margin>[ \t>]*+)(?:(?:[-*+|]|[0-9]{1,2}[.)]|#{1,6}+)[ \t]*+)*+"
    r"(?P<key>[*_`\"']*+[^\W\d][\w \t-]*+[*_`\"']*+)[ \t]*+(?P<colon>[:：])[*_]*+[ \t]*+(?P<value>.*)"
)
_BLOCK_MARKS = ("|", ">", "|-", ">-")
_ITEM = re.compile(r"[ \t>]*[-*+][ \t]+(?P<value>.*)")


def read_lines(text: str, rubric: Rubric, repairs: set[str]) -> YamlReading:
    """What can be read without a grammar, shaped as YAML would have given it. Keys that are not known are passed over.

    What was forgiven in keys and colons is added to ``repairs``.
    """
    reader = _LineReader(rubric, repairs)
    for line in text.split("\n"):
        reader.take(line)
    return reader.finish()


class _LineReader:
    def __init__(self, rubric: Rubric, repairs: set[str]) -> None:
        self.repairs = repairs
        self.axes = set(rubric.axis_ids)
        self.flags = set(rubric.hard_fail_ids)
        self.known = self.axes | self.flags | {"case_id", "check", "total", "verdict", "notes", *SECTIONS}
        self.reading = YamlReading()
        self.top: dict[str, YamlValue] = {}
        self.sections: dict[str, dict[str, YamlValue]] = {}
        self.section = ""
        self.quotes: list[YamlValue] | None = None
        self.notes: list[str] | None = None
        self.notes_margin = 0

    def take(self, line: str) -> None:
        match = _LINE.fullmatch(line)
        key = plain_key(match["key"]) if match else ""
        if match is None or key not in self.known or self._inside_notes(match, key):
            self._continue(line)
            return
        _note_dress(match, key, self.repairs)
        value = match["value"].strip().rstrip(",").strip()
        self.quotes = None
        if key == "notes":
            self.notes = [] if value in _BLOCK_MARKS else [value]
            self.notes_margin = len(match["margin"])
        elif key in SECTIONS:
            self.section = key
            self._open(key, len(match["margin"]))
        else:
            self._put(key, value)

    def _inside_notes(self, match: re.Match[str], key: str) -> bool:
        """A key that is indented deeper than ``notes``, or that is no top-level key, is a word of the notes."""
        if self.notes is None:
            return False
        if len(match["margin"]) > self.notes_margin or key in self.axes | self.flags:
            return True
        if key == "notes":
            return True
        self.notes_done()
        return False

    def notes_done(self) -> None:
        if self.notes is not None:
            self.top["notes"] = "\n".join(self.notes).strip()
            self.notes = None

    def _continue(self, line: str) -> None:
        if self.notes is not None:
            self.notes.append(line.strip())
        elif self.quotes is not None and (item := _ITEM.fullmatch(line)):
            self.quotes.extend(_quotes_in(item["value"]))

    def _open(self, key: str, line: int) -> None:
        if key in self.sections:
            self.reading.repeated.append(RepeatedKey((key,), line, "", ""))
        self.sections.setdefault(key, {})

    def _put(self, key: str, value: str) -> None:
        if self.section == "evidence" and key in self.flags:
            self.quotes = _quotes_in(value)
            self.sections["evidence"][key] = self.quotes
            return
        name = "axes" if key in self.axes else "hard_fails" if key in self.flags else ""
        # Without a section's headline its keys stand at the top, where the reader notes that they are flat.
        target = self.sections.get(name, self.top)
        value = value.strip("\"'") if value[:1] == value[-1:] else value
        if key in target:
            self.reading.repeated.append(RepeatedKey((name, key) if name else (key,), 1, target[key], value))
        else:
            target[key] = value

    def finish(self) -> YamlReading:
        self.notes_done()
        self.reading.value = {**self.top, **self.sections}
        return self.reading


def read_flat_lines(text: str, keys: Collection[str], repairs: set[str]) -> YamlReading:
    """The same for an answer without sections: a value goes on until the next key that is indented no deeper.

    A value whose lines are all items of a list is a list of quotes, any other a text.
    """
    reading = YamlReading()
    found: list[tuple[str, list[str]]] = []
    margin = 0
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        key = plain_key(match["key"]) if match else ""
        if match is None or key not in keys or (found and len(match["margin"]) > margin):
            if found:
                found[-1][1].append(line.strip())
            continue
        _note_dress(match, key, repairs)
        margin = len(match["margin"])
        found.append((key, [match["value"].strip()]))
    top: dict[str, YamlValue] = {}
    for key, lines in found:
        value = _flat_value(lines)
        if key in top:
            reading.repeated.append(RepeatedKey((key,), 1, top[key], value))
        else:
            top[key] = value
    reading.value = top
    return reading


def _flat_value(lines: list[str]) -> YamlValue:
    first, *rest = lines
    if first in _BLOCK_MARKS:
        return "\n".join(rest).strip()
    items = [_ITEM.fullmatch(line) for line in rest if line]
    if not first and items and all(items):
        return [quote for item in items if item for quote in _quotes_in(item["value"])]
    value = "\n".join(lines).strip().rstrip(",").strip()
    if value.startswith("["):
        return _quotes_in(value)
    return value.strip("\"'") if value[:1] == value[-1:] else value


def _note_dress(match: re.Match[str], key: str, repairs: set[str]) -> None:
    repairs.update({"full_width"} if match["colon"] == "：" else ())
    repairs.update({"key_names"} if match["key"].strip("\"' \t") != key else ())


def _quotes_in(value: str) -> list[YamlValue]:
    """The quotes of a line: a list or a quoted string where it is one, else the line."""
    folded = value.strip().rstrip(",")
    if not folded:
        return []
    try:
        read = read_yaml(folded).value
    except YamlProblem:
        read = folded
    if isinstance(read, list):
        return read
    return [read if isinstance(read, str) else folded]
