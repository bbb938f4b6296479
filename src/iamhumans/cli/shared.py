"""What the commands have in common: options, messages, progress, printing."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from iamhumans.errors import CommandError, Exit

if TYPE_CHECKING:
    from iamhumans.api.results import Result
    from iamhumans.api.run import OpenJournal, Run
    from iamhumans.reports.blocks import Block
    from iamhumans.runs.engine import Progress
    from iamhumans.runs.plan import Estimate

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
STYLES = click.Choice(["terminal", "md", "json"])
RESUME = "Run the same command again to resume."
RESUME_FRESH = "Run the same command without --fresh to resume."
_QUIET = "iamhumans.quiet"
_PIPE_WIDTH = 80
_MOST_PROBLEMS = 20


def _remember_quiet(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_QUIET] = value


def common_options(command: Command) -> Command:
    """``--json``, ``--quiet`` and ``--debug``; only the first is an argument of the command."""
    # --debug is read by `main`, where errors end.
    command = click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks.")(command)
    command = click.option(
        "--quiet", is_flag=True, expose_value=False, callback=_remember_quiet, help="No warnings and no progress."
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
            raise CommandError("--reason is for held-out cases.", fix="Add --holdout, or leave it out.")
        if holdout and not reason:
            raise CommandError("--holdout needs a reason, which is logged.", fix='Add --reason "why".')
        return command(*arguments, holdout_reason=reason if holdout else None, **options)

    added = click.option("--reason", default="", help="Why held-out cases are used; it is logged.")(with_reason)
    return click.option("--holdout", is_flag=True, help="Use or show held-out cases; with --reason.")(added)  # type: ignore[return-value]


_WORK = (
    click.option("--config", type=FILE, help="Default: the nearest iamhumans.toml."),
    click.option("--dry-run", is_flag=True, help="Print what it would take, and send nothing."),
    click.option("--fresh", is_flag=True, help="Make a new run that shares no results with earlier ones."),
    click.option("--max-wait", type=click.FloatRange(min=0), help="The longest pause of a server, in seconds."),
    click.option("--max-minutes", type=click.FloatRange(min=0, min_open=True), help="Stop after this time."),
    click.option("--max-tokens", type=click.IntRange(min=1), help="Stop before more tokens are used."),
    click.option("--max-cost", type=click.FloatRange(min=0), help="Stop before more is spent."),
    click.option("--max-connections", type=click.IntRange(1, 1000), help="Calls to one provider at a time [10]."),
)
_PASSED_ON = ("config", "fresh", "max_wait", "max_minutes", "max_tokens", "max_cost", "max_connections")


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


# --- messages ---------------------------------------------------------------------------------------------------------


def is_quiet() -> bool:
    """Whether ``--quiet`` was given."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_QUIET))


def warn(message: str) -> None:
    """One line on standard error, made harmless, unless ``--quiet`` was given."""
    if not is_quiet():
        complain(message)


def complain(message: str) -> None:
    """One line on standard error, made harmless, in any case."""
    from iamhumans.text.safety import one_line

    click.echo(one_line(message), err=True)


def complain_of_rows(problems: Iterable[object], count: int) -> None:
    """The rows that could not be used: the first ones, and how many more there are."""
    for number, problem in enumerate(problems, start=1):
        if number > _MOST_PROBLEMS:
            complain(f"{count - _MOST_PROBLEMS:,} more rows were left out.")
            return
        complain(f"left out: {problem}")


def report_findings(findings: Iterable[Any]) -> None:
    """What is wrong with the files of a suite; of held-out cases without a word of their text."""
    from iamhumans.cases.holdout import without_texts

    for finding in without_texts(list(findings)):
        (complain if finding.error else warn)(str(finding))


# --- journals and work ------------------------------------------------------------------------------------------------


@contextmanager
def journal_at(db: Path | None, *, write: bool = False) -> Iterator[OpenJournal]:
    """The journal that ``--db`` names, or the nearest one. It is created only to be written."""
    from iamhumans.api.run import open_journal

    with open_journal(db, write=write) as journal:
        yield journal


@contextmanager
def watched(work: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Options of the work with progress on a terminal, and with Ctrl-C and SIGTERM as a clean stop."""
    from iamhumans.runs.halt import StopRequest, Stopping

    status = _Status()
    stop = StopRequest()

    def handle(*_: object) -> None:
        status.clear()
        finishing = stop.stop() is Stopping.FINISHING
        complain(
            "Finishing the calls in flight; press Ctrl-C again to give them up."
            if finishing
            else "Giving up the calls in flight."
        )

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, handle) for number in numbers} if _may_handle_signals() else {}
    try:
        yield {**work, "progress": status.show, "stop": stop}
    finally:
        status.clear()
        for number, handler in before.items():
            signal.signal(number, handler)


def _may_handle_signals() -> bool:
    import threading

    return threading.current_thread() is threading.main_thread()


class _Status:
    """One line on a terminal that shows how far the work is."""

    def __init__(self) -> None:
        self._visible = sys.stderr.isatty() and not is_quiet()
        self._shown = False

    def show(self, progress: Progress) -> None:
        """Show it; a message of the engine becomes a line of its own."""
        if progress.message:
            self.clear()
            warn(progress.message)
        if not self._visible:
            return
        rate = progress.ended / progress.seconds if progress.seconds > 0 else 0.0
        parts = [f"{progress.ended} done", f"{rate:.1f}/s", f"{progress.in_flight} in flight"]
        if progress.from_journal:
            parts.append(f"{progress.from_journal} from the journal")
        if progress.failed_calls:
            parts.append(f"{progress.failed_calls} failed calls")
        parts.append(f"{progress.tokens:,} tokens")
        parts.append("cost unknown" if progress.cost is None else f"cost {progress.cost:.4g}")
        self._write("  ".join(parts))

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()
        self._shown = bool(text)


# --- printing ---------------------------------------------------------------------------------------------------------


def terminal_width() -> int:
    """How many columns a line may have; 80 in a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPE_WIDTH


def with_color() -> bool:
    """Whether standard output may be styled."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def print_json(document: object) -> None:
    """One JSON document on standard output; the same content gives the same bytes."""
    from iamhumans.text.json_text import json_text

    click.echo(json_text(document, indent=2))


def json_line(value: object) -> str:
    """One JSON object on one line."""
    from iamhumans.text.json_text import json_text

    return json_text(value)


def print_blocks(blocks: Iterable[Block], style: str = "terminal") -> None:
    """Headings, paragraphs and tables on standard output, for a terminal or as Markdown."""
    blocks = list(blocks)
    if style == "md":
        from iamhumans.reports.markdown import blocks_markdown

        click.echo(blocks_markdown(blocks), nl=False)
    else:
        from iamhumans.reports.terminal import blocks_text

        click.echo(blocks_text(blocks, width=terminal_width(), color=with_color()), nl=False, color=with_color())


def print_result(result: Result, style: str) -> None:
    """A result on standard output, in one of ``STYLES``."""
    if style == "json":
        print_json(result.to_dict())
    else:
        print_blocks(result.blocks(), style)


def print_report(run: Run, style: str, holdout_reason: str | None = None) -> None:
    """The report of a run on standard output: in one of ``STYLES``, or as ``csv``."""
    report = run.report(holdout_reason=holdout_reason)
    if style in ("json", "csv"):
        from iamhumans.reports.csv import csv_report
        from iamhumans.reports.json_text import report_json

        for piece in csv_report(report) if style == "csv" else report_json(report):
            click.echo(piece, nl=False)
        return
    print_blocks(report.blocks(), style)


def print_estimate(found: Estimate, *, as_json: bool) -> None:
    """What a dry run prints. An unknown price is said to be unknown."""
    from dataclasses import asdict

    if as_json:
        print_json(asdict(found))
        return
    cost = "unknown, since a model has no price" if found.cost is None else f"about {found.cost:.4g}"
    click.echo(
        f"{found.jobs} replies and judgements, {found.in_journal} of them in the journal\n"
        f"{found.calls} calls or more, with about {found.prompt_tokens:,} prompt tokens and"
        f" {found.completion_tokens:,} completion tokens\n"
        f"cost {cost}\n"
        "nothing was sent"
    )


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Write a file that does not exist yet, never through a link.

    Raises:
        CommandError: It exists, or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
    except FileExistsError:
        raise CommandError(f"`{path}` exists already.", fix="Name another file, or delete it first.") from None
    except OSError as error:
        raise CommandError(f"`{path}` cannot be written: {error.strerror}.") from None


def ending(run: Run, *, fresh: bool, min_judged: float | None = None) -> Exit:
    """How a command ends whose result is a run; says why, if it is not well."""
    if run.stopped is not None:
        complain(f"error: {run.stopped}. {RESUME_FRESH if fresh else RESUME}")
        return Exit.COULD_NOT_RUN
    summary = run.report().summary
    if summary.judged == 0:
        first = next((one for one in run if not one.judged), None)
        complain(f"error: Nothing was judged. {f'{first.reason}: {first.detail}' if first else ''}".rstrip())
        return Exit.COULD_NOT_RUN
    if min_judged is not None and summary.judged < min_judged * summary.asked:
        complain(f"error: Only {summary.judged} of {summary.asked} judgements are verdicts; --min-judged demands more.")
        return Exit.INCONCLUSIVE
    return Exit.DONE
