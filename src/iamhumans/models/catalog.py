"""From a name to a model that can be asked. All that can be wrong before the first call is found here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from iamhumans.errors import CommandError, InputError
from iamhumans.models.config import Config, ModelTable
from iamhumans.models.model import ChatModel
from iamhumans.models.names import COMMAND, FUNCTION, ModelName, parse_model_name, unknown_model
from iamhumans.models.providers import PROVIDERS
from iamhumans.models.trust import config_folder, require_allowed
from iamhumans.models.wanted import Wanted

_KINDS = frozenset({*PROVIDERS, COMMAND, FUNCTION})


def open_model(
    name: str, config: Config | None = None, *, environ: Mapping[str, str] | None = None, folder: Path | None = None
) -> ChatModel:
    """The model of a name. Nothing is sent, and no connection made, before its first call.

    Args:
        name: ``provider/model``, ``command/PROGRAM``, ``python/module:function``, or the name of a table.
        config: What :func:`~iamhumans.models.trust.load_config` returned; none if not given.
        environ: Where keys are; the environment of this process if not given.
        folder: Where the program or module of a name that the user typed is looked for; the working folder if not
            given. Those of a table are looked for in the folder of its config.

    Raises:
        CommandError: There is no such model, program or function.
        InputError: A table does not fit together, or asks for what its config is not allowed.
        CannotRunError: Its key is not set.
    """
    config = config or Config()
    environ = os.environ if environ is None else environ
    folder = folder or Path.cwd()
    typed = parse_model_name(name)
    table = config.models.get(name)
    if table is None:
        if typed.kind not in _KINDS:
            raise unknown_model(typed, config.models, str(config))
        return _open(Wanted(name, typed, None, config, environ, folder))
    require_allowed(config, name, environ)
    return _open(Wanted(name, _target(name, table, config), table, config, environ, config_folder(config)))


def _target(name: str, table: ModelTable, config: Config) -> ModelName:
    """The model behind a table. Without a ``base_url`` it holds settings for one that has a name of its own."""
    if table.base_url is not None:
        return ModelName(table.model, None, table.model)
    place = config.place("models", name, "model")
    try:
        target = parse_model_name(table.model)
    except CommandError as error:
        raise InputError(error.problem, fix=error.fix, place=place) from None
    if target.kind not in _KINDS:
        raise InputError(
            f"`{name}` has no base_url, and `{table.model}` names no built-in provider.",
            fix=f"Add base_url, or write provider/model with one of {', '.join(sorted(PROVIDERS))}.",
            place=place,
        )
    return target


def _open(wanted: Wanted) -> ChatModel:
    # aiohttp takes a third of a second to import, which only those who ask a model over the network should pay.
    match wanted.model.kind:
        case "command":
            from iamhumans.models.local import open_program

            return open_program(wanted)
        case "python":
            from iamhumans.models.local import open_function

            return open_function(wanted)
        case kind:
            from iamhumans.models.remote import open_remote

            return open_remote(wanted, PROVIDERS[kind] if kind else None)
