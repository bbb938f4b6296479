"""How many cases, replies and repeats see a difference, and what they cost: before anything is paid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from iamhumans.stats.cases import Cases, CaseValues
from iamhumans.stats.components import variance_components
from iamhumans.stats.design import (
    Design,
    Detectable,
    QualityModel,
    ZeroedModel,
    fewest_cases,
    flip_of,
    planned_zero_rate,
    quality_power,
    smallest_quality,
    smallest_zero_rate,
    zero_rate_limit,
    zero_rate_power,
    zeroed_model,
)

Figure = Literal["zero-rate", "quality"]
FIGURES: tuple[Figure, ...] = ("zero-rate", "quality")
REPLIES, REPEATS = (1, 2, 3, 5, 10), (1, 3, 5)
"""The designs that are weighed against each other."""
RUNS = 2
"""A comparison needs two runs."""
MOST_CASES = 100_000
_DRAWS = 500
_CURVE = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
_ASSUMED_CASE, _ASSUMED_REPLY, _ASSUMED_REPEAT = 6.0, 5.0, 3.0
EFFECT_SHARE = 0.5
"""The variance between cases of what a change does to them, as a share of the variance between cases."""
_UNEVEN = (
    "A change of the skill moves some cases more than others: with half of the variance that there is between cases"
    " (assumed)."
)
REPLY_SHARE = 0.5
"""The share of the variance of single replies that is taken for that between replies to one case, if not known."""


@dataclass(frozen=True, slots=True)
class Variation:
    """How replies vary, and how that is known.

    Attributes:
        zeroed: How they are zeroed.
        quality: How their quality varies; ``None`` where it is not known.
        case: The standard deviation of quality between cases, in points.
        run: The run that it comes from; empty for what is assumed.
        notes: What is assumed, with its source, for each figure.
        shares: The share of zeroed replies of each case of that run.
        repeats: Of each of its replies.
    """

    zeroed: ZeroedModel
    quality: QualityModel | None
    case: float | None = None
    run: str = ""
    notes: Mapping[Figure, tuple[str, ...]] = field(default_factory=dict)
    shares: CaseValues | None = None
    repeats: int = 1

    @property
    def knows_repeats(self) -> bool:
        """Whether it is known what repeats of the judge change."""
        return self.zeroed.flip > 0 or (self.quality is not None and self.quality.repeat > 0)


ASSUMED = Variation(
    ZeroedModel(rate=0.05, correlation=0.3, flip=flip_of(0.136)),
    QualityModel(_ASSUMED_CASE * EFFECT_SHARE**0.5, _ASSUMED_REPLY, _ASSUMED_REPEAT),
    _ASSUMED_CASE,
    notes={
        "zero-rate": (
            "5 % of replies are zeroed (assumed).",
            "Two replies to one case agree on it with a correlation of 0.3 (assumed).",
            "Two repeats of the judge differ in 13.6 % (arXiv 2606.13685: pairwise preferences of two judges).",
        ),
        "quality": (
            f"Quality varies by {_ASSUMED_CASE:g} points between cases, {_ASSUMED_REPLY:g} between replies and"
            f" {_ASSUMED_REPEAT:g} between repeats, as standard deviations (assumed).",
            _UNEVEN,
        ),
    },
)
"""The bundled table: how replies vary where no run shows it."""


@dataclass(frozen=True, slots=True)
class Price:
    """About what calls take. ``cost`` is ``None`` where no price is known, and ``at_least`` where some are missing."""

    answers: int
    """Replies and judgements, whether or not they take a call."""
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class UnitPrice:
    """What one reply to each of some cases takes, and one judgement of each."""

    cases: int
    reply: Price
    judgement: Price

    def of(self, design: Design) -> Price:
        """What both runs of a comparison take, scaled by case."""
        replies = RUNS * design.cases * design.replies / self.cases
        parts = ((self.reply, replies), (self.judgement, replies * design.repeats))
        known = [one.cost * times for one, times in parts if one.cost is not None]
        missing = any(one.at_least or (one.cost is None and one.calls) for one, _ in parts)
        cost = sum(known) if known and (not missing or sum(known) > 0) else None
        return Price(
            answers=round(sum(one.answers * times for one, times in parts)),
            calls=round(sum(one.calls * times for one, times in parts)),
            prompt_tokens=round(sum(one.prompt_tokens * times for one, times in parts)),
            completion_tokens=round(sum(one.completion_tokens * times for one, times in parts)),
            cost=cost,
            at_least=missing and cost is not None,
        )


@dataclass(frozen=True, slots=True)
class Option:
    """So many replies and repeats, with the fewest cases that reach 80 % power.

    Attributes:
        replies, repeats: Of each case, and of each reply.
        cases: ``None`` where no number that can be written reaches it.
        power: With so many cases.
        power_below: With one case fewer, which is the next cheaper design of its kind.
        price: Of both runs of a comparison.
    """

    replies: int
    repeats: int
    cases: int | None
    power: float | None = None
    power_below: float | None = None
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """The power of a number of cases."""

    cases: int
    power: float


@dataclass(frozen=True, slots=True)
class Planned:
    """What sees a difference of ``detect`` points with 80 % power.

    Attributes:
        suite: The name of the suite.
        of: The figure.
        detect: The difference, in points.
        variation: How replies vary.
        asked: The design with the replies and repeats that were asked for.
        options: All designs that were weighed, by replies and repeats.
        cheapest: The one that costs least; of equal ones the one with the fewest cases.
        within: The cheapest one that the cases of the suite suffice for; ``None`` where there is none.
        suite_cases: How many cases the suite has.
        suite_power: Of those cases, with the replies and repeats that were asked for.
        visible: The smallest difference that those cases see, in points.
        curve: The power by the number of cases, with the replies and repeats that were asked for.
        priced: Whether the price of replies, and of judgements, was asked for.
    """

    suite: str
    of: Figure
    detect: float
    variation: Variation
    asked: Option
    options: tuple[Option, ...]
    cheapest: Option | None
    within: Option | None
    suite_cases: int
    suite_power: float
    visible: Detectable
    curve: tuple[Point, ...]
    priced: tuple[bool, bool] = (False, False)


def plan_designs(
    suite: str, cases: int, of: Figure, detect: float, replies: int, repeats: int, variation: Variation,
    unit: UnitPrice, priced: tuple[bool, bool],
) -> Planned:  # fmt: skip
    """Plan a comparison that sees a difference.

    Args:
        suite: The name of the suite.
        cases: How many it has.
        of: The figure. Quality needs ``variation.quality``.
        detect: The difference, in points.
        replies: To each case.
        repeats: Of the judge, of each reply.
        variation: How replies vary.
        unit: What replies and judgements take.
        priced: Whether the price of replies, and of judgements, was asked for.
    """
    power = power_of(of, detect, variation)
    options = tuple(_options(of, detect, variation, power, unit, replies, repeats))
    asked = next(one for one in options if (one.replies, one.repeats) == (replies, repeats))
    reached = [one for one in options if one.cases is not None]
    at_suite = [
        replace(one, cases=cases, power=power(Design(cases, one.replies, one.repeats)), power_below=None,
                price=unit.of(Design(cases, one.replies, one.repeats)))
        for one in reached
        if one.cases is not None and one.cases <= cases
    ]  # fmt: skip
    design = Design(cases, replies, repeats)
    return Planned(
        suite=suite,
        of=of,
        detect=detect,
        variation=variation,
        asked=asked,
        options=options,
        cheapest=min(reached, key=_expense, default=None),
        within=min(at_suite, key=_expense, default=None),
        suite_cases=cases,
        suite_power=power(design),
        visible=_visible(of, variation, design),
        curve=tuple(_curve(power, asked, cases)),
        priced=priced,
    )


def power_of(of: Figure, detect: float, variation: Variation) -> Callable[[Design], float]:
    """The power of each design to see a difference of so many points."""

    @cache
    def power(design: Design) -> float:
        if of == "quality" and variation.quality is not None:
            return quality_power(variation.quality, design, detect)
        return zero_rate_power(variation.zeroed, design, detect / 100, draws=_DRAWS)

    return power


def _options(
    of: Figure,
    detect: float,
    variation: Variation,
    power: Callable[[Design], float],
    unit: UnitPrice,
    replies: int,
    repeats: int,
) -> Iterable[Option]:
    votes = sorted({repeats, *(REPEATS if variation.knows_repeats else (1,))})
    for each in sorted({replies, *REPLIES}):
        for vote in votes:

            def enough(cases: int, each: int = each, vote: int = vote) -> float:
                return power(Design(cases, each, vote))

            cases = fewest_cases(enough, MOST_CASES, near=_roughly(of, detect, variation, each, vote))
            if cases is None:
                yield Option(each, vote, None)
            else:
                below = enough(cases - 1) if cases > 1 else 0.0
                yield Option(each, vote, cases, enough(cases), below, unit.of(Design(cases, each, vote)))


def _roughly(of: Figure, detect: float, variation: Variation, replies: int, repeats: int) -> int:
    """About how many cases are needed, by the normal limit, to begin the search with."""
    if of == "quality":
        return 16

    def limit(cases: int) -> float:
        return zero_rate_limit(variation.zeroed, Design(cases, replies, repeats), detect / 100)

    return fewest_cases(limit, MOST_CASES) or MOST_CASES


def _expense(one: Option) -> tuple[float, int, int, int]:
    price, cases = one.price, one.cases or 0
    if price is None:
        return 0.0, 0, 0, cases
    # A cost that leaves out some prices says little.
    cost = price.cost if price.cost is not None and not price.at_least else 0.0
    return cost, price.calls, price.answers, cases


def _visible(of: Figure, variation: Variation, design: Design) -> Detectable:
    """The smallest difference that a design sees, in points, with a range where a run shows how replies vary."""
    if of == "quality" and variation.quality is not None:
        value = smallest_quality(variation.quality, design)
        return Detectable(value, value, value)
    if variation.shares is None:
        value = smallest_zero_rate(variation.zeroed, design)
        found = Detectable(value, value, value)
    else:
        found = planned_zero_rate(variation.shares, design, flip=variation.zeroed.flip, repeats=variation.repeats)
    points = [None if one is None else 100 * one for one in (found.value, found.low, found.high)]
    return Detectable(*points)


def _curve(power: Callable[[Design], float], asked: Option, suite_cases: int) -> Iterable[Point]:
    needed = asked.cases or suite_cases
    counts = {suite_cases, *(max(2, round(share * needed)) for share in _CURVE)}
    return (Point(count, power(Design(count, asked.replies, asked.repeats))) for count in sorted(counts))


@dataclass(frozen=True, slots=True)
class JudgedVote:
    """One judgement of a run: of which reply to which case, whether it zeroes, and the quality if that is known."""

    case_id: str
    number: int
    repeat: int
    zeroed: bool
    quality: float | None


def variation_of(run: str, votes: Sequence[JudgedVote]) -> Variation:
    """How the replies of a run vary: between cases, replies and repeats.

    Several judges are one vote: each repeat has the majority of their zeroes, a tie zeroes, and their mean quality.
    """
    zeroes: dict[tuple[str, int], dict[int, list[bool]]] = {}
    qualities: dict[tuple[str, int, int], list[float]] = {}
    for one in votes:
        zeroes.setdefault((one.case_id, one.number), {}).setdefault(one.repeat, []).append(one.zeroed)
        if one.quality is not None:
            qualities.setdefault((one.case_id, one.number, one.repeat), []).append(one.quality)
    rounds = [[2 * sum(own) >= len(own) for own in by_repeat.values()] for by_repeat in zeroes.values()]
    shares = Cases.of([case_id for case_id, _ in zeroes]).means([2 * sum(own) >= len(own) for own in rounds])
    repeats = round(sum(map(len, rounds)) / len(rounds))
    pairs = sum(len(own) * (len(own) - 1) / 2 for own in rounds)
    differing = sum(sum(own) * (len(own) - sum(own)) for own in rounds)
    single = len(shares) == len(zeroes)
    about_repeats = () if pairs else ("The run has no repeats, so what more of them would change is not known.",)
    about_replies, about_quality = [], [_UNEVEN]
    if single:
        about_replies.append("It has one reply to each case, so how far replies agree within a case is assumed.")
    quality = case = None
    if len(qualities) == sum(map(len, rounds)):
        means = [sum(own) / len(own) for own in qualities.values()]
        found = variance_components(means, [key[0] for key in qualities], [key[1] for key in qualities])
        between, reply = found.case or 0.0, found.reply
        if reply is None:
            between, reply = (1 - REPLY_SHARE) * between, REPLY_SHARE * between
            about_quality.append("It has one reply to each case: half of the variance is taken for that of replies.")
        quality = QualityModel((EFFECT_SHARE * between) ** 0.5, reply**0.5, (found.repeat or 0.0) ** 0.5)
        case = between**0.5
    flip = flip_of(differing / pairs) if pairs else 0.0
    zeroed = zeroed_model(shares, flip=flip, repeats=repeats)
    notes: dict[Figure, tuple[str, ...]] = {
        "zero-rate": (*about_repeats, *about_replies),
        "quality": (*about_repeats, *about_quality),
    }
    return Variation(zeroed, quality, case, run, notes, shares, repeats)
