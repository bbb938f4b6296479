"""All replies that the journal has for one question, pooled by case, in the order in which the cases entered.

1. A case enters once, with its id. More replies to it are pooled with those that it has, and never make a new case.
2. The journal keeps with which run each case entered, since those replies alone nobody could ask for again because of
   what they were.
3. A case enters with a run that is finished, or when it was its turn, in an order that no result can change.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from iamhumans.decisions.outcomes import RunOutcomes, outcomes_of
from iamhumans.decisions.panel import Combined, PanelReply
from iamhumans.decisions.questions import runs_with
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.looks import SeenCase
from iamhumans.runs.journal.queries import CaseFacts, RunRecord, RunStatus
from iamhumans.runs.plan import digest_of

_Unit = tuple[str, str]
"""A judged reply: its key, and the salt of the run that judged it."""


@dataclass(frozen=True)
class Pool:
    """The pooled replies.

    Attributes:
        run: The run that is gated, with the replies of all; ``asked`` counts those of the cases that entered.
        entry: Of these the replies with which their cases entered, in the same order.
        seen: The cases in their order of entry.
        suite_hash: The hash of these cases.
        data: The hash of all results.
        runs: The names of the runs that were pooled, the oldest first.
        waiting: How many cases of runs that are not finished have not entered.
        lost: How many cases have fewer replies than at an earlier look.
    """

    run: RunOutcomes
    entry: tuple[PanelReply, ...]
    seen: tuple[SeenCase, ...]
    suite_hash: str
    data: str
    runs: tuple[str, ...]
    waiting: int
    lost: int


@dataclass(frozen=True, slots=True)
class _Units:
    """The judged replies of one case, by their key and the salt of the run that judged them, in each run."""

    by_run: dict[str, dict[_Unit, PanelReply]] = field(default_factory=dict)

    @property
    def all(self) -> dict[_Unit, PanelReply]:
        """Each of them once, the oldest first."""
        return {key: one for units in self.by_run.values() for key, one in units.items()}


def seeded_order(ids: Iterable[str], suite_hash: str) -> list[str]:
    """The cases of a suite in a random order that follows from its hash."""
    return sorted(ids, key=lambda case_id: sha256(f"{suite_hash} {case_id}".encode("utf-8", "surrogatepass")).digest())


def suite_hash_of(cases: Iterable[tuple[str, str]]) -> str:
    """The hash of a suite: of the ids and the hashes of its cases, in any order."""
    return digest_of(f"{case_id} {case_hash}" for case_id, case_hash in sorted(cases))


def pool(
    journal: Journal,
    run: RunRecord,
    subject: str | None,
    *,
    before: Sequence[SeenCase] = (),
    entering: Sequence[str] = (),
) -> Pool:
    """Pool the replies of all runs that ask the same as this one.

    ``before`` are the cases of the last look; ``entering`` are cases whose turn it is now.

    Raises:
        CannotRunError: The rubric of a run is not in the journal.
        CommandError: The run has no reply of the subject.
    """
    gated = outcomes_of(journal, run, subject=subject)
    admitted = dict.fromkeys((*(one.case_id for one in before), *entering))
    units: dict[str, _Units] = {}
    facts: dict[str, CaseFacts] = {}
    runs: dict[str, RunOutcomes] = {}
    for record, own in runs_with(journal, run, subject):
        found = gated if record.id == run.id else outcomes_of(journal, record, subject=own)
        runs[found.name] = found
        facts |= found.cases
        for reply in found.replies:
            of_run = units.setdefault(reply.case_id, _Units()).by_run.setdefault(found.name, {})
            of_run[reply.key, record.salt] = reply
        if record.status is RunStatus.FINISHED:
            # A case that a finished run has enters with the first run that has it, finished or not.
            admitted |= dict.fromkeys(sorted({reply.case_id for reply in found.replies} - admitted.keys()))
    entered = {name: one for name, one in units.items() if name in admitted}
    first = dict.fromkeys(one for one in (*(seen.case_id for seen in before), *entering) if one in entered)
    suite_hash = suite_hash_of((name, facts[name].hash if name in facts else "") for name in entered)
    order = [*first, *seeded_order(entered.keys() - first.keys(), suite_hash)]
    return _pooled(gated, {name: entered[name] for name in order}, before, runs, len(units) - len(entered), suite_hash)


def _pooled(
    gated: RunOutcomes,
    units: Mapping[str, _Units],
    before: Sequence[SeenCase],
    runs: Mapping[str, RunOutcomes],
    waiting: int,
    suite_hash: str,
) -> Pool:
    known = {one.case_id: one.run_name for one in before}
    entry_runs = {name: _entry_run(one, known.get(name)) for name, one in units.items()}
    replies = tuple(reply for one in units.values() for reply in one.all.values())
    used = [name for name in runs if any(name in one.by_run for one in units.values())]
    cases = {name: facts for one in runs.values() for name, facts in one.cases.items()}
    count = len(replies)
    counts: Any = {"asked": count, "judgements": count, "judgements_asked": count}
    status = RunStatus.FINISHED if units else gated.status
    imported = gated.imported or any(runs[name].imported for name in used)
    states = (
        f"{name} {key} {salt} {'judged' if isinstance(reply.combined, Combined) else reply.combined.reason.value}"
        for name, one in units.items()
        for (key, salt), reply in sorted(one.all.items(), key=lambda item: item[0])
    )
    return Pool(
        run=replace(gated, replies=replies, cases=cases, status=status, imported=imported, **counts),
        entry=tuple(reply for name, one in units.items() for reply in one.by_run[entry_runs[name]].values()),
        seen=tuple(SeenCase(name, len(one.all), entry_runs[name]) for name, one in units.items()),
        suite_hash=suite_hash,
        data=digest_of(states),
        runs=tuple(used),
        waiting=waiting,
        lost=sum(len(units[one.case_id].all if one.case_id in units else ()) < one.replies for one in before),
    )


def _entry_run(units: _Units, known: str | None) -> str:
    """The run with which a case entered: that of the first look at it, or else the oldest."""
    return known if known in units.by_run else next(iter(units.by_run))
