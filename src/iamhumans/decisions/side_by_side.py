"""Which reply would you rather get? Two runs side by side, case by case, blind and in both orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from iamhumans.cases import Case, Reply
from iamhumans.decisions.compare import same_case
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import PanelReply
from iamhumans.errors import CannotRunError, CommandError
from iamhumans.judges import Order, PreferenceJudge, PreferenceTask, Settled, Settlement, settled
from iamhumans.models import ChatModel
from iamhumans.prompts import side_by_side_hash
from iamhumans.runs.jobs import Job
from iamhumans.runs.journal.entries import JudgementEntry, Replied
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.keys import check_token, content_hash, model_settings, preference_key, salted
from iamhumans.verdicts import Choice, Preference, PreferenceOutcome, Reason, Unjudged

if TYPE_CHECKING:
    from iamhumans.stats import NetPreference

LEFT_OUT = ("held_out", "live", "changed", "unmatched")
"""Why a pair of replies is not shown to the judge: its case is held out; the subjects answered earlier turns live, so
the conversations differ; the text of the case changed; there is no such reply in the other run."""


class ReplyPair(NamedTuple):
    """Two replies to one case, with their keys in the journal."""

    case: Case
    a: Reply
    b: Reply
    a_key: str
    b_key: str


class Question(NamedTuple):
    """One pair in both orders, as jobs."""

    pair: ReplyPair
    jobs: tuple[Job[Preference], Job[Preference]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen between two replies. The reasons are the judge's: with A shown first, then with B shown first."""

    case_id: str
    number: int
    settled: Settled
    reasons: tuple[str, ...]
    quotes_a: tuple[str, ...] = ()
    quotes_b: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The choice as JSON holds it."""
        fields = asdict(self)
        return {**fields.pop("settled"), "quotes": {"a": fields.pop("quotes_a"), "b": fields.pop("quotes_b")}, **fields}


@dataclass(frozen=True, slots=True)
class SideBySide:
    """How often each run's replies are preferred.

    ``net_preference`` is the share of pairs in which B is preferred, less the share in which A is, over cases.
    In ``flipped`` pairs the judge preferred the same place in both orders. ``unconfirmed`` pairs were won without a
    quote that is in the reply. ``reasons`` say why pairs are unjudged, ``left_out`` why they are not shown.
    """

    judge: str
    chosen: tuple[Chosen, ...]
    a: int
    b: int
    ties: int
    unjudged: int
    net_preference: NetPreference
    flipped: int
    flipped_to_first: int
    unconfirmed: int
    reasons: Mapping[Reason, int]
    left_out: Mapping[str, int]

    @property
    def position_bias(self) -> float | None:
        """The share of the judged pairs in which the judge preferred the same place in both orders."""
        judged = self.a + self.b + self.ties
        return self.flipped / judged if judged else None

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON holds it."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name != "chosen"}
        return fields | {
            "position_bias": self.position_bias,
            "net_preference": {**asdict(self.net_preference.estimate), "test": asdict(self.net_preference.test)},
            "reasons": {reason.value: count for reason, count in self.reasons.items()},
            "choices": [one.to_dict() for one in self.chosen],
        }


def persona_of(journal: Journal, a: RunOutcomes, b: RunOutcomes) -> str | None:
    """The persona that both runs were judged with, if any.

    Raises:
        CommandError: They had different ones.
        CannotRunError: It is not in the journal.
    """
    known = a.plan.get("persona")
    if known != b.plan.get("persona"):
        problem = "The two runs were judged with different personas, so one judge cannot judge both speakers."
        raise CommandError(problem, fix="Judge both runs with the same --persona.")
    text = None if known is None else journal.text("persona", known)
    if known is not None and text is None:
        raise CannotRunError(f"The persona of run {a.name} is not in the journal.")
    return text


def pairs_of(
    journal: Journal, a: RunOutcomes, b: RunOutcomes, *, holdout_reason: str | None = None
) -> tuple[list[ReplyPair], Mapping[str, int]]:
    """The pairs of replies of two runs, by case and number, and how many are left out for each of ``LEFT_OUT``."""
    others = {(reply.case_id, reply.number): reply for reply in b.replies}
    pairs: list[ReplyPair] = []
    left_out = dict.fromkeys(LEFT_OUT, 0)
    for reply in a.replies:
        other = others.pop((reply.case_id, reply.number), None)
        made = "unmatched" if other is None else _pair(journal, reply, other, (a, b), holdout_reason)
        if isinstance(made, str):
            left_out[made] += 1
        else:
            pairs.append(made)
    left_out["unmatched"] += len(others)
    return pairs, left_out


def _pair(
    journal: Journal, reply: PanelReply, other: PanelReply, runs: tuple[RunOutcomes, RunOutcomes], reason: str | None
) -> ReplyPair | str:
    """The pair, or why it is left out."""
    case_id, number = reply.case_id, reply.number
    facts, theirs = (run.cases.get(case_id) for run in runs)
    case = None if facts is None else journal.case(facts.hash)
    if facts is None or theirs is None or case is None or not case.conversation:
        return "unmatched"
    if (facts.held_out or theirs.held_out) and not reason:
        return "held_out"
    if not same_case(*runs, case_id):
        return "changed"
    first, second = (journal.reply(one.key) for one in (reply, other))
    if not isinstance(first, Replied) or not isinstance(second, Replied):
        return "unmatched"
    if facts.live or theirs.live or first.conversation or second.conversation:
        return "live"
    a, b = (Reply(case_id, one.text, "", number) for one in (first, second))
    return ReplyPair(case, a, b, reply.key, other.key)


def questions(
    pairs: Iterable[ReplyPair],
    judge: PreferenceJudge,
    model: ChatModel | None,
    secret: bytes,
    persona: str | None = None,
    *,
    salt: str = "",
) -> list[Question]:
    """The two questions about each pair. A ``salt`` asks anew; without one the newest answers count."""
    prompt = side_by_side_hash() if model is not None else None
    persona_hash = None if persona is None else content_hash(persona)
    settings = model_settings(model.identity) if model is not None else {"version": judge.version}

    def job(pair: ReplyPair, order: Order) -> Job[Preference]:
        shown = ((pair.a_key, pair.a), (pair.b_key, pair.b))
        (first_key, first), (second_key, second) = shown if order is Order.A_FIRST else shown[::-1]
        base = preference_key(
            prompt_hash=prompt,
            persona_hash=persona_hash,
            case_hash=pair.case.hash,
            first_hash=f"{content_hash(first.text)}:{first_key}",
            second_hash=f"{content_hash(second.text)}:{second_key}",
            settings=settings,
        )
        entry = JudgementEntry(
            key=salted(base, salt),
            base=base,
            reply_key=first_key,
            second_reply_key=second_key,
            subject="",
            judge=judge.name,
            repeat=1,
            rubric_hash=None,
            prompt_hash=prompt,
            persona_hash=persona_hash,
            case_hash=pair.case.hash,
        )
        task = PreferenceTask(pair.case, pair.a, pair.b, order, persona, token=check_token(secret, entry.key))
        label = f"{pair.case.id} side by side by {judge.name}"
        return Job(entry, label, partial(judge.next, task), model, cache_failures=False)

    return [Question(pair, (job(pair, Order.A_FIRST), job(pair, Order.B_FIRST))) for pair in pairs]


def side_by_side(
    journal: Journal,
    asked: Sequence[Question],
    judge: str,
    failures: Mapping[str, Unjudged],
    left_out: Mapping[str, int],
) -> SideBySide:
    """What was chosen, from the journal. ``failures`` are those of this session, by key."""
    from iamhumans.stats import Cases
    from iamhumans.stats.net_preference import net_preference  # the package holds the module by the same name

    def outcome(job: Job[Preference]) -> PreferenceOutcome:
        found = journal.find(job.entry)
        if found is not None and isinstance(found.outcome, Preference | Unjudged):
            return found.outcome
        return failures.get(job.entry.key, Unjudged(Reason.CANCELLED, "it was not asked"))

    chosen = tuple(_chosen(question.pair, *map(outcome, question.jobs)) for question in asked)
    counted = [one for one in chosen if one.settled.outcome is not Settlement.UNJUDGED]
    points = {Settlement.A: -1.0, Settlement.TIE: 0.0, Settlement.B: 1.0}
    values = Cases.of([one.case_id for one in counted]).means([points[one.settled.outcome] for one in counted])
    count = Counter(one.settled.outcome for one in chosen)
    return SideBySide(
        judge=judge,
        chosen=chosen,
        a=count[Settlement.A],
        b=count[Settlement.B],
        ties=count[Settlement.TIE],
        unjudged=count[Settlement.UNJUDGED],
        net_preference=net_preference(values.values),
        flipped=sum(one.settled.flipped for one in counted),
        flipped_to_first=sum(one.settled.favoured is Choice.FIRST for one in counted),
        unconfirmed=sum(one.settled.unconfirmed for one in counted),
        reasons=Counter(why.reason for one in chosen if (why := one.settled.unjudged)),
        left_out=left_out,
    )


def _chosen(pair: ReplyPair, a_first: PreferenceOutcome, b_first: PreferenceOutcome) -> Chosen:
    quotes: dict[str, list[str]] = {"a": [], "b": []}
    reasons = []
    for one, (first, second) in ((a_first, "ab"), (b_first, "ba")):
        if isinstance(one, Preference):
            quotes[first] += one.first_quotes
            quotes[second] += one.second_quotes
            reasons.append(one.reason)
    unique = [tuple(dict.fromkeys(several)) for several in quotes.values()]
    return Chosen(pair.case.id, pair.a.number, settled(a_first, b_first), tuple(reasons), *unique)
