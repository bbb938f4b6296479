"""Which earlier runs are independent tries of the same thing."""

from typing import NamedTuple

from iamhumans.decisions.compare import differences_of_plans
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord, RunStatus


class Counted(NamedTuple):
    """A run and the earlier ones that count with it, the newest first."""

    runs: tuple[RunRecord, ...]
    sharing: int
    """How many others were left out since they share a reply or a judgement with these."""


def independent_runs(journal: Journal, run: RunRecord, demanded: int, *, without: RunRecord | None = None) -> Counted:
    """A run, and finished earlier runs of the same suite, rubric and subject that were judged the same way.

    A run that shares a reply or a judgement with one that counts is left out, and so is the baseline (``without``).
    """
    found, sharing = [run], 0
    for other in journal.runs():
        if len(found) >= demanded:
            break
        left_out = other.id >= run.id or other.status is not RunStatus.FINISHED or (without and other.id == without.id)
        if left_out or not _asks_the_same(other, run, journal):
            continue
        if any(journal.share_anything(other, one) for one in found):
            sharing += 1
        else:
            found.append(other)
    return Counted(tuple(found), sharing)


def _asks_the_same(one: RunRecord, other: RunRecord, journal: Journal) -> bool:
    same = all(one.plan.get(key) == other.plan.get(key) for key in ("suite", "subjects", "replies"))
    if not same or differences_of_plans(one.plan, other.plan):
        return False
    # The plan of `judge` names neither subjects nor cases, so they are compared.
    subjects = [{group.subject for group in journal.summary(run).groups} for run in (one, other)]
    return "subjects" in one.plan or (
        subjects[0] == subjects[1] and journal.case_facts(one) == journal.case_facts(other)
    )
