"""Did it get better? Two runs of the same cases, compared case by case."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from iamhumans.cases.holdout import shown
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import Combined
from iamhumans.errors import CannotRunError, CommandError, IamhumansError

if TYPE_CHECKING:
    from iamhumans.stats import Detectable, Difference, Pairs, TwoPartDifference

HEADLINE_LEVEL = 0.975
"""Of the intervals of ``zero_rate`` and ``rest``, so that both hold together in 95 % of comparisons."""
_MOST_MOVED = 5
Totals: TypeAlias = tuple[tuple[str, float, float], ...]
"""Each case with a figure in A and in B."""


@dataclass(frozen=True, slots=True)
class Matching:
    """The cases that two runs have in common, and how many take no part."""

    ids: tuple[str, ...]
    """Judged in both runs, with the same text."""
    changed: tuple[str, ...]
    only_a: int
    only_b: int
    unjudged_a: int
    """Only B has a verdict on them."""
    unjudged_b: int

    @property
    def left_out(self) -> int:
        """How many cases take no part."""
        return len(self.changed) + self.only_a + self.only_b + self.unjudged_a + self.unjudged_b


@dataclass(frozen=True, slots=True)
class Change:
    """A difference with its p-value, corrected for the tests that go with it (Holm).

    ``smallest`` is the smallest difference that these cases could have shown, with its range.
    """

    difference: Difference
    p_value: float | None
    smallest: Detectable | None = None


@dataclass(frozen=True, slots=True)
class MovedReply:
    """A reply of a case that moved: of several, the one that is nearest to their mean."""

    number: int
    total: int | None
    hard_fails: tuple[str, ...]
    text: str | None


@dataclass(frozen=True, slots=True)
class Moved:
    """A case that changed much: its mean total over its replies, or else the share of them that is flagged."""

    case_id: str
    title: str
    held_out: bool
    total_a: float | None
    total_b: float | None
    flagged_a: float | None
    flagged_b: float | None
    reply_a: MovedReply
    reply_b: MovedReply


@dataclass(frozen=True)
class Comparison:
    """B against A. Every difference is B minus A; ``None`` where a judge does not see what the figure needs.

    Attributes:
        across: What differs in how the runs were judged; empty for a fair comparison.
        flagged_rate: The zero rate by the hard fails on which a YES counts in both runs (``flagged_by``), where the
            zero rate itself is not given.
        rest: The mean total of replies without a hard fail.
        totals: Each case with its mean total in A and in B; empty where a judge has no totals.
        flagged: Each case with the share of its replies that is flagged, where ``flagged_rate`` is given.
        moved: The cases that changed most.
    """

    a: RunOutcomes
    b: RunOutcomes
    across: tuple[str, ...]
    matching: Matching
    zero_rate: Change | None
    rest: Change | None
    mean: Difference | None
    passed: Difference | None
    flags: Mapping[str, Change]
    axes: Mapping[str, Difference]
    dimensions: Mapping[str, TwoPartDifference]
    totals: Totals
    moved: tuple[Moved, ...]
    flagged_rate: Change | None = None
    flagged_by: tuple[str, ...] = ()
    flagged: Totals = ()


def differences_of_plans(a: Mapping[str, Any], b: Mapping[str, Any]) -> tuple[str, ...]:
    """What differs in how two runs were judged, so that their figures do not measure the same."""
    found = []
    if a["rubric"]["hash"] != b["rubric"]["hash"]:
        one, other = a["rubric"]["name"], b["rubric"]["name"]
        found.append(f"the rubric ({one} and {other})" if one != other else f"the rubric (two versions of {one})")
    elif a.get("prompt") != b.get("prompt"):
        found.append("the prompt")
    if a.get("persona") != b.get("persona"):
        found.append("the persona")
    judges = [sorted(json.dumps(judge, sort_keys=True) for judge in plan.get("judges", ())) for plan in (a, b)]
    if judges[0] != judges[1]:
        one, other = (", ".join(sorted(judge["name"] for judge in plan.get("judges", ()))) for plan in (a, b))
        named = f"{one} and {other}" if one != other else f"{one} with other settings or of another version"
        found.append(f"the judges ({named})")
    repeats = [plan.get("repeats", 1) for plan in (a, b)]
    if repeats[0] != repeats[1]:
        found.append(f"the number of repeats ({repeats[0]} and {repeats[1]})")
    return tuple(found)


def match(a: RunOutcomes, b: RunOutcomes, *, across: bool = False) -> Matching:
    """The cases that two runs have in common, in A's order.

    Raises:
        CommandError: The runs are the same, were judged differently, hold several subjects, or share no case.
        CannotRunError: No case that they share is judged in both.
    """
    if a.name == b.name:
        raise CommandError(f"{a.name} cannot be compared with itself.", fix="Name two runs.")
    different = differences_of_plans(a.plan, b.plan)
    if different and not across:
        raise CommandError(
            f"Runs {a.name} and {b.name} differ in {' and '.join(different)}, so a difference of their figures may not"
            " come from the replies.",
            fix="Judge both the same way, or use `iamhumans compare --across` to see the figures anyway.",
        )
    all_a, all_b = (dict.fromkeys(reply.case_id for reply in run.of_one_subject().replies) for run in (a, b))
    judged_a, judged_b = ({reply.case_id for reply, _ in run.judged} for run in (a, b))
    both = [case_id for case_id in all_a if case_id in all_b]
    same = {case_id: None for case_id in both if same_case(a, b, case_id)}
    found = Matching(
        ids=tuple([case_id for case_id in same if case_id in judged_a and case_id in judged_b]),
        changed=tuple([case_id for case_id in both if case_id not in same]),
        only_a=len(all_a) - len(both),
        only_b=len(all_b) - len(both),
        unjudged_a=len(judged_b.intersection(same) - judged_a),
        unjudged_b=len(judged_a.intersection(same) - judged_b),
    )
    if not found.ids:
        raise _nothing_shared(a, b, found)
    return found


def _nothing_shared(a: RunOutcomes, b: RunOutcomes, matching: Matching) -> IamhumansError:
    """Why there is no case to compare."""
    unjudged = next((run.name for run in (a, b) if not run.judged), None)
    if unjudged is not None:
        return CannotRunError(f"No reply of run {unjudged} is judged.", fix="Run the command of that run again.")
    runs = f"runs {a.name} and {b.name}"
    if matching.unjudged_a or matching.unjudged_b:
        return CannotRunError(f"No case that {runs} share is judged in both.")
    if matching.changed:
        fix = "Run the older skill again on the cases as they are now."
        return CommandError(f"The text of every case that {runs} share has changed between them.", fix=fix)
    held_out = [run.name for run in (a, b) if all(facts.held_out for facts in run.cases.values())]
    why = f" Only {held_out[0]} is about held-out cases." if len(held_out) == 1 else ""
    return CommandError(f"R{runs[1:]} have no case in common.{why}", fix="Name two runs of the same suite.")


def same_case(a: RunOutcomes, b: RunOutcomes, case_id: str) -> bool:
    """Whether two runs judged the same text of a case. Earlier turns that a subject answered live do not count."""
    one, other = a.cases.get(case_id), b.cases.get(case_id)
    if one is None or other is None or one.hash == other.hash:
        return True
    if not one.live and not other.live:
        return False
    texts = [run.text("case", facts.hash) for run, facts in ((a, one), (b, other))]
    contents = [{**json.loads(text), "holdout": None} for text in texts if text is not None]
    turns = [content["conversation"] for content in contents]
    for both in zip(*turns, strict=False):
        if any(turn["speaker"] == "assistant" and not turn["text"] for turn in both):
            for turn in both:
                turn.clear()
    return len(contents) == 2 and contents[0] == contents[1]


def compare(a: RunOutcomes, b: RunOutcomes, *, across: bool = False, holdout_reason: str | None = None) -> Comparison:
    """Compare two runs, case by case.

    Args:
        a: The run before.
        b: The run after.
        across: Compare although they were judged differently.
        holdout_reason: Why texts of held-out cases may be shown; without it their hashes are.

    Raises:
        CommandError: See :func:`match`.
        CannotRunError: See :func:`match`.
    """
    from iamhumans.stats import mean_difference, pair, rate_difference, two_part_difference

    def flag(name: str) -> Difference:
        return rate_difference(pair(*(run.share(lambda one: name in one.vote.flags) for run in (ours, theirs))))

    matching = match(a, b, across=across)
    ours, theirs = (run.only(set(matching.ids)) for run in (a, b))
    unseen = {*ours.unseen, *theirs.unseen}
    headline: dict[str, tuple[Any, Difference]] = {}
    flagged_by: list[str] = []
    by_flags: Totals = ()
    if not unseen.intersection((*a.rubric.hard_fail_ids, *b.rubric.hard_fail_ids)):
        zeroed = pair(*(run.share(lambda one: one.zeroed) for run in (ours, theirs)))
        headline["zero_rate"] = zeroed, rate_difference(zeroed, level=HEADLINE_LEVEL)
    elif flagged_by := [name for name in ours.counting if name in theirs.counting]:
        flagged = pair(*(run.share(lambda one: not one.vote.flags.isdisjoint(flagged_by)) for run in (ours, theirs)))
        headline["flagged_rate"] = flagged, rate_difference(flagged)
        by_flags = _by_case(flagged)
    mean = passed = None
    dimensions: dict[str, TwoPartDifference] = {}
    totals: Totals = ()
    if not unseen:
        parts, parts_b = ours.parts(), theirs.parts()
        rest = pair(parts.rest, parts_b.rest)
        headline["rest"] = rest, mean_difference(rest, level=HEADLINE_LEVEL)
        mean = two_part_difference(parts, parts_b).mean
        passed = rate_difference(pair(*(run.share(lambda one: one.outcome == "PASS") for run in (ours, theirs))))
        dimensions = {
            name: two_part_difference(parts.only(ids), parts_b.only(ids)) for name, ids in ours.dimensions.items()
        }
        totals = _by_case(pair(parts.plain, parts_b.plain))
    flags = [name for name in a.rubric.hard_fail_ids if name in b.rubric.hard_fail_ids and name not in unseen]
    axes = [name for name in a.rubric.axis_ids if name in b.rubric.axis_ids and name not in unseen]
    changes = _changes(headline)
    return Comparison(
        a=a,
        b=b,
        across=differences_of_plans(a.plan, b.plan),
        matching=matching,
        zero_rate=changes.get("zero_rate"),
        rest=changes.get("rest"),
        mean=mean,
        passed=passed,
        flags=_changes({name: (None, flag(name)) for name in flags}),
        axes={name: mean_difference(pair(ours.axis(name), theirs.axis(name))) for name in axes},
        dimensions=dimensions,
        totals=totals,
        moved=_moved(totals, by_flags, ours, theirs, holdout_reason),
        flagged_rate=changes.get("flagged_rate"),
        flagged_by=tuple(flagged_by),
        flagged=by_flags,
    )


def _changes(found: Mapping[str, tuple[Any, Difference]]) -> dict[str, Change]:
    """Differences that are tested together; with their pairs of cases, the smallest change that could be shown."""
    from iamhumans.stats import detectable_mean, detectable_rate, holm

    corrected = holm({name: one.test.p_value for name, (_, one) in found.items() if one.test is not None})
    changes = {}
    for name, (pairs, one) in found.items():
        detectable = detectable_rate if name.endswith("_rate") else detectable_mean
        smallest = None if pairs is None else detectable(pairs, tests=len(found))
        changes[name] = Change(one, corrected.get(name), smallest)
    return changes


def _by_case(pairs: Pairs) -> Totals:
    return tuple(zip(pairs.ids, pairs.a.values.tolist(), pairs.b.values.tolist(), strict=True))


def _moved(totals: Totals, flagged: Totals, a: RunOutcomes, b: RunOutcomes, reason: str | None) -> tuple[Moved, ...]:
    """The cases that moved most, up or down: by totals, or else by the share of replies that is flagged."""

    def typical(run: RunOutcomes, case_id: str, mean: float) -> MovedReply:
        own = [(reply, one) for reply, one in run.judged if reply.case_id == case_id]
        reply, one = min(own, key=lambda found: (abs(value(found[1]) - mean), found[0].number))
        text = run.text("reply", reply.key)
        text = None if text is None else shown(text, held_out=held_out, reason=reason)
        return MovedReply(reply.number, one.total, tuple(sorted(one.vote.flags)), text)

    def value(one: Combined) -> float:
        return (one.total or 0) if totals else float(one.zeroed)

    changed = sorted(
        (row for row in totals or flagged if row[1] != row[2]), key=lambda row: (-abs(row[2] - row[1]), row[0])
    )
    found = []
    for case_id, before, after in changed[:_MOST_MOVED]:
        held_out = a.held_out(case_id) or b.held_out(case_id)
        title = shown(a.cases[case_id].title if case_id in a.cases else "", held_out=held_out, reason=reason)
        replies = typical(a, case_id, before), typical(b, case_id, after)
        figures = ((before, after), (None, None))
        (total_a, total_b), (flagged_a, flagged_b) = figures if totals else figures[::-1]
        found.append(Moved(case_id, title, held_out, total_a, total_b, flagged_a, flagged_b, *replies))
    return tuple(found)
