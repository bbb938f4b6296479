"""A plan: from what the user asked for to jobs, before anything is paid for.

A row of a run is one judgement. Rows are numbered so that replies come in the order of the input, and for each reply
the judges in the order in which they were named, and for each judge its repeats.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from iamhumans.cases import Case, Reply
from iamhumans.cases.checks import Checks
from iamhumans.judges import Judge, JudgeTask, coverage_of
from iamhumans.models.chat import ChatModel, Usage
from iamhumans.prompts import Answer, Request, Template, fixed_text, prompt_hash
from iamhumans.rubrics import Rubric
from iamhumans.runs import keys
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal.entries import JudgementEntry, Replied, ReplyEntry, Text, compact_json
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import case_from_json
from iamhumans.runs.keys import content_hash
from iamhumans.runs.spending import cost_of, prompt_tokens
from iamhumans.subjects import Answered, ReplyRow, Subject, SubjectTask
from iamhumans.verdicts import Judgement, Reason, Unjudged, Verdict, score_verdict

Given: TypeAlias = tuple[tuple[ReplyEntry, Replied | Unjudged], ...]
TYPICAL_REPLY = "A reply of the length that replies have. " * 15  # to estimate the judgements of one not drawn yet
_TYPICAL_ANSWER = 400  # tokens


def _settings(own: dict[str, Any], model: ChatModel | None) -> Mapping[str, Any]:
    return own if model is None else {**keys.model_settings(model.identity), **(own if own["version"] else {})}


@dataclass(frozen=True)
class Seat:
    """A judge, with the model that it asks."""

    judge: Judge
    model: ChatModel | None = None

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """What can change its judgements."""
        return _settings({"judge": self.judge.name.partition("/")[0], "version": self.judge.version}, self.model)

    def described(self) -> dict[str, Any]:
        """Its part of the plan of a run, with the hard fails on which its YES counts if those are not all."""
        counting = coverage_of(self.judge).counting
        more = {} if counting is None else {"coverage": {"yes": sorted(counting)}}
        return {"name": self.judge.name, "settings": dict(self.settings), **more}


@dataclass(frozen=True)
class Judging:
    """How replies are judged. ``checks`` of cases, by their id, need no judge and are computed from the replies."""

    rubric: Rubric
    seats: tuple[Seat, ...]
    repeats: int = 1
    persona: str | None = None
    template: Template | None = None
    checks: Mapping[str, Checks] = field(default_factory=dict)

    @property
    def judgements(self) -> int:
        """How many judgements each reply gets."""
        return len(self.seats) * self.repeats

    @cached_property
    def prompt_hash(self) -> str:
        """The hash of the prompt or of the template."""
        return prompt_hash(self.rubric, self.template)

    @cached_property
    def persona_hash(self) -> str | None:
        """The content hash of the persona; ``None`` without one."""
        return None if self.persona is None else content_hash(self.persona.strip())

    @cached_property
    def checks_text(self) -> Text | None:
        """The checks as the journal stores them. They are in no key, since no judge and no subject sees them."""
        if not self.checks:
            return None
        text = compact_json({case_id: checks.to_dict() for case_id, checks in sorted(self.checks.items())})
        return Text("checks", content_hash(text), text)

    def described(self) -> dict[str, Any]:
        """Its part of the plan of a run."""
        checks = {} if self.checks_text is None else {"checks": self.checks_text.hash}
        return checks | {
            "rubric": {"name": self.rubric.name, "hash": self.rubric.hash},
            "prompt": self.prompt_hash,
            "persona": self.persona_hash,
            "judges": [seat.described() for seat in self.seats],
            "repeats": self.repeats,
        }

    @property
    def models(self) -> list[ChatModel]:
        """The models that are asked."""
        return [seat.model for seat in self.seats if seat.model is not None]

    def texts(self) -> Iterator[Text]:
        """The texts that its judgements refer to."""
        yield Text("rubric", self.rubric.hash, self.rubric.model_dump_json(by_alias=True))
        yield Text("prompt", self.prompt_hash, fixed_text(self.rubric, self.template))
        if self.persona is not None and self.persona_hash is not None:
            yield Text("persona", self.persona_hash, self.persona.strip())
        if self.checks_text is not None:
            yield self.checks_text


@dataclass(frozen=True)
class Drawing:
    """How replies are drawn from one subject."""

    subject: Subject
    model: ChatModel | None = None  # the model that the subject asks; `None` for recorded replies

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """What can change its replies, besides its skill."""
        return _settings({"subject": "recorded", "version": self.subject.version}, self.model)

    @cached_property
    def skill_hash(self) -> str | None:
        """The content hash of the skill; ``None`` without one."""
        return None if self.subject.skill is None else content_hash(self.subject.skill)

    def described(self) -> dict[str, Any]:
        """Its part of the plan of a run."""
        return {"name": self.subject.name, "settings": dict(self.settings), "skill": self.skill_hash}

    def texts(self) -> Iterator[Text]:
        """The texts that its replies refer to."""
        if self.subject.skill is not None and self.skill_hash is not None:
            yield Text("skill", self.skill_hash, self.subject.skill)


class _Origin(NamedTuple):
    """What a row of a file says of itself."""

    cluster: str = ""
    row_id: str = ""


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes the jobs of a run."""

    secret: bytes  # the journal's, for check tokens
    judging: Judging | None = None  # how replies are judged; `None` if they are only drawn
    drawings: tuple[Drawing, ...] = ()  # the subjects; several make a grid
    replies: int = 1  # how many to each case
    run: int | None = None  # `RunRecord.id`; `None` for results without a run
    salt: str = ""  # of a fresh run

    def for_replies(self, rows: Iterable[ReplyRow]) -> Iterator[Job[Any]]:
        """The judgements of replies that exist."""
        for row in rows:
            reply = row.reply
            failed = "" if row.failure is None else f"{row.failure.reason}\0{row.failure.detail}\0"
            text_hash = content_hash(f"{failed}{reply.text}")
            key = keys.given_reply_key(case=row.case, number=reply.number, text_hash=text_hash)
            given = ReplyEntry(key, key, row.case.id, reply.subject, reply.number, case_text(row.case))
            replied = Replied(reply.text, reasoning=reply.reasoning, beside=reply.beside)
            stored: Given = ((given, replied),)
            if row.failure is None:
                yield from self._judgements(
                    row.row - 1, row.case, reply, key, text_hash, stored, origin=_Origin(row.cluster, row.id)
                )
            else:
                yield from self._not_whole(row, key, text_hash, stored, row.failure)

    def first_token(self, row: ReplyRow) -> str:
        """The check token of the first judgement of a reply that exists."""
        entry = next(self.for_replies([replace(row, row=1)])).entry
        return keys.check_token(self.secret, entry.key)

    def for_cases(self, cases: Sequence[Case]) -> Iterator[Job[Any]]:
        """The replies of the subjects, each followed by its judgements."""
        drawn = product(self.drawings, cases, range(1, self.replies + 1))
        yield from (self._drawn(index, *what) for index, what in enumerate(drawn))

    def _drawn(self, index: int, drawing: Drawing, case: Case, number: int) -> Job[Replied]:
        task = SubjectTask(case, number)
        base = keys.reply_key(settings=drawing.settings, skill_hash=drawing.skill_hash, case=case, number=number)
        name = drawing.subject.name
        key = keys.salted(base, self.salt)
        entry = ReplyEntry(key, base, case.id, name, number, case_text(case), drawing.skill_hash)

        def step(history: Sequence[Answer]) -> Request | Replied | Unjudged:
            said = drawing.subject.next(task, history)
            if not isinstance(said, Answered):
                return said
            live = said.case.conversation if said.case.conversation != case.conversation else ()
            return Replied(said.reply.text, live, reasoning=said.reply.reasoning, beside=said.reply.beside)

        then = partial(self._after, index, case, entry) if self.judging else None
        return Job(entry, f"reply {number} to {case.id} by {name}", step, drawing.model, then)

    def _after(self, index: int, case: Case, entry: ReplyEntry, ended: Ended[Replied]) -> Iterator[Job[Any]]:
        outcome = ended.outcome
        if isinstance(outcome, Unjudged):
            yield from self._unreplied(index, case, entry, outcome, provisional=not ended.final)
            return
        seen = replace(case, conversation=outcome.conversation) if outcome.conversation else case
        reply = Reply(case.id, outcome.text, entry.subject, entry.number)
        key, text_hash = outcome.key or entry.key, content_hash(outcome.text)
        yield from self._judgements(index, seen, reply, key, text_hash, (), case.hash)

    def _judgements(
        self,
        index: int,
        case: Case,
        reply: Reply,
        key: str,
        text_hash: str,
        given: Given,
        case_hash: str | None = None,
        origin: _Origin | None = None,
    ) -> Iterator[Job[Judgement]]:
        judging = self._judging
        # Of two equal replies each has a judgement of its own, so that they stay independent draws.
        common = (case, reply.subject, key, f"{text_hash}:{key}", given, case_hash, origin)
        for entry, seat in self._entries(index, *common):
            # Only a model is asked to repeat a token.
            token = None if seat.model is None else keys.check_token(self.secret, entry.key)
            task = JudgeTask(judging.rubric, case, reply, persona=judging.persona, repeat=entry.repeat, token=token)
            yield Job(entry, f"{case.id} judged by {seat.judge.name}", _step(seat.judge, task), seat.model)

    def _not_whole(
        self, row: ReplyRow, key: str, text_hash: str, stored: Given, failure: Unjudged
    ) -> Iterator[Job[Judgement]]:
        """The judgements of a reply that was cut off or stopped, which no judge is asked for."""
        found = content_hash(f"{text_hash}:{key}:{failure.reason.value}")
        common = (row.case, row.reply.subject, key, found, stored, None, _Origin(row.cluster, row.id))
        for entry, seat in self._entries(row.row - 1, *common):
            yield Job(entry, f"{row.case.id} judged by {seat.judge.name}", lambda _: failure, settled=True)

    def _unreplied(
        self,
        index: int,
        case: Case,
        reply: ReplyEntry,
        failure: Unjudged,
        *,
        provisional: bool,
    ) -> Iterator[Job[Judgement]]:
        """The judgements that cannot be, since there is no reply. They are tried again if the reply may still come."""
        outcome = replace(failure, detail=f"there is no reply to judge: {failure.detail}")
        common = (case, reply.subject, reply.key, content_hash(reply.key), ((reply, failure),), None)
        for entry, seat in self._entries(index, *common):
            label = f"{case.id} judged by {seat.judge.name}"
            yield Job(entry, label, lambda _: outcome, provisional=provisional)

    @property
    def _judging(self) -> Judging:
        if self.judging is None:
            raise ValueError("a plan without judges judges nothing")
        return self.judging

    def _entries(
        self,
        index: int,
        case: Case,
        subject: str,
        reply: str,
        reply_hash: str,
        given: Given,
        case_hash: str | None,
        origin: _Origin | None = None,
    ) -> Iterator[tuple[JudgementEntry, Seat]]:
        """The place of each judgement of the reply with this index, and its judge."""
        judging = self._judging
        places = product(judging.seats, range(1, judging.repeats + 1))
        for row, (seat, repeat) in enumerate(places, index * judging.judgements + 1):
            prompt = judging.prompt_hash if seat.model is not None else None
            hashes = (judging.rubric.hash, prompt, judging.persona_hash)
            base = keys.judgement_key(*hashes, case.hash, reply_hash, seat.settings, repeat)
            place = (keys.salted(base, self.salt), base, reply, subject, seat.judge.name, repeat)
            known = {"lang": case.lang, **(origin or _Origin())._asdict()}
            entry = JudgementEntry(*place, *hashes, case_hash or case.hash, self.run, row, given, **known)
            yield entry, seat


def _step(judge: Judge, task: JudgeTask) -> Callable[[Sequence[Answer]], Request | Judgement | Unjudged]:
    """A judge and a task as the state machine of a job, whose outcome is the judgement with its score."""
    seen = coverage_of(judge).in_language(task.case.lang)

    def step(history: Sequence[Answer]) -> Request | Judgement | Unjudged:
        said = judge.next(task, history)
        if not isinstance(said, Verdict):
            return said
        counted = seen.of(said)
        if counted is None:
            return Unjudged(
                Reason.OUT_OF_SCOPE, f"{judge.name} cannot judge any criterion of the rubric `{task.rubric.name}`."
            )
        return score_verdict(counted, task.rubric, task.asked())

    return step


def placed_judgement(ended: Ended[Any], judgements: int) -> Judgement:
    """The judgement of a job that ended, with its place in the run; each reply gets so many ``judgements``."""
    entry, outcome = ended.job.entry, ended.outcome
    if not isinstance(entry, JudgementEntry):
        raise TypeError("this job draws a reply")
    reply = entry.given[0][0] if entry.given else None
    place: dict[str, Any] = {
        name: getattr(entry, name) for name in ("subject", "judge", "repeat", "reply_key", "cluster")
    }
    place |= {"case_id": "", "number": 1} if reply is None else {"case_id": reply.case_id, "number": reply.number}
    replied = entry.given[0][1] if entry.given else None
    if isinstance(replied, Replied):
        text = None if reply is None or reply.case is None else case_from_json(reply.case.text).conversation
        place |= {"reply": replied.text, "conversation": replied.conversation or text, "reasoning": replied.reasoning}
    place |= {"id": entry.row_id or None, "lang": entry.lang or None}
    place["row"] = (entry.row - 1) // judgements + 1
    if isinstance(outcome, Judgement):
        return replace(outcome, **place)
    return Judgement(status="unjudged", reason=str(outcome.reason), detail=outcome.detail, **place)


def case_text(case: Case) -> Text:
    """A case as the journal stores it: all of it but the notes, which are for its author."""
    names = ("id", "title", "dimensions", "hard_fails", "rubric", "failure_modes", "holdout", "repair", "lang")
    content = {name: getattr(case, name) for name in names}
    content["conversation"] = [{"speaker": turn.speaker, "text": turn.text} for turn in case.conversation]
    return Text("case", case.hash, compact_json(content))


def digest_of(parts: Iterable[str]) -> str:
    """One hash of many texts, in their order."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Estimate:
    """About what a run will take, before anything is paid. Re-asks and retries are not counted."""

    jobs: int = 0  # replies and judgements
    in_journal: int = 0  # of them, those whose outcome is in the journal
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0  # `None` where a price is unknown


def estimate(jobs: Iterable[Job[Any]], journal: Journal) -> Estimate:
    """What jobs, and the jobs that follow from them, will take."""
    count = there = calls = prompt = 0
    cost: float | None = 0.0
    for job, is_there in _expected(jobs, journal):
        count += 1
        there += is_there
        request = job.step(()) if job.model is not None and not is_there else None
        if job.model is None or not isinstance(request, Request):
            continue
        calls += 1
        tokens = prompt_tokens(request)
        prompt += tokens
        price = cost_of(Usage(prompt=tokens, completion=_TYPICAL_ANSWER), job.model.identity.prices).known
        cost = None if cost is None or price is None else cost + price
    return Estimate(count, there, calls, prompt, calls * _TYPICAL_ANSWER, cost)


def _expected(jobs: Iterable[Job[Any]], journal: Journal) -> Iterator[tuple[Job[Any], bool]]:
    """All jobs, and whether their outcome is in the journal. A reply that is not there is taken for a typical one."""
    for job in jobs:
        found = journal.find(job.entry)
        yield job, found is not None
        if job.then is not None:
            said = found.outcome if found is not None else job.step(()) if job.model is None else None
            outcome = said if isinstance(said, Replied | Unjudged) else Replied(TYPICAL_REPLY)
            yield from _expected(job.then(Ended(job, outcome, final=True)), journal)
