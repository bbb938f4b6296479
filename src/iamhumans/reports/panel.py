"""A panel and its judges in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from iamhumans.decisions.judges import JudgeFigures, PanelFigures, Split
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Table
from iamhumans.reports.figures import counted, mean, of_cases, rate
from iamhumans.text import one_line

_NAME_WIDTH = 38


def panel_blocks(figures: PanelFigures) -> list[Block]:
    """The judges beside each other, how far they agree, and where they split."""
    heads = ("judge", "cases zeroed", "mean of the rest", "pass", "judged", "as most others")
    rows = tuple(_row(judge) for judge in (figures.panel, *figures.judges))
    blocks: list[Block] = [
        Heading("The panel and its judges"),
        Table(heads, rows, right=frozenset(range(1, len(heads)))),
        Items(tuple(panel_sentences(figures))),
    ]
    if figures.splits:
        splits = tuple((_name(split), _totals(split)) for split in figures.splits)
        blocks.append(
            Table(("reply", "total and hard fails by judge"), splits, "Where the judges split", note_column=1)
        )
    if figures.split > len(figures.splits):
        blocks.append(Paragraph(f"and {figures.split - len(figures.splits)} more"))
    return blocks


def panel_document(figures: PanelFigures) -> dict[str, Any]:
    """The figures with their sentences, for JSON."""
    return {**figures.to_dict(), "sentences": list(panel_sentences(figures))}


def _row(judge: JudgeFigures) -> tuple[str, ...]:
    zero_rate, rest = judge.headline.zero_rate, judge.headline.rest
    return (
        one_line(judge.name, _NAME_WIDTH),
        of_cases(zero_rate.value, zero_rate.n_cases),
        mean(rest.value),
        rate(judge.pass_rate),
        f"{judge.judged} of {judge.asked}",
        "" if judge.with_others is None else rate(judge.with_others),
    )


def panel_sentences(figures: PanelFigures) -> Iterator[str]:
    """What the figures mean."""
    nearest, furthest = figures.nearest, figures.furthest
    if nearest is not None and furthest is not None:
        yield (
            f"{nearest.name} agrees with most of the others most often, {furthest.name} least often. That does not show"
            " who is right; labels by people do."
        )
    if figures.agreement is not None:
        yield (
            f"Two judges give the same verdict, PASS or FAIL, on {rate(figures.agreement)} of the replies. On"
            f" {figures.split} of {figures.replies} replies not all of them agree."
        )
    if figures.independent_votes is not None:
        judges = counted(len(figures.judges), "judge amounts", "judges amount")
        yield (
            f"The {judges} to at least {figures.independent_votes:.1f} independent votes (the mean correlation of their"
            f" totals is {figures.correlation:.2f}; judges who are right agree as well)."
        )
    else:
        why = "there are too few replies, or a judge never varies"
        yield f"The number of independent votes is unknown: {why}."
    if figures.contested:
        replies = counted(figures.contested, "reply has", "replies have")
        yield f"{replies} a contested hard fail: the votes are tied. It does not zero the total here; gates count it."


def _name(split: Split) -> str:
    number = f" #{split.number}" if split.number > 1 else ""
    return one_line(f"{split.case_id}{number}{' ' + split.subject if split.subject else ''}", _NAME_WIDTH)


def _totals(split: Split) -> str:
    parts = []
    for name, total in split.totals.items():
        fails = f" ({', '.join(split.hard_fails[name])})" if split.hard_fails[name] else ""
        parts.append(f"{name} {total}{fails}")
    return "; ".join(parts)
