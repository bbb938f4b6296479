"""One case of a run as it went: the conversation, the replies, every vote, and the calls behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from iamhumans.api.results import Result
from iamhumans.cases import Case, Reply, Turn
from iamhumans.cases.checks import CheckResult
from iamhumans.cases.holdout import shown
from iamhumans.decisions.checks import RunChecks, checks_of
from iamhumans.decisions.panel import Asked
from iamhumans.decisions.replies import ReplyReader
from iamhumans.errors import CommandError
from iamhumans.judges import JudgeTask, LlmJudge
from iamhumans.prompts import Answer, Message, Request, Template, fixed_text
from iamhumans.reports.json import reply_document
from iamhumans.rubrics import Rubric
from iamhumans.runs import keys
from iamhumans.runs.journal.entries import Attempt, Replied
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import CaseRow
from iamhumans.runs.withheld import withheld
from iamhumans.subjects import LlmSubject, SubjectTask
from iamhumans.text import did_you_mean, one_line
from iamhumans.verdicts import Judgement
from iamhumans.verdicts.judgement import messages_of

if TYPE_CHECKING:
    from iamhumans.api.run import Run
    from iamhumans.reports.blocks import Blocks


@dataclass(frozen=True, slots=True)
class Call:
    """One call to a model.

    Attributes:
        attempt: Tokens, cost, time, and the raw answer or the error.
        prompt: The messages exactly as they were sent; ``None`` where they cannot be rebuilt, since another version or
            another journal made the call.
    """

    attempt: Attempt
    prompt: tuple[Message, ...] | None

    def to_dict(self) -> dict[str, Any]:
        """The call for programs."""
        prompt = None if self.prompt is None else [asdict(message) for message in self.prompt]
        return {**self.attempt._asdict(), "prompt": prompt}


@dataclass(frozen=True, slots=True)
class Vote:
    """One judgement of a reply, and the calls that led to it."""

    judgement: Judgement
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplyView:
    """One reply to the case with all votes on it.

    Attributes:
        subject, number: Who replied, and which of several replies it is.
        text: The reply; ``None`` where there is none.
        reasoning: The reasoning that was removed, since the user would not see it.
        beside: What else the message held, in words.
        conversation: What it answers.
        why: Why there is no reply.
        votes: The judgements, by judge and repeat.
        combined: What they come to by the rule for votes; ``None`` where there is one.
        calls: The calls that drew it; none where it came from a file.
        checks: The results of the checks of its case that need no judge.
    """

    subject: str
    number: int
    text: str | None
    reasoning: str
    beside: str
    conversation: tuple[Turn, ...]
    why: str | None
    votes: tuple[Vote, ...]
    combined: Judgement | None = None
    calls: tuple[Call, ...] = ()
    checks: tuple[CheckResult, ...] = ()


@dataclass(frozen=True)
class CaseView(Result):
    """One case of a run as it went. With ``raw``, outputs hold every prompt and raw answer, and the reasoning.

    Attributes:
        run: The name of the run.
        case: The case as it was judged.
        hidden: Whether it is held out and its texts are hashes.
        replies: The replies to it, in the order of the run.
        raw: Whether outputs hold every prompt and raw answer.
    """

    run: str
    case: Case
    hidden: bool
    replies: tuple[ReplyView, ...]
    raw: bool = False

    def blocks(self) -> Blocks:
        """Headings, the conversation, each reply with its quotes marked, and every vote."""
        from iamhumans.reports.case_blocks import case_blocks

        return case_blocks(self)

    def to_dict(self) -> dict[str, Any]:
        """The content for programs, of JSON's types only."""
        case, lists = self.case, ("dimensions", "hard_fails", "rubric", "failure_modes")
        return {
            "run": self.run,
            "case_id": case.id,
            "title": case.title,
            **{name: list(getattr(case, name)) for name in lists},
            "holdout": case.holdout,
            "replies": [self._reply(reply) for reply in self.replies],
        }

    def _reply(self, reply: ReplyView) -> dict[str, Any]:
        names = ("subject", "number", "text", "beside", "why", *(("reasoning",) if self.raw else ()))
        facts = {name: getattr(reply, name) for name in names}
        votes = [vote.judgement.to_dict() | self._calls(vote.calls) for vote in reply.votes]
        together: dict[str, Any] = {} if reply.combined is None else {"combined": reply_document(reply.combined)}
        together["checks"] = [one.to_dict() for one in reply.checks]
        conversation = messages_of(reply.conversation)
        return {**facts, "conversation": conversation, **together, "votes": votes, **self._calls(reply.calls)}

    def _calls(self, calls: Iterable[Call]) -> dict[str, Any]:
        return {"calls": [call.to_dict() for call in calls]} if self.raw else {}


def case_view(run: Run, case_id: str, *, raw: bool = False, holdout_reason: str | None = None) -> CaseView:
    """A case of a run. Raises CommandError where the run has none with this id."""
    core = run.journal.core
    facts = core.case_facts(run.record)
    if case_id not in facts:
        known = did_you_mean(case_id, facts, f"Its cases are {', '.join(list(facts)[:10])} …")
        raise CommandError(f"Run {run.name} has no case `{one_line(case_id, 80)}`.", fix=one_line(known, 300))
    rows = [row for row in core.case_rows(run.record, case_id) if run.subject in (None, row.judgement.subject)]
    if not rows:
        raise CommandError(f"Run {run.name} has no reply of {one_line(run.subject or '', 80)} to {case_id}.")
    if facts[case_id].held_out and holdout_reason is not None:
        run.disclose("case", holdout_reason)
    hidden = facts[case_id].held_out and holdout_reason is None
    replies: dict[tuple[str, str], list[CaseRow]] = {}
    for row in rows:
        replies.setdefault((row.judgement.subject, row.judgement.reply_key), []).append(row)
    rebuilt = _Rebuilding(core, run.rubric) if raw else None
    reader, checks = ReplyReader(run.rubric, Asked.by(run.plan)), checks_of(core, run.record, subject=run.subject)
    views = tuple(
        replace(
            _reply_view(core, several, rebuilt, reader, hidden=hidden),
            checks=_results_of(checks, reply_key, hidden=hidden),
        )
        for (_, reply_key), several in replies.items()
    )
    case = rows[0].case
    return CaseView(run.name, _hashed(case) if hidden else case, hidden, views, raw)


def _results_of(checks: RunChecks | None, reply_key: str, *, hidden: bool) -> tuple[CheckResult, ...]:
    found = None if checks is None else checks.by_key.get(reply_key)
    return () if found is None else found.shown(hidden=hidden)


def _reply_view(
    core: Journal, rows: Sequence[CaseRow], rebuilt: _Rebuilding | None, reader: ReplyReader, *, hidden: bool
) -> ReplyView:
    first, found = rows[0].judgement, core.reply(rows[0].judgement.reply_key)
    replied = found if isinstance(found, Replied) else Replied("")
    why = None if found is None or isinstance(found, Replied) else f"{found.reason.value}: {found.detail}"
    votes = tuple(
        Vote(
            withheld(row.judgement) if hidden else replace(row.judgement, reply=None, conversation=None),
            () if rebuilt is None else rebuilt.of_vote(row, hidden=hidden),
        )
        for row in rows
    )

    said = next(reader.replies(row.judgement for row in rows))
    combined = None if said.panel is None else withheld(said.combined) if hidden else said.combined

    def safe(text: str) -> str:
        return shown(text, held_out=hidden, reason=None)

    turns = tuple(Turn(turn.speaker, safe(turn.text)) for turn in first.conversation or ())
    return ReplyView(
        first.subject,
        first.number,
        None if why is not None else safe(replied.text),
        safe(replied.reasoning),
        safe(replied.beside),
        turns,
        why and safe(why),
        tuple(replace(vote, judgement=replace(vote.judgement, reply=None, conversation=None)) for vote in votes),
        None if combined is None else replace(combined, reply=None, conversation=None),
        () if rebuilt is None else rebuilt.of_reply(rows[0], hidden=hidden),
    )


def _hashed(case: Case) -> Case:
    """A held-out case with hashes in place of its texts."""
    texts = {name: tuple(shown(one, held_out=True, reason=None) for one in getattr(case, name)) for name in _TEXTS}
    turns = tuple(Turn(turn.speaker, shown(turn.text, held_out=True, reason=None)) for turn in case.conversation)
    title = shown(case.title, held_out=True, reason=None)
    return replace(case, title=title, conversation=turns, rubric=texts["rubric"], failure_modes=texts["failure_modes"])


_TEXTS = ("rubric", "failure_modes")
_Prompts = Mapping[tuple[int, str], tuple[Message, ...]]


@dataclass(frozen=True, slots=True)
class _Rebuilding:
    """Rebuilds what was sent, by asking judge and subject again what they ask next; a hash says whether it is exact."""

    core: Journal
    rubric: Rubric

    def of_vote(self, row: CaseRow, *, hidden: bool) -> tuple[Call, ...]:
        """The calls for a judgement."""
        one = row.judgement
        if one.reply is None or row.prompt is None:
            return self._calls(row.key, {}, hidden=hidden)
        template = None if row.prompt == fixed_text(self.rubric) else Template(row.prompt)
        case = replace(row.case, conversation=one.conversation or row.case.conversation)
        reply = Reply(case.id, one.reply, one.subject, one.number)
        token = keys.check_token(self.core.secret, row.key)
        task = JudgeTask(self.rubric, case, reply, persona=row.persona, repeat=one.repeat, token=token)
        judge = LlmJudge(one.judge, template)
        return self._calls(row.key, self._prompts(row.key, lambda said: judge.next(task, said)), hidden=hidden)

    def of_reply(self, row: CaseRow, *, hidden: bool) -> tuple[Call, ...]:
        """The calls for a reply."""
        key, task = row.judgement.reply_key, SubjectTask(row.case, row.judgement.number)
        subject = LlmSubject(row.judgement.subject, row.skill)
        return self._calls(key, self._prompts(key, lambda said: subject.next(task, said)), hidden=hidden)

    def _prompts(self, key: str, step: Any) -> _Prompts:
        answers, history, found = self.core.answers(key), list[Answer](), {}
        while isinstance(request := step(history), Request):
            place = len(history), keys.request_hash(request)
            found[place] = request.messages
            if place not in answers:
                break
            history.append(answers[place])
        return found

    def _calls(self, key: str, prompts: _Prompts, *, hidden: bool) -> tuple[Call, ...]:
        return tuple(self._call(attempt, prompts, hidden=hidden) for attempt in self.core.attempts(key))

    def _call(self, attempt: Attempt, prompts: _Prompts, *, hidden: bool) -> Call:
        prompt = prompts.get((attempt.step, attempt.request))
        if not hidden:
            return Call(attempt, prompt)
        texts = {name: getattr(attempt, name) for name in ("answer", "error_text", "reasoning", "beside")}
        hashes: Any = {name: shown(text, held_out=True, reason=None) for name, text in texts.items() if text}
        return Call(attempt._replace(**hashes), None)
