"""Names of models: ``provider/model``, ``command/PROGRAM``, ``python/module:function``, or the name of a table."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from iamhumans.errors import CommandError
from iamhumans.models.providers import PROVIDERS
from iamhumans.text import one_line

COMMAND, FUNCTION = "command", "python"
WITHOUT_MODEL = ("local", "rules", "recorded")  # judges and subjects without a model
KINDS = frozenset({*PROVIDERS, COMMAND, FUNCTION})
RESERVED = KINDS | set(WITHOUT_MODEL)  # no table of a config may have one of these names
_BARE = re.compile(r"[A-Za-z0-9_-]+")
TABLE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")  # ASCII only, so that no letter can pass for another

_EXAMPLES = {COMMAND: "command/./program", FUNCTION: "python/module:function"}
# Where models whose names begin like this are usually found.
_FAMILIES = (
    ("openai", re.compile(r"(?:chatgpt|gpt-(?!oss)|o\d)", re.IGNORECASE)),
    ("anthropic", re.compile(r"claude", re.IGNORECASE)),
    ("ollama", re.compile(r"(?:gpt-oss|llama|qwen|mi[sx]tral|gemma|phi|deepseek)", re.IGNORECASE)),
)
_OPENROUTER = re.compile(r"(?:meta-llama|mistralai|google|qwen|deepseek|x-ai|cohere|nvidia|microsoft|moonshotai)/")


def is_provider_model(name: str) -> bool:
    """Whether this is a model of a built-in provider by its name, as ``openai/gpt-5.1``; a table can have that name."""
    provider, _, rest = name.partition("/")
    return provider in PROVIDERS and bool(rest.strip()) and rest.isprintable() and not re.search(r"[\"\\]", rest)


@dataclass(frozen=True, slots=True)
class ModelName:
    """A name in its parts."""

    text: str
    kind: str | None  # a provider, ``command`` or ``python``; None for the name of a table
    rest: str  # what follows the first slash; for a table the whole name


def parse_model_name(text: str) -> ModelName:
    """The parts of a name; the model need not exist. Raises CommandError for a reserved name or an incomplete one."""
    if not text.strip() or not text.isprintable():
        fix = "Write provider/model, such as openai/gpt-5.1 or ollama/qwen3:8b."
        raise CommandError(f"`{one_line(text, 80)}` is not a model name.", fix=fix)
    kind, slash, rest = text.partition("/")
    if kind in WITHOUT_MODEL:
        problem = f"`{one_line(text, 80)}` does not name a model: `{kind}` is reserved for a judge without a model."
        fix = "Name a model, such as openai/gpt-5.1, or a table of iamhumans.toml, such as [models.server]."
        raise CommandError(problem, fix=fix)
    if kind in KINDS:
        if not rest.strip():
            example = _EXAMPLES.get(kind, f"{kind}/MODEL, with the provider's name for the model")
            raise CommandError(f"`{text}` is incomplete.", fix=f"Write {example}.")
        return ModelName(text, kind, rest)
    return ModelName(text, kind if slash else None, rest if slash else text)


def table_header(name: str) -> str:
    """The header of a model's table in TOML, where a name with dots or slashes needs quotes."""
    return f"[models.{name}]" if _BARE.fullmatch(name) else f'[models."{name}"]'


def unknown_model(name: ModelName, tables: Iterable[str], config: str) -> CommandError:
    """The error for a name that is neither built in nor a table of the config, with what to write instead."""
    first = name.text.partition("/")[0]
    tables = list(tables)
    if first in tables:
        fix = f"Write `{first}`, without a slash."
        return CommandError(f"`{first}` is a table of {config}, and its name is used alone.", fix=fix)
    table = first if TABLE_NAME.fullmatch(first) and name.kind is None else "server"
    what = "provider" if name.kind is not None else "model"
    look_alikes = "" if first.isascii() else f" (not all of its letters are ASCII: {first[:80]!a})"
    lines = f'{table_header(table)} base_url = "http://127.0.0.1:8080/v1" model = "its-name" (each on its own line)'
    fix = f"For a server that speaks OpenAI's format, write into {config}: {lines}, and use the name `{table}`."
    problem = f"There is no {what} `{one_line(first, 80)}`{look_alikes}."
    return CommandError(problem, fix=f"{_suggestion(name, tables)}{fix}")


def _suggestion(name: ModelName, tables: list[str]) -> str:
    first, slash, rest = name.text.partition("/")
    # A near miss keeps the rest of the name: `OpenAI/gpt-5` becomes `openai/gpt-5`.
    known = {word.casefold(): word for word in (*sorted(KINDS), *tables)}
    found = [known[near] for near in get_close_matches(first.casefold(), known, n=3, cutoff=0.6)]
    found = [f"{word}/{rest}" if word in KINDS and rest else word for word in found if not slash or word in KINDS]
    if not slash:
        found += [f"{provider}/{first}" for provider, names in _FAMILIES if names.match(first)]
    elif _OPENROUTER.match(name.text):
        found = [f"openrouter/{name.text}"]
    if not found:
        return f"Built-in providers: {', '.join(sorted(PROVIDERS))}. "
    return f"Did you mean {' or '.join(f'`{one_line(word, 80)}`' for word in found)}? "
