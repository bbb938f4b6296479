"""A case, the turns of its conversation, and a reply to it."""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from iamhumans.cases.checks import Checks

Speaker = Literal["user", "assistant"]
_canonical = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
DIMENSIONS = ("feeling", "memory", "intelligence", "communication", "emotion", "skills")
"""The dimensions of the bundled suite. A suite may declare others."""
PLACEHOLDER = "TODO:"  # how a text of a new case file begins until its author has written it


def is_placeholder(text: str) -> bool:
    """Whether a text of a case is not written yet."""
    return text.startswith(PLACEHOLDER) or text.strip() == PLACEHOLDER.rstrip(":")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation. An assistant turn without text is answered live by the subject."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, repr=False)
class Case:
    """A conversation that ends with a user turn, what a good answer does, and how answers fail.

    ``notes`` are for the author: no judge and no subject sees them, and they are not part of ``hash``.
    ``holdout`` never changes: a held-out case is held out wherever it is used. ``checks`` need no judge and are not
    part of ``hash`` either.
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
    checks: Checks = field(default_factory=Checks)
    path: Path | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        words = "held out" if self.holdout else " / ".join(self.texts)
        return f"<Case {self.id}: {words if len(words) <= 80 else words[:79] + '…'}>"

    @cached_property
    def single_turn(self) -> bool:
        """Whether there is no earlier turn that a reply could remember."""
        return len(self.conversation) == 1

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts of the conversation, turn by turn."""
        return tuple(turn.text for turn in self.conversation)

    @property
    def unfinished(self) -> bool:
        """Whether a placeholder of ``iamhumans cases new`` is still in it."""
        texts = (self.title, *self.texts, *self.rubric, *self.failure_modes)
        return any(map(is_placeholder, texts))

    @cached_property
    def hash(self) -> str:
        """SHA-256 of everything that a judge or a subject is shown, and of the facts that change a score."""
        turns = [[turn.speaker, turn.text] for turn in self.conversation]
        lists = (self.dimensions, self.hard_fails, self.rubric, self.failure_modes)
        content = [self.id, self.title, turns, *lists, self.repair, self.lang]
        return hashlib.sha256(_canonical(content).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The whole case with its hash, ready for JSON."""
        names = ("dimensions", "failure_modes", "hard_fails", "hash", "holdout", "id", "lang", "notes", "repair")
        turns = [{"speaker": turn.speaker, "text": turn.text} for turn in self.conversation]
        own = {name: getattr(self, name) for name in (*names, "rubric", "title")}
        return {"conversation": turns, **own, **({"checks": self.checks.to_dict()} if self.checks else {})}


@dataclass(frozen=True, slots=True)
class Reply:
    """The message of a subject that is judged; ``number`` counts the replies to one case from 1.

    ``reasoning`` was taken off the text and ``beside`` names what else the message held. Both are never judged.
    """

    case_id: str
    text: str
    subject: str = ""
    number: int = 1
    reasoning: str = field(default="", compare=False)
    beside: str = field(default="", compare=False)
