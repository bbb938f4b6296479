"""``iamhumans run``: draws replies and judges them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, STYLES, common_options, print_report_as, warn
from iamhumans.cli.working import (
    Work,
    budget_of,
    do,
    every_case_of,
    exit_code,
    open_journal,
    print_outlook,
    rubric_for,
    salt_of,
    suite_without_holdout,
    tell_findings,
    work_options,
)
from iamhumans.errors import CommandError

if TYPE_CHECKING:
    from iamhumans.cases import Suite
    from iamhumans.reports import Report
    from iamhumans.runs import Journal, Run
    from iamhumans.runs.drive import Driven
    from iamhumans.runs.plan import Drawing, Judging


@click.command()
@click.argument("suite_name", metavar="SUITE")
@click.option("--subject", "subject_name", required=True, help="The model whose replies are judged, or recorded/PATH.")
@click.option("--skill", "skill_file", type=FILE, help="The system prompt under test.")
@click.option("--persona", "persona_file", type=FILE, help="What is true of the speaker that the skill plays.")
@click.option("--rubric", "rubric_name", help="A bundled rubric or a file; the suite's own if not given.")
@click.option(
    "--judge", "judge_names", multiple=True, help="rules (the default), or a model; may be given several times."
)
@click.option("--template", "template_file", type=FILE, help="A prompt template of your own.")
@click.option("--replies", type=click.IntRange(1, 1000), default=1, show_default=True, help="Replies to each case.")
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, help="Judgements of each reply.")
@click.option("--holdout", is_flag=True, help="Use the held-out cases, and only these; with --reason.")
@click.option("--reason", default="", help="Why held-out cases are used; goes into the suite's ledger.")
@click.option("--format", "style", type=click.Choice(STYLES), default="terminal", help="How to print.")
@work_options
@common_options
@click.pass_context
def run(
    context: click.Context,
    suite_name: str,
    subject_name: str,
    skill_file: Path | None,
    persona_file: Path | None,
    rubric_name: str | None,
    judge_names: tuple[str, ...],
    template_file: Path | None,
    replies: int,
    repeats: int,
    holdout: bool,
    reason: str,
    style: str,
    as_json: bool,
    work: Work,
) -> None:
    """Draw replies to the cases of SUITE, judge them, and print the report.

    Held-out cases are left out, or with --holdout are the only ones; then the suite must be sealed, and the use is
    written into its ledger before anybody is asked.

    Everything that was paid for is kept in the journal: the same command goes on where it stopped, and prints a
    finished run again without asking anybody.

    Exits with 3 where some replies are unjudged, with 4 where all are or the work was stopped, with 2 where a case
    could not be read.
    """
    from iamhumans.prompts import Template
    from iamhumans.runs.opening import open_config, open_drawing, open_seats
    from iamhumans.runs.plan import Judging
    from iamhumans.text import read_text

    held_out = _held_out(suite_name, holdout=holdout, reason=reason)
    suite = held_out.cases() if held_out else suite_without_holdout(suite_name)
    if not suite.cases:
        raise CommandError(f"There is no case to run in {suite.name}.", fix="Is every case held out or refused?")
    config = cache(lambda: open_config(work.config))
    drawing = open_drawing(subject_name, skill_file, config, replies=replies, suite=every_case_of(suite_name))
    template = Template(read_text(template_file), template_file) if template_file else None
    judging = Judging(
        rubric=rubric_for(rubric_name, suite),
        seats=open_seats(judge_names or ("rules",), config, template=template, repeats=repeats),
        repeats=repeats,
        persona=read_text(persona_file) if persona_file else None,
        template=template,
    )
    with open_journal(work.db) as journal:
        done = _run(journal, suite, drawing, judging, work, held_out, as_json=as_json)
        if done is None:
            return
        report, driven = done
        print_report_as(report, "json" if as_json else style, journal)
        context.exit(exit_code(report, driven, wrong_rows=len(suite.errors)))


@dataclass(frozen=True, slots=True)
class _HeldOut:
    """The suite whose held-out cases are used, and why."""

    suite: Suite
    reason: str

    def cases(self) -> Suite:
        """The held-out cases alone."""
        return self.suite.only_held_out()

    def begin(self, run: Run, plan: Mapping[str, Any]) -> None:
        """Record the use."""
        from iamhumans.cases import record_use
        from iamhumans.runs import RunStatus
        from iamhumans.runs.plan import digest_of

        variant = digest_of([str(plan["subject"]["settings"]), str(plan.get("skill"))])
        cases = self.cases().by_id
        output = "report" if run.status is RunStatus.FINISHED else "run"
        subject = plan["subject"]["name"]
        about = {"output": output, "run": run.name, "subject": subject, "variant": variant}
        record_use(self.suite, reason=self.reason, cases=cases, **about)


def _held_out(suite_name: str, *, holdout: bool, reason: str) -> _HeldOut | None:
    from iamhumans.cases import check_use, load_suite

    if not holdout:
        if reason:
            raise CommandError("--reason is for held-out cases.", fix="Add --holdout, or leave it out.")
        return None
    suite = load_suite(suite_name)
    tell_findings(suite)
    check_use(suite, reason)
    return _HeldOut(suite, reason)


def _end_use(suite: Suite, report: Report, *, run: str, finished: bool) -> None:
    from iamhumans.cases import Result, record_result

    figures = report.summary
    result = Result(
        asked=figures.asked,
        judged=figures.judged,
        zero_rate=figures.zero_rate,
        mean_of_rest=figures.mean_of_rest,
        pass_rate=figures.pass_rate,
    )
    record_result(suite, run=run, result=result, finished=finished)


def _run(
    journal: Journal,
    suite: Suite,
    drawing: Drawing,
    judging: Judging,
    work: Work,
    held_out: _HeldOut | None,
    *,
    as_json: bool,
) -> tuple[Report, Driven | None] | None:
    """Work the run off, or what is left of it; ``None`` after a dry run."""
    from iamhumans.decisions.families import kinships
    from iamhumans.reports import Report
    from iamhumans.runs import RunStatus, look_ahead
    from iamhumans.runs.plan import Place, Planner, digest_of
    from iamhumans.runs.rows import RunRows

    plan = {
        "command": "run",
        "suite": {"name": suite.name, "cases": digest_of(case.hash for case in suite.cases)},
        **drawing.described(),
        **judging.described(),
    }
    if work.dry_run:
        planner = Planner(Place(journal.secret, salt=salt_of(journal, plan, fresh=work.fresh)), judging, drawing)
        print_outlook(look_ahead(planner.expected(suite.cases, journal.find), journal), as_json=as_json)
        return None
    models = [*drawing.models, *judging.models]
    # Before the run is begun: a refusal leaves nothing behind.
    budget_of(work).require_prices(model.identity for model in models)
    asked = len(suite.cases) * drawing.replies * judging.judgements
    begun = journal.begin_run(plan, asked=asked, fresh=work.fresh)
    if held_out is not None:
        held_out.begin(begun, plan)
    driven = None
    was_finished = begun.status is RunStatus.FINISHED
    if begun.status is not RunStatus.FINISHED:
        journal.keep_texts([*drawing.texts(), *judging.texts()])
        planner = Planner(Place(journal.secret, begun.id, begun.salt), judging, drawing)
        driven = do(journal, begun, planner.for_cases(suite.cases), models, work)
        begun = journal.end_run(begun, asked=asked, stopped=driven.stopped is not None)
        if begun.status is RunStatus.FINISHED:
            driven = None  # It may have been stopped when all was done.
    for kinship in kinships(plan):
        warn(str(kinship))
    what = f"{'Held-out cases of ' if held_out else ''}{suite.name}"
    title = f"{what} answered by {drawing.subject.name}, run {begun.name}"
    report = Report(title, judging.rubric, RunRows(journal, begun, journal.titles(begun)), begun.name)
    if held_out is not None and not was_finished:
        _end_use(held_out.suite, report, run=begun.name, finished=begun.status is RunStatus.FINISHED)
    return report, driven
