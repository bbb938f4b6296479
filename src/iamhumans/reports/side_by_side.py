"""What a judge chose side by side, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from iamhumans.decisions.side_by_side import Chosen, SideBySide
from iamhumans.judges import Settlement
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Table
from iamhumans.reports.figures import counted
from iamhumans.text import one_line

_MOST_CHOICES = 30
_PREFERRED = {Settlement.A: "A", Settlement.B: "B", Settlement.TIE: "tie", Settlement.UNJUDGED: "unjudged"}
_WHY_WIDTH = 300
_QUOTE_WIDTH = 120


def side_by_side_blocks(found: SideBySide) -> list[Block]:
    """Which run's replies are preferred, how far the judge can be trusted, and why it chose."""
    rows = tuple(
        (_PREFERRED[one.settled.outcome], _name(one), " ".join((_why(one), *_quotes(one))).strip())
        for one in found.chosen[:_MOST_CHOICES]
    )
    blocks: list[Block] = [
        Heading(f"Side by side by {one_line(found.judge, 80)}: which reply would you rather get?"),
        Items(tuple(side_by_side_sentences(found))),
        Table(("preferred", "case", "why"), rows, note_column=2),
    ]
    if len(found.chosen) > _MOST_CHOICES:
        blocks.append(
            Paragraph(f"{len(found.chosen) - _MOST_CHOICES} more pairs are not shown; --json holds them all.")
        )
    return blocks


def side_by_side_document(found: SideBySide) -> dict[str, Any]:
    """The choices with their sentences, for JSON."""
    return {**found.to_dict(), "sentences": list(side_by_side_sentences(found))}


def side_by_side_sentences(found: SideBySide) -> Iterator[str]:
    """What the choices mean."""
    yield (
        f"A preferred {_times(found.a)}, B preferred {_times(found.b)}, {counted(found.ties, 'tie')},"
        f" {found.unjudged} unjudged."
    )
    rate = found.win_rate
    if rate.value is not None and rate.low is not None and rate.high is not None:
        preferred = "B" if rate.low > 0.5 else "A" if rate.high < 0.5 else None
        shown = f"{preferred} is shown to be preferred." if preferred else "Neither is shown to be preferred."
        yield (
            f"B wins {100 * rate.value:.0f} % over {counted(rate.n_cases, 'case')}, where a tie counts half. With other"
            f" cases it may be {100 * rate.low:.0f} to {100 * rate.high:.0f} %. {shown}"
        )
    elif rate.withheld:
        yield rate.withheld
    if found.flipped and found.position_bias is not None:
        yield (
            f"In {found.flipped} of {found.a + found.b + found.ties} pairs ({100 * found.position_bias:.0f} %) the"
            f" judge chose the same place in both orders, {_times(found.flipped_to_first)} the first. They count as"
            " ties."
        )
    if found.unconfirmed:
        pairs = counted(found.unconfirmed, "pair was", "pairs were")
        yield f"{pairs} won without a quote that is in the preferred reply."
    yield from (f"{count} unjudged: {reason.value}." for reason, count in found.reasons.items())
    counts = {
        "of held-out cases": found.left_out.held_out,
        "after turns that the subjects answered live": found.left_out.live,
        "of cases whose text changed": found.left_out.changed,
        "without a reply in the other run": found.left_out.unmatched,
    }
    left_out = [f"{count} {what}" for what, count in counts.items() if count]
    if left_out:
        yield f"Not shown to the judge: {', '.join(left_out)}."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _name(one: Chosen) -> str:
    return one_line(one.case_id if one.number == 1 else f"{one.case_id} #{one.number}", 38)


def _why(one: Chosen) -> str:
    settled = one.settled
    if settled.unjudged is not None:
        return one_line(f"{settled.unjudged.reason.value}: {settled.unjudged.detail}", _WHY_WIDTH)
    if settled.flipped:
        return f"the {settled.favoured.value if settled.favoured else 'same'} reply in both orders"
    return one_line(one.reasons[0], _WHY_WIDTH) if one.reasons else ""


def _quotes(one: Chosen) -> Sequence[str]:
    if one.settled.unjudged is not None:
        return ()
    shown = (("A", one.quotes_a), ("B", one.quotes_b))
    return [f"{letter}: “{one_line(quotes[0], _QUOTE_WIDTH)}”" for letter, quotes in shown if quotes]
