"""``iamhumans doctor``: what is installed, which models answer, which keys are set."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from iamhumans import __version__
from iamhumans.cli.options import FILE, common_options, db_option
from iamhumans.cli.output import print_json, print_text
from iamhumans.errors import Exit, IamhumansError
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.models import Config

_PACKAGES = ("aiohttp", "click", "google-re2", "pydantic", "PyYAML", "rich")
_PATIENCE = 30.0
_MARKS = {True: "ok  ", False: "bad ", None: "    "}


class _Finding(NamedTuple):
    what: str
    state: str
    well: bool | None = None  # None: neither right nor wrong


@click.command()
@click.argument("names", metavar="[MODEL]...", nargs=-1)
@click.option("--config", type=FILE, help="The nearest iamhumans.toml if not given.")
@db_option
@common_options
@click.pass_context
def doctor(context: click.Context, names: tuple[str, ...], config: Path | None, as_json: bool, db: Path | None) -> None:
    """Check what is installed, the journal, the config, which keys are set, and whether models answer.

    Each MODEL, and each model of the config, is asked one short question. The value of a key is never shown.

    Exits with 2 if something is wrong, with 4 if a model does not answer.
    """
    opened, about_config = _config(config)
    findings = [*_packages(), _journal(db), about_config, *_keys(opened)]
    asked = dict.fromkeys([*names, *(opened.models if opened else ())])
    answers = asyncio.run(_answers(asked, opened))
    if as_json:
        print_json({"found": [finding._asdict() for finding in (*findings, *answers)]})
    else:
        for what, state, well in (*findings, *answers):
            print_text(f"{_MARKS[well]}{one_line(what)}: {one_line(state, 300)}")
    if any(finding.well is False for finding in findings):
        context.exit(Exit.WRONG_INPUT)
    if any(answer.well is False for answer in answers):
        context.exit(Exit.COULD_NOT_RUN)


def _packages() -> Iterator[_Finding]:
    yield _Finding("iamhumans", f"{__version__}, Python {platform.python_version()}", well=True)
    for name in _PACKAGES:
        try:
            yield _Finding(name, version(name), well=True)
        except PackageNotFoundError:
            yield _Finding(name, "not installed", well=False)


def _journal(db: Path | None) -> _Finding:
    from iamhumans.reports.figures import counted
    from iamhumans.runs.journal.journal import Journal
    from iamhumans.runs.journal.location import find_journal

    path = find_journal(db)
    if not path.exists():
        return _Finding("journal", f"none yet; it will be {path}")
    try:
        with Journal.open(path) as journal:
            problems, count = journal.problems(), len(journal.runs())
    except IamhumansError as error:
        return _Finding("journal", error.message, well=False)
    state = f" is damaged: {problems[0]}" if problems else f", {counted(count, 'run')}"
    return _Finding("journal", f"{path}{state}", not problems)


def _config(given: Path | None) -> tuple[Config | None, _Finding]:
    from iamhumans.models import is_allowed, load_config, powers

    try:
        config = load_config(given, Path.cwd(), os.environ)
        allowed = is_allowed(config, os.environ) if powers(config) else None
    except IamhumansError as error:
        return None, _Finding("config", error.message, well=False)
    if config.path is None:
        return config, _Finding("config", "none, and none is needed")
    state = {None: "", True: ", allowed", False: ", not allowed yet"}[allowed]
    return config, _Finding("config", f"{config.path}, {len(config.models)} models{state}", well=True)


def _keys(config: Config | None) -> Iterator[_Finding]:
    from iamhumans.models import PROVIDERS

    variables = {f"provider {name}": provider.key_variable for name, provider in PROVIDERS.items()}
    tables = config.models.items() if config else ()
    variables |= {f"key of {name}": table.api_key_env for name, table in tables if table.api_key_env}
    for what, variable in variables.items():
        is_set = variable and os.environ.get(variable, "").strip()
        yield _Finding(what, f"{variable} is {'set' if is_set else 'not set'}" if variable else "needs no key")


async def _answers(names: Iterable[str], config: Config | None) -> list[_Finding]:
    # All are asked at once: one that hangs must not delay the others.
    return await asyncio.gather(*(_answer(name, config) for name in names))


async def _answer(name: str, config: Config | None) -> _Finding:
    from iamhumans.models import ModelFailure, open_model
    from iamhumans.prompts import Message, Request

    try:
        model = open_model(name, config)
        try:
            async with asyncio.timeout(_PATIENCE):
                reception = await model.send(Request((Message("user", "Say hello in one word."),)))
        finally:
            await model.close()
    except IamhumansError as error:
        state = error.message
    except ModelFailure as failure:
        state = f"{failure.kind.value}: {failure.message}"
    except TimeoutError:
        state = f"no answer within {_PATIENCE:.0f} s"
    else:
        return _Finding(f"model {name}", f"answers ({reception.model or 'it does not say as which model'})", well=True)
    return _Finding(f"model {name}", state, well=False)
