"""The command line: finds the command, and turns errors into one paragraph and an exit code.

A command's module is imported when the command is called, and not to print ``--help``.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import NoReturn

import click

from iamhumans import __version__
from iamhumans.errors import Exit, IamhumansError

# Name, where it lives, and its line in the help.
COMMANDS = {
    "demo": ("iamhumans.cli.demo:demo", "Judge the bundled sample replies and print the report."),
    "init": ("iamhumans.cli.init:init", "Write a starter: a suite, a skill, replies to judge."),
    "run": ("iamhumans.cli.run:run", "Draw replies to a suite and judge them."),
    "reply": ("iamhumans.cli.reply:reply", "Draw replies to a suite."),
    "judge": ("iamhumans.cli.judge:judge", "Judge replies that exist."),
    "prompt": ("iamhumans.cli.prompt:prompt", "Print exactly what a judge is sent."),
    "verdict": ("iamhumans.cli.verdict:verdict", "Read what a judge printed."),
    "cases": ("iamhumans.cli.cases:cases", "List, show, check and start case files."),
    "runs": ("iamhumans.cli.runs:runs", "List, show, export, import and delete runs."),
    "report": ("iamhumans.cli.report:report", "Print the report of a run again."),
    "allow": ("iamhumans.cli.allow:allow", "Allow a project's config to name keys and programs."),
    "doctor": ("iamhumans.cli.doctor:doctor", "What is installed, which models answer, which keys are set."),
    "rubric": ("iamhumans.cli.rubric:rubric", "Show a rubric, check your own."),
}


class _LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order of their use."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the list of commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="iamhumans", message="%(prog)s %(version)s")
def root() -> None:
    """Judge whether a reply reads and behaves like a person's, and whether the judge can be trusted.

    Start with `iamhumans demo`.
    """


def main() -> NoReturn:
    """Run the command line and exit."""
    debug = "--debug" in sys.argv[1:]
    try:
        # Without its standalone mode, click returns the code that a command exits with.
        code = root.main(prog_name="iamhumans", standalone_mode=False)
    except IamhumansError as error:
        if debug:
            raise
        _leave(error.exit_code, error.message)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _leave(130, "Stopped.")
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Exit.DONE)
    except Exception as error:
        if debug:
            raise
        _leave(
            Exit.COULD_NOT_RUN,
            f"{type(error).__name__}: {error}. This is our mistake: please report it, with what `--debug` shows.",
        )
    sys.exit(code if isinstance(code, int) else Exit.DONE)


def _leave(code: int, message: str) -> NoReturn:
    from iamhumans.text.safety import for_terminal

    click.echo(f"error: {for_terminal(message)}", err=True)
    sys.exit(code)
