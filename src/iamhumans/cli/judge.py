"""``iamhumans judge``: judges replies that exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iamhumans.cli.options import FILE, common_options, json_line, print_json, terminal_width, warn
from iamhumans.errors import CannotRunError, CommandError, Exit

if TYPE_CHECKING:
    from iamhumans.cases import Suite
    from iamhumans.judges import JudgeTask
    from iamhumans.reports import Report
    from iamhumans.rubrics import Rubric
    from iamhumans.runs.records import JudgedRow
    from iamhumans.subjects import ReplyRow, RowProblem


@click.command()
@click.argument("replies", type=FILE)
@click.option("--suite", "suite_name", help="The suite that the replies answer: a folder or a bundled one.")
@click.option("--case", "case_id", help="With --suite: the case that one reply in a text file answers.")
@click.option("--input", "user_input", help="What the user said, where REPLIES is one reply in a text file.")
@click.option("--rubric", "rubric_name", help="A bundled rubric or a file; the suite's own if not given.")
@click.option("--judge", "judge_name", default="rules", show_default=True, help="rules or recorded/PATH.")
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, help="Judgements of each reply.")
@click.option("--persona", "persona_file", type=FILE, help="What is true of the speaker that the skill plays.")
@click.option("-o", "--output", type=FILE, help="Stream the judgements into this JSON Lines file.")
@click.option("--format", "style", type=click.Choice(["terminal", "md"]), default="terminal", help="How to print.")
@common_options
@click.pass_context
def judge(
    context: click.Context,
    replies: Path,
    suite_name: str | None,
    case_id: str | None,
    user_input: str | None,
    rubric_name: str | None,
    judge_name: str,
    repeats: int,
    persona_file: Path | None,
    output: Path | None,
    style: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Judge REPLIES and print the report.

    REPLIES is a JSON Lines file of {"case_id", "reply"} or {"messages"} rows, a folder of verdict files with the reply
    inside, a folder with one folder a case that holds a reply.md, or one reply in a text file (with --input, or with
    --suite and --case). `-` is standard input.

    Exits with 3 where some replies are unjudged, with 4 where all are, with 2 where rows of the input were wrong.
    """
    from iamhumans.cases import load_suite
    from iamhumans.judges import needs_model, open_judge
    from iamhumans.reports import Report
    from iamhumans.runs.records import judge_here
    from iamhumans.subjects import open_replies
    from iamhumans.text import read_text

    suite = load_suite(suite_name) if suite_name else None
    _warn_of_suite(suite, quiet=quiet)
    rubric = _rubric(rubric_name, suite)
    persona = read_text(persona_file) if persona_file else None
    opened = open_judge(judge_name, repeats=repeats)
    if needs_model(opened):
        raise CommandError(f"There is no judge `{judge_name}`.", fix="Name rules or recorded/PATH.")
    rows = _Rows(open_replies(replies, suite, case_id=case_id, user_input=user_input))
    judged = judge_here(opened, rows.tasks(rubric, persona, repeats))
    title = f"{replies.name if str(replies) != '-' else 'standard input'} judged by {judge_name}"
    if output is not None:
        judged = _streamed(judged, output)
    report = Report(title, rubric, list(judged))
    _print(report, style=style, as_json=as_json)
    context.exit(_exit_code(report, rows))


class _Rows:
    """The rows of the input: those that can be judged, and problems printed as they come."""

    def __init__(self, rows: Iterable[ReplyRow | RowProblem]) -> None:
        self._rows = rows
        self.problems = 0

    def tasks(self, rubric: Rubric, persona: str | None, repeats: int) -> Iterator[tuple[int, JudgeTask]]:
        from iamhumans.judges import JudgeTask
        from iamhumans.subjects import RowProblem

        for row in self._rows:
            if isinstance(row, RowProblem):
                self.problems += 1
                warn(f"error: {row}")
                continue
            for repeat in range(1, repeats + 1):
                yield row.row, JudgeTask(rubric, row.case, row.reply, persona=persona, repeat=repeat)


def _rubric(name: str | None, suite: Suite | None) -> Rubric:
    from iamhumans.rubrics import DEFAULT_RUBRIC, load_rubric

    if name is None and suite is not None:
        return load_rubric(suite.rubric, relative_to=suite.path)
    return load_rubric(name or DEFAULT_RUBRIC)


def _warn_of_suite(suite: Suite | None, *, quiet: bool) -> None:
    for finding in suite.findings if suite else ():
        warn(str(finding), quiet=quiet and not finding.error)


def _streamed(judged: Iterable[JudgedRow], output: Path) -> Iterator[JudgedRow]:
    """Write each judgement as it comes."""
    from iamhumans.reports import judged_line

    try:
        file = output.open("w", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"`{output}` cannot be written: {error.strerror}.") from None
    with file:
        for row in judged:
            file.write(json_line(judged_line(row)) + "\n")
            yield row


def _print(report: Report, *, style: str, as_json: bool) -> None:
    if as_json:
        from iamhumans.reports import report_document

        print_json(report_document(report))
    elif style == "md":
        from iamhumans.reports.markdown import markdown_report

        click.echo(markdown_report(report), nl=False)
    else:
        from iamhumans.reports.terminal import print_report

        print_report(report, width=terminal_width())


def _exit_code(report: Report, rows: _Rows) -> Exit:
    summary = report.summary
    if rows.problems:
        return Exit.WRONG_INPUT
    if summary.asked == 0:
        raise CannotRunError("There was no reply to judge.", fix="Is the file empty?")
    if summary.judged == 0:
        return Exit.COULD_NOT_RUN
    return Exit.INCONCLUSIVE if summary.unjudged else Exit.DONE
