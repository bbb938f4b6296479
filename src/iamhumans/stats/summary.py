"""The headline figures of a set of judgements.

Every rate and mean goes over cases: the replies to a case are averaged, then the cases. A reply with several votes is
counted as what they come to.
A reply without a case, as in a log, is a case by itself.
What a judge cannot see is ``None`` in a judgement. A figure that needs it is not given; it never counts as 0 or NO.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, nan
from operator import add
from typing import TYPE_CHECKING, Any

from iamhumans.stats.estimate import Estimate

if TYPE_CHECKING:  # Counting needs none of what reads verdicts.
    from iamhumans.verdicts import Judgement


@dataclass(frozen=True, slots=True)
class AxisMean:
    """The mean of a figure, and the number of cases that have one. The mean is ``None`` where no case has."""

    mean: float | None
    cases: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one subject under one judge.

    Rates go from 0 to 1, totals from 0 to 100, axes from 0 to 10. What was asked and how answers were read is counted
    over judgements, what they say over replies: of several votes on a reply, what they come to. The zero
    rate is ``None`` where a hard fail is ``unseen``, an axis where it is itself, and every other rate and mean where
    anything is. The flagged rate is always given.
    """

    asked: int
    judged: int
    unjudged: int
    judged_rate: float | None  # judged / asked
    replies_asked: int
    replies_judged: int  # of several votes on a reply, more than half must be there
    cases: int  # replies without a case are cases by themselves
    clusters: int  # conversations of replies without a case, over which their intervals go; 0 where there are cases
    unseen: tuple[str, ...]  # the axes and hard fails that the judge could not see in some judgement
    zeroed: int  # the replies with a total of 0
    flagged_rate: float | None  # of a YES, by the criteria that the judge sees
    zero_rate: float | None  # the same where it sees every hard fail
    mean_of_rest: float | None  # over the replies that are not zeroed
    pass_rate: float | None
    mean_total: float | None  # zeroed replies count as 0
    mean_total_confirmed: float | None  # only those with a confirmed quote count as 0
    mean_applicable_total: float | None  # by the axes at stake, whatever the hard fails
    counted: Mapping[str, int]  # over how many cases each rate and mean goes
    # the same rates and means, and each axis, with their intervals
    estimates: Mapping[str, Estimate] = field(compare=False)
    # the lowest and the highest value of each rate and total with the unjudged replies; empty where there are none
    with_unjudged: Mapping[str, tuple[float, float]]
    axes: Mapping[str, AxisMean]  # over the cases in which an axis was at stake
    hard_fails: Mapping[str, int]  # the replies in which each hard fail is present
    answered: Mapping[str, int]  # the replies in which each hard fail is answered
    unconfirmed: int  # the YES that no quote confirms
    differences: Mapping[str, int]  # the stated totals and verdicts that do not follow from the answers
    repaired: int  # the answers whose form was repaired
    reasons: Mapping[str, int]


class Tally:
    """Counts replies. Without ``grouped`` each is a case by itself, as in a chat log, and memory is constant."""

    def __init__(self, axis_ids: Iterable[str], hard_fail_ids: Iterable[str], *, grouped: bool = True) -> None:
        self._axis_ids = tuple(axis_ids)
        self._hard_fail_ids = tuple(hard_fail_ids)
        width = len(_FIGURES) + len(self._axis_ids)
        self.means: _GroupedMeans | _SingleMeans = _GroupedMeans(width) if grouped else _SingleMeans(width)
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in _COUNTS}
        self._axes: dict[tuple[int, tuple[str, ...] | None], tuple[object, tuple[float, ...]]] = {}
        self._flags: dict[int, _Flags] = {}
        self._unseen: set[str] = set()

    def add(self, judgement: Judgement) -> None:
        """Count a reply with one judgement."""
        if judgement.status != "judged":
            self._miss(judgement)
            self._add_unjudged(judgement)
            return
        self._add_form(judgement)
        self._add_verdict(judgement)

    def add_reply(self, combined: Judgement, votes: Iterable[Judgement]) -> None:
        """Count a reply with several votes: what was asked vote by vote, and what they come to."""
        judged = 0
        for one in votes:
            if one.status == "judged":
                judged += 1
                self._add_form(one)
            else:
                self._add_unjudged(one)
        if combined.status == "judged":
            self._add_verdict(combined)
            judged -= 1  # which is counted with the verdict
        else:
            self._miss(combined)
        self.counts["numbers"]["judged"] += judged

    def _miss(self, judgement: Judgement) -> None:
        """Count a reply without a verdict."""
        self.counts["numbers"]["no_reply"] += 1
        self.means.miss(_case_of(judgement))

    def _add_unjudged(self, judgement: Judgement) -> None:
        self.counts["numbers"]["unjudged"] += 1
        if judgement.reason:
            self.counts["reasons"][judgement.reason] += 1

    def _add_form(self, judgement: Judgement) -> None:
        if judgement.repairs:
            self.counts["numbers"]["repaired"] += 1
        if judgement.differences:
            self.counts["differences"].update(judgement.differences)

    def _add_verdict(self, judgement: Judgement) -> None:
        flags = self._flags.get(id(judgement.hard_fails))
        if flags is None:
            if len(self._flags) >= _MAX_KNOWN:
                self.count_flags()
            flags = self._flags[id(judgement.hard_fails)] = _Flags(judgement)
        flags.times += 1
        total, confirmed, applicable = judgement.total, judgement.total_confirmed, judgement.applicable_total
        figures = (
            flags.zeroed,
            flags.zeroed,
            nan if total is None or flags.zeroed else total,
            nan if judgement.verdict is None else judgement.verdict == "PASS",
            nan if total is None else total,
            nan if confirmed is None else confirmed,
            nan if applicable is None else applicable,
        )
        place = (_case_of(judgement), judgement.subject, judgement.number)
        self.means.add(place, figures + self._axes_of(judgement.axes, judgement.defaulted), judgement.cluster)

    def take(self, other: Tally) -> None:
        """Count everything that another tally has counted; TypeError where only one of the two is grouped."""
        if type(self.means) is not type(other.means):
            raise TypeError("A grouped tally and one that is not grouped cannot be added.")
        self.means.take(other.means)
        other.count_flags()
        self._unseen |= other._unseen
        for name, counter in other.counts.items():
            self.counts[name].update(counter)

    def summary(self) -> Summary:
        """The figures so far."""
        self.count_flags()
        counts, means = self.counts, self._seen(self.means.means())
        figures = dict(zip(_FIGURES, means, strict=False))
        numbers, asked = counts["numbers"], counts["numbers"]["judged"] + counts["numbers"]["unjudged"]
        return Summary(
            asked=asked,
            judged=numbers["judged"],
            unjudged=numbers["unjudged"],
            judged_rate=numbers["judged"] / asked if asked else None,
            replies_asked=numbers["replies"] + numbers["no_reply"],
            replies_judged=numbers["replies"],
            zeroed=numbers["zeroed"],
            unseen=tuple([name for name in (*self._axis_ids, *self._hard_fail_ids) if name in self._unseen]),
            unconfirmed=numbers["unconfirmed"],
            repaired=numbers["repaired"],
            cases=self.means.cases,
            clusters=self.means.clusters,
            estimates=self._seen_estimates(),
            with_unjudged=self._with_unjudged(),
            counted={name: figure.cases for name, figure in figures.items()},
            axes=dict(zip(self._axis_ids, means[len(_FIGURES) :], strict=True)),
            hard_fails={name: counts["hard_fails"][name] for name in self._hard_fail_ids},
            answered={name: counts["answered"][name] for name in self._hard_fail_ids},
            differences={name: counts["differences"][name] for name in _DIFFERENCES},
            reasons=dict(sorted(counts["reasons"].items())),
            **{name: figure.mean for name, figure in figures.items()},
        )

    def _seen_estimates(self) -> Mapping[str, Estimate]:
        from iamhumans.stats.headline import NOT_COVERED

        blind = self._blind()
        found = self.means.estimates(self._axis_ids)
        return {name: NOT_COVERED if blind[name] else estimate for name, estimate in found.items()}

    def _with_unjudged(self) -> Mapping[str, tuple[float, float]]:
        """The bounds of a complete run (Manski 2003): each unjudged reply counts as the lowest or the highest value."""
        blind = self._blind()
        if not self.means.missed:
            return {}
        tops = {name: top for name, top in _TOPS.items() if not blind[name]}
        return {name: self.means.ends(_FIGURES.index(name), top) for name, top in tops.items()}

    def _seen(self, means: list[AxisMean]) -> list[AxisMean]:
        """The means, without those that need what the judge cannot see."""
        return [AxisMean(None, 0) if no else mean for mean, no in zip(means, self._blind().values(), strict=True)]

    def _blind(self) -> dict[str, bool]:
        """Whether each figure and axis needs what the judge cannot see."""
        some, hard_fail = bool(self._unseen), not self._unseen.isdisjoint(self._hard_fail_ids)
        blind = dict.fromkeys(_FIGURES, some) | {"zero_rate": hard_fail, "flagged_rate": False}
        return blind | {name: name in self._unseen for name in self._axis_ids}

    def _axes_of(self, axes: Mapping[str, float | None] | None, defaulted: tuple[str, ...] | None) -> tuple[float, ...]:
        """The axes at stake in the order of the rubric. Judgements share mappings, so each mapping is read once."""
        known = self._axes.get((id(axes), defaulted))
        if known is None:
            if len(self._axes) >= _MAX_KNOWN:
                self._axes.clear()
            scores = {name: score for name, score in (axes or {}).items() if name not in (defaulted or ())}
            values = [nan if (score := scores.get(name)) is None else score for name in self._axis_ids]
            self._unseen.update([name for name, score in (axes or {}).items() if score is None])
            # The mapping is held, so that no other one gets its id.
            known = self._axes[id(axes), defaulted] = (axes, tuple(values))
        return known[1]

    def count_flags(self) -> None:
        """Count the hard fails of all judgements so far."""
        for flags in self._flags.values():
            self._unseen.update(flags.unseen)
            numbers = {"judged": 1, "replies": 1, "zeroed": flags.zeroed == 1, "unconfirmed": flags.unconfirmed}
            for name, names in (("numbers", numbers), ("answered", flags.answered), ("hard_fails", flags.yes)):
                self.counts[name].update({one: count * flags.times for one, count in names.items()})
        self._flags.clear()


class _Flags:
    """What one mapping of hard fails says, and how many replies have it."""

    __slots__ = ("answered", "source", "times", "unconfirmed", "unseen", "yes", "zeroed")

    def __init__(self, judgement: Judgement) -> None:
        self.source = judgement.hard_fails
        answers = (judgement.hard_fails or {}).items()
        self.answered = {name: 1 for name, flag in answers if flag.present is not None}
        self.unseen = [name for name, flag in answers if flag.present is None]
        self.yes = {name: 1 for name, flag in answers if flag.present}
        self.unconfirmed = sum(bool(flag.present) and flag.confirmed is False for _, flag in answers)
        self.zeroed = float(bool(judgement.zeroed))
        self.times = 0


_COUNTS = ("numbers", "answered", "hard_fails", "differences", "reasons")
_DIFFERENCES = ("total", "total_without_na", "verdict")
_FIGURES = (
    *("flagged_rate", "zero_rate", "mean_of_rest", "pass_rate", "mean_total", "mean_total_confirmed"),
    "mean_applicable_total",
)
"""The figures of a summary that are means over cases, in the order of :meth:`Tally.add`."""
_TOPS = {"flagged_rate": 1.0, "zero_rate": 1.0, "pass_rate": 1.0, "mean_total": 100.0, "mean_applicable_total": 100.0}
"""The highest value of the figures that each reply has; the lowest is 0."""
_MAX_KNOWN = 1_000
_Place = tuple[str | int, str, int]  # the case, or the row of a reply without one; the subject; the number of the reply


def _case_of(judgement: Judgement) -> str | int:
    """The case. A reply that belongs to a cluster has none: each counts the same."""
    return judgement.row if judgement.case_id is None or judgement.cluster else judgement.case_id


class _SingleMeans:
    """Means of figures where every judgement is a case by itself. NaN is no value."""

    def __init__(self, width: int) -> None:
        self.cases = 0
        self.sums = [0.0] * width
        self.squares = [0.0] * width
        self.clusters = 0
        self.clustered = False
        self.numbers = [0] * width
        self.missed = 0  # how many replies have no verdict

    def miss(self, case: str | int) -> None:
        """Count a reply without a verdict."""
        del case
        self.missed += 1

    def add(self, place: _Place, values: Sequence[float], cluster: str = "") -> None:
        del place
        self.clustered = self.clustered or bool(cluster)
        self.cases += 1
        for column, value in enumerate(values):
            if value == value:
                self.sums[column] += value
                self.squares[column] += value * value
                self.numbers[column] += 1

    def take(self, other: Any) -> None:
        self.cases += other.cases
        self.clustered = self.clustered or other.clustered
        self.sums = list(map(add, self.sums, other.sums))
        self.squares = list(map(add, self.squares, other.squares))
        self.numbers = list(map(add, self.numbers, other.numbers))
        self.missed += other.missed

    def ends(self, column: int, top: float) -> tuple[float, float]:
        """The mean with each unjudged reply as 0, and as the highest value."""
        asked = self.numbers[column] + self.missed
        return self.sums[column] / asked, (self.sums[column] + top * self.missed) / asked

    def estimates(self, axis_ids: Sequence[str]) -> Mapping[str, Estimate]:
        from iamhumans.stats.headline import estimates_of_moments

        moments = dict(
            zip((*_FIGURES, *axis_ids), zip(self.numbers, self.sums, self.squares, strict=True), strict=True)
        )
        return estimates_of_moments(moments, axis_ids, clustered=self.clustered)

    def means(self) -> list[AxisMean]:
        pairs = zip(self.sums, self.numbers, strict=True)
        return [AxisMean(total / number if number else None, number) for total, number in pairs]


class _GroupedMeans:
    """Means over cases of means over replies. NaN is no value."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.replies: dict[_Place, int] = {}
        self.case_numbers: dict[str | int, int] = {}
        self.case_of_reply = array("l")
        self.cluster_numbers: dict[str, int] = {}
        self.cluster_of_case: dict[int, int] = {}
        self.reply_of_judgement = array("l")
        self.values = array("d")  # All figures of the first judgement, then of the second, and so on.
        self.missed: Counter[str | int] = Counter()  # the replies without a verdict, by case

    def miss(self, case: str | int) -> None:
        """Count a reply without a verdict."""
        self.missed[case] += 1

    @property
    def cases(self) -> int:
        return len(self.case_numbers)

    @property
    def clusters(self) -> int:
        return len(self.cluster_numbers)

    def add(self, place: _Place, values: Sequence[float], cluster: str = "") -> None:
        reply = self._reply(place)
        self.reply_of_judgement.append(reply)
        if cluster:
            number = self.cluster_numbers.setdefault(cluster, self.clusters)
            self.cluster_of_case[self.case_of_reply[reply]] = number
        self.values.extend(values)

    def take(self, other: Any) -> None:
        replies = [self._reply(place) for place in other.replies]
        names = list(other.cluster_numbers)
        new_cases = {old: self.case_of_reply[reply] for old, reply in zip(other.case_of_reply, replies, strict=True)}
        for old, cluster in other.cluster_of_case.items():
            self.cluster_of_case[new_cases[old]] = self.cluster_numbers.setdefault(names[cluster], self.clusters)
        self.reply_of_judgement.extend(map(replies.__getitem__, other.reply_of_judgement))
        self.values.extend(other.values)
        self.missed.update(other.missed)

    def ends(self, column: int, top: float) -> tuple[float, float]:
        """The figure with each unjudged reply as 0, and as the highest value."""
        sums, counts = dict.fromkeys(self.missed, 0.0), dict(self.missed)
        replies = _means_by(self.values[column :: self.width], self.reply_of_judgement, len(self.replies))
        names = list(self.case_numbers)
        for value, case in zip(replies, map(names.__getitem__, self.case_of_reply), strict=True):
            if value == value:
                sums[case] = sums.get(case, 0.0) + value
                counts[case] = counts.get(case, 0) + 1
        if self.cluster_of_case:  # each reply counts the same
            asked = sum(counts.values())
            return fsum(sums.values()) / asked, (fsum(sums.values()) + top * self.missed.total()) / asked
        low = fsum(total / counts[case] for case, total in sums.items()) / len(sums)
        return low, low + top * fsum(count / counts[case] for case, count in self.missed.items()) / len(sums)

    def means(self) -> list[AxisMean]:
        found = []
        for column in range(self.width):
            replies = _means_by(self.values[column :: self.width], self.reply_of_judgement, len(self.replies))
            cases = [value for value in _means_by(replies, self.case_of_reply, self.cases) if value == value]
            found.append(AxisMean(fsum(cases) / len(cases) if cases else None, len(cases)))
        return found

    def estimates(self, axis_ids: Sequence[str]) -> Mapping[str, Estimate]:
        from iamhumans.stats.headline import headline_estimates

        # With clusters, the figure goes over replies and its error over clusters.
        groups, count = self.case_of_reply, self.cases
        if self.cluster_of_case:
            groups, count = self._clusters()
        sizes = (self.width, len(self.replies), count)
        codes = (self.reply_of_judgement, groups)
        names = (*_FIGURES, *axis_ids)
        return headline_estimates(self.values, codes, sizes, names, axis_ids, by_reply=bool(self.cluster_of_case))

    def _clusters(self) -> tuple[array[int], int]:
        """The cluster of each reply, and how many there are. A case without one is a cluster by itself."""
        number_of, count = dict(self.cluster_of_case), self.clusters
        for case in self.case_of_reply:
            if case not in number_of:
                number_of[case], count = count, count + 1
        return array("l", map(number_of.__getitem__, self.case_of_reply)), count

    def _reply(self, place: _Place) -> int:
        reply = self.replies.setdefault(place, len(self.replies))
        if reply == len(self.case_of_reply):
            self.case_of_reply.append(self.case_numbers.setdefault(place[0], self.cases))
        return reply


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
