"""How steady a judge is, where the variance comes from, and what more judgements would buy."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from iamhumans.reports.blocks import Block, Heading, Paragraph, Table
from iamhumans.reports.figures import NOTHING, counted, number, rate, rate_with_interval
from iamhumans.stats.components import Components
from iamhumans.stats.estimate import Estimate
from iamhumans.stats.spread import Buy, SpreadFigures
from iamhumans.text import one_line

_MOST_GROUPS = 6
_WHAT = {
    "now": "as it is",
    "repeat": "one more repeat of each reply",
    "reply": "one more reply to each case",
    "case": "one more case",
}


def spread_blocks(found: Sequence[SpreadFigures]) -> Iterator[Block]:
    """The figures of each subject and judge that has repeats or several replies to a case."""
    for one in found[:_MOST_GROUPS]:
        several = f": {one_line(' by '.join(filter(None, (one.subject, one.judge))), 80)}" if len(found) > 1 else ""
        sentences = list(spread_sentences(one))
        if not sentences:
            continue
        yield Heading(f"How steady the figures are{several}")
        yield from map(Paragraph, sentences)
        yield from _tables(one)


def spread_sentences(one: SpreadFigures) -> Iterator[str]:
    """Flips between repeats, and what more replies and cases would buy."""
    if one.asked:
        judged = f"{one.judged:,} of {counted(one.asked, 'reply', 'replies')} with two verdicts or more"
        zeroes = _flips("the zero of a reply differs between repeats in", one.zero_flips)
        verdicts = _flips("two verdicts on one reply differ in", one.verdict_flips)
        yield f"Flips between repeats, over {judged}: {zeroes}; {verdicts}."
    yield from _bought(one)


def _flips(what: str, found: Estimate) -> str:
    cases = f" over {counted(found.n_cases, 'case')}" if found.n_cases else ""
    return f"{what} {rate_with_interval(found)}{cases}" if found.value is not None else f"{what} an unknown share"


def _bought(one: SpreadFigures) -> Iterator[str]:
    buys = {buy.what: buy for buy in one.buys}
    if not buys:
        return
    now, reply, instead = (buys[name].quality for name in ("now", "reply", "cases_instead"))
    if now is not None and reply is not None and instead is not None:
        cases, judgements = buys["cases_instead"].more, buys["reply"].judgements
        better = "replies" if reply < instead else "cases"
        yield (
            f"The interval of quality (applicable total) is about ±{number(now, 1)} points. One more reply to each case"
            f" would make it ±{number(reply, 1)}; {counted(cases, 'new case')} for the same"
            f" {counted(judgements, 'judgement')}, ±{number(instead, 1)}: more {better} buy more."
        )


def _tables(one: SpreadFigures) -> Iterator[Block]:
    parts = {"quality": one.quality, "zeroed": one.zeroed}
    rows = [(name, *_shares(found)) for name, found in parts.items() if found is not None and found.case is not None]
    if rows:
        title = "Where the variance comes from"
        yield Table(("", "cases", "replies", "repeats"), tuple(rows), title, right=frozenset((1, 2, 3)))
    if one.buys:
        heads = ("", "quality", "zero rate", "judgements")
        title = "Half the width of the 95 % interval, about, with more of each"
        yield Table(heads, tuple(map(_row, one.buys)), title, right=frozenset((1, 2, 3)))


def _shares(found: Components) -> tuple[str, str, str]:
    """The share of each in the variance of one judgement; where a level has one member, it is in the one above."""
    total = sum(part or 0.0 for part in (found.case, found.reply, found.repeat))
    case, reply, repeat = (
        NOTHING if part is None else rate(part / total) if total else "0 %"
        for part in (found.case, found.reply, found.repeat)
    )
    return case, reply, repeat


def _row(buy: Buy) -> tuple[str, ...]:
    what = _WHAT.get(buy.what) or f"{counted(buy.more, 'more case', 'more cases')} instead of that reply"
    quality = NOTHING if buy.quality is None else f"±{number(buy.quality, 1)}"
    zero_rate = NOTHING if buy.zero_rate is None else f"±{number(100 * buy.zero_rate, 1)} pp"
    return (what, quality, zero_rate, f"+{buy.judgements:,}" if buy.judgements else NOTHING)


def spread_document(found: Sequence[SpreadFigures]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [asdict(one) for one in found]
