"""A verdict that an answer gives in pieces: a line here, a table there, objects and tags between sentences.

It is read so only where no verdict was found in one piece. Every statement of the whole answer about a key counts, so a
key that is stated twice with different values is a conflict and never a choice. Time is linear in the text's length.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from iamhumans.text import YamlProblem
from iamhumans.verdicts.blocks import Form, find_blocks
from iamhumans.verdicts.parse import Entry, parse_block, value_of_lines
from iamhumans.verdicts.tags import QUOTE_NAMES, VALUE_NAMES, is_answer, is_nothing, read_tags
from iamhumans.verdicts.values import plain_key

_MARKS = r"[ \t]*+(?:(?:[-*+•]|\(?[0-9]{1,2}[.)]|#{1,6})[ \t]++)*+"
# A key and its value, with any of the signs that people put between them.
_STATEMENT = re.compile(
    rf"(?P<margin>[ \t]*+){_MARKS}(?P<key>[*_`\"'“”]*+[^\W\d][\w-]*+(?:[ \t]++(?!(?:yes|no)\b)[^\W\d][\w-]*+){{0,5}}+"
    r"[*_`\"'“”]*+)[ \t]*+(?:(?:[:：=|]|->|→|⇒|\.{3,}+|[–—-](?=[ \t]))(?P<value>.*)"
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
_HTML_ROW = re.compile(r"<tr(?:\s[^<>]*)?>|</t(?:able|r|body|head)>", re.IGNORECASE)
_HTML_CELL = re.compile(r"(?:</t[dh]>\s*)?<t[dh](?:\s[^<>]*)?>|</t[dh]>", re.IGNORECASE)


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
    outside = _HTML_ROW.sub("\n", _HTML_CELL.sub(" | ", "".join([*rest, text[position:]])))
    tagged, outside = read_tags(outside, form)
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
        if label and plain_key(label["label"]) in QUOTE_NAMES:
            self._quote(label["value"])
        elif not self.said:
            self._say(self.last, label["value"].strip() if label else line.strip())

    def _say(self, key: str, value: str | None) -> None:
        home = self.form.section_of.get(key, "")
        has_answer = bool(value and (not home or _ANSWER.search(unicodedata.normalize("NFKC", value))))
        self.last, self.said = key, has_answer
        if value and (has_answer or self.section == "evidence"):
            is_evidence = self.section == "evidence" and home == "hard_fails" and not is_answer(value)
            self.entries.append(("evidence" if is_evidence else home, key, value_of_lines([value])))

    def _quote(self, value: str) -> None:
        said = value_of_lines([value.strip()])
        if self.form.section_of.get(self.last) == "hard_fails" and said and not is_nothing(said):
            self.entries.append(("evidence", self.last, said))

    def _row(self, cells: list[str]) -> None:
        self._end_prose()
        if all(_TABLE_RULE.fullmatch(cell) or not cell for cell in cells):
            return
        names = [plain_key(cell) for cell in cells]
        known = [name for name in names if name in self.form.readers]
        if len(known) == 1 or (known and self.columns):
            self._row_of(known[0], cells, names.index(known[0]) + 1)
        elif known or self.form.readers.keys().isdisjoint(self.columns):
            self.columns = [self._column(name) for name in names]
        else:  # a table that has its keys in its head
            for name, cell in zip(self.columns, cells, strict=False):
                if name in self.form.readers and cell:
                    self._say(name, cell)

    def _row_of(self, key: str, cells: list[str], first: int) -> None:
        """A row on one key, whose other cells begin at ``first``."""
        rest = range(first, len(cells))
        named = [index for index in rest if index < len(self.columns) and self.columns[index] in VALUE_NAMES]
        # Without a head that says which column it is, only a single one can hold the answer.
        answers = named if len(named) == 1 else [index for index in rest if _BARE_VALUE.fullmatch(cells[index])]
        self._say(key, " or ".join(cells[index] for index in answers or rest[:1]))
        for index in rest:
            if index not in answers and index < len(self.columns) and self.columns[index] in QUOTE_NAMES:
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
