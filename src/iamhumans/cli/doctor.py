"""``iamhumans doctor``: what is installed, which models answer, which keys are set."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iamhumans import __version__
from iamhumans.cli.options import FILE, common_options, print_json
from iamhumans.cli.working import db_option
from iamhumans.errors import Exit, IamhumansError

if TYPE_CHECKING:
    from iamhumans.models import ChatModel, Config

_PACKAGES = ("aiohttp", "click", "google-re2", "pydantic", "PyYAML", "rich")
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class _Found:
    """One thing that was looked at. ``well`` is ``None`` where it is neither right nor wrong."""

    what: str
    state: str
    well: bool | None = None


@click.command()
@click.argument("names", metavar="[MODEL]...", nargs=-1)
@click.option("--config", type=FILE, help="The nearest iamhumans.toml if not given.")
@db_option
@common_options
@click.pass_context
def doctor(context: click.Context, names: tuple[str, ...], config: Path | None, as_json: bool, db: Path | None) -> None:
    """Look at what is installed, the journal, the config, which keys are set, and whether the models answer.

    Each MODEL, and each model of the config, is asked one short question. The value of a key is never shown.

    Exits with 2 where something is wrong, with 4 where a model does not answer.
    """
    found = [*_installed(), _journal(db)]
    opened, about_config = _config(config)
    found += [about_config, *_keys(opened)]
    asked = dict.fromkeys([*names, *(opened.models if opened else ())])
    answers = asyncio.run(_all_answers(asked, opened))
    if as_json:
        print_json({"found": [{"what": one.what, "state": one.state, "well": one.well} for one in (*found, *answers)]})
    else:
        for one in (*found, *answers):
            _print(one)
    if any(one.well is False for one in found):
        context.exit(Exit.WRONG_INPUT)
    if any(one.well is False for one in answers):
        context.exit(Exit.COULD_NOT_RUN)


def _print(one: _Found) -> None:
    from iamhumans.text import one_line

    mark = {True: "ok  ", False: "bad ", None: "    "}[one.well]
    click.echo(f"{mark}{one_line(one.what)}: {one_line(one.state, 300)}")


def _installed() -> list[_Found]:
    found = [_Found("iamhumans", f"{__version__}, Python {platform.python_version()}", well=True)]
    for name in _PACKAGES:
        try:
            found.append(_Found(name, version(name), well=True))
        except PackageNotFoundError:
            found.append(_Found(name, "not installed", well=False))
    return found


def _journal(db: Path | None) -> _Found:
    from iamhumans.runs import Journal, find_journal

    path = find_journal(db)
    if not path.exists():
        return _Found("journal", f"none yet; it will be {path}")
    try:
        with Journal.open(path) as journal:
            problems = journal.problems()
            count = len(journal.runs())
    except IamhumansError as error:
        return _Found("journal", error.message, well=False)
    state = f"{path}, {count} runs" if not problems else f"{path} is damaged: {problems[0]}"
    return _Found("journal", state, well=not problems)


def _config(given: Path | None) -> tuple[Config | None, _Found]:
    from iamhumans.models import is_allowed, powers
    from iamhumans.runs.opening import open_config

    try:
        config = open_config(given)
    except IamhumansError as error:
        return None, _Found("config", error.message, well=False)
    if config.path is None:
        return config, _Found("config", "none, and none is needed")
    allowed = "" if not powers(config) else ", allowed" if is_allowed(config, os.environ) else ", not allowed yet"
    return config, _Found("config", f"{config.path}, {len(config.models)} models{allowed}", well=True)


def _keys(config: Config | None) -> list[_Found]:
    from iamhumans.models import PROVIDERS

    def state(variable: str) -> str:
        return f"{variable} {'is set' if os.environ.get(variable, '').strip() else 'is not set'}"

    found = []
    for name, provider in PROVIDERS.items():
        if provider.key_variable is None:
            found.append(_Found(f"provider {name}", "needs no key"))
        else:
            found.append(_Found(f"provider {name}", state(provider.key_variable)))
    for name, table in config.models.items() if config else ():
        if table.api_key_env is not None:
            found.append(_Found(f"key of {name}", state(table.api_key_env)))
    return found


async def _all_answers(names: Iterable[str], config: Config | None) -> list[_Found]:
    """Whether each model answers; all are asked at once, since one that hangs must not keep the others waiting."""
    return await asyncio.gather(*(_answers(name, config) for name in names))


async def _answers(name: str, config: Config | None) -> _Found:
    """Whether a model answers a short question."""
    from iamhumans.models import ModelFailure, open_model

    try:
        return await _ask(name, open_model(name, config))
    except IamhumansError as error:
        return _Found(f"model {name}", error.message, well=False)
    except ModelFailure as failure:
        return _Found(f"model {name}", f"{failure.kind.value}: {failure.message}", well=False)
    except TimeoutError:
        return _Found(f"model {name}", f"no answer within {_PATIENCE:.0f} s", well=False)


async def _ask(name: str, model: ChatModel) -> _Found:
    from iamhumans.prompts import Message, Request

    try:
        async with asyncio.timeout(_PATIENCE):
            reception = await model.send(Request((Message("user", "Say hello in one word."),)))
    finally:
        await model.close()
    return _Found(f"model {name}", f"answers ({reception.model or 'it does not say as which model'})", well=True)
