"""Which reply would one rather have got? Two runs side by side, case by case, blind and in both orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from iamhumans.cases import Case, Reply, Turn
from iamhumans.judges import Order, PreferenceJudge, PreferenceTask, Settled, Settlement, settled
from iamhumans.models import ChatModel
from iamhumans.prompts import side_by_side_hash
from iamhumans.runs import Job, Journal, Replied, Run, check_token, content_hash, model_settings
from iamhumans.runs.journal.preferences import PreferenceEntry, preference_key
from iamhumans.verdicts import Preference, PreferenceOutcome, Reason, Unjudged

if TYPE_CHECKING:
    from iamhumans.stats import Estimate

_ORDERS = (Order.A_FIRST, Order.B_FIRST)


@dataclass(frozen=True, slots=True)
class ReplyPair:
    """Two replies to one case, with the keys that the journal knows them by."""

    case: Case
    a: Reply
    b: Reply
    a_key: str
    b_key: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen between two replies."""

    case_id: str
    title: str
    number: int
    settled: Settled
    reason: str
    """The judge's own, of the first order."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """How often each run's replies are preferred. A tie counts half for each."""

    judge: str
    chosen: tuple[Chosen, ...]
    a: int
    b: int
    ties: int
    unjudged: int
    win_rate: Estimate
    """B's, over cases."""
    position_bias: float | None
    """The share of pairs in which the choice went with the place and not with the reply."""


def pairs_of(journal: Journal, a: Run, b: Run) -> Iterator[ReplyPair]:
    """The pairs of replies of two runs: of each case that both answered the first with the first, and so on.

    Cases with turns that the subjects answered live are left out: there the conversations differ, and a choice would
    be one between conversations.
    """
    others = {(case_id, number): (key, text) for case_id, number, key, text in _replies(journal, b)}
    cases = journal.cases(a)
    for case_id, number, key, text in _replies(journal, a):
        other = others.get((case_id, number))
        content = cases.get(case_id)
        if other is None or content is None or not content["conversation"]:
            continue
        case = _case_of(content)
        yield ReplyPair(case, Reply(case_id, text, "", number), Reply(case_id, other[1], "", number), key, other[0])


def _replies(journal: Journal, run: Run) -> Iterator[tuple[str, int, str, str]]:
    """Case, number, key and text of each reply of a run, once."""
    seen: set[str] = set()
    for record in journal.rows(run):
        reply = record.reply
        if record.reply_key not in seen and isinstance(reply, Replied) and not reply.conversation:
            seen.add(record.reply_key)
            yield record.case_id, record.number, record.reply_key, reply.text


def _case_of(content: Mapping[str, Any]) -> Case:
    """The case that the journal keeps."""
    turns = tuple(Turn(turn["speaker"], turn["text"]) for turn in content["conversation"])
    return Case(
        id=content["id"],
        conversation=turns,
        title=content.get("title", ""),
        dimensions=tuple(content.get("dimensions", ())),
        hard_fails=tuple(content.get("hard_fails", ())),
        rubric=tuple(content.get("rubric", ())),
        failure_modes=tuple(content.get("failure_modes", ())),
        repair=content.get("repair", False),
        lang=content.get("lang", "en"),
    )


@dataclass(frozen=True, slots=True)
class Question:
    """One pair in both orders, as jobs."""

    pair: ReplyPair
    entries: tuple[PreferenceEntry, PreferenceEntry]
    jobs: tuple[Job[Preference], Job[Preference]]


def questions(
    pairs: Iterable[ReplyPair], judge: PreferenceJudge, model: ChatModel | None, secret: bytes
) -> Iterator[Question]:
    """The two questions about each pair."""
    for pair in pairs:
        first, second = (_job(pair, order, judge, model, secret) for order in _ORDERS)
        yield Question(pair, (first[0], second[0]), (first[1], second[1]))


def _job(
    pair: ReplyPair, order: Order, judge: PreferenceJudge, model: ChatModel | None, secret: bytes
) -> tuple[PreferenceEntry, Job[Preference]]:
    shown = ((pair.a_key, pair.a), (pair.b_key, pair.b))
    (first_key, first), (second_key, second) = shown if order is Order.A_FIRST else reversed(shown)
    prompt = side_by_side_hash() if judge.asks_model else None
    key = preference_key(
        prompt_hash=prompt,
        persona_hash=None,
        case_hash=pair.case.hash,
        first_hash=f"{content_hash(first.text)}:{first_key}",
        second_hash=f"{content_hash(second.text)}:{second_key}",
        judge=judge.name,
        settings=model_settings(model.identity) if model is not None else {"version": judge.version},
        repeat=1,
    )
    entry = PreferenceEntry(key, first_key, second_key, judge.name, prompt_hash=prompt)
    task = PreferenceTask(pair.case, pair.a, pair.b, order, token=check_token(secret, key))
    label = f"{pair.case.id} side by side by {judge.name}"
    return entry, Job(entry, label, partial(judge.next, task), model)


def side_by_side(
    journal: Journal,
    asked: Iterable[Question],
    judge: str,
    failures: Mapping[str, Unjudged],
) -> SideBySide:
    """What was chosen, from the journal.

    Args:
        journal: Where the choices are.
        asked: The questions.
        judge: How the user named the judge.
        failures: What did not end in a standing outcome, by its key.
    """
    from iamhumans.stats import Cases, rate_of

    chosen = tuple(_chosen(journal, question, failures) for question in asked)
    counted = [one for one in chosen if one.settled.outcome is not Settlement.UNJUDGED]
    worth = {Settlement.A: 0.0, Settlement.TIE: 0.5, Settlement.B: 1.0}
    values = Cases.of([one.case_id for one in counted]).means([worth[one.settled.outcome] for one in counted])
    count = {outcome: sum(one.settled.outcome is outcome for one in chosen) for outcome in Settlement}
    flipped = sum(one.settled.flipped for one in counted)
    return SideBySide(
        judge=judge,
        chosen=chosen,
        a=count[Settlement.A],
        b=count[Settlement.B],
        ties=count[Settlement.TIE],
        unjudged=count[Settlement.UNJUDGED],
        win_rate=rate_of(values),
        position_bias=flipped / len(counted) if counted else None,
    )


def _chosen(journal: Journal, question: Question, failures: Mapping[str, Unjudged]) -> Chosen:
    first, second = (_outcome(journal, entry, failures) for entry in question.entries)
    reason = first.reason if isinstance(first, Preference) else ""
    pair = question.pair
    return Chosen(pair.case.id, pair.case.title, pair.a.number, settled(first, second), reason)


def _outcome(journal: Journal, entry: PreferenceEntry, failures: Mapping[str, Unjudged]) -> PreferenceOutcome:
    found = journal.find(entry)
    if isinstance(found, Preference | Unjudged):
        return found
    return failures.get(entry.key, Unjudged(Reason.CANCELLED, "it was not asked"))
