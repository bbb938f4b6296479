"""What can be found in the files of a suite: a finding, and a collector of findings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from iamhumans.errors import InputError


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the author of a file should know. With an error the file cannot be used. Codes do not change."""

    path: Path
    line: int
    code: str
    problem: str
    fix: str = ""
    error: bool = False

    def __str__(self) -> str:
        kind = "error" if self.error else "warning"
        return f"{self.path}:{self.line}: {kind}: {self.problem}{' ' + self.fix if self.fix else ''} [{self.code}]"

    def to_dict(self) -> dict[str, Any]:
        """The finding, ready for JSON."""
        return {**asdict(self), "path": str(self.path)}

    @classmethod
    def of_error(cls, error: InputError, path: Path, code: str) -> Finding:
        """A raised error as a finding, so that the work can continue with the next file."""
        return cls(error.where.path or path, error.where.line or 1, code, error.what, error.fix, error=True)


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
