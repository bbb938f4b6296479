"""The closed list of what can be found in case files, and a collector for it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from iamhumans.cases.model import Finding
from iamhumans.errors import InputError


class Code(StrEnum):
    """What a finding is about. Codes are stable: scripts may select by them."""

    # A file that cannot be used.
    UNREADABLE = "unreadable"
    """The file is missing, too large, not UTF-8, or not a regular file."""
    EMPTY_FILE = "empty-file"
    CONTROL_CHARACTER = "control-character"
    """NUL or half a surrogate pair: an error. Any other control character is taken out: a warning."""
    OUTSIDE_SUITE = "outside-suite"
    """A link leads out of the suite's folder and is not followed."""
    BROKEN_LINK = "broken-link"
    NO_CASES = "no-cases"
    NESTED_SUITE = "nested-suite"
    """A folder has a suite.yaml of its own and is left out."""
    MANIFEST = "manifest"
    """suite.yaml cannot be used."""
    UNASKED_HARD_FAIL = "unasked-hard-fail"
    """suite.yaml declares a hard fail that its rubric does not ask for."""

    # Front matter.
    MISSING_FRONT_MATTER = "missing-front-matter"
    UNCLOSED_FRONT_MATTER = "unclosed-front-matter"
    INVALID_YAML = "invalid-yaml"
    REPEATED_KEY = "repeated-key"
    UNKNOWN_KEY = "unknown-key"
    BAD_VALUE = "bad-value"
    """A value of the wrong kind, such as a list where a word belongs."""
    YAML_MARKUP = "yaml-markup"
    """An anchor or a tag, which means nothing here."""
    MISSING_ID = "missing-id"
    BAD_ID = "bad-id"
    DUPLICATE_ID = "duplicate-id"
    UNQUOTED_TITLE = "unquoted-title"
    TITLE_COMMENT = "title-comment"
    """A `` #`` in the title, from which on YAML reads a comment."""
    LIST_AS_TEXT = "list-as-text"
    EMPTY_ITEM = "empty-item"
    REPEATED_ITEM = "repeated-item"
    BAD_LANG = "bad-lang"
    UNDECLARED_DIMENSION = "undeclared-dimension"
    UNDECLARED_HARD_FAIL = "undeclared-hard-fail"

    # Sections.
    MISSING_SECTION = "missing-section"
    EMPTY_SECTION = "empty-section"
    DUPLICATE_SECTION = "duplicate-section"
    UNKNOWN_SECTION = "unknown-section"
    SECTION_NAME = "section-name"
    """A section's name in another spelling, such as ``## Failure modes``."""
    HEADING_LEVEL = "heading-level"
    """A section's name in a heading of another level, such as ``### rubric``."""
    HEADING_IN_MESSAGE = "heading-in-message"
    HEADING_IN_LIST = "heading-in-list"
    TEXT_BEFORE_SECTIONS = "text-before-sections"
    UNCLOSED_FENCE = "unclosed-fence"
    UNCLOSED_COMMENT = "unclosed-comment"
    TWO_INPUTS = "two-inputs"
    NO_BULLET = "no-bullet"
    UNINDENTED_LINE = "unindented-line"
    EMPTY_BULLET = "empty-bullet"

    # Turns.
    PROSE_TURNS = "prose-turns"
    TEXT_OUTSIDE_TURN = "text-outside-turn"
    UNKNOWN_TURN = "unknown-turn"
    EMPTY_TURN = "empty-turn"
    LAST_TURN = "last-turn"
    LIVE_TURN = "live-turn"
    """A turn to be answered live where there is nothing to answer."""
    SAME_SPEAKER = "same-speaker"

    # What only lint looks for.
    MISSING_TITLE = "missing-title"
    ID_FILE_NAME = "id-file-name"
    RESERVED_ID = "reserved-id"
    SIMILAR_ID = "similar-id"
    NO_DIMENSIONS = "no-dimensions"
    NO_HARD_FAILS = "no-hard-fails"
    UNDECLARED_LANGUAGE = "undeclared-language"
    LANG_UNSTATED = "lang-unstated"
    PLACEHOLDER = "placeholder"
    COMMENT_IN_MESSAGE = "comment-in-message"
    HIDDEN_CHARACTER = "hidden-character"


class Findings:
    """Collects what is found in one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.all: list[Finding] = []

    def error(self, line: int, code: Code, problem: str, fix: str = "") -> None:
        """Note something for which the file cannot be used."""
        self.all.append(Finding(self.path, line, code.value, problem, fix, error=True))

    def warning(self, line: int, code: Code, problem: str, fix: str = "") -> None:
        """Note something that the author should know."""
        self.all.append(Finding(self.path, line, code.value, problem, fix))

    @property
    def failed(self) -> bool:
        """Whether there is an error among them."""
        return any(finding.error for finding in self.all)


def from_error(error: InputError, path: Path, code: Code) -> Finding:
    """An error that was raised, as a finding, so that work goes on with the next file."""
    return Finding(error.place.path or path, error.place.line or 1, code.value, error.problem, error.fix, error=True)
