"""A plan: from what the user asked for to jobs, before anything is paid for.

A row of a run is one judgement. Rows are numbered so that replies come in the order of the input, and for each reply
the judges in the order in which they were named, and for each judge its repeats.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from iamhumans.cases import Case, Reply
from iamhumans.judges import Judge, JudgeTask, needs_model
from iamhumans.models.model import ChatModel
from iamhumans.prompts import Answer, Request, Template, fixed_text, prompt_hash
from iamhumans.rubrics import Rubric
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal import Judged, JudgementEntry, Replied, ReplyEntry, Text
from iamhumans.runs.journal.entries import Statement
from iamhumans.runs.judging import judgement_job
from iamhumans.runs.keys import check_token, content_hash, given_reply_key, judgement_key, model_settings, reply_key
from iamhumans.subjects import Answered, ReplyRow, SubjectTask
from iamhumans.subjects.model import Subject
from iamhumans.verdicts import Reason, Unjudged

_STOPPED = (Reason.BUDGET, Reason.CANCELLED)
_TYPICAL_REPLY = "A reply of the length that replies have. " * 15
"""What a reply is taken to be before it was drawn, to estimate what its judgements will cost."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A judge, with the model that it asks."""

    judge: Judge
    model: ChatModel | None = None

    @property
    def settings(self) -> Mapping[str, Any]:
        """What besides its name can change its judgements."""
        return model_settings(self.model.identity) if self.model else {"version": self.judge.version}


@dataclass(frozen=True, slots=True)
class Judging:
    """How replies are judged."""

    rubric: Rubric
    seats: tuple[Seat, ...]
    repeats: int = 1
    persona: str | None = None
    template: Template | None = None

    @property
    def judgements(self) -> int:
        """How many judgements each reply gets."""
        return len(self.seats) * self.repeats

    def described(self) -> dict[str, Any]:
        """What it comes to, as the plan of a run holds it."""
        return {
            "rubric": {"name": self.rubric.name, "hash": self.rubric.hash},
            "prompt": prompt_hash(self.rubric, self.template),
            "persona": None if self.persona is None else content_hash(self.persona),
            "judges": [{"name": seat.judge.name, "settings": dict(seat.settings)} for seat in self.seats],
            "repeats": self.repeats,
        }

    @property
    def models(self) -> list[ChatModel]:
        """The models that are asked."""
        return [seat.model for seat in self.seats if seat.model is not None]

    def texts(self) -> Iterator[Text]:
        """The texts that its judgements refer to."""
        yield Text("rubric", self.rubric.hash, self.rubric.model_dump_json(by_alias=True))
        yield Text("prompt", prompt_hash(self.rubric, self.template), fixed_text(self.rubric, self.template))
        if self.persona is not None:
            yield Text("persona", content_hash(self.persona), self.persona)


@dataclass(frozen=True, slots=True)
class Drawing:
    """How replies are drawn from a subject."""

    subject: Subject
    model: ChatModel | None = None
    """Whom the subject asks; ``None`` for recorded replies."""
    replies: int = 1

    @property
    def settings(self) -> Mapping[str, Any]:
        """What besides its name and its skill can change its replies."""
        return model_settings(self.model.identity) if self.model else {"version": self.subject.version}

    def described(self) -> dict[str, Any]:
        """What it comes to, as the plan of a run holds it."""
        return {
            "subject": {"name": self.subject.name, "settings": dict(self.settings)},
            "skill": self.skill_hash,
            "replies": self.replies,
        }

    @property
    def models(self) -> list[ChatModel]:
        """The model that is asked, where one is."""
        return [] if self.model is None else [self.model]

    def texts(self) -> Iterator[Text]:
        """The texts that its replies refer to."""
        if self.subject.skill is not None:
            yield Text("skill", content_hash(self.subject.skill), self.subject.skill)

    @property
    def skill_hash(self) -> str | None:
        """The content hash of the skill, where there is one."""
        return None if self.subject.skill is None else content_hash(self.subject.skill)


@dataclass(frozen=True, slots=True)
class Place:
    """Where results belong: the secret of the journal, and the run. Without a run, results are kept all the same."""

    secret: bytes
    run: int | None = None
    salt: str = ""


@dataclass(frozen=True, slots=True)
class _Unreplied:
    """The place of a judgement whose reply failed. It brings the reply's row, which it refers to.

    The row need not be there: a process that was stopped while another worked on the reply has not written it.
    """

    judgement: JudgementEntry
    reply: ReplyEntry
    failure: Unjudged

    @property
    def key(self) -> str:
        """The judgement's key."""
        return self.judgement.key

    def find(self, connection: sqlite3.Connection) -> Judged | Unjudged | None:
        """The judgement, if there is one that stands."""
        return self.judgement.find(connection)

    def kept(self, outcome: Judged | Unjudged, *, final: bool) -> list[Statement]:
        """Both rows. A reply that stands is not touched."""
        return [*self.reply.kept(self.failure, final=False), *self.judgement.kept(outcome, final=final)]

    def placed(self) -> list[Statement]:
        """The judgement's row in the run."""
        return self.judgement.placed()


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes the jobs of a run."""

    place: Place
    judging: Judging | None = None
    drawing: Drawing | None = None

    def for_replies(self, rows: Iterable[ReplyRow]) -> Iterator[Job[Any]]:
        """The judgements of replies that exist."""
        for row in rows:
            reply = row.reply
            key = _given_key(row)
            given = (_reply_entry(key, row.case, reply.subject, reply.number), Replied(reply.text))
            yield from self._judgements(row.row - 1, row.case, reply, key, given)

    def first_token(self, row: ReplyRow) -> str:
        """The check token of the first judgement of a reply that exists."""
        key = _given_key(row)
        _, seat, repeat = next(self._seats(0))
        return check_token(
            self.place.secret, self._entry(0, seat, row.case, key, content_hash(row.reply.text), repeat, None).key
        )

    def for_cases(self, cases: Sequence[Case]) -> Iterator[Job[Any]]:
        """The replies of a subject, each followed by its judgements."""
        drawing = self._drawing()
        for index, case in enumerate(cases):
            for number in range(1, drawing.replies + 1):
                yield self._drawn(index * drawing.replies + number - 1, case, number)

    def expected(self, cases: Sequence[Case], held: Callable[[ReplyEntry], object | None]) -> Iterator[Job[Any]]:
        """All jobs of :meth:`for_cases`, those of judgements too: of the replies that are held, or of typical ones."""
        for job in self.for_cases(cases):
            yield job
            entry = job.entry
            if job.then is None or not isinstance(entry, ReplyEntry):
                continue
            there = held(entry)
            outcome = there if isinstance(there, (Replied, Unjudged)) else self._expected_reply(job)
            yield from job.then(Ended(job, outcome, final=True))

    def _expected_reply(self, job: Job[Any]) -> Replied | Unjudged:
        """The reply of a subject that needs no model, or one of a typical length."""
        said = job.step(()) if job.model is None else None
        return said if isinstance(said, (Replied, Unjudged)) else Replied(_TYPICAL_REPLY)

    def _drawing(self) -> Drawing:
        if self.drawing is None:
            raise ValueError("a plan without a subject draws no replies")
        return self.drawing

    def _drawn(self, index: int, case: Case, number: int) -> Job[Replied]:
        drawing = self._drawing()
        task = SubjectTask(case, number)
        key = reply_key(
            subject=drawing.subject.name,
            settings=drawing.settings,
            skill_hash=drawing.skill_hash,
            case_hash=case.hash,
            number=number,
            salt=self.place.salt,
        )

        def step(history: Sequence[Answer]) -> Request | Replied | Unjudged:
            said = drawing.subject.next(task, history)
            if not isinstance(said, Answered):
                return said
            live = said.case.conversation if said.case.conversation != case.conversation else ()
            return Replied(said.reply.text, live)

        def then(ended: Ended[Replied]) -> Iterable[Job[Any]]:
            return self._after(index, case, entry, ended)

        entry = _reply_entry(key, case, drawing.subject.name, number, drawing.skill_hash)
        label = f"reply {number} to {case.id} by {drawing.subject.name}"
        return Job(entry, label, step, drawing.model, then if self.judging else None)

    def _after(self, index: int, case: Case, entry: ReplyEntry, ended: Ended[Replied]) -> Iterator[Job[Any]]:
        """The judgements of a reply that was drawn, or that could not be."""
        outcome = ended.outcome
        if isinstance(outcome, Unjudged):
            yield from self._unreplied(index, case, entry, outcome, provisional=not ended.final)
            return
        seen = replace(case, conversation=outcome.conversation) if outcome.conversation else case
        reply = Reply(case.id, outcome.text, entry.subject, entry.number)
        yield from self._judgements(index, seen, reply, entry.key, None)

    def _judgements(
        self,
        index: int,
        case: Case,
        reply: Reply,
        key: str,
        given: tuple[ReplyEntry, Replied] | None,
    ) -> Iterator[Job[Judged]]:
        for place, seat, repeat in self._seats(index):
            entry = self._entry(place, seat, case, key, content_hash(reply.text), repeat, given)
            task = JudgeTask(
                self._judging().rubric,
                case,
                reply,
                persona=self._judging().persona,
                repeat=repeat,
                token=check_token(self.place.secret, entry.key),
            )
            yield judgement_job(seat.judge, task, entry, model=seat.model)

    def _unreplied(
        self, index: int, case: Case, reply: ReplyEntry, failure: Unjudged, *, provisional: bool
    ) -> Iterator[Job[Judged]]:
        """The judgements that cannot be, since there is no reply. They are sought again where the reply is.

        A subject that answered with nothing, or was cut off at its own limit, was heard: that stands, as it does where
        a judge gives no verdict.
        """
        reason = failure.reason if failure.reason in _STOPPED else Reason.NO_REPLY
        outcome = Unjudged(reason, f"there is no reply ({failure.reason.value}: {failure.detail})")
        for place, seat, repeat in self._seats(index):
            entry = self._entry(place, seat, case, reply.key, content_hash(reply.key), repeat, None)
            label = f"{case.id} judged by {seat.judge.name}"
            yield Job(_Unreplied(entry, reply, failure), label, lambda _history: outcome, provisional=provisional)

    def _seats(self, index: int) -> Iterator[tuple[int, Seat, int]]:
        """The row, the judge and the repeat of each judgement of the reply with this index."""
        judging = self._judging()
        row = index * judging.judgements
        for seat in judging.seats:
            for repeat in range(1, judging.repeats + 1):
                row += 1
                yield row, seat, repeat

    def _judging(self) -> Judging:
        if self.judging is None:
            raise ValueError("a plan without judges judges nothing")
        return self.judging

    def _entry(
        self,
        row: int,
        seat: Seat,
        case: Case,
        reply_key_: str,
        reply_hash: str,
        repeat: int,
        given: tuple[ReplyEntry, Replied] | None,
    ) -> JudgementEntry:
        judging = self._judging()
        asks = needs_model(seat.judge)
        prompt = prompt_hash(judging.rubric, judging.template) if asks else None
        persona = None if judging.persona is None else content_hash(judging.persona)
        key = judgement_key(
            rubric_hash=judging.rubric.hash,
            prompt_hash=prompt,
            persona_hash=persona,
            case_hash=case.hash,
            # Of two like replies each has its own judgement, so that they stay independent draws.
            reply_hash=f"{reply_hash}:{reply_key_}",
            judge=seat.judge.name,
            settings=seat.settings,
            repeat=repeat,
            salt=self.place.salt,
        )
        return JudgementEntry(
            key=key,
            reply_key=reply_key_,
            judge=seat.judge.name,
            repeat=repeat,
            rubric_hash=judging.rubric.hash,
            prompt_hash=prompt,
            persona_hash=persona,
            run=self.place.run,
            row=row,
            given=given,
        )


def _given_key(row: ReplyRow) -> str:
    reply = row.reply
    return given_reply_key(subject=reply.subject, case_hash=row.case.hash, number=reply.number, text=reply.text)


def _reply_entry(key: str, case: Case, subject: str, number: int, skill_hash: str | None = None) -> ReplyEntry:
    return ReplyEntry(key, case.id, subject, number, case.hash, skill_hash, (case_text(case),))


def case_text(case: Case) -> Text:
    """A case as the journal keeps it: all of it but the notes, which are for its author."""
    content = asdict(replace(case, notes="", path=None))
    del content["notes"], content["path"]
    return Text("case", case.hash, json.dumps(content, ensure_ascii=False))


def digest_of(parts: Iterable[str]) -> str:
    """One hash of many, in their order."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode())
        digest.update(b"\n")
    return digest.hexdigest()
