"""Figures of a run by case, over the judged replies or over all that were asked for.

A judge may refuse bad replies more often than good ones, so the judged replies alone can look too good. ``unjudged`` is
what a reply without a verdict counts as. The figure with the unjudged as the worst and the figure with them as the best
bound what a complete run would have shown (Manski 2003).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import Combined

if TYPE_CHECKING:
    from iamhumans.stats import CaseValues, Pairs

TOP = 100.0
Value = Callable[[Combined], float]


def by_case(
    run: RunOutcomes, value: Value, *, unjudged: float | None = None, ids: Collection[str] | None = None
) -> CaseValues:
    """The mean of a value by case, over the replies to all cases or to those with these ``ids``.

    Without ``unjudged`` only judged replies count. Otherwise each reply without a verdict counts as that value; one
    that was never reached is a case by itself, unless cases are named.
    """
    from iamhumans.stats import Cases

    run = run if ids is None else run.only(ids)
    if unjudged is None:
        return run.by_case.means([value(one) for _, one in run.judged])
    by_reply = bool(run.judged) and all(reply.cluster for reply, _ in run.judged)
    cases = [reply.cluster if by_reply else reply.case_id for reply in run.replies]
    found = (reply.combined for reply in run.replies)
    values = [value(one) if isinstance(one, Combined) else unjudged for one in found]
    for place in range(run.asked - len(run.replies) if ids is None else 0):
        cases.append(f"\0not reached {place}")
        values.append(unjudged)
    return Cases.of(cases, by_reply=by_reply).means(values)


def unjudged_of(run: RunOutcomes, ids: Collection[str] | None = None) -> int:
    """How many replies have no verdict, of all or of these cases."""
    if ids is None:
        return max(0, run.asked - len(run.judged))
    return sum(reply.case_id in ids and not isinstance(reply.combined, Combined) for reply in run.replies)


def paired(
    a: RunOutcomes, b: RunOutcomes, value: Value, ids: Collection[str], unjudged: tuple[float, float] | None = None
) -> Pairs:
    """A value by case in two runs; ``unjudged`` is what a reply without a verdict counts as in A and in B."""
    from iamhumans.stats import pair

    of_a, of_b = (None, None) if unjudged is None else unjudged
    return pair(by_case(a, value, unjudged=of_a, ids=ids), by_case(b, value, unjudged=of_b, ids=ids))


def of_dimension(run: RunOutcomes, name: str) -> frozenset[str]:
    """The cases of a dimension, judged or not."""
    return frozenset(case_id for case_id, facts in run.cases.items() if name in facts.dimensions)


def total(one: Combined) -> float:
    """The total. The judge must see every criterion."""
    return float(one.total or 0)


def zeroed(one: Combined) -> float:
    """Whether the reply is zeroed."""
    return float(one.zeroed)


def passed(one: Combined) -> float:
    """Whether the reply passes."""
    return float(one.outcome == "PASS")


def quality(one: Combined) -> float:
    """The total by the axes at stake, whatever the hard fails. The judge must see every axis.

    A reply on which no axis is at stake has no fault there.
    """
    return TOP if one.applicable_total is None else float(one.applicable_total)
