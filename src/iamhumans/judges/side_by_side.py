"""Judges that choose between two replies of one case, and what their choices in both orders come to.

A judge does not see what wrote the replies. A choice that changes with the order is a tie, and one needs a quote.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, TypeAlias

from iamhumans.cases import Case, Reply
from iamhumans.errors import CommandError
from iamhumans.judges.judge import JudgeTask
from iamhumans.judges.llm import QUOTE_RULE, next_step, no_quote
from iamhumans.judges.opening import open_judge
from iamhumans.judges.rules import RulesJudge
from iamhumans.prompts import Answer, Request, side_by_side_messages
from iamhumans.rubrics import Rubric
from iamhumans.tells import find_tells, quote_of
from iamhumans.text import has_substance
from iamhumans.verdicts import Choice, Preference, PreferenceAsked, PreferenceOutcome, Reason, Unjudged
from iamhumans.verdicts.preference import preference_schema, read_preference

# The hash of the code of this file. tests/judges/test_rules_version.py fails, with the new value, when it changes.
VERSION = "10fe30710efcc1949ceb3bf1464149090f67c5a2e5a52a322831911f2208167d"
_SAME = Preference(Choice.NEITHER, reason="The two replies are the same, so there was nothing to ask.")


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
    persona: str | None = None  # what is true of the speaker that both skills play
    repeat: int = 1
    token: str | None = None  # the check token that the answer should carry

    @property
    def shown(self) -> tuple[Reply, Reply]:
        """The two replies in the order in which they are shown."""
        return (self.a, self.b) if self.order is Order.A_FIRST else (self.b, self.a)

    def without_asking(self) -> PreferenceOutcome | None:
        """The outcome where there is nothing to choose."""
        for place, reply in zip(("first", "second"), self.shown, strict=True):
            if not has_substance(reply.text):
                return Unjudged(Reason.NO_REPLY, f"the {place} reply has no words in it")
        return _SAME if self.a.text == self.b.text else None


def open_preference_judge(name: str, rubric: Rubric) -> PreferenceJudge:
    """The judge of a name that chooses between replies: ``rules`` or a model. Raises CommandError for another kind."""
    if name.partition("/")[0] == "recorded":
        problem = f"`{name}` has verdicts on single replies and cannot choose between two."
        raise CommandError(problem, fix="Use a model as the judge, or `rules`.")
    return LlmPreference(name) if open_judge(name).asks_model else RulesPreference(rubric)


@dataclass(frozen=True, slots=True)
class LlmPreference:
    """Asks a model to choose."""

    name: str
    version: ClassVar[str] = ""
    asks_model: ClassVar[bool] = True

    def next(self, task: PreferenceTask, history: Sequence[Answer]) -> Request | PreferenceOutcome:
        """The question, the second question, or the choice."""
        case, (first, second) = task.case, [reply.text for reply in task.shown]

        def question() -> Request:
            messages = side_by_side_messages(case, first, second, persona=task.persona, token=task.token)
            return Request(messages, schema=preference_schema())

        def read(answer: Answer) -> PreferenceOutcome:
            asked = PreferenceAsked(case.id, task.token, first, second, case.texts, answer.finish_reason)
            return read_preference(answer.text, asked)

        def missing_quotes(said: Preference) -> str | None:
            if said.confirmed is not False:
                return None
            choice, quotes = said.choice, said.first_quotes if said.choice is Choice.FIRST else said.second_quotes
            return (
                "A choice needs a quote from the reply that it prefers."
                f" {no_quote(f'{choice.value}_quote', quotes, f'the {choice.value} reply')}\n\n{QUOTE_RULE} Read both"
                " replies again. Copy words exactly, or change your choice if the words that you meant are not there."
            )

        if (outcome := task.without_asking()) is not None:
            return outcome
        return next_step(question, history, read, missing_quotes)


@dataclass(frozen=True, slots=True)
class RulesPreference:
    """Prefers a reply in which the ``rules`` judge finds no fault to one that it zeroes, in any order.

    Its quotes are words of tells.
    """

    rubric: Rubric
    name: ClassVar[str] = RulesJudge.name
    asks_model: ClassVar[bool] = False

    @property
    def version(self) -> str:
        """The hash of the rules, the rubric and the code of this file."""
        return hashlib.sha256(f"{RulesJudge().version}\n{self.rubric.hash}\n{VERSION}".encode()).hexdigest()

    def next(self, task: PreferenceTask, history: Sequence[Answer] = ()) -> PreferenceOutcome:
        """The choice, or why there is none. ``history`` is always empty."""
        del history
        if (outcome := task.without_asking()) is not None:
            return outcome
        counted = {*self.rubric.hard_fail_ids, *self.rubric.axis_ids}
        flagged, quotes, words = [], [], []
        for place, reply in zip(("first", "second"), task.shown, strict=True):
            verdict = RulesJudge().next(JudgeTask(self.rubric, task.case, reply, persona=task.persona))
            if isinstance(verdict, Unjudged):
                return Unjudged(verdict.reason, f"of the {place} reply: {verdict.detail}")
            fails = [name for name, flag in verdict.flags.items() if flag.present]
            flagged.append(bool(fails))
            words.append(f"{', '.join(fails)} in the {place} reply" if fails else f"no fault in the {place} reply")
            tells = find_tells(reply.text, case=task.case, persona=task.persona)
            found = dict.fromkeys([quote_of(reply.text, tell) for tell in tells if tell.axis_or_hard_fail in counted])
            quotes.append(tuple(found)[:3])
        choice = Choice.NEITHER
        if flagged[0] != flagged[1]:
            choice = Choice.SECOND if flagged[0] else Choice.FIRST
        reason = (
            f"The rules find {words[0]} and {words[1]}.{' So neither is preferred.' * (choice is Choice.NEITHER)} Rules"
            " see words and layout only: a reply without a finding is not one that a person would have said."
        )
        return Preference(choice, quotes[0], quotes[1], reason)


PreferenceJudge: TypeAlias = LlmPreference | RulesPreference


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
    flipped: bool = False  # it preferred the same place in both orders, and so no reply: a tie
    favoured: Choice | None = None  # that place
    wavered: bool = False  # it preferred a reply in one order and neither in the other: a tie
    unconfirmed: bool = False  # a reply won, but not every choice for it has a quote from the reply
    unjudged: Unjudged | None = None


def settled(a_first: PreferenceOutcome, b_first: PreferenceOutcome) -> Settled:
    """What the choices with reply A first and with reply B first come to. Swapped replies only swap A and B."""
    if isinstance(a_first, Unjudged) or isinstance(b_first, Unjudged):
        failed = [outcome for outcome in (a_first, b_first) if isinstance(outcome, Unjudged)]
        worst = min(failed, key=lambda one: (list(Reason).index(one.reason), one.detail))
        orders = "both orders" if len(failed) > 1 else "one of the two orders"
        return Settled(Settlement.UNJUDGED, unjudged=Unjudged(worst.reason, f"in {orders}: {worst.detail}"))
    choices = {a_first.choice, b_first.choice}
    if Choice.NEITHER in choices:
        return Settled(Settlement.TIE, wavered=len(choices) > 1)
    if len(choices) == 1:
        return Settled(Settlement.TIE, flipped=True, favoured=a_first.choice)
    winner = Settlement.A if a_first.choice is Choice.FIRST else Settlement.B
    return Settled(winner, unconfirmed=a_first.confirmed is False or b_first.confirmed is False)
