"""From one row of a log, of a file or of a program, to a reply with the case that it answers."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from iamhumans.cases import Case, Reply, Suite, Turn
from iamhumans.errors import NOWHERE, InputError, Place
from iamhumans.subjects.subject import failure_of
from iamhumans.text import SeenReply, one_line, read_message, seen_message
from iamhumans.text.replies import EMPTY
from iamhumans.verdicts import Unjudged

MAX_REPLY_CHARACTERS = 200_000
MAX_NUMBER = 1_000_000
_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "model": "assistant", "ai": "assistant"}
_SYSTEM = ("system", "developer")
_CONVERSATION_IDS = ("conversation_id", "thread_id", "session_id", "chat_id")
_SILENT_ROLES = ("system", "developer", "tool", "function")
_SHAPES = '{"case_id": ..., "reply": ...}, {"input": ..., "reply": ...} or {"messages": [...]}'


@dataclass(frozen=True, slots=True)
class ReplyRow:
    """A reply with the case that it answers. ``row`` counts from 1 in the order of the input.

    ``failure`` says why the message is no whole reply: it is asked for and cannot be judged.
    ``cluster`` is for a row without a case of a suite. Rows of the same conversation have the same one: they are not
    independent of each other.
    """

    row: int
    case: Case
    reply: Reply
    failure: Unjudged | None = None
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row that cannot be used, and why."""

    row: int
    problem: str
    place: Place = NOWHERE

    def __str__(self) -> str:
        where = str(self.place) or f"row {self.row}"
        return f"{where}: {self.problem}"


def read_rows(
    rows: Iterable[object], suite: Suite | None = None, *, path: Path | None = None, holdout: bool = False
) -> Iterator[ReplyRow | RowProblem]:
    """Rows as replies, one by one. A row that cannot be used is a problem, and does not stop the others.

    Rows are mappings: ``{"case_id", "reply"}`` for a case of the suite, ``{"input", "reply"}``, or ``{"messages"}``
    whose last message is the assistant's. ``subject``, ``number`` and ``id`` may be added. An error in place of a
    mapping becomes that row's problem. Replies to held-out cases are used only with ``holdout``.
    """
    for number, value in enumerate(rows, start=1):
        if value is None:  # an empty line
            continue
        try:
            if isinstance(value, InputError):
                raise value
            yield read_row(number, value, suite, holdout=holdout)
        except InputError as error:
            place = Place(path, number) if path is not None else Place()
            yield RowProblem(number, f"{error.what} {error.fix}".strip(), place)


def read_row(row: int, value: object, suite: Suite | None = None, *, holdout: bool = False) -> ReplyRow:
    """One row. Raises InputError where it cannot be used."""
    if isinstance(value, ReplyRow):
        return replace(value, row=row)
    if not isinstance(value, Mapping):
        raise InputError("The row is not an object with keys.", fix=f"Write {_SHAPES}.")
    # Spreadsheets and data frames write a missing value as null or NaN.
    given = {key: part for key, part in value.items() if part is not None and part == part}
    subject, number = _text(given, "subject", default=""), _number(given.get("number", 1))
    if "messages" in given:
        turns, seen = _chat(given["messages"], given.get("finish_reason"))
        return _log_row(row, given, turns, seen, subject, number)
    if "reply" not in given or not ("case_id" in given or "input" in given):
        known = ", ".join(f"`{one_line(str(key), 30)}`" for key in list(given)[:6]) or "nothing"
        raise InputError(f"The row has {known}.", fix=f"Write {_SHAPES}.")
    seen = seen_message({**given, "content": _text(given, "reply")})
    if "input" in given and (suite is None or "case_id" not in given):
        return _log_row(row, given, (Turn("user", _text(given, "input")),), seen, subject, number)
    case = _case_for(_text(given, "case_id"), suite, holdout=holdout)
    return ReplyRow(row, _as_it_went(case, given.get("conversation")), *given_reply(case.id, seen, subject, number))


def turns_of(messages: object) -> tuple[Turn, ...]:
    """Messages as turns, without system and tool messages. Raises InputError for a malformed message."""
    if not isinstance(messages, list | tuple):
        raise InputError("The conversation is not a list of messages.")
    return tuple(turn for message in messages if (turn := _turn(message)) is not None)


def _log_row(
    row: int, given: Mapping[Any, Any], turns: tuple[Turn, ...], seen: SeenReply, subject: str, number: int
) -> ReplyRow:
    own = "case_id" if "case_id" in given else "id"
    case_id = _text(given, own) if own in given else f"row-{row}"
    case = Case(id=case_id, conversation=turns, lang=_text(given, "lang", default="en"))
    cluster = "" if "case_id" in given else cluster_of(given, turns)
    return ReplyRow(row, case, *given_reply(case_id, seen, subject, number), cluster)


def cluster_of(given: Mapping[Any, Any], turns: tuple[Turn, ...]) -> str:
    """What rows of the same conversation share: its id, or else its texts, that of the system included."""
    named = [str(given[key]) for key in _CONVERSATION_IDS if isinstance(given.get(key), str | int)]
    messages = given.get("messages")
    silent = [one for one in messages if isinstance(one, Mapping) and one.get("role") in _SYSTEM] if messages else []
    said = [[str(one.get("content"))] for one in silent] + [[turn.speaker, turn.text] for turn in turns]
    text = json.dumps(named[:1] or said, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def given_reply(case_id: str, seen: SeenReply, subject: str = "", number: int = 1) -> tuple[Reply, Unjudged | None]:
    """A message of a log as a reply, and why it is no whole one. Raises InputError for one that is too long."""
    if len(seen.text) > MAX_REPLY_CHARACTERS:
        raise InputError(f"The reply is longer than {MAX_REPLY_CHARACTERS:,} characters.")
    texts = [_whole(text) for text in (seen.text, seen.reasoning, "; ".join(seen.beside))]
    reply = Reply(case_id, texts[0], subject, number, *texts[1:])
    return reply, failure_of(seen) if seen.text.strip() or seen.why_empty != EMPTY else None


def _as_it_went(case: Case, conversation: object) -> Case:
    live = [index for index, turn in enumerate(case.conversation) if turn.speaker == "assistant" and not turn.text]
    if conversation is None:
        if live:
            problem = f"In case {case.id} the subject answers earlier turns live, and the row does not say how."
            fix = 'Add "conversation": [{"role": ..., "content": ...}, ...], as `iamhumans reply` writes it.'
            raise InputError(problem, fix=fix)
        return case
    turns = turns_of(conversation)
    fixed = [index for index in range(len(case.conversation)) if index not in live]
    if len(turns) != len(case.conversation) or any(turns[at] != case.conversation[at] for at in fixed):
        raise InputError(f"`conversation` is not the conversation of case {case.id}.")
    return replace(case, conversation=turns)


def _case_for(case_id: str, suite: Suite | None, *, holdout: bool) -> Case:
    if suite is None:
        fix = "Name the suite, or add the user's words as `input`."
        raise InputError(f"The reply is to case {one_line(case_id, 60)}, and no suite was named.", fix=fix)
    if (case := suite.by_id.get(case_id)) is None:
        problem = f"The suite {suite.name} has no case {one_line(case_id, 60) or 'without a name'}."
        raise InputError(problem, fix="`iamhumans cases list SUITE` shows its cases.")
    if case.holdout and not holdout:
        raise InputError(f"The case {case_id} is held out. --holdout with --reason uses it.")
    return case


def _chat(messages: Any, ending: object = None) -> tuple[tuple[Turn, ...], SeenReply]:
    turns = turns_of(messages)
    if not turns:
        raise InputError("`messages` has no message of a user or an assistant.")
    # An assistant's message without text only called a tool.
    turns = (*(turn for turn in turns[:-1] if turn.text or turn.speaker == "user"), turns[-1])
    if turns[-1].speaker != "assistant":
        raise InputError("The last message is not the assistant's, so there is no reply to judge.")
    if not any(turn.speaker == "user" for turn in turns[:-1]):
        raise InputError("There is no user message before the reply.")
    last = [message for message in messages if _turn(message) is not None][-1]
    return turns[:-1], seen_message(last.text if isinstance(last, Turn) else last, ending)


def _turn(message: object) -> Turn | None:
    if isinstance(message, Turn):
        return message
    if not isinstance(message, Mapping):
        raise InputError("A message is not an object with keys.")
    role = message.get("role")
    if role in _SILENT_ROLES:
        return None
    if not isinstance(role, str) or role not in _ROLES:
        raise InputError(f"A message has the role {one_line(str(role), 60)!r}.", fix="Use user, assistant or system.")
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        raise InputError("The content of a message is not text.")
    if _ROLES[role] == "user":
        return Turn("user", _whole(read_message(message, exact=False).text))
    return Turn("assistant", _whole(seen_message(message).text))


def _number(value: object) -> int:
    whole = int(value) if isinstance(value, int | float) and value == int(value) else 0
    if isinstance(value, bool) or not 1 <= whole <= MAX_NUMBER:
        raise InputError(f"`number` is not a whole number from 1 to {MAX_NUMBER:,}.")
    return whole


def _text(value: Mapping[Any, Any], key: str, *, default: str | None = None) -> str:
    text = value.get(key, default)
    # Ids are often numbers; a data frame turns 7 into 7.0.
    if isinstance(text, int | float) and not isinstance(text, bool) and key in ("case_id", "id", "subject"):
        text = str(int(text)) if text == int(text) else str(text)
    if not isinstance(text, str):
        raise InputError(f"`{key}` is not text.")
    return _whole(text)


def _whole(text: str) -> str:
    """The text with a mark for each half of a surrogate pair, which JSON can carry and nothing else."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
