"""Did it get better? Two runs of the same cases, compared case by case."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from iamhumans.cases.holdout import shown as visible
from iamhumans.decisions.asked import TOP, Value, paired, quality, unjudged_of, zeroed
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import Combined
from iamhumans.errors import CannotRunError, CommandError, IamhumansError

if TYPE_CHECKING:
    from iamhumans.stats import Difference, Pairs, TwoPartDifference

LEVEL = 0.95
"""Of every interval that is not corrected for other tests, and of the changes of the headline together."""
_MOST_MOVED = 5
Totals: TypeAlias = tuple[tuple[str, float, float], ...]
"""Each case with a figure in A and in B."""


@dataclass(frozen=True, slots=True)
class Matching:
    """The cases that two runs have in common, and how many take no part."""

    ids: tuple[str, ...]
    """Judged in both runs, with the same text."""
    asked: tuple[str, ...]
    """In both runs with the same text, judged or not."""
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

    The interval leaves out 0 exactly where the corrected p-value is at most 5 %. ``smallest`` is the smallest
    difference that these cases could have shown. ``unjudged`` is the lowest and the highest difference that is
    possible, with the unjudged replies of both runs counted as the worst and as the best; ``None`` if there are none.
    """

    difference: Difference
    p_value: float | None
    smallest: float | None = None
    unjudged: tuple[float, float] | None = None

    @property
    def direction(self) -> int:
        """Which change is shown: 1 for a rise, -1 for a fall, 0 for none."""
        found = self.difference.difference
        if found.low is None or found.high is None:
            return 0
        return int(found.low > 0) - int(found.high < 0)


@dataclass(frozen=True, slots=True)
class Margin:
    """What is shown about quality with a margin, in points. B minus A is at least ``low`` and at most ``high``.

    These bounds hold for any distribution, each at 95 %, and with unjudged replies counted as the worst for ``low`` and
    as the best for ``high``. ``superiority`` is a rise that the comparison shows. ``non_inferiority`` is a drop that is
    at most the margin, and ``equivalence`` also a rise that is at most the margin: two one-sided tests (Schuirmann
    1987). ``cases_needed`` can show the margin if no case changes.
    """

    points: float
    low: float
    high: float
    cases: int
    cases_needed: int | None
    superiority: bool
    non_inferiority: bool
    equivalence: bool


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
        quality: The mean of the totals by the axes at stake, whatever the hard fails (``applicable_total``).
        rest: The mean total of replies without a hard fail. It is no measure of progress: a run that zeroes its worst
            replies has a better rest.
        totals: Each case with its mean total in A and in B; empty where a judge has no totals.
        flagged: Each case with the share of its replies that is flagged, where ``flagged_rate`` is given.
        moved: The cases that changed most.
        margin: What is shown with a margin, where one was given.
    """

    a: RunOutcomes
    b: RunOutcomes
    across: tuple[str, ...]
    matching: Matching
    zero_rate: Change | None
    quality: Change | None
    rest: Difference | None
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
    margin: Margin | None = None


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
        asked=tuple(same),
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


def compare(
    a: RunOutcomes,
    b: RunOutcomes,
    *,
    across: bool = False,
    margin: float | None = None,
    holdout_reason: str | None = None,
) -> Comparison:
    """Compare two runs, case by case.

    Args:
        a: The run before.
        b: The run after.
        across: Compare although they were judged differently.
        margin: Say whether B is no worse than A by this many points of quality, or equivalent.
        holdout_reason: Why texts of held-out cases may be shown; without it their hashes are.

    Raises:
        CommandError: See :func:`match`; or a margin was given, and a judge does not see what quality needs.
        CannotRunError: See :func:`match`.
    """
    from iamhumans.stats import mean_difference, pair, rate_difference, two_part_difference

    def flag(name: str) -> Difference:
        return rate_difference(pair(*(run.share(lambda one: name in one.vote.flags) for run in (ours, theirs))))

    matching = match(a, b, across=across)
    ours, theirs = (run.only(set(matching.ids)) for run in (a, b))
    unseen = {*ours.unseen, *theirs.unseen}
    if margin is not None and unseen:
        problem = f"Quality cannot be compared, since a judge cannot see {', '.join(sorted(unseen))}."
        raise CommandError(problem, fix="Leave out the margin, or use a judge that sees them, such as a model.")
    tested: dict[str, _Tested] = {}
    flagged_by: list[str] = []
    by_flags: Totals = ()
    if not unseen.intersection((*a.rubric.hard_fail_ids, *b.rubric.hard_fail_ids)):
        tested["zero_rate"] = _Tested(a, b, matching, zeroed, 1.0)
    elif flagged_by := [name for name in ours.counting if name in theirs.counting]:
        narrow = a.by_flags(flagged_by), b.by_flags(flagged_by)
        tested["flagged_rate"] = _Tested(*narrow, matching, zeroed, 1.0)
        by_flags = _by_case(tested["flagged_rate"].pairs)
    mean = passed = rest = None
    dimensions: dict[str, TwoPartDifference] = {}
    totals: Totals = ()
    if not unseen:
        tested["quality"] = _Tested(a, b, matching, quality, TOP)
        parts, parts_b = ours.parts(), theirs.parts()
        rest = mean_difference(pair(parts.rest, parts_b.rest))
        mean = two_part_difference(parts, parts_b).mean
        passed = rate_difference(pair(*(run.share(lambda one: one.outcome == "PASS") for run in (ours, theirs))))
        dimensions = {
            name: two_part_difference(parts.only(ids), parts_b.only(ids)) for name, ids in ours.dimensions.items()
        }
        totals = _by_case(pair(parts.plain, parts_b.plain))
    flags = [name for name in a.rubric.hard_fail_ids if name in b.rubric.hard_fail_ids and name not in unseen]
    axes = [name for name in a.rubric.axis_ids if name in b.rubric.axis_ids and name not in unseen]
    changes = _headline(tested)
    return Comparison(
        a=a,
        b=b,
        across=differences_of_plans(a.plan, b.plan),
        matching=matching,
        zero_rate=changes.get("zero_rate"),
        quality=changes.get("quality"),
        rest=rest,
        mean=mean,
        passed=passed,
        flags=_changes({name: flag(name) for name in flags}),
        axes={name: mean_difference(pair(ours.axis(name), theirs.axis(name))) for name in axes},
        dimensions=dimensions,
        totals=totals,
        moved=_moved(totals, by_flags, ours, theirs, holdout_reason),
        flagged_rate=changes.get("flagged_rate"),
        flagged_by=tuple(flagged_by),
        flagged=by_flags,
        margin=None if margin is None else _margin(margin, tested["quality"], changes["quality"]),
    )


@dataclass(frozen=True)
class _Tested:
    """A figure of the headline: what it is of one reply, from 0 to ``top``."""

    a: RunOutcomes
    b: RunOutcomes
    matching: Matching
    value: Value
    top: float

    @cached_property
    def pairs(self) -> Pairs:
        """The judged cases."""
        return paired(self.a, self.b, self.value, frozenset(self.matching.ids))

    @cached_property
    def ends(self) -> tuple[Pairs, Pairs] | None:
        """The asked cases with the unjudged of A as the highest and of B as the lowest value, and the other way."""
        asked = frozenset(self.matching.asked)
        if not any(unjudged_of(run, asked) for run in (self.a, self.b)):
            return None
        low, high = ((self.top, 0.0), (0.0, self.top))
        return paired(self.a, self.b, self.value, asked, low), paired(self.a, self.b, self.value, asked, high)

    def difference(self, level: float) -> Difference:
        """B minus A with its interval and its test."""
        from iamhumans.stats import bounded_difference, mean_difference, rate_difference

        if self.top != TOP:
            return rate_difference(self.pairs, level=level)
        found = mean_difference(self.pairs, level=level)
        if found.difference.withheld and len(self.pairs):
            # Without any spread only bounds for any distribution say how much other cases may change.
            return replace(found, difference=bounded_difference(self.pairs, level=level))
        return found

    def change(self, p_value: float | None, level: float, tests: int) -> Change:
        """The difference with an interval that agrees with its test."""
        from iamhumans.stats import agreeing, smallest_difference

        found = self.difference(level)
        shown = p_value is not None and p_value <= 1 - LEVEL
        unjudged = None
        if self.ends is not None:
            low, high = (float(pairs.differences.mean()) for pairs in self.ends)
            unjudged = low, high
        smallest = smallest_difference(self.pairs, found, tests=tests)
        return Change(agreeing(found, shown=shown), p_value, smallest, unjudged)


def _headline(tested: Mapping[str, _Tested]) -> dict[str, Change]:
    """The figures that are tested together. Each interval is at the level at which Holm's method tests its figure."""
    from iamhumans.stats import holm

    found = {name: one.difference(LEVEL).test for name, one in tested.items()}
    p_values = {name: test.p_value for name, test in found.items() if test is not None}
    corrected, changes = holm(p_values), dict[str, Change]()
    others = len(p_values)
    for name in sorted(p_values, key=p_values.__getitem__):
        changes[name] = tested[name].change(corrected[name], 1 - (1 - LEVEL) / others, len(tested))
        # The next one is tested at a higher level only after this one is shown.
        others -= int(corrected[name] <= 1 - LEVEL)
    return {name: changes[name] if name in changes else one.change(None, LEVEL, 1) for name, one in tested.items()}


def _changes(found: Mapping[str, Difference]) -> dict[str, Change]:
    """Differences that are tested together."""
    from iamhumans.stats import agreeing, holm

    corrected = holm({name: one.test.p_value for name, one in found.items() if one.test is not None})
    return {
        name: Change(agreeing(one, shown=corrected.get(name, 1.0) <= 1 - LEVEL), corrected.get(name))
        for name, one in found.items()
    }


def _margin(points: float, tested: _Tested, change: Change) -> Margin:
    """What is shown about a drop or a rise of this many points."""
    from iamhumans.stats import bounded_difference, cases_for_margin

    both = tested.ends or (tested.pairs, tested.pairs)
    bounds = [bounded_difference(pairs, level=LEVEL, one_sided=True) for pairs in both]
    low, high = bounds[0].low, bounds[1].high
    low, high = (-TOP if low is None else low), (TOP if high is None else high)
    cases, needed = len(tested.pairs), cases_for_margin(points, level=LEVEL)
    shown = low >= -points, low >= -points and high <= points
    return Margin(points, low, high, cases, needed, change.direction > 0, *shown)


def _by_case(pairs: Pairs) -> Totals:
    return tuple(zip(pairs.ids, pairs.a.values.tolist(), pairs.b.values.tolist(), strict=True))


def _moved(totals: Totals, flagged: Totals, a: RunOutcomes, b: RunOutcomes, reason: str | None) -> tuple[Moved, ...]:
    """The cases that moved most, up or down: by totals, or else by the share of replies that is flagged."""

    def typical(run: RunOutcomes, case_id: str, mean: float) -> MovedReply:
        own = [(reply, one) for reply, one in run.judged if reply.case_id == case_id]
        reply, one = min(own, key=lambda found: (abs(value(found[1]) - mean), found[0].number))
        text = run.text("reply", reply.key)
        text = None if text is None else visible(text, held_out=held_out, reason=reason)
        return MovedReply(reply.number, one.total, one.named, text)

    def value(one: Combined) -> float:
        return (one.total or 0) if totals else float(one.zeroed)

    changed = sorted(
        (row for row in totals or flagged if row[1] != row[2]), key=lambda row: (-abs(row[2] - row[1]), row[0])
    )
    found = []
    for case_id, before, after in changed[:_MOST_MOVED]:
        held_out = a.held_out(case_id) or b.held_out(case_id)
        title = visible(a.cases[case_id].title if case_id in a.cases else "", held_out=held_out, reason=reason)
        replies = typical(a, case_id, before), typical(b, case_id, after)
        figures = ((before, after), (None, None))
        (total_a, total_b), (flagged_a, flagged_b) = figures if totals else figures[::-1]
        found.append(Moved(case_id, title, held_out, total_a, total_b, flagged_a, flagged_b, *replies))
    return tuple(found)
