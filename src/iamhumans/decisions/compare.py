"""Did it get better? Two runs of the same cases, compared case by case."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from iamhumans.cases.holdout import shown
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.errors import CannotRunError, CommandError, IamhumansError
from iamhumans.runs.journal.entries import Replied
from iamhumans.runs.journal.journal import Journal

if TYPE_CHECKING:
    from iamhumans.stats import Difference, Pairs, TwoPartDifference

HEADLINE_LEVEL = 0.975
"""Of the two intervals of the headline, so that both hold together in 95 % of comparisons."""
ZEROED, REST = "zeroed", "rest"
_MOST_MOVED = 5


@dataclass(frozen=True, slots=True)
class Matching:
    """The cases that two runs have in common."""

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


def match(a: RunOutcomes, b: RunOutcomes) -> Matching:
    """The cases that two runs have in common, in A's order."""
    in_b, judged_a, judged_b = {reply.case_id for reply in b.replies}, set(a.by_case.ids), set(b.by_case.ids)
    all_a = dict.fromkeys([reply.case_id for reply in a.replies])
    both = [case_id for case_id in all_a if case_id in in_b]
    same = dict.fromkeys(case_id for case_id in both if same_case(a, b, case_id))
    return Matching(
        ids=tuple([case_id for case_id in same if case_id in judged_a and case_id in judged_b]),
        changed=tuple([case_id for case_id in both if case_id not in same]),
        only_a=len(all_a) - len(both),
        only_b=len(in_b) - len(both),
        unjudged_a=len(judged_b.intersection(same) - judged_a),
        unjudged_b=len(judged_a.intersection(same) - judged_b),
    )


def same_case(a: RunOutcomes, b: RunOutcomes, case_id: str) -> bool:
    """Whether two runs judged the same text of a case. Earlier turns that a subject answered live do not count."""
    one, other = a.cases.get(case_id), b.cases.get(case_id)
    if one is None or other is None or one.hash == other.hash:
        return True
    if not one.live and not other.live:
        return False
    first, second = a.content(one.hash), b.content(other.hash)
    return first is not None and second is not None and _without_live(first, second) == _without_live(second, first)


def _without_live(content: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a judge sees of a case, without the answers that one of two versions of it leaves to the subject."""
    turns = content["conversation"]
    live = {
        index
        for conversation in (turns, other["conversation"])
        for index, turn in enumerate(conversation)
        if turn["speaker"] == "assistant" and not turn["text"]
    }
    seen = {name: value for name, value in content.items() if name != "holdout"}
    return seen | {"conversation": [None if index in live else turn for index, turn in enumerate(turns)]}


@dataclass(frozen=True, slots=True)
class FlagChange:
    """How the rate of a hard fail changed."""

    name: str
    difference: Difference
    p_value: float | None
    """Corrected for the number of hard fails (Holm)."""


@dataclass(frozen=True, slots=True)
class MovedReply:
    """A reply of a case that moved: of several, the one whose total is nearest to their mean."""

    key: str
    number: int
    total: int
    hard_fails: tuple[str, ...]
    text: str | None = None
    """``None`` until :func:`with_texts` reads it."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A case whose total changed much. Totals are means over its replies."""

    case_id: str
    title: str
    held_out: bool
    total_a: float
    total_b: float
    reply_a: MovedReply
    reply_b: MovedReply


@dataclass(frozen=True)
class Comparison:
    """B against A. Every difference is B minus A; ``None`` where a judge does not see what the figure needs."""

    a: RunOutcomes
    b: RunOutcomes
    across: tuple[str, ...]
    """What differs in how the runs were judged; empty for a fair comparison."""
    matching: Matching
    zero_rate: Difference | None
    """With an interval at ``HEADLINE_LEVEL``, and so is ``rest``."""
    rest: Difference | None
    """The mean total of replies without a hard fail."""
    mean: Difference | None
    passed: Difference | None
    corrected: Mapping[str, float]
    """The p-values of ``zeroed`` and ``rest``, corrected for there being two (Holm)."""
    flags: tuple[FlagChange, ...]
    axes: Mapping[str, Difference]
    dimensions: Mapping[str, TwoPartDifference]
    moved: tuple[Moved, ...]
    smallest_rest: float | None
    """The smallest difference of the mean of the rest that these cases could have shown."""
    smallest_zero_rate: float | None

    @property
    def shared(self) -> int:
        """How many cases take part."""
        return len(self.matching.ids)

    def case_totals(self) -> list[tuple[str, float, float]]:
        """Each case that both runs have, with its mean total in A and in B; none where a judge has no totals."""
        from iamhumans.stats import pair

        ids = set(self.matching.ids)
        ours, theirs = self.a.only(ids), self.b.only(ids)
        if ours.unseen or theirs.unseen:
            return []
        pairs = pair(ours.parts().plain, theirs.parts().plain)
        return list(zip(pairs.ids, pairs.a.values.tolist(), pairs.b.values.tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON holds it."""
        moved = [asdict(one) for one in self.moved]
        for one in moved:
            del one["reply_a"]["key"], one["reply_b"]["key"]
        left_out = asdict(self.matching)
        del left_out["ids"]
        return {
            "a": self.a.to_dict(),
            "b": self.b.to_dict(),
            "across": list(self.across),
            "cases": self.shared,
            "left_out": {**left_out, "changed": list(self.matching.changed)},
            "zero_rate": _tested(self.zero_rate, self.corrected.get(ZEROED)),
            "mean_of_rest": _tested(self.rest, self.corrected.get(REST)),
            "pass_rate": asdict(self.passed) if self.passed else None,
            "mean_total": asdict(self.mean) if self.mean else None,
            "hard_fails": {flag.name: _tested(flag.difference, flag.p_value) for flag in self.flags},
            "axes": {name: asdict(difference) for name, difference in self.axes.items()},
            "dimensions": {name: asdict(parts) for name, parts in self.dimensions.items()},
            "smallest": {"mean_of_rest": self.smallest_rest, "zero_rate": self.smallest_zero_rate},
            "moved": moved,
        }


def _tested(difference: Difference | None, p_value: float | None) -> dict[str, Any] | None:
    return None if difference is None else {**asdict(difference), "corrected_p_value": p_value}


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


def compare(a: RunOutcomes, b: RunOutcomes, *, across: bool = False, holdout_reason: str | None = None) -> Comparison:
    """Compare two runs, case by case.

    Args:
        a: The run before.
        b: The run after.
        across: Compare although they were judged differently.
        holdout_reason: Why texts of held-out cases may be shown; without it their hashes are.

    Raises:
        CommandError: They are the same, were judged differently, hold several subjects, or share no case.
        CannotRunError: No case that they share is judged in both.
    """
    from iamhumans.stats import holm, mean_difference, pair, rate_difference, smallest_difference, two_part_difference

    if a.name == b.name:
        raise CommandError(f"{a.name} cannot be compared with itself.", fix="Name two runs.")
    different = differences_of_plans(a.plan, b.plan)
    if different and not across:
        raise CommandError(
            f"Runs {a.name} and {b.name} differ in {' and '.join(different)}, so a difference of their figures may not"
            " come from the replies.",
            fix="Judge both the same way, or use `iamhumans compare --across` to see the figures anyway.",
        )
    a, b = a.of_one_subject(), b.of_one_subject()
    matching = match(a, b)
    if not matching.ids:
        raise _nothing_shared(a, b, matching)
    ours, theirs = a.only(set(matching.ids)), b.only(set(matching.ids))
    unseen = {*ours.unseen, *theirs.unseen}
    zero_rate = rest = mean = passed = None
    smallest: dict[str, float | None] = {}
    dimensions: dict[str, TwoPartDifference] = {}
    moved: tuple[Moved, ...] = ()
    zeroed = pair(ours.zeroed(), theirs.zeroed())
    if not unseen.intersection((*a.rubric.hard_fail_ids, *b.rubric.hard_fail_ids)):
        zero_rate = rate_difference(zeroed, level=HEADLINE_LEVEL)
        smallest[ZEROED] = smallest_difference(zeroed, zero_rate, tests=2)
    if not unseen:
        parts_a, parts_b = ours.parts(), theirs.parts()
        totals = pair(parts_a.rest, parts_b.rest)
        rest = mean_difference(totals, level=HEADLINE_LEVEL)
        smallest[REST] = smallest_difference(totals, rest, tests=2)
        mean = two_part_difference(parts_a, parts_b).mean
        passed = rate_difference(pair(ours.passed(), theirs.passed()))
        dimensions = {
            name: two_part_difference(parts_a.only(cases), parts_b.only(cases))
            for name, cases in ours.dimensions.items()
        }
        moved = _moved(pair(parts_a.plain, parts_b.plain), ours, theirs, holdout_reason)
    tests = {name: found.test for name, found in ((ZEROED, zero_rate), (REST, rest)) if found}
    return Comparison(
        a=a,
        b=b,
        across=different,
        matching=matching,
        zero_rate=zero_rate,
        rest=rest,
        mean=mean,
        passed=passed,
        corrected=holm({name: test.p_value for name, test in tests.items() if test is not None}),
        flags=_flags(ours, theirs, unseen),
        axes={
            name: mean_difference(pair(ours.axis(name), theirs.axis(name)))
            for name in a.rubric.axis_ids
            if name in b.rubric.axis_ids and name not in unseen
        },
        dimensions=dimensions,
        moved=moved,
        smallest_rest=smallest.get(REST),
        smallest_zero_rate=smallest.get(ZEROED),
    )


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


def _flags(a: RunOutcomes, b: RunOutcomes, unseen: set[str]) -> tuple[FlagChange, ...]:
    from iamhumans.stats import holm, pair, rate_difference

    names = [name for name in a.rubric.hard_fail_ids if name in b.rubric.hard_fail_ids and name not in unseen]
    found = {name: rate_difference(pair(a.flag(name), b.flag(name))) for name in names}
    corrected = holm({name: change.test.p_value for name, change in found.items() if change.test is not None})
    return tuple(FlagChange(name, change, corrected.get(name)) for name, change in found.items())


def _moved(pairs: Pairs, a: RunOutcomes, b: RunOutcomes, reason: str | None) -> tuple[Moved, ...]:
    """The cases that moved most, up or down."""
    rows = zip(pairs.ids, pairs.a.values.tolist(), pairs.b.values.tolist(), strict=True)
    changed = sorted((row for row in rows if row[1] != row[2]), key=lambda row: (-abs(row[2] - row[1]), row[0]))
    found = []
    for case_id, before, after in changed[:_MOST_MOVED]:
        held_out = a.held_out(case_id) or b.held_out(case_id)
        title = shown(a.cases[case_id].title if case_id in a.cases else "", held_out=held_out, reason=reason)
        replies = _typical(a, case_id, before), _typical(b, case_id, after)
        found.append(Moved(case_id, title, held_out, before, after, *replies))
    return tuple(found)


def _typical(run: RunOutcomes, case_id: str, mean: float) -> MovedReply:
    own = ((reply, one, one.total or 0) for reply, one in run.judged if reply.case_id == case_id)
    reply, one, total = min(own, key=lambda found: (abs(found[2] - mean), found[0].number))
    return MovedReply(reply.key, reply.number, total, tuple(sorted(one.vote.flags)))


def with_texts(
    comparison: Comparison, journal_a: Journal, journal_b: Journal, *, holdout_reason: str | None = None
) -> Comparison:
    """The comparison with the replies of the cases that moved most; without a reason, hashes of held-out ones."""

    def read(journal: Journal, reply: MovedReply, moved: Moved) -> MovedReply:
        found = reply_of(journal, reply.key)
        text = None if found is None else shown(found.text, held_out=moved.held_out, reason=holdout_reason)
        return replace(reply, text=text)

    return replace(
        comparison,
        moved=tuple(
            replace(one, reply_a=read(journal_a, one.reply_a, one), reply_b=read(journal_b, one.reply_b, one))
            for one in comparison.moved
        ),
    )


def reply_of(journal: Journal, key: str) -> Replied | None:
    """A reply in the journal, by its key."""
    found = journal.reply(key)
    return found if isinstance(found, Replied) else None
