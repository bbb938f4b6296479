"""Judges that choose between two replies of one case, and what their choices in both orders come to.

1. A judge sees the replies as the first and the second, and never what wrote them.
2. It is asked twice, once in each order. The two questions know nothing of each other.
3. A choice that changes with the order is a tie, and says something about the judge alone.
4. A malformed answer is asked again once, and so is a choice without words that stand in the preferred reply; malformed
   twice is unjudged, such a choice is kept as unconfirmed. Where the second answer cannot be read, the first stands.
5. A reply with nothing in it is not judged, and two replies that are the same are not sent: there is nothing to choose.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Protocol

from iamhumans.cases import Case, Reply
from iamhumans.errors import CommandError
from iamhumans.judges.model import JudgeTask
from iamhumans.judges.opening import RULES
from iamhumans.judges.rules import RulesJudge
from iamhumans.prompts import Answer, Message, Request, encodable, fenced, side_by_side_messages
from iamhumans.rubrics import Rubric
from iamhumans.tells import find_tells, quote_of
from iamhumans.text import has_substance
from iamhumans.verdicts import (
    Choice,
    Preference,
    PreferenceAsked,
    PreferenceOutcome,
    Reason,
    Unjudged,
    preference_schema,
    read_preference,
    score_verdict,
)

_FINAL = (Reason.CONTENT_FILTER, Reason.REFUSED)
_MAX_ECHO = 8_000
"""How many characters of its own malformed answer a judge is shown."""
_MOST_QUOTES = 3
_SAME = Preference(Choice.NEITHER, reason="The two replies are the same, word for word, so there was nothing to ask.")


class Order(StrEnum):
    """Which of two replies is shown first."""

    A_FIRST = "a_first"
    B_FIRST = "b_first"


@dataclass(frozen=True, slots=True)
class PreferenceTask:
    """Two replies of one case, to choose between once. ``repeat`` counts the independent choices from 1."""

    case: Case
    a: Reply
    b: Reply
    order: Order = Order.A_FIRST
    persona: str | None = None
    """What is true of the speaker whom both skills play."""
    repeat: int = 1
    token: str | None = None
    """The check token that the answer should carry."""

    @property
    def first(self) -> Reply:
        """The reply that is shown first."""
        return self.a if self.order is Order.A_FIRST else self.b

    @property
    def second(self) -> Reply:
        """The reply that is shown second."""
        return self.b if self.order is Order.A_FIRST else self.a

    def asked(self, finish_reason: str | None = None) -> PreferenceAsked:
        """What the reader of an answer knows of this task."""
        return PreferenceAsked(
            case_id=self.case.id,
            token=self.token,
            first=self.first.text,
            second=self.second.text,
            conversation=tuple(turn.text for turn in self.case.conversation),
            finish_reason=finish_reason,
        )


class PreferenceJudge(Protocol):
    """Chooses between two replies, one step at a time."""

    @property
    def name(self) -> str:
        """How the user named it."""

    @property
    def version(self) -> str:
        """What besides its name and its model can change its choices; empty where nothing can."""

    @property
    def asks_model(self) -> bool:
        """Whether its requests go to the model of its name."""

    def next(self, task: PreferenceTask, history: Sequence[Answer]) -> Request | PreferenceOutcome:
        """The next request, or how it ends, given the answers so far."""


def open_preference_judge(name: str, rubric: Rubric) -> PreferenceJudge:
    """The judge of a name, to choose between replies: ``rules``, or the name of a model.

    Args:
        name: How the user named it.
        rubric: What ``rules`` score by; a model is shown no rubric.

    Raises:
        CommandError: Recorded verdicts were named; they are of single replies.
    """
    if name.startswith("recorded/"):
        raise CommandError(
            f"`{name}` holds verdicts on single replies and cannot choose between two.",
            fix="Name a model as the judge, or `rules`.",
        )
    return RulesPreference(rubric) if name == RULES else LlmPreference(name)


@dataclass(frozen=True, slots=True)
class LlmPreference:
    """Asks a model: one question, and at most one re-ask that says what was wrong with the answer."""

    name: str

    @property
    def version(self) -> str:
        """Nothing: what it asks is in the prompt's hash, and whom it asks in the model's settings."""
        return ""

    @property
    def asks_model(self) -> bool:
        """Yes."""
        return True

    def next(self, task: PreferenceTask, history: Sequence[Answer]) -> Request | PreferenceOutcome:
        """The question, the re-ask, or the choice."""
        known = _without_asking(task)
        if known is not None:
            return known
        if not history:
            return _request(_question(task))
        first = _read(task, history[0])
        complaint = _complaint(first)
        if complaint is None:
            return first
        if len(history) == 1:
            said = encodable(history[0].text[:_MAX_ECHO])
            answered = Message("assistant", said if said.strip() else "(no text)")
            return _request((*_question(task), answered, Message("user", complaint)))
        second = _read(task, history[1])
        return first if isinstance(first, Preference) and isinstance(second, Unjudged) else second


def _without_asking(task: PreferenceTask) -> PreferenceOutcome | None:
    """How it ends where there is nothing to choose."""
    for place, reply in (("first", task.first), ("second", task.second)):
        if not has_substance(reply.text):
            return Unjudged(Reason.NO_REPLY, f"the {place} reply has no words in it")
    return _SAME if task.a.text == task.b.text else None


def _question(task: PreferenceTask) -> tuple[Message, ...]:
    return side_by_side_messages(task.case, task.first.text, task.second.text, persona=task.persona, token=task.token)


def _request(messages: tuple[Message, ...]) -> Request:
    return Request(messages, schema=preference_schema())


def _read(task: PreferenceTask, answer: Answer) -> PreferenceOutcome:
    return read_preference(answer.text, task.asked(answer.finish_reason))


def _complaint(outcome: PreferenceOutcome) -> str | None:
    """What to tell the judge about its answer; ``None`` where there is nothing to ask again."""
    if isinstance(outcome, Unjudged):
        if outcome.reason in _FINAL:
            return None
        return (
            f"That answer cannot be used. What was found:\n\n{fenced(outcome.detail)}\n\nPrint the whole answer once"
            " more, for the same two replies, in the form that was asked for and with nothing outside of it."
        )
    if outcome.confirmed is not False:
        return None
    key = f"{outcome.choice.value}_quote"
    quotes = outcome.first_quotes if outcome.choice is Choice.FIRST else outcome.second_quotes
    found = f"`{key}` is empty."
    if quotes:
        listed = "\n".join(fenced(quote) for quote in quotes[:5])
        found = f"`{key}`: none of the following stands in the {outcome.choice.value} reply.\n{listed}"
    return (
        f"A choice needs words that stand in the reply it prefers. Here they are missing:\n\n{found}\n\nLook at both"
        " replies again. Copy words exactly, or choose otherwise where what you meant is not there. Print the whole"
        " answer once more, in the same form and with nothing outside of it."
    )


# --- the stand-in without a model -------------------------------------------------------------------------------------


@cache
def _hash_of_this_file() -> str:
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class RulesPreference:
    """Prefers the reply with the higher total by the rules, where a hard fail makes it 0; neither where both are equal.

    It is deterministic and sees no order. What it quotes are the tells that it found; a reply without any has no quote.
    """

    rubric: Rubric

    @property
    def name(self) -> str:
        """``rules``."""
        return RULES

    @property
    def version(self) -> str:
        """The hash of the rules and the rubric, and of what is made of them here."""
        parts = (RulesJudge().version, self.rubric.hash, _hash_of_this_file())
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def asks_model(self) -> bool:
        """No."""
        return False

    def next(self, task: PreferenceTask, history: Sequence[Answer] = ()) -> PreferenceOutcome:
        """The choice, or why there is none. ``history`` is always empty and never read."""
        del history
        known = _without_asking(task)
        if known is not None:
            return known
        scores = []
        for place, reply in (("first", task.first), ("second", task.second)):
            verdict = RulesJudge().next(JudgeTask(self.rubric, task.case, reply, persona=task.persona))
            if isinstance(verdict, Unjudged):
                return Unjudged(verdict.reason, f"of the {place} reply: {verdict.detail}")
            flags = [name for name, flag in verdict.flags.items() if flag.present]
            scores.append(_Scored(score_verdict(verdict, self.rubric).total, tuple(flags)))
        first, second = scores
        return Preference(
            _higher(first.total, second.total),
            self._tells(task, task.first),
            self._tells(task, task.second),
            _reason(first, second),
        )

    def _tells(self, task: PreferenceTask, reply: Reply) -> tuple[str, ...]:
        """The words of a reply in which something was found, the first few."""
        counted = {*self.rubric.hard_fail_ids, *self.rubric.axis_ids}
        tells = find_tells(reply.text, task.case, task.persona)
        quotes = dict.fromkeys(quote_of(reply.text, tell) for tell in tells if tell.axis_or_hard_fail in counted)
        return tuple(quotes)[:_MOST_QUOTES]


@dataclass(frozen=True, slots=True)
class _Scored:
    """What the rules make of one reply."""

    total: int
    hard_fails: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.total} (hard fails: {', '.join(self.hard_fails)})" if self.hard_fails else str(self.total)


def _higher(first: int, second: int) -> Choice:
    if first == second:
        return Choice.NEITHER
    return Choice.FIRST if first > second else Choice.SECOND


def _reason(first: _Scored, second: _Scored) -> str:
    so = " Equal totals prefer neither." if first.total == second.total else ""
    return (
        f"By the rules the total of the first reply is {first} and that of the second {second}.{so} Rules see words and"
        " layout only: a higher total means that less was found, not that a person would have said it."
    )


# --- both orders ------------------------------------------------------------------------------------------------------


class Settlement(StrEnum):
    """What two choices come to, one in each order."""

    A = "a"
    B = "b"
    TIE = "tie"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True)
class Settled:
    """What a judge's choices in both orders come to for one pair of replies."""

    outcome: Settlement
    flipped: bool = False
    """Whether it preferred the same place in both orders, and so no reply. A tie."""
    favoured: Choice | None = None
    """That place, where it flipped."""
    wavered: bool = False
    """Whether it preferred a reply in one order and neither in the other. A tie."""
    unconfirmed: bool = False
    """Whether a reply won, but not every choice for it quotes words that stand in it."""
    unjudged: Unjudged | None = None
    """Why it is unjudged."""


def settled(a_first: PreferenceOutcome, b_first: PreferenceOutcome) -> Settled:
    """What the choices in both orders come to. With the replies and the arguments swapped, A and B swap and no more.

    Args:
        a_first: How asking ended with reply A shown first.
        b_first: How it ended with reply B shown first.
    """
    if isinstance(a_first, Unjudged) or isinstance(b_first, Unjudged):
        return Settled(Settlement.UNJUDGED, unjudged=_why_unjudged(a_first, b_first))
    choices = {a_first.choice, b_first.choice}
    if choices == {Choice.NEITHER}:
        return Settled(Settlement.TIE)
    if Choice.NEITHER in choices:
        return Settled(Settlement.TIE, wavered=True)
    if len(choices) == 1:
        return Settled(Settlement.TIE, flipped=True, favoured=a_first.choice)
    winner = Settlement.A if a_first.choice is Choice.FIRST else Settlement.B
    return Settled(winner, unconfirmed=a_first.confirmed is False or b_first.confirmed is False)


def _why_unjudged(a_first: PreferenceOutcome, b_first: PreferenceOutcome) -> Unjudged:
    """The reason of the order that is unjudged; where both are, the one that stands first in the list of reasons."""
    failed = [outcome for outcome in (a_first, b_first) if isinstance(outcome, Unjudged)]
    reasons = list(Reason)
    worst = min(failed, key=lambda one: (reasons.index(one.reason), one.detail))
    orders = "both orders" if len(failed) > 1 else "one of the two orders"
    return Unjudged(worst.reason, f"in {orders}: {worst.detail}")
