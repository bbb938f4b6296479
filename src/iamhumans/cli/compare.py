"""``iamhumans compare``: whether it got better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import common_options, print_blocks, print_json, tell
from iamhumans.cli.working import Work, budget_of, do, open_journal, print_outlook, work_options
from iamhumans.errors import CannotRunError, CommandError, Exit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from iamhumans.decisions.compare import Comparison
    from iamhumans.decisions.side_by_side import Question, SideBySide
    from iamhumans.runs import Ended, Job, Journal, Outlook
    from iamhumans.verdicts import Unjudged


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

    A run is named by its name, a beginning of it, or `last`; RUN:SUBJECT picks one subject where a run holds several.

    With --judge, the judge also sees both replies of each case, blind and in both orders, and says which it would
    rather have got from a person. Where mean totals sit near the ceiling, this can still tell two skills apart.

    Exits with 3 where some pairs are unjudged, with 4 where all are or the work was stopped.
    """
    from iamhumans.decisions.compare import compare as compare_runs
    from iamhumans.decisions.compare import with_texts
    from iamhumans.decisions.outcomes import outcomes_of
    from iamhumans.reports.comparison import comparison_blocks, comparison_document
    from iamhumans.reports.side_by_side import side_by_side_blocks, side_by_side_document
    from iamhumans.runs.named import find_run

    if judge_name is None and work.dry_run:
        raise CommandError("There is nothing to ask without --judge.", fix="Leave --dry-run out.")
    if judge_name is None and work.fresh:
        raise CommandError("There is nothing to ask without --judge.", fix="Remove --fresh.")
    with open_journal(work.db) as journal:
        (first, subject_a), (second, subject_b) = find_run(journal, run_a), find_run(journal, run_b)
        a = outcomes_of(journal, first, subject=subject_a)
        b = outcomes_of(journal, second, subject=subject_b, beside=a)
        found = with_texts(compare_runs(a, b, across=across), journal)
        beside, stopped = None, None
        if judge_name is not None:
            asking = _Asking(journal, found, judge_name, work)
            if work.dry_run:
                print_outlook(asking.outlook(), as_json=as_json)
                return
            beside, stopped = asking.ask()
    if as_json:
        more = {"side_by_side": side_by_side_document(beside)} if beside else {}
        print_json({**comparison_document(found), **more})
    else:
        print_blocks([*comparison_blocks(found), *(side_by_side_blocks(beside) if beside else ())], style)
    if beside is not None:
        context.exit(_ending(beside, stopped))


def _ending(beside: SideBySide, stopped: Unjudged | None) -> Exit:
    if stopped is not None:
        tell(f"error: {stopped.detail}. Give the same command again to go on where it stopped.")
        return Exit.COULD_NOT_RUN
    if beside.unjudged == len(beside.chosen):
        first = beside.chosen[0].settled.unjudged
        tell(
            f"error: No pair was judged. {first.reason.value}: {first.detail}"
            if first
            else "error: No pair was judged."
        )
        return Exit.COULD_NOT_RUN
    return Exit.INCONCLUSIVE if beside.unjudged else Exit.DONE


class _Asking:
    """Has a judge choose between the replies of two runs."""

    def __init__(self, journal: Journal, found: Comparison, judge_name: str, work: Work) -> None:
        from iamhumans.decisions.side_by_side import current_questions, pairs_of, persona_of, questions
        from iamhumans.judges import open_preference_judge
        from iamhumans.models import open_model
        from iamhumans.runs.opening import NotingModel, open_config

        self.journal, self.judge_name, self.work = journal, judge_name, work
        judge = open_preference_judge(judge_name, found.a.rubric)
        self.model = NotingModel(open_model(judge_name, open_config(work.config))) if judge.asks_model else None
        self.persona = persona_of(journal, found.a, found.b)
        pairs, self.left_out = pairs_of(journal, found.a, found.b)
        if not pairs:
            raise CannotRunError(
                "There is no pair of replies to show to the judge.",
                fix="Held-out cases, cases that changed, and turns that a subject answered itself are left out.",
            )

        def ask(salt: str) -> list[Question]:
            return list(questions(pairs, judge, self.model, journal.secret, self.persona, salt=salt))

        self.asked = current_questions(journal, ask, fresh=work.fresh)

    @property
    def _jobs(self) -> Iterator[Job[Any]]:
        return (job for question in self.asked for job in question.jobs)

    def outlook(self) -> Outlook:
        """What it would come to."""
        from iamhumans.runs import look_ahead

        return look_ahead(self._jobs, self.journal)

    def ask(self) -> tuple[SideBySide, Unjudged | None]:
        """What the judge chose, and why the work ended early, if it did."""
        from iamhumans.decisions.side_by_side import side_by_side
        from iamhumans.prompts import side_by_side_hash, side_by_side_text
        from iamhumans.runs import Text, content_hash
        from iamhumans.verdicts import Unjudged

        models = [self.model] if self.model is not None else []
        budget_of(self.work).require_prices(one.identity for one in models)
        texts = [Text("prompt", side_by_side_hash(), side_by_side_text())] if models else []
        if self.persona is not None:
            texts.append(Text("persona", content_hash(self.persona), self.persona))
        self.journal.keep_texts(texts)
        failures: dict[str, Unjudged] = {}

        def note(ended: Ended[Any]) -> None:
            if isinstance(ended.outcome, Unjudged):
                failures[ended.job.entry.key] = ended.outcome

        driven = do(self.journal, None, self._jobs, models, self.work, on_ended=note)
        return side_by_side(self.journal, self.asked, self.judge_name, failures, self.left_out), driven.stopped
