"""Our own rows."""

from __future__ import annotations

from collections.abc import Sequence

from iamhumans.errors import InputError
from iamhumans.subjects.shapes.facts import lang_of, name_of, number_of, require_name, subject_of, thread_of
from iamhumans.subjects.shapes.messages import as_plain, read_messages, said
from iamhumans.subjects.shapes.said import Conversation, Said
from iamhumans.subjects.shapes.shape import Row, Shape
from iamhumans.subjects.shapes.values import decoded


def _fits(row: Row) -> bool:
    return isinstance(row.get("reply"), str) and ("case_id" in row or "input" in row or "conversation" in row)


def _read(row: Row) -> Sequence[Conversation]:
    before = _before(row)
    reply = row["reply"]
    if not isinstance(reply, str):
        raise InputError("`reply` is not text.")
    known = {name: require_name(row, name) for name in ("id", "case_id", "subject")}
    known["subject"] = known["subject"] or subject_of(row)
    thread = require_name(row, "thread") or thread_of(row)
    judged = said("assistant", reply)
    given = {key: row[key] for key in ("ending", "reasoning", "beside") if isinstance(row.get(key), str)}
    ending = given.get("ending") or name_of(row.get("finish_reason"))
    reasoning = "\n".join(filter(None, (given.get("reasoning"), judged.reasoning)))
    if ending or reasoning or given:
        other = tuple(filter(None, given.get("beside", "").split("; ")))
        judged = judged._replace(ending=ending, reasoning=reasoning, other=other)
    found = (*before, judged)
    if not before and not known["case_id"]:
        raise InputError("`case_id` is empty.")
    return [Conversation(found, **known, number=number_of(row), lang=lang_of(row), thread=thread, alone=not before)]


def _before(row: Row) -> tuple[Said, ...]:
    system = (Said("system", row["system"]),) if isinstance(row.get("system"), str) else ()
    if "conversation" in row:
        given = as_plain(row["conversation"])
        given = decoded(given) if isinstance(given, str) else given
        return (*system, *read_messages(given))
    if "input" in row:
        given = row["input"]
        if not isinstance(given, str):
            raise InputError("`input` is not text.")
        return (*system, said("user", given))
    return ()


ROWS = Shape("rows", 'our own rows: {"input", "reply"} or {"case_id", "reply"}', _fits, _read)
