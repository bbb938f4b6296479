"""A case file: text to case, with everything that is odd about it. Nothing that a file says raises."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from iamhumans.cases.findings import Code, Findings, from_error
from iamhumans.cases.front import Front, read_front
from iamhumans.cases.model import Case, Finding
from iamhumans.cases.sections import (
    SECTION_NAMES,
    Body,
    PlacedText,
    PlacedTurn,
    read_bullets,
    read_conversation,
    read_input,
    read_notes,
    split_sections,
)
from iamhumans.errors import InputError, Place
from iamhumans.text import read_text

_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile("[\x01-\x08\x0b-\x1f\x7f-\x9f]")
# Form feed, vertical tab and NEL divide words; the others are nothing at all.
_BLANKS = frozenset("\x0b\x0c\x85")
_SECTION_HEADING = re.compile(rf" {{0,3}}##[ \t]+(?:{'|'.join(SECTION_NAMES)})[ \t]*$")

_MISSING = {
    "rubric": "Write `## rubric` and below it what a good answer does, one `- ` a line.",
    "failure_modes": "Write `## failure_modes` and below it how answers go wrong, one `- ` a line.",
}


@dataclass(frozen=True, slots=True)
class CaseReading:
    """What a file gave: a case, or errors for which there is none, and in either case what its author should know.

    ``lines`` tells where things stand: by key, by (key, item of a list) and by section. ``turns`` and ``bullets`` are
    the texts with their lines.
    """

    path: Path
    case: Case | None = None
    findings: tuple[Finding, ...] = ()
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    turns: tuple[PlacedTurn, ...] = ()
    bullets: tuple[PlacedText, ...] = ()

    def line_of(self, *place: str) -> int:
        """The line of a key, an item or a section; 1 where it is not in the file."""
        return self.lines.get(place, 1)


def load_case(path: str | Path) -> Case:
    """The case of one file. What is merely odd about it is not reported; :func:`read_case_file` tells.

    Raises:
        InputError: The file cannot be read, or is no case; names the line of the first error.
    """
    reading = read_case_file(Path(path))
    if reading.case is not None:
        return reading.case
    errors = [finding for finding in reading.findings if finding.error]
    first = errors[0]
    more = f" ({len(errors) - 1} more in this file.)" if len(errors) > 1 else ""
    raise InputError(first.problem + more, fix=first.fix, place=Place(first.path, first.line))


def read_case_file(path: Path) -> CaseReading:
    """Read a case file; a file that cannot be read is a finding like any other."""
    try:
        text = read_text(path)
    except InputError as error:
        return CaseReading(path, findings=(from_error(error, path, Code.UNREADABLE),))
    return read_case(text, path)


def read_case(text: str, path: Path) -> CaseReading:
    """Read the text of a case file.

    Args:
        text: All of the file. A byte-order mark is dropped, and line ends of all systems are read.
        path: The file, for findings and for the case.
    """
    findings = Findings(path)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    cleaned = _without_control_characters(text, findings)
    if cleaned is None:
        return CaseReading(path, findings=tuple(findings.all))
    texts = cleaned.split("\n")
    bounds = _front_bounds(texts, findings)
    if bounds is None:
        return CaseReading(path, findings=tuple(findings.all))
    opening, closing = bounds
    front = read_front(texts[opening + 1 : closing], opening + 2, findings)
    body = split_sections(texts[closing + 1 :], closing + 2, findings)
    return _reading(front, body, findings)


def _without_control_characters(text: str, findings: Findings) -> str | None:
    forbidden = _FORBIDDEN.search(text)
    if forbidden is not None:
        line = text.count("\n", 0, forbidden.start()) + 1
        wide = forbidden.group() == "\x00"
        problem = "The text has a NUL character." if wide else "The text has half of a surrogate pair."
        fix = "Save the file as UTF-8; it may be UTF-16." if wide else "Delete it, or write the whole character."
        findings.error(line, Code.CONTROL_CHARACTER, problem, fix)
        return None
    control = _CONTROL.search(text)
    if control is None:
        return text
    line = text.count("\n", 0, control.start()) + 1
    problem = f"The control character U+{ord(control.group()):04X} was taken out, and any other in the file."
    findings.warning(line, Code.CONTROL_CHARACTER, problem, "Delete it.")
    return _CONTROL.sub(lambda match: " " if match.group() in _BLANKS else "", text)


def _front_bounds(texts: Sequence[str], findings: Findings) -> tuple[int, int] | None:
    """Indexes of the two lines ``---``. Blank lines before the first are let pass."""
    opening = next((index for index, text in enumerate(texts) if text.strip()), None)
    example = "`---`, `id: GRF-001`, `---`, each on a line of its own"
    if opening is None:
        findings.error(1, Code.EMPTY_FILE, "The file is empty.", f"Begin it with {example}.")
        return None
    if texts[opening].rstrip() != "---":
        problem = "A case begins with its front matter, but this file has none."
        findings.error(opening + 1, Code.MISSING_FRONT_MATTER, problem, f"Begin it with {example}.")
        return None
    for index in range(opening + 1, len(texts)):
        if texts[index].rstrip() in ("---", "..."):
            return opening, index
        if _SECTION_HEADING.match(texts[index]):
            break
    else:
        index = len(texts)
    where = (
        f"line {index + 1}, before `{texts[index].strip()}`" if index < len(texts) else "the line after its last key"
    )
    problem = "The front matter that opens here is never closed."
    findings.error(opening + 1, Code.UNCLOSED_FRONT_MATTER, problem, f"Write `---` in {where}.")
    return None


def _reading(front: Front | None, body: Body, findings: Findings) -> CaseReading:
    turns = _turns(body, findings)
    rubric = _bullets(body, "rubric", findings)
    failure_modes = _bullets(body, "failure_modes", findings)
    notes = body.sections.get("notes")
    case = None
    if front is not None and not findings.failed:
        case = Case(
            id=front.id,
            conversation=tuple(placed.turn for placed in turns),
            title=front.title,
            dimensions=front.dimensions,
            hard_fails=front.hard_fails,
            rubric=tuple(bullet.text for bullet in rubric),
            failure_modes=tuple(bullet.text for bullet in failure_modes),
            notes=read_notes(notes) if notes else "",
            holdout=front.holdout,
            repair=front.repair,
            lang=front.lang,
            path=findings.path,
        )
    lines = dict(front.lines) if front else {}
    lines |= {(name,): section.line for name, section in body.sections.items()}
    in_order = tuple(sorted(findings.all, key=lambda finding: finding.line))
    return CaseReading(findings.path, case, in_order, lines, tuple(turns), (*rubric, *failure_modes))


def _turns(body: Body, findings: Findings) -> list[PlacedTurn]:
    message = body.sections.get("input")
    conversation = body.sections.get("conversation")
    if message and conversation:
        later = max(message, conversation, key=lambda section: section.line)
        problem = "The case has both `## input` and `## conversation`."
        fix = "Keep one: `## conversation` where earlier turns matter, else `## input`."
        findings.error(later.line, Code.TWO_INPUTS, problem, fix)
        return []
    if conversation:
        return read_conversation(conversation, findings)
    if message:
        return read_input(message, findings)
    problem = "The case has neither `## input` nor `## conversation`."
    fix = _fenced_advice(body, "input", "conversation") or "Write `## input` and below it what the user says."
    findings.error(_first_section_line(body), Code.MISSING_SECTION, problem, fix)
    return []


def _bullets(body: Body, name: str, findings: Findings) -> list[PlacedText]:
    section = body.sections.get(name)
    if section is None:
        fix = _fenced_advice(body, name) or _MISSING[name]
        findings.warning(_first_section_line(body), Code.MISSING_SECTION, f"The case has no `## {name}`.", fix)
        return []
    bullets = read_bullets(section, findings)
    if not bullets:
        findings.warning(section.line, Code.EMPTY_SECTION, f"`## {name}` is empty.", "Write bullets below it: `- ...`.")
    return bullets


def _fenced_advice(body: Body, *names: str) -> str:
    """A section that is missing may have been swallowed by a code block that should have ended above it."""
    for name in names:
        if name in body.fenced_names:
            return f"Line {body.fenced_names[name]} has `## {name}` inside a code block: close the block above it."
    return ""


def _first_section_line(body: Body) -> int:
    """Where what is missing would be looked for."""
    return min((section.line for section in body.sections.values()), default=1)
