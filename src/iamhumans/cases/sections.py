r"""The body of a case file: its sections, the turns of a conversation, the bullets of a list.

1. A section begins with an H2 heading whose name is on a closed list. Any other H2 opens a section that is ignored,
   but inside a message (``## input``, ``## conversation``) it belongs to the message. Both are warned of.
2. What stands in a fenced code block is never a heading. A block that is never closed is no block.
3. In a message, a backslash before a heading (``\## rubric``, ``\### user``) says that it is text, and is dropped.
4. HTML comments are left out everywhere but in messages, which are kept word for word.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import cast

from iamhumans.cases.findings import Code, Findings
from iamhumans.cases.model import Speaker, Turn

SECTION_NAMES = ("input", "conversation", "rubric", "failure_modes", "notes")
MESSAGE_SECTIONS = ("input", "conversation")

_HEADING = re.compile(r" {0,3}(#{1,6})(.*)")
_ESCAPED_HEADING = re.compile(r"( {0,3}\\*)\\(#{2,3}[ \t].*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_BULLET = re.compile(r"([ \t]*)([-*+•]|[0-9]{1,9}[.)])(?:[ \t]+(.*)|$)")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
# "**Turn 1:** ...", "User: ...", "__assistant__: ...": a speaker or a numbered turn, then a colon.
_PROSE_TURN = re.compile(
    r" {0,3}(?:\*\*|__)?(?:turn ?[0-9]{1,3}|(?:user|assistant|human|ai|bot)(?: [0-9]{1,3})?)"
    r"(?: \([^()\n]{1,30}\))?(?:\*\*|__)?:",
    re.IGNORECASE,
)
_OTHER_SPEAKERS = {
    "ai": "assistant",
    "bot": "assistant",
    "companion": "assistant",
    "human": "user",
    "me": "user",
    "model": "assistant",
    "person": "user",
    "reply": "assistant",
    "skill": "assistant",
    "system": "user",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the file; ``literal`` where it stands in a fenced code block."""

    number: int
    text: str
    literal: bool = False


@dataclass(slots=True)
class Section:
    """A section and its lines, the heading aside."""

    name: str
    line: int
    lines: list[Line] = field(default_factory=list)

    @property
    def is_message(self) -> bool:
        """Whether what stands here is said by somebody, word for word."""
        return self.name in MESSAGE_SECTIONS


@dataclass(slots=True)
class Body:
    """The sections of a file by name, and the section names that stand in a code block, with their lines."""

    sections: dict[str, Section] = field(default_factory=dict)
    fenced_names: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn and the line it begins at."""

    turn: Turn
    line: int


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text and the line it begins at."""

    text: str
    line: int


def split_sections(texts: Sequence[str], first_line: int, findings: Findings) -> Body:
    """The sections of the lines after the front matter."""
    return _Splitter(texts, first_line, findings).split()


def read_input(section: Section, findings: Findings) -> list[PlacedTurn]:
    """The one user turn of ``## input``; none where it is empty."""
    text = _message(section.lines)
    if not text:
        findings.error(section.line, Code.EMPTY_SECTION, "`## input` is empty.", "Write below it what the user says.")
        return []
    _warn_of_prose_turns(section, findings)
    return [PlacedTurn(Turn("user", text), section.line)]


def read_conversation(section: Section, findings: Findings) -> list[PlacedTurn]:
    """The turns of ``## conversation``; what is wrong with them is in the findings."""
    before, parts = _turn_parts(section, findings)
    stray = _first_text(before)
    if stray is not None:
        findings.error(
            stray.number,
            Code.TEXT_OUTSIDE_TURN,
            "This stands in `## conversation` before the first turn, so nobody says it.",
            "Write `### user` or `### assistant` on a line of its own above it.",
        )
    turns = [PlacedTurn(Turn(cast("Speaker", part.name), _message(part.lines)), part.line) for part in parts]
    if not turns and stray is None:
        fix = "Write `### user` below it, and what the user says below that."
        findings.error(section.line, Code.EMPTY_SECTION, "`## conversation` has no turns.", fix)
    _check_turns(turns, findings)
    return turns


def read_bullets(section: Section, findings: Findings) -> list[PlacedText]:
    """The bullets of a list, each as one text; text that is no bullet is kept as one, with a warning."""
    return _Bullets(findings, section.name).read(_without_comments(section.lines))


def read_notes(section: Section) -> str:
    """The text of ``## notes``."""
    return _trimmed("\n".join(line.text for line in _without_comments(section.lines)))


class _Splitter:
    def __init__(self, texts: Sequence[str], first_line: int, findings: Findings) -> None:
        self.texts = texts
        self.first_line = first_line
        self.findings = findings
        self.fenced = _fenced(texts, first_line, findings)
        self.comment_ends = [index for index, text in enumerate(texts) if "-->" in text]
        self.comment_end = -1
        self.unclosed_comment = False
        self.preamble = Section("", first_line)
        self.current = self.preamble
        self.body = Body()

    def split(self) -> Body:
        for index, text in enumerate(self.texts):
            line = Line(self.first_line + index, text, index in self.fenced)
            heading = None if index <= self.comment_end else _heading(text)
            if heading is not None and line.literal:
                self._note_fenced(heading, line)
            elif heading is not None and self._takes(heading, line):
                continue
            self.current.lines.append(line)
            if index >= self.comment_end and not line.literal:
                self._look_for_comment(index)
        stray = _first_text(self.preamble.lines)
        if stray is not None:
            fix = f"Move it below one of {_headings(SECTION_NAMES)}."
            problem = "This stands before the first section and is ignored."
            self.findings.warning(stray.number, Code.TEXT_BEFORE_SECTIONS, problem, fix)
        return self.body

    def _note_fenced(self, heading: _Heading, line: Line) -> None:
        if heading.section and heading.level == 2:
            self.body.fenced_names.setdefault(heading.section, line.number)

    def _takes(self, heading: _Heading, line: Line) -> bool:
        """Whether the heading begins a section; otherwise it is content."""
        if heading.level == 2 and heading.spaced:
            if heading.section:
                self._begin(heading, line)
                return True
            return self._unknown(heading, line)
        # "#notes" is a hashtag.
        if heading.section and (heading.spaced or heading.level > 1):
            problem = f"This reads like the section `## {heading.section}`, but is no heading of the second level."
            fix = f"Write `## {heading.section}` if the section begins here."
            self.findings.warning(line.number, Code.HEADING_LEVEL, problem, fix)
        return False

    def _begin(self, heading: _Heading, line: Line) -> None:
        name = heading.section
        if heading.name != name:
            fix = f"Write `## {name}`."
            if self.current.is_message:
                fix += " If it belongs to the message, put a backslash before it."
            problem = f"The section is spelled `## {name}`; this was read as that."
            self.findings.warning(line.number, Code.SECTION_NAME, problem, fix)
        self.current = Section(name, line.number)
        first = self.body.sections.setdefault(name, self.current)
        if first is not self.current:
            problem = f"`## {name}` stands here a second time; the first is in line {first.line}."
            fix = "Make one section of the two."
            if first.is_message or name == "notes":
                fix += " If this one belongs to a message, put a backslash before it."
            self.findings.error(line.number, Code.DUPLICATE_SECTION, problem, fix)

    def _unknown(self, heading: _Heading, line: Line) -> bool:
        near = get_close_matches(heading.name.casefold(), SECTION_NAMES, n=1)
        meant = f"Did you mean `## {near[0]}`? " if near else ""
        shown = heading.name[:60]
        if self.current.is_message:
            problem = f"`## {shown}` is no section, so it belongs to the message."
            fix = f"{meant}Put a backslash before it to say that it is text."
            self.findings.warning(line.number, Code.HEADING_IN_MESSAGE, problem, fix)
            return False
        problem = f"`## {shown}` is no section of a case; what stands below it is ignored."
        fix = meant.strip() or f"Sections are {_headings(SECTION_NAMES)}."
        self.findings.warning(line.number, Code.UNKNOWN_SECTION, problem, fix)
        self.current = Section("", line.number)
        return True

    def _look_for_comment(self, index: int) -> None:
        """Where a comment goes on over several lines, headings inside it are none."""
        if self.current.is_message:
            return
        opened = self.texts[index].rfind("<!--")
        if opened < 0 or self.texts[index].find("-->", opened) >= 0:
            return
        following = bisect_left(self.comment_ends, index + 1)
        if following < len(self.comment_ends):
            self.comment_end = self.comment_ends[following]
        elif not self.unclosed_comment:
            self.unclosed_comment = True
            number = self.first_line + index
            self.findings.warning(
                number, Code.UNCLOSED_COMMENT, "The comment that opens here is never closed.", "Close it with `-->`."
            )


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    name: str
    spaced: bool
    """Whether a blank stands between marks and name; without it Markdown sees no heading."""

    @property
    def section(self) -> str:
        """The section that the name means, in whatever spelling; or nothing."""
        plain = re.sub(r"[ \t_-]+", "_", self.name.strip("*`: \t").casefold())
        return plain if plain in SECTION_NAMES else ""


def _heading(text: str) -> _Heading | None:
    if "#" not in text:
        return None
    match = _HEADING.match(text)
    if match is None:
        return None
    marks, rest = match.groups()
    name = _strip_comments(rest).strip(" \t")
    closed = name.rstrip("#")
    if closed != name and closed[-1:] in ("", " ", "\t"):
        name = closed.rstrip(" \t")
    return _Heading(len(marks), name, rest[:1] in (" ", "\t")) if name else None


def _fenced(texts: Sequence[str], first_line: int, findings: Findings) -> set[int]:
    """Indexes of the lines that stand in fenced code blocks, the fences included."""
    inside: set[int] = set()
    hopeless: dict[str, int] = {}  # for each mark, the shortest fence that is known to stay open; keeps this linear
    index = 0
    while index < len(texts):
        match = _FENCE.match(texts[index])
        if match and not (match[1][0] == "`" and "`" in match[2]):
            mark, length = match[1][0], len(match[1])
            end = _fence_end(texts, index, mark, length) if length < hopeless.get(mark, length + 1) else None
            if end is not None:
                inside.update(range(index, end + 1))
                index = end
            elif mark not in hopeless:
                problem = "The code block that opens here is never closed, so it is read as plain text."
                findings.warning(first_line + index, Code.UNCLOSED_FENCE, problem, f"Close it with `{match[1][:20]}`.")
                hopeless[mark] = length
            else:
                hopeless[mark] = min(hopeless[mark], length)
        index += 1
    return inside


def _fence_end(texts: Sequence[str], start: int, mark: str, length: int) -> int | None:
    for index in range(start + 1, len(texts)):
        match = _FENCE.match(texts[index])
        if match and match[1][0] == mark and len(match[1]) >= length and not match[2].strip():
            return index
    return None


def _turn_parts(section: Section, findings: Findings) -> tuple[list[Line], list[Section]]:
    before: list[Line] = []
    parts: list[Section] = []
    for line in section.lines:
        heading = None if line.literal else _heading(line.text)
        if heading is None or heading.level != 3 or not heading.spaced:
            (parts[-1].lines if parts else before).append(line)
            continue
        speaker = heading.name.rstrip(":").strip("*` \t").casefold()
        if speaker in ("user", "assistant"):
            parts.append(Section(speaker, line.number))
            continue
        (parts[-1].lines if parts else before).append(line)
        meant = _speaker_meant(speaker)
        if parts and meant:
            problem = f"`### {heading.name[:60]}` is no turn, so it belongs to the message above it."
            fix = f"Write `### {meant}` if a turn begins here, or put a backslash before it to say that it is text."
            findings.warning(line.number, Code.UNKNOWN_TURN, problem, fix)
    return before, parts


def _speaker_meant(name: str) -> str:
    words = re.split(r"[\W\d_]+", name, maxsplit=1)
    if words[0] in ("user", "assistant"):
        return words[0]
    if name in _OTHER_SPEAKERS:
        return _OTHER_SPEAKERS[name]
    near = get_close_matches(name, ("user", "assistant"), n=1, cutoff=0.75)
    return near[0] if near else ""


def _check_turns(turns: Sequence[PlacedTurn], findings: Findings) -> None:
    previous: Turn | None = None
    for placed in turns:
        turn, line = placed.turn, placed.line
        if turn.speaker == "user" and not turn.text:
            fix = "Write below it what the user says, or delete it."
            findings.error(line, Code.EMPTY_TURN, "This turn of the user is empty.", fix)
        elif not turn.text and (previous is None or previous.speaker != "user"):
            problem = "An empty turn of the assistant is answered live, but no turn of the user stands before it."
            findings.error(line, Code.LIVE_TURN, problem, "Write `### user` and what the user says above it.")
        elif previous is not None and previous.speaker == turn.speaker:
            problem = f"Two turns of the {turn.speaker} follow each other, which some models refuse."
            findings.warning(line, Code.SAME_SPEAKER, problem, "Make one turn of the two, or write the one between.")
        previous = turn
    if previous is not None and previous.speaker == "assistant":
        if previous.text:
            fix = "Write `### user` and the message that is to be answered below it."
        else:
            fix = "Delete this empty `### assistant`: the reply to the last turn of the user is asked for anyway."
        problem = "The conversation ends with a turn of the assistant; a case ends with the user's."
        findings.error(turns[-1].line, Code.LAST_TURN, problem, fix)


def _warn_of_prose_turns(section: Section, findings: Findings) -> None:
    advice = "Write `## conversation`, with each turn below a line `### user` or `### assistant`."
    seen = 0
    first = 0
    for line in section.lines:
        if line.literal:
            continue
        heading = _heading(line.text)
        turn_heading = (
            heading is not None
            and heading.level == 3
            and heading.spaced
            and heading.name.rstrip(":").casefold() in ("user", "assistant")
        )
        # One "User:" may be a quoted log; a heading, or two of them, are turns.
        seen += 2 if turn_heading else bool(_PROSE_TURN.match(line.text))
        first = first or (line.number if seen else 0)
    if seen >= 2:
        problem = "Turns are written into `## input`, so all of it is read as one message of the user."
        findings.warning(first, Code.PROSE_TURNS, problem, advice)


def _message(lines: Iterable[Line]) -> str:
    return _trimmed("\n".join(line.text if line.literal else _unescaped(line.text) for line in lines))


def _unescaped(text: str) -> str:
    match = _ESCAPED_HEADING.fullmatch(text)
    return match[1] + match[2] if match else text


def _trimmed(text: str) -> str:
    """Without blank lines around it and blanks at its end; the indentation of its first line stays."""
    text = text.rstrip()
    indented = text.lstrip()
    return text[text.rfind("\n", 0, len(text) - len(indented)) + 1 :]


def _without_comments(lines: Sequence[Line]) -> list[Line]:
    if not lines:
        return []
    texts = _strip_comments("\n".join(line.text for line in lines)).split("\n")
    return [Line(line.number, text, line.literal) for line, text in zip(lines, texts, strict=True)]


def _strip_comments(text: str) -> str:
    """The text without HTML comments; line ends inside them stay, so that lines keep their numbers."""
    if "<!--" not in text:
        return text
    kept: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end + 3
    return "".join((*kept, text[position:]))


def _first_text(lines: Sequence[Line]) -> Line | None:
    """The first line that says something, comments aside."""
    return next((line for line in _without_comments(lines) if line.text.strip()), None)


class _Bullets:
    """Reads a list line by line. A line goes on with the bullet above it, or begins another."""

    def __init__(self, findings: Findings, section: str) -> None:
        self.findings = findings
        self.section = section
        self.texts: list[list[str]] = []
        self.lines: list[int] = []
        self.indent: int | None = None
        """How far the bullet above is indented; None after text that is no bullet."""
        self.after_blank = True

    def read(self, lines: Iterable[Line]) -> list[PlacedText]:
        for line in lines:
            text = line.text.strip()
            divides = not text or self._says_nothing(line)
            if not divides:
                self._line(line, text)
            self.after_blank = divides
        joined = (PlacedText(_joined(texts), number) for texts, number in zip(self.texts, self.lines, strict=True))
        return list(self._with_words(joined))

    def _says_nothing(self, line: Line) -> bool:
        """Whether the line only divides the list: a rule or a heading."""
        heading = None if line.literal else _heading(line.text)
        if heading is not None and heading.spaced:
            problem = f"A heading in `## {self.section}` reaches nobody."
            fix = "Say it in a bullet, which begins with `- `."
            self.findings.warning(line.number, Code.HEADING_IN_LIST, problem, fix)
            self.indent = None
            return True
        return not line.literal and _RULE.match(line.text) is not None

    def _line(self, line: Line, text: str) -> None:
        bullet = None if line.literal else _BULLET.fullmatch(line.text)
        if bullet is None:
            self._continue(line, text)
            return
        indent = len(bullet[1].expandtabs(4))
        if self.indent is not None and indent >= self.indent + 2:
            self.texts[-1].append("\n  - " + (bullet[3] or "").strip())
            return
        self.indent = indent
        self._begin(line, (bullet[3] or "").strip())

    def _continue(self, line: Line, text: str) -> None:
        indent = len(line.text.expandtabs(4)) - len(line.text.expandtabs(4).lstrip())
        if self.indent is not None and indent >= self.indent + 2:
            self.texts[-1].append(text)
        elif self.texts and not self.after_blank:
            if self.indent is not None:
                problem = "This line is read as part of the bullet above it."
                fix = "Indent it by two blanks, or begin it with `- ` if it is a bullet of its own."
                self.findings.warning(line.number, Code.UNINDENTED_LINE, problem, fix)
            self.texts[-1].append(text)
        else:
            self.indent = None
            problem = f"This text in `## {self.section}` is no bullet; it is read as one."
            self.findings.warning(line.number, Code.NO_BULLET, problem, "Begin it with `- `.")
            self._begin(line, text)

    def _begin(self, line: Line, text: str) -> None:
        self.texts.append([text])
        self.lines.append(line.number)

    def _with_words(self, bullets: Iterable[PlacedText]) -> Iterator[PlacedText]:
        for bullet in bullets:
            if bullet.text:
                yield bullet
            else:
                fix = "Write the words, or delete it."
                self.findings.warning(bullet.line, Code.EMPTY_BULLET, "This bullet is empty.", fix)


def _joined(texts: Iterable[str]) -> str:
    """One text: lines joined by a blank, bullets inside the bullet each on a line of their own."""
    return " ".join(texts).replace(" \n", "\n").strip()


def _headings(names: Iterable[str]) -> str:
    return ", ".join(f"`## {name}`" for name in names)
