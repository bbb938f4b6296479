"""Labelling by keyboard: which question comes next, and what a key or a line means. Pure; a terminal only shows it.

One key answers a question; words and notes take a line. On a pipe every answer is a line, and an empty one is Enter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from iamhumans.rubrics import AXIS_MAXIMUM
from iamhumans.runs.labels import Label
from iamhumans.text import one_line
from iamhumans.trust.label_files import MOST_CHARACTERS
from iamhumans.trust.label_session import LEAVE_OUT, Item, Said, Session
from iamhumans.verdicts import confirming_quotes

ENTER, TEN = "", "x"
NONE = "n"  # in the list of hard fails: NO to all that are not marked
_ANSWERS: Mapping[str, Said] = {"y": True, "n": False, "?": None, LEAVE_OUT: LEAVE_OUT}
_DIGITS: Mapping[str, Said] = {str(score): float(score) for score in range(AXIS_MAXIMUM + 1)}
_SCORES: Mapping[str, Said] = {**_DIGITS, TEN: float(AXIS_MAXIMUM), "?": None, LEAVE_OUT: LEAVE_OUT}
_LETTERS = "acdefgijklmoprtvz"  # the letters of hard fails: none is a command, and none looks like another sign


class Command(StrEnum):
    """Keys that mean the same at every question that takes a key."""

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
        """Whether the answer is a line and not a key."""
        return self.kind in ("words", "note")


NOTE = Question("note")


def questions(item: Item, draft: Label) -> list[Question]:
    """The questions about a reply in their order: up to two hard fails one by one, more of them as a list."""
    as_list = 2 < len(item.flags) <= len(_LETTERS)
    flags = [Question("flags")] if as_list else [Question("flag", name) for name in item.flags]
    words = [Question("words", name) for name in item.flags if draft.flags.get(name)]
    return flags + words + [Question("axis", name) for name in item.axes]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A session with its current question."""

    session: Session
    remark: str = ""  # about the last key
    noting: bool = False  # the next line is a note
    helping: bool = False  # the definitions are asked for
    over: bool = False

    @property
    def question(self) -> Question | None:
        """The question; ``None`` when there is none left."""
        item = self.session.current
        if self.over or item is None:
            return None
        return NOTE if self.noting else questions(item, self.session.draft)[self.session.step]

    @property
    def letters(self) -> Mapping[str, str]:
        """The hard fail of each letter."""
        item = self.session.current
        return {} if item is None else dict(zip(_LETTERS, item.flags, strict=False))

    def heard(self, said: str) -> "Dialogue":
        """After a key or a line."""
        question, item = self.question, self.session.current
        if question is None or item is None:
            return self
        plain = replace(self, remark="", helping=False, noting=False)
        if question.takes_line:
            return _line(plain, question, item, said.strip())
        if said in tuple(Command):
            return _command(plain, Command(said))
        if said == ENTER:
            return _next(plain, plain.session)
        return _letters(plain, said) if question.kind == "flags" else _key(plain, question, said)


def _command(dialogue: Dialogue, command: Command) -> Dialogue:
    session = dialogue.session
    nothing, first = "" if session.before else "There is nothing to undo.", "This is the first reply."
    moves: Mapping[Command, tuple[Session, str]] = {
        Command.UNDO: (session.undone(), nothing),
        Command.SKIP: (session.skipped(), ""),
        Command.BACK: (session.back(), "" if session.place else first),
    }
    after, remark = moves.get(command, (session, ""))
    over, helping, noting = (command is one for one in (Command.QUIT, Command.HELP, Command.NOTE))
    return replace(dialogue, session=after, remark=remark, over=over, helping=helping, noting=noting)


def _line(dialogue: Dialogue, question: Question, item: Item, said: str) -> Dialogue:
    session = dialogue.session
    if len(said) > MOST_CHARACTERS:
        return replace(dialogue, noting=question == NOTE, remark=f"This is longer than {MOST_CHARACTERS:,} characters.")
    if question == NOTE:
        return _at(dialogue, session.with_notes(said)) if said else dialogue
    if not said:
        return _next(dialogue, session)
    if not confirming_quotes((said,), item.reply):
        return replace(dialogue, remark="These words are not in the reply. Paste them, or press Enter to continue.")
    added = _at(dialogue, session.with_words(question.name, said))
    return replace(added, remark="Added. Add more, or press Enter to continue.")


def _letters(dialogue: Dialogue, said: str) -> Dialogue:
    for key in said:
        session = dialogue.session
        flags, name = session.draft.flags, dialogue.letters.get(key)
        if key == NONE:
            for unmarked in (one for one in dialogue.letters.values() if one not in flags):
                session = session.answered(unmarked, said=False)
            return _next(dialogue, session)
        if name is None:
            return replace(dialogue, remark=f"`{one_line(key)}` is not a key here. Press h for help.")
        after: Mapping[bool | None, Said] = {False: True, True: None, None: LEAVE_OUT}
        dialogue = _at(dialogue, session.answered(name, after[flags.get(name, False)]))
    return dialogue


def _key(dialogue: Dialogue, question: Question, said: str) -> Dialogue:
    meanings = _ANSWERS if question.kind == "flag" else _SCORES
    if said not in meanings:
        keys = "y for YES, n for NO" if question.kind == "flag" else f"0 to 9, {TEN} for 10"
        return replace(dialogue, remark=f"Press {keys}, ? if you cannot tell, or Enter to leave it out.")
    return _next(dialogue, dialogue.session.answered(question.name, meanings[said]))


def _at(dialogue: Dialogue, session: Session) -> Dialogue:
    """At another state. One undo takes all of the change back, however many answers it holds."""
    return replace(dialogue, session=replace(session, before=dialogue.session))


def _next(dialogue: Dialogue, session: Session) -> Dialogue:
    item = session.current
    last = item is None or session.step + 1 >= len(questions(item, session.draft))
    return _at(dialogue, session.done() if last else session.stepped())
