"""A run in a few lines: what it asked, how far it is, its figures by subject and judge, and what it cost."""

from dataclasses import asdict
from typing import Any

from iamhumans.reports.figures import NOTHING
from iamhumans.runs.journal.queries import GroupSummary, Paid, RunRecord, RunSummary
from iamhumans.runs.spending import cost_in_words
from iamhumans.text import one_line


def what_was_asked(run: RunRecord) -> str:
    """What a run asked, in a few words."""
    plan = run.plan
    names = ", ".join(one["name"] for one in plan.get("subjects", ()))
    suite = plan["suite"]["name"] if isinstance(plan.get("suite"), dict) else plan.get("suite")
    what = f"{suite} answered by {names}" if names else f"replies to {suite}" if suite else "replies"
    judges = ", ".join(judge["name"] for judge in plan.get("judges", ()))
    return one_line(f"{what}, judged by {judges}", 120)


def list_line(run: RunRecord) -> str:
    """A run in one line of a list."""
    return f"{run.name}  {run.created[:16].replace('T', ' ')}  {run.status.value:<10}  {what_was_asked(run)}"


def record_document(run: RunRecord) -> dict[str, Any]:
    """A run for programs, without its figures."""
    facts = {name: getattr(run, name) for name in ("asked", "created", "ended", "imported")}
    return {"run": run.name, "status": run.status.value, **facts, "plan": dict(run.plan)}


def summary_document(summary: RunSummary) -> dict[str, Any]:
    """A run and its figures for programs."""
    groups = [
        {**asdict(group), "asked": group.asked, "unjudged": {str(why): n for why, n in group.unjudged.items()}}
        for group in summary.groups
    ]
    counts = {"recorded": summary.recorded, "final": summary.final}
    return {**record_document(summary.run), **counts, "groups": groups, "paid": asdict(summary.paid)}


def summary_lines(summary: RunSummary) -> list[str]:
    """A run and its figures for people."""
    run = summary.run
    imported = "; some results were imported" if run.imported else ""
    return [
        f"run {run.name}, {run.status.value}: {what_was_asked(run)}",
        f"started {run.created}, ended {run.ended or NOTHING}{imported}",
        f"{summary.recorded} of {run.asked or '?'} judgements, {summary.final} of them final",
        *map(_group_line, summary.groups),
        _paid_line(summary.paid),
    ]


def _group_line(group: GroupSummary) -> str:
    mean = NOTHING if group.mean_total is None else f"{group.mean_total:.1f}"
    unjudged = "".join(f", {count} {reason}" for reason, count in group.unjudged.items())
    counts = f"{group.judged} of {group.asked} judged, {group.zeroed} zeroed, {group.passed} pass"
    return one_line(f"  {group.subject or NOTHING} by {group.judge}: {counts}, mean total {mean}{unjudged}")


def _paid_line(paid: Paid) -> str:
    cost = cost_in_words(paid.cost, at_least=paid.at_least)
    tokens = f"{paid.prompt_tokens:,} prompt tokens ({paid.cached_tokens:,} cached)"
    completion = f"{paid.completion_tokens:,} completion tokens"
    return f"{paid.calls} calls ({paid.failed} failed), {tokens}, {completion}, cost {cost}"
