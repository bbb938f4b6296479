"""What a judge chose side by side, for people and programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from iamhumans.decisions.side_by_side import Chosen, SideBySide
from iamhumans.judges import Settlement
from iamhumans.reports import words
from iamhumans.text import for_markdown, one_line

_MOST_CHOICES = 30
_SAID = {Settlement.A: "A", Settlement.B: "B", Settlement.TIE: "tie", Settlement.UNJUDGED: "unjudged"}
_WHY_WIDTH = 300
_QUOTE_WIDTH = 120


def side_by_side_lines(found: SideBySide) -> Iterator[str]:
    """For a terminal."""
    yield ""
    yield one_line(f"side by side by {found.judge}: which reply would one rather have got from a person")
    yield from (f"  {one_line(sentence)}" for sentence in _sentences(found))
    yield ""
    for one in found.chosen[:_MOST_CHOICES]:
        yield f"  {_SAID[one.settled.outcome]:<9}{one_line(_name(one))}  {one_line(_why(one), _WHY_WIDTH)}".rstrip()
        yield from (f"             {one_line(line, _WHY_WIDTH)}" for line in _quotes(one))
    if len(found.chosen) > _MOST_CHOICES:
        yield f"  and {len(found.chosen) - _MOST_CHOICES} more; --json holds them all"


def side_by_side_markdown(found: SideBySide) -> str:
    """Fit for a pull-request comment."""
    lines = ["", f"### Side by side by {for_markdown(one_line(found.judge, 80))}", ""]
    lines += [f"- {for_markdown(sentence)}" for sentence in _sentences(found)]
    lines += ["", "| Case | Preferred | Why |", "| --- | --- | --- |"]
    for one in found.chosen[:_MOST_CHOICES]:
        why = "<br>".join(for_markdown(one_line(part, _WHY_WIDTH)) for part in (_why(one), *_quotes(one)))
        lines.append(f"| {for_markdown(one_line(_name(one), 60))} | {_SAID[one.settled.outcome]} | {why} |")
    if len(found.chosen) > _MOST_CHOICES:
        lines += ["", f"{len(found.chosen) - _MOST_CHOICES} more pairs are not shown."]
    return "\n".join(lines) + "\n"


def side_by_side_document(found: SideBySide) -> dict[str, Any]:
    """As part of a JSON document."""
    return {
        "judge": found.judge,
        "a": found.a,
        "b": found.b,
        "ties": found.ties,
        "unjudged": found.unjudged,
        "win_rate": asdict(found.win_rate),
        "position_bias": found.position_bias,
        "flipped": found.flipped,
        "flipped_to_first": found.flipped_to_first,
        "unconfirmed": found.unconfirmed,
        "reasons": {reason.value: count for reason, count in found.reasons.items()},
        "left_out": asdict(found.left_out),
        "sentences": list(_sentences(found)),
        "choices": [_choice_document(one) for one in found.chosen],
    }


def _choice_document(one: Chosen) -> dict[str, Any]:
    settled = one.settled
    return {
        "case_id": one.case_id,
        "number": one.number,
        "outcome": settled.outcome.value,
        "flipped": settled.flipped,
        "favoured": settled.favoured.value if settled.favoured else None,
        "wavered": settled.wavered,
        "unconfirmed": settled.unconfirmed,
        "reasons": list(one.reasons),
        "quotes": {"a": list(one.quotes_a), "b": list(one.quotes_b)},
        "unjudged": asdict(settled.unjudged) if settled.unjudged else None,
    }


def _sentences(found: SideBySide) -> Iterator[str]:
    ties = words.counted(found.ties, "tie", "ties")
    yield f"A preferred {_times(found.a)}, B {_times(found.b)}, {ties}, {found.unjudged} unjudged."
    rate = found.win_rate
    if rate.value is not None and rate.low is not None and rate.high is not None:
        cases = words.counted(rate.n_cases, "case", "cases")
        yield (
            f"B wins {100 * rate.value:.0f} % over {cases}, a tie counting half; with other cases it may be"
            f" {100 * rate.low:.0f} to {100 * rate.high:.0f} %. {_verdict(rate.low, rate.high)}"
        )
    elif rate.withheld:
        yield rate.withheld
    if found.flipped and found.position_bias is not None:
        yield (
            f"In {found.flipped} of {found.a + found.b + found.ties} pairs ({100 * found.position_bias:.0f} %) the"
            f" choice went with the place and not with the reply, {_times(found.flipped_to_first)} to the one shown"
            " first. Those count as ties."
        )
    if found.unconfirmed:
        won = words.counted(found.unconfirmed, "pair was", "pairs were")
        yield f"{won} won without words that stand in the reply that was preferred."
    for reason, count in found.reasons.items():
        yield f"{count} unjudged: {reason.value}."
    yield from _left_out(found)


def _verdict(low: float, high: float) -> str:
    if low > 0.5:
        return "B is shown to be preferred."
    if high < 0.5:
        return "A is shown to be preferred."
    return "Neither is shown to be preferred."


def _left_out(found: SideBySide) -> Iterator[str]:
    left_out = found.left_out
    said = {
        "of held-out cases": left_out.held_out,
        "after turns that the subjects answered themselves": left_out.live,
        "of cases whose text changed": left_out.changed,
        "without a reply on the other side": left_out.unmatched,
    }
    parts = [f"{count} {what}" for what, count in said.items() if count]
    if parts:
        yield f"Not shown to the judge: {', '.join(parts)}."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _name(one: Chosen) -> str:
    return one.case_id if one.number == 1 else f"{one.case_id} #{one.number}"


def _why(one: Chosen) -> str:
    settled = one.settled
    if settled.unjudged is not None:
        return f"{settled.unjudged.reason.value}: {settled.unjudged.detail}"
    if settled.flipped:
        place = settled.favoured.value if settled.favoured else "same"
        return f"the {place} reply in both orders"
    return one.reasons[0] if one.reasons else ""


def _quotes(one: Chosen) -> Sequence[str]:
    """The words of each reply; of a pair that is unjudged none."""
    if one.settled.unjudged is not None:
        return ()
    shown = (("A", one.quotes_a), ("B", one.quotes_b))
    return [f"{letter}: “{one_line(quotes[0], _QUOTE_WIDTH)}”" for letter, quotes in shown if quotes]
