"""A plan in blocks: the design, its price, what it weighs against, and the power by the number of cases as a chart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from math import ceil
from typing import Any

from iamhumans.decisions.planning import RUNS, Option, Planned, Price
from iamhumans.reports.blocks import Block, Heading, Items, Table
from iamhumans.reports.figures import NOTHING, counted, number, rate
from iamhumans.stats import POWER
from iamhumans.text import one_line

_BAR = 40
_FIGURES = {"zero-rate": ("the zero rate", "percentage points"), "quality": ("quality", "points")}


def plan_blocks(found: Planned) -> list[Block]:
    """What reaches 80 % power, what it costs, and how replies and repeats trade against cases."""
    what, unit = _FIGURES[found.of]
    curve = tuple((f"{one.cases:,}", rate(one.power), _bar(one.power), _mark(found, one.cases)) for one in found.curve)
    asked = _replies_and_repeats(found.asked.replies, found.asked.repeats)
    return [
        Heading(f"Plan for {one_line(found.suite, 60)}: {found.detect:g} {unit} of {what}", 1),
        Items(tuple(plan_sentences(found))),
        _designs(found),
        Table(
            ("cases", "power", "", ""), curve, f"Power by the number of cases, with {asked}", right=frozenset((0, 1))
        ),
        Heading("What this assumes"),
        Items(tuple(_assumptions(found))),
    ]


def plan_document(found: Planned) -> dict[str, Any]:
    """The plan for JSON."""
    variation = found.variation
    return {
        "suite": found.suite,
        "of": found.of,
        "detect": found.detect,
        "power": POWER,
        "runs": RUNS,
        "design": _option(found.asked),
        "cheapest": found.cheapest and _option(found.cheapest),
        "cheapest_with_suite": found.within and _option(found.within),
        "designs": [_option(one) for one in found.options],
        "suite_cases": found.suite_cases,
        "suite_power": found.suite_power,
        "suite_detects": asdict(found.visible),
        "curve": [asdict(one) for one in found.curve],
        "variation": {
            "run": variation.run or None,
            "zeroed": asdict(variation.zeroed),
            "quality": variation.quality and {"case": variation.case, **asdict(variation.quality)},
            "assumed": {name: list(notes) for name, notes in variation.notes.items()},
        },
        "sentences": list(plan_sentences(found)),
    }


def plan_sentences(found: Planned) -> Iterator[str]:
    """What reaches 80 % power, for what price, and what today's suite can see."""
    what, unit = _FIGURES[found.of]
    asked, cheapest, within = found.asked, found.cheapest, found.within
    how = _replies_and_repeats(asked.replies, asked.repeats)
    difference = f"a difference of {found.detect:g} {unit} of {what}"
    if asked.cases is None:
        yield f"With {how}, no number of cases that anyone writes sees {difference} with a probability of 80 %."
    else:
        yield (
            f"With {how}, {counted(asked.cases, 'case')} {'sees' if asked.cases == 1 else 'see'} {difference} with a"
            f" probability of 80 %. Both runs take {_price_in_words(asked.price, found)}."
        )
    if cheapest is not None and cheapest is not asked:
        by = "cost" if _has_costs(found) else "calls" if any(found.priced) else "replies and judgements"
        yield f"Cheapest by {by}: {_design(cheapest)}. Both runs take {_price_in_words(cheapest.price, found)}."
    cases = f"The {counted(found.suite_cases, 'case')} of today's suite"
    if within is None:
        yield f"{cases} do not suffice with any design below."
    elif within.replies != asked.replies or within.repeats != asked.repeats:
        more = _replies_and_repeats(within.replies, within.repeats)
        price = _price_in_words(within.price, found)
        yield f"{cases} suffice with {more}. Both runs take {price}."
    yield f"{cases} with {how} see that difference with a probability of {rate(found.suite_power)}{_visible(found)}."


def _visible(found: Planned) -> str:
    value, low, high = found.visible.value, found.visible.low, found.visible.high
    if value is None:
        return ", and none at all with 80 %"
    about = f"{_up(value)}"
    if low is not None and high is not None and _up(low) != _up(high):
        about += f" ({_up(low)} to {_up(high)})"
    return f", and one of about {about} {_FIGURES[found.of][1]} with 80 %"


def _up(value: float) -> str:
    return number(ceil(10 * value - 1e-9) / 10, 1)


def _assumptions(found: Planned) -> Iterator[str]:
    variation = found.variation
    yield "Each case is compared with itself, by sign flips. Two figures are tested, so each has half of the 5 %."
    if variation.run:
        zeroed, quality = variation.zeroed, variation.quality
        if found.of == "zero-rate":
            yield (
                f"As in run {variation.run}, {rate(zeroed.rate)} of replies are zeroed, and two replies to one case"
                f" agree on it with a correlation of {number(zeroed.correlation)}. Both are smoothed."
            )
            if zeroed.flip:
                yield f"A repeat of the judge differs from what it mostly says in {rate(zeroed.flip)}."
        elif quality is not None:
            yield (
                f"As in run {variation.run}, quality varies by {number(variation.case, 1)} points between cases,"
                f" {number(quality.reply, 1)} between replies and {number(quality.repeat, 1)} between repeats, as"
                " standard deviations."
            )
    yield from variation.notes[found.of]
    if found.of == "zero-rate":
        yield "The difference is one of what the judge mostly says; flips of the judge make the measured one smaller."
    if any(found.priced):
        yield "Prices are for both runs, without repairs and retries, scaled from the cases of the suite."
    else:
        yield "Name the subject and the judge to see what it costs."


def _replies_and_repeats(replies: int, repeats: int) -> str:
    votes = counted(repeats, "judgement")
    return f"{counted(replies, 'reply', 'replies')} a case and {votes} a reply"


def _design(one: Option) -> str:
    return f"{counted(one.cases or 0, 'case')} with {_replies_and_repeats(one.replies, one.repeats)}"


def _designs(found: Planned) -> Table:
    """How replies and repeats trade against cases."""
    priced = any(found.priced)
    heads = ["replies", "repeats", "cases", "power", *(("calls", "tokens", "cost") if priced else ("answers",)), ""]
    rows = []
    for one in found.options:
        price = one.price
        cells = [str(one.replies), str(one.repeats), "too many" if one.cases is None else f"{one.cases:,}"]
        cells.append(NOTHING if one.power is None else rate(one.power))
        if price is None:
            cells += [NOTHING] * (3 if priced else 1)
        elif priced:
            cells += [f"{price.calls:,}", f"{_tokens(price):,}", _cost(price)]
        else:
            cells.append(f"{price.answers:,}")
        marks = (("asked for", found.asked), ("cheapest", found.cheapest))
        rows.append((*cells, ", ".join(name for name, marked in marks if marked is one)))
    title = "Designs with a power of 80 %" + ("" if priced else " (answers: replies and judgements)")
    return Table(tuple(heads), tuple(rows), title, right=frozenset(range(len(heads) - 1)))


def _tokens(price: Price) -> int:
    """Rounded to three digits."""
    count = price.prompt_tokens + price.completion_tokens
    return round(count, 3 - len(str(count)))


def _cost(price: Price) -> str:
    if price.cost is None:
        return "unknown" if price.calls else NOTHING
    return f"{'at least ' if price.at_least else ''}{price.cost:.4g}"


def _has_costs(found: Planned) -> bool:
    return any(one.price and one.price.cost is not None and not one.price.at_least for one in found.options)


def _price_in_words(price: Price | None, found: Planned) -> str:
    if price is None:
        return NOTHING
    if not any(found.priced):
        return counted(price.answers, "reply or judgement", "replies and judgements")
    missing = [name for name, there in zip(("replies", "judgements"), found.priced, strict=True) if not there]
    without = f", {missing[0]} aside" if missing else ""
    if not price.calls:
        return f"no calls{without}"
    cost = "unknown, since a model has no price" if price.cost is None else _cost(price)
    return f"{counted(price.calls, 'call')} and about {_tokens(price):,} tokens{without}; cost: {cost}"


def _option(one: Option) -> dict[str, Any]:
    return {
        "cases": one.cases,
        "replies": one.replies,
        "repeats": one.repeats,
        "power": one.power,
        "power_with_one_case_fewer": one.power_below,
        "price": one.price and asdict(one.price),
    }


def _bar(power: float) -> str:
    return "█" * round(_BAR * power) or "▏"


def _mark(found: Planned, cases: int) -> str:
    marks = [("today", found.suite_cases), ("80 %", found.asked.cases)]
    return ", ".join(name for name, count in marks if count == cases)
