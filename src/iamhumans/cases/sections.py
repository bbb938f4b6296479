r"""The body of a case file: its sections, the turns of a conversation, the bullets of a list.

1. A section begins with an H2 heading from a closed list. Any other H2 opens a section that is ignored, but inside a
   message (``## input``, ``## conversation``) it belongs to the message. Both give a warning. A heading that is nearly
   a section name is an error: its text would otherwise reach the model, or be lost.
2. Inside a fenced code block nothing is a heading. A block that is never closed is not a block.
3. In a message, a backslash before a heading (``\## rubric``, ``\### user``) makes it text and is dropped.
4. HTML comments are dropped everywhere except in messages, which are read word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias, TypeVar, cast

from iamhumans.cases.case import Speaker, Turn
from iamhumans.cases.findings import Findings

SECTION_NAMES = ("input", "conversation", "rubric", "failure_modes", "notes")
_SECTIONS = ", ".join(f"`## {name}`" for name in SECTION_NAMES)
_BACKSLASH = " If it belongs to the message, put a backslash before it."
_HEADING = re.compile(r" {0,3}(#{1,6})(.*)")
_ESCAPED = re.compile(r"^( {0,3}\\*)\\(#{2,3}(?:[ \t]|(?i:rubric|failure)))")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_BULLET = re.compile(r"([ \t]*)([-*+•]|[0-9]{1,9}[.)])(?:[ \t]+(.*)|$)")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
# "**Turn 1:** ...", "User: ...", "__assistant__: ...": a speaker or a numbered turn, then a colon.
_PROSE_TURN = re.compile(
    r" {0,3}(?:\*\*|__)?(?:turn ?[0-9]{1,3}|(?:user|assistant|human|ai|bot)(?: [0-9]{1,3})?)"
    r"(?: \([^()\n]{1,30}\))?(?:\*\*|__)?:",
    re.IGNORECASE,
)
_SPEAKERS = ("user", "assistant")
Text = TypeVar("Text", str, Turn)
Placed: TypeAlias = tuple[Text, int]  # a text or a turn, and its first line
_NEARLY = 0.75  # how alike two names must be for one to be a misspelling of the other


class Line(NamedTuple):
    """A line of the file; ``literal`` if it is in a fenced code block."""

    number: int
    text: str
    literal: bool = False

    @property
    def heading(self) -> _Heading | None:
        """The heading that it is, if any."""
        match = _HEADING.match(self.text) if "#" in self.text and not self.literal else None
        if match is None:
            return None
        name = re.sub(r"(?<![^ \t])#+$", "", _strip_comments(match[2]).strip(" \t")).rstrip(" \t")
        return _Heading(len(match[1]), name, match[2][:1] in (" ", "\t")) if name else None


@dataclass(slots=True)
class Section:
    """A section and its lines, without the heading."""

    name: str
    line: int
    lines: list[Line] = field(default_factory=list)

    @property
    def is_message(self) -> bool:
        """Whether a speaker says its text, word for word."""
        return self.name in ("input", "conversation")


class _Heading(NamedTuple):
    level: int
    name: str
    spaced: bool  # whether a blank follows the marks. Without one Markdown sees no heading

    @property
    def plain(self) -> str:
        return re.sub(r"[ \t_-]+", "_", self.name.strip("*`: \t").casefold())

    @property
    def section(self) -> str:
        """The section that is meant by it, if any."""
        return self.plain if self.plain in SECTION_NAMES else ""

    @property
    def speaker(self) -> str:
        """The speaker whose turn it begins, if any."""
        name = self.name.rstrip(":").strip("*` \t").casefold()
        return name if self.level == 3 and self.spaced and name in _SPEAKERS else ""


def split_sections(texts: Sequence[str], first_line: int, findings: Findings) -> dict[str, Section]:
    """The sections of the lines after the front matter."""
    return _Splitter(texts, first_line, findings).split()


def read_input(section: Section, findings: Findings) -> list[Placed[Turn]]:
    """The one user turn of ``## input``; empty if it has no text."""
    text = _message(section.lines)
    if not text:
        findings.error(section.line, "empty-section", "`## input` is empty.", "Write the user's message below it.")
        return []
    _warn_of_prose_turns(section, findings)
    return [(Turn("user", text), section.line)]


def read_conversation(section: Section, findings: Findings) -> list[Placed[Turn]]:
    """The turns of ``## conversation``."""
    before: list[Line] = []
    parts: list[Section] = []
    for line in section.lines:
        heading = line.heading
        if heading is not None and heading.speaker:
            parts.append(Section(heading.speaker, line.number))
        else:
            (parts[-1].lines if parts else before).append(line)
    stray = next((line.number for line in _without_comments(before) if line.text.strip()), None)
    if stray is not None:
        fix = "Write `### user` or `### assistant` on a line above it."
        findings.error(stray, "text-outside-turn", "`## conversation` has text before its first turn.", fix)
    turns = [(Turn(cast("Speaker", part.name), _message(part.lines)), part.line) for part in parts]
    if not turns and stray is None:
        fix = "Write `### user` below it, and the user's message below that."
        findings.error(section.line, "empty-section", "`## conversation` has no turns.", fix)
    _check_turns(turns, findings)
    return turns


def read_bullets(section: Section, findings: Findings) -> list[Placed[str]]:
    """The bullets of a list. Text that is not a bullet is read as one, with a warning."""
    bullets = []
    for texts, line in _bullet_texts(_without_comments(section.lines), section.name, findings):
        # Lines are joined by a blank; bullets inside the bullet are on lines of their own.
        text = " ".join(texts).replace(" \n", "\n").strip()
        if text:
            bullets.append((text, line))
        else:
            findings.warning(line, "empty-bullet", "This bullet is empty.", "Write its text, or delete it.")
    return bullets


def read_notes(section: Section) -> str:
    """The text of ``## notes``."""
    return re.sub(r"\A\s*\n", "", "\n".join(line.text for line in _without_comments(section.lines)).rstrip())


class _Splitter:
    def __init__(self, texts: Sequence[str], first_line: int, findings: Findings) -> None:
        self.texts, self.first_line, self.findings = texts, first_line, findings
        self.comment_end = -1  # the index of the line that closes the last comment
        self.unclosed_comment = False
        self.current = self.preamble = Section("", first_line)
        self.sections: dict[str, Section] = {}

    def split(self) -> dict[str, Section]:
        fenced = _fenced(self.texts, self.first_line, self.findings)
        for index, text in enumerate(self.texts):
            line = Line(self.first_line + index, text, index in fenced)
            heading = line.heading if index > self.comment_end else None
            if heading is not None and self._takes(heading, line.number):
                continue
            self.current.lines.append(line)
            if index >= self.comment_end and not line.literal and not self.current.is_message:
                self._look_for_comment(index)
        for line in [line for line in _without_comments(self.preamble.lines) if line.text.strip()][:1]:
            problem, fix = "The text before the first section is ignored.", f"Move it below one of {_SECTIONS}."
            self.findings.warning(line.number, "text-before-sections", problem, fix)
        return self.sections

    def _takes(self, heading: _Heading, line: int) -> bool:
        if heading.level == 2 and heading.spaced:
            return self._begin(heading, line) if heading.section else self._unknown(heading, line)
        # "#notes" is a hashtag.
        if heading.section and (heading.spaced or heading.level > 1):
            problem = f"This looks like the section `## {heading.section}`, but is not a heading of the second level."
            fix = f"Write `## {heading.section}` if the section begins here."
            # The model would see the criteria. A message may well have a heading "Notes".
            reveals = self.current.is_message and heading.section in ("rubric", "failure_modes")
            if reveals and heading.level in (2, 3):
                self.findings.error(line, "heading-level", problem, fix + _BACKSLASH)
            else:
                self.findings.warning(line, "heading-level", problem, fix)
        return False

    def _begin(self, heading: _Heading, line: int) -> bool:
        name = heading.section
        if heading.name != name:
            problem = f"This was read as the section `## {name}`, which is spelled differently."
            self.findings.warning(line, "section-name", problem, self._rename(name))
        self.current = Section(name, line)
        first = self.sections.setdefault(name, self.current)
        if first is not self.current:
            problem = f"The case has `## {name}` twice; the first is in line {first.line}."
            self.findings.error(line, "duplicate-section", problem, "Make one section of the two." + _BACKSLASH)
        return True

    def _unknown(self, heading: _Heading, line: int) -> bool:
        near = get_close_matches(heading.plain, SECTION_NAMES, n=1, cutoff=_NEARLY)
        # "Rubric criteria" is not alike enough, and the model would see what is below it.
        near = near or [name for name in ("rubric", "failure_modes") if heading.plain.startswith(name.rstrip("s"))]
        shown = f"`## {heading.name[:60]}`"
        if near:
            fix = self._rename(near[0])
            self.findings.error(line, "misspelt-section", f"{shown} is not a section of a case.", fix)
        elif self.current.is_message:
            problem, fix = f"{shown} is not a section, so it belongs to the message.", "Mark it with a backslash."
            self.findings.warning(line, "heading-in-message", problem, fix)
            return False
        else:
            problem = f"{shown} is not a section of a case. The text below it is ignored."
            self.findings.warning(line, "unknown-section", problem, f"Sections are {_SECTIONS}.")
        self.current = Section("", line)
        return True

    def _rename(self, name: str) -> str:
        return f"Write `## {name}`." + (_BACKSLASH if self.current.is_message else "")

    def _look_for_comment(self, index: int) -> None:
        opened = self.texts[index].rfind("<!--")
        if opened < 0 or self.unclosed_comment or self.texts[index].find("-->", opened) >= 0:
            return
        following = (later for later in range(index + 1, len(self.texts)) if "-->" in self.texts[later])
        self.comment_end = next(following, -1)
        if self.comment_end < 0:
            self.unclosed_comment = True
            problem = "The comment that opens here is never closed."
            self.findings.warning(self.first_line + index, "unclosed-comment", problem, "Close it with `-->`.")


def _fenced(texts: Sequence[str], first_line: int, findings: Findings) -> set[int]:
    inside: set[int] = set()
    unclosed: dict[str, int] = {}  # for each mark the shortest fence that is never closed, so that this stays linear
    index = -1
    while (index := index + 1) < len(texts):
        match = _FENCE.match(texts[index])
        if match is None or (match[1][0] == "`" and "`" in match[2]):
            continue
        mark, length = match[1][0], len(match[1])
        closing = re.compile(rf" {{0,3}}{mark}{{{length},}}\s*")
        later = range(index + 1, len(texts)) if length < unclosed.get(mark, length + 1) else ()
        if (end := next((at for at in later if closing.fullmatch(texts[at])), None)) is not None:
            inside.update(range(index, end + 1))
            index = end
            continue
        if mark not in unclosed:
            problem = "The code block that opens here is never closed, so it is read as plain text."
            findings.warning(first_line + index, "unclosed-fence", problem, f"Close it with `{match[1][:20]}`.")
        unclosed[mark] = min(unclosed.get(mark, length), length)
    return inside


def _check_turns(turns: Sequence[Placed[Turn]], findings: Findings) -> None:
    previous: Turn | None = None
    for turn, line in turns:
        if turn.speaker == "user" and not turn.text:
            fix = "Write the user's message below it, or delete it."
            findings.error(line, "empty-turn", "This user turn is empty.", fix)
        elif not turn.text and (previous is None or previous.speaker != "user"):
            problem = "An empty assistant turn is answered live, but there is no user turn before it."
            findings.error(line, "live-turn", problem, "Write `### user` and the user's message above it.")
        elif previous is not None and previous.speaker == turn.speaker:
            problem = f"Two {turn.speaker} turns follow each other, which some models refuse."
            findings.warning(line, "same-speaker", problem, "Join them, or write the turn between them.")
        previous = turn
    if previous is not None and previous.speaker == "assistant":
        problem = "The conversation ends with an assistant turn; it must end with a user turn."
        fix = "Write `### user` and the message to be answered below it, or delete this turn."
        findings.error(turns[-1][1], "last-turn", problem, fix)


def _warn_of_prose_turns(section: Section, findings: Findings) -> None:
    seen = first = 0
    for line in section.lines:
        heading = line.heading
        # One "User:" may be a quoted log. A heading, or two of them, are turns.
        is_prose = not line.literal and _PROSE_TURN.match(line.text) is not None
        seen += 2 if heading is not None and heading.speaker else is_prose
        first = first or (line.number if seen else 0)
    if seen >= 2:
        problem = "`## input` contains turns, and all of it is read as one user message."
        fix = "Write `## conversation`, with each turn below a line `### user` or `### assistant`."
        findings.warning(first, "prose-turns", problem, fix)


def _message(lines: Iterable[Line]) -> str:
    texts = (line.text if line.literal else _ESCAPED.sub(r"\1\2", line.text) for line in lines)
    return re.sub(r"\A\s*\n", "", "\n".join(texts).rstrip())


def _without_comments(lines: Sequence[Line]) -> list[Line]:
    texts = _strip_comments("\n".join(line.text for line in lines)).split("\n")
    return [line._replace(text=text) for line, text in zip(lines, texts, strict=False)]


def _strip_comments(text: str) -> str:
    """The text without HTML comments; their line ends stay, so that line numbers do not change."""
    end = text.rfind("-->") + 3  # No comment is closed after it, and looking for an end there would take long.
    closed = re.sub(r"<!(?=--).*?-->", lambda match: "\n" * match[0].count("\n"), text[:end], flags=re.DOTALL)
    return closed + text[end:]


def _bullet_texts(lines: Iterable[Line], section: str, findings: Findings) -> Iterator[tuple[list[str], int]]:
    """The texts of each bullet and its line. A line continues the bullet above it, or begins another."""
    texts: list[str] = []
    start = 0
    indent: int | None = None  # of the bullets; None inside text that is not a bullet
    after_blank = False
    for line in lines:
        heading = line.heading
        if heading is not None and heading.spaced:
            problem = f"A heading in `## {section}` is ignored."
            findings.warning(line.number, "heading-in-list", problem, "Write it as a bullet, which begins `- `.")
            indent, after_blank = None, True
            continue
        if not line.text.strip() or (not line.literal and _RULE.match(line.text)):
            after_blank = True
            continue
        was_blank, after_blank = after_blank, False
        bullet = None if line.literal else _BULLET.fullmatch(line.text)
        text = (bullet[3] or "").strip() if bullet else line.text.strip()
        own_indent = len(line.text.expandtabs(4)) - len(line.text.expandtabs(4).lstrip())
        if indent is not None and own_indent >= indent + 2:
            texts.append(f"\n  - {text}" if bullet else text)
        elif bullet is None and texts and not was_blank:
            if indent is not None:
                problem = "This line is read as part of the bullet above it."
                fix = "Indent it by two blanks, or begin it with `- ` to make it a bullet."
                findings.warning(line.number, "unindented-line", problem, fix)
            texts.append(text)
        else:
            if bullet is None:
                problem = f"This text in `## {section}` is not a bullet. It is read as one."
                findings.warning(line.number, "no-bullet", problem, "Begin it with `- `.")
            if texts:
                yield texts, start
            texts, start = [text], line.number
            indent = own_indent if bullet else None
    if texts:
        yield texts, start
