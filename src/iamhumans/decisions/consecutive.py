"""Which runs are further tries of the same thing, so that each tells something of its own."""

from __future__ import annotations

from dataclasses import dataclass

from iamhumans.decisions.compare import differences_of_plans
from iamhumans.runs import Journal, Run, RunStatus


@dataclass(frozen=True, slots=True)
class Counted:
    """A run and the ones before it that count with it."""

    runs: tuple[Run, ...]
    """The newest first."""
    sharing: int
    """How many more there are of the same that share a reply or a judgement with these."""


def independent_runs(journal: Journal, run: Run, wanted: int, *, without: Run | None = None) -> Counted:
    """A run and the finished ones before it of the same suite, rubric and subject, judged the same way.

    One that shares a reply or a judgement with one that is counted already is no further try, and is passed over.

    Args:
        journal: Where they are.
        run: The newest.
        wanted: How many to look for.
        without: A run that is not to be counted: the baseline.
    """
    found, sharing = [run], 0
    for other in journal.runs():
        if len(found) >= wanted:
            break
        if other.id >= run.id or other.status is not RunStatus.FINISHED:
            continue
        if (without is not None and other.id == without.id) or not _asks_the_same(other, run, journal):
            continue
        if any(journal.share_anything(other, one) for one in found):
            sharing += 1
        else:
            found.append(other)
    return Counted(tuple(found), sharing)


def _asks_the_same(one: Run, other: Run, journal: Journal) -> bool:
    if any(one.plan.get(key) != other.plan.get(key) for key in ("suite", "subject", "skill")):
        return False
    if differences_of_plans(one.plan, other.plan):
        return False
    if "subject" in one.plan:
        return True
    # The plan of `judge` names neither the subject nor the cases; its rows do.
    subjects = [{group.subject for group in journal.summary(run).groups} for run in (one, other)]
    return subjects[0] == subjects[1] and journal.cases(one) == journal.cases(other)
