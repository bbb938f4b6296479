"""A table with a row for each message, which belong together by the id of their conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from iamhumans.errors import InputError
from iamhumans.subjects.decoding import Record
from iamhumans.subjects.shapes.facts import conversation_of, first_name, given
from iamhumans.subjects.shapes.messages import MAX_MESSAGES, is_message, read_messages
from iamhumans.subjects.shapes.said import Conversation
from iamhumans.subjects.shapes.shape import Row, Shape

_THREADS = (
    *("conversation_id", "conversationId", "thread_id", "threadId", "session_id", "sessionId", "chat_id", "chatId"),
    *(
        "message_tree_id",
        "dialogue_id",
        "dialog_id",
        "channel_id",
        "channel",
        "conversation",
        "thread",
        "session",
        "chat",
    ),
)
_TIMES = ("created_at", "createdAt", "timestamp", "time", "create_time", "created", "ts")


def is_message_row(row: Row) -> bool:
    """Whether a row is one message with a known speaker."""
    return is_message(row) and any(
        isinstance(row.get(key), str | list) for key in ("content", "text", "value", "message", "body")
    )


def grouped(records: Iterator[Record]) -> Iterator[Record]:
    """A record for each conversation: all messages that follow each other and have the same conversation."""
    group: list[Record] = []
    thread = ""
    closed: set[str] = set()
    for record in records:
        row = given(record.value) if isinstance(record.value, Mapping) else None
        if row is None or not is_message_row(row):
            problem = InputError("The row is no message with a known speaker.")
            yield record if isinstance(record.value, InputError) else record._replace(value=problem)
            continue
        name = first_name(row, _THREADS)
        if group and name != thread:
            yield _conversation(group, thread, closed)
            closed.add(thread)
            group = []
        thread = name
        if len(group) <= MAX_MESSAGES:
            group.append(record)
    if group:
        yield _conversation(group, thread, closed)


def _conversation(group: list[Record], thread: str, closed: set[str]) -> Record:
    first = group[0]
    if thread in closed:
        fix = "Sort the rows by conversation."
        return first._replace(
            value=InputError("The messages of this conversation are not next to each other.", fix=fix)
        )
    said: list[Mapping[str, Any]] = [record.value for record in group]
    times = [first_name(one, _TIMES) for one in said]
    if all(times) and times[0] > times[-1] and times == sorted(times, reverse=True):  # the newest first
        said = said[::-1]
    return first._replace(value={"messages": said, **({"id": thread} if thread else {})})


def _fits(row: Row) -> bool:
    return isinstance(row.get("messages"), list)


def _read(row: Row) -> Sequence[Conversation]:
    return [conversation_of(row, read_messages(row["messages"]))]


MESSAGE_ROWS = Shape("message-rows", "a row for each message", _fits, _read)
