"""A panel and its judges in blocks."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from iamhumans.decisions.judges import JudgeFigures, PanelFigures, Split
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Table
from iamhumans.reports.figures import NAME_WIDTH, counted, interval, number, rate, rate_with_interval
from iamhumans.text import one_line


def panel_blocks(figures: PanelFigures) -> list[Block]:
    """The judges beside each other, how far they agree, and where they split."""
    heads = ("judge", "cases zeroed", "mean of the rest", "pass", "cases", "judged", "as most others")
    rows = tuple(_row(judge) for judge in (figures.panel, *figures.judges))
    splits, more = tuple(map(_split, figures.splits)), figures.split - len(figures.splits)
    split_heads = ("reply", "total and hard fails by judge")
    return [
        Heading("The panel and its judges"),
        Table(heads, rows, right=frozenset(range(1, len(heads))), names=1),
        Items(tuple(panel_sentences(figures))),
        *([Table(split_heads, splits, "Where the judges split", note_column=1)] if splits else []),
        *([Paragraph(f"and {more} more")] if more else []),
    ]


def panel_document(figures: PanelFigures) -> dict[str, Any]:
    """The figures with their sentences, for JSON."""
    ends = dict(zip(("nearest", "furthest"), figures.ends, strict=True))
    return {**asdict(figures), **ends, "sentences": list(panel_sentences(figures))}


def _row(judge: JudgeFigures) -> tuple[str, ...]:
    zero_rate, rest = judge.headline.zero_rate, judge.headline.rest
    return (
        one_line(judge.name, NAME_WIDTH),
        rate_with_interval(zero_rate),
        f"{number(rest.value, 1)}{f' ({interval(rest)})' if rest.low is not None else ''}",
        rate_with_interval(judge.pass_rate),
        f"{zero_rate.n_cases:,}",
        f"{judge.judged} of {judge.asked}",
        "" if judge.with_others is None else rate(judge.with_others),
    )


def panel_sentences(figures: PanelFigures) -> Iterator[str]:
    """What the figures mean."""
    nearest, furthest = figures.ends
    if nearest is not None and furthest is not None:
        yield (
            f"{nearest} agrees with most of the others most often, {furthest} least often. That does not show who is"
            " right; labels by people do."
        )
    if figures.replies:
        same = figures.agreement
        share = f"on {rate_with_interval(same)} of the replies, over {counted(same.n_cases, 'case')}"
        if same.value is None:
            share = f"on an unknown share of the replies. {same.withheld}"
        yield (
            f"Two judges give the same verdict, PASS or FAIL, {share.removesuffix('.')}. On"
            f" {figures.split} of {figures.replies} replies not all of them agree."
        )
    if figures.independent_votes is not None:
        judges = counted(len(figures.judges), "judge amounts", "judges amount")
        yield (
            f"The {judges} to at least {figures.independent_votes:.1f} independent votes (the mean correlation of their"
            f" totals is {figures.correlation:.2f}; judges who are right agree as well)."
        )
    else:
        yield "The number of independent votes is unknown: there are too few replies, or a judge never varies."


def _split(split: Split) -> tuple[str, str]:
    numbered = f" #{split.number}" if split.number > 1 else ""
    name = one_line(f"{split.case_id}{numbered}{' ' + split.subject if split.subject else ''}", NAME_WIDTH)
    fails = {judge: f" ({', '.join(several)})" if several else "" for judge, several in split.hard_fails.items()}
    return name, "; ".join(f"{judge} {total}{fails[judge]}" for judge, total in split.totals.items())
