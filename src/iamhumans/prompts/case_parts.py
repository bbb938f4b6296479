"""The parts of a prompt that show a case, with fences around everything that others wrote.

Every line of a fenced text begins with a mark, so the text can neither close its fence nor forge anything outside.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iamhumans.cases import Case
    from iamhumans.rubrics import Rubric

MARK = "> "

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def fenced(text: str, mark: str = MARK) -> str:
    """The text with ``mark`` before each of its lines."""
    return "\n".join(f"{mark}{line}" for line in encodable(text).splitlines() or [""])


def on_one_line(text: str) -> str:
    """The text without line ends, for a title or a bullet."""
    return " ".join(encodable(text).split())


def encodable(text: str) -> str:
    """The text with each lone surrogate replaced, so that it can be sent as UTF-8."""
    return _LONE_SURROGATES.sub("\ufffd", text)


def persona_part(persona: str | None) -> list[str]:
    """What is true of the speaker, so that saying it is no fabrication; empty without a persona."""
    if not persona:
        return []
    about = (
        "The assistant plays the person described below. The description is true of the speaker: saying it, or what"
        " follows from it, is not a fabrication."
    )
    return ["# The speaker", about, fenced(persona.strip())]


def case_head(case: Case, token: str | None) -> list[str]:
    """ID, check token and title."""
    title = [f"Title:\n{fenced(on_one_line(case.title))}"] if case.title else []
    return ["# The case", f"ID: `{on_one_line(case.id)}`", f"Check token: `{token or 'none'}`", *title]


def conversation_part(case: Case, answered: str) -> list[str]:
    """Each turn in its own fence under its speaker; ``answered`` says what follows the last turn."""
    speakers = {"user": "The user", "assistant": "The assistant"}
    headings = [speakers[turn.speaker] for turn in case.conversation]
    headings[-1] += f" ({answered})"
    turns = zip(headings, case.conversation, strict=True)
    return ["## The conversation", *(f"{heading}:\n{fenced(turn.text)}" for heading, turn in turns)]


def criteria_part(case: Case) -> list[str]:
    """What the author of the case asks for, one bullet per line."""
    parts = []
    for heading, bullets in (
        ("## What a good answer does here", case.rubric),
        ("## How answers fail here", case.failure_modes),
    ):
        parts += [heading, fenced(bullet_list(bullets))] if bullets else []
    return parts


def bullet_list(bullets: tuple[str, ...]) -> str:
    """The bullets, each on one line."""
    return "\n".join(f"- {on_one_line(bullet)}" for bullet in bullets)


def watched(rubric: Rubric, case: Case) -> str:
    """The hard fails that the author of the case names, as far as the rubric has them."""
    return on_one_line(", ".join(name for name in case.hard_fails if name in rubric.hard_fail_ids))
