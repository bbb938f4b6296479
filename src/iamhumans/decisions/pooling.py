"""All replies that the journal has for one question, pooled by case, in the order in which the cases entered.

1. A case enters once, with its id. More replies to it are pooled with those that it has, and never make a new case.
2. Replies of a run that repeats only some of the cases are left out: whoever repeats the cases that failed, and those
   alone, makes their mean better than it is.
3. A case of a run that is not finished enters only where it was its turn, in an order that no result can change.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from iamhumans.decisions.outcomes import RunOutcomes, outcomes_of
from iamhumans.decisions.panel import Combined, PanelReply
from iamhumans.decisions.questions import runs_with
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import CaseFacts, RunRecord, RunStatus
from iamhumans.runs.plan import digest_of

_Unit = tuple[str, str]
"""A judged reply: its key, and the salt of the run that judged it."""


@dataclass(frozen=True)
class Pool:
    """The pooled replies.

    Attributes:
        run: The run that is gated, with the replies of all; ``asked`` counts those of the cases that entered.
        seen: The cases in their order of entry, each with its number of replies.
        suite_hash: The hash of these cases.
        data: The hash of all results.
        runs: The names of the runs that were pooled, the oldest first.
        partial: Those whose repeated replies were left out.
        waiting: How many cases of runs that are not finished have not entered.
        lost: How many cases have fewer replies than at an earlier look.
    """

    run: RunOutcomes
    seen: tuple[tuple[str, int], ...]
    suite_hash: str
    data: str
    runs: tuple[str, ...]
    partial: tuple[str, ...]
    waiting: int
    lost: int


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
    before: Sequence[tuple[str, int]] = (),
    entering: Sequence[str] = (),
) -> Pool:
    """Pool the replies of all runs that ask the same as this one.

    ``before`` are the cases of the last look with their replies; ``entering`` are cases whose turn it is now.

    Raises:
        CannotRunError: The rubric of a run is not in the journal.
        CommandError: The run has no reply of the subject.
    """
    gated = outcomes_of(journal, run, subject=subject)
    admitted = dict.fromkeys((*(case_id for case_id, _ in before), *entering))
    units: dict[str, dict[_Unit, PanelReply]] = {}
    facts: dict[str, CaseFacts] = {}
    names, partial, waiting, imported = [], [], set[str](), False
    for record, own in runs_with(journal, run, subject):
        found = gated if record.id == run.id else outcomes_of(journal, record, subject=own)
        by_case = _by_case(found, record.salt)
        finished = record.status is RunStatus.FINISHED
        entered = {name: one for name, one in by_case.items() if finished or name in admitted}
        waiting |= by_case.keys() - entered.keys()
        if not entered:
            continue
        # A repetition counts only if nobody chose what to repeat.
        whole = entered.keys() >= units.keys()
        repeated = [name for name, one in entered.items() if name in units and one.keys() - units[name].keys()]
        for name, one in entered.items():
            if whole or name not in units:
                units.setdefault(name, {}).update(one)
        partial += [found.name] if repeated and not whole else []
        names.append(found.name)
        facts |= {name: found.cases[name] for name in entered if name in found.cases}
        imported = imported or found.imported
    return _pooled(gated, units, facts, list(admitted), before, (names, partial), waiting, imported=imported)


def _by_case(run: RunOutcomes, salt: str) -> dict[str, dict[_Unit, PanelReply]]:
    found: dict[str, dict[_Unit, PanelReply]] = {}
    for reply in run.replies:
        found.setdefault(reply.case_id, {})[reply.key, salt] = reply
    return found


def _pooled(
    gated: RunOutcomes,
    units: Mapping[str, Mapping[_Unit, PanelReply]],
    facts: dict[str, CaseFacts],
    admitted: Sequence[str],
    before: Sequence[tuple[str, int]],
    names: tuple[list[str], list[str]],
    waiting: Collection[str],
    *,
    imported: bool,
) -> Pool:
    suite_hash = suite_hash_of((name, facts[name].hash if name in facts else "") for name in units)
    first = [name for name in admitted if name in units]
    order = [*first, *seeded_order(units.keys() - set(first), suite_hash)]
    replies = tuple(reply for name in order for reply in units[name].values())
    run = replace(
        gated,
        replies=replies,
        asked=len(replies),
        judgements=len(replies),
        judgements_asked=len(replies),
        cases={**gated.cases, **facts},
        status=RunStatus.FINISHED if units else gated.status,
        imported=imported or gated.imported,
    )
    data = digest_of(
        f"{name} {key} {salt} {'judged' if isinstance(reply.combined, Combined) else reply.combined.reason.value}"
        for name in order
        for (key, salt), reply in sorted(units[name].items(), key=lambda one: one[0])
    )
    return Pool(
        run=run,
        seen=tuple((name, len(units[name])) for name in order),
        suite_hash=suite_hash,
        data=data,
        runs=tuple(names[0]),
        partial=tuple(names[1]),
        waiting=len(set(waiting) - units.keys()),
        lost=sum(len(units.get(name, ())) < count for name, count in before),
    )
