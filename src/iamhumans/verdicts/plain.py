"""From a block of an answer to plain values: strings, lists and mappings, be it YAML, JSON, or nearly so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeAlias

from iamhumans.text import YamlProblem, YamlReading, YamlValue, read_yaml
from iamhumans.text.yaml import RepeatedKey
from iamhumans.verdicts.blocks import CONTROL_CHARACTERS, Block
from iamhumans.verdicts.values import plain_key, read_quotes

ByLine: TypeAlias = Callable[[str, set[str]], YamlReading]
"""Reads a text line by line, where it is no YAML; what it forgave it adds to the set."""

_MAX_DEPTH = 20
_LEADING_TABS = re.compile(r"^[ \t]*\t[ \t]*", re.MULTILINE)


def read_block(block: Block, by_line: ByLine, repairs: set[str]) -> YamlReading:
    """What a block says, every scalar as a string.

    Args:
        block: What :func:`~iamhumans.verdicts.blocks.find_blocks` found.
        by_line: How to read it where it follows no grammar.
        repairs: What was forgiven is added to it.

    Raises:
        YamlProblem: It holds what nobody writes by accident, such as an alias.
    """
    if block.json and block.closed:
        reading = _read_json(block.text)
        if reading is not None:
            return reading
    if not block.closed:
        return by_line(re.sub(r"([{,])\s*(?=\")", "\\1\n", block.text), repairs)
    text = _dedented(block.text)
    try:
        reading = read_yaml(text)
    except YamlProblem as problem:
        if problem.hostile:
            raise
        reading = _read_loosely(text, by_line, repairs)
    if isinstance(reading.value, str):
        reading = _read_loosely(text, by_line, repairs)
    repairs |= reading.oddities
    return reading


def _read_loosely(text: str, by_line: ByLine, repairs: set[str]) -> YamlReading:
    if _LEADING_TABS.search(text):
        try:
            reading = read_yaml(_LEADING_TABS.sub(lambda match: match.group().replace("\t", "  "), text))
        except YamlProblem as problem:
            if problem.hostile:
                raise
        else:
            if isinstance(reading.value, dict):
                repairs.add("tabs")
                return reading
    repairs.add("line_by_line")
    return by_line(text, repairs)


def _dedented(text: str) -> str:
    """The text without the indent of its first line."""
    margin = len(text) - len(text.lstrip(" "))
    if margin == 0:
        return text
    return "\n".join(line[margin:] if line[:margin].isspace() else line.lstrip(" ") for line in text.split("\n"))


def _read_json(text: str) -> YamlReading | None:
    """JSON as YAML would read it: every scalar a string, repeated keys noted. ``None`` where it is not JSON."""
    reading = YamlReading()

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, value in items:
            if key in mapping:
                reading.repeated.append(RepeatedKey((key,), 1, mapping[key], _plain(value)))
            else:
                mapping[key] = _plain(value)
        return mapping

    try:
        value = json.loads(
            text, strict=False, object_pairs_hook=pairs, parse_int=str, parse_float=str, parse_constant=str
        )
    except (ValueError, RecursionError):
        return None
    reading.value = _plain(value)
    if not _within_depth(reading.value, _MAX_DEPTH):
        raise YamlProblem(f"more than {_MAX_DEPTH} levels deep", hostile=True)
    return reading


def _plain(value: Any) -> YamlValue:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value  # type: ignore[no-any-return]  # strings and mappings whose parts are plain already


def _within_depth(value: YamlValue, levels: int) -> bool:
    """Whether a value is nested no deeper than so many levels; looks no deeper than that itself."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not parts or (levels > 0 and all(_within_depth(part, levels - 1) for part in parts))


def mapping_of(value: YamlValue, repairs: set[str]) -> dict[str, YamlValue]:
    """A mapping; a list of one-key mappings is one, too."""
    if isinstance(value, dict):
        return value
    merged: dict[str, YamlValue] = {}
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                repairs.add("list_form")
                merged |= {key: part for key, part in item.items() if key not in merged}
    return merged


def unwrapped(
    top: dict[str, YamlValue], repairs: set[str], *, known: Collection[str], marks: Collection[str]
) -> dict[str, YamlValue]:
    """What is inside ``{"result": {...}}``, where the outer mapping says nothing itself.

    Args:
        top: The outer mapping.
        repairs: That it was unwrapped is added to it.
        known: Keys of an answer; a mapping under one of them is no wrapping.
        marks: Keys of which the inner mapping has at least one.
    """
    if len(top) == 1:
        ((key, inner),) = top.items()
        if isinstance(inner, dict) and plain_key(key) not in known and not inner.keys().isdisjoint(marks):
            repairs.add("wrapped")
            return inner
    return top


def named(
    mapping: Mapping[str, YamlValue], repairs: set[str], known: tuple[str, ...]
) -> Iterator[tuple[str, YamlValue]]:
    """The entries with the known spelling of their keys."""
    for key, value in mapping.items():
        if key in known:
            yield key, value
            continue
        plain = plain_key(key)
        if plain in known:
            repairs.add("key_names")
        yield plain, value


def word(value: YamlValue | None) -> str | None:
    """A value that is a word, without blanks around it; ``None`` where there is none."""
    return value.strip() or None if isinstance(value, str) else None


def prose(value: YamlValue) -> str:
    """A value that is running text; a list of sentences is one, too."""
    return value.strip() if isinstance(value, str) else "\n".join(read_quotes(value))


def clean(text: str) -> str:
    r"""The text without characters that came in as escapes (``\u0000``, half an emoji) and cannot be written down."""
    return text if text.isprintable() else CONTROL_CHARACTERS.sub("", text)
