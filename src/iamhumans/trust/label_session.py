"""One person's labelling session: which reply is next, what was answered, and how to undo it.

:class:`Session` is a pure state: each answer gives a new one. It is blind: it has conversations and replies, and no
judge, subject or verdict. :class:`LabelSession` stores its answers; a terminal and a web page can share both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from iamhumans.cases import Turn
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.labels import Label
from iamhumans.trust.drawing import Drawn, chance_order
from iamhumans.trust.label_files import NOT_ASKED, Nothing
from iamhumans.trust.store import RunReply, change_label

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Item:
    """A reply to label, and the hard fails and axes to ask about."""

    key: str
    conversation: tuple[Turn, ...]
    reply: str
    flags: tuple[str, ...]
    axes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """What a rater said about a reply. ``None`` is "cannot tell"; an answer that was left out is absent."""

    flags: Mapping[str, bool | None] = field(default_factory=dict)
    axes: Mapping[str, float | None] = field(default_factory=dict)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: str = ""

    @classmethod
    def of(cls, label: Label | None) -> Answers:
        """The answers of a label; none without a label."""
        return NO_ANSWERS if label is None else cls(label.flags, label.axes, label.words, label.notes)

    @property
    def empty(self) -> bool:
        """Whether there is no answer and no note."""
        return not (self.flags or self.axes or self.notes)

    def answer(self, item: Item) -> bool:
        """Whether anything that is asked about a reply is answered."""
        return any(name in self.flags for name in item.flags) or any(name in self.axes for name in item.axes)


NO_ANSWERS = Answers()


@dataclass(frozen=True, slots=True)
class Progress:
    """At which reply of how many a rater is, from 1, and how many they labelled."""

    place: int
    total: int
    labelled: int


@dataclass(frozen=True)
class Session:
    """A state of a session. :func:`begin` makes the first one.

    Attributes:
        items: All replies; those that the rater labelled earlier come first.
        answers: What the rater said, by the key of the reply.
        place: The index of the reply that is shown; past the end when all are done.
        draft: The answers about that reply so far.
        step: How many questions about it were answered.
        before: The state before the last answer.
    """

    items: tuple[Item, ...]
    answers: Mapping[str, Answers]
    place: int = 0
    draft: Answers = NO_ANSWERS
    step: int = 0
    before: Session | None = field(default=None, repr=False, compare=False)

    @property
    def current(self) -> Item | None:
        """The reply that is shown; ``None`` after the last one."""
        return self.items[self.place] if self.place < len(self.items) else None

    @property
    def progress(self) -> Progress:
        """How far the rater is."""
        labelled = sum(self.answers.get(item.key, NO_ANSWERS).answer(item) for item in self.items)
        return Progress(min(self.place + 1, len(self.items)), len(self.items), labelled)

    def answered(self, name: str, said: bool | float | Nothing | None) -> Session:
        """With an answer on a hard fail or an axis; ``NOT_ASKED`` removes it. Words are dropped unless it is a YES."""
        if name in self._item().axes:
            return self._drafted(replace(self.draft, axes=_with(self.draft.axes, name, said)))
        words = self.draft.words if said is True else _with(self.draft.words, name, NOT_ASKED)
        return self._drafted(replace(self.draft, flags=_with(self.draft.flags, name, said), words=words))

    def with_words(self, name: str, words: str) -> Session:
        """With more words of the reply behind a YES."""
        several = (*self.draft.words.get(name, ()), words)
        return self._drafted(replace(self.draft, words=_with(self.draft.words, name, several)))

    def with_notes(self, notes: str) -> Session:
        """With this note."""
        return self._drafted(replace(self.draft, notes=notes))

    def stepped(self) -> Session:
        """At the next question."""
        return replace(self, step=self.step + 1, before=self)

    def done(self) -> Session:
        """At the next reply, with the answers about this one. Without any answer, it counts as not labelled."""
        said = NOT_ASKED if self.draft.empty else self.draft
        return self.at(self.place + 1, _with(self.answers, self._item().key, said))

    def skipped(self) -> Session:
        """At the next reply. This one stays as it was, and comes again in the next session."""
        self._item()
        return self.at(self.place + 1, self.answers)

    def back(self) -> Session:
        """At the reply before; the same state at the first one."""
        return self.at(self.place - 1, self.answers) if self.place else self

    def undone(self) -> Session:
        """The state before the last answer; the same state where there is none."""
        return self.before or self

    def _drafted(self, draft: Answers) -> Session:
        self._item()
        return replace(self, draft=draft, before=self)

    def at(self, place: int, answers: Mapping[str, Answers]) -> Session:
        """At the reply with this index, with these answers."""
        draft = answers.get(self.items[place].key, NO_ANSWERS) if place < len(self.items) else NO_ANSWERS
        return replace(self, place=place, answers=answers, draft=draft, step=0, before=self)

    def _item(self) -> Item:
        if self.current is None:
            raise ValueError("there is no reply left to answer about")
        return self.current


def _with(values: Mapping[str, V], name: str, value: object) -> dict[str, V]:
    others = {key: one for key, one in values.items() if key != name}
    return others if value is NOT_ASKED else {**others, name: value}  # type: ignore[dict-item]  # a V, or NOT_ASKED


def begin(items: Iterable[Item], known: Mapping[str, Label], *, rater: str, again: bool = False) -> Session:
    """A session, at the first reply that the rater has not labelled; with ``again`` at the first one of all.

    Args:
        items: What to label. Each rater gets it in another order, the same one every time.
        known: The rater's labels, by the key of the reply.
        rater: Who labels.
        again: Begin with what is labelled already.
    """
    shuffled = sorted(items, key=lambda item: (chance_order("", rater, item.key), item.key))
    said = {item.key: Answers.of(known[item.key]) for item in shuffled if item.key in known}
    done = {item.key for item in shuffled if said.get(item.key, NO_ANSWERS).answer(item)}
    ordered = tuple(sorted(shuffled, key=lambda item: item.key not in done))
    return replace(Session(ordered, said).at(0 if again else len(done), said), before=None)


def changes(before: Session, after: Session) -> dict[str, Answers]:
    """The answers that differ between two states of a session, by the key of the reply."""
    keys = dict.fromkeys((*after.answers, *before.answers)) if before.answers is not after.answers else {}
    found = {key: after.answers.get(key, NO_ANSWERS) for key in keys}
    return {key: answers for key, answers in found.items() if before.answers.get(key, NO_ANSWERS) != answers}


def rebased(known: Answers, before: Answers, after: Answers) -> Answers:
    """What is stored now, with the changes from ``before`` to ``after``. The rater may have labelled elsewhere too."""
    return Answers(
        flags=_changed(known.flags, before.flags, after.flags),
        axes=_changed(known.axes, before.axes, after.axes),
        words=_changed(known.words, before.words, after.words),
        notes=known.notes if after.notes == before.notes else after.notes,
    )


def _changed(known: Mapping[str, V], before: Mapping[str, V], after: Mapping[str, V]) -> dict[str, V]:
    remaining = {name: value for name, value in known.items() if name in after or name not in before}
    return remaining | {name: value for name, value in after.items() if name not in before or before[name] != value}


def items_of(
    replies: Iterable[RunReply],
    rubric: Rubric,
    *,
    flags: Sequence[str] | None = None,
    axes: Sequence[str] | None = None,
) -> list[Item]:
    """What to ask about each reply: these hard fails and axes; where neither are named, all with something to judge.

    Replies about which there is no question are left out.
    """
    named = flags is not None or axes is not None
    asked = tuple(flags or ()) if named else rubric.hard_fail_ids
    items = [
        Item(one.key, one.conversation, one.text, asked, tuple(axes or ()) if named else axes_at_stake(one, rubric))
        for one in replies
    ]
    return [item for item in items if item.flags or item.axes]


def axes_at_stake(reply: RunReply, rubric: Rubric) -> tuple[str, ...]:
    """The axes that have something to judge: memory needs an earlier turn, repair something to put right."""
    facts = {"single_turn": reply.single_turn, "repair": reply.repair}
    return tuple(axis.id for axis in rubric.axes if axis.default is None or not axis.default.certain(**facts))


@dataclass(frozen=True)
class LabelSession:
    """A rater's session on a run: the replies by key, how they were drawn, if they were, and where the rater is."""

    journal: Journal
    replies: Mapping[str, RunReply]
    rater: str
    drawn: Mapping[str, Drawn]
    state: Session

    def moved(self, state: Session) -> LabelSession:
        """The session at another state, after all changed answers are stored.

        Raises:
            CannotRunError: A reply is no longer in the journal.
        """
        for key, after in changes(self.state, state).items():

            def change(known: Label | None, key: str = key, after: Answers = after) -> Label | None:
                answers = rebased(Answers.of(known), self.state.answers.get(key, NO_ANSWERS), after)
                reply, drawn = self.replies[key], self.drawn.get(key)
                return None if answers.empty else label_of(answers, reply, self.rater, drawn=drawn, before=known)

            change_label(self.journal, key, self.rater, change)
        return replace(self, state=state)


def label_of(
    answers: Answers, reply: RunReply, rater: str, *, drawn: Drawn | None = None, before: Label | None = None
) -> Label:
    """The label that answers give. Without a draw, its part and weight are those of the rater's label before."""
    source = drawn or before
    return Label(
        reply_key=reply.key,
        case_id=before.case_id if before else reply.case_id,
        subject=reply.subject,
        number=reply.number,
        rater=rater,
        flags=answers.flags,
        axes=answers.axes,
        words=answers.words,
        notes=answers.notes,
        part=source.part if source else None,
        weight=source.weight if source else None,
    )
