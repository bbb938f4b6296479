"""What a case, a suite and a reply are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

Speaker = Literal["user", "assistant"]

# Made once: json.dumps would make one for each case.
_canonical = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode

DIMENSIONS = ("feeling", "memory", "intelligence", "communication", "emotion", "skills")
"""The six dimensions of the built-in suite. A suite may declare others."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation. An assistant's turn without text is one that the subject answers live."""

    speaker: Speaker
    text: str


@dataclass(frozen=True)
class Case:
    """A conversation that ends with a user turn, with what a good answer does and how answers fail.

    ``notes`` are for the author of the case and reach neither judge nor subject; they are no part of ``hash``.
    """

    id: str
    conversation: tuple[Turn, ...]
    title: str = ""
    dimensions: tuple[str, ...] = ()
    hard_fails: tuple[str, ...] = ()
    rubric: tuple[str, ...] = ()
    failure_modes: tuple[str, ...] = ()
    notes: str = ""
    holdout: bool = False
    repair: bool = False
    lang: str = "en"
    path: Path | None = field(default=None, compare=False)

    @cached_property
    def single_turn(self) -> bool:
        """Whether there is no earlier turn that a reply could remember."""
        return len(self.conversation) == 1

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What is said in the conversation, turn by turn."""
        return tuple(turn.text for turn in self.conversation)

    @cached_property
    def last_user_text(self) -> str:
        """What the reply answers."""
        return self.conversation[-1].text if self.conversation else ""

    @cached_property
    def hash(self) -> str:
        """SHA-256 of all that a judge or a subject is shown, and of the facts that change a score."""
        content = [
            self.id,
            self.title,
            [[turn.speaker, turn.text] for turn in self.conversation],
            self.dimensions,
            self.hard_fails,
            self.rubric,
            self.failure_modes,
            self.repair,
            self.lang,
        ]
        return hashlib.sha256(_canonical(content).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """The message of a subject that is judged; ``number`` counts the replies drawn for one case from 1."""

    case_id: str
    text: str
    subject: str = ""
    number: int = 1


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a file that its author should know. An error means that the file cannot be used."""

    path: Path
    line: int
    code: str
    problem: str
    fix: str = ""
    error: bool = False

    def __str__(self) -> str:
        """``path:line: error: problem fix``, as compilers print it."""
        kind = "error" if self.error else "warning"
        return f"{self.path}:{self.line}: {kind}: {self.problem}{' ' + self.fix if self.fix else ''} [{self.code}]"


@dataclass(frozen=True)
class Suite:
    """A folder of cases with what its manifest declares. ``findings`` holds what was wrong with the others."""

    name: str
    path: Path
    cases: tuple[Case, ...]
    version: str = ""
    rubric: str = "iamhumans"
    dimensions: tuple[str, ...] = DIMENSIONS
    hard_fails: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    license: str = ""
    findings: tuple[Finding, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, Case]:
        """Cases by their id."""
        return {case.id: case for case in self.cases}

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings for which a file was left out."""
        return tuple(finding for finding in self.findings if finding.error)

    def without_holdout(self) -> Suite:
        """The suite as everyday runs see it: without the cases that are held out."""
        return replace(self, cases=tuple(case for case in self.cases if not case.holdout))
