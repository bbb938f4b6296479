"""``iamhumans compare``: whether it got better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import common_options, print_json
from iamhumans.cli.working import Work, budget_of, do, open_journal, work_options
from iamhumans.errors import CommandError, Exit

if TYPE_CHECKING:
    from iamhumans.decisions.outcomes import RunOutcomes
    from iamhumans.decisions.side_by_side import SideBySide
    from iamhumans.runs import Ended, Journal, Run


@click.command()
@click.argument("run_a", metavar="RUN_A")
@click.argument("run_b", metavar="RUN_B")
@click.option("--across", is_flag=True, help="Compare although the runs were judged differently.")
@click.option("--judge", "judge_name", help="Have this judge choose between the replies: a model, or rules.")
@click.option("--format", "style", type=click.Choice(["terminal", "md"]), default="terminal", help="How to print.")
@work_options
@common_options
@click.pass_context
def compare(
    context: click.Context,
    run_a: str,
    run_b: str,
    across: bool,
    judge_name: str | None,
    style: str,
    as_json: bool,
    work: Work,
) -> None:
    """Compare RUN_B with RUN_A, case by case: what changed, what of that may be chance, what could have shown.

    With --judge, the judge also sees both replies of each case, blind and in both orders, and says which it would
    rather have got from a person. Where mean totals sit near the ceiling, this can still tell two skills apart.

    Exits with 3 where some pairs are unjudged, with 4 where the work was stopped.
    """
    from iamhumans.decisions.compare import compare as compare_runs
    from iamhumans.decisions.outcomes import outcomes_of
    from iamhumans.reports.decisions import comparison_document, comparison_lines, comparison_markdown
    from iamhumans.reports.preferences import side_by_side_document, side_by_side_lines, side_by_side_markdown

    if judge_name is None and (work.dry_run or work.fresh):
        raise CommandError("There is nothing to ask without --judge.", fix="Leave --dry-run and --fresh out.")
    if work.fresh:
        raise CommandError("A choice between two replies is not asked twice.", fix="Leave --fresh out.")
    with open_journal(work.db) as journal:
        before, after = journal.run(run_a), journal.run(run_b)
        found = compare_runs(outcomes_of(journal, before), outcomes_of(journal, after), across=across)
        beside = None
        if judge_name is not None:
            beside = _side_by_side(context, journal, (before, after), found.a, judge_name, work, as_json=as_json)
    if as_json:
        more = {"side_by_side": side_by_side_document(beside)} if beside else {}
        print_json({**comparison_document(found), **more})
    elif style == "md":
        click.echo(comparison_markdown(found) + (side_by_side_markdown(beside) if beside else ""), nl=False)
    else:
        lines = [*comparison_lines(found), *(side_by_side_lines(beside) if beside else ())]
        click.echo("\n".join(lines))
    if beside is not None and beside.unjudged:
        context.exit(Exit.INCONCLUSIVE)


def _side_by_side(
    context: click.Context,
    journal: Journal,
    runs: tuple[Run, Run],
    first: RunOutcomes,
    judge_name: str,
    work: Work,
    *,
    as_json: bool,
) -> SideBySide:
    """Have a judge choose, and read what it chose."""
    from iamhumans.cli.working import print_outlook
    from iamhumans.decisions.side_by_side import pairs_of, questions, side_by_side
    from iamhumans.judges import open_preference_judge
    from iamhumans.models import open_model
    from iamhumans.prompts import side_by_side_hash, side_by_side_text
    from iamhumans.runs import Text, look_ahead
    from iamhumans.runs.opening import open_config
    from iamhumans.verdicts import Unjudged

    judge = open_preference_judge(judge_name, first.rubric)
    model = open_model(judge_name, open_config(work.config)) if judge.asks_model else None
    asked = list(questions(pairs_of(journal, *runs), judge, model, journal.secret))
    jobs = [job for question in asked for job in question.jobs]
    if work.dry_run:
        print_outlook(look_ahead(jobs, journal), as_json=as_json)
        context.exit(Exit.DONE)
    models = [model] if model is not None else []
    budget_of(work).require_prices(one.identity for one in models)
    journal.keep_texts([Text("prompt", side_by_side_hash(), side_by_side_text())] if models else [])
    failures: dict[str, Unjudged] = {}

    def note(ended: Ended[Any]) -> None:
        if isinstance(ended.outcome, Unjudged):
            failures[ended.job.entry.key] = ended.outcome

    driven = do(journal, None, jobs, models, work, on_ended=note)
    if driven.stopped is not None:
        from iamhumans.cli.options import tell

        tell(f"error: {driven.stopped.detail}. Give the same command again to go on where it stopped.")
        context.exit(Exit.COULD_NOT_RUN)
    return side_by_side(journal, asked, judge_name, failures)
