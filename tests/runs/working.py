"""Jobs, servers and engines for tests: real models over a real loopback, real journals."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.builders import SEED, case, verdict_of
from tests.models.asking import table
from tests.servers import Behaviour, Received, say

from iamhumans.cases import Reply
from iamhumans.judges import JudgeTask, LlmJudge
from iamhumans.models import ChatModel
from iamhumans.prompts import Answer, Message, Request, prompt_hash
from iamhumans.runs import (
    Ended,
    Engine,
    Job,
    Journal,
    Judged,
    JudgementEntry,
    Replied,
    ReplyEntry,
    RetryPolicy,
    Run,
    Settings,
    check_token,
    content_hash,
    given_reply_key,
    judgement_job,
    judgement_key,
    model_settings,
    reply_key,
)

QUICK = RetryPolicy(first_pause=0.02, longest_pause=0.2, longest_retry_after=2.0)
JUDGE = "local"
REPLY = "Oh no. The one with the poppy rolls?"


def settings(**changes: Any) -> Settings:
    """Settings that do not make a test wait."""
    return Settings(**{"retry": QUICK, "attempt_seconds": 30.0, **changes})


def case_name(row: int) -> str:
    return f"ROW-{row:04d}"


def judging_jobs(
    journal: Journal, run: Run | None, model: ChatModel, rows: Iterable[int], *, salt: str = ""
) -> Iterator[Job[Judged]]:
    """One judgement a row, of replies that came in a file."""
    judge, secret, prompt = LlmJudge(JUDGE), journal.secret, prompt_hash(SEED)
    for row in rows:
        asked = case(case_id=case_name(row))
        key = judgement_key(
            rubric_hash=SEED.hash,
            prompt_hash=prompt,
            persona_hash=None,
            case_hash=asked.hash,
            reply_hash=content_hash(REPLY),
            judge=JUDGE,
            settings={"model": "tiny"},
            repeat=1,
            salt=salt,
        )
        reply = given_reply_key(subject="", case_hash=asked.hash, number=1, text=REPLY)
        given = ReplyEntry(reply, asked.id, "", 1, asked.hash), Replied(REPLY)
        entry = JudgementEntry(
            key, reply, JUDGE, 1, SEED.hash, run=None if run is None else run.id, row=row, given=given
        )
        task = JudgeTask(SEED, asked, Reply(asked.id, REPLY), token=check_token(secret, key))
        yield judgement_job(judge, task, entry, model=model)


def asked_case(received: Received) -> str:
    found = re.search(r"ID: `([^`]+)`", received.messages[1]["content"])
    assert found is not None
    return found[1]


def verdict_for(received: Received, *, score: int | None = None) -> str:
    """The verdict on a row: always the same for a row, with another score for another."""
    name = asked_case(received)
    token = re.search(r"Check token: `([a-z2-7]+)`", received.messages[1]["content"])
    assert token is not None
    number = int(name[-4:])
    axes = {"naturalness": number % 11 if score is None else score}
    yes = {"pity": ["poppy rolls"]} if number % 5 == 0 else {}
    return verdict_of(case_id=name, axes=axes, yes=yes, check=token[1])


def judging(received: Received) -> Behaviour:
    """Behave as a judge that makes no mistakes."""
    return say(verdict_for(received))


def mostly_judging(received: Received) -> Behaviour:
    """Behave as a judge whose first answer on every tenth row is malformed."""
    malformed = int(asked_case(received)[-4:]) % 10 == 3 and len(received.messages) == 2
    return say("I would give this an eight or so.") if malformed else judging(received)


def local_model(folder: Path, url: str, *lines: str) -> ChatModel:
    """A model of a table, asked for plain text."""
    return table(folder, url, 'structured = "none"', *lines)


def asking_job(
    model: ChatModel | None,
    name: str = "A",
    *,
    step: Callable[[Sequence[Answer]], Any] | None = None,
    then: Callable[[Ended[Replied]], Iterable[Job[Any]]] | None = None,
) -> Job[Replied]:
    """A reply that one question brings."""

    def once(history: Sequence[Answer]) -> Request | Replied:
        return Replied(history[0].text) if history else question(name)

    known = {} if model is None else model_settings(model.identity)
    key = reply_key(subject="local", settings=known, skill_hash=None, case_hash=name, number=1)
    return Job(ReplyEntry(key, name, "local", 1, name), name, step or once, model, then)


def question(text: str) -> Request:
    return Request((Message("system", "You answer."), Message("user", text)))


def work(
    journal: Journal,
    jobs: Iterable[Job[Any]],
    *,
    model: ChatModel | None = None,
    watch: Callable[[Engine, Ended[Any]], None] | None = None,
    **options: Any,
) -> list[Ended[Any]]:
    """Everything that an engine makes of jobs. ``watch`` is called as each ends."""

    async def run() -> list[Ended[Any]]:
        engine = Engine(journal, **{"settings": settings(), **options})
        ended = []
        try:
            async for one in engine.run(jobs):
                ended.append(one)
                if watch is not None:
                    watch(engine, one)
        finally:
            if model is not None:
                await model.close()
        return ended

    return asyncio.run(run())


def outcomes(journal: Journal, run: Run) -> dict[int, Any]:
    """What every row of a run came to."""
    return {record.row: record.outcome for record in journal.rows(run)}


def row_of(ended: Ended[Any]) -> int:
    """The row of a judgement."""
    assert isinstance(ended.job.entry, JudgementEntry)
    return ended.job.entry.row
