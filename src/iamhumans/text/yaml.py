"""A strict reader of the harmless part of YAML.

Every scalar is a string: ``NO`` is the word, not false; ``007`` keeps its zeros. Aliases are refused, so a small text
cannot become a large value. Anchors, tags and repeated keys are reported. Depth is bounded. Any text gives a value or a
:class:`YamlProblem`, nothing else. PyYAML's own loaders do none of that, and are slower by half.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

YamlValue: TypeAlias = "str | list[YamlValue] | dict[str, YamlValue]"
YamlPath: TypeAlias = tuple[str | int, ...]
# PyYAML without libyaml gives the same events, some ten times slower.
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_MAX_DEPTH = 20


class YamlProblem(ValueError):  # noqa: N818 - callers turn it into their own error
    """The text is not YAML that we read. ``line`` counts from 1; ``hostile`` marks what is not written by accident."""

    def __init__(self, problem: str, line: int = 1, *, hostile: bool = False) -> None:
        super().__init__(problem)
        self.problem, self.line = problem, line
        self.hostile = hostile


@dataclass(frozen=True, slots=True)
class RepeatedKey:
    """A key that is given twice in one mapping. The reading has the first value; ``later`` is the other."""

    path: YamlPath
    line: int
    first: YamlValue
    later: YamlValue


@dataclass(slots=True)
class YamlReading:
    """The value of a text, the line of each part of it, and its oddities: ``anchor``, ``tag``."""

    value: YamlValue = ""
    lines: dict[YamlPath, int] = field(default_factory=dict)
    repeated: list[RepeatedKey] = field(default_factory=list)
    oddities: set[str] = field(default_factory=set)

    def line_of(self, path: YamlPath) -> int:
        """The line of a path, or of the nearest part around it, or 1."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(text: str) -> YamlReading:
    """Read one YAML document; what is not one is a :class:`YamlProblem`. An empty text is the empty string."""
    reading = YamlReading()
    try:
        _read(_LOADER(text).get_event, reading)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = str(error.problem or error.context)
        raise YamlProblem(problem, mark.line + 1 if mark else 1, hostile="nesting depth" in problem) from None
    except YamlProblem:
        raise
    except (yaml.YAMLError, UnicodeError, ValueError) as error:
        raise YamlProblem(f"a character that YAML does not allow ({type(error).__name__})") from None
    return reading


def _read(next_event: Callable[[], Any], reading: YamlReading) -> None:
    next_event()  # the start of the stream
    if type(next_event()) is not yaml.StreamEndEvent:
        reading.value = _value(next_event(), next_event, reading, (), 0)
        next_event()  # the end of the document
        following = next_event()
        if type(following) is not yaml.StreamEndEvent:
            raise YamlProblem("a second document follows", following.start_mark.line + 1)


def _value(event: Any, next_event: Callable[[], Any], reading: YamlReading, path: YamlPath, depth: int) -> YamlValue:
    kind, line = type(event), event.start_mark.line + 1
    reading.lines[path] = line
    if kind is yaml.AliasEvent:
        raise YamlProblem("an alias (*name) is used", line, hostile=True)
    if event.anchor is not None:
        reading.oddities.add("anchor")
    if event.tag is not None:
        reading.oddities.add("tag")
    if kind is yaml.ScalarEvent:
        return str(event.value)
    if depth >= _MAX_DEPTH:
        raise YamlProblem(f"more than {_MAX_DEPTH} levels deep", line, hostile=True)
    if kind is yaml.MappingStartEvent:
        return _mapping(next_event, reading, path, depth + 1)
    items: list[YamlValue] = []
    while type(event := next_event()) is not yaml.SequenceEndEvent:
        items.append(_value(event, next_event, reading, (*path, len(items)), depth + 1))
    return items


def _mapping(next_event: Callable[[], Any], reading: YamlReading, path: YamlPath, depth: int) -> dict[str, YamlValue]:
    mapping: dict[str, YamlValue] = {}
    while type(event := next_event()) is not yaml.MappingEndEvent:
        line = event.start_mark.line + 1
        if type(event) is not yaml.ScalarEvent:
            raise YamlProblem("a key that is not a plain word", line)
        place = (*path, event.value)
        value = _value(next_event(), next_event, reading, place, depth)
        if event.value in mapping:
            reading.repeated.append(RepeatedKey(place, line, mapping[event.value], value))
        else:
            mapping[event.value] = value
            reading.lines[place] = line
    return mapping
