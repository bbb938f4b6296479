"""The tables of ``iamhumans.toml``: which keys they have and what their values may be."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from iamhumans.errors import InputError, Place
from iamhumans.models.providers import WireName, read_address
from iamhumans.text import one_line

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


class ModelTable(_Table):
    """A ``[models.NAME]`` table."""

    model: Annotated[str, Field(max_length=2000), AfterValidator(_plain)]
    base_url: Annotated[str, AfterValidator(lambda url: read_address(url).url)] | None = None
    api_key_env: Annotated[str, AfterValidator(_variable)] | None = None
    wire: WireName | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    max_tokens: PositiveInt | None = None
    seed: int | None = None
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
        return _File.model_validate(data).models
    except ValidationError as error:
        detail = error.errors(include_url=False, include_context=False)[0]
    location = tuple(map(str, detail["loc"]))
    said = detail["msg"].removeprefix("Value error, ")
    known = {"missing": " is missing", "extra_forbidden": " is not a known key"}
    problem = known.get(detail["type"], f": {said[:1].lower()}{said[1:]}")
    fix = _fix(location) if detail["type"] == "extra_forbidden" else ""
    raise InputError(f"`{one_line('.'.join(location), 100)}`{problem}.", fix=fix, where=place(*location))


def _fix(location: tuple[str, ...]) -> str:
    *around, key = location
    if "key" in key.casefold() and "env" not in key.casefold():
        return "Put no key in a file: set an environment variable, and name that variable as `api_key_env`."
    table = PriceTable if len(around) >= 3 else ModelTable if around else _File
    near = get_close_matches(key, table.model_fields, n=1)
    return f"Did you mean `{near[0]}`?" if near else f"Known keys: {', '.join(table.model_fields)}."
