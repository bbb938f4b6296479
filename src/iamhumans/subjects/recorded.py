"""Replies that exist already in a JSON Lines file: to cases, or at the end of chat messages.

Rows are read one by one, and a row that cannot be used is a problem of its own: it never costs the others.
"""

from __future__ import annotations

import json
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from iamhumans.cases import Case, Reply, Suite, Turn
from iamhumans.errors import InputError, Place
from iamhumans.text import MAX_FILE_BYTES, decode_text, one_line

MAX_REPLY_CHARACTERS = 200_000
MAX_NUMBER = 1_000_000
_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "model": "assistant", "ai": "assistant"}


@dataclass(frozen=True, slots=True)
class ReplyRow:
    """A reply with the case that it answers. ``row`` counts from 1 in the order of the input."""

    row: int
    case: Case
    reply: Reply


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row that cannot be used, and why."""

    row: int
    problem: str
    place: Place

    def __str__(self) -> str:
        """Place and problem, as errors are printed."""
        return f"{self.place}: {self.problem}"


def read_reply_rows(
    path: Path, suite: Suite | None, *, named: Path | None = None, held_out: bool = False
) -> Iterator[ReplyRow | RowProblem]:
    """The rows of a JSON Lines file (``-`` is standard input), one by one.

    A row is ``{"case_id", "reply", "subject"?, "number"?}`` for a case of ``suite``, or ``{"messages": [...]}`` whose
    last message is the assistant's reply and belongs to no case.

    Args:
        path: The file.
        suite: The suite that the replies answer.
        named: What problems call the file, where that is not its path.
        held_out: Read replies to held-out cases too.

    Raises:
        InputError: The file cannot be opened.
    """
    for number, data in enumerate(_lines(path, named or path), start=1):
        place = Place(named or path, number)
        if not data.removeprefix(BOM_UTF8).strip():
            continue
        try:
            yield _row(number, _object(data), suite, held_out=held_out)
        except InputError as error:
            yield RowProblem(number, f"{error.problem} {error.fix}".strip(), place)


def _lines(path: Path, named: Path) -> Iterator[bytes]:
    if str(path) == "-":
        yield from _bounded_lines(sys.stdin.buffer)
        return
    try:
        with path.open("rb") as file:
            yield from _bounded_lines(file)
    except FileNotFoundError:
        raise InputError("There is no such file.", fix="Check the path.", place=Place(named)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"The file cannot be read: {reason}.", place=Place(named)) from None


def _bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file. Of one that is too long no more is held than what shows that it is."""
    while line := file.readline(MAX_FILE_BYTES + 2):
        piece = line
        while piece and not piece.endswith(b"\n"):
            piece = file.readline(MAX_FILE_BYTES)
        yield line


def _object(data: bytes) -> Mapping[str, Any]:
    if len(data.rstrip(b"\r\n")) > MAX_FILE_BYTES:
        raise InputError(f"The line is longer than {MAX_FILE_BYTES:,} bytes.")
    try:
        value = json.loads(decode_text(data))
    except InputError:
        raise InputError("The line is not UTF-8.", fix="Save the file as UTF-8.") from None
    except (ValueError, RecursionError):
        raise InputError("The line is not JSON.", fix="Write one JSON object a line.") from None
    if not isinstance(value, dict):
        raise InputError("The line is no JSON object.", fix='Write {"case_id": ..., "reply": ...}.')
    return value


def _row(row: int, value: Mapping[str, Any], suite: Suite | None, *, held_out: bool) -> ReplyRow:
    subject = _text(value, "subject", default="")
    number = value.get("number", 1)
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MAX_NUMBER:
        raise InputError(f"`number` is not a whole number from 1 to {MAX_NUMBER:,}.")
    if "messages" in value:
        return _chat_row(row, value["messages"], subject, number)
    if "reply" not in value or "case_id" not in value:
        known = ", ".join(f"`{one_line(key, 30)}`" for key in list(value)[:6])
        raise InputError(
            f"The line has neither `messages` nor `case_id` and `reply` (it has {known or 'nothing'}).",
            fix='Write {"case_id": ..., "reply": ...} or {"messages": [...]}.',
        )
    case_id, text = _text(value, "case_id"), _limited(_text(value, "reply"))
    case = _as_it_went(_case_for(case_id, suite, held_out=held_out), value.get("conversation"))
    return ReplyRow(row, case, Reply(case_id, text, subject, number))


def _as_it_went(case: Case, conversation: object) -> Case:
    """The case with its live turns as the subject answered them."""
    live = [index for index, turn in enumerate(case.conversation) if turn.speaker == "assistant" and not turn.text]
    if conversation is None:
        if live:
            raise InputError(
                f"In case {case.id} the subject answers earlier turns live, and the line does not say how.",
                fix='Add "conversation": [{"role": ..., "content": ...}, ...], as `iamhumans reply` writes it.',
            )
        return case
    if not isinstance(conversation, list):
        raise InputError("`conversation` is not a list of messages.")
    turns = tuple(turn for message in conversation if (turn := _turn(message)) is not None)
    told = tuple(turn for index, turn in enumerate(turns) if index not in live)
    if len(turns) != len(case.conversation) or told != tuple(
        turn for index, turn in enumerate(case.conversation) if index not in live
    ):
        raise InputError(f"`conversation` is not the conversation of case {case.id}.")
    return replace(case, conversation=turns)


def _case_for(case_id: str, suite: Suite | None, *, held_out: bool) -> Case:
    if suite is None:
        problem = f"The reply is to case {one_line(case_id, 60)}, and no suite was named."
        raise InputError(problem, fix="Name it with --suite.")
    case = suite.by_id.get(case_id)
    if case is None:
        problem = f"The suite {suite.name} has no case {one_line(case_id, 60) or 'without a name'}."
        raise InputError(problem, fix="Run `iamhumans cases list SUITE` to see them.")
    if case.holdout and not held_out:
        raise InputError(f"The case {case_id} is held out, so it is left out here.")
    return case


def _chat_row(row: int, messages: object, subject: str, number: int) -> ReplyRow:
    if not isinstance(messages, list) or not messages:
        raise InputError("`messages` is not a list of messages.")
    turns = [turn for message in messages if (turn := _turn(message)) is not None]
    # Where a tool was called nothing was said.
    turns = [turn for turn in turns[:-1] if turn.text or turn.speaker == "user"] + turns[-1:]
    if not turns or turns[-1].speaker != "assistant":
        raise InputError("The last message is not the assistant's, so there is no reply to judge.")
    if not any(turn.speaker == "user" for turn in turns[:-1]):
        raise InputError("No user message stands before the reply.")
    case = Case(id=f"row-{row}", conversation=tuple(turns[:-1]))
    return ReplyRow(row, case, Reply(case.id, _limited(turns[-1].text), subject, number))


def _turn(message: object) -> Turn | None:
    """A message as a turn; system and tool messages are no part of what was said."""
    if not isinstance(message, dict):
        raise InputError("A message is no JSON object.")
    role = message.get("role")
    if not isinstance(role, str):
        raise InputError("The role of a message is no text.", fix="Use user, assistant or system.")
    if role in ("system", "developer", "tool", "function"):
        return None
    if role not in _ROLES:
        raise InputError(f"A message has the role {one_line(role, 60)!r}.", fix="Use user, assistant or system.")
    return Turn("user" if _ROLES[role] == "user" else "assistant", _content(message.get("content")))


def _content(content: object) -> str:
    """The text of a message: a string, or the text parts of a list of parts."""
    if isinstance(content, str):
        return _whole(content)
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return _whole("\n".join(part for part in parts if isinstance(part, str)))
    if content is None:
        return ""
    raise InputError("The content of a message is no text.")


def _text(value: Mapping[str, Any], key: str, *, default: str | None = None) -> str:
    text = value.get(key, default)
    if not isinstance(text, str):
        raise InputError(f"`{key}` is not a text.")
    return _whole(text)


def _whole(text: str) -> str:
    """The text with a mark for each half of a surrogate pair, which JSON can carry and nothing else."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _limited(text: str) -> str:
    if len(text) > MAX_REPLY_CHARACTERS:
        raise InputError(f"The reply is longer than {MAX_REPLY_CHARACTERS:,} characters.")
    return text
