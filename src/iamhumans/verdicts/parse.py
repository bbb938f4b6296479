"""A block of an answer as plain data: strings, lists and mappings, from YAML, JSON, or text that is nearly so."""

from __future__ import annotations

import json
import re
from textwrap import dedent
from typing import Any, NamedTuple

from iamhumans.text import YamlProblem, YamlReading, YamlValue, read_yaml
from iamhumans.text.yaml import RepeatedKey
from iamhumans.verdicts.blocks import Block
from iamhumans.verdicts.form import Form
from iamhumans.verdicts.values import plain_key

_MAX_DEPTH = 20
_LEADING_TABS = re.compile(r"^[ \t]*\t[ \t]*", re.MULTILINE)
# Possessive quantifiers (`*+`) keep it linear, whatever the line holds.
_LINE = re.compile(
    r"(?P<margin>[ \t>]*+)(?:(?:[-*+|]|[0-9]{1,2}[.)]|#{1,6}+)[ \t]*+)*+"
    r"(?P<key>[*_`\"']*+[^\W\d][\w \t-]*+[*_`\"']*+)[ \t]*+(?P<colon>[:：])[*_]*+[ \t]*+(?P<value>.*)"
)
_BLOCK_MARKS = ("|", ">", "|-", ">-")
_ITEM = re.compile(r"[ \t>]*[-*+][ \t]+(?P<value>.*)")


def parse_block(block: Block, form: Form, repairs: set[str]) -> YamlReading:
    """What a block says, every scalar as a string. What was repaired is added to ``repairs``.

    Raises:
        YamlProblem: It holds what is never written by accident, such as an alias.
    """
    if not block.closed:
        return _read_lines(re.sub(r"([{,])\s*(?=\")", "\\1\n", block.text), form, repairs)
    reading = _read_json(block.text) if block.json else None
    if reading is not None:
        return reading
    text = dedent(block.text).lstrip(" ") if block.text.startswith(" ") else block.text
    reading = _read_yaml(text)
    if reading is None and _LEADING_TABS.search(text):
        reading = _read_yaml(_LEADING_TABS.sub(lambda tabs: tabs[0].replace("\t", "  "), text))
        repairs.update({"tabs"} if reading else ())
    if reading is None:
        repairs.add("line_by_line")
        return _read_lines(text, form, repairs)
    repairs |= reading.oddities
    return reading


def _read_yaml(text: str) -> YamlReading | None:
    try:
        reading = read_yaml(text)
    except YamlProblem as problem:
        if problem.hostile:
            raise
        return None
    return None if isinstance(reading.value, str) else reading


class _Members(list[tuple[str, Any]]):
    """The members of a JSON object, repeated ones included."""


def _read_json(text: str) -> YamlReading | None:
    """JSON as YAML would read it; ``None`` where it is not JSON."""
    try:
        value = json.loads(
            text, strict=False, object_pairs_hook=_Members, parse_int=str, parse_float=str, parse_constant=str
        )
    except (ValueError, RecursionError):
        return None
    reading = YamlReading()
    reading.value = _plain(value, reading, ())
    return reading


def _plain(value: Any, reading: YamlReading, path: tuple[str | int, ...]) -> YamlValue:
    if isinstance(value, list) and len(path) > _MAX_DEPTH:
        raise YamlProblem(f"more than {_MAX_DEPTH} levels deep", hostile=True)
    if isinstance(value, _Members):
        mapping: dict[str, YamlValue] = {}
        for key, part in value:
            inner = _plain(part, reading, (*path, key))
            if key in mapping:
                reading.repeated.append(RepeatedKey((*path, key), 1, mapping[key], inner))
            else:
                mapping[key] = inner
        return mapping
    if isinstance(value, list):
        return [_plain(item, reading, (*path, index)) for index, item in enumerate(value)]
    if isinstance(value, str):
        return value
    return "" if value is None else str(value).lower()


class _Entry(NamedTuple):
    key: str
    margin: int
    lines: list[str]


def _read_lines(text: str, form: Form, repairs: set[str]) -> YamlReading:
    """What can be read without a grammar (a colon in the notes, bold keys), shaped as YAML would have given it."""
    entries: list[_Entry] = []
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        key = plain_key(match["key"]) if match else ""
        if match is None or key not in form.known or (entries and _goes_on(entries[-1], key, match, form)):
            if entries:
                entries[-1].lines.append(line.strip())
            continue
        repairs.update({"full_width"} if match["colon"] == "：" else ())
        repairs.update({"key_names"} if match["key"].strip("\"' \t") != key else ())
        entries.append(_Entry(key, len(match["margin"]), [match["value"].strip()]))
    return _nested(entries, form)


def _goes_on(last: _Entry, key: str, match: re.Match[str], form: Form) -> bool:
    """Whether a key is a word of the prose before it."""
    if form.sections and last.key != form.prose:
        return False
    return len(match["margin"]) > last.margin or (key in form.section_of or (key == form.prose and bool(form.sections)))


def _nested(entries: list[_Entry], form: Form) -> YamlReading:
    reading = YamlReading()
    sections: dict[str, dict[str, YamlValue]] = {}
    top: dict[str, YamlValue] = {}
    section = ""
    for key, _, lines in entries:
        if key in form.headings:
            section = key
            if key in sections:
                reading.repeated.append(RepeatedKey((key,), 1, "", ""))
            sections.setdefault(key, {})
        elif section == "evidence" and form.section_of.get(key) == "hard_fails":
            items = filter(None, map(_ITEM.fullmatch, lines[1:]))
            values = [lines[0].rstrip(","), *(item["value"] for item in items)]
            sections[section][key] = [quote for value in values for quote in _quotes_in(value)]
        else:
            home = form.section_of.get(key, "")
            target = sections.get(home, top)  # without its section, the key is at the top
            value = _prose(lines) if key == form.prose or not form.sections else _unquoted(lines[0])
            if key in target:
                path = (home, key) if home else (key,)
                reading.repeated.append(RepeatedKey(path, 1, target[key], value))
            else:
                target[key] = value
    reading.value = {**top, **sections}
    return reading


def _prose(lines: list[str]) -> YamlValue:
    first, *rest = lines
    if first in _BLOCK_MARKS:
        return "\n".join(rest).strip()
    items = [_ITEM.fullmatch(line) for line in rest if line]
    if not first and items and all(items):
        return [quote for item in items if item for quote in _quotes_in(item["value"])]
    value = "\n".join(lines)
    return _quotes_in(value) if first.startswith("[") else _unquoted(value)


def _unquoted(value: str) -> str:
    value = value.strip().rstrip(",").strip()
    return value.strip("\"'") if value[:1] == value[-1:] else value


def _quotes_in(value: str) -> list[YamlValue]:
    """The quotes of a line: a list or a quoted string where it is one, else the line."""
    text = value.strip().rstrip(",")
    if not text:
        return []
    try:
        read = read_yaml(text).value
    except YamlProblem:
        read = text
    return read if isinstance(read, list) else [read if isinstance(read, str) else text]
