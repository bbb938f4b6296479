"""What a row says of itself besides the conversation: its id, who replied, in which language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from iamhumans.errors import InputError
from iamhumans.subjects.shapes.messages import as_plain, whole
from iamhumans.subjects.shapes.said import Conversation, Said

MAX_NUMBER = 1_000_000
_IDS = (
    *(
        "id",
        "custom_id",
        "row_id",
        "uuid",
        "_id",
        "conversation_hash",
        "conversation_id",
        "conversationId",
        "question_id",
    ),
    *("sample_id", "prompt_id", "example_id", "run_id", "request_id", "trace_id", "traceId", "chat_id", "thread_id"),
    *("session_id", "sessionId", "dialogue_id", "dialog_id", "span_id", "spanId", "key"),
)
_THREADS = (
    *("conversation_id", "conversationId", "thread_id", "threadId", "session_id", "sessionId", "chat_id", "chatId"),
    *("conversation_hash", "dialogue_id", "dialog_id", "trace_id", "traceId", "question_id"),
)
_SUBJECTS = ("subject", "model", "model_name", "modelName", "model_id", "modelId", "model_slug", "default_model_slug")
_LANGUAGES = dict(
    pair.split("=")
    for pair in [
        "arabic=ar",
        "bengali=bn",
        "bulgarian=bg",
        "catalan=ca",
        "chinese=zh",
        "croatian=hr",
        "czech=cs",
        "danish=da",
        "dutch=nl",
        "english=en",
        "estonian=et",
        "finnish=fi",
        "french=fr",
        "german=de",
        "greek=el",
        "hebrew=he",
        "hindi=hi",
        "hungarian=hu",
        "indonesian=id",
        "italian=it",
        "japanese=ja",
        "korean=ko",
        "latin=la",
        "latvian=lv",
        "lithuanian=lt",
        "malay=ms",
        "norwegian=no",
        "persian=fa",
        "polish=pl",
        "portuguese=pt",
        "romanian=ro",
        "russian=ru",
        "serbian=sr",
        "slovak=sk",
        "slovenian=sl",
        "spanish=es",
        "swedish=sv",
        "tagalog=tl",
        "thai=th",
        "turkish=tr",
        "ukrainian=uk",
        "urdu=ur",
        "vietnamese=vi",
    ]
)
_LONGEST_NAME = 500
_LANGS = frozenset(("lang", "language", "locale"))
_SUBJECT_SET, _THREAD_SET = frozenset(_SUBJECTS), frozenset(_THREADS)


def is_absent(value: Any) -> bool:
    """Whether a value is what spreadsheets and data frames write for a missing one: null, NaN, NA, NaT."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")


def given(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """A row without its missing values."""
    return {key: value for key, value in row.items() if type(value) in _PRESENT or not is_absent(value)}


_PRESENT = (str, list, dict, int)


def name_of(value: Any) -> str:
    """A value as an id or a name: 7 and 7.0 are ``7``. Empty if it is none."""
    if type(value) is str:
        return whole(value.strip())[:_LONGEST_NAME]
    value = as_plain(value)
    if isinstance(value, float) and value == value and value not in (float("inf"), float("-inf")):
        value = int(value) if value == int(value) else value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    try:
        return whole(str(value).strip())[:_LONGEST_NAME]
    except ValueError:  # an integer with too many digits
        return ""


def require_name(row: Mapping[Any, Any], key: str) -> str:
    """A value that has to be an id or a name where it is there. Raises InputError."""
    if key not in row:
        return ""
    value = as_plain(row[key])
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"`{key}` is not text.")
    return name_of(value)


def number_of(row: Mapping[Any, Any]) -> int:
    """Which of several replies to its case it is. Raises InputError."""
    value = as_plain(row.get("number", 1))
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = 0
    try:
        number = int(value) if isinstance(value, int | float) and value == int(value) else 0
    except (ValueError, OverflowError):
        number = 0
    if isinstance(value, bool) or not 1 <= number <= MAX_NUMBER:
        raise InputError(f"`number` is not a whole number from 1 to {MAX_NUMBER:,}.")
    return number


def lang_of(row: Mapping[Any, Any]) -> str:
    """The language of a row, as a code where it is named in English; empty if it is not given."""
    if _LANGS.isdisjoint(row):
        return ""
    for key in ("lang", "language", "locale"):
        name = name_of(row[key]) if key in row else ""
        if name and name.lower() not in ("unknown", "und", "none"):
            return _LANGUAGES.get(name.lower(), name)
    return ""


def subject_of(row: Mapping[Any, Any]) -> str:
    """Who replied."""
    if _SUBJECT_SET.isdisjoint(row):
        return ""
    for key in _SUBJECTS:
        if key in row:
            value = row[key]
            if isinstance(value, Mapping):
                value = value.get("id") or value.get("name")
            if name := name_of(value):
                return name
    return ""


def first_name(row: Mapping[Any, Any], keys: Iterable[str]) -> str:
    """The first of these that the row has."""
    for key in keys:
        if key in row and (name := name_of(row[key])):
            return name
    return ""


def thread_of(row: Mapping[Any, Any]) -> str:
    """The id of the conversation that a row is a part of."""
    return "" if _THREAD_SET.isdisjoint(row) else first_name(row, _THREADS)


def conversation_of(row: Mapping[Any, Any], messages: tuple[Said, ...], **known: Any) -> Conversation:
    """A conversation with what the row says of itself; ``known`` has what the shape knows better."""
    if "subject" not in known or not known["subject"]:
        replied = next((one for one in reversed(messages) if one.voice == "assistant"), None)
        known["subject"] = require_name(row, "subject") or subject_of(row) or (replied.model if replied else "")
    facts: dict[str, Any] = {"id": first_name(row, _IDS), "thread": thread_of(row), "lang": lang_of(row)}
    if "number" in row:
        facts["number"] = number_of(row)
    return Conversation(messages, **{**facts, **known})
