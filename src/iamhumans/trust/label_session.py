"""One person's labelling session: which reply is next, what was answered, and how to undo it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from iamhumans.cases import Turn
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.labels import store_labels
from iamhumans.runs.journal.queries import JudgedReply
from iamhumans.runs.labels import Label
from iamhumans.trust.drawing import Drawn, chance_order

LEAVE_OUT: Final = "-"
"""In place of an answer: none, also where there was one. ``None`` is the answer "cannot tell"."""
Said: TypeAlias = bool | float | Literal["-"] | None
NO_LABEL: Final = Label(None, "", None, 1, "")


@dataclass(frozen=True, slots=True)
class Item:
    """A reply to label, and the hard fails and axes to ask about."""

    key: str
    conversation: tuple[Turn, ...]
    reply: str
    flags: tuple[str, ...]
    axes: tuple[str, ...]

    def is_answered(self, label: Label) -> bool:
        """Whether a label answers anything that is asked."""
        return any(name in label.flags for name in self.flags) or any(name in label.axes for name in self.axes)


@dataclass(frozen=True, slots=True)
class Progress:
    """At which reply of how many a rater is, from 1, and how many they labelled."""

    place: int
    total: int
    labelled: int


@dataclass(frozen=True)
class Session:
    """A state of a session. :func:`begin` makes the first one."""

    items: tuple[Item, ...]  # first those that the rater labelled earlier
    labels: Mapping[str, Label]  # by reply; new ones hold only the answers
    place: int = 0  # of the reply that is shown
    draft: Label = NO_LABEL  # the answers about it so far
    step: int = 0  # how many of its questions are past
    before: "Session | None" = field(default=None, repr=False, compare=False)

    @property
    def current(self) -> Item | None:
        """The reply that is shown; ``None`` after the last one."""
        return self.items[self.place] if self.place < len(self.items) else None

    @property
    def progress(self) -> Progress:
        """How far the rater is."""
        labelled = sum(item.is_answered(self.labels.get(item.key, NO_LABEL)) for item in self.items)
        return Progress(min(self.place + 1, len(self.items)), len(self.items), labelled)

    def answered(self, name: str, said: Said) -> "Session":
        """With an answer on a hard fail or an axis. Words are dropped unless it is a YES."""
        if name in self._item().axes:
            return self._with_draft(axes=_with(self.draft.axes, name, said))
        words = self.draft.words if said is True else _with(self.draft.words, name, LEAVE_OUT)
        return self._with_draft(flags=_with(self.draft.flags, name, said), words=words)

    def with_words(self, name: str, words: str) -> "Session":
        """With more words of the reply behind a YES."""
        return self._with_draft(words=_with(self.draft.words, name, (*self.draft.words.get(name, ()), words)))

    def with_notes(self, notes: str) -> "Session":
        """With this note."""
        return self._with_draft(notes=notes)

    def stepped(self) -> "Session":
        """At the next question."""
        return replace(self, step=self.step + 1, before=self)

    def done(self) -> "Session":
        """At the next reply, with the answers about this one. Without any answer, it counts as not labelled."""
        said = LEAVE_OUT if self.draft.empty else self.draft
        return self.at(self.place + 1, _with(self.labels, self._item().key, said))

    def skipped(self) -> "Session":
        """At the next reply. This one stays as it was, and comes again in the next session."""
        self._item()
        return self.at(self.place + 1, self.labels)

    def back(self) -> "Session":
        """At the reply before; the same state at the first one."""
        return self.at(self.place - 1, self.labels) if self.place else self

    def undone(self) -> "Session":
        """The state before the last answer; the same state where there is none."""
        return self.before or self

    def at(self, place: int, labels: Mapping[str, Label]) -> "Session":
        """At the reply with this index, with these labels."""
        draft = labels.get(self.items[place].key, NO_LABEL) if place < len(self.items) else NO_LABEL
        return replace(self, place=place, labels=labels, draft=draft, step=0, before=self)

    def _with_draft(self, **changes: Any) -> "Session":
        self._item()
        return replace(self, draft=replace(self.draft, **changes), before=self)

    def _item(self) -> Item:
        if self.current is None:
            raise ValueError("there is no reply left to label")
        return self.current


def _with(values: Mapping[str, Any], name: str, value: object) -> dict[str, Any]:
    others = {key: one for key, one in values.items() if key != name}
    return others if value == LEAVE_OUT else {**others, name: value}


def begin(items: Iterable[Item], known: Mapping[str, Label], *, rater: str, again: bool = False) -> Session:
    """A session in an order that differs by rater, at the first unlabelled reply; with ``again`` at the first."""
    shuffled = sorted(items, key=lambda item: (chance_order("", rater, item.key), item.key))
    labels = {item.key: known[item.key] for item in shuffled if item.key in known}
    done = {item.key for item in shuffled if item.is_answered(labels.get(item.key, NO_LABEL))}
    ordered = tuple(sorted(shuffled, key=lambda item: item.key not in done))
    return replace(Session(ordered, labels).at(0 if again else len(done), labels), before=None)


def changes(before: Session, after: Session) -> dict[str, Label]:
    """The labels that differ between two states of a session, by the key of the reply."""
    found = {key: after.labels.get(key, NO_LABEL) for key in (*after.labels, *before.labels)}
    return {key: label for key, label in found.items() if before.labels.get(key, NO_LABEL) != label}


def items_of(
    replies: Iterable[JudgedReply],
    rubric: Rubric,
    *,
    flags: Sequence[str] | None = None,
    axes: Sequence[str] | None = None,
) -> list[Item]:
    """What to ask about each reply: these hard fails and axes; where neither are named, all with something to judge."""
    named = flags is not None or axes is not None
    asked = tuple(flags or ()) if named else rubric.hard_fail_ids
    items = [
        Item(one.key, one.conversation, one.text, asked, tuple(axes or ()) if named else axes_at_stake(one, rubric))
        for one in replies
    ]
    return [item for item in items if item.flags or item.axes]


def axes_at_stake(reply: JudgedReply, rubric: Rubric) -> tuple[str, ...]:
    """The axes that have something to judge: memory needs an earlier turn, repair something to put right."""
    facts = {"single_turn": len(reply.conversation) == 1, "repair": reply.case.repair}
    return tuple(axis.id for axis in rubric.axes if axis.default is None or not axis.default.certain(**facts))


@dataclass(frozen=True)
class LabelSession:
    """A rater's session on a run: the replies by key, how they were drawn, if they were, and where the rater is."""

    journal: Journal
    replies: Mapping[str, JudgedReply]
    rater: str
    drawn: Mapping[str, Drawn]
    state: Session

    def moved(self, state: Session) -> "LabelSession":
        """The session at another state, after all changed labels are stored."""
        store_labels(self.journal, [self.label_of(key, said) for key, said in changes(self.state, state).items()])
        return replace(self, state=state)

    def label_of(self, key: str, said: Label) -> Label:
        """The label of a reply with these answers. Without a draw, part and weight stay as they are."""
        reply, drawn = self.replies[key], self.drawn.get(key, said)
        about = key, said.case_id or reply.case.id, reply.subject or None, reply.number, self.rater
        return Label(*about, said.flags, said.axes, said.words, said.notes, drawn.part, drawn.weight)
