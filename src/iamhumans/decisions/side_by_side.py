"""Which reply would one rather have got? Two runs side by side, case by case, blind and in both orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from iamhumans.cases import Case, Reply, Turn
from iamhumans.decisions.compare import same_case
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import PanelReply
from iamhumans.errors import CannotRunError, CommandError
from iamhumans.judges import Order, PreferenceJudge, PreferenceTask, Settled, Settlement, settled
from iamhumans.models import ChatModel
from iamhumans.prompts import side_by_side_hash
from iamhumans.runs import Job, Journal, Replied, ReplyEntry, check_token, content_hash, model_settings
from iamhumans.runs.journal.preferences import PreferenceEntry, preference_key
from iamhumans.verdicts import Choice, Preference, PreferenceOutcome, Reason, Unjudged

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
    reasons: tuple[str, ...]
    """The judge's own: of the order with A first, in which "the first reply" is A's, then of the other."""
    quotes_a: tuple[str, ...] = ()
    """Words of A's reply that it rests on."""
    quotes_b: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Pairs of replies that are not shown to the judge."""

    held_out: int = 0
    live: int = 0
    """Where the subjects answered earlier turns themselves, so that the conversations differ."""
    changed: int = 0
    """Where the text of the case changed between the runs."""
    unmatched: int = 0
    """Replies of A without one of B, and of B without one of A."""


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
    flipped: int
    """Pairs in which the choice went with the place and not with the reply."""
    flipped_to_first: int
    """Those of them in which it went to the reply that was shown first."""
    unconfirmed: int
    """Pairs that a reply won without words that stand in it."""
    reasons: Mapping[Reason, int]
    """Why pairs are unjudged."""
    left_out: LeftOut

    @property
    def position_bias(self) -> float | None:
        """The share of the judged pairs in which the choice went with the place."""
        judged = self.a + self.b + self.ties
        return self.flipped / judged if judged else None


def persona_of(journal: Journal, a: RunOutcomes, b: RunOutcomes) -> str | None:
    """The persona that both runs were judged with; ``None`` where there was none.

    Raises:
        CommandError: They had different ones, so that one judge cannot know what is true of both speakers.
        CannotRunError: The journal does not hold it.
    """
    known = a.plan.get("persona")
    if known != b.plan.get("persona"):
        raise CommandError(
            "The two runs were judged with different personas, so no judge can be told what is true of the speaker.",
            fix="Judge both with the same --persona.",
        )
    if known is None:
        return None
    text = journal.text("persona", known)
    if text is None:
        raise CannotRunError(f"The persona of run {a.name} is not in the journal.")
    return text


def pairs_of(journal: Journal, a: RunOutcomes, b: RunOutcomes) -> tuple[list[ReplyPair], LeftOut]:
    """The pairs of replies of two runs: of each case that both answered the first with the first, and so on.

    Left out are held-out cases, whose every use is asked for by itself; cases whose text changed; and cases with turns
    that the subjects answered live: there a choice would be one between conversations.
    """
    others = {(reply.case_id, reply.number): reply for reply in b.replies}
    pairs: list[ReplyPair] = []
    left_out: Counter[str] = Counter()
    for reply in a.replies:
        other = others.pop((reply.case_id, reply.number), None)
        if other is None:
            left_out["unmatched"] += 1
            continue
        made = _pair(journal, reply, other, a, b)
        if isinstance(made, str):
            left_out[made] += 1
        else:
            pairs.append(made)
    left_out["unmatched"] += len(others)
    return pairs, LeftOut(**left_out)


def _pair(journal: Journal, reply: PanelReply, other: PanelReply, a: RunOutcomes, b: RunOutcomes) -> ReplyPair | str:
    """The pair, or why it is left out, by the name of a field of :class:`LeftOut`."""
    facts, theirs = a.cases.get(reply.case_id), b.cases.get(reply.case_id)
    content = None if facts is None else a.content(facts.hash)
    if facts is None or theirs is None or content is None or not content["conversation"]:
        return "unmatched"
    if facts.held_out or theirs.held_out:
        return "held_out"
    if not same_case(a, b, reply.case_id):
        return "changed"
    first, second = (journal.find(ReplyEntry(one.key, "", "", one.number, "")) for one in (reply, other))
    if not isinstance(first, Replied) or not isinstance(second, Replied):
        return "unmatched"
    if facts.live or theirs.live or first.conversation or second.conversation:
        return "live"
    case_id, number = reply.case_id, reply.number
    return ReplyPair(
        _case_of(content),
        Reply(case_id, first.text, "", number),
        Reply(case_id, second.text, "", number),
        reply.key,
        other.key,
    )


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
    pairs: Iterable[ReplyPair],
    judge: PreferenceJudge,
    model: ChatModel | None,
    secret: bytes,
    persona: str | None = None,
) -> Iterator[Question]:
    """The two questions about each pair."""
    for pair in pairs:
        first, second = (_job(pair, order, judge, model, secret, persona) for order in _ORDERS)
        yield Question(pair, (first[0], second[0]), (first[1], second[1]))


def _job(
    pair: ReplyPair,
    order: Order,
    judge: PreferenceJudge,
    model: ChatModel | None,
    secret: bytes,
    persona: str | None,
) -> tuple[PreferenceEntry, Job[Preference]]:
    shown = ((pair.a_key, pair.a), (pair.b_key, pair.b))
    (first_key, first), (second_key, second) = shown if order is Order.A_FIRST else reversed(shown)
    prompt = side_by_side_hash() if judge.asks_model else None
    persona_hash = None if persona is None else content_hash(persona)
    key = preference_key(
        prompt_hash=prompt,
        persona_hash=persona_hash,
        case_hash=pair.case.hash,
        first_hash=f"{content_hash(first.text)}:{first_key}",
        second_hash=f"{content_hash(second.text)}:{second_key}",
        judge=judge.name,
        settings=model_settings(model.identity) if model is not None else {"version": judge.version},
        repeat=1,
    )
    entry = PreferenceEntry(key, first_key, second_key, judge.name, prompt_hash=prompt, persona_hash=persona_hash)
    task = PreferenceTask(pair.case, pair.a, pair.b, order, persona, token=check_token(secret, key))
    label = f"{pair.case.id} side by side by {judge.name}"
    return entry, Job(entry, label, partial(judge.next, task), model)


def side_by_side(
    journal: Journal,
    asked: Iterable[Question],
    judge: str,
    failures: Mapping[str, Unjudged],
    left_out: LeftOut = LeftOut(),
) -> SideBySide:
    """What was chosen, from the journal.

    Args:
        journal: Where the choices are.
        asked: The questions.
        judge: How the user named the judge.
        failures: What did not end in a standing outcome, by its key.
        left_out: What was not shown.
    """
    from iamhumans.stats import Cases, rate_of

    chosen = tuple(_chosen(journal, question, failures) for question in asked)
    counted = [one for one in chosen if one.settled.outcome is not Settlement.UNJUDGED]
    worth = {Settlement.A: 0.0, Settlement.TIE: 0.5, Settlement.B: 1.0}
    values = Cases.of([one.case_id for one in counted]).means([worth[one.settled.outcome] for one in counted])
    count = Counter(one.settled.outcome for one in chosen)
    unjudged = [one.settled.unjudged for one in chosen if one.settled.unjudged is not None]
    return SideBySide(
        judge=judge,
        chosen=chosen,
        a=count[Settlement.A],
        b=count[Settlement.B],
        ties=count[Settlement.TIE],
        unjudged=count[Settlement.UNJUDGED],
        win_rate=rate_of(values),
        flipped=sum(one.settled.flipped for one in counted),
        flipped_to_first=sum(one.settled.favoured is Choice.FIRST for one in counted),
        unconfirmed=sum(one.settled.unconfirmed for one in counted),
        reasons=dict(Counter(why.reason for why in unjudged)),
        left_out=left_out,
    )


def _chosen(journal: Journal, question: Question, failures: Mapping[str, Unjudged]) -> Chosen:
    a_first, b_first = (_outcome(journal, entry, failures) for entry in question.entries)
    pair = question.pair
    quotes_a: list[str] = []
    quotes_b: list[str] = []
    reasons = []
    if isinstance(a_first, Preference):
        quotes_a += a_first.first_quotes
        quotes_b += a_first.second_quotes
        reasons.append(a_first.reason)
    if isinstance(b_first, Preference):
        quotes_a += b_first.second_quotes
        quotes_b += b_first.first_quotes
        reasons.append(b_first.reason)
    return Chosen(
        case_id=pair.case.id,
        title=pair.case.title,
        number=pair.a.number,
        settled=settled(a_first, b_first),
        reasons=tuple(reasons),
        quotes_a=tuple(dict.fromkeys(quotes_a)),
        quotes_b=tuple(dict.fromkeys(quotes_b)),
    )


def _outcome(journal: Journal, entry: PreferenceEntry, failures: Mapping[str, Unjudged]) -> PreferenceOutcome:
    found = journal.find(entry)
    if isinstance(found, Preference | Unjudged):
        return found
    return failures.get(entry.key, Unjudged(Reason.CANCELLED, "it was not asked"))
