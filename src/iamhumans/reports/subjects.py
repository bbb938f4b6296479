"""Several subjects of a run against the first, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from iamhumans.reports.blocks import Block, Paragraph, Table
from iamhumans.reports.figures import NOTHING, name_cell, number
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.decisions.compare import Change
    from iamhumans.decisions.subjects import SubjectChanges

_MOST_ROWS = 20
_HEADS = ("", "difference", "95 % interval", "cases", "p")


def subjects_blocks(found: SubjectChanges) -> Iterator[Block]:
    """A table for the zero rate and one for quality, and what their p are corrected for."""
    tables = (("Zero rate, percentage points", found.zero_rate, 100.0), ("Quality, points", found.quality, 1.0))
    several = False
    for title, changes, scale in tables:
        if not changes:
            continue
        rows = tuple((name_cell(name), *_row(one, scale)) for name, one in list(changes.items())[:_MOST_ROWS])
        against = f"{title}: against {one_line(found.first, 60)}"
        yield Table(_HEADS, rows, against, right=frozenset((1, 2, 3, 4)), names=1)
        several = several or len(changes) > 1
    if several:
        yield Paragraph(
            "Each of these tables is a family: its p are corrected for its number of subjects (Holm), and where too few"
            " cases changed to test a subject, it costs the others nothing (Tarone)."
        )


def _row(change: Change, scale: float) -> tuple[str, ...]:
    estimate = change.difference.difference

    def step(value: float | None) -> str:
        return NOTHING if value is None else number(scale * value, 1, sign=True)

    between = "withheld" if estimate.withheld else NOTHING
    if estimate.low is not None and estimate.high is not None:
        between = f"{step(estimate.low)} to {step(estimate.high)}"
    p_value = "too few" if change.too_few else NOTHING if change.p_value is None else f"{change.p_value:.3f}"
    return step(estimate.value), between, f"{estimate.n_cases:,}", "< 0.001" if p_value == "0.000" else p_value


def subjects_document(found: SubjectChanges) -> dict[str, Any]:
    """The same for programs."""

    def tested(changes: Mapping[str, Change]) -> dict[str, Any]:
        return {
            name: {**asdict(one.difference), "corrected_p_value": one.p_value, "too_few_changed": one.too_few}
            for name, one in changes.items()
        }

    return {"against": found.first, "zero_rate": tested(found.zero_rate), "quality": tested(found.quality)}
