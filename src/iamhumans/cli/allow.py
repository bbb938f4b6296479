"""``iamhumans allow``: lets a config name keys and programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, common_options, is_quiet, print_json
from iamhumans.errors import CommandError, InputError

if TYPE_CHECKING:
    from iamhumans.models import Config, Power


@click.command()
@click.argument("file", required=False, type=FILE)
@click.option("--config", "config_file", type=FILE, help="The same as FILE.")
@click.option("--yes", is_flag=True, help="Do not ask; for scripts whose author has read the file.")
@common_options
def allow(file: Path | None, config_file: Path | None, yes: bool, as_json: bool) -> None:
    """Allow a config to use what it asks for: keys, programs, Python functions.

    Shows what the config in FILE (the nearest iamhumans.toml if not given) would do, asks, and remembers this very
    content at this very place. When the file changes it has to be allowed again.
    """
    from iamhumans.models import allow as remember
    from iamhumans.models import is_allowed, powers, read_config

    config = read_config(_path(file, config_file))
    asked = powers(config)
    needed = bool(asked) or config.foreign
    known = needed and is_allowed(config, os.environ)
    # Whoever is going to be asked is shown what about, whatever was said of quiet.
    if not is_quiet() or (needed and not known and not yes):
        _show(config, asked, known=known, err=as_json)
    if needed and not known:
        _confirm(yes=yes)
        remember(config, os.environ)
        if not is_quiet():
            click.echo("Allowed, until the file changes.", err=as_json)
    if as_json:
        print_json(_document(config, asked, allowed=needed))


def _path(file: Path | None, config_file: Path | None) -> Path:
    from iamhumans.models import find_config

    if file and config_file and file != config_file:
        raise CommandError("FILE and --config name two files.", fix="Name one.")
    path = file or config_file or find_config(Path.cwd())
    if path is None:
        raise InputError("There is no iamhumans.toml here or in a folder above.", fix="Name it: iamhumans allow FILE")
    return path


def _show(config: Config, asked: tuple[Power, ...], *, known: bool, err: bool) -> None:
    from iamhumans.text import one_line

    where = one_line(str(config.real_path))
    if not asked:
        owner = " It belongs to another user, and its models get what you ask of them." if config.foreign else ""
        click.echo(f"{where} names no key, no program and no function: it needs not be allowed.{owner}", err=err)
        return
    click.echo(f"{where} {'is allowed already' if known else 'would be allowed'} to do this:", err=err)
    for power in asked:
        click.echo(f"  {power}{_set_or_not(power)}", err=err)
        for warning in power.warnings:
            click.echo(f"    warning: {one_line(warning)}", err=err)


def _set_or_not(power: Power) -> str:
    """Whether the variable is set here; never what it holds."""
    if power.kind != "key":
        return ""
    return " (it is set)" if os.environ.get(power.subject) else " (it is not set)"


def _confirm(*, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandError(
            "Nobody can be asked here, since standard input is no terminal; nothing was allowed.",
            fix="Read the file, and add --yes.",
        )
    if not click.confirm("Allow it?", default=False, err=True):
        raise CommandError("Nothing was allowed.")


def _document(config: Config, asked: tuple[Power, ...], *, allowed: bool) -> dict[str, Any]:
    return {
        "file": str(config.real_path),
        "sha256": config.sha256,
        "allowed": allowed,
        "asks_for": [
            {
                "model": power.model,
                "kind": power.kind,
                "subject": power.subject,
                "target": power.target,
                "warnings": list(power.warnings),
            }
            for power in asked
        ],
    }
