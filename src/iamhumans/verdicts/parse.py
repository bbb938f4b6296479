"""What a block says: its keys and values from YAML, JSON, or text that is nearly so. Every scalar is a string."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from textwrap import dedent, indent
from typing import Any, TypeAlias

from iamhumans.text import YamlProblem, YamlReading, YamlValue, read_yaml
from iamhumans.text.yaml import RepeatedKey, YamlPath
from iamhumans.verdicts.blocks import Block, Form, find_blocks
from iamhumans.verdicts.loose_json import Members
from iamhumans.verdicts.values import plain_key

Entry: TypeAlias = tuple[str, str, YamlValue]
"""The section, which is empty at the top level, the key in its known spelling, and the value."""

WRAPPED = "*"
"""The section of what is in an object that the form does not know."""

_MAX_DEPTH = 20
# Keys that name an entry in a list of entries, and keys of what a model writes for itself.
_NAMES = frozenset(["axis", "name", "id", "key", "criterion", "hard_fail", "flag", "check"])
_THOUGHTS = frozenset(["thinking", "thought", "thoughts", "reasoning", "reasoning_content", "analysis"])
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
    return _entries(block, reading, form, repairs)


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


def _entries(block: Block, reading: YamlReading, form: Form, repairs: set[str]) -> Iterator[Entry]:
    """All entries of a value and its sections. A key that is given twice is there twice."""
    walk = _Walk(form, repairs, strings=block.json is not None)
    for again in reading.repeated:
        walk.repeated.setdefault(again.path[:-1], []).append((str(again.path[-1]), again.later))
    return walk.entries(reading.value, (), "")


class _Walk:
    """A walk through a value, in which sections may be inside of other objects, lists and strings."""

    def __init__(self, form: Form, repairs: set[str], *, strings: bool) -> None:
        self.form, self.repairs = form, repairs
        self.strings = strings  # whether an answer may be in a string: so it is in JSON, not in a text of YAML
        self.repeated: dict[YamlPath, list[tuple[str, YamlValue]]] = {}

    def entries(self, value: YamlValue, path: YamlPath, section: str) -> Iterator[Entry]:
        """The entries of a value, which belongs to a section if it is not empty."""
        if isinstance(value, str):
            yield from self._of_text(value, section)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, dict):
                    self.repairs.add("placement")
                    yield from self._of_item(item, (*path, index), section)
                elif isinstance(item, list) or (self.strings and not section):
                    yield from self.entries(item, (*path, index), section)
                elif plain_key(item.partition(":")[0]) in self.form.parts:
                    self.repairs.add("placement")
                    name, _, part = item.partition(":")
                    yield section, plain_key(name), part.strip()
        else:
            yield from self._of_item(value, path, section)

    def _of_item(self, item: dict[str, YamlValue], path: YamlPath, section: str) -> Iterator[Entry]:
        """An item of a list: an object of entries, or one entry that is named inside (``{axis: ..., score: ...}``)."""
        for key in item:
            name = item[key]
            if plain_key(key) in _NAMES and isinstance(name, str) and plain_key(name) in self.form.parts:
                rest: YamlValue = {other: part for other, part in item.items() if other != key}
                yield section or WRAPPED, plain_key(name), rest
                return
        yield from self._of_mapping(item, path, section)

    def _of_mapping(self, value: dict[str, YamlValue], path: YamlPath, section: str) -> Iterator[Entry]:
        form, given = self.form, self._sections_in(value)
        for key, part in (*value.items(), *self.repeated.get(path, ())):
            name = key if key in form.known else plain_key(key)
            if name != key and name in form.known:
                self.repairs.add("key_names")
            if name in form.headings and not section:
                yield from self.entries(part, (*path, key), name)
            elif not section and self._is_around_an_answer(name, part, given):
                self.repairs.add("placement")
                inner = self._sections_in(part) if isinstance(part, dict) else set()
                named = isinstance(part, dict) and not form.headings.isdisjoint(map(plain_key, part))
                yield from self.entries(part, (*path, key), WRAPPED if inner and not named and len(value) > 1 else "")
            else:
                yield section, name, part

    def _is_around_an_answer(self, name: str, part: YamlValue, given: set[str]) -> bool:
        if name in (self.form.prose, "case_id", "check", *_THOUGHTS) or name in self.form.parts:
            return False
        if given:
            # Sections under another name. What is given already is something else there, such as a remark on it.
            sections = self._sections_in(part) if isinstance(part, dict) else set()
            return bool(sections) and sections.isdisjoint(given)
        return self._holds_parts(part)

    def _sections_in(self, value: dict[str, YamlValue]) -> set[str]:
        """The sections that a mapping gives, or has parts of."""
        names = {plain_key(key) for key in value}
        homes = {self.form.section_of.get(name, name) for name in names.intersection(self.form.parts)}
        return homes | names.intersection(self.form.section_of.values())

    def _holds_parts(self, value: YamlValue) -> bool:
        if isinstance(value, str):
            return self.strings and bool(self.form.part.search(value))
        if isinstance(value, list):
            return any(self._holds_parts(item) for item in value)
        return bool(self._sections_in(value)) or any(
            self._holds_parts(part) for key, part in value.items() if plain_key(key) not in _THOUGHTS
        )

    def _of_text(self, text: str, section: str) -> Iterator[Entry]:
        """The entries of an answer, or of a section, that is written into a string."""
        if not self.strings or not self.form.part.search(text):
            return
        self.repairs.add("nested_json")
        if section:
            text = text if text.lstrip().startswith("{") else f"{section}:\n{indent(dedent(text), '  ')}"
        for block in find_blocks(text, self.form)[0]:
            for inner, name, value in parse_block(block, self.form, self.repairs):
                yield inner or section, name, value


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
            yield section, key, value_of_lines(lines)
        else:
            yield home, key, value_of_lines(lines if key == form.prose or not form.section_of else lines[:1])


def _is_prose(key: str, match: re.Match[str], last: tuple[str, int, list[str]], form: Form) -> bool:
    """Whether a key is a word of the text before it."""
    follows_text = last[0] == form.prose or not form.section_of
    return follows_text and (len(match["margin"]) > last[1] or key in form.section_of)


def value_of_lines(lines: list[str]) -> YamlValue:
    """A value from its lines: a block of text, a list, or a line that may be in quote marks."""
    first, *rest = lines
    if first in ("|", ">", "|-", ">-"):
        return "\n".join(rest).strip()
    items = [_ITEM.fullmatch(line) for line in rest if line]
    if not first and items and all(items):
        return [value_of_lines([item["value"]]) for item in items if item]
    text = "\n".join(lines).strip().rstrip(",").strip()
    if not text.startswith(("[", '"', "'")):
        return text
    try:
        value = read_yaml(text).value
    except YamlProblem:
        return text.strip("\"'") if text[0] == text[-1] else text
    return text if isinstance(value, dict) else value
