"""A panel with its judges, for people and programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from iamhumans.decisions.judges import JudgeFigures, PanelFigures, Split
from iamhumans.reports import words
from iamhumans.text import for_markdown, one_line

_NAME_WIDTH = 38
_HEADS = ("cases zeroed", "mean of the rest", "pass", "judged", "as most others")
_MOST_CHARACTERS = 400


def panel_lines(figures: PanelFigures) -> Iterator[str]:
    """For a terminal."""
    yield ""
    yield f"{'the panel and its judges':<{_NAME_WIDTH}}{''.join(f'{head:>18}' for head in _HEADS)}"
    for judge in (figures.panel, *figures.judges):
        cells = "".join(f"{cell:>18}" for cell in _cells(judge))
        yield f"{one_line(judge.name, _NAME_WIDTH - 1):<{_NAME_WIDTH}}{cells}".rstrip()
    yield ""
    yield from map(one_line, _sentences(figures))
    if figures.splits:
        yield ""
        yield "replies on which the judges split"
        yield from (f"  {one_line(_named(split))}  {one_line(_said(split), 200)}" for split in figures.splits)
        if figures.split > len(figures.splits):
            yield f"  and {figures.split - len(figures.splits)} more"


def panel_markdown(figures: PanelFigures) -> str:
    """Fit for a pull-request comment."""
    lines = ["", "### The panel and its judges", "", f"| | {' | '.join(_HEADS)} |", f"| --- |{' --- |' * len(_HEADS)}"]
    lines += [
        f"| {for_markdown(one_line(judge.name, 80))} | {' | '.join(_cells(judge))} |"
        for judge in (figures.panel, *figures.judges)
    ]
    lines += ["", *(f"- {for_markdown(sentence)}" for sentence in _sentences(figures))]
    if figures.splits:
        lines += ["", "| Split | Total and hard fails by judge |", "| --- | --- |"]
        lines += [
            f"| {for_markdown(_named(split))} | {for_markdown(one_line(_said(split), _MOST_CHARACTERS))} |"
            for split in figures.splits
        ]
    return "\n".join(lines) + "\n"


def panel_document(figures: PanelFigures) -> dict[str, Any]:
    """As part of a JSON document."""
    nearest, furthest = figures.nearest, figures.furthest
    return {
        **asdict(figures),
        "nearest": nearest.name if nearest else None,
        "furthest": furthest.name if furthest else None,
        "sentences": list(_sentences(figures)),
    }


def _cells(judge: JudgeFigures) -> Sequence[str]:
    headline = judge.headline
    return (
        words.of_cases(headline.zero_rate.value, headline.zero_rate.n_cases),
        words.mean(headline.rest.value),
        words.rate(judge.pass_rate),
        f"{judge.judged} of {judge.asked}",
        words.rate(judge.with_others) if judge.with_others is not None else "",
    )


def _sentences(figures: PanelFigures) -> Iterator[str]:
    nearest, furthest = figures.nearest, figures.furthest
    if nearest is not None and furthest is not None and nearest.with_others is not None:
        yield (
            f"{nearest.name} decides most often as most of the others do, {furthest.name} least often. That is no proof"
            " of who is right; labels by people are."
        )
    if figures.agreement is not None:
        yield (
            f"Two judges decide the same, PASS or FAIL, on {words.rate(figures.agreement)} of the replies; on"
            f" {figures.split} of {figures.replies} not all do."
        )
    if figures.independent_votes is not None:
        count = words.counted(len(figures.judges), "judge is", "judges are")
        yield (
            f"The {count} worth {figures.independent_votes:.1f} independent votes at least (their totals correlate at"
            f" {figures.correlation:.2f}, of which some is agreeing on what is so)."
        )
    else:
        why = "there are too few replies, or a judge never varies"
        yield f"How many independent votes the judges are worth cannot be said: {why}."
    if figures.contested:
        yield (
            f"In {words.counted(figures.contested, 'reply', 'replies')} a hard fail is contested: as many judges see it"
            " as do not. It does not zero the total here; gates count it."
        )


def _named(split: Split) -> str:
    number = f" #{split.number}" if split.number > 1 else ""
    subject = f" {split.subject}" if split.subject else ""
    return f"{split.case_id}{number}{subject}"


def _said(split: Split) -> str:
    parts = []
    for name, total in split.totals.items():
        fails = f" ({', '.join(split.hard_fails[name])})" if split.hard_fails[name] else ""
        parts.append(f"{name} {total}{fails}")
    return "; ".join(parts)
