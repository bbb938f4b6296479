"""How outcomes are stored, and how a stored outcome is found again.

A key is made of a ``base`` and the salt of a ``--fresh`` run. A run without a salt takes the newest final outcome of
the same base, so what was asked afresh is never replaced by older results.
"""

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from pydantic_core import from_json, to_json

from iamhumans.cases import Turn
from iamhumans.models.chat import Usage
from iamhumans.prompts import Answer
from iamhumans.runs.journal.errors import UNREADABLE, DamagedRowError
from iamhumans.verdicts import Choice, Flag, Judgement, Preference, Reason, Stated, Unjudged

O = TypeVar("O", contravariant=True)  # noqa: E741 - the outcome


def now(*, days_ago: int = 0) -> str:
    """The time in the form of all columns: UTC, ISO 8601. No result is decided by it."""
    second, fraction = divmod(time.time_ns() - days_ago * 86_400_000_000_000, 1_000_000_000)
    return f"{_second(second)}.{fraction // 1_000_000:03d}Z"


@lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def storable(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def compact_json(value: Any) -> str:
    """A JSON value as the journal stores it."""
    try:
        return to_json(value).decode()
    except ValueError:  # a lone surrogate
        return storable(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


class Found(NamedTuple):
    """A stored outcome and its row number."""

    id: int
    outcome: Any


class Entry(Protocol[O]):
    """The place of one job's outcome in the journal."""

    @property
    def key(self) -> str:
        """The job's key."""

    def find(self, connection: sqlite3.Connection) -> Found | None:
        """The final outcome, if there is one."""

    def store(self, connection: sqlite3.Connection, outcome: O | Unjudged, *, final: bool) -> None:
        """Store an outcome. A final one is never replaced."""

    def place(self, connection: sqlite3.Connection, found: int | None = None) -> None:
        """Note where in a run the outcome belongs: the stored one with this row number, or else the one of this key."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that results refer to: ``kind`` is rubric, case, prompt, persona, skill or checks."""

    kind: str
    hash: str
    text: str

    def store(self, connection: sqlite3.Connection) -> None:
        """Store it, once. It replaces what an import brought under its hash, which may lack the words."""
        sql = "INSERT INTO texts (kind, hash, text) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text"
        connection.execute(f"{sql} WHERE text <> excluded.text", (self.kind, self.hash, storable(self.text)))


@dataclass(frozen=True, slots=True)
class Replied:
    """A subject's reply."""

    text: str
    conversation: tuple[Turn, ...] = ()  # as it went, where the subject answered earlier turns as well
    key: str = ""  # under which the journal holds it; empty for one that is not stored yet
    reasoning: str = ""  # what was taken off, since the user would not see it
    beside: str = ""  # what else the message held, in words


_STORE_REPLY = """
INSERT INTO replies (key, base, case_id, case_text, subject, skill_text, number, status, reason, detail, final, ended,
                     conversation, text, reasoning, beside)
VALUES (?, ?, ?, (SELECT id FROM texts WHERE kind = 'case' AND hash = ?), ?,
        (SELECT id FROM texts WHERE kind = 'skill' AND hash = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = excluded.status, reason = excluded.reason, detail = excluded.detail,
  final = excluded.final, ended = excluded.ended, conversation = excluded.conversation, text = excluded.text,
  reasoning = excluded.reasoning, beside = excluded.beside
WHERE replies.final = 0
"""


def _finder(table: str, columns: str) -> tuple[str, str]:
    """The queries for the final outcome of a fresh run's key, and for the newest one of a base.

    Only keys that differ from their base are in the index of bases, so both are looked for.
    """
    by_key = f"SELECT id, {columns} FROM {table} WHERE key = ?1 AND final = 1"  # noqa: S608 - constants
    by_base = by_key.replace("key = ?1", "base = ?1 AND base <> key")
    return by_key, f"{by_key} UNION ALL {by_base} ORDER BY 1 DESC LIMIT 1"


REPLY_COLUMNS = "key, text, conversation, reason, detail, reasoning, beside"
"""What :func:`read_reply` takes, in its order."""
_FIND_REPLY = _finder("replies", REPLY_COLUMNS)


@dataclass(frozen=True, slots=True)
class ReplyEntry:
    """The place of a reply. ``base`` is its key without the salt of a fresh run, and equal to it in any other run."""

    key: str
    base: str
    case_id: str
    subject: str
    number: int
    case: Text | None = None
    skill_hash: str | None = None

    def find(self, connection: sqlite3.Connection) -> Found | None:
        """The reply, or the reason why there is none."""
        row = connection.execute(_FIND_REPLY[self.key == self.base], (self.key,)).fetchone()
        return None if row is None else Found(row[0], read_reply(*row[1:]))

    def store(self, connection: sqlite3.Connection, outcome: Replied | Unjudged, *, final: bool) -> None:
        """Store the reply, and the text of its case."""
        case_hash = conversation = text = reasoning = beside = None
        status: tuple[str, str | None, str | None] = ("replied", None, None)
        if isinstance(outcome, Unjudged):
            status = ("failed", outcome.reason.value, storable(outcome.detail))
        else:
            text = storable(outcome.text)
            reasoning, beside = storable(outcome.reasoning) or None, storable(outcome.beside) or None
            if outcome.conversation:
                conversation = json.dumps([[turn.speaker, turn.text] for turn in outcome.conversation])
        if self.case is not None:
            self.case.store(connection)
            case_hash = self.case.hash
        facts = (self.key, self.base, storable(self.case_id), case_hash, storable(self.subject), self.skill_hash)
        said = (conversation, text, reasoning, beside)
        connection.execute(_STORE_REPLY, (*facts, self.number, *status, int(final), now(), *said))

    def place(self, connection: sqlite3.Connection, found: int | None = None) -> None:
        """Nothing: only judgements have a place in a run."""


def stored_keys(connection: sqlite3.Connection, keys: Sequence[str]) -> set[str]:
    """Those of the keys under which there may be a final outcome."""
    return {key for (key,) in connection.execute(_STORED_KEYS, (compact_json(keys),))}


def read_reply(
    key: str,
    text: str | None,
    conversation: str | None,
    reason: str | None,
    detail: str | None,
    reasoning: str | None = None,
    beside: str | None = None,
) -> Replied | Unjudged:
    """The outcome in a row of ``replies``."""
    try:
        if text is None or reason is not None:
            return Unjudged(Reason(reason or ""), detail or "")
        turns = tuple(Turn(speaker, said) for speaker, said in from_json(conversation)) if conversation else ()
    except UNREADABLE:
        raise DamagedRowError("replies", key) from None
    return Replied(text, turns, key, reasoning or "", beside or "")


_STORE_JUDGEMENT = """
INSERT INTO judgements (key, base, reply, second_reply, case_text, judge, repeat, rubric_text, prompt_text,
                        persona_text, status, reason, detail, total, total_confirmed, axis_total, applicable_total,
                        outcome, zeroed, verdict, said, notes, final, ended)
VALUES (?, ?, (SELECT id FROM replies WHERE key = ?), (SELECT id FROM replies WHERE key = ?),
        (SELECT id FROM texts WHERE kind = 'case' AND hash = ?), ?, ?,
        (SELECT id FROM texts WHERE kind = 'rubric' AND hash = ?),
        (SELECT id FROM texts WHERE kind = 'prompt' AND hash = ?),
        (SELECT id FROM texts WHERE kind = 'persona' AND hash = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = excluded.status, reason = excluded.reason, detail = excluded.detail,
  total = excluded.total, total_confirmed = excluded.total_confirmed, axis_total = excluded.axis_total,
  applicable_total = excluded.applicable_total, outcome = excluded.outcome, zeroed = excluded.zeroed,
  verdict = excluded.verdict, said = excluded.said, notes = excluded.notes, final = excluded.final,
  ended = excluded.ended
WHERE judgements.final = 0
"""
_PLACE = """
INSERT INTO run_rows (run, row, judgement, subject, judge, cluster, row_id, lang)
VALUES (?, ?, coalesce(?, (SELECT id FROM judgements WHERE key = ?)), ?, ?, ?, ?, ?)
ON CONFLICT (run, row) DO UPDATE SET judgement = excluded.judgement WHERE judgement <> excluded.judgement
"""
OUTCOME_COLUMNS = "reason, detail, total, total_confirmed, axis_total, applicable_total, outcome, verdict, said, notes"
"""What :func:`read_judgement` takes, in its order."""
_FIND_JUDGEMENT = _finder("judgements", OUTCOME_COLUMNS)

_STORED_KEYS = " UNION ALL ".join(
    f"SELECT {name} FROM {table} WHERE {name} IN (SELECT value FROM json_each(?1)) AND {which}"  # noqa: S608 - constants
    for table in ("replies", "judgements")
    for name, which in (("key", "final = 1"), ("base", "final = 1 AND base <> key"))
)

JudgementOutcome: TypeAlias = Judgement | Preference | Unjudged


@dataclass(frozen=True, slots=True)
class JudgementEntry:
    """The place of a judgement, or of a side-by-side choice. Subject and judge have the names of this run."""

    key: str
    base: str  # the key without the salt of a fresh run
    reply_key: str  # of the reply that is judged. It is in the journal, or comes with `given`
    subject: str
    judge: str
    repeat: int  # which of several independent judgements this is
    rubric_hash: str | None
    prompt_hash: str | None = None
    persona_hash: str | None = None
    case_hash: str | None = None
    run: int | None = None  # its number in the journal
    row: int = 0  # the place in the run
    given: tuple[tuple[ReplyEntry, Replied | Unjudged], ...] = ()  # replies from a file, or failed ones, stored with it
    second_reply_key: str | None = None  # of a side-by-side choice
    cluster: str = ""  # of a reply without a case: which replies are of the same conversation
    row_id: str = ""  # the id that a row of a file has
    lang: str = ""  # the language of the case

    def find(self, connection: sqlite3.Connection) -> Found | None:
        """The final judgement, if there is one."""
        row = connection.execute(_FIND_JUDGEMENT[self.key == self.base], (self.key,)).fetchone()
        try:
            return None if row is None else Found(row[0], read_judgement(row[1:]))
        except UNREADABLE:
            raise DamagedRowError("judgements", row[0]) from None

    def store(self, connection: sqlite3.Connection, outcome: JudgementOutcome, *, final: bool) -> None:
        """Store the judgement; before it, the replies that came with it."""
        for entry, reply in self.given:
            entry.store(connection, reply, final=isinstance(reply, Replied))
        facts = (self.key, self.base, self.reply_key, self.second_reply_key, self.case_hash, storable(self.judge))
        hashes = (self.repeat, self.rubric_hash, self.prompt_hash, self.persona_hash)
        connection.execute(_STORE_JUDGEMENT, (*facts, *hashes, *_values(outcome), int(final), now()))

    def place(self, connection: sqlite3.Connection, found: int | None = None) -> None:
        """Its row in the run."""
        if self.run is not None:
            names = (storable(self.subject), storable(self.judge))
            facts = (storable(text) or None for text in (self.cluster, self.row_id, self.lang))
            connection.execute(_PLACE, (self.run, self.row, found, self.key, *names, *facts))


def _values(outcome: JudgementOutcome) -> tuple[Any, ...]:
    """From ``status`` to ``notes``."""
    if isinstance(outcome, Unjudged):
        return ("unjudged", outcome.reason.value, storable(outcome.detail), *(None,) * 9)
    if isinstance(outcome, Preference):
        said = {name: getattr(outcome, name) for name in ("confirmed", "first_quotes", "second_quotes", "repairs")}
        verdict = compact_json({"choice": outcome.choice.value, **said})
        return ("judged", *(None,) * 8, verdict, None, storable(outcome.reason))
    if not outcome.judged:
        return ("unjudged", outcome.reason, storable(outcome.detail or ""), *(None,) * 9)
    totals = (outcome.total, outcome.total_confirmed, outcome.axis_total, outcome.applicable_total, outcome.verdict)
    zeroed = int(bool(outcome.present))
    notes = storable(outcome.notes or "")
    return ("judged", None, None, *totals, zeroed, _verdict_json(outcome), _said_json(outcome), notes)


def _verdict_json(judgement: Judgement) -> str:
    # Numbers and ids need no encoder, and most flags are NO.
    axes = ",".join(
        [f'"{name}":{"null" if value is None else value}' for name, value in (judgement.axes or {}).items()]
    )
    defaulted = f',"defaulted":{compact_json(judgement.defaulted)}' if judgement.defaulted else ""
    return f'{{"axes":{{{axes}}},"hard_fails":{_flags_json(judgement.hard_fails or {})}{defaulted}}}'


def _flags_json(flags: Mapping[str, Flag]) -> str:
    """A NO is ``false``, "cannot see" is ``null``; a YES is an object, and so is a NO with quotes."""
    if not any(flag.present or flag.quotes for flag in flags.values()):
        return _short_flags(tuple((name, flag.present) for name, flag in flags.items()))
    return compact_json(
        {
            name: {"present": flag.present, "quotes": flag.quotes, "confirmed": flag.confirmed}
            if flag.present or flag.quotes
            else flag.present
            for name, flag in flags.items()
        }
    )


@lru_cache(maxsize=64)
def _short_flags(flags: tuple[tuple[str, bool | None], ...]) -> str:
    return compact_json(dict(flags))


def _said_json(judgement: Judgement) -> str | None:
    stated = judgement.stated or Stated()
    said: dict[str, Any] = {name: getattr(judgement, name) for name in ("case_id", "repairs", "differences")}
    said |= {"stated_total": stated.total, "stated_verdict": stated.verdict}
    return compact_json({name: value for name, value in said.items() if value not in (None, ())})


def read_judgement(columns: Sequence[Any]) -> JudgementOutcome:
    """The outcome in the columns ``OUTCOME_COLUMNS`` of a row. Raises ValueError."""
    reason, detail, *_, verdict, _, notes = columns
    if verdict is None:
        return Unjudged(Reason(reason), detail or "")
    if not verdict.startswith('{"choice"'):
        return placed_judgement(columns, {})
    said = from_json(verdict)
    lists = {name: tuple(said[name]) for name in ("first_quotes", "second_quotes", "repairs")}
    return Preference(choice=Choice(said["choice"]), reason=notes or "", confirmed=said["confirmed"], **lists)


def placed_judgement(columns: Sequence[Any], place: Mapping[str, Any]) -> Judgement:
    """The judgement in the columns ``OUTCOME_COLUMNS`` of a row, with its place in a run."""
    reason, detail, *totals, outcome, verdict, said, notes = columns
    if verdict is None:
        return Judgement(status="unjudged", reason=str(Reason(reason)), detail=detail or "", **place)
    case_id, remarks = _read_said(said)
    total, confirmed, axis_total, applicable = totals
    return Judgement(
        **_read_verdict(verdict),
        **remarks,
        total=total,
        total_confirmed=confirmed,
        axis_total=axis_total,
        applicable_total=applicable,
        verdict=outcome,
        notes=notes or "",
        **(place or {"case_id": case_id}),
    )


@lru_cache(maxsize=20_000)
def _read_verdict(text: str) -> Mapping[str, Any]:
    """Axes, flags and defaulted axes of a stored verdict. Most verdicts are alike, so they share these."""
    stored = from_json(text)
    flags = {
        name: Flag(said["present"], tuple(said["quotes"]), said["confirmed"])
        if isinstance(said, dict)
        else _PLAIN_FLAGS[said]
        for name, said in stored["hard_fails"].items()
    }
    return {"axes": stored["axes"], "hard_fails": flags, "defaulted": tuple(stored.get("defaulted", ()))}


_PLAIN_FLAGS = {False: Flag(present=False), None: Flag(present=None)}


@lru_cache(maxsize=20_000)
def _read_said(text: str | None) -> tuple[str | None, Mapping[str, Any]]:
    said = from_json(text) if text else {}
    stated = Stated(said.get("stated_total"), said.get("stated_verdict"))
    lists = {name: tuple(said.get(name, ())) for name in ("repairs", "differences")}
    return said.get("case_id"), {"stated": stated, **lists}


class Attempt(NamedTuple):
    """One call to a model, with its answer or its error."""

    job: str
    run: int | None
    step: int
    number: int  # which try of this step it was in its invocation, from 1
    request: str
    provider: str
    model: str
    started: str
    milliseconds: int
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    error: str | None = None
    error_text: str | None = None
    finish_reason: str | None = None
    answer: str | None = None
    reasoning_tokens: int | None = None
    reasoning: str | None = None
    beside: str | None = None
    note: str | None = None
    asked_model: str | None = None  # `model` is the one that the server says it used
    written_tokens: int | None = None  # to the provider's prompt cache
    at_least: int = 0  # 1 if the provider may have billed more than `cost`

    @property
    def usage(self) -> Usage:
        """The tokens that the provider counted."""
        counts = (self.prompt_tokens, self.cached_tokens, self.completion_tokens)
        return Usage(*counts, self.reasoning_tokens, self.written_tokens)


_COLUMNS = ", ".join(Attempt._fields)
_STORE_ATTEMPT = f"INSERT INTO attempts ({_COLUMNS}) VALUES ({', '.join('?' * len(Attempt._fields))})"  # noqa: S608
ATTEMPTS_OF_JOB = f"SELECT {_COLUMNS} FROM attempts WHERE job = ? ORDER BY id"  # noqa: S608 - constants
# An answer that a filter stopped is not used again: the next invocation asks anew. Nor is one that was imported, since
# what follows from it would not be marked.
_ANSWERS = """
SELECT step, request, answer, finish_reason, reasoning, beside, note FROM attempts
WHERE job = ? AND error IS NULL AND finish_reason <> 'content_filter' AND imported <= ? ORDER BY id
"""
Answers: TypeAlias = Mapping[tuple[int, str], Answer]
"""The answers that a job has already paid for, by step and request hash."""


def store_attempt(connection: sqlite3.Connection, attempt: Attempt) -> None:
    """Write an attempt."""
    connection.execute(_STORE_ATTEMPT, attempt)


def answers_of(connection: sqlite3.Connection, job: str, *, imported: bool = False) -> Answers:
    """The answers that a job has already paid for; ``imported`` ones are only to be looked at."""
    rows = connection.execute(_ANSWERS, (job, imported))
    return {
        (step, request): Answer(text, ending, *(said or "" for said in more))
        for step, request, text, ending, *more in rows
    }


def storable_answer(answer: Answer) -> Answer:
    """The answer as the journal gives it back. It is used in no other form, so that a resumed run is the same."""
    said = (answer.text, answer.finish_reason, answer.reasoning, answer.beside, answer.note)
    return Answer(*(storable(text) for text in said))
