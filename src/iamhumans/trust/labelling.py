"""One person's session of labelling: which reply is next, what was answered so far, and how it is taken back.

1. It is pure: each answer makes a new session out of the old one. Whoever runs it keeps :func:`changes`.
2. It is blind: it knows conversations and replies, and neither judge, subject nor what was said of them before.
3. Each rater gets the replies in an order of their own, always the same for the same rater.

The terminal and the page in the browser both use it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from iamhumans.cases import Turn
from iamhumans.rubrics import Rubric
from iamhumans.runs.labels import Label
from iamhumans.trust.draw import Drawn
from iamhumans.trust.replies import RunReply

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Item:
    """A reply to be labelled, and what is asked about it."""

    key: str
    conversation: tuple[Turn, ...]
    reply: str
    flags: tuple[str, ...]
    axes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """What a rater said of a reply. ``None`` is "cannot tell"; what was left out is absent."""

    flags: Mapping[str, bool | None] = field(default_factory=dict)
    axes: Mapping[str, float | None] = field(default_factory=dict)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing was said at all."""
        return not (self.flags or self.axes or self.notes)

    @property
    def yes(self) -> tuple[str, ...]:
        """The hard fails that are there."""
        return tuple(name for name, said in self.flags.items() if said)

    def answer(self, item: Item) -> bool:
        """Whether something that is asked about a reply is answered."""
        return any(name in self.flags for name in item.flags) or any(name in self.axes for name in item.axes)

    def ordered(self, item: Item) -> Answers:
        """The same in the order in which it is asked, so that it is kept alike however it came about."""
        return replace(
            self,
            flags=_in_order(self.flags, item.flags),
            axes=_in_order(self.axes, item.axes),
            words=_in_order(self.words, item.flags),
        )


NOTHING_SAID = Answers()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a rater is: at which reply of how many, and how many are labelled."""

    place: int
    total: int
    labelled: int


@dataclass(frozen=True)
class Session:
    """A state of a session. Make the first with :func:`begin`.

    Attributes:
        items: All replies, those that this rater labelled before first.
        kept: The answers that stand, by the key of the reply.
        place: Which item is shown; past the last one when all is done.
        draft: The answers about it so far.
        step: How many questions about it are behind the rater.
        before: The state before the last answer, for :meth:`undone`.
    """

    items: tuple[Item, ...]
    kept: Mapping[str, Answers]
    place: int = 0
    draft: Answers = NOTHING_SAID
    step: int = 0
    before: Session | None = field(default=None, repr=False, compare=False)

    @property
    def current(self) -> Item | None:
        """The reply that is shown; ``None`` when there is no more."""
        return self.items[self.place] if self.place < len(self.items) else None

    @property
    def progress(self) -> Progress:
        """How far the rater is."""
        labelled = sum(item.key in self.kept and self.kept[item.key].answer(item) for item in self.items)
        return Progress(min(self.place + 1, len(self.items)), len(self.items), labelled)

    def with_flag(self, name: str, said: bool | None) -> Session:
        """With an answer on a hard fail. Words behind it go where it is no YES."""
        words = {flag: quoted for flag, quoted in self.draft.words.items() if flag != name or said}
        return self._drafted(replace(self.draft, flags={**self.draft.flags, name: said}, words=words))

    def without_flag(self, name: str) -> Session:
        """With the answer on a hard fail left out."""
        return self._drafted(
            replace(self.draft, flags=_without(self.draft.flags, name), words=_without(self.draft.words, name))
        )

    def with_axis(self, name: str, said: float | None) -> Session:
        """With a score."""
        return self._drafted(replace(self.draft, axes={**self.draft.axes, name: said}))

    def without_axis(self, name: str) -> Session:
        """With a score left out."""
        return self._drafted(replace(self.draft, axes=_without(self.draft.axes, name)))

    def with_words(self, name: str, words: str) -> Session:
        """With more words of the reply behind a YES."""
        known = self.draft.words.get(name, ())
        return self._drafted(replace(self.draft, words={**self.draft.words, name: (*known, words)}))

    def with_notes(self, notes: str) -> Session:
        """With a note in place of an earlier one."""
        return self._drafted(replace(self.draft, notes=notes))

    def stepped(self) -> Session:
        """At the next question."""
        return replace(self, step=self.step + 1, before=self)

    def done(self) -> Session:
        """With the answers about the reply kept, at the next one. Where nothing was said, nothing is kept."""
        item = self._item()
        said = self.draft.ordered(item)
        kept = _without(self.kept, item.key) if said.empty else {**self.kept, item.key: said}
        return replace(self._at(self.place + 1, kept), before=self)

    def skipped(self) -> Session:
        """At the next reply, with this one as it was before. It comes again in the next session."""
        self._item()
        return replace(self._at(self.place + 1, self.kept), before=self)

    def back(self) -> Session:
        """At the reply before, with what was said of it; the same session at the first one."""
        return replace(self._at(self.place - 1, self.kept), before=self) if self.place else self

    def undone(self) -> Session:
        """As it was before the last answer; the same session where there is none to take back."""
        return self.before or self

    def _drafted(self, draft: Answers) -> Session:
        self._item()
        return replace(self, draft=draft, before=self)

    def _at(self, place: int, kept: Mapping[str, Answers]) -> Session:
        draft = kept.get(self.items[place].key, NOTHING_SAID) if place < len(self.items) else NOTHING_SAID
        return replace(self, place=place, kept=kept, draft=draft, step=0)

    def _item(self) -> Item:
        item = self.current
        if item is None:
            raise ValueError("there is no reply left to answer about")
        return item


def _in_order(values: Mapping[str, V], names: Sequence[str]) -> dict[str, V]:
    """First what was asked about, then what is known from before."""
    return {name: values[name] for name in (*names, *values) if name in values}


def _without(values: Mapping[str, V], name: str) -> dict[str, V]:
    return {key: value for key, value in values.items() if key != name}


def begin(
    items: Iterable[Item], kept: Mapping[str, Answers], *, rater: str, seed: str = "", again: bool = False
) -> Session:
    """A session, at the first reply that the rater has not labelled.

    Args:
        items: What is to be labelled, in any order.
        kept: What this rater said before, by the key of the reply.
        rater: Who labels; each rater has an order of their own.
        seed: For another order.
        again: Begin at the first reply of all, with what was said of it before.
    """
    shuffled = sorted(items, key=lambda item: (_shuffling(seed, rater, item.key), item.key))
    labelled: list[Item] = []
    open_still: list[Item] = []
    for item in shuffled:
        done = item.key in kept and kept[item.key].answer(item)
        (labelled if done else open_still).append(item)
    ordered = (*labelled, *open_still)
    mine = {item.key: kept[item.key] for item in ordered if item.key in kept}
    place = 0 if again else len(labelled)
    draft = mine.get(ordered[place].key, NOTHING_SAID) if place < len(ordered) else NOTHING_SAID
    return Session(ordered, mine, place, draft)


def _shuffling(*parts: str) -> bytes:
    """A place in an order that is the same on every machine."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()


def changes(before: Session, after: Session) -> dict[str, Answers | None]:
    """What must be kept so that the journal says what a session says: answers by key, ``None`` for what is gone."""
    if before.kept is after.kept:
        return {}
    found: dict[str, Answers | None] = {
        key: answers for key, answers in after.kept.items() if before.kept.get(key) != answers
    }
    found.update((key, None) for key in before.kept if key not in after.kept)
    return found


def rebased(known: Answers, before: Answers, after: Answers) -> Answers:
    """What is known now with what a session changed in it, which began from what was known then.

    Args:
        known: What the journal says, perhaps by another session of the same rater meanwhile.
        before: What this session said until now.
        after: What it says.
    """
    return Answers(
        flags=_changed(known.flags, before.flags, after.flags),
        axes=_changed(known.axes, before.axes, after.axes),
        words=_changed(known.words, before.words, after.words),
        notes=known.notes if after.notes == before.notes else after.notes,
    )


def _changed(known: Mapping[str, V], before: Mapping[str, V], after: Mapping[str, V]) -> dict[str, V]:
    kept = {name: value for name, value in known.items() if name in after or name not in before}
    return kept | {name: value for name, value in after.items() if name not in before or before[name] != value}


def items_of(
    replies: Iterable[RunReply],
    rubric: Rubric,
    *,
    flags: Sequence[str] | None = None,
    axes: Sequence[str] | None = None,
) -> list[Item]:
    """What is asked about replies; without those about which nothing is.

    Args:
        replies: The replies.
        rubric: What they are judged by.
        flags: The hard fails that are asked about; where neither these nor axes are named, all.
        axes: The axes that are asked about; where neither are named, all that have something to judge in the case.
    """
    named = flags is not None or axes is not None
    asked_flags = tuple(flags or ()) if named else rubric.hard_fail_ids
    asked_axes = tuple(axes or ())
    items = (
        Item(
            reply.key,
            reply.conversation,
            reply.text,
            asked_flags,
            asked_axes if named else axes_at_stake(reply, rubric),
        )
        for reply in replies
    )
    return [item for item in items if item.flags or item.axes]


def axes_at_stake(reply: RunReply, rubric: Rubric) -> tuple[str, ...]:
    """The axes that have something to judge in a case: memory wants an earlier turn, repair something to repair."""
    facts = {"single_turn": reply.single_turn, "repair": reply.repair}
    return tuple(axis.id for axis in rubric.axes if axis.default is None or not axis.default.certain(**facts))


def label_from(
    answers: Answers, reply: RunReply, rater: str, *, drawn: Drawn | None = None, before: Label | None = None
) -> Label:
    """The label that answers come to.

    Args:
        answers: What was said.
        reply: What it was said of.
        rater: Who said it.
        drawn: How the reply was drawn, where it was.
        before: What the rater's label of it was before.
    """
    come_from = drawn or before
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
        part=come_from.part if come_from else None,
        weight=come_from.weight if come_from else None,
    )


def answers_in(label: Label) -> Answers:
    """The answers that a label holds."""
    return Answers(label.flags, label.axes, label.words, label.notes)
