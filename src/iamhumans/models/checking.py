"""What can be learned of a model by one paid call. What a server refuses before that costs nothing."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from iamhumans.errors import IamhumansError
from iamhumans.models.chat import ChatModel, FailureKind, ModelFailure, Prices, Reception
from iamhumans.models.config import Config
from iamhumans.models.habits import Habits
from iamhumans.models.names import KINDS, parse_model_name, table_header
from iamhumans.models.opening import open_model
from iamhumans.prompts import Message, Request
from iamhumans.text import take_off_reasoning

if TYPE_CHECKING:
    from iamhumans.models.server_model import ServerModel
    from iamhumans.models.tables import ModelTable

PATIENCE = 60.0  # seconds for the call
MOST_TOKENS = 1000  # of the answer, where the table sets no limit. A model that reasons needs them
_SYSTEM = (
    "You are being tested. Answer with one JSON object and nothing else. It has two fields: `secret` is always the word"
    " marmalade, and `word` is the word that the user names."
)
_USER = "The word is apple."
_FIELDS = ("secret", "word")
_SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in _FIELDS},
    "required": list(_FIELDS),
    "additionalProperties": False,
}
QUESTION = Request((Message("system", _SYSTEM), Message("user", _USER)), _SCHEMA)
_LIMIT = re.compile(r"(?:x-|anthropic-)?ratelimit-limit(?:-.+)?|anthropic-ratelimit-.+-limit", re.IGNORECASE)


class Fact(NamedTuple):
    """One thing about a model. ``well``: whether that is as it should be; ``None`` where it is neither good nor bad."""

    what: str
    state: str
    well: bool | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """What one call showed.

    Attributes:
        facts: What was found, in the order of the questions.
        works: Whether the model answered.
        table: A table for ``iamhumans.toml`` with what was learned; empty if it did not answer.
        reception: The answer.
        failure: Why there is none.
    """

    facts: tuple[Fact, ...]
    works: bool
    table: str = ""
    reception: Reception | None = None
    failure: ModelFailure | None = None


def open_to_check(name: str, config: Config, environ: Mapping[str, str] | None = None) -> ChatModel:
    """The model of a name, set so that one call shows most. Raises CommandError, InputError, CannotRunError."""
    table = _table_of(name, config)
    if table is not None:
        shows = {"temperature": 0.0 if table.temperature is None else table.temperature}
        if table.stream is None:
            shows["stream"] = True
        if table.max_tokens is None and table.max_completion_tokens is None:
            shows["max_tokens"] = MOST_TOKENS
        config = replace(config, models={**config.models, name: table.model_copy(update=shows)})
    return open_model(name, config, environ=environ)


def _table_of(name: str, config: Config) -> ModelTable | None:
    """The table of a model on a server: the one in the config, or an empty one; ``None`` for any other model."""
    from iamhumans.models.tables import ModelTable

    table = config.models.get(name)
    if table is not None and table.base_url is not None:
        return table
    kind = parse_model_name(table.model if table is not None else name).kind
    if kind not in KINDS or kind in ("command", "python"):
        return None
    return table if table is not None else ModelTable(model=name)


async def check(model: ChatModel, name: str, config: Config) -> Checked:
    """Make the one call, and read from it what can be read. The model is closed in the end."""
    import asyncio

    began = time.monotonic()
    try:
        async with asyncio.timeout(PATIENCE):
            reception = await model.send(QUESTION)
    except ModelFailure as failure:
        return Checked(tuple(_facts_of_failure(model, failure)), works=False, failure=failure)
    except TimeoutError:
        late = ModelFailure(FailureKind.TIMEOUT, f"no answer within {PATIENCE:.0f} s", may_be_billed=True)
        return Checked(tuple(_facts_of_failure(model, late)), works=False, failure=late)
    finally:
        await model.close()
    facts = [Fact("answers", f"within {time.monotonic() - began:.1f} s", well=True)]
    server = _server(model)
    table = ""
    if server is not None:
        facts = [*_reached(server), *facts, *_facts(server, reception)]
        given = _table_of(name, config)
        table = "" if given is None else _written(name, given, server.habits)
    return Checked(tuple(facts), works=True, table=table, reception=reception)


def _server(model: ChatModel) -> ServerModel | None:
    from iamhumans.models.server_model import ServerModel

    return model if isinstance(model, ServerModel) else None


def _reached(server: ServerModel) -> Iterator[Fact]:
    yield Fact("reachable", server.address, well=True)
    variable = server.key_variable
    yield Fact(
        "key", f"the one in {variable} is accepted" if variable else "none is sent, and none is required", well=True
    )


_OF_THE_KEY, _OF_THE_MODEL = FailureKind.AUTHENTICATION, FailureKind.UNKNOWN_MODEL


def _facts_of_failure(model: ChatModel, failure: ModelFailure) -> Iterator[Fact]:
    server, kind = _server(model), failure.kind
    if server is None or kind in (FailureKind.CONNECTION, FailureKind.TIMEOUT):
        yield Fact("reachable" if server is not None else "answers", f"{kind.value}: {failure.message}", well=False)
        return
    if kind is _OF_THE_KEY:
        yield Fact("reachable", server.address, well=True)
        yield Fact("key", f"{kind.value}: {failure.message}", well=False)
        return
    if kind is _OF_THE_MODEL:
        yield from _reached(server)
        yield Fact("model", f"{kind.value}: {failure.message}", well=False)
        return
    yield Fact("reachable", server.address, well=True)
    yield Fact("answers", f"{kind.value}: {failure.message}", well=False)


def _facts(server: ServerModel, reception: Reception) -> Iterator[Fact]:
    habits, answer = server.habits, reception.answer
    asked = server.identity.model
    named = f"asked for {asked}; {reception.model} answered" if reception.model else f"{asked} (the server names none)"
    yield Fact("model", asked if reception.model == asked else named, well=True)
    found = _object_in(take_off_reasoning(answer.text).text)
    obeyed = "" if found is None else f"; followed: {'yes' if 'marmalade' in str(found).lower() else 'no'}"
    yield Fact("system role", f"{_role(server, habits)}{obeyed}")
    yield Fact("temperature", _temperature(server, habits))
    yield Fact("schema", _schema(server, habits, found))
    usage = reception.usage
    yield Fact("reasoning", _reasoning(reception))
    if answer.finish_reason == "length":
        yield Fact("token limit", f"it cut the answer off: {answer.note}", well=False)
    streamed = server.seen is not None and server.seen.streamed
    asks = "works" if streamed else "not accepted" if "stream" in habits.left_out else "asked for, but not used"
    yield Fact("streaming", "works; the server only streams" if habits.streams else asks)
    counts = {"prompt": usage.prompt, "cached": usage.cached, "completion": usage.completion}
    said = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count is not None)
    yield Fact("usage", f"{said} tokens" if said else "not counted by the server, so a cost is unknown")
    yield Fact("prices", prices_in_words(server.identity.prices))
    headers = {} if server.seen is None else server.seen.headers
    limits = [f"{name.lower()}: {value}" for name, value in headers.items() if _LIMIT.fullmatch(name)]
    yield Fact("limits", "; ".join(limits) if limits else "none named by the server")


def _reasoning(reception: Reception) -> str:
    usage = reception.usage
    if usage.reasoning:
        return f"{usage.reasoning:,} of {usage.completion or 0:,} tokens of the answer; leave room for it in max_tokens"
    if reception.answer.reasoning:
        return "sent apart from the text; leave room for it in max_tokens"
    if take_off_reasoning(reception.answer.text).reasoning:
        return "marked in the text and removed; leave room for it in max_tokens"
    return "none seen in this answer"


def prices_in_words(prices: Prices) -> str:
    """Prices for people."""
    known = {name: getattr(prices, name) for name in ("prompt", "cached", "cache_write", "completion")}
    shown = ", ".join(f"{name} {value:g}" for name, value in known.items() if value is not None)
    return f"{shown} per million tokens" if shown else "unknown; write them as `prices` to see costs"


def _role(server: ServerModel, habits: Habits) -> str:
    role = habits.role or server.identity.settings.get("system_role", "system")
    if role == "user":
        return "not accepted: the system text goes into the first user message"
    return "accepted" if role == "system" else f"accepted as {role}"


def _temperature(server: ServerModel, habits: Habits) -> str:
    if "temperature" in habits.left_out:
        return "not accepted: it is left out"
    if "temperature" in habits.fixed:
        return f"only {habits.fixed['temperature']:g} is accepted"
    return f"{server.identity.settings.get('temperature', 0):g} is accepted"


def _schema(server: ServerModel, habits: Habits, found: Any) -> str:
    follows = isinstance(found, dict) and set(found) == set(_FIELDS)
    held = "the answer follows it" if follows else "the answer does not follow it"
    structured = server.identity.settings.get("structured", "auto")
    if structured == "auto" and not server.tries_format:
        return f"not asked for in this format unless structured is set; in words, {held}"
    if structured == "auto":
        structured = habits.format or "json_schema"
    return f"not accepted; in words, {held}" if structured == "none" else f"{structured} is accepted; {held}"


def _object_in(text: str) -> Any:
    found = re.search(r"\{.*\}", text, re.DOTALL)
    try:
        return None if found is None else json.loads(found[0])
    except (ValueError, RecursionError):
        return None


def _written(name: str, table: ModelTable, habits: Habits) -> str:
    """The table with what was learned, in TOML."""
    given = table.model_dump(exclude_none=True, exclude_defaults=True)
    prices = given.pop("prices", None)
    if table.base_url is None and table.model == name:
        given.pop("model", None)
    learned: dict[str, Any] = {}
    comments = []
    if "temperature" in habits.left_out:
        given.pop("temperature", None)
        comments.append("# temperature is not accepted by this model")
    else:
        learned["temperature"] = habits.fixed.get("temperature", given.get("temperature", 0))
    if "top_p" in habits.fixed:
        learned["top_p"] = habits.fixed["top_p"]
    limit = given.pop("max_tokens", None) or given.pop("max_completion_tokens", None)
    if limit:
        learned["max_completion_tokens" if "max_tokens" in habits.left_out else "max_tokens"] = limit
    if habits.role:
        learned["system_role"] = habits.role
    if habits.format:
        learned["structured"] = habits.format
    if habits.streams:
        learned["stream"] = True
    kept = {key: value for key, value in given.items() if key not in habits.left_out}
    lines = [table_header(name), *(f"{key} = {_toml(value)}" for key, value in {**kept, **learned}.items()), *comments]
    known = prices or {}
    blank = "# prices = { prompt = 0.00, cached = 0.00, completion = 0.00 }  # per million tokens"
    lines.append(f"prices = {_toml(known)}" if known else blank)
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {_toml(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, float):
        return f"{value:.12g}"
    return json.dumps(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def opening_problem(name: str, config: Config) -> str:
    """Why a model cannot be opened; empty if it can. Nothing is sent."""
    try:
        open_model(name, config, environ=os.environ)
    except IamhumansError as error:
        return error.message
    return ""
