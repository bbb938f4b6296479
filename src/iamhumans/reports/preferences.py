"""What a judge chose side by side, for people and programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from iamhumans.decisions.side_by_side import Chosen, SideBySide
from iamhumans.judges import Settlement
from iamhumans.text import for_markdown, one_line

_MOST_CHOICES = 30
_SAID = {Settlement.A: "A", Settlement.B: "B", Settlement.TIE: "tie", Settlement.UNJUDGED: "unjudged"}


def side_by_side_lines(found: SideBySide) -> Iterator[str]:
    """For a terminal."""
    yield ""
    yield one_line(f"side by side by {found.judge}: which reply would one rather have got from a person")
    yield from (f"  {sentence}" for sentence in _sentences(found))
    yield ""
    for one in found.chosen[:_MOST_CHOICES]:
        yield f"  {_SAID[one.settled.outcome]:<9}{one_line(_name(one))}  {one_line(_why(one), 120)}".rstrip()
    if len(found.chosen) > _MOST_CHOICES:
        yield f"  and {len(found.chosen) - _MOST_CHOICES} more; --json holds them all"


def side_by_side_markdown(found: SideBySide) -> str:
    """Fit for a pull-request comment."""
    lines = ["", f"### Side by side by {for_markdown(found.judge)}", ""]
    lines += [f"- {for_markdown(sentence)}" for sentence in _sentences(found)]
    lines += ["", "| Case | Preferred | Why |", "| --- | --- | --- |"]
    lines += [
        f"| {for_markdown(_name(one))} | {_SAID[one.settled.outcome]} | {for_markdown(one_line(_why(one), 300))} |"
        for one in found.chosen[:_MOST_CHOICES]
    ]
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
        "choices": [
            {
                "case_id": one.case_id,
                "number": one.number,
                "outcome": one.settled.outcome.value,
                "flipped": one.settled.flipped,
                "unconfirmed": one.settled.unconfirmed,
                "reason": one.reason,
                "unjudged": asdict(one.settled.unjudged) if one.settled.unjudged else None,
            }
            for one in found.chosen
        ],
    }


def _sentences(found: SideBySide) -> Iterator[str]:
    yield f"A preferred {found.a} times, B {found.b} times, {found.ties} ties, {found.unjudged} unjudged."
    rate = found.win_rate
    if rate.value is not None and rate.low is not None and rate.high is not None:
        yield (
            f"B wins {100 * rate.value:.0f} % over {rate.n_cases} cases, a tie counting half; with other cases it may"
            f" be {100 * rate.low:.0f} to {100 * rate.high:.0f} %."
        )
    elif rate.withheld:
        yield rate.withheld
    if found.position_bias:
        yield f"In {100 * found.position_bias:.0f} % of the pairs the choice went with the place, not with the reply."


def _name(one: Chosen) -> str:
    return one.case_id if one.number == 1 else f"{one.case_id} #{one.number}"


def _why(one: Chosen) -> str:
    if one.settled.unjudged is not None:
        return f"{one.settled.unjudged.reason.value}: {one.settled.unjudged.detail}"
    if one.settled.flipped:
        return "the choice flips with the order"
    return one.reason
