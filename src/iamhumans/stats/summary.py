"""The headline figures of a set of judgements.

Every rate and mean goes over cases: the judgements of a reply are averaged, then the replies to a case, then the cases.
What a judge cannot see is ``None`` in a judgement. It is left out of the figure, and never counts as 0 or NO.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, nan
from typing import Any, NamedTuple

from iamhumans.verdicts.judgement import FlagAnswer, Judgement


@dataclass(frozen=True, slots=True)
class AxisMean:
    """The mean of a figure, and the number of cases that have one. The mean is ``None`` where no case has."""

    mean: float | None
    cases: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one subject under one judge.

    Rates go from 0 to 1, totals from 0 to 100, axes from 0 to 10. A rate or mean is ``None`` where no judgement has it.

    Attributes:
        asked: The number of judgements that were asked for.
        judged: Those with a verdict.
        unjudged: Those without.
        coverage: Judged / asked.
        cases: The number of cases with a verdict.
        zeroed: The number of judgements with a hard fail.
        zero_rate: The rate of judgements with a hard fail, among those that answer at least one hard fail.
        mean_of_rest: The mean total of the judgements without a hard fail.
        pass_rate: The rate of PASS.
        mean_total: The mean total; zeroed replies count as 0.
        mean_total_confirmed: The mean total without the hard fails that no quote confirms.
        mean_applicable_total: The mean over the axes at stake, of all judged replies; zeroed ones count as their axes say.
        counted: For each of these rates and means the number of cases in it.
        axes: The mean of each axis over the cases in which it was at stake.
        hard_fails: How many judgements answer each hard fail with YES.
        answered: How many judgements answer each hard fail at all.
        unconfirmed: The number of YES that no quote confirms.
        differences: How many stated totals and verdicts do not follow from the judge's answers.
        repaired: The number of judgements whose form was repaired.
        reasons: How many judgements are unjudged for each reason.
    """

    asked: int
    judged: int
    unjudged: int
    coverage: float | None
    cases: int
    zeroed: int
    zero_rate: float | None
    mean_of_rest: float | None
    pass_rate: float | None
    mean_total: float | None
    mean_total_confirmed: float | None
    mean_applicable_total: float | None
    counted: Mapping[str, int]
    axes: Mapping[str, AxisMean]
    hard_fails: Mapping[str, int]
    answered: Mapping[str, int]
    unconfirmed: int
    differences: Mapping[str, int]
    repaired: int
    reasons: Mapping[str, int]


class Tally:
    """Takes judgements one by one and gives their summary.

    Args:
        axis_ids: The ids of the rubric's axes, in order.
        hard_fail_ids: The ids of its hard fails, in order.
        grouped: False where every judgement is a case by itself, such as the rows of a chat log. Memory is then constant.
    """

    def __init__(self, axis_ids: Iterable[str], hard_fail_ids: Iterable[str], *, grouped: bool = True) -> None:
        self._axis_ids = tuple(axis_ids)
        self._hard_fail_ids = tuple(hard_fail_ids)
        self._counts: dict[str, Counter[Any]] = {name: Counter() for name in _COUNTS}
        width = len(_FIGURES) + len(self._axis_ids)
        self._means: _GroupedMeans | _SingleMeans = _GroupedMeans(width) if grouped else _SingleMeans(width)
        self._known_axes: dict[tuple[int, tuple[str, ...] | None], tuple[object, tuple[float, ...]]] = {}
        self._known_flags: dict[int, _Flags] = {}

    def add(self, judgement: Judgement) -> None:
        """Count one judgement."""
        counts = self._counts
        counts["number"]["asked"] += 1
        if judgement.status != "judged":
            if judgement.reason:
                counts["reasons"][judgement.reason] += 1
            return
        flags = self._flags_of(judgement.hard_fails)
        counts["flags"][flags.answered, flags.yes] += 1
        counts["number"]["unconfirmed"] += flags.unconfirmed
        if judgement.repairs:
            counts["number"]["repaired"] += 1
        if judgement.differences:
            counts["differences"].update(judgement.differences)
        total, confirmed, applicable = judgement.total, judgement.total_confirmed, judgement.applicable_total
        figures = (
            flags.zeroed,
            nan if total is None or flags.zeroed != 0 else total,
            nan if judgement.verdict is None else judgement.verdict == "PASS",
            nan if total is None else total,
            nan if confirmed is None else confirmed,
            nan if applicable is None else applicable,
        )
        case = judgement.row if judgement.case_id is None else judgement.case_id
        place = (case, judgement.subject, judgement.number)
        self._means.add(place, figures + self._axes_of(judgement.axes, judgement.defaulted))

    def take(self, other: Tally) -> None:
        """Count everything that another tally has counted.

        Raises:
            TypeError: Only one of the two is grouped.
        """
        self._means.take(other._means)
        for name, counter in other._counts.items():
            self._counts[name].update(counter)

    def summary(self) -> Summary:
        """The figures so far."""
        counts, means = self._counts, self._means.means()
        number, flags = counts["number"], counts["flags"]
        figures = dict(zip(_FIGURES, means, strict=False))
        asked, judged = number["asked"], flags.total()
        return Summary(
            asked=asked,
            judged=judged,
            unjudged=asked - judged,
            coverage=judged / asked if asked else None,
            cases=self._means.cases,
            zeroed=sum(count for (_, yes), count in flags.items() if yes),
            counted={name: figure.cases for name, figure in figures.items()},
            axes=dict(zip(self._axis_ids, means[len(_FIGURES) :], strict=True)),
            hard_fails={
                name: sum(count for (_, yes), count in flags.items() if name in yes) for name in self._hard_fail_ids
            },
            answered={
                name: sum(count for (answered, _), count in flags.items() if name in answered)
                for name in self._hard_fail_ids
            },
            unconfirmed=number["unconfirmed"],
            differences={name: counts["differences"][name] for name in ("total", "verdict")},
            repaired=number["repaired"],
            reasons=dict(sorted(counts["reasons"].items())),
            **{name: figure.mean for name, figure in figures.items()},
        )

    def _axes_of(self, axes: Mapping[str, float | None] | None, defaulted: tuple[str, ...] | None) -> tuple[float, ...]:
        """The axes at stake in the order of the rubric. Judgements often share a mapping, so it is read once."""
        known = self._known_axes.get((id(axes), defaulted))
        if known is None:
            if len(self._known_axes) >= _MAX_KNOWN:
                self._known_axes.clear()
            values = {name: value for name, value in (axes or {}).items() if name not in (defaulted or ())}
            numbers = tuple([nan if (value := values.get(name)) is None else value for name in self._axis_ids])
            # The mapping is held, so that no other one gets its id.
            known = self._known_axes[id(axes), defaulted] = (axes, numbers)
        return known[1]

    def _flags_of(self, hard_fails: Mapping[str, FlagAnswer] | None) -> _Flags:
        known = self._known_flags.get(id(hard_fails))
        if known is None:
            if len(self._known_flags) >= _MAX_KNOWN:
                self._known_flags.clear()
            known = self._known_flags[id(hard_fails)] = _Flags.of(hard_fails)
        return known


class _Flags(NamedTuple):
    """What one mapping of hard fails says. ``zeroed`` is 1 or 0, or NaN where no hard fail is answered."""

    source: Mapping[str, FlagAnswer] | None
    answered: tuple[str, ...]
    yes: tuple[str, ...]
    unconfirmed: int
    zeroed: float

    @classmethod
    def of(cls, hard_fails: Mapping[str, FlagAnswer] | None) -> _Flags:
        answers = (hard_fails or {}).items()
        answered = tuple([name for name, flag in answers if flag.present is not None])
        yes = tuple([name for name, flag in answers if flag.present])
        unconfirmed = sum(flag.confirmed is False for _, flag in answers)
        known = answered or hard_fails == {}
        return cls(hard_fails, answered, yes, unconfirmed, float(bool(yes)) if known else nan)


_COUNTS = ("number", "flags", "differences", "reasons")
_FIGURES = ("zero_rate", "mean_of_rest", "pass_rate", "mean_total", "mean_total_confirmed", "mean_applicable_total")
"""The figures of a summary that are means over cases, in the order of :meth:`Tally.add`."""
_MAX_KNOWN = 1_000
_Place = tuple[str | int, str, int]
"""The case, or the row of a reply without one; the subject; the number of the reply."""


class _SingleMeans:
    """Means of figures where every judgement is a case by itself. NaN is no value."""

    def __init__(self, width: int) -> None:
        self.cases = 0
        self._sums = [0.0] * width
        self._numbers = [0] * width

    def add(self, place: _Place, values: Sequence[float]) -> None:
        del place
        self.cases += 1
        for column, value in enumerate(values):
            if value == value:
                self._sums[column] += value
                self._numbers[column] += 1

    def take(self, other: _SingleMeans | _GroupedMeans) -> None:
        if not isinstance(other, _SingleMeans):
            raise TypeError("A tally that is not grouped cannot take a grouped one.")
        self.cases += other.cases
        self._sums = [mine + theirs for mine, theirs in zip(self._sums, other._sums, strict=True)]
        self._numbers = [mine + theirs for mine, theirs in zip(self._numbers, other._numbers, strict=True)]

    def means(self) -> list[AxisMean]:
        pairs = zip(self._sums, self._numbers, strict=True)
        return [AxisMean(total / number if number else None, number) for total, number in pairs]


class _GroupedMeans:
    """Means over cases of means over replies of means over judgements. NaN is no value.

    A hundred thousand judgements of a dozen figures take about ten megabytes.
    """

    def __init__(self, width: int) -> None:
        self._cases: dict[str | int, int] = {}
        self._replies: dict[_Place, int] = {}
        self._case_of_reply = array("l")
        self._reply_of_judgement = array("l")
        self._width = width
        self._values = array("d")
        """All figures of the first judgement, then of the second, and so on."""

    @property
    def cases(self) -> int:
        return len(self._cases)

    def add(self, place: _Place, values: Sequence[float]) -> None:
        self._reply_of_judgement.append(self._reply(place))
        self._values.extend(values)

    def take(self, other: _SingleMeans | _GroupedMeans) -> None:
        if not isinstance(other, _GroupedMeans):
            raise TypeError("A grouped tally cannot take one that is not grouped.")
        replies = [self._reply(place) for place in other._replies]
        self._reply_of_judgement.extend(map(replies.__getitem__, other._reply_of_judgement))
        self._values.extend(other._values)

    def means(self) -> list[AxisMean]:
        return [self._mean(self._values[column :: self._width]) for column in range(self._width)]

    def _reply(self, place: _Place) -> int:
        reply = self._replies.setdefault(place, len(self._replies))
        if reply == len(self._case_of_reply):
            self._case_of_reply.append(self._cases.setdefault(place[0], len(self._cases)))
        return reply

    def _mean(self, column: array[float]) -> AxisMean:
        replies = _means_by(column, self._reply_of_judgement, len(self._replies))
        cases = [value for value in _means_by(replies, self._case_of_reply, len(self._cases)) if value == value]
        return AxisMean(fsum(cases) / len(cases) if cases else None, len(cases))


def _means_by(values: Sequence[float], groups: Sequence[int], count: int) -> Sequence[float]:
    """The mean of each group; NaN is no value, and the mean of a group without one."""
    if count == len(values):
        return values  # Groups are numbered as they first appear, so each has one value, in the same order.
    sums, numbers = [0.0] * count, [0] * count
    for value, group in zip(values, groups, strict=True):
        if value == value:
            sums[group] += value
            numbers[group] += 1
    return [total / number if number else nan for total, number in zip(sums, numbers, strict=True)]
