"""What a block says: its keys and values from YAML, JSON, or text that is nearly so. Every scalar is a string."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from textwrap import dedent
from typing import Any, TypeAlias

from iamhumans.text import YamlProblem, YamlReading, YamlValue, read_yaml
from iamhumans.text.yaml import RepeatedKey, YamlPath
from iamhumans.verdicts.blocks import Block, Form, Members
from iamhumans.verdicts.values import plain_key

Entry: TypeAlias = tuple[str, str, YamlValue]
"""The section, which is empty at the top level, the key in its known spelling, and the value."""

_MAX_DEPTH = 20
# Possessive quantifiers (`*+`) keep it linear, whatever the line holds.
_LINE = re.compile(
    r"(?P<margin>[ \t>]*+)(?:(?:[-*+|]|[0-9]{1,2}[.)]|#{1,6}+)[ \t]*+)*+"
    r"(?P<key>[*_`\"']*+[^\W\d][\w \t-]*+[*_`\"']*+)[ \t]*+(?P<colon>[:：])[*_]*+[ \t]*+(?P<value>.*)"
)
_ITEM = re.compile(r"[ \t>]*[-*+][ \t]+(?P<value>.*)")


def parse_block(block: Block, form: Form, repairs: set[str]) -> Iterable[Entry]:
    """The entries of a block. What was repaired is added to ``repairs``.

    Raises:
        YamlProblem: It holds what is never written by accident, such as an alias.
    """
    if not block.closed:
        return _read_lines(re.sub(r"([{,])\s*(?=\")", "\\1\n", block.text), form, repairs)
    text = dedent(block.text).lstrip(" ") if block.text.startswith(" ") else block.text
    reading = _read_yaml(text) if block.json is None else _read_json(block.json)
    if reading is None or isinstance(reading.value, str):
        repairs.add("line_by_line")
        return _read_lines(text, form, repairs)
    repairs |= reading.oddities
    return _entries(reading, form, repairs)


def _read_yaml(text: str) -> YamlReading | None:
    try:
        return read_yaml(text)
    except YamlProblem as problem:
        if problem.hostile:
            raise
        return None


def _read_json(members: Members) -> YamlReading:
    """JSON as YAML would read it."""
    reading = YamlReading()

    def plain(value: Any, path: YamlPath) -> YamlValue:
        if not isinstance(value, list):
            return "" if value is None else value if isinstance(value, str) else str(value).lower()
        if len(path) > _MAX_DEPTH:
            raise YamlProblem(f"more than {_MAX_DEPTH} levels deep", hostile=True)
        if not isinstance(value, Members):
            return [plain(item, (*path, index)) for index, item in enumerate(value)]
        mapping: dict[str, YamlValue] = {}
        for key, part in value:
            inner = plain(part, (*path, key))
            if key in mapping:
                reading.repeated.append(RepeatedKey((*path, key), 1, mapping[key], inner))
            mapping.setdefault(key, inner)
        return mapping

    reading.value = plain(members, ())
    return reading


Repeated: TypeAlias = dict[YamlPath, list[tuple[str, YamlValue]]]


def _entries(reading: YamlReading, form: Form, repairs: set[str]) -> Iterator[Entry]:
    """All entries of a value and its sections. A key that is given twice is there twice."""
    repeated: Repeated = {}
    for again in reading.repeated:
        repeated.setdefault(again.path[:-1], []).append((str(again.path[-1]), again.later))
    return _walk(reading.value, (), "", repeated, form, repairs)


def _walk(
    value: YamlValue, path: YamlPath, section: str, repeated: Repeated, form: Form, repairs: set[str]
) -> Iterator[Entry]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                repairs.add("placement")
                yield from _walk(item, (*path, index), section, repeated, form, repairs)
        return
    for key, part in (*value.items(), *repeated.get(path, ())) if isinstance(value, dict) else ():
        name = key if key in form.known else plain_key(key)
        if name != key and name in form.known:
            repairs.add("key_names")
        if name in form.headings and not section:
            yield from _walk(part, (*path, key), name, repeated, form, repairs)
        elif isinstance(part, dict) and not section and len(value) == 1 and name not in form.known:
            repairs.add("placement")  # inside of another object
            yield from _walk(part, (*path, key), "", repeated, form, repairs)
        else:
            yield section, name, part


def _read_lines(text: str, form: Form, repairs: set[str]) -> Iterator[Entry]:
    """What can be read without a grammar, such as bold keys or a colon in the notes."""
    found: list[tuple[str, int, list[str]]] = []
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        key = plain_key(match["key"]) if match else ""
        if match is None or key not in form.known or (found and _is_prose(key, match, found[-1], form)):
            if found:
                found[-1][2].append(line.strip())
            continue
        if match["colon"] == "：":
            repairs.add("characters")
        if match["key"].strip("\"' \t") != key:
            repairs.add("key_names")
        found.append((key, len(match["margin"]), [match["value"].strip()]))
    section = ""
    for key, _, lines in found:
        home = form.section_of.get(key, "")
        if key in form.headings:
            section = key
        elif section == "evidence" and home == "hard_fails":
            yield section, key, _value(lines)
        else:
            yield home, key, _value(lines if key == form.prose or not form.section_of else lines[:1])


def _is_prose(key: str, match: re.Match[str], last: tuple[str, int, list[str]], form: Form) -> bool:
    """Whether a key is a word of the text before it."""
    follows_text = last[0] == form.prose or not form.section_of
    return follows_text and (len(match["margin"]) > last[1] or key in form.section_of)


def _value(lines: list[str]) -> YamlValue:
    """A value from its lines: a block of text, a list, or a line that may be in quote marks."""
    first, *rest = lines
    if first in ("|", ">", "|-", ">-"):
        return "\n".join(rest).strip()
    items = [_ITEM.fullmatch(line) for line in rest if line]
    if not first and items and all(items):
        return [_value([item["value"]]) for item in items if item]
    text = "\n".join(lines).strip().rstrip(",").strip()
    if not text.startswith(("[", '"', "'")):
        return text
    try:
        value = read_yaml(text).value
    except YamlProblem:
        return text.strip("\"'") if text[0] == text[-1] else text
    return text if isinstance(value, dict) else value
