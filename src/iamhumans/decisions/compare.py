"""Did it get better? Two runs of the same cases, paired by case."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import Combined, PanelReply
from iamhumans.errors import CannotRunError, CommandError
from iamhumans.runs import Journal, Replied, ReplyEntry

if TYPE_CHECKING:
    from iamhumans.stats import Difference, Pairs, TwoPartDifference

_MOST_MOVED = 5
ZEROED, REST = "zeroed", "rest"


@dataclass(frozen=True, slots=True)
class Matching:
    """Which cases two runs have in common."""

    ids: tuple[str, ...]
    """Judged in both, and the same case in both."""
    changed: tuple[str, ...]
    """Their text changed between the runs, so they are other cases."""
    only_a: int
    """Cases of A that B does not have."""
    only_b: int
    unjudged_a: int
    """Cases of both that only B has a judgement of."""
    unjudged_b: int

    @property
    def left_out(self) -> int:
        """Cases that take no part."""
        return len(self.changed) + self.only_a + self.only_b + self.unjudged_a + self.unjudged_b


def match(a: RunOutcomes, b: RunOutcomes) -> Matching:
    """The cases that two runs have in common, in A's order."""
    in_b, judged_a, judged_b = {reply.case_id for reply in b.replies}, set(a.by_case.ids), set(b.by_case.ids)
    all_a = dict.fromkeys([reply.case_id for reply in a.replies])
    both = [case_id for case_id in all_a if case_id in in_b]
    changed = [case_id for case_id in both if not same_case(a, b, case_id)]
    others = set(changed)
    same = [case_id for case_id in both if case_id not in others] if others else both
    return Matching(
        ids=tuple([case_id for case_id in same if case_id in judged_a and case_id in judged_b]),
        changed=tuple(changed),
        only_a=len(all_a) - len(both),
        only_b=len(in_b) - len(both),
        unjudged_a=len(judged_b.intersection(same) - judged_a),
        unjudged_b=len(judged_a.intersection(same) - judged_b),
    )


def same_case(a: RunOutcomes, b: RunOutcomes, case_id: str) -> bool:
    """Whether two runs judged the same text of a case.

    Where the subject answers earlier turns, one journal row may hold the case as it was written and another as it
    went: what a subject said there is no change of the case.
    """
    one, other = a.cases.get(case_id), b.cases.get(case_id)
    if one is None or other is None or one.hash == other.hash:
        return True
    if not one.live and not other.live:
        return False
    first, second = a.content(one.hash), b.content(other.hash)
    return first is not None and second is not None and _told(first, second) == _told(second, first)


def _told(content: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    """All of a case that a judge is shown, but for the answers that one of two forms of it leaves to the subject."""
    turns = content["conversation"]
    live = {
        index
        for conversation in (turns, other["conversation"])
        for index, turn in enumerate(conversation)
        if turn["speaker"] == "assistant" and not turn["text"]
    }
    told = {name: value for name, value in content.items() if name != "holdout"}
    told["conversation"] = [None if index in live else turn for index, turn in enumerate(turns)]
    return told


@dataclass(frozen=True, slots=True)
class FlagChange:
    """How a hard fail changed, with its p-value corrected for the number of hard fails (Holm)."""

    name: str
    difference: Difference
    corrected: float | None


@dataclass(frozen=True, slots=True)
class ShownReply:
    """A reply of a case that moved: of several, the one whose total is nearest to their mean."""

    key: str
    number: int
    total: int
    hard_fails: tuple[str, ...]
    text: str | None = None
    """``None`` where the journal has not been asked, or the case is held out."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A case whose total changed much. Totals are means over its replies."""

    case_id: str
    title: str
    held_out: bool
    total_a: float
    total_b: float
    reply_a: ShownReply
    reply_b: ShownReply


@dataclass(frozen=True)
class Comparison:
    """B against A. Every difference is B minus A."""

    a: RunOutcomes
    b: RunOutcomes
    across: tuple[str, ...]
    """In what the runs were judged differently; empty for a fair comparison."""
    matching: Matching
    totals: TwoPartDifference
    corrected: Mapping[str, float]
    """The p-values of the two parts of the headline, ``zeroed`` and ``rest``, corrected for there being two (Holm)."""
    passed: Difference
    flags: tuple[FlagChange, ...]
    axes: Mapping[str, Difference]
    dimensions: Mapping[str, TwoPartDifference]
    moved: tuple[Moved, ...]
    smallest_rest: float | None
    """The smallest difference of the mean of the rest that this many cases could have shown."""
    smallest_zero_rate: float | None

    @property
    def shared(self) -> int:
        """Cases that take part."""
        return len(self.matching.ids)


def differences_of_plans(a: Mapping[str, Any], b: Mapping[str, Any]) -> tuple[str, ...]:
    """In what two runs were judged differently: what makes their figures no measure of the same thing."""
    found = []
    if a["rubric"]["hash"] != b["rubric"]["hash"]:
        names = a["rubric"]["name"], b["rubric"]["name"]
        other = f"{names[0]} and {names[1]}" if names[0] != names[1] else f"two versions of {names[0]}"
        found.append(f"the rubric ({other})")
    elif a.get("prompt") != b.get("prompt"):
        found.append("the prompt")
    if a.get("persona") != b.get("persona"):
        found.append("the persona")
    if _judges(a) != _judges(b):
        found.append(f"the judges ({_names_of_judges(a, b)})")
    if a.get("repeats", 1) != b.get("repeats", 1):
        found.append(f"the number of repeats ({a.get('repeats', 1)} and {b.get('repeats', 1)})")
    return tuple(found)


def _judges(plan: Mapping[str, Any]) -> list[str]:
    """The judges with their settings. A panel is the same in whatever order it was named."""
    return sorted(json.dumps(judge, sort_keys=True) for judge in plan.get("judges", ()))


def _names_of_judges(a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
    one, other = (", ".join(sorted(judge["name"] for judge in plan.get("judges", ()))) for plan in (a, b))
    return f"{one} and {other}" if one != other else f"{one} with other settings or of another version"


def compare(a: RunOutcomes, b: RunOutcomes, *, across: bool = False) -> Comparison:
    """Compare two runs, case by case.

    Args:
        a: What was before.
        b: What is to be judged against it.
        across: Compare although they were judged differently.

    Raises:
        CommandError: They are the same, were judged differently, hold several subjects, or share no case.
        CannotRunError: Of the cases that they share none is judged in both.
    """
    from iamhumans.stats import holm, mean_difference, pair, rate_difference, smallest_difference, two_part_difference

    if a.name == b.name:
        raise CommandError(f"{a.name} cannot be compared with itself.", fix="Name two runs.")
    different = _checked(a, b, across=across)
    a, b = a.of_one_subject(), b.of_one_subject()
    matching = matched(a, b)
    ids = set(matching.ids)
    ours, theirs = a.only(ids), b.only(ids)
    parts_a, parts_b = ours.parts(), theirs.parts()
    zeroed, rest = pair(parts_a.zeroed, parts_b.zeroed), pair(parts_a.rest, parts_b.rest)
    totals = two_part_difference(parts_a, parts_b)
    tests = {ZEROED: totals.zero_rate.test, REST: totals.rest.test}
    return Comparison(
        a=a,
        b=b,
        across=different,
        matching=matching,
        totals=totals,
        corrected=holm({name: test.p_value for name, test in tests.items() if test is not None}),
        passed=rate_difference(pair(ours.passed(), theirs.passed())),
        flags=_flags(ours, theirs),
        axes={
            name: mean_difference(pair(ours.axis(name), theirs.axis(name)))
            for name in a.rubric.axis_ids
            if name in b.rubric.axis_ids
        },
        dimensions={
            name: two_part_difference(parts_a.only(cases), parts_b.only(cases))
            for name, cases in ours.dimensions.items()
        },
        moved=_moved(pair(parts_a.plain, parts_b.plain), ours, theirs),
        smallest_rest=smallest_difference(rest, totals.rest, tests=2),
        smallest_zero_rate=smallest_difference(zeroed, totals.zero_rate, tests=2),
    )


def _checked(a: RunOutcomes, b: RunOutcomes, *, across: bool) -> tuple[str, ...]:
    different = differences_of_plans(a.plan, b.plan)
    if different and not across:
        raise CommandError(
            f"Runs {a.name} and {b.name} differ in {' and '.join(different)}: a difference of their figures may be no"
            " difference of the replies.",
            fix="Judge both the same way; `iamhumans compare --across` shows the figures all the same.",
        )
    return different


def matched(a: RunOutcomes, b: RunOutcomes) -> Matching:
    """The cases that two runs have in common, of which there is one at least.

    Raises:
        CommandError: They share no case.
        CannotRunError: Of the cases that they share none is judged in both.
    """
    for run in (a, b):
        if not run.judged:
            raise CannotRunError(f"Nothing of run {run.name} is judged.", fix="Give its command again.")
    found = match(a, b)
    if found.ids:
        return found
    if found.unjudged_a or found.unjudged_b:
        raise CannotRunError(f"No case that runs {a.name} and {b.name} share is judged in both.")
    if found.changed:
        raise CommandError(
            f"The text of every case that runs {a.name} and {b.name} share was changed between them.",
            fix="Run the older skill once more on the cases as they are now.",
        )
    held_out = [all(facts.held_out for facts in run.cases.values()) for run in (a, b)]
    why = f" Only {(a if held_out[0] else b).name} is of held-out cases." if held_out[0] != held_out[1] else ""
    raise CommandError(
        f"Runs {a.name} and {b.name} have no case in common.{why}", fix="Name two runs of the same suite."
    )


def _flags(a: RunOutcomes, b: RunOutcomes) -> tuple[FlagChange, ...]:
    from iamhumans.stats import holm, pair, rate_difference

    names = [name for name in a.rubric.hard_fail_ids if name in b.rubric.hard_fail_ids]
    found = {name: rate_difference(pair(a.flag(name), b.flag(name))) for name in names}
    corrected = holm({name: change.test.p_value for name, change in found.items() if change.test is not None})
    return tuple(FlagChange(name, change, corrected.get(name)) for name, change in found.items())


def _moved(pairs: Pairs, a: RunOutcomes, b: RunOutcomes) -> tuple[Moved, ...]:
    """The cases that moved most, up or down."""
    rows = zip(pairs.ids, pairs.a.values.tolist(), pairs.b.values.tolist(), strict=True)
    changed = [row for row in rows if row[1] != row[2]]
    changed.sort(key=lambda row: (-abs(row[2] - row[1]), row[0]))
    most = changed[:_MOST_MOVED]
    ids = {case_id for case_id, _, _ in most}
    replies_a, replies_b = _replies_of(a, ids), _replies_of(b, ids)
    return tuple(
        Moved(
            case_id=case_id,
            title=a.cases[case_id].title if case_id in a.cases else "",
            held_out=any(case_id in run.cases and run.cases[case_id].held_out for run in (a, b)),
            total_a=before,
            total_b=after,
            reply_a=_typical(replies_a[case_id], before),
            reply_b=_typical(replies_b[case_id], after),
        )
        for case_id, before, after in most
    )


def _replies_of(run: RunOutcomes, ids: set[str]) -> Mapping[str, Sequence[tuple[PanelReply, Combined]]]:
    found: dict[str, list[tuple[PanelReply, Combined]]] = {case_id: [] for case_id in ids}
    for reply, combined in run.judged:
        if reply.case_id in ids:
            found[reply.case_id].append((reply, combined))
    return found


def _typical(replies: Sequence[tuple[PanelReply, Combined]], mean: float) -> ShownReply:
    reply, combined = min(replies, key=lambda one: (abs(one[1].total - mean), one[0].number))
    return ShownReply(reply.key, reply.number, combined.total, tuple(sorted(combined.vote.flags)))


def with_texts(comparison: Comparison, journal: Journal) -> Comparison:
    """The comparison with the replies of the cases that moved most. Those of held-out cases are never shown."""

    def text_of(shown: ShownReply) -> ShownReply:
        found = journal.find(ReplyEntry(shown.key, "", "", shown.number, ""))
        return replace(shown, text=found.text if isinstance(found, Replied) else None)

    return replace(
        comparison,
        moved=tuple(
            moved if moved.held_out else replace(moved, reply_a=text_of(moved.reply_a), reply_b=text_of(moved.reply_b))
            for moved in comparison.moved
        ),
    )
