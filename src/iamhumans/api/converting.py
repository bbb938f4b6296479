"""From any shape of logs to our own rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iamhumans.api.rows import MOST_PROBLEMS, Source
from iamhumans.errors import CommandError
from iamhumans.subjects import Reading, ReplyRow, RowProblem, Turns

_MOST_REASONS = 50


@dataclass(frozen=True)
class Conversion:
    """The result of a conversion.

    Attributes:
        shape: The shape of the input, in words; empty for our own rows.
        written: The number of rows written, one for each reply.
        dropped: The number of rows that could not be used.
        reasons: The number of dropped rows for each reason.
        problems: The first 1,000 dropped rows.
        notes: Notes on the rows that were used.
        rows: The rows, unless they were written to a file.
    """

    shape: str
    written: int
    dropped: int
    reasons: Mapping[str, int]
    problems: tuple[RowProblem, ...] = ()
    notes: tuple[str, ...] = ()
    rows: tuple[dict[str, Any], ...] = field(default=(), repr=False)


def convert(
    rows: Any,
    output: str | Path | None = None,
    *,
    shape: str | None = None,
    columns: Mapping[str, str] | str | None = None,
    turns: Turns = "last",
) -> Conversion:
    """Turn conversations of any shape into rows that every command reads.

    Args:
        rows: As for :func:`judge_all`: a file, mappings, or a data frame.
        output: A new JSON Lines file; without it the rows are in the result.
        shape: The name of the rows' shape; recognised from the first rows if not given.
        columns: Instead, where each part of a row is: ``{"input": "q.text", "reply": "a"}``, also as one text.
        turns: ``last`` keeps the last message of the assistant as the reply, ``all`` makes a row of every one.

    Raises:
        InputError: No row can be used, or the file cannot be read.
        CommandError: There is no such shape, or the output cannot be written.

    Example:
        >>> ih.convert([{"prompt": "hi", "response": "Hello!", "model": "m"}]).rows
        ({'input': 'hi', 'reply': 'Hello!', 'subject': 'm'},)
    """
    reading = Reading(shape, columns, turns)
    reading.forced()
    source = Source(rows, reading=reading, any_case=True)
    reasons: Counter[str] = Counter()
    kept: list[dict[str, Any]] = []
    written = 0
    with _lines(output) as write:
        for row in source.rows(reasons):
            written += 1
            if write is None:
                kept.append(row_of(row))
            else:
                write(json.dumps(row_of(row), ensure_ascii=False) + "\n")
        source.require_rows()
    problems = tuple(source.problems[:MOST_PROBLEMS])
    told = dict(reasons.most_common(_MOST_REASONS))
    return Conversion(source.shape, written, source.wrong, told, problems, source.notes(), tuple(kept))


def row_of(row: ReplyRow) -> dict[str, Any]:
    """A reply as one of our own rows, which is read as the same reply."""
    turns = row.case.conversation
    found: dict[str, Any] = {"id": row.id} if row.id else {}
    if row.case_id:
        found["case_id"] = row.case_id
    elif not turns and not row.id:
        found["case_id"] = row.case.id
    if row.thread and row.thread != row.id:
        found["thread"] = row.thread
    if row.system:
        found["system"] = row.system
    if len(turns) == 1 and turns[0].speaker == "user":
        found["input"] = turns[0].text
    elif turns:
        found["conversation"] = [{"role": turn.speaker, "content": turn.text} for turn in turns]
    found["reply"] = row.reply.text
    reply = row.reply
    more = {"subject": reply.subject, "lang": row.lang, "reasoning": reply.reasoning, "beside": reply.beside}
    more["ending"] = row.ending
    found |= {name: value for name, value in more.items() if value}
    if row.reply.number != 1:
        found["number"] = row.reply.number
    return found


@contextmanager
def _lines(output: str | Path | None) -> Iterator[Any]:
    """Writes lines into a new file, which is not left behind after an error."""
    if output is None:
        yield None
        return
    path = Path(output)
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise CommandError(f"`{path}` already exists.", fix="Choose another file, or delete this one first.") from None
    except OSError as error:
        raise CommandError(f"`{path}` cannot be written: {error.strerror}.") from None
    with file:
        try:
            yield file.write
        except BaseException:
            path.unlink(missing_ok=True)
            raise
