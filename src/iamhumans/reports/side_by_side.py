"""What a judge chose side by side, in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from iamhumans.decisions.side_by_side import LEFT_OUT, Chosen, SideBySide
from iamhumans.judges import Settlement
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Table
from iamhumans.reports.figures import NAME_WIDTH, counted, left_out, number
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import NetPreference

_MOST_CHOICES = 30
_PREFERRED = {Settlement.A: "A", Settlement.B: "B", Settlement.TIE: "tie", Settlement.UNJUDGED: "unjudged"}
_LEFT_OUT = (
    "of held-out cases",
    "after turns that the subjects answered live",
    "of cases whose text changed",
    "without a reply in the other run",
)
_WHY_WIDTH = 300
_QUOTE_WIDTH = 120


def side_by_side_blocks(found: SideBySide) -> list[Block]:
    """Which run's replies are preferred, how far the judge can be trusted, and why it chose."""
    rows = tuple(
        (
            _PREFERRED[one.settled.outcome],
            one_line(one.case_id if one.number == 1 else f"{one.case_id} #{one.number}", NAME_WIDTH),
            _why(one),
        )
        for one in found.chosen[:_MOST_CHOICES]
    )
    more = len(found.chosen) - len(rows)
    return [
        Heading(f"Side by side by {one_line(found.judge, 80)}: which reply would you rather get?"),
        Items(tuple(side_by_side_sentences(found))),
        Table(("preferred", "case", "why"), rows, note_column=2),
        *([Paragraph(f"{more} more pairs are not shown; use --json to see all.")] if more else []),
    ]


def side_by_side_sentences(found: SideBySide) -> Iterator[str]:
    """What the choices mean."""
    yield (
        f"A preferred {_times(found.a)}, B preferred {_times(found.b)}, {counted(found.ties, 'tie')},"
        f" {found.unjudged} unjudged."
    )
    yield from _net_preference(found.net_preference)
    if found.flipped and found.position_bias is not None:
        yield (
            f"In {found.flipped} of {found.a + found.b + found.ties} pairs ({100 * found.position_bias:.0f} %) the"
            f" judge chose the same position in both orders, {_times(found.flipped_to_first)} the first. They count as"
            " ties."
        )
    if found.unconfirmed:
        pairs = counted(found.unconfirmed, "pair was", "pairs were")
        yield f"{pairs} won without a quote that is in the preferred reply."
    yield from (f"{count} unjudged: {reason.value}." for reason, count in found.reasons.items())
    named = zip(LEFT_OUT, _LEFT_OUT, strict=True)
    yield from left_out({what: found.left_out.get(why, 0) for why, what in named}, "Not shown to the judge")


def _net_preference(found: NetPreference) -> Iterator[str]:
    """The net preference with its interval, and the sentence that follows from it."""
    net, test = found.estimate, found.test
    if net.value is None or net.low is None or net.high is None:
        yield from (net.withheld,) if net.withheld else ()
        return
    value, low, high = (number(100 * figure, 1, sign=True) for figure in (net.value, net.low, net.high))
    p_value = "p < 0.001" if test.p_value < 0.001 else f"p = {test.p_value:.3f}"
    yield (
        f"Net preference for B (B preferred less A preferred): {value} points over {counted(net.n_cases, 'case')}"
        f" ({100 * net.level:g} % interval {low} to {high}; {p_value} by sign flips over cases)."
    )
    if net.low > 0 or net.high < 0:
        yield f"{'B' if net.low > 0 else 'A'} is shown to be preferred."
    elif test.p_value > 1 - net.level:
        yield "Neither is shown to be preferred."
    else:
        yield (
            f"The sign flips show that {'B' if net.value > 0 else 'A'} is preferred; how much is open, since the"
            " interval, which holds however the preferences of a case are spread, contains 0."
        )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _why(one: Chosen) -> str:
    settled = one.settled
    if settled.unjudged is not None:
        return one_line(f"{settled.unjudged.reason.value}: {settled.unjudged.detail}", _WHY_WIDTH)
    why = one_line(one.reasons[0], _WHY_WIDTH) if one.reasons else ""
    if settled.flipped:
        why = f"the {settled.favoured.value if settled.favoured else 'same'} reply in both orders"
    both = (("A", one.quotes_a), ("B", one.quotes_b))
    quotes = [f"{letter}: “{one_line(quotes[0], _QUOTE_WIDTH)}”" for letter, quotes in both if quotes]
    return " ".join((why, *quotes)).strip()
