"""What `run`, `reply`, `judge` and `runs import` have in common: limits, the journal, the work, what is shown of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from iamhumans.cli.options import FILE, is_quiet, print_json, tell, warn
from iamhumans.errors import CannotRunError, Exit

if TYPE_CHECKING:
    from iamhumans.cases import Suite
    from iamhumans.models import ChatModel
    from iamhumans.reports import Report
    from iamhumans.rubrics import Rubric
    from iamhumans.runs import Budget, HangingCall, Job, Journal, Outlook, Progress, Run, Stopping
    from iamhumans.runs.drive import Driven

Command = TypeVar("Command", bound=Callable[..., Any])

_GONE_ON = "Give the same command again to go on where it stopped."
_NEW_SALT = "of a run that is not made yet"


@dataclass(frozen=True, slots=True)
class Work:
    """The options that say how work is done."""

    max_connections: int
    max_cost: float | None
    max_tokens: int | None
    max_minutes: float | None
    fresh: bool
    dry_run: bool
    db: Path | None
    config: Path | None


def db_option(command: Command) -> Command:
    """``--db``."""
    return click.option("--db", type=FILE, help="The journal; the nearest .iamhumans/journal.db if not given.")(command)


def work_options(command: Command) -> Command:
    """The options of :class:`Work`, given to the command as its argument ``work``."""

    @wraps(command)
    def with_work(*arguments: object, **options: Any) -> object:
        work = Work(**{field.name: options.pop(field.name) for field in fields(Work)})
        return command(*arguments, work=work, **options)

    added = [
        click.option("--config", type=FILE, help="The nearest iamhumans.toml if not given."),
        db_option,
        click.option("--dry-run", is_flag=True, help="Say what it would come to, and stop."),
        click.option("--fresh", is_flag=True, help="Make a new run that shares no results with earlier ones."),
        click.option("--max-minutes", type=click.FloatRange(min=0, min_open=True), help="Stop cleanly after so long."),
        click.option("--max-tokens", type=click.IntRange(min=1), help="Stop cleanly before more tokens are used."),
        click.option("--max-cost", type=click.FloatRange(min=0), help="Stop cleanly before more is spent."),
        click.option(
            "--max-connections",
            type=click.IntRange(1, 1000),
            default=10,
            show_default=True,
            help="Calls to one provider at a time.",
        ),
    ]
    for add in added:
        with_work = add(with_work)
    return with_work  # type: ignore[return-value]  # the same command with other parameters


@contextmanager
def open_journal(db: Path | None) -> Iterator[Journal]:
    """The journal that ``--db`` names, or the nearest, or a new one."""
    from iamhumans.runs import Journal, find_journal

    with Journal.open(find_journal(db)) as journal:
        yield journal


def suite_without_holdout(name: str) -> Suite:
    """A suite as everyday runs see it; what is wrong with its files is told."""
    from iamhumans.cases import load_suite

    suite = load_suite(name)
    tell_findings(suite)
    return suite.without_holdout()


def every_case_of(name: str) -> Suite:
    """A suite with all its cases, for recorded replies: those to held-out cases are passed over and no mistake."""
    from iamhumans.cases import load_suite

    return load_suite(name)


def tell_findings(suite: Suite) -> None:
    """Tell what is wrong with the files of a suite, of held-out ones without a word of their text."""
    from iamhumans.cases import says_held_out

    held_out = {case.path for case in suite.cases if case.holdout}
    for finding in suite.findings:
        hidden = finding.path in held_out or says_held_out(finding.path)
        if finding.error:
            shown = f"{finding.path}:{finding.line}: error: This held-out case cannot be used. [{finding.code}]"
            tell(shown if hidden else str(finding))
        elif not hidden:
            warn(str(finding))


def rubric_for(name: str | None, suite: Suite | None) -> Rubric:
    """The rubric that was named, or the suite's, or the built-in one."""
    from iamhumans.rubrics import DEFAULT_RUBRIC, load_rubric

    if name is None and suite is not None:
        return load_rubric(suite.rubric, relative_to=suite.path)
    return load_rubric(name or DEFAULT_RUBRIC)


def do(
    journal: Journal,
    run: Run | None,
    jobs: Iterable[Job[Any]],
    models: Sequence[ChatModel],
    work: Work,
    *,
    on_ended: Callable[[Any], None] | None = None,
) -> Driven:
    """Work jobs off, and show how it goes on a terminal."""
    from iamhumans.runs import Settings
    from iamhumans.runs.drive import Watch, drive

    status = _Status()
    budget = budget_of(work)
    watch = Watch(
        on_ended=on_ended,
        on_progress=status.show if status.visible else None,
        on_hanging=status.hanging,
        on_stopping=status.stopping,
    )
    try:
        return drive(
            journal,
            run,
            jobs,
            models,
            settings=Settings(max_connections=work.max_connections),
            budget=budget,
            watch=watch,
        )
    finally:
        status.clear()
        _tell_left_out(models)


def budget_of(work: Work) -> Budget:
    """What may be spent."""
    from iamhumans.runs import Budget

    return Budget(work.max_cost, work.max_tokens, work.max_minutes)


def _tell_left_out(models: Sequence[ChatModel]) -> None:
    """Say once for each model which settings its server refused, since the answers were got without them."""
    from iamhumans.runs.opening import NotingModel

    refused: dict[str, set[str]] = {}
    for model in models:
        if isinstance(model, NotingModel) and model.left_out:
            refused.setdefault(model.identity.name, set()).update(model.left_out)
    for name, settings in refused.items():
        warn(f"The server of {name} refused {', '.join(sorted(settings))}: left out, or sent in another way.")


def salt_of(journal: Journal, plan: Mapping[str, Any], *, fresh: bool) -> str:
    """The salt of the run that a plan would be worked off in, without beginning it."""
    from iamhumans.runs.keys import canonical_json

    if fresh:
        return _NEW_SALT
    text = canonical_json(dict(plan))
    return next((run.salt for run in journal.runs() if canonical_json(dict(run.plan)) == text), "")


def print_outlook(outlook: Outlook, *, as_json: bool) -> None:
    """What a dry run says. A price that is unknown is said to be so."""
    from dataclasses import asdict

    if as_json:
        print_json(asdict(outlook))
        return
    cost = "unknown, since a model has no price" if outlook.cost is None else f"about {outlook.cost:.4g}"
    click.echo(
        f"{outlook.jobs} jobs, of which the journal holds {outlook.held}\n"
        f"{outlook.calls} calls at least, with about {outlook.prompt_tokens:,} prompt tokens and"
        f" {outlook.completion_tokens:,} completion tokens\n"
        f"cost {cost}\n"
        "nothing was sent"
    )


def exit_code(report: Report, driven: Driven | None, *, wrong_rows: int = 0) -> Exit:
    """How a command ends whose result is a report."""
    summary = report.summary
    if driven is not None and driven.stopped is not None:
        tell(f"error: {driven.stopped.detail}. {_GONE_ON}")
        return Exit.COULD_NOT_RUN
    if wrong_rows:
        return Exit.WRONG_INPUT
    if summary.asked == 0:
        raise CannotRunError("There was no reply to judge.", fix="Is the file empty, or is every case held out?")
    if summary.judged == 0:
        tell(f"error: Nothing was judged. {_first_reason(report)}")
        return Exit.COULD_NOT_RUN
    return Exit.INCONCLUSIVE if summary.unjudged else Exit.DONE


def _first_reason(report: Report) -> str:
    from iamhumans.verdicts import Unjudged

    first = report.digest.failed[0].judgement
    return f"{first.reason.value}: {first.detail}" if isinstance(first, Unjudged) else ""


class _Status:
    """One line on a terminal that says how far the work is."""

    def __init__(self) -> None:
        self.visible = sys.stderr.isatty() and not is_quiet()
        self._shown = False

    def show(self, progress: Progress) -> None:
        rate = progress.ended / progress.seconds if progress.seconds > 0 else 0.0
        parts = [f"{progress.ended} done", f"{rate:.1f}/s", f"{progress.in_flight} in flight"]
        if progress.from_journal:
            parts.append(f"{progress.from_journal} were in the journal")
        if progress.failed_calls:
            parts.append(f"{progress.failed_calls} failed calls")
        parts.append(f"{progress.tokens:,} tokens")
        parts.append("cost unknown" if progress.cost is None else f"cost {progress.cost:.4g}")
        self._write("  ".join(parts))

    def hanging(self, call: HangingCall) -> None:
        self.clear()
        warn(f"{call.label}: {call.provider} has not answered for {call.seconds:.0f} s")

    def stopping(self, state: Stopping) -> None:
        from iamhumans.runs import Stopping

        self.clear()
        finishing = "Finishing what is in flight; Ctrl-C again gives it up."
        tell(finishing if state is Stopping.FINISHING else "Giving up what is in flight.")

    def clear(self) -> None:
        if self._shown:
            self._write("")
            self._shown = False

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()
        self._shown = bool(text)
