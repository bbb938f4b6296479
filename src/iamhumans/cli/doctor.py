"""``iamhumans doctor``: what works here; with the name of a model, what that model takes."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from iamhumans import __version__
from iamhumans.cli.options import FILE, common_options, db_option
from iamhumans.cli.output import print_json, print_text
from iamhumans.errors import Exit, IamhumansError
from iamhumans.platforms import shell_quoted
from iamhumans.text import for_terminal, one_line

if TYPE_CHECKING:
    from iamhumans.api.checking import ModelCheck
    from iamhumans.models import Config

_PACKAGES = ("aiohttp", "click", "google-re2", "pydantic", "PyYAML", "rich")
CONFIG_NAME = "iamhumans.toml"
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
    """Check what works here: packages, journal, config, keys, models. Nothing is sent.

    With a MODEL, say what one call may cost, then make it. It shows whether the model answers, which settings it
    accepts, which tokens it counts, and a table to paste into iamhumans.toml. The value of a key is never shown.

    Exits with 2 if something is wrong, with 4 if a model does not answer.
    """
    if names:
        checks = [_check(name, config, as_json=as_json) for name in names]
        if as_json:
            print_json({"models": [check if isinstance(check, dict) else check.to_dict() for check in checks]})
        if not all(check["works"] if isinstance(check, dict) else check.works for check in checks):
            context.exit(Exit.COULD_NOT_RUN)
        return
    opened, about_config = _config(config)
    findings = [*_packages(), _journal(db), about_config, *_keys(opened), *_proxies(), *_models(opened)]
    if as_json:
        print_json({"found": [finding._asdict() for finding in findings]})
    else:
        for what, state, well in findings:
            print_text(f"{_MARKS[well]}{one_line(what)}: {one_line(state, 300)}")
    if any(finding.well is False for finding in findings):
        context.exit(Exit.WRONG_INPUT)


def _check(name: str, config: Path | None, *, as_json: bool) -> ModelCheck | dict[str, Any]:
    """Check a model. What is found is printed as it comes, unless it goes into one JSON document in the end."""
    from iamhumans.api.checking import check_model

    say = (lambda _: None) if as_json else click.echo
    try:
        found = check_model(name, config=config, announce=say)
    except IamhumansError as error:
        say(f"{_MARKS[False]}{one_line(name, 80)}: {one_line(error.message, 600)}")
        state = {"what": "can be opened", "state": error.message, "well": False}
        return {"model": name, "works": False, "facts": [state]}
    for fact in found.facts:
        say(f"{_MARKS[fact.well]}{one_line(fact.what)}: {one_line(fact.state, 600)}")
    if found.table:
        say(f"\nFor {CONFIG_NAME}:\n\n{for_terminal(found.table)}")
    return found


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
        return _Finding("journal", f"none yet; it will be created at {path}")
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
        return config, _Finding("config", "none (not needed)")
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


def _proxies() -> Iterator[_Finding]:
    from iamhumans.models.proxies import proxy_in

    found = proxy_in(os.environ, "https://example.com")
    if found is not None:
        yield _Finding("proxy", f'{found.variable} is set; only tables with proxy = "env" use it')


def _models(config: Config | None) -> Iterator[_Finding]:
    from iamhumans.models.checking import opening_problem

    yield _Finding("judge rules", "works; it needs no model", well=True)
    if config is None:
        return
    for name in config.models:
        problem = opening_problem(name, config)
        state = problem or f"can be called; `iamhumans doctor {shell_quoted(name)}` makes one call"
        yield _Finding(f"model {name}", state, well=None if problem else True)
