"""Everything that is read back from a journal: runs, their figures, their judgements, replies and cases."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

from iamhumans.cases import Case, Turn
from iamhumans.runs.journal.claims import has_ended
from iamhumans.runs.journal.entries import OUTCOME_COLUMNS, REPLY_COLUMNS, Replied, placed_judgement, read_reply
from iamhumans.runs.journal.errors import UNREADABLE, DamagedRowError
from iamhumans.verdicts import Judgement, Reason, Unjudged

_ROWS_AT_ONCE = 1_000


class RunStatus(StrEnum):
    """How far a run is."""

    RUNNING = "running"  # a process works on it
    STOPPED = "stopped"  # the user, the budget or the end of its process ended it early
    INCOMPLETE = "incomplete"  # everything was tried, and some of it failed in a way that may pass
    FINISHED = "finished"  # every judgement is final


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as the journal holds it."""

    id: int
    name: str
    plan: Mapping[str, Any]  # everything that makes two commands the same run
    salt: str  # part of the keys of a fresh run; empty for all others
    status: RunStatus
    asked: int | None  # how many judgements it is to have; `None` while that is not known
    created: str  # when it was begun
    ended: str | None  # when the last work on it ended
    folder: str | None = None  # where the suite was, for its ledger
    imported: bool = False  # whether some results were imported or came with an adopted journal

    @property
    def judgements_a_reply(self) -> int:
        """How many judgements each reply gets: judges times repeats."""
        return max(1, len(self.plan.get("judges", ()))) * int(self.plan.get("repeats", 1))


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """The figures of one subject under one judge. ``None`` is not given, since the judge does not see everything."""

    subject: str
    judge: str
    judged: int
    passed: int | None
    zeroed: int  # with at least one YES
    mean_total: float | None
    unjudged: Mapping[Reason, int] = field(default_factory=dict)

    @property
    def asked(self) -> int:
        """Judged and unjudged."""
        return self.judged + sum(self.unjudged.values())


@dataclass(frozen=True, slots=True)
class Paid:
    """What the calls of a run came to. Calls that an earlier run paid for do not count."""

    calls: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0  # as far as it is known; `None` if nothing is
    written_tokens: int = 0  # to the provider's prompt cache; they are among those of the prompt
    at_least: bool = False  # whether the cost may be higher, since a price or a count is not known


@dataclass(frozen=True, slots=True)
class AnsweringModel:
    """A model that answered in a run, as its server names it."""

    provider: str
    asked: str  # the name that was asked for
    model: str
    answers: int


class ListFigures(NamedTuple):
    """The figures of a run in a list. ``flagged`` and ``zero_rate`` go over cases, as those of a report do."""

    cases: int = 0
    recorded: int = 0
    judged: int = 0
    flagged: int = 0  # judgements with a YES; of a run with several votes a reply, zeroed replies
    flagged_rate: float | None = None
    covered: bool = True  # whether the judges see every hard fail, so that the flagged rate is the zero rate


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The figures of a run. ``recorded`` counts the judgements that ended so far, ``final`` those that are final."""

    run: RunRecord
    recorded: int
    final: int
    groups: tuple[GroupSummary, ...]
    paid: Paid


class CaseFacts(NamedTuple):
    """What figures need to know of a case."""

    hash: str
    title: str = ""
    dimensions: tuple[str, ...] = ()
    held_out: bool = False
    live: bool = False  # whether the subject answers some of its earlier turns


@dataclass(frozen=True, slots=True)
class JudgedReply:
    """A reply of a run with the case that it answers, and nothing that a judge said of it."""

    key: str
    case: Case
    subject: str
    number: int
    text: str
    conversation: tuple[Turn, ...]  # how the conversation went before the reply
    reasoning: str = ""  # what was taken off the reply, since the user would not see it
    beside: str = ""  # what else the message held, in words


class CaseRow(NamedTuple):
    """A judgement of a run with its own key and everything that was behind it."""

    judgement: Judgement
    key: str
    case: Case
    persona: str | None
    prompt: str | None
    skill: str | None


class ReplyText(NamedTuple):
    """The text of a reply with the conversation that it answers; where there is no reply, the reason why."""

    text: str | None
    conversation: tuple[Turn, ...] = ()
    reason: str | None = None
    detail: str | None = None


_RUN_COLUMNS = "id, name, plan, salt, status, asked, created, ended, folder, imported, holder"
HAS_IMPORTED = """
SELECT EXISTS (SELECT 1 FROM run_rows JOIN judgements ON judgements.id = judgement
  JOIN replies ON replies.id = judgements.reply WHERE run = ? AND (judgements.imported OR replies.imported))
"""
"""Whether a run has results that were imported or adopted."""
_GROUPS = """
SELECT run_rows.subject, run_rows.judge, judgements.reason, count(*), coalesce(sum(outcome = 'PASS'), 0),
       coalesce(sum(zeroed), 0), sum(total), min(count(total), count(axis_total)), sum(judgements.final)
FROM run_rows JOIN judgements ON judgements.id = judgement
WHERE run = ? GROUP BY run_rows.subject, run_rows.judge, judgements.reason ORDER BY min(row)
"""
_PAID = """
SELECT count(*), count(error), coalesce(sum(prompt_tokens), 0), coalesce(sum(cached_tokens), 0),
       coalesce(sum(completion_tokens), 0), sum(cost), coalesce(sum(written_tokens), 0), max(at_least)
FROM attempts WHERE run = ?
"""
_ANSWERED = """
SELECT provider, coalesce(asked_model, model), model, count(*) FROM attempts
WHERE error IS NULL AND {which} GROUP BY 1, 2, 3 ORDER BY min(id)
"""
# Answers that an earlier run paid for count as well. Looking for them takes much longer than looking by run.
_HAS_OTHERS = """
SELECT EXISTS (SELECT 1 FROM attempts WHERE run IS NULL) OR EXISTS (SELECT 1 FROM attempts WHERE run < ?1)
  OR EXISTS (SELECT 1 FROM attempts WHERE run > ?1)
"""
_ITS_JOBS = """job IN (
  SELECT judgements.key FROM run_rows JOIN judgements ON judgements.id = judgement WHERE run = ?1
  UNION SELECT replies.key FROM run_rows JOIN judgements ON judgements.id = judgement
  JOIN replies ON replies.id IN (judgements.reply, judgements.second_reply) WHERE run = ?1
)"""
_OUTCOME = ", ".join(f"judgements.{name}" for name in OUTCOME_COLUMNS.split(", "))
_JUDGEMENTS = f"""
SELECT row, replies.key, case_id, run_rows.subject, number, run_rows.judge, repeat, cluster, row_id, lang,
       {_OUTCOME}
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = judgements.reply
WHERE run = ? ORDER BY row
"""  # noqa: S608 - constants
_WITH_TEXTS = f"""
SELECT row, replies.key, case_id, run_rows.subject, number, run_rows.judge, repeat, cluster, row_id, lang,
       replies.text, replies.conversation, texts.text, {_OUTCOME}
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = judgements.reply
LEFT JOIN texts ON texts.id = coalesce(judgements.case_text, replies.case_text)
WHERE run = ? ORDER BY row
"""  # noqa: S608 - constants
_OF_CASE = f"""
SELECT row, replies.key, case_id, run_rows.subject, number, run_rows.judge, repeat, replies.text, replies.conversation,
       c.text, {_OUTCOME}, judgements.key, e.text, p.text, s.text
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = judgements.reply
LEFT JOIN texts c ON c.id = coalesce(judgements.case_text, replies.case_text)
LEFT JOIN texts e ON e.id = judgements.persona_text LEFT JOIN texts p ON p.id = judgements.prompt_text
LEFT JOIN texts s ON s.id = replies.skill_text
WHERE run = ? AND case_id = ? ORDER BY row
"""  # noqa: S608 - constants
_REPLY_TEXT = """
SELECT replies.text, replies.conversation, texts.text, reason, detail
FROM replies LEFT JOIN texts ON texts.id = case_text WHERE replies.key = ?
"""
_CASE_TEXT = "coalesce(judgements.case_text, replies.case_text)"
_FACTS = f"""
SELECT DISTINCT case_id, hash, json_extract(text, '$.title'), json_extract(text, '$.dimensions'),
       json_extract(text, '$.holdout'), instr(text, '"text":""') + instr(text, '"text": ""') > 0
FROM (SELECT DISTINCT case_id, {_CASE_TEXT} AS case_text FROM run_rows JOIN judgements ON judgements.id = judgement
      JOIN replies ON replies.id = judgements.reply WHERE run = ?)
JOIN texts ON texts.id = case_text
"""  # noqa: S608 - constants
_REPLIES = """
SELECT replies.key, case_id, shown.subject, number, replies.text, replies.conversation, texts.text,
       replies.reasoning, replies.beside
FROM (SELECT reply, run_rows.subject, min(row) AS place, case_text FROM run_rows
      JOIN judgements ON judgements.id = judgement WHERE run = ? GROUP BY reply, run_rows.subject) AS shown
JOIN replies ON replies.id = shown.reply LEFT JOIN texts ON texts.id = coalesce(shown.case_text, replies.case_text)
WHERE replies.text IS NOT NULL ORDER BY place
"""


_LISTED = """
SELECT run, count(*), sum(recorded), sum(judged), sum(flagged), avg(rate), min(covered) FROM (
  SELECT run, case_id, sum(recorded) AS recorded, sum(judged) AS judged, sum(flagged) AS flagged, avg(rate) AS rate,
         min(covered) AS covered
  FROM (SELECT run, case_id, replies.id, count(*) AS recorded, sum(verdict IS NOT NULL) AS judged,
               coalesce(sum(zeroed), 0) AS flagged, avg(zeroed) AS rate,
               min(verdict IS NULL OR instr(verdict, ':null') = 0 OR NOT EXISTS (
                 SELECT 1 FROM json_each(verdict, '$.hard_fails') WHERE type = 'null')) AS covered
        FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = judgements.reply
        GROUP BY run, case_id, run_rows.subject, replies.id)
  GROUP BY run, case_id)
GROUP BY run
"""


def list_figures(connection: sqlite3.Connection) -> dict[int, ListFigures]:
    """The figures of all runs, by their number."""
    rows = connection.execute(_LISTED).fetchall()
    return {row[0]: ListFigures(row[1], row[2], row[3], row[4], row[5], bool(row[6])) for row in rows}


def runs_in(connection: sqlite3.Connection) -> list[RunRecord]:
    """All runs, the newest first."""
    sql = f"SELECT {_RUN_COLUMNS} FROM runs ORDER BY id DESC"  # noqa: S608 - a constant
    return [_run(row) for row in connection.execute(sql).fetchall()]


def run_where(connection: sqlite3.Connection, column: str, value: object) -> RunRecord | None:
    """The newest run with a value in a column of ``runs``."""
    sql = f"SELECT {_RUN_COLUMNS} FROM runs WHERE {column} = ? ORDER BY id DESC LIMIT 1"  # noqa: S608 - never foreign
    return next(map(_run, connection.execute(sql, (value,)).fetchall()), None)


def run_with_salt(connection: sqlite3.Connection, plan_hash: str, salt: str) -> RunRecord | None:
    """The newest run with this plan and this salt."""
    sql = f"SELECT {_RUN_COLUMNS} FROM runs WHERE plan_hash = ? AND salt = ? ORDER BY id DESC LIMIT 1"  # noqa: S608
    return next(map(_run, connection.execute(sql, (plan_hash, salt)).fetchall()), None)


def _run(row: tuple[Any, ...]) -> RunRecord:
    number, name, plan, salt, status, asked, created, ended, folder, imported, held_by = row
    try:
        state = RunStatus(status)
        if state is RunStatus.RUNNING and has_ended(held_by):
            state = RunStatus.STOPPED
        facts = (state, asked, created, ended, folder, bool(imported))
        return RunRecord(number, name, json.loads(plan), salt, *facts)
    except UNREADABLE:
        raise DamagedRowError("runs", number) from None


def summary_of(connection: sqlite3.Connection, run: RunRecord) -> RunSummary:
    """The figures of a run, by two aggregates."""
    recorded = final = 0
    judged: dict[tuple[str, str], GroupSummary] = {}
    unjudged: dict[tuple[str, str], Counter[Reason]] = {}
    for subject, judge, reason, count, passed, zeroed, total, totals, ended in connection.execute(_GROUPS, (run.id,)):
        recorded, final = recorded + count, final + ended
        reasons = unjudged.setdefault((subject, judge), Counter())
        if reason is None:
            whole = totals == count
            figures = (passed if whole else None, zeroed, total / count if whole else None)
            judged[subject, judge] = GroupSummary(subject, judge, count, *figures)
        else:
            reasons[Reason(reason)] += count
    groups = [
        replace(judged.get(group) or GroupSummary(*group, 0, 0, 0, None), unjudged=dict(reasons))
        for group, reasons in unjudged.items()
    ]
    calls, failed, prompt, cached, completion, cost, written, at_least = connection.execute(_PAID, (run.id,)).fetchone()
    known = cost if at_least else cost or 0.0
    paid = Paid(calls, failed, prompt, cached, completion, known, written, bool(at_least))
    return RunSummary(run, recorded, final, tuple(groups), paid)


def answering_models_of(connection: sqlite3.Connection, run: RunRecord) -> tuple[AnsweringModel, ...]:
    """Every model that answered in a run, in the order in which they began to."""
    others = connection.execute(_HAS_OTHERS, (run.id,)).fetchone()[0]
    query = _ANSWERED.format(which=_ITS_JOBS if others else "run = ?1")
    return tuple(AnsweringModel(*row) for row in connection.execute(query, (run.id,)))


def judgements_of(
    connection: sqlite3.Connection, run: RunRecord, facts: Mapping[str, CaseFacts], *, texts: bool = False
) -> Iterator[Judgement]:
    """The judgements of a run in the order of the input, a few at a time; with ``texts``, what was judged as well."""
    each = run.judgements_a_reply
    cursor = connection.execute(_WITH_TEXTS if texts else _JUDGEMENTS, (run.id,))
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        for row, reply_key, case_id, subject, number, judge, repeat, cluster, row_id, lang, *columns in rows:
            case = facts.get(case_id)
            place = {
                "row": (row - 1) // each + 1,
                "case_id": intern(case_id),
                "title": case.title if case else "",
                "subject": intern(subject),
                "judge": intern(judge),
                "reply_key": reply_key,
                "number": number,
                "repeat": repeat,
                "cluster": cluster or "",
                "id": row_id,
                "lang": lang,
            }
            try:
                if texts:
                    text, live, case_text, *columns = columns
                    place |= {"reply": text, "conversation": _turns(live, case_text)}
                yield placed_judgement(columns, place)
            except UNREADABLE:
                raise DamagedRowError("judgements", f"{row} of run {run.name} in") from None


def case_rows_of(connection: sqlite3.Connection, run: RunRecord, case_id: str) -> Iterator[CaseRow]:
    """The judgements of one case of a run, in the order of the input."""
    each = run.judgements_a_reply
    for row, reply_key, _, subject, number, judge, repeat, text, live, case_text, *rest in connection.execute(
        _OF_CASE, (run.id, case_id)
    ):
        *columns, key, persona, prompt, skill = rest
        place = {"row": (row - 1) // each + 1, "case_id": case_id, "subject": subject, "number": number}
        place |= {"judge": judge, "repeat": repeat, "reply_key": reply_key, "reply": text}
        try:
            case = Case(case_id, ()) if case_text is None else case_from_json(case_text)
            place |= {"title": case.title, "conversation": _turns(live, case_text)}
            yield CaseRow(placed_judgement(columns, place), key, case, persona, prompt, skill)
        except UNREADABLE:
            raise DamagedRowError("judgements", f"{row} of run {run.name} in") from None


def reply_text_of(connection: sqlite3.Connection, key: str) -> ReplyText | None:
    """The text of the reply with a key, and what it answers."""
    for text, live, case_text, reason, detail in connection.execute(_REPLY_TEXT, (key,)).fetchall():
        try:
            return ReplyText(text, _turns(live, case_text), reason, detail)
        except UNREADABLE:
            raise DamagedRowError("replies", key) from None
    return None


@lru_cache(maxsize=1_000)
def _turns(live: str | None, case_text: str | None) -> tuple[Turn, ...]:
    """The conversation before a reply: as it went, where the subject answered earlier turns as well, or the case's."""
    if live:
        return tuple(Turn(speaker, said) for speaker, said in json.loads(live))
    return () if case_text is None else case_from_json(case_text).conversation


def case_facts_of(connection: sqlite3.Connection, run: RunRecord) -> dict[str, CaseFacts]:
    """What figures need to know of each case of a run, as it was when it was judged."""
    return {
        case_id: CaseFacts(case_hash, title or "", _names(dimensions or "[]"), bool(held_out), bool(live))
        for case_id, case_hash, title, dimensions, held_out, live in connection.execute(_FACTS, (run.id,))
    }


@lru_cache(maxsize=1_000)
def _names(text: str) -> tuple[str, ...]:
    return tuple(map(str, json.loads(text)))


def replies_of(connection: sqlite3.Connection, run: RunRecord) -> Iterator[JudgedReply]:
    """The replies of a run, each once, in the order of the input, without those that failed."""
    for key, case_id, subject, number, text, live, case_text, *more in connection.execute(_REPLIES, (run.id,)):
        try:
            case = Case(case_id, ()) if case_text is None else case_from_json(case_text)
            turns = _turns(live, case_text)
        except UNREADABLE:
            raise DamagedRowError("replies", key) from None
        reasoning, beside = (said or "" for said in more)
        yield JudgedReply(key, case, subject, number, text, turns, reasoning, beside)


def reply_where(connection: sqlite3.Connection, key: str) -> Replied | Unjudged | None:
    """The reply with a key."""
    sql = f"SELECT {REPLY_COLUMNS} FROM replies WHERE key = ?"  # noqa: S608 - a constant
    return next((read_reply(*row) for row in connection.execute(sql, (key,))), None)


def case_from_json(text: str) -> Case:
    """The case in a text of the journal."""
    stored = json.loads(text)
    turns = tuple(Turn(turn["speaker"], turn["text"]) for turn in stored["conversation"])
    lists = ("dimensions", "hard_fails", "rubric", "failure_modes")
    facts: dict[str, Any] = {name: tuple(stored.get(name, ())) for name in lists}
    facts |= {"title": stored.get("title", ""), "lang": stored.get("lang", "en")}
    return Case(stored["id"], turns, **facts, holdout=bool(stored.get("holdout")), repair=bool(stored.get("repair")))
