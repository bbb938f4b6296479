"""The front matter of a case file: YAML between two lines ``---``, in which every value is a string."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from iamhumans.cases.findings import Code, Findings
from iamhumans.text import YamlProblem, YamlReading, YamlValue, for_terminal, read_yaml

KEYS = ("id", "title", "dimensions", "hard_fails", "holdout", "lang", "repair")
MAX_ID_LENGTH = 100

_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_LANG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_KEY_AND_VALUE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*):[ \t]+(.*)")
_PLAIN_SCALAR = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class FrontMatter(NamedTuple):
    """The fields of a case, and the line of each key and of each (key, item of a list)."""

    fields: dict[str, Any]
    lines: dict[tuple[str, ...], int]


def id_problem(case_id: str) -> str:
    """Why a text cannot be the id of a case, or nothing. An id is used as a file name and on command lines."""
    problems = {
        f"An id has at most {MAX_ID_LENGTH} characters; this one has {len(case_id)}.": len(case_id) > MAX_ID_LENGTH,
        "An id cannot contain spaces.": any(map(str.isspace, case_id)),
        "An id cannot contain a slash or a backslash.": "/" in case_id or "\\" in case_id,
        "An id needs a character other than a dot.": not case_id.strip("."),
        "An id cannot begin with `-`, since the command line would read it as an option.": case_id.startswith("-"),
        "An id cannot contain control characters or invisible ones.": not case_id.isprintable()
        or for_terminal(case_id) != case_id,
    }
    return next((problem for problem, is_wrong in problems.items() if is_wrong), "")


def quoted(text: str) -> str:
    """A text as YAML on one line, in single quotes unless it is plain."""
    return text if _PLAIN_SCALAR.fullmatch(text) else _in_quotes(text)


def flow_list(items: Iterable[str]) -> str:
    """A list as YAML on one line."""
    return f"[{', '.join(quoted(item) for item in items)}]"


def read_front_matter(texts: Sequence[str], first_line: int, findings: Findings) -> FrontMatter | None:
    """Read the lines between the two ``---``; None if they cannot be read at all."""
    reading = _yaml(texts, first_line, findings)
    if reading is None:
        return None
    value = reading.value if reading.value != "" else {}
    if not isinstance(value, dict):
        fix = "Write one key on each line, such as `id: GRF-001`."
        findings.error(first_line, Code.INVALID_YAML, "The front matter has no keys.", fix)
        return None
    return _Reader(value, reading, texts, first_line, findings).read()


def _yaml(texts: Sequence[str], first_line: int, findings: Findings) -> YamlReading | None:
    try:
        return read_yaml("\n".join(texts))
    except YamlProblem as problem:
        repaired = _with_title_quoted(texts)
        if repaired is not None:
            index, line = repaired
            try:
                reading = read_yaml("\n".join((*texts[:index], line, *texts[index + 1 :])))
            except YamlProblem:
                pass
            else:
                what = "The title is not valid YAML without quotes. It was read as plain text."
                findings.warning(first_line + index, Code.UNQUOTED_TITLE, what, _write(line))
                return reading
        number = first_line + min(problem.line, max(len(texts), 1)) - 1
        what = f"The front matter is not valid YAML: {problem.problem}."
        findings.error(number, Code.INVALID_YAML, what, "Put values with special characters in single quotes.")
        return None


def _with_title_quoted(texts: Sequence[str]) -> tuple[int, str] | None:
    """The title's line with its value in quotes, unless that cannot be meant."""
    for index, text in enumerate(texts):
        match = _KEY_AND_VALUE.fullmatch(text)
        if match is None or match[1] != "title":
            continue
        value = match[2].strip()
        half_quoted = value[:1] in ("'", '"') and value.count(value[0]) == 1
        return None if not value or half_quoted or value[0] in "{|>" else (index, f"title: {_in_quotes(value)}")
    return None


def _write(line: str) -> str:
    return f"Write `{line}`." if len(line) <= 300 else "Put the text in single quotes, or the list in brackets."


def _in_quotes(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class _Reader:
    """Reads the keys one by one."""

    def __init__(
        self,
        value: dict[str, YamlValue],
        reading: YamlReading,
        texts: Sequence[str],
        first_line: int,
        findings: Findings,
    ) -> None:
        self.value = value
        self.reading = reading
        self.texts = texts
        self.first_line = first_line
        self.findings = findings
        self.lines: dict[tuple[str, ...], int] = {(key,): self._line((key,)) for key in value if key in KEYS}

    def read(self) -> FrontMatter:
        self._keys()
        fields = {
            "id": self._id(),
            "title": self._title(),
            "dimensions": self._list("dimensions"),
            "hard_fails": self._list("hard_fails"),
            "holdout": self._boolean("holdout"),
            "repair": self._boolean("repair"),
            "lang": self._lang(),
        }
        return FrontMatter(fields, self.lines)

    def _line(self, path: tuple[str | int, ...]) -> int:
        return self.reading.line_of(path) + self.first_line - 1

    def _keys(self) -> None:
        for key in self.value:
            if key not in KEYS:
                near = get_close_matches(key.casefold(), KEYS, n=1)
                fix = f"Did you mean `{near[0]}`?" if near else f"The keys of a case are {', '.join(KEYS)}."
                problem = f"`{key[:60]}` is not a key of a case and is ignored."
                self.findings.warning(self._line((key,)), Code.UNKNOWN_KEY, problem, fix)
        for again in self.reading.repeated:
            if again.path[0] in KEYS:
                line = again.line + self.first_line - 1
                problem = f"`{again.path[0]}` is given twice."
                self.findings.error(line, Code.REPEATED_KEY, problem, "Keep one of the two.")
        if self.reading.oddities:
            problem = "A value begins with `&` or `!`, which is YAML markup, and lost its first word."
            self.findings.warning(self.first_line, Code.YAML_MARKUP, problem, "Put the value in single quotes.")

    def _id(self) -> str:
        value = self.value.get("id", "")
        if value == "":
            line = self.lines.get(("id",), max(self.first_line - 1, 1))
            fix = "Write a line `id: GRF-001`, with an id that no other case of the suite has."
            self.findings.error(line, Code.MISSING_ID, "The case has no id.", fix)
            return ""
        problem = id_problem(value) if isinstance(value, str) else "An id is one word, not a list or a mapping."
        if problem:
            fix = "Use letters, digits and hyphens, such as `id: GRF-001`."
            self.findings.error(self.lines["id",], Code.BAD_ID, problem, fix)
            return ""
        return str(value)

    def _title(self) -> str:
        value = self.value.get("title", "")
        line = self.lines.get(("title",), self.first_line)
        written = next((text[6:].strip() for text in self.texts if text.startswith("title:")), "")
        if isinstance(value, str):
            # In quotes or in a block, a "#" is part of the title.
            plain = written[:1] not in ("'", '"', "|", ">") and " #" not in value
            if plain and " #" in f" {written}":
                problem = "YAML reads the title from ` #` on as a comment, and drops it."
                fix = f"If it belongs to the title: {_write(f'title: {_in_quotes(written)}')}"
                self.findings.warning(line, Code.TITLE_COMMENT, problem, fix)
            return " ".join(value.split())
        # "title:" with "NP-6: x" indented below it is the text "NP-6: x".
        if isinstance(value, dict) and len(value) == 1 and not written:
            ((key, rest),) = value.items()
            if isinstance(rest, str) and rest:
                text = " ".join(f"{key}: {rest}".split())
                problem = "The title is a mapping in YAML. It was read as plain text."
                self.findings.warning(line, Code.UNQUOTED_TITLE, problem, _write(f"title: {_in_quotes(text)}"))
                return text
        fix = _write(f"title: {_in_quotes(written or 'What the case is about')}")
        self.findings.error(line, Code.BAD_VALUE, "The title is not a text.", fix)
        return ""

    def _list(self, key: str) -> tuple[str, ...]:
        value = self.value.get(key, "")
        if value == "":
            return ()
        line = self.lines[key,]
        if isinstance(value, str):
            words = [item.strip() for item in value.strip("[]").split(",")]
            problem = f"`{key}` should be a list. The text was split into {len(words)}."
            self.findings.warning(line, Code.LIST_AS_TEXT, problem, _write(f"{key}: {flow_list(words)}"))
            return self._items(key, words)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            fix = f"Write `{key}: [one, another]`."
            self.findings.error(line, Code.BAD_VALUE, f"`{key}` is not a list of words.", fix)
            return ()
        return self._items(key, [str(item) for item in value])

    def _items(self, key: str, texts: Sequence[str]) -> tuple[str, ...]:
        items: dict[str, None] = {}
        for index, text in enumerate(texts):
            item = " ".join(text.split())
            line = self._line((key, index))
            if not item:
                self.findings.warning(line, Code.EMPTY_ITEM, f"`{key}` has an empty item.", "Delete it.")
            elif item in items:
                problem = f"`{key}` has `{item[:60]}` twice."
                self.findings.warning(line, Code.REPEATED_ITEM, problem, "Delete one of the two.")
            else:
                items[item] = None
                self.lines[key, item] = line
        return tuple(items)

    def _boolean(self, key: str) -> bool:
        if key not in self.value:
            return False
        value = self.value[key]
        meaning = _BOOLEANS.get(value.casefold()) if isinstance(value, str) else None
        if meaning is None:
            shown = f"`{value[:60]}`" if isinstance(value, str) and value else "empty" if value == "" else "a list"
            fix = f"Write `{key}: false` or `{key}: true`."
            self.findings.error(self.lines[key,], Code.BAD_VALUE, f"`{key}` is {shown}, not true or false.", fix)
        return bool(meaning)

    def _lang(self) -> str:
        value = self.value.get("lang", "en")
        if not isinstance(value, str):
            fix = "Write one language, such as `lang: en`."
            self.findings.error(self.lines["lang",], Code.BAD_VALUE, "`lang` is not one word.", fix)
            return ""
        if not _LANG.fullmatch(value):
            problem = f"`{value[:60]}` is not a language tag." if value else "`lang` is empty; `en` was used."
            fix = "Write a tag such as `lang: en`, `lang: pt-BR` or `lang: vi`."
            self.findings.warning(self.lines["lang",], Code.BAD_LANG, problem, fix)
        return value or "en"
