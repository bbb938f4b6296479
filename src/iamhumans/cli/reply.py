"""``iamhumans reply``: draws replies and judges nothing."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, common_options, json_line, print_json, tell
from iamhumans.cli.working import (
    Work,
    do,
    every_case_of,
    open_journal,
    print_outlook,
    suite_without_holdout,
    work_options,
)
from iamhumans.errors import CommandError, Exit

if TYPE_CHECKING:
    from iamhumans.cases import Case
    from iamhumans.runs import Ended, Journal, Replied
    from iamhumans.runs.plan import Planner
    from iamhumans.verdicts import Unjudged


_MOST_FAILURES = 20


@click.command()
@click.argument("suite_name", metavar="SUITE")
@click.option("--subject", "subject_name", required=True, help="The model that replies, or recorded/PATH.")
@click.option("--skill", "skill_file", type=FILE, help="The system prompt under test.")
@click.option("--replies", type=click.IntRange(1, 1000), default=1, show_default=True, help="Replies to each case.")
@click.option("-o", "--output", type=FILE, help="Write the replies into this JSON Lines file.")
@work_options
@common_options
@click.pass_context
def reply(
    context: click.Context,
    suite_name: str,
    subject_name: str,
    skill_file: Path | None,
    replies: int,
    output: Path | None,
    as_json: bool,
    work: Work,
) -> None:
    """Draw replies to the cases of SUITE and print them as JSON Lines, which `iamhumans judge` takes.

    Exits with 3 where some replies could not be had, with 4 where none could, with 2 where a case could not be read.
    """
    from iamhumans.runs import look_ahead
    from iamhumans.runs.opening import open_config, open_drawing
    from iamhumans.runs.plan import Place, Planner
    from iamhumans.verdicts import Unjudged

    suite = suite_without_holdout(suite_name)
    if work.fresh:
        raise CommandError("`reply` makes no run.", fix="Draw more with --replies, or use another journal with --db.")
    if not suite.cases:
        raise CommandError(f"There is no case to reply to in {suite.name}.", fix="Is every case held out or refused?")
    whole = every_case_of(suite_name)
    drawing = open_drawing(subject_name, skill_file, lambda: open_config(work.config), replies=replies, suite=whole)
    with open_journal(work.db) as journal:
        planner = Planner(Place(journal.secret), None, drawing)
        if work.dry_run:
            print_outlook(look_ahead(planner.for_cases(suite.cases), journal), as_json=as_json)
            return
        journal.keep_texts(drawing.texts())
        missing: Counter[Unjudged] = Counter()

        def note_failure(ended: Ended[Replied]) -> None:
            if isinstance(ended.outcome, Unjudged):
                missing[ended.outcome] += 1

        jobs = planner.for_cases(suite.cases)
        driven = do(journal, None, jobs, drawing.models, work, on_ended=note_failure)
        lines = _lines(journal, planner, suite.cases)
        written = _write(lines, output, as_json=as_json)
    if driven.stopped is not None and written < len(suite.cases) * replies:
        tell(f"error: {driven.stopped.detail}. Give the same command again to go on where it stopped.")
        context.exit(Exit.COULD_NOT_RUN)
    for failure, count in missing.most_common(_MOST_FAILURES):
        tell(f"error: {count} {'reply' if count == 1 else 'replies'} could not be had: {_told(failure)}")
    if suite.errors:
        context.exit(Exit.WRONG_INPUT)
    if missing:
        context.exit(Exit.INCONCLUSIVE if written else Exit.COULD_NOT_RUN)


def _told(failure: Unjudged) -> str:
    return f"{failure.reason.value}: {failure.detail}"


def _lines(journal: Journal, planner: Planner, cases: tuple[Case, ...]) -> Iterator[dict[str, Any]]:
    """The replies that there are, in the order of the cases, from the journal."""
    from iamhumans.runs import Replied, ReplyEntry

    for job in planner.for_cases(cases):
        entry = job.entry
        outcome = journal.find(entry)
        if not isinstance(entry, ReplyEntry) or not isinstance(outcome, Replied):
            continue
        line: dict[str, Any] = {
            "case_id": entry.case_id,
            "reply": outcome.text,
            "subject": entry.subject,
            "number": entry.number,
        }
        if outcome.conversation:
            line["conversation"] = [{"role": turn.speaker, "content": turn.text} for turn in outcome.conversation]
        yield line


def _write(lines: Iterator[dict[str, Any]], output: Path | None, *, as_json: bool) -> int:
    if as_json:
        found = list(lines)
        print_json({"replies": found})
        return len(found)
    if output is None:
        return _write_to(sys.stdout, lines)
    try:
        with output.open("w", encoding="utf-8") as file:
            return _write_to(file, lines)
    except OSError as error:
        raise CommandError(f"`{output}` cannot be written: {error.strerror}.") from None


def _write_to(file: IO[str], lines: Iterator[dict[str, Any]]) -> int:
    count = 0
    for line in lines:
        file.write(json_line(line) + "\n")
        count += 1
    return count
