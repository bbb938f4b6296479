"""TOML, read with the lines of its keys."""

import re
import tomllib
from pathlib import Path
from typing import Any

from iamhumans.errors import InputError, Place
from iamhumans.text.safety import one_line

_LINE = re.compile(r"\s*(?:\[\s*(?P<table>[^\[\]]+)\]|(?P<key>[^=#\[\]]+)=)")
_PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|([A-Za-z0-9_-]+)")


def read_toml(text: str, path: Path) -> dict[str, Any]:
    """The document in a TOML text. Raises InputError with the line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        problem = str(error)[: found.start()] if found else str(error).removesuffix(" (at end of document)")
        line = int(found[1]) if found else text.count("\n") + 1
    except RecursionError:
        problem, line = "it is nested too deeply", None
    raise InputError(f"This is not TOML: {one_line(problem, 200)}.", fix="Put text in quotes.", where=Place(path, line))


def line_of(text: str, path: tuple[str, ...]) -> int:
    """The line of a key, or of the nearest table around it; 1 where neither is found."""
    header: tuple[str, ...] = ()
    best, line = 0, 1
    for number, content in enumerate(text.splitlines(), start=1):
        if found := _LINE.match(content):
            parts = tuple("".join(part) for part in _PART.findall(found["table"] or found["key"]))
            here = parts if found["table"] else header + parts
            header = parts if found["table"] else header
            if len(here) > best and here == path[: len(here)]:
                best, line = len(here), number
    return line
