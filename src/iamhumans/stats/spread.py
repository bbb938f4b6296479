"""How far repeats of a judge differ, and what part of the variance is of cases, replies and repeats."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

from iamhumans.stats.estimate import LEVEL

if TYPE_CHECKING:
    from iamhumans.stats.components import Components
    from iamhumans.stats.estimate import Estimate
    from iamhumans.verdicts import Judgement


@dataclass(frozen=True, slots=True)
class Buy:
    """What more judgements would buy: half the width of the 95 % interval of a mean over cases, about.

    Attributes:
        what: ``now``, ``case``, ``reply`` (one more to each case), ``repeat`` (one more of each reply), or
            ``cases_instead``: new cases for the judgements that one more reply to each case takes.
        more: How many of them: cases, or 1 for a reply or a repeat.
        judgements: How many more judgements that takes.
        quality, zero_rate: The half width, in points and from 0 to 1; ``None`` where it cannot be told.
    """

    what: str
    more: int
    judgements: int
    quality: float | None
    zero_rate: float | None


@dataclass(frozen=True, slots=True)
class SpreadFigures:
    """How steady one judge is on the replies of one subject.

    Attributes:
        asked: The replies that were to be judged more than once; ``judged`` those with two verdicts or more.
        zero_flips: The share of these replies whose zero differs between repeats.
        verdict_flips: How often two verdicts on one of these replies differ, PASS and FAIL.
        quality: The variance of the total by the axes at stake, in squared points.
        zeroed: The variance of whether a reply is zeroed.
        buys: What more of each would buy.
    """

    subject: str
    judge: str
    asked: int
    judged: int
    zero_flips: Estimate
    verdict_flips: Estimate
    quality: Components | None
    zeroed: Components | None
    buys: tuple[Buy, ...]


class Spread:
    """Collects judgements, in the order of their replies."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], _Group] = {}

    def watch(self, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
        """The same judgements, each noted as it passes."""
        groups = self._groups
        for one in judgements:
            key = one.subject, one.judge
            group = groups.get(key)
            if group is None:
                group = groups[key] = _Group()
            group.add(one)
            yield one

    def figures(self) -> tuple[SpreadFigures, ...]:
        """The figures of each subject and judge of which cases have several replies, or replies several judgements."""
        return tuple(group.figures(*names) for names, group in self._groups.items() if group.several)


class _Group:
    """The judgements of one subject by one judge; NaN is no value."""

    __slots__ = ("cases", "codes", "quality", "rows", "several", "verdicts", "zeroed")

    def __init__(self) -> None:
        self.cases: dict[str | int, int] = {}
        self.codes, self.rows = array("l"), array("l")
        self.quality, self.zeroed, self.verdicts = array("d"), array("d"), array("d")
        self.several = False

    def add(self, one: Judgement) -> None:
        case = one.row if one.case_id is None or one.cluster else one.case_id
        code = self.cases.setdefault(case, len(self.cases))
        self.several = self.several or code < len(self.cases) - 1 or one.number > 1 or one.repeat > 1
        self.codes.append(code)
        self.rows.append(one.row)
        if one.status != "judged":
            self.quality.append(nan)
            self.zeroed.append(nan)
            self.verdicts.append(nan)
            return
        total, applicable = one.total, one.applicable_total
        self.quality.append(nan if applicable is None else applicable)
        # A YES always makes the total 0; without every criterion there is no other total.
        self.zeroed.append(nan if total is None else float(total == 0 and bool(one.present)))
        self.verdicts.append(nan if one.verdict is None else float(one.verdict == "PASS"))

    def figures(self, subject: str, judge: str) -> SpreadFigures:
        import numpy as np

        rows, codes = np.asarray(self.rows), np.asarray(self.codes)
        quality, zeroed, verdicts = (np.asarray(one) for one in (self.quality, self.zeroed, self.verdicts))
        _, of_row, asked = np.unique(rows, return_inverse=True, return_counts=True)
        case_of_row = np.zeros(len(asked), dtype=np.intp)
        case_of_row[of_row] = codes
        judged = np.bincount(of_row, weights=~np.isnan(zeroed), minlength=len(asked))
        parts = [_components(values, codes, rows) for values in (quality, zeroed)]
        return SpreadFigures(
            subject,
            judge,
            int(np.count_nonzero(asked > 1)),
            int(np.count_nonzero(judged > 1)),
            _flips(zeroed, of_row, case_of_row, whole=True),
            _flips(verdicts, of_row, case_of_row, whole=False),
            parts[0],
            parts[1],
            tuple(_buys(parts[0], parts[1])),
        )


def _components(values: Any, codes: Any, rows: Any) -> Components | None:
    import numpy as np

    from iamhumans.stats.components import variance_components

    there = ~np.isnan(values)
    if not there.any():
        return None
    return variance_components(values[there], codes[there].tolist(), rows[there].tolist())


def _flips(values: Any, of_row: Any, case_of_row: Any, *, whole: bool) -> Estimate:
    """The share of replies whose repeats differ (``whole``), or the mean share of pairs of repeats that differ."""
    import numpy as np

    from iamhumans.stats.cases import Cases
    from iamhumans.stats.intervals import rate_of

    there = ~np.isnan(values)
    count = np.bincount(of_row[there], minlength=len(case_of_row))
    ones = np.bincount(of_row[there], weights=values[there], minlength=len(case_of_row))
    several = count > 1
    count, ones = count[several], ones[several]
    pairs = 2 * ones * (count - ones) / (count * (count - 1))
    shares = (pairs > 0).astype(float) if whole else pairs
    return rate_of(Cases.of([str(code) for code in case_of_row[several].tolist()]).means(shares.tolist()))


def _buys(quality: Components | None, zeroed: Components | None) -> Iterator[Buy]:
    known = quality or zeroed
    if known is None or known.case is None:
        return
    replies, repeats, cases = known.replies, known.repeats, known.cases
    for_reply = round(cases * repeats)
    instead = max(1, round(cases / replies))
    each = {
        "now": (0, 0),
        "repeat": (1, round(cases * replies)),
        "reply": (1, for_reply),
        "case": (1, round(replies * repeats)),
        "cases_instead": (instead, for_reply),
    }
    for what, (more, judgements) in each.items():
        yield Buy(what, more, judgements, _half_width(quality, what, more), _half_width(zeroed, what, more))


def _half_width(found: Components | None, what: str, more: int) -> float | None:
    """About half the width of the interval with more; ``None`` where that component is not known."""
    from iamhumans.stats.quantiles import t_quantile

    if found is None or found.cases < 2:
        return None
    if (what == "reply" and found.reply is None) or (what == "repeat" and found.repeat is None):
        return None
    added = {"reply": {"replies": more}, "repeat": {"repeats": more}, "now": {}}.get(what, {"cases": more})
    variance = found.variance_of_mean(**added)
    cases = found.cases + added.get("cases", 0)
    return None if variance is None else t_quantile((1 + LEVEL) / 2, cases - 1) * sqrt(variance)
