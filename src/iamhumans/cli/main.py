"""The command line: finds the command, and turns errors into one paragraph and an exit code.

A command's module is imported when the command is called, and not to print ``--help``.
"""

import contextlib
import gc
import os
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NoReturn

import click

from iamhumans import __version__
from iamhumans.cli.options import SuggestingGroup
from iamhumans.errors import Exit, IamhumansError

# The name of each command, where it is, and its line in the help.
COMMANDS = {
    "demo": ("iamhumans.cli.demo:demo", "Judge the bundled sample replies and print the report."),
    "init": ("iamhumans.cli.init:init", "Write a starter: a suite, a skill, replies to judge."),
    "run": ("iamhumans.cli.run:run", "Draw replies to a suite and judge them."),
    "reply": ("iamhumans.cli.reply:reply", "Draw replies to a suite."),
    "judge": ("iamhumans.cli.judge:judge", "Judge existing replies."),
    "prompt": ("iamhumans.cli.prompt:prompt", "Print exactly what a judge is sent."),
    "verdict": ("iamhumans.cli.verdict:verdict", "Read and score what a judge printed."),
    "convert": ("iamhumans.cli.convert:convert", "Turn logs of any shape into rows."),
    "tells": ("iamhumans.cli.tells:tells", "Find stock phrases and other tells, without a model."),
    "cases": ("iamhumans.cli.cases:cases", "List, show, check and start case files."),
    "rubric": ("iamhumans.cli.rubric:rubric", "Show a rubric, or check your own."),
    "runs": ("iamhumans.cli.runs:runs", "List, show, export, import and delete runs."),
    "report": ("iamhumans.cli.report:report", "Print the report of a run again."),
    "plan": ("iamhumans.cli.plan:plan", "Plan how many cases a comparison needs, and its price."),
    "compare": ("iamhumans.cli.compare:compare", "Compare two runs: did it get better?"),
    "gate": ("iamhumans.cli.gate:gate", "Decide whether a run may ship."),
    "label": ("iamhumans.cli.label:label", "Label the replies of a run as a person."),
    "calibrate": ("iamhumans.cli.calibrate:calibrate", "Measure how far a judge agrees with people."),
    "allow": ("iamhumans.cli.allow:allow", "Trust a project's config, or a journal from elsewhere."),
    "doctor": ("iamhumans.cli.doctor:doctor", "Show what is installed, which models answer, which keys are set."),
    "completion": ("iamhumans.cli.completion:completion", "Print the shell's completion script."),
}


class _NoReaderError(Exception):
    """The reader of our output has closed it."""


@contextlib.contextmanager
def _while_it_is_read() -> Iterator[None]:
    # click would exit with 1, which here means that a gate failed.
    try:
        yield
    except BrokenPipeError:
        raise _NoReaderError from None


class _LazyGroup(SuggestingGroup):
    """A group that knows its commands by name and imports one when it is called."""

    def make_context(self, *arguments: Any, **named: Any) -> click.Context:
        with _while_it_is_read():
            return super().make_context(*arguments, **named)

    def invoke(self, ctx: click.Context) -> Any:
        with _while_it_is_read():
            code = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
            return code

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        return getattr(import_module(module), name)  # type: ignore[no-any-return]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


class _WholeWords(click.HelpFormatter):
    """Help that is not broken at hyphens, which would cut the names of options in two."""

    def write_text(self, text: str) -> None:
        super().write_text(_joined(text))

    def write_dl(self, rows: Any, *arguments: Any, **named: Any) -> None:
        super().write_dl([(_joined(term), _joined(text)) for term, text in rows], *arguments, **named)

    def getvalue(self) -> str:
        return super().getvalue().replace(_HYPHEN, "-")


_HYPHEN = "\u2011"  # at which no line is broken


def _joined(text: str) -> str:
    return text.replace("-", _HYPHEN)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="iamhumans", message="%(prog)s %(version)s")
def root() -> None:
    """Judge whether a reply reads and behaves like a person's, and whether the judge can be trusted.

    Start with `iamhumans demo`.
    """


def main() -> NoReturn:
    """Run the command line and exit."""
    _speak_unicode()
    click.Context.formatter_class = _WholeWords
    # Garbage collection took a tenth of the time, and most objects live until the command ends.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    try:
        # Without its standalone mode, click returns the code that a command exits with.
        code = root.main(prog_name="iamhumans", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (_NoReaderError, BrokenPipeError):
        _silence(sys.stdout)
        sys.exit(Exit.DONE)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(Exit.WRONG_INPUT)
    except (click.Abort, KeyboardInterrupt):
        _leave(130, "Stopped.")
    except Exception as error:  # noqa: BLE001 - whatever it is ends as one paragraph and an exit code
        if "--debug" in sys.argv[1:]:
            traceback.print_exc()
        _leave(*_explained(error))
    sys.exit(code if isinstance(code, int) else Exit.DONE)


def _explained(error: Exception) -> tuple[int, str]:
    if isinstance(error, IamhumansError):
        return error.exit_code, error.message
    if isinstance(error, click.UsageError):
        help_of = f"{error.ctx.command_path} --help" if error.ctx else "iamhumans --help"
        return Exit.WRONG_INPUT, f"{error.format_message()} `{help_of}` shows the usage."
    if isinstance(error, click.ClickException):
        return Exit.WRONG_INPUT, error.format_message()
    if isinstance(error, OSError) and error.strerror:
        # The disk is full or the working folder is gone: this can happen anywhere.
        where = f"{error.filename}: " if error.filename is not None else ""
        return Exit.COULD_NOT_RUN, f"{where}{error.strerror}."
    problem = f"{type(error).__name__}: {error}."
    return Exit.COULD_NOT_RUN, f"{problem} This is a bug in iamhumans: please report it, with the output of `--debug`."


def _speak_unicode() -> None:
    """Write UTF-8 into files and pipes, and never fail for a character that a terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=stream.encoding if stream.isatty() else "utf-8", errors="backslashreplace")


def _silence(stream: Any) -> None:
    """Redirect a stream to nothing, so that Python's last flush does not fail."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _leave(code: int, message: str) -> NoReturn:
    from iamhumans.cli.output import fitted
    from iamhumans.text.safety import one_line

    try:
        click.echo(fitted(f"error: {one_line(message)}", sys.stderr), err=True)
    except OSError:
        _silence(sys.stderr)
    # If standard output cannot be written, Python would report it once more.
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _silence(sys.stdout)
    sys.exit(code)
