"""Names of models: ``provider/model``, ``command/PROGRAM``, ``python/module:function``, or the NAME of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from iamhumans.errors import CommandError
from iamhumans.models.providers import PROVIDERS
from iamhumans.text import one_line

COMMAND = "command"
FUNCTION = "python"
JUDGES = ("rules", "recorded")
"""Names that mean a judge or a subject that needs no model."""

RESERVED = frozenset({*PROVIDERS, COMMAND, FUNCTION, *JUDGES})
"""Names that no table of a config may take."""

TABLE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""Names that a table of a config may have. ASCII only, so that no letter can pass for another."""

_KINDS = {*PROVIDERS, COMMAND, FUNCTION}


@dataclass(frozen=True, slots=True)
class ModelName:
    """A name in its parts. ``kind`` is a provider, ``command`` or ``python``; ``None`` for the name of a table."""

    text: str
    kind: str | None
    rest: str
    """What follows the first slash; for a table the whole name."""


def parse_model_name(text: str) -> ModelName:
    """The parts of a name, which need not exist.

    Raises:
        CommandError: The name is empty or has control characters, means a judge and not a model, or lacks its second
            half.
    """
    if not text.strip() or not text.isprintable():
        raise CommandError(
            f"`{one_line(text, 80)}` cannot name a model.",
            fix="Write provider/model, such as openai/gpt-5.1 or ollama/qwen3:8b.",
        )
    kind, slash, rest = text.partition("/")
    if kind in JUDGES:
        raise CommandError(
            f"`{one_line(text, 80)}` is no model that can be asked.",
            fix="`rules` and `recorded/PATH` stand in the place of a judge or a subject by themselves.",
        )
    if kind in _KINDS:
        if not rest.strip():
            raise CommandError(f"`{text}` is only half of a name.", fix=f"Write {_example(kind)}.")
        return ModelName(text, kind, rest)
    return ModelName(text, kind if slash else None, rest if slash else text)


def unknown_model(name: ModelName, tables: Iterable[str], config: str) -> CommandError:
    """The error for a name that is neither built in nor a table of the config; says what to write instead."""
    first = name.text.partition("/")[0]
    table = first if TABLE_NAME.fullmatch(first) else "NAME"
    tables = list(tables)
    if first in tables:
        return CommandError(
            f"`{first}` is a table of {config} and is used by its name alone.", fix=f"Write `{first}`, without a slash."
        )
    what = "provider" if name.kind is not None else "model"
    return CommandError(
        f"There is no {what} `{one_line(first, 80)}`{_foreign_letters(first)}.",
        fix=f"{_nearest(first, [*sorted(_KINDS), *tables])}For any server that speaks OpenAI's format, write into "
        f'{config}: [models.{table}] base_url = "http://127.0.0.1:8080/v1" model = "its-name" (a line for each), '
        f"and then use `{table}`.",
    )


def _nearest(name: str, known: list[str]) -> str:
    near = get_close_matches(name.casefold(), [word.casefold() for word in known], n=3, cutoff=0.6)
    if near:
        found = [word for word in known if word.casefold() in near]
        return f"Did you mean {' or '.join(f'`{word}`' for word in found)}? "
    return f"Built in are {', '.join(sorted(PROVIDERS))}. "


def _foreign_letters(name: str) -> str:
    foreign = sorted({character for character in name if not character.isascii()})
    if not foreign:
        return ""
    listed = ", ".join(f"U+{ord(character):04X}" for character in foreign[:5])
    return f" (it has letters that only look like others: {listed})"


def _example(kind: str) -> str:
    if kind == COMMAND:
        return "command/./program"
    return "python/module:function" if kind == FUNCTION else f"{kind}/MODEL, with the model's name at that provider"
