"""A case file: its text as a case, with everything that is odd about it. Nothing that a file says raises."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from iamhumans.cases import sections
from iamhumans.cases.case import Case, Turn
from iamhumans.cases.findings import Finding, Findings
from iamhumans.cases.front_matter import read_front_matter
from iamhumans.errors import InputError
from iamhumans.text import read_text

_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile("[\x01-\x08\x0b-\x1f\x7f-\x9f]")
_BLANKS = ("\x0b", "\x0c", "\x85")
_SECTION_HEADING = re.compile(rf" {{0,3}}##[ \t]+(?:{'|'.join(sections.SECTION_NAMES)})[ \t]*$")
_BEGINNING = "Begin it with `---`, `id: GRF-001` and `---`, each on its own line."


@dataclass(frozen=True, slots=True)
class CaseReading:
    """The case of a file, or None and the errors in ``findings``; and the lines of its keys, sections and texts."""

    path: Path
    case: Case | None = None
    findings: tuple[Finding, ...] = ()
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    turns: tuple[sections.Placed[Turn], ...] = ()
    bullets: tuple[sections.Placed[str], ...] = ()

    def line_of(self, *place: str) -> int:
        """The line of a key, an item or a section, or else of the id."""
        return self.lines.get(place) or self.lines.get(("id",), 1)


def read_case_file(path: Path) -> CaseReading:
    """Read a case file. If it cannot be read, that is a finding."""
    try:
        return read_case(read_text(path), path)
    except InputError as error:
        return CaseReading(path, findings=(Finding.of_error(error, path, "unreadable"),))


def read_case(text: str, path: Path) -> CaseReading:
    """Read the text of a case file; ``path`` is for the findings and the case."""
    findings = Findings(path)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    texts = _without_control_characters(text, findings).split("\n")
    bounds = None if findings.failed else _front_matter_bounds(texts, findings)
    if bounds is None:
        return CaseReading(path, findings=tuple(findings.all))
    opening, closing = bounds
    front = read_front_matter(texts[opening + 1 : closing], opening + 2, findings)
    body = sections.split_sections(texts[closing + 1 :], closing + 2, findings)
    first_section = min((section.line for section in body.values()), default=1)
    turns = _turns(body, first_section, findings)
    rubric, failure_modes = (
        _bullets(body.get(name), name, first_section, findings) for name in ("rubric", "failure_modes")
    )
    case = None
    if front is not None and not findings.failed:
        case = Case(
            **front[0],
            conversation=tuple(turn for turn, _ in turns),
            rubric=tuple(text for text, _ in rubric),
            failure_modes=tuple(text for text, _ in failure_modes),
            notes=sections.read_notes(body["notes"]) if "notes" in body else "",
            path=path,
        )
    lines = dict(front[1]) if front else {}
    lines |= {(name,): section.line for name, section in body.items()}
    in_order = tuple(sorted(findings.all, key=lambda finding: finding.line))
    return CaseReading(path, case, in_order, lines, tuple(turns), (*rubric, *failure_modes))


def _without_control_characters(text: str, findings: Findings) -> str:
    forbidden = _FORBIDDEN.search(text)
    if (found := forbidden or _CONTROL.search(text)) is None:
        return text
    line = text.count("\n", 0, found.start()) + 1
    if forbidden is not None:
        what = "a NUL character" if found[0] == "\x00" else "half of a surrogate pair"
        findings.error(line, "control-character", f"The text has {what}.", "Save the file as UTF-8; it may be UTF-16.")
        return text
    problem = f"The control character U+{ord(found[0]):04X} was removed, and any others in the file."
    findings.warning(line, "control-character", problem, "Delete it.")
    return _CONTROL.sub(lambda match: " " if match[0] in _BLANKS else "", text)


def _front_matter_bounds(texts: Sequence[str], findings: Findings) -> tuple[int, int] | None:
    """The indexes of the two lines ``---``. Blank lines before the first are allowed."""
    opening = next((index for index, text in enumerate(texts) if text.strip()), None)
    if opening is None:
        findings.error(1, "empty-file", "The file is empty.", _BEGINNING)
        return None
    if texts[opening].rstrip() != "---":
        findings.error(opening + 1, "missing-front-matter", "The file has no front matter.", _BEGINNING)
        return None
    where = "on the line after its last key"
    for index in range(opening + 1, len(texts)):
        if texts[index].rstrip() in ("---", "..."):
            return opening, index
        if _SECTION_HEADING.match(texts[index]):
            where = f"in line {index + 1}, before `{texts[index].strip()}`"
            break
    problem = "The front matter that opens here is never closed."
    findings.error(opening + 1, "unclosed-front-matter", problem, f"Write `---` {where}.")
    return None


def _turns(body: Mapping[str, sections.Section], first_section: int, findings: Findings) -> list[sections.Placed[Turn]]:
    message, conversation = body.get("input"), body.get("conversation")
    if message and conversation:
        problem = "The case has both `## input` and `## conversation`."
        fix = "Keep `## conversation` if earlier turns matter, otherwise `## input`."
        findings.error(max(message.line, conversation.line), "two-inputs", problem, fix)
        return []
    if conversation:
        return sections.read_conversation(conversation, findings)
    if message:
        return sections.read_input(message, findings)
    problem = "The case has neither `## input` nor `## conversation`."
    findings.error(first_section, "missing-section", problem, "Write `## input` and the user's message below it.")
    return []


def _bullets(
    section: sections.Section | None, name: str, first_section: int, findings: Findings
) -> list[sections.Placed[str]]:
    what = "what a good answer does" if name == "rubric" else "how answers fail"
    fix = f"Write below it {what}, as bullets `- ...`."
    if section is None:
        findings.warning(first_section, "missing-section", f"The case has no `## {name}`.", f"Add it. {fix}")
        return []
    bullets = sections.read_bullets(section, findings)
    if not bullets:
        findings.warning(section.line, "empty-section", f"`## {name}` is empty.", fix)
    return bullets
