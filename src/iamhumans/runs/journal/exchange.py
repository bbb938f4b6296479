"""A run as JSON Lines: written by one journal, read by another.

The first line is the run itself, with the texts that its judgements refer to. Then comes a line for each judgement: the
fields of the judgement, the reply, the calls for both with their raw answers, and the keys that both are stored under.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from iamhumans.cases import Turn
from iamhumans.cases.holdout import shown
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.runs.journal.entries import ATTEMPTS_OF_JOB, Attempt, JudgementEntry, Replied, ReplyEntry, read_reply
from iamhumans.runs.journal.errors import UNREADABLE
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.looks import insert_look, look_from_dict, look_to_dict, looks_of_run
from iamhumans.runs.journal.queries import RunRecord, RunStatus, case_from_json, run_where
from iamhumans.runs.keys import canonical_json, content_hash
from iamhumans.runs.withheld import withheld
from iamhumans.text import open_regular
from iamhumans.text.json_text import json_text
from iamhumans.verdicts import Flag, Judgement, Reason, Stated, Unjudged

FORMAT = "iamhumans_run"
_VERSION = 1
_LARGEST_LINE = 64 * 1024 * 1024
_STORED = """
SELECT judgements.key, judgements.base, judgements.final, r.key, r.base, r.text, r.conversation, r.reason, r.detail,
       r.reasoning, r.beside, run_rows.cluster, c.hash, s.hash, p.hash, e.hash, b.hash
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies r ON r.id = judgements.reply
LEFT JOIN texts c ON c.id = coalesce(judgements.case_text, r.case_text) LEFT JOIN texts s ON s.id = r.skill_text
LEFT JOIN texts p ON p.id = judgements.prompt_text LEFT JOIN texts e ON e.id = judgements.persona_text
LEFT JOIN texts b ON b.id = judgements.rubric_text
WHERE run = ? ORDER BY row
"""
_SAID = ("error_text", "answer", "reasoning", "beside", "note")
_KEYS = ("key", "base", "final", "reply_key", "reply_base")
_KINDS = ("case", "skill", "prompt", "persona", "rubric")
_NEW_RUN = """
INSERT INTO runs (name, plan_hash, plan, salt, status, asked, created, ended, imported)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)
"""
# A text that this journal made itself stays as it is.
_NEW_TEXT = "INSERT INTO texts (kind, hash, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_NEW_ATTEMPT = (
    f"INSERT INTO attempts ({', '.join(Attempt._fields)}, imported) VALUES ({', '.join('?' * len(Attempt._fields))}, 1)"  # noqa: S608
)
_WRONG = (*UNREADABLE, OverflowError, RecursionError, sqlite3.DatabaseError, sqlite3.InterfaceError)


def lines_of(
    journal: Journal, run: RunRecord, *, texts: bool = True, holdout_reason: str | None = None
) -> Iterator[dict[str, Any]]:
    """The lines of a run. Without a reason, texts of held-out cases are hashes; without ``texts``, all are."""
    facts = journal.case_facts(run)
    named: dict[str, str] = {}
    with journal.second_connection() as connection:
        for row in connection.execute(_STORED, (run.id,)):
            named |= {text_hash: kind for kind, text_hash in zip(_KINDS, row[12:], strict=True) if text_hash}
    if checks := run.plan.get("checks"):
        named[checks] = "checks"
    held_out = {case_id for case_id, case in facts.items() if case.held_out and holdout_reason is None}
    # The texts come first, so that a reader need not look ahead.
    yield {
        FORMAT: _VERSION,
        **{name: getattr(run, name) for name in ("name", "salt", "asked", "created", "ended")},
        "plan": dict(run.plan),
        "looks": [look_to_dict(one) for one in looks_of_run(journal, run.name)],
        # Nothing works on an imported run.
        "status": (RunStatus.STOPPED if run.status is RunStatus.RUNNING else run.status).value,
        "texts": [
            _checks(journal, text_hash, held_out if texts else None)
            if kind == "checks"
            else _text(journal, kind, text_hash, texts, holdout_reason)
            for text_hash, kind in named.items()
        ],
    }
    seen: set[str] = set()
    with journal.second_connection() as connection:
        stored = connection.execute(_STORED, (run.id,))
        for judgement, row in zip(journal.judgements(run, facts), stored, strict=True):
            case = facts.get(judgement.case_id or "")
            hide = not texts or (case is not None and case.held_out and holdout_reason is None)
            key, reply_key = row[0], row[3]
            calls = _calls(connection, key, run, hide=hide)
            # The calls for a reply are in the line of its first judgement.
            of_reply = [] if reply_key in seen else _calls(connection, reply_key, run, hide=hide)
            seen.add(reply_key)
            yield _line(judgement, row, hide=hide) | {"calls": calls, "reply_calls": of_reply}


def _calls(connection: sqlite3.Connection, job: str, run: RunRecord, *, hide: bool) -> list[dict[str, Any]]:
    """The calls for a reply or a judgement; ``own`` are those that this run paid for."""
    found = []
    for row in connection.execute(ATTEMPTS_OF_JOB, (job,)):
        facts = Attempt(*row)._asdict()
        own = facts.pop("run") == run.id
        del facts["job"]
        hidden = {name: shown(facts[name], held_out=hide, reason=None) for name in _SAID if facts[name] is not None}
        found.append({"own": own, **facts, **hidden})
    return found


def _line(judgement: Judgement, row: tuple[Any, ...], *, hide: bool) -> dict[str, Any]:
    keys, reply, cluster, hashes = row[:5], read_reply("", *row[5:11]), row[11], row[12:]
    line = (withheld(judgement) if hide else judgement).to_dict()
    line |= dict.fromkeys(("reply", "conversation", "no_reply", "reasoning", "beside"))
    line["cluster"] = cluster
    if isinstance(reply, Unjudged):
        line["no_reply"] = {"reason": reply.reason.value, "detail": shown(reply.detail, held_out=hide, reason=None)}
    else:
        line["reply"] = shown(reply.text, held_out=hide, reason=None)
        if not hide:
            line |= {"reasoning": reply.reasoning or None, "beside": reply.beside or None}
        if reply.conversation and not hide:
            line["conversation"] = [{"role": turn.speaker, "content": turn.text} for turn in reply.conversation]
    names = (*_KEYS, *(f"{kind}_hash" for kind in _KINDS))
    return line | dict(zip(names, (*keys, *hashes), strict=True))


def _text(journal: Journal, kind: str, text_hash: str, texts: bool, reason: str | None) -> dict[str, str]:
    text = journal.text(kind, text_hash) or ""
    case = case_from_json(text) if kind == "case" else None
    if case is not None and (not texts or (case.holdout and reason is None)):
        # What figures need stays: the id, the dimensions, and that it is held out.
        facts = {"id": case.id, "conversation": [], "dimensions": case.dimensions, "holdout": case.holdout}
        text = json.dumps(facts, ensure_ascii=False)
    elif not texts and kind != "rubric":  # Without the rubric there would be no figures.
        text = ""
    return {"kind": kind, "hash": text_hash, "text": text}


def _checks(journal: Journal, text_hash: str, held_out: set[str] | None) -> dict[str, str]:
    """The checks of cases that are not held out; none without texts, since a pattern may quote the case."""
    stored = {} if held_out is None else json.loads(journal.text("checks", text_hash) or "{}")
    kept = {case_id: checks for case_id, checks in stored.items() if case_id not in (held_out or ())}
    return {"kind": "checks", "hash": text_hash, "text": json.dumps(kept, ensure_ascii=False)}


def write_file(path: Path, lines: Iterable[Mapping[str, Any]]) -> int:
    """Write an export in place of any file or link there. Returns the number of judgements. Raises CommandError."""
    count = -1
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with new.open("x", encoding="utf-8") as file:
            for line in lines:
                file.write(json_text(line) + "\n")
                count += 1
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise CommandError(f"`{path}` cannot be written: {error.strerror}.") from None
    return count


def write_new(path: Path, pieces: Iterable[str]) -> None:
    """Write a file that does not exist yet, never through a link. Raises CommandError."""
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
    except FileExistsError:
        raise CommandError(f"`{path}` already exists.", fix="Choose another file, or delete this one first.") from None
    except OSError as error:
        raise CommandError(f"`{path}` cannot be written: {error.strerror}.") from None


def read_file(journal: Journal, path: Path) -> RunRecord:
    """Store a run that :func:`lines_of` gave, marked as imported. Raises InputError."""
    number = 1
    try:
        with open_regular(path) as file, journal.transaction() as connection:
            head = json.loads(file.readline(_LARGEST_LINE))
            if head[FORMAT] != _VERSION:
                raise ValueError("the version is not known")
            same = run_where(connection, "plan_hash", content_hash(canonical_json(dict(head["plan"].items()))))
            if same is not None and (same.salt, same.asked) == (head["salt"], head["asked"]):
                return same
            run = _new_run(connection, head)
            for look in head.get("looks", ()):
                insert_look(connection, look_from_dict(look))
            for data in iter(lambda: file.readline(_LARGEST_LINE), b""):
                number += 1
                _store(connection, json.loads(data), run, number - 1)
            found = run_where(connection, "id", run)
    except _WRONG as error:
        fix = "`iamhumans runs export RUN -o FILE` writes one. To judge replies use `iamhumans judge`."
        what = "an export of a run" if number == 1 else "a judgement of an export"
        problem = f"The line is not {what} ({type(error).__name__}: {error})."
        raise InputError(problem, fix=fix, where=Place(path, number)) from None
    if found is None:
        raise RuntimeError("a run that was just imported is not there")
    return found


def _new_run(connection: sqlite3.Connection, head: Mapping[str, Any]) -> int:
    for text in head["texts"]:
        connection.execute(_NEW_TEXT, (text["kind"], text["hash"], text["text"]))
    name, plan = str(head["name"]), canonical_json(head["plan"])
    while run_where(connection, "name", name) is not None:
        name += "2"
    values = (name, content_hash(plan), plan, head["salt"], RunStatus(head["status"]).value, head["asked"])
    return int(connection.execute(_NEW_RUN, (*values, head["created"], head["ended"])).lastrowid or 0)


def _store(connection: sqlite3.Connection, line: Mapping[str, Any], run: int, row: int) -> None:
    keys = (line["reply_key"], line["reply_base"])
    reply = ReplyEntry(*keys, line["case_id"], line["subject"], line["number"], None, line["skill_hash"])
    why = line["no_reply"]
    turns = tuple(
        Turn("user" if turn["role"] == "user" else "assistant", str(turn["content"]))
        for turn in line["conversation"] or ()
    )
    more = {name: str(line.get(name) or "") for name in ("reasoning", "beside")}
    given = Replied(line["reply"], turns, **more) if why is None else Unjudged(Reason(why["reason"]), why["detail"])
    same = ("key", "base", "reply_key", "subject", "judge", "repeat")
    hashes = ("rubric_hash", "prompt_hash", "persona_hash", "case_hash")
    facts = {name: line[name] for name in (*same, *hashes)}
    named = {"cluster": line["cluster"], "row_id": line.get("id"), "lang": line.get("lang")}
    origin: dict[str, Any] = {name: str(value or "") for name, value in named.items()}
    entry = JudgementEntry(**facts, run=run, row=row, given=((reply, given),), **origin)
    for job, calls in ((entry.key, line["calls"]), (entry.reply_key, line["reply_calls"])):
        _store_calls(connection, job, calls, run)
    known = connection.execute("SELECT 1 FROM judgements WHERE key = ?", (entry.key,)).fetchone()
    entry.store(connection, _judgement(line), final=bool(line["final"]))
    if known is None:
        connection.execute("UPDATE judgements SET imported = 1 WHERE key = ?", (entry.key,))
        connection.execute("UPDATE replies SET imported = 1 WHERE key = ?", (entry.reply_key,))
    entry.place(connection)


def _store_calls(connection: sqlite3.Connection, job: str, calls: Iterable[Mapping[str, Any]], run: int) -> None:
    """Store calls as imported, unless this journal made calls for the same job itself."""
    if connection.execute("SELECT 1 FROM attempts WHERE job = ?", (job,)).fetchone() is not None:
        return
    for call in calls:
        facts = {name: call[name] for name in Attempt._fields if name not in ("job", "run")}
        attempt = Attempt(job=job, run=run if call["own"] else None, **facts)
        connection.execute(_NEW_ATTEMPT, attempt)


def _judgement(line: Mapping[str, Any]) -> Judgement | Unjudged:
    """The judgement that :meth:`Judgement.to_dict` wrote. Raises one of ``_WRONG``."""
    if line["status"] != "judged":
        return Unjudged(Reason(line["reason"]), str(line["detail"] or ""))
    axes = {
        str(name): None if value is None else int(value) if value == int(value) else float(value)
        for name, value in line["axes"].items()
    }
    flags = {str(name): _flag(flag) for name, flag in line["hard_fails"].items()}
    names = ("case_id", "total", "total_confirmed", "axis_total", "applicable_total", "verdict")
    facts = {name: line[name] for name in names}
    facts |= {name: tuple(map(str, line[name] or ())) for name in ("defaulted", "differences", "repairs")}
    stated = line["stated"] or {"total": None, "verdict": None}
    facts |= {"stated": Stated(stated["total"], stated["verdict"]), "notes": str(line["notes"] or "")}
    return Judgement(axes=axes, hard_fails=flags, **facts)


def _flag(flag: Mapping[str, Any]) -> Flag:
    present = {True: True, False: False, None: None}[flag["present"]]
    return Flag(present, tuple(map(str, flag["quotes"])), flag["confirmed"])
