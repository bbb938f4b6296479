"""A verdict that an answer gives in pieces: a line here, a table there, objects and tags between sentences.

It is read so only where no verdict was found in one piece. Every statement of the whole answer about a key counts, so a
key that is stated twice with different values is a conflict and never a choice. Time is linear in the text's length.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from iamhumans.text import YamlProblem, YamlValue
from iamhumans.verdicts.blocks import Form, find_blocks
from iamhumans.verdicts.parse import Entry, parse_block, value_of_lines
from iamhumans.verdicts.values import plain_key

_MARKS = r"[ \t]*+(?:(?:[-*+•]|\(?[0-9]{1,2}[.)]|#{1,6})[ \t]++)*+"
# A key and its value, with any of the signs that people put between them.
_STATEMENT = re.compile(
    rf"(?P<margin>[ \t]*+){_MARKS}(?P<key>[*_`\"'“”]*+[^\W\d][\w-]*+(?:[ \t]++(?!(?:yes|no)\b)[^\W\d][\w-]*+){{0,5}}+"
    r"[*_`\"'“”]*+)[ \t]*+(?:(?:[:：=|]|->|→|⇒|[–—-](?=[ \t]))(?P<value>.*)"
    r"|(?P<bracket>[(\[][^()\[\]]*+[)\]])(?P<rest>.*)"
    r"|[,;][ \t]*(?P<field>(?:[0-9]|yes\b|no\b|n/a\b).*)"
    r"|(?P<bare>(?:[0-9]|yes\b|no\b|n/a\b).*))?",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[*_`\"' \t-]*+(?P<label>score|rating|answer|present|value|evidence|quotes?|example)"
    r"[*_`\"']*+[ \t]*+[:：=][*_]*+(?P<value>.*)",
    re.IGNORECASE,
)
_BARE_VALUE = re.compile(
    r"[*_`\"' \t]*+(?:[0-9.,]++(?:[ \t]*/[ \t]*+[0-9]++)?|yes|no|n/a)[*_`\"' \t.]*+", re.IGNORECASE
)
# What a value must hold to be an answer and not a remark.
_ANSWER = re.compile(
    r"[0-9]|\b(?:(?:yes|no|true|false|n/?a|maybe|perhaps)\b|present|absent|detected|pass|fail)", re.IGNORECASE
)
_TABLE_RULE = re.compile(r"[ \t|:+=-]+")
_TAG = re.compile(
    r"<(?P<name>[A-Za-z][\w-]*)(?P<attributes>(?:\s+[\w-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'))*)\s*(?P<empty>/)?>"
)
_TAG_NAME = re.compile(r"<([A-Za-z][\w-]*)")
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_VALUE_COLUMNS = frozenset(
    ["score", "rating", "value", "answer", "present", "result", "verdict", "yes_no", "flag", "points", "status"]
)
_QUOTE_COLUMNS = frozenset(["evidence", "quote", "quotes", "words", "example", "examples"])
_NAME_ATTRIBUTES = frozenset(["name", "id", "key", "axis", "flag"])


def read_pieces(text: str, form: Form, repairs: set[str]) -> list[Entry]:
    """All that the text states about the keys of the form.

    Raises:
        YamlProblem: It holds what is never written by accident.
    """
    entries: list[Entry] = []
    rest, position = [], 0
    for block in find_blocks(text, form)[0]:
        if block.json is not None:
            entries += parse_block(block, form, repairs)
            rest.append(text[position : block.start])
            position = block.end
    outside = "".join([*rest, text[position:]])
    tagged, outside = _tags(outside, form)
    lines = _Lines(form)
    lines.read(outside)
    return [*entries, *tagged, *lines.entries]


def states_parts(text: str, form: Form) -> bool:
    """Whether a text states anything about the parts of the form."""
    try:
        return any(key in form.parts and section != "evidence" for section, key, _ in read_pieces(text, form, set()))
    except YamlProblem:
        return True


@dataclass(slots=True)
class _Lines:
    """A walk through lines, each of which may state something."""

    form: Form
    entries: list[Entry] = field(default_factory=list)
    section: str = ""
    last: str = ""  # the key whose value may follow
    said: bool = False  # whether the value of the last key is known
    columns: list[str] = field(default_factory=list)  # the head of the table that we are in
    prose: list[str] | None = None
    prose_margin: int = 0

    def read(self, text: str) -> None:
        """Read all lines."""
        for line in text.split("\n"):
            if line.lstrip().startswith(">"):
                continue  # a quotation
            cells = _cells(line)
            if len(cells) > 1 and not (self.prose and self.form.known.isdisjoint(map(plain_key, cells))):
                self._row(cells)
                continue
            self.columns = []
            self._line(line)
        self._end_prose()

    def _line(self, line: str) -> None:
        match = _STATEMENT.fullmatch(line)
        key = plain_key(match["key"]) if match else ""
        key, value = (key, _stated(match)) if match and key in self.form.known else ("", "")
        if self.prose is not None and (not key or len(match["margin"] if match else "") > self.prose_margin):
            self.prose.append(line.strip())
            return
        if not key or match is None:
            self._continue(line)
            return
        self._end_prose()
        if key == self.form.prose:
            self.prose, self.prose_margin = [value or ""], len(match["margin"])
        elif key in self.form.headings:
            self.section = key
        else:
            self._say(key, value)

    def _continue(self, line: str) -> None:
        """A line that says more about the last key, or nothing."""
        label = _LABEL.fullmatch(line)
        if not self.last or not (label or (not self.said and _BARE_VALUE.fullmatch(line))):
            self.last = self.last if label or not line.strip() or not self.said else ""
            return
        if label and plain_key(label["label"]) in _QUOTE_COLUMNS:
            self._quote(label["value"])
        elif not self.said:
            self._say(self.last, label["value"].strip() if label else line.strip())

    def _say(self, key: str, value: str | None) -> None:
        home = self.form.section_of.get(key, "")
        is_answer = bool(value and (not home or _ANSWER.search(unicodedata.normalize("NFKC", value))))
        self.last, self.said = key, is_answer
        if value and (is_answer or self.section == "evidence"):
            is_evidence = self.section == "evidence" and home == "hard_fails" and not _is_answer(value)
            self.entries.append(("evidence" if is_evidence else home, key, value_of_lines([value])))

    def _quote(self, value: str) -> None:
        said = value_of_lines([value.strip()])
        if self.form.section_of.get(self.last) == "hard_fails" and said and not _is_nothing(said):
            self.entries.append(("evidence", self.last, said))

    def _row(self, cells: list[str]) -> None:
        self._end_prose()
        names = [plain_key(cell) for cell in cells]
        parts = [name for name in names if name in self.form.readers]
        if all(_TABLE_RULE.fullmatch(cell) or not cell for cell in cells):
            return
        if not parts or (len(parts) > 1 and not self.columns):
            head = [self._column(name) for name in names]
            if parts or not set(self.columns).intersection(self.form.readers):
                self.columns = head
                return
            # A table that has its keys in its head.
            for name, cell in zip(self.columns, cells, strict=False):
                if name in self.form.readers and cell:
                    self._say(name, cell)
            return
        at = names.index(parts[0])
        rest = range(at + 1, len(cells))
        columns = dict(zip(self.columns, range(len(self.columns)), strict=False))
        values = [columns[name] for name in columns if name in _VALUE_COLUMNS and columns[name] in rest]
        column = values[0] if len(values) == 1 else at + 1
        if column < len(cells):
            self.last = parts[0]
            self._say(parts[0], cells[column])
            for index in rest:
                if index < len(self.columns) and self.columns[index] in _QUOTE_COLUMNS and index != column:
                    self._quote(cells[index])

    def _column(self, name: str) -> str:
        """The name of a column: of ``Score (0-10)`` it is ``score``."""
        return name if name in self.form.readers else re.split(r"[^a-z]", name, maxsplit=1)[0] or name

    def _end_prose(self) -> None:
        if self.prose is not None:
            first, *rest = self.prose
            text = "\n".join([*([] if first in ("|", ">", "|-", ">-", "") else [first]), *rest]).strip()
            self.entries.append(("", self.form.prose, text))
            self.prose = None


def _stated(match: re.Match[str]) -> str | None:
    if match["value"] is not None:
        return match["value"].strip().strip("*_").strip()
    if match["bracket"] is not None:
        inside, rest = match["bracket"][1:-1].strip(), match["rest"].strip()
        return inside if _BARE_VALUE.fullmatch(inside) else rest.lstrip(":：=–—-").strip() or None
    return match["field"] or match["bare"]


def _cells(line: str) -> list[str]:
    """The cells of a row of a table; at most one if the line is none."""
    row = line.strip()
    if not row.startswith("|") and " | " not in row and "\t" not in row:
        return []
    separator = "|" if "|" in row else "\t"
    return [cell.strip() for cell in row.strip("|").split(separator)]


def _is_answer(value: str) -> bool:
    return bool(re.match(r"[*_`\"' ]*(?:yes|no|true|false)\b", value, re.IGNORECASE))


def _is_nothing(value: YamlValue) -> bool:
    return isinstance(value, str) and value.strip(" \"'-–—.").lower() in ("", "n/a", "none", "null")


def _tags(text: str, form: Form) -> tuple[list[Entry], str]:
    """What is stated in tags (``<pity>NO</pity>``), and the text without them."""
    entries: list[Entry] = []
    rest, position = [], 0
    section = ""
    never_closed: set[str] = set()
    while tag := _TAG.search(text, position):
        rest.append(text[position : tag.start()])
        position = tag.end()
        attributes = {plain_key(name): one or other for name, one, other in _ATTRIBUTE.findall(tag["attributes"])}
        names = [attributes[name] for name in attributes if name in _NAME_ATTRIBUTES]
        key = next((name for name in map(plain_key, [tag["name"], *names]) if name in form.known), "")
        if key in form.headings:
            section = key
            continue
        if not key:
            continue
        stated = [value for name, value in attributes.items() if name in _VALUE_COLUMNS]
        if tag["empty"]:
            content = stated[0] if len(stated) == 1 else ""
        else:
            closing = "" if tag["name"] in never_closed else f"</{tag['name']}>"
            end = text.find(closing, position) if closing else -1
            if end < 0:
                never_closed.add(tag["name"])
                continue
            content, position = text[position:end], end + len(closing)
            content = stated[0] if len(stated) == 1 else content
            if key not in form.parts and any(plain_key(name) in form.known for name in _TAG_NAME.findall(content)):
                position = tag.end()  # a verdict, and not the word PASS or FAIL
                continue
        home = form.section_of.get(key, "")
        value, quotes = _content(content)
        if section == "evidence" and home == "hard_fails" and not _is_answer(value):
            entries.append(("evidence", key, value))
            continue
        entries.append((home, key, value))
        if quotes and home == "hard_fails":
            entries.append(("evidence", key, quotes))
    return entries, "".join([*rest, text[position:]])


def _content(content: str) -> tuple[str, list[YamlValue]]:
    """The value in a tag, which may be in a tag inside, and the quotes beside it."""
    inner = {plain_key(name): inside.strip() for name, inside in _INNER_TAG.findall(content)}
    if not inner:
        return content.strip(), []
    values = [inner[name] for name in inner if name in _VALUE_COLUMNS]
    quotes: list[YamlValue] = [inner[name] for name in inner if name in _QUOTE_COLUMNS and not _is_nothing(inner[name])]
    outside = _INNER_TAG.sub("", content).strip()
    return (values[0] if len(values) == 1 and not outside else outside), quotes


_INNER_TAG = re.compile(r"<([A-Za-z][\w-]*)>([^<>]*)</\1>")
