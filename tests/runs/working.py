"""Jobs, servers and engines for tests: real models over a real loopback, real journals."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.builders import SEED, case, verdict_of
from tests.models.asking import table
from tests.servers import Behaviour, Received, say

from iamhumans.cases import Reply
from iamhumans.judges import LlmJudge
from iamhumans.models import ChatModel, open_model, read_config
from iamhumans.prompts import Answer, Message, Request
from iamhumans.runs.engine import Engine
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal.entries import JudgementEntry, Replied, ReplyEntry
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord
from iamhumans.runs.keys import model_settings, reply_key
from iamhumans.runs.plan import Judging, Planner, Seat, placed_judgement
from iamhumans.runs.settings import RetryPolicy, Settings
from iamhumans.subjects import ReplyRow
from iamhumans.verdicts import Judgement

QUICK = RetryPolicy(first_pause=0.02, longest_pause=0.2, longest_retry_after=2.0)
REPLY = "Oh no. The one with the poppy rolls?"


def settings(**changes: Any) -> Settings:
    """Settings that do not make a test wait."""
    return Settings(**{"retry": QUICK, "attempt_seconds": 30.0, **changes})


def case_name(row: int) -> str:
    return f"ROW-{row:04d}"


def judging_jobs(
    journal: Journal, run: RunRecord | None, model: ChatModel, rows: Iterable[int], *, salt: str = ""
) -> Iterator[Job[Any]]:
    """One judgement a row, of replies that came in a file."""
    judging = Judging(SEED, (Seat(LlmJudge(model.identity.name), model),))
    planner = Planner(journal.secret, judging, run=None if run is None else run.id, salt=salt)
    for row in rows:
        of = case(case_id=case_name(row))
        yield from planner.for_replies([ReplyRow(row, of, Reply(of.id, REPLY))])


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


def table_named(folder: Path, url: str, *, model: str = "tiny") -> ChatModel:
    """A model of a table, with all its settings left to the program."""
    path = folder / "iamhumans.toml"
    path.write_text(f'[models.server]\nbase_url = "{url}"\nmodel = "{model}"\n')
    return open_model("server", read_config(path), environ={})


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
    key = reply_key(settings=known, skill_hash=None, case=case(case_id=name), number=1)
    return Job(ReplyEntry(key, key, name, "local", 1), name, step or once, model, then)


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


def outcomes(journal: Journal, run: RunRecord) -> dict[int, Judgement]:
    """The judgement in each row of a run."""
    return {one.row or 0: one for one in journal.judgements(run)}


def by_row(ended: Iterable[Ended[Any]]) -> dict[int, Judgement]:
    """The same for jobs that ended."""
    return {row_of(one): replace(placed_judgement(one, 1), title="") for one in ended}


def is_judged(ended: Ended[Any]) -> bool:
    """Whether a judgement is a verdict."""
    return isinstance(ended.outcome, Judgement)


def row_of(ended: Ended[Any]) -> int:
    """The row of a judgement."""
    assert isinstance(ended.job.entry, JudgementEntry)
    return ended.job.entry.row
