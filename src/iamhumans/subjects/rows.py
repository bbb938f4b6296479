"""From one row of a log, of a file or of a program, to its replies with the cases that they answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

from iamhumans.cases import Case, Reply, Suite, Turn
from iamhumans.errors import NOWHERE, CommandError, InputError, Place
from iamhumans.subjects.decoding import Record
from iamhumans.subjects.shapes import Conversation, Said, Shape, parse_columns, recognise, shape_named, shape_of
from iamhumans.subjects.shapes import shape_of_columns as columns_shape
from iamhumans.subjects.shapes.facts import given
from iamhumans.subjects.shapes.message_rows import MESSAGE_ROWS, grouped, is_message_row
from iamhumans.subjects.shapes.messages import as_plain, is_messages, is_object, read_messages, whole
from iamhumans.subjects.subject import failure_of
from iamhumans.text import one_line
from iamhumans.text.endings import ending_of
from iamhumans.text.replies import EMPTY, SeenReply
from iamhumans.verdicts import Unjudged

MAX_REPLY_CHARACTERS = 200_000
Turns = Literal["last", "all"]
_EXPECTED = '{"input": ..., "reply": ...}, {"messages": [...]} or another shape of docs/logs.md'
_SAMPLE = 50  # the rows from which a shape is recognised


@dataclass(frozen=True, slots=True)
class Remark:
    """What a user should know of a row that is judged. ``kind`` is the same for all rows with the same remark."""

    kind: Literal["follows", "alone", "beside"]
    text: str


@dataclass(frozen=True, slots=True)
class ReplyRow:
    """A reply with the case that it answers.

    Attributes:
        row: Counts from 1 in the order of the input; the line of a file of lines.
        case, reply: What is judged.
        failure: Why the message is no whole reply: it is asked for and cannot be judged.
        id: The id that the row has.
        cluster: For a row without a case: what the rows of one conversation share. They are not independent.
        system: The system message of the conversation.
        thread: The name of its conversation, where that is not ``id``.
        case_id: The name of the case, where the row gives one that is not ``id``.
        lang: The language, if the row gives one.
        ending: The provider's word for how the reply ended; empty if it is not known.
        remarks: What a user should know of it.
    """

    row: int
    case: Case
    reply: Reply
    failure: Unjudged | None = None
    id: str = ""
    cluster: str = ""
    system: str = ""
    thread: str = ""
    case_id: str = ""
    lang: str = ""
    ending: str = ""
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row that cannot be used, and why. ``is_of_form``: nothing in it could be read, so that its form is at fault."""

    row: int
    problem: str
    place: Place = NOWHERE
    is_of_form: bool = False

    def __str__(self) -> str:
        where = str(self.place) or f"row {self.row}"
        return f"{where}: {self.problem}"


class _FormError(InputError):
    """A row of no known shape."""


class _Place(NamedTuple):
    """Where a reply is: its row, and the number of its record."""

    row: int
    record: int


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows are read: a ``shape`` by its name or by ``columns``, and which assistant messages are judged."""

    shape: str | None = None
    columns: Mapping[str, str] | str | None = None
    turns: Turns = "last"

    def forced(self) -> Shape | None:
        """The shape that the user named. Raises CommandError."""
        if self.turns not in ("last", "all"):
            raise CommandError(f"`turns` is {one_line(str(self.turns), 40)!r}.", fix="Use last or all.")
        if self.columns is not None:
            if self.shape is not None:
                raise CommandError("Pass a shape or columns, not both.", fix="Leave one of them out.")
            columns = parse_columns(self.columns) if isinstance(self.columns, str) else self.columns
            return columns_shape(columns)
        return None if self.shape is None else shape_named(self.shape)


class Rows:
    """The replies in records, one by one. A record that cannot be used is a problem and does not stop the others.

    Each record is a mapping of any known shape, a :class:`ReplyRow`, or an InputError, which is that row's problem.
    Replies to held-out cases are used only with ``holdout``. With ``any_case`` a reply to a case of an unknown suite is
    one to a case without a conversation.
    """

    def __init__(
        self,
        records: Iterable[Record],
        suite: Suite | None = None,
        *,
        path: Path | None = None,
        holdout: bool = False,
        reading: Reading | None = None,
        any_case: bool = False,
    ) -> None:
        self._any_case = any_case
        self._records = records
        self._suite = suite
        self._path = path
        self._holdout = holdout
        self._reading = reading or Reading()
        self._forced = self._reading.forced()
        self.shape: Shape | None = self._forced
        """The shape that the rows have, once the first ones are read."""

    def __iter__(self) -> Iterator[ReplyRow | RowProblem]:
        last = 0
        for record in self._sampled():
            # Where a record holds several replies, rows count replies.
            first = max(last + 1, record.number)
            try:
                if isinstance(record.value, InputError):
                    raise record.value
                found = self._replies(record, first)
            except InputError as error:
                found = [self._problem(error, record, first)]
            last = first + len(found) - 1
            yield from found

    def _problem(self, error: InputError, record: Record, row: int) -> RowProblem:
        place = Place() if self._path is None else Place(self._path, record.line)
        is_of_form = isinstance(error, _FormError) or error is record.value
        return RowProblem(row, f"{error.what} {error.fix}".strip(), place, is_of_form)

    def _sampled(self) -> Iterator[Record]:
        records = iter(self._records)
        if self.shape is not None:
            yield from records if self.shape is not MESSAGE_ROWS else grouped(records)
            return
        sample: list[Record] = []
        for record in records:
            sample.append(record)
            if len(sample) >= _SAMPLE:
                break
        rows = [row for one in sample if (row := _as_row(one.value)) is not None]
        self.shape = recognise(rows) or recognise([_lowered(row) for row in rows])
        if self.shape is None:
            self.shape = recognise([inner for row in rows if (inner := _inside(row)) is not None])
        if self.shape is None and rows and all(map(is_message_row, rows)):
            self.shape = MESSAGE_ROWS
        both = chain(sample, records)
        yield from both if self.shape is not MESSAGE_ROWS else grouped(both)

    def _replies(self, record: Record, first: int) -> list[ReplyRow | RowProblem]:
        value = record.value
        if isinstance(value, ReplyRow):
            return [replace(value, row=first)]
        row = _as_row(value)
        if row is None:
            raise _FormError("The row is not an object with keys.", fix=f"Expected {_EXPECTED}.")
        shape = self._shape_of(row)
        if shape is None:
            row = _lowered(row)
            shape = self._shape_of(row)
        if shape is None and self._forced is None and (inner := _inside(row)) is not None:
            row, shape = inner, shape_of(inner)
        if shape is None:
            raise self._unknown(given(value) if is_object(value) else row, value)
        found: list[ReplyRow | RowProblem] = []
        for talk in shape.read(row):
            one = talk if talk.subject or not record.model else replace(talk, subject=record.model)
            place = _Place(first + len(found), record.number)
            try:
                found += self._judged(one, place, row)
            except InputError as error:
                found.append(self._problem(error, record, place.row))
        return found or [self._problem(InputError("There is no reply in the row."), record, first)]

    def _shape_of(self, row: dict[Any, Any]) -> Shape | None:
        if self.shape is not None and self.shape.fits(row):
            return self.shape
        return None if self._forced is not None else shape_of(row)

    def _unknown(self, row: Mapping[Any, Any], value: object) -> InputError:
        if "reply" in row and not isinstance(row["reply"], str):
            return _FormError("`reply` is not text.")
        known = ", ".join(f"`{one_line(str(key), 30)}`" for key in list(row)[:6]) or "nothing"
        more = ", ..." if len(row) > 6 else ""
        if self._forced is not None:
            what = f"The row has {known}{more}, which is not {self._forced.about}."
            return _FormError(what, fix="Check the shape or the columns that you named.")
        absent = [str(key) for key in value if key not in row] if isinstance(value, Mapping) else []
        if self.shape is not None and (missing := ", ".join(f"`{one_line(key, 30)}`" for key in absent[:6])):
            return InputError(f"The row has {known}{more}, and nothing in {missing}.")
        if self.shape is not None:
            others = f"{self.shape.name} ({self.shape.about})"
            return _FormError(f"The row has {known}{more}; the other rows are read as {others}.")
        return _FormError(f"The row has {known}{more}.", fix=f"Expected {_EXPECTED}.")

    def _judged(self, talk: Conversation, place: _Place, row: Mapping[Any, Any]) -> list[ReplyRow]:
        """The replies of a conversation that are judged."""
        if self._suite is not None and talk.case_id:
            return [self._of_case(talk, self._suite, place.row, row)]
        if self._any_case and talk.alone and talk.case_id:
            return [_log_row(replace(talk, alone=False), len(talk.messages) - 1, place, "", numbered=False)]
        if talk.alone and talk.case_id and talk.id != talk.case_id:
            fix = "Name the suite, or add the user's words as `input`."
            raise InputError(f"The reply is to case {one_line(talk.case_id, 60)}, and no suite was named.", fix=fix)
        places = _places(talk.messages, self._reading.turns)
        if not places:
            if not any(one.voice in ("user", "assistant") for one in talk.messages):
                raise InputError("`messages` has no message of a user or an assistant.")
            raise InputError("There is no message of the assistant, so there is no reply to judge.")
        # The id of a row is that of a conversation only where several of its messages are judged.
        named = talk.thread or (talk.id if self._reading.turns == "all" else "")
        cluster = "" if talk.case_id not in ("", talk.id) else named or _cluster(talk.messages, places[-1])
        found: list[ReplyRow] = []
        for at in places:
            if not talk.alone and not any(one.voice == "user" for one in talk.messages[:at]):
                if self._reading.turns == "all" and len(places) > 1:  # a greeting
                    continue
                raise InputError("There is no user message before the reply.")
            here = _Place(place.row + len(found), place.record)
            found.append(_log_row(talk, at, here, cluster, numbered=self._reading.turns == "all"))
        return found

    def _of_case(self, talk: Conversation, suite: Suite, number: int, row: Mapping[Any, Any]) -> ReplyRow:
        case = _case_for(talk.case_id, suite, holdout=self._holdout)
        last = talk.messages[-1]
        as_it_went = _as_it_went(case, row.get("conversation"))
        more: dict[str, Any] = {"id": talk.id, "case_id": case.id, "lang": talk.lang, "ending": last.ending}
        return ReplyRow(number, as_it_went, *_given(case.id, talk, last), **more)


def read_rows(
    rows: Iterable[object],
    suite: Suite | None = None,
    *,
    holdout: bool = False,
    reading: Reading | None = None,
    any_case: bool = False,
) -> Rows:
    """Rows of a program as replies: mappings of any shape. An empty line is ``None``."""
    records = (Record(number, None, value) for number, value in enumerate(rows, start=1) if value is not None)
    return Rows(records, suite, holdout=holdout, reading=reading, any_case=any_case)


def turns_of(messages: object) -> tuple[Turn, ...]:
    """Messages as turns, without system and tool messages. Raises InputError for a malformed message."""
    messages = as_plain(messages)
    if not isinstance(messages, list | tuple):
        raise InputError("The conversation is not a list of messages.")
    return tuple(
        turn
        for one in messages
        for turn in ((one,) if isinstance(one, Turn) else _turns(read_messages([one]), keep_empty=True))
    )


def _as_row(value: object) -> dict[Any, Any] | None:
    """A record as a row without its missing values; a bare list of messages is a row too."""
    if is_object(value):
        return given(value)
    return {"messages": value} if isinstance(value, list | tuple) and is_messages(value) else None


def _lowered(row: dict[Any, Any]) -> dict[Any, Any]:
    """A row whose names are as programs write them: `User Input` of a spreadsheet is `user_input`."""
    named = {_JOINTS.sub("_", key.strip().lower()) if isinstance(key, str) else key: key for key in row}
    return {name: row[key] for name, key in named.items()} if len(named) == len(row) else row


def _inside(row: dict[Any, Any]) -> dict[Any, Any] | None:
    """The row that is one member of another, as in exports with the chat beside its title; the outer id is kept."""
    found = [inner for key in _WRAPS if is_object(inner := row.get(key)) and shape_of(given(inner)) is not None]
    if len(found) != 1:
        return None
    return {**{key: value for key, value in row.items() if isinstance(value, str | int)}, **given(found[0])}


_WRAPS = ("chat", "conversation", "session", "thread", "dialog", "dialogue", "trace", "log", "example", "payload")
_JOINTS = re.compile(r"[\s-]+")


def _places(messages: tuple[Said, ...], turns: Turns) -> list[int]:
    """Where the messages are that are judged."""
    if turns == "last":
        for place in range(len(messages) - 1, -1, -1):
            if messages[place].voice == "assistant":
                return [place]
        return []
    spoken = [place for place, one in enumerate(messages) if one.voice == "assistant"]
    return [place for place in spoken if messages[place].text or place == spoken[-1]]


def _cluster(messages: tuple[Said, ...], last: int) -> str:
    """The name of a conversation without an id: a hash of all that was said before the reply, by the system too."""
    digest = hashlib.sha256()
    for one in messages[:last]:
        digest.update(f"{one.voice} {len(one.text)} {one.text}\n".encode())
    return digest.hexdigest()[:32]


def _turns(messages: Iterable[Said], *, keep_empty: bool = False) -> tuple[Turn, ...]:
    """The turns that a user saw, without messages that only call a tool. What a user sent besides text is named."""
    found = []
    for one in messages:
        if one.voice == "user" and not one.text and one.other and set(one.other) <= _TOOLS:
            continue  # a result of a tool, which Anthropic's format has in a message of the user
        if one.voice == "user":
            found.append(Turn("user", one.text or "".join(f"[{name}]" for name in one.other)))
        elif one.voice == "assistant" and (one.text or keep_empty):
            found.append(Turn("assistant", one.text))
    return tuple(found)


_TOOLS = frozenset(("a call of a tool", "a result of a tool"))


def _log_row(talk: Conversation, at: int, place: _Place, cluster: str, *, numbered: bool) -> ReplyRow:
    judged, turns = talk.messages[at], _turns(talk.messages[:at])
    name = talk.case_id or talk.id or f"row-{place.record}"
    if numbered:
        name = f"{name}#{sum(one.voice == 'assistant' for one in talk.messages[: at + 1])}"
    told = [one.text for one in talk.messages[:at] if one.voice == "system"]
    case = Case(id=name, conversation=turns, lang=talk.lang or "en")
    return ReplyRow(
        place.row,
        case,
        *_given(name, talk, judged),
        id=talk.id,
        cluster=cluster,
        system="\n\n".join(told) if told else "",
        thread=talk.thread or ("" if talk.id or not numbered else cluster),
        case_id=name if numbered or talk.case_id not in ("", talk.id) else "",
        lang=talk.lang,
        ending=judged.ending,
        remarks=() if _is_plain(talk, at) else tuple(_remarks(talk, at, numbered=numbered)),
    )


def _is_plain(talk: Conversation, at: int) -> bool:
    """Whether there is nothing to remark, as for nearly all rows."""
    return at == len(talk.messages) - 1 and not talk.alone and not talk.messages[at].other


def _remarks(talk: Conversation, at: int, *, numbered: bool) -> Iterator[Remark]:
    after = [one for one in talk.messages[at + 1 :] if one.voice == "user" and (one.text or one.other)]
    if after and not numbered:
        yield Remark("follows", f"the user's message “{one_line(after[0].text, 60)}” follows the reply that is judged")
    if talk.alone:
        yield Remark("alone", "the row does not say what the reply answers, so it is judged without a conversation")
    judged = talk.messages[at]
    if judged.other and judged.text:
        yield Remark("beside", f"the reply also holds {' and '.join(judged.other)}, which is not judged")


def given_reply(case_id: str, seen: SeenReply, subject: str = "", number: int = 1) -> tuple[Reply, Unjudged | None]:
    """A message of a log as a reply, and why it is no whole one. Raises InputError for one that is too long."""
    if len(seen.text) > MAX_REPLY_CHARACTERS:
        raise InputError(f"The reply is longer than {MAX_REPLY_CHARACTERS:,} characters.")
    texts = [whole(text) for text in (seen.text, seen.reasoning, "; ".join(seen.beside))]
    reply = Reply(case_id, texts[0], subject, number, *texts[1:])
    return reply, failure_of(seen) if seen.text.strip() or seen.why_empty != EMPTY else None


def _given(case_id: str, talk: Conversation, judged: Said) -> tuple[Reply, Unjudged | None]:
    """The judged message as a reply. An absent ending is whole in a log."""
    if judged.text and not judged.ending and len(judged.text) <= MAX_REPLY_CHARACTERS:
        beside = "; ".join(judged.other)
        return Reply(case_id, judged.text, talk.subject, talk.number, judged.reasoning, beside), None
    ending, word = ending_of(judged.ending or None)
    seen = SeenReply(judged.text, judged.reasoning, judged.found_in, judged.other, ending, word, judged.open)
    return given_reply(case_id, seen, talk.subject, talk.number)


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


def _case_for(case_id: str, suite: Suite, *, holdout: bool) -> Case:
    if (case := suite.by_id.get(case_id)) is None:
        problem = f"The suite {suite.name} has no case {one_line(case_id, 60) or 'without a name'}."
        raise InputError(problem, fix="`iamhumans cases list SUITE` shows its cases.")
    if case.holdout and not holdout:
        raise InputError(
            f"The case {case_id} is held out. To use it, give a reason (--holdout --reason, or `holdout_reason`)."
        )
    return case
