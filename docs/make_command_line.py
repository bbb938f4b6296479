"""Write ``docs/command-line.md`` from the commands themselves.

python docs/make_command_line.py
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from iamhumans.cli.main import COMMANDS, root
from iamhumans.cli.options import common_options, db_option, holdout_options, work_options

TARGET = Path(__file__).parent / "command-line.md"
_START = """# The command line

`python docs/make_command_line.py` writes this page from the code; `--help` shows the same. `-` in place of a file is
standard input. Results go to standard output; errors, warnings and progress go to standard error. Progress is shown on
a terminal only. With `NO_COLOR` set to anything, nothing is styled.

**Completion.** Put one line into your shell's start-up file, and the Tab key completes commands and options:
`eval "$(iamhumans completion bash)"` in `~/.bashrc`, `eval "$(iamhumans completion zsh)"` in `~/.zshrc` after
`compinit`, or `iamhumans completion fish | source` in `~/.config/fish/config.fish`.

## Exit codes

| code | means |
|---|---|
| 0 | done (a FAIL is a result, not an error), or the gate passes |
| 1 | the gate fails |
| 2 | the command or an input is wrong: the message says where, and what to do |
| 3 | inconclusive: an interval contains the threshold, or there are too few results (`--min-judged`) |
| 4 | it could not run: no model answered, the budget is spent, the run was stopped, or nothing is judged |
| 130 | interrupted before any work began |
"""


def _options_of(decorator: Callable[[Any], Any]) -> list[click.Option]:
    """The options that a decorator adds to a command."""

    def empty(**_: object) -> None:
        """Do nothing."""

    return _own_options(click.command()(decorator(empty)))


def _own_options(command: click.Command) -> list[click.Option]:
    return [one for one in command.params if isinstance(one, click.Option)]


SHARED = {
    "every command": _options_of(common_options),
    "the work": _options_of(work_options),
    "held-out cases": _options_of(holdout_options),
    "the journal": _options_of(db_option),
}
"""Options that several commands have, described once."""


def page() -> str:
    """The whole page."""
    parts = [_START, "## Options of several commands\n"]
    for title, options in SHARED.items():
        rows = list(_rows(option for option in options if title != "the work" or option.name != "db"))
        parts.append(f"*Options of {title}:*\n\n" + "\n".join(["| option | |", "|---|---|", *rows]) + "\n")
    for name, command in _commands():
        parts.append(_section(name, command))
    return "\n".join(parts)


def _commands() -> Iterator[tuple[str, click.Command]]:
    with click.Context(root, info_name="iamhumans") as context:
        for name in COMMANDS:
            command = root.get_command(context, name)
            if isinstance(command, click.Group):
                yield from ((f"{name} {one}", command.commands[one]) for one in command.commands)
            elif command is not None:
                yield name, command


def _section(name: str, command: click.Command) -> str:
    arguments = [one.make_metavar(click.Context(command)) for one in command.params if isinstance(one, click.Argument)]
    lines = [f"## {' '.join([name, *arguments])}", "", _prose(command.help or "")]
    options = _own_options(command)
    shared = [title for title, those in SHARED.items() if _flags(those) <= _flags(options)]
    if "the work" in shared:
        shared.remove("the journal")
    known = set().union(*(_flags(SHARED[title]) for title in shared))
    own = [one for one in options if not _flags([one]) & known]
    if own:
        lines += ["", "| option | |", "|---|---|", *_rows(own)]
    more = [title for title in shared if title != "every command"]
    if more:
        lines += ["", f"Also the options of {' and '.join(more)}."]
    return "\n".join(lines) + "\n"


def _rows(options: Iterable[click.Option]) -> Iterator[str]:
    for option in options:
        name = ", ".join(f"`{one}`" for one in option.opts)
        if not option.is_flag:
            metavar = option.make_metavar(click.Context(click.Command("x"))).replace("INTEGER RANGE", "N")
            name = f"{name[:-1]} {metavar.replace('FLOAT RANGE', 'X')}`".replace("|", r"\|")
        facts = [_limits(option.type), "required" if option.required else "", _default(option)]
        said = "; ".join(fact for fact in facts if fact)
        yield f"| {name} | {option.help or ''}{f' ({said})' if said else ''} |"


def _limits(kind: object) -> str:
    if not isinstance(kind, click.IntRange | click.FloatRange):
        return ""
    if kind.min is not None and kind.max is not None:
        return f"{kind.min:g} to {kind.max:g}"
    return "" if kind.min is None else f"{'above' if kind.min_open else 'at least'} {kind.min:g}"


def _default(option: click.Option) -> str:
    return f"default {option.default}" if option.show_default else ""


def _flags(options: Iterable[click.Option]) -> set[str]:
    return {flag for option in options for flag in option.opts}


def _prose(text: str) -> str:
    """The help of a command as Markdown: a line for each paragraph."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return "\n\n".join(" ".join(one.split()) for one in paragraphs)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
