"""The tables of ``iamhumans.toml``: which keys they have and what their values may be."""

import math
import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from iamhumans.errors import InputError, Place
from iamhumans.models.names import table_header
from iamhumans.models.providers import PROVIDERS, WireName, read_address
from iamhumans.models.proxies import read_proxy
from iamhumans.text import one_line

_HEADER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")
_OWN_HEADERS = {
    *("host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection"),
    *("accept-encoding", "expect", "upgrade", "te", "trailer", "proxy-authorization"),
}
_KEY_HEADERS = {"authorization", "x-api-key", "api-key"}
_SAME_NAME = (
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "stop",
    "reasoning_effort",
    "stream",
)
_OWN_FIELDS = {
    **dict.fromkeys(("model", "messages", "system", "stream_options", "n", "tools", "tool_choice"), ""),
    **dict.fromkeys(_SAME_NAME, "; write it as a key of the table itself"),
    "stop_sequences": "; use `stop`",
    "response_format": "; use `structured`",
}
_VARIABLE = re.compile(r"(?!(?:sk|pk|gsk|xai|hf)_|[A-Za-z0-9]{40})[A-Za-z_][A-Za-z0-9_]{0,99}")


def _plain(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("it must be printable text on one line")
    return text


def _variable(name: str) -> str:
    # The value is not repeated: it may be a key, written here by mistake.
    if not _VARIABLE.fullmatch(name):
        raise ValueError("write the NAME of an environment variable (letters, digits, _), not the key itself")
    return name


def _level(word: str) -> str:
    if not re.fullmatch(r"[a-z][a-z_-]{0,29}", word):
        raise ValueError("write a level that the provider knows, such as low, medium or high")
    return word


def _header(name: str) -> str:
    if not _HEADER.fullmatch(name):
        raise ValueError("a header's name has ASCII letters, digits and -")
    if name.lower() in _OWN_HEADERS:
        raise ValueError(f"the header {name} is set by this program")
    return name


def _headers(given: dict[str, Any]) -> dict[str, Any]:
    for name, value in given.items():
        _header(name)
        if name.lower() in _KEY_HEADERS:
            raise ValueError(f"{name} carries the key: name its variable as api_key_env, and the header as key_header")
        if isinstance(value, str) and (not value.isascii() or not value.isprintable()):
            raise ValueError(f"the value of {name} must be printable ASCII on one line")
    return given


def _body(given: dict[str, Any]) -> dict[str, Any]:
    for name in given:
        if name in _OWN_FIELDS:
            raise ValueError(f"`{name}` is set by this program{_OWN_FIELDS[name]}")
    if not _is_json(given):
        raise ValueError("only text, numbers, true, false, lists and tables can be sent (no dates, no nan)")
    return given


def _is_json(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    if isinstance(value, list):
        return all(map(_is_json, value))
    return isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))


Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
PositiveInt = Annotated[int, Field(ge=1)]


class _Table(BaseModel):
    # Strict: "0.5" in quotes, or `true` for a number, is an error and not a guess.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PriceTable(_Table):
    """Prices per million tokens."""

    prompt: Price | None = None
    cached: Price | None = None
    completion: Price | None = None
    cache_write: Price | None = None


class FromVariable(_Table):
    """A header's value that is in an environment variable: it may be a secret."""

    env: Annotated[str, AfterValidator(_variable)]


class ModelTable(_Table):
    """A ``[models.NAME]`` table. Only that of a built-in provider's model, named by it, needs no ``model``."""

    model: Annotated[str, Field(max_length=2000), AfterValidator(_plain)] = ""
    base_url: Annotated[str, AfterValidator(lambda url: read_address(url).whole)] | None = None
    api_key_env: Annotated[str, AfterValidator(_variable)] | None = None
    wire: WireName | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    max_tokens: PositiveInt | None = None
    max_completion_tokens: PositiveInt | None = None
    seed: int | None = None
    stop: Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1, max_length=16)] | None = None
    reasoning_effort: Annotated[str, AfterValidator(_level)] | None = None
    system_role: Literal["system", "developer", "user"] | None = None
    stream: bool | None = None
    extra_body: Annotated[dict[str, Any], AfterValidator(_body)] | None = None
    extra_headers: Annotated[dict[str, str | FromVariable], AfterValidator(_headers)] | None = None
    key_header: Annotated[str, AfterValidator(_header)] | None = None
    proxy: Annotated[str, AfterValidator(read_proxy)] | None = None
    ca_file: Annotated[str, AfterValidator(_plain)] | None = None
    structured: Literal["auto", "json_schema", "json_object", "grammar", "none"] | None = None
    prices: PriceTable = PriceTable()
    requests_per_minute: PositiveInt | None = None
    tokens_per_minute: PositiveInt | None = None
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class _File(_Table):
    models: dict[str, ModelTable] = {}


def check_tables(data: dict[str, Any], place: Callable[..., Place]) -> dict[str, ModelTable]:
    """The models of a parsed config. Raises InputError for the first key or value that is wrong."""
    try:
        found = _File.model_validate(data).models
        return {name: _complete(name, table, place) for name, table in found.items()}
    except ValidationError as error:
        detail = error.errors(include_url=False, include_context=False)[0]
    location = tuple(map(str, detail["loc"]))
    said = detail["msg"].removeprefix("Value error, ")
    known = {"missing": " is missing", "extra_forbidden": " is not a known key"}
    problem = known.get(detail["type"], f": {said[:1].lower()}{said[1:]}")
    fix = _fix(location) if detail["type"] == "extra_forbidden" else ""
    raise InputError(f"`{one_line('.'.join(location), 100)}`{problem}.", fix=fix, where=place(*location))


def _complete(name: str, table: ModelTable, place: Callable[..., Place]) -> ModelTable:
    """The table with the model that its name names, where it is one of a built-in provider."""
    if name.partition("/")[0] in PROVIDERS and "/" in name:
        for key in ("model", "base_url", "wire"):
            if getattr(table, key):
                problem = f"`{key}` cannot be in {table_header(name)}, which holds settings for that model."
                fix = "Remove the line, or give the table another name, such as [models.server]."
                raise InputError(problem, fix=fix, where=place("models", name, key))
        table = table.model_copy(update={"model": name})
    elif not table.model:
        raise InputError(f"`models.{one_line(name, 80)}.model` is missing.", where=place("models", name))
    if table.max_tokens is not None and table.max_completion_tokens is not None:
        problem = "`max_tokens` and `max_completion_tokens` are two names of one limit."
        fix = "Keep one: it is sent under the name that the server takes."
        raise InputError(problem, fix=fix, where=place("models", name, "max_completion_tokens"))
    return table


def _fix(location: tuple[str, ...]) -> str:
    *around, key = location
    if "key" in key.casefold() and "env" not in key.casefold():
        return "Put no key in a file: set an environment variable, and name that variable as `api_key_env`."
    table = PriceTable if len(around) >= 3 else ModelTable if around else _File
    near = get_close_matches(key, table.model_fields, n=1)
    return f"Did you mean `{near[0]}`?" if near else f"Known keys: {', '.join(table.model_fields)}."
