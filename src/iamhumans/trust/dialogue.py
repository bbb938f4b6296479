"""Labelling by keyboard: what is asked next, and what a key or a line means there. Pure; the terminal only shows it.

A question is answered by one key, words and notes by a line. On a pipe every answer is a line; an empty one is Enter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from iamhumans.rubrics import AXIS_MAXIMUM
from iamhumans.text import one_line
from iamhumans.trust.label_values import MOST_CHARACTERS
from iamhumans.trust.labelling import Answers, Item, Session
from iamhumans.verdicts import confirming_quotes

ENTER = ""
NONE = "n"
"""At the list of hard fails: all that are not marked are a NO."""
LEAVE_OUT = "-"
TEN = "x"
_SCORES = {**{str(score): float(score) for score in range(AXIS_MAXIMUM + 1)}, TEN: float(AXIS_MAXIMUM)}
_LETTERS = "acdefgijklmoprtvz"
"""What hard fails are picked by: no letter that is a command, and none that is taken for another sign."""
_MOST_LISTED = len(_LETTERS)
_SAID: Mapping[str, bool | None] = {"y": True, "n": False, "?": None}


class Command(StrEnum):
    """Keys that mean the same at every question that is answered by a key."""

    UNDO = "u"
    SKIP = "s"
    BACK = "b"
    QUIT = "q"
    HELP = "h"
    NOTE = "w"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: all hard fails at once, one of them, the words behind a YES, an axis, or a note."""

    kind: Literal["flags", "flag", "words", "axis", "note"]
    name: str = ""

    @property
    def takes_line(self) -> bool:
        """Whether a line answers it and not a key."""
        return self.kind in ("words", "note")


NOTE = Question("note")


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A session, and where its rater is.

    Attributes:
        session: What was answered so far.
        remark: What to tell about the last key: why it means nothing here, or what it did.
        noting: Whether the next line is a note.
        helping: Whether the rater asked for the definitions.
        over: Whether the rater left.
    """

    session: Session
    remark: str = ""
    noting: bool = False
    helping: bool = False
    over: bool = False

    @property
    def question(self) -> Question | None:
        """What is asked now; ``None`` when there is nothing left to ask."""
        item = self.session.current
        if self.over or item is None:
            return None
        return NOTE if self.noting else list(questions(item, self.session.draft))[self.session.step]

    @property
    def letters(self) -> Mapping[str, str]:
        """The hard fail that each letter picks."""
        item = self.session.current
        return {} if item is None else dict(zip(_LETTERS, item.flags, strict=False))

    def heard(self, said: str) -> Dialogue:
        """After a key or a line."""
        question = self.question
        if question is None:
            return self
        plain = replace(self, remark="", helping=False, noting=False)
        if question.takes_line:
            return _line(plain, question, said.strip())
        if said in tuple(Command):
            return _command(plain, Command(said))
        match question.kind:
            case "flags":
                return _letters(plain, said)
            case "flag":
                return _flag(plain, question.name, said)
            case _:
                return _axis(plain, question.name, said)

    def ended(self) -> Dialogue:
        """After the rater went without a word: what was kept is kept."""
        return replace(self, over=True)


def _command(dialogue: Dialogue, command: Command) -> Dialogue:
    session = dialogue.session
    match command:
        case Command.UNDO:
            remark = "" if session.before else "There is nothing to take back."
            return replace(dialogue, session=session.undone(), remark=remark)
        case Command.SKIP:
            return replace(dialogue, session=session.skipped())
        case Command.BACK:
            return replace(dialogue, session=session.back(), remark="" if session.place else "This is the first.")
        case Command.QUIT:
            return dialogue.ended()
        case Command.HELP:
            return replace(dialogue, helping=True)
        case Command.NOTE:
            return replace(dialogue, noting=True)


def _line(dialogue: Dialogue, question: Question, said: str) -> Dialogue:
    """A line at a question that takes one."""
    session = dialogue.session
    item = session.current
    if item is None:
        return dialogue
    if len(said) > MOST_CHARACTERS:
        remark = f"This is longer than {MOST_CHARACTERS:,} characters."
        return replace(dialogue, noting=question == NOTE, remark=remark)
    if question == NOTE:
        return _at(dialogue, session.with_notes(said)) if said else dialogue
    if not said:
        return _next(dialogue, session)
    if not confirming_quotes((said,), item.reply):
        return replace(dialogue, remark="These words do not stand in the reply. Paste them, or press Enter to go on.")
    noted = _at(dialogue, session.with_words(question.name, said))
    return replace(noted, remark="Noted. More, or Enter to go on.")


def _letters(dialogue: Dialogue, said: str) -> Dialogue:
    """Keys at the list of hard fails; a line may bring several."""
    if said == ENTER:
        return _next(dialogue, dialogue.session)
    for key in said:
        dialogue = _letter(dialogue, key)
        if dialogue.remark or key == NONE:
            break
    return dialogue


def _letter(dialogue: Dialogue, key: str) -> Dialogue:
    session = dialogue.session
    flags = session.draft.flags
    if key == NONE:
        for unmarked in dialogue.letters.values():
            session = session if unmarked in flags else session.with_flag(unmarked, said=False)
        return _next(dialogue, session)
    name = dialogue.letters.get(key)
    if name is None:
        return replace(dialogue, remark=f"`{one_line(key)}` is no key here; h shows what is.")
    if flags.get(name, False) is False:
        return _at(dialogue, session.with_flag(name, said=True))
    return _at(dialogue, session.with_flag(name, said=None) if flags[name] else session.without_flag(name))


def _flag(dialogue: Dialogue, name: str, said: str) -> Dialogue:
    session = dialogue.session
    if said == ENTER:
        return _next(dialogue, session)
    if said == LEAVE_OUT:
        return _next(dialogue, session.without_flag(name))
    if said not in _SAID:
        return replace(dialogue, remark="y for YES, n for NO, ? if you cannot tell, Enter to leave it out.")
    return _next(dialogue, session.with_flag(name, said=_SAID[said]))


def _axis(dialogue: Dialogue, name: str, said: str) -> Dialogue:
    session = dialogue.session
    if said == ENTER:
        return _next(dialogue, session)
    if said == LEAVE_OUT:
        return _next(dialogue, session.without_axis(name))
    if said == "?":
        return _next(dialogue, session.with_axis(name, None))
    score = _SCORES.get(said)
    if score is None:
        return replace(dialogue, remark=f"0 to 9, {TEN} for 10, ? if you cannot tell, Enter to leave it out.")
    return _next(dialogue, session.with_axis(name, score))


def _at(dialogue: Dialogue, session: Session) -> Dialogue:
    """At another state, which one undo takes back however many answers it holds."""
    return replace(dialogue, session=replace(session, before=dialogue.session))


def _next(dialogue: Dialogue, session: Session) -> Dialogue:
    """At the next question; after the last one the answers are kept and the next reply is shown."""
    item = session.current
    if item is None:
        return dialogue
    asked = list(questions(item, session.draft))
    return _at(dialogue, session.stepped() if session.step + 1 < len(asked) else session.done())


def questions(item: Item, draft: Answers) -> Iterator[Question]:
    """The questions about a reply, in their order: few hard fails one by one, more of them as a list."""
    if 2 < len(item.flags) <= _MOST_LISTED:
        yield Question("flags")
    else:
        yield from (Question("flag", name) for name in item.flags)
    yield from (Question("words", name) for name in item.flags if draft.flags.get(name))
    yield from (Question("axis", name) for name in item.axes)
