"""What a calibration says, in sentences for somebody who never took statistics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from iamhumans.reports import words
from iamhumans.reports.figure_tables import listed, number, rate_with_interval, with_interval
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.trust.agreement import Criterion
    from iamhumans.trust.calibration import Calibration

ENOUGH_YES = 5
"""With fewer replies that people say YES to, nobody can tell what a judge misses."""


def in_short(calibration: Calibration) -> Iterator[str]:
    """A few sentences: what the judge finds and misses, how its scores lie, where nothing can be said yet."""
    yield from _hard_fails(calibration)
    zeroed = calibration.criterion("zeroed")
    if zeroed is not None and zeroed.compared:
        yield from _zeroed(calibration, zeroed)
    axes = [one for one in calibration.criteria if one.kind == "axis" and one.compared]
    yield from _offset(axes)
    yield from _order(axes)


def yes_of_people(calibration: Calibration, one: Criterion) -> int:
    """To how many of the compared replies people say YES; of pooled hard fails, to how many of their answers."""
    if one.kind == "pooled_hard_fails":
        flags = (flag for flag in calibration.criteria if flag.kind == "hard_fail")
        return sum(yes_of_people(calibration, flag) for flag in flags)
    if one.kind == "zeroed":
        return sum(pair.people.zeroed is True and pair.judge.zeroed is not None for pair in calibration.pairs)
    return sum(
        pair.people.flags.get(one.name) is True and pair.judge.flags.get(one.name) is not None
        for pair in calibration.pairs
    )


def _hard_fails(calibration: Calibration) -> Iterator[str]:
    flags = [one for one in calibration.criteria if one.kind == "hard_fail" and one.compared]
    told = [one for one in flags if yes_of_people(calibration, one) >= ENOUGH_YES]
    if not flags:
        return
    if told:
        found = sorted(told, key=lambda one: one.against_people["sensitivity"].value or 0.0)
        shares = [f"{_plain(one)} {rate_with_interval(one.against_people['sensitivity'])}" for one in found]
        yield f"Of what people say YES to, the judge finds, the least first: {'; '.join(shares)}."
    untold = [_plain(one) for one in flags if one not in told]
    if untold and not told:
        yield (
            f"Of no single hard fail is it known what the judge misses: people say YES to fewer than {ENOUGH_YES} of"
            " these replies."
        )
    elif untold:
        yield (
            f"What it misses is not known of {listed(untold)}: people say YES to fewer than {ENOUGH_YES} of these"
            " replies."
        )


def _zeroed(calibration: Calibration, zeroed: Criterion) -> Iterator[str]:
    yes, found = yes_of_people(calibration, zeroed), zeroed.against_people
    count = words.counted(zeroed.compared, "reply", "replies")
    if not yes:
        yield f"People zero none of {count}, so what the judge lets through is not known."
    else:
        yield f"Of {yes} of {count} that people zero, the judge zeroes {rate_with_interval(found['sensitivity'])}."
    if yes < zeroed.compared:
        spared = f"Of the {zeroed.compared - yes} that people let stand, it lets stand"
        yield f"{spared} {rate_with_interval(found['specificity'])}."
    between = zeroed.between_people["kappa"]
    if between.value is not None and found["kappa"].value is not None:
        yield (
            f"On zeroing, kappa (0 is chance, 1 is full agreement) is {with_interval(between)} from person to person"
            f" and {with_interval(found['kappa'])} from judge to people."
        )


def _offset(axes: list[Criterion]) -> Iterator[str]:
    """On which axes the judge is shown to give more than people, or less."""
    for kinder, said in ((True, "more"), (False, "less")):
        shown = []
        for one in axes:
            bias = one.against_people["bias"]
            if bias.low is not None and bias.high is not None and (bias.low > 0 if kinder else bias.high < 0):
                shown.append(f"{_plain(one)} {number(bias.value, 1, sign=True)}")
        if shown:
            yield f"It is shown to give {said} points than people on {', '.join(shown)}."


def _order(axes: list[Criterion]) -> Iterator[str]:
    """On which axes the judge is shown to put replies in people's order."""
    shown, not_shown, reversed_ = [], [], []
    for one in axes:
        rank = one.against_people["spearman"]
        if rank.low is not None and rank.low > 0:
            shown.append(f"{_plain(one)} {number(rank.value)}")
        elif rank.high is not None and rank.high < 0:
            reversed_.append(f"{_plain(one)} {number(rank.value)}")
        else:
            not_shown.append(_plain(one))
    if shown:
        yield f"It is shown to put replies in an order like people's on {', '.join(shown)} (1 is the same order)."
    if reversed_:
        yield f"It is shown to put them the other way round on {', '.join(reversed_)}."
    if not_shown:
        yield f"That it follows people's order is not shown on {listed(not_shown)}."


def _plain(one: Criterion) -> str:
    return one_line(one.name, 60)
