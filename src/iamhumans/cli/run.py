"""``iamhumans run``: draws replies and judges them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import FILE, STYLES, common_options, holdout_options, work_options
from iamhumans.cli.output import ending, print_estimate, print_report, report_findings, warn
from iamhumans.cli.work import journal_at, watched
from iamhumans.errors import Exit


@click.command()
@click.argument("suite_name", metavar="SUITE")
@click.option("--subject", "subjects", multiple=True, required=True, help="A model, or recorded/PATH; repeatable.")
@click.option("--skill", "skills", type=FILE, multiple=True, help="The file with the system prompt; repeatable.")
@click.option("--persona", type=FILE, help="What is true of the character that the skill plays.")
@click.option("--rubric", help="A bundled rubric or a file. Default: the suite's.")
@click.option("--judge", "judges", multiple=True, help="rules (the default), or a model; repeatable.")
@click.option("--template", type=FILE, help="A prompt template of your own.")
@click.option("--replies", type=click.IntRange(1, 1000), default=1, show_default=True, help="Replies to each case.")
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, help="Judgements of each reply.")
@click.option("--min-judged", type=click.FloatRange(0, 1), help="Exit with 3 if a smaller share is judged.")
@click.option("--format", "style", type=STYLES, default="terminal", help="How to print.")
@holdout_options
@work_options
@common_options
@click.pass_context
def run(
    context: click.Context,
    /,
    suite_name: str,
    subjects: tuple[str, ...],
    skills: tuple[Path, ...],
    judges: tuple[str, ...],
    min_judged: float | None,
    style: str,
    as_json: bool,
    dry_run: bool,
    db: Path | None,
    holdout_reason: str | None,
    work: dict[str, Any],
    **judging: Any,
) -> None:
    """Draw replies to the cases of SUITE, judge them, and print the report.

    Several subjects and skills give a grid in one report. Held-out cases are left out; with --holdout only they are
    used, and the use is logged in the suite's ledger first.

    Everything that was paid for is in the journal. Run the same command again to resume, or to print a finished run.

    Exits with 2 if a case cannot be read, with 4 if nothing is judged or the work was stopped.
    """
    from iamhumans.api.loop import run_sync
    from iamhumans.api.running import arun, estimate_run
    from iamhumans.cases import load_suite

<<<<<<< HEAD
=======
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
>>>>>>> wt-cases
    suite = load_suite(suite_name)
    report_findings(suite)
    options: dict[str, Any] = {
        "subject": list(subjects),
        "skill": list(skills) or None,
        "judge": list(judges) or ["rules"],
        "holdout_reason": holdout_reason,
        **judging,
    }
<<<<<<< HEAD
    if dry_run:
        with journal_at(db, write=True) as journal:
            print_estimate(estimate_run(suite, journal=journal.core, **options, **work), as_json=as_json)
        return
    with journal_at(db, write=True) as journal, watched(work) as watching:
        done = run_sync(arun(suite, journal=journal, **options, **watching))
        for warning in done.all_warnings():
            warn(warning)
        # The use is logged already; showing what came of it is part of it.
        print_report(done, "json" if as_json else style, None)
        code = ending(done, fresh=bool(work.get("fresh")), min_judged=min_judged)
        context.exit(Exit.WRONG_INPUT if suite.errors and code is Exit.DONE else code)
=======
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
>>>>>>> wt-cases
