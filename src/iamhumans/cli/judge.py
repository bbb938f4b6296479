"""``iamhumans judge``: judges replies that exist."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import (
    FILE,
    JudgementsOf,
    as_judgement,
    common_options,
    json_line,
    print_report_as,
    tell,
    warn,
)
from iamhumans.cli.working import (
    Work,
    budget_of,
    do,
    exit_code,
    open_journal,
    print_outlook,
    rubric_for,
    salt_of,
    tell_findings,
    work_options,
)
from iamhumans.errors import CommandError, InputError, Place

if TYPE_CHECKING:
    from iamhumans.cases import Suite
    from iamhumans.judges import JudgeTask
    from iamhumans.reports import Report
    from iamhumans.runs import Ended, Journal
    from iamhumans.runs.drive import Driven
    from iamhumans.runs.plan import Judging
    from iamhumans.runs.records import JudgedRow
    from iamhumans.subjects import ReplyRow, RowProblem

_MOST_PROBLEMS = 20
"""How many wrong rows are told one by one."""


@click.command()
@click.argument("replies", type=FILE)
@click.option("--suite", "suite_name", help="The suite that the replies answer: a folder or a bundled one.")
@click.option("--case", "case_id", help="With --suite: the case that one reply in a text file answers.")
@click.option("--input", "user_input", help="What the user said, where REPLIES is one reply in a text file.")
@click.option("--rubric", "rubric_name", help="A bundled rubric or a file; the suite's own if not given.")
@click.option(
    "--judge",
    "judge_names",
    multiple=True,
    help="rules (the default), recorded/PATH, or a model; may be given several times.",
)
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, help="Judgements of each reply.")
@click.option("--persona", "persona_file", type=FILE, help="What is true of the speaker that the skill plays.")
@click.option("--template", "template_file", type=FILE, help="A prompt template of your own.")
@click.option("-o", "--output", type=FILE, help="Stream the judgements into this JSON Lines file as they come.")
@click.option("--format", "style", type=click.Choice(["terminal", "md"]), default="terminal", help="How to print.")
@work_options
@common_options
@click.pass_context
def judge(
    context: click.Context,
    replies: Path,
    suite_name: str | None,
    case_id: str | None,
    user_input: str | None,
    rubric_name: str | None,
    judge_names: tuple[str, ...],
    repeats: int,
    persona_file: Path | None,
    template_file: Path | None,
    output: Path | None,
    style: str,
    as_json: bool,
    work: Work,
) -> None:
    """Judge REPLIES and print the report.

    REPLIES is a JSON Lines file of {"case_id", "reply"} or {"messages"} rows, a folder of verdict files with the reply
    inside, a folder with one folder a case that holds a reply.md, or one reply in a text file (with --input, or with
    --suite and --case). `-` is standard input.

    Judgements are kept in the journal, and the same command goes on where it stopped. With -o and without a model there
    is no journal.

    Exits with 3 where some replies are unjudged, with 4 where all are, with 2 where rows of the input were wrong.
    """
    from iamhumans.cases import load_suite
    from iamhumans.prompts import Template
    from iamhumans.runs.opening import open_config, open_seats
    from iamhumans.runs.plan import Judging
    from iamhumans.text import read_text

    suite = load_suite(suite_name) if suite_name else None
    if suite is not None:
        tell_findings(suite)
    template = Template(read_text(template_file), template_file) if template_file else None
    names = judge_names or ("rules",)
    judging = Judging(
        rubric=rubric_for(rubric_name, suite),
        seats=open_seats(names, lambda: open_config(work.config), template=template, repeats=repeats),
        repeats=repeats,
        persona=read_text(persona_file) if persona_file else None,
        template=template,
    )
    asks = bool(judging.models)
    if template is not None and not asks:
        raise CommandError("--template is for a judge that is a model.", fix="Name one with --judge, or leave it out.")
    if output is not None:
        _check_output(output, replies)
    title = f"Replies in {'standard input' if str(replies) == '-' else replies.resolve().name}"
    with ExitStack() as stack:
        path = stack.enter_context(_readable_twice(replies))
        source = _Source(path, replies, suite, case_id, user_input)
        driven, journal = None, None
        if output is not None and not asks and work.db is None and not work.dry_run:
            report = _streamed(source, judging, title, output, keep=as_json)
        else:
            journal = stack.enter_context(open_journal(work.db))
            done = _in_journal(journal, source, judging, title, work, output, as_json=as_json)
            if done is None:
                return
            report, driven = done
        print_report_as(report, "json" if as_json else style, journal)
        context.exit(exit_code(report, driven, wrong_rows=source.problems))


@dataclass
class _Source:
    """The rows of the input, to be gone through several times; what is wrong with them is told the first time."""

    path: Path
    given: Path
    """What the user named it."""
    suite: Suite | None
    case_id: str | None
    user_input: str | None
    problems: int = 0
    _told: bool = field(default=False)

    def rows(self) -> Iterator[ReplyRow]:
        """The rows that can be judged."""
        from iamhumans.subjects import RowProblem, open_replies

        told, self._told = self._told, True
        rows = open_replies(self.path, self.suite, case_id=self.case_id, user_input=self.user_input, named=self.given)
        for row in rows:
            if not isinstance(row, RowProblem):
                yield row
            elif not told:
                self._tell(row)
        if not told and self.problems > _MOST_PROBLEMS:
            tell(f"error: {self.problems - _MOST_PROBLEMS} more rows cannot be used.")

    def _tell(self, problem: RowProblem) -> None:
        self.problems += 1
        if self.problems <= _MOST_PROBLEMS:
            tell(f"error: {problem}")

    def no_reply(self) -> InputError:
        """The error for a source in which nothing can be judged."""
        usable = "that can be judged " if self.problems else ""
        return InputError(f"There is no reply {usable}in it.", place=Place(self.given))

    def a_case_a_row_under(self, judging: Judging) -> bool:
        """Whether every judgement is of a case of its own, as in a chat log judged once."""
        return self.suite is None and not self.path.is_dir() and judging.judgements == 1

    def survey(self) -> tuple[int, str]:
        """How many rows there are, and a hash of all of them."""
        from iamhumans.runs.plan import digest_of

        count = 0

        def parts() -> Iterator[str]:
            nonlocal count
            for row in self.rows():
                count += 1
                yield json_line([row.case.hash, row.reply.subject, row.reply.number, row.reply.text])

        digest = digest_of(parts())
        return count, digest


@contextmanager
def _readable_twice(path: Path) -> Iterator[Path]:
    """The path itself, or that of a copy of standard input or of a pipe, which can be read only once."""
    if str(path) != "-" and not path.is_fifo():
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "replies.jsonl"
        with copy.open("wb") as file:
            if str(path) == "-":
                shutil.copyfileobj(sys.stdin.buffer, file)
            else:
                with path.open("rb") as pipe:
                    shutil.copyfileobj(pipe, file)
        yield copy


def _check_output(output: Path, replies: Path) -> None:
    """Find out before any work whether the output can be written."""
    if output.exists() and str(replies) != "-" and replies.exists() and output.samefile(replies):
        raise CommandError(f"`{output}` is what is to be judged; it would be lost.", fix="Give -o another name.")
    try:
        with output.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise _unwritable(output, error) from None


def _unwritable(output: Path, error: OSError) -> CommandError:
    return CommandError(f"`{output}` cannot be written: {error.strerror}.")


def _streamed(source: _Source, judging: Judging, title: str, output: Path, *, keep: bool) -> Report:
    """Judge without a journal, writing each judgement as it comes; the rows are kept only where they are needed."""
    from iamhumans.reports import Report
    from iamhumans.runs.records import judge_here

    rows = (
        row
        for reply_row in source.rows()
        for seat in judging.seats
        for row in judge_here(seat.judge, _tasks(reply_row, judging))
    )
    written = _written(rows, output)
    report = Report(
        title,
        judging.rubric,
        JudgementsOf(list(written) if keep else written),
        grouped=not source.a_case_a_row_under(judging),
    )
    # All is written before anything is printed.
    if report.summary.asked == 0:
        raise source.no_reply()
    return report


def _tasks(row: ReplyRow, judging: Judging) -> Iterator[tuple[int, JudgeTask]]:
    from iamhumans.judges import JudgeTask

    for repeat in range(1, judging.repeats + 1):
        yield row.row, JudgeTask(judging.rubric, row.case, row.reply, persona=judging.persona, repeat=repeat)


def _in_journal(
    journal: Journal,
    source: _Source,
    judging: Judging,
    title: str,
    work: Work,
    output: Path | None,
    *,
    as_json: bool,
) -> tuple[Report, Driven | None] | None:
    """Judge with a journal; ``None`` after a dry run."""
    from iamhumans.decisions.families import kinships
    from iamhumans.reports import Report
    from iamhumans.runs import RunStatus, look_ahead
    from iamhumans.runs.plan import Place, Planner
    from iamhumans.runs.rows import RunRows

    count, digest = source.survey()
    asked = count * judging.judgements
    if count == 0:
        raise source.no_reply()
    suite = source.suite.name if source.suite else None
    plan = {"command": "judge", "replies": digest, "suite": suite, **judging.described()}
    if work.dry_run:
        planner = Planner(Place(journal.secret, salt=salt_of(journal, plan, fresh=work.fresh)), judging)
        print_outlook(look_ahead(planner.for_replies(source.rows()), journal), as_json=as_json)
        return None
    # Before the run is begun: a refusal leaves nothing behind.
    budget_of(work).require_prices(model.identity for model in judging.models)
    run = journal.begin_run(plan, asked=asked, fresh=work.fresh)
    driven = None
    worked = run.status is not RunStatus.FINISHED
    if worked:
        journal.keep_texts(judging.texts())
        planner = Planner(Place(journal.secret, run.id, run.salt), judging)
        with _as_they_come(output, judging.judgements) as write:
            driven = do(journal, run, planner.for_replies(source.rows()), judging.models, work, on_ended=write)
        run = journal.end_run(run, asked=asked, stopped=driven.stopped is not None)
        if run.status is RunStatus.FINISHED:
            driven = None  # It may have been stopped when all was done.
    for kinship in kinships(plan, (group.subject for group in journal.summary(run).groups)):
        warn(str(kinship))
    rows = RunRows(journal, run, journal.titles(run))
    if output is not None and not worked:
        for _ in _written(rows, output):
            pass
    return Report(
        f"{title}, run {run.name}",
        judging.rubric,
        JudgementsOf(rows),
        run.name,
        grouped=not source.a_case_a_row_under(judging),
    ), driven


@contextmanager
def _as_they_come(output: Path | None, judgements: int) -> Iterator[Callable[[Ended[Any]], None] | None]:
    """What writes each judgement into the output when it ends, where there is an output."""
    from iamhumans.runs import JudgementEntry
    from iamhumans.runs.rows import row_of_entry

    if output is None:
        yield None
        return
    with output.open("w", encoding="utf-8") as file:

        def write(ended: Ended[Any]) -> None:
            if isinstance(ended.job.entry, JudgementEntry):
                row = row_of_entry(ended.job.entry, ended.outcome, judgements)
                file.write(json_line(as_judgement(row).to_dict()) + "\n")
                file.flush()

        yield write


def _written(rows: Iterable[JudgedRow], output: Path) -> Iterator[JudgedRow]:
    """Write each judgement as it comes."""
    try:
        file = output.open("w", encoding="utf-8")
    except OSError as error:
        raise _unwritable(output, error) from None
    with file:
        for row in rows:
            file.write(json_line(as_judgement(row).to_dict()) + "\n")
            yield row
