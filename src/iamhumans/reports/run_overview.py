"""A run in a few lines: what it asked, how far it is, its figures by subject and judge, and what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from iamhumans.reports.blocks import Block, Heading, Paragraph
from iamhumans.reports.checks import checks_sentence
from iamhumans.reports.figures import NOTHING, rate
from iamhumans.reports.headline import Names, headline_blocks, headline_document, spent_blocks
from iamhumans.reports.report import Report
from iamhumans.runs.journal.queries import GroupSummary, ListFigures, Paid, RunRecord, RunSummary
from iamhumans.runs.journal.spent import Spent
from iamhumans.runs.spending import cost_in_words
from iamhumans.text import one_line


def what_was_asked(run: RunRecord) -> str:
    """What a run asked, in a few words."""
    plan = run.plan
    names = ", ".join(one["name"] for one in plan.get("subjects", ()))
    suite = suite_asked(plan)
    what = f"{suite} answered by {names}" if names else f"replies to {suite}" if suite else "replies"
    judges = ", ".join(judge["name"] for judge in plan.get("judges", ()))
    return one_line(f"{what}, judged by {judges}", 120)


def suite_asked(plan: Mapping[str, Any]) -> str | None:
    """The suite of a plan, and how many of its cases are used where not all are."""
    suite = plan.get("suite")
    if not isinstance(suite, Mapping):
        return suite
    name, count, of = (suite.get(key) for key in ("name", "count", "of"))
    return f"{name} ({count} of {of} cases)" if count != of else name


LIST_HEADS = ("RUN", "DATE (UTC)", "STATUS", "CASES", "JUDGED", "ZERO RATE", "WHAT")


def list_row(run: RunRecord, figures: ListFigures) -> tuple[str, ...]:
    """A run in a list."""
    asked = figures.recorded if run.asked is None else run.asked
    judged = f"{figures.judged} of {asked}"
    zeroed = rate(figures.flagged_rate) if figures.covered else f"{figures.flagged} flagged"
    date = run.created[:16].replace("T", " ")
    return (run.name, date, run.status.value, f"{figures.cases}", judged, zeroed, what_was_asked(run))


def list_document(run: RunRecord, figures: ListFigures) -> dict[str, Any]:
    """A run in a list for programs."""
    zero_rate = figures.flagged_rate if figures.covered else None
    counts = {name: getattr(figures, name) for name in ("cases", "judged", "flagged", "flagged_rate")}
    return {**record_document(run), **counts, "zero_rate": zero_rate}


def record_document(run: RunRecord) -> dict[str, Any]:
    """A run for programs, without its figures."""
    facts = {name: getattr(run, name) for name in ("asked", "created", "ended", "imported")}
    return {"run": run.name, "status": run.status.value, **facts, "plan": dict(run.plan)}


def summary_document(summary: RunSummary, report: Report | None, spent: Sequence[Spent]) -> dict[str, Any]:
    """A run and its figures for programs; without a report, as of a very large run, there is no headline."""
    groups = [
        {**asdict(group), "asked": group.asked, "unjudged": {str(why): n for why, n in group.unjudged.items()}}
        for group in summary.groups
    ]
    counts = {"recorded": summary.recorded, "final": summary.final}
    paid = {"paid": asdict(summary.paid), "spent": [asdict(one) for one in spent]}
    headline = None if report is None else headline_document(report)
    checks = {} if report is None or report.checks is None else {"checks": report.checks.to_dict()}
    return {**record_document(summary.run), **counts, "headline": headline, **checks, "groups": groups, **paid}


def overview_blocks(summary: RunSummary, report: Report | None, spent: Sequence[Spent]) -> list[Block]:
    """A run for people: what it asked, how far it is, the headline of its report or its counts, and what it cost."""
    run = summary.run
    imported = "; some results were imported" if run.imported else ""
    facts = (
        f"started {run.created}, ended {run.ended or NOTHING}{imported}",
        f"{summary.recorded} of {run.asked or '?'} judgements, {summary.final} of them final",
        *(_unjudged(group) for group in summary.groups if group.unjudged),
        _paid_line(summary.paid),
    )
    title = Heading(f"run {run.name}, {run.status.value}: {what_was_asked(run)}", 1)
    headline = map(_counts, summary.groups) if report is None else headline_blocks(report, Names(report))
    checks = [] if report is None or report.checks is None else [Paragraph(checks_sentence(report.checks))]
    return [title, *map(Paragraph, facts), *headline, *checks, *spent_blocks(spent)]


def _counts(group: GroupSummary) -> Block:
    """The counts of one subject under one judge."""
    counts = f"{group.judged:,} of {group.asked:,} judged, {group.zeroed:,} with a hard fail"
    passed = "" if group.passed is None else f", {group.passed:,} pass"
    where = "`iamhumans report` gives rates and means with their intervals."
    return Paragraph(f"{group.subject or NOTHING} by {group.judge}: {counts}{passed}. {where}")


def _unjudged(group: GroupSummary) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in group.unjudged.items())
    return f"{group.subject or NOTHING} by {group.judge}: unjudged {reasons}"


def _paid_line(paid: Paid) -> str:
    cost = cost_in_words(paid.cost, at_least=paid.at_least)
    tokens = f"{paid.prompt_tokens:,} prompt tokens ({paid.cached_tokens:,} cached)"
    completion = f"{paid.completion_tokens:,} completion tokens"
    return f"{paid.calls} calls ({paid.failed} failed), {tokens}, {completion}, cost {cost}"
