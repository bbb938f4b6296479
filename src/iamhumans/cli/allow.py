"""``iamhumans allow``: trusts a config that uses keys and programs, or a journal from elsewhere."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iamhumans.cli.options import FILE, common_options, is_quiet
from iamhumans.cli.output import print_json
from iamhumans.errors import CommandError, InputError
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.models import Config, Power


@click.command()
@click.argument("file", required=False, type=FILE)
@click.option("--config", "config_file", type=FILE, help="The same as FILE.")
@click.option("--yes", is_flag=True, help="Do not ask. For scripts whose author has read the file.")
@common_options
def allow(file: Path | None, config_file: Path | None, yes: bool, as_json: bool) -> None:
    """Trust FILE: a config that uses keys, programs or Python functions, or a journal that was made elsewhere.

    Shows what the config (the nearest iamhumans.toml if not given) would do, asks for confirmation,
    and stores a hash of the file. If the file changes, allow it again.

    For a journal, shows where it came from, asks for confirmation, and adopts it. Its results stay marked as
    imported, and a gate on them needs --accept-imported. A journal of an earlier version is converted; the old
    file is kept beside it.
    """
    if file is not None and _is_database(file):
        _adopt(file, yes=yes, as_json=as_json)
        return
    from iamhumans.models import allow as store
    from iamhumans.models import find_config, is_allowed, powers, read_config

    if file and config_file and file != config_file:
        raise CommandError("FILE and --config name different files.", fix="Name only one.")
    path = file or config_file or find_config(Path.cwd())
    if path is None:
        raise InputError(
            "There is no iamhumans.toml here or in a folder above.", fix="Name the file: iamhumans allow FILE"
        )
    config = read_config(path)
    asked = powers(config)
    needed = bool(asked) or config.foreign
    allowed = needed and is_allowed(config, os.environ)
    # A question is never asked without showing what it is about, not even with --quiet.
    if not is_quiet() or (needed and not allowed and not yes):
        _show(config, asked, allowed=allowed, err=as_json)
    if needed and not allowed:
        _confirm(yes=yes)
        store(config, os.environ)
        if not is_quiet():
            click.echo("Allowed until the file changes.", err=as_json)
    if as_json:
        document = {"file": str(config.real_path), "sha256": config.sha256, "allowed": needed}
        print_json(document | {"asks_for": [asdict(power) for power in asked]})


def _is_database(file: Path) -> bool:
    from iamhumans.platforms import read_regular

    try:
        return read_regular(file, 16)[0] == b"SQLite format 3\0"
    except (OSError, ValueError):
        return False


def _adopt(file: Path, *, yes: bool, as_json: bool) -> None:
    from iamhumans.api.run import adopt_journal
    from iamhumans.reports.figures import counted
    from iamhumans.runs.journal.database import origin_of

    origin = origin_of(file)
    document = {"file": str(file.absolute()), **asdict(origin)}
    if not (is_quiet() and yes):
        earlier = ", by an earlier version of iamhumans" if origin.is_earlier else ""
        newest = f", the newest from {origin.newest}" if origin.newest else ""
        click.echo(f"{file}: a journal that claims it was created {origin.created}{earlier}.", err=as_json)
        runs, judgements = counted(origin.runs, "run"), counted(origin.judgements, "judgement")
        click.echo(f"It holds {runs}{newest}, and {judgements}.", err=as_json)
        click.echo("Its results may have been edited. Adopt it only if you trust its source.", err=as_json)
    _confirm(yes=yes)
    adopt_journal(file).close()
    if as_json:
        print_json({**document, "adopted": True})
    elif not is_quiet():
        click.echo("Adopted. Its results are marked as imported.")


def _show(config: Config, asked: tuple[Power, ...], *, allowed: bool, err: bool) -> None:
    where = one_line(str(config.real_path))
    if not asked:
        owner = " It belongs to another user, who can choose which server gets your prompts." if config.foreign else ""
        click.echo(f"{where} uses no key, no program and no function, so it needs no permission.{owner}", err=err)
        return
    click.echo(f"{where} {'is already allowed' if allowed else 'asks'} to do this:", err=err)
    for power in asked:
        is_set = " (it is set)" if os.environ.get(power.subject) else " (it is not set)"
        click.echo(f"  {power}{is_set if power.kind == 'key' else ''}", err=err)
        for warning in power.warnings:
            click.echo(f"    warning: {one_line(warning)}", err=err)


def _confirm(*, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        problem = "Standard input is not a terminal, so you cannot be asked to confirm. Nothing was allowed."
        raise CommandError(problem, fix="Check the file, then add --yes.")
    if not click.confirm("Allow it?", default=False, err=True):
        raise CommandError("Nothing was allowed.")
