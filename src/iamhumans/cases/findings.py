"""What can be found in the files of a suite: a closed list of codes, a finding, and a collector."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iamhumans.errors import InputError

_CODES = (
    "unreadable empty-file control-character outside-suite broken-link no-cases nested-suite manifest unasked-hard-fail "
    "missing-front-matter unclosed-front-matter invalid-yaml repeated-key unknown-key bad-value yaml-markup missing-id "
    "bad-id duplicate-id unquoted-title title-comment list-as-text empty-item repeated-item bad-lang "
    "undeclared-dimension undeclared-hard-fail missing-section empty-section duplicate-section unknown-section "
    "section-name misspelt-section heading-level heading-in-message heading-in-list text-before-sections unclosed-fence "
    "unclosed-comment two-inputs no-bullet unindented-line empty-bullet prose-turns text-outside-turn unknown-turn "
    "empty-turn last-turn live-turn same-speaker missing-title id-file-name reserved-id no-dimensions no-hard-fails "
    "undeclared-language lang-unstated placeholder comment-in-message hidden-character not-sealed unreadable-seal "
    "changed-held-out-case added-held-out-case removed-held-out-case changed-rubric seal-not-in-ledger bad-ledger-line "
    "broken-ledger-chain names-virtue sounds-like-prompt near-duplicate"
)
CODES = frozenset(_CODES.split())
"""What a finding can be about. Codes do not change, so scripts may rely on them."""


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
    def of_error(cls, error: InputError, path: Path, code: str) -> Finding:
        """A raised error as a finding, so that the work can continue with the next file."""
        return cls(error.place.path or path, error.place.line or 1, code, error.problem, error.fix, error=True)


class Findings:
    """Collects the findings of one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.all: list[Finding] = []

    def error(self, line: int, code: str, problem: str, fix: str) -> None:
        """Add a finding for which the file cannot be used."""
        self.all.append(Finding(self.path, line, code, problem, fix, error=True))

    def warning(self, line: int, code: str, problem: str, fix: str) -> None:
        """Add a finding that the author should know."""
        self.all.append(Finding(self.path, line, code, problem, fix))

    @property
    def failed(self) -> bool:
        """Whether one of them is an error."""
        return any(finding.error for finding in self.all)
