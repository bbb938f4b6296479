"""A run as JSON Lines: written by one journal, read by another.

The first line is the run itself, with the texts that its judgements refer to. Then comes a line for each judgement: the
fields of the judgement, the reply, and the keys that both are stored under.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from iamhumans.cases.holdout import shown
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.runs.journal.entries import JudgementEntry, Replied, ReplyEntry, Text, read_reply
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import CaseFacts, RunRecord, RunStatus, case_from_json, run_where
from iamhumans.runs.keys import canonical_json, content_hash
from iamhumans.text import open_regular
from iamhumans.text.json_text import json_text
from iamhumans.verdicts import Flag, Judgement, Reason, Stated, Unjudged

FORMAT = "iamhumans_run"
_VERSION = 1
_LARGEST_LINE = 64 * 1024 * 1024
_STORED = """
SELECT judgements.key, judgements.base, judgements.final, r.key, r.base, r.text, r.conversation, r.reason, r.detail,
       c.hash, s.hash, p.hash, e.hash, b.hash
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies r ON r.id = judgements.reply
LEFT JOIN texts c ON c.id = coalesce(judgements.case_text, r.case_text) LEFT JOIN texts s ON s.id = r.skill_text
LEFT JOIN texts p ON p.id = judgements.prompt_text LEFT JOIN texts e ON e.id = judgements.persona_text
LEFT JOIN texts b ON b.id = judgements.rubric_text
WHERE run = ? ORDER BY row
"""
_KEYS = ("key", "base", "final", "reply_key", "reply_base")
_HASHES = ("case_hash", "skill_hash", "prompt_hash", "persona_hash", "rubric_hash")
_PLACE = ("row", "case_id", "subject", "number", "judge", "repeat")


def lines_of(
    journal: Journal, run: RunRecord, *, texts: bool = True, holdout_reason: str | None = None
) -> Iterator[dict[str, Any]]:
    """The lines of a run. Texts of held-out cases are replaced by their hashes without a reason."""
    facts = journal.case_facts(run)
    with journal.second_connection() as connection:
        stored = connection.execute(_STORED, (run.id,))
        hashes: dict[str, str] = {}
        rows = []
        for judgement, row in zip(journal.judgements(run), stored, strict=True):
            line = _line(judgement, row, facts.get(judgement.case_id or ""), texts=texts, reason=holdout_reason)
            rows.append(line)
            kinds = ("case", "skill", "prompt", "persona", "rubric")
            hashes |= {line[name]: kind for name, kind in zip(_HASHES, kinds, strict=True) if line[name]}
    # The texts come first, so that a reader need not look ahead.
    yield {
        FORMAT: _VERSION,
        "name": run.name,
        "plan": dict(run.plan),
        "salt": run.salt,
        "status": run.status.value,
        "asked": run.asked,
        "created": run.created,
        "ended": run.ended,
        "texts": [_text(journal, kind, value, texts=texts, reason=holdout_reason) for value, kind in hashes.items()],
    }
    yield from rows


def _line(
    judgement: Judgement, row: tuple[Any, ...], case: CaseFacts | None, *, texts: bool, reason: str | None
) -> dict[str, Any]:
    keys, (text, live, why, detail), hashes = row[:5], row[5:9], row[9:]
    held_out = case is not None and case.held_out
    reply = read_reply("", text, live, why, detail)
    line = withheld(judgement, reason).to_dict() if held_out else judgement.to_dict()
    line |= {"reply": None, "conversation": None, "no_reply": None}
    if isinstance(reply, Unjudged):
        line["no_reply"] = {"reason": reply.reason.value, "detail": reply.detail}
    elif texts:
        line["reply"] = shown(reply.text, held_out=held_out, reason=reason)
        if reply.conversation and not (held_out and reason is None):
            line["conversation"] = [{"role": turn.speaker, "content": turn.text} for turn in reply.conversation]
    else:
        line["reply"] = shown(reply.text, held_out=True, reason=None)
    return line | dict(zip(_KEYS, keys, strict=True)) | dict(zip(_HASHES, hashes, strict=True))


def withheld(judgement: Judgement, reason: str | None) -> Judgement:
    """A judgement of a held-out case as it may be shown: without a reason, with hashes in the place of texts."""

    def hidden(text: str) -> str:
        return shown(text, held_out=True, reason=reason)

    texts: dict[str, Any] = {
        name: hidden(text) for name in ("title", "notes", "detail") if (text := getattr(judgement, name))
    }
    if judgement.hard_fails is not None:
        flags = judgement.hard_fails.items()
        texts["hard_fails"] = {name: replace(flag, quotes=tuple(map(hidden, flag.quotes))) for name, flag in flags}
    return replace(judgement, **texts)


def _text(journal: Journal, kind: str, text_hash: str, *, texts: bool, reason: str | None) -> dict[str, str]:
    text = journal.text(kind, text_hash) or ""
    if kind == "case":
        case = case_from_json(text)
        if not texts or (case.holdout and reason is None):
            # What figures need stays: the id, the dimensions, and that it is held out.
            facts = {"id": case.id, "conversation": [], "dimensions": case.dimensions, "holdout": case.holdout}
            text = json.dumps(facts, ensure_ascii=False)
    return {"kind": kind, "hash": text_hash, "text": text}


def write_file(path: Path, lines: Iterable[Mapping[str, Any]]) -> int:
    """Write an export. A file of this name is replaced, but a link is not followed. Returns the number of judgements.

    Raises:
        CommandError: The file cannot be written.
    """
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
    """Write a file that does not exist yet, never through a link.

    Raises:
        CommandError: It exists, or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
    except FileExistsError:
        raise CommandError(f"`{path}` exists already.", fix="Name another file, or delete it first.") from None
    except OSError as error:
        raise CommandError(f"`{path}` cannot be written: {error.strerror}.") from None


def read_file(journal: Journal, path: Path) -> RunRecord:
    """Store a run that :func:`lines_of` gave, marked as imported.

    Raises:
        InputError: The file is no such export; names the line.
    """
    with open_regular(path) as file:
        head = _parsed(file.readline(_LARGEST_LINE), path, 1)
        if head.get(FORMAT) != _VERSION:
            raise InputError(
                "This is not an export of a run.",
                fix="`iamhumans runs export RUN -o FILE` writes one. To judge replies use `iamhumans judge`.",
                place=Place(path, 1),
            )
        plan = canonical_json(head["plan"])
        with journal.transaction() as connection:
            same = run_where(connection, "plan_hash", content_hash(plan))
            if same is not None and (same.salt, same.asked) == (head["salt"], head["asked"]):
                return same
            for text in head["texts"]:
                Text(text["kind"], text["hash"], text["text"]).store(connection)
            run = _new_run(connection, head, plan)
            for number, data in enumerate(iter(lambda: file.readline(_LARGEST_LINE), b""), start=2):
                try:
                    _store(connection, _parsed(data, path, number), run, number - 1)
                except (KeyError, TypeError, ValueError, sqlite3.IntegrityError) as error:
                    raise InputError(
                        f"The line is not a judgement of an export ({error}).", place=Place(path, number)
                    ) from None
            found = run_where(connection, "id", run)
    if found is None:
        raise RuntimeError("a run that was just imported is not there")
    return found


def _parsed(data: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError("The line is not JSON.", place=Place(path, number)) from None
    if not isinstance(value, dict):
        raise InputError("The line is not a JSON object.", place=Place(path, number))
    return value


def _new_run(connection: sqlite3.Connection, head: Mapping[str, Any], plan: str) -> int:
    name = str(head["name"])
    while run_where(connection, "name", name) is not None:
        name += "2"
    values = (name, content_hash(plan), plan, head["salt"], RunStatus(head["status"]).value, head["asked"])
    cursor = connection.execute(
        "INSERT INTO runs (name, plan_hash, plan, salt, status, asked, created, ended, imported)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)",
        (*values, head["created"], head["ended"]),
    )
    return int(cursor.lastrowid or 0)


def _store(connection: sqlite3.Connection, line: Mapping[str, Any], run: int, row: int) -> None:
    case = None if line["case_hash"] is None else Text("case", line["case_hash"], "{}")
    reply = ReplyEntry(
        line["reply_key"],
        line["reply_base"],
        line["case_id"],
        line["subject"],
        line["number"],
        case,
        line["skill_hash"],
    )
    why = line["no_reply"]
    turns = tuple(_turn(turn) for turn in line["conversation"] or ())
    given = Replied(line["reply"], turns) if why is None else Unjudged(Reason(why["reason"]), why["detail"])
    entry = JudgementEntry(
        key=line["key"],
        base=line["base"],
        reply_key=line["reply_key"],
        subject=line["subject"],
        judge=line["judge"],
        repeat=line["repeat"],
        rubric_hash=line["rubric_hash"],
        prompt_hash=line["prompt_hash"],
        persona_hash=line["persona_hash"],
        case_hash=line["case_hash"],
        run=run,
        row=row,
        given=((reply, given),),
    )
    known = connection.execute("SELECT 1 FROM judgements WHERE key = ?", (entry.key,)).fetchone()
    entry.store(connection, judgement_from(line), final=bool(line["final"]))
    if known is None:
        connection.execute("UPDATE judgements SET imported = 1 WHERE key = ?", (entry.key,))
        connection.execute("UPDATE replies SET imported = 1 WHERE key = ?", (entry.reply_key,))
    entry.place(connection)


def _turn(turn: Mapping[str, Any]) -> Any:
    from iamhumans.cases import Turn

    return Turn("user" if turn["role"] == "user" else "assistant", str(turn["content"]))


def judgement_from(line: Mapping[str, Any]) -> Judgement:
    """The judgement that :meth:`Judgement.to_dict` wrote.

    Raises:
        KeyError: A field is missing.
        TypeError: A field has another type.
    """
    names = {field.name for field in fields(Judgement)} - {"title", "reply_key"}
    given: dict[str, Any] = {name: line[name] for name in names}
    for name in ("defaulted", "differences", "repairs"):
        given[name] = None if given[name] is None else tuple(given[name])
    if given["stated"] is not None:
        given["stated"] = Stated(given["stated"]["total"], given["stated"]["verdict"])
    if given["hard_fails"] is not None:
        given["hard_fails"] = {
            name: Flag(flag["present"], tuple(flag["quotes"]), flag["confirmed"])
            for name, flag in given["hard_fails"].items()
        }
    return Judgement(**given)
