"""What can be found in the files of a suite: a closed list of codes, a finding, and a collector."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from iamhumans.errors import InputError


class Code(StrEnum):
    """What a finding is about. Codes do not change, so scripts may rely on them."""

    # A file that cannot be used.
    UNREADABLE = "unreadable"
    EMPTY_FILE = "empty-file"
    CONTROL_CHARACTER = "control-character"
    OUTSIDE_SUITE = "outside-suite"
    BROKEN_LINK = "broken-link"
    NO_CASES = "no-cases"
    NESTED_SUITE = "nested-suite"
    MANIFEST = "manifest"
    UNASKED_HARD_FAIL = "unasked-hard-fail"
    # Front matter.
    MISSING_FRONT_MATTER = "missing-front-matter"
    UNCLOSED_FRONT_MATTER = "unclosed-front-matter"
    INVALID_YAML = "invalid-yaml"
    REPEATED_KEY = "repeated-key"
    UNKNOWN_KEY = "unknown-key"
    BAD_VALUE = "bad-value"
    YAML_MARKUP = "yaml-markup"
    MISSING_ID = "missing-id"
    BAD_ID = "bad-id"
    DUPLICATE_ID = "duplicate-id"
    UNQUOTED_TITLE = "unquoted-title"
    TITLE_COMMENT = "title-comment"
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
    MISSPELT_SECTION = "misspelt-section"
    HEADING_LEVEL = "heading-level"
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
    SAME_SPEAKER = "same-speaker"
    # What only lint looks for.
    MISSING_TITLE = "missing-title"
    ID_FILE_NAME = "id-file-name"
    RESERVED_ID = "reserved-id"
    NO_DIMENSIONS = "no-dimensions"
    NO_HARD_FAILS = "no-hard-fails"
    UNDECLARED_LANGUAGE = "undeclared-language"
    LANG_UNSTATED = "lang-unstated"
    PLACEHOLDER = "placeholder"
    COMMENT_IN_MESSAGE = "comment-in-message"
    HIDDEN_CHARACTER = "hidden-character"
    # The seal and the ledger of held-out cases.
    NOT_SEALED = "not-sealed"
    UNREADABLE_SEAL = "unreadable-seal"
    CHANGED_HELD_OUT_CASE = "changed-held-out-case"
    ADDED_HELD_OUT_CASE = "added-held-out-case"
    REMOVED_HELD_OUT_CASE = "removed-held-out-case"
    CHANGED_RUBRIC = "changed-rubric"
    SEAL_NOT_IN_LEDGER = "seal-not-in-ledger"
    BAD_LEDGER_LINE = "bad-ledger-line"
    BROKEN_LEDGER_CHAIN = "broken-ledger-chain"
    # Style.
    NAMES_VIRTUE = "names-virtue"
    SOUNDS_LIKE_PROMPT = "sounds-like-prompt"
    NEAR_DUPLICATE = "near-duplicate"
    GIVES_AWAY = "gives-away"
    TITLE_TELLS = "title-tells"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the author of a file should know. With an error the file cannot be used."""

    path: Path
    line: int
    code: str
    problem: str
    fix: str = ""
    error: bool = False

    def __str__(self) -> str:
        """``path:line: error: problem fix [code]``, as compilers print it."""
        kind = "error" if self.error else "warning"
        return f"{self.path}:{self.line}: {kind}: {self.problem}{' ' + self.fix if self.fix else ''} [{self.code}]"

    def to_dict(self) -> dict[str, Any]:
        """The finding, ready for JSON."""
        names = ("code", "error", "fix", "line", "problem")
        return {**{name: getattr(self, name) for name in names}, "path": str(self.path)}

    @classmethod
    def of_error(cls, error: InputError, path: Path, code: Code) -> Finding:
        """A raised error as a finding, so that the work can continue with the next file."""
        return cls(error.place.path or path, error.place.line or 1, code, error.problem, error.fix, error=True)


class Findings:
    """Collects the findings of one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.all: list[Finding] = []

    def error(self, line: int, code: Code, problem: str, fix: str) -> None:
        """Add a finding for which the file cannot be used."""
        self.all.append(Finding(self.path, line, code, problem, fix, error=True))

    def warning(self, line: int, code: Code, problem: str, fix: str) -> None:
        """Add a finding that the author should know."""
        self.all.append(Finding(self.path, line, code, problem, fix))

    @property
    def failed(self) -> bool:
        """Whether one of them is an error."""
        return any(finding.error for finding in self.all)
