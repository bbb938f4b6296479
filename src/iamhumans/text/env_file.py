"""Files of ``NAME=value`` lines, as many tools read them from ``.env``."""

import re
from collections.abc import Mapping
from pathlib import Path

from iamhumans.errors import InputError, Place
from iamhumans.text.files import read_text

_LINE = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?P<value>.*)", re.DOTALL)
_QUOTED = re.compile(r"(?P<mark>['\"])(?P<value>.*?)(?P=mark)\s*(?:#.*)?", re.DOTALL)
_COMMENT = re.compile(r"(?:\A|\s)#.*")


def read_env_file(path: Path) -> Mapping[str, str]:
    """The variables in a file. Empty lines, comments, ``export`` and quotes are understood; nothing is expanded.

    Raises:
        InputError: The file cannot be read, or a line is not ``NAME=value``. The error never shows the line.
    """
    found = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = _LINE.fullmatch(text)
        if match is None:
            problem = "This line is not NAME=value."
            raise InputError(problem, fix="Write OPENAI_API_KEY=..., one variable a line.", where=Place(path, number))
        quoted = _QUOTED.fullmatch(match["value"])
        found[match["name"]] = quoted["value"] if quoted else _COMMENT.sub("", match["value"]).strip()
    return found
