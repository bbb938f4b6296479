"""Did it get better? Two runs of the same cases, paired by case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.errors import CannotRunError, CommandError

if TYPE_CHECKING:
    from iamhumans.stats import Difference, Pairs, TwoPartDifference

_MOST_MOVED = 5


@dataclass(frozen=True, slots=True)
class FlagChange:
    """How a hard fail changed, with its p-value corrected for the number of hard fails (Holm)."""

    name: str
    difference: Difference
    corrected: float | None


@dataclass(frozen=True, slots=True)
class Moved:
    """A case whose total changed much."""

    case_id: str
    title: str
    total_a: float
    total_b: float


@dataclass(frozen=True)
class Comparison:
    """B against A. Every difference is B minus A."""

    a: RunOutcomes
    b: RunOutcomes
    across: tuple[str, ...]
    """In what the runs were judged differently; empty for a fair comparison."""
    shared: int
    """Cases that both runs judged."""
    totals: TwoPartDifference
    passed: Difference
    flags: tuple[FlagChange, ...]
    axes: Mapping[str, Difference]
    dimensions: Mapping[str, TwoPartDifference]
    moved: tuple[Moved, ...]
    smallest_rest: float | None
    """The smallest difference of the mean of the rest that this many cases could have shown."""
    smallest_zero_rate: float | None


def differences_of_plans(a: Mapping[str, Any], b: Mapping[str, Any]) -> tuple[str, ...]:
    """In what two runs were judged differently: what makes their figures no measure of the same thing."""
    found = []
    if a["rubric"]["hash"] != b["rubric"]["hash"]:
        found.append(f"the rubric ({a['rubric']['name']} and {b['rubric']['name']}, or another version of it)")
    if a.get("prompt") != b.get("prompt"):
        found.append("the prompt")
    if a.get("persona") != b.get("persona"):
        found.append("the persona")
    if a.get("judges") != b.get("judges"):
        names = (", ".join(judge["name"] for judge in plan.get("judges", ())) for plan in (a, b))
        found.append(f"the judges or their settings ({' and '.join(names)})")
    if a.get("repeats") != b.get("repeats"):
        found.append("the number of repeats")
    return tuple(found)


def compare(a: RunOutcomes, b: RunOutcomes, *, across: bool = False) -> Comparison:
    """Compare two runs, case by case.

    Args:
        a: What was before.
        b: What is to be judged against it.
        across: Compare although they were judged differently.

    Raises:
        CommandError: They were judged differently, or under rubrics with nothing in common.
        CannotRunError: They share no judged case.
    """
    from iamhumans.stats import mean_difference, pair, rate_difference, smallest_difference, two_part_difference

    different = differences_of_plans(a.plan, b.plan)
    if different and not across:
        raise CommandError(
            f"Runs {a.name} and {b.name} differ in {' and '.join(different)}: a difference of their figures may be no"
            " difference of the replies.",
            fix="Judge both the same way, or say --across to see it all the same.",
        )
    parts_a, parts_b = a.parts(), b.parts()
    zeroed, rest = pair(parts_a.zeroed, parts_b.zeroed), pair(parts_a.rest, parts_b.rest)
    if not len(zeroed):
        raise CannotRunError(f"Runs {a.name} and {b.name} have no judged case in common.")
    totals = two_part_difference(parts_a, parts_b)
    return Comparison(
        a=a,
        b=b,
        across=different,
        shared=len(zeroed),
        totals=totals,
        passed=rate_difference(pair(a.passed(), b.passed())),
        flags=_flags(a, b),
        axes={
            name: mean_difference(pair(a.axis(name), b.axis(name)))
            for name in a.rubric.axis_ids
            if name in b.rubric.axis_ids
        },
        dimensions={
            name: two_part_difference(parts_a.only(ids), parts_b.only(ids)) for name, ids in a.dimensions.items()
        },
        moved=_moved(pair(parts_a.plain, parts_b.plain), a),
        smallest_rest=smallest_difference(rest, totals.rest),
        smallest_zero_rate=smallest_difference(zeroed, totals.zero_rate),
    )


def _flags(a: RunOutcomes, b: RunOutcomes) -> tuple[FlagChange, ...]:
    from iamhumans.stats import holm, pair, rate_difference

    names = [name for name in a.rubric.hard_fail_ids if name in b.rubric.hard_fail_ids]
    found = {name: rate_difference(pair(a.flag(name), b.flag(name))) for name in names}
    corrected = holm({name: change.test.p_value for name, change in found.items() if change.test is not None})
    return tuple(FlagChange(name, change, corrected.get(name)) for name, change in found.items())


def _moved(pairs: Pairs, a: RunOutcomes) -> tuple[Moved, ...]:
    """The cases that moved most, up or down."""
    rows = zip(pairs.ids, pairs.a.values.tolist(), pairs.b.values.tolist(), strict=True)
    changed = [Moved(case_id, _title(a, case_id), before, after) for case_id, before, after in rows if before != after]
    changed.sort(key=lambda moved: (-abs(moved.total_b - moved.total_a), moved.case_id))
    return tuple(changed[:_MOST_MOVED])


def _title(run: RunOutcomes, case_id: str) -> str:
    return str(run.cases.get(case_id, {}).get("title", ""))
