"""What a rule of style is given, and what it can find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from iamhumans.cases.files import CaseReading
from iamhumans.cases.model import Case, Finding
from iamhumans.cases.sections import PlacedText
from iamhumans.cases.style.words import reads_english


class StyleCode(StrEnum):
    """What a finding of style is about. Codes are stable: scripts may select by them."""

    NAMES_VIRTUE = "names-virtue"
    REPEATS_RUBRIC = "repeats-rubric"
    SOUNDS_LIKE_PROMPT = "sounds-like-prompt"
    NEAR_DUPLICATE = "near-duplicate"
    GIVES_AWAY = "gives-away"
    STOCK_FIGURE = "stock-figure"
    TITLE_TELLS = "title-tells"


@dataclass(frozen=True, slots=True)
class Said:
    """What a rule says of one line: the problem, and what to write instead."""

    line: int
    problem: str
    fix: str


@dataclass(frozen=True)
class Draft:
    """A case with the lines of its texts, as a rule of style looks at it."""

    reading: CaseReading
    case: Case

    @property
    def title(self) -> PlacedText:
        """The title."""
        return PlacedText(self.case.title, self.reading.line_of("title"))

    @cached_property
    def user_turns(self) -> Sequence[PlacedText]:
        """What the user says."""
        return [PlacedText(turn.turn.text, turn.line) for turn in self.reading.turns if turn.turn.speaker == "user"]

    @property
    def rubric(self) -> Sequence[PlacedText]:
        """The bullets of the rubric."""
        return self.reading.bullets[: len(self.case.rubric)]

    @property
    def failure_modes(self) -> Sequence[PlacedText]:
        """The bullets of the failure modes."""
        return self.reading.bullets[len(self.case.rubric) :]

    @property
    def conversation_in_english(self) -> bool:
        """Whether the case says that its conversation is in English."""
        return self.case.lang.casefold().partition("-")[0] == "en"

    @cached_property
    def notes_in_english(self) -> bool:
        """Whether title, rubric and failure modes read as English, whatever the conversation is in."""
        text = " ".join([self.case.title, *self.case.rubric, *self.case.failure_modes])
        return reads_english(text, unsure=self.conversation_in_english)


Found: TypeAlias = Iterator[Said]


def as_findings(draft: Draft, code: StyleCode, found: Found) -> list[Finding]:
    """What a rule says, as warnings."""
    return [Finding(draft.reading.path, said.line, code.value, said.problem, said.fix) for said in found]


def quoted(text: str) -> str:
    """A piece of text within a message, cut to what can be read at a glance."""
    flat = " ".join(text.split()).replace("`", "'")
    return f"`{flat[:59]}…`" if len(flat) > 60 else f"`{flat}`"
