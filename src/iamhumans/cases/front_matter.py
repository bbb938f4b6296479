"""The front matter of a case file: YAML between two lines ``---``, in which every value is a string."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from iamhumans.cases.checks import CHECK_KEYS, Checks, pattern_problem
from iamhumans.cases.findings import Findings
from iamhumans.text import YamlProblem, YamlReading, YamlValue, did_you_mean, for_terminal, read_yaml
from iamhumans.text.languages import KNOWN_LANGUAGES, is_known_language

Lines: TypeAlias = dict[tuple[str, ...], int]  # the line of each key and of each (key, item of a list)
KEYS = ("id", "title", "dimensions", "hard_fails", "holdout", "lang", "repair", *CHECK_KEYS)
MAX_ID_LENGTH = 100
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_LANG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_TITLE = re.compile(r"title:[ \t]+(.*)")
_PLAIN_SCALAR = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def id_problem(case_id: str) -> str:
    """Why a text cannot be the id of a case, or nothing. An id is used as a file name and on command lines."""
    if len(case_id) > MAX_ID_LENGTH:
        return f"An id has at most {MAX_ID_LENGTH} characters; this one has {len(case_id)}."
    if re.search(r"[\s/\\]", case_id):
        return "An id cannot contain spaces, slashes or backslashes."
    if not case_id.strip(".") or case_id.startswith("-"):
        return "An id cannot be empty, consist of dots, or begin with `-`."
    if not case_id.isprintable() or for_terminal(case_id) != case_id:
        return "An id cannot contain control characters or invisible ones."
    return ""


def quoted(text: str) -> str:
    """A text as YAML on one line, in single quotes unless it is plain."""
    return text if _PLAIN_SCALAR.fullmatch(text) else "'" + text.replace("'", "''") + "'"


def flow_list(items: Iterable[str]) -> str:
    """A list as YAML on one line."""
    return f"[{', '.join(quoted(item) for item in items)}]"


def read_front_matter(texts: Sequence[str], first_line: int, findings: Findings) -> tuple[dict[str, Any], Lines] | None:
    """The fields of a case and their lines, from the lines between the two ``---``; None if they cannot be read."""
    if (reading := _yaml(texts, first_line, findings)) is None:
        return None
    value = reading.value or {}
    if not isinstance(value, dict):
        fix = "Write one key on each line, such as `id: GRF-001`."
        findings.error(first_line, "invalid-yaml", "The front matter has no keys.", fix)
        return None
    return _Reader(value, reading, texts, first_line, findings).read()


def _yaml(texts: Sequence[str], first_line: int, findings: Findings) -> YamlReading | None:
    try:
        return read_yaml("\n".join(texts))
    except YamlProblem as problem:
        if (repaired := _with_title_quoted(texts)) is not None:
            index, line = repaired
            try:
                reading = read_yaml("\n".join((*texts[:index], line, *texts[index + 1 :])))
            except YamlProblem:
                pass
            else:
                what = "The title is not valid YAML without quotes. It was read as plain text."
                findings.warning(first_line + index, "unquoted-title", what, _write(line))
                return reading
        number = first_line + min(problem.line, max(len(texts), 1)) - 1
        what = f"The front matter is not valid YAML: {problem.problem}."
        findings.error(number, "invalid-yaml", what, "Put values with special characters in single quotes.")
        return None


def _with_title_quoted(texts: Sequence[str]) -> tuple[int, str] | None:
    """The title's line with its value in quotes, unless that cannot be meant."""
    matches = ((index, _TITLE.fullmatch(text)) for index, text in enumerate(texts))
    index, match = next(((index, match) for index, match in matches if match), (0, None))
    value = match[1].strip() if match else ""
    half_quoted = value[:1] in ("'", '"') and value.count(value[0]) == 1
    return None if not value or half_quoted or value[0] in "{|>" else (index, _title(value))


def _title(text: str) -> str:
    return "title: '" + text.replace("'", "''") + "'"


def _write(line: str) -> str:
    return f"Write `{line}`." if len(line) <= 300 else "Put the text in single quotes, or the list in brackets."


@dataclass
class _Reader:
    value: dict[str, YamlValue]
    reading: YamlReading
    texts: Sequence[str]
    first_line: int
    findings: Findings

    def __post_init__(self) -> None:
        self.lines: Lines = {(key,): self._line((key,)) for key in self.value if key in KEYS}

    def read(self) -> tuple[dict[str, Any], Lines]:
        self._keys()
        fields: dict[str, Any] = {"id": self._id(), "title": self._title()}
        fields |= {key: self._list(key) for key in ("dimensions", "hard_fails")}
        fields |= {key: self._boolean(key) for key in ("holdout", "repair")}
        return {**fields, "lang": self._lang(), "checks": self._checks()}, self.lines

    def _line(self, path: tuple[str | int, ...]) -> int:
        return self.reading.line_of(path) + self.first_line - 1

    def _bad(self, key: str, problem: str, fix: str) -> None:
        self.findings.error(self.lines[key,], "bad-value", f"`{key}` {problem}.", fix)

    def _keys(self) -> None:
        for key in self.value:
            if key not in KEYS:
                fix = did_you_mean(key, KEYS, f"The keys of a case are {', '.join(KEYS)}.")
                problem = f"`{key[:60]}` is not a key of a case and is ignored."
                self.findings.warning(self._line((key,)), "unknown-key", problem, fix)
        for again in self.reading.repeated:
            if again.path[0] in KEYS:
                line, problem = again.line + self.first_line - 1, f"`{again.path[0]}` is given twice."
                self.findings.error(line, "repeated-key", problem, "Keep one of the two.")
        if self.reading.oddities:
            problem = "A value begins with `&` or `!`, which is YAML markup, and lost its first word."
            self.findings.warning(self.first_line, "yaml-markup", problem, "Put the value in single quotes.")

    def _id(self) -> str:
        value = self.value.get("id", "")
        if value == "":
            fix = "Write a line `id: GRF-001`, with an id that no other case of the suite has."
            line = self.lines.get(("id",), max(self.first_line - 1, 1))
            self.findings.error(line, "missing-id", "The case has no id.", fix)
            return ""
        problem = id_problem(value) if isinstance(value, str) else "An id is one word, not a list or a mapping."
        if problem:
            fix = "Use letters, digits and hyphens, such as `id: GRF-001`."
            self.findings.error(self.lines["id",], "bad-id", problem, fix)
        return str(value)

    def _title(self) -> str:
        value = self.value.get("title", "")
        written = next((text[6:].strip() for text in self.texts if text.startswith("title:")), "")
        if not isinstance(value, str):
            self._bad("title", "is not a text", _write(_title(written or "What the case is about")))
            return ""
        # In quotes or in a block, a "#" is part of the title.
        plain = written[:1] not in ("'", '"', "|", ">") and " #" not in value
        if plain and " #" in f" {written}":
            problem = "YAML reads the title from ` #` on as a comment, and drops it."
            fix = f"If it belongs to the title: {_write(_title(written))}"
            self.findings.warning(self._line(("title",)), "title-comment", problem, fix)
        return " ".join(value.split())

    def _list(self, key: str) -> tuple[str, ...]:
        value = self.value.get(key, "")
        if value == "":
            return ()
        if isinstance(value, str):
            value = [item.strip() for item in value.strip("[]").split(",")]
            problem = f"`{key}` should be a list. The text was split into {len(value)}."
            fix = _write(f"{key}: {flow_list(map(str, value))}")
            self.findings.warning(self.lines[key,], "list-as-text", problem, fix)
        if isinstance(value, dict) or not all(isinstance(item, str) for item in value):
            self._bad(key, "is not a list of words", f"Write `{key}: [one, another]`.")
            return ()
        items = [" ".join(str(item).split()) for item in value]
        for index, item in enumerate(items):
            self.lines.setdefault((key, item), self._line((key, index)))
        return tuple(dict.fromkeys(filter(None, items)))

    def _boolean(self, key: str) -> bool:
        value = self.value.get(key, "false")
        if not isinstance(value, str) or value.casefold() not in _BOOLEANS:
            shown = f"`{value[:60]}`" if isinstance(value, str) and value else "empty or a list"
            self._bad(key, f"is {shown}, not true or false", f"Write `{key}: false` or `{key}: true`.")
            return False
        return _BOOLEANS[value.casefold()]

    def _lang(self) -> str:
        value = self.value.get("lang", "en")
        if not isinstance(value, str):
            self._bad("lang", "is not one word", "Write one language, such as `lang: en`.")
            return ""
        if not _LANG.fullmatch(value):
            problem = f"`{value[:60]}` is not a language tag." if value else "`lang` is empty; `en` was used."
            fix = "Write a tag such as `lang: en`, `lang: pt-BR` or `lang: vi`."
            self.findings.warning(self.lines["lang",], "bad-lang", problem, fix)
        return value or "en"

    def _checks(self) -> Checks:
        patterns = {key: self._patterns(key) for key in CHECK_KEYS[:2]}
        both = sorted(set.intersection(*map(set, patterns.values())))
        if both:
            self._bad(
                "must_not_contain", f"forbids what `must_contain` demands: `{both[0][:60]}`", "Keep one of the two."
            )
        return Checks(**patterns, max_words=self._max_words(), language=self._language())

    def _patterns(self, key: str) -> tuple[str, ...]:
        if key not in self.value:
            return ()
        value = self.value[key]
        given = [value] if isinstance(value, str) else value
        if isinstance(given, dict) or not given or not all(isinstance(item, str) and item for item in given):
            self._bad(key, "is not a pattern or a list of patterns", f"Write `{key}: ['one', 'another']`.")
            return ()
        patterns = tuple(dict.fromkeys(map(str, given)))
        for pattern in patterns:
            if problem := pattern_problem(pattern):
                fix = (
                    "Put a backslash before a character that is meant as it is, such as `\\?`. RE2 has no look-around."
                )
                self._bad(key, f"has `{pattern[:60]}`, which is no regular expression of RE2 ({problem})", fix)
        return patterns

    def _max_words(self) -> int | None:
        value = self.value.get("max_words")
        if value is None:
            return None
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10 and int(value):
            return int(value)
        self._bad(
            "max_words", "is not a whole number of 1 or more", "Write a number of words, such as `max_words: 80`."
        )
        return None

    def _language(self) -> str:
        value = self.value.get("language", "")
        if "language" in self.value and not (isinstance(value, str) and is_known_language(value)):
            fix = f"Known are {', '.join(KNOWN_LANGUAGES)}. The language of the case itself is `lang`."
            self._bad("language", "is not a language that can be detected", fix)
            return ""
        return str(value)
