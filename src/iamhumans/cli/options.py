"""Options that several commands have."""

import os
from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import IO, Any, TypeVar

import click

from iamhumans.errors import CommandError

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
STYLES = click.Choice(["terminal", "md", "html", "json", "csv", "junit"])
REPLIES, REPEATS = click.IntRange(1, 1000), click.IntRange(1, 100)
_QUIET, _PLAIN = "iamhumans.quiet", "iamhumans.plain"


class SuggestingGroup(click.Group):
    """A group that says which command may have been meant."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or an error that names the nearest one."""
        found = super().get_command(ctx, cmd_name)
        near = get_close_matches(cmd_name, self.list_commands(ctx), n=1) if found is None else []
        if near:
            raise click.UsageError(f"There is no command `{cmd_name}`. Did you mean `{near[0]}`?", ctx)
        return found


def _remember_quiet(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_QUIET] = value


def _remember_plain(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_PLAIN] = value


def common_options(command: Command) -> Command:
    """``--json``, ``--quiet``, ``--no-color`` and ``--debug``; only the first is an argument of the command."""
    # --debug is read by `main`, where errors end.
    command = click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks.")(command)
    command = click.option(
        "--quiet", is_flag=True, expose_value=False, callback=_remember_quiet, help="No warnings and no progress."
    )(command)
    command = click.option(
        "--no-color", is_flag=True, expose_value=False, callback=_remember_plain, help="No colours and no bold type."
    )(command)
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def db_option(command: Command) -> Command:
    """``--db``."""
    return click.option("--db", type=FILE, help="The journal. Default: the nearest .iamhumans/journal.db.")(command)


def holdout_options(command: Command) -> Command:
    """``--holdout`` and ``--reason``, given to the command as ``holdout_reason``."""

    @wraps(command)
    def with_reason(*arguments: object, holdout: bool, reason: str, **options: Any) -> object:
        if reason and not holdout:
            raise CommandError("--reason does nothing without --holdout.", fix="Add --holdout, or leave --reason out.")
        if holdout and not reason:
            raise CommandError("--holdout needs a reason, which is logged.", fix='Add --reason "release 1.2".')
        return command(*arguments, holdout_reason=reason if holdout else None, **options)

    added = click.option("--reason", default="", help="Why held-out cases are used. The reason is logged.")(with_reason)
    return click.option("--holdout", is_flag=True, help="Use or show held-out cases. Needs --reason.")(added)  # type: ignore[return-value]


def reading_options(command: Command) -> Command:
    """``--shape``, ``--columns`` and ``--turns``: how rows are read."""
    turns = click.Choice(["last", "all"])
    for add in (
        click.option("--turns", type=turns, default="last", help="Which assistant messages are judged [last]."),
        click.option("--columns", help="Where to find each part of a row: input=NAME,reply=NAME,id=...,subject=..."),
        click.option("--shape", help="The shape of the rows. Default: recognised from the first rows."),
    ):
        command = add(command)
    return command


def texts_option(command: Command) -> Command:
    """``--no-texts``."""
    return click.option("--no-texts", is_flag=True, help="Print hashes in place of all texts.")(command)


def case_options(command: Command) -> Command:
    """``--case`` and ``--raw``, which show one case."""
    raw = click.option("--raw", is_flag=True, help="With --case: also every prompt and raw answer, and the reasoning.")
    return click.option("--case", "case_id", metavar="ID", help="Show only this case, with every vote.")(raw(command))


_SELECTION = (
    click.option("--limit", type=click.IntRange(min=1), help="Only the first N matching cases."),
    click.option("--dimension", help="Only cases of this dimension."),
    click.option("--case", metavar="GLOB", help="Only cases whose ids match."),
)


def selection_options(command: Command) -> Command:
    """``--case``, ``--dimension`` and ``--limit``, which choose some cases of a suite."""
    for add in _SELECTION:
        command = add(command)
    return command


_WORK = (
    click.option("--env-file", type=FILE, help="A file with API keys (NAME=value). No such file is read by default."),
    click.option("--config", type=FILE, help="Default: the nearest iamhumans.toml."),
    click.option("--dry-run", is_flag=True, help="Print the calls, tokens and cost to expect. Nothing is sent."),
    click.option("--fresh", is_flag=True, help="Make a new run that shares no results with earlier ones."),
    click.option(
        "--max-wait", type=click.FloatRange(min=0), help="Longest wait that a server may ask for, in seconds."
    ),
    click.option("--max-minutes", type=click.FloatRange(min=0, min_open=True), help="Stop after this many minutes."),
    click.option("--max-tokens", type=click.IntRange(min=1), help="Stop before more than N tokens are used."),
    click.option("--max-cost", type=click.FloatRange(min=0), help="Stop before more than X is spent."),
    click.option(
        "--max-connections", type=click.IntRange(1, 1000), help="Maximum concurrent calls to one provider [10]."
    ),
)
_PASSED_ON = ("config", "env_file", "fresh", "max_wait", "max_minutes", "max_tokens", "max_cost", "max_connections")


def work_options(command: Command) -> Command:
    """The options of the work, given to the command as its arguments ``work`` (for the API) and ``dry_run``."""

    @wraps(command)
    def with_work(*arguments: object, **options: Any) -> object:
        given = {name: options.pop(name) for name in _PASSED_ON}
        work = {name: value for name, value in given.items() if value is not None}
        return command(*arguments, work=work, **options)

    for add in _WORK:
        with_work = add(with_work)
    return db_option(with_work)  # type: ignore[return-value]  # the same command with other parameters


def is_styled(stream: IO[str]) -> bool:
    """Whether colours and bold type may be written: on a terminal, without ``--no-color`` and ``NO_COLOR``."""
    context = click.get_current_context(silent=True)
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or (context and context.meta.get(_PLAIN))
    return stream.isatty() and not plain


def is_quiet() -> bool:
    """Whether ``--quiet`` was given."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_QUIET))
